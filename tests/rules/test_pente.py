"""Pente beyond the vectors: the words of refusals, captures, results, set-up positions."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import BLACK, IllegalMoveError, QuestionError, RulesError
from arena.rules.pente import Pente, PentePosition
from tests.rules.vectors import legal_words, play


def set_up(*rows: str, turn: str = "B", pairs: tuple[int, int] = (0, 0)) -> PentePosition:
    setup = {"n": len(rows), "rows": list(rows), "turn": turn, "pairs": {"B": pairs[0], "W": pairs[1]}}
    return Pente(19).from_setup(setup)


EIGHT_WAYS = (
    ".........",
    ".B..B..B.",
    "..W.W.W..",
    "...WWW...",
    ".BWW.WWB.",
    "...WWW...",
    "..W.W.W..",
    ".B..B..B.",
    ".........",
)


def test_a_refusal_says_why() -> None:
    position = Pente(19).initial()
    parse = position.rules.parse_move
    assert position.refusal(parse("a1")) == "Black's first stone goes on the centre, K10, not on A1"
    play(position, "K10")
    assert position.refusal(parse("K10")) == "K10 already holds a stone of Black"
    over = set_up(".....", "BBBB.", ".....", ".....", ".....")
    play(over, "E4")
    assert over.refusal(parse("A1")) == "the game is over"


@pytest.mark.parametrize("move", [-1, 361, 10**100, 0.5, "A1", None])
def test_a_value_that_is_no_move_is_refused_too(move: Any) -> None:
    position = Pente(19).initial()
    assert position.refusal(move)
    with pytest.raises(IllegalMoveError):
        position.play(move)


def test_all_captured_stones_of_a_move_are_named_in_order() -> None:
    position = set_up(*EIGHT_WAYS)
    play(position, "E5")
    captured = " ".join(position.rules.format_move(point) for point in position.captured)
    assert captured == "C3 E3 G3 D4 E4 F4 C5 D5 F5 G5 D6 E6 F6 C7 E7 G7"
    assert position.pairs_captured == (8, 0)
    assert position.announcement is None


def test_points_of_captured_stones_are_free_again() -> None:
    position = set_up(".....", "BWW..", ".....", ".....", ".....")
    play(position, "D4")
    assert {"B4", "C4"} <= set(legal_words(position))
    play(position, "A1")
    assert position.captured == ()


@pytest.mark.parametrize(
    ("turn", "pairs", "result", "reasons", "margin"),
    [
        ("B", (0, 0), "B+five", ("five",), 1),
        ("B", (4, 2), "B+five", ("five", "pairs"), 3),
    ],
)
def test_a_win_names_its_reasons_and_its_margin_counts_pairs(
    turn: str, pairs: tuple[int, int], result: str, reasons: tuple[str, ...], margin: int
) -> None:
    position = set_up(
        "....B....",
        "....W....",
        "....W....",
        "BBBB.....",
        *["........."] * 5,
        turn=turn,
        pairs=pairs,
    )
    play(position, "E6")
    outcome = position.outcome()
    assert (outcome.winner, outcome.result, outcome.reasons) == (BLACK, result, reasons)
    assert outcome.board_margin == outcome.final_margin == margin


def test_a_win_by_pairs_says_so() -> None:
    position = set_up(*EIGHT_WAYS)
    play(position, "E5")
    assert position.outcome().result == "B+pairs"


def test_a_full_board_is_a_draw() -> None:
    position = set_up("BBWWB", "WWBBW", "BBWWB", "WWBBW", "BBWW.", turn="W", pairs=(1, 3))
    play(position, "E1")
    outcome = position.outcome()
    assert (outcome.winner, outcome.result, outcome.reasons) == (None, "0", ("full-board",))
    assert outcome.final_margin == -2


def test_a_capture_that_opens_a_full_board_lets_the_game_go_on() -> None:
    position = set_up("BBWWB", "WWBBW", "BBWWB", "WWBBW", ".BBWW", turn="W")
    play(position, "A1")
    assert position.captured != ()
    assert not position.is_over


def test_runs_are_those_of_a_stone() -> None:
    position = set_up(".....", "BBBB.", "B....", ".....", ".....")
    assert position.runs_through(position.rules.parse_move("A4")) == (4, 2, 1, 1)
    for point in (24, -1, 25, "A4"):
        with pytest.raises(RulesError):
            position.runs_through(point)


@pytest.mark.parametrize("size", [1, 3, 4, 6, 26, 27])
def test_only_odd_boards_from_5_to_25_exist(size: int) -> None:
    with pytest.raises(QuestionError):
        Pente.from_settings(size=size)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"n": 4}, "setup n"),
        ({"n": 6}, "odd"),
        ({"n": True}, "setup n"),
        ({"n": 7}, "rows"),
        ({"rows": ["BBBBB"] * 5}, "full"),
        ({"rows": ["....."] * 5}, "empty board"),
        ({"rows": ["....."] * 4 + ["....x"]}, "row 1"),
        ({"turn": "R"}, "turn"),
        ({"pairs": {"B": 5}}, "pairs B"),
        ({"pairs": {"B": True}}, "pairs B"),
        ({"pairs": {"X": 1}}, "pairs"),
        ({"pairs": [0, 0]}, "pairs"),
        ({"komi": 0}, "'komi'"),
    ],
)
def test_a_wrong_set_up_is_refused_naming_the_field(change: dict[str, Any], named: str) -> None:
    setup = {"n": 5, "rows": ["B...."] * 5, "turn": "W", **change}
    with pytest.raises(QuestionError, match=named):
        Pente(19).from_setup(setup)
