"""Pie mode: which komi proposers offer, which side choosers take, and whether that wins them the game."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from arena.stats.bounded_mean import wilson_interval
from arena.stats.estimate import Estimate
from arena.stats.komi import openings
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Offer:
    """One settled pie.

    Attributes:
        komi: the number offered.
        took_black: whether the chooser took Black.
        black_won: whether Black won; None when the board did not decide the game.
        proposer: who offered; empty when it is one engine against itself.
        opening: label of the opening; games that share it share its luck.
    """

    komi: int
    took_black: bool
    black_won: bool | None
    proposer: str
    opening: str


@dataclass(frozen=True, slots=True)
class PieRow:
    """One komi as one proposer offered it.

    Attributes:
        proposer: see `Offer`.
        komi: the number offered.
        offers: how often.
        share: how often among all offers of this proposer, in [0, 1].
        took_black: share of choosers that took Black.
        chooser_won: share of games that the chooser won, of those decided on the board.
    """

    proposer: str
    komi: int
    offers: int
    share: float
    took_black: Estimate
    chooser_won: Estimate


@dataclass(frozen=True, slots=True)
class PieReport:
    """All that offers say.

    Attributes:
        rows: by proposer, then least komi first.
        took_black, chooser_won: over all offers, as in `PieRow`.
        words: the same for people, sentences.
    """

    rows: tuple[PieRow, ...]
    took_black: Estimate
    chooser_won: Estimate
    words: tuple[str, ...]


def judge_pie(offers: Sequence[Offer], level: float = 0.95) -> PieReport:
    """Say what was offered and chosen.

    Args:
        offers: one for each game that is an observation.
        level: of the intervals, all for a fixed sample.
    """
    groups: dict[tuple[str, int], list[Offer]] = defaultdict(list)
    for offer in offers:
        groups[offer.proposer, offer.komi].append(offer)
    totals: dict[str, int] = defaultdict(int)
    for (proposer, _), group in groups.items():
        totals[proposer] += len(group)
    rows = tuple(
        PieRow(
            proposer,
            komi,
            len(group),
            len(group) / totals[proposer],
            _took_black(group, level),
            _chooser_won(group, level),
        )
        for (proposer, komi), group in sorted(groups.items())
    )
    took_black, chooser_won = _took_black(offers, level), _chooser_won(offers, level)
    return PieReport(rows, took_black, chooser_won, tuple(_words(offers, totals, took_black, chooser_won)))


def _took_black(offers: Sequence[Offer], level: float) -> Estimate:
    if not offers:
        return Estimate(None, None, "no offers")
    taken = sum(offer.took_black for offer in offers)
    return Estimate(taken / len(offers), wilson_interval(taken, len(offers), level))


def _chooser_won(offers: Iterable[Offer], level: float) -> Estimate:
    decided = [offer for offer in offers if offer.black_won is not None]
    won = [float(offer.black_won == offer.took_black) for offer in decided]
    return openings.share(won, [offer.opening for offer in decided], level)


def _words(
    offers: Sequence[Offer], totals: dict[str, int], took_black: Estimate, chooser_won: Estimate
) -> Iterable[str]:
    if not offers:
        yield "no komi was settled: nothing can be said"
        return
    for proposer in sorted(totals):
        komis = sorted(offer.komi for offer in offers if offer.proposer == proposer)
        if komis[0] == komis[-1]:
            words = f"{len(komis)}, all of them komi {komis[0]}" if len(komis) > 1 else f"1, komi {komis[0]}"
        else:
            words = f"{len(komis)}, from komi {komis[0]} to {komis[-1]}, median {median(komis):g}"
        yield f"offers by {proposer}: {words}" if proposer else f"offers: {words}"
    yield f"choosers took Black in {_percent(took_black)} of {counted(len(offers), 'game')}"
    if chooser_won.value is None:
        yield "no game was decided on the board: it cannot be told whether choosing wins"
        return
    yield f"choosers won {_percent(chooser_won)}; an even offer between equal engines gives them one half"
    interval = chooser_won.interval
    if interval is None:
        yield f"no interval can be given: {chooser_won.note}"
    elif 0.5 in interval:
        yield "so far the games do not tell an offer that is even from one that is not"
    else:
        yield f"so it is better to {'choose' if interval.low > 0.5 else 'offer'} among these engines"


def _percent(estimate: Estimate) -> str:
    words = f"{100 * (estimate.value or 0):.1f} %"
    ends = estimate.interval
    return words if ends is None else f"{words} ({100 * ends.low:.1f} to {100 * ends.high:.1f})"
