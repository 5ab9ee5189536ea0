"""The symmetries of a square board as permutations of its points, numbered row by row from A1."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.rules.base import Move

Permutation = tuple[int, ...]
"""For each point, the point it goes to."""


@cache
def of_square(size: int) -> tuple[Permutation, ...]:
    """Return the eight turns and mirrorings of a board, the identity first."""
    lines = range(size)
    last = size - 1
    upright = [
        [(row, column), (row, last - column), (last - row, column), (last - row, last - column)]
        for row in lines
        for column in lines
    ]
    return tuple(
        tuple(images[which][is_turned] * size + images[which][1 - is_turned] for images in upright)
        for is_turned in (0, 1)
        for which in range(4)
    )


@cache
def keeping_rows(size: int) -> tuple[Permutation, ...]:
    """Return those of them that take rows to rows: the identity, both mirrorings, half a turn."""
    return of_square(size)[:4]


def as_map(images: Iterable[int]) -> Callable[[Move], Move]:
    """Return the map of moves that a list of images is, for games whose moves are numbers from 0."""
    return cast("Callable[[Move], Move]", tuple(images).__getitem__)
