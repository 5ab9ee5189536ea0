"""Drives the expectiminimax kernels: one turn deeper as long as the time allows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sample_engines.search.expectiminimax import CONTROL, MOST_NODES, NODES
from sample_engines.search.layout import MOST_MOVES
from sample_engines.search.plakoto_core import SURE

if TYPE_CHECKING:
    from sample_engines.search.assemble import Kernels

MOST_TURNS = 2
"""Turns to look ahead at most: one more costs some 200 times the nodes."""

WIDTHS = (10_000, 10, 4)
"""How many of the best moves are looked at again with 0, 1, 2 turns ahead; and of the answers below."""

PLAIN_NODES_A_SECOND = 4_000
COMPILED_NODES_A_SECOND = 200_000
"""What to expect of a machine before anything has been measured; on the safe side."""

NODES_AT_ONCE = 300_000
"""Nodes without a limit of time: a move of a second or less."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """The best move, the mover's share of the win by it (0 to 1), turns ahead and positions valued."""

    move: int
    share: float
    turns: int
    nodes: int


class Expectiminimax:
    """Searches single positions.

    Args:
        kernels: Plakoto's functions, assembled with `expectiminimax`.
        tables: the network.
        cells: length of a position.
    """

    def __init__(self, kernels: Kernels, tables: list[int], cells: int) -> None:
        self._kernels = kernels
        self._tables = kernels.cells(tables)
        self._stack = kernels.rows(MOST_TURNS + 2, cells)
        self._lists = kernels.rows(MOST_TURNS + 3, MOST_MOVES)
        self._control = kernels.cells(CONTROL)
        self._speed = float(COMPILED_NODES_A_SECOND if kernels.is_compiled else PLAIN_NODES_A_SECOND)

    def best_move(self, state: list[int], seconds: float | None, turns: int | None) -> Valuation:
        """Look one turn further ahead at a time, at the best moves of the time before.

        Args:
            state: the position, dice thrown.
            seconds: how long; the number of nodes follows from the speed so far. None: `NODES_AT_ONCE`.
            turns: the most turns ahead, None for as many as there is time for.
        """
        row = self._stack[0]
        row[:] = state if isinstance(row, list) else self._kernels.cells(state)
        count = self._kernels.list_moves(row, self._tables, self._lists[0])
        moves = [int(self._lists[0][index]) for index in range(count)]
        best = Valuation(moves[0], 0.5, 0, 0)
        if count == 1:
            return best
        budget = NODES_AT_ONCE if seconds is None else int(seconds * self._speed)
        used = 0
        for ahead in range((MOST_TURNS if turns is None else min(turns, MOST_TURNS)) + 1):
            width = WIDTHS[ahead]
            values = []
            begin = time.monotonic()
            self._control[NODES] = 0
            self._control[MOST_NODES] = max(budget - used, len(moves) if ahead == 0 else 0)
            for move in moves[:width]:
                value = self._kernels.value_move(
                    self._stack, self._tables, self._control, self._lists, move, ahead, width
                )
                values.append((int(value), move))
            nodes = int(self._control[NODES])
            elapsed = time.monotonic() - begin
            if elapsed > 0.01:
                self._speed = nodes / elapsed
            used += nodes
            if nodes > self._control[MOST_NODES]:
                break
            values.sort(key=lambda pair: -pair[0])
            moves = [move for _, move in values]
            best = Valuation(moves[0], values[0][0] / SURE, ahead, used)
            if used * 100 > budget:
                break
        return best
