"""Running games shown to whoever watches: looked at from outside between turns, never by the referee itself.

A referee that reported each move would pay for it at each move. Instead a task of the worker looks at its
running games a few times a second and sends the view of each that has changed. While nobody listens it only
looks, twice a second, whether somebody does. Nothing here waits for a watcher.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from arena.core.running import view_to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.core.running import RunningGame
    from arena.live.referee import Referee
    from arena.store.watching import Announcer

_LOOK_FOR_WATCHERS_S = 0.5
_LOOK_AT_GAMES_S = 0.15
"""Somebody who watches cannot follow faster changes of several boards."""

_REPEAT_S = 2.0
"""A view is sent again after this time though nothing has changed: for watchers that came late, and as a
sign that the game is alive."""


async def show(running: Mapping[str, Referee], announcer: Announcer) -> None:
    """Send views of the running games until cancelled.

    Args:
        running: the games now being played, by id; the caller keeps it up to date.
        announcer: where to.
    """
    shown: dict[str, _Shown] = {}
    while True:
        if not announcer.look():
            shown.clear()
            await trio.sleep(_LOOK_FOR_WATCHERS_S)
            continue
        for game_id in shown.keys() - running.keys():
            if _end_is_told(shown[game_id], announcer):
                del shown[game_id]
        for game_id, referee in tuple(running.items()):
            _show_one(referee, shown.setdefault(game_id, _Shown()), announcer)
            # Making a view takes some tens of microseconds: one at a time between other games' answers.
            await trio.lowlevel.checkpoint()
        await trio.sleep(_LOOK_AT_GAMES_S)


class _Shown:
    """What watchers were last told of one game, times on trio's clock."""

    __slots__ = ("ply", "sent_at", "since", "view")

    def __init__(self) -> None:
        self.ply = -1
        self.since = 0.0
        self.sent_at = float("-inf")
        self.view: RunningGame | None = None


def _end_is_told(shown: _Shown, announcer: Announcer) -> bool:
    """Tell watchers that a game they have seen is over; False when that was dropped."""
    data = None if shown.view is None else view_to_bytes(replace(shown.view, is_over=True))
    return data is None or announcer.send(data)


def _show_one(referee: Referee, shown: _Shown, announcer: Announcer) -> None:
    now = trio.current_time()
    if referee.ply != shown.ply:
        shown.ply, shown.since, shown.sent_at = referee.ply, now, float("-inf")
    if now - shown.sent_at < _REPEAT_S:
        return
    view = replace(referee.view(), thinking_us=int((now - shown.since) * 1e6))
    data = view_to_bytes(view)
    if data is None or announcer.send(data):
        shown.sent_at, shown.view = now, view
