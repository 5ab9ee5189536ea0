"""Reading a database, while it is written too: its event, records, summaries, tallies. Changes nothing.

Long lists are read in pages of their own, so that no read transaction stays open for long: an open one keeps
SQLite from shortening the write-ahead log of a run.
"""

from __future__ import annotations

import gc
import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from arena.core.record import EngineIdentity, GameRecord
from arena.core.schedule import discipline_of
from arena.core.verdict import Reason, Verdict
from arena.rules.base import BLACK, WHITE
from arena.store.errors import StoreError, plain_errors
from arena.store.event_codec import event_from_json
from arena.store.leases import late_playings, lost_leases, stored_workers
from arena.store.record_codec import DRAW, StoredRow, record_of, unpack_instant
from arena.store.rounds import state_at, stored_steps
from arena.store.schema import Standing, check, connect, examine, migrate, schema_version, wal_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from arena.core.event import Event
    from arena.store.leases import LatePlaying, LostLease, StoredWorker
    from arena.store.rounds import PairedStep, State

PAGE_GAMES = 500
"""Games read at once by the iterators: their memory is bounded by it."""

COLUMN_PAGE_GAMES = 1000
"""Rows turned into array columns at once: what a core's cache holds."""


class PlayedGames:
    """Which ordinals need no playing any more: one byte each, a million in a megabyte."""

    def __init__(self, ordinals: Iterator[int]) -> None:
        self._marks = bytearray()
        self._count = 0
        for ordinal in ordinals:
            if ordinal >= len(self._marks):
                self._marks.extend(bytes(ordinal + 1 - len(self._marks)))
            self._count += not self._marks[ordinal]
            self._marks[ordinal] = 1

    def __contains__(self, ordinal: int) -> bool:
        return 0 <= ordinal < len(self._marks) and bool(self._marks[ordinal])

    def __len__(self) -> int:
        return self._count

    def first_gap(self) -> int:
        """Return the first ordinal that is still to be played."""
        gap = self._marks.find(0)
        return len(self._marks) if gap < 0 else gap


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the event: when, by which process, with which versions, from which text.

    Attributes:
        ended: None while it is on, and after it was killed.
        event_text: the tournament file as it was then.
    """

    started: str
    ended: str | None
    pid: int
    versions: Mapping[str, str]
    event_text: str


@dataclass(frozen=True, slots=True)
class Meta:
    """What a database says of itself.

    Attributes:
        schema_version: version of the tables in the file.
        created: when the event began, UTC.
        finished: when its last game was played; None while games are to come.
        dice_key_hash: published at the start.
        dice_key: the key, once it is public (the event has finished, or the file gave it beforehand).
        dice_key_given: whether the file gave it: then the dice were known to whoever had the file.
        runs: oldest first.
    """

    schema_version: int
    created: str
    finished: str | None
    dice_key_hash: str
    dice_key: bytes | None
    dice_key_given: bool
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One word of the organiser, or an extension of the event.

    Attributes:
        at: when, UTC.
        action: `annul`, `replay`, `disqualify` or `extend`.
        target: id of the game, or name of the engine or event.
        why: the reason given.
        original: the verdict as it was before, as JSON values; None where no verdict was changed.
    """

    at: str
    action: str
    target: str
    why: str
    original: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the event is: games that need no playing any more (annulled ones included), and the others.

    Attributes:
        played: games with a playing that stands.
        annulled: those of them that the organiser annulled.
        void_attempts: playings that the arena spoiled.
        superseded: playings that the organiser set aside.
    """

    played: int
    annulled: int
    void_attempts: int
    superseded: int


@dataclass(frozen=True, slots=True)
class GameSummary:
    """What standings, lists and charts need of one game. Times in microseconds.

    Attributes:
        ordinal, id, round, pair, attempt: as in the record.
        black, white: index of the engine, for the colours really played.
        winner: `black`, `white`, `draw`, or None when nobody gets anything.
        result, reason: as in the verdict.
        at_fault: BLACK, WHITE or None.
        board_margin, final_margin: None when the game did not end on the board.
        points: of the winner, in games with points.
        plies, opening_plies: length, and how much of it the referee played.
        black_moves, white_moves: moves of the engines themselves.
        black_us, white_us, black_longest_us, white_longest_us: time charged in all, and for the longest turn.
        moves_hash: equal for identical games (moves and dice).
        komi, proposer: the komi in force; after pie, the colour of the one who proposed it.
        black_sandbox, white_sandbox: level of containment.
    """

    ordinal: int
    id: str
    round: int
    pair: str
    attempt: int
    black: int
    white: int
    winner: Literal["black", "white", "draw"] | None
    result: str
    reason: str
    at_fault: int | None
    board_margin: float | None
    final_margin: float | None
    points: int | None
    plies: int
    opening_plies: int
    black_moves: int
    white_moves: int
    black_us: int
    white_us: int
    black_longest_us: int
    white_longest_us: int
    moves_hash: int
    komi: int | None
    proposer: int | None
    black_sandbox: str
    white_sandbox: str

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody; of the games that stand, only annulled ones do not count."""
        return self.reason == Reason.ANNULLED


@dataclass(frozen=True, slots=True)
class EndingColumns:
    """Who won all games, in schedule order, one array a field.

    Attributes:
        winner: 0 Black, 1 White, 2 draw, -1 nobody.
        reason: index into `reasons`.
        at_fault: -1 for None.
    """

    reasons: tuple[str, ...]
    ordinal: NDArray[np.int64]
    black: NDArray[np.int32]
    white: NDArray[np.int32]
    winner: NDArray[np.int8]
    reason: NDArray[np.int32]
    at_fault: NDArray[np.int8]

    def tallies(self) -> tuple[Tally, ...]:
        """Return games alike in sides and ending, counted."""
        import numpy as np

        fields: tuple[NDArray[Any], ...] = (self.black, self.white, self.winner, self.reason, self.at_fault)
        # One number for the five fields, each with a place more for -1.
        room = [int(field.max(initial=0)) + 2 for field in fields]
        code = np.zeros(len(self.ordinal), dtype=np.int64)
        for field, size in zip(fields, room, strict=True):
            code = code * size + field + 1
        _, places, games = np.unique(code, return_index=True, return_counts=True)
        return tuple(
            Tally(
                int(self.black[place]),
                int(self.white[place]),
                _WINNERS.get(int(self.winner[place])),
                self.reasons[self.reason[place]],
                None if self.at_fault[place] < 0 else int(self.at_fault[place]),
                int(count),
            )
            for place, count in zip(places, games, strict=True)
        )


@dataclass(frozen=True, slots=True)
class ResultColumns(EndingColumns):
    """What standings need of all games in schedule order, one array a field; units as in `GameSummary`.

    Attributes:
        disciplines: names of the event's games, the empty one in an event of one.
        discipline: index into `disciplines`.
        pair: code of the pair, from 0, equal for the games of one pair.
        board_margin, final_margin: nan for None.
    """

    disciplines: tuple[str, ...]
    discipline: NDArray[np.int32]
    pair: NDArray[np.int32]
    board_margin: NDArray[np.float64]
    final_margin: NDArray[np.float64]
    plies: NDArray[np.int32]
    opening_plies: NDArray[np.int32]
    black_moves: NDArray[np.int32]
    white_moves: NDArray[np.int32]
    black_us: NDArray[np.int64]
    white_us: NDArray[np.int64]
    black_longest_us: NDArray[np.int64]
    white_longest_us: NDArray[np.int64]
    black_idle_us: NDArray[np.int64]
    white_idle_us: NDArray[np.int64]
    lag_us: NDArray[np.int64]
    moves_hash: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GameColumns(ResultColumns):
    """All of `GameSummary` for all games in schedule order, one array a field.

    Attributes:
        size: of the board, -1 for None.
        points, proposer: -1 for None.
        komi: nan for None.
        black_identity, white_identity: see `ReadStore.identity`.
        worker: number of the worker of a cluster that played it, -1 for this machine.
    """

    size: NDArray[np.int32]
    round: NDArray[np.int32]
    points: NDArray[np.int32]
    komi: NDArray[np.float64]
    proposer: NDArray[np.int8]
    black_identity: NDArray[np.int32]
    white_identity: NDArray[np.int32]
    worker: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Tally:
    """Games alike in sides and ending.

    Attributes:
        black, white: index of the engine.
        winner: `black`, `white`, `draw` or None.
        reason: the reason that counts.
        at_fault: BLACK, WHITE or None.
        games: how many.
    """

    black: int
    white: int
    winner: str | None
    reason: str
    at_fault: int | None
    games: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Identical games: the same moves on the same dice.

    Attributes:
        count: how many.
        ids: the first of them in schedule order, at most ten.
    """

    count: int
    ids: tuple[str, ...]


_WINNERS: dict[int | None, Literal["black", "white", "draw"] | None] = {
    0: "black",
    1: "white",
    DRAW: "draw",
    None: None,
}

_SIDES = (BLACK, WHITE, None)
_MARGINS = (int, float, type(None))

_RECORD = """
    SELECT id, attempt, ordinal, round, pair, kind.word, size, komi, winner, ending.word, result, at_fault,
        points, board_margin, final_margin, opening_plies, black_idle_us, white_idle_us, lag_us, moves,
        times, seed, opening, started, ended, dice,
        throws, final_position, more, black_identity, white_identity, seal
    FROM game JOIN playing USING (number) JOIN word kind ON kind.number = game.game
        JOIN word ending ON ending.number = game.reason
"""

_SUMMARY = """
    SELECT ordinal, id, round, pair, attempt, black, white, winner, result, reason, at_fault, board_margin,
        final_margin, points, plies, opening_plies, black_moves, white_moves, black_us, white_us,
        black_longest_us, white_longest_us, moves_hash, komi, proposer, black_identity, white_identity
    FROM game
"""

# Column of `GameColumns` and its type, in the order of the query.
_ENDING_COLUMNS: tuple[tuple[str, str], ...] = (
    ("ordinal", "int64"),
    ("black", "int32"),
    ("white", "int32"),
    ("winner", "int8"),
    ("reason", "int32"),
    ("at_fault", "int8"),
)
_RESULT_COLUMNS = (
    *_ENDING_COLUMNS,
    ("pair", "int32"),
    ("board_margin", "float64"),
    ("final_margin", "float64"),
    ("plies", "int32"),
    ("opening_plies", "int32"),
    ("black_moves", "int32"),
    ("white_moves", "int32"),
    ("black_us", "int64"),
    ("white_us", "int64"),
    ("black_longest_us", "int64"),
    ("white_longest_us", "int64"),
    ("black_idle_us", "int64"),
    ("white_idle_us", "int64"),
    ("lag_us", "int64"),
    ("moves_hash", "int64"),
)
_COLUMNS = (
    *_RESULT_COLUMNS,
    ("size", "int32"),
    ("round", "int32"),
    ("points", "int32"),
    ("komi", "float64"),
    ("proposer", "int8"),
    ("black_identity", "int32"),
    ("white_identity", "int32"),
    ("worker", "int32"),
)
_OR_MINUS_ONE = {"winner", "at_fault", "points", "proposer", "size", "worker"}


@contextmanager
def _no_collector() -> Iterator[None]:
    """Keep the garbage collector from looking through millions of numbers, in which it can find nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class ReadStore:
    """A database opened for reading only; several may read at once, also while a run writes.

    Raises:
        StoreError: it does not exist, is damaged, of a newer version, or another program's.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        examine(self.path)
        self._connection, self._schema_version = self._opened()

    def _opened(self) -> tuple[sqlite3.Connection, int]:
        try:
            return self._checked(connect(self.path, "ro"))
        except StoreError:
            # In a read-only place the shared memory of a write-ahead log cannot be made. Without a log
            # nobody is writing, and the file can be read as one that does not change.
            if self._has_log() or not self._is_unlockable():
                raise
            return self._checked(connect(self.path, "immutable"))

    def _has_log(self) -> bool:
        wal = wal_of(self.path)
        return wal.exists() and wal.stat().st_size > 0

    def _is_unlockable(self) -> bool:
        probe = connect(self.path, "ro")
        try:
            probe.execute("PRAGMA user_version").fetchone()
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        else:
            return False
        finally:
            probe.close()

    def _checked(self, connection: sqlite3.Connection) -> tuple[sqlite3.Connection, int]:
        try:
            version = check(connection, self.path)
            if version < schema_version():
                # A file of an older version is brought up to date in a private copy.
                with plain_errors(self.path):
                    copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
                    connection.backup(copy)
                    connection.close()
                    connection = copy
                    migrate(copy, version)
        except BaseException:
            connection.close()
            raise
        return connection, version

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # --- the event ---

    def event(self) -> Event:
        """Return the event as it now stands; its `dice_key` only if the tournament file gave it."""
        given = self._bytes("dice_key") if self._meta("dice_key_given") else None
        return event_from_json(str(self._meta("event")), given)

    def meta(self) -> Meta:
        """Return what the database says of itself."""
        finished = self._optional("finished")
        given = bool(self._meta("dice_key_given"))
        runs = self._rows("SELECT started, ended, pid, versions, event_text FROM run ORDER BY number")
        with self._damage_told():
            return Meta(
                schema_version=self._schema_version,
                created=str(self._meta("created")),
                finished=None if finished is None else str(finished),
                dice_key_hash=str(self._meta("dice_key_hash")),
                dice_key=self._bytes("dice_key") if given or finished is not None else None,
                dice_key_given=given,
                runs=tuple(
                    Run(started, ended, pid, json.loads(versions), text)
                    for started, ended, pid, versions, text in runs
                ),
            )

    def secret_dice_key(self) -> bytes:
        """Return the dice key before its time: for a check by whoever owns the file, never to be shown."""
        return self._bytes("dice_key")

    def audit(self) -> tuple[AuditEntry, ...]:
        """Return the organiser's words and the extensions, oldest first."""
        rows = self._rows("SELECT at, action, target, why, original FROM audit ORDER BY number")
        with self._damage_told():
            return tuple(
                AuditEntry(at, action, target, why, None if original is None else json.loads(original))
                for at, action, target, why, original in rows
            )

    def identities(self) -> tuple[EngineIdentity, ...]:
        """Return every identity that an engine has shown."""
        return tuple(self._identities[number] for number in sorted(self._identities))

    def identity(self, number: int) -> EngineIdentity:
        """Return the identity that `GameColumns` names by a number."""
        return self._identity(number)

    def progress(self) -> Progress:
        """Return how far the event is."""
        counts: dict[int, int] = dict(self._rows("SELECT standing, count(*) FROM game GROUP BY standing"))
        query = "SELECT count(*) FROM game JOIN word ON word.number = reason WHERE word = ? AND standing = 1"
        annulled = self._rows(query, str(Reason.ANNULLED))[0][0]
        return Progress(
            played=counts.get(Standing.COUNTS, 0),
            annulled=annulled,
            void_attempts=counts.get(Standing.VOID, 0),
            superseded=counts.get(Standing.SUPERSEDED, 0),
        )

    # --- workers of a cluster ---

    def workers(self) -> tuple[StoredWorker, ...]:
        """Return every worker that came to any run, in the order they came."""
        with plain_errors(self.path), self._damage_told():
            return stored_workers(self._connection)

    def lost_leases(self) -> tuple[LostLease, ...]:
        """Return the leases that were lost, in the order they were given."""
        with plain_errors(self.path), self._damage_told():
            return lost_leases(self._connection)

    def late(self) -> tuple[LatePlaying, ...]:
        """Return the results that came without a lease, in the order they came; none of them counts."""
        with plain_errors(self.path), self._damage_told():
            return late_playings(self._connection)

    # --- events by results ---

    def steps(self) -> tuple[PairedStep, ...]:
        """Return what has been paired so far; empty in fixed formats."""
        with plain_errors(self.path), self._damage_told():
            return stored_steps(self._connection)

    def state(self, words: int | None = None) -> State:
        """Return results and withdrawals, as they are now or were after an entry of the audit trail."""
        names = [entry.name for entry in self.event().engines]
        with plain_errors(self.path), self._damage_told():
            return state_at(self._connection, names, words)

    def words(self) -> int:
        """Return the number of the last entry of the audit trail, 0 before the first."""
        return int(self._rows("SELECT coalesce(max(number), 0) FROM audit")[0][0])

    # --- games ---

    def played(self) -> PlayedGames:
        """Return which games need no playing any more, by ordinal."""
        with plain_errors(self.path):
            return scanned_ordinals(self._connection)

    def record(self, game_id: str) -> GameRecord | None:
        """Return the playing of a game that stands; None when there is none."""
        rows = self._rows(f"{_RECORD} WHERE id = ? AND standing = 1", game_id)
        return self._record(rows[0]) if rows else None

    def playings(self, game_id: str) -> tuple[tuple[Standing, GameRecord], ...]:
        """Return all playings of a game, by attempt, void and superseded ones included."""
        rows = self._rows("SELECT number, standing FROM game WHERE id = ? ORDER BY attempt", game_id)
        with self._damage_told():
            return tuple(
                (Standing(standing), self._record(self._rows(f"{_RECORD} WHERE game.number = ?", number)[0]))
                for number, standing in rows
            )

    def records(self) -> Iterator[GameRecord]:
        """Yield the playings that stand, in schedule order, in bounded memory."""
        for row in self._pages(_RECORD, ordinal_column=2):
            yield self._record(row)

    def records_at(self, ordinals: Sequence[int]) -> Iterator[GameRecord]:
        """Yield the playings that stand of some games, by ordinal, in that order; unplayed ones are not."""
        for first in range(0, len(ordinals), PAGE_GAMES):
            wanted = [int(ordinal) for ordinal in ordinals[first : first + PAGE_GAMES]]
            marks = ", ".join("?" * len(wanted))
            rows = self._rows(f"{_RECORD} WHERE standing = 1 AND ordinal IN ({marks})", *wanted)
            found = {row[2]: row for row in rows}
            yield from (self._record(found[ordinal]) for ordinal in wanted if ordinal in found)

    def set_aside(self) -> Iterator[tuple[Standing, GameRecord]]:
        """Yield the playings that do not stand (void, superseded), in the order they ended."""
        for standing, record, _ in self._sealed_aside():
            yield standing, record

    def sealed(self) -> Iterator[tuple[Standing, GameRecord, bytes]]:
        """Yield every playing with its seal: those that stand in schedule order, then those set aside."""
        for row in self._pages(_RECORD, ordinal_column=2):
            yield Standing.COUNTS, self._record(row), row[-1]
        yield from self._sealed_aside()

    def _sealed_aside(self) -> Iterator[tuple[Standing, GameRecord, bytes]]:
        query = "SELECT number, standing FROM game WHERE standing <> 1 ORDER BY number"
        for number, standing in self._rows(query):
            with self._damage_told():
                kind = Standing(standing)
                row = self._rows(f"{_RECORD} WHERE game.number = ?", number)[0]
            yield kind, self._record(row), row[-1]

    def version(self) -> int:
        """Return a number that is another one after somebody else has committed to the file."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def latest(self, count: int) -> tuple[tuple[GameSummary, str], ...]:
        """Return the games that stand and were stored last, newest first, each with when it ended (UTC)."""
        words = self._words()
        columns = _SUMMARY.replace("FROM game", ", ended FROM game JOIN playing USING (number)")
        rows = self._rows(f"{columns} WHERE standing = 1 ORDER BY number DESC LIMIT ?", count)
        with self._damage_told():
            return tuple((self._summary(row[:-1], words), unpack_instant(row[-1])) for row in rows)

    def summaries(self) -> Iterator[GameSummary]:
        """Yield a summary of each game that stands, in schedule order, in bounded memory."""
        words = self._words()
        for row in self._pages(_SUMMARY, ordinal_column=0):
            with self._damage_told():
                if row[9] not in words:
                    words = self._words()
                summary = self._summary(row, words)
            yield summary

    def has_games(self) -> bool:
        """Say whether there is a game that stands."""
        return bool(self._rows("SELECT EXISTS (SELECT 1 FROM game WHERE standing = 1)")[0][0])

    def ending_columns(self) -> EndingColumns:
        """Return who won all games that stand, in schedule order (a million rows: 25 MB)."""
        arrays, _ = self._columns(_ENDING_COLUMNS)
        return EndingColumns(**arrays)

    def result_columns(self) -> ResultColumns:
        """Return what standings need of all games that stand, in schedule order (a million rows: 100 MB)."""
        arrays, pairs = self._columns(_RESULT_COLUMNS)
        return ResultColumns(**self._in_pairs(arrays, pairs))

    def columns(self) -> GameColumns:
        """Return all games that stand as arrays, in schedule order (a million rows: about 130 MB)."""
        arrays, pairs = self._columns(_COLUMNS)
        return GameColumns(**self._in_pairs(arrays, pairs))

    def _columns(self, wanted: Sequence[tuple[str, str]]) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the wanted columns in schedule order and the reasons' words; and the names of the pairs.

        Each pair comes with the row it was met in first, ascending: that row stands in the column `pair`.
        """
        import numpy as np

        with plain_errors(self.path):
            (room,) = self._connection.execute("SELECT count(*) FROM game WHERE standing = 1").fetchone()
        arrays: dict[str, Any] = {name: np.empty(room, dtype=kind) for name, kind in wanted}
        names = [f"coalesce({name}, -1)" if name in _OR_MINUS_ONE else name for name, _ in wanted]
        pairs: dict[str, int] = {}
        # By row number, which is one pass over the table; put in order at the end.
        query = f"SELECT number, {', '.join(names)} FROM game WHERE standing = 1 AND number > ?"  # noqa: S608
        count = last = 0
        with _no_collector():
            while count < room and (
                rows := self._rows(f"{query} ORDER BY number LIMIT {COLUMN_PAGE_GAMES}", last)
            ):
                # A run may have added games since they were counted.
                numbers, *fields = zip(*rows[: room - count], strict=True)
                last, until = numbers[-1], count + len(numbers)
                for (name, kind), values in zip(wanted, fields, strict=True):
                    # For now the code of a pair is the number of its first row: no call of ours for a row.
                    is_pair = name == "pair"
                    coded = list(map(pairs.setdefault, values, range(count, until))) if is_pair else values
                    arrays[name][count:until] = np.array(coded, dtype=kind)
                count = until
        in_order = np.argsort(arrays["ordinal"][:count], kind="stable")
        if count < room or (in_order[1:] < in_order[:-1]).any():
            for name in arrays:
                arrays[name] = arrays[name][in_order]
        words = self._words()
        numbered = np.zeros(max(words, default=0) + 1, dtype=np.int32)
        numbered[sorted(words)] = np.arange(len(words))
        arrays["reason"] = numbered[arrays["reason"]]
        arrays["reasons"] = tuple(words[number] for number in sorted(words))
        return arrays, pairs

    def _in_pairs(self, arrays: dict[str, Any], pairs: dict[str, int]) -> dict[str, Any]:
        """Number the pairs from 0 in the order they were met, and add the disciplines they belong to."""
        import numpy as np

        names, disciplines = self._disciplines_of(pairs)
        first_rows = np.fromiter(pairs.values(), np.int64, len(pairs))
        arrays["pair"] = np.searchsorted(first_rows, arrays["pair"]).astype(np.int32)
        arrays["discipline"] = np.array(disciplines, np.int32)[arrays["pair"]]
        arrays["disciplines"] = tuple(names)
        return arrays

    def _disciplines_of(self, pairs: Collection[str]) -> tuple[dict[str, int], Sequence[int]]:
        """Return the codes of disciplines by name, and that of each pair."""
        if pairs and not self.event().disciplines:
            return {"": 0}, [0] * len(pairs)
        codes: dict[str, int] = {}
        return codes, [codes.setdefault(discipline_of(pair), len(codes)) for pair in pairs]

    def duplicates(self) -> tuple[Duplicates, ...]:
        """Return groups of identical games, the largest first.

        Games without a move of an engine are left out (they ended before they began), annulled ones too.
        """
        query = """
            SELECT moves_hash, count(*) FROM game JOIN word ON word.number = reason
            WHERE standing = 1 AND plies > opening_plies AND word <> ?
            GROUP BY moves_hash HAVING count(*) > 1 ORDER BY count(*) DESC, min(ordinal)
        """
        groups = self._rows(query, str(Reason.ANNULLED))
        wanted = {group for group, _ in groups}
        ids: dict[int, list[str]] = {group: [] for group in wanted}
        if wanted:
            for ordinal_id in self._pages("SELECT ordinal, id, moves_hash FROM game", ordinal_column=0):
                _, game_id, group = ordinal_id
                if group in wanted and len(ids[group]) < 10:
                    ids[group].append(game_id)
        return tuple(Duplicates(count, tuple(ids[group])) for group, count in groups)

    # --- inside ---

    def _damage_told(self) -> AbstractContextManager[None]:
        return damage_told(self.path)

    def _record(self, row: tuple[Any, ...]) -> GameRecord:
        with self._damage_told():
            stored = StoredRow(*row[:-3])
            if stored.winner not in _WINNERS or stored.at_fault not in _SIDES:
                raise ValueError(f"winner {stored.winner}, side at fault {stored.at_fault}")
            for margin in (stored.board_margin, stored.final_margin):
                if not isinstance(margin, _MARGINS):
                    raise TypeError(f"a margin that is no number: {margin!r:.60}")
            return record_of(stored, self._identity(row[-3]), self._identity(row[-2]))

    @cached_property
    def _identities(self) -> dict[int, EngineIdentity]:
        return {number: EngineIdentity(*rest) for number, *rest in self._rows("SELECT * FROM identity")}

    def _identity(self, number: int) -> EngineIdentity:
        if number not in self._identities:
            # A run may have added one since.
            del self._identities
        return self._identities[number]

    def _summary(self, row: Sequence[Any], words: Mapping[int, str]) -> GameSummary:
        *sides, winner, result, reason = row[:10]
        sandboxes = [self._identity(number).sandbox for number in row[-2:]]
        values: list[Any] = [*sides, _WINNERS[winner], result, words[reason], *row[10:-2], *sandboxes]
        return GameSummary(*values)

    def _words(self) -> dict[int, str]:
        return dict(self._rows("SELECT number, word FROM word"))

    def _optional(self, key: str) -> object:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return rows[0][0] if rows else None

    def _meta(self, key: str) -> object:
        value = self._optional(key)
        if value is None:
            raise StoreError(f"{self.path} is damaged: it does not say its {key}")
        return value

    def _bytes(self, key: str) -> bytes:
        value = self._meta(key)
        if not isinstance(value, bytes):
            raise StoreError(f"{self.path} is damaged: its {key} is not what it should be")
        return value

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with plain_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    def _pages(self, query: str, ordinal_column: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of games that stand in schedule order, read page by page."""
        last = -1
        while True:
            page = f"{query} WHERE standing = 1 AND ordinal > ? ORDER BY ordinal LIMIT {PAGE_GAMES}"
            rows = self._rows(page, last)
            yield from rows
            if len(rows) < PAGE_GAMES:
                return
            last = rows[-1][ordinal_column]


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Tell damage that shows in values; SQLite itself checks only the shape of its pages."""
    try:
        yield
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise StoreError(f"{path} is damaged: a row holds what cannot be ({error})") from error


def scanned_ordinals(connection: sqlite3.Connection) -> PlayedGames:
    """Return the ordinals of the games that stand; a scan of one index."""
    rows = connection.execute("SELECT ordinal FROM game WHERE standing = 1")
    return PlayedGames(ordinal for (ordinal,) in rows)


def verdict_numbered(connection: sqlite3.Connection, number: int) -> Verdict:
    """Return the verdict of one row of `game`, over whatever connection."""
    row = connection.execute(f"{_RECORD} WHERE game.number = ?", (number,)).fetchone()
    nobody = EngineIdentity("")
    return record_of(StoredRow(*row[:-3]), nobody, nobody).verdict
