"""What is known of pairings while they are played: pairs in the order of the schedule, never as games end.

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
from reports.pairings import PairingScore, has_pairings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.stats.sprt import SprtState
    from arena.store import GameSummary

_POINTS = {"black": (1.0, 0.0), "white": (0.0, 1.0), "draw": (0.5, 0.5)}


MOST_PAIRINGS = 10
"""Pairings that a terminal has room for: those of five engines."""

MOST_GAMES = 50_000
"""Larger events of several pairings begin at once, without counting what is stored pair by pair."""


class PairingsWatch:
    """The pairs of each pairing, from the side of the engine that stands first in the event.

    Args:
        event: one that `fits`.
    """

    def __init__(self, event: Event) -> None:
        self._names = [engine.name for engine in event.engines]
        self._places = {name: place for place, name in enumerate(self._names)}
        self._halves: dict[int, float | None] = {}
        self._prefix: SchedulePrefix[tuple[tuple[int, int], float]] = SchedulePrefix()
        self._sequences: dict[tuple[int, int], ConfidenceSequence] = {}
        self._told: dict[PairingScore, str] = {}
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
        """Say whether an event has pairings whose pairs can be watched, and few enough of them."""
        if not has_pairings(event):
            return False
        engines = len(event.engines)
        pairings = engines * (engines - 1) // 2
        is_small = pairings <= MOST_PAIRINGS and pairings * event.games_each <= MOST_GAMES
        return event.format == "match" or is_small

    def take(self, records: Iterable[GameRecord]) -> None:
        """Count committed records; void ones are played again and come later."""
        for record in records:
            if not record.verdict.is_void:
                sides = self._places[record.black.name], self._places[record.white.name]
                self._count(record.ordinal, record.verdict.winner_word, *sides)

    def take_stored(self, games: Iterable[GameSummary]) -> None:
        """Count games that are stored already; a pair with an annulled game counts for nobody."""
        for game in games:
            winner = None if game.reason == Reason.ANNULLED else game.winner
            self._count(game.ordinal, winner, game.black, game.white)

    def _count(self, ordinal: int, winner: str | None, black: int, white: int) -> None:
        points = None if winner is None else _POINTS[winner][0 if black < white else 1]
        place = ordinal // 2
        if place not in self._halves:
            self._halves[place] = points
            return
        other = self._halves.pop(place)
        pairing = min(black, white), max(black, white)
        score = None if points is None or other is None else (pairing, (points + other) / 2)
        for met, each in self._prefix.add(place, score):
            self._sequences.setdefault(met, ConfidenceSequence()).add(each)
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
        """Return score, interval and test of a match in one line; empty before the first pair."""
        scores = self.scores()
        if len(self._names) > 2 or not scores:
            return ""
        (words,) = self._once(scores, _of_a_match)
        state = self.state
        if state is not None:
            words += f"; LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f})"
        return words

    def scores(self) -> list[PairingScore]:
        """Return the pairings with a pair that counts, in the order of the engines."""
        return [PairingScore(*met, sequence.counts) for met, sequence in sorted(self._sequences.items())]

    def lines(self) -> list[str]:
        """Return a line for each pairing of three and more engines."""
        if len(self._names) <= 2:
            return []
        return self._once(self.scores(), lambda score: score.words(self._names))

    def _once(self, scores: list[PairingScore], words: Callable[[PairingScore], str]) -> list[str]:
        """Return the words for each score, made anew only where it has changed: an interval takes 6 ms."""
        self._told = {score: self._told.get(score) or words(score) for score in scores}
        return list(self._told.values())


def _of_a_match(score: PairingScore) -> str:
    pairs = counted(score.pairs, "pair")
    return f"score {score.share:.3f} in {pairs}, always valid: {score.interval().text(3)}"
