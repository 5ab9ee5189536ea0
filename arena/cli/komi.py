"""`arena komi`: the fair komi of Pletore, by playing it at a range of komi."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import Failure
from arena.cli.printing import print_line, terminal_cells
from arena.cli.target import DATABASE, told, writing_told
from arena.words import counted
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.core.event import Event
    from arena.core.laboratory import Design, Laboratory
    from arena.stats.komi.games import KomiGame
    from reports.komi.study import Study

_RANGE = re.compile(r"([+-]?[0-9]{1,7})(?:\.\.([+-]?[0-9]{1,7}))?")
_KEYS = ("komi", "games", "precision")


@click.command("komi")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--engine", "engines", multiple=True, metavar="ENGINE", help="One for self-play, or several.")
@click.option("--size", type=int, help="Board size; default: the game's.")
@click.option("--komi", "komi_range", metavar="LOW..HIGH|pie", help="Komi to be played, e.g. 0..8 or -2..6.")
@click.option(
    "--games",
    type=int,
    help="Games of each pairing at each komi; with --precision the mean at most. Default 20.",
)
@click.option(
    "--precision",
    type=float,
    help="Adaptive design: stop when both intervals are narrower than so many points.",
)
@click.option("--time", help="Time control, e.g. 10+0.1, 5/move, inf.")
@click.option("--concurrency", type=int, help="Games at a time; default: half the cores.")
@click.option("--seed", type=int, help="Public seed of schedule, openings and engines.")
@click.option("--openings", type=int, metavar="PLIES", help="Random plies that each game starts with.")
@click.option("--db", type=DATABASE, help="Database; default: FILE with the ending .db.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for tables (CSV) and charts.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def command(
    file: Path | None,
    engines: tuple[str, ...],
    komi_range: str | None,
    games: int | None,
    precision: float | None,
    db: Path | None,
    output: Path | None,
    as_json: bool,
    openings: int | None,
    **keys: object,
) -> int:
    """Play Pletore at a range of komi and say which komi is fair; or under pie, and say what is offered.

    FILE is a tournament file with a table [laboratory] (komi = "LOW..HIGH", games, precision); without it,
    engines come from --engine: one plays itself, of several every two meet at every komi. Flags win over the
    file. Games that are played already stay.
    """
    if file is None and not engines:
        raise Failure("name a FILE, or at least one --engine")
    if file is not None and engines:
        raise Failure("--engine and FILE: only one of them says who plays")
    flags = {**keys, "openings": None if openings is None else {"random": openings}}
    given = {"komi": komi_range, "games": games, "precision": precision}
    if file is not None:
        plan = _plan(*_from_file(file, flags, given))
        text = file.read_text(encoding="utf-8")
        return _played(plan, db or file.with_suffix(".db"), output, text, [file], as_json=as_json)
    plan = _plan(*_from_flags(engines, flags, given))
    if db is not None:
        return _played(plan, db, output, "", [], as_json=as_json)
    if output is not None:
        with writing_told(output):
            output.mkdir(parents=True, exist_ok=True)
        return _played(plan, output / "komi.db", output, "", [], as_json=as_json)
    with tempfile.TemporaryDirectory(prefix="arena-komi-") as folder:
        return _played(plan, Path(folder) / "komi.db", None, "", [], as_json=as_json)


def _from_file(file: Path, flags: Mapping[str, object], given: Mapping[str, object]) -> tuple[Event, Design]:
    from arena.config import ConfigError, load_laboratory

    try:
        event, keys, count = load_laboratory(file, {**flags, "komi": 0})
    except ConfigError as error:
        raise Failure(str(error)) from error
    unknown = [key for key in keys if key not in _KEYS]
    if unknown:
        raise Failure(
            f"{file}: laboratory.{printable(unknown[0], 40)}: unknown key, {', '.join(_KEYS)} are known"
        )
    wanted = {**keys, **{key: value for key, value in given.items() if value is not None}}
    return event, _design(wanted, str(file), is_self_play=count == 1)


def _from_flags(
    engines: tuple[str, ...], flags: Mapping[str, object], given: Mapping[str, object]
) -> tuple[Event, Design]:
    from arena.config import ConfigError, event_from_keys

    entries = [*engines, *engines] if len(engines) == 1 else list(engines)
    table = {**flags, "game": "pletore", "format": "match" if len(entries) == 2 else "round-robin", "komi": 0}
    design = _design(given, "command line", is_self_play=len(engines) == 1)
    try:
        event = event_from_keys(
            {**table, "name": "Komi laboratory"}, entries, is_self_play=design.is_self_play
        )
    except ConfigError as error:
        raise Failure(str(error)) from error
    if len(engines) == 1:
        # Entered twice it was numbered; the laboratory names its twin itself.
        first = event.engines[0]
        named = replace(first, name=first.name.removesuffix(" #1"))
        event = replace(event, engines=(named, *event.engines[1:]))
    return event, design


def _design(keys: Mapping[str, object], place: str, *, is_self_play: bool) -> Design:
    from arena.core.laboratory import MOST_GAMES, Design

    games, precision = keys.get("games"), keys.get("precision")
    komis = _komis(keys.get("komi"), place)
    if games is None:
        games = 20
    if isinstance(games, bool) or not isinstance(games, int) or not 1 <= games <= MOST_GAMES:
        raise Failure(f"{place}: games = {printable(str(games), 40)}: a whole number from 1 to {MOST_GAMES}")
    if precision is None:
        return Design(komis, games, None, is_self_play)
    if (
        isinstance(precision, bool)
        or not isinstance(precision, (int, float))
        or not 0.05 <= precision <= 1000
    ):
        raise Failure(
            f"{place}: precision = {printable(str(precision), 40)}: a width in points from 0.05 to 1000"
        )
    return Design(komis, games, float(precision), is_self_play)


def _komis(komi: object, place: str) -> tuple[int, ...]:
    """Return the komi that are asked for, none for pie."""
    from arena.core.laboratory import MOST_KOMIS

    if komi is None:
        raise Failure(f"{place}: komi: a range is needed, such as 0..8, or pie")
    if komi == "pie":
        return ()
    found = _RANGE.fullmatch(str(komi)) if type(komi) in (str, int) else None
    if found is None:
        raise Failure(
            f"{place}: komi = {printable(str(komi), 40)}: a range LOW..HIGH of whole numbers, such as 0..8, "
            "or pie"
        )
    low, high = int(found[1]), int(found[2] or found[1])
    if low > high or high - low >= MOST_KOMIS:
        raise Failure(f"{place}: komi = {low}..{high}: LOW first, and at most {MOST_KOMIS} values")
    return tuple(range(low, high + 1))


def _plan(event: Event, design: Design) -> Laboratory:
    from arena.core.laboratory import laboratory
    from arena.rules import QuestionError
    from arena.rules.registry import make_rules

    if event.game != "pletore" or event.disciplines or event.pairings:
        raise Failure("the laboratory plays Pletore alone: no other game, no [[game]] and no [[pairing]]")
    if event.sprt is not None:
        raise Failure("the laboratory has its own rule for stopping, precision: leave [sprt] out")
    with told(QuestionError):
        for komi in design.komis[:1] + design.komis[-1:]:
            make_rules(event.game, size=event.size, komi=komi)
    with told(ValueError):
        return laboratory(event, design)


def _played(
    plan: Laboratory, database: Path, output: Path | None, text: str, private: list[Path], *, as_json: bool
) -> int:
    from arena.cli.laboratory import games_at, play
    from arena.store import ReadStore, StoreError
    from reports import tables
    from reports.komi.courses import FixedCourse, course_of
    from reports.komi.study import study_of_course, study_of_pie

    def games(ordinals: Sequence[int]) -> list[KomiGame]:
        return games_at(plan, database, ordinals)

    study: Study
    if plan.design.is_pie:
        code = play(plan, FixedCourse(plan, games), database, text, private)
        with told(StoreError), ReadStore(database) as store:
            study = study_of_pie(plan, store.records_at(list(plan.ordinals())))
    else:
        with told(ValueError):
            course = course_of(plan, games)
        code = play(plan, course, database, text, private)
        with told(StoreError, ValueError):
            study = study_of_course(plan, course)
    if as_json:
        print_line(json.dumps(_finite(study.as_object())))
    else:
        parts = [*(tables.text(each, terminal_cells()) for each in study.tables()), "\n".join(study.lines())]
        for line in "\n\n\n".join(parts).split("\n"):
            print_line(line)
    if output is not None:
        _save(study, output)
    return code


def _save(study: Study, folder: Path) -> None:
    from reports import tables
    from reports.extras import MissingExtraError

    found = (*study.tables(), *study.further_tables())
    with told(MissingExtraError), writing_told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        written = [save(table, folder) for save in (tables.save_csv, tables.save_markdown) for table in found]
        answer = folder / "komi-answer.txt"
        answer.write_text("\n".join(study.lines()) + "\n", encoding="utf-8")
        written += [answer, *study.save_charts(folder)]
    click.echo(f"wrote {counted(len(written), 'file')} to {folder}", err=True)


def _finite(value: Any) -> Any:
    """Return a value without infinite numbers, which JSON does not have: None is where no limit is known."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) != float("inf") else None
    return value
