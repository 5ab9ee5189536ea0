"""Why did no reply come? An engine that thinks, one that forgot to flush, one that waits: all look the same.

Three observations tell them apart: what came without being a whole reply, whether the processes compute, and
what comes out once the input is closed. A program flushes its output when it exits, and it exits when its
input ends, so a reply that comes right then lay ready in its buffer all the time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import trio

from arena.conformance.usage import is_running, tree_cpu_s
from arena.live.faults import escaped
from arena.live.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.live.session import EngineSession

_LOOKS = 25
_LOOK_S = 0.02
"""How often, and at what distance, it is looked whether the processes compute."""

_BUSY_SHARE = 0.3
"""Share of these looks from which on an engine counts as thinking. A process that computes is seen running in
nearly all of them, also on a machine where it has to wait for a processor; one that waits in none."""

_FLUSH_S = 1.0
"""Time after the end of its input within which a program that leaves has flushed its output."""


class Cause(Enum):
    """Why no whole reply came."""

    UNFINISHED = "unfinished"
    UNFLUSHED = "unflushed"
    LATE = "late"
    THINKING = "thinking"
    WAITING = "waiting"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Silence:
    """Why no reply came in time.

    Attributes:
        cause: see `Cause`.
        words: half a sentence that goes on from "no reply to `genmove black` within 10 s: ".
        advice: what to change.
    """

    cause: Cause
    words: str
    advice: str


async def diagnose(session: EngineSession) -> Silence:
    """Find out why an engine is silent. Its input is closed on the way: only `close` may follow."""
    said = _unfinished(session.channel.exchange_log)
    if said.strip():
        return Silence(
            Cause.UNFINISHED,
            f"`{escaped(said.strip(), 80)}` came, but no empty line after it",
            "A reply ends with an empty line: print two line ends after it, and flush.",
        )
    process = session.process
    if process.has_exited or not isinstance(process, EngineProcess):
        return Silence(Cause.GONE, f"the process is gone ({process.exit_words() or 'nobody knows why'})", "")
    early, running_share = await _watched(process)
    if early:
        return Silence(
            Cause.LATE,
            f"it came only after the limit: `{escaped(early.strip(), 80)}`",
            "Answer sooner; the limits are named in docs/protocol.md.",
        )
    if running_share > _BUSY_SHARE:
        return Silence(
            Cause.THINKING,
            f"it was still computing, {tree_cpu_s(process.pid):.1f} s of processor time so far",
            "It thinks too long or is caught in a loop: look at how it uses its clock.",
        )
    process.close_input()
    late = await _output(process, _FLUSH_S)
    if late.lstrip()[:1] in (b"=", b"?"):
        return Silence(
            Cause.UNFLUSHED,
            f"it was not computing, and `{escaped(late.strip(), 80)}` came out only when its input was"
            " closed: the reply lay in its output buffer",
            "Flush standard output after every reply: print(…, flush=True) in Python, fflush(stdout) in C,"
            " std::endl in C++, System.out.flush() in Java. If you do, look whether it reads ahead instead of"
            " line by line.",
        )
    return Silence(
        Cause.WAITING,
        "it was neither computing nor was there anything in its output buffer",
        "It waits for something that does not come: does it read standard input line by line, and answer"
        " commands it does not know with `? unknown command`?",
    )


def _unfinished(log: Iterable[tuple[bool, bytes]]) -> bytes:
    """Return what came after the last whole reply."""
    received = b"".join(data for was_sent, data in list(log)[-50:] if not was_sent)
    return received.replace(b"\r", b"").rpartition(b"\n\n")[2]


async def _watched(process: EngineProcess) -> tuple[bytes, float]:
    """Return what the engine says in the next while, and in what share of the looks it computed."""
    running = 0
    for _ in range(_LOOKS):
        said = await _output(process, _LOOK_S)
        if said:
            return said, 0.0
        running += is_running(process.pid)
    return b"", running / _LOOKS


async def _output(process: EngineProcess, limit_s: float) -> bytes:
    """Read for a time; sooner back when the stream ends or something has come."""
    with trio.move_on_after(limit_s):
        while True:
            try:
                return os.read(process.read_fd, 4096)
            except BlockingIOError:
                await trio.lowlevel.wait_readable(process.read_fd)
    return b""
