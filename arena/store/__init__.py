"""The SQLite file of an event: one writer, many readers, every finished game committed. All SQL is here."""

from arena.store.errors import ChangedEventError, DatabaseInUseError, StoreError, UnwritableError
from arena.store.leases import Claim, LatePlaying, LeaseError, LostLease, StoredWorker, Worker
from arena.store.reading import (
    AuditEntry,
    Duplicates,
    EndingColumns,
    GameColumns,
    GameSummary,
    Meta,
    PlayedGames,
    Progress,
    ReadStore,
    ResultColumns,
    Run,
    Tally,
)
from arena.store.schema import Standing, is_database
from arena.store.soundness import oddity
from arena.store.writing import RunStore

__all__ = [
    "AuditEntry",
    "ChangedEventError",
    "Claim",
    "DatabaseInUseError",
    "Duplicates",
    "EndingColumns",
    "GameColumns",
    "GameSummary",
    "LatePlaying",
    "LeaseError",
    "LostLease",
    "Meta",
    "PlayedGames",
    "Progress",
    "ReadStore",
    "ResultColumns",
    "Run",
    "RunStore",
    "Standing",
    "StoreError",
    "StoredWorker",
    "Tally",
    "UnwritableError",
    "Worker",
    "is_database",
    "oddity",
]
