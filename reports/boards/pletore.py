"""The board of Pletore: stones, a small square of his colour on every point a player controls, the button.

A square on an empty point says who owns it; on a stone of the other side it says that the stone can be
flipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from arena.rules.base import BLACK, WHITE
from reports.boards.drawing import (
    BLACK_FILL,
    CELL,
    INK,
    WHITE_FILL,
    Drawing,
    Slot,
    Symbol,
    circle,
    label,
    square,
)
from reports.boards.goban import board_background, point_slots, side, stone

if TYPE_CHECKING:
    from arena.rules.base import Move, Position
    from arena.rules.pletore import PletorePosition

_SQUARE = CELL * 0.26


def _mark(colour: int) -> str:
    return square(_SQUARE, (BLACK_FILL, WHITE_FILL)[colour], (WHITE_FILL, INK)[colour], 1.2)


def _button(fill: str, ink: str, text: str) -> str:
    return f"{circle(21, fill, INK, 2)}{label(0, 0, text, 22, ink)}"


_POINTS = (
    Symbol(),
    Symbol(stone(BLACK), "Black stones"),
    Symbol(stone(WHITE), "White stones"),
    Symbol(stone(BLACK) + _mark(WHITE), "Black stones that White can flip"),
    Symbol(stone(WHITE) + _mark(BLACK), "White stones that Black can flip"),
    Symbol(_mark(BLACK), "Empty points Black controls"),
    Symbol(_mark(WHITE), "Empty points White controls"),
    Symbol(stone(BLACK, is_last=True), "Black stone of the last move"),
    Symbol(stone(WHITE, is_last=True), "White stone of the last move"),
    Symbol(stone(BLACK, is_last=True) + _mark(WHITE), "Black stone of the last move, which White can flip"),
    Symbol(stone(WHITE, is_last=True) + _mark(BLACK), "White stone of the last move, which Black can flip"),
)
_LAST = {1: 7, 2: 8, 3: 9, 4: 10}
_BUTTONS = {
    "unused": (11, Symbol("", "No button in use")),
    "free": (12, Symbol(_button("#dddddd", INK, "½"), "Button free")),
    "black": (13, Symbol(_button(BLACK_FILL, WHITE_FILL, "½"), "Button taken by Black")),
    "white": (14, Symbol(_button(WHITE_FILL, INK, "½"), "Button taken by White")),
}
# By stone (bits 0 and 1: 0, 1, 2) and controller (bits 2 and 3): a square is drawn unless the stone is the
# controller's own.
_SYMBOL_OF_CODE = bytes(
    {0b0000: 0, 0b0001: 1, 0b0010: 2, 0b0100: 5, 0b1000: 6, 0b0101: 1, 0b1010: 2, 0b1001: 3, 0b0110: 4}.get(
        code, 0
    )
    for code in range(256)
)


_BLACK_SCORES, _WHITE_SCORES = bytes((1, 3, 7, 9, 5)), bytes((2, 4, 8, 10, 6))
"""Symbols that are worth a point: stones, and empty points controlled."""


def _scores(state: bytes) -> tuple[int, int]:
    """Return the board scores that a state shows."""
    left = len(state)
    return left - len(state.translate(None, _BLACK_SCORES)), left - len(state.translate(None, _WHITE_SCORES))


class PletoreDrawing(Drawing):
    """Pletore on one size."""

    game: ClassVar[str] = "pletore"

    def __init__(self, size: int) -> None:
        self.title = f"Pletore board, {size} by {size}"
        self.width = side(size) + 64
        self.height = side(size)
        self.background = board_background(size)
        self.slots = (*point_slots(size), Slot("", side(size) + 32, side(size) / 2))
        self.symbols = (*_POINTS, *(symbol for _, symbol in _BUTTONS.values()))
        self.points = size * size

    def state(self, position: Position, last: Move | None = None) -> bytes:
        """Return the state; see `Drawing.state`."""
        here = cast("PletorePosition", position)
        codes = int.from_bytes(here.controllers()) << 2 | int.from_bytes(here.board)
        state = bytearray(codes.to_bytes(self.points).translate(_SYMBOL_OF_CODE))
        if isinstance(last, int) and last < self.points:
            state[last] = _LAST[state[last]]
        state.append(_BUTTONS[here.button_state][0])
        return bytes(state)

    def caption(self, position: Position, state: bytes | None = None) -> str:
        """Return board scores, komi, the button and who is to move."""
        here = cast("PletorePosition", position)
        black, white = here.scores() if state is None else _scores(state)
        said = [f"On the board: Black {black}, White {white}", f"komi {here.rules.komi}"]
        if here.button_state != "unused":
            said.append(
                "button free" if here.button_state == "free" else f"button {here.button_state.title()}"
            )
        said.append(
            f"game over, {here.outcome().result}"
            if here.is_over
            else f"{('Black', 'White')[here.to_move]} to move"
        )
        return "; ".join(said) + "."
