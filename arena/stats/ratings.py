"""Ratings of many engines from any set of games, on the Elo scale.

Model: Bradley & Terry (Biometrika 1952) with draws as Davidson (JASA 1970, equation 2.4) and the first move
as Davidson & Beaver (Biometrics 1977, equation 2.2). With strengths `theta` (natural logarithms), Black's
advantage `delta` and the draw parameter `nu`, for `eta = theta_black - theta_white + delta`

    P(Black wins) : P(draw) : P(White wins)  =  e^(eta/2) : nu : e^(-eta/2).

This is Davidson & Beaver's pi_i : nu' sqrt(pi_i pi_j) : gamma pi_j with delta = -log gamma and nu =
nu'/sqrt(gamma). Where no game was drawn the draw term is dropped.

Estimates are the maximum of likelihood times a weak prior: each engine brings half a drawn game, shared
among its opponents in proportion to the games it played against them (for two engines this is Jeffreys'
prior, Firth, Biometrika 1993); one such game each for Black's advantage and for the draw parameter. So an
engine that won everything gets a finite number.

Intervals: cluster-robust sandwich (Liang & Zeger, Biometrika 1986; finite-sample factor G/(G-1)) with the
pair as the cluster, times 1.96. Where an engine took part in few pairs, the larger of this and the inverse
information. Where no chain of points leads from one engine back to the other (Ford, Amer. Math. Monthly
1957), the curvature says nothing, and the interval is that of the profile of likelihood times prior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, sparse, stats
from scipy.sparse import csgraph
from scipy.sparse.linalg import lsqr

from arena.stats.elo import ELO_PER_NAT
from arena.stats.estimate import Estimate, Interval
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

FEW_PAIRS = 20
"""Below that many pairs an engine's own scatter is too uncertain to be believed when it is small."""

_PART_GAMES = 50_000
_NEWTON_STEPS = 100
_CONVERGED = 1e-8
_ROUNDING = 1e-12
_CLOSE_NATS = 1e-3
_FARTHEST = 40.0
"""Nats (about 6,900 Elo) beyond which a profile is not followed."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One engine's rating.

    Attributes:
        player: index of the engine.
        elo: Elo relative to the group's anchor, whose number is `Group.anchor_elo`.
        interval: of the difference to the anchor, shifted by the anchor's number; None for the anchor itself.
        games, pairs: games and pairs (clusters) it took part in.
        score: its score share.
        note: e.g. that it won everything; empty when nothing.
    """

    player: int
    elo: float
    interval: Interval | None
    games: int
    pairs: int
    score: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Engines that are linked by games; between groups nothing can be said.

    Attributes:
        anchor: index of the engine that the others are measured against.
        anchor_elo: its number, by definition.
        ratings: strongest first.
    """

    anchor: int
    anchor_elo: float
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class Ratings:
    """The result of `rate`.

    Attributes:
        groups: largest first; an engine without games forms no group.
        superiority: row engine against column engine: probability of being the stronger, in [0, 1]; None on
            the diagonal and where the two were never linked.
        black_elo: Elo advantage of the side that starts.
        draw_share: share of draws between equal engines without a first-move advantage; None when the draw
            term was dropped.
        notes: sentences that belong to the table.
    """

    groups: tuple[Group, ...]
    superiority: tuple[tuple[float | None, ...], ...]
    black_elo: Estimate
    draw_share: Estimate
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Terms:
    """The likelihood as rows: each row is one kind of game, real or virtual.

    Attributes:
        design: eta of each row as a combination of (theta_0 …, delta), shape (rows, players + 1).
        wins, draws, losses: weights, for the side whose sign is plus.
        can_draw: 1.0 where the row's game has a draw term, 0.0 where not.
    """

    design: NDArray[np.float64]
    wins: NDArray[np.float64]
    draws: NDArray[np.float64]
    losses: NDArray[np.float64]
    can_draw: NDArray[np.float64]


def _solve(system: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        return np.asarray(np.linalg.solve(system, right))
    except np.linalg.LinAlgError:
        # Without a prior some direction may be left open; the shortest step does not move in it.
        return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0])


class _Model:
    """Likelihood times prior in (theta_0 …, delta, log nu); the last is absent without draws."""

    def __init__(self, terms: _Terms, flat: NDArray[np.float64], has_draws: bool) -> None:
        self.terms = terms
        self.flat = flat
        self.has_draws = has_draws
        self.size = terms.design.shape[1] + has_draws

    def _probabilities(self, parameters: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        columns = self.terms.design.shape[1]
        eta = self.terms.design @ parameters[:columns]
        rate = self.terms.can_draw * (math.exp(parameters[-1]) if self.has_draws else 0.0)
        # Scaled by the larger of the two winning weights: no overflow for any eta.
        scale = np.exp(-np.abs(eta))
        win, loss = np.where(eta >= 0, 1.0, scale), np.where(eta >= 0, scale, 1.0)
        draw = rate * np.exp(-np.abs(eta) / 2)
        total = win + draw + loss
        return win / total, draw / total, loss / total

    def value(self, parameters: NDArray[np.float64]) -> float:
        terms = self.terms
        result = 0.0
        for weights, chances in zip(
            (terms.wins, terms.draws, terms.losses), self._probabilities(parameters), strict=True
        ):
            seen = weights > 0
            with np.errstate(divide="ignore"):
                result += float(weights[seen] @ np.log(chances[seen]))
        return result

    def slopes(self, parameters: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return gradient and information (minus the second derivatives)."""
        terms = self.terms
        win, draw, loss = self._probabilities(parameters)
        count = terms.wins + terms.draws + terms.losses
        tilt = (win - loss) / 2
        lean = (terms.wins - terms.losses) / 2 - count * tilt
        spread = count * ((win + loss) / 4 - tilt**2)
        gradient = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        columns = terms.design.shape[1]
        gradient[:columns] = terms.design.T @ lean
        information[:columns, :columns] = terms.design.T @ (spread[:, None] * terms.design)
        if self.has_draws:
            gradient[-1] = float(np.sum(terms.draws - count * draw))
            information[-1, -1] = float(np.sum(count * draw * (1 - draw)))
            mixed = terms.design.T @ (-count * tilt * draw)
            information[:columns, -1] = mixed
            information[-1, :columns] = mixed
        return gradient, information

    def residuals(
        self, design: NDArray[np.float64], points: NDArray[np.float64], parameters: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what each of the games given says beyond its expectation: of eta, and of log nu."""
        none = np.zeros(len(points))
        rows = _Terms(design, none, none, none, np.ones(len(points)))
        win, draw, loss = _Model(rows, self.flat, self.has_draws)._probabilities(parameters)
        return (points - 0.5) - (win - loss) / 2, (points == 0.5) - draw

    def maximise(
        self, free: NDArray[np.float64], offset: NDArray[np.float64], start: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """Maximise over parameters `free @ q + offset` by Newton's method with halved steps.

        `flat` holds one row for each group: the direction in which its thetas may be shifted together. The
        gradient has no part in it, so adding its square to the information only makes the system solvable.
        """
        q = np.zeros(free.shape[1]) if start is None else start
        parameters = free @ q + offset
        value = self.value(parameters)
        flat = self.flat @ free
        for _ in range(_NEWTON_STEPS):
            gradient, information = self.slopes(parameters)
            system = free.T @ information @ free + flat.T @ flat
            step = _solve(system, free.T @ gradient)
            factor, trial = 1.0, parameters
            trial_value = -math.inf
            # Near the maximum values differ by rounding only; there a full step is right.
            while trial_value < value - _ROUNDING * (1 + abs(value)) and factor > _ROUNDING:
                trial = free @ (q + factor * step) + offset
                trial_value = self.value(trial)
                factor /= 2
            q = q + 2 * factor * step
            parameters, value = trial, trial_value
            if float(np.max(np.abs(step))) <= _CONVERGED:
                break
        return parameters, value


def _check(
    players: int,
    black: NDArray[np.int64],
    white: NDArray[np.int64],
    points: NDArray[np.float64],
    can_draw: bool,
) -> None:
    if not black.shape == white.shape == points.shape or black.ndim != 1:
        raise ValueError("black, white and points must be lists of one length")
    for name, side in (("black", black), ("white", white)):
        if side.size and not (side.min() >= 0 and side.max() < players):
            raise ValueError(f"{name}: every player must be an index from 0 to {players - 1}")
    if np.any(black == white):
        raise ValueError("a game of an engine against itself says nothing on strength and cannot be rated")
    if not np.all((points == 0) | (points == 0.5) | (points == 1)):
        raise ValueError("points: a game gives Black 0, 0.5 or 1")
    if not can_draw and np.any(points == 0.5):
        raise ValueError("points: a draw in a game that cannot be drawn")


def _tally(
    players: int,
    black: NDArray[np.int64],
    white: NDArray[np.int64],
    points: NDArray[np.float64],
    prior: float,
    draws: bool,
) -> _Terms:
    """Collect games into rows, and add the virtual games of the prior."""
    cells = ((points * 2).astype(np.int64) * players + black) * players + white
    table = np.bincount(cells, minlength=3 * players**2).astype(np.float64).reshape(3, players, players)
    met = np.argwhere(table.sum(axis=0) > 0)
    games = table.sum(axis=0) + table.sum(axis=0).T
    together = np.argwhere(np.triu(games) > 0)
    extra = 2 if draws else 1
    design = np.zeros((len(met) + len(together) + extra, players + 1))
    wins, drawn, losses, can_draw = (np.zeros(len(design)) for _ in range(4))
    real = np.arange(len(met))
    design[real, met[:, 0]] = 1
    design[real, met[:, 1]] = -1
    design[real, -1] = 1
    losses[real], drawn[real], wins[real] = (level[met[:, 0], met[:, 1]] for level in table)
    can_draw[real] = float(draws)
    virtual = len(met) + np.arange(len(together))
    first, second = together[:, 0], together[:, 1]
    design[virtual, first] = 1
    design[virtual, second] = -1
    played = games.sum(axis=1)
    weight = prior * games[first, second] * (1 / played[first] + 1 / played[second])
    wins[virtual] = losses[virtual] = weight / 2
    colour = len(met) + len(together)
    design[colour, -1] = 1
    wins[colour] = losses[colour] = prior
    if draws:
        # Between equals, half of it drawn and half of it decided.
        can_draw[-1] = 1
        drawn[-1] = prior
        wins[-1] = losses[-1] = prior / 2
    return _Terms(design, wins, drawn, losses, can_draw)


def _parts(clusters: NDArray[np.int64]) -> Iterator[slice]:
    """Yield slices of about `_PART_GAMES` games, none of which divides a pair, so that memory stays small.

    Args:
        clusters: number of each game's pair, ascending.
    """
    start = 0
    while start < len(clusters):
        last = clusters[min(start + _PART_GAMES, len(clusters)) - 1]
        stop = int(np.searchsorted(clusters, last, side="right"))
        yield slice(start, stop)
        start = stop


class _Fit:
    """The fitted model and what is asked of it."""

    def __init__(
        self,
        players: int,
        games: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
        prior: float,
        groups: NDArray[np.int64],
    ) -> None:
        black, white, points, _ = games
        draws = bool(np.any(points == 0.5))
        terms = _tally(players, black, white, points, prior, draws)
        flat = np.zeros((int(groups.max(initial=-1)) + 1, players + 1 + draws))
        flat[groups, np.arange(players)] = 1
        self.model = _Model(terms, flat, draws)
        size = self.model.size
        self.parameters, self.best = self.model.maximise(np.eye(size), np.zeros(size))
        information = self.model.slopes(self.parameters)[1]
        inverse = np.linalg.pinv(information + flat.T @ flat, hermitian=True)
        self.plain = inverse
        self.robust = inverse @ self._scatter(players, games) @ inverse

    def _scatter(
        self,
        players: int,
        games: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
    ) -> NDArray[np.float64]:
        """Return the sum over pairs of the outer product of their scores, times G/(G-1)."""
        black, white, points, clusters = games
        kinds = np.flatnonzero(np.bincount(black * players + white, minlength=players**2))
        kind_of = np.zeros(players**2, dtype=np.int64)
        kind_of[kinds] = np.arange(len(kinds))
        rows = np.zeros((len(kinds), players + 1))
        rows[np.arange(len(kinds)), kinds // players] = 1
        rows[np.arange(len(kinds)), kinds % players] = -1
        rows[:, -1] = 1
        residuals = np.array(
            [
                self.model.residuals(rows, np.full(len(kinds), result), self.parameters)
                for result in (0.0, 0.5, 1.0)
            ]
        )
        scatter = np.zeros((self.model.size, self.model.size))
        for part in _parts(clusters):
            result, kind = (2 * points[part]).astype(np.int64), kind_of[black[part] * players + white[part]]
            lean, drawn = residuals[result, 0, kind], residuals[result, 1, kind]
            entries = [(black[part], lean), (white[part], -lean), (np.full(len(lean), players), lean)]
            if self.model.has_draws:
                entries.append((np.full(len(lean), players + 1), drawn))
            inside = clusters[part] - clusters[part.start]
            scores = sparse.coo_array(
                (
                    np.concatenate([amount for _, amount in entries]),
                    (np.tile(inside, len(entries)), np.concatenate([column for column, _ in entries])),
                ),
                shape=(int(inside[-1]) + 1, self.model.size),
            ).tocsr()
            scatter += (scores.T @ scores).toarray()
        count = int(clusters[-1]) + 1
        return scatter * (count / (count - 1) if count > 1 else 1.0)

    def deviation(self, contrast: NDArray[np.float64], trusted: bool) -> float:
        """Return the standard error of a contrast; `trusted` when its own scatter may make it small."""
        robust = float(contrast @ self.robust @ contrast)
        plain = float(contrast @ self.plain @ contrast)
        return math.sqrt(max(robust, 0.0) if trusted else max(robust, plain))

    def _restricted(self, contrast: NDArray[np.float64], amount: float) -> float:
        """Return the maximum when the contrast (entries 1 and -1, or a single 1) is held at `amount`."""
        held = int(np.argmax(contrast))
        free = np.eye(self.model.size)
        if (contrast < 0).any():
            free[held, int(np.argmin(contrast))] = 1
        free = np.delete(free, held, axis=1)
        offset = np.zeros(self.model.size)
        offset[held] = amount
        start = np.delete(self.parameters, held)
        return self.model.maximise(free, offset, start)[1]

    def profile_limits(self, contrast: NDArray[np.float64], level: float) -> tuple[float, float]:
        """Return where twice the profile's fall reaches the chi-square quantile; infinite if nowhere."""
        cut = float(stats.chi2.ppf(level, 1))
        centre = float(contrast @ self.parameters)

        def beyond(amount: float) -> float:
            fall = max(self.best - self._restricted(contrast, amount), 0.0)
            return math.sqrt(2 * fall) - math.sqrt(cut)

        ends = []
        for sign in (-1.0, 1.0):
            inner, outer = 0.0, 1.0
            while outer < _FARTHEST and beyond(centre + sign * outer) < 0:
                inner, outer = outer, outer * 2
            if outer >= _FARTHEST:
                ends.append(sign * math.inf)
                continue
            root = optimize.brentq(beyond, centre + sign * inner, centre + sign * outer, xtol=_CLOSE_NATS)
            ends.append(float(root))
        return ends[0], ends[1]

    def signed_root(self, contrast: NDArray[np.float64]) -> float:
        """Return the signed root of twice the fall of the profile at zero."""
        fall = max(self.best - self._restricted(contrast, 0.0), 0.0)
        return math.copysign(math.sqrt(2 * fall), float(contrast @ self.parameters))


def rate(
    players: int,
    black: ArrayLike,
    white: ArrayLike,
    points: ArrayLike,
    pairs: ArrayLike | None = None,
    *,
    anchor: int = 0,
    anchor_elo: float = 0.0,
    can_draw: bool = True,
    virtual_games: float = 0.5,
    level: float = 0.95,
) -> Ratings:
    """Rate engines by their games.

    Args:
        players: how many engines there are; they are the indices 0 to players - 1.
        black: who had Black, one entry a game.
        white: who had White.
        points: Black's points, 0, 0.5 or 1.
        pairs: label (integer) of the pair each game belongs to; None when games stand alone.
        anchor: the engine that the numbers are relative to. Groups without it use their engine with most
            games.
        anchor_elo: the number given to the anchor of each group.
        can_draw: whether the game can be drawn.
        virtual_games: the prior's weight, drawn games an engine; 0 switches it off (then separated data
            have no finite answer and the result is meaningless: for comparison with other programs only).
        level: of the intervals.

    Raises:
        ValueError: lists of different lengths, an unknown player, points that are none.
    """
    blacks = np.asarray(black, dtype=np.int64)
    whites = np.asarray(white, dtype=np.int64)
    gains = np.asarray(points, dtype=np.float64)
    _check(players, blacks, whites, gains, can_draw)
    if not 0 <= anchor < players:
        raise ValueError(f"anchor {anchor}: an index from 0 to {players - 1} is needed")
    if gains.size == 0:
        nothing = Estimate(None, None, "no games")
        empty: tuple[tuple[float | None, ...], ...] = ((None,) * players,) * players
        return Ratings((), empty, nothing, nothing, ("No games: there is nothing to rate.",))
    labels = np.arange(gains.size) if pairs is None else np.asarray(pairs)
    if np.any(labels[1:] < labels[:-1]):
        in_order = np.argsort(labels, kind="stable")
        blacks, whites = blacks[in_order], whites[in_order]
        gains, labels = gains[in_order], labels[in_order]
    clusters = np.zeros(gains.size, dtype=np.int64)
    np.cumsum(labels[1:] != labels[:-1], out=clusters[1:])

    def met(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how often the row's engine had Black against the column's, in the games chosen."""
        found = np.bincount(blacks[chosen] * players + whites[chosen], minlength=players**2)
        return found.reshape(players, players)

    scored, conceded = met(gains > 0), met(gains < 1)
    linked = sparse.csr_array(scored + conceded)
    groups = csgraph.connected_components(linked, directed=False)[1].astype(np.int64)
    chained = csgraph.connected_components(
        sparse.csr_array(scored + conceded.T), directed=True, connection="strong"
    )[1]

    fit = _Fit(players, (blacks, whites, gains, clusters), virtual_games, groups)
    games = np.bincount(blacks, minlength=players) + np.bincount(whites, minlength=players)
    totals = np.bincount(blacks, gains, players) + np.bincount(whites, 1 - gains, players)
    pair_counts = np.zeros(players, dtype=np.int64)
    for part in _parts(clusters):
        sides = np.concatenate([blacks[part], whites[part]])
        took_part = np.unique(np.tile(clusters[part], 2) * players + sides) % players
        pair_counts += np.bincount(took_part, minlength=players)

    def contrast(first: int, second: int) -> NDArray[np.float64]:
        row = np.zeros(fit.model.size)
        row[first], row[second] = 1, -1
        return row

    def trusted(first: int, second: int) -> bool:
        return bool(min(pair_counts[first], pair_counts[second]) >= FEW_PAIRS)

    z = float(stats.norm.ppf((1 + level) / 2))
    found: list[Group] = []
    for number in np.unique(groups[games > 0]):
        members = [int(player) for player in np.flatnonzero(groups == number)]
        base = anchor if anchor in members else max(members, key=lambda player: (games[player], -player))
        ratings = []
        for player in members:
            score = float(totals[player] / games[player])
            note = {0.0: "lost every game", 1.0: "won every game"}.get(score, "")
            interval = None
            difference = 0.0
            if player != base:
                row = contrast(player, base)
                difference = float(row @ fit.parameters)
                if chained[player] == chained[base]:
                    half = z * fit.deviation(row, trusted(player, base))
                    ends = (difference - half, difference + half)
                    method = "sandwich clustered by pair"
                else:
                    ends = fit.profile_limits(row, level)
                    method = "profile of likelihood and prior"
                    note = (
                        note or "no chain of points to the anchor and back: the prior limits the difference"
                    )
                interval = Interval(
                    anchor_elo + ELO_PER_NAT * ends[0],
                    anchor_elo + ELO_PER_NAT * ends[1],
                    level,
                    f"{method}, fixed sample",
                )
            ratings.append(
                Rating(
                    player,
                    anchor_elo + ELO_PER_NAT * difference,
                    interval,
                    int(games[player]),
                    int(pair_counts[player]),
                    score,
                    note,
                )
            )
        ratings.sort(key=lambda rating: (-rating.elo, rating.player))
        found.append(Group(base, anchor_elo, tuple(ratings)))
    found.sort(key=lambda group: (-len(group.ratings), group.anchor))

    table: list[list[float | None]] = [[None] * players for _ in range(players)]
    for first in range(players):
        for second in range(first):
            if groups[first] != groups[second]:
                continue
            row = contrast(first, second)
            if chained[first] == chained[second]:
                error = fit.deviation(row, trusted(first, second))
                root = float(row @ fit.parameters) / error if error > 0 else 0.0
            else:
                root = fit.signed_root(row)
            chance = float(stats.norm.cdf(root))
            table[first][second], table[second][first] = chance, 1 - chance

    confounded = _is_confounded(players, blacks, whites)
    return Ratings(
        groups=tuple(found),
        superiority=tuple(tuple(row) for row in table),
        black_elo=_black_advantage(fit, players, gains, level, confounded),
        draw_share=_draw_share(fit, level),
        notes=_notes(found, games, anchor, confounded, fit.model.has_draws, can_draw),
    )


def _is_confounded(players: int, blacks: NDArray[np.int64], whites: NDArray[np.int64]) -> bool:
    """Say whether some set of strengths would look exactly like an advantage of Black."""
    kinds = np.unique(blacks * players + whites)
    index = np.arange(len(kinds))
    design = sparse.coo_array(
        (
            np.concatenate([np.ones(len(kinds)), -np.ones(len(kinds))]),
            (np.tile(index, 2), np.concatenate([kinds // players, kinds % players])),
        ),
        shape=(len(kinds), players),
    ).tocsr()
    solution = lsqr(design, np.ones(len(kinds)), atol=1e-12, btol=1e-12)[0]
    return bool(np.max(np.abs(design @ solution - 1)) < 1e-6)


def _black_advantage(
    fit: _Fit, players: int, points: NDArray[np.float64], level: float, confounded: bool
) -> Estimate:
    row = np.zeros(fit.model.size)
    row[players] = 1
    value = ELO_PER_NAT * float(fit.parameters[players])
    if confounded:
        return Estimate(None, None, "colours were not swapped: it cannot be told from strength")
    if points.min() == points.max() != 0.5:
        low, high = fit.profile_limits(row, level)
        side = "Black" if points[0] == 1 else "White"
        interval = Interval(
            ELO_PER_NAT * low, ELO_PER_NAT * high, level, "profile of likelihood and prior, fixed sample"
        )
        return Estimate(value, interval, f"{side} won every game: the prior limits the advantage")
    half = (
        float(stats.norm.ppf((1 + level) / 2))
        * ELO_PER_NAT
        * fit.deviation(row, len(points) >= 2 * FEW_PAIRS)
    )
    return Estimate(
        value, Interval(value - half, value + half, level, "sandwich clustered by pair, fixed sample")
    )


def _draw_share(fit: _Fit, level: float) -> Estimate:
    if not fit.model.has_draws:
        return Estimate(None, None, "no draws: the draw term is left out")
    row = np.zeros(fit.model.size)
    row[-1] = 1
    middle = float(fit.parameters[-1])
    half = float(stats.norm.ppf((1 + level) / 2)) * fit.deviation(row, trusted=False)
    value, low, high = (
        1 / (1 + 2 * math.exp(-log_rate)) for log_rate in (middle, middle - half, middle + half)
    )
    return Estimate(value, Interval(low, high, level, "sandwich clustered by pair, fixed sample"))


def _notes(
    found: list[Group],
    games: NDArray[np.int64],
    anchor: int,
    confounded: bool,
    has_draws: bool,
    can_draw: bool,
) -> tuple[str, ...]:
    notes = []
    if len(found) > 1:
        notes.append(
            f"{len(found)} groups of engines never met, not even through others: "
            "ratings compare within a group only."
        )
        if any(group.anchor != anchor for group in found):
            notes.append("A group without the chosen anchor is measured against its engine with most games.")
    if not games[anchor]:
        notes.append(
            "The chosen anchor played no game: each group is measured against its engine with most games."
        )
    if idle := int(np.count_nonzero(games == 0)):
        notes.append(f"{counted(idle, 'engine')} without games: not rated.")
    if confounded:
        notes.append(
            "Colours were not swapped: an advantage of Black cannot be told from strength; "
            "the prior shares it out."
        )
    if can_draw and not has_draws:
        notes.append("No game was drawn: the draw term is left out.")
    return tuple(notes)
