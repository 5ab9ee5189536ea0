"""Topolo for the search: the board with a wall around it, groups counted when the board is full.

Moves are the rules core's numbers: cell * 3 + height - 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sample_engines.search.layout import (
    DRAW,
    HEAD,
    MARGIN,
    OVER,
    RESULT,
    TO_MOVE,
    WALL,
    WIN,
    Cells,
    kernel,
    walled_board,
    walled_places,
)
from sample_engines.search.random_numbers import draw

if TYPE_CHECKING:
    from arena.rules.base import Move, Rules

CELLS_LEFT = HEAD
CLOSED = HEAD + 1
"""Row index mod 2 of the rows that are closed until half the board is full; -1 before the first piece."""
HANDS = HEAD + 2
"""Pieces left: three numbers for Black's heights 1 to 3, three for White's."""
SCRATCH = HEAD + 8
"""Room for one integer a cell: what is still to be looked at of a group."""
GROUPS = SCRATCH + 64
"""Room for the groups of both colours, one integer each, largest first."""
BOARD = GROUPS + 64
"""0 empty, 1 Black, 2 White, `WALL` around; (size + 2) in the square. Heights follow in the same form."""

SIZE = 0
CELLS = 1
HEIGHTS = 2
"""How far behind a cell's colour its height stands."""
PLACES = 3
"""From here on in the tables: where each cell stands in a state."""

KNOBS = (0, 2000, 1)
"""Exploration, bias of later moves and visits before a node gets children, as in `layout`."""

_STONES = 3
_TALL = 256
"""A group is pieces * _TALL + height: more pieces first, then more height."""


def make_tables(rules: Rules) -> list[int]:
    """Return what the kernels have to know of a board."""
    size = rules.size or 0
    return [size, size * size, (size + 2) ** 2, *walled_places(size, BOARD)]


def make_state(tables: list[int], first: int) -> list[int]:
    """Return the starting position; Red (black) moves first."""
    del first
    size, cells = tables[SIZE], tables[CELLS]
    hand = [cells // 4, cells // 8, cells // 8]
    board = walled_board(size)
    return [0, 0, 0, 0, 0, cells, -1, *hand, *hand, *[0] * 128, *board, *[0] * len(board)]


def encode(move: Move) -> int:
    """Return the number of a move of the rules core: the same."""
    return cast("int", move)


def decode(code: int) -> Move:
    """Return the rules core's move."""
    return code


@kernel
def rave_key(move: int) -> int:
    """Return the cell: heights hardly ever matter."""
    return move // 3


@kernel
def _closed_rows(state: Cells, tables: Cells) -> int:
    """Return the row index mod 2 of the closed rows, -1 when all are open."""
    return state[CLOSED] if 2 * state[CELLS_LEFT] > tables[CELLS] else -1


@kernel
def list_moves(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write every legal move into `moves`, in the canonical order, and return how many there are."""
    size = tables[SIZE]
    closed = _closed_rows(state, tables)
    hand = HANDS + 3 * state[TO_MOVE]
    count = 0
    for cell in range(tables[CELLS]):
        if state[tables[PLACES + cell]] == 0 and cell // size % 2 != closed:
            for height in range(3):
                if state[hand + height] > 0:
                    moves[count] = 3 * cell + height
                    count += 1
    return count


@kernel
def list_candidates(state: Cells, tables: Cells, moves: Cells, priors: Cells) -> int:
    """Write one move a cell: the tallest piece left beside an own piece, the smallest elsewhere."""
    size = tables[SIZE]
    stride = size + 2
    closed = _closed_rows(state, tables)
    own = state[TO_MOVE] + 1
    hand = HANDS + 3 * state[TO_MOVE]
    smallest = 0
    while state[hand + smallest] == 0:
        smallest += 1
    tallest = 2
    while state[hand + tallest] == 0:
        tallest -= 1
    count = 0
    for cell in range(tables[CELLS]):
        place = tables[PLACES + cell]
        if state[place] == 0 and cell // size % 2 != closed:
            is_joined = (
                state[place - 1] == own
                or state[place + 1] == own
                or state[place - stride] == own
                or state[place + stride] == own
            )
            moves[count] = 3 * cell + (tallest if is_joined else smallest)
            priors[2 * count] = 1
            priors[2 * count + 1] = DRAW
            count += 1
    return count


@kernel
def play(state: Cells, tables: Cells, move: int) -> None:
    """Make a legal move."""
    cell, height = move // 3, move % 3
    mover = state[TO_MOVE]
    place = tables[PLACES + cell]
    state[place] = mover + 1
    state[place + tables[HEIGHTS]] = height + 1
    state[HANDS + 3 * mover + height] -= 1
    if state[CLOSED] < 0:
        state[CLOSED] = 1 - cell // tables[SIZE] % 2
    state[CELLS_LEFT] -= 1
    state[TO_MOVE] = 1 - mover
    if state[CELLS_LEFT] == 0:
        _finish(state, tables)


@kernel
def _finish(state: Cells, tables: Cells) -> None:
    """End the game and compare the groups, pair by pair."""
    half = tables[CELLS] // 2
    found = _sort_groups(state, tables, 1, GROUPS)
    others = _sort_groups(state, tables, 2, GROUPS + half)
    for rank in range(found, half):
        state[GROUPS + rank] = 0
    for rank in range(others, half):
        state[GROUPS + half + rank] = 0
    state[OVER] = 1
    state[MARGIN] = 2 * (state[GROUPS] // _TALL - state[GROUPS + half] // _TALL)
    state[RESULT] = DRAW
    for rank in range(half):
        difference = state[GROUPS + rank] - state[GROUPS + half + rank]
        if difference != 0:
            state[RESULT] = WIN if difference > 0 else 0
            return


@kernel
def _sort_groups(state: Cells, tables: Cells, own: int, groups: int) -> int:
    """Write a colour's groups, largest first, from the cell `groups` on; return how many there are."""
    stride = tables[SIZE] + 2
    heights = tables[HEIGHTS]
    found = 0
    for cell in range(tables[CELLS]):
        place = tables[PLACES + cell]
        if state[place] != own:
            continue
        state[place] = own + WALL
        state[SCRATCH] = place
        seen, done, size = 1, 0, 0
        while done < seen:
            at = state[SCRATCH + done]
            done += 1
            size += _TALL + state[at + heights]
            for direction in range(4):
                if direction == 0:
                    beside = at - stride
                elif direction == 1:
                    beside = at - 1
                elif direction == 2:
                    beside = at + 1
                else:
                    beside = at + stride
                if state[beside] == own:
                    state[beside] = own + WALL
                    state[SCRATCH + seen] = beside
                    seen += 1
        rank = found
        while rank > 0 and state[groups + rank - 1] < size:
            state[groups + rank] = state[groups + rank - 1]
            rank -= 1
        state[groups + rank] = size
        found += 1
    for cell in range(tables[CELLS]):
        state[tables[PLACES + cell]] &= _STONES
    return found


@kernel
def set_roll(state: Cells, tables: Cells, larger: int, smaller: int) -> None:
    """Do nothing: there are no dice."""


@kernel
def playout(state: Cells, tables: Cells, generator: Cells, trace: Cells, moves: Cells, priors: Cells) -> int:
    """Fill the board at random: cells of the open rows first, heights as they come out of the hand."""
    size = tables[SIZE]
    cells = tables[CELLS]
    length = 0
    while state[CELLS_LEFT] > 0:
        closed = _closed_rows(state, tables)
        count = 0
        for cell in range(cells):
            if state[tables[PLACES + cell]] == 0 and cell // size % 2 != closed:
                moves[count] = cell
                count += 1
        while count > 0:
            chosen = draw(generator, count)
            cell = moves[chosen]
            count -= 1
            moves[chosen] = moves[count]
            mover = state[TO_MOVE]
            hand = HANDS + 3 * mover
            piece = draw(generator, state[hand] + state[hand + 1] + state[hand + 2])
            height = 0
            while piece >= state[hand + height]:
                piece -= state[hand + height]
                height += 1
            trace[length] = 2 * cell + mover
            length += 1
            play(state, tables, 3 * cell + height)
            if closed < 0 and state[CELLS_LEFT] == cells - 1:
                break
    return length


@kernel
def guess(state: Cells, tables: Cells) -> int:
    """Return Black's share of the win by the largest groups as they stand and the room beside them."""
    half = tables[CELLS] // 2
    black = 0
    for side in range(2):
        groups = GROUPS + side * half
        found = _sort_groups(state, tables, side + 1, groups)
        strength = 0
        weight = 8
        for rank in range(min(3, found)):
            strength += weight * state[groups + rank] // _TALL
            weight //= 2
        strength += 2 * _count_room(state, tables, side + 1)
        black += strength if side == 0 else -strength
    return WIN // 2 + WIN // 2 * black // (60 + abs(black))


@kernel
def _count_room(state: Cells, tables: Cells, own: int) -> int:
    """Return the number of empty cells beside pieces of a colour."""
    stride = tables[SIZE] + 2
    room = 0
    for cell in range(tables[CELLS]):
        place = tables[PLACES + cell]
        if state[place] == 0 and (
            state[place - 1] == own
            or state[place + 1] == own
            or state[place - stride] == own
            or state[place + stride] == own
        ):
            room += 1
    return room


@kernel
def list_threats(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write nothing: no move forces an answer."""
    return 0
