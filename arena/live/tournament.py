"""The runner: hands games to worker processes, commits their records, and stops when asked to.

A game that was handed out is not done until its record is committed. The runner holds no result of its own:
what it shows comes from the records, and whatever kills it loses at most the games then running and those
that ended in the last tenth of a second: they are played again.
"""

from __future__ import annotations

import dataclasses
import math
import signal
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Protocol

import trio

from arena.core import verdict as verdicts
from arena.core.record import EngineIdentity, Evidence, GameRecord
from arena.core.verdict import Reason
from arena.live.crew import ABORT_S, CrewError, LocalCrew, WorkerLostError
from arena.live.messages import Failed, Finished, GiveBack, GivenBack, Play, Started
from arena.live.referee import utc_now
from arena.rules import BLACK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.task import GameTask
    from arena.live.crew import Crew, Member
    from arena.live.preflight import EngineFinding

_COMMIT_PAUSE_S = 0.05
"""Time from one commit to the next: games that end in between share one, which costs a third of one each."""

_FAULTS_IN_A_ROW = 2
"""Faults of the arena's own in a row, for one pairing, that stop the event."""


_DETAILS_CHARACTERS = 8000
"""How much of a traceback is kept with a void game."""


class Ending(Enum):
    """How a run came to its end."""

    FINISHED = "all games played"
    STOPPED = "stopped on request, running games finished"
    ABORTED = "aborted on request"
    REFUSED = "an engine failed pre-flight, or nobody can play"
    FAILED = "the arena failed"


@dataclasses.dataclass(frozen=True, slots=True)
class RunReport:
    """What came of a run.

    Attributes:
        ending: how it ended.
        message: for people, when it was refused or failed: what happened.
        findings: what pre-flight found, in the event's order; empty when it was not reached.
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

    def game_committed(self, record: GameRecord) -> None:
        """A record is in the store, void ones too."""

    def stopping(self, *, at_once: bool) -> None:
        """Somebody asked the run to stop."""


class Runner:
    """Plays tasks with a crew: worker processes of this machine, where no other is given.

    Args:
        event: the event; its concurrency is the number of games at a time.
        tasks: what is to be played, in order; taken one by one when there is room. None stands for `nothing
            yet`: it is asked again when a further record is committed, and must know by the last one.
        commit: writes records, in a thread; returns when they are safe, raises when they are not.
        observer: told what happens.
        again: makes the task of playing a void game once more (its dice are new where they are independent).
        database: where `commit` writes: those who watch the event are found by its path; None: nobody does.
        absent: engines that are out of the event and have no games to play.
        logs: folder where exchanges are kept, None for none.
        crew: who plays; it knows by itself of `database` and `logs`.
    """

    def __init__(
        self,
        event: Event,
        tasks: Iterator[GameTask | None],
        commit: Callable[[Sequence[GameRecord]], None],
        observer: Observer,
        *,
        again: Callable[[GameTask], GameTask],
        database: Path | None = None,
        absent: frozenset[int] = frozenset(),
        logs: Path | None = None,
        crew: Crew | None = None,
    ) -> None:
        self._event = event
        self._tasks = tasks
        self._commit = commit
        self._observer = observer
        self._absent = absent
        self._crew: Crew = crew or LocalCrew(event, database=database, logs=logs)
        self._next_attempt = again
        self._again: list[GameTask] = []
        self._faults_in_a_row: dict[tuple[int, int], int] = {}
        self._to_commit, self._committing = trio.open_memory_channel[GameRecord](math.inf)
        self._uncommitted = 0
        self._uncommitted_faults = 0
        self._changed = trio.Event()
        self._is_stopping = False
        self._is_aborted = False
        self._is_dismissing = False
        self._failure: str | None = None
        self._refusal: str | None = None
        self._store_failed = False
        self._members: list[Member] = []
        self._nursery: trio.Nursery | None = None

    async def run(self) -> RunReport:
        """Examine the engines, play everything, and leave no process behind."""
        # Signals are taken care of to the very end: one more of them must not break off the cleaning up.
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async with trio.open_nursery() as listening:
                playing = trio.CancelScope()
                listening.start_soon(self._listen_to_signals, signals, playing)
                try:
                    findings = await self._run_until_over(playing)
                finally:
                    await self._commit_rest()
                listening.cancel_scope.cancel()
        return self._report(findings)

    async def _run_until_over(self, playing: trio.CancelScope) -> tuple[EngineFinding, ...]:
        findings: tuple[EngineFinding, ...] = ()
        with playing:
            async with trio.open_nursery() as nursery:
                try:
                    await self._crew.assemble(self, nursery)
                    findings = await self._crew.examine(self._absent)
                    self._observer.examined(findings)
                    if not any(finding.shortcomings for finding in findings):
                        await self._play_all(nursery)
                except CrewError as error:
                    self._end_by(error)
                finally:
                    self._is_dismissing = True
                    with trio.CancelScope(shield=True):
                        is_calm = not self._is_aborted and self._failure is None
                        await self._crew.dismiss(is_calm=is_calm)
                    nursery.cancel_scope.cancel()
        return findings

    def _end_by(self, error: CrewError) -> None:
        if error.is_refusal:
            self._refusal = str(error)
        else:
            self.give_up(str(error))

    def _report(self, findings: tuple[EngineFinding, ...]) -> RunReport:
        if self._failure is not None:
            return RunReport(Ending.FAILED, self._failure, findings)
        if self._is_aborted:
            return RunReport(Ending.ABORTED, "", findings)
        if self._refusal is not None:
            return RunReport(Ending.REFUSED, self._refusal)
        if any(finding.shortcomings for finding in findings):
            lines = [f"{each.name}: {words}" for each in findings for words in each.shortcomings]
            return RunReport(Ending.REFUSED, "\n".join(lines), findings)
        return RunReport(Ending.STOPPED if self._is_stopping else Ending.FINISHED, "", findings)

    def welcome(self, member: Member) -> None:
        """Take somebody in who plays; called by the crew."""
        self._members.append(member)
        if self._nursery is not None:
            self._nursery.start_soon(self._hear, member)
        self._changed.set()

    def give_up(self, message: str) -> None:
        """End the run as failed; called by the crew, too. The first message stands."""
        if self._failure is None:
            self._failure = message
        self._changed.set()

    async def _play_all(self, nursery: trio.Nursery) -> None:
        """Hand out games until there are none left, or the run is to stop; wait for their records."""
        nursery.start_soon(self._write)
        self._nursery = nursery
        for member in self._members:
            nursery.start_soon(self._hear, member)
        while not self._is_over():
            self._changed = trio.Event()
            if self._is_stopping:
                await self._take_back()
            await self._hand_out()
            if self._is_over():
                return
            await self._changed.wait()

    def _is_over(self) -> bool:
        if self._failure is not None or self._is_aborted:
            return True
        is_idle = not any(member.running for member in self._members) and not self._uncommitted
        return is_idle and (self._is_stopping or self._nothing_left())

    def _nothing_left(self) -> bool:
        if not self._again:
            self._again.extend(_first(self._tasks))
        return not self._again

    async def _hand_out(self) -> None:
        given: dict[Member, list[Play]] = {}
        # A fault may take an engine out of the event, which is known when it is committed.
        while not self._is_stopping and not self._uncommitted_faults:
            if not self._crew.has_room() or self._nothing_left():
                break
            task = self._again[0]
            member = self._crew.place(task)
            if member is None:
                break
            del self._again[0]
            member.running[task.scheduled.id] = task
            given.setdefault(member, []).append(Play(task))
        for member, plays in given.items():
            # `_hear` notices the loss, too, and has the games played again.
            with suppress(WorkerLostError):
                await member.send(*plays)

    async def _take_back(self) -> None:
        """Have games returned that nobody has begun."""
        for member in self._members:
            if len(member.running) > len(member.begun):
                with suppress(WorkerLostError):
                    await member.send(GiveBack())

    async def _hear(self, member: Member) -> None:
        """Take what a member says; have it replaced when it is lost."""
        async for message in member.incoming:
            match message:
                case Finished(record):
                    self._crew.played()
                    self._take(member.done(record.id), record)
                    if _is_by_fault(record):
                        # A game that broke was short for that alone; the next may be nobody's to play.
                        member.at_hand = min(member.at_hand, 1)
                case Failed(game_id, text, details):
                    task = member.done(game_id)
                    self._take(task, _void_record(task, self._event, text, details))
                case Started(game_id):
                    self._observer.game_started(member.started(game_id))
                case GivenBack(game_ids):
                    self._put_back([member.running.pop(game_id) for game_id in game_ids])
                case _:
                    raise RuntimeError(f"unexpected message {type(message).__name__}")
        if self._is_dismissing:
            return
        member.is_ready = False
        words = await member.leave(ABORT_S)
        self._members.remove(member)
        begun = set(member.begun) if member.spoils_games else set()
        self._put_back([task for game_id, task in member.running.items() if game_id not in begun])
        for game_id in begun:
            task = member.running[game_id]
            self._take(task, _void_record(task, self._event, words))
        try:
            await self._crew.replace(member, words)
        except CrewError as error:
            self._end_by(error)
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
            self.give_up(f"the arena's own fault, twice in a row for one pairing (game {record.id}): {words}")
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
            self.give_up(f"results cannot be stored: {error}")
            return
        self._uncommitted -= len(batch)
        self._uncommitted_faults -= sum(map(_is_by_fault, batch))
        for record in batch:
            self._observer.game_committed(record)
        self._changed.set()

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
