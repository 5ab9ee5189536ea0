"""Commands of the engines that these tests try, and the suite run on them."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from arena.conformance.subjects import Circumstances, subject_of
from arena.conformance.suite import run_suite

if TYPE_CHECKING:
    from arena.conformance.bench import Subject
    from arena.conformance.case import CaseResult, Report

HERE = Path(__file__).parent
SIZES = {"pletore": 5, "pente": 9, "topolo": 4, "plakoto": None}

STAGES = ("start-up", "commands", "settings", "moves", "seed", "games", "end")
"""All but the clock, whose cases a busy machine may decide."""

needs_sandbox = pytest.mark.skipif(
    os.environ.get("ARENA_NO_SANDBOX") == "1", reason="ARENA_NO_SANDBOX=1 skips what needs a sandbox"
)


def flawed(flaw: str) -> str:
    """Return the command of an engine with one flaw."""
    return f"{sys.executable} {HERE / 'flawed_engine.py'} {flaw}"


def subject(engine: str, game: str, *, size: int | None = None, patience_s: float = 2.0) -> Subject:
    """Return what is tested, outside a sandbox, with limits short enough for tests of silence."""
    made = subject_of(engine, game, Circumstances(size=size, time="5+0.1", sandbox="off", positions=4))
    entry = replace(made.entry, startup_s=min(made.entry.startup_s, 3 * patience_s), setup_s=patience_s)
    return replace(made, entry=entry, patience_s=patience_s)


def run(tested: Subject, *only: str) -> Report:
    """Run the suite, or a part of it."""
    return trio.run(lambda: run_suite(tested, only=only))


def results(report: Report) -> dict[str, CaseResult]:
    """Return what came of each case."""
    return {result.id: result for result in report.results}
