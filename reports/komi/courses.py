"""The course of a komi laboratory: which of its games are next, and which of those played count.

Both follow from the plan and from the results of whole batches, never from which game happened to end first.
So whoever has the games finds the course that they were played in, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from arena.stats.komi.design import AdaptiveDesign
from arena.stats.komi.games import Ending, KomiGame
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.core.laboratory import Laboratory
    from arena.stats.komi.design import DesignState

BATCH = 8
"""Games of an adaptive design that are planned together."""

GamesAt = Callable[[Sequence[int]], list[KomiGame]]
"""Reads games by their ordinals in the schedule, in that order; those not played are left out."""


class Course(Protocol):
    """What is played, batch after batch."""

    def next_batch(self) -> Iterator[int]:
        """Return the ordinals of the next batch, none when it is over; all before it have been played."""

    def games(self) -> Iterable[KomiGame]:
        """Return the games so far that belong to the plan, in its order."""

    @property
    def state(self) -> DesignState | None:
        """Where an adaptive design stands, None for a fixed one."""

    @property
    def history(self) -> tuple[DesignState, ...]:
        """Where an adaptive design stood after each batch."""

    @property
    def words(self) -> tuple[str, ...]:
        """What else there is to say about the plan, sentences."""


class FixedCourse:
    """The same number of games at every komi: one batch."""

    state: DesignState | None = None
    history: tuple[DesignState, ...] = ()
    words: tuple[str, ...] = ()

    def __init__(self, plan: Laboratory, games_at: GamesAt) -> None:
        self._plan = plan
        self._games_at = games_at
        self._is_out = False

    def next_batch(self) -> Iterator[int]:
        """Return everything the first time."""
        found = iter(()) if self._is_out else self._plan.ordinals()
        self._is_out = True
        return found

    def games(self) -> Iterable[KomiGame]:
        """Return the games so far, in the order of the schedule."""
        return self._games_at(list(self._plan.ordinals()))


class AdaptiveCourse:
    """The komi that tells most, batch by batch, until the fair komi is known as precisely as asked."""

    def __init__(self, plan: Laboratory, games_at: GamesAt) -> None:
        """Set up.

        Raises:
            ValueError: the range or the precision allow no design.
        """
        self._plan = plan
        self._games_at = games_at
        precision = plan.design.precision
        if precision is None:
            raise ValueError("an adaptive design needs a precision")
        self._design = AdaptiveDesign(plan.komis, precision, plan.planned, BATCH)
        self._numbers = dict.fromkeys(plan.komis, 0)
        self._ordinals: list[int] = []
        self._batch: list[int] = []
        self._seen: set[tuple[int, str, str, str]] = set()
        self._why_over = ""

    @property
    def state(self) -> DesignState | None:
        """Where the design stands."""
        return self._design.state

    @property
    def history(self) -> tuple[DesignState, ...]:
        """Where it stood after each batch."""
        return self._design.history

    @property
    def words(self) -> tuple[str, ...]:
        """Why it ended before its time, what does not count yet, and which komi have no part in it."""
        left = ", ".join(map(str, self._design.left_out))
        alone = f"Komi {left} is the only one of its parity in the range: it is not played." if left else ""
        open_batch = "The last batch is not complete: its games are kept, and count when all are played."
        return tuple(filter(None, (self._why_over, open_batch if self._batch else "", alone)))

    def next_batch(self) -> Iterator[int]:
        """Take the results of the batch before and plan the next."""
        if self._batch:
            news = self._news()
            if news:
                self._design.record(news)
            self._batch = []
            if not news:
                self._why_over = (
                    f"Stopped after {counted(len(self._ordinals), 'game')}: the last batch held only games "
                    "that were known already or did not end on the board; more of them would tell nothing."
                )
        room = self._plan.planned - len(self._ordinals)
        if not self._why_over and room:
            for komi in self._design.plan()[:room]:
                self._batch.append(self._plan.ordinal(komi, self._numbers[komi]))
                self._numbers[komi] += 1
            self._ordinals += self._batch
        return iter(self._batch)

    def games(self) -> Iterable[KomiGame]:
        """Return the games of complete batches, in the order they were planned in."""
        return self._games_at(self._ordinals[: len(self._ordinals) - len(self._batch)])

    def _news(self) -> list[tuple[int, bool]]:
        """Return the results of the last batch that are observations: on the board, and not seen before."""
        news = []
        for game in self._games_at(self._batch):
            key = (game.komi, game.black, game.white, game.moves)
            if game.ending is Ending.BOARD and game.black_won is not None and key not in self._seen:
                self._seen.add(key)
                news.append((game.komi, game.black_won))
        return news


def course_of(plan: Laboratory, games_at: GamesAt) -> Course:
    """Return the course of a laboratory at fixed komi, at its beginning.

    Raises:
        ValueError: the range or the precision allow no design.
    """
    return (FixedCourse if plan.design.precision is None else AdaptiveCourse)(plan, games_at)
