"""One game as the search sees it: follows the moves, keeps the tree, thinks as long as it is allowed to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sample_engines.mcts.searcher import Finding, Searcher

if TYPE_CHECKING:
    from types import ModuleType

    from arena.rules.base import Move, Rules
    from sample_engines.mcts.assemble import Kernels

CHUNK_S = 0.02
"""How long the search runs between two looks at the clock."""


class GameSearch:
    """Search for one game from its start to its end.

    Args:
        core: the game's core, `kernels` what was assembled of it.
        rules: the game's settings.
        first: who moves first (games with dice).
        capacity: nodes of the tree.
        seed: of the playouts.
    """

    def __init__(
        self, core: ModuleType, kernels: Kernels, rules: Rules, first: int, capacity: int, seed: int
    ) -> None:
        self._core = core
        self._kernels = kernels
        tables: list[int] = core.make_tables(rules)
        self._tables = kernels.cells(tables)
        self._state = kernels.cells(core.make_state(tables, first))
        self._searcher = Searcher(kernels, tables, core.KNOBS, capacity, seed)
        # Moves and rolls since the root of the tree; None as long as nothing has been searched.
        self._path: list[int] | None = None

    def play(self, move: Move) -> None:
        """Follow a legal move, in the rules core's form."""
        code: int = self._core.encode(move)
        self._kernels.play(self._state, self._tables, code)
        if self._path is not None:
            self._path.append(code)

    def set_roll(self, first: int, second: int) -> None:
        """Follow a roll."""
        larger, smaller = max(first, second), min(first, second)
        self._kernels.set_roll(self._state, self._tables, larger, smaller)
        if self._path is not None:
            self._path.append(larger * (larger - 1) // 2 + smaller - 1)

    def think(self, playouts: int | None, seconds: float | None) -> Finding:
        """Search until a limit is reached or the move can change no more.

        Args:
            playouts: the most playouts, at least 1; None for no limit.
            seconds: the longest time, looked at after every chunk of playouts; None for no limit. One of the
                two must be given. At least one playout is made.
        """
        begin = time.monotonic()
        state = list(map(int, self._state))
        if self._path is None:
            self._searcher.set_root(state)
        else:
            self._searcher.move_root(state, self._path)
        self._path = []
        done, chunk = 0, 1
        while True:
            if playouts is not None:
                chunk = min(chunk, playouts - done)
            before = time.monotonic()
            self._searcher.run(chunk)
            now = time.monotonic()
            done += chunk
            left = None if playouts is None else playouts - done
            if seconds is not None:
                time_left = begin + seconds - now
                affordable = int(time_left * done / max(now - begin, 1e-6)) if time_left > 0 else 0
                left = affordable if left is None else min(left, affordable)
            if not left or self._searcher.is_decided(left):
                return self._searcher.finding()
            chunk = min(2 * chunk if now - before < CHUNK_S else chunk, left)

    def decode(self, code: int) -> Move:
        """Return a move of a finding in the rules core's form."""
        move: Move = self._core.decode(code)
        return move
