"""Plays tasks with the engines of a pool: acquire both, let the referee play, give both back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import trio

from arena.live.exchange_log import LINES_KEPT, write_log
from arena.live.pool import EnginePool, StartUpFault
from arena.live.referee import Referee
from arena.live.slots import FREE_SLOT, Slot
from arena.rules import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from arena.core.record import EngineIdentity, GameRecord
    from arena.core.task import GameTask
    from arena.live.channel import Patience
    from arena.live.session import EngineSession
    from arena.live.watch import Watch


class GamePlayer:
    """One worker's hands: any number of games at a time, each with two sessions of its own.

    Attributes:
        running: the referees of the games now being played, by the games' ids.

    Args:
        pool: where sessions come from.
        patience: told how many games are running.
        on_started: called when a game's engines are ready.
        slots: places for games; a game beyond them has none in particular.
        watch: looks at the games while they are played, None for no look.
        logs: folder for exchanges, None when none are kept.
    """

    def __init__(
        self,
        pool: EnginePool,
        patience: Patience,
        *,
        on_started: Callable[[str], None] = lambda _: None,
        slots: Sequence[Slot] = (),
        watch: Watch | None = None,
        logs: Path | None = None,
    ) -> None:
        self._pool = pool
        self._patience = patience
        self._on_started = on_started
        self.running: dict[str, Referee] = {}
        self._free_slots = sorted(slots, key=lambda slot: slot.number, reverse=True)
        self._watch = watch
        self._logs = logs

    async def play(self, task: GameTask) -> GameRecord:
        """Play one task; whatever the engines do, a record comes back."""
        scheduled = task.scheduled
        indexes = (scheduled.black, scheduled.white)
        self._patience.games += 1
        slot = self._free_slots.pop() if self._free_slots else None
        sessions: dict[int, EngineSession] = {}
        usable: set[int] = set()
        try:
            faults = await self._acquire(indexes, task.needs_fresh, slot or FREE_SLOT, sessions)
            identities = await self._identities(indexes, sessions)
            if faults:
                usable = set(sessions)
                return await self._kept(Referee(task, (), identities).forfeit(faults), task, sessions)
            await self._pool.let_others_start()
            self._on_started(scheduled.id)
            referee = Referee(
                task,
                (sessions[BLACK], sessions[WHITE]),
                identities,
                patience=self._patience,
                watch=self._watch,
            )
            self.running[scheduled.id] = referee
            record = await referee.play()
            usable = {side for side, session in sessions.items() if referee.is_in_step(session)}
            # Pie may have changed the colours.
            as_played = {
                side: session
                for side, player in enumerate(referee.sessions)
                for session in sessions.values()
                if session is player
            }
            return await self._kept(record, task, as_played)
        finally:
            self._patience.games -= 1
            self.running.pop(scheduled.id, None)
            await self._give_back(indexes, sessions, usable, keep=not task.needs_fresh)
            if slot is not None:
                self._free_slots.append(slot)

    async def _kept(
        self, record: GameRecord, task: GameTask, sessions: Mapping[int, EngineSession]
    ) -> GameRecord:
        """Return the record with what the sessions noticed, its exchange kept where that is wanted."""
        warnings = {side: session.new_warnings() for side, session in sorted(sessions.items())}
        warnings = {side: words for side, words in warnings.items() if words}
        if self._logs is not None and (record.evidence or task.conduct.keeps_exchange):
            exchanges = [
                sessions[side].exchange_lines(LINES_KEPT) if side in sessions else () for side in (0, 1)
            ]
            try:
                log = await trio.to_thread.run_sync(write_log, self._logs, record, exchanges)
                record = replace(record, log=log)
            except OSError as error:
                # The game is worth more than its log: a full disk is told when its record meets it.
                side = min(record.evidence, default=0)
                told = f"its exchange could not be kept: {error.strerror or error}"
                warnings[side] = (*warnings.get(side, ()), told)
        return replace(record, warnings=warnings) if warnings else record

    async def _give_back(
        self, indexes: tuple[int, int], sessions: dict[int, EngineSession], usable: set[int], *, keep: bool
    ) -> None:
        """Return the sessions to the pool, those that are `usable` for the next game."""
        ended = {
            side: session
            for side, session in sessions.items()
            if not (keep and side in usable and self._pool.keep(indexes[side], session))
        }
        if not ended:
            return
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for side, session in ended.items():
                    release = partial(self._pool.release, is_in_step=side in usable, keep=keep)
                    nursery.start_soon(release, indexes[side], session)

    async def _acquire(
        self, indexes: tuple[int, int], fresh: bool, slot: Slot, sessions: dict[int, EngineSession]
    ) -> dict[int, StartUpFault]:
        """Start what must be started, both sides at the same time; return the faults by colour."""
        faults: dict[int, StartUpFault] = {}
        if not fresh:
            for side in (BLACK, WHITE):
                session = self._pool.take_idle(indexes[side], slot)
                if session is not None:
                    sessions[side] = session
        missing = [side for side in (BLACK, WHITE) if side not in sessions]
        if not missing:
            return faults

        async def acquire(side: int) -> None:
            try:
                sessions[side] = await self._pool.acquire(indexes[side], fresh=fresh, slot=slot)
            except StartUpFault as fault:
                faults[side] = fault

        async with trio.open_nursery() as nursery:
            for side in missing:
                nursery.start_soon(acquire, side)
        return faults

    async def _identities(
        self, indexes: tuple[int, int], sessions: dict[int, EngineSession]
    ) -> tuple[EngineIdentity, EngineIdentity]:
        return (
            await self._pool.identity(indexes[BLACK], sessions.get(BLACK)),
            await self._pool.identity(indexes[WHITE], sessions.get(WHITE)),
        )
