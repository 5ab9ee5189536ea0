"""The engine processes of one worker: started when needed, kept between games, ended for certain."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from arena.core.record import EngineIdentity, Evidence
from arena.live.faults import ArenaFault, EngineFault
from arena.live.sandbox import Launcher, SandboxError
from arena.live.session import EngineSession
from arena.live.slots import FREE_SLOT, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Engine
    from arena.live.channel import Patience

IDLE_KEPT_PER_GAME = 4
"""Idle processes kept for each game at a time: two are in use by it, two more serve the next pairing."""

_START_ALONE_S = 0.05
"""How long a process that starts has this worker's core to itself. A start costs milliseconds in which
nothing else is heard, and then the core on which other games' clocks are read: so one at a time, but nobody
waits long for an engine that reads its weights."""

_HASHED_BLOCK_BYTES = 1024 * 1024


class EnginePool:
    """Sessions by entry. An engine plays at most one game at a time in one process.

    Attributes:
        entries: the event's engines, as they are to be used.

    Args:
        entries: the event's engines.
        nursery: where the sessions are watched; it must outlive the pool's use.
        patience: shared by all channels of this process.
        games_at_a_time: how many games may use the pool at once.
    """

    def __init__(
        self, entries: Sequence[Engine], nursery: trio.Nursery, patience: Patience, games_at_a_time: int
    ) -> None:
        self.entries = entries
        self._nursery = nursery
        self._patience = patience
        self._most_idle = games_at_a_time * IDLE_KEPT_PER_GAME
        self._idle: list[tuple[int, EngineSession]] = []
        self._all: dict[EngineSession, Slot] = {}
        self._launcher = Launcher()
        self._starting = trio.Semaphore(1)
        self._hashes: dict[int, tuple[str, str]] = {}

    def use_entries(self, entries: Sequence[Engine]) -> None:
        """Take the entries as pre-flight left them; sessions already started keep in step with theirs."""
        self.entries = entries
        for index, session in self._idle:
            session.pipelining = entries[index].pipelining

    def take_idle(self, index: int, slot: Slot) -> EngineSession | None:
        """Return a session of entry `index` that waits in this slot for its next game, None without one."""
        if not self.entries[index].restart:
            for place, (owner, session) in enumerate(self._idle):
                is_its = owner == index and self._all.get(session) == slot
                if is_its and not session.process.has_exited:
                    del self._idle[place]
                    return session
        return None

    async def acquire(self, index: int, *, fresh: bool = False, slot: Slot = FREE_SLOT) -> EngineSession:
        """Return a session of entry `index` that is past its start-up.

        Args:
            index: place in the event's list.
            fresh: whether the process must be new.
            slot: where its game is played: its process was, or is, started for that place.

        Raises:
            StartUpFault: it could not be started; its process is gone.
            ArenaFault: this machine cannot start processes now.
        """
        entry = self.entries[index]
        if not fresh:
            session = self.take_idle(index, slot)
            if session is not None:
                return session
            await self._end_the_dead(index)
        is_up = trio.Event()
        session = await self._launched(entry, slot, is_up)
        try:
            await session.start_up()
            is_up.set()
        except EngineFault as fault:
            raise StartUpFault(*await session.judged(fault)) from fault
        finally:
            if not is_up.is_set():
                is_up.set()
                await self._end(session, politely=False)
        return session

    async def _launched(self, entry: Engine, slot: Slot, is_up: trio.Event) -> EngineSession:
        """Start a process when it is its turn; the next may start when this one `is_up`, or soon anyway."""
        await self._starting.acquire()
        try:
            session = EngineSession.launch(entry, self._launcher.launch(entry, slot), self._patience)
        except BaseException as error:
            self._starting.release()
            if isinstance(error, SandboxError):
                # Pre-flight has passed, so this machine has changed since: nobody's fault who plays.
                raise ArenaFault(f"{entry.name}: {error}") from error
            if isinstance(error, EngineFault):
                raise StartUpFault(error, Evidence(error.message)) from error
            raise
        self._all[session] = slot
        self._nursery.start_soon(session.watch)
        self._nursery.start_soon(self._let_the_next_start, is_up)
        return session

    async def _let_the_next_start(self, is_up: trio.Event) -> None:
        with trio.move_on_after(_START_ALONE_S):
            await is_up.wait()
        self._starting.release()

    async def let_others_start(self) -> None:
        """Wait until the processes have had their turn to start that were asked for before.

        A game begins after this: at the start of an event hundreds of processes may be made, and nobody's
        clock shall run meanwhile.
        """
        if self._starting.value == 0:
            await self._starting.acquire()
            self._starting.release()

    def keep(self, index: int, session: EngineSession) -> bool:
        """Take a session back for the next game, in step as it is; False when it must be `release`d."""
        if self.entries[index].restart or session.process.has_exited or len(self._idle) >= self._most_idle:
            return False
        self._idle.append((index, session))
        return True

    async def release(
        self, index: int, session: EngineSession, *, is_in_step: bool, keep: bool = True
    ) -> None:
        """Take a session back: keep it for the next game, or end it.

        Args:
            index: its entry.
            session: what `acquire` gave.
            is_in_step: False after a fault or any broken-off exchange: it must not be used again.
            keep: whether it may be used again if it is in step.
        """
        if not (is_in_step and keep) or self.entries[index].restart or session.process.has_exited:
            await self._end(session, politely=is_in_step)
            return
        self._idle.append((index, session))
        while len(self._idle) > self._most_idle:
            _, oldest = self._idle.pop(0)
            await self._end(oldest, politely=True)

    async def identity(self, index: int, session: EngineSession | None) -> EngineIdentity:
        """Return what a record says of an engine; `session` None when it could not be started."""
        entry = self.entries[index]
        if index not in self._hashes:
            # Weights may take seconds to read: not on the thread that measures other games' time.
            self._hashes[index] = await trio.to_thread.run_sync(hashes_of, entry)
        command_hash, program_hash = self._hashes[index]
        if session is None:
            return EngineIdentity(entry.name, command_hash=command_hash, program_hash=program_hash)
        return session.identity(command_hash, program_hash)

    async def close(self, *, politely: bool) -> None:
        """End all processes, at the same time."""
        self._idle.clear()
        async with trio.open_nursery() as nursery:
            for session in list(self._all):
                nursery.start_soon(partial(self._end, session, politely=politely))

    def kill_all(self) -> None:
        """Kill all processes at once, without a word to anybody."""
        for session in self._all:
            session.process.kill()
        self._all.clear()
        self._idle.clear()
        self._launcher.close()

    async def _end_the_dead(self, index: int) -> None:
        """Clear away sessions of entry `index` whose process has ended between games."""
        dead = [(owner, each) for owner, each in self._idle if owner == index and each.process.has_exited]
        for place in dead:
            self._idle.remove(place)
            await self._end(place[1], politely=False)

    async def _end(self, session: EngineSession, *, politely: bool) -> None:
        try:
            await session.close(politely=politely)
        finally:
            self._all.pop(session, None)


class StartUpFault(EngineFault):
    """A `start-up` fault with the evidence taken while the process was still there."""

    def __init__(self, fault: EngineFault, evidence: Evidence) -> None:
        super().__init__(fault.reason, fault.message, fault.offending)
        self.evidence = evidence


def hashes_of(entry: Engine) -> tuple[str, str]:
    """Return SHA-256 of the command line, and of the program with every file that its arguments name."""
    line = hashlib.sha256("\0".join(entry.command).encode()).hexdigest()
    program = hashlib.sha256()
    for word in entry.command:
        with suppress(OSError, ValueError):
            path = Path(entry.cwd, word)
            if path.is_file():
                with path.open("rb") as file:
                    while block := file.read(_HASHED_BLOCK_BYTES):
                        program.update(block)
    return line, program.hexdigest()
