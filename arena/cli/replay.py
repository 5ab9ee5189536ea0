"""`arena replay`: a game is played again, by the organiser's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.printing import print_line
from arena.cli.target import file_argument, opened_for_writing
from reports.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@file_argument
@click.argument("game")
@click.option("--why", required=True, help="The reason, kept and shown under every table.")
def command(file: Path, game: str, why: str) -> None:
    """Set the playing of GAME of FILE aside: the next `arena run` plays it again; the old one is kept."""
    with opened_for_writing(file) as store:
        store.replay(game, why)
    print_line(f"game {printable(game)} is set aside: the next arena run of this event plays it again")
