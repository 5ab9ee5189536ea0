"""Plays a legal move at random, each with the same chance: the baseline of all baselines.

    python -m sample_engines.random_player [--seed N]

The seed is for use without a referee; `arena-seed` overrides it (see `sample_engines.rules_engine`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from protocol.sdk import run
from sample_engines.rules_engine import RulesEngine

if TYPE_CHECKING:
    from arena.rules.base import Move, Position
    from protocol.sdk import ColourWord


class RandomPlayer(RulesEngine):
    """Chooses with even chances, komi and side of the pie rule too."""

    name = "random"

    def choose(self, position: Position) -> Move:
        """Return any legal move."""
        return self.random.choice(position.legal_moves())

    def choose_komi(self) -> int:
        """Propose anything from 0 to the length of one line of the board."""
        return self.random.randint(0, self.rules.size or 0)

    def choose_side(self, komi: int) -> ColourWord:
        """Toss a coin."""
        return "black" if self.random.random() < 0.5 else "white"


def main() -> None:
    """Run the engine on standard input and output."""
    engine = RandomPlayer()
    if len(sys.argv) > 1:
        import argparse  # only here: without options an engine starts faster

        parser = argparse.ArgumentParser(description="Plays a legal move at random.")
        parser.add_argument("--seed", type=int, help="seed for use without a referee")
        engine.seed = parser.parse_args().seed
    run(engine)


if __name__ == "__main__":
    main()
