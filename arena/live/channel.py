"""The bytes between the referee and one engine: whole replies out, every wait with a deadline.

Speed and fairness meet here. A trio wait costs some 60 us more than a pipe round trip; most engines under
test answer in less. So the channel first polls its own pipe for a moment, if this engine's recent answers
came fast enough for that to pay, and only then lets trio wait. A poll blocks everybody else in this
process, so its length depends on how many games run here (`Patience`).

There are two ways through a turn. `exchange` is the law: every command and every reply passes the dialogue's
table. `quick_turn` is a short cut for the turn that nearly every turn is, and takes back nothing: whatever it
does not recognise at a glance it hands to `exchange`, which judges it as if it had done everything itself.
"""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
from array import array
from collections import deque
from typing import TYPE_CHECKING

import trio

from arena.core.verdict import Reason
from arena.live.faults import EngineFault, escaped
from protocol.commands import Need
from protocol.dialogue import Answer, Dialogue, State
from protocol.framing import Banner, Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.live.nearness import Nearness

_READ_BYTES = 16 * 1024
"""One read: many turns' worth of sane output; small enough that allocating it costs nothing."""

EXCHANGE_KEPT = 2000
"""Writes and reads of the present game kept as evidence, the newest."""

_LOGGED_BYTES = 2048
"""How much of one read is kept as evidence: a turn's output, or the start of what floods us."""

_ALONE_POLL_MS = 2

_ALONE_BURST_NS = 1_000_000
"""Also a game that has the process to itself must let the runner's messages in, and the end of a process."""

SHARED_POLL_S = 0.0002
SHARED_BURST_NS = 100_000
"""With other games in this process: for how long all polls, and all bursts of turns, may hold up one game."""

_SELECT_LIMIT = 1024
"""`select` cannot take descriptors from here on (FD_SETSIZE); they go without the brief poll."""


_OVER = (State.BROKEN, State.CLOSED)

_FULL_PIPE_LOOK_S = 0.01

_LOST_INPUT_LOOK_S = 0.5
"""How often a long wait looks whether the engine has closed its input with commands still in the pipe."""

_OUTPUT_BYTES = 2 * 1024 * 1024
"""Twice the longest reply: more can only be chatter."""

_CHATTER_BYTES = 64 * 1024
_CHATTER_PAUSE_S = 0.005
"""An engine that has said this much in one turn is read slowly: it may fill its own pipe, not our core."""


_ALL_WELL = {success * replies: replies for success in (b"=\n\n", b"= \n\n") for replies in range(8)}
"""Output that says nothing but that so many commands were taken."""

_Begun = tuple[int, bytes, bytes | None]
"""A turn begun: when, what is not written yet, what was read."""

_LONGEST_QUICK_BYTES = 1024
_LONGEST_QUICK_WORD = 64


class Patience:
    """How channels wait and by which clock, shared by all channels of a process.

    One game may hold up the others of its process in two ways: while it polls its pipe, and while it takes
    turn after turn without giving trio's loop a chance. Both are rationed so that a game whose engine has
    answered is never kept from its clock by another's waiting for more than 0.3 ms, however many there are:
    before the loop comes round each of the others may finish a burst and poll once.

    Attributes:
        may_poll: False under a virtual clock, where blocking is never right.
        now_ns: the clock that thinking time is measured with, nanoseconds; it must run as trio's does.
        poll_s: longest poll of one channel; None while nobody else can be held up.
        burst_ns: how long a game may go on without a checkpoint of trio's.
        nearness: where this thread runs; None where that is left to the system.
        wakes: notes when trio's loop was woken; None where a wait counts until its task runs.
    """

    __slots__ = ("_games", "burst_ns", "may_poll", "nearness", "now_ns", "poll_s", "wakes")

    poll_s: float | None
    burst_ns: int

    def __init__(self, *, may_poll: bool = True, now_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self.may_poll = may_poll
        self.now_ns = now_ns
        self.nearness: Nearness | None = None
        self.wakes: Wakes | None = None
        self.games = 0

    @property
    def games(self) -> int:
        """How many games are being played in this process now."""
        return self._games

    @games.setter
    def games(self, count: int) -> None:
        self._games = count
        others = count - 1
        self.poll_s = SHARED_POLL_S / others if others > 0 else None
        self.burst_ns = SHARED_BURST_NS // others if others > 0 else _ALONE_BURST_NS


class Wakes(trio.abc.Instrument):
    """Notes when trio's loop was last woken: what it does from then on is no engine's time.

    Attributes:
        at_ns: the moment, by the clock given.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self.at_ns = now_ns()

    def after_io_wait(self, timeout: float) -> None:
        """Note the moment, before any task runs."""
        self.at_ns = self._now_ns()


class OtherSideGone(Exception):  # noqa: N818
    """The wait was broken off because the opponent's process is gone."""


class Channel:
    """Writes commands, waits until all are answered, measures the time between.

    After an `EngineFault` or a timeout the stream is out of step and the channel must not be used again.

    Attributes:
        spent_ns: time of the last exchange: from just before its write to the end of its last read, or to
            the moment when the loop was woken for that, where it was waited for.
        banner: text that came before the first reply, empty when there was none.
        output_limit_bytes: what the engine may write in one exchange.
        exchange_log: what was sent (True) and received (False) in the present game, newest last.
    """

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        *,
        ids: bool = False,
        patience: Patience | None = None,
    ) -> None:
        self.spent_ns = 0
        self.banner = ""
        self.output_limit_bytes = _OUTPUT_BYTES
        self.exchange_log: deque[tuple[bool, bytes]] = deque(maxlen=EXCHANGE_KEPT)
        self._dialogue = Dialogue(ids=ids)
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._patience = patience or Patience(may_poll=False)
        self._now_ns = self._patience.now_ns
        self._usual_ns = 50_000
        self._bytes_read = 0
        self._scope: trio.CancelScope | None = None
        self._process_is_gone = False
        self._input_is_closed = False
        self._broken_off = False
        self._is_plain = not ids
        self._is_at_rest = False
        self._begun: _Begun | None = None
        # When the last output came that was waited for; what is done with it is no time of the engine's.
        self._came_ns: int | None = None
        self._poller = select.poll()
        self._poller.register(read_fd, select.POLLIN)
        self._input_poller = select.poll()
        self._input_poller.register(write_fd, 0)
        self._can_select = read_fd < _SELECT_LIMIT

    def process_gone(self) -> None:
        """Note that the process has exited: what it wrote is read, more is not waited for."""
        self._process_is_gone = True
        if self._scope is not None:
            self._scope.cancel()

    def break_off(self) -> None:
        """End the present wait with `OtherSideGone`; the next one too if there is none now."""
        self._broken_off = True
        if self._scope is not None:
            self._scope.cancel()

    def expire(self) -> None:
        """End the present wait as if its time were over; without one nothing happens."""
        if self._scope is not None:
            self._scope.cancel()

    def calm(self) -> None:
        """Forget a `break_off` that met no wait: the game it belonged to is over."""
        self._broken_off = False

    async def exchange(self, lines: Sequence[str], limit_ns: int) -> list[Answer] | None:
        """Send command lines in one write and wait until nothing is owed any more.

        Args:
            lines: commands without line end, at least one.
            limit_ns: time for all of it.

        Returns:
            The answers, those owed from before first; None when the time was over first. `spent_ns` is set
            in both cases.

        Raises:
            EngineFault: crash, flood, malformed reply; `error-reply` as soon as a required command is
                refused, whatever else is owed.
            OtherSideGone: after `break_off`.
        """
        begun, self._begun = self._begun, None
        self._is_at_rest = False
        if begun is None:
            self._hear_early()
        data = self._dialogue.send(*lines)
        answers: list[Answer] = []
        if begun is None:
            self.exchange_log.append((True, data))
            started = self._now_ns()
            unwritten = self._write(data)
            may_poll = self._patience.may_poll and not unwritten
            chunk = self._read_chunk() if may_poll and self._answers_soon() else None
        else:
            started, unwritten, chunk = begun
        self._came_ns = None
        try:
            if chunk is not None:
                self._take(chunk, answers)
            if unwritten or self._dialogue.outstanding:
                await self._wait(unwritten, answers, started + limit_ns)
        finally:
            is_owing = self._dialogue.outstanding > 0
            spent = (self._now_ns() if is_owing or self._came_ns is None else self._came_ns) - started
            self.spent_ns = spent
            self._usual_ns += (spent - self._usual_ns) >> 3
        return answers if spent <= limit_ns and not self._dialogue.outstanding else None

    def quick_turn(self, lines: Sequence[str], limit_ns: int) -> str | None:
        """Take a turn the short way, if it goes as nearly all turns of fast engines go.

        That is: the dialogue is at rest, and what comes back at once, or within a brief poll, is a plain
        success for every command and one short word for the last. Such a turn leaves the dialogue where it
        was, so it need not hear of it, and no reply needs an object: this saves a third of a turn.

        Args:
            lines: commands of a turn, `genmove` last.
            limit_ns: time for all of it.

        Returns:
            The word, and `spent_ns` is set; or None: `exchange` must be called with the same arguments. What
            was written and read by then it takes over.
        """
        if not self._is_at_rest:
            if not (self._is_plain and self._patience.may_poll and self._dialogue.is_at_rest_in_game):
                return None
            self._is_at_rest = True
        replies_due = len(lines) - 1
        text = "\n".join(lines)
        data = text.encode() + b"\n"
        # What `protocol.commands.encode` asks of every line, of all lines at once.
        if (
            len(data) > _LONGEST_QUICK_BYTES
            or len(data) != len(text) + 1
            or "#" in text
            or not text.replace("\n", "", replies_due).isprintable()
        ):
            return None
        if self._poller.poll(0):
            # It has said something unasked, or closed its output: `exchange` hears that first.
            return None
        now_ns = self._now_ns
        log = self.exchange_log
        log.append((True, data))
        started = now_ns()
        unwritten = self._write(data)
        if unwritten or not self._answers_soon():
            self._begun = started, unwritten, None
            return None
        chunk = self._read_chunk()
        spent = now_ns() - started
        if chunk:
            replies, _, last = chunk.rpartition(b"= ")
            word = str(last[:-2], "latin-1")
            if (
                _ALL_WELL.get(replies) == replies_due
                and last[-2:] == b"\n\n"
                and 0 < len(word) <= _LONGEST_QUICK_WORD
                and word.isascii()
                and word.isprintable()
                and " " not in word
                and spent <= limit_ns
            ):
                log.append((False, chunk))
                self.spent_ns = spent
                self._usual_ns += (spent - self._usual_ns) >> 3
                return word
        self._begun = started, b"", chunk
        return None

    def _hear_early(self) -> None:
        """Let the dialogue judge what came while nothing was owed: it is no answer to what follows.

        Raises:
            EngineFault: it is more than an empty line.
        """
        self.spent_ns = 0
        while self._dialogue.expects_nothing and self._poller.poll(0):
            chunk = self._read_chunk()
            if not chunk:
                # The end of the stream: the next read meets it again, and tells what was due then.
                return
            self._take(chunk, [])

    def _answers_soon(self) -> bool:
        """Look for an answer at once, or wait for one a moment if this engine is usually as fast as that."""
        poll_s = self._patience.poll_s
        if poll_s is None:
            return self._usual_ns < _ALONE_POLL_MS * 1_000_000 and bool(self._poller.poll(_ALONE_POLL_MS))
        if self._usual_ns > poll_s * 1e9 or not self._can_select:
            return False
        return bool(select.select((self._read_fd,), (), (), poll_s)[0])

    async def probe(self, lines: Sequence[str], limit_ns: int, gap_ns: int) -> int:
        """Send command lines in one write; return how many of them are answered.

        Args:
            lines: commands without line end; nothing may be owed from before.
            limit_ns: time for the first answer.
            gap_ns: time for each further answer after the one before it.

        Raises:
            EngineFault, OtherSideGone: as `exchange`.
        """
        self._is_at_rest = False
        data = self._dialogue.send(*lines)
        self.exchange_log.append((True, data))
        unwritten = self._write(data)
        answers: list[Answer] = []
        for left in reversed(range(len(lines))):
            await self._wait(unwritten, answers, self._now_ns() + limit_ns, down_to=left)
            if self._dialogue.outstanding > left:
                break
            unwritten, limit_ns = b"", gap_ns
        return len(lines) - self._dialogue.outstanding

    def send(self, line: str) -> bool:
        """Send one command whose reply is not waited for; False when that is not possible any more."""
        if self._dialogue.state in _OVER:
            return False
        self._is_at_rest = False
        data = self._dialogue.send(line)
        self.exchange_log.append((True, data))
        try:
            return os.write(self._write_fd, data) == len(data)
        except OSError:
            return False

    async def _wait(
        self, unwritten: bytes, answers: list[Answer], deadline_ns: int, *, down_to: int = 0
    ) -> None:
        """Go on with an exchange the slow way: trio waits, until the deadline at most.

        Args:
            unwritten: what the pipe has not taken yet.
            answers: takes what comes.
            deadline_ns: when to give up, by the channel's clock.
            down_to: how many commands may remain without their answer.
        """
        if self._patience.nearness is not None:
            self._patience.nearness.after_wait()
        with trio.CancelScope() as scope:
            self._scope = scope
            scope.deadline = trio.current_time() + max((deadline_ns - self._now_ns()) / 1e9, 0.0)
            if self._process_is_gone or self._broken_off:
                scope.cancel()
            try:
                if self._input_is_closed:
                    # Nobody will read what was sent: what was answered before is all that can come.
                    self._read_rest(answers, "closed its standard input")
                await self._go_on(unwritten, answers, down_to)
            finally:
                self._scope = None
        if scope.cancelled_caught:
            if self._broken_off:
                raise OtherSideGone
            if self._process_is_gone:
                self._read_rest(answers, "ended")

    def _read_rest(self, answers: list[Answer], what: str) -> None:
        """Take what the engine wrote before it `what`; a crash if that does not answer everything."""
        while self._dialogue.outstanding:
            if not self._read(answers):
                raise self._crash(what)

    async def _go_on(self, unwritten: bytes, answers: list[Answer], down_to: int) -> None:
        read_before = self._bytes_read
        while unwritten or self._dialogue.outstanding > down_to:
            if unwritten:
                unwritten = self._write(unwritten)
                if self._input_is_closed:
                    self._read_rest(answers, "closed its standard input")
                    return
            # A full pipe means an engine that does not read, which is rare: look at it now and then.
            with trio.move_on_after(_FULL_PIPE_LOOK_S if unwritten else _LOST_INPUT_LOOK_S) as look:
                await trio.lowlevel.wait_readable(self._read_fd)
                if self._patience.wakes is not None:
                    self._came_ns = self._patience.wakes.at_ns
                self._read(answers)
            if look.cancelled_caught and self._input_is_lost():
                self._read_rest(answers, "closed its standard input")
            said_bytes = self._bytes_read - read_before
            if said_bytes > self.output_limit_bytes:
                message = f"wrote {said_bytes} bytes in one turn; {self.output_limit_bytes} are allowed"
                raise EngineFault(Reason.FLOOD, message)
            if said_bytes > _CHATTER_BYTES:
                await trio.sleep(_CHATTER_PAUSE_S)

    def _input_is_lost(self) -> bool:
        """Say whether commands are in the pipe that nobody can read any more."""
        if not any(found & select.POLLERR for _, found in self._input_poller.poll(0)):
            return False
        unread = array("i", [0])
        fcntl.ioctl(self._write_fd, termios.FIONREAD, unread)
        return unread[0] > 0

    def _write(self, data: bytes) -> bytes:
        """Write what the pipe takes; return the rest."""
        try:
            return data[os.write(self._write_fd, data) :]
        except BlockingIOError:
            return data
        except OSError:
            self._input_is_closed = True
            return b""

    def _read(self, answers: list[Answer]) -> bool:
        """Take what is there; False when there is nothing.

        Raises:
            EngineFault: the stream has ended, or breaks the protocol.
        """
        chunk = self._read_chunk()
        if chunk is None:
            return False
        self._take(chunk, answers)
        return True

    def _read_chunk(self) -> bytes | None:
        """Return what is there, nothing at the end of the stream; None when there is nothing yet."""
        try:
            return os.read(self._read_fd, _READ_BYTES)
        except BlockingIOError:
            return None

    def _take(self, chunk: bytes, answers: list[Answer]) -> None:
        """Let the dialogue judge what was read; see `_read`."""
        if not chunk:
            raise self._crash("closed its standard output")
        self.exchange_log.append((False, chunk if len(chunk) <= _LOGGED_BYTES else chunk[:_LOGGED_BYTES]))
        self._bytes_read += len(chunk)
        for event in self._dialogue.receive(chunk):
            if type(event) is Answer:
                answers.append(event)
                if not event.ok and event.spec.need is not Need.OPTIONAL:
                    raise _refused(event)
            elif isinstance(event, Fault):
                raise EngineFault(Reason(event.kind.value), event.message, event.offending)
            elif isinstance(event, Banner):
                self.banner = event.text

    def _crash(self, what: str) -> EngineFault:
        faults = [event for event in self._dialogue.receive_end() if isinstance(event, Fault)]
        message = f"the engine {what}: {faults[-1].message}" if faults else f"the engine {what}"
        return EngineFault(Reason.CRASH, message, faults[-1].offending if faults else b"")


def refusal(answer: Answer) -> str:
    """Return in words that a command was refused."""
    line = escaped(answer.line.encode(), 60)
    return f"answered `{line}` with an error: `? {escaped(answer.text.encode(), 200)}`"


def _refused(answer: Answer) -> EngineFault:
    return EngineFault(Reason.ERROR_REPLY, refusal(answer), b"? " + answer.text.encode())
