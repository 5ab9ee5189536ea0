"""Offers of komi under pie: read from records, as a table, a chart and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.rules import BLACK
from arena.stats.komi.pie import Offer
from arena.words import counted
from reports.charts import BLUE, GREY, ORANGE, Chart, save_charts
from reports.extras import require
from reports.komi.tables import percent, sentence, shown_estimate
from reports.printable import NAME_CELLS, printable
from reports.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from arena.core.record import GameRecord
    from arena.stats.komi.pie import PieReport
    from reports.tables import Cell

_MOST_PANELS = 8
"""Proposers that are drawn."""


@dataclass(slots=True)
class PieGames:
    """Games whose komi the players settled, as they are read.

    Attributes:
        is_self_play: whether both players were one engine: then it does not matter which of them offered.
        offers: one for each game that is an observation.
        repeats: games that repeated another one move for move, offer included.
        unsettled: games in which komi was not settled, by a fault.
        undecided: games settled, and then not ended on the board.
    """

    is_self_play: bool
    offers: list[Offer]
    repeats: int = 0
    unsettled: int = 0
    undecided: int = 0

    @classmethod
    def of(cls, records: Iterable[GameRecord], *, is_self_play: bool) -> PieGames:
        """Sort the records of a pie event; annulled games count for nobody."""
        found = cls(is_self_play, [])
        seen: set[tuple[object, ...]] = set()
        for record in records:
            if not record.verdict.is_void:
                found._add(record, seen)
        return found

    def _add(self, record: GameRecord, seen: set[tuple[object, ...]]) -> None:
        pie, verdict = record.pie, record.verdict
        if pie is None or pie.komi_offered is None or pie.side_chosen is None:
            self.unsettled += 1
            return
        names = (record.black.name, record.white.name)
        proposer = "" if self.is_self_play else names[pie.proposer]
        key = (proposer, pie.komi_offered, pie.side_chosen, record.moves)
        decided = verdict.outcome is not None and verdict.winner is not None
        if decided and key in seen:
            self.repeats += 1
            return
        seen.add(key)
        self.undecided += not decided
        self.offers.append(
            Offer(
                pie.komi_offered,
                pie.side_chosen == BLACK,
                verdict.winner == BLACK if decided else None,
                proposer,
                record.opening or record.id,
            )
        )

    def notes(self) -> list[str]:
        """Return what else is to be said of the games, sentences."""
        notes = []
        if self.repeats:
            total = counted(self.repeats + len(self.offers), "game")
            notes.append(
                f"{self.repeats} of {total} repeated another move for move, offer included: one observation "
                "each."
            )
        if self.unsettled:
            games = counted(self.unsettled, "game")
            notes.append(f"{games} ended by a fault before komi was settled.")
        if self.undecided:
            games = counted(self.undecided, "game")
            notes.append(f"{games} did not end on the board: the offer counts, the winner does not.")
        return notes


def pie_table(report: PieReport, title: str, notes: Sequence[str] = ()) -> Table:
    """Return the table of offers."""
    has_names = any(row.proposer for row in report.rows)
    columns = (
        *([Column("offered by", "proposer", cells=NAME_CELLS)] if has_names else []),
        Column("komi offered", "komi"),
        Column("offers", "offers"),
        Column("of all offers", "share", percent),
        Column("chooser took Black", "took_black", percent),
        Column("chooser won", "chooser_won", percent),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            *([row.proposer] if has_names else []),
            row.komi,
            row.offers,
            row.share,
            shown_estimate(row.took_black, row.offers),
            shown_estimate(row.chooser_won, row.offers),
        )
        for row in report.rows
    )
    return Table("komi-offers", f"{title}: komi offered", columns, rows, tuple(notes))


def pie_lines(games: PieGames, report: PieReport) -> list[str]:
    """Return the answer in sentences."""
    return [*(sentence(printable(words, 300)) for words in report.words), *games.notes()]


def save_pie_charts(games: PieGames, title: str, folder: Path) -> list[Path]:
    """Write the chart of offers as PNG and SVG into `folder`, which exists; no offers, no chart.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    if not games.offers:
        return []
    return save_charts(lambda: [_offers(games.offers, printable(title, 90))], folder)


def _offers(offers: Sequence[Offer], title: str) -> Chart:
    proposers = sorted({offer.proposer for offer in offers})[:_MOST_PANELS]
    figure = require("matplotlib.figure").Figure(figsize=(7.5, 1.6 + 2.2 * len(proposers)))
    figure.suptitle(f"Komi offered, and the side taken: {title}", fontsize=11)
    panels = figure.subplots(len(proposers), sharex=True, squeeze=False)[:, 0]
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.11, right=0.97, top=1 - 0.75 / height, bottom=0.6 / height, hspace=0.35)
    low, high = (limit(offer.komi for offer in offers) for limit in (min, max))
    for axes, proposer in zip(panels, proposers, strict=True):
        _bars(axes, [offer for offer in offers if offer.proposer == proposer], range(low, high + 1))
        if proposer:
            axes.set_title(f"offered by {printable(proposer, NAME_CELLS)}")
        axes.set_xlim(low - 1, high + 1)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(require("matplotlib.ticker").MaxNLocator(integer=True))
        axes.set_ylabel("games")
    panels[-1].set_xlabel("komi offered")
    panels[0].legend(frameon=False)
    return Chart("komi-offers", figure)


def _bars(axes: Any, offers: Sequence[Offer], komis: Sequence[int]) -> None:
    black = [sum(offer.komi == komi and offer.took_black for offer in offers) for komi in komis]
    white = [sum(offer.komi == komi and not offer.took_black for offer in offers) for komi in komis]
    axes.bar(komis, black, color=BLUE, hatch="////", edgecolor="white", label="chooser took Black")
    axes.bar(
        komis, white, bottom=black, color=ORANGE, hatch="....", edgecolor=GREY, label="chooser took White"
    )
