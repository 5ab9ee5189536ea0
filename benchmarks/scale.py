"""A million games: scheduled, resumed, and read.

    python -m benchmarks.scale [--database FILE] [--json FILE]

Without a database: what a schedule of a million games costs before its first game is played. With one
(`python benchmarks/store_scale.py --keep --folder FOLDER` makes it in a few minutes): what it takes to resume
such a run, and to print and draw its standings, in time and in the largest memory held.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from arena.core.event import OpeningBook
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.tournament import Runner
from arena.store import ReadStore, RunStore
from benchmarks.measuring import Report, arguments, compiled, resident_bytes
from benchmarks.played import Marks, event_of, write_games

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Event
    from arena.core.task import GameTask

GAMES = 1_000_000
_PLAYED = 300
_TIMED = 400
_MB = 1_000_000


def scheduled(report: Report, folder: Path) -> None:
    """Report what a schedule of a million games costs, and play the first few hundred of it."""
    listed = folder / "games.txt"
    write_games(listed)
    command = [compiled("replay_engine", folder), str(listed)]
    event = event_of([command] * 2, games=GAMES, concurrency=1, control="10+0.1")
    start = time.perf_counter()
    schedule = Schedule(event)
    report.add("schedule of 1,000,000 games: made in", 1000 * (time.perf_counter() - start), "ms")
    books = {"": event, " with random openings": replace(event, book=OpeningBook(random_plies=2))}
    for words, each in books.items():
        for ordinal in (10, 100_000, GAMES - 1):
            name = f"- game {ordinal:,} of it{words}"
            report.add(name, _one_game_us(each, ordinal), "us")
    run_start = time.perf_counter()
    observer = Marks()
    with RunStore.create_or_resume(folder / "scheduled.db", event) as store:

        def again(task: GameTask) -> GameTask:
            return game_task(event, task.scheduled, task.attempt + 1, store.dice_key)

        tasks = (game_task(event, game, 1, store.dice_key) for game in schedule)

        async def play_some() -> None:
            runner = Runner(event, tasks, store.add, observer, again=again)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(runner.run)
                while observer.games < _PLAYED:
                    await trio.sleep(0.01)
                nursery.cancel_scope.cancel()

        trio.run(play_some)
    first_s = (observer.first_game_at or run_start) - run_start
    report.add("run of 1,000,000 games: first game ready to begin", first_s, "s", "at most 1 s", digits=2)
    memory = max(mark.runner_bytes for mark in observer.marks) / _MB
    report.add(f"- memory of the runner after {_PLAYED} games", memory, "MB", "at most 100 MB")


def _one_game_us(event: Event, ordinal: int) -> float:
    """Return the mean time of a scheduled game near an ordinal, in a fresh schedule.

    A pair's opening is drawn by a permutation that takes a step more for some places than for others.
    """
    schedule = Schedule(event)
    schedule.game(0)
    first = min(ordinal, GAMES - _TIMED)
    start = time.perf_counter_ns()
    for each in range(first, first + _TIMED):
        schedule.game(each)
    return (time.perf_counter_ns() - start) / 1000 / _TIMED


def stored(report: Report, database: Path, folder: Path) -> None:
    """Report what it takes to go on with, and to read, a database of that many games."""
    with ReadStore(database) as reader:
        event = reader.event()
    start = time.perf_counter()
    with RunStore.create_or_resume(database, event) as store:
        played = store.played()
        with ReadStore(database) as reader:
            reader.ending_columns().tallies()
        seconds = time.perf_counter() - start
        chance = random.Random(7)
        start = time.perf_counter_ns()
        for _ in range(1000):
            assert chance.randrange(len(played)) in played
        lookup_us = (time.perf_counter_ns() - start) / 1e6
    report.add(
        f"resume of {len(played):,} games: opened, those played, table so far", seconds, "s", "at most 3 s"
    )
    report.add("- whether one game is played", lookup_us, "us", digits=2)
    report.add("size of the file, a game", database.stat().st_size / len(played), "bytes", digits=0)
    arena = str(Path(sys.executable).with_name("arena"))
    for words, extra, goal in (
        ("arena standings", [], "at most 5 s"),
        ("arena standings --output (tables and charts)", ["--output", str(folder / "out")], "at most 30 s"),
    ):
        seconds, peak_bytes = _run([arena, "standings", str(database), *extra])
        report.add(f"{words}", seconds, "s", goal)
        report.add("- largest memory", peak_bytes / _MB, "MB", "at most 500 MB", digits=0)


def _run(command: Sequence[str]) -> tuple[float, int]:
    """Run a command; return its wall time and the largest memory it held.

    Raises:
        RuntimeError: it failed.
    """
    start = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
        pid = os.posix_spawn(command[0], list(command), os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__)
    parser.add_argument("--database", type=Path, help="a large database, made by store_scale.py")
    chosen = parser.parse_args()
    report = Report("A million games")
    report.data["own memory before, bytes"] = resident_bytes(os.getpid())
    with tempfile.TemporaryDirectory() as name:
        scheduled(report, Path(name))
        if chosen.database is not None:
            stored(report, chosen.database, Path(name))
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
