"""Which games a komi laboratory plays."""

from __future__ import annotations

import tomllib

import pytest

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.laboratory import Design, Laboratory, design_in, laboratory, text_with_design
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
    design = Design((-1, 0, 1, 2), games, 1.5 if is_adaptive else None, is_self_play=True)
    return laboratory(an_event(2), design)


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
    plan = laboratory(an_event(engines), Design((4, 5), 4, None, is_self_play=False))
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
        laboratory(an_event(2), Design((0,), 3, None, is_self_play=False))


@pytest.mark.parametrize(("engines", "is_self_play"), [(2, True), (2, False), (3, False)])
def test_under_pie_a_laboratory_is_an_event_of_one_game(engines: int, is_self_play: bool) -> None:
    plan = laboratory(an_event(engines), Design((), 4, None, is_self_play=is_self_play))
    schedule = Schedule(plan.event)
    games = [schedule.game(ordinal) for ordinal in plan.ordinals()]
    assert {game.komi for game in games} == {"pie"}
    assert len({game.id for game in games}) == len(games) == plan.planned
    assert len({game.opening for game in games}) == (4 if is_self_play else 2)


def test_under_pie_there_is_nothing_to_be_adaptive_about() -> None:
    with pytest.raises(ValueError, match="players settle komi"):
        laboratory(an_event(2), Design((), 4, 1.0, is_self_play=False))


@pytest.mark.parametrize("text", ["", "[tournament]\n", "[tournament]\n# the end"])
@pytest.mark.parametrize(
    "design", [Design((-1, 0, 1), 6, 1.5, is_self_play=True), Design((), 2, None, is_self_play=False)]
)
def test_the_design_is_read_back_from_the_text_that_is_stored(text: str, design: Design) -> None:
    stored = text_with_design(text, design)
    assert stored.startswith(text)
    assert tomllib.loads(stored) == tomllib.loads(text)
    assert design_in(stored) == design
    assert design_in(text) is None


@pytest.mark.parametrize(
    "words", ["{", "[]", "null", '{"komis": ["1"], "games_each": 1}', '{"komis": 3}', "[" * 100_000]
)
def test_a_design_that_somebody_else_wrote_is_none(words: str) -> None:
    assert design_in(f"# laboratory: {words}\n") is None
