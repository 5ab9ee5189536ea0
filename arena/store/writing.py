"""The one read-write connection of a database: games are committed as they end, the organiser's word is kept.

Journal: WAL with `synchronous=NORMAL`. A commit is in the operating system's hands when it returns, so the
death of the process (`kill -9` too) loses nothing committed. A power failure may lose the last commits, never
the file; those games are played again. `FULL` would wait for the disk at each game, which costs a factor of
eight in commits (docs/store.md) for a risk that only replays games.
"""

from __future__ import annotations

import difflib
import json
import os
import platform
import secrets
import sqlite3
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from arena import __version__
from arena.core.dice import key_hash, make_key
from arena.core.record import EngineIdentity, GameRecord
from arena.core.verdict import Reason, Verdict, both_failed, by_fault, void
from arena.rules.registry import make_rules
from arena.store import leases
from arena.store.changes import changes
from arena.store.errors import (
    ChangedEventError,
    DatabaseInUseError,
    StoreError,
    UnwritableError,
    plain_errors,
)
from arena.store.event_codec import event_from_json, event_to_json
from arena.store.lock import WriterLock
from arena.store.reading import damage_told, scanned_ordinals, verdict_numbered
from arena.store.record_codec import pack, pack_seed, verdict_tree, winner_code
from arena.store.rounds import save_step, state_at, stored_steps
from arena.store.schema import APPLICATION_ID, Standing, check, connect, examine, migrate
from arena.store.streaks import stored_streaks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from arena.core.event import Event, ScheduledGame
    from arena.core.rounds import Step
    from arena.core.streaks import Ended, Streaks
    from arena.store.leases import Claim, StoredWorker, Worker
    from arena.store.reading import PlayedGames
    from arena.store.rounds import PairedStep, State

    Placement = Callable[[str], tuple[int, int]]

WHY_CHARACTERS = 1000
"""Longest reason the organiser can give."""

BATCH_GAMES = 1000
"""Games that `settle_withdrawals` commits at once."""


class Tried(NamedTuple):
    """Playings of a game none of which counts.

    Attributes:
        attempts: how many there are; the next one's number is one more.
        has_stalled: whether one was void because this machine stalled.
    """

    attempts: int
    has_stalled: bool


UNTRIED = Tried(0, False)
"""Of a game that nobody has played."""


class GamesInOrder(Protocol):
    """What the store needs of a schedule (`arena.core.schedule.Schedule`)."""

    def __len__(self) -> int:
        """Return the number of games."""

    def game(self, ordinal: int) -> ScheduledGame:
        """Return the game at a place, from 0."""


class RunStore:
    """The database while it is written. Made by `create_or_resume` or `open`; close it, or use `with`.

    Methods may be called from any thread, one at a time; a call from another thread waits.

    Attributes:
        path: the file.
        event: the event as it now stands.
        dice_key: the secret of the event, 32 bytes.
    """

    def __init__(self, path: Path, lock: WriterLock) -> None:
        """Open a file that exists and has been locked; the lock is the store's from here on."""
        self.path = path
        self._lock = lock
        self._mutex = threading.RLock()
        self._words: dict[str, int] = {}
        self._identities: dict[EngineIdentity, int] = {}
        self._run: int | None = None
        self._connection: sqlite3.Connection | None = None
        try:
            examine(path)
            with plain_errors(path):
                self._connection = connect(path, "rw")
                version = check(self._connection, path)
                _take_write_ahead_log(self._connection, path)
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute("PRAGMA foreign_keys = ON")
                migrate(self._connection, version)
                self.dice_key = bytes(self._meta("dice_key"))
                given = self.dice_key if self._meta("dice_key_given") else None
                self.event = event_from_json(str(self._meta("event")), given)
                self._load_words()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create_or_resume(
        cls,
        path: str | Path,
        event: Event,
        *,
        event_text: str = "",
        placement: Placement | None = None,
        random_bytes: bytes | None = None,
    ) -> RunStore:
        """Open the database of an event for a run; make it when there is none.

        Args:
            path: the file; its folder must exist.
            event: what is to be played.
            event_text: the tournament file as it was read, kept for the record.
            placement: from a game's id to its ordinal and round in the event as given; needed when it extends
                an event of which games are stored.
            random_bytes: what the secret dice key of a new database is made of; None for the system's chance.

        Raises:
            DatabaseInUseError: another process writes it.
            ChangedEventError: it was made for another event; nothing is changed then.
            UnwritableError: the place takes no data.
            StoreError: the file is damaged, of a newer version, or another program's.
        """
        path = Path(path).absolute()
        if not path.parent.is_dir():
            raise StoreError(f"{path} cannot be made: there is no folder {path.parent}")
        with plain_errors(path):
            # Two names of one file must share one lock.
            path = path.resolve()
        lock = WriterLock(path)
        try:
            if not path.exists():
                _create(path, event, random_bytes or secrets.token_bytes(32))
        except BaseException:
            lock.release()
            raise
        store = cls(path, lock)
        try:
            store._go_on_with(event, placement)
            store._begin_run(event_text)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def discard_unbegun(cls, path: str | Path, event: Event) -> bool:
        """Remove the database of an event that never began, if `event` cannot go on with it.

        A run that ended before its first game (an engine failed pre-flight) leaves one, and its user's next
        step is to mend the tournament file. Where a game was played, the organiser has said something, or a
        run is on, nothing is touched.

        Returns:
            Whether it was removed.

        Raises:
            StoreError: as for `open`, but not when a run is on.
        """
        if not Path(path).exists():
            return False
        try:
            store = cls.open(path)
        except DatabaseInUseError:
            return False
        with store, store._mutex, plain_errors(store.path):
            connection = store._open_connection()
            query = "SELECT EXISTS (SELECT 1 FROM game) OR EXISTS (SELECT 1 FROM audit)"
            has_begun = bool(connection.execute(query).fetchone()[0])
            if has_begun or all(change.allowed for change in changes(store.event, event)):
                return False
            # The lock is held until the file is gone.
            store._connection = None
            store._close_connection(connection)
            store.path.unlink()
            return True

    @classmethod
    def open(cls, path: str | Path) -> RunStore:
        """Open an existing database for the organiser's word.

        Raises:
            DatabaseInUseError: a run is on.
            StoreError: as for `create_or_resume`, and when there is no such file.
        """
        path = Path(path).absolute()
        with plain_errors(path):
            path = path.resolve()
        examine(path)
        return cls(path, WriterLock(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write everything into the one file, so that it opens from anywhere, and give it free."""
        with self._mutex:
            connection, self._connection = self._connection, None
            try:
                if connection is not None:
                    self._close_connection(connection)
            finally:
                self._lock.release()

    def _close_connection(self, connection: sqlite3.Connection) -> None:
        # What is committed is safe already; a full disk or a reader that is still there only leaves the
        # write-ahead log beside the file for the next opening.
        for statement, values in (
            ("UPDATE run SET ended = ? WHERE number = ?", (_now(), self._run)),
            ("PRAGMA wal_checkpoint(TRUNCATE)", ()),
            ("PRAGMA busy_timeout = 0", ()),
            ("PRAGMA journal_mode = DELETE", ()),
        ):
            with suppress(sqlite3.Error):
                connection.execute(statement, values)
        connection.close()

    # --- games ---

    def add(self, records: Iterable[GameRecord]) -> None:
        """Commit finished playings, all or none.

        Void ones (the arena's fault) are kept as attempts and do not count as played.

        Raises:
            UnwritableError: the disk is full or failing; the store stays usable, nothing of this was written.
            StoreError: a game that is stored already.
            ValueError: a record whose parts do not fit together (a fault of the program).
        """
        with self._transaction() as connection:
            for record in records:
                self._insert(connection, record)

    # --- games that are played elsewhere ---

    def enrol(self, worker: Worker) -> int:
        """Note a worker of a cluster that has come to this run; return its number.

        Raises:
            ValueError: the database was not opened for a run.
        """
        if self._run is None:
            raise ValueError("workers come to runs")
        with self._transaction() as connection:
            return leases.enrol(connection, self._run, worker, leases.now_ms())

    def give(self, games: Sequence[tuple[str, int]], worker: int, for_s: float) -> list[Claim]:
        """Give playings (id of the game, attempt) to a worker; nobody else may be given them meanwhile.

        Args:
            games: all or none are given.
            worker: its number.
            for_s: how long the worker may be silent before they can be given to others.

        Returns:
            What the results must show.

        Raises:
            LeaseError: a game is played already, or held by another.
        """
        with self._transaction() as connection:
            now_ms = leases.now_ms()
            until_ms = now_ms + round(1000 * for_s)
            return [leases.give(connection, *game, worker, now_ms, until_ms) for game in games]

    def extend(self, workers: Sequence[int], for_s: float) -> None:
        """Note that workers were heard of: what they hold is theirs for so much longer."""
        with self._transaction() as connection:
            leases.extend(connection, workers, leases.now_ms() + round(1000 * for_s))

    def revoke(self, tokens: Sequence[str], why: str) -> None:
        """Take leases away whose worker is lost, or that were given back."""
        with self._transaction() as connection:
            leases.revoke(connection, tokens, why)

    def add_claimed(self, results: Sequence[tuple[GameRecord, Claim | None]]) -> list[bool]:
        """Commit finished playings, each with its claim (None: it was not played elsewhere), all or none.

        A record whose claim does not hold is kept as evidence and counts for nothing.

        Returns:
            Whether each was taken.

        Raises:
            As `add`.
        """
        taken = []
        with self._transaction() as connection:
            for record, claim in results:
                holds = claim is None or leases.redeem(connection, record, claim)
                if holds:
                    self._insert(connection, record, None if claim is None else claim.worker)
                elif claim is not None:
                    leases.keep(connection, record, claim, leases.now_ms())
                taken.append(holds)
        return taken

    def note_run(self, facts: Mapping[str, str]) -> None:
        """Add facts to what is kept of the versions of this run."""
        with self._transaction() as connection:
            query = "SELECT versions FROM run WHERE number = ?"
            versions = json.loads(connection.execute(query, (self._run,)).fetchone()[0])
            text = json.dumps({**versions, **facts}, sort_keys=True)
            connection.execute("UPDATE run SET versions = ? WHERE number = ?", (text, self._run))

    def workers(self) -> tuple[StoredWorker, ...]:
        """Return every worker that came to any run, in the order they came."""
        with self._mutex, plain_errors(self.path), damage_told(self.path):
            return leases.stored_workers(self._open_connection())

    # --- what is played ---

    def played(self) -> PlayedGames:
        """Return which games of the schedule need no playing any more, by ordinal."""
        with self._mutex, plain_errors(self.path):
            return scanned_ordinals(self._open_connection())

    def attempts(self, game_id: str) -> int:
        """Return how many playings of a game are stored; the next attempt is one more."""
        with self._mutex, plain_errors(self.path):
            query = "SELECT coalesce(max(attempt), 0) FROM game WHERE id = ?"
            return int(self._open_connection().execute(query, (game_id,)).fetchone()[0])

    def tried(self) -> dict[str, Tried]:
        """Return what is stored of games that are to be played again, by their id.

        A run asks once: it knows of itself what it has played since.
        """
        with self._mutex, plain_errors(self.path):
            connection = self._open_connection()
            rows, standing = connection.execute(
                "SELECT (SELECT max(number) FROM game), (SELECT count(*) FROM game WHERE standing = 1)"
            ).fetchone()
            if (rows or 0) == standing:
                # Rows are numbered from 1 and never removed. Nearly always all of them stand, and then a
                # million games need not be looked at.
                return {}
            found = connection.execute(
                "SELECT id, max(attempt), max(word = ?) FROM game JOIN word ON word.number = reason "
                "GROUP BY id HAVING max(standing = 1) = 0",
                (str(Reason.REFEREE_STALL),),
            )
            return {game_id: Tried(attempts, bool(stalled)) for game_id, attempts, stalled in found}

    # --- events by results ---

    def steps(self) -> tuple[PairedStep, ...]:
        """Return what has been paired so far."""
        with self._mutex, plain_errors(self.path), damage_told(self.path):
            return stored_steps(self._open_connection())

    def state(self) -> State:
        """Return what the next pairings depend on, as it is now."""
        names = [entry.name for entry in self.event.engines]
        with self._mutex, plain_errors(self.path), damage_told(self.path):
            return state_at(self._open_connection(), names)

    def add_step(self, step: Step) -> None:
        """Store the next pairings: from here on they stand, whatever is decided later about earlier games."""
        with self._transaction() as connection:
            save_step(connection, step)

    def finish(self) -> None:
        """Note that every game is played: from here on the dice key is public."""
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('finished', ?)", (_now(),))
        with plain_errors(self.path):
            # The file was made for its owner's eyes, because it held the secret key.
            umask = os.umask(0o077)
            os.umask(umask)
            self.path.chmod(0o666 & ~umask)

    @property
    def dice_key_hash(self) -> str:
        """What is published of the dice key at the start."""
        return key_hash(self.dice_key)

    # --- the organiser's word ---

    def annul(self, game_id: str, why: str) -> None:
        """Declare a played game void: it counts for nobody and is not played again.

        The moves stay, the verdict it had is kept in the audit trail.

        Raises:
            StoreError: it has not been played, or is annulled already.
        """
        with self._transaction() as connection:
            number, verdict = self._counting(connection, game_id)
            if verdict.reason == Reason.ANNULLED:
                raise StoreError(f"game {game_id} is annulled already")
            self._audit(connection, "annul", game_id, why, verdict)
            connection.execute(
                "UPDATE game SET winner = NULL, reason = ?, result = ?, at_fault = NULL, points = NULL, "
                "board_margin = NULL, final_margin = NULL WHERE number = ?",
                (self._word(connection, Reason.ANNULLED), void(Reason.ANNULLED).result, number),
            )

    def replay(self, game_id: str, why: str) -> None:
        """Have a game played again by the next run: the stored playing is set aside, and kept.

        Raises:
            StoreError: it has not been played.
        """
        with self._transaction() as connection:
            number, verdict = self._counting(connection, game_id)
            self._audit(connection, "replay", game_id, why, verdict)
            connection.execute(
                "UPDATE game SET standing = ? WHERE number = ?", (int(Standing.SUPERSEDED), number)
            )
            connection.execute("DELETE FROM meta WHERE key = 'finished'")

    def disqualify(self, engine: str, why: str, schedule: GamesInOrder) -> int:
        """Take an engine out: its finished games stand, those not yet played are lost as `withdrawn` at once.

        Returns:
            The number of games lost that way.

        Raises:
            StoreError: no such engine, or disqualified already.
        """
        names = [entry.name for entry in self.event.engines]
        if engine not in names:
            near = difflib.get_close_matches(engine, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(repr, names[:20]))}"
            raise StoreError(f"the event has no engine {engine!r:.100}: {hint}")
        with self._transaction() as connection:
            if names.index(engine) in _disqualified(connection, names):
                raise StoreError(f"engine {engine!r} is disqualified already")
            self._audit(connection, "disqualify", engine, why)
        return self.settle_withdrawals(schedule)

    def withdraw(self, engine: int, why: str) -> None:
        """Take an engine out, by the arena's word; its unplayed games are the caller's to record."""
        with self._transaction() as connection:
            self._audit(connection, "disqualify", self.event.engines[engine].name, why)

    def streaks(self) -> tuple[Streaks, list[Ended]]:
        """Return where the stored games have left every engine's row of faults (`stored_streaks`)."""
        with self._mutex, plain_errors(self.path):
            connection = self._open_connection()
            return stored_streaks(connection, scanned_ordinals(connection))

    def disqualified(self) -> frozenset[int]:
        """Return the index of every engine that the organiser has taken out."""
        names = [entry.name for entry in self.event.engines]
        with self._mutex, plain_errors(self.path):
            return frozenset(_disqualified(self._open_connection(), names))

    def settle_withdrawals(self, schedule: GamesInOrder) -> int:
        """Record every unplayed game of a disqualified engine as `withdrawn`; a run begins with this.

        Two disqualified engines fail both. Called again it finds nothing left to do, unless the event has
        been extended or a game is to be replayed.

        Returns:
            The number of games recorded.
        """
        if not self.disqualified():
            return 0
        played = self.played()
        left = (schedule.game(ordinal) for ordinal in range(len(schedule)) if ordinal not in played)
        settled = 0
        while games := list(islice(left, BATCH_GAMES)):
            records = self.withdrawn_records(games)
            self.add(records)
            settled += len(records)
        return settled

    def withdrawn_records(self, games: Iterable[ScheduledGame]) -> list[GameRecord]:
        """Return the records, not stored yet, of those unplayed games whose engines are out of the event.

        By the event's `withdrawn` they are lost, or count for nobody.
        """
        out = self.disqualified()
        return [self._withdrawn(game, out) for game in games if game.black in out or game.white in out]

    def _withdrawn(self, game: ScheduledGame, out: frozenset[int]) -> GameRecord:
        if self.event.withdrawn == "remove":
            verdict = void(Reason.ANNULLED)
        elif game.black in out and game.white in out:
            verdict = both_failed((Reason.WITHDRAWN, Reason.WITHDRAWN))
        else:
            side = 0 if game.black in out else 1
            komi = game.komi if isinstance(game.komi, int) else None
            position = make_rules(game.game, size=game.size, komi=komi).initial()
            verdict = by_fault(side, Reason.WITHDRAWN, position.forfeit_points(side))
        now = _now()
        return GameRecord(
            id=game.id,
            ordinal=game.ordinal,
            round=game.round,
            pair=game.pair,
            game=game.game,
            size=game.size,
            seed=game.seed,
            attempt=self.attempts(game.id) + 1,
            komi=game.komi if isinstance(game.komi, int) else None,
            black=EngineIdentity(self.event.engines[game.black].name),
            white=EngineIdentity(self.event.engines[game.white].name),
            verdict=verdict,
            moves=(),
            opening_plies=0,
            opening=game.opening.label,
            time_us=(),
            started=now,
            ended=now,
        )

    # --- inside ---

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path} has been closed")
        return self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._mutex, plain_errors(self.path):
            connection = self._open_connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                # Words and identities of the lost transaction must not be believed in.
                self._words.clear()
                self._identities.clear()
                self._load_words()
                raise

    def _load_words(self) -> None:
        connection = self._open_connection()
        self._words.update({word: number for number, word in connection.execute("SELECT * FROM word")})

    def _meta(self, key: str) -> Any:
        row = self._open_connection().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path} is damaged: it does not say its {key}")
        return row[0]

    def _word(self, connection: sqlite3.Connection, word: str) -> int:
        number = self._words.get(word)
        if number is None:
            cursor = connection.execute("INSERT INTO word (word) VALUES (?)", (str(word),))
            number = self._words[str(word)] = int(cursor.lastrowid or 0)
        return number

    def _identity(self, connection: sqlite3.Connection, identity: EngineIdentity) -> int:
        number = self._identities.get(identity)
        if number is None:
            values = tuple(_storable(getattr(identity, name)) for name in EngineIdentity.__dataclass_fields__)
            connection.execute("INSERT OR IGNORE INTO identity VALUES (NULL, ?, ?, ?, ?, ?, ?)", values)
            query = (
                "SELECT number FROM identity WHERE name = ? AND reported_name = ? AND reported_version = ? "
                "AND command_hash = ? AND program_hash = ? AND sandbox = ?"
            )
            number = self._identities[identity] = int(connection.execute(query, values).fetchone()[0])
        return number

    def _engine_index(self, name: str) -> int:
        for index, engine in enumerate(self.event.engines):
            if engine.name == name:
                return index
        raise ValueError(f"the event has no engine {name!r}")

    def _insert(self, connection: sqlite3.Connection, record: GameRecord, worker: int | None = None) -> None:
        verdict, outcome = record.verdict, record.verdict.outcome
        packed = record.packed or pack(record)
        black_use, white_use = packed.time_use
        row = {
            "id": record.id,
            "attempt": record.attempt,
            "standing": int(Standing.VOID if verdict.is_replayed else Standing.COUNTS),
            "ordinal": record.ordinal,
            "round": record.round,
            "pair": record.pair,
            "game": self._word(connection, record.game),
            "size": record.size,
            "komi": record.komi,
            "proposer": None if record.pie is None else record.pie.proposer,
            "black": self._engine_index(record.black.name),
            "white": self._engine_index(record.white.name),
            "black_identity": self._identity(connection, record.black),
            "white_identity": self._identity(connection, record.white),
            "winner": winner_code(verdict),
            "reason": self._word(connection, verdict.reason),
            "result": verdict.result,
            "at_fault": verdict.at_fault,
            "points": verdict.points,
            "board_margin": None if outcome is None else outcome.board_margin,
            "final_margin": None if outcome is None else outcome.final_margin,
            "plies": len(record.moves),
            "opening_plies": record.opening_plies,
            "black_moves": black_use.moves,
            "white_moves": white_use.moves,
            "black_us": black_use.total_us,
            "white_us": white_use.total_us,
            "black_longest_us": black_use.longest_us,
            "white_longest_us": white_use.longest_us,
            "black_idle_us": record.idle_us[0],
            "white_idle_us": record.idle_us[1],
            "lag_us": record.lag_us,
            "moves_hash": packed.moves_hash,
            "worker": worker,
        }
        try:
            columns, marks = ", ".join(row), ", ".join("?" * len(row))
            insert = f"INSERT INTO game ({columns}) VALUES ({marks})"  # noqa: S608  the names are ours
            number = connection.execute(insert, tuple(row.values())).lastrowid
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f"game {record.id}, attempt {record.attempt}, is stored already ({error})"
            ) from error
        connection.execute(
            "INSERT INTO playing VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                packed.moves,
                packed.times,
                pack_seed(record.seed),
                _storable(record.opening),
                packed.started,
                packed.ended,
                packed.dice,
                packed.throws,
                record.final_position,
                packed.more,
                packed.seal,
            ),
        )

    def _counting(self, connection: sqlite3.Connection, game_id: str) -> tuple[int, Verdict]:
        """Return the row number and verdict of the playing that counts for a game."""
        query = "SELECT number FROM game WHERE id = ? AND standing = ?"
        row = connection.execute(query, (game_id, int(Standing.COUNTS))).fetchone()
        if row is None:
            known = connection.execute("SELECT 1 FROM game WHERE id = ?", (game_id,)).fetchone()
            why = "is to be played again anyway" if known else "is not among the games played"
            raise StoreError(f"game {game_id!r:.100} {why}")
        return int(row[0]), verdict_numbered(connection, int(row[0]))

    def _audit(
        self,
        connection: sqlite3.Connection,
        action: str,
        target: str,
        why: str,
        original: Verdict | None = None,
    ) -> None:
        if not why.strip():
            raise StoreError(f"{action} needs a reason (--why)")
        if len(why) > WHY_CHARACTERS:
            raise StoreError(f"a reason has at most {WHY_CHARACTERS} characters, not {len(why)}")
        verdict = None if original is None else json.dumps(verdict_tree(original))
        connection.execute(
            "INSERT INTO audit VALUES (NULL, ?, ?, ?, ?, ?)",
            (_now(), action, target, _storable(why.strip()), verdict),
        )

    def _go_on_with(self, event: Event, placement: Placement | None) -> None:
        found = changes(self.event, event)
        refused = [change.text for change in found if not change.allowed]
        if refused:
            raise ChangedEventError(self.path, refused)
        extensions = [change.text for change in found if change.adds_games]
        with self._transaction() as connection:
            if found:
                connection.execute("UPDATE meta SET value = ? WHERE key = 'event'", (event_to_json(event),))
            if extensions:
                self._audit(connection, "extend", event.name, "; ".join(extensions)[:WHY_CHARACTERS])
                connection.execute("DELETE FROM meta WHERE key = 'finished'")
                self._place_again(connection, placement)
        self.event = event

    def _place_again(self, connection: sqlite3.Connection, placement: Placement | None) -> None:
        """Give every stored game its ordinal and round in the extended schedule."""
        ids = [row[0] for row in connection.execute("SELECT DISTINCT id FROM game")]
        if not ids:
            return
        if placement is None:
            raise ValueError("the event grows: the places of its stored games must be given")
        # While places move, two games may share one for a moment.
        index = "game_in_order"
        query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?"
        definition = connection.execute(query, (index,)).fetchone()[0]
        connection.execute(f"DROP INDEX {index}")
        connection.executemany(
            "UPDATE game SET ordinal = ?, round = ? WHERE id = ?",
            ((*placement(game_id), game_id) for game_id in ids),
        )
        connection.execute(definition)

    def _begin_run(self, event_text: str) -> None:
        versions = {
            "gtparena": __version__,
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "platform": platform.platform(),
        }
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO run (started, pid, versions, event_text) VALUES (?, ?, ?, ?)",
                (_now(), os.getpid(), json.dumps(versions, sort_keys=True), event_text),
            )
            self._run = cursor.lastrowid
            # Whoever held the file before is gone, and with it the way for results of its workers.
            leases.revoke_all(connection, "its run ended")


def _take_write_ahead_log(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise UnwritableError(f"{path} cannot be written: its file system takes no write-ahead log")


def _create(path: Path, event: Event, random_bytes: bytes) -> None:
    """Make a database under another name and move it into place: there is never half a one."""
    unfinished = path.with_name(f"{path.name}.new")
    dice_key = event.dice_key if event.dice_key is not None else make_key(random_bytes)
    with plain_errors(path):
        try:
            unfinished.unlink(missing_ok=True)
            # Only the owner may read it while it holds a secret: engines may run as somebody else.
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = connect(unfinished, "rw")
            try:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                migrate(connection, 0)
                values = {
                    "event": event_to_json(replace(event)),
                    "dice_key": dice_key,
                    "dice_key_hash": key_hash(dice_key),
                    "dice_key_given": int(event.dice_key is not None),
                    "created": _now(),
                }
                connection.execute("BEGIN")
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
                connection.execute("COMMIT")
            finally:
                connection.close()
            unfinished.rename(path)
        finally:
            unfinished.unlink(missing_ok=True)


def _disqualified(connection: sqlite3.Connection, names: list[str]) -> set[int]:
    query = "SELECT target FROM audit WHERE action = 'disqualify'"
    return {names.index(target) for (target,) in connection.execute(query) if target in names}


def _storable(text: str) -> str:
    """Replace what UTF-8 cannot hold (lone surrogates of undecodable input) by its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
