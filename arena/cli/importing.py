"""`arena import`: games recorded elsewhere become a database that every reading command accepts."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.errors import Failure
from arena.cli.target import DATABASE, told
from arena.store import RunStore, StoreError
from arena.words import counted
from reports.records.files import FORMS, event_of, read_records
from reports.records.objects import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH_GAMES = 500


@click.command
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option(
    "-o",
    "--output",
    "--db",
    "database",
    required=True,
    type=DATABASE,
    help="The database to make.",
)
@click.option("--format", "form", type=click.Choice(FORMS), help="Form of the files (default: as they look).")
@click.option("--name", help="Name of the event (default: the database's name).")
@click.option("--renumber", is_flag=True, help="Give the games new ids: 1, 2, 3 and so on.")
def command(
    files: tuple[Path, ...], database: Path, form: str | None, name: str | None, renumber: bool
) -> None:
    """Read games from FILEs (JSON Lines, SGF, text records) and make a database of them.

    Every game is played again through the rules; the first that they refuse ends the command, and no database
    is made. Annulled games are left out: they count for nobody.
    """
    if database.exists():
        raise Failure(f"{database} exists: name a new database")
    with told(RecordError), _reading_told():
        records = read_records(files, form, renumber=renumber)
    annulled = sum(record.verdict.is_void for record in records)
    records = [record for record in records if not record.verdict.is_void]
    if not records:
        raise Failure("every game in the files is annulled: there is nothing to import")
    event = event_of(records, name or database.stem)
    with told(StoreError):
        try:
            # The key is never used: dice come with the records.
            with RunStore.create_or_resume(database, event, random_bytes=bytes(32)) as store:
                for start in range(0, len(records), BATCH_GAMES):
                    store.add(records[start : start + BATCH_GAMES])
                store.finish()
        except StoreError:
            # Where it could not be made there is nothing to take away, and perhaps no right to.
            with suppress(OSError):
                database.unlink()
            raise
    games = f"{counted(len(records), 'game')}"
    left_out = f"; {annulled} annulled left out" if annulled else ""
    click.echo(f"wrote {database}: {games} of {counted(len(event.engines), 'engine')}{left_out}", err=True)


@contextmanager
def _reading_told() -> Iterator[None]:
    """Turn the file system's refusal to read into a `Failure`."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{error.filename} cannot be read: {error.strerror or error}") from error
