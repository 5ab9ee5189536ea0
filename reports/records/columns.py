"""Parquet, through pandas: the contract's keys as typed columns, lists as lists."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from reports.export import KEYS, game_object
from reports.extras import require

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from arena.core.record import GameRecord
    from reports.export import Circumstances

CHUNK_GAMES = 2000
"""Games in memory at once, and in a row group of the file."""


_OBJECTS = ("engine_versions", "time_controls", "engine_options")
"""Keys whose values are objects."""


def write_parquet(
    records: Iterable[GameRecord], path: Path, circumstances: Circumstances | None = None
) -> int:
    """Write games into a Parquet file and return how many.

    Objects are JSON texts; every other key has the type of the contract, so an empty event has them too.

    Raises:
        MissingExtraError: pandas or pyarrow is not installed.
        OSError: the file cannot be written.
    """
    pandas, arrow, parquet = require("pandas"), require("pyarrow"), require("pyarrow.parquet")
    schema = _schema(arrow)
    games = 0
    left = iter(records)
    with parquet.ParquetWriter(path, schema) as writer:
        while chunk := [_row(record, circumstances) for record in itertools.islice(left, CHUNK_GAMES)]:
            frame = pandas.DataFrame(chunk, columns=list(KEYS), dtype=object)
            writer.write_table(arrow.Table.from_pandas(frame, schema=schema, preserve_index=False))
            games += len(chunk)
    return games


def _row(record: GameRecord, circumstances: Circumstances | None) -> dict[str, Any]:
    row = game_object(record, circumstances)
    for key in _OBJECTS:
        row[key] = None if row[key] is None else json.dumps(row[key])
    return row


def _schema(arrow: Any) -> Any:
    whole, real, text = arrow.int64(), arrow.float64(), arrow.string()
    rolls = arrow.list_(arrow.list_(arrow.int8()))
    others = {
        **dict.fromkeys(
            (
                "round",
                "size",
                "komi",
                "points",
                "deciding_group",
                "komi_offered",
                "plies",
                "opening_plies",
                "attempt",
            ),
            whole,
        ),
        **dict.fromkeys(("board_margin", "final_margin", "fault_ms"), real),
        **dict.fromkeys(("reasons", "moves", "announcements"), arrow.list_(text)),
        "seed": arrow.uint64(),
        "dice": rolls,
        "opening_roll": rolls,
        "time_ms": arrow.list_(real),
    }
    return arrow.schema([(key, others.get(key, text)) for key in KEYS])
