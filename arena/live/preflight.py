"""Pre-flight: can every engine play what the event asks of it? Asked once, before the first game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from arena.core.clock_words import time_command
from arena.core.verdict import Reason
from arena.live import sandbox
from arena.live.faults import EngineFault, escaped
from arena.live.pool import StartUpFault
from arena.live.session import GameSettings
from arena.rules.registry import rules_class
from protocol.commands import UnsendableError, needed_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Event
    from arena.core.record import Evidence
    from arena.live.pool import EnginePool
    from arena.live.session import EngineSession

_PROBE_S = 1.0
"""How long after the answer to the first of two joined commands that to the second may come."""


@dataclass(frozen=True, slots=True)
class EngineFinding:
    """What pre-flight found out about one entry.

    Attributes:
        name: the entry.
        shortcomings: why it cannot play this event, one sentence each; empty when it can.
        warnings: what its author should know.
        pipelining: whether it takes several commands in one write.
        programs: what it calls itself, for the event's start lines.
    """

    name: str
    shortcomings: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    pipelining: bool = True
    program: str = ""


@dataclass(slots=True)
class _Notes:
    shortcomings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    pipelining: bool = True
    program: str = ""


async def examine(event: Event, pool: EnginePool) -> tuple[EngineFinding, ...]:
    """Start all engines of the event at once and examine them; findings in the event's order."""
    notes = [_Notes(pipelining=entry.pipelining) for entry in event.engines]
    async with trio.open_nursery() as nursery:
        for index, note in enumerate(notes):
            nursery.start_soon(_examine_one, event, pool, index, note)
    return tuple(
        EngineFinding(
            entry.name, tuple(note.shortcomings), tuple(note.warnings), note.pipelining, note.program
        )
        for entry, note in zip(event.engines, notes, strict=True)
    )


async def _examine_one(event: Event, pool: EnginePool, index: int, note: _Notes) -> None:
    if (why := sandbox.problem(pool.entries[index])) is not None:
        note.shortcomings.append(why)
        return
    try:
        session = await _joined_commands_tried(pool, index, note)
    except StartUpFault as fault:
        note.shortcomings.append(_words(fault, fault.evidence))
        return
    in_step = True
    try:
        note.program = f"{session.reported_name} {session.reported_version}".strip()
        note.shortcomings += await _missing(event, session)
        if not note.shortcomings:
            in_step = await _try_set_up(event, session, note)
        control = session.entry.time or event.time
        if time_command(control, session.capabilities.listed) is None:
            note.warnings.append(f"cannot be told its clock ({control.text})")
        note.warnings += session.warnings
        session.warnings.clear()
    except EngineFault as fault:
        in_step = False
        note.shortcomings.append(_words(*await session.judged(fault)))
    except UnsendableError as error:
        note.shortcomings.append(f"its entry holds what cannot be sent: {error}")
    finally:
        await pool.release(index, session, is_in_step=in_step)


async def _joined_commands_tried(pool: EnginePool, index: int, note: _Notes) -> EngineSession:
    """Return a session that is past the trial of two commands in one write.

    An engine that answers only the first of them is out of step; a fresh process is used one by one.

    Raises:
        StartUpFault: it cannot be started, or breaks the protocol here.
    """
    session = await pool.acquire(index)
    try:
        takes_joined = not session.pipelining or await session.probe_pipelining(_PROBE_S)
    except EngineFault as fault:
        judged = await session.judged(fault)
        await pool.release(index, session, is_in_step=False)
        raise StartUpFault(*judged) from fault
    if takes_joined:
        return session
    note.pipelining = False
    note.warnings.append("answers only the first of two joined commands: used without pipelining")
    await pool.release(index, session, is_in_step=False)
    session = await pool.acquire(index)
    session.pipelining = False
    return session


async def _missing(event: Event, session: EngineSession) -> Sequence[str]:
    """Return what the engine lacks for this event."""
    rules = rules_class(event.game)
    needed = needed_commands(
        has_size=bool(rules.sizes),
        has_komi=rules.has_komi,
        has_dice=rules.has_dice,
        is_pie=event.komi == "pie",
    )
    missing = [
        f"does not list `{name}`, which {event.game} needs" for name in session.capabilities.missing(needed)
    ]
    plays = session.entry.plays
    if plays and event.game not in plays:
        missing.append(f"its entry says plays = {list(plays)}, without {event.game}")
    elif not plays and not session.lists("arena-game"):
        missing.append("does not list `arena-game`: its entry must say plays = […]")
    elif not plays:
        games = await session.ask_games()
        if games and event.game not in games:
            names = escaped(", ".join(games).encode(), 100)
            missing.append(f"does not play {event.game} (it says: {names})")
    missing += await _option_problems(session)
    return missing


async def _option_problems(session: EngineSession) -> list[str]:
    if session.entry.options and not session.lists("arena-option"):
        return ["its entry sets options, and it does not list `arena-option`"]
    if session.entry.work_limit and not session.lists("arena-limit"):
        return ["its entry sets work_limit, and it does not list `arena-limit`"]
    return []


async def _try_set_up(event: Event, session: EngineSession, note: _Notes) -> bool:
    """Set up a game as the event will; False when that failed."""
    komi = event.komi if isinstance(event.komi, int) else None
    control = session.entry.time or event.time
    settings = GameSettings(event.game, event.size, komi, 1, control)
    try:
        await session.set_up(settings, (), komi_is_open=event.komi == "pie")
    except EngineFault as fault:
        if fault.reason is Reason.CRASH:
            raise
        note.shortcomings.append(f"cannot be set up for this event: {fault.message}")
        return False
    return True


def _words(fault: EngineFault, evidence: Evidence) -> str:
    """Return a fault in one line: what happened, how the process ended, the last it said."""
    words = f"{fault.message}; {evidence.exit}" if evidence.exit else fault.message
    lines = evidence.stderr.splitlines()
    return f"{words}; it said: {lines[-1]}" if lines else words
