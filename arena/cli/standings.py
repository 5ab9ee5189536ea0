"""`arena standings`: points, cross table, margins and time; on request as files with charts."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.printing import print_line, terminal_cells
from arena.cli.target import file_argument, opened_for_reading, told, writing_told
from arena.words import counted
from reports import tables
from reports.duel import duel_lines
from reports.komi.by_komi import WHERE_TO_LOOK, by_komi_table, counts_by_komi
from reports.printable import file_name
from reports.standings import standings
from reports.stored import design_of, results_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reports.komi.by_komi import KomiCount
    from reports.results import Results
    from reports.tables import Table


@click.command
@file_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="Also write tables (CSV, Markdown) and charts (PNG, SVG) into this folder.",
)
def command(file: Path, as_json: bool, folder: Path | None) -> None:
    """Print standings and cross table of FILE, a tournament file or its database."""
    found = _read(file)
    if as_json:
        print_line(json.dumps(_as_object(found)))
    else:
        _print(found)
        _print_workers(file)
    if folder is not None:
        _save(found, folder)


_MOST_PAIRINGS = 15
"""Pairings printed: those of six engines. The files have all."""


def _print_workers(file: Path) -> None:
    """Print who played, in an event that was played by the workers of a cluster."""
    with opened_for_reading(file) as store:
        if not store.workers():
            return
        from reports.labels import labels_of
        from reports.workers import by_worker, table

        labels = labels_of(store.event())
        found = by_worker(store, store.columns())
        title = f"Workers: {labels.event}"
        if found is not None:
            for line in f"\n\n{tables.text(table(found, title), terminal_cells())}".split("\n"):
                print_line(line)


def print_standings(file: Path) -> None:
    """Print the tables of an event, as `arena standings` does.

    Raises:
        Failure: the database cannot be read.
    """
    _print(_read(file))
    _print_workers(file)


def save_results(file: Path, folder: Path) -> None:
    """Write tables and charts of an event into `folder`, as `arena standings -o` does.

    Raises:
        Failure: the database cannot be read, a file not written, or the extra `reports` is not installed.
    """
    _save(_read(file), folder)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was read.

    Attributes:
        of_all: the results of all games.
        by_game: those of each game of an event of several, by its name.
        by_komi: the table that a komi laboratory has in place of those of its disciplines; None of others.
        komis: its rows.
        is_self_play: whether its engine plays itself, so that there are no standings.
    """

    of_all: Results
    by_game: Mapping[str, Results]
    by_komi: Table | None = None
    komis: tuple[KomiCount, ...] = ()
    is_self_play: bool = False

    @property
    def compared(self) -> dict[str, Results]:
        """All results that have standings, those of all games under the empty name."""
        return {} if self.is_self_play else {"": self.of_all, **self.by_game}


def _read(file: Path) -> _Found:
    with opened_for_reading(file) as store:
        design = design_of(store)
        if design is not None:
            columns = store.columns()
            results = results_of(store, columns=columns)
            komis = counts_by_komi(columns)
            title = f"Results by komi: {results.labels.event} ({results.labels.rules})"
            notes = (WHERE_TO_LOOK, *tables.under_every_table(results))
            return _Found(results, {}, by_komi_table(komis, title, notes), komis, design.is_self_play)
        names = [each.name for each in store.event().disciplines]
        read = store.result_columns()
        return _Found(results_of(store, None, read), {name: results_of(store, name, read) for name in names})


def _print(found: _Found) -> None:
    texts = []
    cells = terminal_cells()
    for name, results in found.compared.items():
        table = standings(results)
        shown = [tables.standings_table(results, table)]
        if not name:
            shown.append(tables.cross_table(results, table))
        pairings = tables.pairings_table(results, _MOST_PAIRINGS) if len(results.engines) > 2 else None
        shown += [pairings] if pairings is not None else []
        texts += [tables.text(each, cells) for each in (*shown, tables.conduct_table(results, table))]
        if results.void and not name:
            texts.append(tables.text(tables.void_table(results), cells))
    if found.by_komi is not None:
        texts.append(tables.text(found.by_komi, cells))
    if found.is_self_play:
        texts.append(tables.text(tables.void_table(found.of_all), cells) if found.of_all.void else "")
    else:
        texts.append("\n".join(duel_lines(found.of_all)))
    for line in "\n\n\n".join(filter(None, texts)).split("\n"):
        print_line(line)


def _save(found: _Found, folder: Path) -> None:
    # Charts take a second to load; who only wants the table need not wait.
    from reports.extras import MissingExtraError
    from reports.files import write_results

    with told(MissingExtraError), writing_told(folder):
        written = [
            path
            for name, results in found.compared.items()
            for path in write_results(results, standings(results), folder / file_name(name))
        ]
        if found.by_komi is not None:
            folder.mkdir(parents=True, exist_ok=True)
            written += [save(found.by_komi, folder) for save in (tables.save_csv, tables.save_markdown)]
    click.echo(f"wrote {counted(len(written), 'file')} to {folder}", err=True)


def _as_object(found: _Found) -> dict[str, Any]:
    whole = _as_object_of_one(found.of_all)
    if found.is_self_play:
        # An engine is as strong as itself.
        whole.update(standings=[], cross_table=[], pairings=[])
    if found.by_komi is not None:
        whole["komi"] = [
            {**dataclasses.asdict(each), "black_share": each.black_share} for each in found.komis
        ]
    if found.by_game:
        whole["by_game"] = {name: _as_object_of_one(results) for name, results in found.by_game.items()}
    return whole


def _as_object_of_one(results: Results) -> dict[str, Any]:
    table = standings(results)
    names = [line.engine for line in table.lines]
    return {
        "event": results.labels.event,
        "rules": results.labels.rules,
        "games": len(results),
        "scheduled": results.scheduled,
        "identical": results.identical,
        "standings": [dataclasses.asdict(line) for line in table.lines],
        "cross_table": [
            {"engine": engine, "opponent": opponent, **dataclasses.asdict(met)}
            for engine, row in zip(names, table.cross, strict=True)
            for opponent, met in zip(names, row, strict=True)
            if met is not None
        ],
        "pairings": [
            {
                "engine": results.engines[each.first],
                "opponent": results.engines[each.second],
                "pairs": each.pairs,
                "score": each.share,
                "always_valid": [(ends := each.interval()).low, ends.high],
            }
            for each in results.pairings
        ],
        "void": [dataclasses.asdict(game) for game in results.void],
        "decisions": [dataclasses.asdict(word) for word in results.decisions],
    }
