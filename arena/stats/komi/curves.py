"""Black's share against komi: one logistic curve for each parity of komi, fitted by maximum likelihood.

    P(Black wins at komi k) = 1 / (1 + exp(-(m - k) / s)),      m the fair komi of that parity, s > 0 the
    spread.

Odd and even komi are different games where a button changes hands, so they never share m; they share s only
if a likelihood ratio test lets them. The likelihood is computed on a grid of m and s, and the interval of m
is that of the profile: all m whose profile falls short of the maximum by half a 95 % point at most (Venzon &
Moolgavkar, *A method for computing profile-likelihood-based confidence intervals*, Applied
Statistics 1988). It is open where the data set no limit, like Fieller's (1954).

Games on one opening are not independent. Where openings recur, the profile is divided by the factor by
which the cluster-robust variance of m exceeds the model's (Chandler & Bate, *Inference for clustered data
using the independence loglikelihood*, Biometrika 2007, section 3), never by less than one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from arena.stats.estimate import Estimate, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

COMMON_SPREAD_LEVEL = 0.10
"""The parities share a spread when the test of equal spreads gives at least this p."""

_INSIDE = 601
_OUTSIDE = 150
_SPREADS = 120
_SMALLEST_SPREAD = 0.05
_FEWEST_DEGREES = 5.0
METHOD = "profile likelihood, fixed design"


@dataclass(frozen=True, slots=True)
class Step:
    """Black won every game up to one komi and White every game from another on.

    Attributes:
        won: the largest komi at which Black won (always).
        lost: the least komi at which White won (always).
    """

    won: int
    lost: int


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of one parity.

    Attributes:
        parity: remainder of its komi values divided by two.
        location: m, the komi at which Black's share is one half. Without a value where the komi tried do not
            bracket it; the interval may be open.
        spread: s in points of komi; 0 for a step, None when nothing can be said.
        step: set when the data are a step, not a curve.
        fit_p: p of the test that the curve has the right shape; None when there is too little to
            test.
        words: what can and what cannot be said, in one or two sentences.
    """

    parity: int
    location: Estimate
    spread: float | None
    step: Step | None
    fit_p: float | None
    words: str

    def share(self, komi: float) -> float | None:
        """Return Black's share by the curve at any komi; None without a curve."""
        if self.location.value is None or self.spread is None:
            return None
        if self.spread == 0:
            return 0.5 + 0.5 * float(np.sign(self.location.value - komi))
        return float(1 / (1 + np.exp(-np.clip((self.location.value - komi) / self.spread, -700, 700))))


@dataclass(frozen=True, slots=True)
class CommonSpread:
    """Whether the two parities may share one spread.

    Attributes:
        p: of the likelihood ratio test of equal spreads; None where it cannot be made.
        allowed: whether they share it.
        words: the same for people.
    """

    p: float | None
    allowed: bool
    words: str


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where the likelihood is computed, and the log-chances there, shape (komi, spreads, locations)."""

    locations: NDArray[np.float64]
    spreads: NDArray[np.float64]
    log_win: NDArray[np.float32]
    log_loss: NDArray[np.float32]


def _spreads(low: float, high: float) -> NDArray[np.float64]:
    return np.geomspace(_SMALLEST_SPREAD, 20 * max(high - low, 2.0), _SPREADS)


@lru_cache(maxsize=8)
def _grid(komis: tuple[int, ...], low: int, high: int) -> _Grid:
    reach = max(high - low, 2)
    locations = np.concatenate(
        [
            np.linspace(low - 3 * reach, low, _OUTSIDE, endpoint=False),
            np.linspace(low, high, _INSIDE),
            np.linspace(high, high + 3 * reach, _OUTSIDE + 1)[1:],
        ]
    )
    spreads = _spreads(low, high)
    distance = (locations - np.array(komis)[:, None, None]) / spreads[:, None]
    log_win = -np.logaddexp(0, -distance).astype(np.float32)
    log_loss = -np.logaddexp(0, distance).astype(np.float32)
    return _Grid(locations, spreads, log_win, log_loss)


@dataclass(frozen=True, slots=True)
class Tally:
    """Games of one parity, added up.

    Attributes:
        komis: the komi values, least first.
        wins, games: at each of them.
        inflation: how many times the variance of m exceeds that of independent games, at least 1.
    """

    komis: tuple[int, ...]
    wins: tuple[int, ...]
    games: tuple[int, ...]
    inflation: float = 1.0


def tally(komis: ArrayLike, black_won: ArrayLike, openings: Sequence[str] | None = None) -> Tally:
    """Add up games of one parity.

    Args:
        komis: komi of each game.
        black_won: whether Black won it.
        openings: label of each game's opening; None when every game has its own.
    """
    values = np.asarray(komis, dtype=np.int64)
    won = np.asarray(black_won, dtype=np.float64)
    distinct, place = np.unique(values, return_inverse=True)
    games = np.bincount(place, minlength=len(distinct))
    wins = np.bincount(place, won, len(distinct))
    plain = Tally(
        tuple(int(komi) for komi in distinct),
        tuple(int(count) for count in wins),
        tuple(int(count) for count in games),
    )
    if openings is None or len(set(openings)) == len(values):
        return plain
    return Tally(plain.komis, plain.wins, plain.games, _inflation(plain, values, won, openings))


def _inflation(
    plain: Tally, komis: NDArray[np.int64], won: NDArray[np.float64], openings: Sequence[str]
) -> float:
    labels = np.unique(np.asarray(openings), return_inverse=True)[1]
    most = float(np.bincount(labels).max())
    surface, grid = _surface(plain)
    at_spread, at_location = np.unravel_index(int(np.argmax(surface)), surface.shape)
    location, spread = grid.locations[at_location], grid.spreads[at_spread]
    rows = np.stack([np.ones(len(komis)), komis - location], axis=1)
    chance = 1 / (1 + np.exp(np.clip(rows[:, 1] / spread, -700, 700)))
    information = rows.T @ ((chance * (1 - chance))[:, None] * rows)
    # Nothing scatters (a step): the worst case is that an opening's games are one observation.
    if np.linalg.cond(information) > 1e10 or information[0, 0] < 1e-6:
        return most
    inverse = np.linalg.inv(information)
    scores = np.zeros((int(labels.max()) + 1, 2))
    np.add.at(scores, labels, rows * (won - chance)[:, None])
    robust = inverse @ scores.T @ scores @ inverse
    return min(max(float(robust[0, 0] / inverse[0, 0]), 1.0), most)


def _surface(counts: Tally) -> tuple[NDArray[np.float64], _Grid]:
    """Return the log-likelihood over (spread, location)."""
    grid = _grid(counts.komis, counts.komis[0], counts.komis[-1])
    wins = np.array(counts.wins, dtype=np.float32)
    losses = np.array(counts.games, dtype=np.float32) - wins
    surface = np.tensordot(wins, grid.log_win, axes=1) + np.tensordot(losses, grid.log_loss, axes=1)
    return surface.astype(np.float64), grid


def _crossing(
    grid: NDArray[np.float64], fall: NDArray[np.float64], start: int, sign: int, cut: float
) -> float:
    """Return where `fall` first exceeds `cut` from `start` on; infinite when it never does."""
    place = start
    while 0 <= place + sign < len(grid):
        ahead = place + sign
        if fall[ahead] > cut:
            part = (math.sqrt(cut) - math.sqrt(fall[place])) / (
                math.sqrt(fall[ahead]) - math.sqrt(fall[place])
            )
            return float(grid[place] + part * (grid[ahead] - grid[place]))
        place = ahead
    return sign * math.inf


def find_step(counts: Tally) -> Step | None:
    """Return the step, when Black won all games up to one komi and none from another on, both tried."""
    won = [komi for komi, wins in zip(counts.komis, counts.wins, strict=True) if wins > 0]
    lost = [
        komi
        for komi, wins, games in zip(counts.komis, counts.wins, counts.games, strict=True)
        if wins < games
    ]
    if won and lost and won[-1] < lost[0]:
        return Step(won[-1], lost[0])
    return None


def _without_curve(parity: int, words: str, interval: Interval | None = None) -> Curve:
    return Curve(parity, Estimate(None, interval, words), None, None, None, words)


def fit_curve(
    counts: Tally, parity: int, level: float = 0.95, other: NDArray[np.float64] | None = None
) -> Curve:
    """Fit the curve of one parity.

    Args:
        counts: its games.
        parity: 0 or 1.
        level: of the interval.
        other: the other parity's profile over the spreads of `common_spread`, when the spread is shared.
    """
    which = ("even", "odd")[parity]
    if not counts.komis:
        return _without_curve(parity, f"no games at {which} komi: nothing can be said there")
    total, wins = sum(counts.games), sum(counts.wins)
    if len(counts.komis) == 1:
        return _without_curve(
            parity,
            f"only one {which} komi was tried ({counts.komis[0]}): one point gives no curve",
        )
    low, high = counts.komis[0], counts.komis[-1]
    surface, grid = _surface(counts)
    if other is not None:
        surface = surface + other[:, None]
    profile = surface.max(axis=0)
    best = int(np.argmax(profile))
    fall = np.maximum(profile[best] - profile, 0) / counts.inflation
    spread = float(grid.spreads[int(np.argmax(surface[:, best]))])
    cut = _cut(counts, float(grid.locations[best]), spread, level)
    interval = Interval(
        _crossing(grid.locations, fall, best, -1, cut),
        _crossing(grid.locations, fall, best, 1, cut),
        level,
        METHOD,
    )
    if wins in (0, total):
        side, word = ("above", "Black") if wins else ("below", "White")
        return _without_curve(
            parity,
            f"{word} won every game at {which} komi from {low} to {high}: "
            f"the fair komi lies {side} the range tried, if anywhere",
            interval,
        )
    if step := find_step(counts):
        middle = (step.won + step.lost) / 2
        words = (
            f"a step, not a curve: at {which} komi Black won every game up to {step.won} "
            f"and White every game from {step.lost} on; no spread can be told"
        )
        if step.lost - step.won > 2:
            words += f"; nothing was tried between {step.won} and {step.lost}"
        return Curve(parity, Estimate(middle, interval, "anywhere inside the step"), 0.0, step, None, words)
    if not _falls(counts):
        return _without_curve(
            parity,
            f"Black's share does not fall with komi at {which} komi: no fair komi can be read from it",
            Interval(-math.inf, math.inf, level, METHOD),
        )
    location = float(grid.locations[best])
    if not low <= location <= high:
        side = "above" if location > high else "below"
        return _without_curve(
            parity,
            f"shares at {which} komi do not bracket one half: the fair komi lies {side} {low} to {high}",
            interval,
        )
    fit_p = _fit_p(counts, location, spread)
    words = f"fair at {location:.1f} ({interval.text()}), spread {spread:.1f} points"
    if fit_p is not None and fit_p < 0.01:
        words += f"; the logistic shape does not fit (p = {fit_p:.3f}): trust the single komi values"
    return Curve(parity, Estimate(location, interval), spread, None, fit_p, words)


def _cut(counts: Tally, location: float, spread: float, level: float) -> float:
    """Return how far the profile may fall inside the interval.

    Games far from the fair komi have certain results and say nothing, so the sample is worth `sum 4 p (1 -
    p)` games, two of which go into the curve: F instead of chi-square, as for
    `arena.stats.bounded_mean.likelihood_interval`.
    """
    komis = np.array(counts.komis, dtype=np.float64)
    chance = 1 / (1 + np.exp(np.clip((komis - location) / spread, -700, 700)))
    worth = float(np.array(counts.games) @ (4 * chance * (1 - chance))) / counts.inflation
    return float(stats.f.ppf(level, 1, max(worth - 2, _FEWEST_DEGREES))) / 2


def _falls(counts: Tally) -> bool:
    """Say whether Black's share is lower at higher komi (the sign of the logistic slope)."""
    komis, wins, games = (
        np.array(part, dtype=np.float64) for part in (counts.komis, counts.wins, counts.games)
    )
    return float(np.sum((wins - games * wins.sum() / games.sum()) * komis)) < 0


def _fit_p(counts: Tally, location: float, spread: float) -> float | None:
    """Return p of Pearson's test against a free share at each komi; None when expected numbers are small."""
    komis, wins, games = (
        np.array(part, dtype=np.float64) for part in (counts.komis, counts.wins, counts.games)
    )
    if counts.inflation > 1 or len(komis) < 4:
        return None
    chance = 1 / (1 + np.exp(np.clip((komis - location) / spread, -700, 700)))
    expected = np.minimum(chance, 1 - chance) * games
    if np.count_nonzero(expected >= 1) < 4:
        return None
    # Only komi where the approximation holds; two parameters were fitted.
    chosen = expected >= 1
    pearson = float(np.sum(((wins - games * chance)[chosen]) ** 2 / (games * chance * (1 - chance))[chosen]))
    return float(stats.chi2.sf(pearson, int(chosen.sum()) - 2))


def common_spread(first: Tally, second: Tally) -> CommonSpread:
    """Test whether two parities have one spread: likelihood ratio, chi-square(1).

    The test needs overlapping results in both parities (no step, no one-sided results).
    """
    for counts in (first, second):
        if len(counts.komis) < 2 or sum(counts.wins) in (0, sum(counts.games)) or find_step(counts):
            words = "the parities' spreads cannot be compared: one of them shows none"
            return CommonSpread(None, False, words)
    profiles = _spread_profiles(first, second)
    apart = float(profiles[0].max() + profiles[1].max())
    together = float((profiles[0] + profiles[1]).max())
    ratio = 2 * (apart - together) / max(first.inflation, second.inflation)
    p = float(stats.chi2.sf(max(ratio, 0.0), 1))
    allowed = p >= COMMON_SPREAD_LEVEL
    verdict = "share one spread" if allowed else "have spreads of their own"
    return CommonSpread(p, allowed, f"the parities {verdict} (likelihood ratio test, p = {p:.2f})")


def _spread_profiles(first: Tally, second: Tally) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both parities' best log-likelihood at each spread of the first one's grid."""
    surface, grid = _surface(first)
    other, other_grid = _surface(second)
    mine = surface.max(axis=1)
    theirs = np.interp(np.log(grid.spreads), np.log(other_grid.spreads), other.max(axis=1))
    return mine, theirs


def fit_parities(even: Tally, odd: Tally, level: float = 0.95) -> tuple[Curve, Curve, CommonSpread]:
    """Fit both parities, with a common spread where the test allows it."""
    common = common_spread(even, odd)
    if not common.allowed:
        return fit_curve(even, 0, level), fit_curve(odd, 1, level), common
    for_even = _spread_profiles(even, odd)[1]
    for_odd = _spread_profiles(odd, even)[1]
    return fit_curve(even, 0, level, for_even), fit_curve(odd, 1, level, for_odd), common
