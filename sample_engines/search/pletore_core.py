"""Pletore for the search: board with a wall around it, legality by four rays, playouts by trial and error.

Moves are the rules core's numbers: row * size + column, then the button, then the pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sample_engines.search.layout import (
    HEAD,
    LONGEST_PLAYOUT,
    MARGIN,
    OVER,
    RESULT,
    TO_MOVE,
    WIN,
    Cells,
    kernel,
    walled_board,
    walled_places,
)
from sample_engines.search.random_numbers import draw

if TYPE_CHECKING:
    from arena.rules.base import Move, Rules

BUTTON = HEAD
"""-2 not in use, -1 free, else the colour that has taken it."""
PASSES = HEAD + 1
FORBIDDEN = HEAD + 2
"""The point that White's first stone may not take, -1 for none."""
MIRROR_RULE = HEAD + 3
"""1 on even boards until White has moved."""
BOARD = HEAD + 4
"""0 empty, 1 Black, 2 White, `WALL` around; (size + 2) in the square."""

SIZE = 0
POINTS = 1
KOMI = 2
PLACES = 3
"""From here on in the tables: where each point stands in a state."""

KNOBS = (0, 2000, 1)
"""Exploration, bias of later moves and visits before a node gets children, as in `layout`."""

_STONES = 3
_BUTTON_FREE = -1
_NO_BUTTON = -2


def make_tables(rules: Rules) -> list[int]:
    """Return what the kernels have to know of a board."""
    size, komi = rules.size or 0, rules.komi or 0
    return [size, size * size, komi, *walled_places(size, BOARD)]


def make_state(tables: list[int], first: int) -> list[int]:
    """Return the starting position; Black moves first."""
    del first
    size, komi = tables[SIZE], tables[KOMI]
    button = _BUTTON_FREE if (size - komi) % 2 == 0 else _NO_BUTTON
    return [0, 0, 0, 0, 0, button, 0, -1, int(size % 2 == 0), *walled_board(size)]


def encode(move: Move) -> int:
    """Return the number of a move of the rules core: the same."""
    return cast("int", move)


def decode(code: int) -> Move:
    """Return the rules core's move."""
    return code


@kernel
def rave_key(move: int) -> int:
    """Return the move itself: placing and flipping on one point are alike enough."""
    return move


@kernel
def _pinchers(state: Cells, place: int, stride: int) -> int:
    """Return the mask of the players who see the place along its row and along its column."""
    seen = place - 1
    while state[seen] == 0:
        seen -= 1
    row = state[seen]
    seen = place + 1
    while state[seen] == 0:
        seen += 1
    row |= state[seen]
    if row & _STONES == 0:
        return 0
    seen = place - stride
    while state[seen] == 0:
        seen -= stride
    column = state[seen]
    seen = place + stride
    while state[seen] == 0:
        seen += stride
    return row & (column | state[seen]) & _STONES


@kernel
def _may_put(state: Cells, place: int, stride: int, own: int) -> bool:
    """Say whether `own` (1 or 2) may place or flip there, the mirror rule apart."""
    stone = state[place]
    if stone == 0:
        return _pinchers(state, place, stride) != _STONES - own
    return stone != own and _pinchers(state, place, stride) == own


@kernel
def _is_settled(state: Cells, tables: Cells) -> bool:
    """Say whether every empty point is controlled by somebody."""
    stride = tables[SIZE] + 2
    for point in range(tables[POINTS]):
        place = tables[PLACES + point]
        if state[place] == 0:
            pinchers = _pinchers(state, place, stride)
            if pinchers == 0 or pinchers == _STONES:
                return False
    return True


@kernel
def list_moves(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write every legal move into `moves`, in the canonical order, and return how many there are."""
    if state[OVER] != 0:
        return 0
    stride = tables[SIZE] + 2
    own = state[TO_MOVE] + 1
    count = 0
    for point in range(tables[POINTS]):
        if point != state[FORBIDDEN] and _may_put(state, tables[PLACES + point], stride, own):
            moves[count] = point
            count += 1
    if state[BUTTON] == _BUTTON_FREE:
        moves[count] = tables[POINTS]
        count += 1
    elif _is_settled(state, tables):
        moves[count] = tables[POINTS] + 1
        count += 1
    return count


@kernel
def list_candidates(state: Cells, tables: Cells, moves: Cells, priors: Cells) -> int:
    """Write all legal moves, each with one imagined visit of an even game."""
    count = list_moves(state, tables, moves)
    for index in range(count):
        priors[2 * index] = 1
        priors[2 * index + 1] = WIN // 2
    return count


@kernel
def play(state: Cells, tables: Cells, move: int) -> None:
    """Make a legal move."""
    mover = state[TO_MOVE]
    points = tables[POINTS]
    if move < points:
        state[tables[PLACES + move]] = mover + 1
        state[PASSES] = 0
    elif move == points:
        state[BUTTON] = mover
        state[PASSES] = 0
    else:
        state[PASSES] += 1
        if state[PASSES] == 2:
            _finish(state, tables)
    state[TO_MOVE] = 1 - mover
    if state[MIRROR_RULE] != 0:
        if mover == 0:
            if move < points:
                state[FORBIDDEN] = points - 1 - move
        else:
            state[MIRROR_RULE] = 0
            state[FORBIDDEN] = -1


@kernel
def _finish(state: Cells, tables: Cells) -> None:
    """End the game and count."""
    stride = tables[SIZE] + 2
    difference = 0
    for point in range(tables[POINTS]):
        place = tables[PLACES + point]
        owner = state[place]
        if owner == 0:
            owner = _pinchers(state, place, stride)
        if owner == 1:
            difference += 1
        elif owner == 2:
            difference -= 1
    margin = 2 * (difference - tables[KOMI])
    if state[BUTTON] >= 0:
        margin += 1 - 2 * state[BUTTON]
    state[OVER] = 1
    state[MARGIN] = margin
    state[RESULT] = WIN if margin > 0 else 0


@kernel
def set_roll(state: Cells, tables: Cells, larger: int, smaller: int) -> None:
    """Do nothing: there are no dice."""


@kernel
def playout(state: Cells, tables: Cells, generator: Cells, trace: Cells, moves: Cells, priors: Cells) -> int:
    """Play legal moves at random, each with the same chance, to the end."""
    points = tables[POINTS]
    stride = tables[SIZE] + 2
    length = 0
    while state[OVER] == 0 and length < LONGEST_PLAYOUT:
        own = state[TO_MOVE] + 1
        move = -1
        # Trying points until one is playable gives every playable one the same chance, and no list is made.
        for _ in range(4 * points):
            tried = draw(generator, points + 1)
            if tried < points:
                if tried != state[FORBIDDEN] and _may_put(state, tables[PLACES + tried], stride, own):
                    move = tried
                    break
            elif state[BUTTON] == _BUTTON_FREE:
                move = points
                break
            elif _is_settled(state, tables):
                move = points + 1
                break
        if move < 0:
            move = moves[draw(generator, list_moves(state, tables, moves))]
        trace[length] = 2 * move + own - 1
        length += 1
        play(state, tables, move)
    if state[OVER] == 0:
        _finish(state, tables)
    return length


@kernel
def guess(state: Cells, tables: Cells) -> int:
    """Return Black's share of the win by the score as it stands and by the stones that could be flipped."""
    stride = tables[SIZE] + 2
    # In quarter points: a stone that the opponent may flip next is lost more surely than one's own side's.
    black = 0
    for point in range(tables[POINTS]):
        place = tables[PLACES + point]
        stone = state[place]
        pinchers = _pinchers(state, place, stride)
        owner = stone if stone != 0 else pinchers
        if owner == 1:
            black += 4
        elif owner == 2:
            black -= 4
        if stone != 0 and pinchers == _STONES - stone:
            loss = 14 if state[TO_MOVE] != stone - 1 else 6
            black += loss if stone == 2 else -loss
    if state[BUTTON] >= 0:
        black += 2 - 4 * state[BUTTON]
    black -= 4 * tables[KOMI]
    return WIN // 2 + WIN // 2 * black // (24 + abs(black))


@kernel
def list_threats(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write nothing: a flip is no threat that has to be answered."""
    return 0
