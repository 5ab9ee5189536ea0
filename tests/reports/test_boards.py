"""The pictures of the boards: every position has one, it says what is on the board, and changes add up."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from arena.rules.base import BLACK, WHITE
from arena.rules.pente import Pente
from arena.rules.registry import make_rules
from reports.boards import changes, drawing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.rules.base import Move, Position, Rules
    from reports.boards import Drawing

ALL = [
    make_rules("pletore", size=5, komi=1),
    make_rules("pletore", size=6, komi=1),
    make_rules("pletore", size=1, komi=0),
    make_rules("pente", size=7),
    make_rules("topolo", size=4),
    make_rules("topolo"),
    make_rules("plakoto"),
]


def drawing(rules: Rules) -> Drawing:
    made = drawing_of(rules)
    assert made is not None
    return made


def a_game(rules: Rules, seed: int = 1) -> Iterator[tuple[Position, Move | None]]:
    """Yield the positions of a random game with the move that led to each."""
    chance = random.Random(seed)
    position, last = rules.initial(), None
    while True:
        if position.awaits_dice:
            yield position, last
            position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
        yield position, last
        if position.is_over:
            return
        last = chance.choice(position.legal_moves())
        position.play(last)


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: f"{rules.game}-{rules.size}")
def test_every_position_of_a_game_is_well_formed_svg_with_title_and_words(rules: Rules) -> None:
    board = drawing(rules)
    for place, (position, last) in enumerate(a_game(rules)):
        state = board.state(position, last)
        assert len(state) == len(board.slots)
        assert board.caption(position, state) == board.caption(position)
        assert max(state) < len(board.symbols)
        if place % 7 == 0 or position.is_over:
            picture = ElementTree.fromstring(board.svg(state, caption=board.caption(position)))  # noqa: S314
            assert picture[0].text == board.title
            assert board.alternative(state) in (picture[1].text or "")
            ids = {part.get("id") for part in picture.iter() if part.get("id")}
            used = {part.get("href", "")[1:] for part in picture.iter() if part.get("href")}
            assert used == ids


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: f"{rules.game}-{rules.size}")
def test_changes_applied_one_after_the_other_give_each_state(rules: Rules) -> None:
    board = drawing(rules)
    shown = bytearray(board.state(rules.initial()))
    before = bytes(shown)
    for position, last in a_game(rules):
        state = board.state(position, last)
        step = changes(before, state)
        for slot, symbol in zip(step[::2], step[1::2], strict=True):
            shown[slot] = symbol
        assert shown == state
        before = state


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: f"{rules.game}-{rules.size}")
def test_the_slots_of_points_come_first_and_bear_the_words_of_the_protocol(rules: Rules) -> None:
    board = drawing(rules)
    if rules.has_dice:
        return
    position = rules.initial()
    words = {rules.format_move(move).split(":")[0] for move in position.legal_moves()} - {"button", "pass"}
    assert words <= {slot.name for slot in board.slots[: board.points]}


def test_pletore_tells_who_controls_empty_points_and_which_stones_can_be_flipped() -> None:
    rules = make_rules("pletore", size=5, komi=1)
    position = rules.from_setup(
        {"n": 5, "komi": 1, "rows": ["..B..", ".....", "B.W.B", ".....", "..B.."], "turn": "B"}
    )
    said = drawing(rules).alternative(drawing(rules).state(position))
    assert "White stones that Black can flip: C3." in said
    assert "Button free." in said
    assert "Empty points Black controls:" in said


def test_pletore_draws_no_square_on_a_stone_that_its_own_side_controls() -> None:
    rules = make_rules("pletore", size=3, komi=1)
    position = rules.from_setup({"n": 3, "komi": 1, "rows": [".B.", "BBB", ".B."], "turn": "W"})
    said = drawing(rules).alternative(drawing(rules).state(position))
    assert "Black stones: B1, A2, B2, C2, B3." in said
    assert "flip" not in said


def test_pente_crosses_out_what_the_last_move_captured_and_fills_the_tray() -> None:
    rules = make_rules("pente", size=7)
    position = rules.initial()
    for word in ("D4", "E4", "A1", "F4", "G4"):
        last = rules.parse_move(word)
        position.play(last)
    board = drawing(rules)
    said = board.alternative(board.state(position, last))
    assert "White stones just captured: E4, F4." in said
    assert "Black 1, White 0" in board.caption(position)


def test_pente_announces_three_in_the_caption() -> None:
    rules = make_rules("pente", size=7)
    position = rules.initial()
    for word in ("D4", "A1", "D5", "A7", "D6"):
        position.play(rules.parse_move(word))
    assert "Black announces three" in drawing(rules).caption(position)


def test_topolo_shows_closed_rows_heights_and_the_first_groups() -> None:
    rules = make_rules("topolo", size=4)
    position = rules.initial()
    for word in ("A1:3", "B1:1", "A3:2"):
        position.play(rules.parse_move(word))
    board = drawing(rules)
    said = board.alternative(board.state(position))
    assert "Rows closed as yet: 2, 4." in said
    assert "Red pieces of height 3: A1." in said
    assert "Red groups: 1 (height 3), 1 (height 2)" in board.caption(position)


def test_plakoto_shows_pins_dice_and_what_is_borne_off() -> None:
    rules = make_rules("plakoto")
    position = rules.from_setup(
        {
            "B": {"10": 1, "6": 12},
            "W": {"15": 2, "3": 10, "1": 2},
            "pinned": {"B": [10]},
            "off": {"B": 2, "W": 1},
            "turn": "B",
            "dice": [6, 1],
        }
    )
    board = drawing(rules)
    said = board.alternative(board.state(position))
    assert "2 White checkers pinning a Black one: point 10." in said
    assert "12 Black checkers: point 6." in said
    assert "Black's die 6." in said
    assert "Borne off by Black 2." in said
    assert "Borne off by White 1." in said


def test_plakoto_marks_where_the_last_move_went_in_the_mover_s_own_points() -> None:
    rules = make_rules("plakoto")
    for first, left, reached in ((BLACK, "24", "18"), (WHITE, "1", "7")):
        position = rules.initial(first)
        position.set_dice(6, 6)
        last = rules.parse_move("24/18,24/18,24/18,24/18")
        position.play(last)
        board = drawing(rules)
        said = board.alternative(board.state(position, last))
        assert f"Left in the last move: point {left}." in said
        assert f"Reached in the last move: point {reached}." in said


def test_no_drawing_for_a_game_that_has_none() -> None:
    class Plugin(Pente):
        game = "plugin"

    assert drawing_of(Plugin.from_settings(size=9)) is None
