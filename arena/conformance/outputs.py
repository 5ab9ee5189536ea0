"""What came of a suite as JUnit XML, for continuous integration, and as an object for JSON.

Everything in a report is printable already; here it is only made fit for XML, which allows fewer characters
than Python's strings hold.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from arena.conformance.case import Level, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.conformance.case import CaseResult, Problem, Report

_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write, and the controls it advises against."""


def problem_text(problem: Problem, *, most_lines: int | None = None) -> str:
    """Return everything about a failure as text of several lines.

    Args:
        problem: the failure.
        most_lines: how much of the exchange is shown, its end; None for all of it.
    """
    parts = [problem.reason]
    if problem.advice:
        parts.append(problem.advice)
    if problem.diagram:
        parts.append("board:\n" + _indented(problem.diagram))
    if problem.exchange:
        exchange = problem.exchange if most_lines is None else _runs_counted(problem.exchange)
        shown = exchange if most_lines is None else exchange[-most_lines:]
        is_cut = len(shown) < len(exchange)
        head = f"the end of the {_EXCHANGE[4:]}" if is_cut else _EXCHANGE
        parts.append(f"{head}\n{_indented(shown)}")
    if problem.stderr:
        parts.append("standard error, its end:\n" + _indented(problem.stderr.splitlines()))
    return "\n".join(parts)


_EXCHANGE = "the exchange (> sent, < received):"


def _runs_counted(lines: Sequence[str]) -> list[str]:
    """Return lines with runs of equal ones told once: replies to many joined commands are mostly `=`."""
    counted: list[str] = []
    for line, run in groupby(lines):
        times = sum(1 for _ in run)
        counted.append(line if times == 1 else f"{line}   ({times} times)")
    return counted


def junit(reports: Sequence[Report], *, strict: bool = False) -> bytes:
    """Return reports as a JUnit file: a suite for each game, a test case for each case.

    Args:
        reports: one for each game.
        strict: whether a SHOULD that does not hold is a failure; else it is a passed test with a word on it.
    """
    root = ElementTree.Element("testsuites", name="arena check")
    for report in reports:
        failing = [result for result in report.results if _is_failure(result, strict)]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_xml(f"{report.engine}: {report.game}"),
            tests=str(len(report.results)),
            failures=str(len(failing)),
            errors="0",
            skipped=str(report.count(Status.SKIPPED)),
            time=f"{report.seconds:.3f}",
        )
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in {"program": report.program, "sandbox": report.sandbox, **report.measured}.items():
            ElementTree.SubElement(properties, "property", name=_xml(name), value=_xml(value))
        for result in report.results:
            _add(suite, report, result, is_failure=result in failing)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add(suite: ElementTree.Element, report: Report, result: CaseResult, *, is_failure: bool) -> None:
    stage, _, name = result.id.partition(".")
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_xml(f"{report.game.partition(' ')[0]}.{stage}"),
        name=_xml(f"{name}: {result.title}"),
        time=f"{result.seconds:.3f}",
    )
    if result.status is Status.SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_xml(result.words))
    elif is_failure and result.problem is not None:
        failure = ElementTree.SubElement(
            case, "failure", type=str(result.level), message=_xml(result.problem.reason)
        )
        failure.text = _xml(problem_text(result.problem))
    elif result.problem is not None:
        ElementTree.SubElement(case, "system-out").text = _xml(f"warning: {problem_text(result.problem)}")
    elif result.words:
        ElementTree.SubElement(case, "system-out").text = _xml(result.words)


def _is_failure(result: CaseResult, strict: bool) -> bool:
    return result.status is Status.FAILED or (strict and result.status is Status.WARNED)


def as_object(report: Report, *, strict: bool = False) -> dict[str, Any]:
    """Return a report as plain data for JSON."""
    return {
        "game": report.game,
        "engine": report.engine,
        "program": report.program,
        "sandbox": report.sandbox,
        "passed": report.is_good(strict=strict),
        "counts": {status.lower(): report.count(status) for status in Status},
        "measured": dict(report.measured),
        "seconds": round(report.seconds, 3),
        "cases": [_case_object(result) for result in report.results],
    }


def _case_object(result: CaseResult) -> dict[str, Any]:
    plain = {
        "id": result.id,
        "level": str(Level(result.level)),
        "title": result.title,
        "status": str(result.status).lower(),
        "words": result.words,
        "seconds": round(result.seconds, 3),
    }
    problem = result.problem
    if problem is None:
        return plain
    return {
        **plain,
        "advice": problem.advice,
        "exchange": list(problem.exchange),
        "diagram": list(problem.diagram),
        "stderr": problem.stderr,
        "exit": problem.exit,
    }


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _xml(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
