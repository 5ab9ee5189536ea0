"""The page of a game between a person and an engine.

The game itself is played by a table (`arena.live.table`) in a process of its own; this server has one end of
a socket to it and shows what it is told. What a browser sends becomes an `Action` only when it has the form
of one; whether it is legal is for the table to say.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.core.table import Act, Action, Broken, Ended, Phase, TableView, Unpacker, packed
from arena.rules.base import RulesError
from arena.web.assets import page
from arena.web.boards import Follower, board_of_view
from arena.web.choices import choices, targets
from arena.web.feed import EventStream, Feed
from arena.web.guard import Guard, posted, static
from reports.boards import drawing_of
from reports.printable import printable

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from arena.core.record import GameRecord
    from arena.rules.base import Rules
    from arena.web.guard import Door

_LONGEST_WORD = 120
_MOST_PLIES = 1_000_000


class Play:
    """One person's games at one page, one after the other.

    Args:
        rules: of the game.
        lay: begins a game with the person's colour (None: as scheduled next) and returns the socket to its
            table.
        keep: stores a record and returns where it went, in words.
    """

    def __init__(
        self,
        rules: Rules,
        lay: Callable[[int | None], socket.socket],
        keep: Callable[[GameRecord], str],
    ) -> None:
        self.rules = rules
        self.feed = Feed()
        self._lay = lay
        self._keep = keep
        self._socket: socket.socket | None = None
        self._follower = Follower()
        self._is_on = False

    async def run(self, colour: int | None) -> None:
        """Play one game and store it; what happens is in the feed."""
        loop = asyncio.get_running_loop()
        self._is_on = True
        self._follower = Follower()
        self.feed.put("kept", None)
        self.feed.put("table", {"phase": Phase.STARTING.value})
        unpacker = Unpacker()
        try:
            self._socket = await asyncio.to_thread(self._lay, colour)
            self._socket.setblocking(False)
            while data := await loop.sock_recv(self._socket, 65536):
                for said in unpacker.feed(data):
                    if isinstance(said, (Ended, Broken)):
                        await self._end(said)
                        return
                    if isinstance(said, TableView):
                        self.feed.put("table", self._table(said))
            await self._end(Broken("the process that plays the game has ended"))
        except OSError as error:
            await self._end(Broken(f"the game cannot go on: {error.strerror or error}"))
        finally:
            self._is_on = False
            if self._socket is not None:
                self._socket.close()

    def again(self, colour: int | None) -> asyncio.Task[None] | None:
        """Begin another game; None while one is on."""
        if self._is_on:
            return None
        self._is_on = True
        return asyncio.create_task(self.run(colour))

    async def act(self, action: Action) -> bool:
        """Pass on what the person does; False when no game is on."""
        if self._socket is None or not self._is_on:
            return False
        with suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(self._socket, packed(action))
        return True

    async def _end(self, said: Ended | Broken) -> None:
        if isinstance(said, Broken):
            self.feed.put("kept", {"trouble": printable(said.message, 1000)})
            return
        try:
            words = await asyncio.to_thread(self._keep, said.record)
        except Exception as error:
            self.feed.put("kept", {"trouble": f"the game could not be stored: {printable(str(error), 500)}"})
            return
        self.feed.put("kept", {"words": printable(words, 1000)})

    def _table(self, view: TableView) -> dict[str, Any]:
        shown = board_of_view(view.game, self._follower, 0)
        told = {
            **shown,
            "moves": [printable(word, 40) for word in view.game.moves],
            "phase": view.phase.value,
            "person": view.person,
            "question": view.question,
            "can_take_back": view.can_take_back,
            "taken_back": view.taken_back,
            "result": printable(view.result),
            "choices": None,
        }
        if view.phase is Phase.PERSON:
            with suppress(RulesError):
                position, _ = self._follower.position(view.game)
                told["choices"] = choices(position)
        return told


def application(play: Play, colour: int | None, door: Door) -> ASGIApp:
    """Return the web application; the first game begins with it."""
    tasks: set[asyncio.Task[None]] = set()
    drawing = drawing_of(play.rules)

    def begin(task: asyncio.Task[None] | None) -> bool:
        if task is not None:
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        return task is not None

    @asynccontextmanager
    async def playing(_: Starlette) -> AsyncIterator[None]:
        begin(play.again(colour))
        yield
        for task in tuple(tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def whole(_: Request) -> Response:
        return page(
            "play.html",
            title=play.rules.title,
            skeleton=Markup("" if drawing is None else drawing.skeleton()),  # noqa: S704  made by us alone
        )

    async def act(request: Request) -> Response:
        given = await posted(request.receive)
        if given.get("act") == "again":
            begun = begin(play.again({"black": 0, "white": 1}.get(str(given.get("word")))))
            return Response(status_code=204 if begun else 409)
        action = _action(given)
        if action is None:
            return PlainTextResponse("no such action\n", 400)
        return Response(status_code=204 if await play.act(action) else 409)

    async def files(request: Request) -> Response:
        return static(request.path_params["name"])

    class Events:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await EventStream(play.feed, lambda _: True, least_pause_s=0.02)(scope, receive, send)

    data = None if drawing is None else drawing.as_data()
    play.feed.put("game", {"drawing": data, "targets": targets(play.rules), "title": play.rules.title})
    routes = [
        Route("/", whole),
        Route("/events", Events()),
        Route("/act", act, methods=["POST"]),
        Route("/static/{name}", files),
    ]
    return Guard(Starlette(routes=routes, lifespan=playing), door)


def _action(given: dict[str, object]) -> Action | None:
    """Return the action that a page's words are, None for anything else."""
    try:
        act = Act(given.get("act"))
    except ValueError:
        return None
    word, ply = given.get("word", ""), given.get("ply")
    if not isinstance(word, str) or len(word) > _LONGEST_WORD or not word.isascii():
        return None
    if type(ply) is not int or not 0 <= ply <= _MOST_PLIES:
        return None
    return Action(act, word, ply)
