"""Engines run where their slot is, know its number, are stopped and go on with all they have started."""

from __future__ import annotations

import os
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.event import Engine
from arena.live.proc import descendants
from arena.live.process import EngineProcess
from arena.live.sandbox import Launcher, bubblewrap_problem
from arena.live.slots import Slot, pinned, slots_of
from tests.live.hostile_engines import entry
from tests.live.runs import event_of

if TYPE_CHECKING:
    from collections.abc import Callable

CORES = sorted(os.sched_getaffinity(0))

SAYS = """
import os, sys
print(os.environ["ARENA_SLOT"], sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""

PARENT = """
import os, sys, time
for _ in range(2):
    if os.fork() == 0:
        while True: time.sleep(0.001)
print("ready", flush=True)
sys.stdin.read()
"""


def test_slots_have_cores_of_their_own_while_there_are_enough() -> None:
    a, b = entry("good", "x", "a"), entry("good", "x", "b", threads=2)
    cores = [0, 2, 4, 6, 8]
    assert slots_of(event_of(a, b, concurrency=2), cores) == (Slot(0, (0, 2)), Slot(1, (4, 6)))
    assert slots_of(event_of(a, a, concurrency=3), cores) == (Slot(0, (0,)), Slot(1, (2,)), Slot(2, (4,)))
    assert slots_of(event_of(a, b, concurrency=3), cores) == (Slot(0), Slot(1), Slot(2))


def test_a_thread_is_bound_for_a_moment_only() -> None:
    with pinned(CORES[:1]):
        assert os.sched_getaffinity(0) == {CORES[0]}
    assert sorted(os.sched_getaffinity(0)) == CORES


async def first_line(process: EngineProcess) -> str:
    with trio.fail_after(60):
        await trio.lowlevel.wait_readable(process.read_fd)
    return os.read(process.read_fd, 1000).decode().strip()


@pytest.mark.parametrize("sandbox", ["off", "require"])
async def test_an_engine_is_bound_to_its_slot_before_it_is_executed_and_knows_its_number(
    sandbox: str,
) -> None:
    if sandbox == "require" and bubblewrap_problem() is not None:
        pytest.skip("needs bubblewrap")
    it = Engine("it", (sys.executable, "-I", "-S", "-c", SAYS), "/", sandbox=sandbox)  # type: ignore[arg-type]
    process = EngineProcess.start(Launcher().launch(it, Slot(3, (CORES[-1],))))
    try:
        assert await first_line(process) == f"3 [{CORES[-1]}]"
    finally:
        process.kill()


def states(pids: set[int]) -> set[str]:
    return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in pids}


async def until(holds: Callable[[], bool]) -> None:
    with trio.fail_after(60):
        while not holds():
            await trio.sleep(0.01)


async def test_an_engine_is_stopped_with_all_it_has_started_and_goes_on() -> None:
    it = Engine("it", (sys.executable, "-I", "-S", "-c", PARENT), "/", env={"MARK": uuid.uuid4().hex})
    process = EngineProcess.start(Launcher().launch(it))
    try:
        assert await first_line(process) == "ready"
        tree = {process.pid, *descendants(process.pid)}
        assert len(tree) >= 3
        process.suspend()
        await until(lambda: states(tree) == {"T"})
        used = process.cpu_ns()
        time.sleep(0.05)
        assert process.cpu_ns() == used
        process.resume()
        await until(lambda: "T" not in states(tree))
        await until(lambda: process.cpu_ns() > used)
    finally:
        process.kill()


async def test_a_stopped_engine_can_be_ended() -> None:
    it = Engine(
        "it", (sys.executable, "-I", "-S", "-c", "import sys; print(1, flush=True); sys.stdin.read()"), "/"
    )
    process = EngineProcess.start(Launcher().launch(it))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        assert await first_line(process) == "1"
        process.suspend()
        with trio.fail_after(60):
            await process.end(30.0)
    assert process.exit_words() == "exit code 0"
