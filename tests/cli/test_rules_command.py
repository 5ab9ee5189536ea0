"""`arena rules` as a process: a line in, a line out, whatever the line holds."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from arena.cli.rules import LONGEST_LINE_BYTES

COMMAND = [sys.executable, "-m", "arena", "rules"]
DEADLINE_S = 60


def answers_to(data: bytes) -> list[dict[str, object]]:
    run = subprocess.run(COMMAND, input=data, capture_output=True, timeout=DEADLINE_S, check=False)
    assert run.stderr == b""
    assert run.returncode == 0
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_each_question_is_answered_before_the_next_is_asked() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for words in ([], ["C3"], ["C3", "A1"]):
            question = json.dumps({"game": "pente", "params": {"size": 5}, "moves": words})
            process.stdin.write(question.encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["over"] is False
        process.stdin.close()
        assert process.wait(DEADLINE_S) == 0


def test_no_input_is_no_question() -> None:
    assert answers_to(b"") == []


def test_every_line_is_answered_malformed_ones_too() -> None:
    lines = [
        b"\xff\xfe",
        b"",
        b"[" * 200_000,
        b'{"game": "pletore", "params": {"komi": ' + b"9" * 10_000 + b"}}",
        b"x" * (3 * LONGEST_LINE_BYTES),
        b"\x00",
        b'{"game": "pletore", "params": {"size": 1}}\r',
        b'{"game": "pente"}',
    ]
    *wrong, with_carriage_return, without_line_end = answers_to(b"\n".join(lines))
    assert len(wrong) == 6
    for reply in wrong:
        assert reply.keys() == {"error", "at"}
        assert reply["at"] is None
    assert with_carriage_return["legal"] == ["A1"]
    assert without_line_end["legal"] == ["K10"]


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_line_too_long_takes_nothing_from_the_next(extra: int) -> None:
    filler = b'{"game": "pente"}'.ljust(LONGEST_LINE_BYTES + extra) + b"\n"
    first, second = answers_to(filler + b'{"game": "pente", "params": {"size": 5}}\n')
    assert ("error" in first) is (extra > 0)
    assert second["legal"] == ["C3"]
