"""Who plays whom, in what order, from which opening, with which colours: a pure function of the event.

The unit is the pair: two games of two entries on one opening, colours swapped. All pairings play their first
pair, then all their second, and so on, so more pairs are added at the end. Within one such cycle a round
robin goes round by round as the circle method orders it (each entry at most once a round).

A game's id names its entries, counted from 1 in the file's order, its pair and its place in the pair:
`1-3.5a`. Seed, opening and colours follow from the id and the event's seed alone, so more pairs, or entries
added at the end of the file, change nothing of the games that were there.

Pair k of every pairing starts from opening k. So all entries are tried on the same openings: a hard one hits
everybody, and none can be the reason of a place in the table.

Who has Black in game `a` is decided by parity: of entries i and j (from 0) in pair k (from 0) it is the one
that stands first in the file when i + j + k is odd. In whole pairs this only says who begins. Where
`games_each` is odd the last pair is one game, and over all these games each entry has Black in half of them,
or one more or less.
"""

# What the methods of pairings mean stands where they are declared, in `Pairings`.
# ruff: noqa: D102

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from arena.core.event import ScheduledGame
from arena.core.openings import OpeningSource
from arena.core.seeds import game_seed
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import Event
    from arena.rules.base import Rules

_GAME_ID = re.compile(r"([1-9][0-9]{0,5})-([1-9][0-9]{0,5})\.([1-9][0-9]{0,8})([ab])")


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


def _pairings(event: Event) -> Pairings:
    entries = len(event.engines)
    if entries < 2:
        raise ScheduleError(f"a {event.format} needs at least two engines, there are {entries}")
    match event.format:
        case "match" if entries == 2:
            return RoundRobin(2)
        case "match":
            raise ScheduleError(f"a match is between two engines, there are {entries}")
        case "round-robin":
            return RoundRobin(entries)
        case "gauntlet":
            return Gauntlet(entries)
        case unknown:
            raise ScheduleError(f"unknown format {unknown!r}: known are match, round-robin, gauntlet")


class Schedule:
    """All games of an event, by ordinal or id, without making more than the one that is asked for."""

    def __init__(self, event: Event, rules: Rules | None = None) -> None:
        """Prepare the schedule.

        Args:
            event: what to play.
            rules: the event's rules; None: made from the event (under pie with komi 0, for openings).

        Raises:
            ScheduleError: the format does not fit the entries.
            OpeningError: the board does not allow the random openings asked for.
            QuestionError: no such game.
        """
        self._event = event
        self._pairings = _pairings(event)
        self._whole_pairs, self._odd_games = divmod(event.games_each, 2)
        if rules is None:
            rules = make_rules(event.game, size=event.size, komi=None if event.komi == "pie" else event.komi)
        self._openings = OpeningSource(event.book, rules, event.seed)
        self._distinct_openings = self._openings.count()
        # Neighbours in the schedule share an opening; a few are kept, so that each is made once.
        self._opening = lru_cache(maxsize=64)(self._openings.opening)

    def __len__(self) -> int:
        return len(self._pairings) * self._event.games_each

    def __iter__(self) -> Iterator[ScheduledGame]:
        return map(self.game, range(len(self)))

    def game(self, ordinal: int) -> ScheduledGame:
        """Return the game at a place of the schedule.

        Raises:
            IndexError: an ordinal outside `range(len(schedule))`.
        """
        if not 0 <= ordinal < len(self):
            raise IndexError(f"no game {ordinal} in a schedule of {len(self)}")
        cycle_games = 2 * len(self._pairings)
        pair, rest = divmod(ordinal, cycle_games)
        place, second_game = divmod(rest, 2) if pair < self._whole_pairs else (rest, 0)
        first, second = self._pairings.pairing(place)
        pair_id = f"{first + 1}-{second + 1}.{pair + 1}"
        game_id = pair_id + "ab"[second_game]
        is_first_black = (first + second + pair) % 2 != second_game
        return ScheduledGame(
            id=game_id,
            ordinal=ordinal,
            round=pair * self._pairings.rounds + self._pairings.round_of(place) + 1,
            pair=pair_id,
            black=first if is_first_black else second,
            white=second if is_first_black else first,
            game=self._event.game,
            size=self._event.size,
            komi=self._event.komi,
            opening=self._opening(pair),
            seed=game_seed(self._event.seed, game_id),
        )

    def ordinal_of(self, game_id: str) -> int | None:
        """Return the place of a game, None when no game of the schedule has this id."""
        found = _GAME_ID.fullmatch(game_id)
        if found is None:
            return None
        first, second, pair = (int(found[group]) - 1 for group in (1, 2, 3))
        second_game = int(found[4] == "b")
        place = self._pairings.place(first, second)
        if place is None or 2 * pair + second_game >= self._event.games_each:
            return None
        cycle_games = 2 * len(self._pairings)
        within = 2 * place + second_game if pair < self._whole_pairs else place
        return pair * cycle_games + within

    def warnings(self) -> list[str]:
        """Return what the organiser should know before the first game, a sentence each."""
        pairs = self._whole_pairs + self._odd_games
        distinct = self._distinct_openings
        if distinct is None or pairs <= distinct:
            return []
        shortage = (
            f"{pairs} pairs for each pairing, but {self._event.book.source} has only {distinct} openings"
        )
        return [f"{shortage}: from pair {distinct + 1} on they are played again"]
