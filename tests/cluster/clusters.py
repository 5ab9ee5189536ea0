"""Trial clusters for tests, and what is done to them."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from arena.cluster.connection import Access
from arena.cluster.crew import DaskCrew, Settings
from arena.config import load_event
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.proc import descendants
from arena.live.tournament import Ending, Runner
from arena.store import ReadStore, RunStore, StoreError
from tests.cli.runs import arena, started, wait_until
from tests.live.runs import Watcher

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from arena.cluster.trial import Trial
    from arena.core.event import Event
    from arena.core.task import GameTask
    from arena.live.tournament import RunReport
    from arena.store import LatePlaying, LostLease, StoredWorker

STEADY = Path(__file__).parent / "steady_player.py"


def steady_event(
    folder: Path,
    *,
    pairs: int = 2,
    pause_ms: int = 5,
    engines: int = 2,
    keys: str = "",
    engine_keys: str = "",
) -> Path:
    """Write a round robin of steady players on a small board and return the file."""
    lines = [
        "[tournament]",
        'name = "Cluster trial"',
        'format = "round-robin"',
        'game = "pletore"',
        "size = 5",
        f"pairs = {pairs}",
        'time = "60"',
        "seed = 5",
        "concurrency = 2",
        "openings = { random = 2 }",
        keys,
    ]
    for number in range(1, engines + 1):
        command = f'["{{python}}", "{STEADY}", "{pause_ms}"]'
        lines += ["[[engine]]", f'name = "steady {number}"', f"command = {command}", engine_keys]
    file = folder / "cup.toml"
    file.write_text("\n".join(lines))
    return file


@contextmanager
def tended(trial: Trial) -> Iterator[Trial]:
    """Have a cluster's processes started anew when they end, as long as the block lasts."""
    ending = threading.Event()

    def tend() -> None:
        with trial:
            is_up.set()
            while not ending.wait(0.1):
                trial.tend()

    is_up = threading.Event()
    # The kernel ends what a thread has started when the thread ends, so one thread does it all.
    thread = threading.Thread(target=tend, daemon=True)
    thread.start()
    try:
        wait_until(lambda: is_up.is_set() or not thread.is_alive())
        assert is_up.is_set(), "the cluster did not start"
        yield trial
    finally:
        ending.set()
        thread.join()


def options(trial: Trial, *more: str) -> list[str]:
    """Return the options of a run on a cluster."""
    files = trial.certificates
    tls = ["--tls-ca", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    return ["--executor", "dask", "--scheduler", trial.address, *tls, "--no-output", *more]


def run_there(trial: Trial, file: Path, database: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run an event on a cluster to its end."""
    return arena("run", file, "--db", database, *options(trial, *more))


def started_there(trial: Trial, file: Path, database: Path, *more: str) -> subprocess.Popen[str]:
    """Start a run of an event on a cluster."""
    return started("run", file, "--db", database, *options(trial, *more))


PLAIN = Settings(workers=2)


def outcome_there(
    trial: Trial, file: Path, database: Path, fault: Callable[[], None] | None, settings: Settings
) -> tuple[RunReport, list[str]]:
    """Play an event on a cluster, in this process, while something happens to the cluster.

    Args:
        trial: the cluster.
        file: the event.
        database: made, or gone on with.
        fault: called in a thread when the run begins.
        settings: of the crew.

    Returns:
        How it ended, and what was said.
    """
    event = load_event(file)
    files = trial.certificates
    said: list[str] = []
    with RunStore.create_or_resume(database, event) as store:
        access = Access(trial.address, files.ca, files.cert, files.key)
        crew = DaskCrew(event, access, store, event_key=str(database), say=said.append, settings=settings)
        thread = threading.Thread(target=fault)
        thread.start()
        report = trio.run(
            Runner(event, _left(event, store), crew.add, Watcher(), again=_never, crew=crew).run
        )
        thread.join()
    return report, said


def _left(event: Event, store: RunStore) -> Iterator[GameTask]:
    played = store.played()
    schedule = Schedule(event)
    for ordinal in range(len(schedule)):
        if ordinal not in played:
            game = schedule.game(ordinal)
            yield game_task(event, game, store.attempts(game.id) + 1, store.dice_key)


def played_there(
    trial: Trial,
    file: Path,
    database: Path,
    fault: Callable[[], None] | None = None,
    settings: Settings = PLAIN,
) -> list[str]:
    """Play an event on a cluster to its end, see `outcome_there`; return what was said."""
    report, said = outcome_there(trial, file, database, fault, settings)
    assert report.ending is Ending.FINISHED, report
    return said


def _never(task: GameTask) -> GameTask:
    raise AssertionError(f"game {task.scheduled.id} was void")


def run_here(file: Path, database: Path) -> None:
    """Run an event on this machine to its end."""
    event = load_event(file)
    with RunStore.create_or_resume(database, event) as store:
        report = trio.run(Runner(event, _left(event, store), store.add, Watcher(), again=_never).run)
    assert report.ending is Ending.FINISHED, report


def finished(run: subprocess.Popen[str]) -> str:
    """Wait for a run to be over, as it should be; return what it said."""
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 0, said
    return said


def stored_workers(database: Path) -> tuple[StoredWorker, ...]:
    """Return the workers of a database."""
    with ReadStore(database) as store:
        return store.workers()


def late(database: Path) -> tuple[LatePlaying, ...]:
    """Return the late results of a database."""
    with ReadStore(database) as store:
        return store.late()


def lost(database: Path) -> tuple[LostLease, ...]:
    """Return the lost leases of a database, none while there is no database."""
    try:
        with ReadStore(database) as store:
            return store.lost_leases()
    except StoreError:
        return ()


def table(database: Path) -> list[tuple[object, ...]]:
    """Return how each game ended, in the order of the schedule, without times."""
    with ReadStore(database) as store:
        return [
            (each.id, each.black, each.white, each.result, each.reason, each.plies, each.moves_hash)
            for each in store.summaries()
        ]


def referees(worker: int) -> list[int]:
    """Return the referee processes that a worker has started."""
    return [
        pid
        for pid in descendants(worker)
        if b"arena.live.worker" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    ]


def stop(pid: int) -> None:
    """Freeze a process, as a machine that is cut off looks from outside."""
    os.kill(pid, signal.SIGSTOP)


def go_on(pid: int) -> None:
    """Let a frozen process go on."""
    os.kill(pid, signal.SIGCONT)


def kill(pid: int) -> None:
    """Kill a process as the kernel would."""
    os.kill(pid, signal.SIGKILL)


def slowing_folder(folder: Path) -> Path:
    """Make a folder that slows every Python program with it on its path: each call there costs one more."""
    slow = folder / "slow"
    slow.mkdir()
    code = "import sys, threading\nhook = lambda *_: None\nthreading.setprofile(hook)\nsys.setprofile(hook)\n"
    (slow / "sitecustomize.py").write_text(code)
    return slow


def steady_players() -> list[int]:
    """Return the processes of steady players, wherever they are."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and str(STEADY).encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found
