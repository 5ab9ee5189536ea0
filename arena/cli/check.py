"""`arena check`: does an engine keep the protocol and the rules?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import EXIT_DONE, EXIT_NEGATIVE, Failure
from arena.cli.printing import print_line
from arena.cli.target import told, writing_told

if TYPE_CHECKING:
    from arena.conformance.bench import Subject
    from arena.conformance.case import Report
    from arena.conformance.subjects import Circumstances


@click.command("check")
@click.argument("engine", metavar="ENGINE")
@click.option("--game", "games", multiple=True, metavar="ID", help="Which game; more than once for several.")
@click.option("--size", type=int, help="Board size; default: the game's.")
@click.option("--komi", type=int, help="Komi, where the game has it; default 0.")
@click.option("--time", default="10+0.1", show_default=True, help="Time control that it must keep.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all positions and opponents.")
@click.option(
    "--positions",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Positions of each kind in which it is asked for a move.",
)
@click.option(
    "--only", multiple=True, metavar="CASE", help="Only this case or stage (moves, clock, …), and its needs."
)
@click.option(
    "--sandbox",
    type=click.Choice(["require", "auto", "off"]),
    default="require",
    show_default=True,
    help="What it runs in.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Its own folder, all that a sandbox shows of the machine.",
)
@click.option(
    "--bind", "binds", multiple=True, metavar="PATH", help="A further path that a sandbox shows, read-only."
)
@click.option("--plays", is_flag=True, help="Take it for granted that it plays the games (no arena-game).")
@click.option("--work-limit", metavar="TEXT", help='arena-limit for all games, e.g. "playouts 1000".')
@click.option("--margin-ms", type=int, help="Time beyond the flag that is forgiven.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML.")
@click.option("--json", "json_file", metavar="FILE", help="Write JSON; - for standard output, with no table.")
@click.option("--strict", is_flag=True, help="Count what only SHOULD hold as a failure, too.")
def command(
    engine: str,
    games: tuple[str, ...],
    only: tuple[str, ...],
    junit: Path | None,
    json_file: str | None,
    strict: bool,
    **keys: Any,
) -> int:
    """Try ENGINE in every way that the referee will use, and say what is wrong.

    ENGINE is a command in quotes ("./mybot --fast"), the name of a sample engine, or a folder with an
    engine.toml. Exit code 0: everything that MUST hold holds; 1: something does not; 2: it cannot be tried.
    """
    from arena.cli.checking import checked
    from arena.conformance.subjects import Circumstances

    quiet = json_file == "-"
    told_keys = {**keys, "folder": keys["folder"] and str(keys["folder"])}
    subjects = _subjects(engine, games, Circumstances(**told_keys))
    _check_names(subjects, only)
    reports = []
    for subject in subjects:
        if not quiet and len(subjects) > 1:
            print_line(f"== {subject.game}")
        reports.append(checked(subject, only=only, quiet=quiet))
        if not quiet and len(subjects) > 1:
            print_line()
    _write(reports, junit, json_file, strict=strict)
    return EXIT_DONE if all(report.is_good(strict=strict) for report in reports) else EXIT_NEGATIVE


def _subjects(engine: str, games: tuple[str, ...], circumstances: Circumstances) -> list[Subject]:
    """Return what is tested, one subject a game.

    Raises:
        Failure: the engine or a setting is not what it should be.
    """
    from arena.config import ConfigError, load_submission
    from arena.conformance.subjects import is_folder_of_an_engine, subject_of
    from arena.rules.registry import games as known_games

    with told(ConfigError):
        if is_folder_of_an_engine(engine):
            own = load_submission(engine).games
            missing = [game for game in games if game not in own]
            if missing:
                raise Failure(f"its engine.toml says games = {own}, without {missing[0]}")
            games = games or tuple(own)
        elif Path(engine).is_dir():
            raise Failure(f"{engine} is a folder without an engine.toml: name its program, or write one")
        if not games:
            raise Failure(f"which game? --game ID, one of {', '.join(known_games())}")
        return [subject_of(engine, game, circumstances) for game in games]


def _check_names(subjects: list[Subject], only: tuple[str, ...]) -> None:
    from arena.conformance.suite import cases

    known = [case for subject in subjects for case in cases(subject)]
    names = dict.fromkeys([*(case.stage for case in known), *(case.id for case in known)])
    unknown = [name for name in only if name not in names]
    if unknown:
        raise Failure(f"no case or stage {unknown[0]!r}; there are {', '.join(names)}")


def _write(reports: list[Report], junit: Path | None, json_file: str | None, *, strict: bool) -> None:
    from arena.conformance import outputs

    if junit is not None:
        with writing_told(junit):
            junit.parent.mkdir(parents=True, exist_ok=True)
            junit.write_bytes(outputs.junit(reports, strict=strict))
    if json_file is None:
        return
    objects = [outputs.as_object(report, strict=strict) for report in reports]
    good = all(report.is_good(strict=strict) for report in reports)
    text = json.dumps({"passed": good, "checks": objects}, indent=1)
    if json_file == "-":
        print_line(text)
        return
    path = Path(json_file)
    with writing_told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
