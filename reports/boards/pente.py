"""The board of Pente: stones, crosses where the last move captured, a tray of captured pairs each."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from arena.rules.base import BLACK, WHITE
from arena.rules.pente import WINNING_PAIRS, PentePosition
from reports.boards.drawing import (
    BLACK_FILL,
    LAST,
    WHITE_FILL,
    Drawing,
    Slot,
    Symbol,
    circle,
    label,
    lines,
)
from reports.boards.goban import STONE, board_background, point_slots, side, stone

if TYPE_CHECKING:
    from arena.rules.base import Move, Position

_REACH = STONE * 0.55
_CROSS = lines([(-_REACH, -_REACH, _REACH, _REACH), (-_REACH, _REACH, _REACH, -_REACH)], LAST, 3.5)


def _ghost(colour: int) -> str:
    fill = (BLACK_FILL, WHITE_FILL)[colour]
    return f'<g opacity="0.35">{circle(STONE * 0.8, fill)}</g>{_CROSS}'


def _pair(colour: int) -> str:
    fill = (BLACK_FILL, WHITE_FILL)[colour]
    return circle(10, fill, x=-7) + circle(10, fill, x=7)


_NO_PAIR, _PAIR = 7, {BLACK: 8, WHITE: 9}
_SYMBOLS = (
    Symbol(),
    Symbol(stone(BLACK), "Black stones"),
    Symbol(stone(WHITE), "White stones"),
    Symbol(stone(BLACK, is_last=True), "Black stone of the last move"),
    Symbol(stone(WHITE, is_last=True), "White stone of the last move"),
    Symbol(_ghost(BLACK), "Black stones just captured"),
    Symbol(_ghost(WHITE), "White stones just captured"),
    Symbol(
        '<rect x="-18" y="-11" width="36" height="22" rx="11" fill="none" stroke="#767676" '
        'stroke-dasharray="3 3"/>'
    ),
    Symbol(_pair(BLACK)),
    Symbol(_pair(WHITE)),
)


class PenteDrawing(Drawing):
    """Pente on one size."""

    game: ClassVar[str] = "pente"

    def __init__(self, size: int) -> None:
        whole = side(size)
        self.title = f"Pente board, {size} by {size}"
        self.width = whole + 72
        self.height = max(whole, 2 * (60 + 28 * WINNING_PAIRS))
        tray = whole + 36
        below = self.height - 40
        self.background = (
            board_background(size, centre=True)
            + label(tray, 14, "White has", 12)
            + label(tray, self.height - 14, "Black has", 12)
        )
        self.slots = (
            *point_slots(size),
            *(Slot("", tray, below - 28 * place) for place in range(WINNING_PAIRS)),
            *(Slot("", tray, 40 + 28 * place) for place in range(WINNING_PAIRS)),
        )
        self.symbols = _SYMBOLS
        self.points = size * size

    def state(self, position: Position, last: Move | None = None) -> bytes:
        """Return the state; see `Drawing.state`."""
        here = cast("PentePosition", position)
        state = bytearray(here.board)
        if isinstance(last, int):
            state[last] += 2
            for point in cast("tuple[int, ...]", here.captured):
                state[point] = 5 + here.to_move
        for colour, pairs in enumerate(here.pairs_captured):
            shown = min(pairs, WINNING_PAIRS)
            state += bytes([_PAIR[1 - colour]] * shown + [_NO_PAIR] * (WINNING_PAIRS - shown))
        return bytes(state)

    def caption(self, position: Position, state: bytes | None = None) -> str:
        """Return captures, what is announced, and who is to move."""
        here = cast("PentePosition", position)
        black, white = here.pairs_captured
        said = [f"Pairs captured: Black {black}, White {white}"]
        if here.announcement:
            said.append(f"{('White', 'Black')[here.to_move]} announces {here.announcement}")
        said.append(
            f"game over, {here.outcome().result}"
            if here.is_over
            else f"{('Black', 'White')[here.to_move]} to move"
        )
        return "; ".join(said) + "."
