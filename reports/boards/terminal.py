"""Boards on a terminal, in colour: the same facts as the pictures, a few characters a point.

Stones are told apart by shape too (`●`, `○`), pieces by letters; the last move stands in brackets. Colours
are from the palette of 256, each with its own background, so that light and dark terminals show them alike.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.rules.base import BLACK
from arena.rules.geometry import COLUMNS
from arena.rules.pente import PentePosition
from arena.rules.plakoto import PlakotoPosition
from arena.rules.pletore import PletorePosition
from arena.rules.topolo import EMPTY, TopoloPosition
from reports.boards import drawing_of

if TYPE_CHECKING:
    from arena.rules.base import Move, Position

_RESET = "\x1b[0m"
_WOOD = "\x1b[22;48;5;137;38;5;16m"
_WHITE_ON_WOOD = "\x1b[1;48;5;137;38;5;231m"
_MARKED = "\x1b[1;48;5;137;38;5;16m"
_RED, _DARK = "\x1b[48;5;124;38;5;231m", "\x1b[48;5;235;38;5;231m"
_FIELD, _CLOSED = "\x1b[48;5;230;38;5;16m", "\x1b[48;5;145;38;5;16m"
_STONES = (_WOOD, _WHITE_ON_WOOD)
_SHAPES = "●○"
_SQUARES = "▪▫"


def coloured(position: Position, last: Move | None = None) -> list[str]:
    """Return the position as lines with colour codes, and below it its caption.

    A game without a board here gives its diagram, without colours.
    """
    match position:
        case PletorePosition():
            lines = [*_pletore(position, last), f"{_SQUARES[0]} Black controls, {_SQUARES[1]} White controls"]
        case PentePosition():
            lines = _goban(position.board, position.rules.size, last, {})
        case TopoloPosition():
            lines = _topolo(position, last)
        case PlakotoPosition():
            lines = [_plakoto(line) for line in position.diagram()[:6]]
        case _:
            return position.diagram()
    drawing = drawing_of(position.rules)
    return [*lines, drawing.caption(position)] if drawing else position.diagram()


def _pletore(position: PletorePosition, last: Move | None) -> list[str]:
    controllers = position.controllers()
    board = position.board
    marks = {
        point: owner - 1
        for point, (owner, stone) in enumerate(zip(controllers, board, strict=True))
        if owner and owner != stone
    }
    return _goban(board, position.rules.size, last, marks)


def _goban(board: bytes, size: int, last: Move | None, marks: dict[int, int]) -> list[str]:
    """Return a board of stones; `marks` names the owner of points that get a small square."""
    letters = "   " + "".join(f" {column} " for column in COLUMNS[:size])
    lines = [letters]
    for row in range(size - 1, -1, -1):
        cells = "".join(_point(board, point, last, marks) for point in range(row * size, (row + 1) * size))
        lines.append(f"{row + 1:2} {cells}{_RESET} {row + 1}")
    return [*lines, letters]


def _point(board: bytes, point: int, last: Move | None, marks: dict[int, int]) -> str:
    square = f"{_STONES[marks[point]]}{_SQUARES[marks[point]]}" if point in marks else ""
    if not board[point]:
        return f"{_WOOD} {square or '·'}{_WOOD} "
    colour = board[point] - 1
    left, right = (f"{_MARKED}(", f"{_MARKED})") if point == last else (f"{_WOOD} ", square or f"{_WOOD} ")
    return f"{left}{_STONES[colour]}{_SHAPES[colour]}{right}"


def _topolo(position: TopoloPosition, last: Move | None) -> list[str]:
    size, board = position.rules.size, position.board
    closed = position.parity if board.count(EMPTY) > len(board) // 2 else None
    letters = "   " + "".join(f" {column}  " for column in COLUMNS[:size])
    lines = []
    for row in range(size - 1, -1, -1):
        cells = []
        for cell in range(row * size, (row + 1) * size):
            if board[cell] == EMPTY:
                cells.append(f"{_CLOSED} // " if row % 2 == closed else f"{_FIELD} .. ")
                continue
            ends = "()" if isinstance(last, int) and cell == last // 3 else "  "
            look, letter = (_RED, "R") if board[cell] == BLACK else (_DARK, "B")
            cells.append(f"{look}{ends[0]}{letter}{position.heights[cell]}{ends[1]}")
        note = " closed" if row % 2 == closed else ""
        lines.append(f"{row + 1:2} {''.join(cells)}{_RESET}{note}")
    return [*lines, letters]


_CHECKERS = re.compile(r"([BW])([0-9]+)(\([BW]\))?")


def _plakoto(line: str) -> str:
    """Colour the checkers of a line of the diagram; the lines with numbers hold none."""

    def look(match: re.Match[str]) -> str:
        colour = _STONES["BW".index(match[1])]
        pinned = f"{_MARKED}{match[3]}" if match[3] else ""
        return f"{colour}{match[1]}{match[2]}{pinned}{_RESET}"

    return _CHECKERS.sub(look, line)
