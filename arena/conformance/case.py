"""One thing that is tried, what can come of it, and what its author is told.

MUST is what costs games: the referee would charge it to the engine, or refuse to enter it. SHOULD is what the
referee tolerates, to the engine's disadvantage or to its author's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from arena.conformance.bench import Bench


class Level(StrEnum):
    """How much a case weighs."""

    MUST = "MUST"
    SHOULD = "SHOULD"


class Status(StrEnum):
    """What came of a case."""

    PASSED = "passed"
    FAILED = "FAILED"
    WARNED = "warning"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, for the engine's author. All texts are printable; what the engine wrote is escaped.

    Attributes:
        reason: one sentence: what happened and what was expected.
        advice: what to look at in the engine, empty when the reason says it all.
        exchange: what was said in this game, `>` sent and `<` received, oldest first.
        diagram: the board at that moment, empty when none plays a part.
        stderr: the end of its standard error.
        exit: how the process ended, empty while it was alive.
    """

    reason: str
    advice: str = ""
    exchange: tuple[str, ...] = ()
    diagram: tuple[str, ...] = ()
    stderr: str = ""
    exit: str = ""


class CaseFailed(Exception):  # noqa: N818  the engine's failure, not an error of this program
    """The engine does not do what the case asks."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


class CaseSkipped(Exception):  # noqa: N818
    """The case does not concern this engine; the message says why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is tried.

    Attributes:
        id: stage and word, `moves.near-final`; stable: scripts select by it.
        level: MUST or SHOULD.
        title: what must hold, a sentence whose subject is the engine ("answers …").
        run: tries it; returns a note for people (may be empty), raises `CaseFailed` or `CaseSkipped`.
        needs: ids of cases that must have passed for this one to make sense.
    """

    id: str
    level: Level
    title: str
    run: Callable[[Bench], Awaitable[str]]
    needs: tuple[str, ...] = ()

    @property
    def stage(self) -> str:
        """The part of the suite that the case belongs to."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case.

    Attributes:
        id, level, title: of the case.
        status: what came of it.
        words: a note when it passed, why it was skipped, or the reason of the failure.
        problem: everything about a failure, else None.
        seconds: how long it took.
    """

    id: str
    level: Level
    title: str
    status: Status
    words: str
    problem: Problem | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a whole suite.

    Attributes:
        game: what was played, `pletore 9x9, komi 0`.
        engine: the entry's name.
        program: what the engine calls itself.
        sandbox: level of containment it ran in; empty when it never started.
        results: in the suite's order.
        measured: figures for people by name (`start-up`, `memory`, …).
        seconds: duration of everything.
    """

    game: str
    engine: str
    program: str
    sandbox: str
    results: tuple[CaseResult, ...]
    measured: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def count(self, status: Status) -> int:
        """Return how many cases ended so."""
        return sum(result.status is status for result in self.results)

    def is_good(self, *, strict: bool = False) -> bool:
        """Say whether no MUST failed; `strict`: no SHOULD either."""
        return not self.count(Status.FAILED) and not (strict and self.count(Status.WARNED))
