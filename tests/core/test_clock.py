"""Time controls are read strictly, and the clock judges the flag before it credits anything."""

from __future__ import annotations

import pickle
import timeit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.clock import MAX_COUNT, MAX_SECONDS, Clock, Kind, TimeControl, TimeControlError, parse_time

S = 1_000_000
MS = 1_000


def clock(text: str) -> Clock:
    return Clock(parse_time(text))


times = st.integers(1, MAX_SECONDS * 1000).map(lambda ms: ms * MS)
times_or_zero = st.integers(0, MAX_SECONDS * 1000).map(lambda ms: ms * MS)
counts = st.integers(1, MAX_COUNT)
controls = st.one_of(
    st.just(TimeControl(Kind.UNLIMITED)),
    st.builds(TimeControl, st.just(Kind.BANK), times, times_or_zero),
    st.builds(TimeControl, st.just(Kind.REFILL), times, times_or_zero, counts),
    st.builds(TimeControl, st.just(Kind.EACH_MOVE), times),
    st.builds(
        TimeControl,
        st.just(Kind.BYO_YOMI),
        times_or_zero,
        st.just(0),
        st.just(0),
        period_us=times,
        periods=counts,
    ),
    st.builds(TimeControl, st.just(Kind.CANADIAN), times_or_zero, st.just(0), counts, period_us=times),
    st.builds(TimeControl, st.sampled_from([Kind.BRONSTEIN, Kind.DELAY]), times, times),
    st.builds(TimeControl, st.just(Kind.HOURGLASS), times),
)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("60", TimeControl(Kind.BANK, 60 * S)),
        ("0.05", TimeControl(Kind.BANK, 50 * MS)),
        ("60+0.6", TimeControl(Kind.BANK, 60 * S, 600 * MS)),
        ("40/60", TimeControl(Kind.REFILL, 60 * S, moves=40)),
        ("40/60+0.5", TimeControl(Kind.REFILL, 60 * S, 500 * MS, moves=40)),
        ("5/move", TimeControl(Kind.EACH_MOVE, 5 * S)),
        ("60+3x10", TimeControl(Kind.BYO_YOMI, 60 * S, period_us=10 * S, periods=3)),
        ("0+3x10", TimeControl(Kind.BYO_YOMI, 0, period_us=10 * S, periods=3)),
        ("60+25/30", TimeControl(Kind.CANADIAN, 60 * S, moves=25, period_us=30 * S)),
        ("60+0.6b", TimeControl(Kind.BRONSTEIN, 60 * S, 600 * MS)),
        ("60+0.6d", TimeControl(Kind.DELAY, 60 * S, 600 * MS)),
        ("60h", TimeControl(Kind.HOURGLASS, 60 * S)),
        ("inf", TimeControl(Kind.UNLIMITED)),
    ],
)
def test_every_documented_form_is_read_and_written_alike(text: str, control: TimeControl) -> None:
    assert parse_time(text) == control
    assert control.text == text
    assert str(control) == text


@given(controls)
def test_the_text_of_a_control_reads_back_as_the_same_control(control: TimeControl) -> None:
    again = parse_time(control.text)
    assert again == control
    assert hash(again) == hash(control)
    assert again.text == control.text


def test_a_control_survives_pickling() -> None:
    control = parse_time("60+3x10")
    assert pickle.loads(pickle.dumps(control)) == control  # noqa: S301  made here


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("60+0", "60"), ("60.000", "60"), ("10+0.100", "10+0.1"), ("40/60.50+0.0", "40/60.5")],
)
def test_needless_zeros_are_dropped_from_the_canonical_text(text: str, canonical: str) -> None:
    assert parse_time(text).text == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "60 ", " 60", "60\n", "-1", "+1", "60-1", "60+-1", "1e3", "1E3", "nan", "inf+1", "INF",
        "infinity", "0x10", "1_000", "٣", "60٫5", ".5", "5.", "60+.5", "60+", "60++1", "60+0.6+1", "60,5",
        "60s", "1:00", "0", "0.000", "0+1", "0.0+5", "0/60", "40/0", "40/", "/60", "40/60+", "40/60+x",
        "5/Move", "5/moves", "0/move", "60+0x10", "60+3x0", "60+3x", "60+x10", "60+3.5x10", "60+0/30",
        "60+25/0", "2.5/60", "007", "60+007", "60+03x10", "0.0001", "60+0.0001", "1000001", "1000000.001",
        "10001/60", "60+10001x1", "9" * 5000, "1." + "0" * 5000,
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_the_text_quoted(text: str) -> None:
    with pytest.raises(TimeControlError) as caught:
        parse_time(text)
    assert repr(text[:40])[:-1] in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_refusal_says_what_was_wrong_with_which_number() -> None:
    with pytest.raises(TimeControlError, match="the time of a period must be more than 0"):
        parse_time("60+3x0")
    with pytest.raises(TimeControlError, match="the first move needs a main time above 0"):
        parse_time("0+1")
    with pytest.raises(TimeControlError, match=r"allowed are 60, 60\+0\.6"):
        parse_time("sixty")


@given(st.text(max_size=30))
def test_any_text_is_either_a_control_or_a_named_error(text: str) -> None:
    try:
        control = parse_time(text)
    except TimeControlError:
        return
    assert parse_time(control.text) == control


def test_sudden_death_loses_one_microsecond_after_the_flag_and_not_at_it() -> None:
    in_time = clock("60")
    assert in_time.budget_us() == 60 * S
    assert in_time.charge(60 * S, 0)
    assert in_time.main_left_us == 0
    assert not clock("60").charge(60 * S + 1, 0)


def test_the_first_move_has_the_main_time_without_the_increment() -> None:
    fischer = clock("60+0.6")
    assert fischer.budget_us() == 60 * S
    assert not fischer.charge(60 * S + 1, 0)


def test_an_increment_is_credited_after_the_move() -> None:
    fischer = clock("60+0.6")
    assert fischer.charge(1 * S, 0)
    assert fischer.budget_us() == 59_600 * MS


def test_an_increment_does_not_save_a_move_that_was_late() -> None:
    fischer = clock("1+10")
    assert not fischer.charge(1 * S + 1, 0)


def test_the_margin_forgives_an_overstep_and_leaves_nothing_but_the_increment() -> None:
    fischer = clock("1+0.5")
    assert fischer.charge(1 * S + 20 * MS, 20 * MS)
    assert fischer.budget_us() == 500 * MS
    sudden_death = clock("1")
    assert sudden_death.charge(1 * S + 5 * MS, 20 * MS)
    assert sudden_death.budget_us() == 0


def test_an_overstep_beyond_the_margin_loses() -> None:
    assert not clock("1+0.5").charge(1 * S + 20 * MS + 1, 20 * MS)


def test_the_margin_is_no_part_of_the_budget() -> None:
    fischer = clock("1+0.5")
    fischer.charge(0, 20 * MS)
    assert fischer.budget_us() == 1_500 * MS


def test_late_last_move_of_a_period_loses() -> None:
    periods = clock("2/10")
    assert periods.charge(9 * S, 0)
    assert not periods.charge(1 * S + 1, 0)


def test_a_last_move_in_time_opens_the_next_period_and_keeps_what_was_left() -> None:
    periods = clock("2/10+0.5")
    assert periods.moves_left == 2
    assert periods.charge(4 * S, 0)
    assert (periods.budget_us(), periods.moves_left) == (6_500 * MS, 1)
    assert periods.charge(5 * S, 0)
    assert (periods.budget_us(), periods.moves_left) == (12 * S, 2)


def test_the_margin_at_the_end_of_a_period_takes_nothing_from_the_next() -> None:
    periods = clock("1/10")
    assert periods.charge(10 * S + 5 * MS, 20 * MS)
    assert periods.budget_us() == 10 * S


def test_fixed_time_per_move_is_never_saved_up() -> None:
    fixed = clock("5/move")
    for spent_us in (0, 1 * S, 5 * S):
        assert fixed.charge(spent_us, 0)
        assert (fixed.budget_us(), fixed.moves_left) == (5 * S, 1)
    assert not fixed.charge(5 * S + 1, 0)


def test_a_byo_yomi_budget_is_main_time_and_all_periods() -> None:
    assert clock("60+3x10").budget_us() == 90 * S


def test_a_move_within_a_period_keeps_the_period() -> None:
    japanese = clock("60+3x10")
    assert japanese.charge(60 * S, 0)
    assert (japanese.main_left_us, japanese.periods_left, japanese.moves_left) == (0, 3, 1)
    for _ in range(100):
        assert japanese.charge(10 * S, 0)
    assert japanese.periods_left == 3


def test_the_think_that_ends_main_time_goes_on_in_the_first_period() -> None:
    japanese = clock("60+3x10")
    assert japanese.charge(70 * S, 0)
    assert (japanese.main_left_us, japanese.periods_left) == (0, 3)


def test_one_think_may_use_up_several_periods() -> None:
    japanese = clock("60+3x10")
    assert japanese.charge(80 * S + 1, 0)
    assert japanese.periods_left == 1
    assert japanese.budget_us() == 10 * S
    assert not japanese.charge(10 * S + 1, 0)


def test_all_periods_in_one_think_lose() -> None:
    assert clock("60+3x10").charge(90 * S, 0)
    assert not clock("60+3x10").charge(90 * S + 1, 0)
    assert not clock("0+1x10").charge(10 * S + 1, 0)


def test_the_margin_holds_at_the_end_of_every_byo_yomi_period() -> None:
    japanese = clock("0+3x10")
    assert japanese.charge(10 * S + 20 * MS, 20 * MS)
    assert japanese.periods_left == 3
    assert japanese.charge(10 * S + 20 * MS + 1, 20 * MS)
    assert japanese.periods_left == 2


def test_canadian_moves_share_the_time_of_their_period() -> None:
    canadian = clock("10+3/30")
    assert canadian.budget_us() == 40 * S
    assert (canadian.main_left_us, canadian.period_left_us, canadian.moves_left) == (10 * S, 30 * S, 0)
    assert canadian.charge(15 * S, 0)
    assert (canadian.main_left_us, canadian.period_left_us, canadian.moves_left) == (0, 25 * S, 2)
    assert canadian.charge(20 * S, 0)
    assert (canadian.period_left_us, canadian.moves_left) == (5 * S, 1)


def test_a_canadian_period_made_in_time_starts_afresh_and_saves_nothing() -> None:
    canadian = clock("0+2/30")
    assert canadian.charge(1 * S, 0)
    assert canadian.charge(1 * S, 0)
    assert (canadian.period_left_us, canadian.moves_left) == (30 * S, 2)


def test_the_late_last_move_of_a_canadian_period_loses() -> None:
    canadian = clock("0+2/30")
    assert canadian.charge(20 * S, 0)
    assert not canadian.charge(10 * S + 1, 0)


def test_main_time_used_to_the_last_microsecond_leaves_a_whole_period() -> None:
    canadian = clock("10+3/30")
    assert canadian.charge(10 * S, 0)
    assert (canadian.main_left_us, canadian.period_left_us, canadian.moves_left) == (0, 30 * S, 3)


def test_no_limit_means_no_budget_and_no_flag() -> None:
    unlimited = clock("inf")
    assert unlimited.budget_us() is None
    assert unlimited.charge(10**15, 0)
    assert unlimited.wire_fields("black") == []


@pytest.mark.parametrize(
    ("text", "thinks_us", "fields"),
    [
        ("60", [], ["black_ms=60000"]),
        ("60+0.6", [1_000_999], ["black_ms=59599"]),
        ("40/60", [1 * S], ["black_ms=59000", "black_moves=39"]),
        ("5/move", [1 * S], ["black_ms=5000", "black_moves=1"]),
        ("60+3x10", [], ["black_ms=60000", "black_periods=3", "black_moves=0"]),
        ("60+3x10", [75 * S], ["black_ms=10000", "black_periods=2", "black_moves=1"]),
        ("60+25/30", [59 * S], ["black_ms=1000", "black_moves=0"]),
        ("60+25/30", [61 * S], ["black_ms=29000", "black_moves=24"]),
        ("0+25/30", [], ["black_ms=30000", "black_moves=25"]),
    ],
)
def test_the_wire_shows_main_time_then_the_period(text: str, thinks_us: list[int], fields: list[str]) -> None:
    running = clock(text)
    for spent_us in thinks_us:
        assert running.charge(spent_us, 0)
    assert running.wire_fields("black") == fields


limited = controls.filter(lambda control: control.kind is not Kind.UNLIMITED)


@settings(max_examples=200)
@given(limited, st.integers(0, 50 * MS), st.lists(st.integers(0, 100), max_size=20))
def test_the_flag_falls_exactly_beyond_budget_and_margin(
    control: TimeControl, margin_us: int, percents: list[int]
) -> None:
    running = Clock(control)
    for percent in percents:
        budget_us = running.budget_us()
        assert budget_us is not None
        assert running.charge(budget_us * percent // 100, margin_us)
    budget_us = running.budget_us()
    assert budget_us is not None
    before = Clock(control)
    for name in ("main_left_us", "period_left_us", "periods_left", "moves_left"):
        setattr(before, name, getattr(running, name))
    assert not running.charge(budget_us + margin_us + 1, margin_us)
    assert before.charge(budget_us + margin_us, margin_us)


@settings(max_examples=200)
@given(limited, st.integers(0, 50 * MS), st.lists(st.integers(0, 110), max_size=30))
def test_nothing_on_a_clock_is_ever_negative(
    control: TimeControl, margin_us: int, percents: list[int]
) -> None:
    running = Clock(control)
    for percent in percents:
        budget_us = running.budget_us()
        assert budget_us is not None
        if not running.charge(budget_us * percent // 100, margin_us):
            break
        for left in (running.main_left_us, running.period_left_us, running.periods_left, running.moves_left):
            assert left is None or left >= 0
        assert running.periods_left is None or running.periods_left >= 1


def test_a_fischer_move_costs_the_referee_next_to_nothing() -> None:
    """A wide bound for a loaded machine: it catches a change of kind (parsing, decimals), not of degree."""
    fischer = clock("60+0.6")
    repeats = 20_000
    best_s = min(timeit.repeat(lambda: fischer.charge(500_000, 20_000), number=repeats, repeat=5))
    assert best_s / repeats < 20e-6


@pytest.mark.parametrize(
    ("spent_us", "left_us"),
    [(0, 10 * S), (400 * MS, 10 * S), (600 * MS, 10 * S), (700 * MS, 9_900 * MS), (10 * S, 600 * MS)],
)
def test_bronstein_gives_back_what_was_used_and_no_more_than_its_limit(spent_us: int, left_us: int) -> None:
    it = clock("10+0.6b")
    assert it.budget_us() == 10 * S
    assert it.charge(spent_us, 0)
    assert it.main_left_us == left_us


@pytest.mark.parametrize(
    ("spent_us", "left_us"), [(0, 10 * S), (600 * MS, 10 * S), (700 * MS, 9_900 * MS), (10_600 * MS, 0)]
)
def test_a_delay_is_free_and_not_saved(spent_us: int, left_us: int) -> None:
    it = clock("10+0.6d")
    assert it.budget_us() == 10_600 * MS
    assert it.wire_fields("black") == ["black_ms=10600"]
    assert it.charge(spent_us, 0)
    assert it.main_left_us == left_us
    assert it.budget_us() == left_us + 600 * MS


def test_bronstein_judges_the_flag_before_it_gives_back_and_a_delay_runs_before_the_clock() -> None:
    for text, in_time in (("0.2+0.6b", False), ("0.2+0.6d", True)):
        assert clock(text).charge(500 * MS, 0) is in_time


@given(st.lists(st.integers(0, 3_000_000), max_size=30), st.integers(0, 50_000))
def test_the_sand_of_an_hourglass_is_never_more_nor_less(thinks_us: list[int], margin_us: int) -> None:
    sides = (clock("10h"), clock("10h"))
    for ply, spent_us in enumerate(thinks_us):
        mover, other = sides[ply % 2], sides[1 - ply % 2]
        before = mover.main_left_us
        assert before is not None
        if not mover.charge(spent_us, margin_us):
            assert spent_us > before + margin_us
            break
        assert mover.main_left_us is not None
        other.take_sand(before - mover.main_left_us)
        assert mover.main_left_us + (other.main_left_us or 0) == 20 * S


def test_no_other_clock_takes_sand() -> None:
    for text in ("10", "10+1", "5/move", "10+3x10", "inf"):
        it = clock(text)
        before = it.budget_us()
        it.take_sand(5 * S)
        assert it.budget_us() == before


@pytest.mark.parametrize(
    "text", ["60+b", "60+0b", "0+5d", "0h", "h", "60+0.6bd", "60+0.6h", "40/60h", "60+0.6B"]
)
def test_halves_of_the_new_forms_are_refused(text: str) -> None:
    with pytest.raises(TimeControlError):
        parse_time(text)
