"""The whole suite for one engine in one game: which cases there are, and running them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import trio

from arena.conformance.bench import Bench
from arena.conformance.case import CaseFailed, CaseResult, CaseSkipped, Level, Report, Status
from arena.conformance.stages import clock, commands, ending, games, moves, seeds, settings, start_up
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.conformance.bench import Subject
    from arena.conformance.case import Case

STAGES = (start_up, commands, settings, moves, seeds, games, clock, ending)
"""In the order in which they are tried: each relies on what came before."""

NOT_TRIED = "not tried:"
"""How the words begin of a case that was skipped because of another one."""

_MOST_SILENCES = 4
"""Replies that did not come, after which cases that need a reply are not tried any more: each costs the whole
limit, and the author knows enough."""


def cases(subject: Subject) -> list[Case]:
    """Return what is tried, in order. It depends on game and settings, not on the engine."""
    return [case for stage in STAGES for case in stage.cases(subject)]


class Suite:
    """Runs cases one by one and remembers what came of them, for those that build on others.

    Attributes:
        bench: the engine.
        results: by id, in the order in which they came.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.results: dict[str, CaseResult] = {}

    async def run(self, case: Case) -> CaseResult:
        """Try one case; whatever the engine does, a result comes back."""
        started = time.perf_counter()
        if case.id == ending.FIRST_SUMMARY:
            await self.bench.retire()
        problem = None
        why_not = self._why_not(case)
        if why_not:
            status, words = Status.SKIPPED, why_not
        else:
            try:
                status, words = Status.PASSED, await case.run(self.bench)
            except CaseSkipped as skipped:
                status, words = Status.SKIPPED, str(skipped)
            except CaseFailed as failed:
                status = Status.FAILED if case.level is Level.MUST else Status.WARNED
                problem = failed.problem
                words = problem.reason
        seconds = time.perf_counter() - started
        result = CaseResult(case.id, case.level, case.title, status, words, problem, seconds)
        self.results[case.id] = result
        return result

    def report(self) -> Report:
        """Return what came of everything so far."""
        subject, bench = self.bench.subject, self.bench
        rules = subject.rules()
        size = f" {subject.size}x{subject.size}" if subject.size is not None else ""
        komi = f", komi {subject.komi}" if subject.komi is not None else ""
        measured = {}
        if bench.start_s:
            measured["start-up"] = f"{sorted(bench.start_s)[len(bench.start_s) // 2]:.2f} s (median)"
            measured["processes"] = str(len(bench.start_s))
            thinking = bench.thinking
            measured["thinking"] = f"{thinking.seconds:.1f} s on {counted(thinking.moves, 'move')}"
            measured["processor time"] = f"{bench.cpu_s:.1f} s"
            measured["memory"] = f"{bench.peak_mb:.0f} MB at most"
        return Report(
            game=f"{rules.game}{size}{komi}",
            engine=subject.entry.name,
            program=bench.programs[0] if bench.programs else "",
            sandbox=bench.sandbox,
            results=tuple(self.results.values()),
            measured=measured,
            seconds=sum(result.seconds for result in self.results.values()),
        )

    def _why_not(self, case: Case) -> str:
        for need in case.needs:
            result = self.results.get(need)
            if (
                result is not None
                and result.status in (Status.FAILED, Status.SKIPPED)
                and (result.status is Status.FAILED or result.words.startswith(NOT_TRIED))
            ):
                return f"{NOT_TRIED} {need} failed" if result.status is Status.FAILED else result.words
        if case.needs and len(self.bench.silences) >= _MOST_SILENCES:
            return f"{NOT_TRIED} it left {len(self.bench.silences)} commands without a reply already"
        return ""


async def run_suite(
    subject: Subject,
    *,
    only: Sequence[str] = (),
    on_result: Callable[[CaseResult], None] = lambda _: None,
) -> Report:
    """Try everything; leave no process behind.

    Args:
        subject: what is tested.
        only: ids of cases or stages; empty for all. What they need is tried as well.
        on_result: told each result as it comes.

    Raises:
        ArenaFault: this machine cannot start the engine at all (no sandbox, no processes left).
    """
    wanted = _with_needs(cases(subject), only)
    async with trio.open_nursery() as nursery:
        bench = Bench(subject, nursery)
        suite = Suite(bench)
        try:
            for case in wanted:
                on_result(await suite.run(case))
        finally:
            await bench.close()
            nursery.cancel_scope.cancel()
    return suite.report()


def _with_needs(all_cases: list[Case], only: Sequence[str]) -> list[Case]:
    if not only:
        return all_cases
    by_id = {case.id: case for case in all_cases}
    wanted = [case.id for case in all_cases if case.id in only or case.stage in only]
    for name in wanted:
        wanted += [need for need in by_id[name].needs if need in by_id and need not in wanted]
    return [case for case in all_cases if case.id in wanted]
