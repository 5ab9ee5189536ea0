"""Pletore beyond the vectors: the words of refusals, the mirror rule's edges, results, set-up positions."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import BLACK, IllegalMoveError, QuestionError
from arena.rules.pletore import KOMI_BOUND, Pletore, PletorePosition
from tests.rules.vectors import legal_words, play


def after(rules: Pletore, words: str) -> PletorePosition:
    position = rules.initial()
    for word in words.split():
        play(position, word)
    return position


def set_up(rows: str, **more: Any) -> PletorePosition:
    lines = rows.split()
    return Pletore(len(lines), 0).from_setup({"n": len(lines), "rows": lines, **more})


@pytest.mark.parametrize(
    ("position", "word", "reason"),
    [
        (set_up("B.. ... ..B", turn="W"), "A1", "A1 is controlled by Black"),
        (set_up("B.. ... ..B", turn="B"), "A3", "A3 already holds a stone of Black"),
        (
            set_up("... .W. ...", turn="B"),
            "B2",
            "B2 holds a stone of White, and Black does not control the point",
        ),
        (
            set_up("... .W. ...", turn="B"),
            "pass",
            "no pass while an empty point is controlled by nobody (A1)",
        ),
        (set_up("... .W. ...", turn="B"), "button", "the button is not in use on 3x3 with komi 0"),
        (set_up("... .W. ...", turn="B", komi=1), "pass", "no pass while the button is free"),
        (
            set_up("... .W. ...", turn="B", komi=1, button="W"),
            "button",
            "the button is already taken by White",
        ),
        (
            after(Pletore(4, 1), "A1"),
            "D4",
            "D4 mirrors Black's first stone, which White's first turn may not",
        ),
        (after(Pletore(1, 0), "A1 pass pass"), "pass", "the game is over"),
    ],
)
def test_a_refusal_says_why(position: PletorePosition, word: str, reason: str) -> None:
    move = position.rules.parse_move(word)
    assert position.refusal(move) == reason
    with pytest.raises(IllegalMoveError) as caught:
        position.play(move)
    assert str(caught.value) == reason


@pytest.mark.parametrize("move", [-1, 83, 10**100, 1.5, "A1", None, (1, 2)])
def test_a_value_that_is_no_move_is_refused_too(move: Any) -> None:
    position = Pletore(9, 4).initial()
    assert position.refusal(move)
    with pytest.raises(IllegalMoveError):
        position.play(move)


@pytest.mark.parametrize(
    ("size", "words", "image", "binds"),
    [
        (4, "B1", "C4", True),
        (2, "A1", "B2", True),
        (5, "B1", "D5", False),
        (4, "B1 A3", "C4", False),
        (4, "B1 A3 A2", "C4", False),
    ],
)
def test_the_mirror_rule_binds_the_first_turn_of_white_alone(
    size: int, words: str, image: str, binds: bool
) -> None:
    assert (image not in legal_words(after(Pletore(size, size + 1), words))) is binds


def test_the_mirror_rule_is_over_when_white_took_the_button() -> None:
    assert "D4" in legal_words(after(Pletore(4, 0), "A1 button B1"))


@pytest.mark.parametrize(("white_turns", "mirrored"), [(0, False), (1, True)])
def test_a_set_up_position_says_whether_white_has_had_a_turn(white_turns: int, mirrored: bool) -> None:
    position = set_up(".... .... .... B...", turn="W", white_turns=white_turns)
    assert ("D4" in legal_words(position)) is mirrored


def test_positions_that_differ_in_the_mirror_rule_alone_have_different_keys() -> None:
    rows = ".... .... .... B..."
    assert set_up(rows, turn="W", white_turns=0).key() != set_up(rows, turn="W", white_turns=1).key()
    assert set_up(rows, turn="B", white_turns=0).key() == set_up(rows, turn="B", white_turns=1).key()


@pytest.mark.parametrize(
    ("komi", "words", "result", "margins"),
    [
        (0, "A1 pass pass", "B+1", (1, 1)),
        (8, "A1 pass pass", "W+7", (1, -7)),
        (-2, "A1 pass pass", "B+3", (1, 3)),
        (1, "button A1 pass pass", "W+1.5", (-1, -1.5)),
        (1, "A1 button pass pass", "W+0.5", (1, -0.5)),
        (KOMI_BOUND, "A1 pass pass", "W+999999999", (1, 1 - KOMI_BOUND)),
        (1 - KOMI_BOUND, "button A1 pass pass", "B+999999998.5", (-1, KOMI_BOUND - 1.5)),
    ],
)
def test_a_result_counts_komi_and_half_a_point_for_the_button(
    komi: int, words: str, result: str, margins: tuple[float, float]
) -> None:
    outcome = after(Pletore(1, komi), words).outcome()
    assert outcome.result == result
    assert (outcome.board_margin, outcome.final_margin) == margins


def test_others_can_read_stones_control_scores_and_button() -> None:
    position = set_up("B.. ... ..B", turn="W", komi=1)
    assert position.board == bytes((0, 0, 1, 0, 0, 0, 1, 0, 0))
    assert position.controllers() == bytes((1, 0, 0, 0, 0, 0, 0, 0, 1))
    assert position.scores() == (4, 0)
    play(position, "button")
    assert position.button_state == "white"
    assert Pletore(3, 1).initial().button_state == "free"
    assert Pletore(3, 0).initial().button_state == "unused"


def test_a_stone_on_a_point_plays_no_part_in_who_controls_it() -> None:
    position = set_up("..B.. ..... B.W.. ..... .....", turn="B")
    assert position.controllers()[12] == BLACK + 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"n": True}, "setup n"),
        ({"n": "3"}, "setup n"),
        ({"n": 26}, "setup n"),
        ({"n": 1e99}, "setup n"),
        ({"n": 4}, "rows"),
        ({"rows": "B..\n...\n..B"}, "rows"),
        ({"rows": ["B..", "...", "..X"]}, "row 1"),
        ({"rows": ["B..", "...", "..b"]}, "row 1"),
        ({"rows": ["B..", "....", "..B"]}, "row 2"),
        ({"rows": [["B", ".", "."], "...", "..B"]}, "row 3"),
        ({"turn": "black"}, "turn"),
        ({"turn": 1}, "turn"),
        ({"turn": None}, "turn"),
        ({"komi": 0.5}, "komi"),
        ({"komi": 10**400}, "komi"),
        ({"button": "B"}, "button"),
        ({"komi": 1, "button": "unused"}, "button"),
        ({"komi": 1, "button": []}, "button"),
        ({"passes": 2}, "passes"),
        ({"passes": False}, "passes"),
        ({"white_turns": -1}, "white_turns"),
        ({"size": 3}, "'size'"),
        ({"pases": 1}, "did you mean 'passes'"),
        ({"rows": ["W..", "...", "..B"], "white_turns": 0}, "white_turns"),
    ],
)
def test_a_wrong_set_up_is_refused_naming_the_field(change: dict[str, Any], named: str) -> None:
    setup = {"n": 3, "rows": ["B..", "...", "..B"], "turn": "W", "komi": 0, **change}
    with pytest.raises(QuestionError, match=named):
        Pletore(9, 0).from_setup(setup)


@pytest.mark.parametrize("key", ["n", "rows"])
def test_a_set_up_without_a_board_is_refused(key: str) -> None:
    setup: dict[str, Any] = {"n": 1, "rows": ["."]}
    del setup[key]
    with pytest.raises(QuestionError, match=f"no {key}"):
        Pletore(9, 0).from_setup(setup)


@pytest.mark.parametrize(("size", "longest_known"), [(2, 10), (3, 24), (4, 49)])
def test_the_bound_on_the_length_holds_the_longest_games_known(size: int, longest_known: int) -> None:
    assert Pletore(size, size).longest_game() >= longest_known
