"""Random openings of any game: K placements, each opening another position, any of them at once.

Two ways, one interface. Where the board allows few openings all positions after K placements are listed, each
once. Where it allows many, they are numbered: a number stands for Black's first placement, the set of
White's placements and the set of Black's further ones, so two orders of the same placements are one number.
Not every number is an opening (placements get in each other's way, the first one must come first in its set,
the rules may refuse, a capture may make two sets one position). The numbers are put into an order by the
seed, and openings are dealt out of it as cars park along a street: opening k drives up at a place of its own
and takes the first good one not meant for a car that drove up after it. Which one that is follows from the
places between the two alone, as with brackets that are matched, so nothing is remembered and no place is
taken twice.

Where turned and mirrored boards count as one, only one of the boards alike is an opening: the first listed,
or the one whose placements come first as sorted words; each opening is then turned as the key has it, so that
not all of them lie in one corner.

That different sets are different positions holds for every game in which a placement stays where it was put;
a game in which placements turn or move other pieces has this promise only where all its openings are listed.
"""

from __future__ import annotations

import hmac
from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from math import comb, factorial, sqrt
from typing import TYPE_CHECKING, Protocol

from arena.core.permutation import Permutation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.rules.base import Move, Position, Rules

    Symmetries = Sequence[Callable[[Move], Move]]

LIST_BUDGET = 20_000
"""Placements that may be played to list all openings; about a third of a second in plain Python."""

_SAMPLES = 400
_MOST_SAMPLES = 8_000
_FEWEST_GOOD = 20
"""Numbers looked at to learn which share of them are openings: more of them while good ones are rare."""

_LOAD = 0.75
"""Share of the good places that is dealt out: full streets make for long searches."""

_PRACTICALLY_UNBOUNDED = 10**9


class OpeningError(ValueError):
    """The board does not allow such openings; the message says which were asked for."""


class RandomOpenings(Protocol):
    """Openings by place: pure functions of rules, number of plies, seed and place."""

    def count(self) -> int | None:
        """Return how many places there are, None when practically unbounded."""

    def moves(self, place: int) -> tuple[Move, ...]:
        """Return the placements of one opening, Black's first; `place` is below `count()`."""


def random_openings(rules: Rules, plies: int, key: bytes, *, up_to_symmetry: bool = False) -> RandomOpenings:
    """Prepare the random openings of a game, which takes up to half a second, or two up to symmetry.

    Args:
        rules: a game without dice.
        plies: number of placements, at least 1.
        key: decides their order.
        up_to_symmetry: whether boards that are turned or mirrored into each other are one opening.

    Raises:
        OpeningError: the rules allow no such opening, or hardly any.
    """
    maps = rules.symmetries() if up_to_symmetry else rules.symmetries()[:1]
    found: RandomOpenings
    positions = _listed(rules, plies, maps) if _listing_cost(rules, plies) <= LIST_BUDGET else None
    if positions is None:
        found = _Numbered(rules, plies, key, maps)
    elif positions:
        found = _Listed(positions, Permutation(len(positions), key))
    else:
        raise OpeningError(f"{_name(rules)} has no opening of {plies} placements")
    return found if len(maps) == 1 else _Turned(found, maps, key)


def position_class(rules: Rules, moves: Sequence[Move], maps: Symmetries) -> str:
    """Return a text that is equal exactly for move lists whose boards some of the maps make one.

    Raises:
        IllegalMoveError: a move that cannot be played.
    """
    keys = []
    for turned in maps:
        position = rules.initial()
        for move in moves:
            position.play(turned(move))
        keys.append(position.key())
    return min(keys)


@dataclass(frozen=True, slots=True)
class _Turned:
    """Openings of one class each, every one turned or mirrored as the key has it."""

    inner: RandomOpenings
    maps: Symmetries
    key: bytes

    def count(self) -> int | None:
        return self.inner.count()

    def moves(self, place: int) -> tuple[Move, ...]:
        lot = hmac.digest(self.key, b"turn %d" % place, "sha256")
        turned = self.maps[int.from_bytes(lot[:8], "big") % len(self.maps)]
        return tuple(turned(move) for move in self.inner.moves(place))


def _name(rules: Rules) -> str:
    return rules.title if rules.size is None else f"{rules.title} on size {rules.size}"


def _placements(position: Position) -> list[Move]:
    return [move for move in position.legal_moves() if position.is_placement(move)]


# --- Few: all of them --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Listed:
    openings: list[tuple[Move, ...]]
    order: Permutation

    def count(self) -> int:
        return len(self.openings)

    def moves(self, place: int) -> tuple[Move, ...]:
        return self.openings[self.order.at(place)]


def _listing_cost(rules: Rules, plies: int) -> float:
    """Guess from one line of play how many placements `_listed` would play: a hint, the budget decides."""
    position = rules.initial()
    lines = 1
    for ply in range(plies):
        placements = _placements(position)
        if not placements or position.is_over:
            return 0.0
        positions = lines / (factorial((ply + 1) // 2) * factorial(ply // 2))
        lines *= len(placements)
        position.play(placements[0])
    return positions * len(placements)


def _listed(rules: Rules, plies: int, maps: Symmetries) -> list[tuple[Move, ...]] | None:
    """Return the placements leading to every undecided position once, or None when the budget is spent.

    Up to symmetry it is enough to go on from one position of each class: its turned twins lead to turned
    twins of what it leads to.
    """
    start = rules.initial()
    level: dict[str, tuple[Position, tuple[Move, ...]]] = {start.key(): (start, ())}
    budget = LIST_BUDGET
    for _ in range(plies):
        next_level: dict[str, tuple[Position, tuple[Move, ...]]] = {}
        for position, moves in level.values():
            placements = _placements(position)
            budget -= len(placements)
            if budget < 0:
                return None
            for move in placements:
                child = position.copy()
                child.play(move)
                if not child.is_over:
                    line = (*moves, move)
                    key = child.key() if len(maps) == 1 else position_class(rules, line, maps)
                    next_level.setdefault(key, (child, line))
        level = next_level
    return [moves for _, moves in level.values()]


# --- Many: numbered ----------------------------------------------------------------------------------


class _Numbered:
    def __init__(self, rules: Rules, plies: int, key: bytes, maps: Symmetries) -> None:
        self._rules = rules
        self._maps = maps
        self._start = rules.initial()
        self._blacks, self._whites = (plies - 1) // 2, plies // 2
        self._firsts = _placements(self._start)
        self._first_ranks = {move: rank for rank, move in enumerate(self._firsts)}
        self._followers: dict[Move, tuple[list[Move], list[Move]]] = {}
        probes = [self._followers_of(first) for first in self._firsts[:: max(1, len(self._firsts) // 16)]]
        whites = comb(max((len(white) for white, _ in probes), default=0), self._whites)
        blacks = comb(max((len(black) for _, black in probes), default=0), self._blacks)
        self._white_sets = whites
        self._numbers = len(self._firsts) * whites * blacks
        complaint = f"{_name(rules)} has hardly any opening of {plies} random placements: use fewer"
        if self._numbers == 0:
            raise OpeningError(complaint)
        try:
            self._order = Permutation(self._numbers, key)
        except ValueError as error:
            raise OpeningError(complaint) from error
        share = self._share_of_good_numbers()
        self._count = int(self._numbers * share * _LOAD)
        if self._count < 1:
            raise OpeningError(complaint)

    def count(self) -> int | None:
        return self._count if self._count <= _PRACTICALLY_UNBOUNDED else None

    def moves(self, place: int) -> tuple[Move, ...]:
        street = self._street_place(place)
        waiting = 1
        while True:
            moves = self._opening(self._order.at(street))
            if moves is not None:
                waiting -= 1
                if waiting == 0:
                    return moves
            street = (street + 1) % self._numbers
            # The next car: whose own place is this one?
            car = -(-street * self._count // self._numbers)
            if car < self._count and self._street_place(car) == street:
                waiting += 1

    def _street_place(self, place: int) -> int:
        return place * self._numbers // self._count

    def _share_of_good_numbers(self) -> float:
        """Return a share that the true one exceeds beyond reasonable doubt (three standard errors)."""
        seen = good = 0
        # Only one in so many is an opening up to symmetry: more must be seen to learn their share as well.
        samples = _SAMPLES * max(1, len(self._maps) // 2)
        while seen < min(self._numbers, _MOST_SAMPLES) and (seen < samples or good < _FEWEST_GOOD):
            good += self._opening(self._order.at(seen)) is not None
            seen += 1
        share = (good + 1) / (seen + 2)
        return share - 3 * sqrt(share * (1 - share) / seen) if good else 0.0

    def _opening(self, number: int) -> tuple[Move, ...] | None:
        """Return the placements a number stands for, None when they are no opening."""
        number, first_rank = divmod(number, len(self._firsts))
        black_rank, white_rank = divmod(number, self._white_sets)
        first = self._firsts[first_rank]
        white_list, black_list = self._followers_of(first)
        blacks = _subset(black_list, self._blacks, black_rank)
        whites = _subset(white_list, self._whites, white_rank)
        if blacks is None or whites is None:
            return None
        if any(self._first_ranks.get(move, first_rank) < first_rank for move in blacks):
            return None
        moves = [first] * (1 + len(whites) + len(blacks))
        moves[1::2] = whites
        moves[2::2] = blacks
        if not self._stands_for_its_class(moves):
            return None
        position = self._start.copy()
        for move in moves:
            if position.refusal(move) is not None or not position.is_placement(move):
                return None
            position.play(move)
            if position.is_over or position.captured:
                return None
        return tuple(moves)

    def _stands_for_its_class(self, moves: list[Move]) -> bool:
        """Say whether no symmetry makes words of these placements that come before their own."""
        own = self._words(moves)
        return all(own <= self._words([turned(move) for move in moves]) for turned in self._maps[1:])

    def _words(self, moves: list[Move]) -> tuple[list[str], list[str]]:
        words = [self._rules.format_move(move) for move in moves]
        return sorted(words[0::2]), sorted(words[1::2])

    def _followers_of(self, first: Move) -> tuple[list[Move], list[Move]]:
        """Return what White may place after Black's first placement, and what Black may place later on.

        Black's list is joined from two answers of White, as each hides from Black what it occupies.
        """
        known = self._followers.get(first)
        if known is None:
            position = self._start.copy()
            position.play(first)
            whites = [] if position.is_over else _placements(position)
            blacks: dict[Move, None] = {}
            for answer in (whites[0], whites[-1]) if whites and self._blacks else ():
                child = position.copy()
                child.play(answer)
                blacks.update(dict.fromkeys(_placements(child)))
            known = self._followers[first] = (whites, list(blacks))
        return known


def _subset(elements: list[Move], size: int, rank: int) -> list[Move] | None:
    """Return the subset of a rank, in the list's order; None when the list is too short for it.

    The combinatorial number system (Knuth, TAOCP 7.2.1.3): rank = C(c1, 1) + C(c2, 2) + … with c1 < c2 < ….
    """
    chosen: list[Move] = []
    for place in range(size, 0, -1):
        subsets_below = partial(_subsets_below, size=place)
        index = bisect_right(range(len(elements) + 1), rank, key=subsets_below) - 1
        if index >= len(elements):
            return None
        rank -= subsets_below(index)
        chosen.append(elements[index])
    return None if rank else chosen[::-1]


def _subsets_below(element: int, size: int) -> int:
    """Return how many subsets of a size have all their elements below one."""
    return comb(element, size)
