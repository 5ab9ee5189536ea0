"""Laboratory games: what is an observation, and what the table says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from scipy import stats

from arena.stats.komi.games import Ending, KomiGame, distinct_plays, has_button, sort_out
from arena.stats.komi.openings import mean, share
from arena.stats.komi.pie import Offer, judge_pie
from arena.stats.komi.table import komi_table


def game(
    komi: int,
    margin: int,
    opening: str = "o",
    moves: str = "",
    button: Literal["black", "white"] | None = None,
) -> KomiGame:
    black_won = margin > komi or (margin == komi and button == "black")
    return KomiGame(
        komi,
        opening,
        "e",
        "e",
        moves or f"{komi}/{margin}/{opening}",
        Ending.BOARD,
        margin,
        button,
        black_won,
        80,
    )


def test_button_is_in_use_when_komi_and_size_have_one_parity() -> None:
    assert has_button(3, 9)
    assert has_button(-1, 9)
    assert not has_button(4, 9)
    assert has_button(0, 2)


def test_identical_games_are_one_observation_and_counted() -> None:
    sample = sort_out([game(2, 3, moves="A1 B2"), game(2, 3, moves="A1 B2"), game(4, 3, moves="A1 B2")])
    assert len(sample.games) == 2
    assert sample.repeats == {2: 1}
    assert "1 of 3 games repeated another" in sample.notes[0]
    assert len(distinct_plays(sample.games)) == 1


def test_resigned_and_faulty_games_are_shown_apart() -> None:
    resigned = KomiGame(2, "a", "e", "e", "x", Ending.RESIGNED, None, None, True, 10)
    fault = replace(resigned, ending=Ending.FAULT, black_won=None)
    sample = sort_out([resigned, fault, game(2, 5)])
    row = komi_table(sample, 9)[0]
    assert (row.games, row.resigned, row.faults) == (1, 1, 1)
    assert len(sample.notes) == 2


def test_a_winner_that_does_not_follow_from_the_margin_is_refused() -> None:
    with pytest.raises(ValueError, match="do not give the winner"):
        KomiGame(3, "a", "e", "e", "x", Ending.BOARD, 3, "white", True, 10)
    with pytest.raises(ValueError, match="without a margin"):
        KomiGame(3, "a", "e", "e", "x", Ending.BOARD, None, "white", True, 10)


def test_button_decides_the_tie() -> None:
    assert game(3, 3, button="black").black_won
    assert not game(3, 3, button="white").black_won
    assert game(3, 3, button="black").black_would_win(1)
    assert not game(3, 3, button="black").black_would_win(5)


def test_table_holds_shares_margins_and_button_use() -> None:
    takers: tuple[Literal["black", "white"], ...] = ("black", "white")
    games = [
        game(3, margin, f"o{index}", button=takers[index % 2]) for index, margin in enumerate((1, 3, 3, 7))
    ]
    row = komi_table(sort_out(games), 9)[0]
    assert row.button
    assert row.games == 4
    assert row.black_wins == 2
    assert (row.button_black, row.button_white, row.button_untaken) == (2, 2, 0)
    assert row.margin.value == pytest.approx(3.5)
    assert row.margin_median == 3
    low, high = stats.t.interval(0.95, 3, loc=3.5, scale=stats.sem([1, 3, 3, 7]))
    assert row.margin.interval is not None
    assert row.margin.interval.low == pytest.approx(low)
    assert row.margin.interval.high == pytest.approx(high)


def test_games_on_one_opening_count_as_one_unit() -> None:
    alone = share([1.0, 0.0, 1.0, 1.0], ["a", "b", "c", "d"])
    together = share([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], ["a", "a", "b", "b", "c", "c", "d", "d"])
    assert alone.value == together.value
    assert alone.interval is not None
    assert together.interval is not None
    assert together.interval.width >= 0.9 * alone.interval.width


def test_what_has_no_interval_says_why() -> None:
    assert share([], []).note == "no games"
    assert share([1.0, 0.0], ["a", "a"]).note == "one opening: no interval can be given"
    assert mean([3.0], ["a"]).note == "one opening: no interval can be given"
    assert "no scatter" in mean([3.0, 3.0], ["a", "b"]).note


def offers(*settled: tuple[str, int, bool, bool | None]) -> list[Offer]:
    return [
        Offer(komi, took_black, black_won, proposer, f"opening {number}")
        for number, (proposer, komi, took_black, black_won) in enumerate(settled)
    ]


def test_pie_offers_are_told_by_komi_and_side() -> None:
    told = judge_pie(
        offers(("", 3, True, True), ("", 3, False, True), ("", 5, False, False), ("", 3, True, None))
    )
    assert [(row.komi, row.offers) for row in told.rows] == [(3, 3), (5, 1)]
    assert told.rows[0].share == 0.75
    assert told.rows[0].took_black.value == pytest.approx(2 / 3)
    assert told.rows[0].chooser_won.value == 0.5
    assert told.rows[1].chooser_won.value == 1.0
    assert told.words[0] == "offers: 4, from komi 3 to 5, median 3"


def test_each_proposer_of_several_has_offers_of_its_own() -> None:
    told = judge_pie(offers(("b", 3, True, True), ("a", 5, True, True), ("a", 5, False, True)))
    assert [(row.proposer, row.komi, row.offers, row.share) for row in told.rows] == [
        ("a", 5, 2, 1.0),
        ("b", 3, 1, 1.0),
    ]
    assert told.words[:2] == ("offers by a: 2, all of them komi 5", "offers by b: 1, komi 3")


def test_what_offers_do_not_say_is_said_in_words() -> None:
    assert judge_pie([]).words == ("no komi was settled: nothing can be said",)
    undecided = judge_pie(offers(("", 3, True, None)))
    assert undecided.chooser_won.value is None
    assert any("cannot be told" in words for words in undecided.words)
    one_opening = judge_pie([Offer(3, True, won, "", "the same") for won in (True, False)])
    assert any("no interval can be given: one opening" in words for words in one_opening.words)


def test_offers_that_choosers_always_win_are_called_uneven() -> None:
    told = judge_pie(offers(*[("", 9, False, False)] * 20))
    assert any("better to choose" in words for words in told.words)
