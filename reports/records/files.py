"""Files of records, whatever their form, read into one event."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

from arena.core.clock import parse_time
from arena.core.event import IMPORTED, Engine, Event, OpeningBook
from reports.records import lines, plain, sgf
from reports.records.objects import RecordError, check_unique, record_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from arena.core.record import GameRecord

_READERS = {"jsonl": lines.read, "sgf": sgf.read, "text": plain.read}
FORMS = tuple(_READERS)


def form_of(path: Path) -> str:
    """Return the form of a file by its ending, else by how it begins.

    Raises:
        RecordError: neither tells.
        OSError: the file cannot be read.
    """
    by_ending = {".jsonl": "jsonl", ".ndjson": "jsonl", ".sgf": "sgf", ".txt": "text"}.get(
        path.suffix.lower()
    )
    if by_ending is not None:
        return by_ending
    with path.open("rb") as file:
        head = file.read(200).lstrip()
    for begin, form in ((b"arena-record", "text"), (b"{", "jsonl"), (b"(;", "sgf")):
        if head.startswith(begin):
            return form
    raise RecordError(f"{path}: neither JSON Lines nor SGF nor text records: name the form with --format")


def read_records(
    paths: Sequence[Path], form: str | None = None, *, renumber: bool = False
) -> list[GameRecord]:
    """Read the games of all files, in their order, checked against the rules.

    Args:
        paths: the files.
        form: `jsonl`, `sgf` or `text`; None: see `form_of`.
        renumber: give the games new ids, `1`, `2`, …; games that share a pair in one file go on sharing it.

    Raises:
        RecordError: a game that cannot be read, two of one id, or games of different rules or sizes.
        OSError: a file cannot be read.
    """
    records = [
        record_of(given, where, ordinal)
        for ordinal, (where, given) in enumerate(itertools.chain.from_iterable(_objects(paths, form)))
    ]
    if renumber:
        records = [_renumbered(record) for record in records]
    check_unique(records)
    if not records:
        raise RecordError(f"{', '.join(map(str, paths))}: no game in it")
    for record in records:
        if (record.game, record.size) != (records[0].game, records[0].size):
            raise RecordError(
                f"game {record.id} is {_rules_of(record)}, game {records[0].id} {_rules_of(records[0])}: one "
                "database holds games of one kind and size; import the others into another"
            )
    return records


def event_of(records: Sequence[GameRecord], name: str) -> Event:
    """Return the event that imported games form: entries in the order of their first game.

    Komi is that of all games, None where they differ. Time is unlimited: records do not say the control.
    """
    names = dict.fromkeys(side.name for record in records for side in (record.black, record.white))
    komis = {record.komi for record in records}
    pies = [record.pie is not None for record in records]
    return Event(
        name=name,
        format=IMPORTED,
        game=records[0].game,
        size=records[0].size,
        komi="pie" if all(pies) else komis.pop() if len(komis) == 1 else None,
        games_each=1,
        time=parse_time("inf"),
        concurrency=1,
        seed=0,
        book=OpeningBook(source="as recorded"),
        dice="independent",
        dice_key=None,
        engines=tuple(Engine(each, ("imported",), "/") for each in names),
    )


def _objects(paths: Sequence[Path], form: str | None) -> Iterator[Iterator[tuple[str, Any]]]:
    for path in paths:
        yield _READERS[form or form_of(path)](path)


def _renumbered(record: GameRecord) -> GameRecord:
    return dataclasses.replace(record, id=str(record.ordinal + 1))


def _rules_of(record: GameRecord) -> str:
    return record.game if record.size is None else f"{record.game} {record.size}x{record.size}"
