"""`arena match`: two engines against each other, without a file."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import EXIT_DONE, EXIT_NEGATIVE, Failure
from arena.cli.printing import print_line
from arena.cli.target import DATABASE, opened_for_reading
from reports.printable import printable

if TYPE_CHECKING:
    from arena.cli.expectations import Expectation
    from arena.core.event import Event


@click.command("match")
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE ENGINE")
@click.option("--game", default="pletore", show_default=True, help="Which game.")
@click.option("--size", type=int, help="Board size; default: the game's.")
@click.option("--komi", help="Pletore: a whole number, or pie.")
@click.option("--pairs", type=int, help="Pairs of games (one opening, colours swapped); default 1.")
@click.option("--games-each", type=int, help="Number of games instead of pairs.")
@click.option("--time", help="Time control, e.g. 10+0.1, 5/move, 60+3x10, inf.")
@click.option("--concurrency", type=int, help="Games at a time; default: half the cores.")
@click.option("--seed", type=int, help="Public seed of schedule, openings and engines.")
@click.option(
    "--openings",
    metavar="OPENINGS",
    help="Number of random plies, or a file of openings; or as in a tournament file:"
    ' "random = 2", "file = book.txt, order = random".',
)
@click.option("--dice", type=click.Choice(["independent", "duplicate"]), help="Plakoto: dice of a pair.")
@click.option("--oversubscribe", is_flag=True, default=None, help="Allow more threads than cores.")
@click.option("--log", type=click.Choice(["faults", "all"]), help="Games whose exchange is kept (with --db).")
@click.option(
    "--plays", is_flag=True, help="Take it that both play the game, also one that does not list arena-game."
)
@click.option("--name", help="Name of the match.")
@click.option("--db", type=DATABASE, help="Keep the games in this database.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for tables and charts.")
@click.option(
    "--sandbox",
    type=click.Choice(["require", "auto", "off"]),
    help="What both run in; default: off for commands, require for folders.",
)
@click.option(
    "--sprt",
    is_flag=True,
    help="Stop as soon as a sequential test decides; its terms follow: elo0=0 elo1=5 alpha=0.05 beta=0.05"
    " model=logistic|normalized min_pairs=16.",
)
@click.option(
    "--expect",
    "expected",
    multiple=True,
    metavar="TEXT",
    help='What the first engine must reach, e.g. "score>=0.4" (points a game), "low>=0.4" (lower end of its'
    ' 95 % interval), "faults<=0"; exit code 1 when it does not.',
)
def command(
    engines: tuple[str, ...],
    db: Path | None,
    output: Path | None,
    openings: str | None,
    komi: str | None,
    expected: tuple[str, ...],
    plays: bool,
    sandbox: str | None,
    sprt: bool,
    **keys: object,
) -> int:
    """Play ENGINE against ENGINE.

    An engine is a command in quotes ("./mybot --fast"), the name of a sample engine with its flags
    ("greedy_player --noise 0.1"), or a folder with an engine.toml.
    """
    from arena.cli.expectations import parse_expectation
    from arena.config import ConfigError, event_from_keys

    engines, terms = _parted(engines, sprt)
    expectations = [parse_expectation(text) for text in expected]
    tournament = {
        **keys,
        "format": "match",
        "sandbox": sandbox,
        "komi": whole_or_text(komi),
        "openings": openings_of(openings),
    }
    try:
        entries = [_entry(engine, sandbox) for engine in engines]
        if plays:
            known = {"plays": [keys["game"]]}
            entries = [known | ({"command": entry} if isinstance(entry, str) else entry) for entry in entries]
        event = event_from_keys(tournament, entries, sprt=terms)
    except ConfigError as error:
        raise Failure(str(error)) from error
    if db is not None:
        return _played(event, db, output, expectations)
    with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
        return _played(event, Path(folder) / "match.db", output, expectations, keeps_logs=False)


_TERMS = ("elo0", "elo1", "alpha", "beta", "model", "min_pairs")
_KEY = re.compile(r"""\s*["']?(\w+)["']?\s*=\s*(.*?)\s*""")
_TERM = re.compile(rf"({'|'.join(_TERMS)})=(.*)")
_LIKE_A_TERM = re.compile(r"[0-9A-Za-z_-]+=\S*")


def _parted(words: tuple[str, ...], is_sequential: bool) -> tuple[tuple[str, ...], dict[str, object] | None]:
    """Part the engines from the terms of the sequential test, which stand among them after `--sprt`.

    Raises:
        Failure: not two engines are left.
    """
    terms = {found[1]: _number_or_text(found[2]) for word in words if (found := _TERM.fullmatch(word))}
    engines = tuple(word for word in words if not (is_sequential and _TERM.fullmatch(word)))
    if len(engines) != 2:
        strange = next((word for word in engines if is_sequential and _LIKE_A_TERM.fullmatch(word)), None)
        if strange is not None:
            raise Failure(f"{printable(strange, 60)}: no term of --sprt, which are {', '.join(_TERMS)}")
        raise Failure(f"two engines are needed, {len(engines)} are named")
    return engines, terms if is_sequential else None


def _number_or_text(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _played(
    event: Event,
    database: Path,
    output: Path | None,
    expectations: list[Expectation],
    *,
    keeps_logs: bool = True,
) -> int:
    """Play the match; a match that was finished is held to what was expected of it."""
    from arena.cli.playing import play

    code = play(event, database, "", output, keeps_logs=keeps_logs)
    if code not in (EXIT_DONE, EXIT_NEGATIVE) or not expectations:
        return code
    from reports.standings import standings
    from reports.stored import results_of

    with opened_for_reading(database) as store:
        lines = standings(results_of(store)).lines
    first = next(line for line in lines if line.engine == event.engines[0].name)
    judged = [expectation.judge(first) for expectation in expectations]
    for _, words in judged:
        print_line(f"{printable(first.engine)}: {words}")
    return code if all(is_met for is_met, _ in judged) else EXIT_NEGATIVE


def _entry(engine: str, sandbox: str | None) -> dict[str, Any] | str:
    """Return the keys of the entry that a folder with an engine.toml makes; a command as it is.

    Raises:
        ConfigError: what is wrong in the engine.toml.
    """
    from arena.config import ENGINE_FILE, load_submission

    folder = Path(engine)
    if not (folder / ENGINE_FILE).is_file():
        return engine
    from arena.conformance.subjects import entry_of_folder

    entry = entry_of_folder(folder, load_submission(folder))
    return entry if sandbox is None else {**entry, "sandbox": sandbox}


def whole_or_text(text: str | None) -> object:
    """Return the number that the text is, else the text, so that the check of the file's key judges it."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def openings_of(text: str | None) -> object:
    """Return the key `openings` of a tournament file that the option's text stands for, None without one."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return {"random": int(text)}
    return {"file": text} if Path(text).exists() else _keys_in(text) or {"file": text}


def _keys_in(text: str) -> dict[str, object]:
    """Return keys with values as a tournament file has them, braces and quotes or not; empty: none."""
    inner = text.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1]
    found = [_KEY.fullmatch(word) for word in inner.split(",")]
    keys = {each[1]: _number_or_text(each[2].strip("\"'")) for each in found if each}
    return keys if len(keys) == len(found) else {}
