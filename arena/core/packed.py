"""What is worked out from a record for its row in the store, by whoever played the game.

`arena.store.record_codec.pack` makes it.
"""

from __future__ import annotations

from typing import NamedTuple


class TimeUse(NamedTuple):
    """What one side used in one game: moves it made itself, microseconds in all, and for the longest."""

    moves: int
    total_us: int
    longest_us: int


class PackedParts(NamedTuple):
    """What the store keeps of a record beside its plain values, worked out from them.

    Attributes:
        moves: all of them in one text.
        times, dice, throws, more: see `arena.store.record_codec`.
        moves_hash: the same for games of the same moves and dice, 64 bits, signed.
        time_use: of Black and of White.
        started, ended: milliseconds since 1970, or the text of what is no instant.
        seal: see `arena.core.seal`.
    """

    moves: str
    times: bytes
    dice: bytes | None
    throws: bytes | None
    moves_hash: int
    time_use: tuple[TimeUse, TimeUse]
    started: int | str
    ended: int | str
    more: bytes | None
    seal: bytes
