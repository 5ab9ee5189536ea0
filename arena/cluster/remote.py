"""One worker of the cluster, as its runner sees it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import trio

from arena.live.crew import Member
from arena.live.messages import GiveBack, GivenBack, Play, Started

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from arena.cluster.greeting import Greeted
    from arena.core.task import GameTask
    from arena.live.messages import Message
    from arena.live.preflight import EngineFinding

_SHORT_GAME_S = 5.0
"""Of shorter games a worker gets at least one more than it plays at a time: the way there is long."""


class Desk(Protocol):
    """Where a worker's games go out and are called back: the crew."""

    def hand_out(self, member: Remote, task: GameTask) -> None:
        """Have a game submitted."""

    def call_back(self, member: Remote, game_ids: Sequence[str]) -> None:
        """Take games back that nobody has begun."""


class Remote(Member):
    """One worker of the cluster.

    Attributes:
        address, name: what the cluster calls it.
        process: tells its process from another one at the same address.
        findings: of its own pre-flight.
        number: its number in the store; 0 until it is enrolled.
        time_factor: what its games' time controls are multiplied with.
        why_lost: how it was lost, None while it is there.
    """

    spoils_games = False
    short_game_s = _SHORT_GAME_S

    def __init__(self, desk: Desk, address: str, name: str, threads: int, greeted: Greeted) -> None:
        super().__init__(threads)
        self.address = address
        self.name = name
        self.process = greeted.facts["process"]
        self.findings: tuple[EngineFinding, ...] = greeted.prepared.findings
        self.number = 0
        self.time_factor = 1.0
        self.why_lost: str | None = None
        self._desk = desk
        self._queue: list[str] = []
        self._begun: set[str] = set()
        self._inbox, self._incoming = trio.open_memory_channel["Message"](sys.maxsize)

    @property
    def incoming(self) -> AsyncIterator[Message]:
        """What it says, until it is lost."""
        return self._incoming

    async def send(self, *messages: Message) -> None:
        """Take games for it, or give back those it has not begun."""
        for message in messages:
            self._obey(message)

    def _obey(self, message: Message) -> None:
        match message:
            case Play(task):
                self._desk.hand_out(self, task)
                self._queue.append(task.scheduled.id)
                self._begin()
            case GiveBack():
                back = [game_id for game_id in self._queue if game_id not in self._begun]
                self._queue = [game_id for game_id in self._queue if game_id in self._begun]
                self._desk.call_back(self, back)
                self.say(GivenBack(tuple(back)))
            case _:
                raise RuntimeError(f"unexpected message {type(message).__name__}")

    async def leave(self, limit_s: float) -> str:
        """Return how it was lost: nothing of it is here."""
        return f"worker {self.name} {self.why_lost or 'was sent home'}"

    def has(self, game_id: str) -> bool:
        """Say whether a game is with it."""
        return game_id in self._queue

    def say(self, message: Message) -> None:
        """Pass a message on to the runner."""
        if self.why_lost is None:
            self._inbox.send_nowait(message)

    def over(self, game_id: str, message: Message) -> None:
        """Pass on what a game came to; a worker takes the next one by itself."""
        if game_id not in self._queue:
            return
        self._begun.discard(game_id)
        self._queue.remove(game_id)
        self.say(message)
        self._begin()

    def _begin(self) -> None:
        """Tell of the games that the worker plays by now: it takes them in the order they came."""
        for game_id in self._queue[: self.share]:
            if game_id not in self._begun:
                self._begun.add(game_id)
                self.say(Started(game_id))

    def lose(self, why: str) -> None:
        """End what it says: the runner has its games played by others."""
        self.why_lost = why
        self.is_ready = False
        self._queue.clear()
        self._inbox.close()
