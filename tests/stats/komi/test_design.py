"""The adaptive design: what it plays, when it stops, what its intervals are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.stats.komi.design import AdaptiveDesign, KomiPosterior, design_grid, expected_information
from benchmarks.komi_design import TRUTHS, Design, Truth, run


def answer(design: AdaptiveDesign, location: float, spread: float, seed: int) -> int:
    """Play a design to its end against a true curve and return how many games it took."""
    rng = np.random.default_rng(seed)
    games = 0
    while komis := design.plan():
        games += len(komis)
        chances = [1 / (1 + math.exp(min((komi - location) / spread, 700.0))) for komi in komis]
        design.record(
            (komi, bool(rng.random() < chance)) for komi, chance in zip(komis, chances, strict=True)
        )
    return games


def test_expected_information_equals_the_definition() -> None:
    """Against a direct sum over results, locations and spreads."""
    grid = design_grid(range(-4, 5, 2), 2.0)
    rng = np.random.default_rng(1)
    posterior = rng.random(grid.prior.shape)
    posterior /= posterior.sum()
    found = expected_information(posterior[None], grid.black, grid.noise)[0]
    for place, black in enumerate(grid.black):
        about_location = about_both = 0.0
        for chance in (black, 1 - black):
            overall = float((posterior * chance).sum())
            at_location = (posterior * chance).sum(axis=1) / posterior.sum(axis=1)
            about_location += float(
                (posterior.sum(axis=1) * at_location * np.log(at_location / overall)).sum()
            )
            about_both += float((posterior * chance * np.log(chance / overall)).sum())
        assert found[place] == pytest.approx(about_location + 0.1 * (about_both - about_location), rel=1e-6)


def test_first_komi_lies_in_the_middle_and_later_ones_near_the_fair_komi() -> None:
    posterior = KomiPosterior(range(-20, 21, 2), 2.0)
    assert abs(posterior.best()) <= 2
    rng = np.random.default_rng(2)
    played = []
    for _ in range(200):
        komi = posterior.best()
        played.append(komi)
        posterior.record(komi, bool(rng.random() < 1 / (1 + math.exp((komi - 7.0) / 3.0))))
    assert np.mean(np.abs(np.array(played[50:]) - 7.0) <= 4) > 0.8


def test_posterior_does_not_depend_on_the_order_of_results() -> None:
    results = [(0, True), (2, False), (4, False), (0, False), (-2, True)]
    forward, backward = KomiPosterior(range(-4, 5, 2), 1.0), KomiPosterior(range(-4, 5, 2), 1.0)
    for komi, won in results:
        forward.record(komi, won)
    for komi, won in reversed(results):
        backward.record(komi, won)
    np.testing.assert_allclose(forward.weights, backward.weights, atol=1e-12)


def test_stops_when_both_parities_are_as_precise_as_asked() -> None:
    design = AdaptiveDesign(range(-20, 21), 3.0, 5_000)
    games = answer(design, 3.3, 3.0, 3)
    state = design.state
    assert state.done
    assert games == state.games < 1_000
    for parity in state.parities:
        assert parity.location.interval is not None
        assert parity.location.interval.width <= 3.0
        assert 3.3 in parity.location.interval
    assert "as precise as asked" in state.words
    assert len(design.history) == math.ceil(games / 8)
    assert design.plan() == ()


def test_stops_at_the_most_games_and_says_so() -> None:
    design = AdaptiveDesign(range(-20, 21), 0.5, 50)
    assert answer(design, 0.0, 4.0, 4) == 50
    assert design.state.words.startswith("stopped at 50 games, the most allowed")


@pytest.mark.parametrize(("location", "side"), [(60.0, "above"), (-60.0, "below")])
def test_a_range_that_does_not_bracket_is_recognised(location: float, side: str) -> None:
    design = AdaptiveDesign(range(-10, 11, 2), 1.0, 2_000)
    games = answer(design, location, 3.0, 5)
    parity = design.state.parities[0]
    assert games < 500
    assert parity.location.value is None
    assert f"lies {side} the range" in parity.words
    assert parity.location.interval is not None
    assert not parity.location.interval.is_bounded


@pytest.mark.parametrize(("location", "words"), [(-10.0, "at most"), (10.0, "at least")])
def test_a_fair_komi_at_an_end_of_the_range_takes_no_endless_games(location: float, words: str) -> None:
    design = AdaptiveDesign(range(-10, 11, 2), 1.5, 3_000)
    games = answer(design, location, 1.0, 11)
    parity = design.state.parities[0]
    assert games < 400
    assert parity.location.interval is not None
    assert location in parity.location.interval
    assert f"the fair komi is {words}" in parity.words
    assert "would tell" in parity.words


def test_perfect_play_is_recognised_as_a_step_and_stops() -> None:
    design = AdaptiveDesign(range(-2, 9), 0.5, 2_000)
    games = answer(design, 2.5, 1e-6, 6)
    assert games < 300
    even, odd = design.state.parities
    assert "up to 2 and White every game from 4 on" in even.words
    assert "up to 1 and White every game from 3 on" in odd.words
    assert all(parity.words.startswith("a step, not a curve") for parity in (even, odd))


def test_a_batch_is_planned_without_its_results() -> None:
    first, second = AdaptiveDesign(range(-8, 9), 1.0, 100), AdaptiveDesign(range(-8, 9), 1.0, 100)
    assert first.plan() == first.plan() == second.plan()
    assert len(first.plan()) == 8
    results = [(komi, komi < 2) for komi in first.plan()]
    first.record(results)
    second.record(reversed(results))
    assert first.plan() == second.plan()


def test_a_game_that_counts_for_nobody_is_simply_not_recorded() -> None:
    design = AdaptiveDesign(range(-8, 9, 2), 1.0, 100)
    assert design.record([]).games == 0
    assert len(design.plan()) == 8


def test_impossible_designs_are_refused() -> None:
    with pytest.raises(ValueError, match="two komi"):
        AdaptiveDesign([1, 2], 1.0, 100)
    with pytest.raises(ValueError, match="precision"):
        AdaptiveDesign(range(9), 0.0, 100)
    with pytest.raises(ValueError, match="precision"):
        AdaptiveDesign(range(9), math.nan, 100)
    with pytest.raises(ValueError, match="max_games"):
        AdaptiveDesign(range(9), 1.0, 0)
    with pytest.raises(ValueError, match="not in the design"):
        AdaptiveDesign(range(0, 9, 2), 1.0, 100).record([(3, True)])
    with pytest.raises(ValueError, match="one parity"):
        KomiPosterior([1, 2, 3], 1.0)
    assert AdaptiveDesign([0, 2, 4, 5], 1.0, 100).left_out == (5,)


def check(adaptive: Design, even: Design, experiments: int, ratio: float) -> None:
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / experiments)
    print(
        f"games {adaptive.mean_games:.1f} against {even.mean_games:.1f}, "
        f"ratio {adaptive.mean_games / even.mean_games:.3f}, "
        f"coverage {adaptive.coverage:.4f} and {even.coverage:.4f}"
    )
    assert adaptive.mean_games <= ratio * even.mean_games
    assert adaptive.coverage >= least
    assert even.coverage >= least


def test_needs_at_most_half_the_games_of_an_even_grid_and_covers_the_truth() -> None:
    """A small experiment; the full one is marked `soak`."""
    truth = Truth(1.0, 2.0, 12)
    chosen, even = (run(truth, 60, 0.5, 7, adaptive=adaptive) for adaptive in (True, False))
    check(chosen, even, 60, 0.5)


@pytest.mark.soak
@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_two_thousand_experiments_need_at_most_half_the_games_and_cover_the_truth(truth: Truth) -> None:
    chosen, even = (run(truth, 2_000, 0.5, 8, adaptive=adaptive) for adaptive in (True, False))
    check(chosen, even, 2_000, 0.5)
