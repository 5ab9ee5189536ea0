"""Monte Carlo tree search, compiled where numba is installed (`pip install gtparena[engines]`).

    python -m sample_engines.mcts_player [--playouts N] [--seconds S] [--plain] [--seed N]

How long it thinks: as many playouts as `arena-limit playouts N` or else the option `playouts` says (0: no
such limit), and never longer than its clock allows; without either, the option `seconds` for each move. The
tree is kept from move to move. It does not think on the opponent's time.

Compiled or not, the same seed and the same number of playouts give the same moves. Where the compiler has not
been through yet (`python -m sample_engines.search.ready` does it beforehand), a game may have to begin
without it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from protocol.sdk import OptionKind, OptionSpec, run
from sample_engines.search.assemble import core_of
from sample_engines.search.core_player import CorePlayer
from sample_engines.search.tree_search import TreeSearch

if TYPE_CHECKING:
    from arena.rules.base import Position
    from protocol.sdk import TurnClock
    from sample_engines.search.followed import FollowedGame

CAPACITY = 1_000_000
"""Nodes of the tree when only time limits the search; 128 bytes each."""

NODES_A_PLAYOUT = 100
"""Nodes to have room for, for each playout of a limit."""


class MctsPlayer(CorePlayer):
    """Plays the move that its search visits most."""

    name = "mcts"
    search = "tree"
    limits = ("playouts",)

    def __init__(self, playouts: int = 0, seconds: float = 1.0, *, compiled: bool = True) -> None:
        """Make an engine.

        Args:
            playouts: a move's playouts, 0 for no such limit.
            seconds: thinking time where neither playouts nor a clock limit it.
            compiled: use numba if it is there.
        """
        super().__init__(compiled=compiled)
        self.options = (
            OptionSpec("playouts", OptionKind.INT, str(playouts), 0, 10**9),
            OptionSpec("seconds", OptionKind.FLOAT, str(seconds), 0.001, 3600.0),
        )
        self.settings = {"playouts": playouts, "seconds": seconds}
        self._tree: TreeSearch | None = None

    def new_game(self) -> None:
        """Set up the game and forget the tree of the last one."""
        super().new_game()
        self._tree = None

    def think(self, position: Position, game: FollowedGame, clock: TurnClock) -> int:
        """Search, say what was found and return the move visited most."""
        playouts = self.limit.amount if self.limit is not None else int(self.settings["playouts"]) or None
        seconds = clock.suggested_s()
        if playouts is None and seconds is None:
            seconds = float(self.settings["seconds"])
        if self._tree is None:
            capacity = CAPACITY if playouts is None else min(CAPACITY, NODES_A_PLAYOUT * (playouts + 100))
            core = core_of(self.rules.game)
            self._tree = TreeSearch(game, core, capacity, self.random.getrandbits(32))
        finding = self._tree.think(playouts, seconds)
        line = finding.line
        if self.rules.has_dice:
            # Below the first move come rolls; nor do playouts end with a margin there.
            line = line[:1]
        else:
            margin = finding.margin if position.to_move == 0 else -finding.margin
            self.info(score=round(margin, 2))
        self.info(
            winrate=round(finding.share, 4),
            nodes=finding.playouts,
            depth=finding.depth,
            pv=[self.rules.format_move(game.decode(code)) for code in line],
        )
        return finding.move


def main() -> None:
    """Run the engine on standard input and output."""
    parser = argparse.ArgumentParser(description="Monte Carlo tree search.")
    parser.add_argument("--playouts", type=int, default=0, help="playouts a move; 0: as time allows")
    parser.add_argument("--seconds", type=float, default=1.0, help="time a move where nothing else limits it")
    parser.add_argument("--plain", action="store_true", help="plain Python even where numba is installed")
    parser.add_argument("--seed", type=int, help="seed for use without a referee")
    arguments = parser.parse_args()
    engine = MctsPlayer(arguments.playouts, arguments.seconds, compiled=not arguments.plain)
    engine.seed = arguments.seed
    run(engine)


if __name__ == "__main__":
    main()
