"""What `arena check` and `arena submit` share: running the suite with its table printed as it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from arena.cli.errors import Failure
from arena.cli.printing import print_line
from arena.conformance.case import Status
from arena.conformance.outputs import problem_text
from arena.conformance.suite import NOT_TRIED, cases, run_suite
from arena.live.faults import ArenaFault
from arena.live.process import become_subreaper
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.conformance.bench import Subject
    from arena.conformance.case import CaseResult, Report

_WORDS_CELLS = 110
_EXCHANGE_LINES = 24


def checked(subject: Subject, *, only: Sequence[str] = (), quiet: bool = False) -> Report:
    """Run the suite; print its table and every failure in full, unless `quiet`.

    Raises:
        Failure: the engine cannot be started on this machine at all (its sandbox is missing, say).
    """
    table = _Table(max(len(case.id) for case in cases(subject)))
    become_subreaper()
    try:
        on_result = (lambda _: None) if quiet else table.show
        report = trio.run(lambda: run_suite(subject, only=only, on_result=on_result))
    except* ArenaFault as group:
        raise Failure(str(_first(group))) from group
    if not quiet:
        table.finish()
        _print_problems(report)
        _print_sum(report)
    return report


class _Table:
    """The table of a suite as it grows; cases that are not tried for one reason share a line."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._untried: list[str] = []
        self._reason = ""

    def show(self, result: CaseResult) -> None:
        """Print a result, or keep it for the line that tells of several."""
        if result.status is Status.SKIPPED and result.words.startswith(NOT_TRIED):
            if result.words != self._reason:
                self.finish()
            self._untried.append(result.id)
            self._reason = result.words
            return
        self.finish()
        head = f"{result.status:<8} {result.level:<6} {result.id:<{self._width}}"
        print_line(f"{head}  {printable(_cell(result), _WORDS_CELLS)}".rstrip())

    def finish(self) -> None:
        """Print the line that is still to come."""
        if self._untried:
            more = f" and {len(self._untried) - 1} more" if len(self._untried) > 1 else ""
            print_line(f"{Status.SKIPPED:<8} {'':<6} {self._untried[0]}{more}, {printable(self._reason)}")
        self._untried = []


def _cell(result: CaseResult) -> str:
    if result.status is not Status.PASSED:
        return result.words
    return f"{result.title}: {result.words}" if result.words else result.title


def _print_problems(report: Report) -> None:
    for result in report.results:
        if result.problem is None:
            continue
        print_line()
        print_line(f"{result.status} {result.id} ({result.level}: the engine {printable(result.title)})")
        for line in problem_text(result.problem, most_lines=_EXCHANGE_LINES).splitlines():
            print_line(f"  {printable(line)}")


def _print_sum(report: Report) -> None:
    counts = ", ".join(f"{report.count(status)} {_SUMS[status]}" for status in Status if report.count(status))
    measured = "; ".join(f"{name} {value}" for name, value in report.measured.items())
    print_line()
    print_line(f"{printable(report.engine)}, {report.game}: {counts}, in {report.seconds:.1f} s")
    if measured:
        print_line(f"{measured}; sandbox: {report.sandbox}")


_SUMS = {
    Status.PASSED: "passed",
    Status.FAILED: "failed (MUST)",
    Status.WARNED: "warnings (SHOULD)",
    Status.SKIPPED: "skipped",
}


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
