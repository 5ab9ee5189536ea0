"""Pletore: the score after the move, less what the opponent could flip next, plus what the mover could."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.base import BLACK
from arena.rules.pletore import PletorePosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Move, Position

EXPOSED = 4.0
"""Points lost with a stone that the opponent controls: he can flip it, and its surroundings change hands."""

THREATENED = 2.0
"""Points gained with an enemy stone that the mover controls: a flip to come, unless it is prevented."""

WON = 1000.0
"""More than any difference of scores; added to it, so that of two wins the larger is taken."""


def rank(position: Position, moves: Sequence[Move]) -> list[float]:
    """Return for each move the score difference it leads to, in points, as the mover sees it."""
    mover = position.to_move
    values = []
    for move in moves:
        after = position.copy()
        after.play(move)
        values.append(value(after, mover))
    return values


def value(position: Position, side: int) -> float:
    """Return what a position in which the opponent of `side` is to move is worth to `side`, in points."""
    if not isinstance(position, PletorePosition):
        raise TypeError(f"no position of Pletore: {position!r}")
    scores = position.scores()
    difference = float(scores[side] - scores[1 - side])
    komi = position.rules.komi if side != BLACK else -position.rules.komi
    half = {"black": 0.5, "white": -0.5}.get(position.button_state, 0.0)
    button = half if side == BLACK else -half
    if position.is_over:
        margin = difference + komi + button
        return margin + WON if margin > 0 else margin - WON
    own, enemy = side + 1, 2 - side
    exposed = threatened = 0
    for stone, controller in zip(position.board, position.controllers(), strict=True):
        if stone and controller and stone != controller:
            if stone == own and controller == enemy:
                exposed += 1
            else:
                threatened += 1
    return difference + button - EXPOSED * exposed + THREATENED * threatened
