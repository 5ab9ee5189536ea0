"""Means and shares with 95 % intervals when games come in pairs.

The two games of a pair share opening and, where the event says so, dice, so they are no independent
observations: pairs are. Every interval here therefore takes the pair as its unit (cluster). All of them are
*fixed-sample* intervals: they hold for a number of games settled beforehand, not for a table watched until
it looks good.

Mean of a cluster sample: the ratio estimator and its linearised variance, Cochran, Sampling Techniques
(3rd ed. 1977), chapter 9A (clusters of unequal sizes, without the finite population correction), with
Student's t on (clusters - 1) degrees of freedom.

Share of points: Wilson's score interval (Wilson 1927) with the effective number of games in place of the
number of games, as Dean and Pagano (2015) compare it with others for complex samples; the factor for the
degrees of freedom is that of Korn and Graubard (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.signedinteger[Any]]

_NO_SCATTER = 1e-9
"""A standard error this far below the mean, or below one unit, is rounding."""

Z_95 = 1.959963984540054
"""97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value: the mean or share; None without observations.
        low, high: ends of the 95 % interval; None where it cannot be given (fewer than two pairs, or a mean
            of pairs that all agree).
        games: observations behind it.
    """

    value: float | None
    low: float | None
    high: float | None
    games: int


NOTHING = Estimate(None, None, None, 0)


class Clusters:
    """Which observation belongs to which group and pair: sorted once, then used for several figures."""

    def __init__(self, group: Integers, pair: Integers, groups: int) -> None:
        """Sort the observations.

        Args:
            group: for each observation, whose it is: 0 to `groups` - 1.
            pair: for each observation, number of its pair, from 0.
            groups: number of groups.
        """
        self.groups = groups
        span = int(pair.max()) + 1 if len(pair) else 1
        # Of a million games each of these takes 16 MB: none stays longer than it is needed.
        key = group.astype(np.int64)
        key *= span
        key += pair
        self._order = np.argsort(key, kind="stable")
        key = key[self._order]
        starts = np.ones(len(key), dtype=bool)
        starts[1:] = key[1:] != key[:-1]
        self._starts = np.flatnonzero(starts)
        self._group = key[self._starts] // span

    def _sums(self, values: Floats) -> Floats:
        """Sum the observations of each cluster."""
        if not len(self._starts):
            return np.zeros(0)
        return np.add.reduceat(values[self._order], self._starts)

    def _by_group(self, cluster_values: Floats) -> Floats:
        return np.bincount(self._group, cluster_values, self.groups).astype(np.float64)

    def _moments(self, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return for each group: observations, clusters, mean and variance of the mean (nan: unknown)."""
        unknown = np.isnan(values)
        if unknown.any():
            counts = self._sums((~unknown).astype(np.float64))
            sums = self._sums(np.where(unknown, 0.0, values))
        else:
            counts = np.diff(self._starts, append=len(values)).astype(np.float64)
            sums = self._sums(values)
        games = self._by_group(counts)
        clusters = self._by_group((counts > 0).astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self._by_group(sums) / games
            residuals = sums - mean[self._group] * counts
            squares = self._by_group(np.where(counts > 0, residuals**2, 0.0))
            variance = clusters / (clusters - 1) * squares / games**2
        return games, clusters, mean, np.where(clusters > 1, variance, np.nan)

    def means(self, values: Floats) -> list[Estimate]:
        """Return the mean of each group with its t interval; nan among `values` means not observed.

        Where all pairs agree there is no interval: without scatter nothing measures how far the mean may be
        off, and the formula would claim that it cannot be.
        """
        games, clusters, mean, variance = self._moments(values)
        with np.errstate(invalid="ignore"):
            scatters = np.sqrt(variance) > _NO_SCATTER * np.maximum(1.0, np.abs(mean))
            half = np.where(scatters, _t_95(clusters) * np.sqrt(variance), np.nan)
        return [
            _estimate(*row)
            for row in zip(
                mean.tolist(), (mean - half).tolist(), (mean + half).tolist(), games.tolist(), strict=True
            )
        ]

    def shares(self, values: Floats) -> list[Estimate]:
        """Return the mean of each group, for values in [0, 1], with its Wilson interval.

        The effective number of games is p (1 - p) / variance, taken for the pairs and reduced by
        (z / t)^2 for the uncertainty of the variance itself. It is never more than the number of games, and
        where all pairs agree (no variance to be seen) it is the number of pairs.
        """
        games, clusters, mean, variance = self._moments(values)
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = mean * (1 - mean) / variance
            effective *= (Z_95 / _t_95(clusters)) ** 2
        usable = np.isfinite(effective) & (variance > 0)
        effective = np.where(usable, np.minimum(effective, games), clusters)
        return [
            _estimate(share, *wilson(share, size), count)
            for share, size, count in zip(mean.tolist(), effective.tolist(), games.tolist(), strict=True)
        ]


def wilson(share: float, games: float) -> tuple[float, float]:
    """Return the 95 % score interval of a share.

    Args:
        share: observed, in [0, 1].
        games: number of games behind it, may be a fraction; not above 0 means nothing is known.

    Wilson (1927); as equation (4) of Brown, Cai and DasGupta (2001).
    """
    if not games > 0:
        return 0.0, 1.0
    squared = Z_95**2
    centre = (share + squared / (2 * games)) / (1 + squared / games)
    half = (
        Z_95 / (1 + squared / games) * float(np.sqrt(share * (1 - share) / games + squared / (4 * games**2)))
    )
    return max(0.0, centre - half), min(1.0, centre + half)


def _t_95(clusters: Floats) -> Floats:
    """Return the 97.5 % point of Student's t for the variance of so many clusters."""
    # Loading scipy takes longer than everything a short report does.
    from scipy import special

    return np.asarray(special.stdtrit(np.maximum(clusters - 1, 1), 0.975), dtype=np.float64)


def _estimate(value: float, low: float, high: float, games: float) -> Estimate:
    if not games:
        return NOTHING
    known = low == low and high == high  # nan is unlike itself
    return Estimate(value, low if known else None, high if known else None, int(games))
