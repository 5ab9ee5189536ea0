"""How commands print lists that may be long: in columns, or as JSON, without holding them in memory."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

from reports.printable import printable, text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LOOKED_AT_ROWS = 500
"""Columns are as wide as these first rows need; a longer text further down moves its line."""


def terminal_cells() -> int | None:
    """Return how wide the terminal is that standard output goes to, None where it goes somewhere else."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_rows(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text in columns, texts escaped, under a line of headers.

    On a terminal that is too narrow the last columns are left out, and named below.
    """
    shown = ([printable(text) for text in row] for row in rows)
    first = list(itertools.islice(shown, LOOKED_AT_ROWS))
    widths = [max(map(text_width, column)) for column in zip(headers, *first, strict=True)]
    fitting = _fitting(widths, terminal_cells())
    widths = widths[:fitting]
    print_line(_in_columns(headers[:fitting], widths))
    print_line("  ".join("-" * width for width in widths))
    for row in itertools.chain(first, shown):
        print_line(_in_columns(row[:fitting], widths))
    if left_out := headers[fitting:]:
        print_line(f"(a wider terminal, or a pipe, has also: {'; '.join(left_out)})")


def _fitting(widths: Sequence[int], cells: int | None) -> int:
    """Return how many columns stand in a line, and at least two."""
    wide = itertools.accumulate(width + 2 for width in widths)
    fitting = sum(each - 2 <= cells for each in wide) if cells is not None else len(widths)
    return min(len(widths), max(2, fitting))


def print_object(fields: Mapping[str, object], name: str, items: Iterable[object]) -> None:
    """Print a JSON object with `fields` and, under `name`, a list that is written as it comes."""
    head = json.dumps(dict(fields))[1:-1]
    print_line(f"{{{head}{', ' if head else ''}{json.dumps(name)}: [")
    for place, item in enumerate(items):
        sys.stdout.write(f"{',' if place else ''}{json.dumps(item)}\n")
    print_line("]}")


def is_coloured() -> bool:
    """Say whether standard output is a terminal that takes colours and our signs (https://no-color.org)."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and encoding.startswith("utf")
    )


def print_line(line: str = "") -> None:
    """Print a line on standard output; what its encoding lacks is escaped."""
    if line.isascii():
        sys.stdout.write(f"{line}\n")
        return
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(f"{line.encode(encoding, 'backslashreplace').decode(encoding)}\n")


def _in_columns(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        text + " " * (width - text_width(text)) for text, width in zip(row, widths, strict=True)
    ).rstrip()
