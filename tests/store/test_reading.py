"""Summaries, columns, tallies and duplicates say the same as the records."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arena.core.record import Pie
from arena.core.schedule import Schedule
from arena.core.verdict import Reason, by_outcome
from arena.rules import BLACK, WHITE, Outcome
from arena.store import ReadStore, RunStore, reading
from tests.store.builders import event, fault, record, spoiled

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event

DRAWN = Outcome(None, ("full-board",), "0", board_margin=0, final_margin=0, points=0)


@pytest.fixture
def of() -> Event:
    return event("a", "b", "c", games_each=8)


@pytest.fixture
def path(tmp_path: Path, of: Event) -> Path:
    """Twenty games of 24: wins, draws, faults, one annulled, one spoiled, two alike."""
    path = tmp_path / "cup.db"
    records = []
    for ordinal in range(20):
        if ordinal % 5 == 3:
            failed = fault(of, ordinal, side=ordinal % 2)
            records.append(replace(failed, moves=("A1", "B2", f"D{ordinal}")))
        elif ordinal % 5 == 4:
            records.append(record(of, ordinal, verdict=by_outcome(DRAWN), moves=("A1",), time_us=(None,)))
        else:
            words = ("A1", "B2", f"C{ordinal}" if ordinal != 7 else "C1")
            records.append(record(of, ordinal, moves=words, pie=Pie(WHITE, 3, BLACK)))
    with RunStore.create_or_resume(path, of) as store:
        store.add([*records[::-1], spoiled(of, 22)])
        store.annul(records[0].id, "why")
    return path


def test_summaries_agree_with_the_records(path: Path, of: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAGE_GAMES", 7)
    names = [engine.name for engine in of.engines]
    with ReadStore(path) as stored:
        records, summaries = list(stored.records()), list(stored.summaries())
    assert len(summaries) == len(records) == 20
    for kept, summary in zip(records, summaries, strict=True):
        assert (summary.ordinal, summary.id, summary.round) == (kept.ordinal, kept.id, kept.round)
        assert (summary.pair, summary.attempt, summary.komi) == (kept.pair, kept.attempt, kept.komi)
        assert (names[summary.black], names[summary.white]) == (kept.black.name, kept.white.name)
        assert (summary.winner, summary.result) == (kept.verdict.winner_word, kept.verdict.result)
        assert (summary.reason, summary.at_fault) == (kept.verdict.reason, kept.verdict.at_fault)
        assert (summary.points, summary.is_void) == (kept.verdict.points, kept.verdict.is_void)
        outcome = kept.verdict.outcome
        margins = (None, None) if outcome is None else (outcome.board_margin, outcome.final_margin)
        assert (summary.board_margin, summary.final_margin) == margins
        assert (summary.plies, summary.opening_plies) == (len(kept.moves), kept.opening_plies)
        charged = sum(time or 0 for time in kept.time_us) + (kept.fault_us or 0)
        assert summary.black_us + summary.white_us in (charged, charged - 77)
        assert (summary.proposer, summary.black_sandbox) == (None if kept.pie is None else WHITE, "off")


def test_columns_agree_with_the_summaries(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "COLUMN_PAGE_GAMES", 6)
    with ReadStore(path) as stored:
        summaries, columns = list(stored.summaries()), stored.columns()
    assert columns.ordinal.tolist() == [summary.ordinal for summary in summaries]
    for name in ("round", "black", "white", "plies", "opening_plies", "black_moves", "white_moves"):
        assert getattr(columns, name).tolist() == [getattr(summary, name) for summary in summaries]
    for name in ("black_us", "white_us", "black_longest_us", "white_longest_us", "moves_hash"):
        assert getattr(columns, name).tolist() == [getattr(summary, name) for summary in summaries]
    words = {"black": 0, "white": 1, "draw": 2, None: -1}
    assert columns.winner.tolist() == [words[summary.winner] for summary in summaries]
    assert [columns.reasons[code] for code in columns.reason] == [summary.reason for summary in summaries]
    for name in ("at_fault", "points", "proposer"):
        values = [getattr(summary, name) for summary in summaries]
        assert getattr(columns, name).tolist() == [-1 if value is None else value for value in values]
    for name in ("board_margin", "final_margin", "komi"):
        values = [getattr(summary, name) for summary in summaries]
        expected = np.array([np.nan if value is None else value for value in values])
        np.testing.assert_array_equal(getattr(columns, name), expected)
    codes = dict(zip((summary.pair for summary in summaries), columns.pair.tolist(), strict=True))
    assert [codes[summary.pair] for summary in summaries] == columns.pair.tolist()
    assert sorted(codes.values()) == list(range(len(codes)))


def test_tallies_agree_with_the_summaries(path: Path) -> None:
    with ReadStore(path) as stored:
        summaries, tallies = list(stored.summaries()), stored.ending_columns().tallies()
    groups = Counter((s.black, s.white, s.winner, s.reason, s.at_fault) for s in summaries)
    assert {(t.black, t.white, t.winner, t.reason, t.at_fault): t.games for t in tallies} == groups
    assert sum(t.games for t in tallies) == 20


def test_identical_games_are_grouped_and_games_without_moves_are_not(path: Path, of: Event) -> None:
    with ReadStore(path) as stored:
        groups = {group.ids: group.count for group in stored.duplicates()}
    schedule = Schedule(of)
    assert groups == {(schedule.game(1).id, schedule.game(7).id): 2}


def test_an_empty_event_reads_as_empty(tmp_path: Path) -> None:
    RunStore.create_or_resume(tmp_path / "cup.db", event()).close()
    with ReadStore(tmp_path / "cup.db") as stored:
        assert list(stored.records()) == []
        assert list(stored.summaries()) == []
        assert stored.ending_columns().tallies() == ()
        assert stored.duplicates() == ()
        assert len(stored.columns().ordinal) == 0
        assert len(stored.played()) == 0
        assert stored.progress() == reading.Progress(0, 0, 0, 0)


def test_a_word_of_a_plugin_is_kept_as_a_reason(tmp_path: Path, of: Event) -> None:
    outcome = Outcome(BLACK, ("stalemate-by-moonlight",), "B+moon")
    with RunStore.create_or_resume(tmp_path / "new.db", of) as store:
        store.add([record(of, 0, verdict=by_outcome(outcome))])
    with ReadStore(tmp_path / "new.db") as stored:
        assert [summary.reason for summary in stored.summaries()] == ["stalemate-by-moonlight"]
        assert next(stored.records()).verdict == by_outcome(outcome)


def test_an_identity_that_a_run_adds_while_it_is_read_is_found(tmp_path: Path, of: Event) -> None:
    with (
        RunStore.create_or_resume(tmp_path / "new.db", of) as store,
        ReadStore(tmp_path / "new.db") as stored,
    ):
        store.add([record(of, 0)])
        assert len(list(stored.summaries())) == 1
        store.add([fault(of, 1, reason=Reason.FLOOD), fault(of, 2, reason=Reason.HANG)])
        assert [summary.reason for summary in stored.summaries()] == ["score", "flood", "hang"]
        assert len(stored.identities()) >= 2
