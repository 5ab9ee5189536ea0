"""What komi is worth, found by playing against oneself: for the two choices under pie.

The value that a search gives the empty board is no guide: it is drawn towards what random playouts come to,
and on 5x5 it calls komi 2 lost for Black, at which Black wins nearly every game of the same search against
itself. So whole games are played out, with little thought for each move.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from arena.rules.base import BLACK
from arena.rules.registry import make_rules
from sample_engines.search.assemble import core_of
from sample_engines.search.followed import FollowedGame
from sample_engines.search.tree_search import TreeSearch

if TYPE_CHECKING:
    from random import Random

    from arena.rules.base import Rules
    from sample_engines.search.assemble import Kernels

GAMES = 16
"""Games for a choice."""

_NODES_A_PLAYOUT = 100


class SelfPlay:
    """Games of a search against itself on one board, at whatever komi.

    Args:
        rules: game and size; their komi does not count.
        kernels: of the tree search.
        playouts: for each move.
        random: seeds the searches.
        seconds: time for all games together. What the games are depends on it only where it is too short: the
            game that is on when it ends counts by what the search thinks of its position, and is the last.
    """

    def __init__(self, rules: Rules, kernels: Kernels, playouts: int, random: Random, seconds: float) -> None:
        self._rules = rules
        self._kernels = kernels
        self._playouts = playouts
        self._random = random
        self._end = time.monotonic() + seconds

    def even_komi(self) -> int:
        """Return the komi at which Black wins about half of the games.

        By the up-and-down method (Dixon and Mood, Journal of the American Statistical Association 43, 1948):
        komi rises after a game that Black wins and falls after one that White wins, by steps that are halved
        at each turn, to 1. The mean of the later half of the komi since the first turn is the answer.
        """
        size = self._rules.size or 0
        komi = step = max(1, size // 2)
        tried: list[int] = []
        was_black: bool | None = None
        for _ in range(GAMES):
            is_black = self.black_share(komi, games=1) > 0.5
            if self._is_late():
                break
            if was_black not in (None, is_black):
                tried = tried or [komi]
                step = max(1, step // 2)
            was_black = is_black
            komi = max(-(size**2), min(size**2, komi + (step if is_black else -step)))
            if tried:
                tried.append(komi)
        later = tried[len(tried) // 2 :] or [komi]
        return round(sum(later) / len(later))

    def black_share(self, komi: int, games: int = GAMES) -> float:
        """Return Black's share of some games at a komi."""
        shares = [self._played_out(komi)]
        while len(shares) < games and not self._is_late():
            shares.append(self._played_out(komi))
        return sum(shares) / len(shares)

    def _is_late(self) -> bool:
        return time.monotonic() >= self._end

    def _played_out(self, komi: int) -> float:
        """Play a game; return Black's share of its win, or what the search gives it when time is up."""
        rules = make_rules(self._rules.game, size=self._rules.size, komi=komi)
        core = core_of(rules.game)
        game = FollowedGame(core, self._kernels, rules, BLACK)
        nodes = _NODES_A_PLAYOUT * (self._playouts + 100)
        search = TreeSearch(game, core, nodes, self._random.getrandbits(32))
        position = rules.initial()
        while not position.is_over:
            finding = search.think(self._playouts, max(0.0, self._end - time.monotonic()))
            if self._is_late():
                return finding.share if position.to_move == BLACK else 1 - finding.share
            move = game.decode(finding.move)
            position.play(move)
            game.play(move)
        winner = position.outcome().winner
        return 0.5 if winner is None else float(winner == BLACK)
