"""Each command of the protocol, once, in its place: is it taken as the referee sends it?"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level
from arena.conformance.positions import Kind, dice_command
from arena.conformance.stages.start_up import ANSWERS
from arena.core.clock import Clock, parse_time
from arena.core.clock_words import time_left_words
from arena.live.faults import escaped
from arena.rules import BLACK, WHITE, Position, colour_name
from arena.rules.registry import rules_class
from arena.words import counted
from protocol.answers import parse_options
from protocol.commands import COMMANDS, Need, needed_commands

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from arena.conformance.bench import Bench, Subject
    from arena.conformance.talk import Talk

GENMOVE = "commands.genmove"
PLAY = "commands.play"

_JOINED_S = 1.0
_REPLAYED_COMMANDS = 12
_TIMES = {
    "arena-time_settings": ("10+0.1", "60", "40/60+0.5", "5/move", "60+3x10", "60+25/30", "inf"),
    "kata-time_settings": ("fischer 10 0.1", "absolute 60", "byoyomi 60 10 3", "canadian 60 30 25", "none"),
    "kgs-time_settings": ("absolute 60", "byoyomi 60 10 3", "canadian 60 30 25", "none"),
    "time_settings": ("60 0 0", "60 30 25", "0 1 0"),
}
"""Every form that the referee may send."""


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage, in the order in which a game needs the commands."""
    kind = rules_class(subject.game)
    needed = needed_commands(
        has_size=bool(kind.sizes), has_komi=kind.has_komi, has_dice=kind.has_dice, is_pie=False
    )
    after = (ANSWERS, "start-up.commands")
    tries: dict[str, Callable[[Talk, Bench], Awaitable[str]]] = {
        "arena-options": _options,
        "clear_board": _clear_board,
        "play": _play,
        "genmove": _genmove,
        "arena-clock": _clock,
        "time_left": _time_left,
        "arena-seed": partial(_plainly, lines=("arena-seed 0", "arena-seed 2147483647")),
        "arena-result": _result,
    }
    for name, forms in _TIMES.items():
        tries[name] = partial(_plainly, lines=tuple(f"{name} {form}" for form in forms))
    if kind.has_dice:
        tries["arena-dice"] = _dice
    if kind.has_komi:
        tries["arena-choose_komi"] = _choose_komi
        tries["arena-choose_side"] = _choose_side
    if type(subject.rules().initial()).announcement is not Position.announcement:
        tries["arena-announce"] = partial(
            _plainly, lines=("arena-announce black three", "arena-announce white four")
        )
    found = [
        Case(
            f"commands.{name}",
            Level.MUST if name in needed else Level.SHOULD,
            f"takes `{name}`" if name != "genmove" else "answers `genmove` with a legal move",
            partial(_one, name=name, attempt=tries[name]),
            after,
        )
        for name in COMMANDS
        if name in tries
    ]
    joined = "answers two commands that come in one write"
    return [
        Case("commands.joined", Level.SHOULD, joined, _joined, (ANSWERS,)),
        *found,
        Case(
            "commands.unknown-game",
            Level.MUST,
            "refuses a game it does not know",
            _unknown_game,
            (ANSWERS, "start-up.game"),
        ),
        Case("commands.ids", Level.SHOULD, "repeats the number of a command in its reply", _ids, (ANSWERS,)),
    ]


async def _one(bench: Bench, *, name: str, attempt: Callable[[Talk, Bench], Awaitable[str]]) -> str:
    async with bench.talk() as talk:
        if not talk.lists(name):
            if COMMANDS[name].need is Need.OPTIONAL or name.startswith("arena-choose"):
                use = " (needed only where komi is settled by the players)" if "choose" in name else ""
                raise CaseSkipped(f"not listed{use}")
            raise talk.failed(f"does not list `{name}`", "Name it in list_commands.")
        return await attempt(talk, bench)


async def _in_game(talk: Talk, bench: Bench) -> None:
    line = bench.positions.lines(Kind.OPENING, 1)[0]
    await talk.set_up(line, bench.subject.control)


async def _plainly(talk: Talk, bench: Bench, *, lines: tuple[str, ...]) -> str:
    await _in_game(talk, bench)
    for line in lines:
        await talk.must(line)
    return ""


async def _options(talk: Talk, bench: Bench) -> str:
    await _in_game(talk, bench)
    options, problems = parse_options(await talk.must("arena-options"))
    if problems:
        raise talk.failed(
            f"declares an option that cannot be read: {escaped(problems[0].encode(), 150)}",
            "A line of arena-options is NAME TYPE DEFAULT [MIN MAX | CHOICE…].",
        )
    if options and not talk.lists("arena-option"):
        raise talk.failed("declares options and does not list `arena-option`", "")
    for option in options.values():
        await talk.must(f"arena-option {option.name} {option.default}")
    return f"{len(options)} options" if options else "no options"


async def _clear_board(talk: Talk, bench: Bench) -> str:
    """Play some turns, clear the board, and play the same turns again."""
    line = bench.positions.lines(Kind.RANDOM, 1)[0]
    commands = line.commands()[:_REPLAYED_COMMANDS]
    await talk.set_up(dataclasses.replace(line, turns=(), dice=None), bench.subject.control)
    for command in commands:
        await talk.ask(command)
    await talk.must("clear_board")
    for command in commands:
        reply = await talk.ask(command)
        if not reply.ok:
            raise talk.failed(
                f"takes `{command}` on a new board and refuses it after `clear_board`:"
                f" `? {escaped(reply.text.encode(), 100)}`",
                "`clear_board` begins a new game: everything of the last one has to go.",
            )
    return ""


async def _play(talk: Talk, bench: Bench) -> str:
    line = bench.positions.lines(Kind.RANDOM, 1)[0]
    await talk.set_up(dataclasses.replace(line, turns=(), dice=None), bench.subject.control)
    for command in line.commands():
        await talk.must(command)
    return f"{counted(len(line.turns), 'move')} of a random game"


async def _genmove(talk: Talk, bench: Bench) -> str:
    await _in_game(talk, bench)
    thought = await talk.think([], bench.subject.patience_s)
    if talk.judge(thought.word) is None:
        raise talk.failed("resigns before its first move", "")
    return f"`{escaped(thought.word.encode(), 30)}` in {thought.seconds:.3f} s"


async def _clock(talk: Talk, bench: Bench) -> str:
    await _in_game(talk, bench)
    for text in ("10+0.1", "60+3x10", "60+25/30"):
        clock = Clock(parse_time(text))
        await talk.must(f"arena-clock {' '.join([*clock.wire_fields('black'), *clock.wire_fields('white')])}")
    return ""


async def _time_left(talk: Talk, bench: Bench) -> str:
    await _in_game(talk, bench)
    for text in ("60", "60+25/30"):
        for colour in (BLACK, WHITE):
            await talk.must(time_left_words(Clock(parse_time(text)), colour_name(colour)))
    return ""


async def _result(talk: Talk, bench: Bench) -> str:
    for text in ("B+R", "0"):
        await _in_game(talk, bench)
        await talk.must(f"arena-result {text}")
    return ""


async def _dice(talk: Talk, bench: Bench) -> str:
    for line in bench.positions.lines(Kind.OPENING, 4):
        await talk.set_up(dataclasses.replace(line, turns=(), dice=None), bench.subject.control)
        first = line.turns[0].dice if line.turns else line.dice
        if first is not None:
            await talk.must(dice_command(colour_name(line.first), first))
    return ""


async def _choose_komi(talk: Talk, bench: Bench) -> str:
    await _in_game(talk, bench)
    text = await talk.must("arena-choose_komi")
    size = bench.subject.size or 0
    try:
        komi = int(text)
    except ValueError:
        shown = escaped(text.encode(), 60)
        raise talk.failed(f"offers `{shown}` for komi, expected a whole number", "") from None
    if abs(komi) > size * size:
        raise talk.failed(f"offers komi {komi}, allowed are {-size * size} to {size * size}", "")
    return f"offers {komi}"


async def _choose_side(talk: Talk, bench: Bench) -> str:
    taken = []
    size = bench.subject.size or 0
    for komi in (-size * size, 0, size * size):
        await _in_game(talk, bench)
        text = await talk.must(f"arena-choose_side {komi}")
        if text.lower() not in ("black", "white", "b", "w"):
            shown = escaped(text.encode(), 60)
            raise talk.failed(f"chooses `{shown}` at komi {komi}, expected black or white", "")
        taken.append(f"{text} at {komi}")
    return ", ".join(taken)


async def _unknown_game(bench: Bench) -> str:
    async with bench.talk() as talk:
        if not talk.lists("arena-game"):
            raise CaseSkipped("`arena-game` is not listed")
        reply = await talk.ask("arena-game no-such-game")
        if reply.ok:
            raise talk.failed(
                "accepts `arena-game no-such-game`",
                "Answer `? unknown game`; else it is entered in games it does not know and loses there.",
            )
        await talk.must(f"arena-game {bench.subject.game}")
    return ""


async def _joined(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        if not await talk.session.probe_pipelining(_JOINED_S):
            bench.takes_joined = False
            raise talk.failed(
                "answers only the first of two commands that come in one write",
                "The second one waits in a buffer that `select` or `poll` does not see: read all complete"
                " lines before you wait again. It can play all the same, one command at a time, which costs"
                " it time.",
            )
    return ""


async def _ids(bench: Bench) -> str:
    entry = dataclasses.replace(bench.subject.entry, ids=True)
    try:
        async with bench.talk(fresh=True, entry=entry) as talk:
            await talk.ask("name")
    except CaseFailed as failed:
        advice = "GTP answers `1 name` by `=1 …`. It is used without ids unless its entry says ids = true."
        problem = dataclasses.replace(failed.problem, advice=advice)
        raise CaseFailed(problem) from failed
    return ""
