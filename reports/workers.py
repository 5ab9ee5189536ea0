"""Games by the worker of a cluster that played them, and whether it matters which one that was.

It should not: so a difference between workers is a finding about machines, not about engines. The unit is the
pair, both games of which one worker plays: its points for the entry that stands first in the file, compared
between workers within each pairing (`arena.stats.strata`). Faults are compared game by game, within each
pairing and colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.stats.strata import LEAST_IN_A_GROUP, compare_groups
from arena.words import counted
from reports.printable import NAME_CELLS
from reports.tables import Column, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arena.stats.strata import Comparison
    from arena.store import GameColumns, ReadStore, StoredWorker

HERE = "this machine"
"""Who played games that went to no worker."""

_MARKED_P = 0.01
_DRAW = 2


@dataclass(frozen=True, slots=True)
class ByWorker:
    """What there is to say.

    Attributes:
        rows: of the table, see `table`.
        points, faults: the two comparisons.
        left_out: pairs that were not played by one worker.
        late: results that came too late to count.
        lost: leases that were lost.
    """

    rows: tuple[tuple[str | int | float | None, ...], ...]
    points: Comparison
    faults: Comparison
    left_out: int
    late: int
    lost: int


def by_worker(store: ReadStore, columns: GameColumns) -> ByWorker | None:
    """Return games by worker; None when no worker ever came.

    Raises:
        StoreError: the database is damaged.
    """
    workers = store.workers()
    if not workers:
        return None
    group, names = _groups(columns.worker, workers)
    late = store.late()
    late_of = np.zeros(len(names), dtype=np.int64)
    places = {each.number: names.index((each.worker.name, each.worker.host)) for each in workers}
    for each in late:
        late_of[places[each.worker]] += 1
    rows = []
    latest = {(each.worker.name, each.worker.host): each.worker for each in workers}
    for place, (name, host) in enumerate(names):
        games = group == place
        worker = latest.get((name, host))
        if worker is None and not games.any():
            continue
        moves = int((columns.black_moves[games] + columns.white_moves[games]).sum())
        spent_us = int((columns.black_us[games] + columns.white_us[games]).sum())
        counted = games & (columns.winner >= 0)
        black = (columns.winner[counted] == 0) + 0.5 * (columns.winner[counted] == _DRAW)
        rows.append(
            (
                name,
                host,
                None if worker is None else worker.threads,
                None if worker is None else worker.speed,
                None if worker is None else worker.time_factor,
                int(games.sum()),
                float(black.mean()) if len(black) else None,
                int((columns.at_fault[games] >= 0).sum()),
                spent_us / 1e6 / moves if moves else None,
                int(late_of[place]),
            )
        )
    pairs = _pairs(columns, group)
    counted = columns.winner >= 0
    colours = np.stack([columns.discipline, columns.black, columns.white], axis=1)[counted].astype(np.int64)
    faults = compare_groups(
        _codes(colours), group[counted], (columns.at_fault[counted] >= 0).astype(np.float64)
    )
    return ByWorker(
        tuple(rows),
        compare_groups(pairs.strata, pairs.groups, pairs.scores),
        faults,
        pairs.left_out,
        len(late),
        len(store.lost_leases()),
    )


def table(found: ByWorker, title: str) -> Table:
    """Return the table, with what the comparisons say as its notes."""
    columns = (
        Column("worker", "worker", cells=NAME_CELLS),
        Column("host", "host", cells=NAME_CELLS),
        Column("games at a time", "threads"),
        Column("speed", "speed", "{:.2f}".format),
        Column("clocks x", "time_factor"),
        Column("games", "games"),
        Column("Black's share", "black_share", "{:.1%}".format),
        Column("faults", "faults"),
        Column("s/move", "seconds_a_move", "{:.4f}".format),
        Column("late", "late"),
    )
    return Table("workers", title, columns, found.rows, notes(found))


def notes(found: ByWorker) -> tuple[str, ...]:
    """Return what the comparisons say, in sentences."""
    said = [_sentence("the points of pairs", "pairs", found.points)]
    if found.faults.units:
        said.append(_sentence("faults", "games", found.faults))
    said.append("Speed: 1.00 is the machine the measure was set on; as measured when the worker came last.")
    if found.left_out:
        said.append(
            f"Left out of the comparison: {counted(found.left_out, 'pair')} not played by one worker."
        )
    if found.lost:
        said.append(f"Games taken from their worker and given away anew: {found.lost}.")
    if found.late:
        said.append(
            f"Late results, kept as evidence (arena export --late), that count for nothing: {found.late}."
        )
    return tuple(said)


def _sentence(what: str, units: str, found: Comparison) -> str:
    if not found.units:
        return f"Does the worker matter? Of {what} nothing can be said: there is nothing to compare."
    if not found.is_enough:
        return (
            f"Does the worker matter? Too few games to tell by {what}: {found.units} {units} can be "
            f"compared, and the worker with the fewest has {found.fewest}; {LEAST_IN_A_GROUP} each would do."
        )
    verdict = "yes, look at the machines" if found.p_value < _MARKED_P else "no sign of it"
    return (
        f"Does the worker matter? By {what}: {verdict} (Cochran-Mantel-Haenszel within pairings, "
        f"{found.units} {units}, chi-square {found.statistic:.2f} on {found.degrees}, "
        f"p = {found.p_value:.3f})."
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    strata: NDArray[np.int64]
    groups: NDArray[np.int64]
    scores: NDArray[np.float64]
    left_out: int


def _groups(
    numbers: NDArray[np.int32], workers: tuple[StoredWorker, ...]
) -> tuple[NDArray[np.int64], list[tuple[str, str]]]:
    """Return for each game the place of its worker in a list of names and hosts.

    A worker that came again under its name on the same machine is the same one.
    """
    names = list(dict.fromkeys((each.worker.name, each.worker.host) for each in workers))
    place_of = np.full(max(each.number for each in workers) + 2, len(names), dtype=np.int64)
    for each in workers:
        place_of[each.number] = names.index((each.worker.name, each.worker.host))
    # The number of games that went to no worker is -1, which names the last place.
    return place_of[numbers], [*names, (HERE, "")]


def _pairs(columns: GameColumns, group: NDArray[np.int64]) -> _Pairs:
    """Return the pairs of which every game counts and which one worker played."""
    count = int(columns.pair.max()) + 1 if len(columns.pair) else 0
    low = np.minimum(columns.black, columns.white)
    first_is_black = columns.black == low
    points = np.where(columns.winner == _DRAW, 0.5, ((columns.winner == 0) == first_is_black).astype(float))
    games = np.bincount(columns.pair, minlength=count)
    is_whole = np.bincount(columns.pair, weights=columns.winner < 0, minlength=count) == 0
    first = np.full(count, -1, dtype=np.int64)
    first[columns.pair[::-1]] = np.arange(len(columns.pair))[::-1]
    is_one = np.bincount(columns.pair, weights=group != group[first[columns.pair]], minlength=count) == 0
    scores = np.bincount(columns.pair, weights=points, minlength=count).astype(np.float64)
    kept = np.flatnonzero(is_whole & is_one)
    at = first[kept]
    high = np.maximum(columns.black, columns.white)
    labels = np.stack([columns.discipline[at], low[at], high[at], games[kept]], axis=1).astype(np.int64)
    return _Pairs(_codes(labels), group[at], scores[kept], int((is_whole & ~is_one).sum()))


def _codes(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number for each different row."""
    if not len(labels):
        return np.empty(0, dtype=np.int64)
    return np.unique(labels, axis=0, return_inverse=True)[1].astype(np.int64).reshape(-1)
