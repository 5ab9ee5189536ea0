"""Adaptive komi design against an even grid: games needed for the same interval width, and coverage.

Run: `python -m benchmarks.komi_design [--experiments N] [--width W] [--seed N]`.

For several true curves of one parity of komi, over a range of +-6 times the curve's spread, each experiment
is played until the 95 % posterior interval of the fair komi is narrower than W spreads: once with the komi
chosen by expected information, once in shuffled rounds over all komi. Both use the same posterior and the
same stopping rule. On such a range a logistic curve lets one third be the best possible: the mean of 4 p (1
- p) over it.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.stats.komi.design import credible_ends, design_grid, expected_information

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arena.stats.komi.design import DesignGrid

MOST_GAMES = 3000
"""An experiment that needs more is cut off there (and shows in the numbers)."""


@dataclass(frozen=True, slots=True)
class Design:
    """What one way of choosing komi needed.

    Attributes:
        games: games of each experiment.
        covered: whether its last interval held the truth.
    """

    games: NDArray[np.int64]
    covered: NDArray[np.bool_]

    @property
    def mean_games(self) -> float:
        """Mean number of games."""
        return float(self.games.mean())

    @property
    def coverage(self) -> float:
        """Share of intervals that held the truth."""
        return float(self.covered.mean())


@dataclass(frozen=True, slots=True)
class Truth:
    """A true curve: location and spread in points of komi; komi from -range to range in steps of two."""

    location: float
    spread: float
    reach: int

    def komis(self) -> tuple[int, ...]:
        """The komi that may be played."""
        return tuple(range(-self.reach, self.reach + 1, 2))

    def black(self) -> NDArray[np.float64]:
        """Black's true chance at each komi."""
        return np.asarray(1 / (1 + np.exp(-(self.location - np.array(self.komis())) / self.spread)))


TRUTHS = (
    Truth(0.0, 4.0, 24),
    Truth(3.3, 4.0, 24),
    Truth(-10.7, 4.0, 24),
    Truth(1.0, 2.0, 12),
    Truth(5.6, 8.0, 48),
)


def run(
    truth: Truth, experiments: int, width: float, seed: int, *, adaptive: bool, batch: int = 250
) -> Design:
    """Play experiments of one design, `batch` of them side by side."""
    rng = np.random.default_rng(seed)
    grid = design_grid(truth.komis(), width * truth.spread)
    parts = [
        _play(truth, grid, min(batch, experiments - start), width * truth.spread, rng, adaptive)
        for start in range(0, experiments, batch)
    ]
    return Design(
        np.concatenate([part.games for part in parts]), np.concatenate([part.covered for part in parts])
    )


def _play(
    truth: Truth, grid: DesignGrid, experiments: int, width: float, rng: np.random.Generator, adaptive: bool
) -> Design:
    chances = truth.black()
    # Single precision is enough for a simulation and twice as fast.
    likelihood, noise = grid.black.astype(np.float32), grid.noise.astype(np.float32)
    posterior = np.tile(grid.prior.astype(np.float32), (experiments, 1, 1))
    running = np.arange(experiments)
    games = np.zeros(experiments, dtype=np.int64)
    covered = np.zeros(experiments, dtype=np.bool_)
    rounds = np.zeros((experiments, len(chances)), dtype=np.int64)
    for played in range(MOST_GAMES):
        if adaptive:
            choice = np.argmax(expected_information(posterior, likelihood, noise), axis=1)
        else:
            if played % len(chances) == 0:
                rounds = rng.permuted(np.tile(np.arange(len(chances)), (len(running), 1)), axis=1)
            choice = rounds[:, played % len(chances)]
        won = rng.random(len(running)) < chances[choice]
        posterior *= np.where(won[:, None, None], likelihood[choice], 1 - likelihood[choice])
        posterior /= posterior.sum(axis=(1, 2), keepdims=True)
        ends = credible_ends(posterior, grid.locations, 0.95)
        stopped = ends[:, 1] - ends[:, 0] <= width
        if played == MOST_GAMES - 1:
            stopped[:] = True
        ended = running[stopped]
        games[ended] = played + 1
        covered[ended] = (ends[stopped, 0] <= truth.location) & (truth.location <= ends[stopped, 1])
        running, posterior, rounds = running[~stopped], posterior[~stopped], rounds[~stopped]
        if not running.size:
            break
    return Design(games, covered)


def main() -> None:
    """Print both numbers for each true curve."""
    parser = argparse.ArgumentParser(description="adaptive komi design against an even grid")
    parser.add_argument("--experiments", type=int, default=2000, help="simulated experiments a curve")
    parser.add_argument(
        "--width", type=float, default=0.5, help="width of the interval asked for, in spreads"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    line = "{:>8} {:>7} {:>6} {:>9} {:>9} {:>6} {:>10} {:>9}"
    print(line.format("location", "spread", "range", "adaptive", "even", "ratio", "cov.adapt", "cov.even"))
    start = time.monotonic()
    for truth in TRUTHS:
        chosen, even = (
            run(truth, arguments.experiments, arguments.width, arguments.seed, adaptive=adaptive)
            for adaptive in (True, False)
        )
        print(
            line.format(
                f"{truth.location:.1f}",
                f"{truth.spread:.1f}",
                f"+-{truth.reach}",
                f"{chosen.mean_games:.1f}",
                f"{even.mean_games:.1f}",
                f"{chosen.mean_games / even.mean_games:.3f}",
                f"{chosen.coverage:.4f}",
                f"{even.coverage:.4f}",
            ),
            flush=True,
        )
    least = 0.95 - 3 * (0.95 * 0.05 / arguments.experiments) ** 0.5
    print(f"games are means; coverage should be at least {least:.4f} (95 % less three standard errors)")
    print(f"{arguments.experiments} experiments a curve and design, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
