"""The organiser's word: annul, replay, disqualify, each with its reason kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.core.schedule import Schedule
from arena.core.verdict import Reason
from arena.store import DatabaseInUseError, ReadStore, RunStore, Standing, StoreError
from tests.store.builders import event, fault, placement, record, spoiled

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event


@pytest.fixture
def of() -> Event:
    return event()


@pytest.fixture
def path(tmp_path: Path, of: Event) -> Path:
    """A database in which games 0, 1 and 2 of six are played, and 3 was spoiled."""
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, of) as store:
        store.add([record(of, 0), fault(of, 1), record(of, 2), spoiled(of, 3)])
    return path


def test_an_annulled_game_counts_for_nobody_and_keeps_its_moves(path: Path, of: Event) -> None:
    before = fault(of, 1)
    with RunStore.open(path) as store:
        store.annul(before.id, "  the power failed\n")
        assert 1 in store.played()
    with ReadStore(path) as stored:
        now = stored.record(before.id)
        assert now is not None
        assert (now.verdict.reason, now.verdict.winner, now.verdict.is_void) == ("annulled", None, True)
        assert (now.verdict.result, now.verdict.at_fault, now.verdict.outcome) == ("void", None, None)
        assert (now.moves, now.time_us, now.evidence) == (before.moves, before.time_us, before.evidence)
        (entry,) = stored.audit()
        assert (entry.action, entry.target, entry.why) == ("annul", before.id, "the power failed")
        assert entry.original is not None
        assert (entry.original["result"], entry.original["reasons"]) == ("B+F", ["crash"])
        assert stored.progress().annulled == 1
        assert stored.progress().played == 3
        assert [summary.is_void for summary in stored.summaries()] == [False, True, False]


def test_a_replayed_game_is_set_aside_and_played_again_as_the_next_attempt(path: Path, of: Event) -> None:
    old = record(of, 0)
    with RunStore.open(path) as store:
        store.finish()
        store.replay(old.id, "wrong binary")
        assert 0 not in store.played()
    with RunStore.create_or_resume(path, of) as store:
        assert store.attempts(old.id) == 1
        store.add([record(of, 0, attempt=2, moves=("A1",), time_us=(5,))])
    with ReadStore(path) as stored:
        assert [(standing, kept.attempt) for standing, kept in stored.playings(old.id)] == [
            (Standing.SUPERSEDED, 1),
            (Standing.COUNTS, 2),
        ]
        assert next(stored.set_aside()) == (Standing.SUPERSEDED, old)
        assert stored.meta().finished is None
        assert [(entry.action, entry.why) for entry in stored.audit()] == [("replay", "wrong binary")]
        assert stored.progress().superseded == 1


def test_an_annulled_game_can_be_replayed(path: Path, of: Event) -> None:
    with RunStore.open(path) as store:
        store.annul(record(of, 0).id, "first word")
        store.replay(record(of, 0).id, "second word")
        assert 0 not in store.played()


def test_unplayed_games_of_a_disqualified_engine_are_lost_at_once(path: Path, of: Event) -> None:
    schedule = Schedule(of)
    with RunStore.open(path) as store:
        lost = store.disqualify("c", "not its own work", schedule)
        assert store.disqualified() == {2}
        assert store.settle_withdrawals(schedule) == 0
    unplayed = [schedule.game(n) for n in (3, 4, 5) if 2 in (schedule.game(n).black, schedule.game(n).white)]
    assert lost == len(unplayed) > 0
    with ReadStore(path) as stored:
        assert stored.record(record(of, 0).id) == record(of, 0)
        for game in unplayed:
            kept = stored.record(game.id)
            assert kept is not None
            assert kept.verdict.reason == Reason.WITHDRAWN
            assert kept.verdict.at_fault == (0 if game.black == 2 else 1)
            assert kept.verdict.winner == 1 - (kept.verdict.at_fault or 0)
            assert kept.attempt == (2 if game.ordinal == 3 else 1)
        (entry,) = stored.audit()
        assert (entry.action, entry.target, entry.why) == ("disqualify", "c", "not its own work")


def test_two_disqualified_engines_fail_both_and_an_extension_is_settled_too(path: Path, of: Event) -> None:
    with RunStore.open(path) as store:
        store.disqualify("a", "one", Schedule(of))
        store.disqualify("c", "two", Schedule(of))
        assert len(store.played()) == 6
    more = event(games_each=4)
    with RunStore.create_or_resume(path, more, placement=placement(more)) as store:
        assert store.settle_withdrawals(Schedule(more)) == 6
    with ReadStore(path) as stored:
        between = [kept for kept in stored.records() if {kept.black.name, kept.white.name} == {"a", "c"}]
        assert {kept.verdict.reason for kept in between if kept.ordinal > 5} == {Reason.BOTH_FAILED}


def test_a_forfeit_in_plakoto_counts_two_points(tmp_path: Path) -> None:
    of = event("a", "b", game="plakoto", size=None, komi=None)
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        assert store.disqualify("b", "gone", Schedule(of)) == 2
    with ReadStore(tmp_path / "cup.db") as stored:
        assert [kept.verdict.points for kept in stored.records()] == [2, 2]


@pytest.mark.parametrize("why", ["", "  \n", "x" * 1001])
def test_every_word_needs_a_reason_of_some_length(path: Path, of: Event, why: str) -> None:
    with RunStore.open(path) as store:
        for speak in (store.annul, store.replay):
            with pytest.raises(StoreError, match="reason"):
                speak(record(of, 0).id, why)
        with pytest.raises(StoreError, match="reason"):
            store.disqualify("a", why, Schedule(of))
    with ReadStore(path) as stored:
        assert stored.audit() == ()
        assert stored.record(record(of, 0).id) == record(of, 0)


def test_words_about_nothing_are_refused(path: Path, of: Event) -> None:
    spoiled_id, unplayed_id = record(of, 3).id, record(of, 5).id
    with RunStore.open(path) as store:
        for speak in (store.annul, store.replay):
            with pytest.raises(StoreError, match="is to be played again anyway"):
                speak(spoiled_id, "why")
            with pytest.raises(StoreError, match="is not among the games played"):
                speak(unplayed_id, "why")
        store.annul(record(of, 0).id, "why")
        with pytest.raises(StoreError, match="annulled already"):
            store.annul(record(of, 0).id, "why")
        with pytest.raises(StoreError, match="no engine 'C': it has 'a', 'b', 'c'"):
            store.disqualify("C", "why", Schedule(of))
        store.disqualify("c", "why", Schedule(of))
        with pytest.raises(StoreError, match="disqualified already"):
            store.disqualify("c", "why", Schedule(of))


def test_no_word_while_a_run_is_on(path: Path, of: Event) -> None:
    with RunStore.create_or_resume(path, of), pytest.raises(DatabaseInUseError, match="in use by process"):
        RunStore.open(path)


def test_no_word_on_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        RunStore.open(tmp_path / "cup.db")
    assert list(tmp_path.iterdir()) == []
