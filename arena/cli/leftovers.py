"""What trials leave in an engine's folder: databases of the arena, and what stands beside them by name.

None of it is part of the engine. A database is known by its header, whatever its name: an engine may bring
one of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from arena.store import is_database

if TYPE_CHECKING:
    from collections.abc import Iterator

_BESIDE = (".lock", "-wal", "-shm", "-journal")
"""What ends the names of a database's companions: its lock, and SQLite's files."""

_FOLDERS = ("-results", "-logs")
"""What ends the names of the folders that a run makes: called after the database, without its suffix."""


def leftovers(folder: Path) -> tuple[str, ...]:
    """Return the results of the arena in a folder: paths inside it, sorted; no link is followed."""
    found: set[str] = set()
    for place, folders, names in os.walk(folder):
        there = {name for name in _named(Path(place), names) if name in folders or name in names}
        folders[:] = [name for name in folders if name not in there]
        found |= {Path(place, name).relative_to(folder).as_posix() for name in there}
    return tuple(sorted(found))


def _named(place: Path, names: list[str]) -> Iterator[str]:
    """Return the names that results in one folder have, or would have."""
    for path in (place / name for name in names):
        if is_database(path):
            yield path.name
            yield from (f"{path.name}{end}" for end in _BESIDE)
        elif path.suffix != ".toml":
            continue
        # The folders stay when a database is deleted; then the tournament file tells whose they are.
        yield from (f"{path.stem}{end}" for end in _FOLDERS)
