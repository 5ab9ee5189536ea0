"""A run that goes on with stored games knows every engine's row of faults as if it had played them itself."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.core.schedule import Schedule
from arena.core.streaks import Streaks, Withdrawals, ended
from arena.core.verdict import Reason, both_failed, by_fault, void
from arena.store import ReadStore, RunStore
from tests.store.builders import event, fault, record, spoiled

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.record import GameRecord


def test_stored_games_say_what_they_said_when_they_ended(tmp_path: Path) -> None:
    of = event("a", "b", "c", "d", games_each=8)
    schedule = Schedule(of)
    chance = random.Random(5)
    kinds = [
        lambda place: record(of, place),
        lambda place: fault(of, place, 0),
        lambda place: fault(of, place, 1, Reason.TIME),
        lambda place: record(of, place, verdict=both_failed((Reason.CRASH, Reason.TIME))),
        lambda place: record(of, place, verdict=by_fault(0, Reason.WITHDRAWN)),
    ]
    games: list[GameRecord] = [chance.choice(kinds)(place) for place in range(len(schedule))]
    places = {each.name: index for index, each in enumerate(of.engines)}
    for gap in (0, 20, 47):
        path = tmp_path / f"{gap}.db"
        with RunStore.create_or_resume(path, of) as store:
            store.add(game for game in games if game.ordinal != gap)
            start, beyond = store.streaks()
        told = [
            ended(each.ordinal, each.id, (places[each.black.name], places[each.white.name]), each.verdict)
            for each in games
        ]
        assert start.next_ordinal == gap
        assert sorted(beyond) == told[gap + 1 :]
        for limit in (2, 3):
            from_the_start = Withdrawals(limit, Streaks(0, {}))
            seen = from_the_start.take(told[:gap])
            gone_on_with = Withdrawals(limit, start, seen)
            rest = told[gap:]
            assert from_the_start.take(rest) == gone_on_with.take(rest)


def test_unplayed_games_of_an_engine_that_is_out_are_lost_or_count_for_nobody(tmp_path: Path) -> None:
    for withdrawn, reason in (("forfeit", "withdrawn"), ("remove", "annulled")):
        of = event("a", "b", "c", withdrawn=withdrawn)
        path = tmp_path / f"{withdrawn}.db"
        schedule = Schedule(of)
        with RunStore.create_or_resume(path, of) as store:
            first = next(place for place in range(6) if 0 in _players(schedule, place))
            store.add([record(of, first)])
            store.withdraw(0, "three games in a row")
            assert store.disqualified() == {0}
            assert store.settle_withdrawals(schedule) == 3
            assert store.settle_withdrawals(schedule) == 0
        with ReadStore(path) as stored:
            mine = [each for each in stored.records() if "a" in (each.black.name, each.white.name)]
            assert [each.verdict.reason for each in mine[1:]] == [reason] * 3
            assert stored.progress().played == 4


def test_a_stall_is_remembered_for_the_next_playing(tmp_path: Path) -> None:
    of = event("a", "b")
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        ids = [Schedule(of).game(place).id for place in range(2)]
        store.add([spoiled(of, 0)])
        store.add([replace(spoiled(of, 1), verdict=void(Reason.REFEREE_STALL))])
        assert store.tried() == {ids[0]: (1, False), ids[1]: (1, True)}
        store.add([replace(record(of, 0), attempt=2)])
        assert store.tried() == {ids[1]: (1, True)}


def _players(schedule: Schedule, place: int) -> tuple[int, int]:
    game = schedule.game(place)
    return game.black, game.white
