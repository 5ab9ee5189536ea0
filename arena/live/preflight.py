"""Pre-flight: can every engine play what the event asks of it? Asked once, before the first game."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from arena.core.clock_words import time_command
from arena.core.terms import TermsOfEvent
from arena.core.verdict import Reason
from arena.live import sandbox
from arena.live.faults import EngineFault, escaped
from arena.live.pool import StartUpFault
from arena.live.session import GameSettings
from arena.live.slots import FREE_SLOT, Slot
from arena.rules.registry import rules_class
from protocol.commands import UnsendableError, needed_commands

if TYPE_CHECKING:
    from collections.abc import Container

    from arena.core.clock import TimeControl
    from arena.core.event import Event, Komi
    from arena.core.record import Evidence
    from arena.live.pool import EnginePool
    from arena.live.session import EngineSession

_MUST_SAY = "its entry must say plays = […] (arena match: --plays)"

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


async def examine(
    event: Event, pool: EnginePool, *, absent: Container[int] = (), slot: Slot = FREE_SLOT
) -> tuple[EngineFinding, ...]:
    """Start all engines of the event at once and examine them; findings in the event's order.

    Args:
        event: what they are to play.
        pool: where they are started and kept.
        absent: engines that are out of the event: they are left alone.
        slot: where their processes belong.
    """
    notes = [_Notes(pipelining=entry.pipelining) for entry in event.engines]
    async with trio.open_nursery() as nursery:
        for index, note in enumerate(notes):
            if index not in absent:
                nursery.start_soon(_examine_one, event, pool, index, slot, note)
    return tuple(
        EngineFinding(
            entry.name, tuple(note.shortcomings), tuple(note.warnings), note.pipelining, note.program
        )
        for entry, note in zip(event.engines, notes, strict=True)
    )


async def _examine_one(event: Event, pool: EnginePool, index: int, slot: Slot, note: _Notes) -> None:
    if (why := sandbox.problem(pool.entries[index])) is not None:
        note.shortcomings.append(why)
        return
    try:
        session = await _joined_commands_tried(pool, index, slot, note)
    except StartUpFault as fault:
        note.shortcomings.append(_words(fault, fault.evidence))
        return
    in_step = True
    try:
        note.program = f"{session.reported_name} {session.reported_version}".strip()
        note.shortcomings += await _missing(event, session)
        trials = _trials(event, index)
        for trial in [] if note.shortcomings else trials:
            in_step = in_step and await _try_set_up(trial, session, note)
        if session.entry.options and not note.shortcomings and not session.lists("arena-option"):
            note.shortcomings.append(f"does not take the options of its entry: {session.warnings[-1]}")
        for control in dict.fromkeys(trial.control for trial in trials):
            if time_command(control, session.capabilities.listed) is None:
                note.warnings.append(_untold(control, session))
        note.warnings += session.warnings
        session.warnings.clear()
    except EngineFault as fault:
        in_step = False
        note.shortcomings.append(_words(*await session.judged(fault)))
    except UnsendableError as error:
        note.shortcomings.append(f"its entry holds what cannot be sent: {error}")
    finally:
        await pool.release(index, session, is_in_step=in_step)


async def _joined_commands_tried(pool: EnginePool, index: int, slot: Slot, note: _Notes) -> EngineSession:
    """Return a session that is past the trial of two commands in one write.

    An engine that answers only the first of them is out of step; a fresh process is used one by one.

    Raises:
        StartUpFault: it cannot be started, or breaks the protocol here.
    """
    session = await pool.acquire(index, slot=slot)
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
    session = await pool.acquire(index, slot=slot)
    session.pipelining = False
    return session


def _untold(control: TimeControl, session: EngineSession) -> str:
    """Say what an engine will not know of its time, and which command would tell it."""
    if session.lists("arena-clock") or session.lists("time_left"):
        what = f"is told what time is left, but cannot be told the time control ({control.text})"
    else:
        what = f"cannot be told its clock ({control.text})"
    return f"{what}: let it list `arena-time_settings`"


@dataclass(frozen=True, slots=True)
class _Trial:
    """One way in which the event will set up an engine."""

    game: str
    size: int | None
    komi: Komi
    control: TimeControl


def _trials(event: Event, index: int) -> tuple[_Trial, ...]:
    """Return every different way in which an entry will be set up, in the event's order, each once."""
    terms_of = TermsOfEvent(event)
    # Without settings of pairings it is the same against everybody.
    everybody = range(len(event.engines)) if event.pairings else [index]
    opponents = [place for place in everybody if place != index or not event.pairings]
    found: dict[_Trial, None] = {}
    for discipline in range(len(event.all_disciplines)):
        for opponent in opponents:
            terms = terms_of.of(discipline, index, opponent)
            komi = terms.komi_with(index)
            found[_Trial(terms.game, terms.size, komi, terms.controls[index])] = None
    return tuple(found)


async def _missing(event: Event, session: EngineSession) -> list[str]:
    """Return what the engine lacks for this event."""
    plays = session.entry.plays
    games = tuple(dict.fromkeys(each.game for each in event.all_disciplines))
    missing: list[str] = []
    for game in games:
        rules = rules_class(game)
        needed = needed_commands(
            has_size=bool(rules.sizes),
            has_komi=rules.has_komi,
            has_dice=rules.has_dice,
            is_pie=_is_pie(event, game),
        )
        usual = needed_commands(
            has_size=bool(rules.sizes), has_komi=rules.has_komi, has_dice=rules.has_dice, is_pie=False
        )
        missing += [
            f"does not list `{name}`, which {game} {'needs' if name in usual else 'under pie needs'}"
            for name in session.capabilities.missing(needed)
        ]
        if plays and game not in plays:
            missing.append(f"its entry says plays = {list(plays)}, without {game}")
    if not session.lists("arena-game") and (not plays or len(games) > 1):
        reason = "the event has several games" if plays else _MUST_SAY
        missing.append(f"does not list `arena-game`: {reason}")
    elif not plays:
        said = await session.ask_games()
        names = escaped(", ".join(said).encode(), 100)
        missing += [f"does not play {game} (it says: {names})" for game in games if said and game not in said]
    missing += await _option_problems(session)
    return missing


def _is_pie(event: Event, game: str) -> bool:
    """Say whether the players settle komi in some games of the event."""
    disciplines = [each for each in event.all_disciplines if each.game == game]
    named = {None, *(each.name for each in disciplines)}
    own = any(each.komi == "pie" and each.discipline in named for each in event.pairings)
    return own or any(each.komi == "pie" for each in disciplines)


async def _option_problems(session: EngineSession) -> list[str]:
    """Compare the entry's options with those that the engine declares: names, types, ranges."""
    options = session.entry.options
    if options and not session.lists("arena-option"):
        return ["its entry sets options, and it does not list `arena-option`"]
    if session.entry.work_limit and not session.lists("arena-limit"):
        return ["its entry sets work_limit, and it does not list `arena-limit`"]
    if not options or not session.lists("arena-options"):
        # What it does not declare it may still take: the set-up that follows will tell.
        return []
    declared = (await session.ask_options()).options
    problems = []
    for name, value in options.items():
        if name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(declared) or 'none'}"
            problems.append(f"has no option {name}: {escaped(hint.encode(), 200)}")
        elif (why := declared[name].refusal(value)) is not None:
            shown = escaped(value.encode(), 60)
            problems.append(f"option {name} = {shown}: {escaped(why.encode(), 200)}")
    return problems


async def _try_set_up(trial: _Trial, session: EngineSession, note: _Notes) -> bool:
    """Set up a game as the event will; False when that failed."""
    komi = trial.komi if isinstance(trial.komi, int) else None
    settings = GameSettings(trial.game, trial.size, komi, 1, trial.control)
    must_be_told = session.lists("arena-game") and not session.entry.plays
    try:
        await session.set_up(settings, (), komi_is_open=trial.komi == "pie")
    except EngineFault as fault:
        if fault.reason is Reason.CRASH:
            raise
        note.shortcomings.append(f"cannot be set up for this event: {fault.message}")
        return False
    if must_be_told and not session.lists("arena-game"):
        # Without that command, nothing but the entry's word would say that it knows the game.
        note.shortcomings.append(
            f"refuses `arena-game {trial.game}`; if it plays {trial.game} nevertheless, {_MUST_SAY}"
        )
    return True


def _words(fault: EngineFault, evidence: Evidence) -> str:
    """Return a fault in one line: what happened, how the process ended, the last it said.

    An engine that was waited for in vain may have answered in a form that is no reply: then that is told.
    """
    words = f"{fault.message}; {evidence.exit}" if evidence.exit else fault.message
    lines = evidence.stderr.splitlines()
    if lines:
        return f"{words}; it said: {lines[-1]}"
    mark, _, last = evidence.exchange[-1].partition(" ") if evidence.exchange else ("", "", "")
    return f"{words}; it wrote: {last}" if mark == "<" and not evidence.exit else words
