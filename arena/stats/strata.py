"""Whether something that should not matter does: scores of several groups compared within strata.

The test of equal mean scores of Cochran, Mantel and Haenszel, generalised to any number of groups and scores
(J. R. Landis, E. R. Heyman, G. G. Koch, "Average partial association in three-way contingency tables: a
review and discussion of alternative tests", International Statistical Review 46, 1978, pp. 237-254;
A. Agresti, Categorical Data Analysis, 2002, section 7.5). Within a stratum the scores are fixed and the
groups are dealt to them at random; then the sum of the scores of group i has

    mean        n_i m              with m the mean of the stratum's N scores,
    covariance  v (n_i [i = j] - n_i n_j / N)      with v their variance over N - 1,

and over all strata d' V^- d, with d the sums less their means and V the sum of the covariances, is about
chi-square with as many degrees of freedom as V has rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_IN_A_GROUP = 10
"""Units that a group must have in strata that tell something, for the chi-square distribution to be near."""

_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it.

    Attributes:
        statistic: chi-square, 0 when nothing could be compared.
        degrees: of freedom.
        p_value: chance of so large a statistic if groups do not matter; 1 when nothing could be compared.
        units: how many units were in strata that tell something: several groups, and scores that differ.
        fewest: how many of these the smallest group has.
    """

    statistic: float
    degrees: int
    p_value: float
    units: int
    fewest: int

    @property
    def is_enough(self) -> bool:
        """Whether there are units enough to believe the p-value."""
        return self.degrees > 0 and self.fewest >= LEAST_IN_A_GROUP


def compare_groups(
    strata: NDArray[np.int64], groups: NDArray[np.int64], scores: NDArray[np.float64]
) -> Comparison:
    """Test whether mean scores differ between groups, within strata.

    Args:
        strata: of each unit, any whole numbers.
        groups: likewise.
        scores: likewise, any numbers.

    Raises:
        ValueError: the three are not of one length.
    """
    if not len(strata) == len(groups) == len(scores):
        raise ValueError(f"{len(strata)} strata, {len(groups)} groups and {len(scores)} scores")
    names, group = np.unique(groups, return_inverse=True)
    count = len(names)
    excess = np.zeros(count)
    covariance = np.zeros((count, count))
    informative = np.zeros(count, dtype=np.int64)
    order = np.argsort(strata, kind="stable")
    borders = np.flatnonzero(np.diff(strata[order])) + 1
    for units in np.split(order, borders):
        own, among = scores[units], group[units]
        sizes = np.bincount(among, minlength=count).astype(np.float64)
        if len(units) < 2 or (sizes > 0).sum() < 2 or own.min() == own.max():
            continue
        informative += sizes.astype(np.int64)
        excess += np.bincount(among, weights=own, minlength=count) - sizes * own.mean()
        covariance += own.var(ddof=1) * (np.diag(sizes) - np.outer(sizes, sizes) / len(units))
    present = informative > 0
    units_seen = int(informative.sum())
    if present.sum() < 2:
        return Comparison(0.0, 0, 1.0, units_seen, 0)
    covariance, excess = covariance[np.ix_(present, present)], excess[present]
    largest = float(np.abs(covariance).max())
    degrees = int(np.linalg.matrix_rank(covariance, tol=_RANK_TOLERANCE * largest * len(excess)))
    inverse = np.linalg.pinv(covariance, rcond=_RANK_TOLERANCE, hermitian=True)
    statistic = float(excess @ inverse @ excess)
    p_value = float(chdtrc(degrees, statistic))
    return Comparison(statistic, degrees, p_value, units_seen, int(informative[present].min()))
