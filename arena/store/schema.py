"""The tables of a tournament's database, their versions, and how a file is opened. All else is queries.

Layout: `game` holds one narrow row a playing, all that standings and charts need, so that a million games
are one short scan; `playing` holds under the same number what only a replay, an export or a check reads.
docs/store.md describes every column.
"""

from __future__ import annotations

import os
import sqlite3
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from arena.store.errors import StoreError, plain_errors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SQLITE = b"SQLite format 3\0"

APPLICATION_ID = 0x47545041
"""`GTPA` in the file's header: tells our files from any other SQLite file (`file` shows it too)."""

CHECKED_WHOLE_BYTES = 32 * 2**20
"""Files up to this size are checked page by page when opened (about 0.1 s); larger ones by their header."""

BUSY_TIMEOUT_S = 10.0
"""How long a statement waits for another connection's lock: checkpoints take a fraction of it."""


class Standing(IntEnum):
    """What a stored playing is to the event; the values are in the files."""

    COUNTS = 1  # the playing of its game, annulled ones included: not played again
    VOID = 2  # the arena's fault: kept, played again
    SUPERSEDED = 3  # set aside by the organiser's `replay`: kept, played again


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE word (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE) STRICT",
        """CREATE TABLE identity (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL, reported_name TEXT NOT NULL, reported_version TEXT NOT NULL,
            command_hash TEXT NOT NULL, program_hash TEXT NOT NULL, sandbox TEXT NOT NULL,
            UNIQUE (name, reported_name, reported_version, command_hash, program_hash, sandbox)
        ) STRICT""",
        """CREATE TABLE game (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL, attempt INTEGER NOT NULL, standing INTEGER NOT NULL,
            ordinal INTEGER NOT NULL, round INTEGER NOT NULL, pair TEXT NOT NULL,
            game INTEGER NOT NULL REFERENCES word, size INTEGER, komi INTEGER, proposer INTEGER,
            black INTEGER NOT NULL, white INTEGER NOT NULL,
            black_identity INTEGER NOT NULL REFERENCES identity,
            white_identity INTEGER NOT NULL REFERENCES identity,
            winner INTEGER, reason INTEGER NOT NULL REFERENCES word, result TEXT NOT NULL,
            at_fault INTEGER, points INTEGER, board_margin ANY, final_margin ANY,
            plies INTEGER NOT NULL, opening_plies INTEGER NOT NULL,
            black_moves INTEGER NOT NULL, white_moves INTEGER NOT NULL,
            black_us INTEGER NOT NULL, white_us INTEGER NOT NULL,
            black_longest_us INTEGER NOT NULL, white_longest_us INTEGER NOT NULL,
            black_idle_us INTEGER NOT NULL, white_idle_us INTEGER NOT NULL, lag_us INTEGER NOT NULL,
            moves_hash INTEGER NOT NULL,
            UNIQUE (id, attempt)
        ) STRICT""",
        "CREATE UNIQUE INDEX game_in_order ON game (ordinal) WHERE standing = 1",
        """CREATE TABLE playing (
            number INTEGER PRIMARY KEY REFERENCES game,
            moves TEXT NOT NULL, times BLOB NOT NULL, seed INTEGER NOT NULL, opening TEXT NOT NULL,
            started ANY NOT NULL, ended ANY NOT NULL, dice BLOB, throws BLOB,
            final_position TEXT NOT NULL, more BLOB, seal BLOB NOT NULL
        ) STRICT""",
        """CREATE TABLE audit (
            number INTEGER PRIMARY KEY, at TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
            why TEXT NOT NULL, original TEXT
        ) STRICT""",
        """CREATE TABLE run (
            number INTEGER PRIMARY KEY, started TEXT NOT NULL, ended TEXT, pid INTEGER NOT NULL,
            versions TEXT NOT NULL, event_text TEXT NOT NULL
        ) STRICT""",
    ),
    (
        """CREATE TABLE worker (
            number INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run,
            name TEXT NOT NULL, host TEXT NOT NULL, threads INTEGER NOT NULL, speed REAL,
            time_factor REAL NOT NULL, since TEXT NOT NULL, heard_until INTEGER NOT NULL DEFAULT 0,
            details TEXT NOT NULL
        ) STRICT""",
        "ALTER TABLE game ADD COLUMN worker INTEGER REFERENCES worker",
        """CREATE TABLE lease (
            number INTEGER PRIMARY KEY, game TEXT NOT NULL, attempt INTEGER NOT NULL,
            token TEXT NOT NULL UNIQUE, worker INTEGER NOT NULL REFERENCES worker,
            given INTEGER NOT NULL, until INTEGER NOT NULL, why TEXT
        ) STRICT""",
        "CREATE UNIQUE INDEX lease_held ON lease (game) WHERE why IS NULL",
        """CREATE TABLE late (
            number INTEGER PRIMARY KEY, game TEXT NOT NULL, attempt INTEGER NOT NULL, token TEXT NOT NULL,
            worker INTEGER NOT NULL REFERENCES worker, came INTEGER NOT NULL, why TEXT NOT NULL,
            record TEXT NOT NULL, seal BLOB NOT NULL
        ) STRICT""",
    ),
)
"""Statements that take a file from version i to i + 1; version 0 is an empty file."""


def schema_version() -> int:
    """Return the version that this program writes."""
    return len(MIGRATIONS)


def connect(path: Path, mode: Literal["ro", "rw", "rwc", "immutable"]) -> sqlite3.Connection:
    """Open a connection whose transactions are begun and ended by hand."""
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    # No check_same_thread: a referee commits from worker threads, one at a time.
    return sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{query}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_S,
    )


def wal_of(path: Path) -> Path:
    """Return where SQLite keeps what is committed but not yet in the main file."""
    return path.with_name(f"{path.name}-wal")


def is_database(path: Path) -> bool:
    """Say whether a file, no link, begins as a database of ours does."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError:
        return False
    return header.startswith(_SQLITE) and int.from_bytes(header[68:72], "big") == APPLICATION_ID


def examine(path: Path) -> None:
    """Refuse a file that is no database of ours, by its header alone (SQLite, "Database File Format").

    Raises:
        StoreError: it does not exist, is empty, truncated, or belongs to another program.
    """
    with plain_errors(path):
        try:
            with path.open("rb") as file:
                header = file.read(100)
                size = os.fstat(file.fileno()).st_size
            has_wal = wal_of(path).exists() and wal_of(path).stat().st_size > 0
        except FileNotFoundError:
            raise StoreError(f"{path} does not exist: nothing has been played yet") from None
        except IsADirectoryError:
            raise StoreError(f"{path} is a folder, not a database") from None
    if size == 0:
        raise StoreError(f"{path} is empty, not a database: delete it to start anew")
    if len(header) < 100 or not header.startswith(_SQLITE):
        raise StoreError(f"{path} is not a gtparena database")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program, not of gtparena")
    page_bytes = int.from_bytes(header[16:18], "big")
    whole_bytes = (65536 if page_bytes == 1 else page_bytes) * int.from_bytes(header[28:32], "big")
    if size < whole_bytes and not has_wal:
        raise StoreError(
            f"{path} is truncated: {size} of {whole_bytes} bytes are there; go back to a copy of it"
        )


def check(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of an open file.

    Raises:
        StoreError: the file is damaged, or of a newer version than this program knows.
    """
    with plain_errors(path):
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if path.stat().st_size <= CHECKED_WHOLE_BYTES:
            verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0]).strip()
            if verdict != "ok":
                # The first of several lines only names the database within the connection.
                raise StoreError(f"{path} is damaged ({verdict.splitlines()[-1]}): go back to a copy of it")
    if version > schema_version():
        raise StoreError(
            f"{path} was written by a newer gtparena "
            f"(database version {version}, this program knows up to {schema_version()}): update gtparena"
        )
    if version < 1:
        raise StoreError(f"{path} is a gtparena database without tables: delete it to start anew")
    with plain_errors(path):
        different = _differences(_columns(connection), _columns_after(MIGRATIONS[:version]))
    if different:
        raise StoreError(
            f"{path} was written by a program between two versions of gtparena ({different}): it cannot be "
            "brought up to date; play the event anew, or read it with the program that wrote it"
        )
    return version


def _columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Return the columns of every table."""
    query = (
        "SELECT tables.name, info.name FROM sqlite_master tables JOIN pragma_table_info(tables.name) info "
        "WHERE tables.type = 'table'"
    )
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(query):
        if not table.startswith("sqlite_"):
            found.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


@cache
def _columns_after(migrations: tuple[tuple[str, ...], ...]) -> dict[str, frozenset[str]]:
    """Return the columns of an empty file that was brought so far."""
    connection = sqlite3.connect(":memory:")
    try:
        for statements in migrations:
            for statement in statements:
                connection.execute(statement)
        return _columns(connection)
    finally:
        connection.close()


def _differences(found: Mapping[str, frozenset[str]], wanted: Mapping[str, frozenset[str]]) -> str:
    """Say which columns are missing or more than there should be, at most three; empty for none."""
    nothing: frozenset[str] = frozenset()
    lacks = [
        f"{table}.{name} is missing"
        for table, columns in wanted.items()
        for name in sorted(columns - found.get(table, nothing))
    ]
    more = [
        f"{table}.{name} is unknown"
        for table, columns in found.items()
        for name in sorted(columns - wanted.get(table, nothing))
    ]
    return ", ".join([*lacks, *more][:3])


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring an open database from `version` to the present one, wholly or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {schema_version()}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
