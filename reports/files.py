"""What reports write into a folder, for `arena run` at its end and for `arena standings -o`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import charts, tables

if TYPE_CHECKING:
    from pathlib import Path

    from reports.results import Results
    from reports.standings import Standings


def write_results(results: Results, table: Standings, folder: Path) -> list[Path]:
    """Write tables (CSV, Markdown) and charts (PNG, SVG) of results into `folder`, which is made if need be.

    Files of the same names are replaced.

    Returns:
        The files written, tables first.

    Raises:
        MissingExtraError: pandas or matplotlib is not installed.
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    points, conduct = tables.standings_table(results, table), tables.conduct_table(results, table)
    cross, meetings = tables.cross_table(results, table), tables.meetings_table(results, table)
    written = [tables.save_markdown(one, folder) for one in (points, cross, conduct)]
    written += [tables.save_csv(one, folder) for one in (points, meetings, conduct)]
    if (pairings := tables.pairings_table(results)) is not None:
        written += [tables.save_markdown(pairings, folder), tables.save_csv(pairings, folder)]
    if results.void:
        void = tables.void_table(results)
        written += [tables.save_markdown(void, folder), tables.save_csv(void, folder)]
    return written + charts.save_all(results, table, folder)
