"""The test bench: the engine's processes, started as the referee starts them, and conversations with them.

Processes come from the referee's own pool, so everything that is tried here runs in the sandbox and under the
limits of the entry. A process that met no trouble serves the next case as well; after any trouble a fresh one
is used, so that no case pays for another one's failure.
"""

from __future__ import annotations

import dataclasses
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from arena.conformance.case import CaseFailed, Problem
from arena.conformance.positions import Positions
from arena.conformance.silence import Cause, diagnose
from arena.conformance.talk import FAULT_ADVICE, LINES_SHOWN, Talk, Thinking
from arena.conformance.usage import tree_cpu_s, tree_peak_mb
from arena.core.verdict import Reason
from arena.live.channel import Patience
from arena.live.faults import EngineFault
from arena.live.pool import EnginePool, StartUpFault
from arena.live.process import EngineProcess
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arena.conformance.silence import Silence
    from arena.core.clock import TimeControl
    from arena.core.event import Engine
    from arena.core.record import Evidence
    from arena.live.session import EngineSession
    from arena.rules import Rules

_PROCESSES = 2
"""Games at a time: an engine meets itself in one case."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tested: an entry, in one game, with its settings.

    Attributes:
        entry: the engine, with the sandbox and limits it is to run under.
        game, size, komi: the rules; size and komi None where the game has none.
        control: the time control it must keep.
        seed: of everything that is random in the suite.
        positions: positions of each kind.
        patience_s: time for an answer where the clock is not what is tested.
    """

    entry: Engine
    game: str
    size: int | None
    komi: int | None
    control: TimeControl
    seed: int = 0
    positions: int = 8
    patience_s: float = 10.0

    def rules(self) -> Rules:
        """Return the rules with their settings."""
        return make_rules(self.game, size=self.size, komi=self.komi)


class Bench:
    """One engine under test. Use inside a trio nursery that outlives it; `close` ends all processes.

    Attributes:
        subject: what is tested.
        positions: positions to ask about.
        silences: why replies did not come, one for each that did not.
        warnings: tolerated oddities, in the order they were met, each once.
        programs: what it called itself in each process.
        start_s: how long each start took, seconds.
        thinking: what its moves took so far.
        cpu_s, peak_mb: processor time of all its processes that have ended, seconds, and the highest memory
            use of one process tree, megabytes.
        sandbox: level of containment in force, empty before the first start.
        memory_limit_mb: what its process tree may use, None without a limit.
        takes_joined: False once it was seen to answer only the first of two joined commands.
        memory: what cases leave for later ones (which work limit it takes, whether it repeats a game).
    """

    def __init__(self, subject: Subject, nursery: trio.Nursery) -> None:
        self.subject = subject
        self.positions = Positions(subject.rules(), subject.seed)
        self.silences: list[Silence] = []
        self.warnings: list[str] = []
        self.programs: list[str] = []
        self.start_s: list[float] = []
        self.thinking = Thinking()
        self.cpu_s = 0.0
        self.peak_mb = 0.0
        self.sandbox = ""
        self.memory_limit_mb: float | None = None
        self.takes_joined = True
        self.memory: dict[str, str] = {}
        self.pool = _WatchfulPool(self, nursery, Patience())
        self._measured: set[EngineSession] = set()

    async def retire(self) -> None:
        """End the processes that wait for another case, so that what they used is counted."""
        await self.pool.close(politely=True)

    async def close(self) -> None:
        """End all processes."""
        with trio.CancelScope(shield=True):
            await self.pool.close(politely=True)
            self.pool.kill_all()

    @asynccontextmanager
    async def talk(self, *, fresh: bool = False, entry: Engine | None = None) -> AsyncIterator[Talk]:
        """Start a conversation with a process that is past its start-up.

        Args:
            fresh: whether the process must be new.
            entry: a variant of the entry (with ids, with a work limit); None for the entry itself.

        Raises:
            CaseFailed: inside the block, whatever the engine did wrong.
        """
        index = self._index(entry or self.subject.entry)
        session = await self._started(index, fresh=fresh)
        session.pipelining = session.entry.pipelining and self.takes_joined
        talk = Talk(session, self.subject, self.thinking)
        in_step = False
        try:
            yield talk
            in_step = talk.is_in_step
        except EngineFault as fault:
            raise CaseFailed(await self._problem(fault, talk)) from fault
        except CaseFailed as failed:
            if not failed.problem.exchange:
                problem = dataclasses.replace(failed.problem, exchange=session.exchange_lines(LINES_SHOWN))
                raise CaseFailed(problem) from failed
            raise
        finally:
            for warning in session.warnings:
                if warning not in self.warnings:
                    self.warnings.append(warning)
            session.warnings.clear()
            with trio.CancelScope(shield=True):
                await self.pool.release(index, session, is_in_step=in_step)

    def measure(self, session: EngineSession) -> None:
        """Take note of what a process has used; it is about to end."""
        process = session.process
        if isinstance(process, EngineProcess) and session not in self._measured and not process.has_exited:
            self._measured.add(session)
            self.cpu_s += tree_cpu_s(process.pid)
            self.peak_mb = max(self.peak_mb, tree_peak_mb(process.pid))

    def _index(self, entry: Engine) -> int:
        if entry not in self.pool.entries:
            self.pool.entries = (*self.pool.entries, entry)
        return self.pool.entries.index(entry)

    async def _started(self, index: int, *, fresh: bool) -> EngineSession:
        started = trio.current_time()
        try:
            session = await self.pool.acquire(index, fresh=fresh)
        except StartUpFault as fault:
            raise CaseFailed(self._start_up_problem(fault)) from fault
        self.sandbox = session.process.launch.sandbox
        self.memory_limit_mb = session.process.launch.limits.memory_mb
        if session not in self.pool.known:
            self.pool.known.add(session)
            self.start_s.append(trio.current_time() - started)
            self.programs.append(f"{session.reported_name} {session.reported_version}".strip())
        return session

    def _start_up_problem(self, fault: StartUpFault) -> Problem:
        first = _first_reason(fault)
        silence = self.pool.start_up_silence if first is Reason.START_UP else None
        reason, advice = fault.message, FAULT_ADVICE.get(first, "")
        if silence is not None and silence.cause is not Cause.GONE:
            self.silences.append(silence)
            reason, advice = f"{fault.message}: {silence.words}", silence.advice
        evidence = fault.evidence
        return Problem(
            f"{reason}{_last_words(evidence)}",
            advice,
            evidence.exchange,
            stderr=evidence.stderr,
            exit=evidence.exit,
        )

    async def _problem(self, fault: EngineFault, talk: Talk) -> Problem:
        """Say in words what an engine did wrong in a conversation."""
        session = talk.session
        fault, evidence = await session.judged(fault)
        reason, advice = fault.message, FAULT_ADVICE.get(fault.reason, "")
        if fault.reason in (Reason.TIME, Reason.SET_UP) and not fault.offending:
            silence = await diagnose(session)
            if silence.cause is not Cause.GONE:
                self.silences.append(silence)
                reason, advice = f"{fault.message}: {silence.words}", silence.advice
        return Problem(
            f"{reason}{_last_words(evidence)}",
            advice,
            session.exchange_lines(LINES_SHOWN),
            talk.diagram(),
            evidence.stderr,
            evidence.exit,
        )


class _WatchfulPool(EnginePool):
    """The referee's pool, which looks at a process once more before it ends it.

    Attributes:
        known: sessions that came through their start-up.
        start_up_silence: why the last one that did not said nothing more.
    """

    def __init__(self, bench: Bench, nursery: trio.Nursery, patience: Patience) -> None:
        super().__init__((bench.subject.entry,), nursery, patience, _PROCESSES)
        self.known: set[EngineSession] = set()
        self.start_up_silence: Silence | None = None
        self._bench = bench

    async def _end(self, session: EngineSession, *, politely: bool) -> None:
        self._bench.measure(session)
        if session not in self.known and not politely and not session.process.has_exited:
            self.start_up_silence = await diagnose(session)
        await super()._end(session, politely=politely)


def _last_words(evidence: Evidence) -> str:
    """Return how the process ended and the last it said, as the end of a sentence."""
    if not evidence.exit:
        return ""
    lines = evidence.stderr.splitlines()
    return f"; {evidence.exit}, its last words: {lines[-1]}" if lines else f"; {evidence.exit}"


def _first_reason(fault: BaseException) -> Reason:
    """Return the reason that an error was raised for first; start-up has one reason for everything."""
    cause = fault
    while isinstance(cause.__cause__, EngineFault):
        cause = cause.__cause__
    return cause.reason if isinstance(cause, EngineFault) else Reason.START_UP
