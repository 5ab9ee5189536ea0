"""An engine is told its clock by the first command it lists that can express it, and never too much time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.clock import Clock, parse_time
from arena.core.clock_words import time_command, time_left_words

ARENA, KATA, KGS, GTP = "arena-time_settings", "kata-time_settings", "kgs-time_settings", "time_settings"
S = 1_000_000


@pytest.mark.parametrize(
    ("text", "kata", "kgs", "gtp"),
    [
        ("60", "absolute 60", "absolute 60", "60 0 0"),
        ("60.9", "absolute 60.9", "absolute 60", "60 0 0"),
        ("60+0.6", "fischer 60 0.6", None, None),
        ("40/60", "canadian 0 60 40", "canadian 0 60 40", "0 60 40"),
        ("40/60+0.5", None, None, None),
        ("5/move", "byoyomi 0 5 1", "byoyomi 0 5 1", "0 5 1"),
        ("60+3x10.5", "byoyomi 60 10.5 3", "byoyomi 60 10 3", None),
        ("60+1x10", "byoyomi 60 10 1", "byoyomi 60 10 1", "60 10 1"),
        ("60+25/30", "canadian 60 30 25", "canadian 60 30 25", "60 30 25"),
        ("inf", "none", "none", "0 1 0"),
    ],
)
def test_each_command_expresses_what_it_can(
    text: str, kata: str | None, kgs: str | None, gtp: str | None
) -> None:
    control = parse_time(text)
    assert time_command(control, {ARENA}) == f"{ARENA} {text}"
    for command, words in ((KATA, kata), (KGS, kgs), (GTP, gtp)):
        assert time_command(control, {command}) == (f"{command} {words}" if words else None)


def test_the_first_listed_way_in_the_protocol_order_is_taken() -> None:
    control = parse_time("60")
    assert time_command(control, {GTP, KGS, KATA, ARENA}) == "arena-time_settings 60"
    assert time_command(control, {GTP, KGS, KATA}) == "kata-time_settings absolute 60"
    assert time_command(control, {GTP, KGS}) == "kgs-time_settings absolute 60"
    assert time_command(control, {GTP}) == "time_settings 60 0 0"
    assert time_command(control, set()) is None


def test_a_way_that_cannot_express_the_control_is_passed_over() -> None:
    assert time_command(parse_time("0.5"), {KATA, GTP}) == "kata-time_settings absolute 0.5"
    assert time_command(parse_time("60+3x10"), {KGS, GTP}) == "kgs-time_settings byoyomi 60 10 3"


@pytest.mark.parametrize("text", ["0.5", "0.9/move", "40/0.5", "60+3x0.5", "60+25/0.5"])
def test_whole_seconds_never_tell_an_engine_that_it_has_none(text: str) -> None:
    assert time_command(parse_time(text), {KGS, GTP}) is None


def test_main_time_may_round_down_to_nothing_where_periods_follow() -> None:
    assert time_command(parse_time("0.5+25/30"), {GTP}) == "time_settings 0 30 25"
    assert time_command(parse_time("0.5+3x10"), {KGS}) == "kgs-time_settings byoyomi 0 10 3"


@pytest.mark.parametrize(
    ("text", "thinks_us", "words"),
    [
        ("60", [500_000], "time_left white 59 0"),
        ("60+0.6", [1], "time_left white 60 0"),
        ("40/60", [1 * S], "time_left white 59 39"),
        ("5/move", [1 * S], "time_left white 5 1"),
        ("60+25/30", [1 * S], "time_left white 59 0"),
        ("60+25/30", [61 * S], "time_left white 29 24"),
        ("60+3x10", [1 * S], "time_left white 59 0"),
        ("60+3x10", [75 * S], "time_left white 10 2"),
        ("60+0.6b", [500_000], "time_left white 60 0"),
        ("60+5d", [1 * S], "time_left white 65 0"),
        ("60h", [1 * S], "time_left white 59 0"),
        ("inf", [1 * S], ""),
    ],
)
def test_time_left_counts_seconds_and_stones(text: str, thinks_us: list[int], words: str) -> None:
    clock = Clock(parse_time(text))
    for spent_us in thinks_us:
        assert clock.charge(spent_us, 0)
    assert time_left_words(clock, "white") == words


@pytest.mark.parametrize(("text", "words"), [("60+25/30", "30 25"), ("60+3x10", "10 3")])
def test_less_than_a_second_of_main_time_is_told_as_the_first_period(text: str, words: str) -> None:
    clock = Clock(parse_time(text))
    assert clock.charge(60 * S - 1, 0)
    assert time_left_words(clock, "black") == f"time_left black {words}"


@given(st.integers(1, 100_000), st.integers(0, 100))
def test_no_command_promises_more_than_the_clock_has(main_ms: int, percent: int) -> None:
    clock = Clock(parse_time(f"{main_ms / 1000:.3f}+3x10"))
    assert clock.charge(main_ms * 10 * percent, 0)
    budget_us = clock.budget_us()
    assert budget_us is not None
    _, _, seconds, count = time_left_words(clock, "black").split()
    assert int(seconds) * S * max(1, int(count)) <= budget_us


@pytest.mark.parametrize("text", ["60+0.6b", "60+0.6d", "60h"])
def test_controls_that_others_have_no_words_for_are_told_as_less_than_they_are(text: str) -> None:
    control = parse_time(text)
    assert time_command(control, {"arena-time_settings"}) == f"arena-time_settings {text}"
    assert time_command(control, {"kata-time_settings"}) == "kata-time_settings absolute 60"
    assert time_command(control, {GTP}) == "time_settings 60 0 0"
