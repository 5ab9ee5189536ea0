"""What can go wrong with a tournament's database, in one sentence for the user."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class StoreError(Exception):
    """The database cannot do what is asked; the message is a sentence that says why and what to do."""


class DatabaseInUseError(StoreError):
    """Another process holds the database; the message names it."""


class UnwritableError(StoreError):
    """The disk is full, read-only or failing. What was committed before stands, of this write nothing."""


class ChangedEventError(StoreError):
    """The event is not the one the database was made for.

    Attributes:
        differences: one line for each key that differs.
    """

    def __init__(self, path: Path, differences: Sequence[str]) -> None:
        self.differences = tuple(differences)
        lines = "".join(f"\n  {difference}" for difference in self.differences)
        super().__init__(
            f"{path} holds games of another event; restore these keys, or name a new database (--db):{lines}"
        )


_UNWRITABLE = {
    sqlite3.SQLITE_FULL: "the disk is full: make room, and what is committed is gone on with",
    sqlite3.SQLITE_IOERR: "the disk does not take or give the data",
    sqlite3.SQLITE_READONLY: "it is write-protected",
    sqlite3.SQLITE_PERM: "it is write-protected",
    sqlite3.SQLITE_CANTOPEN: "the file or its folder cannot be opened for it",
}


def told(path: Path, error: sqlite3.Error) -> StoreError:
    """Return an SQLite error as a sentence."""
    # The low byte is the kind, the rest its variety (SQLite, "Result and Error Codes").
    code = (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF
    if code in _UNWRITABLE:
        return UnwritableError(f"{path} cannot be used: {_UNWRITABLE[code]} ({error})")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DatabaseInUseError(f"{path} is in use by another program ({error})")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreError(f"{path} is damaged or truncated ({error}): go back to a copy of it")
    return StoreError(f"{path} does not hold what a gtparena database holds ({error})")


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn whatever SQLite and the file system raise inside into a `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise told(path, error) from error
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is damaged ({error}): go back to a copy of it") from error
    except OSError as error:
        raise UnwritableError(f"{path} cannot be used: {error.strerror or error}") from error
