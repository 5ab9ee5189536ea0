"""Views of running games: their bytes, what is refused, and what a clock shows while somebody thinks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.clock import Clock, parse_time
from arena.core.running import (
    MOST_BYTES,
    ClockFace,
    RunningGame,
    ViewError,
    clock_face,
    remaining,
    short_infos,
    view_from_bytes,
    view_to_bytes,
)

A_VIEW = RunningGame(
    id="1-2.3a",
    attempt=2,
    game="plakoto",
    size=None,
    komi=None,
    black="one",
    white="<b>two</b> \u202e",
    first=1,
    moves=("24/18,24/19", "pass"),
    opening_plies=0,
    dice=((6, 5), (1, 1), (3, 4)),
    clocks=(ClockFace("10+3x5", 9_000_000, 5_000_000, 3, 0), ClockFace("inf", None, None, None, None)),
    thinking_us=1234,
    said=({"winrate": "0.5"}, {}),
)


def bytes_of(view: RunningGame) -> bytes:
    data = view_to_bytes(view)
    assert data is not None
    return data


def test_a_view_survives_its_bytes() -> None:
    assert view_from_bytes(bytes_of(A_VIEW)) == A_VIEW
    early = replace(A_VIEW, moves=(), dice=(), clocks=(), said=({}, {}))
    assert view_from_bytes(bytes_of(early)) == early


def test_a_view_that_is_too_long_is_not_sent() -> None:
    assert view_to_bytes(replace(A_VIEW, moves=("24/18,24/19",) * MOST_BYTES)) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("form", "another"),
        ("id", 7),
        ("id", "x" * 1000),
        ("attempt", 0),
        ("attempt", True),
        ("attempt", 1.5),
        ("size", "9"),
        ("komi", 10**9),
        ("names", ["one"]),
        ("names", ["one", None]),
        ("names", ["one", "n" * 301]),
        ("first", 2),
        ("moves", ["A1"]),
        ("moves", "A" * 500),
        ("opening_plies", 99),
        ("dice", "123"),
        ("dice", "70"),
        ("dice", "\u0661\u0662"),
        ("clocks", [["60", 1, None, None, None]]),
        ("clocks", [["60", -1, None, None, None]] * 2),
        ("clocks", [["60", 1]] * 2),
        ("clocks", {}),
        ("thinking_us", -1),
        ("said", [{}]),
        ("said", [{"winrate": 1}, {}]),
        ("said", [{str(n): "" for n in range(99)}, {}]),
    ],
)
def test_a_field_of_the_wrong_kind_is_refused_by_its_name(key: str, value: object) -> None:
    fields = json.loads(bytes_of(A_VIEW))
    fields[key] = value
    with pytest.raises(ViewError, match=key if key != "form" else "not of the form"):
        view_from_bytes(json.dumps(fields).encode())


@settings(max_examples=200)
@given(
    st.binary(max_size=300)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
def test_whatever_bytes_come_they_are_a_view_or_refused(data: bytes) -> None:
    with pytest.raises(ViewError):
        view_from_bytes(data)


def test_deep_nesting_is_refused_like_anything_else() -> None:
    with pytest.raises(ViewError):
        view_from_bytes(b"[" * 50_000)


def test_what_an_engine_says_is_cut_to_a_few_short_texts() -> None:
    told = short_infos({f"key{n}": "x" * 1000 for n in range(50)})
    assert len(told) == 8
    assert all(len(text) == 120 for text in told.values())


@pytest.mark.parametrize("text", ["60", "60+0.6", "5/move", "2/3", "10+3x5", "10+2/6", "0+3x5", "inf"])
@given(data=st.data())
def test_what_is_shown_is_what_the_clock_says_when_the_move_is_made(text: str, data: st.DataObject) -> None:
    clock = Clock(parse_time(text))
    for _ in range(4):
        budget_us = clock.budget_us()
        spent_us = data.draw(st.integers(0, budget_us if budget_us is not None else 10**7))
        face = clock_face(clock)
        shown = remaining(face, spent_us)
        increment = clock.control.increment_us
        assert clock.charge(spent_us, 0)
        if clock.period_left_us is None and clock.control.main_us and clock.moves_left is None:
            assert shown.running_us == (clock.main_left_us or 0) - increment
        if clock.periods_left is not None and shown.in_period and shown.running_us:
            assert shown.periods == clock.periods_left


def test_periods_run_out_one_after_the_other() -> None:
    face = ClockFace("10+3x5", 1_000_000, 5_000_000, 3, 0)
    assert remaining(face, 400_000).running_us == 600_000
    assert remaining(face, 2_000_000).running_us == 4_000_000
    assert remaining(face, 7_000_000).running_us == 4_000_000
    assert remaining(face, 7_000_000).periods == 2
    assert remaining(face, 60_000_000).running_us == 0
    assert remaining(face, 60_000_000).periods == 0
