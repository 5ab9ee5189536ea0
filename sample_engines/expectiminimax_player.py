"""Expectiminimax for Plakoto: every roll, the best answer to each, and a network that has taught itself.

    python -m sample_engines.expectiminimax_player [--turns N] [--seconds S] [--plain]

With `--turns 0` it plays what the network likes best at once. `sample_engines.learning.plakoto` made the
weights.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from protocol.sdk import OptionKind, OptionSpec, run
from sample_engines.search.core_player import CorePlayer
from sample_engines.search.expectiminimax_search import MOST_TURNS, Expectiminimax

if TYPE_CHECKING:
    from arena.rules.base import Position
    from protocol.sdk import TurnClock
    from sample_engines.search.followed import FollowedGame


class ExpectiminimaxPlayer(CorePlayer):
    """Plays the move with the best expectation."""

    name = "expectiminimax"
    search = "expectiminimax"
    limits = ("depth",)

    def __init__(self, turns: int = MOST_TURNS, seconds: float = 1.0, *, compiled: bool = True) -> None:
        """Make an engine.

        Args:
            turns: turns to look ahead at most, 0 to `MOST_TURNS`.
            seconds: thinking time where no clock limits it.
            compiled: use numba if it is there.
        """
        super().__init__(compiled=compiled)
        self.options = (
            OptionSpec("turns", OptionKind.INT, str(turns), 0, MOST_TURNS),
            OptionSpec("seconds", OptionKind.FLOAT, str(seconds), 0.001, 3600.0),
        )
        self.settings = {"turns": turns, "seconds": seconds}
        self._expectiminimax: Expectiminimax | None = None

    def new_game(self) -> None:
        """Set up the game."""
        super().new_game()
        self._expectiminimax = None

    def think(self, position: Position, game: FollowedGame, clock: TurnClock) -> int:
        """Search, say what was found and return the best move."""
        # A depth of 1 is the mover's own turn alone.
        turns = self.limit.amount - 1 if self.limit is not None else int(self.settings["turns"])
        seconds = clock.suggested_s()
        if seconds is None:
            seconds = None if turns < MOST_TURNS else float(self.settings["seconds"])
        state = game.state()
        if self._expectiminimax is None:
            self._expectiminimax = Expectiminimax(game.kernels, list(map(int, game.tables)), len(state))
        valuation = self._expectiminimax.best_move(state, seconds, turns)
        self.info(winrate=round(valuation.share, 4), nodes=valuation.nodes, depth=valuation.turns + 1)
        return valuation.move


def main() -> None:
    """Run the engine on standard input and output."""
    parser = argparse.ArgumentParser(description="Expectiminimax for Plakoto.")
    parser.add_argument("--turns", type=int, default=MOST_TURNS, help="turns to look ahead at most")
    parser.add_argument("--seconds", type=float, default=1.0, help="time a move where no clock limits it")
    parser.add_argument("--plain", action="store_true", help="plain Python even where numba is installed")
    arguments = parser.parse_args()
    run(ExpectiminimaxPlayer(arguments.turns, arguments.seconds, compiled=not arguments.plain))


if __name__ == "__main__":
    main()
