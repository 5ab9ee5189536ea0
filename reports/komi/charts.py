"""The laboratory's charts: Black's share by komi, margins by komi, and the fair komi as games came in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.charts import BLUE, GREY, INK, ORANGE, Chart, save_charts
from reports.extras import require
from reports.komi.tables import PARITIES
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arena.stats.komi.design import DesignState
    from arena.stats.komi.laboratory import LaboratoryReport, ParityReport

_LOOKS = ((BLUE, "o"), (ORANGE, "s"))
"""Colour and mark of even and odd komi."""


def save_komi_charts(
    report: LaboratoryReport, title: str, history: Sequence[DesignState], folder: Path
) -> list[Path]:
    """Write the charts as PNG and SVG into `folder`, which exists, and return the paths.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    return save_charts(lambda: _charts(report, printable(title, 90), history), folder)


def _charts(report: LaboratoryReport, title: str, history: Sequence[DesignState]) -> Iterator[Chart]:
    if not report.sample.games:
        return
    yield _shares(report, title)
    yield _margins(report, title)
    if history:
        yield _posterior(title, history)


def _axes(title: str) -> tuple[Any, Any]:
    figure = require("matplotlib.figure").Figure(figsize=(7.5, 4.8))
    figure.suptitle(title, fontsize=11)
    axes = figure.subplots()
    figure.subplots_adjust(left=0.11, right=0.97, top=0.9, bottom=0.13)
    return figure, axes


def _label(parity: ParityReport) -> str:
    return f"{PARITIES[parity.parity]} komi, button {'in use' if parity.button else 'not in use'}"


def _shares(report: LaboratoryReport, title: str) -> Chart:
    figure, axes = _axes(f"Black's share by komi: {title}")
    komis = report.sample.komis
    places = np.linspace(komis[0], komis[-1], 300)
    for parity, (colour, mark) in zip(report.parities, _LOOKS, strict=True):
        rows = [row for row in report.rows if row.komi % 2 == parity.parity and row.games]
        if not rows:
            continue
        for row in rows:
            interval = row.black_share.interval
            if interval is not None:
                axes.plot([row.komi] * 2, [interval.low, interval.high], color=colour, linewidth=2, alpha=0.5)
        shares = [row.black_share.value for row in rows]
        axes.plot([row.komi for row in rows], shares, mark, color=colour, label=_label(parity))
        # A step has no curve: a line would say that something lies between.
        if parity.curve.step is None and parity.curve.share(komis[0]) is not None:
            axes.plot(
                places, [parity.curve.share(float(place)) for place in places], color=colour, linewidth=1
            )
    axes.axhline(0.5, color=GREY, linestyle="--", linewidth=1)
    axes.set_ylim(-0.03, 1.03)
    axes.set_yticks(np.linspace(0, 1, 11), [f"{tenth * 10} %" for tenth in range(11)])
    axes.xaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(integer=True))
    axes.set_xlabel("komi")
    axes.set_ylabel("games won by Black, with 95 % interval")
    axes.legend(frameon=False)
    return Chart("komi-shares", figure)


def _margins(report: LaboratoryReport, title: str) -> Chart:
    figure, axes = _axes(f"Board margin by komi: {title}")
    for komi in report.sample.komis:
        values = [float(game.board_margin or 0) for game in report.sample.games if game.komi == komi]
        colour, mark = _LOOKS[komi % 2]
        if len(set(values)) > 1:
            drawn = axes.violinplot([values], positions=[komi], widths=0.8, showextrema=False)
            for body in drawn["bodies"]:
                body.set_facecolor(colour)
                body.set_alpha(0.45)
        axes.plot([komi], [float(np.median(values))], mark, color=colour, markeredgecolor=INK, markersize=5)
    ends = np.array([report.sample.komis[0] - 0.5, report.sample.komis[-1] + 0.5])
    axes.plot(ends, ends, color=GREY, linestyle="--", linewidth=1, label="margin = komi: an even game")
    axes.xaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(integer=True))
    axes.set_xlabel("komi")
    axes.set_ylabel("board margin, Black minus White (mark: median)")
    axes.legend(frameon=False)
    return Chart("komi-margins", figure)


def _posterior(title: str, history: Sequence[DesignState]) -> Chart:
    figure, axes = _axes(f"The fair komi as games came in: {title}")
    for place, first in enumerate(history[0].parities):
        colour, _ = _LOOKS[first.parity]
        states = [state.parities[place] for state in history]
        known = [
            (state.games, each.location.value, each.location.interval)
            for state, each in zip(history, states, strict=True)
            if each.location.value is not None and each.location.interval is not None
        ]
        games = [count for count, _, _ in known]
        axes.plot(
            games, [value for _, value, _ in known], color=colour, label=f"{PARITIES[first.parity]} komi"
        )
        bounded = [(count, each) for count, _, each in known if math.isfinite(each.width)]
        axes.fill_between(
            [count for count, _ in bounded],
            [each.low for _, each in bounded],
            [each.high for _, each in bounded],
            color=colour,
            alpha=0.25,
            linewidth=0,
        )
    axes.set_xlabel("games that count, both parities")
    axes.set_ylabel("fair komi: posterior mean and 95 % interval")
    axes.legend(frameon=False)
    return Chart("komi-posterior", figure)
