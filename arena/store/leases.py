"""Who may write a game's result, when several workers may be playing it: the holder of its lease.

A game that is handed to a worker of a cluster gets a lease: a token that nobody else has, the worker, and the
time until which nobody else may be given the game. A lease is held until its result is committed, until the
worker is known to be lost, or until the game is given to somebody else after that time. Of the results that
come for one game exactly one counts, that of the lease then held; which one this is does not depend on who
was first, since that would favour short games. The others are kept as evidence.

All functions work inside the transaction of whoever calls them.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arena.core.seal import record_seal
from arena.store.errors import StoreError
from arena.store.record_codec import unpack_instant
from arena.store.record_text import record_from_json, record_to_json

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from arena.core.record import GameRecord

TOKEN_BYTES = 8


class LeaseError(StoreError):
    """A game cannot be handed out: it is played already, or somebody else holds it."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker of a cluster, as it was when it came to a run.

    Attributes:
        name: what the cluster calls it.
        host: the machine it is on, by its own word.
        threads: how many games it plays at once.
        speed: what it computes in a second, 1.0 for the machine the measure was set on; None: not measured.
        time_factor: what its games' time controls were multiplied with, 1.0 for none.
        details: further facts for people (versions, sandbox).
    """

    name: str
    host: str
    threads: int
    speed: float | None = None
    time_factor: float = 1.0
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredWorker:
    """A worker with its number in the file, the run it came to (from 1), and when."""

    number: int
    run: int
    since: str
    worker: Worker


@dataclass(frozen=True, slots=True)
class Claim:
    """What a result must show to be taken: the token of its lease, and its worker's number."""

    token: str
    worker: int


@dataclass(frozen=True, slots=True)
class LostLease:
    """A lease that no result can be committed on any more.

    Attributes:
        game, attempt: which playing of which game it was for.
        worker: number of the worker that had it.
        given: when, UTC.
        why: how it was lost.
    """

    game: str
    attempt: int
    worker: int
    given: str
    why: str


@dataclass(frozen=True, slots=True)
class LatePlaying:
    """A result that came without a lease: evidence, and no game of the event.

    Attributes:
        record: the game as it was played.
        seal: of the record.
        token: the lease it was played on.
        worker: number of the worker it came from.
        came: when, UTC.
        why: how the lease had been lost, or that there never was one.
    """

    record: GameRecord
    seal: bytes
    token: str
    worker: int
    came: str
    why: str


def enrol(connection: sqlite3.Connection, run: int, worker: Worker, now_ms: int) -> int:
    """Note a worker; return its number."""
    details = json.dumps(dict(worker.details), sort_keys=True)
    cursor = connection.execute(
        "INSERT INTO worker (run, name, host, threads, speed, time_factor, since, details) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run,
            worker.name,
            worker.host,
            worker.threads,
            worker.speed,
            worker.time_factor,
            unpack_instant(now_ms),
            details,
        ),
    )
    return int(cursor.lastrowid or 0)


def give(
    connection: sqlite3.Connection, game: str, attempt: int, worker: int, now_ms: int, until_ms: int
) -> Claim:
    """Give a game to a worker; whoever held it and has not been heard of in time has lost it.

    Raises:
        LeaseError: the game is played, or held.
    """
    if connection.execute("SELECT 1 FROM game WHERE id = ? AND standing = 1", (game,)).fetchone():
        raise LeaseError(f"game {game} cannot be handed out: it is played already")
    row = connection.execute(
        "SELECT lease.number, worker, max(until, heard_until) "
        "FROM lease JOIN worker ON worker = worker.number WHERE game = ? AND why IS NULL",
        (game,),
    ).fetchone()
    if row is not None:
        number, holder, held_until_ms = row
        if held_until_ms > now_ms:
            until = unpack_instant(held_until_ms)
            raise LeaseError(f"game {game} cannot be handed out: worker {holder} holds it until {until}")
        connection.execute(
            "UPDATE lease SET why = ? WHERE number = ?",
            ("not heard of in time, the game went to another", number),
        )
    token = secrets.token_hex(TOKEN_BYTES)
    connection.execute(
        "INSERT INTO lease (game, attempt, token, worker, given, until) VALUES (?, ?, ?, ?, ?, ?)",
        (game, attempt, token, worker, now_ms, until_ms),
    )
    return Claim(token, worker)


def extend(connection: sqlite3.Connection, workers: Sequence[int], until_ms: int) -> None:
    """Note that workers were heard of: what they hold they hold until then."""
    connection.executemany(
        "UPDATE worker SET heard_until = ? WHERE number = ?", ((until_ms, each) for each in workers)
    )


def revoke(connection: sqlite3.Connection, tokens: Sequence[str], why: str) -> None:
    """Take leases away; what is committed or lost already stays as it is."""
    connection.executemany(
        "UPDATE lease SET why = ? WHERE token = ? AND why IS NULL", ((why, token) for token in tokens)
    )


def revoke_all(connection: sqlite3.Connection, why: str) -> None:
    """Take every lease away."""
    connection.execute("UPDATE lease SET why = ? WHERE why IS NULL", (why,))


def redeem(connection: sqlite3.Connection, record: GameRecord, claim: Claim) -> bool:
    """Use a lease up for a record that is being committed; False when the claim does not hold."""
    cursor = connection.execute(
        "DELETE FROM lease WHERE token = ? AND worker = ? AND game = ? AND attempt = ? AND why IS NULL",
        (claim.token, claim.worker, record.id, record.attempt),
    )
    return cursor.rowcount == 1


def keep(connection: sqlite3.Connection, record: GameRecord, claim: Claim, now_ms: int) -> None:
    """Keep a result whose claim does not hold."""
    row = connection.execute("SELECT why FROM lease WHERE token = ?", (claim.token,)).fetchone()
    why = "its lease was used already, or never given" if row is None else row[0]
    connection.execute(
        "INSERT INTO late (game, attempt, token, worker, came, why, record, seal) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.id,
            record.attempt,
            claim.token,
            claim.worker,
            now_ms,
            why or "the claim names another game or worker than its lease",
            record_to_json(record),
            record_seal(record),
        ),
    )


def stored_workers(connection: sqlite3.Connection) -> tuple[StoredWorker, ...]:
    """Return all workers, in the order they came."""
    query = "SELECT number, run, since, name, host, threads, speed, time_factor, details FROM worker"
    return tuple(
        StoredWorker(number, run, since, Worker(name, host, threads, speed, factor, json.loads(details)))
        for number, run, since, name, host, threads, speed, factor, details in connection.execute(
            f"{query} ORDER BY number"
        )
    )


def lost_leases(connection: sqlite3.Connection) -> tuple[LostLease, ...]:
    """Return all leases that were lost, in the order they were given."""
    query = "SELECT game, attempt, worker, given, why FROM lease WHERE why IS NOT NULL ORDER BY number"
    return tuple(
        LostLease(game, attempt, worker, unpack_instant(given), why)
        for game, attempt, worker, given, why in connection.execute(query)
    )


def late_playings(connection: sqlite3.Connection) -> tuple[LatePlaying, ...]:
    """Return all results without a lease, in the order they came.

    Raises:
        ValueError, TypeError, KeyError: a row is damaged.
    """
    query = "SELECT record, seal, token, worker, came, why FROM late ORDER BY number"
    return tuple(
        LatePlaying(record_from_json(text), seal, token, worker, unpack_instant(came), why)
        for text, seal, token, worker, came, why in connection.execute(query)
    )


def now_ms() -> int:
    """Return the present in milliseconds since 1970."""
    return round(datetime.now(UTC).timestamp() * 1000)
