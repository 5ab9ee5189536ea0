"""`arena new`: writes a small complete engine into a new folder, with its own checks and a trial event."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.errors import Failure

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class _Language(NamedTuple):
    """What a new engine is made of.

    Attributes:
        sources: file to write -> file of the distribution: package and path.
        build: what has to be run first, empty for nothing.
        check: what runs the checks.
        command: the engine's command in a tournament file, as TOML.
        games: what it plays, for people.
        ids: the same, ids of the rules.
    """

    sources: dict[str, tuple[str, str]]
    build: str
    check: str
    command: str
    games: str
    ids: tuple[str, ...]


_TEMPLATES = "arena.cli"

LANGUAGES = {
    "python": _Language(
        {
            "engine.py": (_TEMPLATES, "templates/python/engine.py"),
            "check_engine.py": (_TEMPLATES, "templates/python/check_engine.py"),
        },
        build="",
        check="python3 -m unittest check_engine",
        command='["{python}", "engine.py"]',
        games="Pletore",
        ids=("pletore",),
    ),
    "c": _Language(
        {
            "engine.c": ("sample_engines", "c/flat_engine.c"),
            "Makefile": (_TEMPLATES, "templates/c/Makefile"),
            "check_engine.sh": (_TEMPLATES, "templates/c/check_engine.sh"),
        },
        build="make",
        check="make check",
        command='["./engine"]',
        games="Pletore, Pente, Topolo and Plakoto",
        ids=("pletore", "pente", "topolo", "plakoto"),
    ),
    "javascript": _Language(
        {
            "engine.js": ("sample_engines", "javascript/engine.js"),
            "check_engine.js": (_TEMPLATES, "templates/javascript/check_engine.js"),
        },
        build="",
        check="node check_engine.js",
        command='["node", "engine.js"]',
        games="Pletore and Pente",
        ids=("pletore", "pente"),
    ),
}
"""The languages there is an engine to begin with."""

_TRIAL = Template("""\
# The new engine against one that plays at random: arena run trial.toml
[tournament]
name = "Trial"
format = "match"
game = "pletore"
size = 5
komi = 1
pairs = 5
time = "10+0.1"
openings = { random = 2 }

[[engine]]
name = "mine"
command = $command

[[engine]]
name = "random"
command = ["{python}", "-m", "sample_engines.random_player"]
""")

_SUBMISSION = Template("""\
# What arena submit and arena check read: docs/submissions.md
name = "my-engine"
version = "0.1"
author = "me"
command = $command
games = [$games]
$build""")

_README = Template("""\
# My engine

One file, no dependencies; it plays $games.

    $check${build_note}
    arena run trial.toml
    arena check .

`choose` decides on the move; the rules stand above it, the protocol below.
""")


@click.command(name="new")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--language",
    type=click.Choice(list(LANGUAGES)),
    default="python",
    show_default=True,
    help="What the engine is written in.",
)
def command(folder: Path, language: str) -> None:
    """Write a small complete engine into the new or empty folder DIR."""
    from arena.config import ENGINE_FILE

    chosen = LANGUAGES[language]
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Failure(f"{folder} is not an empty folder; name one that is not there yet")
        folder.mkdir(parents=True, exist_ok=True)
        for name, (package, path) in chosen.sources.items():
            source: Traversable = files(package).joinpath(path)
            (folder / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        engine_toml = _SUBMISSION.substitute(
            command=chosen.command,
            games=", ".join(f'"{each}"' for each in chosen.ids),
            build=f'build = "{chosen.build}"\n' if chosen.build else "",
        )
        (folder / ENGINE_FILE).write_text(engine_toml, encoding="utf-8")
        (folder / "trial.toml").write_text(_TRIAL.substitute(command=chosen.command), encoding="utf-8")
        (folder / "README.md").write_text(
            _README.substitute(
                games=chosen.games,
                check=chosen.check,
                build_note=" " * 8 + f"# {chosen.build} builds it" if chosen.build else "",
            ),
            encoding="utf-8",
        )
    except OSError as error:
        raise Failure(f"cannot write to {folder}: {error.strerror or error}") from None
    steps = [f"cd {folder}", *filter(None, [chosen.build]), chosen.check, "arena run trial.toml"]
    click.echo(f"{folder}: an engine for {chosen.games}. Next:\n  " + "\n  ".join(steps))
