"""What every estimate looks like: a number, an interval, and words for what cannot be said."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval for an unknown number.

    Attributes:
        low, high: its ends; `-inf` and `inf` mean that the data set no limit on that side.
        level: how often such an interval holds the truth, in (0, 1).
        method: how it was made, in words for a table's caption.
    """

    low: float
    high: float
    level: float
    method: str

    @property
    def width(self) -> float:
        """High minus low; `inf` when a side is open."""
        return self.high - self.low

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def text(self, digits: int = 1) -> str:
        """Return `1.2 to 3.4`, with words in place of infinite ends."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "no limit on either side"
        if math.isinf(self.high):
            return f"at least {self.low:.{digits}f}"
        if math.isinf(self.low):
            return f"at most {self.high:.{digits}f}"
        return f"{self.low:.{digits}f} to {self.high:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure as it is printed.

    Attributes:
        value: the number; None when the data name none (`note` says why); may be infinite.
        interval: its interval, None when the data allow none (`note` says why).
        note: what cannot be said or must be known when reading it; empty when nothing.
    """

    value: float | None
    interval: Interval | None
    note: str = ""

    def text(self, digits: int = 1) -> str:
        """Return the figure for people: number, interval, note."""
        parts = []
        if self.value is not None:
            is_finite = math.isfinite(self.value)
            without = "no upper bound" if self.value > 0 else "no lower bound"
            parts.append(f"{self.value:.{digits}f}" if is_finite else without)
        if self.interval is not None:
            parts.append(f"({self.interval.text(digits)})")
        if self.note:
            parts.append(f"[{self.note}]" if parts else self.note)
        return " ".join(parts)
