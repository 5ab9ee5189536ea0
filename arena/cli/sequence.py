"""What is known of pairings while they are played: pairs in the order of the schedule, never as games end.

Short games end first and are not like long ones, so a look at what has ended is biased. The interval and the
sequential test see a pair only when every pair before it has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.verdict import Reason
from arena.stats.prefix import SchedulePrefix
from arena.words import counted
from reports.pairings import PairingScore, has_pairings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.core.event import Event, SequentialPlan
    from arena.core.record import GameRecord
    from arena.stats.sprt import Sprt, SprtState
    from arena.store import EndingColumns

_POINTS = {"black": (2, 0), "white": (0, 2), "draw": (1, 1)}
"""Half points of Black and White."""

_PAIR_SCORES = 5
"""From no half point of a pair to all four of them."""

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
        self._halves: dict[int, int | None] = {}
        self._prefix: SchedulePrefix[tuple[tuple[int, int], int]] = SchedulePrefix()
        self._counts: dict[tuple[int, int], list[int]] = {}
        self._told: dict[PairingScore, str] = {}
        self._test = None if event.sprt is None else _test_of(event.sprt)

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

    def take_stored(self, games: EndingColumns) -> None:
        """Count what is stored already, before anything else; a pair with an annulled game counts for nobody.

        Whole pairs at the beginning of the schedule are counted together, a million in a second; with a
        sequential test one by one, since it stays with its first decision.
        """
        import numpy as np

        from reports.pairings import pairing_scores, prefix_of

        whole = 0 if self._test is not None else prefix_of(games.ordinal) // 2 * 2
        annulled = [place for place, reason in enumerate(games.reasons) if reason == Reason.ANNULLED]
        winner = np.where(np.isin(games.reason, annulled), -1, games.winner)
        # The last of four stands for -1, nobody.
        black_points, white_points = np.array([1, 0, 0.5, 0])[winner], np.array([0, 1, 0.5, 0])[winner]
        scores = pairing_scores(
            games.ordinal[:whole] // 2,
            games.black[:whole],
            games.white[:whole],
            black_points[:whole],
            white_points[:whole],
        )
        self._counts = {(each.first, each.second): list(each.counts) for each in scores}
        self._prefix = SchedulePrefix(whole // 2)
        names = ("black", "white", "draw", None)
        for place in range(whole, len(winner)):
            sides = int(games.black[place]), int(games.white[place])
            self._count(int(games.ordinal[place]), names[winner[place]], *sides)

    def _count(self, ordinal: int, winner: str | None, black: int, white: int) -> None:
        points = None if winner is None else _POINTS[winner][0 if black < white else 1]
        place = ordinal // 2
        if place not in self._halves:
            self._halves[place] = points
            return
        other = self._halves.pop(place)
        pairing = min(black, white), max(black, white)
        score = None if points is None or other is None else (pairing, points + other)
        for met, each in self._prefix.add(place, score):
            self._counts.setdefault(met, [0] * _PAIR_SCORES)[each] += 1
            if self._test is not None:
                self._test.add(each / 4)

    @property
    def state(self) -> SprtState | None:
        """Where the sequential test stands, None without one."""
        return None if self._test is None else self._test.state

    @property
    def is_decided(self) -> bool:
        """Whether the sequential test has ended the match."""
        return self._test is not None and self._test.state.is_decided

    def words(self) -> str:
        """Return score, interval and test of a match in one line; before the first pair only the test."""
        scores = self.scores()
        state = self.state
        test = f"LLR {state.llr:.2f} (ends at {state.lower:.2f} or {state.upper:.2f})" if state else ""
        if len(self._names) > 2 or not scores:
            return test
        (words,) = self._once(scores, _of_a_match)
        return f"{words}; {test}" if test else words

    def scores(self) -> list[PairingScore]:
        """Return the pairings with a pair that counts, in the order of the engines."""
        return [PairingScore(*met, tuple(counts)) for met, counts in sorted(self._counts.items())]

    def lines(self) -> list[str]:
        """Return a line for each pairing of three and more engines."""
        if len(self._names) <= 2:
            return []
        return self._once(self.scores(), lambda score: score.words(self._names))

    def _once(self, scores: list[PairingScore], words: Callable[[PairingScore], str]) -> list[str]:
        """Return the words for each score, made anew only where it has changed: an interval takes 6 ms."""
        self._told = {score: self._told.get(score) or words(score) for score in scores}
        return list(self._told.values())


def _test_of(plan: SequentialPlan) -> Sprt:
    # numpy, which it needs, takes longer to load than a run to begin.
    from arena.stats.sprt import Model, Sprt, SprtSettings

    return Sprt(SprtSettings(plan.elo0, plan.elo1, plan.alpha, plan.beta, Model(plan.model), plan.min_pairs))


def _of_a_match(score: PairingScore) -> str:
    pairs = counted(score.pairs, "pair")
    return f"score {score.share:.3f} in {pairs}, always valid: {score.interval().text(3)}"
