"""The end: leaving on `quit`, and what the whole suite has shown of flushing, tidiness, memory and time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import trio

from arena.conformance.case import Case, CaseFailed, Level, Problem
from arena.conformance.positions import Kind
from arena.conformance.silence import Cause
from arena.conformance.stages.start_up import ANSWERS
from arena.live.process import EngineProcess
from arena.live.session import QUIT_GRACE_S

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.conformance.talk import Talk

FIRST_SUMMARY = "end.flushed"
"""From this case on nothing is asked of the engine any more; what was used is added up."""


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage."""
    del subject
    return [
        Case("end.quit", Level.SHOULD, f"leaves within {QUIT_GRACE_S:g} s of `quit`", _quit, (ANSWERS,)),
        Case("end.input-closed", Level.SHOULD, "leaves when its input ends", _input_closed, (ANSWERS,)),
        Case("end.flushed", Level.MUST, "flushed every reply (in the whole suite)", _flushed),
        Case("end.tidy", Level.SHOULD, "did nothing that the referee only tolerates", _tidy, (ANSWERS,)),
        Case("end.memory", Level.MUST, "keeps its memory limit", _memory, (ANSWERS,)),
    ]


async def _quit(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        await talk.set_up(bench.positions.lines(Kind.OPENING, 1)[0], bench.subject.control)
        talk.is_in_step = False
        talk.session.channel.send("quit")
        await _leaves(talk, bench, "`quit`")
        return talk.session.process.exit_words()


async def _input_closed(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        talk.is_in_step = False
        process = talk.session.process
        if isinstance(process, EngineProcess):
            process.close_input()
        await _leaves(talk, bench, "the end of its input")
        return process.exit_words()


async def _leaves(talk: Talk, bench: Bench, cause: str) -> None:
    process = talk.session.process
    bench.measure(talk.session)
    started = trio.current_time()
    with trio.move_on_after(QUIT_GRACE_S):
        while not process.has_exited:
            # What it still writes must not keep it from leaving.
            try:
                os.read(process.read_fd, 65536)
            except BlockingIOError:
                await trio.sleep(0.01)
            else:
                await trio.sleep(0.001)
    if not process.has_exited:
        raise talk.failed(
            f"still runs {trio.current_time() - started:.1f} s after {cause}",
            "It is killed then, with all it started; what it wanted to write may be lost.",
        )


async def _flushed(bench: Bench) -> str:
    await trio.lowlevel.checkpoint()
    for silence in bench.silences:
        if silence.cause in (Cause.UNFLUSHED, Cause.UNFINISHED):
            raise CaseFailed(Problem(f"a reply did not come in time: {silence.words}", silence.advice))
    return f"{len(bench.silences)} late for other reasons" if bench.silences else ""


async def _tidy(bench: Bench) -> str:
    await trio.lowlevel.checkpoint()
    if bench.warnings:
        raise CaseFailed(
            Problem("; ".join(bench.warnings), "None of this loses a game; each is easily mended.")
        )
    return ""


async def _memory(bench: Bench) -> str:
    await trio.lowlevel.checkpoint()
    limit_mb = bench.memory_limit_mb
    used = f"{bench.peak_mb:.0f} MB at most"
    if limit_mb is not None and bench.peak_mb > limit_mb:
        raise CaseFailed(Problem(f"used {used}, where its limit is {limit_mb:g} MB", ""))
    return used if limit_mb is None else f"{used}, of {limit_mb:g} MB"
