"""Groups compared within strata: against an independent library, by symmetry, and without any difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest
from statsmodels.stats.contingency_tables import StratifiedTable

from arena.stats.strata import LEAST_IN_A_GROUP, compare_groups

SIZES = st.lists(
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 30), st.integers(1, 30)),
    min_size=1,
    max_size=5,
)


def units_of(cells: list[tuple[int, int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [
        (stratum, group, score)
        for stratum, sizes in enumerate(cells)
        for (group, score), size in zip([(0, 1), (0, 0), (1, 1), (1, 0)], sizes, strict=True)
        for _ in range(size)
    ]
    strata, groups, scores = (np.array(column) for column in zip(*rows, strict=True))
    return strata, groups, scores.astype(float)


@given(cells=SIZES)
@settings(max_examples=60, deadline=None)
def test_two_groups_and_two_scores_are_the_test_of_mantel_and_haenszel(
    cells: list[tuple[int, int, int, int]],
) -> None:
    found = compare_groups(*units_of(cells))
    tables = [np.array([[a, b], [c, d]]) for a, b, c, d in cells]
    expected = StratifiedTable(tables).test_null_odds(correction=False)
    assert found.degrees == 1
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)


@given(cells=SIZES, seed=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_names_nor_units_of_measure_matter(
    cells: list[tuple[int, int, int, int]], seed: int
) -> None:
    strata, groups, scores = units_of(cells)
    order = np.random.default_rng(seed).permutation(len(strata))
    found = compare_groups(strata, groups, scores)
    other = compare_groups(7 - strata[order], 100 - 3 * groups[order], 5 - 2 * scores[order])
    assert other.statistic == pytest.approx(found.statistic, abs=1e-8)
    assert (other.degrees, other.units, other.fewest) == (found.degrees, found.units, found.fewest)


def test_strata_that_tell_nothing_are_left_out() -> None:
    strata = np.array([0] * 10 + [1] * 10)
    groups = np.array([0] * 10 + [0, 1] * 5)
    scores = np.array([0.0, 1.0] * 5 + [0.5] * 10)
    found = compare_groups(strata, groups, scores)
    assert (found.units, found.degrees, found.p_value, found.is_enough) == (0, 0, 1.0, False)


def test_few_units_are_said_to_be_few() -> None:
    chance = np.random.default_rng(1)
    for size, is_enough in ((LEAST_IN_A_GROUP - 1, False), (LEAST_IN_A_GROUP, True)):
        groups = np.array([0] * 50 + [1] * size)
        found = compare_groups(np.zeros(len(groups), dtype=np.int64), groups, chance.random(len(groups)))
        assert found.is_enough is is_enough
        assert found.fewest == size


def test_a_group_that_is_worse_in_every_stratum_is_found() -> None:
    chance = np.random.default_rng(2)
    strata = np.repeat(np.arange(5), 60)
    groups = chance.integers(0, 3, 300)
    scores = chance.choice([0.0, 0.5, 1.0], 300) - 0.3 * (groups == 1) + strata
    assert compare_groups(strata, groups, scores).p_value < 1e-4
    assert compare_groups(strata, groups, scores).degrees == 2


def test_without_a_difference_p_values_are_uniform() -> None:
    chance = np.random.default_rng(3)
    values = []
    for _ in range(400):
        strata = chance.integers(0, 6, 240)
        # Groups are dealt unevenly to the strata, whose levels differ: only the strata keep the test honest.
        groups = (chance.random(240) < 0.2 + 0.1 * strata).astype(np.int64) + chance.integers(0, 2, 240)
        scores = chance.choice([0.0, 0.25, 0.5, 0.75, 1.0], 240) + 0.4 * strata
        values.append(compare_groups(strata, groups, scores).p_value)
    assert kstest(values, "uniform").pvalue > 0.01


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 strata, 1 groups and 2 scores"):
        compare_groups(np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(2))
