"""Engine processes from start to end, without a word of the protocol."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest
import trio
import trio.testing

from arena.core.event import Engine
from arena.live.process import EngineProcess, Launch
from arena.live.sandbox import Launcher
from tests.live.hostile_engines import children, descriptors

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """See to it that a test leaves neither a child nor a descriptor behind."""
    yield
    assert children() == []


def launch(code: str) -> Launch:
    return Launcher().launch(Engine("it", (sys.executable, "-I", "-S", "-c", code), "/"))


async def ended(process: EngineProcess) -> None:
    with trio.fail_after(30):
        await process.exited.wait()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("pass", "exit code 0"),
        ("raise SystemExit(7)", "exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "signal 40"),
    ],
)
async def test_the_end_is_noticed_and_named(nursery: trio.Nursery, code: str, words: str) -> None:
    process = EngineProcess.start(launch(code))
    nursery.start_soon(process.watch)
    await ended(process)
    assert process.has_exited
    assert process.exit_words() == words
    process.kill()
    assert process.exit_words() == words


async def test_a_process_that_ended_keeps_its_number_until_it_is_cleaned_up(nursery: trio.Nursery) -> None:
    process = EngineProcess.start(launch("pass"))
    nursery.start_soon(process.watch)
    await ended(process)
    assert process.has_exited
    assert process.exit_words() == "exit code 0"
    # The group is killed by this number; were it free already, the group could be another engine's.
    assert Path(f"/proc/{process.pid}").exists()
    await process.end(0)
    assert not Path(f"/proc/{process.pid}").exists()


async def test_only_the_end_of_standard_error_is_kept(nursery: trio.Nursery) -> None:
    process = EngineProcess.start(launch("import os; os.write(2, b'a' * 50000 + b'the end')"))
    nursery.start_soon(process.watch)
    await ended(process)
    tail = process.stderr_tail()
    assert len(tail) == 16 * 1024
    assert tail.endswith(b"athe end")
    process.kill()
    assert process.stderr_tail() == tail


async def test_killing_before_during_and_twice_does_no_harm(nursery: trio.Nursery) -> None:
    before = descriptors()
    early = EngineProcess.start(launch("import time; time.sleep(600)"))
    early.kill()
    await early.watch()
    late = EngineProcess.start(launch("import os\nwhile True: os.write(2, b'x' * 60000)"))
    nursery.start_soon(late.watch)
    await trio.testing.wait_all_tasks_blocked()
    late.kill()
    late.kill()
    await late.end(5)
    await ended(late)
    assert descriptors() == before


async def test_a_process_that_cannot_be_watched_is_not_left_running(monkeypatch: pytest.MonkeyPatch) -> None:
    before = descriptors()

    def no_more(pid: int) -> Never:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", no_more)
    with pytest.raises(OSError, match="Too many open files"):
        EngineProcess.start(launch("import time; time.sleep(600)"))
    assert descriptors() == before


async def test_an_end_goes_on_when_it_is_cancelled(nursery: trio.Nursery) -> None:
    process = EngineProcess.start(launch("import sys; sys.stdin.read(); print('bye')"))
    nursery.start_soon(process.watch)
    with trio.CancelScope() as scope:
        scope.cancel()
        await process.end(30)
    assert process.exit_words() == "exit code 0"
