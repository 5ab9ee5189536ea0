"""arena-seed: the same seed gives the same game, at least where a work limit takes the clock out of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from arena.conformance import duel
from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level, Problem
from arena.conformance.positions import Kind, Line
from arena.conformance.stages.moves import quick_control
from arena.conformance.stages.settings import NEEDS
from arena.core.clock import parse_time
from arena.words import counted

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.core.event import Engine

PLIES = 24
"""Turns that are compared: long enough for chance to show itself, short enough for an engine that thinks."""

_NO_CLOCK = parse_time("inf")

_LIMITS = ("playouts 20", "nodes 200", "depth 1")

SEED = 20_011
OTHER_SEED = 20_021


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage."""
    del subject
    needs = (*NEEDS, "moves.random")
    return [
        Case("seed.work-limit", Level.SHOULD, "takes a work limit that it lists", _limit, needs),
        Case(
            "seed.repeats-under-work-limit",
            Level.MUST,
            "plays the same game from the same seed under a work limit",
            _repeats_limited,
            (*needs, "seed.work-limit"),
        ),
        Case("seed.repeats", Level.SHOULD, "plays the same game from the same seed", _repeats, needs),
    ]


def start(bench: Bench) -> Line:
    """Return the line that games of the suite begin with."""
    return dataclasses.replace(bench.positions.lines(Kind.OPENING, 1)[0], turns=(), dice=None)


def limited(bench: Bench) -> Engine:
    """Return the entry under the work limit that the engine takes, or the entry itself."""
    entry = bench.subject.entry
    limit = bench.memory.get("work limit")
    return dataclasses.replace(entry, work_limit=limit) if limit else entry


async def moves_of(bench: Bench, entry: Engine, seeds: tuple[int, ...]) -> list[str]:
    """Play the first turns of a game for each seed, in one fresh process; return the moves of the last."""
    words: list[str] = []
    async with bench.talk(fresh=True, entry=entry) as talk:
        first = start(bench)
        for seed in seeds:
            # A clock would cut some thoughts short and not others: a work limit alone repeats.
            control = _NO_CLOCK if entry.work_limit else quick_control(talk, bench.subject)
            game = await duel.play(
                talk,
                first,
                first.first,
                control,
                seed=seed,
                most_plies=PLIES,
                patience_s=bench.subject.patience_s,
            )
            words = game.words
        talk.is_in_step = False  # processes of variants serve no other case
    return words


def difference(one: list[str], other: list[str]) -> str | None:
    """Say where two games part, None when they do not."""
    for ply, pair in enumerate(zip(one, other, strict=False), start=1):
        if pair[0] != pair[1]:
            return f"`{pair[0]}` and `{pair[1]}` as move {ply}"
    return (
        None
        if len(one) == len(other)
        else f"one game has {counted(len(one), 'move')}, the other {len(other)}"
    )


async def _limit(bench: Bench) -> str:
    entry = bench.subject.entry
    if entry.work_limit:
        bench.memory["work limit"] = entry.work_limit
        return f"`{entry.work_limit}`, by its entry"
    async with bench.talk(fresh=True) as talk:
        if not talk.lists("arena-limit"):
            raise CaseSkipped("`arena-limit` is not listed")
        talk.is_in_step = False  # the limit holds for the rest of the process
        for limit in _LIMITS:
            if (await talk.ask(f"arena-limit {limit}")).ok:
                bench.memory["work limit"] = limit
                return f"`{limit}`"
        raise talk.failed("lists `arena-limit` and refuses nodes, playouts and depth", "")


async def _repeats_limited(bench: Bench) -> str:
    entry = limited(bench)
    if not entry.work_limit:
        raise CaseSkipped("no work limit")
    return await _compare(bench, entry, "")


async def _repeats(bench: Bench) -> str:
    advice = (
        " An engine that thinks by the clock cannot promise this, and need not; under a work limit"
        " (`arena-limit`) it can."
    )
    words = await _compare(bench, bench.subject.entry, advice)
    bench.memory["repeats"] = "yes"
    return words


async def _compare(bench: Bench, entry: Engine, advice: str) -> str:
    async with bench.talk() as talk:
        has_seed = talk.lists("arena-seed")
    one = await moves_of(bench, entry, (SEED,))
    other = await moves_of(bench, entry, (SEED,))
    found = difference(one, other)
    if found is None:
        return f"{counted(len(one), 'move')} alike in two processes"
    if not has_seed:
        raise CaseSkipped("it leaves something to chance and does not list `arena-seed`")
    raise CaseFailed(
        Problem(
            f"two processes, the same arena-seed {SEED}, the same moves of the opponent: {found}",
            "Start every generator of random numbers from arena-seed at the next clear_board; do not let"
            f" hash order, threads or the time of day decide.{advice}",
        )
    )
