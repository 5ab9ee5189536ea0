"""JSON Lines: one game a line, the form of `arena export --format jsonl`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reports.records.objects import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINE_BYTES = 64 * 2**20
"""Longest line that is read."""


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield each game of a file as its place and its object; empty lines are passed over.

    Raises:
        RecordError: a line is no JSON in UTF-8, or too long.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LINE_BYTES + 1):
            number += 1
            where = f"{path}:{number}"
            if len(line) > LINE_BYTES:
                raise RecordError(f"{where}: the line is longer than {LINE_BYTES} bytes")
            if not line.strip():
                continue
            try:
                yield where, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{where}: the line is no JSON: {error}") from error
