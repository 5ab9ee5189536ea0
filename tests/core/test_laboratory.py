"""Which games a komi laboratory plays."""

from __future__ import annotations

import pytest

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.laboratory import Laboratory, laboratory
from arena.core.schedule import Schedule


def an_event(engines: int) -> Event:
    return Event(
        name="laboratory",
        format="match" if engines == 2 else "round-robin",
        game="pletore",
        size=5,
        komi=0,
        games_each=2,
        time=parse_time("10"),
        concurrency=1,
        seed=3,
        book=OpeningBook(random_plies=2, source="random 2"),
        dice="independent",
        dice_key=None,
        engines=tuple(Engine(f"engine {number}", ("/bin/true",), "/") for number in range(engines)),
    )


def self_play(games: int, *, is_adaptive: bool = False) -> Laboratory:
    return laboratory(an_event(2), range(-1, 3), games, is_self_play=True, is_adaptive=is_adaptive)


def test_an_engine_against_itself_plays_each_opening_once_at_every_komi() -> None:
    plan = self_play(3)
    schedule = Schedule(plan.event)
    games = [schedule.game(ordinal) for ordinal in plan.ordinals()]
    assert len(games) == plan.planned == 12
    assert [game.komi for game in games] == [-1, 0, 1, 2] * 3
    assert {game.id[-1] for game in games} == {"a"}
    openings = [{game.opening for game in games[first : first + 4]} for first in (0, 4, 8)]
    assert all(len(shared) == 1 for shared in openings)
    assert len(set.union(*openings)) == 3


@pytest.mark.parametrize("engines", [2, 3])
def test_every_two_engines_play_every_komi_with_both_colours(engines: int) -> None:
    plan = laboratory(an_event(engines), [4, 5], 4, is_self_play=False, is_adaptive=False)
    schedule = Schedule(plan.event)
    games = [schedule.game(ordinal) for ordinal in plan.ordinals()]
    assert [game.ordinal for game in games] == list(range(len(schedule)))
    for komi in (4, 5):
        sides = [(game.black, game.white) for game in games if game.komi == komi]
        assert {sides.count(pair) for pair in sides} == {2}
        assert len(set(sides)) == engines * (engines - 1)


def test_an_adaptive_plan_has_room_for_all_games_at_one_komi() -> None:
    plan = self_play(3, is_adaptive=True)
    schedule = Schedule(plan.event)
    games = [schedule.game(plan.ordinal(1, number)) for number in range(plan.planned)]
    assert {game.komi for game in games} == {1}
    assert len({game.id for game in games}) == plan.planned


def test_more_games_leave_the_games_that_were_there_as_they_were() -> None:
    few, many = self_play(2), self_play(5)
    before, after = Schedule(few.event), Schedule(many.event)
    for ordinal in few.ordinals():
        game = before.game(ordinal)
        found = after.ordinal_of(game.id)
        assert found is not None
        again = after.game(found)
        assert (again.komi, again.opening, again.seed) == (game.komi, game.opening, game.seed)


def test_an_odd_number_of_games_between_two_engines_is_refused() -> None:
    with pytest.raises(ValueError, match="both colours"):
        laboratory(an_event(2), [0], 3, is_self_play=False, is_adaptive=False)
