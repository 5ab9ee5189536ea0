r"""Bytes in, events out, for both ends of the line protocol (GTP 2; docs/protocol.md has the grammar).

`ReplyParser` is the referee's end: it turns what an engine writes into replies and never trusts it.
`CommandParser` is the engine's end. Neither does I/O, raises on any input, or keeps more than a bounded
number of bytes; how the stream was cut into chunks never changes what comes out.

A reply begins with `=` or `?`, an id of decimal digits where ids are in use, and a blank or the line's end;
it ends at the first empty line. Carriage returns and other control characters are discarded and tabs become
blanks before a line is looked at, so `\r\n` ends a reply too. The text is UTF-8; bytes that are not become
U+FFFD, so that a name in another encoding is disfigured and not fatal.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

MAX_LINE_BYTES: Final = 64 * 1024
"""Longest line, without its line end; moves, lists and `info` lines stay far below."""

MAX_REPLY_BYTES: Final = 1024 * 1024
"""Longest reply, its line ends included. Bounds what a hostile engine can make the referee hold."""

MAX_BANNER_BYTES: Final = 64 * 1024
"""Most text tolerated before the first reply: enough for a licence notice, not for a log."""

MAX_EMPTY_BYTES: Final = 1024 * 1024
"""Most bytes of empty lines tolerated between two replies; they cost no memory, but the referee's time."""

MAX_QUOTED_BYTES: Final = 200
"""How much of an offending line is kept as evidence."""

MAX_ID_DIGITS: Final = 18
"""Longest id understood; the referee's own stay far below, and `int` must never see thousands of digits."""

# Everything below 32 but LF, and DEL; HT is translated, not discarded.
_DISCARDED = bytes(code for code in range(32) if code not in (9, 10)) + b"\x7f"
_TAB_TO_BLANK = bytes.maketrans(b"\t", b" ")
_DIGITS = b"0123456789"
_MARKS = b"=?"
_AFTER_MARK = b" " + _DIGITS
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Reply(NamedTuple):
    """One whole reply.

    Attributes:
        ok: True for `=`, False for `?`.
        id: the id it carried, None without.
        text: what follows, without the blanks around it; may hold several lines, of which only the first
            can be empty.
    """

    ok: bool
    id: int | None
    text: str


class Banner(NamedTuple):
    """Text that came before the first reply: tolerated, worth a warning. `text` is its start."""

    text: str


class FaultKind(Enum):
    """What is wrong with a stream; the values are the reasons of the results contract."""

    MALFORMED = "malformed-reply"
    FLOOD = "flood"
    CRASH = "crash"


class Fault(NamedTuple):
    """The stream broke the protocol; nothing that follows is looked at.

    Attributes:
        kind: which reason it is.
        message: what happened and what was expected, for people.
        offending: the start of the bytes in question, at most MAX_QUOTED_BYTES, raw.
    """

    kind: FaultKind
    message: str
    offending: bytes


Event = Reply | Banner | Fault


class _State(Enum):
    BEFORE_FIRST = "before the first reply"
    BETWEEN = "between replies"
    INSIDE = "inside a reply"
    DEAD = "after a fault or the end of the stream"


_EMPTY_SUCCESS = Reply(True, None, "")


class ReplyParser:
    """Turns the bytes an engine writes into replies."""

    __slots__ = (
        "_banner",
        "_banner_bytes",
        "_empty_bytes",
        "_ids",
        "_line",
        "_reply",
        "_reply_bytes",
        "_state",
    )

    def __init__(self, *, ids: bool = False) -> None:
        """Begin before the first reply.

        Args:
            ids: whether commands carry ids, so that every reply must carry one; without, no reply may.
        """
        self._ids = ids
        self._state = _State.BEFORE_FIRST
        self._line = bytearray()  # the line not yet ended
        self._reply: list[bytes] = []  # lines of the reply not yet ended, cleaned
        self._reply_bytes = 0
        self._empty_bytes = 0
        self._banner: list[bytes] = []
        self._banner_bytes = 0

    @property
    def is_at_rest(self) -> bool:
        """Whether the stream stands right behind a reply, no byte further."""
        return self._state is _State.BETWEEN and not self._line and not self._empty_bytes

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes of the stream and return what they complete, in order.

        A `Fault` is the last event ever returned.
        """
        if self._state is _State.BETWEEN and not self._line and not self._ids and len(data) < MAX_LINE_BYTES:
            events = _whole_replies(data)
            if events is not None:
                self._empty_bytes = 0
                return events
        return self._feed_lines(data)

    def feed_end(self) -> list[Event]:
        """Take note that the stream has ended; a reply that was cut off is a `Fault` of kind CRASH."""
        events: list[Event] = []
        rest = self._line.translate(_TAB_TO_BLANK, _DISCARDED)
        before_first = self._state is _State.BEFORE_FIRST
        if self._state is _State.DEAD:
            return events
        if self._state is _State.INSIDE or (rest and not (before_first and rest[0] not in _MARKS)):
            cut = self._reply[0] if self._reply else bytes(rest)
            self._fail(events, FaultKind.CRASH, "the stream ended inside a reply, before its empty line", cut)
            return events
        if rest:
            self._banner.append(bytes(rest))
        self._flush_banner(events)
        self._state = _State.DEAD
        return events

    def _feed_lines(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        start = 0
        while self._state is not _State.DEAD:
            end = data.find(b"\n", start)
            stop = len(data) if end < 0 else end
            if len(self._line) + stop - start > MAX_LINE_BYTES:
                quoted = bytes(self._line[:MAX_QUOTED_BYTES]) + data[start : start + MAX_QUOTED_BYTES]
                self._fail(events, FaultKind.FLOOD, f"a line of more than {MAX_LINE_BYTES} bytes", quoted)
                break
            if end < 0:
                self._line += data[start:]
                break
            if self._line:
                self._line += data[start:end]
                line = bytes(self._line)
                self._line.clear()
            else:
                line = data[start:end]
            start = end + 1
            self._take_line(line, events)
        return events

    def _take_line(self, raw: bytes, events: list[Event]) -> None:
        line = raw.translate(_TAB_TO_BLANK, _DISCARDED)
        if self._state is _State.BEFORE_FIRST and not self._banner and line.startswith(_BYTE_ORDER_MARK):
            # What some runtimes write before the first output of all; what follows is an ordinary line.
            self._banner.append(_BYTE_ORDER_MARK)
            line = line[len(_BYTE_ORDER_MARK) :]
        if self._state is _State.INSIDE:
            if not line:
                self._end_reply(events)
                return
            self._reply_bytes += len(raw) + 1
            self._reply.append(line)
        elif not line:
            self._empty_bytes += len(raw) + 1
            if self._empty_bytes > MAX_EMPTY_BYTES:
                self._fail(events, FaultKind.FLOOD, f"more than {MAX_EMPTY_BYTES} bytes of empty lines", raw)
            return
        elif line[0] in _MARKS and (len(line) == 1 or line[1] in _AFTER_MARK):
            if problem := self._id_problem(line):
                self._fail(events, FaultKind.MALFORMED, problem, raw)
                return
            self._state = _State.INSIDE
            self._reply_bytes = len(raw) + 1
            self._reply = [line]
        elif self._state is _State.BEFORE_FIRST:
            self._take_banner(raw, line, events)
            return
        else:
            self._fail(events, FaultKind.MALFORMED, "text outside a reply (`=` or `?` must begin one)", raw)
            return
        if self._reply_bytes > MAX_REPLY_BYTES:
            self._fail(
                events, FaultKind.FLOOD, f"a reply of more than {MAX_REPLY_BYTES} bytes", self._reply[0]
            )

    def _take_banner(self, raw: bytes, line: bytes, events: list[Event]) -> None:
        self._banner_bytes += len(raw) + 1
        if self._banner_bytes > MAX_BANNER_BYTES:
            message = f"more than {MAX_BANNER_BYTES} bytes before the first reply"
            self._fail(events, FaultKind.FLOOD, message, self._banner[0] if self._banner else raw)
        else:
            self._banner.append(line)

    def _flush_banner(self, events: list[Event]) -> None:
        if self._banner:
            events.append(Banner(_decoded(b"\n".join(self._banner)[:MAX_QUOTED_BYTES])))
            self._banner.clear()

    def _end_reply(self, events: list[Event]) -> None:
        self._flush_banner(events)
        first = self._reply[0]
        body = first[1:].lstrip(_DIGITS)
        digits = first[1 : len(first) - len(body)]
        text = _decoded(b"\n".join([body, *self._reply[1:]])).strip(" ")
        events.append(Reply(first[:1] == b"=", int(digits) if digits else None, text))
        self._state = _State.BETWEEN
        self._reply.clear()
        self._empty_bytes = 0

    def _id_problem(self, line: bytes) -> str | None:
        body = line[1:].lstrip(_DIGITS)
        digits = len(line) - 1 - len(body)
        if digits and not self._ids:
            return "a reply with an id to a command without one (no digit may follow `=` or `?` directly)"
        if self._ids and not digits:
            return "a reply without the id of its command"
        if digits > MAX_ID_DIGITS or (body and body[:1] != b" "):
            return "no id of the referee's, or no blank between it and the text"
        return None

    def _fail(self, events: list[Event], kind: FaultKind, message: str, offending: bytes) -> None:
        self._flush_banner(events)
        events.append(Fault(kind, message, offending[:MAX_QUOTED_BYTES]))
        self._state = _State.DEAD
        self._line.clear()
        self._reply.clear()


def _whole_replies(data: bytes) -> list[Event] | None:
    """Return the replies of a chunk made of nothing but whole plain ones, None for every other chunk.

    Nearly all reads of a game look like this, and three replies must cost about a microsecond: nothing is
    copied but the replies themselves. What is not recognised here, the reading line by line sorts out.
    """
    parts = data.split(b"\n\n")
    if parts.pop() or not parts:
        return None
    events: list[Event] = []
    for part in parts:
        if part == b"=" or part == b"= ":
            events.append(_EMPTY_SUCCESS)
            continue
        mark = part[:2]
        if mark != b"= " and mark != b"? ":
            return None
        try:
            text = part.decode("ascii")
        except UnicodeDecodeError:
            return None
        # Printable ASCII holds no control character; line ends are allowed between the lines of one reply.
        if not text.isprintable() and not text.replace("\n", " ").isprintable():
            return None
        events.append(Reply(mark == b"= ", None, text[2:].strip(" ")))
    return events


class Command(NamedTuple):
    """One command as an engine sees it.

    Attributes:
        id: the id to repeat in the reply, None without.
        name: the command's name; empty when a line held an id and nothing else.
        arguments: the words after it.
    """

    id: int | None
    name: str
    arguments: tuple[str, ...]


class BadCommand(NamedTuple):
    """A line that could not be read as a command; it deserves an error reply. `message` says why."""

    message: str


class CommandParser:
    """Turns the bytes an engine reads into commands; drops comments, empty lines and control characters."""

    __slots__ = ("_is_overlong", "_line")

    def __init__(self) -> None:
        self._line = bytearray()
        self._is_overlong = False

    def feed(self, data: bytes) -> list[Command | BadCommand]:
        """Take the next bytes of the stream and return the commands they complete, in order."""
        *ended, rest = data.split(b"\n")
        commands: list[Command | BadCommand] = []
        for piece in ended:
            self._append(piece)
            command: Command | BadCommand | None
            if self._is_overlong:
                command = BadCommand(f"command longer than {MAX_LINE_BYTES} bytes")
            else:
                command = _parsed_command(bytes(self._line))
            self._line.clear()
            self._is_overlong = False
            if command is not None:
                commands.append(command)
        self._append(rest)
        return commands

    def _append(self, piece: bytes) -> None:
        if self._is_overlong or len(self._line) + len(piece) > MAX_LINE_BYTES:
            self._is_overlong = True
            self._line.clear()
        else:
            self._line += piece


def _parsed_command(raw: bytes) -> Command | None:
    words = _decoded(raw.translate(_TAB_TO_BLANK, _DISCARDED).partition(b"#")[0]).split(" ")
    words = [word for word in words if word]
    if not words:
        return None
    if words[0].isascii() and words[0].isdigit() and len(words[0]) <= MAX_ID_DIGITS:
        return Command(int(words[0]), words[1] if len(words) > 1 else "", tuple(words[2:]))
    return Command(None, words[0], tuple(words[1:]))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
