"""Topolo: both sides' groups after the move, the largest weighing most, and the room they have to grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.topolo import EMPTY, TopoloPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Move, Position

GROUP_WEIGHTS = (1.0, 0.25, 0.1)
"""What a piece counts in the largest group, the second, the third; smaller groups do not matter."""

HEIGHT = 0.02
"""A unit of height in the same groups: it decides only between groups of equal size."""

ROOM = 0.3
"""An empty cell beside a group, where it can still grow or be joined to another."""

WON = 1000.0


def rank(position: Position, moves: Sequence[Move]) -> list[float]:
    """Return for each move how much better the mover's groups are than the opponent's, in pieces."""
    if not isinstance(position, TopoloPosition):
        raise TypeError(f"no position of Topolo: {position!r}")
    side = position.to_move
    values = []
    for move in moves:
        after = position.copy()
        after.play(move)
        values.append(value(after, side))
    return values


def value(position: TopoloPosition, side: int) -> float:
    """Return what a position is worth to `side`, in pieces of the largest group."""
    if position.is_over:
        winner = position.outcome().winner
        return 0.0 if winner is None else WON if winner == side else -WON
    return _strength(position, side) - _strength(position, 1 - side)


def _strength(position: TopoloPosition, side: int) -> float:
    """Return the weighted size of a side's groups, each with the room around it."""
    board, heights, neighbours = position.board, position.heights, position.rules.neighbours
    unseen = {cell for cell, owner in enumerate(board) if owner == side}
    groups = []
    while unseen:
        stack = [unseen.pop()]
        strength = 0.0
        room = set()
        while stack:
            cell = stack.pop()
            strength += 1.0 + HEIGHT * heights[cell]
            for neighbour in neighbours[cell]:
                if neighbour in unseen:
                    unseen.remove(neighbour)
                    stack.append(neighbour)
                elif board[neighbour] == EMPTY:
                    room.add(neighbour)
        groups.append(strength + ROOM * len(room))
    groups.sort(reverse=True)
    return sum(weight * group for weight, group in zip(GROUP_WEIGHTS, groups, strict=False))
