"""What is known of a match while it is played: pairs in the order of the schedule, never as games end.

Short games end first and are not like long ones, so a look at what has ended is biased. The interval and the
sequential test see a pair only when every pair before it has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.verdict import Reason
from arena.stats.confidence_sequence import ConfidenceSequence
from arena.stats.prefix import SchedulePrefix
from arena.stats.sprt import Decision, Model, Sprt, SprtSettings
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.stats.sprt import SprtState
    from arena.store import GameSummary

_POINTS = {"black": (1.0, 0.0), "white": (0.0, 1.0), "draw": (0.5, 0.5)}


class MatchWatch:
    """The pairs of a match of two engines, from the first one's side.

    Args:
        event: a match of whole pairs.
    """

    def __init__(self, event: Event) -> None:
        self._first = event.engines[0].name
        self._halves: dict[int, float | None] = {}
        self._prefix: SchedulePrefix[float] = SchedulePrefix()
        self._sequence = ConfidenceSequence()
        plan = event.sprt
        self._test = (
            None
            if plan is None
            else Sprt(
                SprtSettings(plan.elo0, plan.elo1, plan.alpha, plan.beta, Model(plan.model), plan.min_pairs)
            )
        )

    @staticmethod
    def fits(event: Event) -> bool:
        """Say whether an event is a match whose pairs can be watched."""
        is_match = event.format == "match" and len(event.engines) == 2 and not event.disciplines
        return is_match and event.games_each % 2 == 0

    def take(self, records: Iterable[GameRecord]) -> None:
        """Count committed records; void ones are played again and come later."""
        for record in records:
            if not record.verdict.is_void:
                is_black = record.black.name == self._first
                self._count(record.ordinal, record.verdict.winner_word, is_black)

    def take_stored(self, games: Iterable[GameSummary]) -> None:
        """Count games that are stored already; a pair with an annulled game counts for nobody."""
        for game in games:
            winner = None if game.reason == Reason.ANNULLED else game.winner
            self._count(game.ordinal, winner, game.black == 0)

    def _count(self, ordinal: int, winner: str | None, is_black: bool) -> None:
        points = None if winner is None else _POINTS[winner][0 if is_black else 1]
        place = ordinal // 2
        if place not in self._halves:
            self._halves[place] = points
            return
        other = self._halves.pop(place)
        score = None if points is None or other is None else (points + other) / 2
        for each in self._prefix.add(place, score):
            self._sequence.add(each)
            if self._test is not None:
                self._test.add(each)

    @property
    def state(self) -> SprtState | None:
        """Where the sequential test stands, None without one."""
        return None if self._test is None else self._test.state

    @property
    def is_decided(self) -> bool:
        """Whether the sequential test has ended the match."""
        return self._test is not None and self._test.state.decision is not Decision.CONTINUE

    def words(self) -> str:
        """Return score, interval and test in one line; empty before the first pair."""
        pairs = sum(self._sequence.counts)
        if not pairs:
            return ""
        score = sum(count * place / 4 for place, count in enumerate(self._sequence.counts)) / pairs
        interval = self._sequence.interval()
        words = f"score {score:.3f} in {counted(pairs, 'pair')}, always valid: {interval.text(3)}"
        state = self.state
        if state is not None:
            words += f"; LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f})"
        return words
