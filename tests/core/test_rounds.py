"""What all formats by results have in common: pure steps, stable ids, a schedule that can be made anew."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.event import OpeningBook
from arena.core.pairings import ScheduleError
from arena.core.rounds import Meeting, Step, slots
from arena.core.schedule import Schedule
from tests.core.played_rounds import Played, an_event, by_chance

FORMATS = ["swiss", "knockout", "ladder"]
slowly = settings(max_examples=20, deadline=None)

unhurried = settings(deadline=None)
"""A busy machine must not decide a test."""


@pytest.mark.parametrize("format_", FORMATS)
@slowly
@given(entries=st.integers(2, 13), games_each=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_an_event_resumed_after_any_game_is_the_same(
    format_: str, entries: int, games_each: int, seed: int
) -> None:
    event = an_event(format_, entries, games_each, book=OpeningBook(random_plies=1, source="random 1"))
    whole = Played(event, by_chance(seed)).play_on()
    chance = random.Random(seed)
    broken = Played(event, by_chance(seed))
    while (step := broken.step()) is not None:
        # Everything but what a database keeps is lost here: the steps, and some results in some order.
        broken.schedule = Schedule(event, steps=[*broken.schedule.steps])
        games = [game for game in broken.schedule if game.id not in broken.results]
        chance.shuffle(games)
        for game in games:
            assert broken.schedule.awaits(broken.results)
            broken.results[game.id] = broken.referee(game)
        assert broken.schedule.steps[-1] == step
    assert broken.schedule.steps == whole.schedule.steps
    assert list(broken.schedule) == list(whole.schedule)
    assert broken.results == whole.results


@pytest.mark.parametrize("format_", FORMATS)
@slowly
@given(entries=st.integers(2, 9), games_each=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_ids_are_unique_lead_back_and_a_pair_shares_its_opening(
    format_: str, entries: int, games_each: int, seed: int
) -> None:
    event = an_event(format_, entries, games_each, book=OpeningBook(random_plies=2, source="random 2"))
    games = list(Played(event, by_chance(seed)).play_on().schedule)
    schedule = Played(event, by_chance(seed)).play_on().schedule
    assert len({game.id for game in games}) == len(games)
    for ordinal, game in enumerate(games):
        assert (game.ordinal, schedule.ordinal_of(game.id)) == (ordinal, ordinal)
        assert game.id.startswith(f"r{game.round}.")
    pairs: dict[str, list[tuple[int, int, str]]] = {}
    for game in games:
        pairs.setdefault(game.pair, []).append((game.black, game.white, game.opening.label))
    for found in pairs.values():
        assert len({label for _, _, label in found}) == 1
        if len(found) == 2:
            assert found[0][:2] == found[1][1::-1]
    openings: dict[int, set[str]] = {}
    for game in games:
        openings.setdefault(game.round, set()).add(game.opening.label)
    for round_, labels in openings.items():
        assert not any(labels & other for each, other in openings.items() if each != round_)


@pytest.mark.parametrize("format_", FORMATS)
def test_an_event_needs_two_engines(format_: str) -> None:
    with pytest.raises(ScheduleError, match=f"a {format_} needs at least two engines, there are 1"):
        Schedule(an_event(format_, 1))


@pytest.mark.parametrize(
    "step",
    [
        Step(1, 0, (Meeting(1, 0, 7),)),
        Step(1, 0, (Meeting(1, -1, 0),)),
        Step(1, 0, (Meeting(1, 0, 0),)),
        Step(1, 0, (Meeting(1, 0, 1), Meeting(2, 1, 2))),
    ],
)
def test_a_step_that_cannot_be_is_refused(step: Step) -> None:
    with pytest.raises(ScheduleError, match="round 1 pairs somebody twice, or nobody of the event"):
        Schedule(an_event("swiss", 4), steps=[step])


@unhurried
@given(st.integers(1, 9), st.integers(0, 12))
def test_a_batch_is_pairs_with_swapped_colours(games_each: int, batch: int) -> None:
    for event in (
        an_event("knockout", 2, games_each),
        an_event("knockout", 2, games_each, best_of=games_each),
    ):
        found = slots(event, batch)
        by_pair: dict[int, list[bool]] = {}
        for slot in found:
            by_pair.setdefault(slot.pair, []).append(slot.is_first_black)
        assert all(len(colours) == 1 or colours[0] != colours[1] for colours in by_pair.values())
        assert sum(len(colours) == 1 for colours in by_pair.values()) <= games_each % 2
