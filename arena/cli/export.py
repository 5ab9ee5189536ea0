"""`arena export`: every game that stands, or one, in a form that other programs read, in schedule order."""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

import click

from arena.cli.errors import Failure
from arena.cli.target import file_argument, opened_for_reading, told, writing_told
from arena.rules.base import RulesError
from reports.export import KEYS, Circumstances, csv_row, json_line
from reports.extras import MissingExtraError
from reports.printable import printable
from reports.records.objects import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.core.record import GameRecord
    from arena.store import ReadStore


@click.command
@file_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "parquet", "sgf", "text"]),
    default="jsonl",
    show_default=True,
)
@click.option("--game", "game_id", metavar="ID", help="Only this game.")
@click.option("--late", "is_late", is_flag=True, help="Results of workers that had lost the game, instead.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write to this file instead of standard output."
)
def command(file: Path, form: str, game_id: str | None, is_late: bool, output: Path | None) -> None:
    """Write the games of FILE, a tournament file or its database, in schedule order (docs/records.md).

    With --late: what came from workers of a cluster that had lost the game by then, in the order it came. It
    is evidence and no part of the event (docs/cluster.md).
    """
    with opened_for_reading(file) as store, told(RecordError, MissingExtraError):
        records = _late(store, game_id) if is_late else _records(store, game_id)
        circumstances = Circumstances(store.event())
        if form == "parquet":
            _write_parquet(records, circumstances, output)
        elif form == "sgf":
            with _opened_for_bytes(output) as file_:
                _write_sgf(records, circumstances, file_)
        else:
            with _opened(output) as stream:
                _WRITERS[form](records, circumstances, stream)


def _records(store: ReadStore, game_id: str | None) -> Iterable[GameRecord]:
    if game_id is None:
        return store.records()
    record = store.record(game_id)
    if record is None:
        raise Failure(f"there is no played game {printable(game_id, 60)}; arena games lists the ids")
    return [record]


def _late(store: ReadStore, game_id: str | None) -> Iterable[GameRecord]:
    return [each.record for each in store.late() if game_id in (None, each.record.id)]


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        yield sys.stdout
        return
    with (
        writing_told(output),
        output.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
    ):
        yield file


@contextmanager
def _opened_for_bytes(output: Path | None) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        return
    with writing_told(output), output.open("wb") as file:
        try:
            yield file
        except RecordError:
            # A part of the games would look like all of them.
            output.unlink(missing_ok=True)
            raise


def _write_json_lines(records: Iterable[GameRecord], circumstances: Circumstances, stream: TextIO) -> None:
    stream.writelines(f"{json_line(record, circumstances)}\n" for record in records)


def _write_csv(records: Iterable[GameRecord], circumstances: Circumstances, stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(KEYS)
    writer.writerows(csv_row(record, circumstances) for record in records)


def _write_text(records: Iterable[GameRecord], circumstances: Circumstances, stream: TextIO) -> None:
    from reports.records.plain import text_of

    del circumstances
    stream.writelines(f"{chr(10) if place else ''}{text_of(record)}" for place, record in enumerate(records))


_WRITERS = {"jsonl": _write_json_lines, "csv": _write_csv, "text": _write_text}


def _write_sgf(records: Iterable[GameRecord], circumstances: Circumstances, file: BinaryIO) -> None:
    from reports.records.sgf import sgf_of

    for record in records:
        try:
            file.write(sgf_of(record, circumstances.controls(record) or (None, None)))
        except RulesError as error:
            raise RecordError(
                f"game {record.id} cannot be played again ({error}): arena verify tells what is wrong with it"
            ) from error


def _write_parquet(records: Iterable[GameRecord], circumstances: Circumstances, output: Path | None) -> None:
    if output is None:
        raise Failure("--format parquet needs a file to write to: -o FILE")
    from reports.records.columns import write_parquet

    with writing_told(output):
        write_parquet(records, output, circumstances)
