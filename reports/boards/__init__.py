"""Boards as pictures: a position of any of the four games as SVG, with words for who cannot see it.

There is one drawing, made here; pages do not draw. A `Drawing` is everything about a board that does not
change in a game: its lines, its *slots* (places whose look may change) and its *symbols* (looks a slot may
have). A position is then nothing but one byte a slot, the number of its symbol (`Drawing.state`), and a game
is a first state and the bytes that each move changes. A page holds the SVG once and shows another position by
pointing the `<use>` element of a slot at another symbol; `reports/page/board.js` is that, for every game, and
the words of the board come from the same table of symbols on both sides.

    drawing = drawing_of(position.rules)         # None for a game without pictures: show position.diagram()
    state = drawing.state(position, last=move)   # bytes
    drawing.svg(state)                           # a whole picture, `<title>` and `<desc>` included
    drawing.alternative(state)                   # its text alternative
    drawing.caption(position)                    # the line under it: score, captures, groups, who is to move
    drawing.as_data()                            # for a page: names of the slots, words of the symbols
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from arena.rules.pente import Pente
from arena.rules.plakoto import Plakoto
from arena.rules.pletore import Pletore
from arena.rules.topolo import Topolo
from reports.boards.drawing import Drawing, Slot, Symbol, changes
from reports.boards.pente import PenteDrawing
from reports.boards.plakoto import PlakotoDrawing
from reports.boards.pletore import PletoreDrawing
from reports.boards.topolo import TopoloDrawing

if TYPE_CHECKING:
    from arena.rules.base import Rules

__all__ = ["Drawing", "Slot", "Symbol", "changes", "drawing_of"]


def drawing_of(rules: Rules) -> Drawing | None:
    """Return the drawing of a game's board; None for a game that has none (one of a plugin)."""
    return _drawing(type(rules), rules.size)


@cache
def _drawing(kind: type[Rules], size: int | None) -> Drawing | None:
    if kind is Plakoto:
        return PlakotoDrawing()
    if size is None:
        return None
    if kind is Pletore:
        return PletoreDrawing(size)
    if kind is Pente:
        return PenteDrawing(size)
    if kind is Topolo:
        return TopoloDrawing(size)
    return None
