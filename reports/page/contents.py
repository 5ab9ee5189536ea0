"""What a report says of one event: sections of tables, charts and notes, made from the store.

A section is a function from `Material` to `Section`, or None where the event has nothing of the kind; the
list `SECTIONS` is the order of the page. A further part of the report is one more such function.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.core.dice import key_hash
from arena.core.event import IMPORTED
from arena.core.rounds import games_of_meeting
from arena.core.verdict import FAULTS, Reason
from arena.rules.base import BLACK, QuestionError, colour_name
from arena.rules.registry import make_rules, rules_class
from arena.store import ResultColumns
from arena.words import counted
from reports import workers
from reports.boards import drawing_of
from reports.komi.by_komi import by_komi_table, counts_by_komi
from reports.komi.study import plan_of, study_of_event
from reports.printable import NAME_CELLS, printable
from reports.ratings import rated_games, rating_tables, ratings_of
from reports.standings import standings
from reports.stored import results_of
from reports.tables import (
    Column,
    Table,
    conduct_table,
    cross_table,
    decision_line,
    meetings_table,
    pairings_table,
    standings_table,
    void_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from arena.core.event import Event
    from arena.core.laboratory import Laboratory
    from arena.core.record import EngineIdentity, GameRecord
    from arena.core.verdict import Verdict
    from arena.stats.ratings import Ratings
    from arena.store import Duplicates, GameColumns, Meta, ReadStore
    from reports.boards import Drawing
    from reports.komi.by_komi import KomiCount
    from reports.komi.study import Study
    from reports.ratings import RatedGames
    from reports.results import Results
    from reports.standings import Standings
    from reports.workers import ByWorker

MOST_ROWS = 200
"""Rows of a list on the page; what there is beyond is counted."""

_MOST_FURTHER_ROWS = 20
"""Rows of a table that only few readers want; its file has all."""

DIE_FACES = 6


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report.

    Attributes:
        anchor: its name in links, unique in an event.
        title: its heading.
        tables: shown and written as CSV and Markdown.
        hidden_tables: written as CSV only (a form for programs of a table that is shown).
        charts: file names without ending, or beginnings of such (`margins-by-engine` covers its pages too).
        notes: sentences, printable.
        folder: where the files of its tables and charts stand below those of the event; empty: beside them.
    """

    anchor: str
    title: str
    tables: tuple[Table, ...] = ()
    hidden_tables: tuple[Table, ...] = ()
    charts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    folder: str = ""


@dataclass(slots=True)
class Seen:
    """What is counted while the games that get a replay pass by.

    Attributes:
        games: how many.
        openings: by label: games, Black's points, sum and number of final margins.
        dice: how often each face came, all throws.
        faults: games that ended by a fault, the first `MOST_ROWS`.
    """

    games: int = 0
    openings: dict[str, list[float]] = field(default_factory=dict)
    dice: Counter[int] = field(default_factory=Counter)
    faults: list[GameRecord] = field(default_factory=list)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        self.games += 1
        verdict = record.verdict
        if not verdict.is_void:
            counts = self.openings.setdefault(record.opening, [0, 0.0, 0.0, 0])
            counts[0] += 1
            counts[1] += _black_points(verdict)
            if verdict.outcome is not None and verdict.outcome.final_margin is not None:
                counts[2] += verdict.outcome.final_margin
                counts[3] += 1
        for roll in (*record.dice, *record.opening_roll):
            self.dice.update(roll)
        is_fault = verdict.reason in FAULTS or verdict.reason == Reason.BOTH_FAILED
        if is_fault and len(self.faults) < MOST_ROWS:
            self.faults.append(record)


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that is known of one event.

    Attributes:
        event, meta, identities, duplicates: as the store has them.
        games: how many stand, annulled ones included.
        komis: the games at each komi played at.
        laboratory: which of its games it was asked for, where it is a komi laboratory.
        study: what the games say of komi; a sentence where there is something that cannot be studied here;
            None where there is nothing.
        results, table: what standings and charts are made of.
        rated: the games as ratings take them, and the ratings; None where there is nothing to rate.
        drawing: of its board, None without one.
        chosen: ordinals of the games that get a replay, in schedule order.
        seen: what was counted over these.
        workers: games by the workers of a cluster, None without one.
    """

    event: Event
    meta: Meta
    identities: tuple[EngineIdentity, ...]
    duplicates: tuple[Duplicates, ...]
    games: int
    komis: tuple[KomiCount, ...]
    laboratory: Laboratory | None
    study: Study | str | None
    results: Results
    table: Standings
    rated: tuple[RatedGames, Ratings] | None
    drawing: Drawing | None
    chosen: tuple[int, ...]
    seen: Seen
    workers: ByWorker | None = None

    @property
    def is_self_play(self) -> bool:
        """Whether an engine plays itself: then there is nothing to compare."""
        return self.laboratory is not None and self.laboratory.is_self_play

    @property
    def is_whole(self) -> bool:
        """Whether every game has a replay."""
        return len(self.chosen) == self.games


def material_of(store: ReadStore, replays: int, of_more: int) -> Material:
    """Read an event, except for the games themselves.

    Args:
        store: its database.
        replays: up to so many games all get a replay.
        of_more: how many get one where there are more: those with a fault first, at most half of the number,
            the others evenly spread over the schedule.

    Raises:
        StoreError: the database is damaged.
    """
    event = store.event()
    columns = store.columns()
    played_by = workers.by_worker(store, columns)
    chosen, komis, games = _chosen(columns, replays, of_more), counts_by_komi(columns), len(columns.ordinal)
    plan = plan_of(store, event)
    rated = _rated(store, columns)
    # Of a million games the columns are 200 MB, and the results as much again.
    columns = _only(columns, [column.name for column in fields(ResultColumns)])
    results = results_of(store, columns=columns)
    del columns
    return Material(
        event=event,
        meta=store.meta(),
        identities=store.identities(),
        duplicates=store.duplicates(),
        games=games,
        komis=komis,
        laboratory=plan,
        study=study_of_event(store, event, games),
        results=results,
        table=standings(results),
        rated=rated,
        drawing=_drawing(event),
        chosen=chosen,
        seen=Seen(),
        workers=played_by,
    )


def _only(columns: GameColumns, names: Sequence[str]) -> GameColumns:
    """Return the columns without the arrays of other names."""
    arrays = (name.name for name in fields(columns) if isinstance(getattr(columns, name.name), np.ndarray))
    others: dict[str, Any] = {name: np.empty(0) for name in arrays if name not in names}
    return replace(columns, **others)


def _rated(store: ReadStore, columns: GameColumns) -> tuple[RatedGames, Ratings] | None:
    try:
        games = rated_games([store], [columns])
    except QuestionError:
        # A plugin's game that is not installed here.
        return None
    if not games.points.size or len(games.names) < 2:
        return None
    ratings = ratings_of(games, 0, 0.0)
    # The tables need the names alone.
    nothing = games.black[:0].copy()
    names_alone = replace(
        games, black=nothing, white=nothing, points=np.empty(0), pairs=nothing, kind=games.kind[:0].copy()
    )
    return names_alone, ratings


def _drawing(event: Event) -> Drawing | None:
    sizes = {(each.game, each.size) for each in event.all_disciplines}
    if len(sizes) > 1 or any(each.size is not None for each in event.pairings):
        # The page has one board: games on several are shown by their diagrams.
        return None
    try:
        kind = rules_class(event.game)
        return drawing_of(make_rules(event.game, size=event.size if kind.sizes else None))
    except QuestionError:
        # A plugin's game that is not installed here.
        return None


def _chosen(columns: GameColumns, replays: int, of_more: int) -> tuple[int, ...]:
    games = len(columns.ordinal)
    if games <= replays:
        return tuple(columns.ordinal.tolist())
    fault_codes = [
        code for code, word in enumerate(columns.reasons) if word in FAULTS or word == Reason.BOTH_FAILED
    ]
    faults = np.flatnonzero(np.isin(columns.reason, fault_codes))[: of_more // 2]
    others = np.setdiff1d(np.arange(games), faults, assume_unique=True)
    wanted = min(of_more - len(faults), len(others))
    spread = others[np.linspace(0, len(others) - 1, wanted).astype(np.int64)] if wanted else others[:0]
    places = np.union1d(faults, spread)
    return tuple(columns.ordinal[places].tolist())


# --- Sections ---------------------------------------------------------------------------------------


def _standings(material: Material) -> Section | None:
    if material.is_self_play:
        return None
    results, table = material.results, material.table
    shown, whole = pairings_table(results, MOST_ROWS), pairings_table(results)
    return Section(
        "standings",
        "Standings",
        (standings_table(results, table), cross_table(results, table), *([shown] if shown else [])),
        (meetings_table(results, table), *([whole] if whole else [])),
        ("standings",),
    )


def _ratings(material: Material) -> Section | None:
    if material.rated is None:
        return None
    return Section("ratings", "Ratings", tuple(rating_tables(*material.rated)), (), ("ratings",))


def _margins(material: Material) -> Section | None:
    if not len(material.results) or material.is_self_play:
        return None
    charts = ("margins-by-engine", "margins-by-pairing", "margins-by-colour")
    return Section("margins", "Score margins", (conduct_table(material.results, material.table),), (), charts)


def _komi(material: Material) -> Section | None:
    """What the games say of komi, where there were several or the players settled it."""
    study = material.study
    if study is not None and not isinstance(study, str):
        further = tuple(_beginning(table) for table in study.further_tables())
        tables = (*study.tables(), *further)
        return Section("komi", "Komi", tables, study.further_tables(), study.charts, tuple(study.lines()))
    notes = () if study is None else (study,)
    rows = material.komis
    if len(rows) < 2:
        return Section("komi", "Komi", notes=notes) if notes else None
    table = by_komi_table(
        rows[:MOST_ROWS],
        _title("Results by komi", material),
        _left_out(len(rows) - MOST_ROWS, "komi values"),
    )
    return Section("komi", "Komi", (table,), notes=notes)


def _forfeits(material: Material) -> Section:
    results, seen = material.results, material.seen
    codes = [
        code for code, word in enumerate(results.reasons) if word in FAULTS or word == Reason.BOTH_FAILED
    ]
    total = int(np.isin(results.reason, codes).sum())
    if not total:
        return Section("forfeits", "Forfeits", notes=("No engine failed in any game.",))
    rows = tuple(_fault_row(record) for record in seen.faults)
    columns = (
        Column("game", "game"),
        Column("at fault", "engine", cells=NAME_CELLS),
        Column("colour", "colour"),
        Column("reason", "reason"),
        Column("after turn", "turn"),
        Column("time on that turn, s", "fault_s", "{:.3f}".format),
        Column("what happened", "message", cells=300),
        Column("process", "exit", cells=60),
    )
    notes = _left_out(total - len(rows), "forfeits")
    table = Table("forfeits", _title("Forfeits", material), columns, rows, notes)
    hint = "The evidence (bytes in question, standard error, exchange) stands with each game."
    return Section("forfeits", "Forfeits", (table,), notes=(hint,))


def _fault_row(record: GameRecord) -> tuple[str | int | float | None, ...]:
    names = (record.black.name, record.white.name)
    side = record.verdict.at_fault
    said = [kept.message for _, kept in sorted(record.evidence.items()) if kept.message]
    ended = [kept.exit for _, kept in sorted(record.evidence.items()) if kept.exit]
    return (
        record.id,
        "both" if side is None else names[side],
        "" if side is None else colour_name(side),
        ", ".join(record.verdict.reasons),
        len(record.moves),
        None if record.fault_us is None else record.fault_us / 1e6,
        " / ".join(said),
        " / ".join(ended),
    )


def _time(material: Material) -> Section | None:
    results, seen = material.results, material.seen
    if not len(results):
        return None
    rows = []
    for record in seen.faults:
        side = record.verdict.at_fault
        if record.verdict.reason in (Reason.TIME, Reason.HANG) and side is not None:
            name = (record.black, record.white)[side].name
            spent = None if record.fault_us is None else record.fault_us / 1e6
            rows.append((record.id, name, len(record.moves) + 1, spent))
    late = [code for code, word in enumerate(results.reasons) if word in (Reason.TIME, Reason.HANG)]
    total = int(np.isin(results.reason, late).sum())
    controls = dict.fromkeys(each.time.text for each in material.event.all_disciplines)
    control = f"Time control: {', '.join(controls)}"
    odds = [
        f"{printable(engine.name, NAME_CELLS)} {engine.time.text}"
        for engine in material.event.engines[:MOST_ROWS]
        if engine.time is not None
    ]
    notes = [f"{control}; {', '.join(odds)}." if odds else f"{control}."]
    notes.append(
        "No game was lost on time."
        if not total
        else f"{counted(total, 'game was', 'games were')} lost on time."
    )
    tables: tuple[Table, ...] = ()
    if rows:
        columns = (
            Column("game", "game"),
            Column("engine", "engine", cells=NAME_CELLS),
            Column("turn", "turn"),
            Column("time on that turn, s", "spent_s", "{:.3f}".format),
        )
        tables = (
            Table(
                "clock-overruns",
                _title("Games lost on time", material),
                columns,
                tuple(rows),
                _left_out(total - len(rows), "games lost on time"),
            ),
        )
    return Section("time", "Use of time", tables, (), ("time-use",), tuple(notes))


def _lengths(material: Material) -> Section | None:
    results = material.results
    if not len(results):
        return None
    rows = []
    for code, word in enumerate(results.reasons):
        plies = results.plies[results.reason == code]
        if len(plies):
            spent = (results.spent_us[0] + results.spent_us[1])[results.reason == code] / 1e6
            rows.append(
                (
                    word,
                    len(plies),
                    float(plies.mean()),
                    float(np.median(plies)),
                    int(plies.min()),
                    int(plies.max()),
                    float(spent.mean()),
                )
            )
    columns = (
        Column("ended by", "reason"),
        Column("games", "games"),
        Column("mean turns", "mean"),
        Column("median", "median"),
        Column("shortest", "shortest"),
        Column("longest", "longest"),
        Column("mean time of a game, s", "mean_s", "{:.2f}".format),
    )
    rows.sort(key=lambda row: (-row[1], row[0]))
    table = Table("game-length", _title("Length of the games", material), columns, tuple(rows))
    return Section("length", "Length of the games", (table,), (), ("game-length",))


def _openings(material: Material) -> Section:
    source, seen = material.event.book.source, material.seen
    notes = [f"Openings: {printable(source, 100)}."]
    labels = {label: counts for label, counts in seen.openings.items() if label}
    if not labels:
        return Section("openings", "Openings", notes=tuple(notes))
    rows = [
        (label, int(games), black / games, margins / known if known else None)
        for label, (games, black, margins, known) in labels.items()
    ]
    rows.sort(key=lambda row: -row[1])
    if not material.is_whole:
        notes.append(f"Counted over {counted(seen.games, 'game')} with a replay.")
    first = material.results.labels.colours[0]
    table = Table(
        "openings",
        _title("Openings", material),
        (
            Column("opening", "opening", cells=60),
            Column("games", "games"),
            Column(f"{first}'s share of the points", "black_share", "{:.1%}".format),
            Column(f"mean final margin for {first}", "final_margin", "{:+.2f}".format),
        ),
        tuple(rows[:MOST_ROWS]),
        _left_out(len(rows) - MOST_ROWS, "openings"),
    )
    return Section("openings", "Openings", (table,), notes=tuple(notes))


def _identical(material: Material) -> Section:
    groups = material.duplicates
    if not groups:
        return Section("identical", "Identical games", notes=("No two games are the same.",))
    again = sum(group.count - 1 for group in groups)
    rows = tuple(
        (
            group.ids[0],
            group.count,
            ", ".join(group.ids[1:]) + (", …" if group.count > len(group.ids) else ""),
        )
        for group in groups[:MOST_ROWS]
    )
    table = Table(
        "identical-games",
        _title("Identical games", material),
        (Column("game", "game"), Column("times", "times"), Column("repeated by", "repeated_by", cells=120)),
        rows,
        _left_out(len(groups) - len(rows), "groups"),
    )
    note = (
        f"{again} of {counted(material.games, 'game')} repeat an earlier one move by move: they count, but "
        "tell nothing new."
    )
    return Section("identical", "Identical games", (table,), notes=(note,))


def _dice(material: Material) -> Section | None:
    seen, meta = material.seen, material.meta
    try:
        if not any(rules_class(each.game).has_dice for each in material.event.all_disciplines):
            return None
    except QuestionError:
        if not seen.dice:
            return None
    if material.event.format == IMPORTED:
        return _thrown(material, ["The dice came with the records; there is no key to derive them from."])
    notes = [
        f"Dice: {material.event.dice}. SHA-256 of the key, published at the start: {meta.dice_key_hash}.",
        (
            "The key was given beforehand in the tournament file: whoever had the file knew the dice."
            if meta.dice_key_given
            else "The key was drawn at random and kept secret until the end."
        ),
    ]
    if meta.dice_key is None:
        notes.append("The key is still secret, because games are to come.")
    else:
        agrees = key_hash(meta.dice_key) == meta.dice_key_hash
        notes.append(f"The key: {meta.dice_key.hex()}; its hash {'agrees' if agrees else 'DOES NOT agree'}.")
        notes.append("arena verify derives every roll from it again.")
    return _thrown(material, notes)


def _thrown(material: Material, notes: list[str]) -> Section:
    """Return the section on dice with the count of the faces."""
    seen = material.seen
    if not material.is_whole:
        notes.append(f"Counted over {counted(seen.games, 'game')} with a replay.")
    dice = sum(seen.dice.values())
    if not dice:
        return Section("dice", "Dice", notes=tuple(notes))
    faces = [seen.dice[face] for face in range(1, DIE_FACES + 1)]
    rows = tuple(
        (face, count, count / dice) for face, count in zip(range(1, DIE_FACES + 1), faces, strict=True)
    )
    notes.append(f"All faces equally likely: chi-square test on {dice} dice, p = {_chi_square(faces):.3f}.")
    columns = (Column("die", "die"), Column("thrown", "thrown"), Column("share", "share", "{:.2%}".format))
    return Section(
        "dice", "Dice", (Table("dice", _title("Dice", material), columns, rows),), notes=tuple(notes)
    )


def _chi_square(faces: Sequence[int]) -> float:
    from scipy.stats import chisquare

    return float(chisquare(faces).pvalue)


def _organiser(material: Material) -> Section | None:
    results = material.results
    if not results.decisions and not results.void:
        return None
    tables = (void_table(results),) if results.void else ()
    words = tuple(decision_line(word) for word in results.decisions)
    return Section("organiser", "Void games and the organiser's words", tables, notes=words)


def _workers(material: Material) -> Section | None:
    """Games by the workers of a cluster."""
    if material.workers is None:
        return None
    return Section("workers", "Workers", (workers.table(material.workers, _title("Workers", material)),))


def _environment(material: Material) -> Section:
    event, meta = material.event, material.meta
    engines = tuple(
        (
            identity.name,
            f"{identity.reported_name} {identity.reported_version}".strip(),
            identity.sandbox,
            identity.command_hash[:12],
            identity.program_hash[:12],
        )
        for identity in sorted(material.identities, key=lambda identity: _place(event, identity.name))
    )
    columns = (
        Column("engine", "engine", cells=NAME_CELLS),
        Column("says it is", "reported", cells=60),
        Column("sandbox", "sandbox", cells=20),
        Column("SHA-256 of the command", "command_sha256"),
        Column("SHA-256 of the program", "program_sha256"),
    )
    runs = tuple(
        (
            run.started,
            run.ended or "not ended",
            run.versions.get("gtparena", ""),
            run.versions.get("python", ""),
            run.versions.get("sqlite", ""),
            run.versions.get("platform", ""),
        )
        for run in meta.runs[-MOST_ROWS:]
    )
    run_columns = (
        Column("run started", "started"),
        Column("ended", "ended"),
        Column("gtparena", "gtparena", cells=20),
        Column("Python", "python", cells=20),
        Column("SQLite", "sqlite", cells=20),
        Column("machine", "machine", cells=100),
    )
    settings = [
        f"{event.format}, {counted(games_of_meeting(event), 'game')} a pairing",
        f"{event.concurrency} at a time",
        f"seed {event.seed}",
        f"time {', '.join(dict.fromkeys(each.time.text for each in event.all_disciplines))}",
    ]
    return Section(
        "environment",
        "Environment",
        (
            Table("engines", _title("Engines", material), columns, engines[:MOST_ROWS]),
            Table("runs", _title("Runs", material), run_columns, runs),
        ),
        notes=(printable(f"Settings: {'; '.join(settings)}."),),
    )


SECTIONS: tuple[Callable[[Material], Section | None], ...] = (
    _standings,
    _ratings,
    _margins,
    _komi,
    _forfeits,
    _time,
    _lengths,
    _openings,
    _identical,
    _dice,
    _organiser,
    _workers,
    _environment,
)
"""The parts of a report, in the order of the page."""


def sections_of(material: Material) -> list[Section]:
    """Return the sections of an event, once its games have been counted."""
    made: Iterable[Section | None] = (make(material) for make in SECTIONS)
    sections = [section for section in made if section is not None]
    if material.laboratory is not None:
        # What it was played for.
        sections.sort(key=lambda section: section.anchor != "komi")
    return sections


# --- Small things -----------------------------------------------------------------------------------


def _title(what: str, material: Material) -> str:
    labels = material.results.labels
    return f"{what}: {labels.event} ({labels.rules})"


def _beginning(table: Table) -> Table:
    """Return a long table's first rows, for the page; its file for programs has them all."""
    left = len(table.rows) - _MOST_FURTHER_ROWS
    if left <= 0:
        return table
    note = f"{counted(left, 'further row')} in the CSV file."
    return replace(table, rows=table.rows[:_MOST_FURTHER_ROWS], notes=(*table.notes, note))


def _left_out(count: int, what: str) -> tuple[str, ...]:
    return (f"{count} further {what} are not listed.",) if count > 0 else ()


def _black_points(verdict: Verdict) -> float:
    if verdict.is_draw:
        return 0.5
    return 1.0 if verdict.winner == BLACK else 0.0


def _place(event: Event, name: str) -> int:
    names = [engine.name for engine in event.engines]
    return names.index(name) if name in names else len(names)
