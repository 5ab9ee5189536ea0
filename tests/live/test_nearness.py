"""The referee comes near its engines while they answer at once, and goes away when one does not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from arena.live.nearness import FIRST_BURSTS, MOST_BURSTS, Nearness

if TYPE_CHECKING:
    from collections.abc import Iterable


class Moves:
    """A nearness, and where it has moved the thread."""

    def __init__(self) -> None:
        self.places: list[frozenset[int]] = []
        self.nearness = Nearness({0}, self.move)

    def move(self, cores: Iterable[int]) -> None:
        """Note a move."""
        self.places.append(frozenset(cores))

    def bursts(self, count: int) -> None:
        """Say that so many bursts were taken."""
        for _ in range(count):
            self.nearness.after_burst()


def test_it_comes_near_after_some_bursts_and_leaves_at_the_first_wait() -> None:
    moves = Moves()
    moves.nearness.after_wait()
    moves.bursts(FIRST_BURSTS - 1)
    assert moves.places == []
    moves.bursts(100)
    assert moves.places == [{0}]
    moves.nearness.after_wait()
    moves.nearness.after_wait()
    assert moves.places == [{0}, os.sched_getaffinity(0)]


def test_bursts_count_only_if_none_is_broken_by_a_wait() -> None:
    moves = Moves()
    for _ in range(10):
        moves.bursts(FIRST_BURSTS - 1)
        moves.nearness.after_wait()
    assert moves.places == []


def test_each_return_takes_twice_as_long_up_to_a_bound() -> None:
    moves = Moves()
    for power in range(1, 30):
        moves.bursts(MOST_BURSTS)
        moves.nearness.after_wait()
        assert len(moves.places) == 2 * power
    moves.bursts(MOST_BURSTS - 1)
    assert len(moves.places) == 58
