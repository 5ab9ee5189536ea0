"""The sequential test: published values, degenerate counts, error rates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from arena.stats.elo import NORMALIZED_ELO_UNIT, share_of_elo
from arena.stats.sprt import (
    GAME_SCORES,
    PAIR_SCORES,
    Decision,
    Model,
    Sprt,
    SprtSettings,
    judge,
    log_likelihood_ratio,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Chances = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "published"),
    [
        ([365, 16618, 36229, 16974, 390], 0, 2, Model.NORMALIZED, 2.25),
        ([127, 4883, 10712, 5150, 104], -1.75, 0.25, Model.NORMALIZED, 3.01),
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, Model.LOGISTIC, -3.07),
        ([871, 26175, 55983, 26678, 821], 0, 2, Model.LOGISTIC, -4.98),
    ],
)
def test_pairs_give_the_published_ratio(
    counts: list[int], elo0: float, elo1: float, model: Model, published: float
) -> None:
    ratio = float(log_likelihood_ratio(counts, SprtSettings(elo0, elo1, model=model)))
    assert round(ratio, 2) == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize(
    ("losses", "draws", "wins", "elo0", "elo1", "model", "published"),
    [
        (36027, 68692, 36433, 0, 2, Model.NORMALIZED, 0.92),
        (10650, 20431, 10871, -1.75, 0.25, Model.NORMALIZED, 2.30),
        (21184, 40708, 21404, 0.5, 2.5, Model.LOGISTIC, -1.57),
        (57030, 106593, 57433, 0, 2, Model.LOGISTIC, -2.59),
    ],
)
def test_single_games_give_the_published_ratio(
    losses: int, draws: int, wins: int, elo0: float, elo1: float, model: Model, published: float
) -> None:
    settings_ = SprtSettings(elo0, elo1, model=model)
    ratio = float(log_likelihood_ratio([losses, draws, wins], settings_, GAME_SCORES))
    assert round(ratio, 2) == pytest.approx(published, abs=0.0051)


def _best(counts: list[int], condition: Callable[[Chances], float]) -> float:
    """Maximise the log-likelihood under a condition from several starts."""
    numbers = np.array(counts, dtype=float)
    best = -math.inf

    def unlikely(chances: Chances) -> float:
        return float(-np.sum(numbers * np.log(np.maximum(chances, 1e-12))))

    starts: list[list[float]] = [
        [0.2] * 5,
        [0.4, 0.05, 0.1, 0.05, 0.4],
        [0.05, 0.1, 0.7, 0.1, 0.05],
        [0.02, 0.02, 0.02, 0.14, 0.8],
    ]
    for start in starts:
        conditions: Any = [
            {"type": "eq", "fun": lambda chances: float(np.sum(chances) - 1)},
            {"type": "eq", "fun": condition},
        ]
        found = optimize.minimize(
            unlikely,
            np.array(start),
            bounds=[(1e-10, 1.0)] * 5,
            constraints=conditions,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        if found.success:
            best = max(best, -float(found.fun))
    return best


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=5, max_size=5).filter(lambda counts: sum(counts) >= 5))
def test_normalized_ratio_equals_that_of_a_general_optimiser(counts: list[int]) -> None:
    points = np.array(PAIR_SCORES)

    def condition(elo: float) -> Callable[[Chances], float]:
        def gap(chances: Chances) -> float:
            mean = chances @ points
            return float(
                (mean - 0.5)
                - elo
                * math.sqrt(2)
                / NORMALIZED_ELO_UNIT
                * math.sqrt(max(chances @ (points - mean) ** 2, 1e-12))
            )

        return gap

    expected = _best(counts, condition(60)) - _best(counts, condition(-20))
    ratio = float(log_likelihood_ratio(counts, SprtSettings(-20, 60, model=Model.NORMALIZED)))
    if math.isfinite(expected):
        assert ratio == pytest.approx(expected, abs=2e-3 * (1 + abs(expected)))


@pytest.mark.parametrize("model", list(Model))
@pytest.mark.parametrize(
    "counts",
    [[0, 0, 10, 0, 0], [0, 0, 0, 0, 10], [10, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 7, 0, 0, 0], [0, 0, 0, 0, 0]],
)
def test_degenerate_counts_give_a_finite_ratio_and_words(counts: list[int], model: Model) -> None:
    state = judge(counts, SprtSettings(0, 5, model=model))
    assert math.isfinite(state.llr)
    assert state.decision is Decision.CONTINUE
    assert "nan" not in state.words
    assert "no decision before" in state.words


def test_ratio_of_samples_without_scatter_has_the_closed_form() -> None:
    logistic = SprtSettings(0, 10)
    assert float(log_likelihood_ratio([0, 0, 0, 0, 9], logistic)) == pytest.approx(
        9 * math.log(share_of_elo(10) / 0.5)
    )
    assert float(log_likelihood_ratio([0, 0, 9, 0, 0], logistic)) == pytest.approx(
        9 * math.log(2 * (1 - share_of_elo(10)))
    )
    normalized = SprtSettings(0, 10, model=Model.NORMALIZED)
    ratio = 10 * math.sqrt(2) / NORMALIZED_ELO_UNIT
    assert float(log_likelihood_ratio([0, 0, 9, 0, 0], normalized)) == pytest.approx(
        -9 * math.log(1 + ratio**2)
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=5, max_size=5), st.sampled_from(list(Model)))
def test_swapping_the_players_turns_the_sign(counts: list[int], model: Model) -> None:
    forward = float(log_likelihood_ratio(counts, SprtSettings(-5, 20, model=model)))
    backward = float(log_likelihood_ratio(counts[::-1], SprtSettings(-20, 5, model=model)))
    assert forward == pytest.approx(-backward, abs=1e-6 * (1 + abs(forward)))


def test_many_tables_at_once_equal_one_by_one() -> None:
    tables = np.random.default_rng(3).multinomial(40, [0.1, 0.2, 0.4, 0.2, 0.1], size=(4, 3))
    for model in Model:
        settings_ = SprtSettings(0, 30, model=model)
        together = log_likelihood_ratio(tables, settings_)
        for index in np.ndindex(4, 3):
            assert together[index] == pytest.approx(
                float(log_likelihood_ratio(tables[index], settings_)), abs=1e-7
            )


def test_ten_wins_are_not_enough_and_words_say_what_stands_at_the_end() -> None:
    test = Sprt(SprtSettings(0, 100, min_pairs=12))
    for _ in range(11):
        assert test.add(1.0).decision is Decision.CONTINUE
    state = test.state
    while state.decision is Decision.CONTINUE:
        state = test.add(1.0)
    assert state.decision is Decision.H1
    assert state.words == "H1 stands after 12 pairs: a lead of 100 Elo, not 0 (logistic)"
    assert test.add(0.0) == state


def test_infinite_bounds_never_decide_and_say_so() -> None:
    settings_ = SprtSettings(0, 100, alpha=0.0)
    assert settings_.upper == math.inf
    state = judge([0, 0, 0, 0, 500], settings_)
    assert state.decision is Decision.CONTINUE
    assert "H1 is never taken" in state.words
    assert judge([500, 0, 0, 0, 0], settings_).decision is Decision.H0


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"elo0": 5, "elo1": 0}, "elo0"),
        ({"elo0": 0, "elo1": 0}, "elo0"),
        ({"elo0": 0, "elo1": math.nan}, "elo1"),
        ({"elo0": 0, "elo1": math.inf}, "elo1"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5}, "alpha"),
        ({"elo0": 0, "elo1": 5, "beta": -0.1}, "beta"),
        ({"elo0": 0, "elo1": 5, "min_pairs": 0}, "min_pairs"),
    ],
)
def test_impossible_settings_are_refused_by_name(fields: dict[str, float], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SprtSettings(**fields)  # type: ignore[arg-type]


def test_wrong_counts_and_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="outcomes"):
        log_likelihood_ratio([1, 2, 3], SprtSettings(0, 5))
    with pytest.raises(ValueError, match="negative"):
        log_likelihood_ratio([1, 2, -3, 0, 0], SprtSettings(0, 5))
    with pytest.raises(ValueError, match="share"):
        Sprt(SprtSettings(0, 5)).add(0.3)


def law(elo: float, model: Model, shape: list[int]) -> Chances:
    """Return a law of pair scores with exactly that strength: the shape, tilted exponentially."""
    points = np.array(PAIR_SCORES)

    def tilted(amount: float) -> Chances:
        weights = np.array(shape) * np.exp(amount * points)
        return np.asarray(weights / weights.sum())

    def gap(amount: float) -> float:
        chances = tilted(amount)
        mean = float(chances @ points)
        if model is Model.LOGISTIC:
            return mean - share_of_elo(elo)
        deviation = math.sqrt(float(chances @ (points - mean) ** 2))
        return (mean - 0.5) / (deviation * math.sqrt(2)) * NORMALIZED_ELO_UNIT - elo

    return tilted(float(optimize.brentq(gap, -20, 20)))


def share_taking_h1(settings_: SprtSettings, chances: Chances, trials: int, seed: int) -> float:
    """Run many tests at once, each to its end."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((trials, 5))
    edges = np.cumsum(chances)[:-1]
    taken, pairs = 0, 0
    while len(counts):
        pairs += 1
        counts[np.arange(len(counts)), np.searchsorted(edges, rng.random(len(counts)))] += 1
        if pairs < settings_.min_pairs:
            continue
        ratio = log_likelihood_ratio(counts, settings_)
        taken += int(np.count_nonzero(ratio >= settings_.upper))
        counts = counts[(ratio > settings_.lower) & (ratio < settings_.upper)]
    return taken / trials


SHAPES = {"drawless": [1, 0, 2, 0, 1], "some draws": [1, 4, 10, 4, 1], "many draws": [1, 10, 80, 10, 1]}


def check_error_rates(
    model: Model, shape: list[int], elo1: float, trials: int, alpha: float, beta: float
) -> None:
    settings_ = SprtSettings(0, elo1, alpha=alpha, beta=beta, model=model)
    wrong1 = share_taking_h1(settings_, law(0, model, shape), trials, 11)
    wrong0 = 1 - share_taking_h1(settings_, law(elo1, model, shape), trials, 12)
    print(f"{model} {shape} 0..{elo1}: alpha {wrong1:.4f} (<= {alpha}), beta {wrong0:.4f} (<= {beta})")
    assert wrong1 <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / trials)
    assert wrong0 <= beta + 3 * math.sqrt(beta * (1 - beta) / trials)


@pytest.mark.parametrize(
    ("model", "shape", "elo1"),
    [
        (Model.LOGISTIC, "drawless", 60),
        (Model.LOGISTIC, "some draws", 60),
        (Model.NORMALIZED, "drawless", 100),
    ],
)
def test_error_rates_stay_within_alpha_and_beta_in_ten_thousand_trials(
    model: Model, shape: str, elo1: float
) -> None:
    check_error_rates(model, SHAPES[shape], elo1, 10_000, 0.05, 0.05)


@pytest.mark.soak
@pytest.mark.parametrize("model", list(Model))
@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize(("elo1", "alpha", "beta"), [(30, 0.05, 0.05), (60, 0.05, 0.1), (100, 0.01, 0.05)])
def test_error_rates_stay_within_alpha_and_beta_over_many_laws(
    model: Model, shape: str, elo1: float, alpha: float, beta: float
) -> None:
    check_error_rates(model, SHAPES[shape], elo1, 10_000, alpha, beta)
