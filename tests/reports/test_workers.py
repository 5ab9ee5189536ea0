"""Games by worker: who played what, and whether it matters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.core.schedule import Schedule
from arena.core.verdict import Reason, by_fault
from arena.rules import BLACK, WHITE
from arena.store import Claim, ReadStore, RunStore, Worker
from reports import tables
from reports.workers import by_worker, notes, table
from tests.store.builders import event, record

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event
    from reports.workers import ByWorker


def filled(path: Path, of: Event, bad: str | None = None, split: int = 0) -> ByWorker | None:
    """Store an event played by two workers in turn, pair by pair.

    Args:
        path: the database.
        of: the event.
        bad: `points`: entry 0 loses every pair on worker two; `faults`: White fails there.
        split: so many pairs whose second game went to the other worker.
    """
    with RunStore.create_or_resume(path, of) as store:
        workers = [store.enrol(Worker(name, "host", 1, 1.5)) for name in ("one", "two")]
        for ordinal in range(len(Schedule(of))):
            pair = ordinal // 2
            who = pair % 2 if pair >= split or ordinal % 2 == 0 else 1 - pair % 2
            played = record(of, ordinal)
            game = Schedule(of).game(ordinal)
            # The entry that stands first wins both games of a pair, or neither.
            does_first_win = pair // 6 % 2 == 0 and not (bad == "points" and who == 1)
            winner = BLACK if (game.black < game.white) == does_first_win else WHITE
            verdict = replace(played.verdict, winner=winner)
            if bad == "faults" and who == 1 and pair % 4 == 1:
                verdict = by_fault(WHITE, Reason.TIME)
            (claim,) = store.give([(game.id, 1)], workers[who], 60)
            store.add_claimed([(replace(played, verdict=verdict), claim)])
    with ReadStore(path) as stored:
        return by_worker(stored, stored.columns())


def test_an_event_of_this_machine_has_no_such_table(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0)])
    with ReadStore(tmp_path / "cup.db") as stored:
        assert by_worker(stored, stored.columns()) is None


def test_few_games_are_said_to_be_few(tmp_path: Path) -> None:
    found = filled(tmp_path / "cup.db", event(games_each=8))
    assert found is not None
    assert "Too few games to tell by the points of pairs" in notes(found)[0]


def test_workers_that_are_alike_show_no_sign(tmp_path: Path) -> None:
    found = filled(tmp_path / "cup.db", event(games_each=40))
    assert found is not None
    assert "By the points of pairs: no sign of it" in notes(found)[0]
    assert [row[0] for row in found.rows] == ["one", "two"]
    assert sum(int(row[5] or 0) for row in found.rows) == 120
    shown = tables.text(table(found, "Workers"))
    assert "1.50" in shown


@pytest.mark.parametrize(("bad", "place"), [("points", 0), ("faults", 1)])
def test_a_worker_that_matters_is_found(tmp_path: Path, bad: str, place: int) -> None:
    found = filled(tmp_path / "cup.db", event(games_each=60), bad)
    assert found is not None
    assert "yes, look at the machines" in notes(found)[place]


def test_pairs_of_two_workers_are_left_out_and_counted(tmp_path: Path) -> None:
    found = filled(tmp_path / "cup.db", event(games_each=40), split=7)
    assert found is not None
    assert found.left_out == 7
    assert "Left out of the comparison: 7 pairs not played by one worker." in notes(found)


def test_late_results_and_games_of_this_machine_are_told_apart(tmp_path: Path) -> None:
    of = event(games_each=4)
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        one = store.enrol(Worker("one", "host", 1))
        (claim,) = store.give([(record(of, 0).id, 1)], one, 60)
        store.revoke([claim.token], "lost")
        assert store.add_claimed([(record(of, 0), Claim(claim.token, one)), (record(of, 0), None)]) == [
            False,
            True,
        ]
    with ReadStore(tmp_path / "cup.db") as stored:
        found = by_worker(stored, stored.columns())
    assert found is not None
    assert [(row[0], row[5], row[9]) for row in found.rows] == [("one", 0, 1), ("this machine", 1, 0)]
    assert any("that count for nothing: 1." in words for words in notes(found))
