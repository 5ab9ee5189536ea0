"""A knockout: the bracket holds, drawn matches are decided as stated, nobody who is out comes back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core import knockout
from arena.core.rounds import GameResult
from tests.core.played_rounds import Played, an_event, by_chance, by_strength

if TYPE_CHECKING:
    from arena.core.event import ScheduledGame

slowly = settings(max_examples=40, deadline=None)

unhurried = settings(deadline=None)
"""A busy machine must not decide a test."""


@unhurried
@given(st.integers(2, 70))
def test_the_best_seeds_have_the_byes_and_the_best_two_meet_in_the_final_only(entries: int) -> None:
    boards = knockout.bracket(entries)
    seated = [entry for board in boards for entry in board if entry is not None]
    assert sorted(seated) == list(range(entries))
    byes = sorted(upper for upper, lower in boards if lower is None)
    assert byes == list(range(2 ** (entries - 1).bit_length() - entries))
    half = len(boards) // 2
    upper_half = {entry for board in boards[:half] for entry in board}
    if entries > 2:
        assert 0 in upper_half
        assert 1 not in upper_half


@slowly
@given(
    st.integers(2, 20), st.sampled_from([1, 2, 3, 4]), st.integers(0, 10**6), st.floats(0, 1), st.booleans()
)
def test_each_round_halves_who_is_in_and_one_is_left(
    entries: int, games_each: int, seed: int, draws: float, third_place: bool
) -> None:
    event = an_event("knockout", entries, games_each, third_place=third_place)
    played = Played(event, by_chance(seed, draws)).play_on()
    met = Counter(
        tuple(sorted((meeting.first, meeting.second)))
        for step in played.schedule.steps
        if step.batch == 0
        for meeting in step.meetings
        if meeting.second is not None
    )
    has_small_final = third_place and entries > 3
    assert sum(met.values()) == entries - 1 + has_small_final
    places = played.schedule.places(played.results)
    assert places is not None
    assert places.count(1) == places.count(2) == 1
    if has_small_final:
        assert places.count(3) == places.count(4) == 1
    lost = [entry for entry in range(entries) if places[entry] > 1]
    assert len(lost) == entries - 1


def test_the_stronger_go_on_and_places_say_how_far() -> None:
    played = Played(an_event("knockout", 6), by_strength).play_on()
    assert [step.round for step in played.schedule.steps] == [1, 2, 3]
    first = [
        {each.first, each.second} for each in played.schedule.steps[0].meetings if each.second is not None
    ]
    assert sorted(map(sorted, first)) == [[2, 5], [3, 4]]
    assert played.schedule.places(played.results) == [3, 3, 5, 5, 2, 1]
    assert len(played.schedule) == played.schedule.planned() == 10


def drawn_but(decided: dict[str, str]) -> Played:
    """Return a match of two that is drawn but for the games named."""

    def referee(game: ScheduledGame) -> GameResult:
        word = decided.get(game.id, "draw")
        assert word in ("black", "white", "draw")
        return GameResult(game.id, game.black, game.white, word, 0.0)  # type: ignore[arg-type]

    return Played(an_event("knockout", 2), referee)


def test_a_drawn_match_goes_on_pair_by_pair_until_one_is_ahead() -> None:
    played = drawn_but({"r1.1-2.3a": "black"}).play_on()
    assert [(step.round, step.batch) for step in played.schedule.steps] == [(1, 0), (1, 1), (1, 2)]
    winner = played.schedule.game(4).black
    places = played.schedule.places(played.results)
    assert places is not None
    assert places[winner] == 1


def test_after_the_last_extra_pair_wins_as_second_count_then_the_seed() -> None:
    nothing = drawn_but({}).play_on()
    assert len(nothing.schedule) == 2 + 2 * 3
    assert nothing.schedule.places(nothing.results) == [1, 2]
    event = an_event("knockout", 2, tie_breaks=("wins-as-second", "seed"))
    white_wins = Played(event, lambda game: GameResult(game.id, game.black, game.white, "white")).play_on()
    assert white_wins.schedule.places(white_wins.results) == [1, 2], (
        "one win as second each: the seed decides"
    )


@pytest.mark.parametrize(
    ("rule", "places"), [("margin", [2, 1]), ("seed", [1, 2]), ("wins-as-second", [1, 2])]
)
def test_a_tie_break_rule_decides_in_its_turn(rule: str, places: list[int]) -> None:
    def referee(game: ScheduledGame) -> GameResult:
        return GameResult(game.id, game.black, game.white, "black", 9.0 if game.black == 1 else 2.0)

    played = Played(an_event("knockout", 2, tie_breaks=(rule, "seed")), referee).play_on()
    assert len(played.schedule) == 2
    assert played.schedule.places(played.results) == places


def test_lots_decide_by_the_seed_of_the_event() -> None:
    winners = set()
    for seed in range(12):
        event = an_event("knockout", 2, tie_breaks=("lot", "seed"), seed=seed)
        played = Played(event, lambda game: GameResult(game.id, game.black, game.white, "draw")).play_on()
        winners.add(str(played.schedule.places(played.results)))
    assert winners == {"[1, 2]", "[2, 1]"}


@pytest.mark.parametrize(("best_of", "games"), [(2, 2), (4, 4), (5, 4), (6, 4), (7, 4), (8, 6)])
def test_a_best_of_ends_once_it_is_decided(best_of: int, games: int) -> None:
    event = an_event("knockout", 2, best_of, best_of=best_of)
    assert Played(event, by_strength).schedule.planned() == best_of
    played = Played(event, by_strength).play_on()
    assert len(played.schedule) == games
    assert len(played.results) == games


def test_a_best_of_that_stays_open_is_played_out_and_an_odd_last_game_is_single() -> None:
    event = an_event("knockout", 2, 3, best_of=3, tie_breaks=("seed",))
    played = Played(event, lambda game: GameResult(game.id, game.black, game.white, "black")).play_on()
    assert [game.id for game in played.schedule] == ["r1.1-2.1a", "r1.1-2.1b", "r1.1-2.2a"]


@slowly
@given(st.integers(3, 17), st.integers(0, 10**6), st.data())
def test_who_is_taken_out_plays_no_more_and_the_opponent_goes_on(
    entries: int, seed: int, data: st.DataObject
) -> None:
    played = Played(an_event("knockout", entries), by_chance(seed))
    while (step := played.step()) is not None:
        seated = {each for meeting in step.meetings for each in (meeting.first, meeting.second)}
        assert not seated & played.withdrawn
        played.play()
        played.withdrawn |= data.draw(st.frozensets(st.integers(0, entries - 1), max_size=1))
    assert len(played.schedule.steps) < 50
    places = played.schedule.places(played.results, played.withdrawn)
    assert places is not None
    assert places.count(1) <= 1 or len(played.withdrawn) == entries


def test_while_a_round_is_played_all_its_players_are_in() -> None:
    played = Played(an_event("knockout", 4), by_strength)
    played.step()
    assert played.schedule.places({}) == [1, 1, 1, 1]
    played.results["r1.1-4.1a"] = by_strength(played.schedule.game(0))
    assert played.schedule.places(played.results) == [1, 1, 1, 1]


def test_what_is_decided_later_moves_nobody_who_has_been_paired() -> None:
    played = Played(an_event("knockout", 4), by_strength).play_on(1)
    final = played.step()
    for game_id, result in list(played.results.items()):
        played.results[game_id] = GameResult(result.id, result.black, result.white, None)
    played.play()
    places = played.schedule.places(played.results)
    assert final is not None
    assert places is not None
    finalists = {final.meetings[0].first, final.meetings[0].second}
    assert {entry for entry in range(4) if places[entry] <= 2} == finalists
