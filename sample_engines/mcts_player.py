"""Monte Carlo tree search, compiled where numba is installed (`pip install gtparena[engines]`).

    python -m sample_engines.mcts_player [--playouts N] [--seconds S] [--plain] [--seed N]

How long it thinks: as many playouts as `arena-limit playouts N` or else the option `playouts` says (0: no such
limit), and never longer than its clock allows; without either, the option `seconds` for each move. The tree is
kept from move to move.

Compiled or not, the same seed and the same number of playouts give the same moves. Where the compiler has not
been through yet (`python -m sample_engines.mcts.ready` does it beforehand), a game may have to begin without it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from arena.rules.base import RulesError
from protocol.sdk import OptionKind, OptionSpec, Refusal, run
from sample_engines.mcts.assemble import Kernels, assemble, core_of
from sample_engines.mcts.game_search import GameSearch
from sample_engines.mcts.ready import GAMES, compiled_kernels
from sample_engines.rules_engine import RulesEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Position
    from protocol.sdk import ColourWord, TurnClock

CAPACITY = 1_000_000
"""Nodes of the tree when only time limits the search; 128 bytes each."""

NODES_A_PLAYOUT = 100
"""Nodes to have room for, for each playout of a limit."""


class MctsPlayer(RulesEngine):
    """Plays the move that its search visits most."""

    name = "mcts"
    joins_replies = False
    limits = ("playouts",)

    def __init__(self, playouts: int = 0, seconds: float = 1.0, *, compiled: bool = True) -> None:
        """Make an engine.

        Args:
            playouts: a move's playouts, 0 for no such limit.
            seconds: thinking time where neither playouts nor a clock limit it.
            compiled: use numba if it is there.
        """
        super().__init__()
        self.options = (
            OptionSpec("playouts", OptionKind.INT, str(playouts), 0, 10**9),
            OptionSpec("seconds", OptionKind.FLOAT, str(seconds), 0.001, 3600.0),
        )
        self.settings = {"playouts": playouts, "seconds": seconds}
        self._wants_compiled = compiled
        self._kernels: dict[str, Kernels] = {}
        self._search: GameSearch | None = None

    @property
    def games(self) -> Sequence[str]:  # type: ignore[override]
        """The games that have a core."""
        return GAMES

    def knows_game(self, game: str) -> bool:
        """Say whether the game has a core."""
        return game in GAMES

    def new_game(self) -> None:
        """Set up the game, and compiled kernels for it if they can be had by now."""
        super().new_game()
        self._search = None
        game = self.rules.game
        if game not in self._kernels or (self._wants_compiled and not self._kernels[game].is_compiled):
            compiled = compiled_kernels(game) if self._wants_compiled else None
            self._kernels[game] = compiled or assemble(core_of(game), compiled=False)

    def play(self, colour: ColourWord, move: str) -> None:
        """Play a move on the board and in the search."""
        position = self._position_for(colour)
        search = self._search_from(position)
        try:
            canonical = position.canonical(self.rules.parse_move(move))
        except RulesError as error:
            raise Refusal(f"illegal move: {error}") from None
        super().play(colour, move)
        search.play(canonical)

    def dice(self, colour: ColourWord, first: int, second: int) -> None:
        """Take note of the roll."""
        position = self._position_for(colour)
        search = self._search_from(position)
        super().dice(colour, first, second)
        search.set_roll(first, second)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Think and return the move visited most."""
        position = self._position_for(colour)
        if position.is_over:
            raise Refusal("the game is over")
        if position.awaits_dice:
            raise Refusal("the dice have not been thrown")
        playouts = self._playouts()
        seconds = clock.suggested_s()
        if playouts is None and seconds is None:
            seconds = float(self.settings["seconds"])
        search = self._search_from(position)
        finding = search.think(playouts, seconds)
        self.info(
            winrate=round(finding.share, 4),
            score=round(finding.margin if colour == "black" else -finding.margin, 2),
            nodes=finding.playouts,
            depth=finding.depth,
            pv=[self.rules.format_move(search.decode(code)) for code in finding.line],
        )
        return self.rules.format_move(search.decode(finding.move))

    def _playouts(self) -> int | None:
        if self.limit is not None:
            return self.limit.amount
        return int(self.settings["playouts"]) or None

    def _search_from(self, position: Position) -> GameSearch:
        """Return the search of this game, begun at the first move or roll."""
        if self._search is None:
            game = self.rules.game
            playouts = self._playouts()
            self._search = GameSearch(
                core_of(game),
                self._kernels[game],
                self.rules,
                position.to_move,
                CAPACITY if playouts is None else min(CAPACITY, NODES_A_PLAYOUT * (playouts + 100)),
                self.random.getrandbits(32),
            )
        return self._search


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
