"""What was paired is kept, with the results that it was paired from, whatever is said later."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from arena.core.rounds import Meeting, Step
from arena.store import ChangedEventError, ReadStore, RunStore, StoreError
from arena.store.event_codec import event_from_json, event_to_json
from arena.store.rounds import PairedStep
from tests.cli.played import an_event, play
from tests.core.played_rounds import an_event as plain_event
from tests.core.test_several_games import of_several, paired
from tests.store.builders import event as fixed_event
from tests.store.builders import placement

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event

STEP = Step(1, 0, (Meeting(1, 0, 2), Meeting(2, 1, None)))


def swiss(**changes: object) -> Event:
    from dataclasses import replace

    event = replace(an_event(names=("a", "b", "c", "d")), format="swiss", rounds=2, games_each=2)
    return replace(event, **changes)  # type: ignore[arg-type]


def test_steps_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    more = [Step(2, batch, (Meeting(1, 2, 0),)) for batch in range(12)]
    with RunStore.create_or_resume(path, swiss()) as store:
        for step in [STEP, *more]:
            store.add_step(step)
        assert [each.step for each in store.steps()] == [STEP, *more]
    with ReadStore(path) as stored:
        assert stored.steps()[0] == PairedStep(STEP, words=0)
        assert len(stored.steps()) == 13


def test_a_damaged_step_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, swiss()) as store:
        store.add_step(STEP)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE meta SET value = '{\"round\": 1}' WHERE key = 'step 1'")
    connection.close()
    with ReadStore(path) as stored, pytest.raises(StoreError, match="damaged"):
        stored.steps()


def test_results_are_what_they_were_whatever_the_organiser_said_later(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", swiss())
    with ReadStore(path) as stored:
        before = stored.state()
        second = stored.steps()[1]
        first, other, third = list(before.results)[:3]
    assert second.words == 0
    with RunStore.open(path) as store:
        store.annul(first, "why not")
        store.replay(other, "once more")
        store.annul(third, "once")
        store.replay(third, "and again")
    with ReadStore(path) as stored:
        now = stored.state()
        assert now.results[first].winner is None
        assert other not in now.results
        assert third not in now.results
        assert stored.state(0) == before
    play(path, swiss())
    with ReadStore(path) as stored:
        assert set(stored.state().results) >= {first, other, third}
        assert stored.state(0) == before
        assert stored.state(1).results[first].winner is None
        assert stored.state(1).results[other] == before.results[other]
        assert stored.state(3).results[third].winner is None


def test_who_was_taken_out_later_was_not_out_before(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", swiss())
    with RunStore.open(path) as store:
        store.disqualify("c", "cheated", [])  # type: ignore[arg-type]
    with ReadStore(path) as stored:
        assert stored.state().withdrawn == {2}
        assert stored.state(0).withdrawn == frozenset()


def test_by_results_an_event_may_have_more_rounds_and_nothing_else(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", swiss())
    with ReadStore(path) as stored:
        rounds = {game_id: (r.ordinal, r.round) for game_id, r in ((r.id, r) for r in stored.records())}
    with RunStore.create_or_resume(path, swiss(rounds=3), placement=rounds.__getitem__) as store:
        assert store.event.rounds == 3
        assert len(store.played()) == 8
    play(path, swiss(rounds=3))
    with ReadStore(path) as stored:
        assert stored.progress().played == 12
    for changed in (swiss(rounds=1), swiss(rounds=3, games_each=4), swiss(rounds=3, bye="draw")):
        with pytest.raises(ChangedEventError):
            RunStore.create_or_resume(path, changed)
    names = an_event(names=("a", "b", "c", "d", "e")).engines
    with pytest.raises(ChangedEventError, match="new at the end"):
        RunStore.create_or_resume(path, swiss(rounds=3, engines=names))


def test_a_further_game_at_the_end_extends_an_event_of_several(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    RunStore.create_or_resume(path, of_several("match", 2, 2)).close()
    longer = of_several("match", 2, 4, 2)
    RunStore.create_or_resume(path, longer, placement=placement(longer)).close()
    with pytest.raises(ChangedEventError, match="no longer there"):
        RunStore.create_or_resume(path, of_several("match", 2, 4))
    with pytest.raises(ChangedEventError, match=r"pairs: 2 in the database, 1 now \(games_each: 4, 2\)"):
        RunStore.create_or_resume(path, of_several("match", 2, 2, 2))


@pytest.mark.parametrize(
    "event",
    [
        of_several("swiss", 3, 1, 2, 3),
        paired(size=7, komi="pie", odds=3),
        paired(times=(fixed_event().time, fixed_event().time), book=fixed_event().book),
        plain_event("knockout", 4, tie_breaks=("margin",), third_place=True, best_of=4),
    ],
)
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    assert event_from_json(event_to_json(event)) == event
