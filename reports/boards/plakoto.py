"""The board of Plakoto: 24 points, checkers and who pins whom, dice, checkers borne off.

The board is seen from Black's side: his points 24 to 13 are above, 12 to 1 below, he runs towards the lower
right. Every point carries both numbers, Black's in bold at the rim. At most five checkers are drawn on a
point, a number tells when there are more. A pinned checker lies lowest and carries a cross.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from arena.rules.base import BLACK, WHITE
from arena.rules.plakoto import CHECKERS, OFF, START, PlakotoPosition
from arena.words import counted
from reports.boards.drawing import (
    BLACK_FILL,
    INK,
    LAST,
    LINE,
    WHITE_FILL,
    WOOD,
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

_STEP = 40.0
"""Width of a point, and distance of the checkers on it."""
_RADIUS = 18.5
_DRAWN = 5
_LEFT, _TOP, _BAR = 12.0, 46.0, 22.0
_WIDE = 12 * _STEP + _BAR
_HIGH = 2 * (_DRAWN + 1) * _STEP + 74
_TITLES = ("Black", "White")
_FILLS = (BLACK_FILL, WHITE_FILL)
_INKS = (WHITE_FILL, INK)

# Symbols, in this order: empty; then for each half of the board, holder and pin, 1 to 15 checkers; marks of
# the last move; dice of either side; checkers borne off.
_STACKS = 1
_MARKS = _STACKS + 2 * 2 * 2 * CHECKERS
_DICE = _MARKS + 3
_OFF = _DICE + 1 + 2 * 6


def _stack(is_above: bool, holder: int, count: int, *, is_pinning: bool) -> str:
    """Return checkers piled up from the rim towards the middle of the board."""
    towards = 1 if is_above else -1
    heights = [towards * _STEP * place for place in range(min(count + is_pinning, _DRAWN))]
    parts = []
    if is_pinning:
        reach = _RADIUS * 0.45
        parts.append(
            circle(_RADIUS, _FILLS[1 - holder], y=heights[0])
            + lines([(-reach, -reach, reach, reach), (-reach, reach, reach, -reach)], LAST, 3.5)
        )
    parts += [
        circle(_RADIUS, _FILLS[holder], _INKS[holder] if holder == BLACK else INK, y=y)
        for y in heights[is_pinning:]
    ]
    if count + is_pinning > _DRAWN:
        parts.append(label(0, heights[-1], str(count), 16, _INKS[holder]))
    return "".join(parts)


def _stack_words(holder: int, count: int, *, is_pinning: bool) -> str:
    checkers = f"{counted(count, f'{_TITLES[holder]} checker')}"
    return f"{checkers} pinning a {_TITLES[1 - holder]} one" if is_pinning else checkers


def _die(colour: int, value: int) -> str:
    spots = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
        6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
    }[value]
    face = f'<rect x="-16" y="-16" width="32" height="32" rx="6" fill="{_FILLS[colour]}" stroke="{INK}"/>'
    return face + "".join(circle(2.8, _INKS[colour], "none", 0, 9 * x, 9 * y) for x, y in spots)


_SYMBOLS = (
    Symbol(),
    *(
        Symbol(
            _stack(is_above, holder, count, is_pinning=is_pinning),
            _stack_words(holder, count, is_pinning=is_pinning),
        )
        for is_above in (False, True)
        for holder in (BLACK, WHITE)
        for is_pinning in (False, True)
        for count in range(1, CHECKERS + 1)
    ),
    Symbol(),
    Symbol(circle(5, "none", LAST, 2.2), "Left in the last move"),
    Symbol(square(9, LAST, LAST, 1), "Reached in the last move"),
    Symbol(),
    *(
        Symbol(_die(colour, value), f"{_TITLES[colour]}'s die {value}")
        for colour in (BLACK, WHITE)
        for value in range(1, 7)
    ),
    *(
        Symbol(
            circle(_RADIUS, _FILLS[colour]) + label(0, 0, str(count), 16, _INKS[colour]),
            f"Borne off by {_TITLES[colour]} {count}" if count else "",
        )
        for colour in (BLACK, WHITE)
        for count in range(CHECKERS + 1)
    ),
)


class PlakotoDrawing(Drawing):
    """Plakoto's one board."""

    game: ClassVar[str] = "plakoto"
    title = "Plakoto board, points in Black's numbering"
    cell = _STEP

    def __init__(self) -> None:
        self.width = _LEFT + _WIDE + 84
        self.height = _HIGH + 2 * _TOP
        floor = _TOP + _HIGH
        tray = _LEFT + _WIDE + 46
        self._rims = {point: self._rim(point) for point in range(1, START + 1)}
        self.background = "".join(
            [
                f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDE}" height="{_HIGH}" fill="{WOOD}"/>',
                f'<rect x="{_LEFT + 6 * _STEP}" y="{_TOP}" width="{_BAR}" height="{_HIGH}" fill="{LINE}"/>',
                *(self._tongue(point) for point in self._rims),
                *(self._numbers(point) for point in self._rims),
                label(tray, _TOP + 8, "White off", 12),
                label(tray, floor - 8, "Black off", 12),
            ]
        )
        middle = _TOP + _HIGH / 2
        self.slots = (
            *(
                Slot(f"point {point}", x, rim + (_RADIUS + 2 if point > 12 else -_RADIUS - 2))
                for point, (x, rim) in self._rims.items()
            ),
            *(
                Slot(f"point {point}", x, rim + (_DRAWN * _STEP + 12 if point > 12 else -_DRAWN * _STEP - 12))
                for point, (x, rim) in self._rims.items()
            ),
            *(Slot("", _LEFT + _WIDE * 0.75 + place, middle) for place in (-20, 20)),
            Slot("", tray, floor - 38),
            Slot("", tray, _TOP + 38),
        )
        self.symbols = _SYMBOLS
        self.points = START

    @staticmethod
    def _rim(point: int) -> tuple[float, float]:
        """Return the middle of a point's base."""
        column = point - 13 if point > 12 else 12 - point
        x = _LEFT + (column + 0.5) * _STEP + (_BAR if column >= 6 else 0)
        return x, _TOP if point > 12 else _TOP + _HIGH

    def _tongue(self, point: int) -> str:
        x, rim = self._rims[point]
        tip = rim + (_DRAWN * _STEP if point > 12 else -_DRAWN * _STEP)
        fill = "#d9b36c" if point % 2 else "#c98f4e"
        half = _STEP / 2 - 1
        return f'<path d="M{x - half:g} {rim:g}L{x:g} {tip:g}L{x + half:g} {rim:g}Z" fill="{fill}"/>'

    def _numbers(self, point: int) -> str:
        x, rim = self._rims[point]
        outward = -1 if point > 12 else 1
        own = f'<g font-weight="bold">{label(x, rim + outward * 12, str(point), 14)}</g>'
        return own + label(x, rim + outward * 30, str(25 - point), 12, "#5a5a5a")

    def state(self, position: Position, last: Move | None = None) -> bytes:
        """Return the state; see `Drawing.state`."""
        here = cast("PlakotoPosition", position)
        state = bytearray(START)
        pinned = [set(here.pinned(colour)) for colour in (BLACK, WHITE)]
        for colour in (BLACK, WHITE):
            for own, count in here.points(colour).items():
                if own in pinned[colour]:
                    continue
                point = own if colour == BLACK else 25 - own
                pinning = 25 - own in pinned[1 - colour]
                row = ((point > 12) * 2 + colour) * 2 + pinning
                state[point - 1] = _STACKS + row * CHECKERS + count - 1
        state += self._marks(1 - here.to_move, last)
        for place in (0, 1):
            shown = 0 if here.dice is None else 1 + 6 * here.to_move + here.dice[place] - 1
            state.append(_DICE + shown)
        for colour in (BLACK, WHITE):
            state.append(_OFF + colour * (CHECKERS + 1) + here.off(colour))
        return bytes(state)

    @staticmethod
    def _marks(mover: int, last: Move | None) -> bytes:
        """Return the marks of the points that the last move left and reached."""
        marks = bytearray([_MARKS] * START)
        steps = cast("tuple[tuple[int, int], ...]", last or ())
        for mark, ends in ((1, [start for start, _ in steps]), (2, [end for _, end in steps])):
            for own in ends:
                if own != OFF:
                    marks[(own if mover == BLACK else 25 - own) - 1] = _MARKS + mark
        return bytes(marks)

    def caption(self, position: Position, state: bytes | None = None) -> str:
        """Return what is borne off, what is left to run, the dice and who is to move."""
        here = cast("PlakotoPosition", position)
        said = [
            f"{title}: {here.off(colour)} off, {here.pip_count(colour)} points to run"
            for colour, title in enumerate(_TITLES)
        ]
        if here.is_over:
            said.append(f"game over, {here.outcome().result}")
        else:
            roll = " to throw" if here.dice is None else f" to move with {max(here.dice)}-{min(here.dice)}"
            said.append(f"{_TITLES[here.to_move]}{roll}")
        return "; ".join(said) + "."
