"""Pente for the search: what each empty point is worth to either side is kept up to date, stone by stone.

Every five points in a row on which only one colour stands can still become a five of that colour. A point's
worth to a colour is the sum over the fives-to-be through it, by the stones they hold already; and for each
point the number of pairs is kept that either side would capture there. So the best point is found by one look
at each, and playouts are games of two greedy players, who choose by chance among points of nearly the same
worth and are stopped after a while.

Moves are the rules core's numbers: row * size + column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sample_engines.search.layout import (
    DRAW,
    HEAD,
    MARGIN,
    OVER,
    RESULT,
    TO_MOVE,
    WALL,
    WIN,
    Cells,
    kernel,
    walled_board,
    walled_places,
)
from sample_engines.search.random_numbers import draw

if TYPE_CHECKING:
    from arena.rules.base import Move, Rules

EMPTY_POINTS = HEAD
ONLY_POINT = HEAD + 1
"""The centre before the first stone, -1 afterwards."""
PAIRS = HEAD + 2
"""Pairs captured by Black, then by White."""
CHANCES = HEAD + 4
"""Sum of what all fives-to-be of Black are worth, then of White."""
BOARD = HEAD + 6
"""0 empty, 1 Black, 2 White, `WALL` around; (size + 2) in the square."""

# Tables: numbers, then five arrays; those of the state follow the board there.
SIZE = 0
POINTS = 1
WORTH = 2
"""Where in a state the worth of each place to Black begins, to White one board further."""
CAPTURES = 3
"""The same for the pairs that a colour would capture there."""
FIVES = 4
"""The same for fives: stones of Black + 8 * stones of White."""
PLACES = 5
"""Where in the tables the place of each point begins."""
THROUGH = 6
"""Where in the tables the fives through each point begin: `MOST_FIVES` numbers, -1 where there are fewer."""
LINES = 7
"""Where in the tables the places of each five begin."""
STEPS = 8
"""Where in the tables the eight steps to neighbouring places begin; four more numbers there are the
lines'."""
VALUES = 9
"""Where in the tables the worth of a five-to-be by its stones begins."""
NUMBERS = 10

MOST_FIVES = 20
WINNING_RUN = 5
WINNING_PAIRS = 5

FIVE = 1 << 20
"""What a point is worth that completes five; more than all else together."""
THREE = 400
"""What a point is worth in a five-to-be that holds three stones."""
_VALUES = (1, 8, 50, THREE, FIVE, 0)
PAIR = 200
"""A pair captured; each pair captured before makes it worth as much again."""

KNOBS = (120, 0, 1)
"""Exploration, bias of later moves and visits before a node gets children, as in `layout`."""

CANDIDATES = 20
"""Most moves that a node of the tree has."""

PLAYOUT_TURNS = 24
"""Turns after which a playout is judged by the fives-to-be."""


def make_tables(rules: Rules) -> list[int]:
    """Return what the kernels have to know of a board."""
    size = rules.size or 0
    stride = size + 2
    steps = (-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1)
    places = walled_places(size, BOARD)
    fives: list[list[int]] = []
    through: list[list[int]] = [[] for _ in places]
    for row in range(size):
        for column in range(size):
            for up, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
                ends = (row + 4 * up, column + 4 * right)
                if all(0 <= end < size for end in ends):
                    points = [(row + step * up) * size + column + step * right for step in range(5)]
                    for point in points:
                        through[point].append(len(fives))
                    fives.append([places[point] for point in points])
    worth = BOARD + stride * stride
    captures = worth + 2 * stride * stride
    offsets = [NUMBERS]
    arrays: list[list[int]] = [
        places,
        [number for numbers in through for number in numbers + [-1] * (MOST_FIVES - len(numbers))],
        [place for five in fives for place in five],
        list(steps),
        list(_VALUES),
    ]
    for array in arrays:
        offsets.append(offsets[-1] + len(array))
    return [
        size,
        size * size,
        worth,
        captures,
        captures + 2 * stride * stride,
        *offsets[:5],
        *(number for array in arrays for number in array),
    ]


def make_state(tables: list[int], first: int) -> list[int]:
    """Return the starting position; Black moves first."""
    del first
    size, points = tables[SIZE], tables[POINTS]
    board = walled_board(size)
    worth = [0] * len(board)
    fives = (tables[STEPS] - tables[LINES]) // WINNING_RUN
    for place in tables[tables[LINES] : tables[STEPS]]:
        worth[place - BOARD] += _VALUES[0]
    captures = [0] * (2 * len(board))
    head = [0, 0, 0, 0, 0, points, points // 2, 0, 0, fives, fives]
    return [*head, *board, *worth, *worth, *captures, *[0] * fives]


def encode(move: Move) -> int:
    """Return the number of a move of the rules core: the same."""
    return cast("int", move)


def decode(code: int) -> Move:
    """Return the rules core's move."""
    return code


@kernel
def rave_key(move: int) -> int:
    """Return the point."""
    return move


@kernel
def list_moves(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write every legal move into `moves`, in the canonical order, and return how many there are."""
    if state[OVER] != 0:
        return 0
    if state[ONLY_POINT] >= 0:
        moves[0] = state[ONLY_POINT]
        return 1
    count = 0
    places = tables[PLACES]
    for point in range(tables[POINTS]):
        if state[tables[places + point]] == 0:
            moves[count] = point
            count += 1
    return count


@kernel
def _value(state: Cells, tables: Cells, place: int, mover: int) -> int:
    """Return what an empty place is worth to the mover: `4 * FIVE` wins, `FIVE` or more stops a loss."""
    board = (tables[SIZE] + 2) * (tables[SIZE] + 2)
    at = place - BOARD
    own = state[tables[WORTH] + mover * board + at]
    captures = state[tables[CAPTURES] + mover * board + at]
    if own >= FIVE or state[PAIRS + mover] + captures >= WINNING_PAIRS:
        return 4 * FIVE
    enemy = state[tables[WORTH] + (1 - mover) * board + at]
    saves = state[tables[CAPTURES] + (1 - mover) * board + at]
    value = own
    if enemy >= FIVE or (saves > 0 and state[PAIRS + 1 - mover] + saves >= WINNING_PAIRS):
        value += FIVE
    else:
        value += enemy - enemy // 4
    value += captures * PAIR * (1 + state[PAIRS + mover])
    return value + saves * (PAIR - PAIR // 4) * (1 + state[PAIRS + 1 - mover])


@kernel
def list_candidates(state: Cells, tables: Cells, moves: Cells, priors: Cells) -> int:
    """Write the points worth most, best first; a win alone, and against a loss only what may stop it."""
    if state[ONLY_POINT] >= 0:
        return _only_candidate(moves, priors, state[ONLY_POINT], DRAW)
    mover = state[TO_MOVE]
    places = tables[PLACES]
    captures = tables[CAPTURES] + mover * (tables[SIZE] + 2) * (tables[SIZE] + 2) - BOARD
    count = 0
    for point in range(tables[POINTS]):
        place = tables[places + point]
        if state[place] != 0:
            continue
        value = _value(state, tables, place, mover)
        if value >= 4 * FIVE:
            return _only_candidate(moves, priors, point, WIN)
        if count == CANDIDATES and priors[2 * count - 1] >= value:
            continue
        rank = count if count < CANDIDATES else count - 1
        while rank > 0 and priors[2 * rank - 1] < value:
            moves[rank] = moves[rank - 1]
            priors[2 * rank + 1] = priors[2 * rank - 1]
            rank -= 1
        moves[rank] = point
        priors[2 * rank + 1] = value
        count = min(count + 1, CANDIDATES)
    if priors[1] >= FIVE:
        # The opponent would win next: only what stands in his way counts, or takes a pair off the board.
        kept = 0
        for rank in range(count):
            takes = state[captures + tables[places + moves[rank]]] > 0
            if priors[2 * rank + 1] >= FIVE or takes:
                moves[kept] = moves[rank]
                priors[2 * kept + 1] = min(priors[2 * rank + 1], FIVE)
                kept += 1
        count = kept
    best = priors[1]
    for rank in range(count):
        priors[2 * rank] = 4
        priors[2 * rank + 1] = 300 + 300 * priors[2 * rank + 1] // max(1, best)
    return count


@kernel
def _only_candidate(moves: Cells, priors: Cells, point: int, share: int) -> int:
    moves[0] = point
    priors[0] = 1
    priors[1] = share
    return 1


@kernel
def _change(state: Cells, tables: Cells, point: int, stone: int) -> None:
    """Put a stone (1, 2) on an empty point or take it away (0), and keep worth and captures up to date."""
    stride = tables[SIZE] + 2
    board = stride * stride
    place = tables[tables[PLACES] + point]
    _count_captures(state, tables, place, -1)
    colour = (stone if stone != 0 else state[place]) - 1
    added = (1 if colour == 0 else 8) * (1 if stone != 0 else -1)
    state[place] = stone
    _count_captures(state, tables, place, 1)
    worth = tables[WORTH] - BOARD
    values = tables[VALUES]
    through = tables[THROUGH] + MOST_FIVES * point
    for index in range(through, through + MOST_FIVES):
        five = tables[index]
        if five < 0:
            break
        before = state[tables[FIVES] + five]
        after = before + added
        state[tables[FIVES] + five] = after
        for side in range(2):
            old = new = 0
            if side == 0:
                if before < 8:
                    old = tables[values + before]
                if after < 8:
                    new = tables[values + after]
            else:
                if before & 7 == 0:
                    old = tables[values + (before >> 3)]
                if after & 7 == 0:
                    new = tables[values + (after >> 3)]
            if new != old:
                state[CHANCES + side] += new - old
                line = tables[LINES] + WINNING_RUN * five
                for step in range(line, line + WINNING_RUN):
                    state[worth + side * board + tables[step]] += new - old


@kernel
def _count_captures(state: Cells, tables: Cells, place: int, sign: int) -> None:
    """Add (or take away) all captures in whose four points this place is one of the three with stones."""
    stride = tables[SIZE] + 2
    captures = tables[CAPTURES] - BOARD
    steps = tables[STEPS]
    for index in range(steps, steps + 8):
        step = tables[index]
        # The empty point of the pattern is one, two or three steps back; walls end the search.
        start = place
        for _ in range(3):
            start -= step
            if state[start] == WALL:
                break
            near = state[start + step]
            if near != 1 and near != 2:
                continue
            if state[start + 2 * step] == near and state[start + 3 * step] == 3 - near:
                state[captures + (2 - near) * stride * stride + start] += sign


@kernel
def play(state: Cells, tables: Cells, move: int) -> None:
    """Make a legal move."""
    mover = state[TO_MOVE]
    own = mover + 1
    place = tables[tables[PLACES] + move]
    steps = tables[STEPS]
    _change(state, tables, move, own)
    state[EMPTY_POINTS] -= 1
    state[ONLY_POINT] = -1
    for index in range(8):
        step = tables[steps + index]
        if (
            state[place + step] == 3 - own
            and state[place + 2 * step] == 3 - own
            and state[place + 3 * step] == own
        ):
            # The step in points: the wall makes a row of places two longer than a row of points.
            row = -1 if index < 3 else (0 if index < 5 else 1)
            inside = step - 2 * row
            for distance in range(1, 3):
                _change(state, tables, move + distance * inside, 0)
            state[PAIRS + mover] += 1
            state[EMPTY_POINTS] += 2
    is_won = state[PAIRS + mover] >= WINNING_PAIRS
    for index in range(4):
        step = tables[steps + index]
        run = 1
        at = place + step
        while state[at] == own:
            run += 1
            at += step
        at = place - step
        while state[at] == own:
            run += 1
            at -= step
        if run >= WINNING_RUN:
            is_won = True
    state[TO_MOVE] = 1 - mover
    if is_won or state[EMPTY_POINTS] == 0:
        state[OVER] = 1
        state[RESULT] = DRAW if not is_won else (WIN if mover == 0 else 0)
        state[MARGIN] = 2 * (state[PAIRS] - state[PAIRS + 1])


@kernel
def set_roll(state: Cells, tables: Cells, larger: int, smaller: int) -> None:
    """Do nothing: there are no dice."""


@kernel
def playout(state: Cells, tables: Cells, generator: Cells, trace: Cells, moves: Cells, priors: Cells) -> int:
    """Let two greedy players play on for a while, then judge by the fives-to-be and the pairs."""
    places = tables[PLACES]
    for _ in range(PLAYOUT_TURNS):
        mover = state[TO_MOVE]
        best = 0
        if state[ONLY_POINT] >= 0:
            moves[0] = state[ONLY_POINT]
            count = 1
        else:
            count = 0
            for point in range(tables[POINTS]):
                place = tables[places + point]
                if state[place] == 0:
                    value = _value(state, tables, place, mover)
                    if 4 * value >= 3 * best:
                        moves[count] = point
                        priors[count] = value
                        count += 1
                        best = max(best, value)
            kept = 0
            for index in range(count):
                if 4 * priors[index] >= 3 * best:
                    moves[kept] = moves[index]
                    kept += 1
            count = kept
        play(state, tables, moves[draw(generator, count)])
        if state[OVER] != 0:
            return 0
    state[MARGIN] = 2 * (state[PAIRS] - state[PAIRS + 1])
    state[RESULT] = guess(state, tables)
    return 0


@kernel
def guess(state: Cells, tables: Cells) -> int:
    """Return Black's share of the win as the fives-to-be and the captured pairs promise it."""
    black = state[CHANCES] + 2 * PAIR * state[PAIRS] * state[PAIRS]
    white = state[CHANCES + 1] + 2 * PAIR * state[PAIRS + 1] * state[PAIRS + 1]
    # To move is worth about half as much again.
    if state[TO_MOVE] == 0:
        black += black // 2
    else:
        white += white // 2
    return min(WIN - 50, max(50, WIN * black // max(1, black + white)))


@kernel
def list_threats(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write the one winning point, or what may stop a loss; if there is neither, what makes a four.

    The number is negative in the first two cases: nothing else can be played. A capture that leaves one pair
    to the win counts as a four.
    """
    board = (tables[SIZE] + 2) * (tables[SIZE] + 2)
    mover = state[TO_MOVE]
    is_threatened = False
    count = 0
    for point in range(tables[POINTS]):
        place = tables[tables[PLACES] + point]
        if state[place] != 0:
            continue
        value = _value(state, tables, place, mover)
        if value >= 4 * FIVE:
            moves[0] = point
            return -1
        takes = state[tables[CAPTURES] + mover * board + place - BOARD]
        if value >= FIVE and not is_threatened:
            is_threatened = True
            kept = 0
            for index in range(count):
                other = tables[tables[PLACES] + moves[index]] - BOARD
                if state[tables[CAPTURES] + mover * board + other] > 0:
                    moves[kept] = moves[index]
                    kept += 1
            count = kept
        if is_threatened:
            is_listed = value >= FIVE or takes > 0
        else:
            own = state[tables[WORTH] + mover * board + place - BOARD]
            is_listed = own >= THREE or takes > 0
        if is_listed:
            moves[count] = point
            count += 1
    if is_threatened:
        return -count
    kept = 0
    for index in range(count):
        place = tables[tables[PLACES] + moves[index]] - BOARD
        pairs = state[PAIRS + mover] + state[tables[CAPTURES] + mover * board + place]
        if state[tables[WORTH] + mover * board + place] >= THREE or pairs >= WINNING_PAIRS - 1:
            moves[kept] = moves[index]
            kept += 1
    return kept
