"""A schedule is fair, lazy, and grows without changing what was there."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.clock import parse_time
from arena.core.event import NO_OPENING, Engine, Event, OpeningBook
from arena.core.openings import OpeningError
from arena.core.pairings import Gauntlet
from arena.core.schedule import Schedule, ScheduleError
from arena.core.seeds import game_seed
from arena.rules.base import QuestionError
from tests.core.toy_games import Trio

unhurried = settings(deadline=None)
"""A busy machine must not decide a test."""


def event(entries: int = 4, format_: str = "round-robin", games_each: int = 4, plies: int = 2) -> Event:
    return Event(
        name="trial",
        format=format_,
        game="trio",
        size=5,
        komi=0,
        games_each=games_each,
        time=parse_time("10+0.1"),
        concurrency=2,
        seed=7,
        book=OpeningBook(random_plies=plies, source=f"random {plies}") if plies else OpeningBook(),
        dice="independent",
        dice_key=None,
        engines=tuple(Engine(f"engine {number}", ("true",), "/") for number in range(1, entries + 1)),
    )


def schedule(entries: int = 4, format_: str = "round-robin", games_each: int = 4, plies: int = 2) -> Schedule:
    return Schedule(event(entries, format_, games_each, plies), Trio(5))


shapes = st.tuples(
    st.integers(2, 12), st.sampled_from(["round-robin", "gauntlet"]), st.integers(1, 7), st.just(0)
)


@unhurried
@given(shapes)
def test_ordinals_and_ids_lead_to_each_other(shape: tuple[int, str, int, int]) -> None:
    games = schedule(*shape)
    ids = [game.id for game in games]
    assert len(set(ids)) == len(ids) == len(games)
    assert [games.ordinal_of(game_id) for game_id in ids] == list(range(len(games)))
    assert [game.ordinal for game in games] == list(range(len(games)))


@unhurried
@given(st.integers(2, 13), st.integers(1, 5))
def test_in_a_round_robin_every_two_entries_meet_equally_often(entries: int, games_each: int) -> None:
    meetings = Counter(
        tuple(sorted((game.black, game.white))) for game in schedule(entries, "round-robin", games_each)
    )
    assert meetings == Counter(dict.fromkeys(combinations(range(entries), 2), games_each))


@unhurried
@given(st.integers(2, 13))
def test_in_a_round_nobody_plays_two_pairings(entries: int) -> None:
    rounds: dict[int, set[str]] = {}
    for game in schedule(entries, "round-robin", 4):
        rounds.setdefault(game.round, set()).add(game.pair)
    assert sorted(rounds) == list(range(1, 2 * (entries - 1 + entries % 2) + 1))
    for pairs in rounds.values():
        players = [player for pair in pairs for player in pair.partition(".")[0].split("-")]
        assert len(players) == len(set(players)) == entries // 2 * 2


def test_a_gauntlet_is_the_first_against_each_other() -> None:
    games = list(schedule(4, "gauntlet", 2))
    assert [game.pair for game in games[::2]] == ["1-2.1", "1-3.1", "1-4.1"]


def test_a_gauntlet_of_two_seeds_pairs_no_seed_with_a_seed() -> None:
    gauntlet = Gauntlet(5, seeds=2)
    pairings = [gauntlet.pairing(place) for place in range(len(gauntlet))]
    assert pairings == [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]
    assert [gauntlet.place(*pairing) for pairing in pairings] == list(range(6))
    assert gauntlet.place(0, 1) is None
    assert gauntlet.place(2, 3) is None


def test_a_match_is_pairs_of_two_engines() -> None:
    games = list(schedule(2, "match", 4))
    assert [game.id for game in games] == ["1-2.1a", "1-2.1b", "1-2.2a", "1-2.2b"]
    assert [(game.black, game.white) for game in games] == [(0, 1), (1, 0), (1, 0), (0, 1)]
    assert [game.round for game in games] == [1, 1, 2, 2]


@unhurried
@given(shapes)
def test_a_pair_swaps_colours_on_one_opening(shape: tuple[int, str, int, int]) -> None:
    games = {game.id: game for game in schedule(*shape)}
    for game_id, game in games.items():
        other = games.get(game_id[:-1] + "b")
        if game_id.endswith("a") and other is not None:
            assert (other.black, other.white) == (game.white, game.black)
            assert other.pair == game.pair
            assert other.opening == game.opening
            assert other.seed != game.seed


@unhurried
@given(st.integers(2, 14), st.sampled_from([1, 3, 5]), st.sampled_from(["round-robin", "gauntlet"]))
def test_with_an_odd_number_of_games_colours_differ_by_one_at_most(
    entries: int, games_each: int, format_: str
) -> None:
    blacks: Counter[int] = Counter()
    played: Counter[int] = Counter()
    for game in schedule(entries, format_, games_each, plies=0):
        blacks[game.black] += 1
        played.update((game.black, game.white))
    assert all(abs(2 * blacks[entry] - played[entry]) <= 1 for entry in range(entries))


def test_the_last_pair_of_an_odd_number_of_games_is_one_game() -> None:
    games = schedule(3, "round-robin", 3)
    assert len(games) == 9
    assert [game.id for game in list(games)[6:]] == ["2-3.2a", "1-3.2a", "1-2.2a"]
    assert games.ordinal_of("1-2.2b") is None


def test_all_pairings_play_a_pair_before_the_next_begins() -> None:
    pairs = [int(game.pair.partition(".")[2]) for game in schedule(5, "round-robin", 6)]
    assert pairs == sorted(pairs)


@unhurried
@given(shapes, st.integers(1, 3))
def test_more_pairs_are_added_at_the_end(shape: tuple[int, str, int, int], more_pairs: int) -> None:
    entries, format_, games_each, plies = shape
    games_each += games_each % 2
    before = list(schedule(entries, format_, games_each, plies))
    after = list(schedule(entries, format_, games_each + 2 * more_pairs, plies))
    assert after[: len(before)] == before


@unhurried
@given(shapes, st.integers(1, 3))
def test_entries_added_at_the_end_change_no_game(shape: tuple[int, str, int, int], more: int) -> None:
    entries, format_, games_each, plies = shape
    after = schedule(entries + more, format_, games_each, plies)
    for game in schedule(entries, format_, games_each, plies):
        ordinal = after.ordinal_of(game.id)
        assert ordinal is not None
        same = after.game(ordinal)
        assert replace(same, ordinal=game.ordinal, round=game.round) == game


def test_pair_k_of_every_pairing_starts_from_opening_k() -> None:
    openings: dict[str, set[tuple[str, ...]]] = {}
    for game in schedule(4, "round-robin", 6):
        openings.setdefault(game.pair.partition(".")[2], set()).add(game.opening.moves)
    assert all(len(same) == 1 for same in openings.values())
    assert len(set.union(*openings.values())) == 3


def test_the_seed_of_a_game_is_derived_from_its_id() -> None:
    for game in schedule():
        assert game.seed == game_seed(7, game.id)


@pytest.mark.parametrize(
    "game_id",
    ["", "1-2", "1-2.1", "1-2.1c", "2-1.1a", "1-1.1a", "0-1.1a", "1-5.1a", "1-2.3a", "1-2.0a", "01-2.1a",
     "1-2.1a ", " 1-2.1a", "1-2.1A", "1-2.01a", "-1-2.1a", "1-2.99999999999999999a", "1-٢.1a"],
)  # fmt: skip
def test_an_id_of_no_game_has_no_place(game_id: str) -> None:
    assert schedule(4, "round-robin", 4).ordinal_of(game_id) is None


@pytest.mark.parametrize("ordinal", [-1, 24, 10**9])
def test_ordinals_outside_are_index_errors(ordinal: int) -> None:
    with pytest.raises(IndexError):
        schedule(4, "round-robin", 4).game(ordinal)


def test_a_million_games_are_there_at_once() -> None:
    started = time.perf_counter()
    games = schedule(5, "round-robin", 100_000, plies=4)
    last = games.game(len(games) - 1)
    assert games.ordinal_of(last.id) == len(games) - 1 == 999_999
    assert last.id.endswith(".50000b")
    assert time.perf_counter() - started < 5, "a bound for a loaded machine: a list of all games takes longer"


def test_more_pairs_than_openings_are_announced() -> None:
    few = Schedule(replace(event(2, "match", 20, plies=1), size=3), Trio(3))
    assert few.warnings() == [
        "10 pairs for each pairing, but random 1 has only 9 openings: from pair 10 on they are played again"
    ]
    assert few.game(18).opening == few.game(0).opening
    assert Schedule(replace(event(2, "match", 18, plies=1), size=3), Trio(3)).warnings() == []


def test_without_openings_there_is_nothing_to_announce() -> None:
    none = schedule(2, "match", 1_000, plies=0)
    assert none.warnings() == []
    assert none.game(0).opening is NO_OPENING


@pytest.mark.parametrize(
    ("entries", "format_", "message"),
    [
        (3, "match", "a match is between two engines, there are 3"),
        (1, "round-robin", "a round-robin needs at least two engines, there are 1"),
        (0, "gauntlet", "a gauntlet needs at least two engines, there are 0"),
        (4, "lottery", "unknown format 'lottery'"),
    ],
)
def test_an_event_that_fits_no_schedule_is_refused(entries: int, format_: str, message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        schedule(entries, format_)


def test_impossible_openings_are_refused_before_the_first_game() -> None:
    with pytest.raises(OpeningError):
        Schedule(event(plies=30), Trio(5))


def test_the_rules_of_an_event_are_found_by_name() -> None:
    pie = Schedule(replace(event(2, "match", 2), game="pletore", size=9, komi="pie"))
    assert pie.game(0).komi == "pie"
    assert len(pie.game(0).opening.moves) == 2
    with pytest.raises(QuestionError):
        Schedule(replace(event(), game="trio"))
