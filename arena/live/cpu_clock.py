"""A turn under a clock that counts processor time: what the engine's processes computed, not what passed.

For machines on which others are at work too. Processor time has the kernel's resolution (nanoseconds; 10 ms
for processes that ended within the turn). Threads and children add up, so an engine with two busy threads
uses two seconds a second. Waiting costs nothing, so there is a limit on the wall beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from arena.live.channel import OtherSideGone
from arena.live.faults import EngineFault

if TYPE_CHECKING:
    from arena.live.partner import Partner
    from protocol.answers import MoveReply

WALL_FACTOR = 10
WALL_EXTRA_S = 10.0
"""The limit on the wall: ten times the processor time that is left, and ten seconds."""

_LOOK_S = 0.01
"""Shortest time between two looks at what was used: by so much an overstep may go unnoticed, unpunished it
does not."""

_BUSY_CORES = 8
"""An engine is looked at again before so many cores could have used what it has left."""


async def turn_by_cpu(session: Partner, commands: list[str], limit_us: int) -> tuple[MoveReply | None, int]:
    """Take a turn; give up when the engine has used its processor time, or the limit on the wall is over.

    Args:
        session: the side to move.
        commands: as for `EngineSession.turn`.
        limit_us: processor time to the flag, margin included.

    Returns:
        The answer, None when the time was over first; and the processor time used, microseconds. When it was
        the wall's limit that passed, that is more than `limit_us` all the same.

    Raises:
        EngineFault, OtherSideGone: as `EngineSession.turn`.
    """
    process = session.process
    started_ns = process.cpu_ns()

    async def watch() -> None:
        while (left_us := limit_us - (process.cpu_ns() - started_ns) // 1000) >= 0:
            await trio.sleep(max(_LOOK_S, left_us / 1e6 / _BUSY_CORES))
        session.channel.expire()

    reply: MoveReply | None = None
    error: EngineFault | OtherSideGone | None = None
    wall_ns = limit_us * 1000 * WALL_FACTOR + round(WALL_EXTRA_S * 1e9)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        try:
            reply = await session.turn(commands, wall_ns)
        except (EngineFault, OtherSideGone) as met:
            error = met
        nursery.cancel_scope.cancel()
    if error is not None:
        raise error
    used_us = (process.cpu_ns() - started_ns) // 1000
    return reply, used_us if reply is not None else max(used_us, limit_us + 1)
