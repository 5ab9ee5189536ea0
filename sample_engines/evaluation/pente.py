"""Pente: what a stone makes and what it stops, in fives-to-be, captures and threats of capture.

Every five points in a row on which only one colour stands can still become a five of that colour; a point is
worth the more, the more stones stand in the fives it belongs to.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from arena.rules.pente import WINNING_PAIRS, WINNING_RUN, PentePosition

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.rules.base import Move, Position

WIN = 1_000_000.0
STOP_WIN = 100_000.0
"""Less than to win, more than everything else."""

EXTEND = (1.0, 8.0, 50.0, 400.0, WIN)
"""What a stone adds in one five-to-be of the mover's that already has 0 to 4 stones. Overlapping fives add
up, so an open three or four weighs more than a blocked one."""

STOP = (0.5, 6.0, 40.0, 300.0, STOP_WIN)
"""The same for a five-to-be of the opponent's that the stone spoils."""

CAPTURE = 200.0
"""A pair captured; each pair captured before makes it worth as much again."""

SAVE = 150.0
"""A pair of the mover's that the opponent could capture on this point; counted in the same way."""

ATTACK = 12.0
"""A pair of the opponent's that could be captured next."""

EXPOSE = 25.0
"""A pair of the mover's that could be captured next because of the stone."""

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def rank(position: Position, moves: Sequence[Move]) -> list[float]:
    """Return for each move the worth of its point to the side to move."""
    if not isinstance(position, PentePosition):
        raise TypeError(f"no position of Pente: {position!r}")
    board = position.board
    own = position.to_move + 1
    enemy = 3 - own
    worth = [0.0] * len(board)
    # Most of the board is empty: only lines through a stone can say anything.
    for line in _fives_near(position.rules.size, board):
        colours = bytes([board[point] for point in line])
        own_stones, enemy_stones = colours.count(own), colours.count(enemy)
        if enemy_stones and own_stones:
            continue
        gain = STOP[enemy_stones] if enemy_stones else EXTEND[own_stones]
        for point in line:
            worth[point] += gain
    pairs = position.pairs_captured
    rays = _rays(position.rules.size)
    return [
        worth[point] + _captures(board, rays[point], own, pairs[own - 1], pairs[enemy - 1])
        for point in moves
        if isinstance(point, int)
    ]


def _fives_near(size: int, board: bytes) -> Iterable[tuple[int, ...]]:
    """Return every five of which a point is occupied, each once."""
    fives, through = _fives(size)
    numbers = {number for point, stone in enumerate(board) if stone for number in through[point]}
    return (fives[number] for number in numbers)


def _captures(
    board: bytes, rays: tuple[tuple[int, ...], ...], own: int, own_pairs: int, enemy_pairs: int
) -> float:
    """Return what a stone gains and risks by captures, looking three points along each of eight rays."""
    enemy = 3 - own
    captures = saves = 0
    value = 0.0
    for index, ray in enumerate(rays):
        if len(ray) < 2:
            continue
        near, far = board[ray[0]], board[ray[1]]
        if len(ray) > 2 and near == far != 0:
            bracket = board[ray[2]]
            if near == enemy:
                if bracket == own:
                    captures += 1
                elif bracket == 0:
                    value += ATTACK
            elif bracket == enemy:
                saves += 1
        behind = rays[index ^ 1]
        if near == own and far != own and behind:
            ends = {far, board[behind[0]]}
            if ends == {0, enemy}:
                value -= EXPOSE
    if own_pairs + captures >= WINNING_PAIRS:
        return WIN
    if enemy_pairs + saves >= WINNING_PAIRS and saves:
        return STOP_WIN
    return value + captures * CAPTURE * (1 + own_pairs) + saves * SAVE * (1 + enemy_pairs)


@cache
def _fives(size: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return all fives of a board, and for each point the numbers of those it belongs to."""
    fives = []
    for row in range(size):
        for column in range(size):
            for down, right in _DIRECTIONS:
                points = [
                    (row + step * down, column + step * right)
                    for step in range(WINNING_RUN)
                    if row + step * down < size and 0 <= column + step * right < size
                ]
                if len(points) == WINNING_RUN:
                    fives.append(tuple(r * size + c for r, c in points))
    through: list[list[int]] = [[] for _ in range(size * size)]
    for number, five in enumerate(fives):
        for point in five:
            through[point].append(number)
    return tuple(fives), tuple(map(tuple, through))


@cache
def _rays(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return for each point the three points next to it in each of eight directions, opposite ones paired."""
    directions = [(sign * down, sign * right) for down, right in _DIRECTIONS for sign in (1, -1)]
    return tuple(
        tuple(
            tuple(
                (row + step * down) * size + column + step * right
                for step in (1, 2, 3)
                if 0 <= row + step * down < size and 0 <= column + step * right < size
            )
            for down, right in directions
        )
        for row in range(size)
        for column in range(size)
    )
