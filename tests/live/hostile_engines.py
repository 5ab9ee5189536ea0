"""Entries for the misbehaving engine program, and what must be left of them: nothing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from arena.core.event import Engine

PROGRAM = Path(__file__).parents[1] / "engines" / "hostile.py"
MARK = "GTPARENA_TEST"


def entry(behaviour: str, mark: str, name: str | None = None, **keys: object) -> Engine:
    """Return an entry for a behaviour; `mark` finds its processes and their children again."""
    command = (sys.executable, "-I", "-S", str(PROGRAM), "--behaviour", behaviour)
    return Engine(name or behaviour, command, "/", env={MARK: mark}, **keys)  # type: ignore[arg-type]


def marked(mark: str) -> list[int]:
    """Return the ids of all living processes that carry the mark in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  the listing itself must not hold one


def children() -> list[int]:
    """Return the ids of this process's children, zombies too: engines, workers and what those left behind.

    They all have sessions of their own; helpers of other tests and of the standard library have not.
    """
    lists = (task / "children" for task in Path("/proc/self/task").iterdir())
    pids = [int(word) for path in lists for word in path.read_text().split()]
    return [pid for pid in pids if os.getsid(pid) != os.getsid(0)]
