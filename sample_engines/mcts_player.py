"""Monte Carlo tree search, compiled where numba is installed (`pip install gtparena[engines]`).

    python -m sample_engines.mcts_player [--playouts N] [--seconds S] [--ponder] [--plain] [--seed N]

How long it thinks: as many playouts as `arena-limit playouts N` or else the option `playouts` says (0: no
such limit), and never longer than its clock allows; without either, the option `seconds` for each move. The
tree is kept from move to move. On the opponent's time it thinks only if the option `ponder` says so, and not
in games with dice, where the next roll is not known; what it plays then depends on the opponent's time too.

Under pie it plays some quick games against itself (`sample_engines.search.self_play`), for three seconds at
most: it proposes the komi at which Black wins about half of them, and takes the side that wins more of them
at the komi proposed.

Compiled or not, the same seed and the same number of playouts give the same moves. Where the compiler has not
been through yet (`python -m sample_engines.search.ready` does it beforehand), a game may have to begin
without it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from protocol.sdk import OptionKind, OptionSpec, Refusal, run
from sample_engines.search.assemble import core_of
from sample_engines.search.core_player import CorePlayer
from sample_engines.search.self_play import SelfPlay
from sample_engines.search.tree_search import TreeSearch

if TYPE_CHECKING:
    from arena.rules.base import Position
    from protocol.sdk import ColourWord, TurnClock
    from sample_engines.search.followed import FollowedGame

CAPACITY = 1_000_000
"""Nodes of the tree when only time limits the search; 128 bytes each."""

NODES_A_PLAYOUT = 100
"""Nodes to have room for, for each playout of a limit."""


CHOICE_S = 3.0
"""Longest time for a choice under pie: the referee's limit for set-up, which no engine is told, is ten
seconds unless the entry says otherwise."""

CHOICE_PLAYOUTS = 200
"""Playouts for each move of the games that a choice is made by, or fewer where every move has fewer."""


class MctsPlayer(CorePlayer):
    """Plays the move that its search visits most."""

    name = "mcts"
    search = "tree"
    limits = ("playouts",)

    def __init__(
        self, playouts: int = 0, seconds: float = 1.0, *, ponders: bool = False, compiled: bool = True
    ) -> None:
        """Make an engine.

        Args:
            playouts: a move's playouts, 0 for no such limit.
            seconds: thinking time where neither playouts nor a clock limit it.
            ponders: think on the opponent's time too.
            compiled: use numba if it is there.
        """
        super().__init__(compiled=compiled)
        self.options = (
            OptionSpec("playouts", OptionKind.INT, str(playouts), 0, 10**9),
            OptionSpec("seconds", OptionKind.FLOAT, str(seconds), 0.001, 3600.0),
            OptionSpec("ponder", OptionKind.BOOL, str(ponders).lower()),
        )
        self.settings = {"playouts": playouts, "seconds": seconds, "ponder": ponders}
        self._tree: TreeSearch | None = None
        self._is_opponents_turn = self._is_own_move_next = False

    def new_game(self) -> None:
        """Set up the game and forget the tree of the last one."""
        super().new_game()
        self._tree = None
        self._is_opponents_turn = self._is_own_move_next = False

    def play(self, colour: ColourWord, move: str) -> None:
        """Play a move; after the engine's own it is the opponent's turn."""
        self._is_opponents_turn, self._is_own_move_next = self._is_own_move_next, False
        super().play(colour, move)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Think and return a move."""
        move = super().genmove(colour, clock)
        self._is_own_move_next = True
        return move

    def idle(self) -> bool:
        """Grow the tree while the opponent thinks, if that was asked for."""
        position = self._position
        if (
            not self.settings["ponder"]
            or self._tree is None
            or not self._is_opponents_turn
            or position is None
            or position.is_over
            or self.rules.has_dice
        ):
            return False
        return self._tree.ponder()

    def choose_komi(self) -> int:
        """Propose the komi at which its games against itself are even."""
        return self._self_play().even_komi()

    def choose_side(self, komi: int) -> ColourWord:
        """Take the side that wins more of its games against itself."""
        return "black" if self._self_play().black_share(komi) > 0.5 else "white"

    def _self_play(self) -> SelfPlay:
        """Return the games that a choice is made by.

        Raises:
            Refusal: the game has no komi, so there is no pie.
        """
        if not self.rules.has_komi:
            raise Refusal(f"{self.rules.title} has no komi")
        playouts = min(CHOICE_PLAYOUTS, self._playouts() or CHOICE_PLAYOUTS)
        return SelfPlay(self.rules, self._kernels[self.rules.game], playouts, self.random, CHOICE_S)

    def _playouts(self) -> int | None:
        """Return the most playouts for a move, None for no such limit."""
        return self.limit.amount if self.limit is not None else int(self.settings["playouts"]) or None

    def think(self, position: Position, game: FollowedGame, clock: TurnClock) -> int:
        """Search, say what was found and return the move visited most."""
        playouts, seconds = self._playouts(), clock.suggested_s()
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
    parser.add_argument("--ponder", action="store_true", help="think on the opponent's time too")
    parser.add_argument("--plain", action="store_true", help="plain Python even where numba is installed")
    parser.add_argument("--seed", type=int, help="seed for use without a referee")
    arguments = parser.parse_args()
    engine = MctsPlayer(
        arguments.playouts, arguments.seconds, ponders=arguments.ponder, compiled=not arguments.plain
    )
    engine.seed = arguments.seed
    run(engine)


if __name__ == "__main__":
    main()
