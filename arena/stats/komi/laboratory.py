"""The laboratory's answer: everything above put together from a list of games.

The answer is an integer bracket, Black favoured up to k and White from k + 1, because odd and even komi are
different games and no smooth curve runs through both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.stats.estimate import Estimate, Interval
from arena.stats.komi import openings
from arena.stats.komi.blindness import DEFAULT_BOUND_SHARE, judge_blindness
from arena.stats.komi.compare import compare_komis
from arena.stats.komi.curves import Curve, fit_parities, tally
from arena.stats.komi.games import has_button, sort_out
from arena.stats.komi.margins import fair_by_margins
from arena.stats.komi.table import komi_table
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.stats.komi.blindness import BlindnessTest
    from arena.stats.komi.compare import Comparisons
    from arena.stats.komi.curves import CommonSpread
    from arena.stats.komi.design import DesignState
    from arena.stats.komi.games import KomiGame, Sample
    from arena.stats.komi.margins import MarginEstimate
    from arena.stats.komi.table import KomiRow

FEW_GAMES = 20
"""With fewer observations in all, the report says that it can say little."""


@dataclass(frozen=True, slots=True)
class ParityReport:
    """One parity of komi.

    Attributes:
        parity: remainder of its komi values divided by two.
        button: whether the button is in use there.
        games: observations.
        blindness: whether its engines heed komi; None without games.
        curve: fair komi by win curve.
        margins: fair komi by margins; None without games.
    """

    parity: int
    button: bool
    games: int
    blindness: BlindnessTest | None
    curve: Curve
    margins: MarginEstimate | None


@dataclass(frozen=True, slots=True)
class KomiShare:
    """Black's share at one komi, from the best source there is.

    Attributes:
        komi: points given to White.
        button: whether the button is in use there.
        share: Black's share; no value where nothing tells.
        source: `margins`, `curve`, `step`, `games`, or empty.
    """

    komi: int
    button: bool
    share: Estimate
    source: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in whole komi.

    Attributes:
        bracket: (k, k + 1): Black favoured up to k, White from k + 1; None where the games do not say it.
        is_step: whether that holds without exception, as in perfect play.
        sure: (a, b): by the intervals Black is favoured up to a and White from b on; None where a parity's
            interval is open or missing.
        recommended: the komi whose share is nearest to one half; None without a bracket, and where one side
            won everything at each komi.
        shares: the shares at the recommended komi and its neighbours.
        words: the answer in sentences.
    """

    bracket: tuple[int, int] | None
    is_step: bool
    sure: tuple[int, int] | None
    recommended: int | None
    shares: tuple[KomiShare, ...]
    words: str


@dataclass(frozen=True, slots=True)
class LaboratoryReport:
    """All that the laboratory says.

    Attributes:
        sample: the games, sorted.
        rows: one for each komi.
        parities: even and odd.
        common: whether the parities share a spread.
        comparisons: paired comparisons of komi.
        verdict: the answer.
        notes: sentences that belong to the report.
    """

    sample: Sample
    rows: tuple[KomiRow, ...]
    parities: tuple[ParityReport, ParityReport]
    common: CommonSpread
    comparisons: Comparisons
    verdict: Verdict
    notes: tuple[str, ...]


def analyse(
    games: Iterable[KomiGame],
    size: int,
    *,
    design: DesignState | None = None,
    bound_share: float = DEFAULT_BOUND_SHARE,
    level: float = 0.95,
) -> LaboratoryReport:
    """Analyse laboratory games.

    Args:
        games: all games, in the order of the schedule.
        size: board size, which decides where the button is in use.
        design: the final state of an adaptive design, None for a fixed one. Its posterior intervals then
            stand in place of profile ones, and komi values are not compared.
        bound_share: what a komi-blind engine's shares may differ by (`arena.stats.komi.blindness`).
        level: of the intervals.
    """
    sample = sort_out(games)
    tallies = []
    for parity in (0, 1):
        part = sample.of_parity(parity)
        tallies.append(
            tally(
                [game.komi for game in part],
                [bool(game.black_won) for game in part],
                [game.opening for game in part],
            )
        )
    even, odd, common = fit_parities(tallies[0], tallies[1], level)
    reports = (
        _parity_report(sample, size, even, design, bound_share, level),
        _parity_report(sample, size, odd, design, bound_share, level),
    )
    notes = list(sample.notes)
    if len(sample.games) < FEW_GAMES:
        count = len(sample.games)
        notes.append(f"{counted(count, 'game')}: too few to say more than the table does.")
    if design is not None:
        notes.append(f"Adaptive design: {design.words}. Shares in the table are described, not tested.")
    return LaboratoryReport(
        sample=sample,
        rows=komi_table(sample, size, level),
        parities=reports,
        common=common,
        comparisons=compare_komis(sample.games, adaptive=design is not None),
        verdict=_verdict(sample, size, reports, level),
        notes=tuple(notes),
    )


def _parity_report(
    sample: Sample, size: int, curve: Curve, design: DesignState | None, bound_share: float, level: float
) -> ParityReport:
    part = sample.of_parity(curve.parity)
    if design is not None:
        for state in design.parities:
            # A step is told by the games themselves; elsewhere the posterior knows how it was stopped.
            if state.parity == curve.parity and curve.step is None:
                spread = state.spread if state.location.value is not None else None
                curve = Curve(curve.parity, state.location, spread, None, curve.fit_p, state.words)
    button = has_button(curve.parity, size)
    if not part:
        return ParityReport(curve.parity, button, 0, None, curve, None)
    blindness = judge_blindness(part, bound_share)
    return ParityReport(
        curve.parity,
        button,
        len(part),
        blindness,
        curve,
        fair_by_margins(part, curve.parity, blindness, level),
    )


def _share_at(
    komi: int, sample: Sample, size: int, reports: Sequence[ParityReport], level: float
) -> KomiShare:
    report = reports[komi % 2]
    button = has_button(komi, size)
    here = [game for game in sample.games if game.komi == komi]
    seen = openings.share(
        [float(bool(game.black_won)) for game in here], [game.opening for game in here], level
    )
    if (step := report.curve.step) is not None:
        if step.won < komi < step.lost:
            return KomiShare(komi, button, Estimate(None, None, "not tried, inside the step"), "")
        return KomiShare(komi, button, Estimate(float(komi <= step.won), seen.interval), "step")
    if report.margins is not None and (by_margins := report.margins.share(komi)) is not None:
        return KomiShare(komi, button, by_margins, "margins")
    if (by_curve := report.curve.share(komi)) is not None:
        return KomiShare(komi, button, Estimate(by_curve, _curve_interval(report.curve, komi)), "curve")
    if seen.value is not None:
        return KomiShare(komi, button, seen, "games")
    return KomiShare(komi, button, Estimate(None, None, "not tried"), "")


def _curve_interval(curve: Curve, komi: int) -> Interval | None:
    """Return the shares that the ends of the fair komi's interval give at a komi, the spread as estimated."""
    ends = curve.location.interval
    if ends is None or not curve.spread:
        return None
    low, high = (
        1 / (1 + math.exp(min(max((komi - end) / curve.spread, -700.0), 700.0)))
        for end in (ends.low, ends.high)
    )
    return Interval(low, high, ends.level, f"{ends.method}, spread as estimated")


def _best_location(report: ParityReport) -> Interval | None:
    if (
        report.curve.step is None
        and report.margins is not None
        and report.margins.location.interval is not None
    ):
        return report.margins.location.interval
    return report.curve.location.interval


def _sure(reports: Sequence[ParityReport]) -> tuple[int, int] | None:
    """Return up to which komi Black is favoured for sure, and from which White is, over both parities."""
    first_unsure, last_unsure = [], []
    for report in reports:
        interval = _best_location(report)
        if interval is None or not interval.is_bounded:
            return None
        above, below = math.floor(interval.low) + 1, math.ceil(interval.high) - 1
        first_unsure.append(above + (above - report.parity) % 2)
        last_unsure.append(below - (below - report.parity) % 2)
    return min(first_unsure) - 1, max(last_unsure) + 1


def _verdict(sample: Sample, size: int, reports: Sequence[ParityReport], level: float) -> Verdict:
    if not sample.games:
        return Verdict(None, False, None, None, (), "no game ended on the board: nothing can be said")
    low, high = sample.komis[0], sample.komis[-1]
    shares = [_share_at(komi, sample, size, reports, level) for komi in range(low, high + 1)]
    known = [share for share in shares if share.share.value is not None]
    black = [share.komi for share in known if (share.share.value or 0) > 0.5]
    white = [share.komi for share in known if (share.share.value or 0) < 0.5]
    if not black or not white:
        return Verdict(None, False, None, None, (), _one_sided(low, high, bool(black), bool(white)))
    middle = (max(black) + min(white)) / 2
    nearest = min(
        known, key=lambda share: (abs((share.share.value or 0) - 0.5), abs(share.komi - middle), share.komi)
    )
    sure = _sure(reports)
    played = [report for report in reports if report.games]
    is_step = all(report.curve.step is not None for report in played)
    # A komi at which one side won everything is near to even in no sense; beside a step there is no other.
    best = nearest.komi if is_step or nearest.share.value not in (0.0, 1.0) else None
    around = tuple(share for share in shares if best is not None and abs(share.komi - best) <= 1)
    if max(black) > min(white):
        words = f"no single bracket: from komi {min(white)} to {max(black)} odd and even komi disagree"
        # Of komi outside the range tried nothing is said.
        words += f"; Black is favoured up to komi {min(white) - 1}" if min(white) > low else ""
        words += f"; White is favoured from komi {max(black) + 1}" if max(black) < high else ""
        return Verdict(None, False, sure, best, around, f"{words}{_sure_words(sure, is_step)}")
    even_between = [share.komi for share in known if share.share.value == 0.5]
    if min(white) - max(black) > 1:
        between = (
            f"{max(black) + 1} to {min(white) - 1}" if min(white) - max(black) > 2 else f"{max(black) + 1}"
        )
        why = "exactly even" if even_between else "not known: play it"
        words = f"Black is favoured up to komi {max(black)}, White from {min(white)}; komi {between} is {why}"
        return Verdict(None, is_step, sure, best, around, f"{words}{_sure_words(sure, is_step)}")
    bracket = (max(black), min(white))
    words = f"Black is favoured up to komi {bracket[0]}, White from {bracket[1]}"
    if is_step:
        words += (
            ": a step, not a curve. Black won every game up to the one and White every game from the other, "
            "as in perfect play; no komi is even"
        )
    return Verdict(bracket, is_step, sure, best, around, f"{words}{_sure_words(sure, is_step)}")


def _sure_words(sure: tuple[int, int] | None, is_step: bool) -> str:
    if is_step:
        return ". For engines that play perfectly this is exact; for others more games may blur it"
    if sure is None:
        return ". The games are too few or too one-sided for limits"
    return f". With 95 % intervals: Black up to {sure[0]}, White from {sure[1]}"


def _one_sided(low: int, high: int, black: bool, white: bool) -> str:
    if not black and not white:
        return f"no komi from {low} to {high} favours anybody as far as these games tell"
    side, where = ("Black", "above") if black else ("White", "below")
    if low == high:
        return f"one komi only ({low}): {side} is ahead there; nothing is said on others"
    return (
        f"{side} is favoured at every komi from {low} to {high}: the range does not bracket an even game; "
        f"the fair komi lies {where} it"
    )
