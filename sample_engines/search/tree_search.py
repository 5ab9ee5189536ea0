"""Monte Carlo tree search through one game: keeps the tree from move to move, thinks as long as it may."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sample_engines.search.searcher import Finding, Searcher

if TYPE_CHECKING:
    from types import ModuleType

    from sample_engines.search.followed import FollowedGame

CHUNK_S = 0.02
"""How long the search runs between two looks at the clock."""

STAGES = 16
"""How often a search with a limit of playouts looks whether it may stop early."""


class TreeSearch:
    """The search that accompanies a game.

    Args:
        game: the game; whoever owns it plays its moves.
        core: its core.
        capacity: nodes of the tree.
        seed: of the playouts.
    """

    def __init__(self, game: FollowedGame, core: ModuleType, capacity: int, seed: int) -> None:
        self._game = game
        self._searcher = Searcher(game.kernels, list(map(int, game.tables)), core.KNOBS, capacity, seed)
        # How many of the game's steps lead to the root of the tree; None before the first search.
        self._steps_at_root: int | None = None

    def think(self, playouts: int | None, seconds: float | None) -> Finding:
        """Search until a limit is reached or the move can change no more.

        Args:
            playouts: the most playouts, at least 1; None for no limit. As long as the time suffices, what is
                done depends on nothing else.
            seconds: the longest time, looked at after every chunk of playouts; None for no limit. One of the
                two must be given. At least one playout is made.
        """
        begin = time.monotonic()
        self._follow()
        # With a limit of playouts it is looked only here and there whether the move can change, at places
        # that do not depend on the machine's speed.
        stage = None if playouts is None else max(1, playouts // STAGES)
        done, chunk = 0, 1
        while True:
            if playouts is not None and stage is not None:
                chunk = min(chunk, stage - done % stage, playouts - done)
            before = time.monotonic()
            self._searcher.run(chunk)
            now = time.monotonic()
            done += chunk
            if now - before < CHUNK_S:
                chunk *= 2
            if seconds is not None and now >= begin + seconds:
                break
            if playouts is not None and stage is not None:
                if done == playouts or (done % stage == 0 and self._searcher.is_decided(playouts - done)):
                    break
            elif seconds is not None:
                affordable = int((begin + seconds - now) * done / max(now - begin, 1e-6))
                if affordable == 0 or self._searcher.is_decided(affordable):
                    break
                chunk = min(chunk, affordable)
        return self._searcher.finding()

    def ponder(self) -> bool:
        """Search the present position for one chunk of time, for what it is worth after the next move.

        Returns whether more would be of use: not when the tree has no room left.
        """
        begin = time.monotonic()
        if self._steps_at_root != len(self._game.steps):
            self._follow()
        chunk = 1
        while time.monotonic() < begin + CHUNK_S / 2:
            self._searcher.run(chunk)
            chunk *= 2
        return self._searcher.has_room

    def _follow(self) -> None:
        """Move the root of the tree to the game's position."""
        if self._steps_at_root is None:
            self._searcher.set_root(self._game.state())
        else:
            self._searcher.move_root(self._game.state(), self._game.steps[self._steps_at_root :])
        self._steps_at_root = len(self._game.steps)
