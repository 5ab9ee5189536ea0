"""Tables as people and programs get them."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.store import ReadStore, RunStore
from reports.extras import MissingExtraError
from reports.printable import NAME_CELLS, text_width
from reports.results import Decision, Results, VoidGame, from_rows
from reports.standings import standings
from reports.stored import results_of
from reports.tables import (
    Column,
    Table,
    conduct_table,
    cross_table,
    meetings_table,
    save_csv,
    save_markdown,
    standings_table,
    text,
    void_table,
)
from tests.reports.samples import LABELS, game, season
from tests.store.builders import event as stored_event
from tests.store.builders import record

if TYPE_CHECKING:
    from pathlib import Path

WIDE = "囲碁の強い機関"
HOSTILE = "=evil|\x1b[2J\n<b>`" + "x" * 200


def every_table(results: Results) -> list[Table]:
    found = standings(results)
    return [
        standings_table(results, found),
        cross_table(results, found),
        meetings_table(results, found),
        conduct_table(results, found),
        void_table(results),
    ]


def hostile() -> Results:
    results = from_rows(
        ["a", HOSTILE],
        replace(LABELS, event=HOSTILE),
        [game(0, 1, 1.0, "1", board_margin=3.0), game(1, 0, 0.5, "1", board_margin=-3.0)],
    )
    return replace(
        results,
        void=(VoidGame("9a", HOSTILE, "a", "annulled", HOSTILE),),
        decisions=(Decision("2026-01-02T03:04:05.000Z", "annul", "9a", HOSTILE),),
    )


def test_the_table_reads_as_it_should() -> None:
    results = from_rows(
        ["a", "b"],
        LABELS,
        [game(0, 1, 1.0, "1"), game(1, 0, 0.5, "1"), game(0, 1, 1.0, "2"), game(1, 0, 0.0, "2")],
    )
    lines = text(standings_table(results, standings(results))).splitlines()
    assert lines[0] == "Standings: Trial cup (Pletore 9x9, komi 4)"
    assert " ".join(lines[4].split()) == "1 a 4 3.5 87.5% [3.2%, 99.9%] 3-1-0 2-0-0 1-1-0 1.75"


def test_names_that_look_like_numbers_stay_names() -> None:
    results = from_rows(["1e5", "007"], LABELS, [game(0, 1, 1.0)])
    shown = text(standings_table(results, standings(results)))
    assert " 1e5 " in shown
    assert " 007 " in shown


def test_a_shared_rank_is_marked() -> None:
    results = from_rows(["a", "b"], LABELS, [game(0, 1, 0.5), game(1, 0, 0.5)])
    assert text(standings_table(results, standings(results))).count("1=") == 2


def test_every_word_of_the_organiser_stands_under_every_table() -> None:
    words = (
        Decision("2026-01-02T03:04:05.000Z", "annul", "1-2.1a", "wrong book"),
        Decision("2026-01-03T03:04:05.000Z", "disqualify", "engine-2", "phones home"),
    )
    results = replace(season(3, 2), decisions=words, identical=4, scheduled=20)
    for table in every_table(results):
        shown = text(table)
        assert "annul 1-2.1a: wrong book" in shown
        assert "disqualify engine-2: phones home" in shown
        assert "12 games counted of 20 scheduled; 4 identical" in shown


def test_a_disqualified_engine_is_marked() -> None:
    results = replace(season(3, 1), disqualified=("engine-2",))
    assert "engine-2 (out)" in text(standings_table(results, standings(results)))


def test_hostile_names_obey_no_terminal_and_break_no_row() -> None:
    for table in every_table(hostile()):
        shown = text(table)
        assert "\x1b" not in shown
        assert all(character >= " " or character == "\n" for character in shown)
        assert len(shown.splitlines()) == 5 + len(table.rows) + len(table.notes) - (not table.rows)


def test_hostile_names_break_no_markdown(tmp_path: Path) -> None:
    for table in every_table(hostile()):
        written = save_markdown(table, tmp_path).read_text()
        assert "\x1b" not in written
        assert "<b>" not in written.replace(r"\<b\>", "")
        rows = [line for line in written.splitlines() if line.startswith("|")]
        assert len(rows) == 2 + len(table.rows)
        assert {row.replace(r"\|", "").count("|") for row in rows} == {len(table.columns) + 1}


def test_hostile_names_are_no_formula_in_csv(tmp_path: Path) -> None:
    for table in every_table(hostile()):
        with save_csv(table, tmp_path).open(newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) == 1 + len(table.rows)
        assert not any(cell.startswith(("=", "@")) for row in rows for cell in row)


def test_csv_has_a_column_for_every_number(tmp_path: Path) -> None:
    results = season(3, 4)
    found = standings(results)
    with save_csv(standings_table(results, found), tmp_path).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["engine"] for row in rows] == [line.engine for line in found.lines]
    for row, line in zip(rows, found.lines, strict=True):
        assert float(row["points"]) == line.total.points
        assert float(row["share_low"]) == pytest.approx(line.share.low, rel=1e-5)
        assert int(row["black_wins"]) == line.as_black.wins
    with save_csv(meetings_table(results, found), tmp_path).open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 6


def test_a_missing_extra_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    results = season(2, 1)
    with pytest.raises(MissingExtraError, match=r"pandas is missing.*pip install 'gtparena\[reports\]'"):
        save_csv(standings_table(results, standings(results)), tmp_path)


def test_who_computes_out_of_turn_and_a_machine_that_stalls_stand_under_the_table(tmp_path: Path) -> None:
    of = stored_event("a", "b")
    games = [
        replace(record(of, 0), idle_us=(900_000, 10), time_us=(None, 1_000_000, 2_000_000), lag_us=15_000),
        replace(record(of, 1), lag_us=83_000),
    ]
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add(games)
    with ReadStore(tmp_path / "cup.db") as stored:
        results = results_of(stored)
    notes = conduct_table(results, standings(results)).notes
    (idle,) = [note for note in notes if "computed" in note]
    assert f"{games[0].black.name} computed while not to move: 0.9 s of processor time in " in idle
    (lag,) = [note for note in notes if "overloaded" in note]
    assert "in 1 game " in lag
    assert "0.083 s at most" in lag


def test_names_in_wide_characters_leave_columns_straight() -> None:
    rows = (("plain", 12, "x"), (WIDE, 3, "y"), ("한국어 엔진", 145, "z"), ("e\u0301\u0302te", 7, "w"))
    columns = (Column("engine", "engine", cells=NAME_CELLS), Column("games", "games"), Column("end", "end"))
    lines = text(Table("wide", "Wide names", columns, rows)).splitlines()[4:]
    ends = [(line[-1], text_width(line)) for line in lines]
    assert [last for last, _ in ends] == ["x", "y", "z", "w"]
    assert len({width for _, width in ends}) == 1
