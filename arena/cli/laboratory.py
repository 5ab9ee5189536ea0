"""Playing a komi laboratory: which game is next, until the plan is through or the fair komi is known.

What is played follows from the plan and from the results of whole batches, never from which game happens to
end first; so a laboratory that is gone on with plays the games it would have played without a break.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol

import click
import trio

from arena.cli.errors import EXIT_CANNOT, EXIT_DONE, EXIT_FAILED, EXIT_STOPPED, Failure
from arena.cli.playing import refuse_exposure, tally_of
from arena.cli.progress import display
from arena.cli.target import schedule_of, told
from arena.core.task import game_task
from arena.live.tournament import Ending, Runner
from arena.stats.komi.design import AdaptiveDesign
from arena.stats.komi.games import Ending as GameEnding
from arena.store import ReadStore, RunStore, StoreError
from reports.komi.games import komi_game

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from arena.core.laboratory import Laboratory
    from arena.core.record import GameRecord
    from arena.core.schedule import Schedule
    from arena.core.task import GameTask
    from arena.stats.komi.design import DesignState
    from arena.stats.komi.games import KomiGame

BATCH = 8
"""Games of an adaptive design that are planned together."""


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

    def __init__(self, plan: Laboratory, database: Path) -> None:
        self._plan = plan
        self._database = database
        self._is_out = False

    def next_batch(self) -> Iterator[int]:
        """Return everything the first time."""
        found = iter(()) if self._is_out else self._plan.ordinals()
        self._is_out = True
        return found

    def games(self) -> Iterable[KomiGame]:
        """Return the games so far, in the order of the schedule."""
        return _games_at(self._plan, self._database, list(self._plan.ordinals()))


class AdaptiveCourse:
    """The komi that tells most, batch by batch, until the fair komi is known as precisely as asked."""

    def __init__(self, plan: Laboratory, database: Path, precision: float) -> None:
        """Set up.

        Raises:
            ValueError: the range or the precision allow no design.
        """
        self._plan = plan
        self._database = database
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
                    f"Stopped after {len(self._ordinals)} games: the last batch held only games that were "
                    "known already or did not end on the board; more of them would tell nothing."
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
        complete = self._ordinals[: len(self._ordinals) - len(self._batch)]
        return _games_at(self._plan, self._database, complete)

    def _news(self) -> list[tuple[int, bool]]:
        """Return the results of the last batch that are observations: on the board, and not seen before."""
        news = []
        for game in _games_at(self._plan, self._database, self._batch):
            key = (game.komi, game.black, game.white, game.moves)
            if game.ending is GameEnding.BOARD and game.black_won is not None and key not in self._seen:
                self._seen.add(key)
                news.append((game.komi, game.black_won))
        return news


def _games_at(plan: Laboratory, database: Path, ordinals: Sequence[int]) -> list[KomiGame]:
    with ReadStore(database) as stored:
        return [komi_game(record, is_self_play=plan.is_self_play) for record in stored.records_at(ordinals)]


def play(plan: Laboratory, course: Course, database: Path, text: str, private: Sequence[Path] = ()) -> int:
    """Play what is not played yet, and return the exit code.

    Args:
        plan: the laboratory.
        course: which of its games, in what order.
        database: the store; made when it does not exist.
        text: the file as it was read, empty without one.
        private: files that no contained engine may see, beside the database.

    Raises:
        Failure: it cannot be played as asked.
    """
    event = plan.event
    refuse_exposure(event, [database, *private])
    schedule = schedule_of(event)

    def placement(game_id: str) -> tuple[int, int]:
        ordinal = schedule.ordinal_of(game_id)
        if ordinal is None:
            raise StoreError(f"{database} holds game {game_id}, which the laboratory does not have")
        return ordinal, schedule.game(ordinal).round

    with (
        told(StoreError),
        RunStore.create_or_resume(database, event, event_text=text, placement=placement) as store,
    ):
        return _run(plan, course, schedule, store)


def _run(plan: Laboratory, course: Course, schedule: Schedule, store: RunStore) -> int:
    event = plan.event
    tasks = _Tasks(plan, course, schedule, store)
    if tasks.is_over():
        click.echo("all games are played already", err=True)
        return EXIT_DONE
    view = display(event, tally_of(event, plan.planned, store.path))
    with view:

        def again(task: GameTask) -> GameTask:
            return tasks.task(task.scheduled.ordinal, task.attempt + 1)

        runner = Runner(event, tasks, tasks.commit, view, again=again, database=store.path)
        report = trio.run(runner.run)
    match report.ending:
        case Ending.FINISHED:
            return EXIT_DONE
        case Ending.STOPPED | Ending.ABORTED:
            click.echo("stopped; the same command goes on from here", err=True)
            return EXIT_STOPPED
        case Ending.REFUSED:
            raise Failure(f"pre-flight failed, no game was played:\n{report.message}", EXIT_CANNOT)
        case Ending.FAILED:
            raise Failure(report.message, EXIT_FAILED)


class _Tasks:
    """The course's games that are not stored, as the runner wants them: None while a batch is out."""

    def __init__(self, plan: Laboratory, course: Course, schedule: Schedule, store: RunStore) -> None:
        self._event = plan.event
        self._course = course
        self._schedule = schedule
        self._store = store
        self._played = store.played()
        self._batch: Iterator[int] = iter(())
        self._next: int | None = None
        self._awaited: set[str] = set()

    def __iter__(self) -> _Tasks:
        return self

    def __next__(self) -> GameTask | None:
        if self.is_over():
            raise StopIteration
        if self._next is None:
            return None
        ordinal, self._next = self._next, None
        scheduled = self._schedule.game(ordinal)
        self._awaited.add(scheduled.id)
        return self.task(ordinal, self._store.attempts(scheduled.id) + 1)

    def task(self, ordinal: int, attempt: int) -> GameTask:
        """Return the task of a game; laboratory games are played to the end."""
        made = game_task(self._event, self._schedule.game(ordinal), attempt, self._store.dice_key)
        return dataclasses.replace(made, to_the_end=True)

    def commit(self, records: Sequence[GameRecord]) -> None:
        """Store records; called in a thread, while tasks are asked for in another."""
        self._store.add(records)
        self._awaited.difference_update(record.id for record in records if not record.verdict.is_void)

    def is_over(self) -> bool:
        """Find the next game, planning as far as results allow; say whether there is none to come."""
        while self._next is None:
            self._next = next((ordinal for ordinal in self._batch if ordinal not in self._played), None)
            if self._next is not None or self._awaited:
                return False
            batch = list(self._course.next_batch())
            if not batch:
                return True
            self._batch = iter(batch)
        return False
