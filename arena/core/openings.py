"""Openings: the moves that the referee plays for both engines, from the seed or from a file of move lists.

Opening k of an event is a pure function of the rules, the book, the seed and k: nothing is remembered, so an
event that is resumed or extended, and a check years later, find the same ones. A book's lines come in the
file's order; random openings in an order fixed by `derive(seed, "openings", "GAME/SIZE/PLIES")`
(`arena.core.random_openings`). Komi has no say in them: they are placements.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from arena.core.event import NO_OPENING, Opening, OpeningBook
from arena.core.random_openings import OpeningError, random_openings
from arena.core.seeds import Label, derive
from arena.rules.base import MalformedMoveError

if TYPE_CHECKING:
    from arena.core.random_openings import RandomOpenings
    from arena.rules.base import Rules

__all__ = ["BookError", "OpeningError", "OpeningSource", "parse_book"]


class BookError(ValueError):
    """An opening file is wrong at one place.

    Attributes:
        line: in the file, from 1; 0 when it is about the file as a whole.
        ply: in the line, from 1; 0 when it is about the line as a whole.
        reason: what is wrong, in words.
    """

    def __init__(self, line: int, ply: int, reason: str) -> None:
        places = [f"{name} {number}" for name, number in (("line", line), ("ply", ply)) if number]
        super().__init__(f"{', '.join(places)}: {reason}" if places else reason)
        self.line = line
        self.ply = ply
        self.reason = reason


def parse_book(text: str, rules: Rules, source: str) -> OpeningBook:
    """Read an opening file: one opening a line, its moves parted by blanks, Black's first.

    `#` starts a comment; lines that hold nothing else are skipped. Every line is played through the rules.

    Args:
        text: what the file holds.
        rules: the event's game.
        source: what people call the file.

    Raises:
        BookError: a word that is no move, an illegal move, a game that is over, or no opening at all.
    """
    if rules.has_dice:
        raise BookError(0, 0, f"{rules.title} is played with dice: it has no openings of moves alone")
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            lines.append(_replayed(words, rules, number))
    if not lines:
        raise BookError(0, 0, f"{source} holds no opening")
    return OpeningBook(lines=tuple(lines), source=source)


def _replayed(words: list[str], rules: Rules, line: int) -> tuple[str, ...]:
    """Return the canonical words of an opening that is legal and leaves something to play."""
    position = rules.initial()
    moves = []
    for ply, word in enumerate(words, start=1):
        try:
            move = rules.parse_move(word)
        except MalformedMoveError as error:
            raise BookError(line, ply, str(error)) from error
        if (why := position.refusal(move)) is not None:
            raise BookError(line, ply, f"{rules.format_move(move)} is illegal: {why}")
        position.play(move)
        moves.append(rules.format_move(move))
        if position.is_over:
            raise BookError(line, ply, f"{moves[-1]} ends the game, an opening must leave it undecided")
    return tuple(moves)


class OpeningSource:
    """The openings of one event."""

    def __init__(self, book: OpeningBook, rules: Rules, seed: int) -> None:
        self._book = book
        self._rules = rules
        self._seed = seed

    @cached_property
    def _random(self) -> RandomOpenings:
        plies = self._book.random_plies
        key = derive(self._seed, Label.OPENINGS, f"{self._rules.game}/{self._rules.size}/{plies}")
        return random_openings(self._rules, plies, key.to_bytes(8, "big"))

    def count(self) -> int | None:
        """Return after how many openings they begin again, None when that is practically never.

        Random openings are all different up to that number; in a file it is the number of its lines. Without
        openings there is nothing to run out of: None.

        Raises:
            OpeningError: the board allows no such random opening.
        """
        if self._book.lines:
            return len(self._book.lines)
        return self._random.count() if self._book.random_plies else None

    def opening(self, index: int) -> Opening:
        """Return the opening of an index, from 0; beyond `count()` they begin again.

        Raises:
            OpeningError: the board allows no such random opening.
        """
        if not self._book.lines and not self._book.random_plies:
            return NO_OPENING
        count = self.count()
        place = index if count is None else index % count
        label = f"{self._book.source} #{place + 1}"
        if self._book.lines:
            return Opening(label, self._book.lines[place])
        moves = self._random.moves(place)
        return Opening(label, tuple(self._rules.format_move(move) for move in moves))
