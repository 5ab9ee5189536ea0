"""Start-up: does it come up, say who it is, and list what the game needs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level, Problem
from arena.core.clock_words import time_command
from arena.live.faults import escaped
from arena.rules.registry import rules_class
from protocol.commands import needed_commands

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject

ANSWERS = "start-up.answers"

_SLOW_SHARE = 0.5
_TIME_COMMANDS = ("arena-time_settings", "kata-time_settings", "kgs-time_settings", "time_settings")


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage."""
    del subject
    after = (ANSWERS,)
    return [
        Case(ANSWERS, Level.MUST, "answers protocol_version, name, version and list_commands", _answers),
        Case("start-up.time", Level.SHOULD, "is ready well within its start-up limit", _time, after),
        Case("start-up.protocol", Level.SHOULD, "speaks version 2 of the protocol", _protocol, after),
        Case(
            "start-up.name", Level.SHOULD, "has a name and a version, the same in each process", _name, after
        ),
        Case("start-up.quiet", Level.SHOULD, "writes nothing before its first reply", _quiet, after),
        Case("start-up.commands", Level.MUST, "lists the commands that the game needs", _commands, after),
        Case("start-up.game", Level.MUST, "plays the game", _game, after),
        Case("start-up.clock", Level.SHOULD, "lists a command that tells it its time control", _clock, after),
        Case("start-up.seed", Level.SHOULD, "lists arena-seed, so that games can be repeated", _seed, after),
    ]


async def _answers(bench: Bench) -> str:
    async with bench.talk():
        return bench.programs[-1] or "it gives no name"


async def _time(bench: Bench) -> str:
    used_s, limit_s = bench.start_s[0], bench.subject.entry.startup_s
    words = f"{used_s:.2f} s of {limit_s:g} s"
    if used_s > _SLOW_SHARE * limit_s:
        reason = f"took {words} to answer its first commands"
        raise CaseFailed(Problem(reason, "On a busy machine this may be too late: a loss before the game."))
    return words


async def _protocol(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        version = (await talk.ask("protocol_version")).text
        if version != "2":
            shown = escaped(version.encode(), 40)
            raise talk.failed(f"answers `protocol_version` with `{shown}`, expected 2", "")
    return ""


async def _name(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        for question in ("name", "version"):
            reply = await talk.ask(question)
            if not (reply.ok and reply.text and reply.text.isprintable()):
                shown = escaped(reply.text.encode(), 60)
                raise talk.failed(
                    f"answers `{question}` with `{shown}`", "Results are kept by name and version."
                )
    if len(set(bench.programs)) > 1:
        names = ", then ".join(f"`{name}`" for name in dict.fromkeys(bench.programs))
        raise CaseFailed(Problem(f"calls itself {names}", "Results are kept by name and version."))
    return bench.programs[0]


async def _quiet(bench: Bench) -> str:
    async with bench.talk(fresh=True) as talk:
        banner = talk.session.channel.banner
        if banner:
            shown = escaped(banner.encode(), 80)
            raise talk.failed(
                f"wrote `{shown}` before its first reply",
                "Standard output is for replies: greet on standard error.",
            )
    return ""


async def _commands(bench: Bench) -> str:
    kind = rules_class(bench.subject.game)
    needed = needed_commands(
        has_size=bool(kind.sizes), has_komi=kind.has_komi, has_dice=kind.has_dice, is_pie=False
    )
    async with bench.talk() as talk:
        missing = talk.session.capabilities.missing(needed)
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            raise talk.failed(
                f"does not list {names}, needed for {kind.title}", "Name them in list_commands."
            )
        return f"{len(talk.session.capabilities.listed)} commands listed"


async def _game(bench: Bench) -> str:
    game = bench.subject.game
    plays = bench.subject.entry.plays
    async with bench.talk() as talk:
        if plays:
            if game not in plays:
                raise talk.failed(f"is declared for {', '.join(plays)} only", "Add the game to `plays`.")
            return "by its entry"
        if not talk.lists("arena-game"):
            raise talk.failed(
                "does not list `arena-game`, so nobody can know whether it plays this game",
                "List `arena-game` and `arena-games`; or say it in its entry: plays = […] (here: --plays).",
            )
        await talk.must(f"arena-game {game}")
        if talk.lists("arena-games"):
            names = (await talk.ask("arena-games")).text.split()
            if game not in names:
                shown = escaped(", ".join(names).encode(), 100)
                raise talk.failed(f"answers `arena-games` with {shown or 'nothing'}, without {game}", "")
    return ""


async def _clock(bench: Bench) -> str:
    control = bench.subject.control
    async with bench.talk() as talk:
        told = time_command(control, talk.session.capabilities.listed)
        if told is None:
            listed = [name for name in _TIME_COMMANDS if talk.lists(name)]
            reason = (
                f"lists {', '.join(listed)}, which cannot express {control.text}"
                if listed
                else f"lists no command that could tell it the time control ({control.text})"
            )
            raise talk.failed(reason, "It will not know how long it may think: list `arena-time_settings`.")
        if not (talk.lists("arena-clock") or talk.lists("time_left")):
            raise talk.failed(
                "lists neither `arena-clock` nor `time_left`: it is never told how much time is left", ""
            )
        return f"`{told}`"


async def _seed(bench: Bench) -> str:
    async with bench.talk() as talk:
        if not talk.lists("arena-seed"):
            raise CaseSkipped("not listed; right for an engine that leaves nothing to chance")
    return ""
