"""Intervals against textbook numbers, scipy, and their own meaning."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

from reports.estimates import Clusters, Estimate, wilson


def one_group(pairs: list[int], values: list[float]) -> tuple[Estimate, Estimate]:
    clusters = Clusters(np.zeros(len(pairs), np.int64), np.array(pairs, np.int64), 1)
    return clusters.means(np.array(values))[0], clusters.shares(np.array(values))[0]


def test_wilson_gives_the_published_intervals() -> None:
    """Newcombe (1998), table I, method 3."""
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(15 / 148, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(0 / 20, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_pairs_of_one_game_give_the_ordinary_t_interval() -> None:
    values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0]
    mean, _ = one_group(list(range(6)), values)
    low, high = stats.t.interval(0.95, 5, loc=np.mean(values), scale=stats.sem(values))
    assert (mean.low, mean.high) == pytest.approx((low, high))
    assert mean.games == 6


def test_full_pairs_give_the_t_interval_of_the_pair_means() -> None:
    values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0]
    mean, _ = one_group([0, 0, 1, 1, 2, 2], values)
    by_pair = [1.0, 2.5, 2.0]
    low, high = stats.t.interval(0.95, 2, loc=np.mean(by_pair), scale=stats.sem(by_pair))
    assert (mean.low, mean.high) == pytest.approx((low, high))


def test_a_single_pair_has_a_mean_but_no_t_interval() -> None:
    mean, share = one_group([0, 0], [1.0, 0.0])
    assert mean == Estimate(0.5, None, None, 2)
    assert share.low is not None
    assert share.low < 0.1


def test_nothing_observed_is_no_number() -> None:
    mean, share = one_group([0, 1], [math.nan, math.nan])
    assert mean == share == Estimate(None, None, None, 0)
    empty = Clusters(np.zeros(0, np.int64), np.zeros(0, np.int64), 2)
    assert empty.means(np.zeros(0)) == [Estimate(None, None, None, 0)] * 2


def test_unobserved_games_do_not_count_as_pairs() -> None:
    mean, _ = one_group([0, 1, 2], [1.0, 3.0, math.nan])
    assert mean.value == 2
    assert mean.games == 2
    low, high = stats.t.interval(0.95, 1, loc=2, scale=1)
    assert (mean.low, mean.high) == pytest.approx((low, high))


def test_winning_everything_leaves_doubt_by_the_number_of_pairs() -> None:
    _, share = one_group([0, 0, 1, 1], [1.0] * 4)
    assert share == Estimate(1.0, *wilson(1.0, 2), 4)


def test_pairs_always_split_are_not_taken_for_certainty() -> None:
    _, share = one_group([0, 0, 1, 1], [1.0, 0.0, 1.0, 0.0])
    assert share == Estimate(0.5, *wilson(0.5, 2), 4)


def test_games_that_repeat_their_pair_widen_the_interval() -> None:
    chance = random.Random(5)
    wins = [float(chance.random() < 0.6) for _ in range(200)]
    _, once = one_group(list(range(200)), wins)
    _, twice = one_group([n for n in range(200) for _ in (0, 1)], [w for w in wins for _ in (0, 1)])
    assert twice.low == pytest.approx(once.low, abs=1e-3)
    assert twice.high == pytest.approx(once.high, abs=1e-3)


def test_groups_do_not_disturb_each_other() -> None:
    group, pair = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    values = np.array([1.0, 10.0, 2.0, 20.0, 6.0, 60.0])
    first, second = Clusters(group, pair, 2).means(values)
    alone, _ = one_group([0, 1, 2], [1.0, 2.0, 6.0])
    assert first == alone
    assert (second.value, second.low, second.high) == pytest.approx(
        tuple(10 * (end or 0) for end in (alone.value, alone.low, alone.high))
    )


@pytest.mark.parametrize("draws", [0.0, 0.4])
def test_the_share_interval_holds_its_level_when_games_of_a_pair_depend(draws: float) -> None:
    """1,000 events of 40 pairs, the second game often like the first; 92.9 % is three errors less."""
    chance = np.random.default_rng(11)
    events, pairs, truth = 1000, 40, 0.6

    def throw() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        decided = (chance.random((events, pairs)) < (truth - draws / 2) / (1 - draws)).astype(float)
        return np.where(chance.random((events, pairs)) < draws, 0.5, decided)

    first = throw()
    second = np.where(chance.random((events, pairs)) < 0.5, first, throw())
    group = np.repeat(np.arange(events), 2 * pairs)
    pair = np.tile(np.repeat(np.arange(pairs), 2), events)
    shares = Clusters(group, pair, events).shares(np.stack([first, second], axis=2).ravel())
    inside = sum((s.low or 0) <= truth <= (s.high or 0) for s in shares)
    assert inside >= 929


def test_many_engines_and_pairs_do_not_run_into_each_other_whatever_their_width() -> None:
    """Engine 3,000 with pair 1,000,000 is beyond 32 bits as one number."""
    group, pair, values = [3000, 3000, 1705, 3000], [1_000_000, 1_000_000, 295_966, 7], [1.0, 0.0, 1.0, 1.0]
    wide, narrow = (
        Clusters(np.array(group, kind), np.array(pair, kind), 3001).means(np.array(values))
        for kind in (np.int64, np.int32)
    )
    assert narrow == wide
    assert narrow[3000].games == 3
    assert narrow[1705].games == 1


@pytest.mark.parametrize("value", [1.0, 0.0, -0.1, 1e6 / 3])
@pytest.mark.parametrize("pairs", [[0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 2, 2, 2]])
def test_pairs_that_all_agree_have_a_mean_and_no_interval_of_no_width(value: float, pairs: list[int]) -> None:
    clusters = Clusters(np.zeros(len(pairs), np.int64), np.array(pairs, np.int64), 1)
    (mean,) = clusters.means(np.array([value] * len(pairs)))
    assert mean.value == pytest.approx(value)
    assert (mean.low, mean.high) == (None, None)
