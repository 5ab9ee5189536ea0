"""A worker process: one trio referee on one core, told what to play by the runner that started it.

It ends when the runner's end of the socket closes, however that came about, and takes all its engines with
it. Started as `python -m arena.live.worker DESCRIPTOR`.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import socket
import sys
import traceback
from collections import deque
from typing import TYPE_CHECKING

import trio

from arena.live.capacity import allow_descriptors
from arena.live.channel import Patience, Wakes
from arena.live.faults import ArenaFault
from arena.live.messages import (
    Examine,
    Examined,
    Failed,
    Finished,
    GiveBack,
    GivenBack,
    Goodbye,
    Hello,
    Message,
    MessageStream,
    Play,
    Started,
    UseEvent,
)
from arena.live.nearness import Nearness
from arena.live.player import GamePlayer
from arena.live.pool import EnginePool
from arena.live.preflight import examine
from arena.live.process import become_subreaper
from arena.live.showing import show
from arena.live.slots import FREE_SLOT, busy_cores
from arena.live.wakefulness import cores_kept_awake
from arena.live.watch import Watch
from arena.store.record_codec import pack
from arena.store.watching import Announcer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arena.core.event import Event
    from arena.core.task import GameTask
    from arena.live.slots import Slot


_SAY_PAUSE_S = 0.02
"""Time from one piece of news to the next: each wakes the runner."""


class Worker:
    """The worker's end of the conversation."""

    def __init__(self, stream: MessageStream) -> None:
        self._stream = stream
        self._patience = Patience()
        self._watch = Watch(self._patience.now_ns)
        self._outgoing, self._to_send = trio.open_memory_channel[Message](math.inf)
        self._waiting: deque[GameTask] = deque()
        self._playing = 0

    async def serve(self) -> None:
        """Do what the runner says until its end closes; leave no engine behind."""
        incoming = self._stream.messages()
        hello = await anext(incoming, None)
        if not isinstance(hello, Hello):
            return
        if hello.games_at_a_time == 1 and hello.slots and hello.slots[0].cores:
            self._patience.nearness = Nearness(hello.slots[0].cores)
        self._patience.wakes = Wakes(self._patience.now_ns)
        trio.lowlevel.add_instrument(self._patience.wakes)
        with cores_kept_awake(busy_cores(hello.event)):
            await self._serve(incoming, hello)

    async def _serve(self, incoming: AsyncIterator[Message], hello: Hello) -> None:
        async with trio.open_nursery() as nursery:
            pool = EnginePool(hello.event.engines, nursery, self._patience, hello.games_at_a_time)
            player = GamePlayer(
                pool,
                self._patience,
                on_started=lambda game_id: self._say(Started(game_id)),
                slots=hello.slots,
                watch=self._watch,
                logs=hello.logs,
            )
            nursery.start_soon(self._send_all)
            if hello.database is not None:
                nursery.start_soon(show, player.running, Announcer(hello.database))
            nursery.start_soon(self._watch.run)
            try:
                if await self._obey(incoming, hello, pool, player):
                    await pool.close(politely=True)
            finally:
                pool.kill_all()
                nursery.cancel_scope.cancel()

    async def _obey(
        self, incoming: AsyncIterator[Message], hello: Hello, pool: EnginePool, player: GamePlayer
    ) -> bool:
        """Take messages until the runner says goodbye (True), or is gone and the games are given up."""
        first_slot = hello.slots[0] if hello.slots else FREE_SLOT
        async with trio.open_nursery() as games:
            async for message in incoming:
                match message:
                    case Examine(absent):
                        games.start_soon(self._examine, hello.event, pool, absent, first_slot)
                    case UseEvent(examined):
                        pool.use_entries(examined.engines)
                    case Play(task):
                        self._waiting.append(task)
                        if self._playing < hello.games_at_a_time:
                            self._playing += 1
                            games.start_soon(self._play_waiting, player)
                    case GiveBack():
                        self._say(GivenBack(tuple(task.scheduled.id for task in self._waiting)))
                        self._waiting.clear()
                    case Goodbye():
                        return True
                    case _:
                        raise RuntimeError(f"unexpected message {type(message).__name__}")
            # The runner is gone or wants no more. The games first, so that none takes the end of its engines
            # for a fault; the engines in the same breath, whatever the games still have to do.
            games.cancel_scope.cancel()
            pool.kill_all()
        return False

    async def _examine(self, event: Event, pool: EnginePool, absent: frozenset[int], slot: Slot) -> None:
        self._say(Examined(await examine(event, pool, absent=absent, slot=slot)))

    async def _play_waiting(self, player: GamePlayer) -> None:
        """Play one game after the other until none is waiting."""
        try:
            while self._waiting:
                await self._play(player, self._waiting.popleft())
        finally:
            self._playing -= 1

    async def _play(self, player: GamePlayer, task: GameTask) -> None:
        try:
            record = await player.play(task)
            # Here, where every core has a worker, and not where all results meet.
            record.keep_packed(pack(record))
            self._say(Finished(record))
        except Exception as error:
            self._say(Failed(task.scheduled.id, _in_words(error), traceback.format_exc()))

    def _say(self, message: Message) -> None:
        self._outgoing.send_nowait(message)

    async def _send_all(self) -> None:
        async for message in self._to_send:
            next_at = trio.current_time() + _SAY_PAUSE_S
            messages = [message]
            while self._to_send.statistics().current_buffer_used:
                messages.append(self._to_send.receive_nowait())
            try:
                await self._stream.send(*messages)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                # The runner is gone; the reading side meets the end of the stream and ends everything.
                return
            await trio.sleep_until(next_at)


def _in_words(error: BaseException) -> str:
    """Return an error in one line; of a group that holds only one, that one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return str(error) if isinstance(error, ArenaFault) else f"{type(error).__name__}: {error}"


def main() -> None:
    """Serve the runner at the other end of the inherited socket."""
    # The runner decides when to stop, also when whoever stops the service signals every process of it. A
    # handler that does nothing, unlike an ignored signal, is not handed on to the engines.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: None)
    become_subreaper()
    allow_descriptors()
    # A full collection over all that was imported takes milliseconds, in which every clock runs on.
    gc.collect()
    gc.freeze()
    connection = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(connection.fileno(), False)

    async def run() -> None:
        await Worker(MessageStream(trio.SocketStream(trio.socket.from_stdlib_socket(connection)))).serve()

    trio.run(run)


if __name__ == "__main__":
    main()
