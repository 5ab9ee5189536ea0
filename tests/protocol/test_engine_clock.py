"""What an engine is told of time, in every dialect, comes out as seconds."""

from __future__ import annotations

import pytest

from protocol.engine_clock import (
    UNLIMITED,
    ClockReader,
    TimeSettings,
    TurnClock,
    parse_arena_time,
    parse_gtp_time,
    parse_kata_time,
)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("60", TimeSettings(60)),
        ("60+0.6", TimeSettings(60, increment_s=0.6)),
        ("40/60+0.5", TimeSettings(60, main_moves=40, increment_s=0.5)),
        ("40/60", TimeSettings(60, main_moves=40)),
        ("5/move", TimeSettings(0, period_s=5, period_moves=1)),
        ("60+3x10", TimeSettings(60, period_s=10, period_moves=1, periods=3)),
        ("60+25/30", TimeSettings(60, period_s=30, period_moves=25)),
        ("inf", UNLIMITED),
    ],
)
def test_every_form_of_the_arena_is_read(text: str, settings: TimeSettings) -> None:
    assert parse_arena_time(text) == settings


@pytest.mark.parametrize("text", ["", "x", "60+", "-5", "60+3x", "5/moves", "1e9", "nan", "٣"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no time control"):
        parse_arena_time(text)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("none", UNLIMITED),
        ("absolute 60", TimeSettings(60)),
        ("fischer 60 0.6", TimeSettings(60, increment_s=0.6)),
        ("byoyomi 60 10 3", TimeSettings(60, period_s=10, period_moves=1, periods=3)),
        ("canadian 60 30 25", TimeSettings(60, period_s=30, period_moves=25)),
    ],
)
def test_katago_forms_are_read(words: str, settings: TimeSettings) -> None:
    assert parse_kata_time(tuple(words.split())) == settings


def test_gtp_settings_know_no_limit_sudden_death_and_periods() -> None:
    assert parse_gtp_time("0", "1", "0") == UNLIMITED
    assert parse_gtp_time("60", "0", "0") == TimeSettings(60)
    assert parse_gtp_time("0", "5", "1") == TimeSettings(0, period_s=5, period_moves=1)


def test_a_clock_holds_for_one_move() -> None:
    reader = ClockReader()
    reader.settings = TimeSettings(60)
    reader.take_clock(("black_ms=1500", "white_ms=2000", "black_periods=3", "black_moves=0", "green_ms=7"))
    assert reader.turn("black") == TurnClock(1.5, 2.0, 3, 0, TimeSettings(60))
    assert reader.turn("black") == TurnClock(settings=TimeSettings(60))


def test_time_left_is_for_the_mover() -> None:
    reader = ClockReader()
    reader.take_time_left("white", "12", "5")
    assert reader.turn("white") == TurnClock(12.0, moves=5)


@pytest.mark.parametrize("word", ["black_ms", "black_ms=", "black_ms=1.5", "black_ms=x"])
def test_a_clock_word_that_is_none_is_refused_and_changes_nothing(word: str) -> None:
    reader = ClockReader()
    reader.take_clock(("black_ms=1000",))
    with pytest.raises(ValueError):
        reader.take_clock(("white_ms=5", word))
    assert reader.turn("black").left_s == 1.0


@pytest.mark.parametrize("left_s", [0.001, 0.5, 9.0, 60.0, 3600.0])
@pytest.mark.parametrize("text", ["60", "60+0.6", "40/60+0.5", "5/move", "60+3x10", "60+25/30"])
@pytest.mark.parametrize("moves", [None, 0, 1, 25])
def test_the_suggested_time_leaves_a_reserve(left_s: float, text: str, moves: int | None) -> None:
    clock = TurnClock(left_s, moves=moves, settings=parse_arena_time(text))
    suggested_s = clock.suggested_s()
    assert suggested_s is not None
    assert 0 < suggested_s <= 0.9 * left_s


def test_without_a_limit_no_time_is_suggested() -> None:
    assert TurnClock().suggested_s() is None
