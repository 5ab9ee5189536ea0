"""What so many games at a time take of this machine: descriptors and processes, asked for before the first.

A limit met in the middle of an event would void games that were as good as any; so it is named at the start.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

from arena.live.pool import IDLE_KEPT_PER_GAME

_DESCRIPTORS_OF_A_SESSION = 4
"""Three pipes and the process itself."""

_DESCRIPTORS_BESIDES = 64
"""Of the interpreter, trio's loop, the socket to the runner, a program that is being hashed."""

_PROCESSES_BESIDES = 16


def processes_needed(games: int, engines: int) -> int:
    """Return how many engine processes may live at once.

    Args:
        games: games at a time.
        engines: entries of the event: a match never needs more of either than it has games at a time.
    """
    in_use = 2 * games
    kept = min(IDLE_KEPT_PER_GAME * games, in_use * max(engines - 2, 0) // 2)
    return in_use + kept


def shortage(games: int, engines: int, workers: int) -> str | None:
    """Say what this machine lacks for so many games at a time, None when nothing is known to be short.

    Args:
        games: games at a time.
        engines: entries of the event.
        workers: processes that share the games.

    Returns:
        One sentence: what is needed, what the limit is and whose, and what to do.
    """
    processes = processes_needed(games, engines) + workers + _PROCESSES_BESIDES
    each = -(-processes_needed(games, engines) // workers)
    descriptors = each * _DESCRIPTORS_OF_A_SESSION + _DESCRIPTORS_BESIDES
    _, most_descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most_descriptors != resource.RLIM_INFINITY and descriptors > most_descriptors:
        return (
            f"{games} games at a time take up to {descriptors} open files in a worker, and "
            f"{most_descriptors} are allowed (`ulimit -Hn`): raise that limit, or lower concurrency"
        )
    for room, name in _process_limits():
        if processes > room:
            return (
                f"{games} games at a time take up to {processes} processes, and there is room for {room} "
                f"more ({name}): raise that limit, or lower concurrency"
            )
    return None


def allow_descriptors() -> None:
    """Let this process open as many files as it is allowed to: the usual limit is for programs with a few."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _process_limits() -> list[tuple[int, str]]:
    """Return how many more processes every known limit allows, with its name."""
    found: list[tuple[int, str]] = []
    alive = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    for name in ("pid_max", "threads-max"):
        limit = _number(Path("/proc/sys/kernel", name))
        if limit is not None:
            found.append((limit - len(alive), f"/proc/sys/kernel/{name}"))
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if limit != resource.RLIM_INFINITY and os.geteuid() != 0:  # root is not held to it
        own = sum(_owner(entry) == os.getuid() for entry in alive)
        found.append((limit - own, "`ulimit -u`"))
    for group in _process_groups():
        allowed, present = _number(group / "pids.max"), _number(group / "pids.current")
        if allowed is not None and present is not None:
            found.append((allowed - present, str(group / "pids.max")))
    return found


def _process_groups() -> list[Path]:
    """Return the control groups this process is in that may limit processes (cgroups(7), both versions)."""
    groups = []
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "pids"):
            root = Path("/sys/fs/cgroup", controllers)
            inside = root / path.lstrip("/")
            groups += [group for group in (inside, *inside.parents) if root in (group, *group.parents)]
    return groups


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _owner(process: Path) -> int | None:
    try:
        return process.stat().st_uid
    except OSError:
        return None
