"""Who meets whom in formats that are fixed beforehand: formulas between places in a cycle and pairings.

A cycle is every pairing once. Nothing is listed: a schedule of a million games asks for the one it needs.
"""

# What the methods of pairings mean stands where they are declared, in `Pairings`.
# ruff: noqa: D102

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arena.core.event import Event

FORMATS = ("match", "round-robin", "gauntlet", "pyramid", "swiss", "knockout", "ladder")


class ScheduleError(ValueError):
    """An event that cannot be scheduled: an unknown format, or too few or too many entries for it."""


class Pairings(Protocol):
    """The pairings of one cycle, in the order they are played; entries are indices, the smaller one first."""

    rounds: int
    """Rounds in a cycle."""

    def __len__(self) -> int:
        """Return the number of pairings."""

    def pairing(self, place: int) -> tuple[int, int]:
        """Return the two entries of the pairing at a place."""

    def place(self, first: int, second: int) -> int | None:
        """Return the place of a pairing, None when these two do not meet."""

    def round_of(self, place: int) -> int:
        """Return the round of a place, from 0."""


class RoundRobin:
    """Everybody meets everybody, by the circle method.

    With an even number n of seats (one is empty when the entries are odd in number) round r, from 0, pairs
    the last seat with r, and the seats (r + t) and (r - t) mod (n - 1) for t = 1 … n/2 - 1. Both directions
    are formulas: i and j meet where 2r = i + j mod (n - 1), that is in round (i + j) * n/2 mod (n - 1).
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._wheel = entries - 1 if entries % 2 == 0 else entries
        self._boards = entries // 2
        self.rounds = self._wheel

    def __len__(self) -> int:
        return self.rounds * self._boards

    def pairing(self, place: int) -> tuple[int, int]:
        round_, board = divmod(place, self._boards)
        if self._entries % 2 == 0 and board == 0:
            return round_, self._wheel
        distance = board if self._entries % 2 == 0 else board + 1
        one, other = (round_ + distance) % self._wheel, (round_ - distance) % self._wheel
        return min(one, other), max(one, other)

    def place(self, first: int, second: int) -> int | None:
        if not 0 <= first < second < self._entries:
            return None
        if second == self._wheel:
            return first * self._boards
        round_ = (first + second) * ((self._wheel + 1) // 2) % self._wheel
        distance = min((first - round_) % self._wheel, (round_ - first) % self._wheel)
        return round_ * self._boards + (distance if self._entries % 2 == 0 else distance - 1)

    def round_of(self, place: int) -> int:
        return place // self._boards


class Gauntlet:
    """The first entries (the seeds) meet all the others, not each other; one round a seed."""

    def __init__(self, entries: int, seeds: int = 1) -> None:
        self._seeds = seeds
        self._others = entries - seeds
        self.rounds = seeds

    def __len__(self) -> int:
        return self._seeds * self._others

    def pairing(self, place: int) -> tuple[int, int]:
        seed, other = divmod(place, self._others)
        return seed, self._seeds + other

    def place(self, first: int, second: int) -> int | None:
        if not (0 <= first < self._seeds <= second < self._seeds + self._others):
            return None
        return first * self._others + second - self._seeds

    def round_of(self, place: int) -> int:
        return place // self._others


class Pyramid:
    """Each entry meets all that stand before it: round r, from 0, is entry r + 1 against the first r + 1.

    A newcomer at the end of the file adds a round and moves nothing. Place p belongs to the round r with
    r(r+1)/2 <= p < (r+1)(r+2)/2 (triangular numbers).
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self.rounds = entries - 1

    def __len__(self) -> int:
        return self._entries * (self._entries - 1) // 2

    def pairing(self, place: int) -> tuple[int, int]:
        round_ = self.round_of(place)
        return place - round_ * (round_ + 1) // 2, round_ + 1

    def place(self, first: int, second: int) -> int | None:
        if not 0 <= first < second < self._entries:
            return None
        return second * (second - 1) // 2 + first

    def round_of(self, place: int) -> int:
        return (isqrt(8 * place + 1) - 1) // 2


def fixed_pairings(event: Event) -> Pairings:
    """Return the pairings of an event whose format is fixed beforehand.

    Raises:
        ScheduleError: an unknown format, or entries that do not fit it.
    """
    entries = check_entries(event)
    match event.format:
        case "match" if entries == 2:
            return RoundRobin(2)
        case "match":
            raise ScheduleError(f"a match is between two engines, there are {entries}")
        case "round-robin":
            return RoundRobin(entries)
        case "pyramid":
            return Pyramid(entries)
        case "gauntlet" if event.seeds < entries:
            return Gauntlet(entries, event.seeds)
        case "gauntlet":
            needed = event.seeds + 1
            raise ScheduleError(
                f"a gauntlet of {event.seeds} seeds needs at least {needed} engines, there are {entries}"
            )
        case unknown:
            raise ScheduleError(f"unknown format {unknown!r}: known are {', '.join(FORMATS)}")


def check_entries(event: Event) -> int:
    """Return the number of entries.

    Raises:
        ScheduleError: fewer than two.
    """
    entries = len(event.engines)
    if entries < 2:
        raise ScheduleError(f"a {event.format} needs at least two engines, there are {entries}")
    return entries
