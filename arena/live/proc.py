"""The process tree as /proc shows it (Linux, proc(5))."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def descendants(pid: int) -> Iterator[int]:
    """Yield the process ids below `pid`, children before grandchildren."""
    todo = [pid]
    while todo:
        for child in children(todo.pop()):
            yield child
            todo.append(child)


_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def cpu_ns_of_tree(pid: int) -> int:
    """Return the processor time of a process and all below it, nanoseconds.

    Living processes by their own clocks, which have nanoseconds; those that have ended by what the kernel
    added to their parents, in its ticks (10 ms).
    """
    used_ns = 0
    for each in (pid, *descendants(pid)):
        with suppress(OSError, ValueError, IndexError):
            # The clock of another process, as clock_getcpuclockid(3) makes its number: all threads of it.
            used_ns += time.clock_gettime_ns((~each << 3) | 2)
            fields = Path(f"/proc/{each}/stat").read_bytes().rpartition(b")")[2].split()
            used_ns += (int(fields[13]) + int(fields[14])) * _TICK_NS
    return used_ns


class StopLook:
    """Looks whether a process was stopped by a signal (SIGSTOP) and will not go on by itself.

    Args:
        pid: the process; one that is gone is not stopped.
    """

    def __init__(self, pid: int) -> None:
        self._path = Path(f"/proc/{pid}/stat")
        self._was_stopped = False

    def is_for_good(self) -> bool:
        """Look again; say whether it was stopped at this look and at the one before."""
        before = self._was_stopped
        try:
            state = self._path.read_bytes().rpartition(b")")[2].split()[:1]
        except OSError:
            state = []
        self._was_stopped = state == [b"T"]
        return before and self._was_stopped


def children(pid: int) -> list[int]:
    """Return the direct children of a process; none when it is gone."""
    found: list[int] = []
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return found
    for task in tasks:
        with suppress(OSError, ValueError):
            found.extend(int(word) for word in (task / "children").read_text().split())
    return found
