"""The fair komi from board margins, where the engines do not heed komi.

Every game of one parity then tells who would have won it at any komi k of that parity: without the button
Black if D > k, with it also if D = k and Black took the button (D the board margin). The fair komi is where
that share passes one half, the median of D with ties decided by the button. Its interval holds the komi at
which a share of one half is not refuted (inverted sign test; Conover, *Practical Nonparametric Statistics*,
3rd ed. 1999, section 3.2), with straight lines between whole komi.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.stats.estimate import Estimate, Interval
from arena.stats.komi import openings
from arena.stats.komi.blindness import Blindness
from arena.stats.komi.games import distinct_plays
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.stats.komi.blindness import BlindnessTest
    from arena.stats.komi.games import KomiGame

METHOD = "inverted sign test on margins, fixed sample"


@dataclass(frozen=True, slots=True)
class MarginEstimate:
    """The fair komi of one parity by margins.

    Attributes:
        parity: remainder of its komi values divided by two.
        plays: distinct plays used.
        location: the fair komi; no value unless the engines were shown not to heed komi.
        shares: Black's share at each komi of the parity within the margins seen, by all plays; empty without.
        words: what can and what cannot be said.
    """

    parity: int
    plays: int
    location: Estimate
    shares: tuple[tuple[int, Estimate], ...]
    words: str

    def share(self, komi: int) -> Estimate | None:
        """Return Black's share at one komi of the parity; None without an estimate."""
        if not self.shares or komi % 2 != self.parity:
            return None
        known = dict(self.shares)
        # Beyond the margins seen, the outermost komi speak: all plays won, or all lost.
        return known[min(max(komi, self.shares[0][0]), self.shares[-1][0])]


def fair_by_margins(
    games: Sequence[KomiGame], parity: int, blindness: BlindnessTest, level: float = 0.95
) -> MarginEstimate:
    """Estimate the fair komi of one parity from the margins of its games (observations only)."""
    if blindness.verdict is not Blindness.BLIND:
        words = f"no estimate from margins: {blindness.words}"
        return MarginEstimate(parity, 0, Estimate(None, None, words), (), words)
    plays = distinct_plays(games)
    labels = [play.opening for play in plays]
    margins = [play.board_margin for play in plays if play.board_margin is not None]
    low, high = min(margins) - 3, max(margins) + 3
    komis = [komi for komi in range(low, high + 1) if komi % 2 == parity]
    shares = tuple(
        (komi, openings.share([float(play.black_would_win(komi)) for play in plays], labels, level))
        for komi in komis
    )
    values = [estimate.value for _, estimate in shares if estimate.value is not None]
    left = _passes(komis, values, 0.5)
    right = -_passes([-komi for komi in reversed(komis)], [1 - value for value in reversed(values)], 0.5)
    value = (left + right) / 2
    bands = [estimate.interval or Interval(0.0, 1.0, level, METHOD) for _, estimate in shares]
    interval = Interval(
        _passes(komis, [band.low for band in bands], 0.5) if bands[0].low > 0.5 else -math.inf,
        -_passes([-komi for komi in reversed(komis)], [1 - band.high for band in reversed(bands)], 0.5)
        if bands[-1].high < 0.5
        else math.inf,
        level,
        METHOD,
    )
    words = f"by {counted(len(plays), 'margin')} fair at {value:.1f} ({interval.text()})"
    return MarginEstimate(parity, len(plays), Estimate(value, interval), shares, words)


def _passes(places: Sequence[float], values: Sequence[float], level: float) -> float:
    """Return where a falling sequence first comes down to `level`, with straight lines between places.

    The first value lies above the level, the last one not.
    """
    for index in range(1, len(values)):
        if values[index] <= level:
            before, after = values[index - 1], values[index]
            part = (before - level) / (before - after)
            return places[index - 1] + part * (places[index] - places[index - 1])
    return places[-1]
