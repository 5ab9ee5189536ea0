"""`arena export`: every game that stands, as JSON Lines or CSV, in the order of the schedule."""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from arena.cli.target import file_argument, opened_for_reading, writing_told
from reports.export import KEYS, csv_row, json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.core.record import GameRecord


@click.command
@file_argument
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write to this file instead of standard output."
)
def command(file: Path, form: str, output: Path | None) -> None:
    """Write the games of FILE, a tournament file or its database, one a line, in schedule order."""
    with opened_for_reading(file) as store, _opened(output) as stream:
        if form == "jsonl":
            _write_json_lines(store.records(), stream)
        else:
            _write_csv(store.records(), stream)


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


def _write_json_lines(records: Iterable[GameRecord], stream: TextIO) -> None:
    stream.writelines(f"{json_line(record)}\n" for record in records)


def _write_csv(records: Iterable[GameRecord], stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(KEYS)
    writer.writerows(csv_row(record) for record in records)
