"""Properties of Pletore and Pente that hold for every game: symmetry, colour swap, a slow second reading."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import BLACK, WHITE
from arena.rules.pente import Pente, PentePosition
from arena.rules.pletore import Pletore, PletorePosition

SYMMETRIES = range(8)

pletore_rules = st.builds(Pletore, st.integers(1, 7), st.integers(-3, 3))
pente_rules = st.builds(Pente, st.sampled_from([5, 7, 9]))
seeds = st.integers(0, 2**32)
few_examples = settings(max_examples=40, deadline=None)


def turned(point: int, size: int, symmetry: int) -> int:
    """Return where one of the eight symmetries of the square takes a point."""
    row, column = divmod(point, size)
    for _ in range(symmetry % 4):
        row, column = column, size - 1 - row
    if symmetry >= 4:
        column = size - 1 - column
    return row * size + column


def turned_move(move: Any, size: int, symmetry: int) -> int:
    return turned(move, size, symmetry) if move < size * size else move


def turned_board(board: bytes, size: int, symmetry: int) -> bytes:
    made = bytearray(len(board))
    for point, stone in enumerate(board):
        made[turned(point, size, symmetry)] = stone
    return bytes(made)


def swapped(setup: dict[str, Any]) -> dict[str, Any]:
    """Return a set-up position with the colours exchanged everywhere."""
    other = str.maketrans("BW", "WB")
    made = {**setup, "rows": [row.translate(other) for row in setup["rows"]]}
    made["turn"] = setup["turn"].translate(other)
    if "button" in setup:
        made["button"] = setup["button"].translate(other)
    if "pairs" in setup:
        made["pairs"] = {"B": setup["pairs"]["W"], "W": setup["pairs"]["B"]}
    return made


# --- Pletore ----------------------------------------------------------------------------------------


def pinches(board: bytes, size: int, point: int, stone: int) -> bool:
    """Say in the words of the rules whether a player pinches a point, slowly."""
    row, column = divmod(point, size)

    def sees_along(row_step: int, column_step: int) -> bool:
        for sign in (1, -1):
            distance = 1
            while (
                0 <= row + sign * distance * row_step < size
                and 0 <= column + sign * distance * column_step < size
            ):
                there = board[
                    (row + sign * distance * row_step) * size + column + sign * distance * column_step
                ]
                if there:
                    if there == stone:
                        return True
                    break
                distance += 1
        return False

    return sees_along(0, 1) and sees_along(1, 0)


def controller(board: bytes, size: int, point: int) -> int:
    black, white = pinches(board, size, point, 1), pinches(board, size, point, 2)
    return 1 if black and not white else 2 if white and not black else 0


def like_pairs_in_sight(board: bytes, size: int) -> int:
    """Return the number of pairs of like stones that see each other: the measure that ends every game."""
    lines = [board[start : start + size] for start in range(0, size * size, size)]
    lines += [board[column::size] for column in range(size)]
    return sum(near == far for line in lines for near, far in pairwise(stone for stone in line if stone))


@few_examples
@given(rules=pletore_rules, seed=seeds, symmetry=st.sampled_from(SYMMETRIES))
def test_a_turned_game_of_pletore_is_the_same_game(rules: Pletore, seed: int, symmetry: int) -> None:
    size = rules.size
    chance = random.Random(seed)
    position, image = rules.initial(), rules.initial()
    while not position.is_over:
        legal = position.legal_moves()
        assert sorted(turned_move(move, size, symmetry) for move in legal) == image.legal_moves()
        move = chance.choice(legal)
        position.play(move)
        image.play(turned_move(move, size, symmetry))
        assert turned_board(position.controllers(), size, symmetry) == image.controllers()
        assert position.scores() == image.scores()
    assert position.outcome() == image.outcome()


@few_examples
@given(rules=pletore_rules, seed=seeds, plies=st.integers(0, 60))
def test_pletore_knows_no_favourite_colour(rules: Pletore, seed: int, plies: int) -> None:
    position = played(rules, seed, plies)
    setup = {**position.as_setup(), "passes": 0, "white_turns": 1}
    one = rules.from_setup(setup)
    other = rules.from_setup(swapped(setup))
    assert one.to_move != other.to_move
    assert one.legal_moves() == other.legal_moves()
    assert one.scores() == other.scores()[::-1]
    assert one.controllers() == other.controllers().translate(bytes((0, 2, 1, *range(3, 256))))


@few_examples
@given(rules=pletore_rules, seed=seeds, plies=st.integers(0, 60))
def test_control_and_legality_are_those_of_the_rule_text(rules: Pletore, seed: int, plies: int) -> None:
    position = played(rules, seed, plies)
    size, board = rules.size, position.board
    control = [controller(board, size, point) for point in range(size * size)]
    assert list(position.controllers()) == control
    empty = [point for point, stone in enumerate(board) if not stone]
    own, enemy = position.to_move + 1, 2 - position.to_move
    expected = {
        point
        for point, stone in enumerate(board)
        if (stone == 0 and control[point] != enemy) or (stone == enemy and control[point] == own)
    }
    if size % 2 == 0 and position.ply == 1 and len(empty) == size * size - 1:
        expected -= {size * size - 1 - next(point for point, stone in enumerate(board) if stone)}
    if position.button_state == "free":
        expected.add(rules.button)
    elif all(control[point] for point in empty):
        expected.add(rules.pass_)
    assert set(position.legal_moves()) == expected
    assert {move for move in range(rules.pass_ + 1) if position.refusal(move) is None} == expected


@few_examples
@given(rules=pletore_rules, seed=seeds)
def test_a_flip_joins_like_stones_and_a_placement_parts_at_most_one_pair(rules: Pletore, seed: int) -> None:
    chance = random.Random(seed)
    position = rules.initial()
    while not position.is_over:
        move = chance.choice(position.legal_moves())
        before, was_placement = like_pairs_in_sight(position.board, rules.size), position.is_placement(move)
        position.play(move)
        after = like_pairs_in_sight(position.board, rules.size)
        if was_placement:
            assert after >= before - 1
        elif isinstance(move, int) and move < rules.button:
            assert after > before
        else:
            assert after == before


@few_examples
@given(rules=pletore_rules, seed=seeds)
def test_at_the_end_every_point_belongs_to_somebody_and_somebody_wins(rules: Pletore, seed: int) -> None:
    position = played(rules, seed, 10_000, to_the_end=True)
    outcome = position.outcome()
    black, white = position.scores()
    assert black + white == rules.size**2
    assert outcome.board_margin == black - white
    assert outcome.final_margin
    assert (outcome.button is None) != rules.has_button
    assert outcome.winner == (BLACK if outcome.final_margin > 0 else WHITE)


def played(rules: Pletore, seed: int, plies: int, *, to_the_end: bool = False) -> PletorePosition:
    """Return a position of a random game after so many turns, by default one that goes on."""
    chance = random.Random(seed)
    position = rules.initial()
    for _ in range(plies):
        following = position.copy()
        following.play(chance.choice(position.legal_moves()))
        if following.is_over and not to_the_end:
            break
        position = following
        if position.is_over:
            break
    return position


# --- Pente ------------------------------------------------------------------------------------------


@few_examples
@given(rules=pente_rules, seed=seeds, symmetry=st.sampled_from(SYMMETRIES))
def test_a_turned_game_of_pente_is_the_same_game(rules: Pente, seed: int, symmetry: int) -> None:
    size = rules.size
    chance = random.Random(seed)
    position, image = rules.initial(), rules.initial()
    while not position.is_over:
        legal = position.legal_moves()
        assert sorted(turned_move(move, size, symmetry) for move in legal) == image.legal_moves()
        move = chance.choice(legal)
        position.play(move)
        image.play(turned_move(move, size, symmetry))
        assert turned_board(position.board, size, symmetry) == image.board
        assert sorted(turned_move(point, size, symmetry) for point in position.captured) == list(
            image.captured
        )
        assert position.announcement == image.announcement
        assert position.runs_through(move) == image.runs_through(turned_move(move, size, symmetry))
    assert position.outcome() == image.outcome()


@few_examples
@given(rules=pente_rules, seed=seeds, plies=st.integers(1, 40))
def test_pente_knows_no_favourite_colour(rules: Pente, seed: int, plies: int) -> None:
    position = some_pente(rules, seed, plies)
    one, other = rules.from_setup(position.as_setup()), rules.from_setup(swapped(position.as_setup()))
    for move in one.legal_moves():
        first, second = one.copy(), other.copy()
        first.play(move)
        second.play(move)
        assert first.captured == second.captured
        assert first.announcement == second.announcement
        assert first.pairs_captured == second.pairs_captured[::-1]
        assert first.is_over == second.is_over


@few_examples
@given(rules=pente_rules, seed=seeds)
def test_stones_on_the_board_and_stones_captured_add_up(rules: Pente, seed: int) -> None:
    chance = random.Random(seed)
    position = rules.initial()
    while not position.is_over:
        position.play(chance.choice(position.legal_moves()))
        on_board = sum(stone > 0 for stone in position.board)
        assert on_board + 2 * sum(position.pairs_captured) == position.ply
        assert all(position.board[point] == 0 for point in position.captured if isinstance(point, int))
    assert position.ply <= rules.longest_game()


def some_pente(rules: Pente, seed: int, plies: int) -> PentePosition:
    chance = random.Random(seed)
    position = rules.initial()
    for _ in range(plies):
        following = position.copy()
        following.play(chance.choice(position.legal_moves()))
        if following.is_over:
            break
        position = following
    return position


@pytest.mark.parametrize("size", [1, 2, 5, 25])
def test_the_eight_symmetries_are_permutations(size: int) -> None:
    for symmetry in SYMMETRIES:
        assert sorted(turned(point, size, symmetry) for point in range(size * size)) == list(
            range(size * size)
        )
