"""Whether a database holds values that no gtparena writes: asked after reading one has failed.

SQLite checks the shape of pages and the types of columns. A value of the right type can still be one that
cannot be, where somebody has edited the file; readers do not look for that in a million rows each time.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from arena.store.errors import plain_errors
from arena.store.event_codec import event_from_json
from arena.store.reading import ReadStore
from arena.store.record_codec import DRAW
from arena.store.schema import Standing, connect

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_SMALL = 2**31 - 1
_STANDINGS = ", ".join(str(int(standing)) for standing in Standing)


def _outside(column: str, low: int, high: int) -> str:
    return f"{column} NOT BETWEEN {low} AND {high}"


_IMPOSSIBLE: tuple[tuple[str, str], ...] = (
    ("standing", f"standing NOT IN ({_STANDINGS})"),
    ("place in the schedule", _outside("ordinal", 0, _SMALL)),
    ("round", _outside("round", 0, _SMALL)),
    ("attempt", _outside("attempt", 1, _SMALL)),
    ("kind", "game NOT IN (SELECT number FROM word)"),
    ("reason", "reason NOT IN (SELECT number FROM word)"),
    ("size", _outside("size", 1, 100)),
    ("komi", _outside("komi", -(10**9), 10**9)),
    ("proposer", _outside("proposer", 0, 1)),
    ("black side", "black NOT BETWEEN 0 AND :last_engine"),
    ("white side", "white NOT BETWEEN 0 AND :last_engine"),
    ("identity of Black", "black_identity NOT IN (SELECT number FROM identity)"),
    ("identity of White", "white_identity NOT IN (SELECT number FROM identity)"),
    ("winner", _outside("winner", 0, DRAW)),
    ("side at fault", _outside("at_fault", 0, 1)),
    ("points", _outside("points", 0, _SMALL)),
    *(
        (name.replace("_", " "), f"typeof({name}) NOT IN ('null', 'integer', 'real') OR abs({name}) > 1e12")
        for name in ("board_margin", "final_margin")
    ),
    *(
        (name.replace("_", " "), _outside(name, 0, _SMALL))
        for name in ("plies", "opening_plies", "black_moves", "white_moves")
    ),
    ("worker", _outside("worker", 0, _SMALL)),
)
"""What is wrong, and the condition on a game's row; a NULL is never outside."""

_META_TYPES = {"dice_key": "blob", "event": "text", "created": "text", "dice_key_hash": "text"}


def oddity(path: Path) -> str | None:
    """Say which stored value cannot be, None when all can.

    Raises:
        StoreError: the file, its event or one of its games cannot be read.
    """
    with plain_errors(path), closing(connect(path, "ro")) as connection:
        found = _odd_fact(connection) or _odd_game(connection) or _odd_times(connection)
    if found is None:
        with ReadStore(path) as store:
            for _ in store.sealed():
                pass
    return found


def _odd_fact(connection: sqlite3.Connection) -> str | None:
    types = dict(connection.execute("SELECT key, typeof(value) FROM meta"))
    for key, kind in _META_TYPES.items():
        if types.get(key) != kind:
            return f"its {key} is not what it should be"
    query = """
        SELECT number FROM run
        WHERE CASE json_valid(versions) WHEN 1 THEN json_type(versions) END IS NOT 'object'
    """
    odd_run = connection.execute(query).fetchone()
    if odd_run is not None:
        return f"run {odd_run[0]} has versions that cannot be"
    query = """
        SELECT target FROM audit
        WHERE original IS NOT NULL
            AND CASE json_valid(original) WHEN 1 THEN json_type(original) END IS NOT 'object'
    """
    odd_word = connection.execute(query).fetchone()
    return None if odd_word is None else f"the word on {odd_word[0][:60]!r} tells no verdict as it was before"


def _odd_game(connection: sqlite3.Connection) -> str | None:
    (text,) = connection.execute("SELECT value FROM meta WHERE key = 'event'").fetchone()
    names = [engine.name for engine in event_from_json(text, None).engines]
    for (name,) in connection.execute("SELECT name FROM identity"):
        if name not in names:
            return f"the engine {name[:60]!r} is none of its event"
    lost = connection.execute(
        "SELECT id FROM game WHERE number NOT IN (SELECT number FROM playing)"
    ).fetchone()
    if lost is not None:
        return f"game {lost[0][:60]!r} has lost its moves"
    for what, condition in _IMPOSSIBLE:
        query = f"SELECT id FROM game JOIN playing USING (number) WHERE {condition} LIMIT 1"  # noqa: S608
        wanted = {"last_engine": len(names) - 1} if ":last_engine" in condition else {}
        found = connection.execute(query, wanted).fetchone()
        if found is not None:
            return f"game {found[0][:60]!r} has a {what} that cannot be"
    return None


def _odd_times(connection: sqlite3.Connection) -> str | None:
    """Look for a game whose times are not one a turn: each ends with the only byte below 128 it has."""
    query = "SELECT id, moves, times FROM game JOIN playing USING (number) ORDER BY number"
    for game_id, moves, times in connection.execute(query):
        turns = moves.count(" ") + 1 if moves else 0
        if sum(byte < 0x80 for byte in times) != turns:
            return f"game {game_id[:60]!r} has times that are not one a turn"
    return None
