"""Where the stored games have left every engine's row of faults, for a run that goes on with them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arena.core.streaks import OWN_FAULTS, Ended, Streaks
from arena.core.verdict import Reason

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from arena.store.reading import PlayedGames

_SIDES = (("black", 0), ("white", 1))

_SILENT = (Reason.ANNULLED, Reason.WITHDRAWN)
"""Endings that say nothing of how an engine plays. (Both sides failing counts against both.)"""


def stored_streaks(connection: sqlite3.Connection, played: PlayedGames) -> tuple[Streaks, list[Ended]]:
    """Return where the beginning without a gap has left everybody, and what was played beyond the gap.

    The database does the work: a million games take a fraction of a second.
    """
    gap = played.first_gap()
    numbers = dict(connection.execute("SELECT word, number FROM word"))
    faults = _listed(numbers.get(str(reason)) for reason in OWN_FAULTS)
    silent = _listed(numbers.get(str(reason)) for reason in _SILENT)
    both = numbers.get(str(Reason.BOTH_FAILED), -1)
    good: dict[int, int] = {}
    bad: list[tuple[int, int]] = []
    for column, side in _SIDES:
        failed = f"(reason = {both} OR (at_fault = {side} AND reason IN ({faults})))"
        stands = f"standing = 1 AND ordinal < {gap}"
        query = f"SELECT {column}, max(ordinal) FROM game WHERE {stands} AND reason NOT IN ({silent}) "  # noqa: S608
        for engine, ordinal in connection.execute(f"{query} AND NOT {failed} GROUP BY {column}"):
            good[engine] = max(ordinal, good.get(engine, -1))
        bad += connection.execute(f"SELECT {column}, ordinal FROM game WHERE {stands} AND {failed}")  # noqa: S608
    lengths = Counter(engine for engine, ordinal in bad if ordinal > good.get(engine, -1))
    beyond = (
        f"SELECT ordinal, id, black, white, reason = {both}, at_fault, reason IN ({faults}), "  # noqa: S608
        f"reason IN ({silent}) FROM game WHERE standing = 1 AND ordinal > {gap}"
    )
    return Streaks(gap, lengths), [_ended(*row) for row in connection.execute(beyond)]


def _ended(
    ordinal: int,
    game_id: str,
    black: int,
    white: int,
    both_failed: int,
    at_fault: int | None,
    is_fault: int,
    is_silent: int,
) -> Ended:
    players = (black, white)
    if is_silent:
        return Ended(ordinal, game_id)
    if both_failed:
        return Ended(ordinal, game_id, failed=players)
    if at_fault not in (0, 1) or not is_fault:
        return Ended(ordinal, game_id, without_fault=players)
    return Ended(ordinal, game_id, (players[1 - at_fault],), (players[at_fault],))


def _listed(numbers: Iterable[int | None]) -> str:
    """Return numbers for `IN (…)`, one that no row has where there are none."""
    return ", ".join(str(int(number)) for number in numbers if number is not None) or "-1"
