"""Means of games that share openings: each opening counts once, and openings are the independent units."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from arena.stats.bounded_mean import likelihood_interval, wilson_interval
from arena.stats.estimate import Estimate, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def opening_means(values: Sequence[float], openings: Sequence[str]) -> NDArray[np.float64]:
    """Return the mean of each opening's values, in order of the openings' first appearance."""
    collected: dict[str, list[float]] = defaultdict(list)
    for value, opening in zip(values, openings, strict=True):
        collected[opening].append(value)
    return np.array([sum(group) / len(group) for group in collected.values()])


def share(values: Sequence[float], openings: Sequence[str], level: float = 0.95) -> Estimate:
    """Estimate a share from values in [0, 1].

    With one game an opening: Wilson's interval. Otherwise the likelihood-ratio interval of the openings'
    means (`arena.stats.bounded_mean`).
    """
    if not values:
        return Estimate(None, None, "no games")
    means = opening_means(values, openings)
    value = float(means.mean())
    if len(means) == len(values) and set(values) <= {0.0, 1.0}:
        return Estimate(value, wilson_interval(float(means.sum()), len(means), level))
    interval = likelihood_interval(np.ones(len(means)), means, level)
    return Estimate(value, interval, "" if interval else "one opening: no interval can be given")


def mean(values: Sequence[float], openings: Sequence[str], level: float = 0.95) -> Estimate:
    """Estimate a mean without bounds, with Student's interval over the openings' means."""
    if not values:
        return Estimate(None, None, "no games")
    means = opening_means(values, openings)
    value = float(means.mean())
    if len(means) < 2:
        return Estimate(value, None, "one opening: no interval can be given")
    deviation = float(means.std(ddof=1))
    if deviation == 0:
        return Estimate(value, None, "all openings gave the same: no scatter to make an interval of")
    half = float(stats.t.ppf((1 + level) / 2, len(means) - 1)) * deviation / len(means) ** 0.5
    return Estimate(
        value, Interval(value - half, value + half, level, "Student's t over openings, fixed sample")
    )
