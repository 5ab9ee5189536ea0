"""Parity curves: against statsmodels, coverage of the profile, open intervals, steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm

from arena.stats.komi.curves import Tally, common_spread, find_step, fit_curve, fit_parities, tally


def simulated(location: float, spread: float, komis: range, games: int, seed: int) -> Tally:
    rng = np.random.default_rng(seed)
    chances = 1 / (1 + np.exp(-(location - np.array(komis)) / spread))
    return Tally(
        tuple(komis), tuple(int(wins) for wins in rng.binomial(games, chances)), (games,) * len(komis)
    )


def test_curve_equals_the_logistic_regression_of_statsmodels() -> None:
    counts = simulated(3.4, 4.0, range(-20, 21, 2), 30, 1)
    komis = np.array(counts.komis, dtype=float)
    table = np.stack([counts.wins, np.array(counts.games) - counts.wins], axis=1)
    fit = sm.GLM(table, sm.add_constant(komis), family=sm.families.Binomial()).fit()
    found = fit_curve(counts, 0)
    assert found.location.value == pytest.approx(-fit.params[0] / fit.params[1], abs=0.08)
    assert found.spread == pytest.approx(-1 / fit.params[1], rel=0.06)
    # The delta method's interval is close to the profile's when there are many games.
    gradient = np.array([-1 / fit.params[1], fit.params[0] / fit.params[1] ** 2])
    error = math.sqrt(gradient @ fit.cov_params() @ gradient)
    assert found.location.interval is not None
    assert found.location.interval.width == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_share_by_the_curve_is_one_half_at_its_location() -> None:
    found = fit_curve(simulated(2.0, 3.0, range(-10, 15, 2), 50, 2), 0)
    assert found.location.value is not None
    assert found.share(found.location.value) == pytest.approx(0.5)
    assert (found.share(-100) or 0) > 0.99


def coverage(location: float, spread: float, komis: range, games: int, experiments: int) -> float:
    held = 0
    for seed in range(experiments):
        interval = fit_curve(simulated(location, spread, komis, games, seed), 0).location.interval
        assert interval is not None
        held += location in interval
    return held / experiments


@pytest.mark.parametrize(("location", "spread", "games"), [(0.7, 4.0, 6), (-3.3, 2.0, 12)])
def test_profile_interval_covers_the_truth(location: float, spread: float, games: int) -> None:
    found = coverage(location, spread, range(-12, 13, 2), games, 200)
    assert found >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 200)


@pytest.mark.soak
@pytest.mark.parametrize(("location", "spread", "games"), [(0.7, 4.0, 6), (-3.3, 2.0, 12), (9.0, 3.0, 10)])
def test_profile_interval_covers_the_truth_in_two_thousand_experiments(
    location: float, spread: float, games: int
) -> None:
    found = coverage(location, spread, range(-12, 13, 2), games, 2_000)
    print(f"m {location}, s {spread}, {games} games a komi: coverage {found:.4f}")
    assert found >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 2_000)


def test_shared_openings_widen_the_interval_to_what_they_are_worth() -> None:
    """A blind engine repeats each opening's margin at every komi: sixty openings are sixty observations."""
    rng = np.random.default_rng(4)
    komis = np.arange(-10, 11, 2)
    held, widths, naive = 0, [], []
    for _ in range(200):
        margins = 3.0 * rng.logistic(size=60)
        won = margins[:, None] > komis
        openings = [f"o{number}" for number in range(60) for _ in komis]
        counts = tally(np.tile(komis, 60), won.ravel(), openings)
        assert counts.inflation > 1
        interval = fit_curve(counts, 0).location.interval
        plain = fit_curve(Tally(counts.komis, counts.wins, counts.games), 0).location.interval
        assert interval is not None
        assert plain is not None
        held += 0.0 in interval
        widths.append(interval.width)
        naive.append(0.0 in plain)
    assert held / 200 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 200)
    assert np.mean(naive) < 0.85


def test_clean_separation_is_called_a_step_with_its_bracket() -> None:
    counts = Tally((-2, 0, 2, 4, 6), (8, 8, 8, 0, 0), (8, 8, 8, 8, 8))
    found = fit_curve(counts, 0)
    assert found.step == find_step(counts)
    assert found.step is not None
    assert (found.step.won, found.step.lost) == (2, 4)
    assert found.spread == 0
    assert found.words.startswith("a step, not a curve")
    assert found.location.interval is not None
    assert found.location.interval.low == pytest.approx(2, abs=0.1)
    assert found.location.interval.high == pytest.approx(4, abs=0.1)
    assert found.share(0) == 1.0
    assert found.share(5) == 0.0


def test_a_step_of_few_games_has_an_interval_beyond_it() -> None:
    """Two games at each komi may look like a step by chance."""
    found = fit_curve(Tally((-2, 0, 2, 4, 6), (2, 2, 2, 0, 0), (2, 2, 2, 2, 2)), 0)
    assert found.step is not None
    assert found.location.interval is not None
    assert found.location.interval.low < 1.9
    assert found.location.interval.high > 4.1


def test_a_step_with_a_gap_says_that_nothing_was_tried_inside() -> None:
    assert "nothing was tried between" in fit_curve(Tally((0, 8), (5, 0), (5, 5)), 0).words


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Tally((), (), ()), "no games at even komi"),
        (Tally((4,), (10,), (20,)), "only one even komi was tried (4)"),
        (Tally((0, 2, 4), (9, 9, 9), (9, 9, 9)), "Black won every game"),
        (Tally((0, 2, 4), (0, 0, 0), (9, 9, 9)), "White won every game"),
        (
            Tally((0, 2, 4), (95, 90, 80), (100, 100, 100)),
            "do not bracket one half: the fair komi lies above 0 to 4",
        ),
        (Tally((0, 2, 4), (20, 10, 5), (100, 100, 100)), "the fair komi lies below 0 to 4"),
        (Tally((0, 2, 4), (40, 50, 60), (100, 100, 100)), "does not fall with komi"),
    ],
)
def test_what_cannot_be_said_is_said(counts: Tally, words: str) -> None:
    found = fit_curve(counts, 0)
    assert found.location.value is None
    assert found.spread is None
    assert words in found.words
    assert found.share(2) is None


def test_one_sided_results_leave_the_interval_open() -> None:
    found = fit_curve(Tally((0, 2, 4), (30, 30, 30), (30, 30, 30)), 0).location.interval
    assert found is not None
    assert found.high == math.inf
    assert found.low > 0


def test_a_weak_fall_leaves_the_interval_open() -> None:
    found = fit_curve(Tally((0, 2, 4), (11, 10, 9), (20, 20, 20)), 0).location.interval
    assert found is not None
    assert not found.is_bounded


def test_a_wrong_shape_is_noticed() -> None:
    # Two plateaus: no logistic curve.
    counts = Tally(tuple(range(-10, 12, 2)), (170, 130, 130, 130, 130, 100, 70, 70, 70, 70, 30), (200,) * 11)
    found = fit_curve(counts, 0)
    assert found.fit_p is not None
    assert found.fit_p < 0.01
    assert "does not fit" in found.words


def test_common_spread_only_if_the_test_allows() -> None:
    even = simulated(3.0, 3.0, range(-20, 21, 2), 60, 5)
    alike = simulated(1.0, 3.0, range(-21, 22, 2), 60, 6)
    other = simulated(1.0, 9.0, range(-21, 22, 2), 60, 7)
    assert common_spread(even, alike).allowed
    refused = common_spread(even, other)
    assert not refused.allowed
    assert refused.p is not None
    assert refused.p < 0.01
    first, second, common = fit_parities(even, alike)
    assert common.allowed
    assert first.spread == pytest.approx(second.spread, rel=0.06)
    assert first.location.value == pytest.approx(3.0, abs=0.6)
    assert second.location.value == pytest.approx(1.0, abs=0.6)
    step = Tally((0, 2), (5, 0), (5, 5))
    assert common_spread(even, step).p is None


@pytest.mark.soak
def test_equal_spreads_are_refused_as_often_as_the_level_says() -> None:
    refused = [
        not common_spread(
            simulated(1.0, 4.0, range(-12, 13, 2), 20, seed),
            simulated(-1.0, 4.0, range(-13, 14, 2), 20, 9_999 + seed),
        ).allowed
        for seed in range(1_000)
    ]
    assert np.mean(refused) == pytest.approx(0.10, abs=3 * math.sqrt(0.09 / 1_000))
