"""The referee's dialogue with one engine, sans I/O: what may be sent when, and which command a reply answers.

One table of states and events decides what is allowed. Replies are matched to commands by order (and by id,
where ids are in use). A mistake of the caller raises `DialogueError` and changes nothing; whatever the engine
does comes out as an event and never raises. `?` replies are passed on: what they mean depends on the command
(`CommandSpec.need`) and on the caller.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum
from typing import Final, NamedTuple, assert_never

from protocol.commands import COMMANDS, CommandSpec, Phase, encode
from protocol.framing import Banner, Fault, FaultKind, Reply, ReplyParser
from protocol.framing import Event as StreamEvent

MAX_OUTSTANDING: Final = 64
"""Most commands without their reply at a time. An engine that only reads, or only writes, gets no further."""


class DialogueError(Exception):
    """The caller wanted to send what may not be sent now: the referee's own fault, never the engine's."""


class State(StrEnum):
    """Where the dialogue stands. The values are words for messages."""

    STARTING = "start-up"
    READY = "between games"
    SET_UP = "set-up"
    GAME = "game"
    THINKING = "waiting for a move"
    QUITTING = "quitting"
    BROKEN = "after a fault"
    CLOSED = "closed"


class Event(StrEnum):
    """What moves the dialogue on: commands sent, and what comes back."""

    SEND_START = "a start-up command"
    SEND_SET_UP = "a set-up command"
    SEND_TURN = "a turn's command"
    SEND_THINK = "genmove"
    SEND_RESULT = "the result"
    SEND_QUIT = "quit"
    ALL_ANSWERED = "the last reply due"
    MOVE = "genmove's reply"
    FAULT = "a fault"
    END = "the end of the stream"


_TABLE: Final[dict[State, dict[Event, State]]] = {
    State.STARTING: {
        Event.SEND_START: State.STARTING,
        Event.SEND_QUIT: State.QUITTING,
        Event.ALL_ANSWERED: State.READY,
    },
    State.READY: {
        Event.SEND_START: State.STARTING,
        Event.SEND_SET_UP: State.SET_UP,
        Event.SEND_QUIT: State.QUITTING,
        Event.ALL_ANSWERED: State.READY,
    },
    # Set-up is a barrier: only its last reply opens the game, and `genmove` is not allowed before. The moves
    # of an opening may follow the set-up commands in one write.
    State.SET_UP: {
        Event.SEND_SET_UP: State.SET_UP,
        Event.SEND_TURN: State.SET_UP,
        Event.SEND_RESULT: State.READY,
        Event.SEND_QUIT: State.QUITTING,
        Event.ALL_ANSWERED: State.GAME,
    },
    State.GAME: {
        Event.SEND_SET_UP: State.SET_UP,
        Event.SEND_TURN: State.GAME,
        Event.SEND_THINK: State.THINKING,
        Event.SEND_RESULT: State.READY,
        Event.SEND_QUIT: State.QUITTING,
        Event.ALL_ANSWERED: State.GAME,
    },
    State.THINKING: {
        Event.MOVE: State.GAME,
        Event.SEND_QUIT: State.QUITTING,
    },
    State.QUITTING: {
        Event.MOVE: State.QUITTING,
        Event.ALL_ANSWERED: State.QUITTING,
    },
    State.BROKEN: {},
    State.CLOSED: {},
}
"""State x event -> state. What is missing must not be sent (sending) or cannot happen (receiving)."""

for _state, _row in _TABLE.items():
    if _state is not State.CLOSED:
        _row[Event.END] = State.CLOSED
        _row[Event.FAULT] = State.BROKEN


_OVER: Final = (State.BROKEN, State.CLOSED)
_RESTING: Final = (State.READY, State.GAME)


def _sending_event(phase: Phase) -> Event:
    match phase:
        case Phase.START:
            return Event.SEND_START
        case Phase.ONCE | Phase.SET_UP:
            return Event.SEND_SET_UP
        case Phase.TURN:
            return Event.SEND_TURN
        case Phase.THINK:
            return Event.SEND_THINK
        case Phase.RESULT:
            return Event.SEND_RESULT
        case Phase.QUIT:
            return Event.SEND_QUIT
        case _:
            assert_never(phase)


_SENDING: Final[dict[str, tuple[CommandSpec, Event]]] = {
    name: (spec, _sending_event(spec.phase)) for name, spec in COMMANDS.items()
}


class Answer(NamedTuple):
    """A reply together with the command it answers.

    Attributes:
        line: the command as it was sent, without id.
        spec: its row of the command table.
        ok: True for `=`, False for `?`.
        text: the reply's text.
    """

    line: str
    spec: CommandSpec
    ok: bool
    text: str


class Dialogue:
    """The referee's side of the conversation with one engine process."""

    __slots__ = ("_answered", "_ids", "_outstanding", "_parser", "_state")

    def __init__(self, *, ids: bool = False) -> None:
        """Begin with a process just started.

        Args:
            ids: whether commands carry ids.
        """
        self._parser = ReplyParser(ids=ids)
        self._ids = ids
        self._state = State.STARTING
        self._outstanding: deque[tuple[str, CommandSpec]] = deque()
        self._answered = 0

    @property
    def state(self) -> State:
        """Where the dialogue stands."""
        return self._state

    @property
    def outstanding(self) -> int:
        """How many commands have no reply yet."""
        return len(self._outstanding)

    @property
    def expects_nothing(self) -> bool:
        """Whether the engine is up and nothing is owed: what it says now answers nothing that follows."""
        return self._state in _RESTING and not self._outstanding

    @property
    def is_at_rest_in_game(self) -> bool:
        """Whether a game is on and nothing is owed or half received.

        Then a whole turn (commands of phase TURN, `genmove` last) that is answered by a plain success for
        each command leads back to just this state: whoever has seen such answers need not let them be
        received. Ids do not go on counting then, so with ids every turn must come through here.
        """
        return self._state is State.GAME and not self._outstanding and self._parser.is_at_rest

    @property
    def room(self) -> int:
        """How many commands may be sent before the next reply."""
        return MAX_OUTSTANDING - len(self._outstanding)

    def send(self, *lines: str) -> bytes:
        """Take note of commands about to be sent and return their bytes, for one write.

        Args:
            lines: command lines as made by `protocol.commands`.

        Raises:
            DialogueError: a command is unknown or not allowed now, or too many would be outstanding.
            UnsendableError: a line that must not be sent.
        """
        state = self._state
        sent: list[tuple[str, CommandSpec]] = []
        chunks: list[bytes] = []
        next_id = self._answered + len(self._outstanding) + 1
        for line in lines:
            known = _SENDING.get(line.partition(" ")[0])
            if known is None:
                raise DialogueError(f"no command of the protocol: {line[:60]!r}")
            spec, event = known
            following = _TABLE[state].get(event)
            if following is None:
                raise DialogueError(f"`{spec.name}` may not be sent in state `{state}`")
            state = following
            chunks.append(encode(line, next_id + len(sent) if self._ids else None))
            sent.append((line, spec))
        if len(sent) > self.room:
            raise DialogueError(f"more than {MAX_OUTSTANDING} commands without a reply")
        self._state = state
        self._outstanding.extend(sent)
        return b"".join(chunks)

    def receive(self, data: bytes) -> list[Answer | Banner | Fault]:
        """Take bytes the engine wrote and return what they mean, in order; nothing comes after a `Fault`."""
        if self._state in _OVER:
            return []
        return self._matched(self._parser.feed(data))

    def receive_end(self) -> list[Answer | Banner | Fault]:
        """Take note that the engine's output has ended, which is a `Fault` unless `quit` was sent."""
        if self._state in _OVER:
            return []
        if self._state is State.QUITTING:
            self._step(Event.END)
            return []
        events = self._matched(self._parser.feed_end())
        if not events or not isinstance(events[-1], Fault):
            events.append(Fault(FaultKind.CRASH, f"the stream ended{self._due()}", b""))
        self._state = State.CLOSED
        return events

    def _matched(self, stream: list[StreamEvent]) -> list[Answer | Banner | Fault]:
        events: list[Answer | Banner | Fault] = []
        for event in stream:
            if isinstance(event, Reply):
                problem = self._mismatch(event)
                if problem is not None:
                    self._step(Event.FAULT)
                    events.append(problem)
                    break
                line, spec = self._outstanding.popleft()
                self._answered += 1
                if spec.phase is Phase.THINK:
                    self._step(Event.MOVE)
                events.append(Answer(line, spec, event.ok, event.text))
            elif isinstance(event, Fault):
                self._step(Event.FAULT)
                events.append(Fault(event.kind, event.message + self._due(), event.offending))
            elif isinstance(event, Banner):
                events.append(event)
            else:
                assert_never(event)
        if not self._outstanding and Event.ALL_ANSWERED in _TABLE[self._state]:
            self._step(Event.ALL_ANSWERED)
        return events

    def _mismatch(self, reply: Reply) -> Fault | None:
        if not self._outstanding:
            text = reply.text.encode("utf-8")[:100]
            return Fault(FaultKind.MALFORMED, "a reply to no command", (b"= " if reply.ok else b"? ") + text)
        if self._ids and reply.id != self._answered + 1:
            line = self._outstanding[0][0]
            message = f"a reply with id {reply.id} where `{line}` had id {self._answered + 1}"
            return Fault(FaultKind.MALFORMED, message, f"{'=' if reply.ok else '?'}{reply.id}".encode())
        return None

    def _due(self) -> str:
        if not self._outstanding:
            return ""
        count = len(self._outstanding)
        replies = "one reply was" if count == 1 else f"{count} replies were"
        return f", when {replies} due (the next to `{self._outstanding[0][0]}`)"

    def _step(self, event: Event) -> None:
        self._state = _TABLE[self._state][event]
