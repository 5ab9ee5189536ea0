"""What the drawings of all games share: slots, symbols, and how a state becomes SVG or words.

Nothing from an engine or a file enters a drawing: all its texts are written here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.rules.base import Move, Position

CELL = 40
"""Distance of neighbouring points, in units of the picture."""

INK, PAPER, WOOD, LINE = "#1a1a1a", "#ffffff", "#f0d9a8", "#6b5836"
BLACK_FILL, WHITE_FILL = "#1a1a1a", "#ffffff"
LAST = "#d55e00"
"""Vermilion (Okabe and Ito, 2008): marks what the last move did, always by shape too."""


_ANY_MARK = re.compile(rb"[^\0]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of the picture whose look changes.

    Attributes:
        name: what the words of the board call it, `D4`; for points and cells the word of the protocol.
        x, y: where the symbol's origin is put.
        turn: degrees the symbol is turned by, clockwise.
    """

    name: str
    x: float
    y: float
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A look of a slot.

    Attributes:
        markup: SVG around the origin, empty for nothing.
        words: what stands there, in the plural where it can be many (`Black stones`); empty: not spoken of.
    """

    markup: str = ""
    words: str = ""


class Drawing(ABC):
    """A board without a position.

    Attributes:
        game: id of the rules; begins the ids of the symbols.
        title: what the picture shows, for people.
        width, height: of the picture, in its units.
        background: SVG of what never changes.
        slots: at most 1000; those that are clicked come first, in the order of the rules' points.
        symbols: at most 256.
        points: how many slots at the beginning are points or cells of the board.
        cell: side of the square around a slot that belongs to it, for clicks.
    """

    game: ClassVar[str]
    title: str
    width: float
    height: float
    background: str
    slots: tuple[Slot, ...]
    symbols: tuple[Symbol, ...]
    points: int
    cell: float = CELL

    @abstractmethod
    def state(self, position: Position, last: Move | None = None) -> bytes:
        """Return the number of the symbol in each slot.

        Args:
            position: a position of this game on a board of this size.
            last: the move that led to it, which is marked; None marks nothing.
        """

    @abstractmethod
    def caption(self, position: Position, state: bytes | None = None) -> str:
        """Return what the board does not show, as a line of text: score, captures, groups, whose turn.

        Args:
            position: a position of this game on a board of this size.
            state: its state, where it is at hand already: that saves finding things out twice.
        """

    def svg(self, state: bytes, *, caption: str = "") -> str:
        """Return a whole picture; it stands alone or inside a page.

        Args:
            state: one byte a slot.
            caption: added to the words of the board.
        """
        words = " ".join(filter(None, (self.alternative(state), caption)))
        used = sorted(set(state))
        return self._picture(state, used, f"<title>{self.title}</title><desc>{_escaped(words)}</desc>")

    def skeleton(self) -> str:
        """Return the picture with every symbol and empty slots, for a page that fills them itself."""
        return self._picture(bytes(len(self.slots)), range(len(self.symbols)), "")

    def alternative(self, state: bytes) -> str:
        """Return the words of the board, `Black stones: C3, D4. White stones: E5.` and so on."""
        places: dict[str, list[str]] = {}
        for slot, number in zip(self.slots, state, strict=True):
            words = self.symbols[number].words
            if words:
                places.setdefault(words, []).append(slot.name)
        said = [_said(words, places[words]) for words in sorted(places)]
        return " ".join(said) or "The board is empty."

    def as_data(self) -> dict[str, Any]:
        """Return what a page needs beside `skeleton`, JSON-ready."""
        return {
            "game": self.game,
            "title": self.title,
            "names": [slot.name for slot in self.slots],
            "words": [symbol.words for symbol in self.symbols],
            "points": self.points,
            "cell": self.cell,
        }

    def _picture(self, state: bytes, used: Iterable[int], head: str) -> str:
        symbols = "".join(
            f'<g id="{self.game}-{number}">{self.symbols[number].markup}</g>' for number in used
        )
        slots = "".join(
            f'<use class="slot" href="#{self.game}-{number}" transform="{_placed(slot)}"/>'
            for slot, number in zip(self.slots, state, strict=True)
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" '
            f'font-family="sans-serif" font-size="14" text-anchor="middle">'
            f"{head}<defs>{symbols}</defs>{self.background}{slots}</svg>"
        )


def changes(before: bytes, after: bytes) -> list[int]:
    """Return what must be done to one state to get the other: a slot and its symbol, and so on."""
    difference = int.from_bytes(before) ^ int.from_bytes(after)
    if not difference:
        return []
    marks = difference.to_bytes(len(after))
    found: list[int] = []
    for mark in _ANY_MARK.finditer(marks):
        slot = mark.start()
        found += (slot, after[slot])
    return found


def label(x: float, y: float, text: str, size: int = 14, fill: str = INK) -> str:
    """Return a text centred on a point."""
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" font-size="{size}" fill="{fill}">{text}</text>'


def circle(
    radius: float, fill: str, stroke: str = INK, width: float = 1.2, x: float = 0, y: float = 0
) -> str:
    """Return a circle."""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{width:g}"/>'
    )


def square(side: float, fill: str, stroke: str = INK, width: float = 1.2, x: float = 0, y: float = 0) -> str:
    """Return a square around a point."""
    return (
        f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"/>'
    )


def lines(paths: Sequence[tuple[float, float, float, float]], stroke: str, width: float) -> str:
    """Return straight lines (x, y, x, y) as one path."""
    path = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for x1, y1, x2, y2 in paths)
    return f'<path d="{path}" stroke="{stroke}" stroke-width="{width:g}" fill="none"/>'


def _placed(slot: Slot) -> str:
    placed = f"translate({slot.x:g} {slot.y:g})"
    return f"{placed} rotate({slot.turn})" if slot.turn else placed


def _said(words: str, places: Sequence[str]) -> str:
    names = ", ".join(filter(None, places))
    return f"{words}: {names}." if names else f"{words}."


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
