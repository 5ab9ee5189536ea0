"""`arena run`: play the event that a tournament file describes, or go on with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.clustering import cluster_options, options_of, refuse_cluster_options
from arena.cli.errors import Failure
from arena.cli.target import DATABASE, told
from arena.store import StoreError


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--db", type=DATABASE, help="Database; default: FILE with the ending .db.")
@click.option("--concurrency", type=int, help="Games at a time, instead of the file's.")
@click.option("--pairs", type=int, help="Pairs of games for each pairing, instead of the file's.")
@click.option("--log", type=click.Choice(["faults", "all"]), help="Games whose whole exchange is kept.")
@click.option("--oversubscribe", is_flag=True, default=None, help="Allow more threads than cores.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for tables and charts; default: beside the database, NAME-results.",
)
@click.option("--no-output", is_flag=True, help="Print the tables and save nothing.")
@click.option(
    "--executor",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Who plays: this machine, or the workers of a Dask cluster (docs/cluster.md).",
)
@cluster_options
def command(
    file: Path,
    db: Path | None,
    concurrency: int | None,
    pairs: int | None,
    log: str | None,
    oversubscribe: bool | None,
    output: Path | None,
    no_output: bool,
    executor: str,
    **cluster: Any,
) -> int:
    """Play the event that FILE describes; games that are played already stay."""
    from arena.cli.playing import play
    from arena.config import ConfigError, load_event

    try:
        flags = {"concurrency": concurrency, "pairs": pairs, "log": log, "oversubscribe": oversubscribe}
        event = load_event(file, flags)
    except ConfigError as error:
        raise Failure(str(error)) from error
    elsewhere = options_of(cluster, concurrency) if executor == "dask" else None
    if elsewhere is None:
        refuse_cluster_options(cluster)
    database = db or file.with_suffix(".db")
    results = None if no_output else output or database.with_name(f"{database.stem}-results")
    with told(StoreError):
        return play(event, database, file.read_text(encoding="utf-8"), results, [file], cluster=elsewhere)
