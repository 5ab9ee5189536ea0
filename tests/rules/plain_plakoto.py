"""One turn of Plakoto once more, read off the rule text step by step: slow, plain, without any shortcut.

It shares no code with `arena.rules.plakoto`. All points are the mover's own; 0 stands for off.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = tuple[int, int]


class Board(NamedTuple):
    """A position as the mover sees it; counts by point include pinned checkers."""

    own: tuple[int, ...]
    own_pinned: frozenset[int]
    enemy: tuple[int, ...]
    enemy_pinned: frozenset[int]


class Line(NamedTuple):
    """A sequence of checker moves that cannot or need not be continued."""

    steps: tuple[Step, ...]
    dice: tuple[int, ...]
    board: Board
    ended: bool


def board_of(setup: dict[str, Any]) -> Board:
    """Return the board of a `setup` object, seen from the side to move."""
    mover = setup["turn"]
    enemy = "B" if mover == "W" else "W"
    own_counts, enemy_counts = [0] * 25, [0] * 25
    own_counts[0] = setup["off"][mover]
    for point, count in setup[mover].items():
        own_counts[int(point)] = count
    for point, count in setup[enemy].items():
        enemy_counts[25 - int(point)] = count
    return Board(
        tuple(own_counts),
        frozenset(setup["pinned"][mover]),
        tuple(enemy_counts),
        frozenset(25 - point for point in setup["pinned"][enemy]),
    )


def plays(board: Board, dice: tuple[int, int]) -> dict[Board, list[tuple[Step, ...]]]:
    """Return position -> all legal orders that lead to it, the canonical one first."""
    remaining = Counter(dice) if dice[0] != dice[1] else Counter({dice[0]: 4})
    lines = list(_lines(board, remaining, (), ()))
    longest = max(len(line.steps) for line in lines)
    larger_can = any(line.dice == (max(dice),) for line in lines)
    found: dict[Board, list[tuple[Step, ...]]] = {}
    for line in lines:
        if not line.ended:
            if len(line.steps) < longest:
                continue
            if longest == 1 and larger_can and line.dice != (max(dice),):
                continue
        orders = found.setdefault(line.board, [])
        if line.steps not in orders:
            orders.append(line.steps)
    for orders in found.values():
        orders.sort(key=order_key)
    return found


def order_key(steps: tuple[Step, ...]) -> tuple[int, list[Step]]:
    """Return the canonical order: fewest checker moves, then from descending, to ascending."""
    return len(steps), [(-start, end) for start, end in steps]


def _lines(
    board: Board, remaining: Counter[int], steps: tuple[Step, ...], used: tuple[int, ...]
) -> Iterator[Line]:
    if steps and _has_ended(board):
        yield Line(steps, used, board, ended=True)
        return
    can_go_on = False
    for die in sorted(die for die, count in remaining.items() if count):
        for step, following in _single_moves(board, die):
            can_go_on = True
            yield from _lines(following, remaining - Counter([die]), (*steps, step), (*used, die))
    if not can_go_on:
        yield Line(steps, used, board, ended=False)


def _single_moves(board: Board, die: int) -> Iterator[tuple[Step, Board]]:
    for start in range(1, 25):
        if board.own[start] == 0 or start in board.own_pinned:
            continue
        end = start - die
        if end >= 1:
            if board.enemy[end] >= 2 or end in board.own_pinned:
                continue
        else:
            if board.own_pinned or any(board.own[point] for point in range(7, 25)):
                continue
            if end < 0 and any(board.own[point] for point in range(start + 1, 25)):
                continue
            end = 0
        yield (start, end), _after(board, start, end)


def _after(board: Board, start: int, end: int) -> Board:
    own = list(board.own)
    own[start] -= 1
    own[end] += 1
    enemy_pinned = set(board.enemy_pinned)
    if own[start] == 0:
        enemy_pinned.discard(start)
    if end and board.enemy[end] == 1:
        enemy_pinned.add(end)
    return board._replace(own=tuple(own), enemy_pinned=frozenset(enemy_pinned))


def _has_ended(board: Board) -> bool:
    if board.own[0] == 15:
        return True
    own_last_is_pinned = 24 in board.own_pinned
    enemy_last_is_pinned = 1 in board.enemy_pinned
    if own_last_is_pinned and enemy_last_is_pinned:
        return True
    if enemy_last_is_pinned and board.own[24] == 0:
        return True
    return own_last_is_pinned and board.enemy[1] == 0
