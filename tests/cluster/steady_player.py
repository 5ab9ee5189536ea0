"""An engine whose games are the same wherever they are played, and take a while: one ply ahead, then a pause.

python steady_player.py PAUSE_MS
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from protocol.sdk import run
from sample_engines.greedy_player import GreedyPlayer

if TYPE_CHECKING:
    from arena.rules.base import Move, Position


class SteadyPlayer(GreedyPlayer):
    """Greedy, but not hasty."""

    name = "steady"

    def __init__(self, pause_ms: int) -> None:
        """Make an engine; its pause is the same before every move."""
        super().__init__(noise=0.3)
        self._pause_ms = pause_ms

    def choose(self, position: Position) -> Move:
        """Return a move after the pause."""
        time.sleep(self._pause_ms / 1000)
        return super().choose(position)


if __name__ == "__main__":
    run(SteadyPlayer(int(sys.argv[1])))
