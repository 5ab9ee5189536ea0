"""Plakoto: the race, the pins, the blocks, single checkers in danger, and the safety of the start point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.plakoto import START, PlakotoPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Move, Position

# All in points to run, the unit of the race.
PIN = 12.0
"""An enemy checker pinned, wherever it is."""

PIN_DEPTH = 1.0
"""For each point that a pinned checker still has to run: the longer it is held, the more it costs."""

BLOCK = 2.0
"""A point held by two or more checkers."""

CHAIN = 2.0
"""Two such points side by side: blocks in a row stop more rolls."""

DANGER = 16.0
"""A single checker that the opponent could pin, times his chance to roll the number."""

DANGER_DEPTH = 0.7
"""The same for each point it still has to run."""

LAST_AT_START = 150.0
"""The last checker on the start point, times the chance that it is pinned: that loses the game."""

PINNED_START = 300.0
"""A checker pinned on its start point."""

OFF = 2.0
"""A checker borne off."""

WON = 10_000.0

THREAT_SHARE = 0.4
"""Danger to the opponent's checkers counts less: he moves first."""

_ROLLS = 36

_WAYS_TO_HIT = {
    1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3,
    15: 1, 16: 1, 18: 1, 20: 1,
}  # fmt: skip
"""Distance -> how many of the 36 rolls bring a checker exactly there when nothing is in the way."""


def rank(position: Position, moves: Sequence[Move]) -> list[float]:
    """Return for each move what the position after it is worth to the mover, in points to run."""
    if not isinstance(position, PlakotoPosition):
        raise TypeError(f"no position of Plakoto: {position!r}")
    side = position.to_move
    values = []
    for move in moves:
        after = position.copy()
        after.play(move)
        values.append(value(after, side))
    return values


def value(position: PlakotoPosition, side: int) -> float:
    """Return what a position in which the opponent of `side` is to move is worth to `side`."""
    if position.is_over:
        outcome = position.outcome()
        won = WON * (outcome.points or 0)
        return won if outcome.winner == side else -won
    own, enemy = _Side(position, side), _Side(position, 1 - side)
    return own.standing() - enemy.standing() - own.danger_from(enemy) + THREAT_SHARE * enemy.danger_from(own)


class _Side:
    """One side's checkers, in its own points."""

    def __init__(self, position: PlakotoPosition, side: int) -> None:
        self.points = position.points(side)
        self.pinned = position.pinned(side)
        self.free = {point: count for point, count in self.points.items() if point not in self.pinned}
        self.off = position.off(side)
        # Own points on which this side holds an enemy checker.
        self.holding = {START + 1 - point for point in position.pinned(1 - side)}

    def standing(self) -> float:
        """Return what the checkers are worth where they stand."""
        worth = OFF * self.off
        for point, count in self.points.items():
            worth -= point * count
        for point in self.pinned:
            worth -= PINNED_START if point == START else PIN + PIN_DEPTH * point
        blocks = {point for point, count in self.free.items() if count > 1} | self.holding
        worth += BLOCK * len(blocks)
        worth += CHAIN * sum(point + 1 in blocks for point in blocks)
        return worth

    def danger_from(self, enemy: _Side) -> float:
        """Return what may be lost by the pins that the enemy could make in his next turn."""
        danger = 0.0
        for point, count in self.free.items():
            if count != 1 or point in self.holding:
                continue
            chance = _chance(START + 1 - point, enemy)
            if point == START:
                danger += LAST_AT_START * chance
            else:
                danger += (DANGER + DANGER_DEPTH * point) * chance
        return danger


def _chance(target: int, attacker: _Side) -> float:
    """Return roughly how likely a roll brings an attacking checker to `target`, one of its own points."""
    miss = 1.0
    for point in attacker.free:
        miss *= 1.0 - _WAYS_TO_HIT.get(point - target, 0) / _ROLLS
    return 1.0 - miss
