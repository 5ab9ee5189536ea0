"""`arena match`: two engines against each other, without a file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from arena.cli.errors import Failure


@click.command("match")
@click.argument("engines", nargs=2, metavar="ENGINE ENGINE")
@click.option("--game", default="pletore", show_default=True, help="Which game.")
@click.option("--size", type=int, help="Board size; default: the game's.")
@click.option("--komi", help="Pletore: a whole number, or pie.")
@click.option("--pairs", type=int, help="Pairs of games (one opening, colours swapped); default 1.")
@click.option("--games-each", type=int, help="Number of games instead of pairs.")
@click.option("--time", help="Time control, e.g. 10+0.1, 5/move, 60+3x10, inf.")
@click.option("--concurrency", type=int, help="Games at a time; default: half the cores.")
@click.option("--seed", type=int, help="Public seed of schedule, openings and engines.")
@click.option("--openings", help="Number of random plies, or a file of move lists.")
@click.option("--dice", type=click.Choice(["independent", "duplicate"]), help="Plakoto: dice of a pair.")
@click.option("--name", help="Name of the match.")
@click.option("--db", type=click.Path(path_type=Path), help="Keep the games in this database.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for tables and charts.")
def command(
    engines: tuple[str, str],
    db: Path | None,
    output: Path | None,
    openings: str | None,
    komi: str | None,
    **keys: object,
) -> int:
    """Play ENGINE against ENGINE.

    An engine is a command in quotes ("./mybot --fast"), or the name of a sample engine with its flags
    ("greedy_player --noise 0.1").
    """
    from arena.cli.playing import play
    from arena.config import ConfigError, event_from_keys

    tournament = {**keys, "format": "match", "komi": _komi(komi), "openings": _openings(openings)}
    try:
        event = event_from_keys(tournament, engines)
    except ConfigError as error:
        raise Failure(str(error)) from error
    if db is not None:
        return play(event, db, "", output)
    with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
        return play(event, Path(folder) / "match.db", "", output)


def _komi(text: str | None) -> object:
    """Return the number that the text is, else the text, so that the check of the file's key judges it."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _openings(text: str | None) -> object:
    if text is None:
        return None
    return {"random": int(text)} if text.isascii() and text.isdigit() else {"file": text}
