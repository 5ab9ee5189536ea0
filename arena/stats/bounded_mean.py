"""The mean of observations that lie in [0, 1]: how much the data speak against a value of it.

One number serves the whole package: the log-likelihood ratio between the best of all distributions on the
range and the best of those that have a given mean. For scores on a lattice (wins, draws, pairs) it is the
generalised likelihood ratio of the multinomial model, exactly, with outcomes not yet seen allowed for; in
general it is Owen's empirical likelihood with both ends of the range added to the support. By convex duality
(Honda & Takemura, *An Asymptotically Optimal Bandit Algorithm for Bounded Support Models*, COLT 2010,
theorem 8)

    L(m) = max over x of  sum_i n_i log(1 + x (a_i - m)),    -1/(1-m) <= x <= 1/m,

which is also the log-capital of the best constant bet against the mean m in hindsight (Waudby-Smith & Ramdas,
*Estimating means of bounded random variables by betting*, JRSS B 2024, section 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.stats.estimate import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_STEPS = 100
_TOLERANCE = 1e-12
_EDGE = 1e-6


def best_bet(counts: NDArray[np.float64], gains: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Maximise `sum_i n_i log(1 + x g_i)` over the x that keep every `1 + x g_i` from being negative.

    The last axis runs over the support of the distribution (outcomes with count 0 limit x too), the others
    are independent problems. Newton's method, kept inside a shrinking bracket.

    Args:
        counts: how often each outcome was seen, shape (..., outcomes), not negative.
        gains: g, same shape; each row has a negative and a positive entry.

    Returns:
        x and the maximum, each of shape (...).
    """
    low = -1 / gains.max(axis=-1)
    high = -1 / gains.min(axis=-1)
    # Outcomes that were never seen drop out of the sum, also where 1 + x g is zero.
    gains = np.where(counts > 0, gains, 0.0)
    x = np.zeros_like(low)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # The maximum lies at an end of the range where the slope there still points outwards.
        for end, outwards in ((low, -1.0), (high, 1.0)):
            # Rounding must not turn the pole of an outcome that was seen into a small negative number.
            slope = (counts * gains / np.maximum(1 + end[..., None] * gains, 0.0)).sum(axis=-1)
            settled = outwards * slope >= 0
            x = np.where(settled, end, x)
            low, high = np.where(settled, end, low), np.where(settled, end, high)
        for _ in range(_STEPS):
            ratio = gains / (1 + x[..., None] * gains)
            weighted = counts * ratio
            slope = weighted.sum(axis=-1)
            curvature = (weighted * ratio).sum(axis=-1)
            low = np.where(slope >= 0, x, low)
            high = np.where(slope <= 0, x, high)
            newton = x + slope / curvature
            inside = (newton > low) & (newton < high)
            arrived = np.abs(newton - x) <= _TOLERANCE * (1 + np.abs(x))
            step = np.where(inside | arrived, newton, (low + high) / 2)
            moved = np.abs(step - x)
            x = np.clip(step, low, high)
            if np.all(moved <= _TOLERANCE * (1 + np.abs(x))):
                break
        value = (counts * np.log1p(x[..., None] * gains)).sum(axis=-1)
    return x, np.maximum(value, 0.0)


def log_ratio(counts: ArrayLike, values: ArrayLike, mean: ArrayLike) -> NDArray[np.float64]:
    """Return L(m), in nats: how much likelier the data are under their own best law than under mean m.

    Args:
        counts: how often each value was seen, shape (..., values).
        values: the values, each in [0, 1], shape (values,).
        mean: m, in (0, 1), shape (...) or a number.

    Returns:
        Shape (...); 0 exactly when m is the sample mean (or nothing was seen).
    """
    numbers = np.asarray(counts, dtype=np.float64)
    means = np.broadcast_to(np.asarray(mean, dtype=np.float64), numbers.shape[:-1])
    support = np.concatenate([np.asarray(values, dtype=np.float64), [0.0, 1.0]])
    numbers = np.concatenate([numbers, np.zeros((*numbers.shape[:-1], 2))], axis=-1)
    return best_bet(numbers, support - means[..., None])[1]


def limits(counts: ArrayLike, values: ArrayLike, threshold: float) -> tuple[float, float]:
    """Return the least and the greatest mean m with L(m) <= threshold (in nats, positive).

    `counts` and `values` are those of one problem, as in `log_ratio`.

    L is convex with its zero at the sample mean and its slope is -N x (envelope theorem), so Newton's
    method inside a bracket finds each end.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    points = np.asarray(values, dtype=np.float64)
    total = float(numbers.sum())
    if total == 0:
        return 0.0, 1.0
    centre = float(numbers @ points / total)
    support = np.concatenate([points, [0.0, 1.0]])
    padded = np.concatenate([numbers, [0.0, 0.0]])
    ends = []
    for limit in (0.0, 1.0):
        inner, outer = centre, limit
        if abs(inner - outer) < _TOLERANCE:
            ends.append(limit)
            continue
        guess = (inner + outer) / 2
        for _ in range(_STEPS):
            bet, value = best_bet(padded, support - guess)
            excess = float(value) - threshold
            if excess > 0:
                outer = guess
            else:
                inner = guess
            if abs(excess) <= _TOLERANCE * (1 + threshold):
                break
            slope = -total * float(bet)
            newton = guess - excess / slope if slope else np.inf
            step = newton if min(inner, outer) < newton < max(inner, outer) else (inner + outer) / 2
            if abs(step - guess) < _TOLERANCE or abs(inner - outer) < _TOLERANCE:
                break
            guess = step
        ends.append(guess)
    return ends[0], ends[1]


def likelihood_interval(counts: ArrayLike, values: ArrayLike, level: float = 0.95) -> Interval | None:
    """Return the likelihood-ratio interval of a mean from a fixed number of independent observations.

    The cut-off is the F(1, n-1) quantile in place of the chi-square one, as Owen recommends for small samples
    (*Empirical Likelihood*, 2001, section 3.3). None for fewer than two observations: there is no
    telling how much they scatter.
    """
    total = float(np.asarray(counts, dtype=np.float64).sum())
    if total < 2:
        return None
    # scipy takes longer to load than a run to begin; confidence sequences, which runs show, do without it.
    from scipy import special

    threshold = float(special.fdtri(1, total - 1, level)) / 2
    low, high = limits(counts, values, threshold)
    # Two observations exclude next to nothing: an end that close to the edge is the edge.
    low, high = (0.0 if low < _EDGE else low), (1.0 if high > 1 - _EDGE else high)
    return Interval(low, high, level, "likelihood ratio, fixed sample")


def wilson_interval(successes: float, trials: float, level: float = 0.95) -> Interval | None:
    """Return Wilson's score interval of a proportion (Wilson, JASA 1927, p. 210); None without trials."""
    if trials <= 0:
        return None
    from scipy import special

    z = float(special.ndtri((1 + level) / 2))
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * float(np.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Interval(low, high, level, "Wilson score, fixed sample")
