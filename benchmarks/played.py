"""Events of native engines, played by the real runner, with an eye on processor time.

The measuring process is the runner, so that the processor time of runner and workers can be told apart at the
moments when the first and the last games are committed: what lies between is free of start-up and end.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.tournament import Ending, Runner
from arena.rules.registry import make_rules, rules_class
from arena.store import RunStore
from benchmarks.measuring import busy_ticks, children, cpu_ns, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.live.preflight import EngineFinding

KOMI = 4
_GAMES_A_MARK = 100
"""A mark reads several files of `/proc`, in the process that is measured."""
_FIRST_WORDS = tuple(f"{column}{row}" for column in "ABCDEFGHJ" for row in range(1, 10))


def write_games(path: Path, count: int = 64, seed: int = 7) -> int:
    """Write random legal games of Pletore 9x9, a line each, no two with the same first move.

    Returns:
        The number of plies in all.
    """
    chance = random.Random(seed)
    rules = make_rules("pletore", size=9, komi=KOMI)
    lines: list[list[str]] = []
    for first in chance.sample(_FIRST_WORDS, count):
        position = rules.initial()
        words = [first]
        position.play(rules.parse_move(first))
        while not position.is_over:
            move = chance.choice(position.legal_moves())
            words.append(rules.format_move(move))
            position.play(move)
        lines.append(words)
    path.write_text("".join(" ".join(words) + "\n" for words in lines), encoding="utf-8")
    return sum(map(len, lines))


def event_of(
    commands: Sequence[Sequence[str]], *, games: int, concurrency: int, control: str, game: str = "pletore"
) -> Event:
    """Return an event of engines given by their commands: a match of two, a round robin of more."""
    engines = tuple(Engine(f"engine {number}", tuple(words), "/") for number, words in enumerate(commands, 1))
    pairings = len(engines) * (len(engines) - 1) // 2
    return Event(
        name="bench",
        format="match" if len(engines) == 2 else "round-robin",
        game=game,
        size=rules_class(game).default_size,
        komi=KOMI if rules_class(game).has_komi else None,
        games_each=games // pairings,
        time=parse_time(control),
        concurrency=concurrency,
        seed=7,
        book=OpeningBook(),
        dice="independent",
        dice_key=None,
        engines=engines,
    )


@dataclass(slots=True)
class Mark:
    """The state of things at one moment.

    Attributes:
        at_s: the clock.
        plies, games: committed so far.
        runner_ns, workers_ns: processor time used so far.
        runner_bytes, worker_bytes: memory held (of the largest worker).
    """

    at_s: float
    plies: int
    games: int
    runner_ns: int
    workers_ns: int
    runner_bytes: int
    worker_bytes: int


@dataclass(slots=True)
class Played:
    """What came of a run: marks as games were committed, and the wall of the whole runner.

    Attributes:
        until_first_game_s: from the start of the workers until the first game was ready to begin.
        others_cores: cores in use by other processes meanwhile.
        reasons: games by the reason of their end.
    """

    marks: list[Mark]
    wall_s: float
    until_first_game_s: float
    others_cores: float
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def plies(self) -> int:
        """All plies played."""
        return self.marks[-1].plies

    def between(self, start_share: float = 0.1) -> tuple[Mark, Mark]:
        """Return the marks after the first tenth of the games, and at the end."""
        wanted = self.marks[-1].games * start_share
        return next(mark for mark in self.marks if mark.games >= wanted), self.marks[-1]

    @property
    def ply_s(self) -> float:
        """Wall time of a ply while games are played."""
        first, last = self.between()
        return (last.at_s - first.at_s) / (last.plies - first.plies)

    @property
    def worker_ply_s(self) -> float:
        """Processor time of the workers for a ply."""
        first, last = self.between()
        return (last.workers_ns - first.workers_ns) / 1e9 / (last.plies - first.plies)

    @property
    def runner_ply_s(self) -> float:
        """Processor time of the runner, the store included, for a ply."""
        first, last = self.between()
        return (last.runner_ns - first.runner_ns) / 1e9 / (last.plies - first.plies)


class Marks:
    """Observer that marks the time whenever games were committed."""

    def __init__(self, on_record: Callable[[GameRecord], None] | None = None) -> None:
        self.marks: list[Mark] = []
        self.reasons: dict[str, int] = {}
        self.first_game_at: float | None = None
        self.games = 0
        self._plies = 0
        self._on_record = on_record
        self._workers: list[int] = []

    def examined(self, findings: tuple[EngineFinding, ...]) -> None:
        """Find the workers, which are there now."""
        self._workers = [
            pid
            for pid in children(os.getpid())
            if b"arena.live.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]

    def game_started(self, task: GameTask) -> None:
        """Note when the first game began."""
        if self.first_game_at is None:
            self.first_game_at = time.perf_counter()

    def game_committed(self, record: GameRecord) -> None:
        """Count it; mark the state now and then."""
        self._plies += len(record.moves)
        self.games += 1
        self.reasons[record.verdict.reason] = self.reasons.get(record.verdict.reason, 0) + 1
        if self._on_record is not None:
            self._on_record(record)
        if self.games % _GAMES_A_MARK == 0 or not self.marks:
            self.mark()

    def stopping(self, *, at_once: bool) -> None:
        """Nobody stops a measurement."""

    def mark(self) -> None:
        """Mark the state of things."""
        self.marks.append(
            Mark(
                time.perf_counter(),
                self._plies,
                self.games,
                cpu_ns(os.getpid()),
                sum(map(cpu_ns, self._workers)),
                resident_bytes(os.getpid()),
                max(map(resident_bytes, self._workers), default=0),
            )
        )


def played(event: Event, database: Path, on_record: Callable[[GameRecord], None] | None = None) -> Played:
    """Play an event into a fresh database, as `arena run` does but without its display.

    Raises:
        RuntimeError: it did not come to its end.
    """
    database.unlink(missing_ok=True)
    schedule = Schedule(event)
    observer = Marks(on_record)
    start, busy_before, own_before = time.perf_counter(), busy_ticks(), _own_ticks()
    with RunStore.create_or_resume(database, event) as store:

        def again(task: GameTask) -> GameTask:
            return game_task(event, task.scheduled, task.attempt + 1, store.dice_key)

        tasks = (game_task(event, scheduled, 1, store.dice_key) for scheduled in schedule)
        report = trio.run(Runner(event, tasks, store.add, observer, again=again).run)
    wall_s = time.perf_counter() - start
    others = (busy_ticks() - busy_before - (_own_ticks() - own_before)) / os.sysconf("SC_CLK_TCK") / wall_s
    if report.ending is not Ending.FINISHED:
        raise RuntimeError(f"the run did not finish: {report.ending.value} {report.message}")
    first_s = (observer.first_game_at or start) - start
    return Played(observer.marks, wall_s, first_s, max(others, 0.0), observer.reasons)


def _own_ticks() -> float:
    """Return the processor time of this process and of all it has started and seen the end of."""
    times = os.times()
    own_s = times.user + times.system + times.children_user + times.children_system
    return own_s * os.sysconf("SC_CLK_TCK")
