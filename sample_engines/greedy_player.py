"""Looks one ply ahead: plays the move that its game's evaluation values most, chance decides between equals.

    python -m sample_engines.greedy_player [--noise P] [--seed N]

With `--noise P` (or the option `noise`) a move is taken at random with probability P, from 0 to 1: a ladder
of engines between greedy and random. `sample_engines.evaluation` holds one evaluation a game; a game that has
none is played at random.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from protocol.sdk import OptionKind, OptionSpec, run
from sample_engines.rules_engine import RulesEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.rules.base import Move, Position
    from protocol.sdk import ColourWord

    Rank = Callable[[Position, Sequence[Move]], list[float]]


FAIR_KOMI = 2
"""Pletore: between the mean board margins, 1.2 to 1.8, of this engine against itself on 5x5 to 13x13 with a
little noise, and the medians, 1 to 6. Games of stronger engines may say something else."""


class GreedyPlayer(RulesEngine):
    """Chooses the best move of one ply."""

    name = "greedy"

    def __init__(self, noise: float = 0.0) -> None:
        """Make an engine; `noise` (0 to 1) is the default of the option of that name."""
        super().__init__()
        self.options = (OptionSpec("noise", OptionKind.FLOAT, str(noise), 0.0, 1.0),)
        self.settings = {"noise": noise}
        self._rank: Rank | None = None

    def new_game(self) -> None:
        """Set up the game and its evaluation."""
        super().new_game()
        self._rank = _evaluation(self.rules.game)

    def choose(self, position: Position) -> Move:
        """Return one of the best moves."""
        moves = position.legal_moves()
        if len(moves) == 1:
            return moves[0]
        noise = self.settings["noise"]
        if self._rank is None or (noise and self.random.random() < float(noise)):
            return self.random.choice(moves)
        values = self._rank(position, moves)
        best = max(values)
        return self.random.choice([move for move, value in zip(moves, values, strict=True) if value == best])

    def choose_komi(self) -> int:
        """Propose the komi at which either side is taken gladly."""
        return self._fair_komi()

    def choose_side(self, komi: int) -> ColourWord:
        """Take the side that the komi favours."""
        return "white" if komi > self._fair_komi() else "black"

    def _fair_komi(self) -> int:
        points = (self.rules.size or 0) ** 2
        return min(FAIR_KOMI, points)


def _evaluation(game: str) -> Rank | None:
    name = f"sample_engines.evaluation.{game}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
    rank: Rank = module.rank
    return rank


def main() -> None:
    """Run the engine on standard input and output."""
    noise, seed = 0.0, None
    if len(sys.argv) > 1:
        import argparse  # only here: without options an engine starts faster

        parser = argparse.ArgumentParser(description="Plays the best move of one ply.")
        parser.add_argument(
            "--noise", type=float, default=0.0, help="share of moves played at random, 0 to 1"
        )
        parser.add_argument("--seed", type=int, help="seed for use without a referee")
        arguments = parser.parse_args()
        if not 0 <= arguments.noise <= 1:
            parser.error(f"--noise {arguments.noise}: a number from 0 to 1 is expected")
        noise, seed = arguments.noise, arguments.seed
    engine = GreedyPlayer(noise)
    engine.seed = seed
    run(engine)


if __name__ == "__main__":
    main()
