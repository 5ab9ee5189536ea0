"""Whole games: as each colour, several in one process, one that is broken off, against itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from arena.conformance import duel
from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level, Problem
from arena.conformance.positions import LONGEST_PLIES
from arena.conformance.stages.moves import quick_control
from arena.conformance.stages.seeds import OTHER_SEED, SEED, difference, limited, moves_of, start
from arena.conformance.stages.settings import NEEDS
from arena.core.event import NO_OPENING, ScheduledGame
from arena.core.task import GameTask
from arena.core.verdict import FAULTS, Reason
from arena.live.channel import Patience
from arena.live.player import GamePlayer
from arena.rules import BLACK, WHITE, colour_name
from arena.rules.registry import make_rules
from arena.words import counted

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.conformance.talk import Talk
    from arena.core.record import GameRecord

_DICE_KEY = b"gtparena/conformance".ljust(32, b"\0")
_BROKEN_OFF_PLIES = 9

_RESET = (
    "The first game of the process went well. Does `clear_board` put everything back (board, hands, dice,"
    " komi, what was counted), also after a game that was not finished?"
)


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage."""
    titles = subject.rules().colour_titles
    needs = (*NEEDS, "moves.random")
    return [
        Case("games.as-black", Level.MUST, f"plays a whole game as {titles[0]}", _as_black, needs),
        Case("games.as-white", Level.MUST, f"plays a whole game as {titles[1]}", _as_white, needs),
        Case(
            "games.second",
            Level.MUST,
            "plays a second game in the same process, as the other colour",
            _second,
            (*needs, "games.as-black", "games.as-white"),
        ),
        Case(
            "games.broken-off",
            Level.MUST,
            "plays a game after one that was broken off",
            _broken_off,
            (*needs, "games.as-black"),
        ),
        Case(
            "games.fresh-start",
            Level.MUST,
            "plays the same game again in a process that has played another one, from the same seed",
            _fresh_start,
            (*needs, "games.second", "seed.work-limit", "seed.repeats"),
        ),
        Case(
            "games.against-itself",
            Level.MUST,
            "plays against a second process of itself",
            _against_itself,
            (*needs, "games.as-black", "games.as-white"),
        ),
    ]


async def _game(talk: Talk, bench: Bench, colour: int, seed: int, most_plies: int | None = None) -> str:
    line = start(bench)
    if bench.subject.rules().has_dice and seed % 2:
        line = dataclasses.replace(line, first=1 - line.first)
    game = await duel.play(
        talk,
        line,
        colour,
        quick_control(talk, bench.subject),
        seed=seed,
        most_plies=most_plies or LONGEST_PLIES,
        patience_s=bench.subject.patience_s,
    )
    if game.resigned:
        return f"resigned as {colour_name(colour)} after {counted(len(game.words), 'turn')}"
    return f"{counted(len(game.words), 'turn')}{f', {game.outcome.result}' if game.outcome else ''}"


async def _as_black(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        return await _game(talk, bench, BLACK, SEED)


async def _as_white(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        return await _game(talk, bench, WHITE, SEED + 1)


async def _second(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        first = await _game(talk, bench, BLACK, SEED)
        with _said_of_the_second():
            second = await _game(talk, bench, WHITE, SEED + 1)
        return f"{first}; then {second}"


async def _broken_off(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        await _game(talk, bench, BLACK, OTHER_SEED, _BROKEN_OFF_PLIES)
        with _said_of_the_second():
            return await _game(talk, bench, BLACK, SEED)


class _said_of_the_second:  # noqa: N801  a context manager, read like a function
    """Add to a failure inside the block that the process played well before."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, CaseFailed):
            problem = error.problem
            advice = f"{_RESET} {problem.advice}".strip()
            reason = f"in the second game of a process it {problem.reason}"
            raise CaseFailed(dataclasses.replace(problem, reason=reason, advice=advice)) from error


async def _fresh_start(bench: Bench) -> str:
    if "repeats" not in bench.memory and "work limit" not in bench.memory:
        raise CaseSkipped("it plays differently in two fresh processes as well (seed.repeats)")
    entry = limited(bench)
    alone = await moves_of(bench, entry, (SEED,))
    if difference(alone, await moves_of(bench, entry, (SEED,))) is not None:
        raise CaseSkipped("it plays differently in two fresh processes as well (seed.repeats)")
    after_another = await moves_of(bench, entry, (OTHER_SEED, SEED))
    found = difference(alone, after_another)
    if found is not None:
        raise CaseFailed(
            Problem(
                f"from the same seed, in a fresh process and in one that has played another game: {found}",
                "Something is left of the game before: `clear_board` has to put back the board, the tables"
                " and the generator of random numbers. Results must not depend on who was met before.",
            )
        )
    return f"{counted(len(alone), 'move')} alike"


async def _against_itself(bench: Bench) -> str:
    record = await _self_play(bench)
    verdict = record.verdict
    if verdict.reason not in FAULTS and verdict.reason != Reason.BOTH_FAILED:
        return f"{counted(len(record.moves), 'turn')}, {verdict.result}"
    side = verdict.at_fault if verdict.at_fault is not None else BLACK
    evidence = record.evidence[side]
    raise CaseFailed(
        Problem(
            f"as {colour_name(side)} it lost by `{verdict.reason}`: {evidence.message}",
            "Two of its processes run at once here: do they share a file, a port, a lock?",
            evidence.exchange,
            _last_board(record),
            evidence.stderr,
            evidence.exit,
        )
    )


async def _self_play(bench: Bench) -> GameRecord:
    """Have the referee play a game of the entry against itself."""
    subject = bench.subject
    async with bench.talk() as talk:
        control = quick_control(talk, subject)
    scheduled = ScheduledGame(
        id="check",
        ordinal=0,
        round=1,
        pair="check",
        black=0,
        white=0,
        game=subject.game,
        size=subject.size,
        komi=subject.komi,
        opening=NO_OPENING,
        seed=subject.seed,
    )
    key = _DICE_KEY if subject.rules().has_dice else None
    # The flag is not what is tried here: the clock of the event has a stage of its own.
    generous = dataclasses.replace(subject.entry, margin_ms=int(1000 * subject.patience_s))
    entries, bench.pool.entries = bench.pool.entries, (generous, *bench.pool.entries[1:])
    try:
        return await GamePlayer(bench.pool, Patience()).play(
            GameTask(scheduled, 1, key, (control, control), needs_fresh=True)
        )
    finally:
        bench.pool.entries = entries


def _last_board(record: GameRecord) -> tuple[str, ...]:
    """Return the board after the last legal move."""
    rules = make_rules(record.game, size=record.size, komi=record.komi)
    position = rules.initial()
    if rules.has_dice:
        return ()
    for word in record.moves:
        position.play(position.canonical(rules.parse_move(word)))
    return tuple(position.diagram())
