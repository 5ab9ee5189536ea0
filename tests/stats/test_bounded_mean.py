"""The likelihood ratio of a bounded mean: against statsmodels, brute force and simulation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.emplike.descriptive import DescStat
from statsmodels.stats.proportion import proportion_confint

from arena.stats.bounded_mean import likelihood_interval, limits, log_ratio, wilson_interval

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def test_equals_the_empirical_likelihood_of_statsmodels_when_all_outcomes_were_seen() -> None:
    counts = [3, 5, 10, 6, 4]
    data = np.repeat(SCORES, counts)
    for mean in (0.3, 0.45, 0.6, 0.7):
        with warnings.catch_warnings():
            # It announces that the shape of its answer will change; both shapes begin with the statistic.
            warnings.simplefilter("ignore", FutureWarning)
            expected = DescStat(data).test_mean(mean)[0]
        assert 2 * float(log_ratio(counts, SCORES, mean)) == pytest.approx(float(expected), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any), st.floats(0.05, 0.95))
@example([0, 0, 0, 6, 1], 0.125)
def test_no_distribution_with_that_mean_makes_the_data_likelier(counts: list[int], mean: float) -> None:
    numbers = np.array(counts, dtype=float)
    points = np.array(SCORES)

    def unlikely(chances: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        return float(-np.sum(numbers * np.log(np.maximum(chances, 1e-12))))

    def steepness(chances: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Any:
        return -numbers / np.maximum(chances, 1e-12)

    def tilted(slope: float) -> Any:
        weights = np.exp(slope * (points - mean))
        return weights / weights.sum()

    share = numbers / numbers.sum()
    own = float(np.sum(numbers[numbers > 0] * np.log(share[numbers > 0])))
    conditions: list[Any] = [
        {"type": "eq", "fun": lambda chances: float(np.sum(chances) - 1), "jac": np.ones_like},
        {"type": "eq", "fun": lambda chances: float(chances @ points - mean), "jac": lambda _: points},
    ]
    # The search is told the slopes and begins well inside, at the right mean: from a corner, or with slopes
    # measured by differences, it now and then calls a distribution the best that is not.
    found = optimize.minimize(
        unlikely,
        tilted(optimize.brentq(lambda slope: float(tilted(slope) @ points) - mean, -300, 300)),
        jac=steepness,
        bounds=[(1e-9, 1.0)] * 5,
        constraints=conditions,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    fall = float(log_ratio(counts, SCORES, mean))
    if found.success:
        assert fall <= own + found.fun + 1e-4
        assert fall == pytest.approx(own + found.fun, abs=2e-2 * (1 + fall))


def test_a_sample_without_scatter_has_the_closed_form() -> None:
    assert float(log_ratio([0, 0, 0, 0, 10], SCORES, 0.6)) == pytest.approx(10 * math.log(1 / 0.6))
    assert float(log_ratio([0, 0, 10, 0, 0], SCORES, 0.6)) == pytest.approx(10 * math.log(1 / 0.8))


def test_limits_are_where_the_ratio_reaches_the_threshold() -> None:
    counts = [1, 0, 4, 2, 0]
    for end in limits(counts, SCORES, 1.7):
        assert float(log_ratio(counts, SCORES, end)) == pytest.approx(1.7, abs=1e-8)


def test_nothing_seen_limits_nothing() -> None:
    assert limits([0] * 5, SCORES, 1.0) == (0.0, 1.0)


def test_two_observations_limit_nothing_and_one_gives_no_interval() -> None:
    interval = likelihood_interval([1, 0, 0, 0, 1], SCORES)
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, 1.0)
    assert likelihood_interval([0, 0, 1, 0, 0], SCORES) is None


def test_wilson_interval_equals_statsmodels() -> None:
    for successes, trials in ((0, 5), (3, 10), (10, 10), (480, 1000)):
        interval = wilson_interval(successes, trials)
        assert interval is not None
        low, high = proportion_confint(successes, trials, method="wilson")
        assert interval.low == pytest.approx(low, abs=1e-12)
        assert interval.high == pytest.approx(high, abs=1e-12)


@pytest.mark.parametrize("pairs", [12, 100])
def test_likelihood_interval_of_pairs_covers_the_truth(pairs: int) -> None:
    rng = np.random.default_rng(2)
    chances = np.array([0.05, 0.15, 0.35, 0.25, 0.2])
    truth = float(chances @ np.array(SCORES))
    tables = rng.multinomial(pairs, chances, size=10_000)
    # The interval holds the truth exactly when the ratio at the truth is below the threshold.
    threshold = stats.f.ppf(0.95, 1, pairs - 1) / 2
    coverage = float(np.mean(log_ratio(tables, SCORES, truth) <= threshold))
    assert coverage >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 10_000) - 0.005
