"""Sequential test of two strengths on pairs of games: which of two Elo differences do the data speak for?

The generalised sequential probability ratio test: after each pair the log-likelihood ratio

    LLR = max log-likelihood under H1 - max log-likelihood under H0

is compared with Wald's bounds (Wald, *Sequential Tests of Statistical Hypotheses*, 1945, equation 3:30;
generalised form: Li, Liu & Ying, *Generalized Sequential Probability Ratio Test for Separate Families of
Hypotheses*, Sequential Analysis 2014). The law of a pair's score on 0, 1/4, 1/2, 3/4, 1 is left free but
for the hypothesis, so correlation within a pair, draws and unbalanced openings need no model of their own.

Logistic model: the mean score of H is that of the Elo difference. Normalized model (Van den Bergh,
*Normalized Elo*, 2021): the mean lies `elo / (800 / ln 10)` standard deviations of a game above one half, a
pair's standard deviation counting as a game's divided by the square root of two.

Outcomes not yet seen may have any probability under either hypothesis. The maxima are then exact and finite
for any counts whatever: no wins, no losses, all draws, a single pair; nothing is added to the counts.

The pairs must be counted in the order of the schedule (`arena.stats.prefix`), never as they happen to end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from arena.stats.bounded_mean import best_bet
from arena.stats.elo import NORMALIZED_ELO_UNIT, share_of_elo
from arena.words import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Score shares of a pair: lost both … won both."""

GAME_SCORES = (0.0, 0.5, 1.0)
"""Score shares of a game: lost, drawn, won."""

LARGEST_ELO = 200.0
"""Hypotheses further from zero are refused: no match needs a sequential test to see such a difference."""

DEFAULT_MIN_PAIRS = 16
"""No decision before that many pairs: the ratio of maxima is not yet like a likelihood ratio
(docs/statistics.md gives the measured error rates)."""

_ROUNDS = 60
_CLOSE = 1e-11


class Model(StrEnum):
    """What `elo0` and `elo1` mean."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Decision(StrEnum):
    """Where the test stands."""

    CONTINUE = "continue"
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class SprtSettings:
    """One test.

    Attributes:
        elo0, elo1: the two hypotheses, `elo0 < elo1`, each within +-200.
        alpha: allowed rate of taking H1 when H0 is true, in [0, 0.5); 0 means H1 is never taken.
        beta: allowed rate of taking H0 when H1 is true, in [0, 0.5); 0 means H0 is never taken.
        model: what the Elo numbers mean.
        min_pairs: no decision before that many pairs, at least 1.

    Raises:
        ValueError: a field is out of its range; the message names it.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.LOGISTIC
    min_pairs: int = DEFAULT_MIN_PAIRS

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -LARGEST_ELO <= elo <= LARGEST_ELO:
                raise ValueError(
                    f"{name} = {elo!r}: a number from {-LARGEST_ELO:g} to {LARGEST_ELO:g} is needed"
                )
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 = {self.elo0:g}, elo1 = {self.elo1:g}: elo0 must be less than elo1")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 <= rate < 0.5:
                raise ValueError(f"{name} = {rate!r}: an error rate from 0 to below 0.5 is needed")
        if self.min_pairs < 1:
            raise ValueError(f"min_pairs = {self.min_pairs!r}: at least 1 is needed")

    @property
    def lower(self) -> float:
        """Bound at which H0 is taken, `log(beta / (1 - alpha))`; `-inf` when beta is 0."""
        return math.log(self.beta / (1 - self.alpha)) if self.beta > 0 else -math.inf

    @property
    def upper(self) -> float:
        """Bound at which H1 is taken, `log((1 - beta) / alpha)`; `inf` when alpha is 0."""
        return math.log((1 - self.beta) / self.alpha) if self.alpha > 0 else math.inf


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a test stands after some pairs.

    Attributes:
        pairs: pairs counted.
        llr: the log-likelihood ratio, in nats; always finite.
        lower, upper: the bounds; may be infinite.
        decision: which hypothesis stands, or that the test goes on.
        words: the same in one sentence for people.
    """

    pairs: int
    llr: float
    lower: float
    upper: float
    decision: Decision
    words: str

    @property
    def is_decided(self) -> bool:
        """Whether a hypothesis stands."""
        return self.decision is not Decision.CONTINUE


def _shortfall_of_mean(
    counts: NDArray[np.float64], scores: NDArray[np.float64], mean: float
) -> NDArray[np.float64]:
    return best_bet(counts, np.broadcast_to(scores - mean, counts.shape))[1]


def _shortfall_of_ratio(
    counts: NDArray[np.float64], scores: NDArray[np.float64], ratio: float
) -> NDArray[np.float64]:
    """Return how far the best log-likelihood falls when (mean - 1/2) / deviation must be `ratio`.

    The deviation is `min over c of (variance / c + c) / 2`, and the variance is `min over m of E (a -
    m)^2`: for fixed m and c the condition is linear, and m and c are those of the solution (the iteration
    of Van den Bergh's *Normalized Elo*, section 4.2, as alternating minimisation).
    """
    if ratio == 0:
        return _shortfall_of_mean(counts, scores, 0.5)
    rows = counts.reshape(-1, counts.shape[-1])
    share = rows / rows.sum(axis=-1, keepdims=True)
    mean = (share * scores).sum(axis=-1, keepdims=True)
    deviation = np.sqrt((share * (scores - mean) ** 2).sum(axis=-1, keepdims=True))
    # A start without scatter would divide by zero; any start of ordinary size leads to the same solution.
    deviation = np.where(deviation < 0.05, 0.25, deviation)
    mean = np.clip(mean, 0.5 - 0.4 * (ratio < 0), 0.5 + 0.4 * (ratio > 0))
    shortfall = np.zeros(len(rows))
    # Rows whose value has settled are left alone: a table's value does not depend on those beside it.
    places = np.arange(len(rows))
    for _ in range(_ROUNDS):
        gains = scores - 0.5 - ratio * ((scores - mean) ** 2 / deviation + deviation) / 2
        bet, value = best_bet(rows, gains)
        factor = 1 + bet[..., None] * gains
        solution = share / np.where(rows > 0, factor, 1.0)
        # What the seen outcomes leave over lies on the outcome that limits the bet.
        unseen = np.argmin(factor, axis=-1)[..., None]
        left = np.maximum(1 - solution.sum(axis=-1, keepdims=True), 0.0)
        np.put_along_axis(solution, unseen, np.take_along_axis(solution, unseen, -1) + left, -1)
        mean = (solution * scores).sum(axis=-1, keepdims=True)
        deviation = np.sqrt((solution * (scores - mean) ** 2).sum(axis=-1, keepdims=True))
        moves = np.abs(value - shortfall[places]) > _CLOSE * (1 + value)
        shortfall[places] = value
        if not moves.any():
            break
        places, rows, share = places[moves], rows[moves], share[moves]
        mean, deviation = mean[moves], deviation[moves]
    return shortfall.reshape(counts.shape[:-1])


def log_likelihood_ratio(
    counts: ArrayLike, settings: SprtSettings, scores: tuple[float, ...] = PAIR_SCORES
) -> NDArray[np.float64]:
    """Return the LLR for one or many tables of counts at once.

    Args:
        counts: how often each of `scores` was seen, shape (..., len(scores)).
        settings: the hypotheses.
        scores: `PAIR_SCORES`, or `GAME_SCORES` when single games are counted.

    Returns:
        Shape (...), finite; 0 where nothing was counted.

    Raises:
        ValueError: the last axis does not fit `scores`, or a count is negative.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    if numbers.shape[-1:] != (len(scores),):
        raise ValueError(f"counts of shape {numbers.shape}: {len(scores)} outcomes are needed")
    if np.any(numbers < 0) or not np.all(np.isfinite(numbers)):
        raise ValueError("counts must be finite and not negative")
    points = np.asarray(scores, dtype=np.float64)
    empty = numbers.sum(axis=-1) == 0
    safe = np.where(empty[..., None], 1.0, numbers)
    if settings.model is Model.LOGISTIC:
        fallen0 = _shortfall_of_mean(safe, points, share_of_elo(settings.elo0))
        fallen1 = _shortfall_of_mean(safe, points, share_of_elo(settings.elo1))
    else:
        games_a_unit = 2 if len(scores) == len(PAIR_SCORES) else 1
        unit = math.sqrt(games_a_unit) / NORMALIZED_ELO_UNIT
        fallen0 = _shortfall_of_ratio(safe, points, settings.elo0 * unit)
        fallen1 = _shortfall_of_ratio(safe, points, settings.elo1 * unit)
    return np.where(empty, 0.0, fallen0 - fallen1)


def judge(counts: ArrayLike, settings: SprtSettings) -> SprtState:
    """Say where the test stands after these pairs (five counts, lost both … won both).

    It looks at this one moment only: a test that runs must stop at the first moment that decides (`Sprt`).
    """
    pairs = int(np.asarray(counts).sum())
    ratio = float(log_likelihood_ratio(counts, settings))
    lower, upper = settings.lower, settings.upper
    elos = f"{settings.elo0:g} and {settings.elo1:g} Elo, {settings.model}"
    after = f"after {counted(pairs, 'pair')}"
    decision = Decision.CONTINUE
    if pairs < settings.min_pairs:
        words = f"undecided {after}: no decision before {settings.min_pairs} (between {elos})"
    elif ratio >= upper:
        decision = Decision.H1
        words = (
            f"H1 stands {after}: a lead of {settings.elo1:g} Elo, not {settings.elo0:g} ({settings.model})"
        )
    elif ratio <= lower:
        decision = Decision.H0
        words = (
            f"H0 stands {after}: a lead of {settings.elo0:g} Elo, not {settings.elo1:g} ({settings.model})"
        )
    else:
        words = f"undecided {after}: LLR {ratio:.2f} between {lower:.2f} and {upper:.2f} (between {elos})"
        if never := [name for name, bound in (("H0", lower), ("H1", upper)) if math.isinf(bound)]:
            words += f"; with an error rate of 0, {' or '.join(never)} is never taken"
    return SprtState(pairs, ratio, lower, upper, decision, words)


class Sprt:
    """A running test: takes pairs in schedule order and stays with its first decision."""

    def __init__(self, settings: SprtSettings) -> None:
        self.settings = settings
        self._counts = [0] * len(PAIR_SCORES)
        self._state = judge(self._counts, settings)

    @property
    def state(self) -> SprtState:
        """Where the test stands."""
        return self._state

    def add(self, score: float) -> SprtState:
        """Count one pair and return where the test stands; after a decision nothing changes any more.

        Args:
            score: the first player's share of the pair's two points: 0, 0.25, 0.5, 0.75 or 1.

        Raises:
            ValueError: no score of a pair.
        """
        if score not in PAIR_SCORES:
            raise ValueError(f"score {score!r}: a pair's share is one of {', '.join(map(str, PAIR_SCORES))}")
        if self._state.decision is Decision.CONTINUE:
            self._counts[PAIR_SCORES.index(score)] += 1
            self._state = judge(self._counts, self.settings)
        return self._state
