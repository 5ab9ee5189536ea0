"""`arena report`: a page with tables, charts and a replay of every game, in one folder."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from arena.cli.target import opened_for_reading, told, writing_told
from arena.words import counted
from reports.extras import MissingExtraError
from reports.page import OF_MORE, REPLAYS


@click.command
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(path_type=Path), help="The report's folder."
)
@click.option(
    "--replays",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Games of each event that open as a replay (default: all of up to {REPLAYS}, {OF_MORE} of more).",
)
def command(files: tuple[Path, ...], folder: Path, replays: int | None) -> None:
    """Write a report of one or several events, tournament files or their databases, into a folder.

    DIR/index.html opens from a disk and from any web host; it loads nothing from elsewhere.
    """
    # Charts take a second to load; --help need not wait.
    from reports.page.folder import FolderError, write_report

    limits = (REPLAYS, OF_MORE) if replays is None else (replays, replays)
    with ExitStack() as opened, told(MissingExtraError, FolderError), writing_told(folder):
        stores = [opened.enter_context(opened_for_reading(file)) for file in files]
        written = write_report(stores, folder, replays=limits[0], of_more=limits[1])
    games = f"{counted(written.games, 'game')}"
    with_replay = "" if written.replays == written.games else f", {written.replays} of them with a replay"
    click.echo(f"wrote {written.page} ({games}{with_replay}; {counted(written.files, 'file')})", err=True)
