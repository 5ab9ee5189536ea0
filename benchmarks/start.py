"""How long one waits: for help, and for the first game of a run.

    python -m benchmarks.start [--times 7] [--json FILE]

`arena run` is started as a user starts it; the moment when the first engine is asked for its first move is
noted by the engine. What lies between is the interpreter, the tournament file, the database, the workers,
and the pre-flight of both engines.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import Report, arguments, compiled
from benchmarks.played import write_games

_FILE = """
[tournament]
name = "start"
format = "match"
game = "pletore"
komi = 4
pairs = 1
time = "10+0.1"
[[engine]]
name = "one"
command = {command}
[[engine]]
name = "two"
command = {command}
"""


def help_s(arena: list[str]) -> float:
    """Return the wall time of `arena --help`."""
    start = time.perf_counter()
    subprocess.run([*arena, "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def first_move_s(arena: list[str], folder: Path) -> tuple[float, float]:
    """Return when the first move was asked for, and when two games and their tables were done, in seconds."""
    engine, listed, stamp = compiled("replay_engine", folder), folder / "games.txt", folder / "first"
    write_games(listed)
    file = folder / "start.toml"
    file.write_text(_FILE.format(command=[engine, str(listed)]), encoding="utf-8")
    file.with_suffix(".db").unlink(missing_ok=True)
    stamp.unlink(missing_ok=True)
    start_ns = time.time_ns()
    subprocess.run(
        [*arena, "run", file, "--no-output"],
        check=True,
        env={**os.environ, "FIRST_MOVE": str(stamp)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end_ns = time.time_ns()
    return (stamp.stat().st_mtime_ns - start_ns) / 1e9, (end_ns - start_ns) / 1e9


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=7)
    chosen = parser.parse_args()
    arena = [str(Path(sys.executable).with_name("arena"))]
    report = Report("Start-up")
    helps = [help_s(arena) for _ in range(chosen.times)]
    with tempfile.TemporaryDirectory() as name:
        starts = [first_move_s(arena, Path(name)) for _ in range(chosen.times)]
    report.data["rounds"] = {"help": helps, "first move, end": starts}
    report.add("arena --help", statistics.median(helps), "s", "at most 0.2 s", digits=3)
    first = statistics.median(first for first, _ in starts)
    report.add("arena run: first move asked for", first, "s", "at most 1 s", digits=3)
    report.add(
        "arena run: two games played, tables printed",
        statistics.median(end for _, end in starts),
        "s",
        digits=3,
    )
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
