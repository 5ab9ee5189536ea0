"""Charts of an event as PNG and SVG: margins, standings with intervals, length of the games.

Nothing is drawn through pyplot: a figure belongs to the function that makes it, whatever the backend of the
surrounding program. The same results give the same SVG, byte for byte.

Colours are from the palette of Okabe and Ito (2008), told apart by people with any colour vision; no chart
relies on colour alone.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from arena.core.verdict import Reason
from arena.words import counted
from reports.extras import require
from reports.printable import printable, text_width
from reports.results import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from arena.stats.ratings import Ratings
    from reports.ratings import RatedGames
    from reports.results import Floats, Integers, Results
    from reports.standings import Standings

T = TypeVar("T")

BLUE, ORANGE, GREY, INK = "#0072B2", "#E69F00", "#999999", "#222222"

PANELS_A_PAGE = 20
ROWS_A_PAGE = 24
MOST_PAIRINGS = 120
"""Pairings drawn, best engines first: 45 engines have 990, which nobody looks through as pictures."""
MOST_BARS = 30
_PIECE = 65_536
_NAME_CELLS = 20
_TITLE_IN = 0.65
_WORDS = ("won", "drawn", "lost")
_LOOKS = ((BLUE, "////"), (GREY, ""), (ORANGE, "...."))
"""Colour and hatch of what was won, drawn and lost."""
_NOT_ON_THE_BOARD = (Reason.RESIGN, Reason.ADJUDICATED, Reason.PLY_LIMIT, Reason.BOTH_FAILED)
_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "savefig.dpi": 110,
    "svg.fonttype": "none",  # text stays text: it can be searched, and a browser has fonts for every script
    "svg.hashsalt": "gtparena",
    "text.parse_math": False,  # a `$` in a name is a `$`
}


@dataclass(frozen=True, slots=True)
class Chart:
    """A finished drawing: `stem` is the file name without its ending."""

    stem: str
    figure: Any


def save_all(
    results: Results, table: Standings, folder: Path, rated: tuple[RatedGames, Ratings] | None = None
) -> list[Path]:
    """Write every chart as PNG and SVG into `folder` and return the paths; no games, no charts.

    Args:
        results: the games.
        table: their standings.
        folder: exists.
        rated: ratings to draw too.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    return save_charts(
        lambda: (*_charts(results, table), *(_ratings(results, *rated) if rated else ())), folder
    )


def save_without_comparison(results: Results, table: Standings, folder: Path) -> list[Path]:
    """Write what charts there are of an engine that plays itself: length and time; else as `save_all`."""
    return save_charts(lambda: _lengths_and_time(results, table) if len(results) else (), folder)


def save_charts(draw: Callable[[], Iterable[Chart]], folder: Path) -> list[Path]:
    """Write what `draw` draws, in the style of all charts, as PNG and SVG into `folder`; return the paths.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    matplotlib = require("matplotlib")
    backend = require("matplotlib.backends.backend_agg")
    paths = []
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes in PNG; that is no reason for a warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        for chart in draw():
            backend.FigureCanvasAgg(chart.figure)
            for ending, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
                path = folder / f"{chart.stem}.{ending}"
                chart.figure.savefig(path, format=ending, metadata=metadata)
                paths.append(path)
    return paths


def _charts(results: Results, table: Standings) -> Iterator[Chart]:
    if not len(results):
        return
    order = [results.engines.index(line.engine) for line in table.lines]
    yield from _standings(results, table)
    if np.isfinite(results.final_margin).any():
        yield from _margins_by_engine(results, order)
        yield from _margins_by_pairing(results, order)
        yield from _margins_by_colour(results, order)
    yield from _lengths_and_time(results, table)


def _lengths_and_time(results: Results, table: Standings) -> Iterator[Chart]:
    yield _lengths(results)
    yield from _time_shares(results, [results.engines.index(line.engine) for line in table.lines])


def _standings(results: Results, table: Standings) -> Iterator[Chart]:
    for stem, page in _pages("standings", list(table.lines), ROWS_A_PAGE):
        title = f"Points a game: {results.labels.event}"
        names = [f"{line.rank}. {_name(line.engine)}" for line in page]
        figure, axes = _sheet(7.5, 1.7 + 0.32 * len(page), title, results, left_in=_room_in(names))
        for row, line in enumerate(page):
            share = line.share
            if share.value is None:
                continue
            if share.low is not None and share.high is not None:
                axes.plot([share.low, share.high], [row, row], color=BLUE, linewidth=2, alpha=0.6)
            axes.plot([share.value], [row], "o", color=BLUE, markersize=6)
        axes.axvline(0.5, color=GREY, linestyle="--", linewidth=1)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks(np.linspace(0, 1, 11), [f"{tenth * 10} %" for tenth in range(11)])
        axes.set_xlabel("share of the points (dot) with 95 % interval (Wilson on pairs, fixed sample)")
        _name_rows(axes, names)
        yield Chart(stem, figure)


def _ratings(results: Results, games: RatedGames, ratings: Ratings) -> Iterator[Chart]:
    for place, group in enumerate(ratings.groups, start=1):
        stem = "ratings" if len(ratings.groups) == 1 else f"ratings-group{place}"
        for name, page in _pages(stem, group.ratings, ROWS_A_PAGE):
            names = [_name(games.names[rating.player]) for rating in page]
            title = f"Ratings: {results.labels.event}"
            figure, axes = _sheet(7.5, 1.7 + 0.32 * len(page), title, results, left_in=_room_in(names))
            far = max(abs(rating.elo - group.anchor_elo) for rating in group.ratings) * 2 + 200
            for row, rating in enumerate(page):
                if rating.interval is not None:
                    # An end without a limit leaves the picture.
                    low, high = max(rating.interval.low, -far), min(rating.interval.high, far)
                    axes.plot([low, high], [row, row], color=BLUE, linewidth=2, alpha=0.6)
                marker = "o" if rating.interval is not None else "s"
                axes.plot([rating.elo], [row], marker, color=BLUE, markersize=6)
            axes.axvline(group.anchor_elo, color=GREY, linestyle="--", linewidth=1)
            anchor = _name(games.names[group.anchor])
            axes.set_xlabel(f"Elo relative to {anchor} (square),\nwith 95 % interval of the difference")
            _name_rows(axes, names)
            yield Chart(name, figure)


def _margins_by_engine(results: Results, order: Sequence[int]) -> Iterator[Chart]:
    def panel(engine: int) -> _Panel:
        black, white = results.black == engine, results.white == engine
        margin = np.concatenate([results.final_margin[black], -results.final_margin[white]])
        points = np.concatenate([results.black_points[black], results.white_points[white]])
        return _Panel(_name(results.engines[engine], 26), margin, points)

    yield from _histograms(
        results,
        "margins-by-engine",
        "Final margin of each engine",
        [(panel, (engine,)) for engine in order],
        "final margin for the engine",
    )


def _margins_by_pairing(results: Results, order: Sequence[int]) -> Iterator[Chart]:
    low, high = np.minimum(results.black, results.white), np.maximum(results.black, results.white)
    size = len(results.engines)
    code = low * size + high
    by_code = np.argsort(code, kind="stable")
    met, starts = np.unique(code[by_code], return_index=True)
    games_of = dict(zip(met.tolist(), np.split(by_code, starts[1:]), strict=True))

    def panel(one: int, other: int) -> _Panel:
        games = games_of[min(one, other) * size + max(one, other)]
        sign = np.where(results.black[games] == one, 1.0, -1.0)
        points = np.where(
            results.black[games] == one, results.black_points[games], results.white_points[games]
        )
        title = f"{_name(results.engines[one], 18)}\nagainst {_name(results.engines[other], 18)}"
        return _Panel(title, sign * results.final_margin[games], points)

    pairings = [
        (one, other)
        for place, one in enumerate(order)
        for other in order[place + 1 :]
        if min(one, other) * size + max(one, other) in games_of
    ]
    title = "Final margin of each pairing"
    if len(pairings) > MOST_PAIRINGS:
        title += f" (the first {MOST_PAIRINGS} of {len(pairings)})"
    yield from _histograms(
        results,
        "margins-by-pairing",
        title,
        [(panel, pairing) for pairing in pairings[:MOST_PAIRINGS]],
        "final margin for the engine named first",
    )


@dataclass(frozen=True, slots=True)
class _Panel:
    """One histogram: margins (nan: not ended on the board) and points, both from one engine's side."""

    title: str
    margin: Floats
    points: Floats


def _histograms(
    results: Results,
    stem: str,
    title: str,
    makers: Sequence[tuple[Callable[..., _Panel], tuple[int, ...]]],
    quantity: str,
) -> Iterator[Chart]:
    """Draw small multiples with common bars, so that panels can be compared."""
    if not makers:
        return
    edges = _edges(np.concatenate([results.final_margin, -results.final_margin]))
    for name, page in _pages(stem, makers, PANELS_A_PAGE):
        columns = min(5, math.ceil(math.sqrt(len(page))))
        rows = math.ceil(len(page) / columns)
        panel_in = 4.0 if rows == 1 else 2.4
        width, height = max(6.5, 3.0 * columns), _TITLE_IN + panel_in * rows + 0.85
        figure = _figure(width, height, f"{title}: {results.labels.event}", results)
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True)
        drawn_in = panel_in - 0.85
        figure.subplots_adjust(
            left=0.7 / width,
            right=1 - 0.25 / width,
            top=1 - (_TITLE_IN + 0.6) / height,
            bottom=0.95 / height,
            hspace=0.85 / drawn_in,
            wspace=0.2,
        )
        for place in range(rows * columns):
            axes = grid[place // columns][place % columns]
            if place >= len(page):
                axes.set_axis_off()
                grid[place // columns - 1][place % columns].tick_params(labelbottom=True)
                continue
            maker, which = page[place]
            _histogram(axes, maker(*which), edges)
        quantity_and_unit = printable(f"{quantity} ({results.labels.margin_unit}); triangle: mean")
        figure.supxlabel(quantity_and_unit, fontsize=9, y=0.4 / height, va="bottom")
        figure.supylabel("games", fontsize=9, x=0.1 / width)
        _legend(figure, [(f"games {word}", *look) for word, look in zip(_WORDS, _LOOKS, strict=True)])
        yield Chart(name, figure)


def _histogram(axes: Any, panel: _Panel, edges: Floats) -> None:
    known = np.isfinite(panel.margin)
    margin, points = panel.margin[known], panel.points[known]
    kinds = [(margin[points == value], *look) for value, look in zip((1.0, 0.5, 0.0), _LOOKS, strict=True)]
    top = _stack(axes, edges, kinds)
    said = (
        f"{len(margin)} of {len(known)} games" if len(margin) < len(known) else counted(len(margin), "game")
    )
    if len(margin):
        mean = float(margin.mean())
        axes.plot([mean], [top * 1.08], "v", color=INK, markersize=5)
        said += f", mean {mean:+.1f}"
    axes.axvline(0, color=INK, linewidth=0.9)
    axes.set_title(f"{panel.title}\n{said}")


def _stack(axes: Any, edges: Floats, kinds: Sequence[tuple[NDArray[Any], str, str]]) -> float:
    """Draw a histogram of stacked kinds (values, colour, hatch) and return the height of its highest bar."""
    base = np.zeros(len(edges) - 1)
    for values, colour, hatch in kinds:
        if len(values):
            top = base + np.histogram(values, edges)[0]
            axes.stairs(
                top,
                edges,
                baseline=base,
                fill=True,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.3,
            )
            base = top
    highest = max(1.0, float(base.max()))
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, highest * 1.15)
    axes.yaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(5, integer=True))
    return highest


def _margins_by_colour(results: Results, order: Sequence[int]) -> Iterator[Chart]:
    by_black, by_white = _indices(results.black, len(order)), _indices(results.white, len(order))
    colours = results.labels.colours
    for stem, page in _pages("margins-by-colour", order, ROWS_A_PAGE):
        title = f"Final margin by colour: {results.labels.event}"
        names = [_name(results.engines[engine]) for engine in page]
        figure, axes = _sheet(8.5, 1.9 + 0.45 * len(page), title, results, left_in=_room_in(names))
        for row, engine in enumerate(page):
            for offset, margin, colour, marker in (
                (-0.17, results.final_margin[by_black[engine]], BLUE, "s"),
                (0.17, -results.final_margin[by_white[engine]], ORANGE, "D"),
            ):
                known = margin[np.isfinite(margin)]
                if not len(known):
                    continue
                low, first, middle, third, high = np.percentile(known, [5, 25, 50, 75, 95])
                height = row + offset
                axes.plot([low, high], [height, height], color=colour, linewidth=1.2)
                axes.plot([first, third], [height, height], color=colour, linewidth=6, alpha=0.5)
                axes.plot([middle], [height], marker, color=colour, markeredgecolor=INK, markersize=6)
        axes.axvline(0, color=INK, linewidth=0.9)
        axes.set_xlabel(
            f"final margin from the engine's side ({results.labels.margin_unit}): "
            "median, middle half (thick), 5 % to 95 % (thin)"
        )
        _name_rows(axes, names)
        _legend(figure, ((f"as {colours[0]}", BLUE, "s"), (f"as {colours[1]}", ORANGE, "D")), markers=True)
        yield Chart(stem, figure)


def _lengths(results: Results) -> Chart:
    edges = _edges(results.plies.astype(np.float64))
    faults = results.at_fault != NOBODY
    off_board = [code for code, word in enumerate(results.reasons) if word in _NOT_ON_THE_BOARD]
    other = ~faults & np.isin(results.reason, off_board)
    board = ~faults & ~other
    kinds = [
        (f"{what}: {int(which.sum())}", which, look)
        for what, which, look in zip(
            ("ended on the board", "by a fault", "otherwise (resigned, adjudicated, both failed)"),
            (board, faults, other),
            (_LOOKS[0], _LOOKS[2], _LOOKS[1]),
            strict=True,
        )
        if which.any()
    ]
    figure, axes = _sheet(8.5, 4.6, f"Length of the games: {results.labels.event}", results)
    _stack(axes, edges, [(results.plies[which], *look) for _, which, look in kinds])
    median = float(np.median(results.plies))
    axes.axvline(median, color=INK, linestyle="--", linewidth=1.2)
    axes.set_xlabel(f"length of the game (turns, opening included); dashed: median {median:g}")
    axes.set_ylabel("games")
    _legend(figure, [(label, *look) for label, _, look in kinds])
    return Chart("game-length", figure)


def _time_shares(results: Results, order: Sequence[int]) -> Iterator[Chart]:
    shares = [spent / granted for spent, granted in zip(results.spent_us, results.granted_us, strict=True)]
    if not any(np.isfinite(share).any() for share in shares):
        return
    by_black, by_white = _indices(results.black, len(order)), _indices(results.white, len(order))
    for stem, page in _pages("time-use", order, ROWS_A_PAGE):
        names = [_name(results.engines[engine]) for engine in page]
        title = f"Use of time: {results.labels.event}"
        figure, axes = _sheet(8.0, 1.9 + 0.32 * len(page), title, results, left_in=_room_in(names))
        for row, engine in enumerate(page):
            share = np.concatenate([shares[0][by_black[engine]], shares[1][by_white[engine]]])
            known = 100 * share[np.isfinite(share)]
            if not len(known):
                continue
            low, first, middle, third, high = np.percentile(known, [5, 25, 50, 75, 95])
            axes.plot([low, high], [row, row], color=BLUE, linewidth=1.2)
            axes.plot([first, third], [row, row], color=BLUE, linewidth=6, alpha=0.5)
            axes.plot([middle], [row], "o", color=BLUE, markeredgecolor=INK, markersize=6)
            axes.plot([known.max()], [row], "x", color=ORANGE, markersize=7, markeredgewidth=2)
        axes.axvline(100, color=INK, linestyle="--", linewidth=1)
        axes.set_xlim(left=0)
        axes.set_xlabel(
            "% of the time granted for its moves, game by game:\n"
            "median (dot), middle half (thick), 5 % to 95 % (thin), most (x)"
        )
        _name_rows(axes, names)
        yield Chart(stem, figure)


def _edges(values: Floats) -> Floats:
    """Return bar edges: every bar covers the same number of possible values, so that no comb appears.

    Margins often move in steps (of 2 on a full board of odd size); a bar is a whole number of the smallest
    step seen, and the edge nearest to 0 is one of theirs, so that wins and losses seldom share a bar.
    """
    # Piece by piece: of a million games every copy takes 8 MB.
    pieces = (values[start : start + _PIECE] for start in range(0, len(values), _PIECE))
    known = np.unique(np.concatenate([np.unique(piece[np.isfinite(piece)]) for piece in pieces] or [values]))
    if not len(known):
        return np.array([-0.5, 0.5])
    step = float(np.diff(known).min()) if len(known) > 1 else 1.0
    span = float(known[-1] - known[0])
    step = max(step, 0.5, span / 1e6)
    width = step * max(1, math.ceil((span / step + 1) / MOST_BARS))
    start, stop = float(known[0]) - step / 2, float(known[-1]) + step / 2
    nought = start + step * round(-start / step)
    first, last = math.floor((start - nought) / width + 1e-6), math.ceil((stop - nought) / width - 1e-6)
    return nought + width * np.arange(first, last + 1, dtype=np.float64)


def _indices(engine: Integers, size: int) -> list[Integers]:
    """Return for each engine the games in which it stands in the column `engine`."""
    order = np.argsort(engine, kind="stable")
    return np.split(order, np.searchsorted(engine[order], np.arange(1, size)))


def _pages(stem: str, items: Sequence[T], length: int) -> Iterator[tuple[str, Sequence[T]]]:
    """Cut `items` into pages of about equal length; a single page has no number in its name."""
    pages = max(1, math.ceil(len(items) / length))
    size = math.ceil(len(items) / pages)
    for page in range(pages):
        name = stem if pages == 1 else f"{stem}-{page + 1}"
        yield name, items[page * size : (page + 1) * size]


def _sheet(
    width_in: float, height_in: float, title: str, results: Results, *, left_in: float = 0.8
) -> tuple[Any, Any]:
    """Return a figure with one pair of axes and room for title, labels and a legend below."""
    figure = _figure(width_in, height_in, title, results)
    axes = figure.subplots()
    figure.subplots_adjust(
        left=left_in / width_in,
        right=1 - 0.25 / width_in,
        top=1 - _TITLE_IN / height_in,
        bottom=0.85 / height_in,
    )
    return figure, axes


def _figure(width_in: float, height_in: float, title: str, results: Results) -> Any:
    """Return an empty figure with its title.

    Places are computed in inches: matplotlib's own layout engines take longer than all the drawing.
    """
    figure = require("matplotlib.figure").Figure(figsize=(width_in, height_in))
    head, what = printable(title, 90), printable(results.labels.rules, 90)
    figure.suptitle(
        f"{head}\n{what}, {counted(len(results), 'game')}", fontsize=11, y=1 - 0.1 / height_in, va="top"
    )
    return figure


def _legend(figure: Any, entries: Sequence[tuple[str, str, str]], *, markers: bool = False) -> None:
    """Put a legend below: label, colour, and hatch (or marker) of each entry."""
    patches, lines = require("matplotlib.patches"), require("matplotlib.lines")
    handles = [
        lines.Line2D([], [], color=colour, marker=mark, markeredgecolor=INK, label=printable(label))
        if markers
        else patches.Patch(facecolor=colour, hatch=mark, edgecolor="white", label=printable(label))
        for label, colour, mark in entries
    ]
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False)


def _room_in(names: Sequence[str]) -> float:
    """Return the inches that the longest name needs beside the axes."""
    return 0.35 + 0.09 * max(map(text_width, names))


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    """Put one name at each row, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _name(name: str, cells: int = _NAME_CELLS) -> str:
    return printable(name, cells)
