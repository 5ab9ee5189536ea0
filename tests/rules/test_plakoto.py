"""Plakoto: what the rules allow, against a plain reading of the text, and what must hold for any position."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.rules import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    QuestionError,
    RulesError,
)
from arena.rules.plakoto import Plakoto, PlakotoPosition, opening_turn
from tests.rules import plain_plakoto

Setup = dict[str, Any]

RULES = Plakoto.from_settings()
START: Setup = {
    "W": {"24": 15},
    "B": {"24": 15},
    "pinned": {"W": [], "B": []},
    "off": {"W": 0, "B": 0},
    "turn": "B",
}

seeds = st.integers(0, 2**32 - 1)
faces = st.integers(1, 6)


def played_on(seed: int, turns: int) -> PlakotoPosition:
    """Return the position after some random turns of a random game (or its end)."""
    chance = random.Random(seed)
    position = RULES.initial(chance.randrange(2))
    while not position.is_over and position.ply < turns:
        position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
        position.play(chance.choice(position.legal_moves()))
    return position


def thrown_together(seed: int, most_points: int) -> Setup:
    """Return a random set-up position with many singles and pins, often near the end of the race."""
    chance = random.Random(seed)
    black_points = _stacks(chance, most_points)
    white_points: dict[int, int] = {}
    pinned: dict[str, list[int]] = {"B": [], "W": []}
    for point, count in _stacks(chance, most_points).items():
        there = black_points.get(25 - point, 0)
        may_pin_black = there == 1 and point != 24
        may_be_pinned = there > 0 and count == 1 and point != 1
        if may_pin_black and (not may_be_pinned or chance.random() < 0.5):
            pinned["B"].append(25 - point)
        elif may_be_pinned:
            pinned["W"].append(point)
        elif there:
            continue
        white_points[point] = count
    return {
        "B": {str(point): count for point, count in black_points.items()},
        "W": {str(point): count for point, count in white_points.items()},
        "pinned": {letter: sorted(points) for letter, points in pinned.items()},
        "off": {"B": 15 - sum(black_points.values()), "W": 15 - sum(white_points.values())},
        "turn": chance.choice("BW"),
    }


def _stacks(chance: random.Random, most_points: int) -> dict[int, int]:
    highest = chance.choice((6, 9, 24))
    points = chance.sample(range(1, highest + 1), chance.randint(1, min(most_points, highest)))
    return {point: chance.choice((1, 1, 1, 2, 3)) for point in points}


def is_playable(setup: Setup) -> bool:
    """Say whether a thrown-together position could be one of a game that goes on."""
    sides_hold = all(setup[letter] and setup["off"][letter] >= 0 for letter in "BW")
    return sides_hold and not any(
        24 in setup["pinned"][letter] and (24 in setup["pinned"][other] or "24" not in setup[other])
        for letter, other in ("BW", "WB")
    )


def position_with(setup: Setup, dice: tuple[int, int]) -> PlakotoPosition:
    position = RULES.from_setup(setup)
    position.set_dice(*dice)
    return position


def words(position: PlakotoPosition) -> list[str]:
    return [RULES.format_move(move) for move in position.legal_moves()]


# --- Against the plain reading ---------------------------------------------------------------------


def check_against_plain_reading(setup: Setup, dice: tuple[int, int]) -> None:
    position = position_with(setup, dice)
    expected = plain_plakoto.plays(plain_plakoto.board_of(setup), dice)
    canonical = sorted((orders[0] for orders in expected.values()), key=plain_plakoto.order_key)
    assert position.legal_moves() == canonical
    for board, orders in expected.items():
        for order in orders:
            assert position.refusal(order) is None
            assert position.canonical(order) == orders[0]
            following = position.copy()
            following.play(order)
            # Seen by the next side the board is the other way round; compare in the mover's points.
            mover = position.to_move
            assert following.points(mover) == {p: n for p, n in enumerate(board.own) if n and p}
            assert following.off(mover) == board.own[0]
            assert [25 - point for point in reversed(following.pinned(1 - mover))] == sorted(
                board.enemy_pinned
            )
    allowed = {order for orders in expected.values() for order in orders}
    for order in list(allowed)[:20]:
        for other in {*permutations(order), *(order[:cut] for cut in range(len(order)))}:
            assert (position.refusal(other) is None) == (other in allowed), other


@settings(max_examples=300, deadline=None)
@given(seeds, faces, faces)
def test_plays_of_two_dice_are_those_of_a_plain_reading_of_the_rules(
    seed: int, first: int, second: int
) -> None:
    setup = thrown_together(seed, 9)
    assume(first != second and is_playable(setup))
    check_against_plain_reading(setup, (first, second))


@settings(max_examples=150, deadline=None)
@given(seeds, faces)
def test_plays_of_doubles_are_those_of_a_plain_reading_of_the_rules(seed: int, die: int) -> None:
    setup = thrown_together(seed, 4)
    assume(is_playable(setup))
    check_against_plain_reading(setup, (die, die))


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(0, 120), faces, faces)
def test_plays_in_games_are_those_of_a_plain_reading_of_the_rules(
    seed: int, turns: int, first: int, second: int
) -> None:
    position = played_on(seed, turns)
    assume(first != second and not position.is_over)
    check_against_plain_reading(position.as_setup(), (first, second))


# --- What holds in any game ------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_game_keeps_all_checkers_and_pins_only_lone_ones_until_it_ends(seed: int) -> None:
    chance = random.Random(seed)
    position = RULES.initial()
    while not position.is_over:
        assert position.awaits_dice
        position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
        mover = position.to_move
        position.play(chance.choice(position.legal_moves()))
        assert position.to_move == 1 - mover
        for colour in (BLACK, WHITE):
            points, enemy_points = position.points(colour), position.points(1 - colour)
            assert sum(points.values()) + position.off(colour) == 15
            for point in position.pinned(colour):
                assert points[point] == 1
            shared = {point for point in points if 25 - point in enemy_points}
            assert shared == {
                *position.pinned(colour),
                *(25 - point for point in position.pinned(1 - colour)),
            }
    assert position.legal_moves() == []
    assert position.dice is None
    outcome = position.outcome()
    assert outcome.board_margin == outcome.final_margin
    assert outcome.points == abs(cast("float", outcome.final_margin))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(0, 120), faces, faces)
def test_the_order_of_the_dice_does_not_matter(seed: int, turns: int, first: int, second: int) -> None:
    position = played_on(seed, turns)
    assume(not position.is_over)
    other = position.copy()
    position.set_dice(first, second)
    other.set_dice(second, first)
    assert position.dice == (first, second)
    assert other.dice == (second, first)
    assert position.legal_moves() == other.legal_moves()
    assert position.key() == other.key()


def swapped(setup: Setup) -> Setup:
    """Return a position with the colours changed."""
    other = {"B": "W", "W": "B"}
    return {
        "B": setup["W"],
        "W": setup["B"],
        "pinned": {other[letter]: points for letter, points in setup["pinned"].items()},
        "off": {other[letter]: count for letter, count in setup["off"].items()},
        "turn": other[setup["turn"]],
    }


@settings(max_examples=40, deadline=None)
@given(seeds, faces, faces, st.randoms(use_true_random=False))
def test_with_colours_swapped_all_is_the_same_for_the_other_side(
    seed: int, first: int, second: int, chance: random.Random
) -> None:
    setup = thrown_together(seed, 9)
    assume(is_playable(setup))
    position = position_with(setup, (first, second))
    mirrored = position_with(swapped(setup), (first, second))
    assert position.legal_moves() == mirrored.legal_moves()
    move = chance.choice(position.legal_moves())
    position.play(move)
    mirrored.play(move)
    assert swapped(position.as_setup()) == mirrored.as_setup()
    assert position.is_over == mirrored.is_over
    if position.is_over:
        outcome, other = position.outcome(), mirrored.outcome()
        assert outcome.winner == (None if other.winner is None else 1 - other.winner)
        assert outcome.points == other.points
        assert outcome.final_margin == -cast("float", other.final_margin)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 60))
def test_replaying_the_turns_before_takes_a_move_back(seed: int, turns: int) -> None:
    chance = random.Random(seed)
    position = RULES.initial(WHITE)
    history = []
    while not position.is_over and position.ply < turns:
        dice = chance.randint(1, 6), chance.randint(1, 6)
        before = position.key()
        position.set_dice(*dice)
        move = chance.choice(position.legal_moves())
        history.append((before, dice, move))
        position.play(move)
    replayed = RULES.initial(WHITE)
    for before, dice, move in history:
        assert replayed.key() == before
        replayed.set_dice(*dice)
        replayed.play(move)
    assert replayed.key() == position.key()


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(0, 120), faces, faces)
def test_a_position_survives_being_written_as_a_setup(seed: int, turns: int, first: int, second: int) -> None:
    position = played_on(seed, turns)
    assume(not position.is_over)
    assert RULES.from_setup(position.as_setup()).key() == position.key()
    position.set_dice(first, second)
    assert RULES.from_setup(position.as_setup()).key() == position.key()


def test_playing_on_a_copy_leaves_the_position_alone() -> None:
    position = position_with(START, (2, 1))
    before = position.key(), position.legal_moves()
    position.copy().play(position.legal_moves()[0])
    assert (position.key(), position.legal_moves()) == before


def test_a_refused_move_changes_nothing_and_says_what_refusal_says() -> None:
    position = position_with(START, (2, 1))
    before = position.key()
    for word in ("24/18", "24/22", "pass"):
        move = RULES.parse_move(word)
        for attempt in (position.play, position.canonical):
            with pytest.raises(IllegalMoveError) as caught:
                attempt(move)
            assert str(caught.value) == position.refusal(move)
        assert position.key() == before


# --- Canonical moves -------------------------------------------------------------------------------


def test_a_roundabout_way_to_win_is_recorded_as_the_shortest() -> None:
    setup = {**START, "B": {"6": 1}, "off": {"B": 14, "W": 0}}
    position = position_with(setup, (6, 1))
    assert words(position) == ["6/off"]
    roundabout = RULES.parse_move("6/5,5/off")
    assert position.refusal(roundabout) is None
    assert RULES.format_move(position.canonical(roundabout)) == "6/off"
    position.play(roundabout)
    assert position.is_over


def test_one_die_does_not_pass_for_two_although_both_lead_to_the_same_position() -> None:
    setup = {**START, "B": {"6": 1, "3": 1}, "off": {"B": 13, "W": 0}}
    position = position_with(setup, (6, 1))
    assert "6/5,5/off" in words(position)
    assert position.refusal(RULES.parse_move("6/off")) == (
        "both dice must be played: 6/off alone leaves the 1 unused"
    )


def test_either_die_may_bear_off_the_last_checker_behind() -> None:
    setup = {**START, "B": {"4": 1, "2": 2}, "off": {"B": 12, "W": 0}}
    assert words(position_with(setup, (6, 5))) == ["4/off,2/off"]


def test_a_pass_is_its_own_canonical_form() -> None:
    setup = {**START, "B": {"24": 15}, "W": {"2": 2, "3": 2, "24": 11}}
    position = position_with(setup, (1, 2))
    assert words(position) == ["pass"]
    assert position.canonical(()) == ()
    position.play(())
    assert not position.is_over
    assert position.awaits_dice


# --- The start-point rule --------------------------------------------------------------------------


def test_the_pin_on_the_last_start_checker_is_harmless_once_it_is_lifted() -> None:
    setup: Setup = {
        "W": {"24": 1, "1": 1, "5": 13},
        "B": {"24": 1, "12": 14},
        "pinned": {"W": [], "B": [24]},
        "off": {"W": 0, "B": 0},
        "turn": "W",
    }
    position = RULES.from_setup(setup)
    assert position.pinned(BLACK) == [24]
    position.set_dice(2, 1)
    position.play(RULES.parse_move("5/3,5/4"))
    assert not position.is_over
    position.set_dice(2, 1)
    assert all(not word.startswith("24/") for word in words(position))


def test_a_loser_by_the_start_point_who_stayed_loses_two_points() -> None:
    setup: Setup = {
        "W": {"7": 2, "3": 13},
        "B": {"24": 1, "12": 14},
        "pinned": {"W": [], "B": []},
        "off": {"W": 0, "B": 0},
        "turn": "W",
    }
    position = position_with(setup, (6, 1))
    position.play(RULES.parse_move("7/1"))
    outcome = position.outcome()
    assert (outcome.winner, outcome.reasons, outcome.result) == (WHITE, ("start-point",), "W+2")
    assert (outcome.points, outcome.board_margin, outcome.final_margin) == (2, -2, -2)
    assert outcome.details["off"] == {"black": 0, "white": 0}
    assert outcome.details["pip_counts"] == {"black": 24 + 12 * 14, "white": 7 + 1 + 39}


def test_a_forfeit_counts_two_points_only_against_who_has_borne_off_none() -> None:
    position = RULES.from_setup({**START, "B": {"24": 14}, "off": {"B": 1, "W": 0}})
    assert position.forfeit_points(BLACK) == 1
    assert position.forfeit_points(WHITE) == 2


# --- Dice ------------------------------------------------------------------------------------------


def test_no_move_is_legal_before_the_dice_are_thrown() -> None:
    position = RULES.initial(WHITE)
    assert position.to_move == WHITE
    assert position.awaits_dice
    assert position.dice is None
    assert position.legal_moves() == []
    assert position.refusal(()) == "the dice have not been thrown yet"


@pytest.mark.parametrize("dice", [(0, 1), (1, 7), (True, 2), ("1", 2), (1.0, 2), (None, 1)])
def test_dice_that_no_die_shows_are_refused(dice: tuple[Any, Any]) -> None:
    position = RULES.initial()
    with pytest.raises(RulesError, match="a die shows 1 to 6"):
        position.set_dice(*dice)
    assert position.awaits_dice


def test_a_second_roll_in_one_turn_is_refused() -> None:
    position = position_with(START, (3, 5))
    with pytest.raises(RulesError, match="5-3 has not been played"):
        position.set_dice(6, 6)
    assert position.dice == (3, 5)


def test_a_roll_after_the_end_is_refused() -> None:
    position = position_with({**START, "B": {"2": 1}, "off": {"B": 14, "W": 0}}, (6, 5))
    position.play(RULES.parse_move("2/off"))
    assert not position.awaits_dice
    assert position.refusal(()) == "the game is over"
    with pytest.raises(RulesError, match="the game is over"):
        position.set_dice(1, 2)


@pytest.mark.parametrize(
    ("throws", "expected"),
    [
        ([(6, 2)], (BLACK, (6, 2))),
        ([(3, 3), (1, 4)], (WHITE, (4, 1))),
        ([[5, 5], [5, 5], [2, 1]], (BLACK, (2, 1))),
    ],
)
def test_the_higher_opening_die_starts_and_plays_both(
    throws: list[tuple[int, int]], expected: tuple[int, tuple[int, int]]
) -> None:
    assert opening_turn(throws) == expected


@pytest.mark.parametrize("throws", [[], [(3, 3)], [(3, 2), (1, 1)], [(3,)], [(0, 3)], [(True, 3)], [5]])
def test_opening_throws_that_decide_nothing_or_too_much_are_refused(throws: Any) -> None:
    with pytest.raises(QuestionError):
        opening_turn(throws)


# --- Words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "canonical_spelling"),
    [
        ("24/18,24/19", "24/18,24/19"),
        ("24/18/13", "24/18,18/13"),
        ("6/OFF,5/Off", "6/off,5/off"),
        ("8/4/off,24/20/16", "8/4,4/off,24/20,20/16"),
        ("PASS", "pass"),
        ("1/24", "1/24"),
    ],
)
def test_words_become_moves_whatever_their_case(word: str, canonical_spelling: str) -> None:
    assert RULES.format_move(RULES.parse_move(word)) == canonical_spelling


@pytest.mark.parametrize(
    "word",
    [
        "",
        ",",
        "24",
        "off",
        "24/",
        "/18",
        "24/18,",
        "24//18",
        "24/off/3",
        "bar/20",
        "25/20",
        "24/0",
        "0/off",
        "06/off",
        "-6/1",
        "24-18",
        "24/18, 24/19",
        "24/1٨",
        "pass,pass",
        "pass\n",
        "24/18\n",
        "24/23/22/21/20/19",
        "24/18," * 10_000,
    ],
)
def test_words_that_are_no_moves_are_malformed_and_quoted_cut(word: str) -> None:
    with pytest.raises(MalformedMoveError) as caught:
        RULES.parse_move(word)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isascii()


@pytest.mark.parametrize(
    ("changes", "dice", "word", "reason"),
    [
        ({}, (6, 5), "24/18", "both dice must be played: 24/18 alone leaves the 5 unused"),
        ({}, (6, 5), "24/20", "24/20 needs a 4: the dice left are 6, 5"),
        ({}, (6, 5), "24/18,24/18", "24/18 needs a 6: the die left is a 5"),
        ({}, (6, 5), "24/13", "24/13 is further than a die goes: name every step, as in 24/18/13"),
        ({}, (6, 5), "13/24", "13/24 goes backwards: checkers run from 24 down to 1 and off"),
        ({}, (6, 5), "20/14,24/19", "Black has no checker on 20"),
        ({}, (6, 5), "24/18/13/12", "13/12 is too many: the roll has 2 checker moves"),
        ({}, (6, 5), "pass", "pass is allowed only when nothing can be moved: 24/18,18/13 is possible"),
        ({}, (5, 5), "24/19", "4 checker moves of 5 must be played: 24/19 has only 1"),
        ({}, (6, 5), "24/off", "bearing off needs all checkers in 6 to 1: there is one on 24"),
        ({"W": {"12": 2, "24": 13}}, (6, 5), "24/13", "24/13 is further than a die goes"),
        ({"W": {"7": 2, "24": 13}}, (6, 5), "24/18,24/19", "point 18 is blocked by 2 white checkers"),
        (
            {"B": {"15": 1, "24": 14}, "W": {"10": 1, "24": 14}, "pinned": {"B": [15], "W": []}},
            (6, 5),
            "15/9",
            "the checker on 15 is pinned",
        ),
        (
            {"B": {"20": 1, "24": 14}, "W": {"5": 1, "24": 14}, "pinned": {"B": [20], "W": []}},
            (4, 3),
            "24/20",
            "point 20 is blocked: white holds a checker pinned there",
        ),
        (
            {
                "B": {"6": 1, "3": 1},
                "W": {"22": 1, "24": 14},
                "pinned": {"B": [3], "W": []},
                "off": {"B": 13, "W": 0},
            },
            (6, 5),
            "6/off",
            "bearing off waits as long as the checker on 3 is pinned",
        ),
        (
            {"B": {"6": 1, "4": 1}, "off": {"B": 13, "W": 0}},
            (5, 5),
            "4/off",
            "a 5 bears off from 4 only when no checker is behind it: there is one on 6",
        ),
        (
            {"B": {"6": 1, "4": 1}, "off": {"B": 13, "W": 0}},
            (5, 4),
            "6/off",
            "6/off needs a 6 or more: the dice left are 5, 4",
        ),
        (
            {"B": {"20": 1, "2": 14}, "W": {"13": 2, "24": 13}},
            (6, 2),
            "20/18",
            "only one die can be played, and the 6 can: so it must be the 6",
        ),
        (
            {"B": {"7": 2, "3": 13}, "W": {"24": 1, "12": 14}},
            (6, 1),
            "7/1,7/6",
            "7/6 comes too late: the checker move before it ends the game",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(changes: Setup, dice: tuple[int, int], word: str, reason: str) -> None:
    position = position_with({**START, **changes}, dice)
    assert str(position.refusal(RULES.parse_move(word))).startswith(reason)


@pytest.mark.parametrize("move", [None, 7, "24/18", ((24,),), ((24, 18.0),), ((0, 0),), ((24, 18),) * 5])
def test_values_that_are_no_moves_are_refused(move: Any) -> None:
    assert "no move" in str(position_with(START, (6, 5)).refusal(move))


# --- Settings and set-up positions -----------------------------------------------------------------


@pytest.mark.parametrize("given_settings", [{"size": 24}, {"komi": 0}])
def test_plakoto_has_no_settings(given_settings: dict[str, int]) -> None:
    with pytest.raises(QuestionError):
        Plakoto.from_settings(**given_settings)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"W": {"24": 14}}, "14 checkers"),
        ({"W": {"24": 15, "1": 15}}, "30 checkers"),
        ({"W": {"25": 15}}, "a point is 1 to 24"),
        ({"W": {"0": 15}}, "a point is 1 to 24"),
        ({"W": {"024": 15}}, "a point is 1 to 24"),
        ({"W": {"24": 16}}, "from 1 to 15"),
        ({"W": {"24": 15, "3": 0}}, "from 1 to 15"),
        ({"W": {"24": True}}, "whole number"),
        ({"W": {"24": 15.0}}, "whole number"),
        ({"W": {"24": "15"}}, "whole number"),
        ({"W": None}, "must be an object"),
        ({"W": [15]}, "must be an object"),
        ({"X": {}}, "unknown key"),
        ({"turn": "X"}, "B, W"),
        ({"turn": 1}, "B, W"),
        ({"turn": None}, "B, W"),
        ({"dice": [1]}, "two dice"),
        ({"dice": [1, 2, 3]}, "two dice"),
        ({"dice": "12"}, "two dice"),
        ({"dice": [0, 1]}, "from 1 to 6"),
        ({"dice": [True, 1]}, "from 1 to 6"),
        ({"off": {"W": 1}}, "16 checkers"),
        ({"off": {"W": 15}, "W": {}}, "from 0 to 14"),
        ({"off": {"W": -1}}, "from 0 to 14"),
        ({"off": []}, "must be an object"),
        ({"off": {"R": 1}}, "unknown key"),
        ({"pinned": {"W": 24}}, "a list of points"),
        ({"pinned": {"W": [24]}}, "not exactly one own checker"),
        ({"pinned": {"W": [3]}}, "not exactly one own checker"),
        ({"pinned": {"W": [0]}}, "from 1 to 24"),
        ({"pinned": {"W": [3, 3]}}, "twice"),
        ({"W": {"24": 14, "3": 1}, "pinned": {"W": [3]}}, "holds the one on 3"),
        ({"W": {"24": 14, "1": 1}}, "none is pinned"),
        ({"W": {"24": 14, "1": 1}, "pinned": {"W": [1]}}, "cannot land on his own start point"),
        (
            {"W": {"24": 14, "3": 1}, "B": {"24": 14, "22": 1}, "pinned": {"W": [3], "B": [22]}},
            "holds the one on",
        ),
    ],
)
def test_an_impossible_setup_is_refused_with_the_field_named(changes: Setup, part: str) -> None:
    with pytest.raises(QuestionError, match=part) as caught:
        RULES.from_setup({**START, **changes})
    assert str(caught.value).startswith(("setup", "unknown key in setup", "a die of setup"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["W", "B", "pinned", "off", "turn", "dice", "W.24", "pinned.B", "off.B"]), json_values)
def test_whatever_json_stands_in_a_setup_it_is_taken_or_refused_in_words(field: str, value: object) -> None:
    setup: Setup = {key: dict(part) if isinstance(part, dict) else part for key, part in START.items()}
    target, _, inner = field.partition(".")
    if inner:
        setup[target][inner] = value
    else:
        setup[target] = value
    try:
        position = RULES.from_setup(setup)
    except QuestionError:
        return
    assert RULES.from_setup(position.as_setup()).key() == position.key()


def test_the_diagram_shows_pins_from_both_sides_numbering() -> None:
    setup = {
        **START,
        "B": {"15": 1, "24": 14},
        "W": {"10": 2, "24": 13},
        "pinned": {"B": [15], "W": []},
        "dice": [3, 5],
    }
    lines = RULES.from_setup(setup).diagram()
    assert "W2(B)" in lines[1]
    assert lines[1].split()[-1] == "B14"
    assert lines[4].split()[-1] == "W13"
    assert lines[-1] == "Black to move, dice 5-3"
