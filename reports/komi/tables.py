"""The laboratory's tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.stats.komi.power import games_against_fixed, games_between
from reports.estimates import Estimate
from reports.tables import Column, Table, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.stats import estimate
    from arena.stats.komi.laboratory import LaboratoryReport, ParityReport
    from arena.stats.komi.table import KomiRow
    from reports.tables import Cell

PARITIES = ("even", "odd")


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def _one_decimal(number: float) -> str:
    return f"{number:.1f}"


_SHARE = Column("Black's share", "black_share", percent)
_KOMI_COLUMNS = (
    Column("komi", "komi"),
    Column("games", "games"),
    Column("Black won", "black_wins"),
    _SHARE,
    Column("board margin", "board_margin", _one_decimal),
    Column("median", "board_margin_median", plain),
    Column("button B/W/untaken", "button"),
    Column("length", "plies", _one_decimal),
    Column("repeats", "repeats"),
    Column("resigned", "resigned"),
    Column("faults", "faults"),
)


def komi_tables(report: LaboratoryReport, title: str) -> list[Table]:
    """Return the table of each parity that was played."""
    found = []
    for parity in report.parities:
        rows = [row for row in report.rows if row.komi % 2 == parity.parity]
        if rows:
            which = PARITIES[parity.parity]
            head = f"{title}: {which} komi, button {'in use' if parity.button else 'not in use'}"
            cells = tuple(_row(row) for row in rows)
            found.append(Table(f"komi-{which}", head, _KOMI_COLUMNS, cells, _parity_notes(parity)))
    return found


def share_table(report: LaboratoryReport) -> Table | None:
    """Return Black's share at the komi recommended and its neighbours; None without a recommendation."""
    verdict = report.verdict
    if verdict.recommended is None:
        return None
    games = {row.komi: row.games for row in report.rows}
    rows: list[tuple[Cell, ...]] = [
        (
            each.komi,
            "in use" if each.button else "not in use",
            shown_estimate(each.share, games.get(each.komi, 0)),
            f"by {each.source}" if each.source else each.share.note,
            _games_to_tell(each.share.value),
        )
        for each in verdict.shares
    ]
    columns = (
        Column("komi", "komi"),
        Column("button", "button"),
        _SHARE,
        Column("how known", "source"),
        Column("games that would tell it from 50 %", "games_to_tell"),
    )
    return Table("komi-recommended", f"Nearest to even: komi {verdict.recommended}", columns, tuple(rows))


def comparison_table(report: LaboratoryReport) -> Table | None:
    """Return the paired comparisons of komi on shared openings, those with the komi recommended first.

    None where there are none.
    """
    recommended = report.verdict.recommended
    compared = sorted(
        report.comparisons.comparisons,
        key=lambda each: (recommended not in (each.first, each.second), each.first, each.second),
    )
    if not compared:
        return None
    columns = (
        Column("komi", "first"),
        Column("against", "second"),
        Column("openings", "openings"),
        Column("share minus share", "difference", percent),
        Column("p", "p", _p),
        Column("p, Holm", "adjusted_p", _p),
    )
    rows = tuple(
        (each.first, each.second, each.openings, each.difference, each.p, each.adjusted_p)
        for each in compared
    )
    title = "Komi compared on the openings that both were played from"
    return Table("komi-comparisons", title, columns, rows, (report.comparisons.words,))


def verdict_lines(report: LaboratoryReport, extra: Sequence[str] = ()) -> list[str]:
    """Return the answer and what belongs to it, a sentence each."""
    lines = [f"Answer: {report.verdict.words}."]
    if report.verdict.recommended is not None and not report.verdict.is_step:
        lines.append(f"Recommended: komi {report.verdict.recommended}, Black's share nearest to one half.")
    compared = () if report.comparisons.comparisons else (report.comparisons.words,)
    return [*lines, *map(sentence, filter(None, (report.common.words, *compared, *report.notes, *extra)))]


def power_words() -> str:
    """Return how many games it takes to tell komi apart, a sentence."""
    fixed, each = games_against_fixed(0.48), games_between(0.48, 0.5)
    return (
        f"How many games it takes (two-sided 5 %, power 80 %): to tell a share of 48 % from 50 %, {fixed}; "
        f"to tell it from 50 % at another komi, {each} at each of the two."
    )


def _games_to_tell(share: float | None) -> int | None:
    """Return after how many games a share is told from one half; None for one half, 0, 1 or no share."""
    return None if share in (None, 0.0, 0.5, 1.0) else games_against_fixed(share)


def sentence(words: str) -> str:
    """Return words as a sentence: with a capital and a full stop."""
    return f"{words[0].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _row(row: KomiRow) -> tuple[Cell, ...]:
    taken = f"{row.button_black}/{row.button_white}/{row.button_untaken}" if row.button else "unused"
    return (
        row.komi,
        row.games,
        row.black_wins,
        shown_estimate(row.black_share, row.games),
        shown_estimate(row.margin, row.games),
        row.margin_median,
        taken,
        shown_estimate(row.plies, row.games),
        row.repeats,
        row.resigned,
        row.faults,
    )


def _parity_notes(parity: ParityReport) -> tuple[str, ...]:
    words = []
    if parity.blindness is not None:
        words.append(f"Komi-blind? {parity.blindness.verdict.value}: {parity.blindness.words}.")
    words.append(f"By win curve: {parity.curve.words}.")
    if parity.curve.fit_p is not None:
        words.append(
            f"Shape of the curve: p = {_p(parity.curve.fit_p)} (a small one would say that it does not fit)."
        )
    if parity.margins is not None:
        words.append(f"By margins: {parity.margins.words}.")
    return tuple(words)


def shown_estimate(value: estimate.Estimate, games: int) -> Estimate:
    """Return an estimate as tables show it."""
    interval = value.interval
    if interval is None:
        return Estimate(value.value, None, None, games)
    return Estimate(value.value, interval.low, interval.high, games)
