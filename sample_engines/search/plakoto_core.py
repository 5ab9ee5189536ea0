"""Plakoto for the search: plays found as the rules core finds them, positions valued by a small network.

The network (one hidden layer, whole numbers only) has taught itself, see `sample_engines.learning.plakoto`;
it gives a side's share of the win when the opponent is about to roll. A playout plays the turn that is due by
the network's advice and takes its word for the rest.

A move is up to four checker moves of 10 bits, 32 * from + to in the mover's own points, the first in the
lowest bits; 0 is the pass.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sample_engines.search.layout import (
    AWAITS_DICE,
    DRAW,
    HEAD,
    MARGIN,
    OVER,
    RESULT,
    TO_MOVE,
    WIN,
    Cells,
    kernel,
)

if TYPE_CHECKING:
    from arena.rules.base import Move, Rules

LARGER = HEAD
SMALLER = HEAD + 1
FREE = HEAD + 2
"""Checkers of Black on each own point that are not pinned, point 0 being off; then White's."""
SIDE = 25
"""Integers a side."""
PINNED = FREE + 2 * SIDE
"""1 for each own point on which a checker of Black is pinned; then White's."""
SAVED = PINNED + 2 * SIDE
"""Room for a copy of everything before it."""
TURN = 2 * SAVED
"""Room for the mover's free checkers in the middle of a turn."""
HIDDEN = TURN + SIDE
"""Room for the hidden layer."""
PROSPECT = HIDDEN + 24
"""Room for what `_look_at_prospect` finds."""

CHECKERS = 15
START = 24
HOME = 6

KNOBS = (100, 0, 1)
"""Exploration, bias of later moves and visits before a node gets children, as in `layout`."""

CANDIDATES = 16
"""Most moves that a node of the tree has."""

MOST_PLAYS = 4096
"""More than there are ways to make four equal steps with 15 checkers (3060)."""

HITS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0)
"""By distance: how many of 36 rolls bring a checker exactly there when nothing is in the way."""

# The network. Tables hold, one after another: for each feature what it adds to each hidden unit, the hidden
# units' own thresholds, their weights in the output, the output's own threshold.
UNITS = 24
POINT_FEATURES = 4
"""Of a side on a point: one free checker or more, two or more, how many above two, holds an enemy pinned."""
SIDE_FEATURES = 5
"""Of a side as a whole: checkers off, and the four of `_look_at_prospect`."""
BOARD_FEATURES = 2 * START * POINT_FEATURES
FEATURES = BOARD_FEATURES + 2 * SIDE_FEATURES
"""Own points, the enemy's points, the own side, the enemy's side."""
SCALE = 4096
"""What stands for 1 in weights and hidden units."""
SURE = 1_000_000
"""What stands for a certain win in `evaluate`."""
NUMBERS = (FEATURES + 2) * UNITS + 1

_WEIGHTS = Path(__file__).parents[1] / "learning" / "plakoto_weights.json"
_STEP = 1024
"""One checker move's place in a move."""


@cache
def read_weights() -> tuple[int, ...]:
    """Return the network's numbers."""
    numbers: list[int] = json.loads(_WEIGHTS.read_text())["weights"]
    return tuple(numbers)


def make_tables(rules: Rules) -> list[int]:
    """Return what the kernels have to know: the network."""
    del rules
    return list(read_weights())


def make_state(tables: list[int], first: int) -> list[int]:
    """Return the starting position, in which `first` is to roll."""
    del tables
    free = [*[0] * START, CHECKERS]
    head = [first, 0, 0, 0, 1, 0, 0]
    return [*head, *free, *free, *[0] * (2 * SIDE + SAVED + SIDE + 24 + 4)]


def encode(move: Move) -> int:
    """Return the number of a play of the rules core."""
    play_ = cast("tuple[tuple[int, int], ...]", move)
    return sum((32 * start + end) * _STEP**place for place, (start, end) in enumerate(play_))


def decode(code: int) -> Move:
    """Return the rules core's play."""
    steps = []
    while code:
        steps.append((code % _STEP // 32, code % 32))
        code //= _STEP
    return tuple(steps)


@kernel
def rave_key(move: int) -> int:
    """Return 0: what a move is worth here says nothing about it elsewhere."""
    return 0 * move


@kernel
def set_roll(state: Cells, tables: Cells, larger: int, smaller: int) -> None:
    """Give the dice to a position that awaits them."""
    state[LARGER] = larger
    state[SMALLER] = smaller
    state[AWAITS_DICE] = 0


# --- Plays ---------------------------------------------------------------------------------------------


@kernel
def _open_points(state: Cells) -> int:
    """Return a bit for each own point on which the side to move may land."""
    mover = state[TO_MOVE]
    enemy = FREE + SIDE * (1 - mover)
    pinned = PINNED + SIDE * mover
    points = 0
    for point in range(1, START + 1):
        if state[enemy + 25 - point] < 2 and state[pinned + point] == 0:
            points |= 1 << point
    return points


@kernel
def _has_pinned(state: Cells) -> bool:
    pinned = PINNED + SIDE * state[TO_MOVE]
    for point in range(1, START + 1):
        if state[pinned + point] != 0:
            return True
    return False


@kernel
def _can_step(state: Cells, start: int, die: int, open_points: int, has_pinned: bool) -> bool:
    """Say whether a free checker on `start` can move by `die` in the middle of a turn."""
    if state[TURN + start] == 0:
        return False
    if start > die:
        return open_points >> (start - die) & 1 != 0
    if has_pinned:
        return False
    highest = START
    while state[TURN + highest] == 0:
        highest -= 1
    return highest <= HOME and (start == die or start == highest)


@kernel
def _ends(state: Cells) -> bool:
    """Say whether the checker move just made in the middle of a turn ends the game."""
    mover = state[TO_MOVE]
    if state[TURN] == CHECKERS:
        return True
    enemies_at_start = state[FREE + SIDE * (1 - mover) + START] + state[PINNED + SIDE * (1 - mover) + START]
    if enemies_at_start == 1 and state[TURN + 1] > 0:
        return state[TURN + START] == 0
    return enemies_at_start == 0 and state[PINNED + SIDE * mover + START] != 0


@kernel
def _low_half(state: Cells) -> int:
    """Return points 0 to 12 of the turn's checkers as one number; equal numbers are equal points."""
    packed = 0
    for point in range(13):
        packed = packed * 16 + state[TURN + point]
    return packed


@kernel
def _high_half(state: Cells) -> int:
    """Return points 13 to 24 in the same way."""
    packed = 0
    for point in range(13, SIDE):
        packed = packed * 16 + state[TURN + point]
    return packed


@kernel
def _add_play(state: Cells, moves: Cells, first: int, count: int, play_: int) -> int:
    """Add a play to those from `first` on unless one leads to the same position; return the new count."""
    low, high = _low_half(state), _high_half(state)
    for index in range(first, count):
        if moves[MOST_PLAYS + index] == low and moves[2 * MOST_PLAYS + index] == high:
            return count
    moves[count] = play_
    moves[MOST_PLAYS + count] = low
    moves[2 * MOST_PLAYS + count] = high
    return count + 1


@kernel
def _unpack(state: Cells, moves: Cells, index: int) -> None:
    """Set the turn's checkers to where a play leads."""
    low, high = moves[MOST_PLAYS + index], moves[2 * MOST_PLAYS + index]
    for point in range(12, -1, -1):
        state[TURN + point] = low & 15
        low >>= 4
    for point in range(START, 12, -1):
        state[TURN + point] = high & 15
        high >>= 4


@kernel
def list_moves(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write every legal move into `moves`, in the canonical order, and return how many there are."""
    if state[OVER] != 0 or state[AWAITS_DICE] != 0:
        return 0
    state[TURN : TURN + SIDE] = state[FREE + SIDE * state[TO_MOVE] : FREE + SIDE * state[TO_MOVE] + SIDE]
    if state[LARGER] == state[SMALLER]:
        count = _list_double(state, moves)
    else:
        count = _list_two_dice(state, moves)
    if count == 0:
        moves[0] = 0
        count = 1
    return count


@kernel
def _list_two_dice(state: Cells, moves: Cells) -> int:
    """Write the plays of two different dice.

    First steps, and second ones after each, are tried in the canonical order, so that of the orders of a play
    the canonical one is met first.
    """
    open_points, has_pinned = _open_points(state), _has_pinned(state)
    larger, smaller = state[LARGER], state[SMALLER]
    # Plays of one step that end the game come first.
    ending = 0
    for with_second in range(2):
        count = ending
        for start in range(START, 0, -1):
            was_off_by_larger = False
            for turn in range(2):
                die, other = (larger, smaller) if turn == 0 else (smaller, larger)
                if not _can_step(state, start, die, open_points, has_pinned):
                    continue
                if turn == 1 and was_off_by_larger and start <= die:
                    # The same step as with the larger die, which has been looked at with either die left.
                    continue
                either_left = (
                    turn == 0
                    and start <= smaller
                    and _can_step(state, start, smaller, open_points, has_pinned)
                )
                was_off_by_larger = turn == 0 and start <= larger
                end = max(0, start - die)
                step = 32 * start + end
                state[TURN + start] -= 1
                state[TURN + end] += 1
                if _ends(state):
                    if with_second == 0:
                        ending = _add_play(state, moves, 0, ending, step)
                elif with_second == 1:
                    count = _add_second_steps(
                        state,
                        moves,
                        count,
                        step,
                        other,
                        larger if either_left else 0,
                        open_points,
                        has_pinned,
                    )
                state[TURN + start] += 1
                state[TURN + end] -= 1
    if count > ending:
        return count
    return _list_single_steps(state, moves, open_points, has_pinned)


@kernel
def _add_second_steps(
    state: Cells,
    moves: Cells,
    count: int,
    step: int,
    die: int,
    other_die: int,
    open_points: int,
    has_pinned: bool,
) -> int:
    """Add the plays that go on after `step` with `die`, or with `other_die` (0: not)."""
    for start in range(START, 0, -1):
        for turn in range(2):
            with_die = other_die if turn == 0 else die
            if with_die == 0 or not _can_step(state, start, with_die, open_points, has_pinned):
                continue
            end = max(0, start - with_die)
            state[TURN + start] -= 1
            state[TURN + end] += 1
            count = _add_play(state, moves, 0, count, step + _STEP * (32 * start + end))
            state[TURN + start] += 1
            state[TURN + end] -= 1
    return count


@kernel
def _list_single_steps(state: Cells, moves: Cells, open_points: int, has_pinned: bool) -> int:
    """Write the plays of one step when no second one is possible: with the larger die if it can be played."""
    larger, smaller = state[LARGER], state[SMALLER]
    can_larger = False
    for start in range(START, 0, -1):
        can_larger = can_larger or _can_step(state, start, larger, open_points, has_pinned)
    count = 0
    for start in range(START, 0, -1):
        for turn in range(2):
            die = larger if turn == 0 else smaller
            if not _can_step(state, start, die, open_points, has_pinned):
                continue
            end = max(0, start - die)
            state[TURN + start] -= 1
            state[TURN + end] += 1
            if turn == 0 or not can_larger or _ends(state):
                count = _add_play(state, moves, 0, count, 32 * start + end)
            state[TURN + start] += 1
            state[TURN + end] -= 1
    return count


@kernel
def _list_double(state: Cells, moves: Cells) -> int:
    """Write the plays of a double, level by level of the number of steps; each level is in canonical order.

    Plays that end the game stay in front; the level grows behind them and then takes the place of the last.
    """
    open_points, has_pinned = _open_points(state), _has_pinned(state)
    die = state[LARGER]
    ended = 0
    level = _add_play(state, moves, 0, 0, 0)
    place = 1
    for number in range(4):
        count = level
        kept = ended
        for index in range(ended, level):
            _unpack(state, moves, index)
            if number > 0 and _ends(state):
                continue
            for start in range(START, 0, -1):
                if _can_step(state, start, die, open_points, has_pinned):
                    end = max(0, start - die)
                    state[TURN + start] -= 1
                    state[TURN + end] += 1
                    count = _add_play(state, moves, level, count, moves[index] + place * (32 * start + end))
                    state[TURN + start] += 1
                    state[TURN + end] -= 1
        if count == level:
            break
        if number > 0:
            for index in range(ended, level):
                _unpack(state, moves, index)
                if _ends(state):
                    _copy_play(moves, index, kept)
                    kept += 1
        for index in range(level, count):
            _copy_play(moves, index, kept + index - level)
        ended, level = kept, kept + count - level
        place *= _STEP
    return 0 if level == 1 and moves[0] == 0 else level


@kernel
def _copy_play(moves: Cells, index: int, to: int) -> None:
    for part in range(3):
        moves[part * MOST_PLAYS + to] = moves[part * MOST_PLAYS + index]


@kernel
def play(state: Cells, tables: Cells, move: int) -> None:
    """Make the steps of a turn, in the order they are given."""
    mover = state[TO_MOVE]
    enemy = 1 - mover
    left = move
    while left != 0:
        start, end = left % _STEP // 32, left % 32
        left //= _STEP
        state[FREE + SIDE * mover + start] -= 1
        state[FREE + SIDE * mover + end] += 1
        if state[FREE + SIDE * mover + start] == 0 and state[PINNED + SIDE * enemy + 25 - start] != 0:
            state[PINNED + SIDE * enemy + 25 - start] = 0
            state[FREE + SIDE * enemy + 25 - start] = 1
        if end > 0 and state[FREE + SIDE * enemy + 25 - end] == 1:
            state[FREE + SIDE * enemy + 25 - end] = 0
            state[PINNED + SIDE * enemy + 25 - end] = 1
    state[TO_MOVE] = enemy
    state[AWAITS_DICE] = 1
    if move != 0:
        _judge(state, mover)


@kernel
def _judge(state: Cells, mover: int) -> None:
    """End the game if it has ended by the turn of `mover`."""
    enemy = 1 - mover
    if state[FREE + SIDE * mover] == CHECKERS:
        _end(state, mover)
        return
    own_stuck = state[PINNED + SIDE * mover + START] != 0
    enemy_stuck = state[PINNED + SIDE * enemy + START] != 0
    if own_stuck and enemy_stuck:
        state[OVER] = 1
        state[AWAITS_DICE] = 0
        state[RESULT] = DRAW
        state[MARGIN] = 0
    elif enemy_stuck and state[FREE + SIDE * mover + START] == 0:
        _end(state, mover)
    elif own_stuck and state[FREE + SIDE * enemy + START] == 0:
        _end(state, enemy)


@kernel
def _end(state: Cells, winner: int) -> None:
    points = 2 if state[FREE + SIDE * (1 - winner)] == 0 else 1
    state[OVER] = 1
    state[AWAITS_DICE] = 0
    state[RESULT] = WIN if winner == 0 else 0
    state[MARGIN] = 2 * points if winner == 0 else -2 * points


# --- The network ---------------------------------------------------------------------------------------


@kernel
def feature(state: Cells, side: int, number: int) -> int:
    """Return one feature of a position, as seen by `side`; 0 for most of them."""
    if number >= BOARD_FEATURES:
        owner = side if number < BOARD_FEATURES + SIDE_FEATURES else 1 - side
        kind = (number - BOARD_FEATURES) % SIDE_FEATURES
        if kind == 0:
            return state[FREE + SIDE * owner]
        _look_at_prospect(state, owner)
        return state[PROSPECT + kind - 1]
    owner = side if number < START * POINT_FEATURES else 1 - side
    point = number // POINT_FEATURES % START + 1
    kind = number % POINT_FEATURES
    count = state[FREE + SIDE * owner + point]
    if kind == 3:
        return state[PINNED + SIDE * (1 - owner) + 25 - point]
    if kind == 2:
        return max(0, count - 2)
    return 1 if count > kind else 0


@kernel
def evaluate(state: Cells, tables: Cells, side: int) -> int:
    """Return the share of the win, 0 to `SURE`, that `side` has when the opponent is about to roll."""
    if state[OVER] != 0:
        return SURE // WIN * (state[RESULT] if side == 0 else WIN - state[RESULT])
    thresholds = FEATURES * UNITS
    for unit in range(UNITS):
        state[HIDDEN + unit] = tables[thresholds + unit]
    for whose in range(2):
        owner = side if whose == 0 else 1 - side
        free = FREE + SIDE * owner
        held = PINNED + SIDE * (1 - owner) + 25
        row = whose * START * POINT_FEATURES * UNITS
        for point in range(1, START + 1):
            count = state[free + point]
            if count > 0:
                _add_feature(state, tables, row, 1)
                if count > 1:
                    _add_feature(state, tables, row + UNITS, 1)
                    if count > 2:
                        _add_feature(state, tables, row + 2 * UNITS, count - 2)
                if state[held - point] != 0:
                    _add_feature(state, tables, row + 3 * UNITS, 1)
            row += POINT_FEATURES * UNITS
        row = (BOARD_FEATURES + whose * SIDE_FEATURES) * UNITS
        _add_feature(state, tables, row, state[free])
        _look_at_prospect(state, owner)
        for kind in range(SIDE_FEATURES - 1):
            _add_feature(state, tables, row + (kind + 1) * UNITS, state[PROSPECT + kind])
    output = tables[thresholds + 2 * UNITS] * SCALE
    for unit in range(UNITS):
        inner = state[HIDDEN + unit]
        output += inner * SCALE // (SCALE + abs(inner)) * tables[thresholds + UNITS + unit]
    output //= SCALE
    return SURE // 2 + SURE // 2 * output // (SCALE + abs(output))


@kernel
def _add_feature(state: Cells, tables: Cells, row: int, value: int) -> None:
    if value != 0:
        for unit in range(UNITS):
            state[HIDDEN + unit] += value * tables[row + unit]


@kernel
def _look_at_prospect(state: Cells, owner: int) -> None:
    """Find what a side has to fear, and how well it stands in the way.

    Written are: for all single checkers that could be pinned the rolls (of 36) that do it, added up; the same
    times the points the checker still has to run; the same for the last checker on the start point alone; and
    pairs of neighbouring points that the side holds.
    """
    free = FREE + SIDE * owner
    enemy = FREE + SIDE * (1 - owner)
    held = PINNED + SIDE * (1 - owner)
    fear = far_fear = chain = 0
    was_held = False
    state[PROSPECT + 2] = 0
    for point in range(1, START + 1):
        count = state[free + point]
        holds = state[held + 25 - point] != 0
        if count == 1 and not holds:
            miss = 36 * 36
            for start in range(26 - point, START + 1):
                if state[enemy + start] > 0:
                    miss = miss * (36 - HITS[start - 25 + point]) // 36
            rolls = 36 - miss // 36
            fear += rolls
            far_fear += rolls * point
            if point == START:
                state[PROSPECT + 2] = rolls
        is_held = count > 1 or (count == 1 and holds)
        if is_held and was_held:
            chain += 1
        was_held = is_held
    state[PROSPECT] = fear
    state[PROSPECT + 1] = far_fear
    state[PROSPECT + 3] = chain


@kernel
def value_of(state: Cells, tables: Cells, move: int) -> int:
    """Return what `evaluate` says of the position after a move, for the mover; the state stays as it is."""
    mover = state[TO_MOVE]
    state[SAVED : 2 * SAVED] = state[:SAVED]
    play(state, tables, move)
    value = evaluate(state, tables, mover)
    state[:SAVED] = state[SAVED : 2 * SAVED]
    return value


@kernel
def best_move(state: Cells, tables: Cells, moves: Cells) -> int:
    """Return the legal move that the network likes best, the first of equals."""
    count = list_moves(state, tables, moves)
    best, best_value = moves[0], -1
    if count > 1:
        for index in range(count):
            value = value_of(state, tables, moves[index])
            if value > best_value:
                best, best_value = moves[index], value
    return best


@kernel
def list_candidates(state: Cells, tables: Cells, moves: Cells, priors: Cells) -> int:
    """Write the moves the network likes best, best first."""
    legal = list_moves(state, tables, moves)
    count = 0
    for index in range(legal):
        move = moves[index]
        value = value_of(state, tables, move)
        if count == CANDIDATES and priors[2 * count - 1] >= value:
            continue
        # Ranks never overtake the list they are taken from.
        rank = count if count < CANDIDATES else count - 1
        while rank > 0 and priors[2 * rank - 1] < value:
            moves[rank] = moves[rank - 1]
            priors[2 * rank + 1] = priors[2 * rank - 1]
            rank -= 1
        moves[rank] = move
        priors[2 * rank + 1] = value
        count = min(count + 1, CANDIDATES)
    for rank in range(count):
        priors[2 * rank] = 2
        priors[2 * rank + 1] //= SURE // WIN
    return count


@kernel
def playout(state: Cells, tables: Cells, generator: Cells, trace: Cells, moves: Cells, priors: Cells) -> int:
    """Play the turn that is due and ask the network."""
    if state[AWAITS_DICE] == 0:
        play(state, tables, best_move(state, tables, moves))
    if state[OVER] == 0:
        mover = 1 - state[TO_MOVE]
        share = evaluate(state, tables, mover) // (SURE // WIN)
        state[RESULT] = share if mover == 0 else WIN - share
        state[MARGIN] = 0
    return 0
