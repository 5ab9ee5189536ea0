"""Openings: the moves that the referee plays for both engines, from the seed or from a file.

Opening k of an event is a pure function of the rules, the book, the seed and k: nothing is remembered, so an
event that is resumed or extended, and a check years later, find the same ones. A book's lines come in the
file's order, or shuffled by `derive(seed, "openings", "lines/COUNT")`; random openings in an order fixed by
`derive(seed, "openings", "GAME/SIZE/PLIES")`, up to symmetry with `/symmetry` after it
(`arena.core.random_openings`). Komi has no say in them: they are placements.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from arena.core.event import NO_OPENING, Opening
from arena.core.opening_files import BookError, parse_book
from arena.core.permutation import Permutation
from arena.core.random_openings import OpeningError, random_openings
from arena.core.seeds import Label, derive
from arena.words import counted

if TYPE_CHECKING:
    from arena.core.event import OpeningBook
    from arena.core.random_openings import RandomOpenings
    from arena.rules.base import Rules

__all__ = ["BookError", "OpeningError", "OpeningSource", "parse_book"]


class OpeningSource:
    """The openings of one event."""

    def __init__(self, book: OpeningBook, rules: Rules, seed: int) -> None:
        self._book = book
        self._rules = rules
        self._seed = seed

    @cached_property
    def _random(self) -> RandomOpenings:
        plies = self._book.random_plies
        is_turned = self._book.distinct == "symmetry"
        ident = f"{self._rules.game}/{self._rules.size}/{plies}{'/symmetry' if is_turned else ''}"
        key = derive(self._seed, Label.OPENINGS, ident).to_bytes(8, "big")
        return random_openings(self._rules, plies, key, up_to_symmetry=is_turned)

    @cached_property
    def _order(self) -> Permutation:
        count = len(self._book.lines)
        return Permutation(count, derive(self._seed, Label.OPENINGS, f"lines/{count}").to_bytes(8, "big"))

    def count(self) -> int | None:
        """Return after how many openings they begin again, None when that is practically never.

        Random openings are all different up to that number; of a file it is the number of its openings.
        Without openings there is nothing to run out of: None.

        Raises:
            OpeningError: the board allows no such random opening, or fewer than the one to start with.
        """
        count = len(self._book.lines)
        if not count and not self._book.random_plies:
            return None
        distinct = count or self._random.count()
        if distinct is not None and self._book.start > distinct:
            start = self._book.start
            raise OpeningError(
                f"start = {start}: {self._book.source} has only {counted(distinct, 'opening')}"
            )
        return distinct

    def opening(self, index: int) -> Opening:
        """Return the opening of an index, from 0; beyond `count()` they begin again.

        Raises:
            OpeningError: the board allows no such random opening.
        """
        if not self._book.lines and not self._book.random_plies:
            return NO_OPENING
        count = self.count()
        place = index + self._book.start - 1
        if count is not None:
            place %= count
        if self._book.lines:
            line = self._order.at(place) if self._book.order == "random" else place
            return Opening(f"{self._book.source} #{line + 1}", self._book.lines[line])
        label = f"{self._book.source} #{place + 1}"
        moves = self._random.moves(place)
        return Opening(label, tuple(self._rules.format_move(move) for move in moves))

    def warnings(self, pairs: int) -> list[str]:
        """Return what is to be said about starting `pairs` pairs from these openings, a sentence each."""
        count, start, source = self.count(), self._book.start, self._book.source
        said = []
        if self._book.left_out:
            said.append(
                f"{source}: {counted(self._book.left_out, 'opening')} left out: repeats of an earlier one"
            )
        if count is None:
            return said
        if pairs > count:
            there = counted(count, "opening")
            shortage = f"{counted(pairs, 'pair')} for each pairing, but {source} has only {there}"
            said.append(f"{shortage}: from pair {count + 1} on they are played again")
        elif start + pairs - 1 > count:
            last = count - start + 1
            said.append(f"{source} ends with pair {last}: the pairs after it begin at the book's beginning")
        return said
