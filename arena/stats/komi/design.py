"""Adaptive design: which komi to play next, and when the fair komi is known well enough.

Bayesian, one posterior for each parity of komi, on a grid of location m and spread s of the logistic curve of
`arena.stats.komi.curves`. Prior: m uniform over the range of komi and a quarter of it beyond each end, s
uniform up to a third of the range: a prior that favours small spreads makes short intervals that stop too
soon. The next komi is the one whose result is expected to tell most: the mutual information of the result
and m, with s averaged out (Lindley, Ann. Math. Statist. 1956; on a grid: Kontsevich & Tyler, Vision
Research 1999; for the parameter of interest: Prins, J. Vision 2013), and for a tenth what it tells of s
when m is known, since the width of the interval of m hangs on s.

Intervals are posterior (credible) ones, with tails a fifth smaller than their level says: stopping at the
moment an interval looks narrow picks moments at which the spread is underestimated. They may be looked at
whenever one likes and used to stop, as far as prior and curve are right; docs/statistics.md gives their
measured coverage after stopping.

Komi is planned in whole batches from the results of whole batches, so what is played does not depend on
which game of a batch ends first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.stats.estimate import Estimate, Interval
from arena.stats.komi.curves import Tally, find_step
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

METHOD = "posterior, adaptive design"

SPREAD_WORTH = 0.1
"""What a nat about the spread is worth when a nat about the location is worth one."""

STOPPING_ALLOWANCE = 0.8
"""Factor on the tails of intervals that decide when to stop; chosen by simulation (docs/statistics.md)."""

_FEWEST_LOCATIONS = 121
_MOST_LOCATIONS = 3001
_CELLS_AN_INTERVAL = 8
_SPREADS = 16
_SMALLEST_SPREAD = 0.25
_SURE = 0.95


@dataclass(frozen=True, slots=True)
class DesignGrid:
    """The grid of one parity.

    Attributes:
        komis: komi that may be played, least first.
        locations, spreads: grid of m and s.
        prior: probability of each cell, shape (locations, spreads).
        black: chance that Black wins, shape (komi, locations, spreads).
        noise: entropy of that chance in nats, the same shape.
    """

    komis: tuple[int, ...]
    locations: NDArray[np.float64]
    spreads: NDArray[np.float64]
    prior: NDArray[np.float64]
    black: NDArray[np.float64]
    noise: NDArray[np.float64]


def design_grid(komis: Iterable[int], precision: float) -> DesignGrid:
    """Lay the grid for the komi of one parity.

    Args:
        komis: komi that may be played.
        precision: width of interval asked for, in points of komi; the grid is made fine enough for it.

    Raises:
        ValueError: fewer than two komi, or both parities among them.
    """
    values = tuple(sorted(set(komis)))
    if len(values) < 2 or len({komi % 2 for komi in values}) > 1:
        raise ValueError(
            f"komi {', '.join(map(str, values)) or 'none'}: two or more of one parity are needed"
        )
    reach = values[-1] - values[0]
    cells = round(min(max(1.5 * reach / precision * _CELLS_AN_INTERVAL, _FEWEST_LOCATIONS), _MOST_LOCATIONS))
    locations = np.linspace(values[0] - reach / 4, values[-1] + reach / 4, cells)
    spreads = np.geomspace(_SMALLEST_SPREAD, max(reach / 3, 4 * _SMALLEST_SPREAD), _SPREADS)
    # Cells of equal ratio are as wide as their spread: this is the uniform prior.
    prior = np.tile(spreads / (spreads.sum() * cells), (cells, 1))
    distance = (locations[:, None] - np.array(values)[:, None, None]) / spreads
    black = 1 / (1 + np.exp(-np.clip(distance, -35, 35)))
    return DesignGrid(values, locations, spreads, prior, black, _entropy(black))


def expected_information(posterior: Floats, black: Floats, noise: Floats) -> Floats:
    """Return what the result of a game at each komi is expected to tell, in nats.

    I(result; m) + SPREAD_WORTH I(result; s | m), where I(result; m, s) is the sum of both with weight one.

    Args:
        posterior: shape (experiments, locations, spreads), each experiment's sum is 1.
        black: chance that Black wins, shape (komi, locations, spreads).
        noise: entropy of that chance, the same shape.

    Returns:
        Shape (experiments, komi).
    """
    mass = np.maximum(posterior.sum(axis=2).T[:, :, None], 1e-30)
    joint = np.matmul(posterior.transpose(1, 0, 2), black.transpose(1, 2, 0))
    overall = _entropy(joint.sum(axis=0))
    location_known = (mass * _entropy(joint / mass)).sum(axis=0)
    both_known = posterior.reshape(len(posterior), -1) @ noise.reshape(len(black), -1).T
    told: Floats = overall - location_known + SPREAD_WORTH * (location_known - both_known)
    return told


def _entropy(chance: NDArray[Any]) -> NDArray[Any]:
    least = np.finfo(chance.dtype).eps
    inner = np.clip(chance, least, 1 - least)
    result: NDArray[Any] = -inner * np.log(inner) - (1 - inner) * np.log1p(-inner)
    return result


def quantiles(
    posterior: Floats, locations: NDArray[np.float64], levels: Sequence[float]
) -> NDArray[np.float64]:
    """Return quantiles of m for each experiment, shape (experiments, levels); linear within a grid cell."""
    mass = np.cumsum(posterior.sum(axis=2), axis=1)
    step = locations[1] - locations[0]
    rows = np.arange(len(mass))
    found = []
    for level in levels:
        place = np.argmax(mass >= level * mass[:, -1:], axis=1)
        before = np.where(place > 0, mass[rows, place - 1], 0.0)
        here = mass[rows, place]
        part = (level * mass[:, -1] - before) / np.maximum(here - before, 1e-300)
        found.append(locations[place] + (part - 0.5) * step)
    return np.stack(found, axis=1)


def credible_ends(posterior: Floats, locations: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return the ends of the interval of m for each experiment, shape (experiments, 2).

    Its tails hold `STOPPING_ALLOWANCE` times what the level leaves over.
    """
    tail = STOPPING_ALLOWANCE * (1 - level) / 2
    return quantiles(posterior, locations, [tail, 1 - tail])


@dataclass(frozen=True, slots=True)
class ParityState:
    """What is known about one parity.

    Attributes:
        parity: remainder of its komi values divided by two.
        games: games recorded.
        location: posterior mean of m and credible interval, whose end is infinite where it lies beyond the
            range of komi.
        spread: posterior mean of s (geometric).
        done: whether playing on at this parity would be pointless, or is not asked for.
        words: why, or how it stands.
    """

    parity: int
    games: int
    location: Estimate
    spread: float
    done: bool
    words: str


class KomiPosterior:
    """The posterior of one parity."""

    def __init__(self, komis: Iterable[int], precision: float, level: float = 0.95) -> None:
        """Start from the prior.

        Args:
            komis: komi that may be played, all of one parity.
            precision: the width of interval that is asked for, in points of komi, positive.
            level: of the interval.

        Raises:
            ValueError: a precision that is not positive, fewer than two komi, or both parities among them.
        """
        if not precision > 0:
            raise ValueError(f"precision {precision!r}: a positive width in points of komi is needed")
        self.grid = design_grid(komis, precision)
        self.precision = precision
        self.level = level
        self._weights = self.grid.prior.copy()
        self._wins = dict.fromkeys(self.grid.komis, 0)
        self._games = dict.fromkeys(self.grid.komis, 0)

    @property
    def games(self) -> int:
        """Games recorded."""
        return sum(self._games.values())

    @property
    def weights(self) -> NDArray[np.float64]:
        """The posterior over (location, spread); its sum is 1."""
        return self._weights.copy()

    def record(self, komi: int, black_won: bool) -> None:
        """Take the result of one game.

        Raises:
            ValueError: a komi that is not in the design.
        """
        if komi not in self._games:
            raise ValueError(f"komi {komi}: not in the design ({', '.join(map(str, self.grid.komis))})")
        self._games[komi] += 1
        self._wins[komi] += black_won
        black = self.grid.black[self.grid.komis.index(komi)]
        self._weights *= black if black_won else 1 - black
        self._weights /= self._weights.sum()

    def best(self, pending: Sequence[int] = ()) -> int:
        """Return the komi whose next result is expected to tell most.

        Args:
            pending: komi of games planned and without result; each is taken as if it had the result
                expected of it.
        """
        weights = self._weights.copy()
        for komi in pending:
            black = self.grid.black[self.grid.komis.index(komi)]
            expected = float((weights * black).sum())
            weights *= black**expected * (1 - black) ** (1 - expected)
            weights /= weights.sum()
        told = expected_information(weights[None], self.grid.black, self.grid.noise)[0]
        return self.grid.komis[int(np.argmax(told))]

    def state(self) -> ParityState:
        """Say what is known and whether it is enough."""
        low_komi, high_komi = self.grid.komis[0], self.grid.komis[-1]
        ends = credible_ends(self._weights[None], self.grid.locations, self.level)[0]
        low, high = float(ends[0]), float(ends[1])
        of_location = self._weights.sum(axis=1)
        mean = float(of_location @ self.grid.locations)
        spread = math.exp(float(self._weights.sum(axis=0) @ np.log(self.grid.spreads)))
        above = float(of_location[self.grid.locations > high_komi].sum())
        below = float(of_location[self.grid.locations < low_komi].sum())
        interval = Interval(
            low if low >= low_komi else -math.inf, high if high <= high_komi else math.inf, self.level, METHOD
        )
        parity = low_komi % 2
        which = ("even", "odd")[parity]
        value: float | None = mean
        done = True
        step = self._step()
        if max(above, below) >= _SURE:
            value = None
            side = "above" if above > below else "below"
            words = f"at {which} komi the fair komi lies {side} the range {low_komi} to {high_komi}"
        elif step is not None and step[0] - 0.5 <= low and high <= step[1] + 0.5:
            words = (
                f"a step, not a curve: at {which} komi Black won every game up to {step[0]} and White every "
                f"game from {step[1]} on; no komi of this parity lies between, so more games cannot narrow it"
            )
        elif (at_an_end := self._at_an_end(low, high)) is not None:
            value, words = None, at_an_end
        elif interval.width <= self.precision:
            words = f"fair at {mean:.1f} ({interval.text()}) at {which} komi: as precise as asked"
        else:
            done = False
            words = f"so far {interval.text()} at {which} komi"
            if not interval.is_bounded and self.games:
                words += f"; the komi {low_komi} to {high_komi} do not bracket one half yet"
        return ParityState(
            parity, self.games, Estimate(value, interval, "" if done else words), spread, done, words
        )

    def _at_an_end(self, low: float, high: float) -> str | None:
        """Return words when all that is left open lies beyond one end of the range, None otherwise.

        Games in the range can then narrow only the side that is known as precisely as asked.

        Args:
            low: lower end of the interval as it is, beyond the range too.
            high: upper end.
        """
        low_komi, high_komi = self.grid.komis[0], self.grid.komis[-1]
        which = ("even", "odd")[low_komi % 2]
        if low < low_komi and high <= min(low_komi + self.precision, high_komi):
            return (
                f"at {which} komi the fair komi is at most {high:.1f}, at the lower end of the range or "
                f"below it: komi below {low_komi} would tell"
            )
        if high > high_komi and low >= max(high_komi - self.precision, low_komi):
            return (
                f"at {which} komi the fair komi is at least {low:.1f}, at the upper end of the range or "
                f"above it: komi above {high_komi} would tell"
            )
        return None

    def _step(self) -> tuple[int, int] | None:
        """Return the step between two neighbouring komi of the design, if the results are one."""
        played = [komi for komi in self.grid.komis if self._games[komi]]
        counts = Tally(
            tuple(played),
            tuple(self._wins[komi] for komi in played),
            tuple(self._games[komi] for komi in played),
        )
        step = find_step(counts)
        if step is None or any(step.won < komi < step.lost for komi in self.grid.komis):
            return None
        return step.won, step.lost


@dataclass(frozen=True, slots=True)
class DesignState:
    """Where the whole design stands.

    Attributes:
        games: games recorded.
        done: whether to stop.
        parities: the parities in the design, even first.
        words: why it stopped, or how it stands.
    """

    games: int
    done: bool
    parities: tuple[ParityState, ...]
    words: str


class AdaptiveDesign:
    """Plans laboratory games batch by batch until every parity is known to the precision asked for."""

    def __init__(
        self, komis: Iterable[int], precision: float, max_games: int, batch: int = 8, level: float = 0.95
    ) -> None:
        """Set up the design.

        Args:
            komis: komi that may be played; a parity with one komi only is left out.
            precision: width of interval asked for, in points of komi, positive.
            max_games: the design stops there in any case, at least 1.
            batch: games planned at a time, at least 1.
            level: of the intervals.

        Raises:
            ValueError: a number out of range, or no parity with two komi.
        """
        if max_games < 1 or batch < 1:
            raise ValueError(f"max_games {max_games!r}, batch {batch!r}: at least 1 is needed")
        values = sorted(set(komis))
        by_parity = [[komi for komi in values if komi % 2 == parity] for parity in (0, 1)]
        self.left_out = tuple(komi for group in by_parity if len(group) == 1 for komi in group)
        self._posteriors = [KomiPosterior(group, precision, level) for group in by_parity if len(group) > 1]
        if not self._posteriors:
            raise ValueError("no parity has two komi: one point gives no curve")
        self.max_games = max_games
        self.batch = batch
        self._history: list[DesignState] = []

    @property
    def history(self) -> tuple[DesignState, ...]:
        """The state after each batch recorded, for the chart of the posterior as games come in."""
        return tuple(self._history)

    @property
    def state(self) -> DesignState:
        """Where the design stands."""
        parities = tuple(posterior.state() for posterior in self._posteriors)
        games = sum(parity.games for parity in parities)
        done = all(parity.done for parity in parities)
        words = "; ".join(parity.words for parity in parities)
        if not done and games >= self.max_games:
            most = counted(games, "game")
            words = f"stopped at {most}, the most allowed, before the precision asked for: {words}"
            done = True
        return DesignState(games, done, parities, words)

    def plan(self) -> tuple[int, ...]:
        """Return the komi of the next batch, empty when the design is done.

        All of its results (or that a game counts for nobody) must be known before `record`.
        """
        state = self.state
        if state.done:
            return ()
        open_posteriors = [
            posterior
            for posterior, parity in zip(self._posteriors, state.parities, strict=True)
            if not parity.done
        ]
        pending: list[list[int]] = [[] for _ in open_posteriors]
        planned: list[int] = []
        for number in range(min(self.batch, self.max_games - state.games)):
            turn = number % len(open_posteriors)
            komi = open_posteriors[turn].best(pending[turn])
            pending[turn].append(komi)
            planned.append(komi)
        return tuple(planned)

    def record(self, results: Iterable[tuple[int, bool]]) -> DesignState:
        """Take the results of a batch, (komi, whether Black won) each, and return the new state."""
        by_parity = {posterior.grid.komis[0] % 2: posterior for posterior in self._posteriors}
        for komi, black_won in results:
            if komi % 2 not in by_parity:
                raise ValueError(f"komi {komi}: not in the design")
            by_parity[komi % 2].record(komi, black_won)
        state = self.state
        self._history.append(state)
        return state
