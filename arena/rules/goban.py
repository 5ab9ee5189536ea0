"""Positions of black and white stones on the points of a square board: what such games share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.rules.base import BLACK, Position, QuestionError, colour_name
from arena.rules.checks import check_keys
from arena.rules.geometry import board_from_rows, colour_letter, rows_text, stones, turn_from_letter

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from arena.rules.base import Rules


class GobanPosition(Position):
    """Stones on points; a subclass knows what a move does.

    Attributes:
        _board: what each point holds (`arena.rules.geometry`).
        _points: how many there are.
    """

    def __init__(self, rules: Rules, board: bytearray | None = None, to_move: int = BLACK) -> None:
        size = rules.size or 0
        self.rules = rules
        self.to_move = to_move
        self.ply = 0
        self.is_over = False
        self._points = size * size
        self._board = bytearray(self._points) if board is None else board

    @property
    def board(self) -> bytes:
        """The stones by point (row * size + column, from A1): 0 empty, 1 Black, 2 White."""
        return bytes(self._board)

    def pieces(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the points of Black's and of White's stones."""
        return stones(self._board)

    def as_setup(self) -> dict[str, Any]:
        """Return the position as a `setup` object; the turns already played are not part of it."""
        size = self.rules.size or 0
        return {
            "n": size,
            "rows": rows_text(self._board, size),
            "turn": colour_letter(self.to_move),
        }


def check_setup_keys(setup: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse a `setup` object with an unknown key, or without a board."""
    check_keys(setup, known, "setup")
    for key in ("n", "rows"):
        if key not in setup:
            raise QuestionError(f"setup has no {key}")


def board_and_turn(setup: Mapping[str, Any], size: int) -> tuple[bytearray, int]:
    """Return the board of a `setup` object whose keys have been checked, and who is to move."""
    return board_from_rows(setup["rows"], size), turn_from_letter(setup.get("turn", "B"))


def title(colour: int) -> str:
    """Return what messages call a colour: Black or White."""
    return colour_name(colour).capitalize()
