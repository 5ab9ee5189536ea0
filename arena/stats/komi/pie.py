"""Pie mode: which komi proposers offer, and which side choosers take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.stats.bounded_mean import wilson_interval
from arena.stats.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Offer:
    """One settled pie.

    Attributes:
        komi: the number offered.
        took_black: whether the chooser took Black.
        black_won: whether Black won; None when nobody did.
    """

    komi: int
    took_black: bool
    black_won: bool | None


@dataclass(frozen=True, slots=True)
class PieRow:
    """One komi as it was offered.

    Attributes:
        komi: the number offered.
        offers: how often.
        share: how often among all offers, in [0, 1].
        took_black: share of choosers that took Black.
        chooser_won: share of games that the chooser won, of those that somebody won.
    """

    komi: int
    offers: int
    share: float
    took_black: Estimate
    chooser_won: Estimate


def _proportion(successes: int, trials: int, level: float) -> Estimate:
    if not trials:
        return Estimate(None, None, "no games")
    return Estimate(successes / trials, wilson_interval(successes, trials, level))


def pie_table(offers: Iterable[Offer], level: float = 0.95) -> tuple[PieRow, ...]:
    """Return a row for each komi offered, least first."""
    by_komi: dict[int, list[Offer]] = defaultdict(list)
    for offer in offers:
        by_komi[offer.komi].append(offer)
    total = sum(len(group) for group in by_komi.values())
    rows = []
    for komi, group in sorted(by_komi.items()):
        decided = [offer for offer in group if offer.black_won is not None]
        rows.append(
            PieRow(
                komi,
                len(group),
                len(group) / total,
                _proportion(sum(offer.took_black for offer in group), len(group), level),
                _proportion(
                    sum(offer.black_won == offer.took_black for offer in decided), len(decided), level
                ),
            )
        )
    return tuple(rows)
