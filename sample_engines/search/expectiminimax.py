"""Expectiminimax for games with dice: the mean over all rolls of the best answer, one or two turns ahead.

Values are shares of the win, in millionths, of the side that has just moved. Source: Michie, Game-playing and
game-learning automata (1966). The two depths are two functions: compiled functions that call themselves
cannot be kept on disk.
"""

from __future__ import annotations

from sample_engines.search.layout import OVER, TO_MOVE, Cells, Rows, kernel
from sample_engines.search.plakoto_core import SURE, evaluate, list_moves, play, set_roll, value_of

NODES = 0
"""Positions valued."""
MOST_NODES = 1
"""Positions after which a search is given up and its value means nothing."""
CONTROL = 2


@kernel
def value_move(
    stack: Rows, tables: Cells, control: Cells, lists: Rows, move: int, turns: int, width: int
) -> int:
    """Return what a move in `stack[0]` is worth to the mover.

    Args:
        stack: the position, and room for `turns` + 1 more.
        tables: the network.
        control: the search's counts.
        lists: room for a list of moves for each of these, and one more.
        move: the move.
        turns: how many further turns to look ahead, 0 to 2; 0: what the network says.
        width: how many of the best answers to a roll are looked at again with two turns.
    """
    after = stack[1]
    after[:] = stack[0]
    play(after, tables, move)
    if turns == 0 or after[OVER] != 0:
        control[NODES] += 1
        return evaluate(after, tables, 1 - after[TO_MOVE])
    if turns == 1:
        return _mean_of_answers(stack, tables, control, lists, 1)
    return _mean_of_second_answers(stack, tables, control, lists, width)


@kernel
def _mean_of_answers(stack: Rows, tables: Cells, control: Cells, lists: Rows, ply: int) -> int:
    """Return the mean over all rolls when the opponent answers `stack[ply]` as the network likes best."""
    total = 0
    for larger in range(1, 7):
        for smaller in range(1, larger + 1):
            best, count = _value_answers(stack, tables, lists, ply, larger, smaller)
            control[NODES] += count
            total += (1 if larger == smaller else 2) * (SURE - best)
    return total // 36


@kernel
def _mean_of_second_answers(stack: Rows, tables: Cells, control: Cells, lists: Rows, width: int) -> int:
    """Return the mean for `stack[1]` when he looks a turn further at the answers the network likes best."""
    total = 0
    below = stack[2]
    moves = lists[1]
    for larger in range(1, 7):
        for smaller in range(1, larger + 1):
            if control[NODES] > control[MOST_NODES]:
                return 0
            best, count = _value_answers(stack, tables, lists, 1, larger, smaller)
            control[NODES] += count
            kept = _bring_best_forward(moves, lists[2], count, width)
            if kept > 1:
                best = -1
                for rank in range(kept):
                    below[:] = stack[1]
                    set_roll(below, tables, larger, smaller)
                    play(below, tables, moves[rank])
                    if below[OVER] != 0:
                        value = evaluate(below, tables, 1 - below[TO_MOVE])
                    else:
                        value = _mean_of_answers(stack, tables, control, lists, 2)
                    best = max(best, value)
            total += (1 if larger == smaller else 2) * (SURE - best)
    return total // 36


@kernel
def _value_answers(
    stack: Rows, tables: Cells, lists: Rows, ply: int, larger: int, smaller: int
) -> tuple[int, int]:
    """Value all answers to `stack[ply]` with a roll; return the best value and how many there are.

    The answers are left in `lists[ply]`, their values in `lists[ply + 1]`.
    """
    below = stack[ply + 1]
    below[:] = stack[ply]
    set_roll(below, tables, larger, smaller)
    moves = lists[ply]
    values = lists[ply + 1]
    count = list_moves(below, tables, moves)
    best = -1
    for index in range(count):
        values[index] = value_of(below, tables, moves[index])
        best = max(best, values[index])
    return best, count


@kernel
def _bring_best_forward(moves: Cells, values: Cells, count: int, width: int) -> int:
    """Put the `width` moves of highest value first, the best at the front; return how many that are."""
    kept = min(width, count)
    for rank in range(kept):
        best = rank
        for index in range(rank + 1, count):
            if values[index] > values[best]:
                best = index
        moves[rank], moves[best] = moves[best], moves[rank]
        values[rank], values[best] = values[best], values[rank]
    return kept
