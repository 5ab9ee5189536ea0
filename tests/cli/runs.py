"""Real runs of the `arena` command in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from arena.store import ReadStore, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

ENOUGH_S = 120.0
"""Generous: nothing here depends on how fast the machine is."""

RANDOM = '["{python}", "-m", "sample_engines.random_player"]'


def tournament(
    folder: Path, *, engines: int = 3, keys: str = "", game: str = "pletore", size: int = 5
) -> Path:
    """Write a small tournament of random players and return the file."""
    sized = "" if game == "plakoto" else f"size = {size}"
    lines = [
        "[tournament]",
        f'game = "{game}"',
        sized,
        'format = "round-robin"',
        "seed = 11",
        keys,
    ]
    for number in range(engines):
        lines += ["[[engine]]", f'name = "player {number}"', f"command = {RANDOM}"]
    file = folder / "cup.toml"
    file.write_text("\n".join(lines))
    return file


def arena(*arguments: str | Path, timeout_s: float = ENOUGH_S) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start the command in a session of its own and return it."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for something that is bound to come."""
    deadline = time.monotonic() + ENOUGH_S
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for never came")
        time.sleep(0.01)


def games_played(database: Path) -> int:
    """Return how many games are stored, 0 while there is no database yet."""
    try:
        with ReadStore(database) as store:
            return store.progress().played
    except StoreError:
        return 0


def what_was_played(database: Path) -> list[tuple[object, ...]]:
    """Return what must be equal in two runs of one event: everything but times."""
    with ReadStore(database) as store:
        return [
            (r.id, r.ordinal, r.round, r.black.name, r.white.name, r.opening, r.moves, r.dice, r.verdict)
            for r in store.records()
        ]


def kill_at_once(process: subprocess.Popen[str]) -> None:
    """Kill as the kernel or a power cut would: no handler runs."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def engines_alive() -> list[int]:
    """Return the processes that were started as engines by anybody (they carry the arena's mark)."""
    alive = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if b"ARENA_PROCESS=" in (entry / "environ").read_bytes():
                    alive.append(int(entry.name))
            except OSError:
                continue
    return alive
