"""A game as the kernels see it: constants and position, following the moves and rolls of the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from arena.rules.base import Move, Rules
    from sample_engines.search.assemble import Kernels


class FollowedGame:
    """One game from its start on.

    Args:
        core: the game's core, `kernels` what was assembled of it.
        rules: the game's settings.
        first: who moves first (games with dice).

    Attributes:
        steps: moves and numbers of rolls so far, as the kernels know them.
    """

    def __init__(self, core: ModuleType, kernels: Kernels, rules: Rules, first: int) -> None:
        self.kernels = kernels
        self.steps: list[int] = []
        self._core = core
        tables: list[int] = core.make_tables(rules)
        self.tables = kernels.cells(tables)
        self._state = kernels.cells(core.make_state(tables, first))

    def state(self) -> list[int]:
        """Return a copy of the position."""
        return list(map(int, self._state))

    def play(self, move: Move) -> None:
        """Follow a legal move, in the rules core's form."""
        code: int = self._core.encode(move)
        self.kernels.play(self._state, self.tables, code)
        self.steps.append(code)

    def set_roll(self, first: int, second: int) -> None:
        """Follow a roll."""
        larger, smaller = max(first, second), min(first, second)
        self.kernels.set_roll(self._state, self.tables, larger, smaller)
        self.steps.append(larger * (larger - 1) // 2 + smaller - 1)

    def decode(self, code: int) -> Move:
        """Return a kernels' move in the rules core's form."""
        move: Move = self._core.decode(code)
        return move
