"""An interval for a pairing's score that may be looked at after every pair, and acted on.

A fixed-sample 95 % interval that is watched all the time misses the truth sooner or later. This one holds
the truth at all moments at once with probability 95 %, hence at any moment someone chooses to stop.

Take a bettor against "the mean is m" who spreads his capital over all constant bets as Cover's universal
portfolio does. If m is true his capital is a fair game, and exceeds 1/alpha ever only with probability
alpha (Ville 1939). In hindsight it falls behind the best constant bet by at most the regret of the
universal portfolio with Dirichlet(1/2, 1/2) weights, whatever the data (Cover & Ordentlich, *Universal
portfolios with side information*, IEEE Trans. Inf. Theory 1996, theorem 3). So the m with

    L(m) <= log(1/alpha) + log( sqrt(pi) Gamma(t + 1) / Gamma(t + 1/2) ),

L as in `arena.stats.bounded_mean`, form a confidence sequence (Orabona & Jun, *Tight concentrations and
confidence sequences from the regret of universal portfolio*, IEEE Trans. Inf. Theory 2024, theorem 4). It
depends on the counts alone, so it needs no history and gives the same interval whenever it is computed.

It holds for one pairing, for scores in [0, 1] whose mean given the past stays the same, in the order of the
schedule (`arena.stats.prefix`). It is not claimed for totals of a round robin, for many players at once, or
for margins without bounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arena.stats.bounded_mean import limits
from arena.stats.estimate import Interval
from arena.stats.sprt import PAIR_SCORES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

METHOD = "confidence sequence, holds at any stopping time"


def threshold(observations: int, level: float = 0.95) -> float:
    """Return how large L(m) may be, in nats, for m to stay in the interval after that many observations."""
    regret = 0.5 * math.log(math.pi) + math.lgamma(observations + 1) - math.lgamma(observations + 0.5)
    return math.log(1 / (1 - level)) + regret


def always_valid_interval(
    counts: ArrayLike, scores: tuple[float, ...] = PAIR_SCORES, level: float = 0.95
) -> Interval:
    """Return the interval after the pairs counted so far; all of [0, 1] before the first.

    Args:
        counts: how often each of `scores` was seen in the prefix of the schedule.
        scores: possible scores, each in [0, 1].
        level: chance that the interval holds the truth at all moments at once.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    low, high = limits(numbers, scores, threshold(int(numbers.sum()), level))
    return Interval(low, high, level, METHOD)
