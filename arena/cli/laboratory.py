"""Playing a komi laboratory, batch after batch of its course, until that is through.

A laboratory that is gone on with plays the games it would have played without a break.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click
import trio

from arena.cli.errors import EXIT_CANNOT, EXIT_DONE, EXIT_FAILED, EXIT_STOPPED, Failure
from arena.cli.playing import make_room, refuse_exposure, tally_of
from arena.cli.progress import display
from arena.cli.target import placement_in, schedule_of, told
from arena.core.laboratory import text_with_design
from arena.core.task import game_task
from arena.live.tournament import Ending, Runner
from arena.store import ReadStore, RunStore, StoreError
from arena.store.writing import UNTRIED
from reports.komi.games import komi_games

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arena.core.laboratory import Laboratory
    from arena.core.record import GameRecord
    from arena.core.schedule import Schedule
    from arena.core.task import GameTask
    from arena.stats.komi.games import KomiGame
    from reports.komi.courses import Course


def games_at(plan: Laboratory, database: Path, ordinals: Sequence[int]) -> list[KomiGame]:
    """Return those of the games that are stored, in the order of `ordinals`."""
    with ReadStore(database) as stored:
        return komi_games(stored.records_at(ordinals), is_self_play=plan.is_self_play)


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
    stored_text = text_with_design(text, plan.design)
    refuse_exposure(event, [database, *private])
    make_room(database, event)
    schedule = schedule_of(event)
    placement = placement_in(schedule, database)
    with (
        told(StoreError),
        RunStore.create_or_resume(database, event, event_text=stored_text, placement=placement) as store,
    ):
        return _run(plan, course, schedule, store)


def _run(plan: Laboratory, course: Course, schedule: Schedule, store: RunStore) -> int:
    event = plan.event
    tasks = _Tasks(plan, course, schedule, store)
    if tasks.is_over():
        click.echo("all games are played already", err=True)
        return EXIT_DONE
    tally = tally_of(event, plan.planned, store.path)
    tally.may_end_early = plan.design.precision is not None
    view = display(event, tally, event.concurrency)
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
            # What a twin lacks the engine itself lacks.
            words = {words: each.name for each in reversed(report.findings) for words in each.shortcomings}
            lines = [f"{name}: {what}" for what, name in words.items()] if plan.is_self_play else []
            told_once = "\n".join(lines) or report.message
            raise Failure(f"pre-flight failed, no game was played:\n{told_once}", EXIT_CANNOT)
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
        self._tried = store.tried()
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
        return self.task(ordinal, self._tried.get(scheduled.id, UNTRIED).attempts + 1)

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
