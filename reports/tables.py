"""Tables of an event: built from numbers, printed with tabulate, saved as CSV and Markdown through pandas.

A table is data (`Table`) until it is rendered, so that the terminal, Markdown and CSV show the same figures:
the first two as people read them, CSV with a column for each number (an estimate has three: value, low and
high end of the 95 % interval).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulate import tabulate

from arena.words import counted
from reports.estimates import Estimate
from reports.extras import require
from reports.printable import NAME_CELLS, markdown, printable, spreadsheet, text_width
from reports.standings import Score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reports.results import Decision, Results
    from reports.standings import Standing, Standings


@dataclass(frozen=True, slots=True)
class Rank:
    """A place in the table; shown as `2=` when it is shared."""

    place: int
    is_shared: bool


class Sign(str):
    """A text that stands for no value, such as a dash: for people only, in CSV the cell is empty."""

    __slots__ = ()


DASH = Sign("-")

_HEADER_CELLS = 40

Cell = str | int | float | Rank | Estimate | Score | None


def plain(number: float) -> str:
    """Return a number with at most two decimals and no needless zero: points, Sonneborn-Berger."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        header: for people.
        key: for CSV.
        show: how a number is written for people; texts are shown as they are, escaped.
        cells: width at which texts are cut, None for no cut.
    """

    header: str
    key: str
    show: Callable[[float], str] = plain
    cells: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table before it is rendered.

    Attributes:
        stem: file name without its ending.
        title: one line.
        columns, rows: rows have a cell for each column.
        notes: lines below the table; texts from outside in them are escaped already.
    """

    stem: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def text(table: Table, cells: int | None = None) -> str:
    """Render for a terminal: title, table, notes; no line end at the end.

    Args:
        table: what is rendered.
        cells: of a line; a wider table stands in parts below each other, each with the first columns of the
            whole. None: as wide as it is.
    """
    headers = [printable(column.header, _HEADER_CELLS) for column in table.columns]
    rows, aligned = shown(table), alignment(table)
    bodies = [
        tabulate(
            [[row[place] for place in part] for row in rows],
            [headers[place] for place in part],
            tablefmt="simple",
            disable_numparse=True,
            colalign=[aligned[place] for place in part],
        )
        for part in _parts(headers, rows, aligned, cells)
    ]
    notes = "".join(f"\n{note}" for note in table.notes)
    return "\n\n".join([printable(table.title), *bodies]) + (f"\n{notes}" if notes else "")


def _parts(
    headers: Sequence[str], rows: Sequence[Sequence[str]], aligned: Sequence[str], cells: int | None
) -> list[list[int]]:
    """Return the places of the columns of each part of a table, so that none is wider than a line."""
    # tabulate makes a column two wider than its header, and puts two blanks between columns.
    widths = [
        max(text_width(header) + 2, *(text_width(row[place]) for row in rows), 0) + 2
        for place, header in enumerate(headers)
    ]
    if cells is None or sum(widths) - 2 <= cells:
        return [list(range(len(headers)))]
    # A row is known by its name: the first column of text, with the rank that may stand before it.
    named = list(range(2 if aligned[:2] == ["right", "left"] else 1))
    parts = [named.copy()]
    for place in range(len(named), len(headers)):
        wide = sum(widths[each] for each in parts[-1]) + widths[place] - 2
        if wide > cells and len(parts[-1]) > len(named):
            parts.append(named.copy())
        parts[-1].append(place)
    return parts


def shown(table: Table) -> list[list[str]]:
    """Return the cells as people read them, printable, for whoever renders the table in another form."""
    return [
        [_shown(cell, column, printable) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def alignment(table: Table) -> list[str]:
    """Return `left` for columns of text, `right` for columns of numbers."""
    return [
        "left" if any(isinstance(row[place], str) for row in table.rows) or not table.rows else "right"
        for place in range(len(table.columns))
    ]


def save_csv(table: Table, folder: Path) -> Path:
    """Write `folder/stem.csv` (UTF-8, comma, one line of keys) and return its path.

    Raises:
        MissingExtraError: pandas is not installed.
        OSError: the file cannot be written.
    """
    pandas = require("pandas")
    keys = [key for place, column in enumerate(table.columns) for key in _keys(table, place, column)]
    rows = [
        [
            value
            for place, (cell, column) in enumerate(zip(row, table.columns, strict=True))
            for value in _values(cell, len(_keys(table, place, column)))
        ]
        for row in table.rows
    ]
    path = folder / f"{table.stem}.csv"
    pandas.DataFrame(rows, columns=[spreadsheet(key) for key in keys], dtype=object).to_csv(
        path, index=False, lineterminator="\n"
    )
    return path


def save_markdown(table: Table, folder: Path) -> Path:
    """Write `folder/stem.md` and return its path.

    Raises:
        MissingExtraError: pandas is not installed.
        OSError: the file cannot be written.
    """
    pandas = require("pandas")
    rows = [
        [_shown(cell, column, markdown) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    headers = [markdown(column.header, _HEADER_CELLS) for column in table.columns]
    frame = pandas.DataFrame(rows, columns=headers, dtype=object)
    body = frame.to_markdown(index=False, disable_numparse=True, colalign=alignment(table))
    notes = "".join(f"- {markdown(note)}\n" for note in table.notes)
    path = folder / f"{table.stem}.md"
    path.write_text(
        f"# {markdown(table.title)}\n\n{body}\n{chr(10) if notes else ''}{notes}", encoding="utf-8"
    )
    return path


def standings_table(results: Results, table: Standings) -> Table:
    """Return the table of points."""
    names = results.disciplines if results.discipline is not None else ()
    columns: list[Column] = [Column("#", "rank"), Column("engine", "engine", cells=NAME_CELLS)]
    columns += [Column("place", "place")] if results.places is not None else []
    columns += [
        Column("games", "games"),
        Column("points", "points"),
        Column("points a game [95 %]", "share", "{:.1%}".format),
        Column("W-D-L", "total"),
        Column(f"as {results.labels.colours[0]}", "black"),
        Column(f"as {results.labels.colours[1]}", "white"),
        Column("head-to-head", "head_to_head"),
        Column("S-B", "sonneborn_berger"),
    ]
    columns += [Column("Buchholz", "buchholz"), Column("byes", "byes")] if results.is_swiss else []
    columns += [Column(name, name) for name in names]
    rows = tuple(
        (
            Rank(line.rank, line.is_shared),
            _name(line),
            *([line.place] if results.places is not None else []),
            line.total.games,
            line.points,
            line.share,
            line.total,
            line.as_black,
            line.as_white,
            line.head_to_head,
            line.sonneborn_berger,
            *([line.buchholz, line.byes] if results.is_swiss else []),
            *line.by_discipline,
        )
        for line in table.lines
    )
    intervals = "Intervals: Wilson on pairs, fixed sample."
    notes = [_order_note(results), intervals]
    if names:
        notes.append(f"Wins, draws and losses in each game: {', '.join(map(printable, names))}.")
    return Table(
        "standings",
        _title("Standings", results),
        tuple(columns),
        rows,
        (*notes, *under_every_table(results)),
    )


def _order_note(results: Results) -> str:
    """Say in words what decides the order, one thing after the other."""
    rules = ["points", "head-to-head", "Sonneborn-Berger (S-B)"]
    if results.places is not None:
        rules.insert(0, "place reached in the format")
    bye = ""
    if results.is_swiss:
        rules.append("Buchholz")
        bye = f" A bye counts {plain(results.bye_points)} points."
    return f"Order: {', '.join(rules)}, wins as {results.labels.colours[1]}, shared rank (=).{bye}"


def cross_table(results: Results, table: Standings) -> Table:
    """Return the square of meetings, for people: points/games of the row's engine against the column's."""
    numbers = [str(place + 1) for place in range(len(table.lines))]
    columns = (
        Column("", "place"),
        Column("engine", "engine", cells=NAME_CELLS),
        *(Column(number, number) for number in numbers),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            place + 1,
            _name(line),
            *(
                DASH if place == other else "" if met is None else f"{plain(met.points)}/{met.games}"
                for other, met in enumerate(table.cross[place])
            ),
        )
        for place, line in enumerate(table.lines)
    )
    return Table("cross-table", _title("Cross table", results), columns, rows, under_every_table(results))


def meetings_table(results: Results, table: Standings) -> Table:
    """Return the cross table with a row for each ordered pairing, for programs."""
    columns = (Column("engine", "engine"), Column("opponent", "opponent"), Column("result", "result"))
    rows = tuple(
        (line.engine, opponent.engine, met)
        for line, row in zip(table.lines, table.cross, strict=True)
        for opponent, met in zip(table.lines, row, strict=True)
        if met is not None
    )
    return Table("cross-table", _title("Cross table", results), columns, rows, under_every_table(results))


def pairings_table(results: Results, most: int | None = None) -> Table | None:
    """Return each pairing's score with the interval that holds whenever one looks; None without pairings.

    Args:
        results: the games.
        most: so many rows at most, None for all.
    """
    if not results.pairings:
        return None
    columns = (
        Column("engine", "engine", cells=NAME_CELLS),
        Column("against", "against", cells=NAME_CELLS),
        Column("pairs", "pairs"),
        Column("score [95 %, at any time]", "score", "{:.1%}".format),
    )
    rows = tuple(
        (
            results.engines[each.first],
            results.engines[each.second],
            each.pairs,
            Estimate(each.share, (ends := each.interval()).low, ends.high, each.pairs),
        )
        for each in results.pairings[:most]
    )
    left = len(results.pairings) - len(rows)
    claim = (
        "Whole pairs, as far as every game before them in the schedule has ended. The interval holds at any "
        "stopping time for one pairing: not for totals, nor for the best of many."
    )
    notes = (
        claim,
        *([f"{counted(left, 'further pairing')} not listed."] if left else []),
    )
    return Table("pairings", _title("Pairings", results), columns, rows, notes)


def conduct_table(results: Results, table: Standings) -> Table:
    """Return the table of margins, forfeits and time."""
    unit = results.labels.margin_unit
    columns = (
        Column("#", "rank"),
        Column("engine", "engine", cells=NAME_CELLS),
        Column(f"board margin, {unit} [95 %]", "board_margin", "{:+.2f}".format),
        Column(f"final margin, {unit} [95 %]", "final_margin", "{:+.2f}".format),
        Column("forfeits", "forfeits"),
        Column("both failed", "both_failed"),
        Column("s/move", "mean_move_s", "{:.4f}".format),
        Column("longest, s", "longest_move_s", "{:.3f}".format),
        Column("time used", "time_share_mean", "{:.0%}".format),
        Column("at most", "time_share_highest", "{:.0%}".format),
    )
    rows = tuple(
        (
            Rank(line.rank, line.is_shared),
            _name(line),
            line.board_margin,
            line.final_margin,
            ", ".join(f"{reason} {count}" for reason, count in line.forfeits.items()),
            line.total.failed,
            line.time.mean_s,
            line.time.longest_s,
            line.time.mean_share,
            line.time.highest_share,
        )
        for line in table.lines
    )
    margins = "Margins: from the engine's side, over games that ended on the board."
    if results.discipline is not None:
        margins = "Margins have another unit in each game: they stand in the games' own tables."
    intervals = "Intervals: t on pairs, fixed sample. Time: its own moves; time used of the time granted."
    notes = (margins, intervals, *results.remarks, *under_every_table(results))
    return Table("margins-and-time", _title("Margins, forfeits and time", results), columns, rows, notes)


def void_table(results: Results) -> Table:
    """Return the list of games that count for nobody."""
    columns = (
        Column("game", "game"),
        Column(results.labels.colours[0], "black", cells=NAME_CELLS),
        Column(results.labels.colours[1], "white", cells=NAME_CELLS),
        Column("reason", "reason"),
        Column("why", "why"),
    )
    rows = tuple((game.id, game.black, game.white, game.reason, game.why) for game in results.void)
    return Table(
        "void-games",
        _title("Void games, counted for nobody", results),
        columns,
        rows,
        under_every_table(results),
    )


def under_every_table(results: Results) -> tuple[str, ...]:
    """Return the notes that no table may leave out: how complete it is, and every word of the organiser."""
    count = len(results)
    done = f"{counted(count, 'game')} counted"
    if results.scheduled is not None:
        done += f" of {results.scheduled} scheduled"
    if results.void:
        done += f", {len(results.void)} void"
    done += f"; {results.identical} identical to an earlier game." if results.identical else "."
    return (done, *(decision_line(word) for word in results.decisions))


def decision_line(word: Decision) -> str:
    """Return one word of the organiser as a line, escaped."""
    when, subject, why = (printable(part) for part in (word.at[:16], word.subject, word.why))
    return f"Organiser, {when} UTC: {word.action} {subject}: {why}"


def _name(line: Standing) -> str:
    return f"{line.engine} (out)" if line.is_disqualified else line.engine


def _title(what: str, results: Results) -> str:
    return f"{what}: {results.labels.event} ({results.labels.rules})"


def _shown(cell: Cell, column: Column, escape: Callable[[str, int | None], str]) -> str:
    match cell:
        case None:
            return ""
        case str():
            return escape(cell, column.cells)
        case Rank():
            return f"{cell.place}=" if cell.is_shared else str(cell.place)
        case Estimate(value=None):
            return ""
        case Estimate(value=float() as value, low=None):
            return f"{column.show(value)} [?]"
        case Estimate(value=float() as value, low=float() as low, high=float() as high):
            return f"{column.show(value)} [{column.show(low)}, {column.show(high)}]"
        case Score():
            return f"{cell.wins}-{cell.draws}-{cell.losses}"
        case int():
            return str(cell)
        case float():
            return column.show(cell)
        case _:
            raise TypeError(f"no cell of a table: {cell!r}")


_ESTIMATE_KEYS = ("", "_low", "_high")
_SCORE_KEYS = ("_games", "_points", "_wins", "_draws", "_losses", "_both_failed")


def _keys(table: Table, place: int, column: Column) -> list[str]:
    """Return the CSV columns that one column becomes."""
    kinds = {type(row[place]) for row in table.rows}
    if Estimate in kinds:
        return [column.key + ending for ending in _ESTIMATE_KEYS]
    if Score in kinds:
        return [column.key + ending for ending in _SCORE_KEYS]
    return [column.key]


def _values(cell: Cell, width: int) -> Sequence[str | int | float | None]:
    match cell:
        case Estimate():
            return (_rounded(cell.value), _rounded(cell.low), _rounded(cell.high))
        case Score():
            return (cell.games, cell.points, cell.wins, cell.draws, cell.losses, cell.failed)
        case Rank():
            return (cell.place,)
        case Sign():
            return (None,) * width
        case str():
            return (spreadsheet(cell),)
        case None:
            return (None,) * width
        case float():
            return (_rounded(cell),)
        case _:
            return (cell,)


def _rounded(number: float | None) -> float | None:
    """Return a figure with six decimals, a small one with six digits: more than any number of games tells."""
    if number is None or abs(number) >= 1:
        return number if number is None else round(number, 6)
    return float(f"{number:.6g}")
