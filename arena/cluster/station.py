"""The worker's side: what the runner has done on a worker of the cluster.

Each function here is a Dask task or is called by one, on a thread of the Dask worker. The referee runs in a
process of its own, the same `arena.live.worker` that serves local runs: trio never shares a thread with
Dask's event loop, and what happens to one is no business of the other. A worker keeps one such process for
each run it plays for; it ends when its Dask worker does, when its run ends, or when nobody has wanted
anything of it for a while.

What crosses the cluster is plain values or bytes that only runner and workers open.
"""

from __future__ import annotations

import os
import pickle
import queue
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cluster.bundles import Shelf
from arena.cluster.calibration import speed
from arena.cluster.installation import installation
from arena.cluster.viewing import Collector
from arena.live.child import start_module
from arena.live.crew import STOPPED_LOOK_S, as_examined
from arena.live.messages import (
    BlockingStream,
    Examine,
    Examined,
    Failed,
    Finished,
    Goodbye,
    Hello,
    Play,
    Started,
    UseEvent,
)
from arena.live.pool import hashes_of
from arena.live.proc import StopLook
from arena.live.sandbox import bubblewrap_problem, problem
from arena.live.slots import Slot, slots_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.core.event import Engine, Event
    from arena.core.task import GameTask
    from arena.live.messages import Message
    from arena.live.preflight import EngineFinding

PROCESS = secrets.token_hex(8)
"""Tells this worker process from every other, also from one that comes to the same address later."""

_IDLE_S = 120.0
"""A session that nobody has wanted anything of for so long is ended: its runner is gone for good."""

_LOOK_S = 0.5
"""How often a task looks whether it is still wanted."""

_LEAVE_S = 3.0
_LOG_BYTES = 4 * 2**20


class StationError(Exception):
    """The worker cannot do what is asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """Runner to worker, before the first game.

    Attributes:
        run: name of the run.
        event_key: name of the event; earlier runs of it are over.
        event: what is played, as the runner has it.
        absent: engines that are out of the event.
        python: the runner's interpreter; commands with it are started with the worker's.
        programs: SHA-256 of each engine's program as the runner has it.
        bundles: for the folder of each engine that was handed in, the digest of its bundle.
        has_bubblewrap: whether the runner has it: entries with `sandbox = "auto"` are contained alike.
        is_alone: whether the worker has its machine for itself, so that games may be bound to cores.
        threads: how many games it plays at once.
    """

    run: str
    event_key: str
    event: Event
    absent: frozenset[int]
    python: str
    programs: tuple[str, ...]
    bundles: Mapping[str, str]
    has_bubblewrap: bool
    is_alone: bool
    threads: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """Worker to runner: what came of the preparation.

    Attributes:
        problems: why this worker cannot play, one sentence each that goes on after the worker's name.
        findings: what pre-flight found; empty when there were problems.
        speed: see `arena.cluster.calibration`.
        sandbox: whether bubblewrap works here, in a word or the reason why not.
        programs: SHA-256 of each engine's program here.
    """

    problems: tuple[str, ...]
    findings: tuple[EngineFinding, ...] = ()
    speed: float | None = None
    sandbox: str = ""
    programs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """Worker to runner: a game is over.

    Attributes:
        process: which worker process it was played in.
        message: the record, or what kept it from being played.
        log: the exchange, where it was kept.
    """

    process: str
    message: Finished | Failed
    log: bytes | None = None


# --- Tasks ------------------------------------------------------------------------------------------


def describe() -> dict[str, str]:
    """Return what is installed here, and which process this is; plain values for whatever version asks."""
    return {**installation(), "process": PROCESS, "host": socket.gethostname()}


def missing_bundles(digests: list[str]) -> list[str]:
    """Return the bundles that are not here yet."""
    shelf = _shelf()
    return [digest for digest in digests if not shelf.has(digest)]


def take_piece(digest: str, offset: int, piece: bytes) -> None:
    """Take a piece of a bundle's archive; pieces come in order, each once or again."""
    _shelf().take(digest, offset, piece)


def open_bundle(digest: str, build: list[str]) -> str:
    """Unpack a bundle that has come whole, check and build it; return an empty text, or what is wrong."""
    return _shelf().unpack(digest, build)


def prepare(payload: bytes) -> bytes:
    """Make ready for a run: find the engines, measure the machine, do the pre-flight."""
    wanted: Preparation = pickle.loads(payload)  # noqa: S301  from the runner, over the cluster's own wires
    close_event(wanted.event_key, but=wanted.run)
    return pickle.dumps(_prepared(wanted))


def play(run: str, payload: bytes) -> bytes:
    """Play one game to its end."""
    task: GameTask = pickle.loads(payload)  # noqa: S301  as above
    with _lock:
        session = _sessions.get(run)
    if session is None:
        message = Failed(task.scheduled.id, "the worker was started anew and does not know this run", "")
        return pickle.dumps(Reply(PROCESS, message))
    return pickle.dumps(session.play(task, _still_wanted()))


def views(run: str) -> list[bytes]:
    """Return the views of games that have come in since this was asked last; returns at once."""
    with _lock:
        session = _sessions.get(run)
    return [] if session is None else session.views.take()


def close_event(event_key: str, but: str = "") -> None:
    """End the sessions of an event, except for one run's; returns at once."""
    with _lock:
        for run in [run for run, each in _sessions.items() if each.event_key == event_key and run != but]:
            _sessions.pop(run).end(politely=False)


def close_run(run: str, *, politely: bool) -> None:
    """End a run's session; returns at once."""
    with _lock:
        session = _sessions.pop(run, None)
    if session is not None:
        session.end(politely=politely)


# --- Inside -----------------------------------------------------------------------------------------


_lock = threading.Lock()
_sessions: dict[str, _Session] = {}
_shelves: list[Shelf] = []


def _shelf() -> Shelf:
    with _lock:
        if not _shelves:
            _shelves.append(Shelf(Path(_scratch(), "bundles")))
        return _shelves[0]


def _scratch() -> str:
    """Return a folder for this worker's own things; Dask removes it with the worker."""
    from distributed import get_worker

    return get_worker().local_directory


def _still_wanted() -> Callable[[], bool]:
    """Return what says whether the present task's result is still waited for."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    return is_wanted


def _prepared(wanted: Preparation) -> Prepared:
    shelf = _shelf()
    folders = {folder: str(shelf.folder(digest)) for folder, digest in wanted.bundles.items()}
    scratch = Path(_scratch(), "engines")
    scratch.mkdir(exist_ok=True)
    scratch.chmod(0o755)
    engines = tuple(localised(entry, wanted.python, folders, str(scratch)) for entry in wanted.event.engines)
    present = [entry for place, entry in enumerate(engines) if place not in wanted.absent]
    problems = [words for entry in present for words in _missing(entry)]
    programs = tuple(hashes_of(entry)[1] for entry in engines)
    compared = zip(engines, wanted.event.engines, programs, wanted.programs, strict=True)
    others = [
        f"{entry.name!r} (SHA-256 {here[:12]}…, the runner's {there[:12]}…)"
        for place, (entry, original, here, there) in enumerate(compared)
        if place not in wanted.absent and here != there and original.folder not in folders
    ]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        problems.append(
            f"has another program for engine {others[0]}{more}: put the runner's programs there, and the "
            "files that their commands name, at the same paths"
        )
    measured = speed()
    sandbox = bubblewrap_problem()
    open_to_both = [entry.name for entry in present if entry.sandbox == "auto"]
    if open_to_both and (sandbox is None) != wanted.has_bubblewrap:
        state = "has bubblewrap, the runner has not" if sandbox is None else f"has no bubblewrap ({sandbox})"
        problems.append(
            f"{state}, so engine {open_to_both[0]!r} would be contained in another way there: install it on "
            'all machines, or give the entry sandbox = "off"'
        )
    if problems:
        return Prepared(tuple(problems))
    event = replace(wanted.event, engines=engines, concurrency=wanted.threads)
    try:
        findings = _session_for(wanted, event).findings
    except StationError as error:
        return Prepared((str(error),))
    failed = [f"engine {found.name!r} {words}" for found in findings for words in found.shortcomings]
    return Prepared(tuple(failed), findings, measured, sandbox or "bubblewrap", programs)


def _session_for(wanted: Preparation, event: Event) -> _Session:
    """Return the run's session, started and past its pre-flight."""
    with _lock:
        session = _sessions.get(wanted.run)
    if session is not None and session.is_alive:
        return session
    cores = sorted(os.sched_getaffinity(0)) if wanted.is_alone else [0]
    session = _Session(wanted.event_key, event, slots_of(event, cores), Path(_scratch()))
    try:
        session.examine(wanted.absent)
    except StationError:
        session.end(politely=False)
        raise
    with _lock:
        _sessions[wanted.run] = session
    return session


def localised(entry: Engine, python: str, folders: Mapping[str, str], scratch: str) -> Engine:
    """Return an entry as it is to be started on this machine.

    Args:
        entry: as the runner has it.
        python: the runner's interpreter.
        folders: for folders of the runner, where their content is here.
        scratch: a folder to start engines in whose own is not here.
    """

    def here(word: str) -> str:
        if word == python:
            return sys.executable
        for theirs, ours in folders.items():
            if word == theirs or word.startswith(f"{theirs}/"):
                return ours + word[len(theirs) :]
        return word

    cwd = here(entry.cwd)
    return replace(
        entry,
        command=tuple(map(here, entry.command)),
        cwd=cwd if Path(cwd).is_dir() else scratch,
        folder=None if entry.folder is None else here(entry.folder),
        binds=tuple(map(here, entry.binds)),
    )


def _missing(entry: Engine) -> list[str]:
    """Say what an entry needs and this machine lacks."""
    found = []
    program = Path(entry.command[0])
    if not os.access(program, os.X_OK) or program.is_dir():
        found.append(f"lacks the program of engine {entry.name!r}, {program}: install it there at this path")
    for key, place in (("folder", entry.folder), ("data_folder", entry.data_folder)):
        if place is not None and not Path(place).is_dir():
            found.append(f"lacks the {key} of engine {entry.name!r}, {place}: make it there at this path")
    found += [
        f"lacks what engine {entry.name!r} binds, {place}: put it there at this path"
        for place in entry.binds
        if not Path(place).exists()
    ]
    if (why := problem(entry)) is not None:
        found.append(f"cannot contain engine {entry.name!r}: {why}")
    return found


class _Session:
    """One run's referee process, with the games it plays.

    Attributes:
        event_key: the event it belongs to.
        findings: what its pre-flight found.
        views: of the games it plays.
    """

    def __init__(self, event_key: str, event: Event, slots: tuple[Slot, ...], scratch: Path) -> None:
        self.event_key = event_key
        self.findings: tuple[EngineFinding, ...] = ()
        self._event = event
        self._folder = Path(tempfile.mkdtemp(prefix="run-", dir=scratch))
        self.views = Collector(self._folder / "watched")
        self._lock = threading.Lock()
        self._replies: dict[str, queue.SimpleQueue[Message | None]] = {}
        self._examined: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._over = threading.Event()
        self._is_polite = False
        self._wanted_at = time.monotonic()
        self._process, ours = start_module("arena.live.worker")
        self._stream = BlockingStream(ours)
        logs = self._folder / "logs"
        hello = Hello(event, len(slots), database=self.views.path, slots=slots, logs=logs)
        for target in (self._receive, self._end_when_over):
            threading.Thread(target=target, daemon=True).start()
        with suppress(OSError):
            self._stream.send(hello)

    @property
    def is_alive(self) -> bool:
        """Whether its process is there."""
        return not self._over.is_set()

    def examine(self, absent: frozenset[int]) -> None:
        """Do the pre-flight, and use the engines from then on as it found them.

        Raises:
            StationError: the process ended.
        """
        self._tell(Examine(absent))
        reply = self._examined.get()
        if not isinstance(reply, Examined):
            raise StationError(f"cannot run the referee: {self._words()}; see the worker's own log")
        self.findings = reply.findings
        examined = as_examined(self._event, reply.findings)
        if examined != self._event:
            self._tell(UseEvent(examined))

    def play(self, task: GameTask, is_wanted: Callable[[], bool]) -> Reply:
        """Play a game; when it is not wanted any more and no other is either, everything ends."""
        game_id = task.scheduled.id
        replies: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        with self._lock:
            self._replies[game_id] = replies
        try:
            self._tell(Play(task))
            while True:
                self._wanted_at = time.monotonic()
                try:
                    reply = replies.get(timeout=_LOOK_S)
                except queue.Empty:
                    if self.is_alive and is_wanted():
                        continue
                    reply = None
                if isinstance(reply, Finished):
                    return Reply(PROCESS, *self._with_log(reply))
                if isinstance(reply, Failed):
                    return Reply(PROCESS, reply)
                if reply is None:
                    return self._given_up(game_id)
        finally:
            with self._lock:
                del self._replies[game_id]

    def end(self, *, politely: bool) -> None:
        """Let the process end; returns at once."""
        self._is_polite = politely
        self._over.set()

    def _given_up(self, game_id: str) -> Reply:
        if self.is_alive:
            with self._lock:
                is_last = len(self._replies) == 1
            if is_last:
                self.end(politely=False)
            return Reply(PROCESS, Failed(game_id, "the game was given up: nobody wants it any more", ""))
        return Reply(PROCESS, Failed(game_id, self._words(), ""))

    def _with_log(self, reply: Finished) -> tuple[Finished, bytes | None]:
        record = reply.record
        if not record.log:
            return reply, None
        path = self._folder / record.log
        try:
            with path.open("rb") as file:
                content = file.read(_LOG_BYTES)
            path.unlink()
        except OSError:
            return Finished(replace(record, log="")), None
        return reply, content

    def _words(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEAVE_S)
        return f"the referee's process ended with code {self._process.returncode}"

    def _tell(self, message: Message) -> None:
        self._wanted_at = time.monotonic()
        # When it is gone, whoever waits for its answer learns that from the receiving thread.
        with suppress(OSError):
            self._stream.send(message)

    def _receive(self) -> None:
        for message in self._stream.messages():
            match message:
                case Finished(record):
                    self._hand_over(record.id, message)
                case Failed(game_id):
                    self._hand_over(game_id, message)
                case Started():
                    continue
                case _:
                    self._examined.put(message)
        self._over.set()
        self._examined.put(None)
        with self._lock:
            for replies in self._replies.values():
                replies.put(None)

    def _hand_over(self, game_id: str, message: Message) -> None:
        with self._lock:
            replies = self._replies.get(game_id)
        if replies is not None:
            replies.put(message)

    def _end_when_over(self) -> None:
        look = StopLook(self._process.pid)
        while not self._over.wait(STOPPED_LOOK_S):
            if time.monotonic() - self._wanted_at > _IDLE_S:
                self._over.set()
            if look.is_for_good():
                # Whoever receives meets the end of its stream.
                self._process.kill()
        self.views.close()
        if self._is_polite:
            with suppress(OSError):
                self._stream.send(Goodbye())
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LEAVE_S)
        self._stream.close()
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
