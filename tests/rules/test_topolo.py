"""Topolo: rows in order of parity, hands, groups compared pair by pair, and what holds for any board."""

from __future__ import annotations

import random
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    QuestionError,
    RulesError,
)
from arena.rules.topolo import Topolo, TopoloPosition

Setup = dict[str, Any]

SMALL, FULL = Topolo.from_settings(size=4), Topolo.from_settings()
LETTERS = "ABCDEFGH"

seeds = st.integers(0, 2**32 - 1)
sizes = st.sampled_from([SMALL, FULL])


def random_words(rules: Topolo, seed: int) -> list[str]:
    """Return the moves of a whole random game."""
    chance = random.Random(seed)
    position = rules.initial()
    words = []
    while not position.is_over:
        move = chance.choice(position.legal_moves())
        words.append(rules.format_move(move))
        position.play(move)
    return words


def played(rules: Topolo, words: list[str]) -> TopoloPosition:
    position = rules.initial()
    for word in words:
        position.play(rules.parse_move(word))
    return position


def legal_words(position: TopoloPosition) -> set[str]:
    return {position.rules.format_move(move) for move in position.legal_moves()}


def mirrored(word: str, rules: Topolo, *, left_right: bool, top_bottom: bool) -> str:
    """Return a move on the board turned over about one or both of its middle lines."""
    column, row = LETTERS.index(word[0]), int(word[1])
    if left_right:
        column = rules.size - 1 - column
    if top_bottom:
        row = rules.size + 1 - row
    return f"{LETTERS[column]}{row}{word[2:]}"


# --- What holds for any game -----------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seeds, sizes)
def test_every_game_fills_the_board_with_both_hands_and_ends(seed: int, rules: Topolo) -> None:
    words = random_words(rules, seed)
    position = played(rules, words)
    assert len(words) == rules.longest_game() == position.ply
    assert position.legal_moves() == []
    assert position.hands == ([0, 0, 0, 0], [0, 0, 0, 0])
    for colour in (BLACK, WHITE):
        groups = position.groups(colour)
        assert groups == sorted(groups, reverse=True)
        assert sum(pieces for pieces, _ in groups) == position.board.count(colour)
        assert sum(height for _, height in groups) == sum(
            height for owner, height in zip(position.board, position.heights, strict=True) if owner == colour
        )


@settings(max_examples=25, deadline=None)
@given(seeds, sizes, st.booleans(), st.booleans())
def test_a_board_turned_over_allows_the_same_and_ends_the_same(
    seed: int, rules: Topolo, left_right: bool, top_bottom: bool
) -> None:
    position, other = rules.initial(), rules.initial()
    for word in random_words(rules, seed):
        reflected = mirrored(word, rules, left_right=left_right, top_bottom=top_bottom)
        assert legal_words(other) == {
            mirrored(legal, rules, left_right=left_right, top_bottom=top_bottom)
            for legal in legal_words(position)
        }
        position.play(rules.parse_move(word))
        other.play(rules.parse_move(reflected))
    assert position.outcome() == other.outcome()


@settings(max_examples=40, deadline=None)
@given(seeds, sizes)
def test_with_colours_swapped_the_other_side_wins_by_the_same(seed: int, rules: Topolo) -> None:
    setup = played(rules, random_words(rules, seed)).as_setup()
    swap = str.maketrans("RB", "BR")
    swapped = {**setup, "rows": [row.translate(swap) for row in setup["rows"]]}
    outcome, other = rules.from_setup(setup).outcome(), rules.from_setup(swapped).outcome()
    assert outcome.winner == (None if other.winner is None else 1 - other.winner)
    assert outcome.result.translate(str.maketrans("BW", "WB")) == other.result
    assert outcome.board_margin is not None
    assert other.board_margin == -outcome.board_margin
    assert (outcome.decided_by, outcome.deciding_group) == (other.decided_by, other.deciding_group)


@settings(max_examples=60, deadline=None)
@given(seeds, sizes)
def test_the_first_unequal_pair_of_groups_decides(seed: int, rules: Topolo) -> None:
    position = played(rules, random_words(rules, seed))
    outcome = position.outcome()
    red, black = position.groups(BLACK), position.groups(WHITE)
    assert outcome.winner == (None if red == black else BLACK if red > black else WHITE)
    assert outcome.board_margin == outcome.final_margin == red[0][0] - black[0][0]
    if outcome.deciding_group is not None:
        before = outcome.deciding_group - 1
        assert red[:before] == black[:before]
        pair = list(zip_longest(red, black, fillvalue=(0, 0)))[before]
        by_size = pair[0][0] != pair[1][0]
        assert outcome.decided_by == ("size" if by_size else "height")
        side = 0 if by_size else 1
        difference = abs(pair[0][side] - pair[1][side])
        assert outcome.result[1:] == (f"+{difference}" if by_size else f"+h{difference}")


@settings(max_examples=20, deadline=None)
@given(seeds, sizes, st.integers(0, 63))
def test_replaying_the_moves_before_takes_a_move_back(seed: int, rules: Topolo, plies: int) -> None:
    words = random_words(rules, seed)
    keys = []
    position = rules.initial()
    for word in words:
        keys.append(position.key())
        position.play(rules.parse_move(word))
    plies %= len(words)
    assert played(rules, words[:plies]).key() == keys[plies]


@settings(max_examples=20, deadline=None)
@given(seeds, sizes, st.integers(0, 64))
def test_a_position_survives_being_written_as_a_setup(seed: int, rules: Topolo, plies: int) -> None:
    position = played(rules, random_words(rules, seed)[: plies % (rules.size * rules.size + 1)])
    # A setup brings its own size, whatever the rules it is given to.
    restored = SMALL.from_setup(position.as_setup())
    assert restored.key() == position.key()
    assert restored.legal_moves() == position.legal_moves()
    assert (restored.ply, restored.is_over, restored.hands) == (
        position.ply,
        position.is_over,
        position.hands,
    )
    unstated = FULL.from_setup({**position.as_setup(), "parity": None, "turn": None})
    assert unstated.legal_moves() == position.legal_moves()


def test_the_order_of_placement_leaves_no_trace_in_the_key() -> None:
    assert played(SMALL, ["A1:1", "B1:1", "C3:2"]).key() == played(SMALL, ["C3:2", "B1:1", "A1:1"]).key()


def test_playing_on_a_copy_leaves_the_position_alone() -> None:
    position = played(SMALL, ["A1:1"])
    before = position.key(), [hand.copy() for hand in position.hands]
    position.copy().play(SMALL.parse_move("B1:3"))
    assert (position.key(), list(position.hands)) == before


# --- Outcomes --------------------------------------------------------------------------------------


def test_a_win_by_height_counts_height_and_leaves_the_margin_level() -> None:
    rows = ["R3 R3 B1 B1", "R2 R2 B1 B1", "R1 B3 R1 B2", "B3 B2 R1 R1"]
    outcome = SMALL.from_setup({"n": 4, "rows": rows}).outcome()
    assert (outcome.winner, outcome.result, outcome.reasons) == (BLACK, "B+h5", ("largest-group",))
    assert (outcome.board_margin, outcome.final_margin) == (0, 0)
    assert outcome.details["groups"] == {"black": [[5, 11], [3, 3]], "white": [[5, 6], [3, 8]]}


def test_equal_halves_are_a_draw() -> None:
    rows = ["R1 R1 B1 B1", "R1 R1 B1 B1", "R2 R2 B2 B2", "R3 R3 B3 B3"]
    outcome = SMALL.from_setup({"n": 4, "rows": rows}).outcome()
    assert (outcome.winner, outcome.result, outcome.reasons) == (None, "0", ("all-groups-equal",))
    assert (outcome.decided_by, outcome.deciding_group) == (None, None)


def test_a_side_without_another_group_loses_that_comparison() -> None:
    rows = ["R1 R1 R1 R1", "R1 R1 R1 B1", "B1 B1 B1 B1", "B1 B1 R1 R1"]
    position = SMALL.from_setup({"n": 4, "rows": rows, "free_hands": True})
    assert (position.groups(BLACK), position.groups(WHITE)) == ([(7, 7), (2, 2)], [(7, 7)])
    outcome = position.outcome()
    assert (outcome.winner, outcome.result, outcome.deciding_group) == (BLACK, "B+2", 2)


def test_a_game_that_goes_on_has_no_outcome() -> None:
    with pytest.raises(RulesError, match="not full"):
        FULL.initial().outcome()


# --- Words -----------------------------------------------------------------------------------------


def test_words_are_read_in_either_case() -> None:
    assert FULL.format_move(FULL.parse_move("d4:3")) == "D4:3"
    assert FULL.parse_move("A1:1") == 0
    assert FULL.parse_move("H8:3") == 191


@pytest.mark.parametrize(
    "word",
    [
        "",
        "A1",
        "A1:0",
        "A1:4",
        "A0:1",
        "A9:1",
        "J1:1",
        "I1:1",
        "A01:1",
        "pass",
        "A1:1\n",
        "A1:1 ",
        "A１:1",
        "A" * 99,
    ],
)
def test_words_that_are_no_moves_are_malformed_and_quoted_cut(word: str) -> None:
    with pytest.raises(MalformedMoveError) as caught:
        FULL.parse_move(word)
    assert len(str(caught.value)) < 150
    assert str(caught.value).isascii()


def test_cells_outside_the_small_board_are_no_words_of_it() -> None:
    for word in ("E1:1", "A5:1"):
        with pytest.raises(MalformedMoveError, match="A1:1 to D4:3"):
            SMALL.parse_move(word)


@pytest.mark.parametrize(
    ("words", "refused", "reason"),
    [
        (["A1:1"], "A1:2", "A1 is taken by a Red piece"),
        (["A1:1", "B1:1"], "B1:2", "B1 is taken by a Black piece"),
        (["A1:1"], "A2:1", "row 2 is closed until the odd rows are full"),
        (["A2:1"], "A1:1", "row 1 is closed until the even rows are full"),
        (["A1:3", "B1:1", "C1:3", "D1:1"], "A3:3", "Red has no piece of height 3 left"),
        (["A1:1", "B1:3", "C1:1", "D1:3", "A3:1"], "B3:3", "Black has no piece of height 3 left"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_changes_nothing(
    words: list[str], refused: str, reason: str
) -> None:
    position = played(SMALL, words)
    before = position.key()
    move = SMALL.parse_move(refused)
    assert position.refusal(move) == reason
    with pytest.raises(IllegalMoveError, match=reason):
        position.play(move)
    assert position.key() == before


@pytest.mark.parametrize("move", [None, -1, 192, True, 1.0, "A1:1", (1,)])
def test_values_that_are_no_moves_are_refused(move: Any) -> None:
    assert "no move" in str(FULL.initial().refusal(move))


def test_a_finished_game_takes_no_more_moves() -> None:
    rows = ["R1 R1 B1 B1", "R1 R1 B1 B1", "R2 R2 B2 B2", "R3 R3 B3 B3"]
    assert SMALL.from_setup({"n": 4, "rows": rows}).refusal(0) == "the game is over"


# --- Settings and set-up positions -----------------------------------------------------------------


@pytest.mark.parametrize("given_settings", [{"size": 6}, {"size": True}, {"size": "8"}, {"komi": 0}])
def test_settings_that_topolo_does_not_have_are_refused(given_settings: dict[str, Any]) -> None:
    with pytest.raises(QuestionError):
        Topolo.from_settings(**given_settings)


def test_only_red_begins() -> None:
    with pytest.raises(QuestionError, match="begun by Red"):
        FULL.initial(WHITE)


EMPTY_ROW = ".. .. .. .."


@pytest.mark.parametrize(
    ("setup", "part"),
    [
        ({"n": 5}, "4 or 8"),
        ({"n": True}, "4 or 8"),
        ({"n": 8}, "list of 8 rows"),
        ({"rows": None}, "list of 4 rows"),
        ({"rows": [EMPTY_ROW] * 5}, "list of 4 rows"),
        ({"rows": [EMPTY_ROW] * 3 + [7]}, "row 1"),
        ({"rows": [EMPTY_ROW] * 3 + [".. .. .."]}, "row 1"),
        ({"rows": [EMPTY_ROW] * 3 + [".. .. .. R4"]}, "row 1"),
        ({"rows": [EMPTY_ROW] * 3 + [EMPTY_ROW * 10_000]}, "row 1"),
        ({"rows": ["R3 B1 R3 B1", EMPTY_ROW, "R3 B1 .. ..", EMPTY_ROW]}, "more pieces of height 3 than Red"),
        ({"rows": ["R1 R1 .. ..", EMPTY_ROW, EMPTY_ROW, EMPTY_ROW]}, "in turn, Red first"),
        ({"rows": ["B1 .. .. ..", EMPTY_ROW, EMPTY_ROW, EMPTY_ROW]}, "in turn, Red first"),
        ({"rows": ["R1 .. .. ..", "B1 .. .. ..", EMPTY_ROW, EMPTY_ROW]}, "neither are full"),
        ({"rows": ["R1 .. .. ..", EMPTY_ROW, EMPTY_ROW, EMPTY_ROW], "parity": 1}, "parity 1"),
        ({"rows": ["R1 .. .. ..", EMPTY_ROW, EMPTY_ROW, EMPTY_ROW], "parity": 2}, "from 0 to 1"),
        ({"rows": ["R1 .. .. ..", EMPTY_ROW, EMPTY_ROW, EMPTY_ROW], "parity": False}, "from 0 to 1"),
        ({"parity": 0}, "parity 0"),
        ({"turn": "B"}, "other side's turn"),
        ({"turn": "W"}, "one of R, B"),
        ({"turn": ["R"]}, "one of R, B"),
        ({"free_hands": 1}, "true or false"),
        ({"hands": {}}, "unknown key"),
    ],
)
def test_an_impossible_setup_is_refused_with_the_field_named(setup: Setup, part: str) -> None:
    with pytest.raises(QuestionError, match=part):
        SMALL.from_setup({"n": 4, "rows": [EMPTY_ROW] * 4, **setup})


def test_a_setup_that_is_no_object_is_refused() -> None:
    with pytest.raises(QuestionError, match="must be an object"):
        SMALL.from_setup([])  # type: ignore[arg-type]


def test_free_hands_lift_the_check_of_piece_numbers_alone() -> None:
    rows = ["R3 R3 R3 R3", EMPTY_ROW, "R3 R3 R3 ..", EMPTY_ROW]
    position = SMALL.from_setup({"n": 4, "rows": rows, "free_hands": True, "turn": "R"})
    assert position.to_move == BLACK
    assert position.hands[BLACK] == [0, 4, 2, 0]
    assert legal_words(position) == {"D2:1", "D2:2"}
    with pytest.raises(QuestionError, match="more pieces of height 3"):
        SMALL.from_setup({"n": 4, "rows": rows, "turn": "R"})


def test_the_diagram_shows_board_hands_and_who_moves() -> None:
    assert played(SMALL, ["A1:1", "B3:3"]).diagram() == [
        " 4 .. .. .. ..",
        " 3 .. B3 .. ..",
        " 2 .. .. .. ..",
        " 1 R1 .. .. ..",
        "   A  B  C  D",
        "Red has left: 3 of height 1, 2 of height 2, 2 of height 3",
        "Black has left: 4 of height 1, 2 of height 2, 1 of height 3",
        "Red to move",
    ]
