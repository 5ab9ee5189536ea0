"""Who pays: the faults that the live part can meet, named by what the caller should conclude."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.core.verdict import Reason

OFFENDING_BYTES = 400
"""How much of an offending reply is kept as evidence: enough for a line of any sane engine."""


class EngineFault(Exception):  # noqa: N818  the engine's fault, not an error of this program
    """The engine misbehaved: it loses. Its process is in an unknown state and must not be used again.

    Attributes:
        reason: the reason code of the contract.
        message: one sentence for people.
        offending: the bytes in question, cut; not escaped yet.
    """

    def __init__(self, reason: Reason, message: str, offending: bytes = b"") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.offending = offending[:OFFENDING_BYTES]


class ArenaFault(Exception):  # noqa: N818
    """The arena's own fault, or the machine's: the game is void, replayed, and nobody is charged."""


def escaped(data: bytes, limit: int = OFFENDING_BYTES) -> str:
    """Return untrusted bytes as printable ASCII (backslash escapes), cut to `limit` bytes with `…`.

    Nothing that a terminal, an HTML page or a spreadsheet could take for a command of its own survives
    unescaped except `<`, `&` and the like, which pages escape when they are made.
    """
    cut = data[:limit]
    text = "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else _escape(byte) for byte in cut)
    return text + "…" if len(data) > limit else text


def escaped_lines(data: bytes, limit: int) -> str:
    """Return the last `limit` bytes of untrusted text, escaped, line breaks kept."""
    tail = data[-limit:]
    return "\n".join(escaped(line, limit) for line in tail.splitlines())


def _escape(byte: int) -> str:
    named = {9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\"}
    return named.get(byte, f"\\x{byte:02x}")
