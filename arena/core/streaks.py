"""Who is to be withdrawn: engines that have lost so many games in a row by faults of their own.

The decision follows from committed games alone, taken in the order of the schedule and never in the order in
which they happened to end: only the beginning of the schedule that is played without a gap is looked at. So a
run that was broken off and gone on with decides as one that was not. What it cannot undo is which later games
were running when the decision fell: they stand.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.core.verdict import FAULTS, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arena.core.verdict import Verdict

OWN_FAULTS = frozenset(FAULTS - {Reason.WITHDRAWN})
"""Faults that count: all but the loss that a withdrawal itself brings."""


@dataclass(frozen=True, slots=True, order=True)
class Ended:
    """How a game of the schedule ended, as far as streaks care.

    Attributes:
        ordinal: its place in the schedule.
        id: for the message.
        without_fault: index of the engines that played it without a fault.
        failed: index of the engines that lost it by a fault. Both are empty where a game says nothing.
    """

    ordinal: int
    id: str
    without_fault: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Streaks:
    """Where a beginning of the schedule has left every engine.

    Attributes:
        next_ordinal: the first game that is not played; all before it are.
        lengths: by engine: games it lost by faults since its last game without one; 0 may be left out.
    """

    next_ordinal: int
    lengths: Mapping[int, int]


def ended(ordinal: int, game_id: str, players: tuple[int, int], verdict: Verdict) -> Ended:
    """Return what a game that stands says: `players` are Black's and White's index."""
    reason = verdict.reason
    if verdict.is_void or reason == Reason.WITHDRAWN or Reason.WITHDRAWN in verdict.reasons[1:]:
        return Ended(ordinal, game_id)
    if reason == Reason.BOTH_FAILED:
        return Ended(ordinal, game_id, failed=players)
    if verdict.at_fault is None or reason not in OWN_FAULTS:
        return Ended(ordinal, game_id, without_fault=players)
    loser = verdict.at_fault
    return Ended(ordinal, game_id, without_fault=(players[1 - loser],), failed=(players[loser],))


class Withdrawals:
    """Takes games as they are committed and says who is to be withdrawn.

    Args:
        limit: faults in a row that are too many; 0: nobody is ever withdrawn.
        start: where the games stored before have left everybody.
        out: who is out of the event already.
    """

    def __init__(self, limit: int, start: Streaks, out: Iterable[int] = ()) -> None:
        self._limit = limit
        self._next = start.next_ordinal
        self._lengths = dict(start.lengths)
        self._waiting: list[Ended] = []
        self._out = set(out)

    def take(self, games: Iterable[Ended]) -> list[int]:
        """Take committed games, in any order; return who is to be withdrawn now, each engine once."""
        for game in games:
            heapq.heappush(self._waiting, game)
        found = [engine for engine in sorted(self._lengths) if self._is_due(engine)]
        self._out.update(found)
        while self._waiting and self._waiting[0].ordinal <= self._next:
            game = heapq.heappop(self._waiting)
            self._next = max(self._next, game.ordinal + 1)
            for engine in game.without_fault:
                self._lengths[engine] = 0
            for engine in game.failed:
                self._lengths[engine] = self._lengths.get(engine, 0) + 1
                if self._is_due(engine):
                    self._out.add(engine)
                    found.append(engine)
        return found

    def _is_due(self, engine: int) -> bool:
        return 0 < self._limit <= self._lengths[engine] and engine not in self._out
