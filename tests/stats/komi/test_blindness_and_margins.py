"""Komi-blindness is shown, not assumed; then margins speak for every komi of their parity."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest

from arena.stats.komi.blindness import Blindness, judge_blindness
from arena.stats.komi.games import Ending, KomiGame
from arena.stats.komi.margins import fair_by_margins


def play(
    komi: int, margin: int, opening: str, button: bool = False, taker_black: bool = True, moves: str = ""
) -> KomiGame:
    taker: Literal["black", "white"] | None = ("black" if taker_black else "white") if button else None
    black_won = margin > komi or (margin == komi and taker == "black")
    return KomiGame(
        komi,
        opening,
        "e",
        "e",
        moves or f"{komi} {opening} {margin}",
        Ending.BOARD,
        margin,
        taker,
        black_won,
        90,
    )


def margins_of(rng: np.random.Generator, location: float, spread: float, games: int) -> list[int]:
    """Odd margins, as on a board of odd size."""
    return [2 * round((location + spread * value - 1) / 2) + 1 for value in rng.logistic(size=games)]


def fresh(
    rng: np.random.Generator, games: int, shift: float, komis: range = range(-4, 5, 2)
) -> list[KomiGame]:
    """Fresh openings everywhere; engines shift their margin by `shift` points for each point of komi."""
    return [
        play(komi, margin, f"{komi}/{number}")
        for komi in komis
        for number, margin in enumerate(margins_of(rng, shift * komi, 4.0, games))
    ]


def test_blind_engines_are_found_blind_with_enough_games() -> None:
    found = judge_blindness(fresh(np.random.default_rng(1), 1_500, 0.0), 0.08)
    assert found.verdict is Blindness.BLIND
    assert found.limit is not None
    assert found.limit < 0.08
    assert "8 points in a hundred" in found.words


def test_few_games_show_nothing_though_nothing_is_significant() -> None:
    found = judge_blindness(fresh(np.random.default_rng(2), 30, 0.0))
    assert found.verdict is Blindness.NOT_SHOWN
    assert "may heed komi" in found.words


def test_engines_that_heed_komi_are_found_out() -> None:
    found = judge_blindness(fresh(np.random.default_rng(3), 400, 0.9))
    assert found.verdict is Blindness.HEEDS_KOMI


def test_a_deterministic_blind_engine_is_known_by_its_equal_games() -> None:
    rng = np.random.default_rng(4)
    plays = margins_of(rng, 2.0, 4.0, 100)
    games = [
        play(komi, margin, f"o{number}", moves=f"{number}")
        for komi in range(-6, 7, 2)
        for number, margin in enumerate(plays)
    ]
    found = judge_blindness(games)
    assert found.verdict is Blindness.BLIND
    assert found.difference == 0
    assert found.limit == pytest.approx(1 - 0.05 ** (1 / 100))


def test_without_scatter_ten_openings_are_not_proof() -> None:
    games = [play(komi, 5, f"o{number}") for komi in (0, 2) for number in range(12)]
    assert judge_blindness(games).verdict is Blindness.NOT_SHOWN
    assert "too few" in judge_blindness(games[:3] + games[12:15]).words


def test_one_komi_and_mixed_parities_are_handled() -> None:
    assert "one komi only" in judge_blindness([play(2, 3, "a")]).words
    with pytest.raises(ValueError, match="different games"):
        judge_blindness([play(2, 3, "a"), play(3, 5, "b")])
    with pytest.raises(ValueError, match="bound"):
        judge_blindness([play(2, 3, "a")], 0.7)


def test_engines_at_the_bound_are_rarely_called_blind() -> None:
    """Shares that differ by exactly the bound must pass in at most one experiment of twenty."""
    rng = np.random.default_rng(123)
    passed = []
    for _ in range(250):
        games = []
        for komi, chance in ((0, 0.55), (2, 0.45)):
            wins = rng.random(600) < chance
            games += [play(komi, 11 if won else -11, f"{komi}/{number}") for number, won in enumerate(wins)]
        passed.append(judge_blindness(games, 0.10).verdict is Blindness.BLIND)
    assert np.mean(passed) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 250)


@pytest.mark.parametrize("games", [40, 150])
def test_blind_engines_are_rarely_said_to_heed_komi(games: int) -> None:
    rng = np.random.default_rng(6)
    accused = [
        judge_blindness(fresh(rng, games, 0.0, range(-12, 13, 2))).verdict is Blindness.HEEDS_KOMI
        for _ in range(100)
    ]
    assert np.mean(accused) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)


def test_margins_are_not_used_unless_engines_are_blind() -> None:
    games = fresh(np.random.default_rng(7), 20, 0.0)
    found = fair_by_margins(games, 0, judge_blindness(games))
    assert found.location.value is None
    assert found.shares == ()
    assert found.words.startswith("no estimate from margins")
    assert found.share(0) is None


def blind_games(rng: np.random.Generator, location: float, plays: int, button: bool) -> list[KomiGame]:
    komis = (1, 3) if button else (0, 2)
    return [
        play(komi, margin, f"o{number}", button, taker_black=number % 2 == 0, moves=f"{number}")
        for number, margin in enumerate(margins_of(rng, location, 4.0, plays))
        for komi in komis
    ]


def test_equal_plays_at_several_komi_are_used_once() -> None:
    games = blind_games(np.random.default_rng(8), 3.0, 100, button=False)
    assert fair_by_margins(games, 0, judge_blindness(games)).plays == 100


def test_shares_are_those_of_the_margins_and_the_button() -> None:
    games = blind_games(np.random.default_rng(9), 3.0, 200, button=True)
    found = fair_by_margins(games, 1, judge_blindness(games))
    plays = {game.moves: game for game in games}.values()
    expected = np.mean(
        [
            (game.board_margin or 0) > 5 or (game.board_margin == 5 and game.button == "black")
            for game in plays
        ]
    )
    share = found.share(5)
    assert share is not None
    assert share.value == pytest.approx(float(expected))
    assert found.share(4) is None
    far = found.share(501)
    assert far is not None
    assert far.value == 0.0


@pytest.mark.parametrize("button", [False, True])
def test_fair_komi_by_margins_covers_the_truth(button: bool) -> None:
    rng = np.random.default_rng(10)
    # The truth, from the law of the margins itself: where the share of wins passes one half.
    margins = np.array(margins_of(np.random.default_rng(11), 2.4, 4.0, 1_000_000))
    komis = np.arange(-9, 16, 2) if button else np.arange(-8, 15, 2)
    shares = [
        float(np.mean(margins > komi) + (0.5 * np.mean(margins == komi) if button else 0)) for komi in komis
    ]
    truth = float(np.interp(-0.5, -np.array(shares), komis))
    held = []
    for _ in range(80):
        games = blind_games(rng, 2.4, 80, button)
        interval = fair_by_margins(games, int(button), judge_blindness(games)).location.interval
        assert interval is not None
        held.append(truth in interval)
    assert np.mean(held) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 80)


def test_few_one_sided_margins_leave_the_interval_open() -> None:
    games = [play(komi, 5, f"o{number}", moves=f"{number}") for komi in (0, 2) for number in range(3)]
    found = fair_by_margins(games, 0, judge_blindness(games))
    assert found.location.value is None
