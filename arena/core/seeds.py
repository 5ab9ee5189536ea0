"""Everything that follows from the public seed follows through one derivation, described here once.

    derive(seed, label, ident) = first 8 bytes, big-endian, of
        HMAC-SHA-256(key = the seed in decimal, message = "gtparena/1" NUL label NUL ident)

all texts in UTF-8. `label` names the use (see `Label`), `ident` what it is for (a game's id). One label's
numbers tell nothing about another's, and a game's numbers do not depend on which other games there are: an
event that is extended keeps them. docs/seeds-and-dice.md holds worked examples for checking from elsewhere.
"""

from __future__ import annotations

import hmac
from enum import StrEnum

from arena.rules.base import colour_name

_PREFIX = b"gtparena/1"
_ENGINE_SEED_MASK = (1 << 31) - 1
"""Engines get a seed that fits a signed 32-bit integer."""


class Label(StrEnum):
    """The uses of the public seed; the words are part of the published derivation."""

    GAME = "game"
    ENGINE = "engine"
    OPENINGS = "openings"
    PAIRING = "pairing"


def derive(seed: int, label: str, ident: str) -> int:
    """Return the 64-bit number that a seed gives for one use and one identity.

    Args:
        seed: any integer.
        label: the use, without NUL.
        ident: what it is for, without NUL.

    Raises:
        ValueError: a NUL in `label` or `ident`, which would make two messages one.
    """
    if "\0" in label or "\0" in ident:
        raise ValueError("a label or identity of a derived seed holds a NUL")
    message = b"\0".join((_PREFIX, label.encode(), ident.encode()))
    return int.from_bytes(hmac.digest(str(seed).encode(), message, "sha256")[:8], "big")


def game_seed(event_seed: int, game_id: str) -> int:
    """Return the seed of one game: label `game`, ident the game's id; the upper 63 bits.

    63 and not 64, because it is stored, and databases count in signed 64-bit integers.
    """
    return derive(event_seed, Label.GAME, game_id) >> 1


def engine_seed(seed: int, game_id: str, colour: int) -> int:
    """Return what `arena-seed` tells the engine of a colour, 0 to 2**31 - 1.

    Args:
        seed: the game's seed (`ScheduledGame.seed`).
        game_id: the game's id.
        colour: the colour that the engine plays; under pie the proposer counts as Black.
    """
    return derive(seed, Label.ENGINE, f"{game_id}/{colour_name(colour)}") & _ENGINE_SEED_MASK
