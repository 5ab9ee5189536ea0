"""Those who play a runner's games, as the runner sees them: members with room for games, who may be lost.

`LocalCrew` is one worker process a core of this machine. Any other crew offers the same (`arena.cluster` has
one of the workers of a cluster), and the runner cannot tell them apart.
"""

from __future__ import annotations

import dataclasses
import os
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

import trio

from arena.live.child import start_module
from arena.live.messages import Examine, Examined, Goodbye, Hello, MessageStream, UseEvent
from arena.live.proc import StopLook
from arena.live.slots import slots_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.task import GameTask
    from arena.live.messages import Message
    from arena.live.preflight import EngineFinding
    from arena.live.slots import Slot

SHORT_GAME_S = 0.5
"""A worker whose games are shorter is given at least one more than it may play at once (`AT_HAND_S`), so that
it need not wait for the next; longer games are not given away before somebody can play them."""

AT_HAND_S = 0.08
"""Of very short games a worker has at hand what it plays in this time, so that results and tasks go to and
fro several at a time, which costs both ends less than each by itself."""

_SHORTEST_GAME_S = 0.005
"""A game whose beginning and end came in one piece seems to have taken no time: it is reckoned at this."""

LEAVE_S = 3.0
"""Time for a worker to end its engines politely and leave."""

ABORT_S = 1.2
"""Time for a worker to kill its engines when the run is aborted (all must be over within two seconds)."""

STOPPED_LOOK_S = 1.0
"""How often a worker is looked at. One that is stopped at two looks in a row will not go on by itself: an
engine outside a sandbox may stop the process that started it."""

_LOSSES_IN_A_ROW = 3
"""Worker processes lost in a row, without a game finished between, that stop the event."""


class WorkerLostError(Exception):
    """The worker at the other end is gone."""


class CrewError(Exception):
    """The crew cannot play this event; the message is a sentence for the user.

    Attributes:
        is_refusal: whether it is for the user to put right; otherwise the arena failed.
    """

    def __init__(self, message: str, *, is_refusal: bool) -> None:
        super().__init__(message)
        self.is_refusal = is_refusal


class Member(ABC):
    """One worker.

    Attributes:
        share: how many games it plays at once.
        running: games it has, by id; what it does not play yet, it keeps for the next moment.
        begun: when each game began that it plays.
        at_hand: how many games it should have beside those it plays, since its last one was short.
        is_ready: whether it takes games.
        spoils_games: whether a game it was playing is void when it is lost; otherwise that game is played as
            if it had never begun.
    """

    spoils_games = True
    short_game_s = SHORT_GAME_S

    def __init__(self, share: int) -> None:
        self.share = share
        self.running: dict[str, GameTask] = {}
        self.begun: dict[str, float] = {}
        self.at_hand = 0
        self.is_ready = False

    @property
    @abstractmethod
    def incoming(self) -> AsyncIterator[Message]:
        """What it says, until it is lost."""

    @abstractmethod
    async def send(self, *messages: Message) -> None:
        """Tell it something.

        Raises:
            WorkerLostError: it is gone.
        """

    @abstractmethod
    async def leave(self, limit_s: float) -> str:
        """Be rid of it within a time; return how it ended, in words."""

    def has_room(self) -> bool:
        """Say whether it can be given another game."""
        return self.is_ready and len(self.running) < self.share + self.at_hand

    def started(self, game_id: str) -> GameTask:
        """Note that a game has begun."""
        self.begun[game_id] = trio.current_time()
        return self.running[game_id]

    def done(self, game_id: str) -> GameTask:
        """Note that a game is over."""
        now = trio.current_time()
        lasted_s = max(now - self.begun.pop(game_id, now), _SHORTEST_GAME_S)
        at_hand = max(1, round(self.share * AT_HAND_S / lasted_s))
        self.at_hand = at_hand if lasted_s < self.short_game_s else 0
        return self.running.pop(game_id)


class Employer(Protocol):
    """What a crew may tell its runner."""

    def welcome(self, member: Member) -> None:
        """Take somebody in who has come."""

    def give_up(self, message: str) -> None:
        """End the run: it cannot go on."""


class Crew(Protocol):
    """Everybody who plays for a runner."""

    async def assemble(self, employer: Employer, nursery: trio.Nursery) -> None:
        """Bring the first members together and have them welcomed.

        Args:
            employer: the runner; members may come later, too.
            nursery: for tasks of the crew's own; it is cancelled after `dismiss`.

        Raises:
            CrewError: nobody can play.
        """

    async def examine(self, absent: frozenset[int]) -> tuple[EngineFinding, ...]:
        """Do the pre-flight, and use the engines from then on as it found them.

        Raises:
            CrewError: nobody can say.
        """

    def has_room(self) -> bool:
        """Say whether another game could be placed."""

    def place(self, task: GameTask) -> Member | None:
        """Return who is to play a game, None when it has to wait."""

    async def replace(self, lost: Member, words: str) -> None:
        """Put somebody in a lost member's place where that can be done.

        Raises:
            CrewError: too many were lost.
        """

    def played(self) -> None:
        """Note that a game was finished."""

    async def dismiss(self, *, is_calm: bool) -> None:
        """Send everybody home: politely, or at once when games may still be running."""


class LocalCrew:
    """Worker processes of this machine.

    Args:
        event: what is played.
        database: see `arena.live.messages.Hello`.
        logs: folder for exchanges, None for none.
    """

    def __init__(
        self,
        event: Event,
        *,
        database: Path | None = None,
        logs: Path | None = None,
    ) -> None:
        self._event = event
        self._database = database
        self._logs = logs
        self._slots = slots_of(event, sorted(os.sched_getaffinity(0)))
        count = worker_count(event.concurrency)
        self._shares = [
            event.concurrency // count + (place < event.concurrency % count) for place in range(count)
        ]
        self._members: list[_Process] = []
        self._losses_in_a_row = 0
        self._employer: Employer | None = None

    async def assemble(self, employer: Employer, nursery: trio.Nursery) -> None:
        """Start the processes."""
        self._employer = employer
        for place, share in enumerate(self._shares):
            member = _Process(place, share)
            self._members.append(member)
            employer.welcome(member)
        nursery.start_soon(self._end_the_stopped)
        with _start_up_told():
            for member in self._members:
                await self._greet(member)

    async def _end_the_stopped(self) -> None:
        """Kill workers that were stopped: they would hold up their games, and the run, for ever."""
        while True:
            await trio.sleep(STOPPED_LOOK_S)
            for member in self._members:
                member.end_if_stopped()

    async def examine(self, absent: frozenset[int]) -> tuple[EngineFinding, ...]:
        """Let the first process do it for all."""
        with _start_up_told():
            first = self._members[0]
            await first.send(Examine(absent))
            reply = await anext(first.incoming, None)
            if not isinstance(reply, Examined):
                raise WorkerLostError
            examined = as_examined(self._event, reply.findings)
            if examined != self._event:
                self._event = examined
                for member in self._members:
                    await member.send(UseEvent(examined))
        return reply.findings

    def has_room(self) -> bool:
        """Say whether any process has."""
        return any(member.has_room() for member in self._members)

    def place(self, task: GameTask) -> Member | None:
        """Choose the process with the fewest games."""
        free = [member for member in self._members if member.has_room()]
        return min(free, key=lambda member: len(member.running), default=None)

    def played(self) -> None:
        """Note that a process did its work."""
        self._losses_in_a_row = 0

    async def replace(self, lost: Member, words: str) -> None:
        """Put a fresh process in a lost one's place."""
        self._losses_in_a_row += 1
        if self._losses_in_a_row >= _LOSSES_IN_A_ROW:
            message = f"{words}; that was the {_LOSSES_IN_A_ROW}rd loss in a row"
            raise CrewError(message, is_refusal=False)
        place = next(place for place, member in enumerate(self._members) if member is lost)
        fresh = _Process(place, lost.share)
        self._members[place] = fresh
        if self._employer is not None:
            self._employer.welcome(fresh)
        # If it is gone already, whoever listens to it meets the end of its stream.
        with suppress(WorkerLostError):
            await self._greet(fresh)

    async def dismiss(self, *, is_calm: bool) -> None:
        """End the processes, all at the same time."""
        async with trio.open_nursery() as nursery:
            for member in self._members:
                nursery.start_soon(partial(_send_home, member, is_calm=is_calm))

    async def _greet(self, member: _Process) -> None:
        slots = self._slots[member.place :: len(self._shares)]
        await member.greet(self._event, slots, database=self._database, logs=self._logs)


class _Process(Member):
    """The runner's end of one worker process."""

    def __init__(self, place: int, share: int) -> None:
        super().__init__(share)
        self._process, ours = start_module("arena.live.worker")
        ours.setblocking(False)
        self.place = place
        self._look = StopLook(self._process.pid)
        self._was_stopped = False
        self._stream = MessageStream(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
        self._incoming = self._stream.messages()

    @property
    def incoming(self) -> AsyncIterator[Message]:
        """What it says, until its end closes."""
        return self._incoming

    async def greet(
        self,
        event: Event,
        slots: tuple[Slot, ...],
        *,
        database: Path | None,
        logs: Path | None,
    ) -> None:
        """Tell it what it is for; it takes games from then on."""
        await self.send(Hello(event, len(slots), database, slots, logs))
        self.is_ready = True

    async def send(self, *messages: Message) -> None:
        """Tell it something."""
        try:
            await self._stream.send(*messages)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise WorkerLostError from None

    async def leave(self, limit_s: float) -> str:
        """Close the socket, wait for the process, kill it in the end."""
        with trio.CancelScope(shield=True):
            await self._stream.close()
            deadline = trio.current_time() + limit_s
            while self._process.poll() is None and trio.current_time() < deadline:
                await trio.sleep(0.01)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        if self._was_stopped:
            return (
                "the worker process was stopped by a signal that was not the runner's, and therefore killed"
            )
        code = self._process.returncode
        return f"the worker process ended with code {code} (what it said, if anything, stands above)"

    def end_if_stopped(self) -> None:
        """Kill the process if it was stopped for good; whoever listens meets the end of its stream."""
        if self._look.is_for_good():
            self._was_stopped = True
            self._process.kill()


def worker_count(games: int) -> int:
    """Return how many worker processes share so many games at a time: one a core at most."""
    return min(games, len(os.sched_getaffinity(0)))


def as_examined(event: Event, findings: tuple[EngineFinding, ...]) -> Event:
    """Return the event with its engines as pre-flight found them."""
    engines = tuple(
        dataclasses.replace(entry, pipelining=finding.pipelining)
        for entry, finding in zip(event.engines, findings, strict=True)
    )
    return event if engines == event.engines else dataclasses.replace(event, engines=engines)


async def _send_home(member: Member, *, is_calm: bool) -> None:
    if is_calm:
        try:
            await member.send(Goodbye())
        except WorkerLostError:
            is_calm = False
    await member.leave(LEAVE_S if is_calm else ABORT_S)


@contextmanager
def _start_up_told() -> Iterator[None]:
    """Turn the loss of a process before the first game into words."""
    try:
        yield
    except WorkerLostError:
        message = "a worker process ended at start-up; what it said, if anything, stands above"
        raise CrewError(message, is_refusal=False) from None
