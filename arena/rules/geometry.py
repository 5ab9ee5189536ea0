"""The board that grid games share: points, their GTP names, rays and lines.

A point is the number `row * size + column`, counted from A1 (row 1 is the lowest, column A the leftmost).
Names are GTP's: columns A to Z without I, so at most 25 lines. Everything here depends on the size alone
and is made once.
"""

from __future__ import annotations

import re
from functools import cache

from arena.rules.base import BLACK, WHITE, MalformedMoveError, NoSuchMoveError, QuestionError
from arena.rules.checks import check_choice, shown

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
LARGEST_SIZE = len(COLUMNS)

_GTP_WORD = re.compile(r"[A-HJ-Z][0-9]{1,3}|pass", re.IGNORECASE | re.ASCII)
"""What GTP calls a move, whether or not this board has it."""

EMPTY = 0
BLACK_STONE = 1
WHITE_STONE = 2
"""What a point of a board holds: the stones are BLACK + 1 and WHITE + 1, and single bits."""

STONE_LETTERS = ".BW"

Ray = tuple[int, ...]
"""Points in one direction, the nearest first, up to the edge."""


@cache
def vertex_names(size: int) -> tuple[str, ...]:
    """Return the name of each point."""
    return tuple(f"{COLUMNS[column]}{row + 1}" for row in range(size) for column in range(size))


@cache
def words_of_points(size: int) -> dict[str, int]:
    """Return the point for each accepted spelling of its name, `D4` and `d4`.

    A look-up in place of `upper()`, which would turn letters of other scripts into names of columns.
    """
    names = vertex_names(size)
    return {spelling: point for point, name in enumerate(names) for spelling in (name, name.lower())}


def bad_vertex(text: str, size: int, *others: str) -> MalformedMoveError:
    """Return the error for a word that is no move: it quotes the word and gives the forms allowed."""
    allowed = " or ".join([f"a vertex from A1 to {vertex_names(size)[-1]} (columns without I)", *others])
    error = NoSuchMoveError if _GTP_WORD.fullmatch(text) else MalformedMoveError
    return error(f"{shown(text)} is no move: expected {allowed}")


@cache
def rays(size: int, directions: tuple[tuple[int, int], ...]) -> tuple[tuple[Ray, ...], ...]:
    """Return for each point its rays in the given directions, each a pair of (row step, column step)."""
    return tuple(
        tuple(_ray(size, row, column, *direction) for direction in directions)
        for row in range(size)
        for column in range(size)
    )


def _ray(size: int, row: int, column: int, row_step: int, column_step: int) -> Ray:
    points = []
    row, column = row + row_step, column + column_step
    while 0 <= row < size and 0 <= column < size:
        points.append(row * size + column)
        row, column = row + row_step, column + column_step
    return tuple(points)


def drawing(board: bytes | bytearray, size: int) -> list[str]:
    """Return the board as lines of text, rows from the top, with coordinates."""
    lines = []
    for row in range(size - 1, -1, -1):
        stones = (STONE_LETTERS[stone] for stone in board[row * size : (row + 1) * size])
        lines.append(f"{row + 1:2d} {' '.join(stones)}")
    lines.append(f"   {' '.join(COLUMNS[:size])}")
    return lines


def rows_text(board: bytes | bytearray, size: int) -> list[str]:
    """Return the board as a set-up position writes it: one string a row, from the top."""
    letters = "".join(STONE_LETTERS[stone] for stone in board)
    return [letters[row * size : (row + 1) * size] for row in range(size - 1, -1, -1)]


def board_from_rows(rows: object, size: int) -> bytearray:
    """Return the board that the `rows` of a set-up position describe.

    Raises:
        QuestionError: not `size` strings of `size` characters `.`, `B` or `W`.
    """
    if not isinstance(rows, list) or len(rows) != size:
        raise QuestionError(f"setup rows must be a list of {size} strings, the top row first")
    board = bytearray()
    for row, text in zip(range(size, 0, -1), rows, strict=True):
        if not isinstance(text, str) or len(text) != size or not set(text) <= set(STONE_LETTERS):
            raise QuestionError(
                f"setup rows: row {row} must be {size} characters `.`, `B` or `W`, not {shown(text)}"
            )
        board[:0] = bytes(STONE_LETTERS.index(letter) for letter in text)
    return board


def stones(board: bytes | bytearray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the points of the black and of the white stones."""
    black, white = (
        tuple(point for point, content in enumerate(board) if content == stone)
        for stone in (BLACK_STONE, WHITE_STONE)
    )
    return black, white


def turn_from_letter(letter: object) -> int:
    """Return the colour that the `turn` of a set-up position names, `B` or `W`."""
    return {"B": BLACK, "W": WHITE}[check_choice(letter, ("B", "W"), "setup turn")]


def colour_letter(colour: int) -> str:
    """Return `B` or `W`, as results and set-up positions name a colour."""
    return "BW"[colour]
