"""The runner with real workers and real engines: how a run ends, and what is left when it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.verdict import Reason, void
from arena.live.tournament import Ending, Runner, _void_record
from tests.live.hostile_engines import children, descriptors, entry, marked
from tests.live.runs import Watcher, endless, event_of, tasks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.live.tournament import RunReport

LIMIT_S = 60
OUT_S = 2.0
"""How soon everything must be over after an abort: a promise to users, and no test of speed."""


def again(task: GameTask) -> GameTask:
    return replace(task, attempt=task.attempt + 1)


def forget(batch: Sequence[GameRecord]) -> None:
    """Store nothing."""


class Run:
    """One run in this process, with what it stored and what was seen of it."""

    def __init__(
        self,
        event: Event,
        to_play: Iterator[GameTask],
        *,
        absent: frozenset[int] = frozenset(),
        logs: Path | None = None,
    ) -> None:
        self.stored: list[GameRecord] = []
        self.watcher = Watcher()
        self.store: Callable[[Sequence[GameRecord]], None] = self.stored.extend
        self.runner = Runner(
            event,
            to_play,
            lambda batch: self.store(batch),
            self.watcher,
            again=again,
            absent=absent,
            logs=logs,
        )

    async def to_the_end(self) -> RunReport:
        """Run it and check that what was shown is what was stored, and that no worker is left."""
        before = descriptors()
        with trio.fail_after(LIMIT_S):
            report = await self.runner.run()
        assert self.watcher.committed == self.stored
        assert children() == []
        assert descriptors() <= before + 2  # a thread of trio's own may stay
        return report


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    while not condition():
        await trio.sleep(0.01)


def interrupting(run: Run, condition: Callable[[], bool], *numbers: int) -> Callable[[], Awaitable[None]]:
    """Return a task that sends signals to this process once a condition holds."""

    async def send() -> None:
        await until(condition)
        for number in numbers:
            stops = len(run.watcher.stops)
            os.kill(os.getpid(), number)
            await until(lambda stops=stops: len(run.watcher.stops) > stops)  # type: ignore[misc]

    return send


async def test_a_run_is_finished_when_all_games_are_stored() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("crash", mark, "b"), entry("names", mark, "c"))
    run = Run(event, tasks(event, 12))
    report = await run.to_the_end()
    assert report.ending is Ending.FINISHED
    assert sorted(record.ordinal for record in run.stored) == list(range(12))
    assert {record.attempt for record in run.stored} == {1}
    assert len(run.watcher.started) == 12
    assert [finding.name for finding in report.findings] == ["a", "b", "c"]
    assert marked(mark) == []


async def test_a_finished_run_ends_at_once() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("ignores_the_end", mark, "b"))
    run = Run(event, tasks(event, 4))
    stored: list[float] = []

    def note(batch: Sequence[GameRecord]) -> None:
        run.stored.extend(batch)
        stored.append(time.monotonic())

    run.store = note
    report = await run.to_the_end()
    assert report.ending is Ending.FINISHED
    # An engine that does not leave has a second for it.
    assert time.monotonic() - stored[-1] < 3


async def test_what_an_engine_computes_out_of_turn_is_in_the_record() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("burns_cpu", mark, "a"), entry("thinks", mark, "b"), concurrency=1)
    run = Run(event, tasks(event, 1))
    await run.to_the_end()
    (record,) = run.stored
    assert record.black.name == "a"
    assert record.idle_us[0] > 5_000
    assert record.idle_us[1] < record.idle_us[0] / 4


async def test_engines_that_are_out_are_not_examined() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"), entry("crash_at_start", mark, "c"))
    run = Run(event, tasks(event, 1), absent=frozenset({2}))
    assert (await run.to_the_end()).ending is Ending.FINISHED


async def test_a_game_void_by_a_stall_is_played_again_and_marked_without_any_limit_of_its_own() -> None:
    event = event_of(entry("good", "x", "a"), entry("good", "x", "b"))
    runner = Run(event, iter(())).runner
    for number, task in enumerate(tasks(event, 4)):
        record = _void_record(task, event, "stalled")
        runner._take(task, replace(record, verdict=void(Reason.REFEREE_STALL)))
        assert runner._again[0].has_stalled
        assert runner._again[0].attempt == 2
        assert len(runner._again) == number + 1
    assert runner._failure is None


async def test_exchanges_are_kept_of_games_with_a_fault(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"), entry("error", mark, "c"))
    logs = tmp_path / "cup-logs"
    run = Run(event, tasks(event, 3), logs=logs)
    await run.to_the_end()
    for record in run.stored:
        assert record.log == (f"cup-logs/{record.id}.log" if record.evidence else "")
    kept = {path.name: path.read_text() for path in logs.iterdir()}
    assert set(kept) == {f"{record.id}.log" for record in run.stored if record.evidence}
    for text in kept.values():
        assert "== black: " in text
        assert "== white: " in text
        assert text.count("> arena-game pente") == 2
        assert "< ? out of ideas" in text


async def test_never_more_games_run_than_were_asked_for() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"), concurrency=3)
    run = Run(event, tasks(event, 20))
    assert (await run.to_the_end()).ending is Ending.FINISHED
    # An end sorts before a start of the same moment.
    changes = [(record.started, 1) for record in run.stored] + [(record.ended, -1) for record in run.stored]
    running = list(accumulate(change for _, change in sorted(changes)))
    assert max(running) <= 3


async def test_engines_that_fail_pre_flight_are_named_before_any_game() -> None:
    mark = uuid.uuid4().hex
    event = event_of(
        entry("good", mark, "a"), entry("refuses_size", mark, "b"), entry("crash_at_start", mark, "c")
    )
    run = Run(event, tasks(event, 4))
    report = await run.to_the_end()
    assert report.ending is Ending.REFUSED
    assert "b: cannot be set up for this event: answered `boardsize 5`" in report.message
    assert "c: at start-up" in report.message
    assert "exit code 5" in report.message
    assert "no licence" in report.message
    assert not run.watcher.started
    assert marked(mark) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_one_signal_lets_the_running_games_finish(number: int) -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("thinks", mark, "b"))
    run = Run(event, endless(event))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupting(run, lambda: len(run.watcher.started) == 2, number))
        report = await run.to_the_end()
        nursery.cancel_scope.cancel()
    assert report.ending is Ending.STOPPED
    assert run.watcher.stops == [False]
    assert {record.id for record in run.stored} == {task.scheduled.id for task in run.watcher.started}
    assert all(not record.verdict.is_void for record in run.stored)
    assert marked(mark) == []


@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT), (signal.SIGHUP,)]
)
async def test_a_second_signal_and_a_lost_terminal_end_everything_at_once(numbers: tuple[int, ...]) -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("never_answers", mark, "a"), entry("ignores_the_end", mark, "b"), time="600")
    run = Run(event, endless(event))
    ended = 0.0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupting(run, lambda: len(run.watcher.started) == 2, *numbers))

        async def measure() -> None:
            nonlocal ended
            await until(lambda: len(run.watcher.stops) == len(numbers))
            ended = trio.current_time()

        nursery.start_soon(measure)
        report = await run.to_the_end()
        assert trio.current_time() - ended < OUT_S
        nursery.cancel_scope.cancel()
    assert report.ending is Ending.ABORTED
    assert run.watcher.stops[-1]
    assert run.stored == []
    assert marked(mark) == []


async def test_signals_during_pre_flight_are_heeded_too() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("never_starts", mark, "b", startup_s=600))
    run = Run(event, endless(event))
    async with trio.open_nursery() as nursery:
        ready = partial(_has, mark, 2)
        nursery.start_soon(interrupting(run, ready, signal.SIGINT, signal.SIGINT))
        report = await run.to_the_end()
        nursery.cancel_scope.cancel()
    assert report.ending is Ending.ABORTED
    assert marked(mark) == []


def _has(mark: str, count: int) -> bool:
    return len(marked(mark)) >= count


async def test_engines_are_started_with_no_signal_ignored() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("never_starts", mark, "b", startup_s=600))
    run = Run(event, endless(event))
    ignored: list[int] = []

    def look() -> bool:
        for pid in marked(mark):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            ignored.extend(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
        return len(ignored) >= 2

    async with trio.open_nursery() as nursery:
        nursery.start_soon(interrupting(run, look, signal.SIGHUP))
        await run.to_the_end()
        nursery.cancel_scope.cancel()
    ours = sum(1 << number - 1 for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    # `setpriv` and Python itself ignore others for a moment of their start.
    assert not any(mask & ours for mask in ignored)


@contextmanager
def deaf() -> Iterator[None]:
    """Keep signals that come after the run's end from ending this process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda _number, _frame: None) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


async def test_further_signals_do_not_break_off_the_cleaning_up() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("never_answers", mark, "a"), entry("ignores_the_end", mark, "b"), time="600")
    run = Run(event, endless(event))

    async def keep_on() -> None:
        await until(lambda: len(run.watcher.started) == 2)
        for _ in range(5):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(os.getpid(), number)
            await trio.sleep(0.005)

    with deaf():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_on)
            report = await run.to_the_end()
            nursery.cancel_scope.cancel()
    assert report.ending is Ending.ABORTED
    assert marked(mark) == []


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGKILL, "code -9"), (signal.SIGSTOP, "was stopped by a signal")]
)
async def test_the_games_of_a_killed_or_stopped_worker_are_played_again_and_nobody_is_charged(
    number: int, words: str
) -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("thinks", mark, "b"), concurrency=1)
    run = Run(event, tasks(event, 2))

    async def kill() -> None:
        await until(lambda: len(run.watcher.started) == 1)
        (worker,) = children()
        os.kill(worker, number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(kill)
        report = await run.to_the_end()
    assert report.ending is Ending.FINISHED
    void, *played = run.stored
    assert (void.verdict.result, void.verdict.reason, void.attempt) == ("void", "arena-fault", 1)
    assert words in void.evidence[0].message
    assert [(record.id, record.attempt) for record in played] == [("g0", 2), ("g1", 1)]
    assert all(record.verdict.at_fault is None for record in played)
    assert marked(mark) == []


async def test_two_faults_of_the_arenas_own_in_a_row_for_one_pairing_stop_the_run() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("thinks", mark, "b"), concurrency=1)
    run = Run(event, endless(event))

    async def kill() -> None:
        for count in (1, 2):
            await until(lambda count=count: len(run.watcher.started) == count)  # type: ignore[misc]
            os.kill(children()[0], signal.SIGKILL)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(kill)
        report = await run.to_the_end()
        nursery.cancel_scope.cancel()
    assert report.ending is Ending.FAILED
    assert "twice in a row for one pairing (game g0)" in report.message
    assert [(record.id, record.attempt) for record in run.stored] == [("g0", 1), ("g0", 2)]
    assert all(record.verdict.is_void for record in run.stored)


async def test_an_error_inside_a_game_voids_it_with_the_error_as_evidence() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"), concurrency=1)

    def broken() -> Iterator[GameTask]:
        for task in tasks(event, 1):
            yield replace(task, scheduled=replace(task.scheduled, game="ludo"))

    run = Run(event, broken())
    report = await run.to_the_end()
    assert report.ending is Ending.FAILED
    assert "ludo" in report.message
    assert "\n" not in report.message
    assert [record.verdict.reason for record in run.stored] == ["arena-fault", "arena-fault"]
    assert "Traceback" in run.stored[0].evidence[0].stderr


async def test_results_that_cannot_be_stored_are_not_shown() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"))
    run = Run(event, endless(event))

    def full(batch: Sequence[GameRecord]) -> None:
        raise OSError(28, "No space left on device")

    run.store = full
    report = await run.to_the_end()
    assert report.ending is Ending.FAILED
    assert "No space left on device" in report.message
    assert run.watcher.committed == []
    assert marked(mark) == []


async def test_workers_that_keep_dying_stop_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\nexit 9\n")
    dying.chmod(0o755)
    mark = uuid.uuid4().hex
    event = event_of(entry("good", mark, "a"), entry("good", mark, "b"))
    monkeypatch.setattr(sys, "executable", str(dying))
    report = await Run(event, endless(event)).to_the_end()
    assert report.ending is Ending.FAILED
    assert "worker" in report.message


async def test_daemons_are_gone_when_the_run_is() -> None:
    mark = uuid.uuid4().hex
    event = event_of(entry("daemons", mark, "a"), entry("good", mark, "b"))
    report = await Run(event, tasks(event, 2)).to_the_end()
    assert report.ending is Ending.FINISHED
    assert marked(mark) == []


# ---- the runner as a process of its own, and killed -----------------------------------------------------


@contextmanager
def driver(mark: str, *behaviours: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.live.runner_driver", mark, *behaviours],
        cwd=root,
        env={**os.environ, "GTPARENA_TEST": mark},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_nothing_is_left(mark: str) -> float:
    """Return how long it took until no process carried the mark any more."""
    started = time.monotonic()
    while marked(mark):
        assert time.monotonic() - started < LIMIT_S, "processes are left"
        time.sleep(0.02)
    return time.monotonic() - started


@pytest.mark.parametrize(
    "behaviours", [("ignores_the_end", "never_answers"), ("good", "never_starts"), ("floods_stderr", "good")]
)
def test_nothing_outlives_a_runner_killed_by_sigkill(behaviours: tuple[str, ...]) -> None:
    mark = uuid.uuid4().hex
    with driver(mark, *behaviours) as process:
        assert process.stdout is not None
        if "never_starts" in behaviours:
            while len(marked(mark)) < 5:  # the runner, two workers, two engines
                time.sleep(0.02)
        else:
            assert "started" in process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert wait_until_nothing_is_left(mark) < OUT_S


def test_a_signal_to_every_process_of_the_service_lets_the_games_finish() -> None:
    mark = uuid.uuid4().hex
    with driver(mark, "good", "thinks") as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert "started" in next(lines)
        # The runner and its workers, not the engines.
        for pid in marked(mark):
            if "hostile" not in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGTERM)
        rest = list(lines)
    assert rest[-1] == "ended STOPPED\n"
    assert not [line for line in rest if "arena-fault" in line]
    assert wait_until_nothing_is_left(mark) < OUT_S
