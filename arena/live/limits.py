"""What an engine's processes may use: limits the kernel enforces, and a watch for those it cannot.

The kernel's limits are for one process, or count what has not been touched yet; so the whole tree is looked
at now and then, and killed when it has gone too far. Which limit it was becomes the verdict.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.core.verdict import Reason
from arena.live.proc import descendants

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WATCH_S = 0.05
"""Time between two looks: a program that fills memory at 10 GB/s gets half a gigabyte past its limit."""

_MIB = 1024 * 1024
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

_DATA_SLACK = 4
_DATA_EXTRA_MB = 512
"""The kernel's memory limit counts what is reserved, and many runtimes reserve far more than they use: it is
set to four times the limit and half a gigabyte, as a stop for what would be too fast for the watch."""

_PROCESS_SLACK = 2
"""The kernel refuses threads and processes at twice the limit; the watch judges at the limit itself."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one engine; None means none.

    Attributes:
        memory_mb: resident memory of the whole process tree, MiB.
        processes: processes and threads of the tree.
        open_files: descriptors of each process.
        file_mb: size of any file it writes, and of its scratch space, MiB.
        cpu_s: CPU seconds of the tree in one game.
        output_kb: what it may write to standard output in one turn, KiB.
        stderr_kb: how much of its standard error is kept, KiB.
    """

    memory_mb: float | None = None
    processes: int | None = None
    open_files: int | None = None
    file_mb: float | None = None
    cpu_s: float | None = None
    output_kb: float = 2048
    stderr_kb: float = 16

    @property
    def are_watched(self) -> bool:
        """Whether the tree must be looked at while the engine runs."""
        return self.memory_mb is not None or self.processes is not None or self.cpu_s is not None


CONTAINED = Limits(memory_mb=2048, processes=128, open_files=256, file_mb=64, cpu_s=3600)
"""Defaults inside a sandbox."""

FREE = Limits()
"""Defaults outside."""


def limits_of(keys: Mapping[str, float], *, contained: bool) -> Limits:
    """Return an entry's limits: its own keys, and for the rest the defaults."""
    base = CONTAINED if contained else FREE
    return Limits(
        memory_mb=keys.get("memory_mb", base.memory_mb),
        processes=_whole(keys.get("processes", base.processes)),
        open_files=_whole(keys.get("open_files", base.open_files)),
        file_mb=keys.get("file_mb", base.file_mb),
        cpu_s=keys.get("cpu_s", base.cpu_s),
        output_kb=keys.get("output_kb", base.output_kb),
        stderr_kb=keys.get("stderr_kb", base.stderr_kb),
    )


def prlimit_words(limits: Limits) -> list[str]:
    """Return the command prefix that sets the kernel's limits; empty when there is nothing to set."""
    words = []
    if limits.memory_mb is not None:
        words.append(f"--data={int((limits.memory_mb * _DATA_SLACK + _DATA_EXTRA_MB) * _MIB)}")
    if limits.processes is not None:
        words.append(f"--nproc={limits.processes * _PROCESS_SLACK + 16}")
    if limits.open_files is not None:
        words.append(f"--nofile={limits.open_files}")
    if limits.file_mb is not None:
        words.append(f"--fsize={int(limits.file_mb * _MIB)}")
    program = shutil.which("prlimit")
    return [program, "--core=0", *words, "--"] if words and program else []


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process tree uses now.

    Attributes:
        memory_bytes: resident memory, shared pages counted in each process.
        processes: processes and threads.
        cpu_s: CPU seconds so far, those of children that have ended included.
    """

    memory_bytes: int
    processes: int
    cpu_s: float


def usage_of(pids: Sequence[int]) -> Usage:
    """Add up what some processes use; those that are gone count as nothing."""
    memory = processes = 0
    cpu_s = 0.0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything: the fields begin after the last one.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            memory += int(fields[21]) * _PAGE_BYTES
            processes += int(fields[17])
            cpu_s += sum(int(field) for field in fields[11:15]) * _TICK_S
    return Usage(memory, processes, cpu_s)


def usage_of_tree(pid: int, limits: Limits) -> Usage:
    """Return what a process and all below it use now.

    Pages that forked processes share are counted once where it matters: when the plain sum is over the limit.
    """
    pids = [pid, *descendants(pid)]
    usage = usage_of(pids)
    if limits.memory_mb is not None and usage.memory_bytes > limits.memory_mb * _MIB and len(pids) > 1:
        return replace(usage, memory_bytes=sum(_proportional_bytes(each) for each in pids))
    return usage


def _proportional_bytes(pid: int) -> int:
    """Return a process's resident memory with shared pages divided among their owners (`Pss`, proc(5))."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def excess(limits: Limits, usage: Usage, cpu_before_s: float) -> tuple[Reason, str] | None:
    """Return which limit is exceeded and by what, None when all is well.

    Args:
        limits: the engine's.
        usage: of its tree now.
        cpu_before_s: CPU seconds the tree had used when the present game began.
    """
    if limits.processes is not None and usage.processes > limits.processes:
        return (
            Reason.PROCESSES,
            f"ran {usage.processes} processes and threads; {limits.processes} are allowed",
        )
    if limits.memory_mb is not None and usage.memory_bytes > limits.memory_mb * _MIB:
        used = usage.memory_bytes / _MIB
        return Reason.MEMORY, f"used {used:.0f} MiB of memory; {limits.memory_mb:g} MiB are allowed"
    cpu_s = usage.cpu_s - cpu_before_s
    if limits.cpu_s is not None and cpu_s > limits.cpu_s:
        return Reason.CPU, f"used {cpu_s:.1f} s of CPU in one game; {limits.cpu_s:g} s are allowed"
    return None


_TOLD_BY_STDERR: tuple[tuple[Reason, tuple[bytes, ...]], ...] = (
    (
        Reason.MEMORY,
        (b"MemoryError", b"bad_alloc", b"Cannot allocate memory", b"OutOfMemory", b"out of memory"),
    ),
    (Reason.DISK, (b"No space left on device", b"File too large", b"Disk quota exceeded")),
    (Reason.PROCESSES, (b"Resource temporarily unavailable", b"can't start new thread")),
)


def told_by_end(limits: Limits, exit_words: str, stderr: bytes) -> tuple[Reason, str] | None:
    """Return the limit that made a program end, as its signal or its last words tell; None when none did.

    Only limits that are in force are blamed: without them the same words are just a crash.
    """
    if exit_words == "signal SIGXFSZ" and limits.file_mb is not None:
        return Reason.DISK, f"wrote a file of more than {limits.file_mb:g} MiB"
    allowed = {
        Reason.MEMORY: limits.memory_mb and f"{limits.memory_mb:g} MiB of memory",
        Reason.DISK: limits.file_mb and f"{limits.file_mb:g} MiB of scratch space",
        Reason.PROCESSES: limits.processes and f"{limits.processes} processes and threads",
    }
    last = stderr[-2000:]
    for reason, words in _TOLD_BY_STDERR:
        if allowed[reason] and any(word in last for word in words):
            return reason, f"ended when it was refused more than its {allowed[reason]}"
    return None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
