"""The process tree as /proc shows it (Linux, proc(5))."""

from __future__ import annotations

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
