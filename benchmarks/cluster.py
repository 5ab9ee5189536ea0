"""What a cluster costs: games against the local executor, bytes on the wire, work of the scheduler.

    python -m benchmarks.cluster [--json FILE] [--games N] [--simulated N,N,…]

Overhead: the same event by both executors, two games at a time, games of two lengths; games per minute
between the first and the last game that ended. Both begin with the same processes and end with the same
database.

Scheduler: one real scheduler with TLS, and simulated workers, many in one process, whose games are a pause
and an answer of the usual length. What is measured there is the scheduler's processor time for a game, for a
worker in a second, and for a look at all workers; simulated workers say nothing about games.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed.protocol.pickle import dumps

from arena.cluster.calls import call_there
from arena.cluster.connection import Access, connected
from arena.cluster.station import Reply
from arena.cluster.trial import Trial
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.messages import Finished
from arena.store import ReadStore, RunStore, Worker
from benchmarks.measuring import Report, arguments, cpu_ns
from benchmarks.store_scale import event_of, synthetic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client, Future

PAUSES_MS = (0, 20)
"""What each engine waits before a move: games of some hundredths and of half a second."""

_ROUNDS = 2
_STORED_GAMES = 2000
_GAME_S = 1.0
_PLAYER = Path(__file__).parent.parent / "tests" / "cluster" / "steady_player.py"


def event(folder: Path, games: int, pause_ms: int) -> Path:
    """Write a match of two steady players on a small board; return the file."""
    file = folder / f"match-{pause_ms}.toml"
    lines = [
        "[tournament]",
        'name = "Overhead"',
        'format = "match"',
        'game = "pletore"',
        "size = 5",
        f"pairs = {games // 2}",
        'time = "600"',
        "seed = 5",
        "concurrency = 2",
        "openings = { random = 2 }",
    ]
    for number in (1, 2):
        command = f'["{{python}}", "{_PLAYER}", "{pause_ms}"]'
        lines += ["[[engine]]", f'name = "steady {number}"', f"command = {command}"]
    file.write_text("\n".join(lines))
    return file


def per_minute(file: Path, database: Path, options: Sequence[str]) -> float:
    """Play an event; return games per minute between the first and the last end."""
    database.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-m", "arena", "run", file, "--db", database, "--no-output", *options],
        check=True,
        capture_output=True,
    )
    with ReadStore(database) as store:
        ends = sorted(datetime.fromisoformat(record.ended) for record in store.records())
    return 60 * (len(ends) - 1) / (ends[-1] - ends[0]).total_seconds()


def overhead(report: Report, trial: Trial, folder: Path, games: int) -> None:
    """Compare both executors, taking turns."""
    files = trial.certificates
    there = ["--executor", "dask", "--scheduler", trial.address, "--workers", "2", "--tls-ca", str(files.ca)]
    there += ["--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    for pause_ms in PAUSES_MS:
        file = event(folder, games, pause_ms)
        rates: dict[str, list[float]] = {"local": [], "dask": []}
        for _ in range(_ROUNDS):
            for name, options in (("local", []), ("dask", there)):
                rates[name].append(per_minute(file, folder / f"{name}.db", options))
        best = {name: max(each) for name, each in rates.items()}
        for name, rate in best.items():
            report.add(f"{name}, {pause_ms} ms a move", rate, "games/min")
        report.add(f"dask / local, {pause_ms} ms a move", 100 * best["dask"] / best["local"], "%")


def store_and_wire(report: Report, folder: Path) -> None:
    """Measure leases and results in the store, and what a game of usual length is on the wire."""
    games = _STORED_GAMES
    event = event_of(games)
    records = list(synthetic(games, seed=1))
    for batch in (1, 20):
        database = folder / f"leases-{batch}.db"
        with RunStore.create_or_resume(database, event) as store:
            worker = store.enrol(Worker("one", "host", 1))
            start = time.perf_counter()
            for first in range(0, games, batch):
                some = records[first : first + batch]
                claims = store.give([(each.id, each.attempt) for each in some], worker, 60.0)
                store.add_claimed(list(zip(some, claims, strict=True)))
            per_s = games / (time.perf_counter() - start)
        report.add(f"games given and stored, {batch} a transaction", per_s, "games/s", digits=0)
    answers = [len(pickle.dumps(Reply("0" * 16, Finished(each)))) for each in records]
    task = game_task(event, Schedule(event).game(0), 1, bytes(32))
    report.add("a game's task", len(pickle.dumps(task)), "bytes", digits=0)
    report.add("what calls the station", len(dumps(call_there())), "bytes", digits=0)
    report.add("a game's answer", sum(answers) / len(answers), "bytes", digits=0)


def _simulated_game(pause_s: float, answer: bytes) -> bytes:
    time.sleep(pause_s)
    return answer


class _Workers:
    """Many workers in a process of their own."""

    def __init__(self, access: Access, count: int) -> None:
        words = [access.address, str(access.ca), str(access.cert), str(access.key), str(count)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.cluster", "--be-workers", *words], stdin=subprocess.PIPE
        )

    def end(self) -> None:
        """End them all."""
        self.process.kill()
        self.process.wait()


async def be_workers(address: str, ca: str, cert: str, key: str, count: int) -> None:
    """Be so many workers until killed."""
    import dask
    from distributed import Security, Worker

    # What a worker does besides would be too much for so many in one process.
    dask.config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "10s",
            "distributed.admin.system-monitor.gil.enabled": False,
        }
    )
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    security = Security(tls_ca_file=ca, tls_worker_cert=cert, tls_worker_key=key, require_encryption=True)
    with tempfile.TemporaryDirectory() as place:
        for number in range(count):
            await Worker(
                address,
                nthreads=1,
                name=f"simulated-{number}",
                security=security,
                local_directory=place,
                memory_limit=0,
                host="127.0.0.1",
                dashboard=False,
            )
        await asyncio.Event().wait()


def scheduler(report: Report, counts: Sequence[int], answer_bytes: int) -> None:
    """Measure a scheduler with simulated workers, as the crew uses one."""
    for count in counts:
        with Trial(0) as trial:
            files = trial.certificates
            access = Access(trial.address, files.ca, files.cert, files.key)
            workers = _Workers(access, count)
            try:
                client = connected(access)
                client.wait_for_workers(count, timeout=300)
                _measure(report, client, trial.pid("scheduler"), count, answer_bytes)
                client.close()
            finally:
                workers.end()


def _measure(report: Report, client: Client, pid: int, count: int, answer_bytes: int) -> None:
    time.sleep(3)
    idle_s = 10.0
    before = cpu_ns(pid)
    time.sleep(idle_s)
    idle = (cpu_ns(pid) - before) / 1e9 / idle_s
    report.add(f"{count} workers: scheduler, idle", 100 * idle, "% of a core")
    report.add(f"{count} workers: for a worker in a second", 1e6 * idle / count, "us")
    scheduler_rpc: Any = client.scheduler
    before, start = cpu_ns(pid), time.perf_counter()
    looks = 5
    for _ in range(looks):
        identity = client.sync(scheduler_rpc.identity, n_workers=-1)
    look_s = (time.perf_counter() - start) / looks
    report.add(f"{count} workers: a look at all", 1000 * look_s, "ms")
    report.add(f"{count} workers: its answer", len(pickle.dumps(identity)) / 1000, "kB")
    addresses = list(identity["workers"])
    games = max(4 * count, 200)
    before, start = cpu_ns(pid), time.perf_counter()
    _play(client, addresses, games, _GAME_S, bytes(answer_bytes))
    wall_s = time.perf_counter() - start
    busy_s = (cpu_ns(pid) - before) / 1e9 - idle * wall_s
    report.add(f"{count} workers: games of {_GAME_S:g} s", games / wall_s, "games/s")
    report.add(f"{count} workers: scheduler's time for a game", 1000 * busy_s / games, "ms", digits=2)


def _play(client: Client, addresses: Sequence[str], games: int, pause_s: float, answer: bytes) -> None:
    """Keep every worker busy with one game, and one more at hand, until all are played."""
    lock = threading.Condition()
    done: list[Future[Any]] = []
    home: dict[object, str] = {}

    def note(future: Future[Any]) -> None:
        with lock:
            done.append(future)
            lock.notify()

    numbers = iter(range(games))

    def submit(address: str) -> None:
        number = next(numbers, None)
        if number is None:
            return
        future = client.submit(
            _simulated_game,
            pause_s,
            answer,
            key=f"simulated-{time.monotonic_ns()}-{number}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        home[future.key] = address
        future.add_done_callback(note)

    for _, address in itertools.product(range(2), addresses):
        submit(address)
    left = games
    while left:
        with lock:
            while not done:
                lock.wait()
            batch, done = done, []
        client.gather(batch)
        left -= len(batch)
        for future in batch:
            submit(home.pop(future.key))


def main() -> None:
    """Take all measurements and print them."""
    if sys.argv[1:2] == ["--be-workers"]:
        address, ca, cert, key, count = sys.argv[2:]
        asyncio.run(be_workers(address, ca, cert, key, int(count)))
        return
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=40, help="games of each run of the overhead")
    parser.add_argument("--simulated", default="10,25,50", help="numbers of simulated workers")
    chosen = parser.parse_args()
    report = Report("A cluster")
    with tempfile.TemporaryDirectory() as name:
        if chosen.games:
            with Trial(2) as trial:
                overhead(report, trial, Path(name), chosen.games)
        store_and_wire(report, Path(name))
        scheduler(report, [int(each) for each in chosen.simulated.split(",") if each], 2500)
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
