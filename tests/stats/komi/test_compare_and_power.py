"""Paired comparisons with Holm's correction, and how many games a question needs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from arena.stats.komi.compare import compare_komis, holm, sign_flip_p
from arena.stats.komi.games import Ending, KomiGame
from arena.stats.komi.power import games_against_fixed, games_between


def game(komi: int, opening: str, black_won: bool, black: str = "e", white: str = "e") -> KomiGame:
    margin = 51 if black_won else -51
    return KomiGame(
        komi,
        opening,
        black,
        white,
        f"{komi}{opening}{black}{white}",
        Ending.BOARD,
        margin,
        None,
        black_won,
        50,
    )


@pytest.mark.parametrize(("better", "worse"), [(7, 2), (1, 1), (0, 6), (30, 12)])
def test_single_games_give_the_exact_mcnemar_test(better: int, worse: int) -> None:
    expected = mcnemar([[5, better], [worse, 8]], exact=True).pvalue
    assert sign_flip_p([1] * better + [-1] * worse + [0] * 13) == pytest.approx(expected)


def test_sign_flips_are_exact_for_openings_with_several_games() -> None:
    differences = [2, -1, 3, 1]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    sums = np.abs(np.abs(differences) @ signs)
    assert sign_flip_p(differences) == pytest.approx(float(np.mean(sums >= 5)))
    assert sign_flip_p([0, 0]) == 1.0
    assert sign_flip_p([]) == 1.0


def test_holm_equals_statsmodels() -> None:
    values = [0.01, 0.04, 0.03, 0.2, 0.9, 0.011]
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))
    assert holm([]) == []


def test_shared_openings_are_compared_in_pairs() -> None:
    games = []
    for number in range(20):
        games += [
            game(0, f"o{number}", True),
            game(2, f"o{number}", number >= 12),
            game(4, f"x{number}", False),
        ]
    found = compare_komis(games, adaptive=False)
    first, second, third = found.comparisons
    assert (first.first, first.second, first.openings) == (0, 2, 20)
    assert first.difference == pytest.approx(0.6)
    assert first.p == pytest.approx(2 * 0.5**12)
    assert first.adjusted_p == first.p
    assert (second.openings, second.p) == (0, None)
    assert third.adjusted_p is None


def test_engines_are_matched_with_themselves() -> None:
    games = [game(0, "o", True, "a", "b"), game(2, "o", False, "b", "a")]
    assert compare_komis(games, adaptive=False).comparisons[0].openings == 0
    assert "by eye" in compare_komis(games, adaptive=False).words


def test_no_comparison_is_made_after_an_adaptive_design() -> None:
    found = compare_komis([game(0, "o", True), game(2, "o", False)], adaptive=True)
    assert found.comparisons == ()
    assert "fixed design" in found.words


def test_one_komi_has_nothing_to_be_compared_with() -> None:
    assert "nothing to compare" in compare_komis([game(0, "o", True)], adaptive=False).words


def test_family_of_true_hypotheses_is_rarely_rejected() -> None:
    rng = np.random.default_rng(1)
    rejected = []
    for _ in range(300):
        luck = rng.random(30)
        games = [
            game(komi, f"o{number}", bool(rng.random() < luck[number]))
            for komi in (0, 2, 4, 6)
            for number in range(30)
        ]
        found = compare_komis(games, adaptive=False).comparisons
        rejected.append(min(item.adjusted_p or 1.0 for item in found) < 0.05)
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_48_percent_needs_4900_games_against_fifty_and_9800_each_against_another_komi() -> None:
    assert games_against_fixed(0.48) == 4_904
    assert games_between(0.48, 0.5) == pytest.approx(9_800, abs=20)


def test_games_agree_with_statsmodels() -> None:
    # Its arcsine approximation differs a little.
    effect = proportion_effectsize(0.48, 0.5)
    each = NormalIndPower().solve_power(effect, power=0.8, alpha=0.05)
    assert games_between(0.48, 0.5) == pytest.approx(each, rel=0.002)
    alone = NormalIndPower(ddof=0).solve_power(effect, power=0.8, alpha=0.05, ratio=0)
    assert games_against_fixed(0.48) == pytest.approx(alone, rel=0.002)


def test_the_number_of_games_gives_the_power_it_says() -> None:
    games = games_against_fixed(0.45, power=0.9)
    wins = np.random.default_rng(2).binomial(games, 0.45, size=10_000)
    found = float(np.mean(np.abs(wins / games - 0.5) > 1.96 * math.sqrt(0.25 / games)))
    assert found == pytest.approx(0.9, abs=0.015)


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="equal"):
        games_against_fixed(0.5)
    with pytest.raises(ValueError, match="share"):
        games_between(0.5, 1.0)
    with pytest.raises(ValueError, match="power"):
        games_between(0.5, 0.4, power=1.0)
