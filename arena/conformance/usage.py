"""What a process tree uses, read from /proc; 0 where that cannot be read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from arena.live.proc import descendants

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_cpu_s(pid: int) -> float:
    """Return the processor time that a process, its living descendants and its reaped children used."""
    return sum(map(_cpu_s, (pid, *descendants(pid))))


def tree_peak_mb(pid: int) -> float:
    """Return the sum of the highest resident sizes of a process and its living descendants, megabytes."""
    return sum(map(_peak_mb, (pid, *descendants(pid))))


def is_running(pid: int) -> bool:
    """Say whether a thread of a process or of its descendants computes, or waits for a processor."""
    return any(map(_has_running_thread, (pid, *descendants(pid))))


def _has_running_thread(pid: int) -> bool:
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                state = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if state[:1] == ["R"]:
                    return True
    return False


def _cpu_s(pid: int) -> float:
    with suppress(OSError, ValueError, IndexError):
        # Behind the name, which may hold blanks: utime, stime, cutime, cstime are fields 14 to 17 of proc(5).
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def _peak_mb(pid: int) -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
