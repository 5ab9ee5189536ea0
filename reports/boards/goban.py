"""Lines, coordinates and stones that Pletore and Pente share."""

from __future__ import annotations

from arena.rules.geometry import COLUMNS, vertex_names
from reports.boards.drawing import (
    BLACK_FILL,
    CELL,
    INK,
    LAST,
    LINE,
    WHITE_FILL,
    WOOD,
    Slot,
    circle,
    label,
    lines,
)

MARGIN = 38
STONE = CELL * 0.46


def side(size: int) -> float:
    """Return the width and height of the board with its coordinates."""
    return 2 * MARGIN + (size - 1) * CELL


def point_slots(size: int) -> tuple[Slot, ...]:
    """Return the slots of the points, in the order of the rules (A1, B1, …)."""
    names = vertex_names(size)
    return tuple(
        Slot(names[row * size + column], MARGIN + column * CELL, MARGIN + (size - 1 - row) * CELL)
        for row in range(size)
        for column in range(size)
    )


def board_background(size: int, centre: bool = False) -> str:
    """Return wood, lines and coordinates on all four sides; `centre` marks the middle point."""
    far = MARGIN + (size - 1) * CELL
    grid = [(MARGIN, MARGIN + at * CELL, far, MARGIN + at * CELL) for at in range(size)]
    grid += [(MARGIN + at * CELL, MARGIN, MARGIN + at * CELL, far) for at in range(size)]
    whole = side(size)
    parts = [f'<rect width="{whole:g}" height="{whole:g}" fill="{WOOD}"/>', lines(grid, LINE, 1.2)]
    for at in range(size):
        place = MARGIN + at * CELL
        parts += [label(place, edge, COLUMNS[at]) for edge in (11, whole - 11)]
        parts += [label(edge, place, str(size - at)) for edge in (11, whole - 11)]
    if centre:
        middle = MARGIN + (size - 1) / 2 * CELL
        parts.append(circle(3.5, LINE, LINE, x=middle, y=middle))
    return "".join(parts)


def stone(colour: int, *, is_last: bool = False) -> str:
    """Return a stone of BLACK or WHITE around the origin; the last one carries a ring."""
    fill = (BLACK_FILL, WHITE_FILL)[colour]
    mark = circle(STONE * 0.48, "none", LAST, 3) if is_last else ""
    return circle(STONE, fill, INK, 1.4) + mark
