"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, thing: str, things: str = "") -> str:
    """Return `1 game`, `2 games`: a count with its noun.

    Args:
        count: how many.
        thing: the noun for one.
        things: the noun for another number, where it is not `thing` with an `s`.
    """
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"


def in_words(value: object) -> str:
    """Return one thing an engine said for people: a line of moves as moves, everything else as it is."""
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
