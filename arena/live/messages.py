"""What the runner and its worker processes tell each other, and how it crosses the socket between them.

Both ends are the same installation and started each other, so the messages are pickled dataclasses, those
that go together behind their length. Engines never hold a descriptor of this socket.
"""

from __future__ import annotations

import pickle
import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import trio

from arena.core.clock import TimeControl
from arena.core.event import Adjudication, Opening, ScheduledGame
from arena.core.record import EngineIdentity, GameRecord
from arena.core.task import Conduct, GameTask
from arena.core.verdict import Verdict
from arena.live.pickling import FastPickling
from arena.rules import Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from arena.core.event import Event
    from arena.live.preflight import EngineFinding
    from arena.live.slots import Slot

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Hello:
    """Runner to worker, first: the event, and how many games at a time this worker may have.

    Attributes:
        event: the event, its engines as they are to be used.
        games_at_a_time: how many games are played at once; further ones wait their turn.
        database: the path by which those who watch are found, in a local run that of its database; None:
            nobody watches.
        slots: places for these games.
        logs: folder for exchanges, None when none are kept.
    """

    event: Event
    games_at_a_time: int
    database: Path | None = None
    slots: tuple[Slot, ...] = ()
    logs: Path | None = None


@dataclass(frozen=True, slots=True)
class Examine:
    """Runner to worker: do the pre-flight.

    Attributes:
        absent: engines that are out of the event and need not be examined.
    """

    absent: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Examined:
    """Worker to runner: what the pre-flight found."""

    findings: tuple[EngineFinding, ...]


@dataclass(frozen=True, slots=True)
class UseEvent:
    """Runner to worker: the event after pre-flight (engines without pipelining are marked)."""

    event: Event


@dataclass(frozen=True, slots=True)
class Play:
    """Runner to worker: play this."""

    task: GameTask


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Runner to worker: begin no more games; give back those that are waiting."""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Runner to worker, last: end the engines politely. A socket that closes without it means: at once."""


@dataclass(frozen=True, slots=True)
class Started:
    """Worker to runner: both engines are there, the game begins."""

    game_id: str


@dataclass(frozen=True, slots=True)
class GivenBack:
    """Worker to runner: these games were not begun."""

    game_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """Worker to runner: a game's record."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class Failed:
    """Worker to runner: the arena's own fault during a game.

    Attributes:
        game_id: which game.
        message: one line for people.
        details: the traceback, for the evidence.
    """

    game_id: str
    message: str
    details: str


Message = (
    Hello
    | Examine
    | Examined
    | UseEvent
    | Play
    | GiveBack
    | Goodbye
    | Started
    | GivenBack
    | Finished
    | Failed
)


_IN_EVERY_GAME = (
    *(Play, Started, Finished, GameTask, ScheduledGame, Opening, Conduct, Adjudication, TimeControl),
    *(GameRecord, EngineIdentity, Verdict, Outcome),
)
_PICKLING = FastPickling(_IN_EVERY_GAME)


def packed(*messages: Message) -> bytes:
    """Return messages as they go over the socket, all in one piece: what they share is said once."""
    payload = _PICKLING.dumps(messages)
    return _LENGTH.pack(len(payload)) + payload


class BlockingStream:
    """One end of the socket for a program without trio; any thread sends, one receives."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message.

        Raises:
            OSError: the other end is gone.
        """
        with self._sending:
            self._connection.sendall(packed(message))

    def messages(self) -> Iterator[Message]:
        """Yield messages until the other end closes."""
        with self._connection.makefile("rb") as file:
            while len(header := _read(file, _LENGTH.size)) == _LENGTH.size:
                payload = _read(file, length := _LENGTH.unpack(header)[0])
                if len(payload) < length:
                    return
                yield from pickle.loads(payload)  # noqa: S301  from our own child or parent, see the module

    def close(self) -> None:
        """Close this end; whoever receives meets the end of the stream."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def _read(file: IO[bytes], count: int) -> bytes:
    try:
        return file.read(count)
    except OSError:
        return b""


class MessageStream:
    """One end of the socket; one task sends, one receives."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def send(self, *messages: Message) -> None:
        """Send messages, all in one piece: each piece wakes the other end.

        Raises:
            trio.BrokenResourceError: the other end is gone.
        """
        await self._stream.send_all(packed(*messages))

    async def messages(self) -> AsyncIterator[Message]:
        """Yield messages until the other end closes."""
        while True:
            header = await self._exactly(_LENGTH.size)
            if header is None:
                return
            payload = await self._exactly(_LENGTH.unpack(header)[0])
            if payload is None:
                return
            for message in pickle.loads(payload):  # noqa: S301  from our own child or parent, see the module
                yield message

    async def close(self) -> None:
        """Close this end."""
        await self._stream.aclose()

    async def _exactly(self, count: int) -> bytes | None:
        while len(self._buffer) < count:
            try:
                chunk = await self._stream.receive_some(256 * 1024)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not chunk:
                return None
            self._buffer += chunk
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data
