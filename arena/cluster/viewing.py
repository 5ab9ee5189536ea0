"""Running games of a cluster, shown to whoever watches at the runner.

A worker's referee announces its games as every referee does (`arena.store.watching`), on its own machine. The
runner asks for them once a second while somebody watches there, and announces what it gets. So while nobody
watches nothing crosses the cluster, nobody listens on the workers, and no referee makes a view.
"""

from __future__ import annotations

import select
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from arena.core.running import ViewError, view_from_bytes, view_to_bytes
from arena.store.watching import Announcer, Listener, WatchingError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from arena.core.running import RunningGame

MOST_GAMES = 32
"""Games whose views are fetched in a round, about 1 KB each: boards for a page and a list of some more."""

_ROUND_S = 1.0
_UNASKED_S = 5.0
"""A worker that is not asked for so long stops listening."""

_LOOK_MS = 500
_TRY_AGAIN_S = 0.1
_HOLDS = 10
"""So many datagrams a local socket holds, and a watcher empties it five times a second."""


class Collector:
    """The worker's side: the last view of each game that was announced since it was asked last.

    Args:
        path: what the referee was told it announces for; there need be no such file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._latest: dict[str, tuple[RunningGame, float]] = {}
        self._asked_at = 0.0
        self._is_listening = False
        self._is_closed = False

    def take(self) -> list[bytes]:
        """Return what has come since the last call; returns at once. The first call begins to listen."""
        now = time.monotonic()
        with self._lock:
            self._asked_at = now
            latest, self._latest = self._latest, {}
            if not self._is_listening and not self._is_closed:
                self._is_listening = True
                threading.Thread(target=self._listen, daemon=True).start()
        aged = (
            replace(view, thinking_us=view.thinking_us + int((now - came) * 1e6))
            for view, came in latest.values()
        )
        return [data for view in aged if (data := view_to_bytes(view)) is not None]

    def close(self) -> None:
        """Stop listening within half a second."""
        self._is_closed = True

    def _listen(self) -> None:
        try:
            with Listener(self.path) as listener:
                ready = select.poll()
                ready.register(listener, select.POLLIN)
                while self._is_wanted():
                    if ready.poll(_LOOK_MS):
                        self._receive(listener)
        except WatchingError:
            # There is no place to listen here: boards are for looking at, the games go on.
            return
        finally:
            with self._lock:
                self._is_listening = False
                self._latest.clear()

    def _is_wanted(self) -> bool:
        return not self._is_closed and time.monotonic() - self._asked_at < _UNASKED_S

    def _receive(self, listener: Listener) -> None:
        while (data := listener.receive()) is not None:
            try:
                view = view_from_bytes(data)
            except ViewError:
                continue
            with self._lock:
                if view.id in self._latest or len(self._latest) < MOST_GAMES:
                    self._latest[view.id] = view, time.monotonic()


async def relay(database: Path, views: Callable[[], Awaitable[Sequence[bytes]]]) -> None:
    """Announce what `views` fetches to whoever watches `database`, until cancelled.

    It is called once a second while there are watchers, and never otherwise.
    """
    announcer = Announcer(database)
    try:
        while True:
            await trio.sleep(_ROUND_S)
            if announcer.look():
                await _announce(announcer, await views())
    finally:
        announcer.close()


async def _announce(announcer: Announcer, views: Sequence[bytes]) -> None:
    """Tell every watcher of every game; of one that does not listen, only until the next round is due."""
    left = list(views)
    with trio.move_on_after(_ROUND_S):
        while left := [data for data in left if not announcer.send(data)]:
            # What found no room comes first the next time: others may have taken what one does not take.
            left = left[_HOLDS:] + left[:_HOLDS]
            await trio.sleep(_TRY_AGAIN_S)
