"""`arena rules`: questions on the rules on standard input, an answer a line on standard output."""

from __future__ import annotations

import sys
from typing import BinaryIO

import click

from arena.rules.answers import answer, refused

LONGEST_LINE_BYTES = 1 << 20
"""A question of a thousand moves takes some 10 KB; more than this is no question and is not kept."""


@click.command
def command() -> None:
    """Answer questions on the rules: one JSON a line in, one JSON a line out.

    Every line gets its answer at once, also one that is no question: {"error": why, "at": null}.
    """
    while (line := _next_line(sys.stdin.buffer)) is not None:
        sys.stdout.write(f"{_answer(line)}\n")
        sys.stdout.flush()


def _next_line(stream: BinaryIO) -> bytes | None:
    """Return the next line without its end, None when there is none; of one too long only the beginning."""
    part = line = stream.readline(LONGEST_LINE_BYTES + 1)
    if not line:
        return None
    while len(part) > LONGEST_LINE_BYTES and not part.endswith(b"\n"):
        part = stream.readline(LONGEST_LINE_BYTES + 1)
    return line.removesuffix(b"\n")


def _answer(line: bytes) -> str:
    if len(line) > LONGEST_LINE_BYTES:
        return refused(f"the line is longer than {LONGEST_LINE_BYTES} bytes")
    try:
        return answer(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return refused(f"the line is no UTF-8: byte {error.start + 1}")
    except Exception as error:
        # The game of a plugin failed on this question; whoever asks goes on with the next one.
        return refused(f"the rules failed: {type(error).__name__}: {error}")
