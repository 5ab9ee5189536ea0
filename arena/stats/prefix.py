"""Results in the order of the schedule, whatever the order in which games end.

Short games end first and are not like long ones, so a stopping rule that sees results as they arrive is
biased. Everything that is looked at while games run is computed on the longest prefix of the schedule that
has ended.
"""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class SchedulePrefix(Generic[Value]):
    """Takes results by their place in the schedule and releases them in its order.

    Args:
        length: places of the schedule that are covered from the beginning.
    """

    def __init__(self, length: int = 0) -> None:
        self._next = length
        self._waiting: dict[int, Value | None] = {}

    @property
    def length(self) -> int:
        """How many places of the schedule the prefix covers, those without a result included."""
        return self._next

    @property
    def waiting(self) -> int:
        """How many results are in that the prefix does not reach yet."""
        return len(self._waiting)

    def add(self, place: int, value: Value | None) -> tuple[Value, ...]:
        """Take the result of one place and return those that the prefix newly covers, in order.

        Args:
            place: from 0.
            value: the result; None for a place that counts for nobody (an annulled pair), which is passed
                over.

        Raises:
            ValueError: that place has its result already, or is negative.
        """
        if place < self._next or place in self._waiting:
            raise ValueError(f"place {place} of the schedule is negative or has its result already")
        self._waiting[place] = value
        released: list[Value] = []
        while self._next in self._waiting:
            head = self._waiting.pop(self._next)
            self._next += 1
            if head is not None:
                released.append(head)
        return tuple(released)
