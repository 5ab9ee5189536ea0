"""Always-valid intervals: they hold at any stopping time, and are a function of the counts alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.stats.bounded_mean import likelihood_interval, log_ratio
from arena.stats.confidence_sequence import always_valid_interval, threshold
from arena.stats.sprt import PAIR_SCORES


def share_never_excluded(chances: list[float], experiments: int, pairs: int, seed: int) -> float:
    """Return how often the interval holds the truth after each of so many pairs, at the worst moment."""
    rng = np.random.default_rng(seed)
    truth = float(np.array(chances) @ np.array(PAIR_SCORES))
    counts = np.zeros((experiments, 5))
    edges = np.cumsum(chances)[:-1]
    for number in range(1, pairs + 1):
        counts[np.arange(len(counts)), np.searchsorted(edges, rng.random(len(counts)))] += 1
        counts = counts[log_ratio(counts, PAIR_SCORES, truth) <= threshold(number)]
    return len(counts) / experiments


LAWS = {
    "drawless and even": [0.25, 0, 0.5, 0, 0.25],
    "one wins nearly all": [0, 0, 0.05, 0.1, 0.85],
    "many draws": [0.02, 0.1, 0.76, 0.1, 0.02],
}


@pytest.mark.parametrize("name", list(LAWS))
def test_holds_whenever_one_stops_in_ten_thousand_experiments(name: str) -> None:
    held = share_never_excluded(LAWS[name], 10_000, 150, 5)
    print(f"{name}: held at all of 150 looks in {held:.4f} of experiments")
    assert held >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 10_000)


@pytest.mark.soak
@pytest.mark.parametrize("name", list(LAWS))
def test_holds_whenever_one_stops_over_thousands_of_pairs(name: str) -> None:
    held = share_never_excluded(LAWS[name], 10_000, 5_000, 6)
    print(f"{name}: held at all of 5000 looks in {held:.4f} of experiments")
    assert held >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 10_000)


def test_a_fixed_sample_interval_does_not_hold_when_watched() -> None:
    """The reason for this module: watching refutes the ordinary interval far more often than it says."""
    rng = np.random.default_rng(7)
    counts = np.zeros((2_000, 5))
    edges = np.cumsum(LAWS["drawless and even"])[:-1]
    for _ in range(200):
        counts[np.arange(len(counts)), np.searchsorted(edges, rng.random(len(counts)))] += 1
        if counts[0].sum() > 10:
            counts = counts[log_ratio(counts, PAIR_SCORES, 0.5) <= 1.92]
    assert len(counts) / 2_000 < 0.85


def test_is_wider_than_the_fixed_sample_interval_but_not_twice_as_wide() -> None:
    counts = [20, 60, 140, 70, 30]
    fixed = likelihood_interval(counts, PAIR_SCORES)
    assert fixed is not None
    assert fixed.width < always_valid_interval(counts).width < 2 * fixed.width


def test_knows_nothing_before_the_first_pair_and_little_after_it() -> None:
    before, after = always_valid_interval([0] * 5), always_valid_interval([0, 0, 0, 0, 1])
    assert (before.low, before.high) == (0.0, 1.0)
    assert after.low == pytest.approx(0.05 / 2, abs=0.01)
    assert after.high == 1.0


def test_the_regret_is_that_of_the_universal_portfolio() -> None:
    """For the worst sequences, all of one kind, Cover's integral is known: the bound is met with equality."""
    pairs = 30
    nodes = np.cos((2 * np.arange(400) + 1) / 800 * np.pi) / 2 + 0.5
    capital = float(np.mean(nodes**pairs))
    regret = threshold(pairs) - math.log(20)
    assert -math.log(capital) == pytest.approx(regret, abs=1e-9)
