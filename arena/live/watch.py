"""A look at the referee itself and at the idle side, many times a second, beside the games.

Two questions are answered that no turn can answer. Was the referee kept from its work, so that an engine
seemed late that was not? And does an engine compute while it is its opponent's turn?

The first is told by a task that sleeps and sees how much too late it is woken: anything that keeps this
process's loop from running (no core to run on, a long step of another game) shows as that. The second by
reading the processor time of both engines' processes: what the idle side used between two looks within one
turn, it used while it was not to move. Turns shorter than the time between two looks are not seen.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Protocol

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

TICK_S = 0.01
"""Time between two looks at the clock: a stall shorter than this may hide between them."""

LEAST_LAG_NS = 10_000_000
"""Lags below this are everyday: waking up takes its time."""

_LOOK_NS = 50_000_000
"""Reading processor times costs some 50 us an engine (200 us in a sandbox): each game is looked at twenty
times a second at most, and one game in a tick, so that nobody is held up for longer."""

_LAGS_KEPT = 1000

_OWN_SHARE = 1.25
"""An engine that used more than this many times the cores it was granted has kept others from theirs."""


class Watched(Protocol):
    """A running game, as far as it is looked at."""

    @property
    def turn(self) -> tuple[int, int]:
        """Number of the present turn and the side to move."""

    def cpu_ns(self, side: int) -> int:
        """Return the processor time that a side's processes have used so far."""


class _Look:
    """What was seen of one game: at the last look, and of idle computing so far."""

    def __init__(self, game: Watched, now_ns: int) -> None:
        self.at_ns = now_ns
        self.turn = game.turn
        self.cpu_ns = (game.cpu_ns(0), game.cpu_ns(1))
        self.idle_ns = [0, 0]

    def again(self, game: Watched, now_ns: int) -> None:
        cpu_ns = (game.cpu_ns(0), game.cpu_ns(1))
        turn = game.turn
        if turn == self.turn:
            idle = 1 - turn[1]
            self.idle_ns[idle] += max(0, cpu_ns[idle] - self.cpu_ns[idle])
        self.at_ns, self.turn, self.cpu_ns = now_ns, turn, cpu_ns


class Watch:
    """Watches the loop it runs in, and the games it is shown.

    Attributes:
        now_ns: the clock that lags are measured by.
    """

    def __init__(self, now_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self.now_ns = now_ns
        self._due_ns: int | None = None
        self._lags: deque[tuple[int, int]] = deque(maxlen=_LAGS_KEPT)
        self._games: dict[Watched, _Look] = {}
        self._wanted = trio.Event()

    async def run(self) -> None:
        """Watch for as long as games are shown, for ever."""
        while True:
            await self._wanted.wait()
            while self._games:
                self._due_ns = self.now_ns() + round(TICK_S * 1e9)
                await trio.sleep(TICK_S)
                now_ns = self.now_ns()
                if now_ns - self._due_ns >= LEAST_LAG_NS:
                    self._lags.append((self._due_ns, now_ns))
                self._look_at_one(now_ns)
            self._due_ns = None
            self._wanted = trio.Event()

    def _look_at_one(self, now_ns: int) -> None:
        """Look at the game that was not looked at for longest, if that is long enough."""
        game = next(iter(self._games), None)
        if game is not None and now_ns - self._games[game].at_ns >= _LOOK_NS:
            look = self._games.pop(game)
            look.again(game, now_ns)
            self._games[game] = look

    def show(self, game: Watched) -> None:
        """Begin to look at a game."""
        self._games[game] = _Look(game, self.now_ns())
        self._wanted.set()

    def hide(self, game: Watched) -> tuple[int, int]:
        """Stop looking at a game; return the processor time of Black and White while idle, microseconds."""
        look = self._games.pop(game, None)
        return (0, 0) if look is None else (look.idle_ns[0] // 1000, look.idle_ns[1] // 1000)

    def longest_lag_ns(self, since_ns: int) -> int:
        """Return for how long the loop was kept from running at a stretch, since a moment until now.

        The part of a stall before that moment does not count. 0 where nothing reached `LEAST_LAG_NS`.
        """
        now_ns = self.now_ns()
        lags = [min(end, now_ns) - max(start, since_ns) for start, end in self._lags if end > since_ns]
        if self._due_ns is not None:
            lags.append(now_ns - max(self._due_ns, since_ns))
        longest = max(lags, default=0)
        return longest if longest >= LEAST_LAG_NS else 0

    def is_to_blame(self, game: Watched, side: int, threads: int) -> bool:
        """Say whether a side has used more cores since the last look than it was granted.

        Args:
            game: a game that is being looked at.
            side: whose processes are asked about.
            threads: the cores it was granted.
        """
        look = self._games.get(game)
        if look is None:
            return False
        passed_ns = max(1, self.now_ns() - look.at_ns)
        return game.cpu_ns(side) - look.cpu_ns[side] > threads * _OWN_SHARE * passed_ns
