"""A ladder: neighbours meet, who beats the one above takes its rung."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.rounds import GameResult
from tests.core.played_rounds import Played, an_event, by_chance, by_strength

slowly = settings(max_examples=40, deadline=None)


@slowly
@given(st.integers(2, 14))
def test_as_many_rounds_as_entries_put_the_worst_order_right(entries: int) -> None:
    played = Played(an_event("ladder", entries), by_strength).play_on()
    assert played.schedule.places(played.results) == list(range(entries, 0, -1))
    assert len(played.schedule) == played.schedule.planned()


@slowly
@given(st.integers(2, 14), st.integers(1, 8), st.integers(0, 10**6))
def test_only_neighbours_meet_and_each_once_a_round(entries: int, rounds: int, seed: int) -> None:
    played = Played(an_event("ladder", entries, rounds=rounds), by_chance(seed))
    while True:
        rungs = played.schedule.places(played.results)
        step = played.step()
        if step is None:
            break
        assert rungs is not None
        seen = []
        for meeting in step.meetings:
            assert meeting.second is not None
            assert abs(rungs[meeting.first] - rungs[meeting.second]) == 1
            assert meeting.board == min(rungs[meeting.first], rungs[meeting.second])
            seen += [meeting.first, meeting.second]
        assert len(set(seen)) == len(seen) >= entries - 2
        played.play()
    assert len(played.schedule.steps) == rounds


def test_a_drawn_meeting_leaves_both_where_they_are() -> None:
    played = Played(
        an_event("ladder", 4), lambda game: GameResult(game.id, game.black, game.white, "draw")
    ).play_on()
    assert played.schedule.places(played.results) == [1, 2, 3, 4]


@slowly
@given(st.integers(3, 12), st.integers(0, 10**6), st.data())
def test_who_is_taken_out_stands_below_and_meets_nobody(entries: int, seed: int, data: st.DataObject) -> None:
    played = Played(an_event("ladder", entries), by_chance(seed)).play_on(2)
    played.withdrawn = data.draw(st.frozensets(st.integers(0, entries - 1), max_size=entries))
    step = played.step()
    seated = (
        {each for meeting in step.meetings for each in (meeting.first, meeting.second)} if step else set()
    )
    assert not seated & played.withdrawn
    places = played.schedule.places(played.results, played.withdrawn)
    assert places is not None
    assert sorted(places) == list(range(1, entries + 1))
    assert all(places[entry] > entries - len(played.withdrawn) for entry in played.withdrawn)
