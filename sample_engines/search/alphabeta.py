"""Alpha-beta search to a depth, beyond it for moves that force an answer, and to the end where that is near.

Values are a side's share of the win, `UNIT` for a thousandth, so that among wins the quicker one is worth
more. Depth is spent by free choices alone: a position with one or two candidates costs none, which follows a
chain of threats as far as it goes. Beyond the depth only the moves that `list_threats` names are looked at,
with the right to stop (Pente's "victory by continuous fours"). References: Knuth and Moore, An analysis of
alpha-beta pruning, Artificial Intelligence 6 (1975).
"""

from __future__ import annotations

from sample_engines.search.hooks import guess, list_candidates, list_moves, list_threats, play
from sample_engines.search.layout import OVER, RESULT, TO_MOVE, WIN, Cells, Rows, kernel

UNIT = 64
"""Steps in a thousandth of a win; more than `MOST_PLIES`."""
MOST_PLIES = 60
"""The search goes no deeper, threats included."""
MOST_THREAT_PLIES = 20
"""Plies of threats beyond the depth."""

# Counts of a search.
NODES = 0
"""Positions looked at."""
MOST_NODES = 1
"""Positions after which the search gives up."""
IS_EXACT = 2
"""1 as long as nothing was guessed and nothing left out: the value is the true one."""
BEST_INDEX = 3
"""Which of the root's moves is best."""
CONTROL = 4


# What is remembered of a position on the way, by ply. There is a stack in place of a function that calls
# itself: compiled functions that do cannot be kept on disk.
INDEX = 0
COUNT = 1
ALPHA = 2
BETA = 3
LEFT = 4
"""Depth left below the position."""
BEST = 5
FRAME = 6


@kernel
def search_root(
    stack: Rows,
    frames: Rows,
    tables: Cells,
    control: Cells,
    lists: Rows,
    priors: Cells,
    count: int,
    depth: int,
    full: bool,
) -> int:
    """Search the root's moves, the first `count` of `lists[0]`, and return the best one's value to the mover.

    Args:
        stack: the position at `stack[0]`, room below it.
        tables: the game's constants.
        control: the search's counts.
        frames: room for a frame a ply.
        lists: a list of moves for each ply.
        priors: room for what `list_candidates` writes.
        count: how many moves there are.
        depth: plies to look ahead, at least 1.
        full: look at all legal moves everywhere, not just at candidates.
    """
    control[NODES] = 0
    control[IS_EXACT] = 1
    best = -1
    for index in range(count):
        stack[1][:] = stack[0]
        play(stack[1], tables, lists[0][index])
        beta = WIN * UNIT - max(0, best)
        value = WIN * UNIT - _look_on(stack, frames, tables, control, lists, priors, depth - 1, beta, full)
        if control[NODES] > control[MOST_NODES]:
            break
        if value > best:
            best = value
            control[BEST_INDEX] = index
    return best


@kernel
def _look_on(
    stack: Rows,
    frames: Rows,
    tables: Cells,
    control: Cells,
    lists: Rows,
    priors: Cells,
    depth: int,
    beta: int,
    full: bool,
) -> int:
    """Return the value of `stack[1]` to its mover, or a bound that is at least `beta`."""
    ply = 1
    value = _enter(stack, frames, tables, control, lists, priors, ply, depth, 0, beta, full)
    while True:
        if value >= 0:
            # The position at `ply` is done: one move of the position above it is known.
            if ply == 1:
                return value
            ply -= 1
            frame = frames[ply]
            frame[BEST] = max(frame[BEST], WIN * UNIT - value)
            frame[ALPHA] = max(frame[ALPHA], frame[BEST])
            frame[INDEX] += 1
            value = -1
            if frame[INDEX] == frame[COUNT] or frame[ALPHA] >= frame[BETA]:
                value = frame[BEST]
                continue
        frame = frames[ply]
        stack[ply + 1][:] = stack[ply]
        play(stack[ply + 1], tables, lists[ply][frame[INDEX]])
        ply += 1
        value = _enter(
            stack,
            frames,
            tables,
            control,
            lists,
            priors,
            ply,
            frame[LEFT],
            WIN * UNIT - frame[BETA],
            WIN * UNIT - frame[ALPHA],
            full,
        )


@kernel
def _enter(
    stack: Rows,
    frames: Rows,
    tables: Cells,
    control: Cells,
    lists: Rows,
    priors: Cells,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    full: bool,
) -> int:
    """Return the value of `stack[ply]` if no move has to be tried for it; else make its frame, return -1."""
    state = stack[ply]
    mover = state[TO_MOVE]
    control[NODES] += 1
    if state[OVER] != 0:
        return _final_value(state[RESULT] if mover == 0 else WIN - state[RESULT], ply)
    if control[NODES] > control[MOST_NODES]:
        control[IS_EXACT] = 0
        return alpha
    moves = lists[ply]
    best = -1
    if depth <= 0 or ply >= MOST_PLIES:
        control[IS_EXACT] = 0
        share = guess(state, tables)
        # A guess is never as good as a win that has been seen, nor as bad as a loss.
        best = UNIT * min(WIN - 2, max(2, share if mover == 0 else WIN - share))
        if depth <= -MOST_THREAT_PLIES or ply >= MOST_PLIES:
            return best
        count = list_threats(state, tables, moves)
        if count < 0:
            # The guess knows nothing of what is forced here.
            count = -count
            best = -1
        elif count == 0 or best >= beta:
            return best
    elif full:
        count = list_moves(state, tables, moves)
    else:
        count = list_candidates(state, tables, moves, priors)
        control[IS_EXACT] = 0
    frame = frames[ply]
    frame[INDEX] = 0
    frame[COUNT] = count
    frame[ALPHA] = max(alpha, best)
    frame[BETA] = beta
    frame[LEFT] = depth if depth > 0 and count <= 2 else depth - 1
    frame[BEST] = best
    return -1


@kernel
def _final_value(share: int, ply: int) -> int:
    """Return the value of a finished game: wins count less and losses more the later they come."""
    if share == WIN:
        return WIN * UNIT - ply
    if share == 0:
        return ply
    return UNIT * share
