"""Events, tasks and an observer for tests of the runner."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

from arena.core.clock import parse_time
from arena.core.event import Event, OpeningBook
from tests.live.scripted import task_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import Engine
    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.live.preflight import EngineFinding


def event_of(*engines: Engine, concurrency: int = 2, time: str = "60") -> Event:
    """Return an event of Pente 5x5."""
    return Event(
        "test",
        "match",
        "pente",
        5,
        None,
        2,
        parse_time(time),
        concurrency,
        0,
        OpeningBook(),
        "independent",
        None,
        engines,
    )


def endless(event: Event) -> Iterator[GameTask]:
    """Yield games between neighbours in the list, for ever."""
    engines = len(event.engines)
    for number in count():
        task = task_of(time=event.time.text)
        black, white = number % engines, (number + 1) % engines
        scheduled = replace(task.scheduled, id=f"g{number}", ordinal=number, black=black, white=white)
        yield replace(task, scheduled=scheduled)


def tasks(event: Event, games: int) -> Iterator[GameTask]:
    """Yield so many games."""
    return islice(endless(event), games)


class Watcher:
    """An observer that remembers what it saw."""

    def __init__(self) -> None:
        self.findings: tuple[EngineFinding, ...] = ()
        self.started: list[GameTask] = []
        self.committed: list[GameRecord] = []
        self.stops: list[bool] = []

    def examined(self, findings: tuple[EngineFinding, ...]) -> None:
        """Remember what pre-flight found."""
        self.findings = findings

    def game_started(self, task: GameTask) -> None:
        """Remember a game."""
        self.started.append(task)

    def game_committed(self, record: GameRecord) -> None:
        """Remember a result."""
        self.committed.append(record)

    def stopping(self, *, at_once: bool) -> None:
        """Remember that somebody asked for the end."""
        self.stops.append(at_once)
