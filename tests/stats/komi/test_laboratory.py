"""The laboratory's answer: known truth from solved boards, curves, and words for what cannot be said."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from arena.stats.komi.blindness import Blindness
from arena.stats.komi.design import AdaptiveDesign
from arena.stats.komi.games import Ending, KomiGame, has_button
from arena.stats.komi.laboratory import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable

Side = Literal["black", "white"]


def play(komi: int, number: int, margin: int, button: Side | None, moves: str = "") -> KomiGame:
    black_won = margin > komi or (margin == komi and button == "black")
    return KomiGame(
        komi,
        f"o{komi}/{number}",
        "e",
        "e",
        moves or f"{komi}/{number}",
        Ending.BOARD,
        margin,
        button,
        black_won,
        40,
    )


def solved(
    size: int, without: int, with_board: int, taker: Side, komis: Iterable[int], games: int = 3
) -> list[KomiGame]:
    """Perfect play: one margin without the button; one, and one taker, with it."""
    return [
        play(komi, number, with_board, taker) if has_button(komi, size) else play(komi, number, without, None)
        for komi in komis
        for number in range(games)
    ]


@pytest.mark.parametrize(
    ("size", "without", "with_board", "taker", "fair"),
    [
        # Solved exactly: +1, +4, +3 without the button; +0.5, +3.5, +2.5 with it (half a point to its taker).
        (1, 1, 1, "white", 0),
        (2, 4, 4, "white", 3),
        (3, 3, 3, "white", 2),
    ],
)
def test_perfect_play_gives_the_solved_bracket_and_is_called_a_step(
    size: int, without: int, with_board: int, taker: Side, fair: int
) -> None:
    found = analyse(solved(size, without, with_board, taker, range(fair - 4, fair + 6)), size).verdict
    assert found.bracket == (fair, fair + 1)
    assert found.is_step
    assert found.words.startswith(
        f"Black is favoured up to komi {fair}, White from {fair + 1}: a step, not a curve"
    )
    assert found.recommended in (fair, fair + 1)
    assert {share.komi: share.share.value for share in found.shares}[fair] == 1.0
    assert {share.komi: share.share.value for share in found.shares}[fair + 1] == 0.0


def test_one_deterministic_game_a_komi_gives_the_bracket_too() -> None:
    games = [
        play(game.komi, 0, game.board_margin or 0, game.button, moves=str(game.komi))
        for game in solved(3, 3, 3, "white", range(-2, 8), games=5)
    ]
    found = analyse(games, 3)
    assert found.verdict.bracket == (2, 3)
    assert found.verdict.is_step
    assert "40 of 50 games repeated another" in found.notes[0]
    assert any("too few" in note for note in found.notes)


def test_a_komi_not_tried_inside_the_step_is_named() -> None:
    found = analyse(solved(3, 3, 3, "white", (-2, -1, 0, 1, 4, 5)), 3).verdict
    assert found.bracket is None
    assert found.words.startswith(
        "Black is favoured up to komi 1, White from 4; komi 2 to 3 is not known: play it"
    )


def curve_games(
    komis: Iterable[int], games: int, even: float, odd: float, spread: float, seed: int, size: int = 9
) -> list[KomiGame]:
    """Engines whose margins have a logistic law, one for each parity; odd margins on an odd board."""
    rng = np.random.default_rng(seed)
    found = []
    for komi in komis:
        for number in range(games):
            centre = odd if komi % 2 else even
            margin = 2 * round((centre + spread * float(rng.logistic()) - 1) / 2) + 1
            taker: Side | None = (
                ("black" if rng.random() < 0.5 else "white") if has_button(komi, size) else None
            )
            found.append(play(komi, number, margin, taker))
    return found


def test_two_parities_give_two_curves_and_one_bracket() -> None:
    found = analyse(curve_games(range(-10, 18), 150, 4.4, 3.3, 3.0, 1), 9)
    even, odd = found.parities
    assert (even.button, odd.button) == (False, True)
    assert even.curve.location.value == pytest.approx(4.4, abs=0.7)
    assert odd.curve.location.value == pytest.approx(3.3, abs=0.7)
    verdict = found.verdict
    assert verdict.bracket is not None
    assert not verdict.is_step
    assert verdict.bracket[1] == verdict.bracket[0] + 1
    assert verdict.sure is not None
    assert verdict.sure[0] <= verdict.bracket[0] < verdict.bracket[1] <= verdict.sure[1]
    assert verdict.recommended is not None
    assert [share.komi for share in verdict.shares] == [verdict.recommended + step for step in (-1, 0, 1)]
    assert all(share.share.interval is not None for share in verdict.shares)
    assert len(found.rows) == 28


def test_parities_that_disagree_give_no_single_bracket() -> None:
    verdict = analyse(curve_games(range(-12, 20), 100, 9.0, -1.0, 2.0, 2), 9).verdict
    assert verdict.bracket is None
    assert "odd and even komi disagree" in verdict.words


def test_nothing_is_said_of_komi_outside_the_range_where_its_ends_disagree() -> None:
    games = [play(2, 0, 1, None), play(4, 0, 5, None), play(3, 0, 1, "white")]
    verdict = analyse(games, 5).verdict
    assert verdict.bracket is None
    assert "from komi 2 to 4 odd and even komi disagree" in verdict.words
    assert "favoured" not in verdict.words


def test_blind_engines_let_margins_speak() -> None:
    found = analyse(curve_games(range(2, 8), 900, 4.5, 3.5, 4.0, 3), 9, bound_share=0.08)
    for report in found.parities:
        assert report.blindness is not None
        assert report.blindness.verdict is Blindness.BLIND
        assert report.margins is not None
        assert report.margins.location.value == pytest.approx(4.5 - report.parity, abs=0.5)
    assert {share.source for share in found.verdict.shares} == {"margins"}


def test_an_adaptive_design_puts_its_posterior_in_place_and_compares_nothing() -> None:
    rng = np.random.default_rng(4)
    design = AdaptiveDesign(range(-15, 16), 3.0, 2_000)
    games: list[KomiGame] = []
    while komis := design.plan():
        batch: list[KomiGame] = []
        for komi in komis:
            margin = 2 * round((3.0 + 2.5 * float(rng.logistic()) - 1) / 2) + 1
            taker: Side | None = ("black" if rng.random() < 0.5 else "white") if komi % 2 else None
            game = play(komi, len(games) + len(batch), margin, taker)
            batch.append(game)
        games += batch
        design.record((game.komi, bool(game.black_won)) for game in batch)
    found = analyse(games, 9, design=design.state)
    assert found.comparisons.comparisons == ()
    for report, parity in zip(found.parities, design.state.parities, strict=True):
        assert report.curve.location == parity.location
        assert report.curve.location.interval is not None
        assert report.curve.location.interval.method.startswith("posterior")
    assert any(note.startswith("Adaptive design") for note in found.notes)
    assert found.verdict.bracket is not None


@pytest.mark.parametrize(
    ("komis", "centre", "words"),
    [
        ((), 0.0, "nothing can be said"),
        ((4,), 20.0, "one komi only (4): Black is ahead there"),
        (range(-30, -20), 10.0, "does not bracket an even game; the fair komi lies above"),
        (range(30, 40), 0.0, "does not bracket an even game; the fair komi lies below"),
    ],
)
def test_what_cannot_be_said_is_said_in_words(komis: Iterable[int], centre: float, words: str) -> None:
    found = analyse(curve_games(komis, 8, centre, centre, 1.0, 5), 9)
    assert words in found.verdict.words
    assert found.verdict.bracket is None
    for report in found.parities:
        assert report.curve.location.value is None
        assert "nan" not in report.curve.words


def test_one_parity_only_leaves_the_other_unsaid() -> None:
    found = analyse(curve_games(range(-10, 17, 2), 60, 4.4, 0.0, 3.0, 6), 9)
    assert found.parities[1].curve.words == "no games at odd komi: nothing can be said there"
    assert found.verdict.bracket is None
    assert "play it" in found.verdict.words


def test_order_of_games_does_not_matter() -> None:
    games = curve_games(range(-6, 13), 20, 4.0, 3.0, 3.0, 7)
    shuffled = [games[place] for place in np.random.default_rng(8).permutation(len(games))]
    first, second = analyse(games, 9), analyse(shuffled, 9)
    assert first.verdict.bracket == second.verdict.bracket
    for one, other in zip(first.parities, second.parities, strict=True):
        assert math.isclose(one.curve.location.value or 0, other.curve.location.value or 0)


def test_games_that_one_side_won_everywhere_recommend_no_komi() -> None:
    found = analyse([play(komi, 0, 9 if komi in (0, 5) else -9, None) for komi in range(6)], 9)
    assert found.verdict.recommended is None
    assert found.verdict.shares == ()
    assert any(
        "only 1 opening at some komi" in (each.blindness.words if each.blindness else "")
        for each in found.parities
    )
