"""What all measurements share: native programs, the state of the machine, tables, JSON.

A figure is only worth something together with the machine it was taken on, so every report begins with the
machine and its load, and says so when somebody else was using it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

if TYPE_CHECKING:
    from collections.abc import Sequence

NATIVE = Path(__file__).parent / "native"

_BUSY_SHARE = 0.25
"""Cores that others may use, as a share of all, before figures are marked as taken on a busy machine."""

_LOOK_S = 0.5


@dataclass(slots=True)
class Report:
    """Figures of one measurement, in the order they were taken.

    Attributes:
        subject: what is measured.
        machine: where, and how busy it was before the measurement.
        rows: name, value with its unit in words, the goal in words (empty without one).
        data: the same and more, for programs.
    """

    subject: str
    machine: dict[str, Any] = field(default_factory=lambda: machine())
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, value: float, unit: str, goal: str = "", digits: int = 1) -> None:
        """Add one figure."""
        self.rows.append((name, f"{value:,.{digits}f} {unit}".strip(), goal))
        self.data[name] = {"value": value, "unit": unit, "goal": goal}

    def text(self) -> str:
        """Return the report as text: the machine, a note if it was busy, the table."""
        here = self.machine
        lines = [
            self.subject,
            f"{here['processor']}, {here['cores']} cores, Python {here['python']}, {here['system']}",
            f"load before: {here['load']}; cores in use by others: {here['busy_cores']:.2f}",
        ]
        if here["is_busy"]:
            lines.append(
                "NOTE: the machine was busy. Processor times and ratios within this run hold roughly; wall "
                "times, rates and everything that needs all cores at once do not."
            )
        lines += ["", tabulate(self.rows, ("what", "figure", "goal"), disable_numparse=True)]
        return "\n".join(lines)

    def publish(self, path: Path | None) -> None:
        """Print the report and, if a path is given, write it as JSON."""
        print(self.text() + "\n", flush=True)
        if path is not None:
            tree = {"subject": self.subject, "machine": self.machine, "figures": self.data}
            path.write_text(json.dumps(tree, indent=1) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Describe the machine and how much of it others are using at this moment."""
    cores = len(os.sched_getaffinity(0))
    busy = busy_cores()
    return {
        "processor": _processor(),
        "cores": cores,
        "python": platform.python_version(),
        "system": platform.release(),
        "load": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
        "busy_cores": busy,
        "is_busy": busy > _BUSY_SHARE * cores,
        "at": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def busy_cores(look_s: float = _LOOK_S) -> float:
    """Return how many cores' worth of time is being used by others, over a moment in which we do nothing."""
    before = busy_ticks()
    time.sleep(look_s)
    return (busy_ticks() - before) / os.sysconf("SC_CLK_TCK") / look_s


def busy_ticks() -> int:
    """Return the clock ticks in which any core was busy since the system started."""
    # proc(5), /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice.
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def compiled(name: str, folder: Path) -> str:
    """Compile `native/NAME.c` into a folder and return the program's path."""
    program = folder / name
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, NATIVE / f"{name}.c"], check=True
    )
    return str(program)


def cpu_ns(pid: int) -> int:
    """Return the processor time a process has used, all its threads together, nanoseconds."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total


def resident_bytes(pid: int) -> int:
    """Return the memory a process holds now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """Return the ids of a process's children."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of all values lie."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def spread(values: Sequence[float]) -> str:
    """Return lowest, median and highest value in words."""
    return f"{min(values):.3g} / {statistics.median(values):.3g} / {max(values):.3g}"


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with what every measurement takes."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    return parser
