"""`--expect "score>=0.4"`: what a match must show of its first engine, for continuous integration."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.cli.errors import Failure
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.standings import Standing

_FORM = re.compile(r"\s*([a-z]+)\s*(>=|<=|>|<)\s*([0-9]+(?:\.[0-9]+)?)\s*(%?)\s*", re.ASCII)
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}

FIGURES = {
    "score": "points a game, 0 to 1",
    "low": "lower end of the 95 % interval of the score",
    "high": "upper end of the 95 % interval of the score",
    "faults": "games that it lost by a fault of its own",
}
"""What may be expected, in words."""

ALLOWED = (
    'FIGURE>=NUMBER (or <=, >, <), such as "score>=0.4", "low>=40%" or "faults<=0"; figures: '
    + "; ".join(f"{name} ({words})" for name, words in FIGURES.items())
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One demand on the first engine of a match.

    Attributes:
        figure: one of `FIGURES`.
        relation: `>=`, `<=`, `>` or `<`.
        bound: the number it is compared with; shares from 0 to 1.
    """

    figure: str
    relation: str
    bound: float

    def judge(self, standing: Standing) -> tuple[bool, str]:
        """Say whether it is met, and in words what was found.

        A figure that the games do not give (no games, one pair only and so no interval) meets nothing.
        """
        share = standing.share
        found = {
            "score": share.value,
            "low": share.low,
            "high": share.high,
            "faults": float(sum(standing.forfeits.values())),
        }[self.figure]
        is_met = found is not None and _OPERATORS[self.relation](found, self.bound)
        shown = (
            "cannot be said"
            if found is None
            else f"is {found:.3f}"
            if self.figure != "faults"
            else f"is {found:g}"
        )
        interval = (
            "no interval"
            if share.low is None or share.high is None
            else f"{share.low:.3f} to {share.high:.3f}"
        )
        context = (
            "" if self.figure == "faults" else f" (95 % interval {interval}, {counted(share.games, 'game')})"
        )
        verdict = "met" if is_met else "NOT met"
        return (
            is_met,
            f"expected {self.figure} {self.relation} {self.bound:g}: {verdict}, it {shown}{context}",
        )


def parse_expectation(text: str) -> Expectation:
    """Read what was typed after `--expect`.

    Raises:
        Failure: it is no expectation; the message says what is allowed.
    """
    found = _FORM.fullmatch(text)
    if found is None or found[1] not in FIGURES:
        raise Failure(f"--expect {text[:80]!r}: expected {ALLOWED}")
    bound = float(found[3]) / (100 if found[4] else 1)
    if found[1] != "faults" and bound > 1:
        raise Failure(f"--expect {text[:80]!r}: a share from 0 to 1 (or 0% to 100%)")
    if found[1] == "faults" and found[4]:
        raise Failure(f"--expect {text[:80]!r}: faults are a number of games")
    return Expectation(found[1], found[2], bound)
