"""What a watcher costs a run: replies a second and processor time a reply, with and without one.

    python benchmarks/watching.py [--rounds 7] [--pairs 40] [--concurrency 2]

Each round plays the same event of two random players (Pletore 9x9) twice, in turns: alone, and with
`arena watch` on the database and a reader of its stream, which are there before the games begin (the event is
begun with one pair, then gone on with). Both share the machine with whatever else runs on it, so medians over
the rounds are told, and of their ratios. Replies a second count from the first game's start to the last one's
end; processor time is that of run, workers and engines together, without the watcher's.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arena.store import ReadStore

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGUN_GAMES = 2
_WARM_S = 3.0
"""Time for the watcher to read everything once."""

EVENT = """
[tournament]
name = "watched"
game = "pletore"
size = 9
komi = 4
format = "match"
pairs = {pairs}
concurrency = {concurrency}
openings = {{ random = 2 }}
[[engine]]
name = "one"
command = ["{{python}}", "-m", "sample_engines.random_player"]
[[engine]]
name = "two"
command = ["{{python}}", "-m", "sample_engines.random_player"]
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    replies: int
    replies_per_s: float
    processor_us: float


def run(folder: Path, name: str, *, is_watched: bool) -> Measured:
    """Play the event once."""
    database = folder / f"{name}.db"
    _played(folder, database, "--pairs", "1")
    with watcher(database) if is_watched else nullcontext():
        usage = _played(folder, database)
    with ReadStore(database) as store:
        records = list(store.records())[_BEGUN_GAMES:]
    replies = sum(len(record.moves) - record.opening_plies for record in records)
    began = min(datetime.fromisoformat(record.started) for record in records)
    ended = max(datetime.fromisoformat(record.ended) for record in records)
    return Measured(replies, replies / (ended - began).total_seconds(), usage * 1e6 / replies)


def _played(folder: Path, database: Path, *more: str) -> float:
    """Play, or go on; return the processor time in seconds, that of all its processes included."""
    arguments = ["arena", "run", str(folder / "cup.toml"), "--db", str(database), "--no-output", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the run ended with code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


@contextmanager
def watcher(database: Path) -> Iterator[None]:
    """Have the page of a database served and read."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "watch", str(database), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found = re.search(r"http://([0-9.]+):(\d+)", process.stderr.readline())
    if found is None:
        raise RuntimeError("the watcher did not start")
    connection = http.client.HTTPConnection(found[1], int(found[2]))
    connection.request("GET", "/events")
    response = connection.getresponse()
    reader = threading.Thread(target=_read_all, args=[response], daemon=True)
    reader.start()
    time.sleep(_WARM_S)
    try:
        yield
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()
        reader.join(10)


def _read_all(response: http.client.HTTPResponse) -> None:
    while response.read1(65536):
        pass


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    alone: list[Measured] = []
    watched: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="arena-watching-") as name:
        folder = Path(name)
        (folder / "cup.toml").write_text(EVENT.format(pairs=given.pairs, concurrency=given.concurrency))
        for number in range(given.rounds):
            # Whatever warms up or slows down in a round meets both.
            order = (False, True) if number % 2 == 0 else (True, False)
            for is_watched in order:
                measured = run(folder, f"{number}-{is_watched}", is_watched=is_watched)
                (watched if is_watched else alone).append(measured)
    for what, told in (("alone", alone), ("watched", watched)):
        speed = statistics.median(each.replies_per_s for each in told)
        cost = statistics.median(each.processor_us for each in told)
        print(f"{what}: {speed:.0f} replies/s, {cost:.1f} us of processor time a reply")
    rounds = list(zip(watched, alone, strict=True))
    speed = statistics.median(one.replies_per_s / other.replies_per_s for one, other in rounds)
    cost = statistics.median(one.processor_us / other.processor_us for one, other in rounds)
    print(f"watched / alone: replies/s {speed:.3f}, processor time {cost:.3f}, {len(rounds)} rounds")


if __name__ == "__main__":
    main()
