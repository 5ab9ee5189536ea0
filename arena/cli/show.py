"""`arena show`: one game with its facts, its moves and a diagram."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import Failure
from arena.cli.outcome_words import detail_words, margin_words
from arena.cli.printing import is_coloured, print_line, print_rows
from arena.cli.target import file_argument, opened_for_reading, schedule_of, told
from arena.core.event import IMPORTED
from arena.rules.base import BLACK, WHITE, QuestionError, colour_name
from arena.rules.registry import rules_class
from arena.store import Standing
from arena.words import counted, in_words
from reports.boards.terminal import coloured
from reports.export import Circumstances, game_object
from reports.positions import Turn, UnplayableError, replayed
from reports.printable import printable
from reports.results import Decision
from reports.tables import decision_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arena.core.record import Adjudged, EngineIdentity, GameRecord
    from arena.rules.base import Position
    from arena.store import ReadStore

_STANDING = {
    Standing.COUNTS: "",
    Standing.VOID: "void, played again",
    Standing.SUPERSEDED: "set aside by the organiser",
}


@click.command
@file_argument
@click.argument("game")
@click.option("--move", "ply", type=click.IntRange(min=0), metavar="N", help="The position after N turns.")
@click.option("--attempt", type=click.IntRange(min=1), metavar="N", help="An earlier playing of the game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colours and signs for the board; auto: on a terminal, unless NO_COLOR is set.",
)
def command(file: Path, game: str, ply: int | None, attempt: int | None, as_json: bool, colour: str) -> None:
    """Print GAME of FILE, a tournament file or its database: facts, moves and the last position."""
    with opened_for_reading(file) as store:
        standing, record = _playing(store, game, attempt)
        circumstances = Circumstances(store.event())
        words = [Decision(w.at, w.action, w.target, w.why) for w in store.audit() if w.target == record.id]
    if ply is not None and ply > len(record.moves):
        raise Failure(
            f"game {record.id} has {counted(len(record.moves), 'turn')}: --move {ply} is not among them"
        )
    with told(UnplayableError):
        position, turns = replayed(record, len(record.moves) if ply is None else ply)
    if as_json:
        print_line(json.dumps(_as_object(record, circumstances, position, turns, words)))
        return
    for line in _facts(record, standing, circumstances):
        print_line(line)
    for word in words:
        print_line(decision_line(word))
    print_line()
    if ply is None:
        _print_moves(record, turns)
        print_line()
    print_line(_heading(record, position, turns))
    for line in _board(position, turns, colour):
        print_line(line)


def _board(position: Position, turns: Sequence[Turn], colour: str) -> list[str]:
    if not (is_coloured() if colour == "auto" else colour == "always"):
        return position.diagram()
    last = position.rules.parse_move(turns[-1].move) if turns else None
    return coloured(position, last)


def _playing(store: ReadStore, game: str, attempt: int | None) -> tuple[Standing, GameRecord]:
    """Return the playing asked for; without `attempt` the one that stands, else the last."""
    playings = store.playings(game)
    for standing, record in reversed(playings):
        if record.attempt == attempt or (attempt is None and standing is Standing.COUNTS):
            return standing, record
    if playings and attempt is None:
        return playings[-1]
    shown = printable(game, 60)
    if playings:
        raise Failure(f"game {shown} has no attempt {attempt}; it was played {len(playings)} times")
    event = store.event()
    if event.format != IMPORTED and schedule_of(event, store.steps()).ordinal_of(game) is not None:
        raise Failure(f"game {shown} has not been played yet")
    raise Failure(f"there is no game {shown}; arena games lists the ids")


def _facts(record: GameRecord, standing: Standing, circumstances: Circumstances) -> Iterator[str]:
    verdict, board = record.verdict, record.verdict.outcome
    settings = [record.game, *([f"{record.size}x{record.size}"] if record.size is not None else [])]
    if record.komi is not None:
        settings.append(f"komi {record.komi}")
    note = f" ({_STANDING[standing]})" if _STANDING[standing] else ""
    yield f"game {record.id}, round {record.round}, attempt {record.attempt}{note}: {' '.join(settings)}"
    for colour, identity in enumerate((record.black, record.white)):
        yield f"{_title(record, colour)}: {_identity(identity)}{_settings(record, colour, circumstances)}"
    if record.opening:
        yield f"opening: {printable(record.opening)}, {counted(record.opening_plies, 'turn')}"
    if record.pie is not None:
        yield _pie(record)
    if record.opening_roll:
        throws = ", ".join(f"{black}-{white}" for black, white in record.opening_roll)
        yield f"opening roll ({_title(record, 0)}-{_title(record, 1)}): {throws}"
    reasons = ", ".join(printable(reason) for reason in verdict.reasons)
    yield f"result: {printable(verdict.result)} ({reasons})"
    if verdict.winner is not None:
        yield f"winner: {printable((record.black, record.white)[verdict.winner].name)}"
    titles = [_title(record, colour) for colour in (BLACK, WHITE)]
    if board is not None and (margin := margin_words(board, titles)) is not None:
        yield f"margin: {margin}"
    if board is not None and board.details:
        yield f"details: {printable(detail_words(board.details, titles))}"
    yield f"played: {printable(record.started)} to {printable(record.ended)}"
    if record.adjudged is not None:
        yield _adjudged(record.adjudged)
    if record.lag_us:
        yield f"the referee was kept from its work for {record.lag_us / 1e6:.3f} s at most"
    if record.log:
        yield f"exchange: {printable(record.log)}"
    for colour, warnings in sorted(record.warnings.items()):
        yield from (f"warning on {_title(record, colour)}: {printable(words)}" for words in warnings)
    if record.fault_move is not None:
        yield f"refused move: {printable(record.fault_move)}"
    if record.fault_us is not None:
        yield f"time on the turn that failed: {record.fault_us / 1e6:.3f} s"
    for colour, kept in sorted(record.evidence.items()):
        yield f"evidence on {_title(record, colour)}: {printable(kept.message)}"
        for name, said in (("offending", kept.offending), ("exit", kept.exit)):
            if said:
                yield f"  {name}: {printable(said)}"
        for name, lines in (("standard error", kept.stderr.splitlines()), ("exchange", kept.exchange)):
            if lines:
                yield f"  {name}:"
                yield from (f"    {printable(line)}" for line in lines)


def _adjudged(adjudged: Adjudged) -> str:
    if adjudged.rule == "own-word":
        return "adjudicated: the loser's own word said so"
    line = printable(" ".join(adjudged.line), 400)
    return f"adjudicated: a search of {adjudged.nodes} positions proves it, best play is {line}"


def _pie(record: GameRecord) -> str:
    pie = record.pie
    if pie is None:
        return ""
    names = [printable(record.black.name), printable(record.white.name)]
    offered = "no komi" if pie.komi_offered is None else f"komi {pie.komi_offered}"
    taken = "no side" if pie.side_chosen is None else _title(record, pie.side_chosen)
    return f"pie: {names[pie.proposer]} proposed {offered}, {names[1 - pie.proposer]} took {taken}"


def _identity(identity: EngineIdentity) -> str:
    said = printable(f"{identity.reported_name} {identity.reported_version}".strip(), 80)
    contained = f", sandbox {printable(identity.sandbox)}" if identity.sandbox != "off" else ""
    return f"{printable(identity.name)}{f' ({said})' if said else ''}{contained}"


def _settings(record: GameRecord, colour: int, circumstances: Circumstances) -> str:
    """Return the time control and the options that one side played with."""
    controls, options = circumstances.controls(record), circumstances.options(record)[colour]
    words = [controls[colour].text] if controls else []
    words += [f"{printable(name)} = {printable(value, 40)}" for name, value in options.items()]
    return "".join(f", {word}" for word in words)


def _print_moves(record: GameRecord, turns: Sequence[Turn]) -> None:
    headers = ["turn", "side", *(["dice"] if record.dice else []), "move", "time, s", "said"]
    print_rows(headers, (_move(record, turn) for turn in turns))


def _move(record: GameRecord, turn: Turn) -> list[str]:
    place = turn.ply - 1
    spent = record.time_us[place] if place < len(record.time_us) else None
    said = [f"{key} {in_words(value)}" for key, value in record.infos[place].items()] if record.infos else []
    if record.announcements and record.announcements[place]:
        said.insert(0, f"announced {record.announcements[place]}")
    dice = [_roll(record.dice[place])] if record.dice and place < len(record.dice) else []
    time = "opening" if spent is None else f"{spent / 1e6:.3f}"
    return [
        str(turn.ply),
        _title(record, turn.colour),
        *dice,
        turn.move,
        time,
        printable(", ".join(said), 60),
    ]


def _heading(record: GameRecord, position: Position, turns: Sequence[Turn]) -> str:
    if not turns:
        where = "at the start"
    else:
        last = turns[-1]
        where = f"after turn {last.ply}, {_title(record, last.colour)} {last.move}"
    if position.is_over:
        return f"{where}: the game is over"
    roll = f" with {_roll(position.dice)}" if position.dice else ""
    return f"{where}: {_title(record, position.to_move)} to move{roll}"


def _roll(roll: tuple[int, int]) -> str:
    return f"{roll[0]}-{roll[1]}"


def _title(record: GameRecord, colour: int) -> str:
    try:
        return rules_class(record.game).colour_titles[colour]
    except QuestionError:
        return colour_name(colour).capitalize()


def _as_object(
    record: GameRecord,
    circumstances: Circumstances,
    position: Position,
    turns: Sequence[Turn],
    words: Sequence[Decision],
) -> dict[str, Any]:
    return {
        **game_object(record, circumstances),
        "infos": [dict(said) for said in record.infos],
        "evidence": {colour_name(side): dataclasses.asdict(kept) for side, kept in record.evidence.items()},
        "adjudged": None if record.adjudged is None else dataclasses.asdict(record.adjudged),
        "warnings": {colour_name(side): list(said) for side, said in record.warnings.items()},
        "log": record.log or None,
        "idle_us": dict(zip(("black", "white"), record.idle_us, strict=True)),
        "lag_us": record.lag_us,
        "decisions": [dataclasses.asdict(word) for word in words],
        "position": {
            "turns": len(turns),
            "to_move": colour_name(position.to_move),
            "over": position.is_over,
            "dice": list(position.dice) if position.dice else None,
            "diagram": position.diagram(),
        },
    }
