"""Each misbehaving program against a good one, as real processes: its verdict, and what is left of it.

Nothing here depends on how fast the machine is: a test waits for replies and exits, and the only deadline
that may pass is that of an engine which never answers at all.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trio

from arena.live import process as live_process
from arena.live.channel import Patience
from arena.live.player import GamePlayer
from arena.live.pool import EnginePool
from tests.engines.hostile import BEHAVIOURS, LIMITED
from tests.live.hostile_engines import children, descriptors, entry, marked
from tests.live.scripted import task_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.core.event import Engine
    from arena.core.record import GameRecord
    from arena.core.task import GameTask

FINE = "no fault"
"""Tolerated: the game ends on the board, or by a resignation when there are no free points left."""

VERDICTS = {
    "good": FINE,
    "never_answers": "time",
    "late": "time",
    "late_play": "time",
    "half_a_line": "time",
    "no_blank_line": "time",
    "byte_by_byte": "time",
    "never_reads": "time",
    "stops_itself": "time",
    "outside": "malformed-reply",
    "unsolicited": "malformed-reply",
    "wrong_id": "malformed-reply",
    "not_utf8": "malformed-reply",
    "colours": "malformed-reply",
    "nonsense": "malformed-reply",
    "resigns_out_of_turn": "malformed-reply",
    "answers_beforehand": "malformed-reply",
    "illegal": "illegal-move",
    "error": "error-reply",
    "refuses_play": "error-reply",
    "refuses_size": "error-reply",
    "refuses_clock": FINE,
    "long_line": "flood",
    "floods_stdout": "flood",
    "floods_stderr": FINE,
    "two_blank_lines": FINE,
    "crlf": FINE,
    "nul": FINE,
    "banner": FINE,
    "sleeps_at_start": FINE,
    "crash": "crash",
    "crash_at_start": "start-up",
    "crash_as_white": "crash",
    "segfault": "crash",
    "half_a_reply": "crash",
    "move_and_exit": "crash",
    "closes_stdout": "crash",
    "closes_stdin": "crash",
    "daemon_holds_the_pipe": "crash",
    "daemons": FINE,
    "ignores_the_end": FINE,
    "zombie": FINE,
    "burns_cpu": FINE,
    "names": FINE,
}

EXITS = {
    "crash": "exit code 3",
    "crash_at_start": "exit code 5",
    "crash_as_white": "exit code 1",
    "segfault": "signal SIGSEGV",
    "half_a_reply": "exit code 0",
    "move_and_exit": "exit code 0",
    "daemon_holds_the_pipe": "exit code 4",
}

LIMIT_S = 60

PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture
def subreaper() -> Iterator[None]:
    """Let this process inherit orphans, as a worker does."""
    assert live_process.become_subreaper()
    yield
    leave_subreaper()


def leave_subreaper() -> None:
    """Inherit orphans no longer."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    live_process._is_subreaper = False


def test_every_behaviour_has_a_verdict() -> None:
    assert {*VERDICTS, *LIMITED, "thinks", "never_starts"} == set(BEHAVIOURS)


async def play_all(entries: Sequence[Engine], *tasks: GameTask) -> list[GameRecord]:
    """Play tasks one after the other with one pool; leave no process behind, whatever happens."""
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            patience = Patience()
            pool = EnginePool(entries, nursery, patience, 1)
            player = GamePlayer(pool, patience)
            try:
                records = [await player.play(task) for task in tasks]
                await pool.close(politely=True)
            finally:
                pool.kill_all()
                nursery.cancel_scope.cancel()
    return records


@pytest.mark.parametrize("behaviour", VERDICTS)
async def test_a_hostile_engine_gets_its_verdict_and_harms_nobody(behaviour: str, subreaper: None) -> None:
    mark = uuid.uuid4().hex
    expected = VERDICTS[behaviour]
    # A good engine must never lose on time here, a silent one soon.
    task = task_of(time="60", white_time="0.4/move" if expected == "time" else "60")
    good, bad, other = (
        entry("good", mark, "good"),
        entry(behaviour, mark, "bad"),
        entry("good", mark, "other"),
    )
    before = descriptors()
    record, next_record = await play_all(
        (good, bad, other), task, replace(task, scheduled=replace(task.scheduled, white=2))
    )
    assert marked(mark) == []
    assert children() == []
    assert descriptors() == before
    verdict = record.verdict
    assert record.white.reported_name.isprintable()
    assert next_record.verdict.at_fault is None
    if expected == FINE:
        assert verdict.at_fault is None
        assert verdict.outcome is not None or verdict.reason == "resign"
        assert not record.evidence
        return
    assert (verdict.result, verdict.reason) == ("B+T" if expected == "time" else "B+F", expected)
    assert verdict.at_fault == 1
    evidence = record.evidence[1]
    assert evidence.message
    assert behaviour not in EXITS or evidence.exit == EXITS[behaviour]
    texts = (evidence.message, evidence.offending, *evidence.exchange, *evidence.stderr.split("\n"))
    assert all(text.isprintable() for text in texts)
    if behaviour == "crash":
        assert evidence.stderr == "Traceback: \\x1b[2Jgone"
    if behaviour == "move_and_exit":
        assert len(record.moves) >= 2


async def test_the_opponent_of_a_crash_plays_on_in_the_same_process(subreaper: None) -> None:
    mark = uuid.uuid4().hex
    task = task_of(time="60")
    entries = (entry("names", mark), entry("crash", mark))
    records = await play_all(entries, task, task)
    assert [record.verdict.reason for record in records] == ["crash", "crash"]
    # It puts its process id in its name.
    assert records[0].black.reported_name == records[1].black.reported_name


async def test_an_engine_whose_start_takes_too_long_is_not_waited_for(subreaper: None) -> None:
    mark = uuid.uuid4().hex
    entries = (entry("good", mark), entry("never_starts", mark, startup_s=0.2))
    (record,) = await play_all(entries, task_of())
    assert (record.verdict.result, record.verdict.reason) == ("B+F", "start-up")
    assert marked(mark) == []


async def test_a_program_that_is_not_there_is_named_with_the_systems_words(subreaper: None) -> None:
    good = entry("good", "unused")
    gone = replace(good, command=("/nonexistent/engine", "x"))
    nowhere = replace(good, cwd="/nonexistent")
    (record,) = await play_all((gone, nowhere), task_of())
    assert record.verdict.reasons == ("both-failed", "start-up")
    words = [f"{each.message} {each.stderr}" for _, each in sorted(record.evidence.items())]
    assert all("No such file or directory" in each for each in words)
    assert "/nonexistent/engine" in words[0]
    assert "/nonexistent" in words[1]


async def test_no_descriptor_is_lost_over_many_starts(subreaper: None) -> None:
    mark = uuid.uuid4().hex
    task = task_of(time="60")
    before = descriptors()
    await play_all((entry("good", mark), entry("crash", mark)), *[task] * 10)
    assert descriptors() == before
    assert children() == []


WAITING = [sys.executable, "-I", "-S", "-c", "input()"]


async def test_what_was_no_engine_is_not_taken_for_an_orphan() -> None:
    with (
        subprocess.Popen(WAITING, stdin=subprocess.PIPE, start_new_session=True) as before,
        subprocess.Popen(WAITING, stdin=subprocess.PIPE) as helper,
    ):
        assert live_process.become_subreaper()
        with subprocess.Popen(WAITING, stdin=subprocess.PIPE) as later:
            try:
                await play_all((entry("good", "unused"), entry("good", "unused", "other")), task_of())
                assert live_process.sweep_orphans() == 0
                assert [each.poll() for each in (before, helper, later)] == [None] * 3
            finally:
                leave_subreaper()
