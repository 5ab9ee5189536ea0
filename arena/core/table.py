"""What passes between a seat for a person and the table at which the game is played, as frozen data.

The table is a process with the referee and the engine; the seat is a page in a browser or a terminal. They
are the same installation and one started the other, so what they say is pickled dataclasses, each behind its
length. What a browser says is checked by the seat before it becomes an `Action`, and once more by the table.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.running import RunningGame
    from arena.core.task import GameTask

_LENGTH = struct.Struct("<I")


class Phase(Enum):
    """What the table waits for."""

    STARTING = "starting"
    """The engine is being started and set up."""
    OFFER = "offer"
    """The person is to propose komi (pie)."""
    CHOICE = "choice"
    """The person is to choose a side for the komi proposed (pie)."""
    PERSON = "person"
    """The person is to move."""
    ENGINE = "engine"
    """The engine is to move, or to answer."""
    OVER = "over"
    """The game has ended."""


@dataclass(frozen=True, slots=True)
class TableView:
    """The table as it stands.

    Attributes:
        phase: what it waits for.
        game: the game as those who watch see it.
        person: the person's colour; before pie is settled, the scheduled one.
        question: komi that was proposed, in the phase CHOICE; None otherwise.
        can_take_back: whether the person may take the last move back now.
        taken_back: how often that was done.
        result: result and reason in words, empty until the game is over.
        trouble: what the arena has to say when something went wrong, for people.
    """

    phase: Phase
    game: RunningGame
    person: int
    question: int | None = None
    can_take_back: bool = False
    taken_back: int = 0
    result: str = ""
    trouble: str = ""


class Act(Enum):
    """What a person can do."""

    ANSWER = "answer"
    """A move, a komi, a side: whatever the table waits for, as a word."""
    TAKE_BACK = "take back"
    RESIGN = "resign"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person does.

    Attributes:
        act: what.
        word: the move, komi or side; empty for the others.
        ply: turns played when it was done: a click that was meant for another position does nothing.
    """

    act: Act
    word: str = ""
    ply: int = 0


@dataclass(frozen=True, slots=True)
class Laid:
    """Seat to table, first: what is to be played.

    Attributes:
        event: two entries; that of the person is never started.
        task: the game.
        person: index of the person's entry.
    """

    event: Event
    task: GameTask
    person: int


@dataclass(frozen=True, slots=True)
class Ended:
    """Table to seat, last: the record of the game."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class Broken:
    """Table to seat, last: the game cannot be played, for this reason."""

    message: str


Said = TableView | Action | Laid | Ended | Broken


def packed(said: Said) -> bytes:
    """Return a message as bytes."""
    payload = pickle.dumps(said, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(payload)) + payload


class Unpacker:
    """Turns the bytes of one direction into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Said]:
        """Take bytes; yield the messages they complete."""
        self._buffer += data
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack(self._buffer[: _LENGTH.size])
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield pickle.loads(payload)  # noqa: S301  from our own child or parent, see the module
