"""Withdrawals follow from committed games in the order of the schedule, whatever the order they ended in."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from arena.core.streaks import Ended, Streaks, Withdrawals, ended
from arena.core.verdict import Reason, both_failed, by_fault, by_resignation, void
from arena.rules import BLACK, WHITE

NOTHING = Streaks(0, {})


def bad(ordinal: int, engine: int = 0, other: int = 1) -> Ended:
    return Ended(ordinal, f"g{ordinal}", without_fault=(other,), failed=(engine,))


def good(ordinal: int) -> Ended:
    return Ended(ordinal, f"g{ordinal}", without_fault=(0, 1))


def test_so_many_faults_in_a_row_withdraw_an_engine_once() -> None:
    withdrawals = Withdrawals(3, NOTHING)
    assert [withdrawals.take([bad(ordinal)]) for ordinal in range(5)] == [[], [], [0], [], []]


def test_a_game_without_a_fault_ends_the_row() -> None:
    withdrawals = Withdrawals(3, NOTHING)
    games = [bad(0), bad(1), good(2), bad(3), bad(4), Ended(5, "annulled"), bad(6)]
    assert [withdrawals.take([game]) for game in games] == [[], [], [], [], [], [], [0]]


def test_nobody_is_withdrawn_without_a_limit_and_nobody_twice() -> None:
    assert Withdrawals(0, NOTHING).take(map(bad, range(100))) == []
    assert Withdrawals(3, NOTHING, out=[0]).take(map(bad, range(100))) == []


def test_a_gap_is_waited_for() -> None:
    withdrawals = Withdrawals(2, NOTHING)
    assert withdrawals.take([bad(1), bad(2)]) == []
    assert withdrawals.take([good(0)]) == [0]


def test_what_was_stored_before_counts() -> None:
    assert Withdrawals(3, Streaks(7, {0: 2})).take([bad(7)]) == [0]
    # The limit was lowered meanwhile.
    assert Withdrawals(3, Streaks(7, {0: 5, 1: 2})).take([]) == [0]


def test_two_engines_may_go_at_once() -> None:
    games = [Ended(ordinal, "g", failed=(0, 1)) for ordinal in range(2)]
    assert Withdrawals(2, NOTHING).take(games) == [0, 1]


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(1, 2)), max_size=25),
    st.integers(1, 4),
    st.integers(0, 10_000),
)
def test_the_order_in_which_games_end_makes_no_difference(
    told: list[tuple[bool, int, int]], limit: int, seed: int
) -> None:
    games = [
        bad(ordinal, engine, (engine + step) % 3) if is_bad else Ended(ordinal, "g", (engine,))
        for ordinal, (is_bad, engine, step) in enumerate(told)
    ]
    in_order = Withdrawals(limit, NOTHING)
    expected = [engine for game in games for engine in in_order.take([game])]
    shuffled = games[:]
    random.Random(seed).shuffle(shuffled)
    other = Withdrawals(limit, NOTHING)
    found = [engine for game in shuffled for engine in other.take([game])]
    assert sorted(found) == sorted(expected)


def test_what_each_ending_says_of_the_players() -> None:
    players = (4, 7)

    def said(verdict: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
        game = ended(0, "g", players, verdict)  # type: ignore[arg-type]
        return game.without_fault, game.failed

    assert said(by_fault(BLACK, Reason.CRASH)) == ((7,), (4,))
    assert said(by_fault(WHITE, Reason.TIME)) == ((4,), (7,))
    assert said(by_resignation(WHITE)) == ((4, 7), ())
    assert said(both_failed((Reason.CRASH, Reason.START_UP))) == ((), (4, 7))
    for silent in (
        void(Reason.ANNULLED),
        by_fault(BLACK, Reason.WITHDRAWN),
        both_failed((Reason.WITHDRAWN, Reason.WITHDRAWN)),
    ):
        assert said(silent) == ((), ())
