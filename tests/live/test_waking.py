"""What the loop does after an answer has come is no time of the engine's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import trio
import trio.testing

from arena.live.channel import Channel, Patience, Wakes

if TYPE_CHECKING:
    from collections.abc import Iterator

MS = 1_000_000


class Clock:
    """A clock that goes on only where a test says so."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        """Return the time."""
        return self.ns


async def charged_ns(*pieces: bytes, are_noted: bool) -> int:
    """Return what is charged when each piece comes after 5 ms, and the loop then is busy for 40."""
    commands, commands_in = os.pipe()
    replies_out, replies = os.pipe()
    os.set_blocking(commands_in, False)
    os.set_blocking(replies_out, False)
    clock = Clock()
    patience = Patience(may_poll=False, now_ns=clock)
    if are_noted:
        patience.wakes = Wakes(clock)
    channel = Channel(replies_out, commands_in, patience=patience)

    async def answer() -> None:
        for piece in pieces:
            await trio.testing.wait_all_tasks_blocked()
            clock.ns += 5 * MS
            if patience.wakes is not None:
                patience.wakes.after_io_wait(0)
            os.write(replies, piece)
            clock.ns += 40 * MS

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer)
            answers = await channel.exchange(["name"], 1000 * MS)
    assert answers is not None
    for descriptor in (commands, commands_in, replies_out, replies):
        os.close(descriptor)
    return channel.spent_ns


async def test_it_is_charged_until_the_loop_was_woken() -> None:
    assert await charged_ns(b"= it\n\n", are_noted=True) == 5 * MS
    assert await charged_ns(b"= it\n\n", are_noted=False) == 45 * MS


async def test_of_an_answer_in_pieces_the_last_one_counts() -> None:
    assert await charged_ns(b"= i", b"t\n", b"\n", are_noted=True) == (5 + 45 + 45) * MS


async def test_the_loop_itself_tells_when_it_was_woken() -> None:
    ticks: Iterator[int] = iter(range(1, 1000))
    wakes = Wakes(lambda: next(ticks))
    trio.lowlevel.add_instrument(wakes)
    before = wakes.at_ns
    await trio.sleep(0.001)
    trio.lowlevel.remove_instrument(wakes)
    assert wakes.at_ns > before
