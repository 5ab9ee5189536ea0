"""Writes a report into a folder: the page, its charts and tables, and a script file for each game.

The same databases give the same files, byte for byte. What an earlier report of this program left in the
folder and the new one does not need is removed; nothing else is touched.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import __version__
from arena.words import counted
from reports import charts, tables
from reports.export import Circumstances
from reports.extras import require
from reports.page import OF_MORE, REPLAYS
from reports.page.contents import Material, Section, material_of, sections_of
from reports.page.games_apart import games_apart
from reports.page.replays import replay_data
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from arena.core.clock import TimeControl
    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.store import ReadStore
    from reports.tables import Table

MANIFEST = "report-files.txt"
"""Lists what a report has written, so that the next one can take away what it no longer needs."""

GAMES_A_FOLDER = 1_000
ROWS_SHOWN = 50
"""Games listed in the page itself; the browser lists the others, page by page."""

MOST_NOTES = 12
"""Lines below a table of the page."""

INLINE_BYTES = 2_000_000
"""Of charts in the page itself; further ones are pictures beside it, loaded when they come into view."""

ALONE_GAMES = 400
"""Up to so many games, starting processes takes longer than it saves."""

CHUNK_GAMES = 50

BEFORE_THE_GAMES = frozenset({"standings", "ratings", "margins"})
"""Sections on all games of an event of several; those on each of its games follow."""

_Controls = tuple["TimeControl | None", "TimeControl | None"]


class FolderError(Exception):
    """The folder cannot take a report; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a report came to.

    Attributes:
        page: the file to open.
        files: how many were written.
        games, replays: games of all events, and how many of them have a replay.
    """

    page: Path
    files: int
    games: int
    replays: int


def write_report(
    stores: Iterable[ReadStore], folder: Path, *, replays: int = REPLAYS, of_more: int = OF_MORE
) -> Written:
    """Write one report of one or several events into `folder`, which is made if need be.

    Args:
        stores: their databases, read one after the other.
        folder: empty, not there yet, or one that an earlier report was written into.
        replays: up to so many games of an event, each has a replay.
        of_more: how many have one where an event has more games.

    Raises:
        MissingExtraError: a library of the extra `reports` is not installed.
        FolderError: the folder holds something else.
        StoreError: a database cannot be read.
        OSError: a file cannot be written.
    """
    jinja2 = require("jinja2")
    earlier = _earlier_files(folder)
    writer = _Writer(folder)
    writer.begin(earlier)
    events: list[dict[str, Any]] = []
    games = shown = 0
    room = INLINE_BYTES
    for number, store in enumerate(stores, start=1):
        material = material_of(store, replays, of_more)
        events.append(_event(writer, number, store, material, room))
        room -= events[-1]["inline_bytes"]
        games += material.games
        shown += len(material.chosen)
    here = Path(__file__).parent
    for name in ("style.css", "board.js", "report.js"):
        writer.text(f"page/{name}", (here / name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(here),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    page = environment.get_template("page.html").render(events=events, version=__version__)
    writer.text("index.html", page)
    writer.finish(earlier)
    return Written(folder / "index.html", len(writer.files), games, shown)


# --- One event --------------------------------------------------------------------------------------


def _event(writer: _Writer, number: int, store: ReadStore, material: Material, room: int) -> dict[str, Any]:
    """Write the files of one event and return what the page says of it."""
    event, labels = material.event, material.results.labels
    folder = str(number)
    rows = _write_games(writer, number, store, material)
    listed = {
        "event": number,
        "names": [printable(engine.name) for engine in event.engines],
        "rows": rows,
        "board": None if material.drawing is None else material.drawing.as_data(),
    }
    writer.text(f"{folder}/games.js", _script("arenaGames", listed))
    pictured = writer.made(f"{folder}/charts")
    if material.is_self_play:
        drawn = charts.save_without_comparison(material.results, material.table, pictured)
    else:
        drawn = charts.save_all(material.results, material.table, pictured, material.rated)
    if material.study is not None and not isinstance(material.study, str):
        drawn += material.study.save_charts(pictured)
    laid = [(section, drawn) for section in sections_of(material)]
    apart = []
    for game in games_apart(store):
        section = game.section()
        beside = writer.made(f"{folder}/charts/{section.folder}")
        apart.append((section, charts.save_all(game.results, game.table, beside, game.rated)))
        drawn = [*drawn, *apart[-1][1]]
    of_all = [place for place, (section, _) in enumerate(laid, 1) if section.anchor in BEFORE_THE_GAMES]
    after = max(of_all, default=0)
    laid[after:after] = apart
    for path in drawn:
        writer.saved(path)
    ids = {row[0] for row in rows}
    inline = 0
    parts = []
    for section, paths in laid:
        _save_tables(writer, section, f"{folder}/tables")
        pictures = []
        for path in paths:
            if path.suffix == ".svg" and _belongs(path.stem, section.charts):
                pictures.append(_picture(path, number, section, room - inline))
                inline += len(pictures[-1]["svg"])
        parts.append(_part(section, pictures, folder, ids))
    return {
        "number": number,
        "prefix": "" if number == 1 else f"e{number}:",
        "name": printable(event.name, 200),
        "rules": printable(labels.rules, 200),
        "colours": labels.colours,
        "format": printable(event.format, 40),
        "facts": _facts(material),
        "parts": parts,
        "rows": [_row(row, event) for row in rows[:ROWS_SHOWN]],
        "games": material.games,
        "replays": len(rows),
        "is_whole": material.is_whole,
        "board": "" if material.drawing is None else material.drawing.skeleton(),
        "inline_bytes": inline,
    }


def _save_tables(writer: _Writer, section: Section, folder: str) -> None:
    beside = writer.made(_inside(folder, section))
    for table in section.tables:
        writer.saved(tables.save_markdown(table, beside))
    # A form for programs takes the place of the one for people.
    forms = {table.stem: table for table in (*section.tables, *section.hidden_tables)}
    for table in forms.values():
        writer.saved(tables.save_csv(table, beside))


def _inside(folder: str, section: Section) -> str:
    return f"{folder}/{section.folder}" if section.folder else folder


def _facts(material: Material) -> list[str]:
    meta, results = material.meta, material.results
    games = f"{counted(len(results), 'game')} counted"
    if results.scheduled is not None:
        games += f" of {results.scheduled} scheduled"
    if results.void:
        games += f", {len(results.void)} void"
    began = f"begun {meta.created[:16].replace('T', ' ')} UTC"
    if material.laboratory is not None:
        ended = "a komi laboratory, which can always be gone on with"
    elif meta.finished is None:
        ended = "games are still to come"
    else:
        ended = f"finished {meta.finished[:16].replace('T', ' ')} UTC"
    return [games, began, ended]


def _part(section: Section, pictures: list[dict[str, Any]], folder: str, ids: set[str]) -> dict[str, Any]:
    return {
        "anchor": section.anchor,
        "title": section.title,
        "notes": section.notes,
        "pictures": pictures,
        "tables": [_table(table, _inside(f"{folder}/tables", section), ids) for table in section.tables],
    }


def _table(table: Table, folder: str, ids: set[str]) -> dict[str, Any]:
    """Return a table as the page shows it; ids of games that have a replay become links."""
    keys = [column.key for column in table.columns]
    linked = keys.index("game") if "game" in keys else None
    rows = []
    for row, cells in zip(table.rows, tables.shown(table), strict=True):
        game = row[linked] if linked is not None else None
        rows.append(
            [
                {"text": text, "game": str(game) if place == linked and game in ids else None}
                for place, text in enumerate(cells)
            ]
        )
    return {
        "title": printable(table.title),
        # A number stays with its sign.
        "headers": [printable(column.header, 60).replace(" %", "\u00a0%") for column in table.columns],
        "alignment": tables.alignment(table),
        "rows": rows,
        "notes": _notes(table),
        "path": f"{folder}/{table.stem}",
    }


def _notes(table: Table) -> list[str]:
    """Return the lines below a table; a long list of the organiser's words has a part of its own."""
    notes = [note for note in table.notes if note]
    left = len(notes) - MOST_NOTES
    return notes if left <= 0 else [*notes[:MOST_NOTES], f"{counted(left, 'further line')} in the files."]


def _belongs(stem: str, names: Sequence[str]) -> bool:
    """Say whether a chart is one of a section's: under its own name, or as a numbered page of it."""
    return any(re.fullmatch(rf"{re.escape(name)}(-group[0-9]+)?(-[0-9]+)?", stem) for name in names)


def _picture(path: Path, number: int, section: Section, room: int) -> dict[str, Any]:
    """Return a chart: as SVG that can stand in a page with others, or, past the room, as a file to load."""
    svg = path.read_text(encoding="utf-8")
    title = _title_of(path.stem)
    prefix = f"c{number}-{path.stem}"
    if section.folder:
        title, prefix = f"{title}: {section.folder}", f"c{number}-{section.folder}.{path.stem}"
    beside = _inside(f"{number}/charts", section)
    picture = {"stem": path.stem, "title": title, "path": f"{beside}/{path.stem}", "svg": ""}
    if len(svg) > room:
        return picture
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
    return {**picture, "svg": svg}


def _title_of(stem: str) -> str:
    words, _, page = stem.rpartition("-")
    if not page.isdigit():
        return stem.replace("-", " ").capitalize()
    return f"{words.replace('-', ' ').capitalize()}, page {page}"


# --- Games ------------------------------------------------------------------------------------------


def _write_games(writer: _Writer, number: int, store: ReadStore, material: Material) -> list[list[Any]]:
    """Write the replays and return the rows of the list of games."""
    circumstances = Circumstances(material.event)
    rows: list[list[Any]] = []

    def passing() -> Iterator[tuple[GameRecord, _Controls]]:
        for record in store.records_at(material.chosen):
            material.seen.add(record)
            rows.append(_list_row(record, material.event))
            yield record, circumstances.controls(record) or (None, None)

    jobs = os.cpu_count() or 1 if len(material.chosen) > ALONE_GAMES else 1
    for place, text in enumerate(_replays(passing(), jobs, is_drawn=material.drawing is not None)):
        path = f"{number}/games/{place // GAMES_A_FOLDER:03}/{place}.js"
        writer.text(path, f"arenaGame({number},{place},{text});\n")
    return rows


def _list_row(record: GameRecord, event: Event) -> list[Any]:
    """Return what the list says of a game; engines by their place in the event."""
    names = [engine.name for engine in event.engines]
    outcome = record.verdict.outcome
    spent_us = sum(time for time in record.time_us if time is not None) + (record.fault_us or 0)
    return [
        printable(record.id, 200),
        record.round,
        names.index(record.black.name),
        names.index(record.white.name),
        printable(record.verdict.result, 40),
        printable(record.verdict.reason, 40),
        None if outcome is None else outcome.final_margin,
        len(record.moves),
        round(spent_us / 1e6, 2),
    ]


def _row(row: list[Any], event: Event) -> dict[str, Any]:
    game, round_, black, white, result, reason, margin, plies, spent_s = row
    return {
        "id": game,
        "round": round_,
        "black": printable(event.engines[black].name, 40),
        "white": printable(event.engines[white].name, 40),
        "result": result,
        "reason": reason,
        "margin": "" if margin is None else f"{margin:+g}" if margin else "0",
        "plies": plies,
        "spent_s": f"{spent_s:.2f}",
    }


def _replays(games: Iterator[tuple[GameRecord, _Controls]], jobs: int, *, is_drawn: bool) -> Iterator[str]:
    """Yield the replay of each game as JSON, in their order."""
    chunks = iter(lambda: list(itertools.islice(games, CHUNK_GAMES)), [])
    if jobs == 1:
        for chunk in chunks:
            yield from _replayed(chunk, is_drawn)
        return
    # Spawned, not forked: a child must not inherit the open database.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupt) as pool:
        pending: deque[Future[list[str]]] = deque()
        for chunk in chunks:
            pending.append(pool.submit(_replayed, chunk, is_drawn))
            if len(pending) > 4 * jobs:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()


def _ignore_interrupt() -> None:
    # Ctrl-C is the parent's to handle; it ends the pool.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _replayed(games: Sequence[tuple[GameRecord, _Controls]], is_drawn: bool) -> list[str]:
    return [_json(replay_data(record, controls, is_drawn=is_drawn)) for record, controls in games]


def _json(data: Any) -> str:
    """Return JSON in ASCII that no HTML parser takes for markup, whoever serves the file as what."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")


def _script(function: str, data: Any) -> str:
    return f"{function}({_json(data)});\n"


# --- Files ------------------------------------------------------------------------------------------


class _Writer:
    """Writes files below a folder and remembers their names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: set[str] = set()
        self.files: list[str] = []

    def made(self, path: str) -> Path:
        """Return a folder below, which exists from now on."""
        whole = self._folder / path
        if path not in self._made:
            whole.mkdir(parents=True, exist_ok=True)
            self._made.add(path)
        return whole

    def text(self, path: str, text: str) -> None:
        """Write a file."""
        parent, _, name = path.rpartition("/")
        (self.made(parent) / name).write_text(text, encoding="utf-8", newline="\n")
        self.files.append(path)

    def saved(self, path: Path) -> None:
        """Remember a file that somebody else has written below."""
        self.files.append(path.relative_to(self._folder).as_posix())

    def begin(self, earlier: set[str]) -> None:
        """Mark the folder as a report's, so that a report that is interrupted can be made again."""
        (self.made("") / MANIFEST).write_text("".join(f"{path}\n" for path in sorted(earlier)))

    def finish(self, earlier: set[str]) -> None:
        """Remove what only the earlier report had, and write the list."""
        for path in sorted(earlier - set(self.files)):
            (self._folder / path).unlink(missing_ok=True)
        self.text(MANIFEST, "".join(f"{path}\n" for path in sorted(self.files)))


_OWN_FILE = re.compile(r"(?:[0-9]+/|page/)[A-Za-z0-9_.\-]+(?:/[A-Za-z0-9_.\-]+){0,2}|index\.html")


def _earlier_files(folder: Path) -> set[str]:
    """Return what an earlier report wrote into the folder.

    Raises:
        FolderError: it is no folder, or holds something else.
    """
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise FolderError(f"{folder} is a file: name a folder for the report")
    manifest = folder / MANIFEST
    if not manifest.exists():
        if any(folder.iterdir()):
            raise FolderError(f"{folder} holds something else than a report: name a new or empty folder")
        return set()
    lines = manifest.read_text(encoding="utf-8", errors="replace").splitlines()
    return {line for line in lines if _OWN_FILE.fullmatch(line) and ".." not in line}
