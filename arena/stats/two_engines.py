"""Two engines against each other: score, Elo, likelihood of superiority, draws, colour.

Pairs (one opening, colours swapped) are the unit wherever there are any: the two games of a pair are not
independent, and the pair's score already contains what the opening and the colours did to both. Figures
from single games take them for independent and are given beside them for comparison.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from arena.stats.bounded_mean import likelihood_interval, log_ratio
from arena.stats.elo import NORMALIZED_ELO_UNIT, elo_of_share
from arena.stats.estimate import Estimate, Interval
from arena.stats.sprt import GAME_SCORES, PAIR_SCORES
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Record:
    """Wins, draws and losses of the first engine."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Games counted."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Strength:
    """How the first engine stands to the second, from one kind of unit.

    Attributes:
        unit: `pairs` or `games`.
        counts: how often each score was seen, least first: five numbers for pairs, three for games.
        score: score share in [0, 1].
        elo: Elo difference, first minus second.
        normalized_elo: the same divided by the scatter of a game (`arena.stats.elo`).
        superiority: likelihood of superiority in [0, 1].
    """

    unit: str
    counts: tuple[int, ...]
    score: Estimate
    elo: Estimate
    normalized_elo: Estimate
    superiority: Estimate


@dataclass(frozen=True, slots=True)
class TwoEngines:
    """Everything that is said about a match, from the first engine's side.

    Attributes:
        total, as_black, as_white: the record in all games and by colour.
        by_pairs: from complete pairs; None when there are none.
        by_games: from all games, taken as independent.
        draws: share of drawn games.
        black: share of the points that went to the side that starts; above 1/2 it has the advantage.
        notes: sentences that belong to the table.
    """

    total: Record
    as_black: Record
    as_white: Record
    by_pairs: Strength | None
    by_games: Strength
    draws: Estimate
    black: Estimate
    notes: tuple[str, ...]


def _all(count: int, units: str) -> str:
    return f"the only {units.removesuffix('s')}" if count == 1 else f"all {count} {units}"


def strength(counts: ArrayLike, level: float = 0.95) -> Strength:
    """Return the figures for five counts of pairs or three counts of games.

    Score: mean and likelihood-ratio interval (`arena.stats.bounded_mean`). Elo: the logistic transform of
    both. Normalized Elo: `(mean - 1/2) / (deviation sqrt(games a unit))`; its error is that of a
    standardised mean with the sample's skewness and kurtosis (Mertens, *Comments on variance of the IID
    estimator in Lo*, 2002). Superiority: normal probability of the signed root of twice L(1/2)
    (Barndorff-Nielsen & Cox, *Inference and Asymptotics*, 1994, section 3.2), which is finite for one-sided
    results too.

    Raises:
        ValueError: neither three nor five counts, or a negative one.
    """
    numbers = np.asarray(counts, dtype=np.float64)
    if numbers.shape not in {(3,), (5,)} or np.any(numbers < 0):
        raise ValueError(
            f"counts {counts!r}: three counts of games or five of pairs are needed, none negative"
        )
    points = np.array(PAIR_SCORES if numbers.size == 5 else GAME_SCORES)
    unit = "pairs" if numbers.size == 5 else "games"
    plain = tuple(int(number) for number in numbers)
    total = sum(plain)
    if total == 0:
        nothing = Estimate(None, None, f"no {unit} yet")
        return Strength(unit, plain, nothing, nothing, nothing, nothing)
    mean = float(numbers @ points / total)
    variance = float(numbers @ (points - mean) ** 2 / total)
    interval = likelihood_interval(numbers, points, level)
    note = ""
    if interval is None:
        note = f"one {unit.removesuffix('s')}: no interval can be given"
    elo_interval = None
    if interval is not None:
        elo_interval = Interval(
            elo_of_share(interval.low), elo_of_share(interval.high), level, interval.method
        )
    elo_note = note
    if not note and mean in (0.0, 1.0):
        won, side = ("won", "upper") if mean == 1 else ("lost", "lower")
        elo_note = f"{_all(total, unit)} {won}: the difference has no {side} limit"
    elif not note and variance == 0 and mean == 0.5:
        elo_note = f"{_all(total, unit)} ended level: no sign of a difference"
    root = math.copysign(math.sqrt(2 * float(log_ratio(numbers, points, 0.5))), mean - 0.5)
    superiority_note = note and f"one {unit.removesuffix('s')} says next to nothing"
    if mean == 0.5:
        root = 0.0
        superiority_note = superiority_note or "score exactly even"
    return Strength(
        unit,
        plain,
        Estimate(mean, interval, note),
        Estimate(elo_of_share(mean), elo_interval, elo_note),
        _normalized(numbers, points, level),
        Estimate(float(special.ndtr(root)), None, superiority_note),
    )


def _normalized(
    numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    points: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    level: float,
) -> Estimate:
    total = float(numbers.sum())
    mean = float(numbers @ points / total)
    deviation = math.sqrt(float(numbers @ (points - mean) ** 2 / total))
    if deviation == 0:
        return Estimate(None, None, "all results equal: no scatter to measure the difference by")
    unit = NORMALIZED_ELO_UNIT / math.sqrt(2 if numbers.size == 5 else 1)
    ratio = (mean - 0.5) / deviation
    standardised = (points - mean) / deviation
    skewness = float(numbers @ standardised**3 / total)
    kurtosis = float(numbers @ standardised**4 / total)
    # Not negative for any distribution: kurtosis >= 1 + skewness^2.
    variance = (1 - skewness * ratio + (kurtosis - 1) / 4 * ratio**2) / total
    half = float(special.ndtri((1 + level) / 2)) * math.sqrt(max(variance, 0.0))
    interval = Interval(
        (ratio - half) * unit, (ratio + half) * unit, level, "normal approximation, fixed sample"
    )
    note = "few results: rough" if total < 30 else ""
    return Estimate(ratio * unit, interval, note)


def _record(points: Iterable[float]) -> Record:
    seen = Counter(points)
    if strange := set(seen) - set(GAME_SCORES):
        raise ValueError(f"points {min(strange)!r}: a game gives 0, 0.5 or 1")
    return Record(seen[1.0], seen[0.5], seen[0.0])


def _share(values: Sequence[float], level: float, unit: str) -> Estimate:
    """Estimate the mean of shares in {0, 1/4, …, 1}."""
    if not values:
        return Estimate(None, None, "no games yet")
    seen = Counter(values)
    lattice = sorted(seen)
    interval = likelihood_interval([seen[value] for value in lattice], lattice, level)
    note = "" if interval is not None else f"one {unit}: no interval can be given"
    return Estimate(sum(values) / len(values), interval, note)


def two_engines(
    pairs: Sequence[tuple[float, float]],
    single_as_black: Sequence[float] = (),
    single_as_white: Sequence[float] = (),
    level: float = 0.95,
) -> TwoEngines:
    """Return all figures of a match.

    Args:
        pairs: for each complete pair the first engine's points as Black and as White, each 0, 0.5 or 1.
        single_as_black: its points as Black in games whose partner is missing.
        single_as_white: the same as White.
        level: of the intervals.

    Raises:
        ValueError: points other than 0, 0.5 and 1.
    """
    as_black = _record([*(first for first, _ in pairs), *single_as_black])
    as_white = _record([*(second for _, second in pairs), *single_as_white])
    total = Record(
        *(getattr(as_black, name) + getattr(as_white, name) for name in ("wins", "draws", "losses"))
    )
    scores = Counter((first + second) / 2 for first, second in pairs)
    pair_counts = [scores[score] for score in PAIR_SCORES]
    notes = []
    singles = len(single_as_black) + len(single_as_white)
    if pairs:
        draws = _share([((first == 0.5) + (second == 0.5)) / 2 for first, second in pairs], level, "pair")
        black = _share([(1 + first - second) / 2 for first, second in pairs], level, "pair")
        if singles:
            notes.append(
                f"{counted(singles, 'game')} without a partner: counted in the record and by game only"
            )
    else:
        single = [*single_as_black, *single_as_white]
        draws = _share([float(points == 0.5) for points in single], level, "game")
        black = _share([*single_as_black, *(1 - points for points in single_as_white)], level, "game")
        if singles:
            notes.append("no pairs: colours are not balanced by openings, games are taken as independent")
            if not (single_as_black and single_as_white):
                notes.append("one colour only: strength and the advantage of a colour cannot be told apart")
    return TwoEngines(
        total=total,
        as_black=as_black,
        as_white=as_white,
        by_pairs=strength(pair_counts, level) if pairs else None,
        by_games=strength([total.losses, total.draws, total.wins], level),
        draws=draws,
        black=black,
        notes=tuple(notes),
    )
