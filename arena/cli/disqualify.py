"""`arena disqualify`: an engine leaves the event, by the organiser's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.printing import print_line
from arena.cli.target import file_argument, opened_for_writing, schedule_of
from reports.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@file_argument
@click.argument("engine")
@click.option("--why", required=True, help="The reason, kept and shown under every table.")
def command(file: Path, engine: str, why: str) -> None:
    """Take ENGINE out of FILE: its finished games stand, those not yet played are lost as `withdrawn`."""
    with opened_for_writing(file) as store:
        lost = store.disqualify(engine, why, schedule_of(store.event, store.steps()))
    games = "1 unplayed game was" if lost == 1 else f"{lost} unplayed games were"
    print_line(f"{printable(engine)} is out of the event: {games} given to its opponents")
