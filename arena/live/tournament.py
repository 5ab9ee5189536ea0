"""The runner: hands games to worker processes, commits their records, and stops when asked to.

A game that was handed out is not done until its record is committed. The runner holds no result of its own:
what it shows comes from the records, and whatever kills it loses at most the games then running.
"""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Protocol

import trio

from arena.core import verdict as verdicts
from arena.core.record import EngineIdentity, Evidence, GameRecord
from arena.core.verdict import Reason
from arena.live.messages import (
    Examine,
    Examined,
    Failed,
    Finished,
    GiveBack,
    GivenBack,
    Goodbye,
    Hello,
    MessageStream,
    MoveSeen,
    Play,
    Started,
    UseEvent,
)
from arena.live.referee import utc_now
from arena.live.slots import slots_of
from arena.rules import BLACK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.task import GameTask
    from arena.live.messages import Message
    from arena.live.preflight import EngineFinding
    from arena.live.referee import MovePlayed
    from arena.live.slots import Slot

_LEAVE_S = 3.0
"""Time for a worker to end its engines politely and leave."""

_ABORT_S = 1.2
"""Time for a worker to kill its engines when the run is aborted (all must be over within two seconds)."""

_SHORT_GAME_S = 0.5
"""A worker whose games are shorter is given one more than it may play at once, so that it need not wait for
the next; longer games are not given away before somebody can play them."""

_COMMIT_PAUSE_S = 0.01
"""Time from one commit to the next: games that end in between share one, which costs a third of one each."""

_LOSSES_IN_A_ROW = 3
"""Worker processes lost in a row, without a game finished between, that stop the event."""

_FAULTS_IN_A_ROW = 2
"""Faults of the arena's own in a row, for one pairing, that stop the event."""


_DETAILS_CHARACTERS = 8000
"""How much of a traceback is kept with a void game."""


class Ending(Enum):
    """How a run came to its end."""

    FINISHED = "all games played"
    STOPPED = "stopped on request, running games finished"
    ABORTED = "aborted on request"
    REFUSED = "an engine failed pre-flight"
    FAILED = "the arena failed"


@dataclasses.dataclass(frozen=True, slots=True)
class RunReport:
    """What came of a run.

    Attributes:
        ending: how it ended.
        message: for people, when it was refused or failed: what happened.
        findings: what pre-flight found, in the event's order.
    """

    ending: Ending
    message: str = ""
    findings: tuple[EngineFinding, ...] = ()


class Observer(Protocol):
    """Whoever watches a run. Called on the runner's thread: every method must return at once."""

    def examined(self, findings: tuple[EngineFinding, ...]) -> None:
        """Pre-flight is over."""

    def game_started(self, task: GameTask) -> None:
        """Both engines of a game are ready."""

    def move_played(self, move: MovePlayed) -> None:
        """An engine moved; some moves may never be shown."""

    def game_committed(self, record: GameRecord) -> None:
        """A record is in the store, void ones too."""

    def stopping(self, *, at_once: bool) -> None:
        """Somebody asked the run to stop."""


class _WorkerLostError(Exception):
    pass


class _Worker:
    """The runner's end of one worker process.

    Attributes:
        running: games it has, by id; what it does not play yet, it keeps for the next moment.
        begun: when each game began that it plays.
        wants_more: whether its last game was so short that it should have one more at hand.
    """

    def __init__(self, place: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena.live.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        ours.setblocking(False)
        self.place = place
        self.stream = MessageStream(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
        self.incoming = self.stream.messages()
        self.running: dict[str, GameTask] = {}
        self.begun: dict[str, float] = {}
        self.wants_more = False
        self.is_ready = False

    async def greet(
        self,
        event: Event,
        slots: tuple[Slot, ...],
        *,
        shows_moves: bool,
        database: Path | None,
        logs: Path | None,
    ) -> None:
        """Tell it what it is for; it takes games from then on."""
        await self.send(Hello(event, len(slots), shows_moves, database, slots, logs))
        self.is_ready = True

    def has_room(self, share: int) -> bool:
        """Say whether it can be given another game when `share` may be played at once."""
        return self.is_ready and len(self.running) < share + self.wants_more

    def started(self, game_id: str) -> GameTask:
        """Note that a game has begun."""
        self.begun[game_id] = trio.current_time()
        return self.running[game_id]

    def done(self, game_id: str) -> GameTask:
        """Note that a game is over."""
        now = trio.current_time()
        self.wants_more = now - self.begun.pop(game_id, now) < _SHORT_GAME_S
        return self.running.pop(game_id)

    async def send(self, message: Message) -> None:
        try:
            await self.stream.send(message)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise _WorkerLostError from None

    async def leave(self, limit_s: float) -> None:
        """Close the socket, wait for the process, kill it in the end."""
        with trio.CancelScope(shield=True):
            await self.stream.close()
            deadline = trio.current_time() + limit_s
            while self.process.poll() is None and trio.current_time() < deadline:
                await trio.sleep(0.01)
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


def worker_count(games: int) -> int:
    """Return how many worker processes share so many games at a time: one a core at most."""
    return min(games, len(os.sched_getaffinity(0)))


class Runner:
    """Plays tasks on worker processes.

    Args:
        event: the event; its concurrency is the number of games at a time.
        tasks: what is to be played, in order; taken one by one when there is room. None stands for `nothing
            yet`: it is asked again when a further record is committed, and must know by the last one.
        commit: writes records, in a thread; returns when they are safe, raises when they are not.
        observer: told what happens.
        again: makes the task of playing a void game once more (its dice are new where they are independent).
        shows_moves: whether the observer wants `move_played`.
        database: where `commit` writes: those who watch the event are found by its path; None: nobody does.
        absent: engines that are out of the event and have no games to play.
        logs: folder where exchanges are kept, None for none.
    """

    def __init__(
        self,
        event: Event,
        tasks: Iterator[GameTask | None],
        commit: Callable[[Sequence[GameRecord]], None],
        observer: Observer,
        *,
        again: Callable[[GameTask], GameTask],
        shows_moves: bool = False,
        database: Path | None = None,
        absent: frozenset[int] = frozenset(),
        logs: Path | None = None,
    ) -> None:
        self._event = event
        self._tasks = tasks
        self._commit = commit
        self._observer = observer
        self._shows_moves = shows_moves
        self._database = database
        self._absent = absent
        self._logs = logs
        self._slots = slots_of(event, sorted(os.sched_getaffinity(0)))
        self._next_attempt = again
        self._again: list[GameTask] = []
        self._losses_in_a_row = 0
        self._faults_in_a_row: dict[tuple[int, int], int] = {}
        self._to_commit, self._committing = trio.open_memory_channel[GameRecord](math.inf)
        self._uncommitted = 0
        self._uncommitted_faults = 0
        self._changed = trio.Event()
        self._is_stopping = False
        self._is_aborted = False
        self._is_dismissing = False
        self._failure: str | None = None
        self._store_failed = False
        self._workers: list[_Worker] = []

    async def run(self) -> RunReport:
        """Examine the engines, play everything, and leave no process behind."""
        concurrency = self._event.concurrency
        count = worker_count(concurrency)
        shares = [concurrency // count + (place < concurrency % count) for place in range(count)]
        # Signals are taken care of to the very end: one more of them must not break off the cleaning up.
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async with trio.open_nursery() as listening:
                playing = trio.CancelScope()
                listening.start_soon(self._listen_to_signals, signals, playing)
                try:
                    findings = await self._run_until_over(playing, shares)
                finally:
                    await self._commit_rest()
                listening.cancel_scope.cancel()
        return self._report(findings)

    async def _run_until_over(
        self, playing: trio.CancelScope, shares: list[int]
    ) -> tuple[EngineFinding, ...]:
        findings: tuple[EngineFinding, ...] = ()
        with playing:
            async with trio.open_nursery() as nursery:
                try:
                    for place in range(len(shares)):
                        self._workers.append(_Worker(place))
                    for worker in self._workers:
                        await self._greet(worker, len(shares))
                    findings = await self._examine()
                    if not any(finding.shortcomings for finding in findings):
                        await self._play_all(nursery, shares)
                except _WorkerLostError:
                    self._fail("a worker process ended at start-up; its message stands above")
                finally:
                    await self._dismiss()
                    nursery.cancel_scope.cancel()
        return findings

    def _report(self, findings: tuple[EngineFinding, ...]) -> RunReport:
        if self._failure is not None:
            return RunReport(Ending.FAILED, self._failure, findings)
        if self._is_aborted:
            return RunReport(Ending.ABORTED, "", findings)
        if any(finding.shortcomings for finding in findings):
            lines = [f"{each.name}: {words}" for each in findings for words in each.shortcomings]
            return RunReport(Ending.REFUSED, "\n".join(lines), findings)
        return RunReport(Ending.STOPPED if self._is_stopping else Ending.FINISHED, "", findings)

    async def _examine(self) -> tuple[EngineFinding, ...]:
        await self._workers[0].send(Examine(self._absent))
        reply = await anext(self._workers[0].incoming, None)
        if not isinstance(reply, Examined):
            raise _WorkerLostError
        self._observer.examined(reply.findings)
        engines = tuple(
            dataclasses.replace(entry, pipelining=finding.pipelining)
            for entry, finding in zip(self._event.engines, reply.findings, strict=True)
        )
        if engines != self._event.engines:
            self._event = dataclasses.replace(self._event, engines=engines)
            for worker in self._workers:
                await worker.send(UseEvent(self._event))
        return reply.findings

    async def _play_all(self, nursery: trio.Nursery, shares: list[int]) -> None:
        """Hand out games until there are none left, or the run is to stop; wait for their records."""
        nursery.start_soon(self._write)
        for worker in self._workers:
            nursery.start_soon(self._hear, worker, nursery, shares)
        while not self._is_over():
            self._changed = trio.Event()
            if self._is_stopping:
                await self._take_back()
            await self._hand_out(shares)
            if self._is_over():
                return
            await self._changed.wait()

    def _is_over(self) -> bool:
        if self._failure is not None or self._is_aborted:
            return True
        is_idle = not any(worker.running for worker in self._workers) and not self._uncommitted
        return is_idle and (self._is_stopping or self._nothing_left())

    def _nothing_left(self) -> bool:
        if not self._again:
            self._again.extend(_first(self._tasks))
        return not self._again

    async def _hand_out(self, shares: list[int]) -> None:
        # A fault may take an engine out of the event, which is known when it is committed.
        while not self._is_stopping and not self._uncommitted_faults:
            free = [each for each in self._workers if each.has_room(shares[each.place])]
            if not free or self._nothing_left():
                return
            worker = min(free, key=lambda each: len(each.running))
            task = self._again.pop(0)
            worker.running[task.scheduled.id] = task
            try:
                await worker.send(Play(task))
            except _WorkerLostError:
                # `_hear` notices the loss, too, and has the game played again.
                return

    async def _take_back(self) -> None:
        """Have games returned that no worker has begun."""
        for worker in self._workers:
            if len(worker.running) > len(worker.begun):
                with suppress(_WorkerLostError):
                    await worker.send(GiveBack())

    async def _hear(self, worker: _Worker, nursery: trio.Nursery, shares: list[int]) -> None:
        """Take what a worker says; replace it when it is lost."""
        async for message in worker.incoming:
            match message:
                case Finished(record):
                    self._losses_in_a_row = 0
                    self._take(worker.done(record.id), record)
                case Failed(game_id, text, details):
                    task = worker.done(game_id)
                    self._take(task, _void_record(task, self._event, text, details))
                case Started(game_id):
                    self._observer.game_started(worker.started(game_id))
                case GivenBack(game_ids):
                    self._put_back([worker.running.pop(game_id) for game_id in game_ids])
                case MoveSeen(move):
                    self._observer.move_played(move)
                case _:
                    raise RuntimeError(f"unexpected message {type(message).__name__}")
        if self._is_dismissing:
            return
        worker.is_ready = False
        await worker.leave(_ABORT_S)
        words = f"the worker process ended with code {worker.process.returncode}"
        self._put_back([task for game_id, task in worker.running.items() if game_id not in worker.begun])
        for game_id in worker.begun:
            task = worker.running[game_id]
            self._take(task, _void_record(task, self._event, words))
        self._losses_in_a_row += 1
        if self._losses_in_a_row >= _LOSSES_IN_A_ROW:
            self._fail(f"{words}, the {_LOSSES_IN_A_ROW}rd loss in a row; its message stands above")
        if self._failure is None:
            await self._replace(worker.place, nursery, shares)

    async def _greet(self, worker: _Worker, workers: int) -> None:
        slots = self._slots[worker.place :: workers]
        await worker.greet(
            self._event, slots, shows_moves=self._shows_moves, database=self._database, logs=self._logs
        )

    async def _replace(self, place: int, nursery: trio.Nursery, shares: list[int]) -> None:
        """Put a fresh worker in a lost one's place."""
        fresh = _Worker(place)
        self._workers[place] = fresh
        nursery.start_soon(self._hear, fresh, nursery, shares)
        # If it is gone already, `_hear` meets the end of its stream.
        with suppress(_WorkerLostError):
            await self._greet(fresh, len(shares))
        self._changed.set()

    def _put_back(self, tasks: list[GameTask]) -> None:
        """Have games played that were handed out and not begun."""
        self._again[:0] = tasks
        self._changed.set()

    def _take(self, task: GameTask, record: GameRecord) -> None:
        """Pass a record on to the store; have a void game played again, unless that happens too often."""
        self._uncommitted += 1
        self._uncommitted_faults += _is_by_fault(record)
        self._to_commit.send_nowait(record)
        self._changed.set()
        pairing = (
            min(task.scheduled.black, task.scheduled.white),
            max(task.scheduled.black, task.scheduled.white),
        )
        if not record.verdict.is_void:
            self._faults_in_a_row.pop(pairing, None)
            return
        if record.verdict.reason == Reason.REFEREE_STALL:
            self._again.insert(0, dataclasses.replace(self._next_attempt(task), has_stalled=True))
            return
        self._faults_in_a_row[pairing] = self._faults_in_a_row.get(pairing, 0) + 1
        if self._faults_in_a_row[pairing] >= _FAULTS_IN_A_ROW:
            words = record.evidence[BLACK].message
            self._fail(f"the arena's own fault, twice in a row for one pairing (game {record.id}): {words}")
            return
        again = self._next_attempt(task)
        self._again.insert(0, dataclasses.replace(again, has_stalled=task.has_stalled))

    async def _write(self) -> None:
        async for record in self._committing:
            next_at = trio.current_time() + _COMMIT_PAUSE_S
            await self._commit_all([record, *self._waiting()])
            await trio.sleep_until(next_at)

    async def _commit_rest(self) -> None:
        """Commit what was finished before the end and is not stored yet."""
        rest = self._waiting()
        if rest and not self._store_failed:
            await self._commit_all(rest)

    def _waiting(self) -> list[GameRecord]:
        waiting = []
        while self._committing.statistics().current_buffer_used:
            waiting.append(self._committing.receive_nowait())
        return waiting

    async def _commit_all(self, batch: list[GameRecord]) -> None:
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._commit, batch)
        except Exception as error:
            # Nothing that is not stored may be shown as a result.
            self._store_failed = True
            self._fail(f"results cannot be stored: {error}")
            return
        self._uncommitted -= len(batch)
        self._uncommitted_faults -= sum(map(_is_by_fault, batch))
        for record in batch:
            self._observer.game_committed(record)
        self._changed.set()

    def _fail(self, message: str) -> None:
        if self._failure is None:
            self._failure = message
        self._changed.set()

    async def _dismiss(self) -> None:
        """End all workers: politely when nothing is running, at once otherwise."""
        self._is_dismissing = True
        with trio.CancelScope(shield=True):
            is_calm = not self._is_aborted and self._failure is None
            async with trio.open_nursery() as nursery:
                for worker in self._workers:
                    nursery.start_soon(_dismiss_one, worker, is_calm)

    async def _listen_to_signals(self, signals: AsyncIterator[int], playing: trio.CancelScope) -> None:
        async for number in signals:
            if self._is_aborted:
                continue
            at_once = self._is_stopping or number == signal.SIGHUP
            self._is_stopping = True
            self._is_aborted = at_once
            if at_once:
                playing.cancel()
            self._changed.set()
            self._observer.stopping(at_once=at_once)


def _is_by_fault(record: GameRecord) -> bool:
    return record.verdict.at_fault is not None or record.verdict.reason == Reason.BOTH_FAILED


def _first(tasks: Iterator[GameTask | None]) -> list[GameTask]:
    task = next(tasks, None)
    return [] if task is None else [task]


async def _dismiss_one(worker: _Worker, is_calm: bool) -> None:
    if is_calm:
        try:
            await worker.send(Goodbye())
        except _WorkerLostError:
            is_calm = False
    await worker.leave(_LEAVE_S if is_calm else _ABORT_S)


def _void_record(task: GameTask, event: Event, message: str, details: str = "") -> GameRecord:
    """Return the record of a game that the arena itself could not finish."""
    scheduled = task.scheduled
    now = utc_now()
    return GameRecord(
        id=scheduled.id,
        ordinal=scheduled.ordinal,
        round=scheduled.round,
        pair=scheduled.pair,
        game=scheduled.game,
        size=scheduled.size,
        seed=scheduled.seed,
        attempt=task.attempt,
        komi=scheduled.komi if isinstance(scheduled.komi, int) else None,
        black=EngineIdentity(event.engines[scheduled.black].name),
        white=EngineIdentity(event.engines[scheduled.white].name),
        verdict=verdicts.void(Reason.ARENA_FAULT),
        moves=(),
        opening_plies=0,
        opening=scheduled.opening.label,
        time_us=(),
        started=now,
        ended=now,
        evidence={BLACK: Evidence(message, stderr=details[-_DETAILS_CHARACTERS:])},
    )
