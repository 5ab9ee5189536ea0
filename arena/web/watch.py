"""The page that shows a run: standings, games in progress, last results, while it is on and after it.

The process reads the database and listens for views of running games (`arena.store.watching`); it writes
nothing, and a run does not know whether it is there. It keeps no more than one view of each running game.
"""

from __future__ import annotations

import asyncio
import re
import time
import traceback
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arena.core.running import ViewError, view_from_bytes
from arena.store.watching import Listener, WatchingError
from arena.web.assets import page
from arena.web.boards import Follower, board_of_view, boards_of
from arena.web.feed import EventStream, Feed
from arena.web.guard import Guard, static
from reports.labels import labels_of
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from arena.core.event import Event
    from arena.core.running import RunningGame
    from arena.web.guard import Door
    from arena.web.results import ResultsReader

SHOWN_BOARDS = 8
"""Boards on the page; further games in progress are listed, each with a page of its own."""

_LISTED_GAMES = 200
_RESULTS_S = 1.0
_BOARDS_S = 0.2
_VIEWS_A_ROUND = 500
"""Views read at once; more than this many games do not run on one machine."""

_MOST_FOLLOWED = 1000
_SILENT_AFTER_S = 5.0
_FORGOTTEN_AFTER_S = 15.0
"""A game not heard of for so long is dropped while a run is on, which tells of each every two seconds."""

_GONE_AFTER_S = 4.0
"""The same when none is."""

_LINGERS_S = 2.0
"""How long the board of a game that is over keeps its place, if no other game takes it."""

_GAME_ID = re.compile(r"[0-9A-Za-z._-]{1,100}")


class _Followed:
    """A running game that has been heard of; `over_at` is when it was heard that it is over."""

    def __init__(self, view: RunningGame, heard_at: float) -> None:
        self.view = view
        self.heard_at = heard_at
        self.follower = Follower()
        self.board: dict[str, object] | None = None
        self.over_at: float | None = None


class Watch:
    """Keeps a feed up to date.

    Args:
        reader: of the event's results; the watch closes it when it ends.
    """

    def __init__(self, reader: ResultsReader) -> None:
        self.feed = Feed()
        self._reader = reader
        self._listener: Listener | None = None
        self._games: dict[str, _Followed] = {}
        self._places: list[str] = []
        self._wanted: dict[str, int] = {}

    async def run(self) -> None:
        """Follow the event until cancelled."""
        try:
            self._listener = Listener(self._reader.database)
            self.feed.put("listening", None)
        except WatchingError as error:
            self.feed.put("listening", printable(str(error), 300))
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow_results())
                tasks.create_task(self._follow_games())
        finally:
            self._reader.close()
            if self._listener is not None:
                self._listener.close()

    def shows(self, section: str) -> bool:
        """Say whether the page of the whole event is sent a section: not boards that only others want."""
        kind, _, game_id = section.partition(" ")
        return kind != "board" or game_id in self._places

    @property
    def event(self) -> Event:
        """The event as it was last read."""
        return self._reader.event

    @contextmanager
    def wanted(self, game_id: str) -> Iterator[None]:
        """Have the board of one game in the feed, whether or not it is among those shown."""
        self._wanted[game_id] = self._wanted.get(game_id, 0) + 1
        try:
            yield
        finally:
            self._wanted[game_id] -= 1
            if not self._wanted[game_id]:
                del self._wanted[game_id]

    async def _follow_results(self) -> None:
        while True:
            if self.feed.readers or not self.feed.has("progress"):
                sections = await asyncio.to_thread(self._reader.sections)
                for name, value in sections.items():
                    self.feed.put(name, value)
                for game_id in [each for each in self._wanted if each not in self._games]:
                    board = await asyncio.to_thread(self._reader.game, game_id)
                    if game_id not in self._games:
                        self.feed.put(f"board {game_id}", board or {"id": game_id, "missing": True})
            await asyncio.sleep(_RESULTS_S)

    async def _follow_games(self) -> None:
        while True:
            self._receive()
            self._forget()
            if self.feed.readers:
                self._publish()
            await asyncio.sleep(_BOARDS_S)

    def _receive(self) -> None:
        now = time.monotonic()
        for data in self._datagrams():
            try:
                view = view_from_bytes(data)
            except ViewError:
                # Some other program's words; the next game is not less worth seeing for them.
                continue
            known = self._games.get(view.id)
            if view.is_over:
                if known is not None and known.view.attempt == view.attempt and known.over_at is None:
                    known.over_at = now
            elif known is not None and known.view.attempt <= view.attempt:
                known.view, known.heard_at, known.board, known.over_at = view, now, None, None
            elif known is None and self._is_welcome(view):
                self._games[view.id] = _Followed(view, now)

    def _is_welcome(self, view: RunningGame) -> bool:
        """Say whether to follow a game not heard of before: it has not ended, and there is room for it."""
        has_ended = (view.id, view.attempt) in self._reader.finished
        return not has_ended and len(self._games) < _MOST_FOLLOWED and bool(_GAME_ID.fullmatch(view.id))

    def _datagrams(self) -> Iterator[bytes]:
        for _ in range(_VIEWS_A_ROUND):
            data = self._listener.receive() if self._listener is not None else None
            if data is None:
                return
            yield data

    def _forget(self) -> None:
        """Drop the games that have been over for a while, or are not heard of any more."""
        now = time.monotonic()
        oldest = now - (_FORGOTTEN_AFTER_S if self._reader.is_running else _GONE_AFTER_S)
        for game_id, game in tuple(self._games.items()):
            if game.over_at is None and (game_id, game.view.attempt) in self._reader.finished:
                game.over_at = now
            if game.heard_at < oldest or (game.over_at is not None and game.over_at < now - _LINGERS_S):
                del self._games[game_id]

    def _places_now(self, running: list[str]) -> list[str]:
        """Return which boards stand where: a new game takes the place of one that is over."""
        waiting = iter([each for each in running if each not in self._places])
        places = []
        for each in self._places:
            is_running = each in self._games and self._games[each].over_at is None
            places.append(each if is_running else next(waiting, each if each in self._games else ""))
        places += [each for each, _ in zip(waiting, range(SHOWN_BOARDS - len(places)), strict=False)]
        return [each for each in places if each]

    def _publish(self) -> None:
        """Put the games into the feed; one that is over does not count and is not listed."""
        running = [each for each, game in self._games.items() if game.over_at is None]
        self._places = self._places_now(running)
        listed = [each for each in running if each not in self._places][:_LISTED_GAMES]
        others = [_listed(self._games[each].view) for each in listed]
        # Which boards there are is told before what is on them.
        self.feed.put("games", {"shown": self._places, "others": others, "count": len(running)})
        now = time.monotonic()
        for game_id in {*self._places, *self._wanted} & self._games.keys():
            game = self._games[game_id]
            if game.board is None or not self.feed.has(f"board {game_id}"):
                age_us = int((now - game.heard_at) * 1e6)
                game.board = board_of_view(game.view, game.follower, age_us)
            is_over = game.over_at is not None
            silent = now - game.heard_at > _SILENT_AFTER_S and not is_over
            self.feed.put(f"board {game_id}", {**game.board, "silent": silent, "over": is_over})
        self.feed.keep_only("board ", {f"board {each}" for each in (*self._places, *self._wanted)})


def _listed(view: RunningGame) -> dict[str, object]:
    return {
        "id": view.id,
        "names": [printable(view.black), printable(view.white)],
        "ply": len(view.moves),
    }


def application(watch: Watch, door: Door) -> ASGIApp:
    """Return the web application of a watch."""

    @asynccontextmanager
    async def following(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(watch.run())
        task.add_done_callback(partial(_tell_the_end, watch))
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def whole(_: Request) -> Response:
        return _page(watch, "")

    async def one_game(request: Request) -> Response:
        game_id = request.path_params["game_id"]
        if not _GAME_ID.fullmatch(game_id):
            return PlainTextResponse("there is no game of this id\n", 404)
        return _page(watch, game_id)

    async def files(request: Request) -> Response:
        return static(request.path_params["name"])

    routes = [
        Route("/", whole),
        Route("/game/{game_id}", one_game),
        Route("/events", _Events(watch)),
        Route("/static/{name}", files),
    ]
    return Guard(Starlette(routes=routes, lifespan=following), door)


def _tell_the_end(watch: Watch, task: asyncio.Task[None]) -> None:
    """Say on the page when following has failed: it must not look like a run that stands still."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        traceback.print_exception(error)
        watch.feed.put("trouble", f"this page's server has failed ({type(error).__name__})")


class _Events:
    """The stream of one page: of everything, or with `?game=ID` of one game."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        game_id = Request(scope).query_params.get("game", "")
        feed = self._watch.feed
        if not _GAME_ID.fullmatch(game_id):
            shown = self._watch.shows
            await EventStream(feed, shown)(scope, receive, send)
            return
        wanted = {"event", "trouble", "listening", f"board {game_id}"}
        with self._watch.wanted(game_id):
            await EventStream(feed, wanted.__contains__)(scope, receive, send)


def _page(watch: Watch, game_id: str) -> Response:
    event = watch.event
    # Our own drawings, in which there is nothing from outside.
    skeletons = {name: Markup(drawing.skeleton()) for name, drawing in boards_of(event).items()}  # noqa: S704
    return page(
        "watch.html",
        title=printable(event.name),
        rules=printable(labels_of(event).rules),
        skeletons=skeletons,
        game_id=game_id,
    )
