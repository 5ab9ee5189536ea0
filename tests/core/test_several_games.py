"""Events of several games, pairings with settings of their own, pyramids and gauntlets of several seeds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.clock import parse_time
from arena.core.event import Discipline, Event, OpeningBook, PairingSettings
from arena.core.pairings import Pyramid
from arena.core.schedule import Schedule, ScheduleError, discipline_of
from arena.core.task import game_task
from tests.core.played_rounds import Played, an_event, by_chance

unhurried = settings(deadline=None)
"""A busy machine must not decide a test."""


def of_several(format_: str, entries: int, *games_each: int, **changes: object) -> Event:
    """Return an event of as many disciplines as there are numbers of games."""
    kinds = [("topolo", 4, None), ("pente", 5, None), ("pletore", 5, 3)]
    disciplines = tuple(
        Discipline(f"{game}-{place}", game, size, komi, games, parse_time(f"{place + 1}"), OpeningBook())
        for place, (games, (game, size, komi)) in enumerate(zip(games_each, kinds, strict=False))
    )
    return replace(an_event(format_, entries, games_each[0]), disciplines=disciplines, **changes)  # type: ignore[arg-type]


shapes = st.tuples(
    st.integers(2, 7),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.sampled_from(["round-robin", "gauntlet", "pyramid"]),
)


@unhurried
@given(shapes)
def test_ordinals_and_ids_lead_to_each_other(shape: tuple[int, list[int], str]) -> None:
    entries, games_each, format_ = shape
    schedule = Schedule(of_several(format_, entries, *games_each))
    ids = [game.id for game in schedule]
    assert len(set(ids)) == len(ids) == len(schedule)
    assert [schedule.ordinal_of(game_id) for game_id in ids] == list(range(len(ids)))
    assert [game.ordinal for game in schedule] == list(range(len(ids)))


@unhurried
@given(shapes)
def test_every_pairing_plays_every_game_as_often_as_it_says(shape: tuple[int, list[int], str]) -> None:
    entries, games_each, format_ = shape
    event = of_several(format_, entries, *games_each)
    met = Counter(
        (discipline_of(game.id), min(game.black, game.white), max(game.black, game.white))
        for game in Schedule(event)
    )
    pairings = [(0, each) for each in range(1, entries)] if format_ == "gauntlet" else None
    for discipline in event.disciplines:
        for pairing in pairings or combinations(range(entries), 2):
            assert met.pop((discipline.name, *pairing)) == discipline.games_each
    assert not met


def test_the_games_take_turns_pair_by_pair() -> None:
    ids = [game.id for game in Schedule(of_several("match", 2, 3, 2))]
    assert ids == [
        "topolo-0.1-2.1a",
        "topolo-0.1-2.1b",
        "pente-1.1-2.1a",
        "pente-1.1-2.1b",
        "topolo-0.1-2.2a",
    ]


def test_a_game_has_the_settings_and_the_clock_of_its_discipline() -> None:
    event = of_several("match", 2, 2, 2, 2)
    game = list(Schedule(event))[-1]
    assert (game.game, game.size, game.komi) == ("pletore", 5, 3)
    assert game_task(event, game, 1, bytes(32)).controls == (parse_time("3"), parse_time("3"))


@pytest.mark.parametrize(
    ("game_id", "name"),
    [
        ("1-2.1a", ""),
        ("r12.1-2.1a", ""),
        ("pente.1-2.1a", "pente"),
        ("r-2.r1.1-2.1a", "r-2"),
        ("", ""),
        ("x", ""),
        (".x", ""),
        ("../x", ""),
    ],
)
def test_an_id_says_which_game_it_is_of(game_id: str, name: str) -> None:
    assert discipline_of(game_id) == name


@unhurried
@given(st.integers(2, 9), st.lists(st.integers(1, 3), min_size=2, max_size=3), st.integers(0, 10**6))
def test_a_swiss_meeting_is_all_the_games(entries: int, games_each: list[int], seed: int) -> None:
    event = of_several("swiss", entries, *games_each)
    played = Played(event, by_chance(seed)).play_on()
    rounds = len(played.schedule.steps)
    assert len(played.schedule) == played.schedule.planned() == rounds * (entries // 2) * sum(games_each)
    for game in played.schedule:
        assert discipline_of(game.id)
        assert played.schedule.ordinal_of(game.id) == game.ordinal
    surplus = Counter(game.black for game in played.schedule)
    surplus.subtract(game.white for game in played.schedule)
    assert all(abs(each) <= 3 for each in surplus.values())


def test_extra_pairs_of_a_knockout_take_the_games_in_turn() -> None:
    event = of_several("knockout", 2, 2, 2, tie_breaks=("pairs 3", "seed"))
    played = Played(event, by_chance(1, draws=1.0)).play_on()
    pairs = list(dict.fromkeys(game.pair for game in played.schedule))
    assert pairs == [
        "topolo-0.r1.1-2.1", "pente-1.r1.1-2.1", "topolo-0.r1.1-2.2", "pente-1.r1.1-2.2", "topolo-0.r1.1-2.3"
    ]  # fmt: skip


# --- settings of pairings ---


def paired(**own: object) -> Event:
    event = an_event("round-robin", 3, 2, game="pletore", size=5, komi=3)
    return replace(event, pairings=(PairingSettings(("engine 3", "engine 1"), **own),))  # type: ignore[arg-type]


def test_a_pairing_has_its_own_size_and_komi_and_the_others_keep_theirs() -> None:
    games = {game.id: game for game in Schedule(paired(size=7, komi=10))}
    assert {(games[each].size, games[each].komi) for each in ("1-3.1a", "1-3.1b")} == {(7, 10)}
    assert {(games[each].size, games[each].komi) for each in ("1-2.1a", "2-3.1b")} == {(5, 3)}


def test_odds_are_points_for_one_engine_in_either_colour() -> None:
    games = {game.id: game for game in Schedule(paired(odds=6))}
    for game_id in ("1-3.1a", "1-3.1b"):
        favoured_is_black = games[game_id].black == 2
        assert games[game_id].komi == (3 - 6 if favoured_is_black else 3 + 6)
    assert games["1-2.1a"].komi == 3


def test_a_pairing_has_its_own_clocks_in_the_order_of_its_names() -> None:
    slow, fast = parse_time("60"), parse_time("5")
    event = paired(times=(slow, fast))
    for game in Schedule(event):
        controls = game_task(event, game, 1, bytes(32)).controls
        by_entry = dict(zip((game.black, game.white), controls, strict=True))
        if game.pair.startswith("1-3"):
            assert by_entry == {2: slow, 0: fast}
        else:
            assert set(by_entry.values()) == {event.time}


def test_odds_of_an_entry_hold_where_the_pairing_says_nothing() -> None:
    event = an_event("match", 2)
    one, two = event.engines
    event = replace(event, engines=(one, replace(two, time=parse_time("1"))))
    controls = [game_task(event, game, 1, bytes(32)).controls for game in Schedule(event)]
    assert controls[0] == controls[1][::-1]
    assert {each.text for each in controls[0]} == {"1", "10+0.1"}


def test_a_pairing_of_one_game_only_changes_that_one() -> None:
    event = of_several("match", 2, 2, 2, 2)
    own = PairingSettings(("engine 1", "engine 2"), discipline="pletore-2", komi=8)
    games = list(Schedule(replace(event, pairings=(own,))))
    assert {(game.game, game.komi) for game in games} == {("topolo", None), ("pente", None), ("pletore", 8)}


def test_random_openings_fit_the_size_of_their_pairing() -> None:
    event = replace(paired(size=7), book=OpeningBook(random_plies=2, source="random 2"))
    for game in Schedule(event):
        assert len(game.opening.moves) == 2
    assert {game.size for game in Schedule(event)} == {5, 7}


# --- fixed formats ---


@unhurried
@given(st.integers(2, 60))
def test_a_pyramid_adds_a_row_for_each_entry(entries: int) -> None:
    pyramid = Pyramid(entries)
    pairings = [pyramid.pairing(place) for place in range(len(pyramid))]
    assert pairings == [(first, second) for second in range(1, entries) for first in range(second)]
    assert [pyramid.place(*pairing) for pairing in pairings] == list(range(len(pyramid)))
    assert [pyramid.round_of(place) + 1 for place in range(len(pyramid))] == [
        second for _, second in pairings
    ]
    assert pyramid.place(0, entries) is None


@unhurried
@given(st.integers(3, 9), st.integers(1, 8))
def test_the_seeds_of_a_gauntlet_meet_all_others_and_no_seed(entries: int, seeds: int) -> None:
    event = an_event("gauntlet", entries, seeds=seeds)
    if seeds >= entries:
        with pytest.raises(
            ScheduleError, match=f"a gauntlet of {seeds} seeds needs at least {seeds + 1} engines"
        ):
            Schedule(event)
        return
    met = Counter(game.pair for game in Schedule(event))
    assert met == {f"{one + 1}-{two + 1}.1": 2 for one in range(seeds) for two in range(seeds, entries)}
