"""JUnit and JSON say what the report says, whatever characters an engine made it hold."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from arena.conformance.case import CaseResult, Level, Problem, Report, Status
from arena.conformance.outputs import as_object, junit, problem_text


def report(words: str, status: Status = Status.FAILED, level: Level = Level.MUST) -> Report:
    problem = Problem(words, words, (f"> {words}", f"< {words}"), (words,), words, words)
    is_failure = status in (Status.FAILED, Status.WARNED)
    results = (
        CaseResult("moves.random", level, words, status, words, problem if is_failure else None, 0.5),
        CaseResult("moves.forced", Level.MUST, "t", Status.PASSED, "", None, 0.1),
        CaseResult("moves.few", Level.MUST, "t", Status.SKIPPED, "why", None, 0.0),
    )
    return Report(f"pletore {words}", words, words, words, results, {words: words}, 0.6)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=30))
def test_any_text_gives_xml_and_json_that_can_be_read(words: str) -> None:
    root = ElementTree.fromstring(junit([report(words)]))  # noqa: S314  our own
    assert len(root.findall(".//testcase")) == 3
    assert json.loads(json.dumps(as_object(report(words))))["counts"] == {
        "passed": 1,
        "failed": 1,
        "warning": 0,
        "skipped": 1,
    }


def test_a_failure_stands_in_the_file_with_board_and_exchange() -> None:
    root = ElementTree.fromstring(junit([report("<script> & ]]>")]))  # noqa: S314
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("type") == "MUST"
    assert failure.get("message") == "<script> & ]]>"
    assert failure.text is not None
    assert "board:\n    <script> & ]]>" in failure.text
    assert "    > <script> & ]]>" in failure.text


def test_what_only_should_hold_fails_the_file_when_strict() -> None:
    warned = report("late", Status.WARNED, Level.SHOULD)
    tolerant = ElementTree.fromstring(junit([warned]))  # noqa: S314
    strict = ElementTree.fromstring(junit([warned], strict=True))  # noqa: S314
    assert tolerant[0].get("failures") == "0"
    assert "warning: late" in (tolerant.findtext(".//system-out") or "")
    assert strict[0].get("failures") == "1"
    assert as_object(warned)["passed"] is True
    assert as_object(warned, strict=True)["passed"] is False


def test_replies_that_repeat_are_told_once_where_space_is_short() -> None:
    problem = Problem("r", exchange=("> a", "> b", "< =", "< =", "< ="))
    assert problem_text(problem).count("< =") == 3
    assert "< =   (3 times)" in problem_text(problem, most_lines=2)
    assert "the end of the exchange" in problem_text(problem, most_lines=2)
