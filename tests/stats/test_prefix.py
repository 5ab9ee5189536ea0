"""Results are released in schedule order, whatever the order in which games end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.prefix import SchedulePrefix


@given(st.permutations(range(12)))
def test_any_order_of_arrival_gives_the_same_sequence(order: list[int]) -> None:
    prefix: SchedulePrefix[int] = SchedulePrefix()
    released = [value for place in order for value in prefix.add(place, 10 * place)]
    assert released == [10 * place for place in range(12)]
    assert (prefix.length, prefix.waiting) == (12, 0)


def test_a_place_that_counts_for_nobody_is_passed_over() -> None:
    prefix: SchedulePrefix[float] = SchedulePrefix()
    assert prefix.add(1, 0.5) == ()
    assert prefix.waiting == 1
    assert prefix.add(0, None) == (0.5,)
    assert prefix.length == 2


def test_a_second_result_for_a_place_is_refused() -> None:
    prefix: SchedulePrefix[int] = SchedulePrefix()
    prefix.add(0, 1)
    prefix.add(2, 1)
    for place in (0, 2, -1):
        with pytest.raises(ValueError, match="place"):
            prefix.add(place, 2)
