"""Standings and cross table of an event: pure arithmetic on `Results`.

Points: 1 for a win, 1/2 for a draw, 0 for a loss; a game in which both sides failed gives nobody anything. In
a Swiss event a bye adds what the event says.
Order: in a knockout and a ladder the place reached there; then points; then points from the games among the
engines tied on points (head-to-head); then Sonneborn-Berger; then, Swiss only, Buchholz; then wins as the
side that moves second (White); engines still equal share the rank. The order of the input never decides:
within a shared rank engines stand by name.

Sonneborn-Berger of an engine: over all opponents, the points taken from the opponent times all the points
the opponent has. Buchholz: over all games played, the points the opponent has; a bye counts as games against
an opponent with the engine's own points (as FIDE's dummy opponent, Handbook C.07).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reports.estimates import Clusters, Estimate
from reports.results import NOBODY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from reports.results import Floats, Integers, Results


@dataclass(frozen=True, slots=True)
class Score:
    """Counts from one engine's side; `failed` are games in which both sides failed."""

    games: int
    points: float
    wins: int
    draws: int
    losses: int
    failed: int


@dataclass(frozen=True, slots=True)
class TimeUse:
    """How an engine used its time over the moves it made itself.

    Attributes:
        moves: its own moves, opening moves not among them.
        mean_s: seconds a move, over all its moves; None without moves.
        longest_s: its longest move, seconds; None without moves.
        mean_share: mean over its games of time used / time granted for the moves made; None when unlimited.
        highest_share: the highest such share; None when unlimited.
    """

    moves: int
    mean_s: float | None
    longest_s: float | None
    mean_share: float | None
    highest_share: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One engine's line.

    Attributes:
        rank: from 1; equal for engines that no tie-break parts.
        is_shared: whether another engine has the same rank.
        engine: its name.
        is_disqualified: whether the organiser took it out of the event.
        total, as_black, as_white: counts.
        share: points a game with its 95 % interval (Wilson on pairs).
        head_to_head: points from games against engines with equal points; None when nobody has.
        sonneborn_berger: see the module.
        board_margin, final_margin: mean from the engine's side with its 95 % t interval on pairs.
        forfeits: games lost by a fault of its own, by reason.
        time: its use of time.
        points: those of `total`, and those of byes.
        byes: how many byes it had.
        buchholz: see the module; None outside Swiss.
        place: by the format's own measure; None where points decide.
        by_discipline: counts by game, in the order of `Results.disciplines`; empty in an event of one game.
    """

    rank: int
    is_shared: bool
    engine: str
    is_disqualified: bool
    total: Score
    as_black: Score
    as_white: Score
    share: Estimate
    head_to_head: float | None
    sonneborn_berger: float
    board_margin: Estimate
    final_margin: Estimate
    forfeits: Mapping[str, int]
    time: TimeUse
    points: float = 0.0
    byes: int = 0
    buchholz: float | None = None
    place: int | None = None
    by_discipline: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, best first, and what belongs beside it.

    Attributes:
        lines: one for each engine.
        cross: `cross[i][j]` is what `lines[i]` made against `lines[j]`; None where they have not met.
    """

    lines: tuple[Standing, ...]
    cross: tuple[tuple[Score | None, ...], ...]


def standings(results: Results) -> Standings:
    """Compute the whole table."""
    counts = _counts(results)
    matrix = (counts[:, _WINS] + counts[:, _DRAWS] / 2).sum(axis=0)
    byes = np.array(results.byes or [0] * len(results.engines))
    points = matrix.sum(axis=1) + byes * results.bye_points
    berger = matrix @ points
    buchholz = counts[:, _GAMES].sum(axis=0) @ points + byes * results.bye_games * points
    head_to_head = _head_to_head(points, matrix)
    order, ranks = _ranking(
        results, points, head_to_head, [berger, buchholz * results.is_swiss, counts[1, _WINS].sum(axis=1)]
    )
    by_discipline = _by_discipline(results)

    times = _times(results)
    engine = np.concatenate([results.black, results.white])
    clusters = Clusters(engine, np.concatenate([results.pair, results.pair]), len(results.engines))
    shares = clusters.shares(np.concatenate([results.black_points, results.white_points]))
    board = clusters.means(np.concatenate([results.board_margin, -results.board_margin]))
    final = clusters.means(np.concatenate([results.final_margin, -results.final_margin]))
    forfeits = _forfeits(results)

    lines = tuple(
        Standing(
            rank=int(ranks[i]),
            is_shared=int(np.sum(ranks == ranks[i])) > 1,
            engine=results.engines[i],
            is_disqualified=results.engines[i] in results.disqualified,
            total=_score(counts[:, :, i].sum(axis=(0, 2))),
            as_black=_score(counts[0, :, i].sum(axis=1)),
            as_white=_score(counts[1, :, i].sum(axis=1)),
            share=shares[i],
            head_to_head=head_to_head[i],
            sonneborn_berger=float(berger[i]),
            board_margin=board[i],
            final_margin=final[i],
            forfeits=forfeits[i],
            time=times[i],
            points=float(points[i]),
            byes=int(byes[i]),
            buchholz=float(buchholz[i]) if results.is_swiss else None,
            place=None if results.places is None else results.places[i],
            by_discipline=by_discipline[i],
        )
        for i in order
    )
    cross = tuple(tuple(_meeting(counts, i, j) for j in order) for i in order)
    return Standings(lines, cross)


_GAMES, _WINS, _DRAWS, _FAILED = range(4)


def _by_discipline(results: Results) -> list[tuple[Score, ...]]:
    """Count each engine's games by the game they are of."""
    size = len(results.engines)
    if results.discipline is None:
        return [()] * size
    counts = [
        _counts(results, results.discipline == place).sum(axis=(0, 3))
        for place in range(len(results.disciplines))
    ]
    return [tuple(_score(count[:, engine]) for count in counts) for engine in range(size)]


def _counts(results: Results, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Count games by [colour of the engine, what of the four above, engine, opponent].

    All games are counted, or those chosen.
    """
    size = len(results.engines)
    cell = results.black * size + results.white
    every = np.ones(len(results), dtype=bool) if chosen is None else chosen
    failed = results.black_points + results.white_points == 0
    draws = results.black_points == 0.5

    def count(which: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(cell[which & every], minlength=size * size).reshape(size, size).astype(np.float64)

    games = count(every)
    black = [games, count(results.black_points == 1), count(draws), count(failed)]
    white = [games.T, count(results.white_points == 1).T, count(draws).T, count(failed).T]
    return np.array([black, white])


def _score(counts: NDArray[np.float64]) -> Score:
    games, wins, draws, failed = counts.tolist()
    return Score(
        games=int(games),
        points=wins + draws / 2,
        wins=int(wins),
        draws=int(draws),
        losses=int(games - wins - draws - failed),
        failed=int(failed),
    )


def _meeting(counts: NDArray[np.float64], engine: int, opponent: int) -> Score | None:
    """Return what `engine` made against `opponent`, None when they have not met."""
    met = counts[:, :, engine, opponent].sum(axis=0)
    return _score(met) if engine != opponent and met[_GAMES] else None


def _head_to_head(points: Floats, matrix: NDArray[np.float64]) -> list[float | None]:
    """Return each engine's points from games against engines with equal points."""
    tied = points[:, None] == points[None, :]  # sums of halves are exact
    np.fill_diagonal(tied, val=False)
    sums = np.where(tied, matrix, 0.0).sum(axis=1)
    return [float(value) if among.any() else None for value, among in zip(sums, tied, strict=True)]


def _ranking(
    results: Results, points: Floats, head_to_head: list[float | None], further: list[Floats]
) -> tuple[list[int], Integers]:
    """Return the engines in order, and for each engine (in the event's order) its rank.

    `further` are the tie-breaks after head-to-head, larger is better.
    """
    engines = results.engines
    keys = [
        (
            0 if results.places is None else results.places[i],
            -float(points[i]),
            -(head_to_head[i] or 0.0),
            *(-float(measure[i]) for measure in further),
        )
        for i in range(len(engines))
    ]
    order = sorted(range(len(engines)), key=lambda i: (keys[i], engines[i]))
    ranks = np.zeros(len(engines), dtype=np.int64)
    for place, i in enumerate(order):
        above = order[place - 1] if place else None
        ranks[i] = ranks[above] if above is not None and keys[above] == keys[i] else place + 1
    return order, ranks


def _forfeits(results: Results) -> list[dict[str, int]]:
    """Count for each engine the games it lost by a fault of its own, the commonest reason first."""
    charged = results.at_fault != NOBODY
    loser = np.where(results.at_fault == 0, results.black, results.white)[charged]
    kinds = len(results.reasons)
    counts = np.bincount(loser * kinds + results.reason[charged], minlength=len(results.engines) * kinds)
    table = counts.reshape(len(results.engines), kinds) if kinds else counts.reshape(len(results.engines), 0)
    return [
        {
            results.reasons[k]: int(row[k])
            for k in sorted(range(kinds), key=lambda k: (-int(row[k]), results.reasons[k]))
            if row[k]
        }
        for row in table
    ]


def _times(results: Results) -> list[TimeUse]:
    size = len(results.engines)
    moves, total, games, share_sum, longest, highest = np.zeros((6, size))
    for side, engine in enumerate((results.black, results.white)):
        spent, granted = results.spent_us[side], results.granted_us[side]
        moves += np.bincount(engine, results.moves[side], size)
        total += np.bincount(engine, spent, size)
        np.maximum.at(longest, engine, results.longest_us[side].astype(np.float64))
        limited = granted > 0
        shares = spent[limited] / granted[limited]
        games += np.bincount(engine[limited], minlength=size)
        share_sum += np.bincount(engine[limited], shares, size)
        np.maximum.at(highest, engine[limited], shares)
    return [
        TimeUse(
            moves=int(moves[i]),
            mean_s=float(total[i] / moves[i] / 1e6) if moves[i] else None,
            longest_s=float(longest[i] / 1e6) if moves[i] else None,
            mean_share=float(share_sum[i] / games[i]) if games[i] else None,
            highest_share=float(highest[i]) if games[i] else None,
        )
        for i in range(size)
    ]
