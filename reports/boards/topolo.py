"""The board of Topolo: pieces with their heights, bars that join a group, rows that are still closed.

Red pieces are round and Black's are square; rings and the number tell the height. The bars of a side's first
group (most pieces, then highest) are thick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from arena.rules.base import BLACK
from arena.rules.topolo import EMPTY, HEIGHTS, TopoloPosition
from reports.boards.drawing import (
    CELL,
    INK,
    LAST,
    LINE,
    PAPER,
    Drawing,
    Slot,
    Symbol,
    circle,
    label,
    lines,
    square,
)

if TYPE_CHECKING:
    from arena.rules.base import Move, Position

_CELL = CELL * 1.25
_LEFT, _TOP = 30.0, 16.0
_RED, _DARK = "#b3261e", "#2b2b2b"
_FIELD, _CLOSED = "#f7f1e3", "#cfc4a8"


def _piece(colour: int, height: int, *, is_last: bool) -> str:
    fill = _RED if colour == BLACK else _DARK
    shape, base = (circle, 0.42) if colour == BLACK else (square, 0.74)
    rings = "".join(
        shape(_CELL * base * (1 - 0.2 * ring), fill, PAPER if ring else INK, 1.6) for ring in range(height)
    )
    mark = square(_CELL - 4, "none", LAST, 4) if is_last else ""
    return f"{mark}{rings}{label(0, 0, str(height), 17, PAPER)}"


_OPEN, _SHUT, _PIECES, _LAST_PIECES, _NO_BAR, _BARS, _ROW = 0, 1, 2, 8, 14, 15, 19
_TITLES = ("Red", "Black")
_SYMBOLS = (
    Symbol(square(_CELL, _FIELD, LINE, 1)),
    Symbol(square(_CELL, _CLOSED, LINE, 1) + lines([(-8, 8, 8, -8)], LINE, 1.5)),
    *(
        Symbol(
            square(_CELL, _FIELD, LINE, 1) + _piece(colour, height, is_last=is_last),
            f"{_TITLES[colour]} pieces of height {height}{' (last move)' if is_last else ''}",
        )
        for is_last in (False, True)
        for colour in (0, 1)
        for height in HEIGHTS
    ),
    Symbol(),
    *(
        Symbol(f'<rect x="-9" y="{-thick / 2:g}" width="18" height="{thick}" fill="{fill}"/>')
        for thick in (6, 14)
        for fill in (_RED, _DARK)
    ),
    Symbol("", "Rows open"),
    Symbol(label(0, 0, "closed", 12), "Rows closed as yet"),
    Symbol("", "Rows full"),
)


class TopoloDrawing(Drawing):
    """Topolo on one size."""

    game: ClassVar[str] = "topolo"
    cell = _CELL

    def __init__(self, size: int) -> None:
        self._size = size
        self.title = f"Topolo board, {size} by {size}"
        self.width = _LEFT + size * _CELL + 56
        self.height = _TOP + size * _CELL + 30
        columns, rows = range(size), range(size)
        self.background = "".join(
            [
                label(_LEFT + (column + 0.5) * _CELL, self.height - 14, "ABCDEFGH"[column])
                for column in columns
            ]
            + [label(14, self._y(row), str(row + 1)) for row in rows]
        )
        self._across = [(row, column) for row in rows for column in columns[:-1]]
        self._upward = [(row, column) for row in rows[:-1] for column in columns]
        self.slots = (
            *(
                Slot(f"{'ABCDEFGH'[column]}{row + 1}", self._x(column), self._y(row))
                for row in rows
                for column in columns
            ),
            *(Slot("", self._x(column) + _CELL / 2, self._y(row)) for row, column in self._across),
            *(Slot("", self._x(column), self._y(row) - _CELL / 2, 90) for row, column in self._upward),
            *(Slot(str(row + 1), _LEFT + size * _CELL + 28, self._y(row)) for row in rows),
        )
        self.symbols = _SYMBOLS
        self.points = size * size

    def _x(self, column: int) -> float:
        return _LEFT + (column + 0.5) * _CELL

    def _y(self, row: int) -> float:
        return _TOP + (self._size - row - 0.5) * _CELL

    def state(self, position: Position, last: Move | None = None) -> bytes:
        """Return the state; see `Drawing.state`."""
        here = cast("TopoloPosition", position)
        size, board, heights = self._size, here.board, here.heights
        full = [EMPTY not in board[row * size : (row + 1) * size] for row in range(size)]
        # While more than half is empty, rows of the other parity are closed; by index that is `parity`.
        closed = here.parity if board.count(EMPTY) > len(board) // 2 else None
        state = bytearray()
        for cell, owner in enumerate(board):
            if owner == EMPTY:
                state.append(_SHUT if cell // size % 2 == closed else _OPEN)
            else:
                state.append(_PIECES + 3 * owner + heights[cell] - 1)
        if isinstance(last, int):
            state[last // 3] += _LAST_PIECES - _PIECES
        first = _first_groups(here)
        for row, column in self._across:
            state.append(_bar(board, first, row * size + column, row * size + column + 1))
        for row, column in self._upward:
            state.append(_bar(board, first, row * size + column, (row + 1) * size + column))
        for row in range(size):
            state.append(_ROW + (2 if full[row] else 1 if row % 2 == closed else 0))
        return bytes(state)

    def caption(self, position: Position, state: bytes | None = None) -> str:
        """Return the groups of both sides, the pieces left and who is to move."""
        here = cast("TopoloPosition", position)
        said = []
        for colour, title in enumerate(_TITLES):
            groups = here.groups(colour)
            shown = ", ".join(f"{pieces} (height {height})" for pieces, height in groups[:4])
            more = f" and {len(groups) - 4} more" if len(groups) > 4 else ""
            said.append(f"{title} groups: {shown or 'none'}{more}")
        if here.is_over:
            said.append(f"game over, {here.outcome().result}")
        else:
            for colour, title in enumerate(_TITLES):
                hand = here.hands[colour]
                said.append(f"{title} has left {hand[1]} small, {hand[2]} medium, {hand[3]} large")
            said.append(f"{_TITLES[here.to_move]} to move")
        return "; ".join(said) + "."


def _bar(board: list[int], first: set[int], one: int, other: int) -> int:
    if board[one] == EMPTY or board[one] != board[other]:
        return _NO_BAR
    return _BARS + board[one] + (2 if one in first else 0)


def _first_groups(position: TopoloPosition) -> set[int]:
    """Return the cells of both sides' first groups (most pieces, then highest; of equals the lowest cell)."""
    found: set[int] = set()
    for colour in (0, 1):
        unseen = {cell for cell, owner in enumerate(position.board) if owner == colour}
        best: tuple[tuple[int, int, int], set[int]] = ((0, 0, 0), set())
        while unseen:
            stack = [min(unseen)]
            group = set(stack)
            while stack:
                joined = unseen.intersection(position.rules.neighbours[stack.pop()]) - group
                group |= joined
                stack += joined
            unseen -= group
            rank = (len(group), sum(position.heights[cell] for cell in group), -min(group))
            best = max(best, (rank, group), key=lambda ranked: ranked[0])
        found |= best[1]
    return found
