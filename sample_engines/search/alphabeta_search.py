"""Drives the alpha-beta kernels: deeper and deeper until the time is up or nothing more can be found out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sample_engines.search.alphabeta import (
    BEST_INDEX,
    CONTROL,
    FRAME,
    IS_EXACT,
    MOST_NODES,
    MOST_PLIES,
    NODES,
    UNIT,
)
from sample_engines.search.layout import MOST_MOVES, TO_MOVE, WIN

if TYPE_CHECKING:
    from sample_engines.search.assemble import Kernels

MOST_DEPTH = 40
"""Iterations end here at the latest."""

PLAIN_NODES_A_SECOND = 400
COMPILED_NODES_A_SECOND = 50_000
"""What to expect of a machine before anything has been measured; on the safe side."""

NODES_AT_DEPTH = 20_000
"""Most nodes under a limit of depth, whatever the clock says: the same depth shall give the same moves."""

_MOST_LISTED = 1024
"""More than any position here has moves."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search says.

    Attributes:
        move: the best move.
        share: the mover's share of the win by it, 0 to 1.
        depth: plies looked ahead.
        nodes: positions looked at.
        is_exact: whether the value is proven.
    """

    move: int
    share: float
    depth: int
    nodes: int
    is_exact: bool


class AlphaBeta:
    """Searches single positions of one game; remembers nothing but its own speed.

    Args:
        kernels: the game's functions, assembled with `alphabeta`.
        tables: the game's constants.
        cells: length of a position.
    """

    def __init__(self, kernels: Kernels, tables: list[int], cells: int) -> None:
        self._kernels = kernels
        self._tables = kernels.cells(tables)
        self._stack = kernels.rows(MOST_PLIES + 2, cells)
        self._frames = kernels.rows(MOST_PLIES + 2, FRAME)
        self._lists = kernels.rows(MOST_PLIES + 2, _MOST_LISTED)
        self._priors = kernels.cells(2 * MOST_MOVES)
        self._control = kernels.cells(CONTROL)
        self._speed = float(COMPILED_NODES_A_SECOND if kernels.is_compiled else PLAIN_NODES_A_SECOND)

    def best_move(
        self, state: list[int], seconds: float | None, depth: int | None, *, endgame: int
    ) -> Verdict:
        """Search deeper and deeper and return the best move of the deepest search that was finished.

        Args:
            state: the position.
            seconds: how long; the number of nodes follows from the speed so far. None for no limit.
            depth: the most plies, None for no limit; then there are at most `NODES_AT_DEPTH` nodes.
            endgame: with at most so many legal moves all of them are looked at, to the end if time allows.
        """
        row = self._stack[0]
        row[:] = state if isinstance(row, list) else self._kernels.cells(state)
        legal = self._kernels.list_moves(row, self._tables, self._lists[0])
        full = legal <= endgame
        count = legal
        if not full:
            count = self._kernels.list_candidates(row, self._tables, self._lists[0], self._priors)
        verdict = Verdict(int(self._lists[0][0]), self._guess(row), 0, 0, False)
        if count == 1:
            return verdict
        budget = NODES_AT_DEPTH
        if seconds is not None:
            affordable = max(1, int(seconds * self._speed))
            budget = affordable if depth is None else min(budget, affordable)
        used = 0
        for plies in range(1, (depth or MOST_DEPTH) + 1):
            self._control[MOST_NODES] = budget - used
            begin = time.monotonic()
            value = self._kernels.search_root(
                self._stack,
                self._frames,
                self._tables,
                self._control,
                self._lists,
                self._priors,
                count,
                plies,
                full,
            )
            elapsed = time.monotonic() - begin
            nodes = int(self._control[NODES])
            used += nodes
            if elapsed > 0.01:
                self._speed = nodes / elapsed
            if nodes > budget - used + nodes:
                break
            best = int(self._control[BEST_INDEX])
            self._bring_forward(best)
            is_exact = bool(self._control[IS_EXACT])
            verdict = Verdict(int(self._lists[0][0]), value / (UNIT * WIN), plies, used, is_exact)
            # A win or a loss that has been seen is not changed by looking deeper.
            if is_exact or not UNIT * 2 <= value <= UNIT * (WIN - 2) or used >= budget:
                break
        return verdict

    def _bring_forward(self, index: int) -> None:
        """Let the best move be the first to be tried at the next depth."""
        moves = self._lists[0]
        best = moves[index]
        for place in range(index, 0, -1):
            moves[place] = moves[place - 1]
        moves[0] = best

    def _guess(self, row: list[int]) -> float:
        share = self._kernels.guess(row, self._tables) / WIN
        return float(share if row[TO_MOVE] == 0 else 1 - share)
