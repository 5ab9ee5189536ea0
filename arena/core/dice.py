"""Dice that nobody can foresee during the event and everybody can check after it.

A key of 256 secret random bits is made at the start; its SHA-256 is published then (a commitment), the key
itself at the end. Each game's dice come from a key of its own, and each turn's roll from that key and the
turn's number alone, so any roll can be had without those before it:

    game key      = HMAC-SHA-256(event key, "gtparena/dice/1" NUL ident)
    block(use, n) = HMAC-SHA-256(game key, use NUL n)          n = 0, 1, 2, …
    dice of a use = the bytes of its blocks in turn, those of 252 and more left out, each byte mod 6 plus 1
    roll of turn t: use = "roll" NUL t, the first two dice
    opening throws: use = "opening", two dice a throw (Black's, White's), thrown until they differ

numbers in decimal. 252 is the largest multiple of 6 up to 256: what is left out is what would favour some
faces. docs/seeds-and-dice.md says what the scheme proves and what it does not.
"""

from __future__ import annotations

import hashlib
import hmac
from itertools import count
from typing import TYPE_CHECKING, Literal

from arena.rules.base import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import ScheduledGame
    from arena.core.record import GameRecord

KEY_BYTES = 32
_PREFIX = b"gtparena/dice/1"
_FAIR_BYTES = 252


def make_key(random_bytes: bytes) -> bytes:
    """Return the dice key of an event, made of 32 bytes from the operating system's secure source.

    Raises:
        ValueError: not 32 bytes.
    """
    if len(random_bytes) != KEY_BYTES:
        raise ValueError(f"a dice key has {KEY_BYTES} bytes, not {len(random_bytes)}")
    return bytes(random_bytes)


def key_hash(key: bytes) -> str:
    """Return the commitment that is published before the first roll: SHA-256 of the key's bytes, in hex."""
    return hashlib.sha256(key).hexdigest()


def dice_ident(
    game: ScheduledGame | GameRecord, attempt: int, mode: Literal["independent", "duplicate"]
) -> str:
    """Return for what the dice of one playing are derived.

    Independent dice are new for every game and every attempt, so that a replayed game does not repeat rolls
    that were seen already. Duplicate dice belong to the pair: both games, and a replay, have the same.

    Args:
        game: the game, as scheduled or as recorded.
        attempt: 1 for the first playing, 2 for a replay, …
        mode: the event's `dice`.
    """
    return game.pair if mode == "duplicate" else f"{game.id}#{attempt}"


def game_key(key: bytes, ident: str) -> bytes:
    """Return the key of one game's dice.

    Args:
        key: the event's dice key.
        ident: from `dice_ident`.
    """
    return hmac.digest(key, _PREFIX + b"\0" + ident.encode(), "sha256")


def starter(opening: tuple[tuple[int, int], ...]) -> tuple[int, tuple[int, int]]:
    """Return who starts after the opening throws, and the dice of the first turn, the higher one first.

    Args:
        opening: throws as [Black's die, White's die], the last one decided.

    Raises:
        ValueError: no throws, or the last one is a tie.
    """
    if not opening or opening[-1][0] == opening[-1][1]:
        raise ValueError("the opening throws decide nothing")
    black, white = opening[-1]
    return (BLACK, (black, white)) if black > white else (WHITE, (white, black))


class Dice:
    """All dice of one game, in any order of asking."""

    __slots__ = ("_game_key",)

    def __init__(self, game_key: bytes) -> None:
        self._game_key = game_key

    def opening(self) -> tuple[tuple[int, int], ...]:
        """Return the opening throws, [Black's die, White's die] each; all but the last are ties."""
        faces = self._faces(b"opening")
        throws: list[tuple[int, int]] = []
        while not throws or throws[-1][0] == throws[-1][1]:
            throws.append((next(faces), next(faces)))
        return tuple(throws)

    def roll(self, turn: int) -> tuple[int, int]:
        """Return the roll of a turn, in the order thrown.

        Args:
            turn: counted from 0 over both sides. Turn 0 is played with the opening throw instead, so the
                referee asks from 1 on.
        """
        faces = self._faces(b"roll\0%d" % turn)
        return next(faces), next(faces)

    def _faces(self, use: bytes) -> Iterator[int]:
        for block in count():
            for byte in hmac.digest(self._game_key, b"%b\0%d" % (use, block), "sha256"):
                if byte < _FAIR_BYTES:
                    yield byte % 6 + 1
