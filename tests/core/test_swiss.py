"""A Swiss event: everybody plays, nobody meets twice while that can be avoided, colours and byes are fair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import networkx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.core import swiss
from arena.core.rounds import GameResult, Meeting, Step
from tests.core.played_rounds import Played, an_event, by_chance, by_strength

slowly = settings(max_examples=25, deadline=None)

unhurried = settings(deadline=None)
"""A busy machine must not decide a test."""


def pairs_of(step: Step) -> list[tuple[int, int]]:
    return [
        (min(each.first, each.second), max(each.first, each.second))
        for each in step.meetings
        if each.second is not None
    ]


def byes_of(step: Step) -> list[int]:
    return [each.first for each in step.meetings if each.second is None]


def can_avoid_rematches(active: list[int], met: set[tuple[int, int]], had_bye: set[int]) -> bool:
    """Say whether everybody can be paired anew, by a matching that knows nothing of points or colours."""
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(active)
    graph.add_edges_from((a, b) for a in active for b in active if a < b and (a, b) not in met)
    if len(active) % 2:
        graph.add_edges_from((each, -1) for each in active if each not in had_bye)
    return 2 * len(networkx.max_weight_matching(graph, maxcardinality=True)) == len(active) + len(active) % 2


@slowly
@given(st.integers(2, 20), st.sampled_from([1, 2, 3]), st.integers(0, 10**6), st.integers(1, 9))
@example(33, 1, 1, 6)
@example(64, 2, 1, 6)
@example(65, 1, 1, 7)
def test_every_round_pairs_everybody_once_and_anew_while_it_can(
    entries: int, games_each: int, seed: int, rounds: int
) -> None:
    played = Played(an_event("swiss", entries, games_each, rounds=rounds, seed=seed), by_chance(seed))
    met: set[tuple[int, int]] = set()
    had_bye: set[int] = set()
    for number in range(1, rounds + 1):
        step = played.step()
        assert step is not None
        assert (step.round, step.batch) == (number, 0)
        pairs, byes = pairs_of(step), byes_of(step)
        seated = [entry for pair in pairs for entry in pair] + byes
        assert sorted(seated) == list(range(entries))
        assert len(byes) == entries % 2
        again = met.intersection(pairs) or had_bye.intersection(byes)
        if again:
            assert not can_avoid_rematches(list(range(entries)), met, had_bye)
        met.update(pairs)
        had_bye.update(byes)
        played.play()
    assert played.step() is None
    assert len(played.schedule) == played.schedule.planned() == rounds * (entries // 2) * games_each


@slowly
@given(st.integers(4, 24), st.sampled_from([1, 3]), st.integers(0, 10**6))
def test_with_an_odd_number_of_games_colours_stay_balanced(entries: int, games_each: int, seed: int) -> None:
    rounds = max(1, swiss.rounds(an_event("swiss", entries)))
    played = Played(an_event("swiss", entries, games_each, rounds=rounds), by_chance(seed)).play_on()
    surplus: Counter[int] = Counter()
    for game in played.schedule:
        surplus[game.black] += 1
        surplus[game.white] -= 1
    assert all(abs(surplus[entry]) <= 2 for entry in range(entries))


@unhurried
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_whole_pairs_give_everybody_both_colours(entries: int, seed: int) -> None:
    played = Played(an_event("swiss", entries, 4), by_chance(seed)).play_on()
    blacks = Counter(game.black for game in played.schedule)
    whites = Counter(game.white for game in played.schedule)
    assert blacks == whites


def test_the_first_round_sets_the_upper_half_against_the_lower() -> None:
    step = Played(an_event("swiss", 8), by_strength).step()
    assert step is not None
    assert pairs_of(step) == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_who_has_won_meets_who_has_won() -> None:
    played = Played(an_event("swiss", 8), by_strength).play_on(1)
    step = played.step()
    assert step is not None
    assert sorted(pairs_of(step)) == [(0, 2), (1, 3), (4, 6), (5, 7)]


def test_a_bye_goes_to_the_lowest_and_counts_as_it_is_set() -> None:
    for bye, points in (("win", 2.0), ("draw", 1.0), ("loss", 0.0)):
        played = Played(an_event("swiss", 5, bye=bye), by_strength).play_on(1)
        assert played.schedule.byes() == [0, 0, 0, 0, 1]
        assert played.schedule.bye_points() == points


@slowly
@given(st.integers(3, 21), st.integers(0, 10**6), st.data())
def test_who_has_been_taken_out_is_never_paired_again(entries: int, seed: int, data: st.DataObject) -> None:
    played = Played(an_event("swiss", entries, rounds=6), by_chance(seed))
    for _ in range(6):
        out = data.draw(st.frozensets(st.integers(0, entries - 1), max_size=2))
        played.withdrawn |= out
        step = played.step()
        left = entries - len(played.withdrawn)
        if left < 2:
            assert step is None
            return
        assert step is not None
        seated = [entry for pair in pairs_of(step) for entry in pair] + byes_of(step)
        assert sorted(seated) == [each for each in range(entries) if each not in played.withdrawn]
        played.play()


def test_games_that_count_for_nobody_give_no_points_and_stop_nothing() -> None:
    played = Played(an_event("swiss", 4), lambda game: GameResult(game.id, game.black, game.white, None))
    steps = played.play_on().schedule.steps
    assert pairs_of(steps[0]) == [(0, 2), (1, 3)]
    assert len(steps) == 2


def test_the_order_in_which_results_come_in_changes_no_pairing() -> None:
    played = Played(an_event("swiss", 9, rounds=5), by_chance(3)).play_on(3)
    forward = played.schedule.next_step(played.results)
    backward = played.schedule.next_step(dict(reversed(played.results.items())))
    assert forward == backward


def test_another_seed_may_pair_equals_otherwise_but_the_same_seed_never_does() -> None:
    def steps(seed: int) -> tuple[Step, ...]:
        return Played(an_event("swiss", 11, rounds=6, seed=seed), by_chance(1)).play_on().schedule.steps

    assert steps(5) == steps(5)


def test_many_entries_are_paired_among_neighbours_without_a_rematch() -> None:
    played = Played(an_event("swiss", 121, rounds=3), by_chance(2, draws=0.1)).play_on()
    pairs = [pair for step in played.schedule.steps for pair in pairs_of(step)]
    assert len(set(pairs)) == len(pairs) == 3 * 60


def test_more_rounds_than_opponents_are_announced() -> None:
    warned = Played(an_event("swiss", 4, rounds=5), by_strength).schedule.warnings()
    assert warned == ["5 rounds of 4 engines: from round 4 on some meet again"]
    assert Played(an_event("swiss", 5, rounds=5), by_strength).schedule.warnings() == []


def test_the_next_round_waits_for_every_result() -> None:
    played = Played(an_event("swiss", 4), by_strength)
    played.step()
    with pytest.raises(ValueError, match="not played yet"):
        played.schedule.next_step({})


def test_ids_name_the_round_and_do_not_change_when_rounds_are_added() -> None:
    event = an_event("swiss", 6, rounds=3)
    short = Played(event, by_chance(4)).play_on()
    long = Played(replace(event, rounds=5), by_chance(4)).play_on()
    assert list(long.schedule)[: len(short.schedule)] == list(short.schedule)
    assert short.schedule.game(0).id == "r1.1-4.1a"
    assert short.schedule.steps[0].meetings[0] == Meeting(1, 0, 3)
