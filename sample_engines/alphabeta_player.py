"""Alpha-beta search for Pente, Pletore and Topolo.

    python -m sample_engines.alphabeta_player [--depth N] [--seconds S] [--plain]

In Pente it follows threats (fours and captures) far beyond its depth; in Pletore and Topolo it plays the end
perfectly once few moves are left, and looks a few plies ahead before. No chance is involved: the same
position and the same depth give the same move.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from protocol.sdk import OptionKind, OptionSpec, run
from sample_engines.search.alphabeta_search import AlphaBeta
from sample_engines.search.core_player import CorePlayer

if TYPE_CHECKING:
    from arena.rules.base import Position
    from protocol.sdk import TurnClock
    from sample_engines.search.followed import FollowedGame

ENDGAMES = {"pente": 0, "pletore": 12, "topolo": 24}
"""With at most so many legal moves, all of them are looked at, to the end of the game if time allows."""


class AlphaBetaPlayer(CorePlayer):
    """Plays the best move of the deepest search that its time allowed."""

    name = "alphabeta"
    search = "alphabeta"
    limits = ("depth",)

    def __init__(self, depth: int = 0, seconds: float = 1.0, *, compiled: bool = True) -> None:
        """Make an engine.

        Args:
            depth: plies to look ahead at most, 0 for as many as there is time for.
            seconds: thinking time where neither a depth nor a clock limits it.
            compiled: use numba if it is there.
        """
        super().__init__(compiled=compiled)
        self.options = (
            OptionSpec("depth", OptionKind.INT, str(depth), 0, 40),
            OptionSpec("seconds", OptionKind.FLOAT, str(seconds), 0.001, 3600.0),
        )
        self.settings = {"depth": depth, "seconds": seconds}
        self._alphabeta: AlphaBeta | None = None

    def new_game(self) -> None:
        """Set up the game."""
        super().new_game()
        self._alphabeta = None

    def think(self, position: Position, game: FollowedGame, clock: TurnClock) -> int:
        """Search, say what was found and return the best move."""
        depth = self.limit.amount if self.limit is not None else int(self.settings["depth"]) or None
        seconds = clock.suggested_s()
        if depth is None and seconds is None:
            seconds = float(self.settings["seconds"])
        state = game.state()
        if self._alphabeta is None:
            self._alphabeta = AlphaBeta(game.kernels, list(map(int, game.tables)), len(state))
        verdict = self._alphabeta.best_move(state, seconds, depth, endgame=ENDGAMES[self.rules.game])
        self.info(
            winrate=round(verdict.share, 4),
            nodes=verdict.nodes,
            depth=verdict.depth,
            exact=str(verdict.is_exact).lower(),
        )
        return verdict.move


def main() -> None:
    """Run the engine on standard input and output."""
    parser = argparse.ArgumentParser(description="Alpha-beta search.")
    parser.add_argument("--depth", type=int, default=0, help="plies to look ahead; 0: as time allows")
    parser.add_argument("--seconds", type=float, default=1.0, help="time a move where nothing else limits it")
    parser.add_argument("--plain", action="store_true", help="plain Python even where numba is installed")
    arguments = parser.parse_args()
    run(AlphaBetaPlayer(arguments.depth, arguments.seconds, compiled=not arguments.plain))


if __name__ == "__main__":
    main()
