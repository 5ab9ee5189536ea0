"""Where everything stands in the flat integer arrays that the compiled search works on.

A position is one array of integers: a head that is the same for all games, the rest as the game's core likes
it. A node of the search tree is `NODE` integers in one long array; the root is node 0. The search's own
counts are the array `control`.

Results are integers too, thousandths of a win seen from Black, so that plain Python and compiled code add up
exactly the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import TypeVar

Cells = MutableSequence[int]
"""A list in plain Python, an int64 array for the compiled twin."""

Rows = MutableSequence[MutableSequence[int]]
"""A list of lists, or a two-dimensional array whose rows are taken as `Cells`."""

_F = TypeVar("_F", bound=Callable[..., object])


def kernel(function: _F) -> _F:
    """Mark a function as part of the core that is compiled where numba is installed.

    A kernel works on `Cells`, whole numbers and square roots alone, so that both twins agree to the last bit.
    """
    function.__is_kernel__ = True  # type: ignore[attr-defined]
    return function


WIN = 1000
"""A win for Black; 0 is a loss, `DRAW` half of it."""
DRAW = 500

# --- The head of a position ------------------------------------------------------------------------
TO_MOVE = 0
"""0 Black, 1 White."""
OVER = 1
"""1 when the game has ended."""
RESULT = 2
"""Black's share of the win, 0 to `WIN`; set at the end of the game and of a playout."""
MARGIN = 3
"""The margin in half units, Black minus White; set together with `RESULT`."""
AWAITS_DICE = 4
"""1 when dice must be thrown before the next move."""
HEAD = 5
"""First cell that belongs to the game's core."""

# --- A square board in a position --------------------------------------------------------------------
WALL = 4
"""What stands around a board: no colour's bit."""


def walled_board(size: int) -> list[int]:
    """Return an empty board with a wall around it, (size + 2) in the square."""
    wall = [WALL] * (size + 2)
    return [*wall, *[WALL, *[0] * size, WALL] * size, *wall]


def walled_places(size: int, board: int) -> list[int]:
    """Return where each point of a board that begins at `board` stands, row by row."""
    return [board + (row + 1) * (size + 2) + column + 1 for row in range(size) for column in range(size)]


# --- A node of the tree ----------------------------------------------------------------------------
MOVE = 0
"""The move that leads here; below a node that awaits dice the number of the roll."""
FIRST = 1
"""Number of the first child, 0 when there are none yet; the others follow it."""
COUNT = 2
"""How many children there are."""
VISITS = 3
"""Visits, the imagined ones of the prior included."""
WINS = 4
"""Sum of results in thousandths, as seen by the side that moved here."""
RAVE_VISITS = 5
RAVE_WINS = 6
"""The same for all playouts in which this move was made later by the same side."""
PRIOR = 7
"""How many of the visits are imagined."""
NODE = 8

# --- The search's own counts -----------------------------------------------------------------------
USED = 0
"""Nodes in use."""
CAPACITY = 1
"""Nodes there is room for."""
PLAYOUTS = 2
"""Playouts since the counts were cleared."""
MARGINS = 3
"""Sum of the playouts' margins, in half units."""
DEPTH = 4
"""Deepest node reached."""
STAMP = 5
"""Playouts of this process, never set back: the mark of what the present playout has met."""
CONTROL = 6

# --- What a game's core wants of the search ----------------------------------------------------------
EXPLORATION = 0
"""Weight of the unknown, in thousandths."""
RAVE_BIAS = 1
"""How soon own visits outweigh moves made later, in millionths; 0: such moves are not counted at all."""
EXPAND_AT = 2
"""Visits after which a node gets children."""

MOST_MOVES = 3 * 4096
"""Room for all moves of any position: Plakoto needs three integers a move."""
DEEPEST = 1024
"""The search goes no deeper."""
LONGEST_PLAYOUT = 4096
"""Playouts that are longer are a draw."""
ROLLS = 21
"""Different rolls of two dice."""
