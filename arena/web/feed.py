"""What a page shows, as named sections of JSON, and the streams that carry what has changed.

A feed holds the newest text of each section and nothing else. A stream remembers which version it has sent;
one that is slow skips what was replaced meanwhile. So ten thousand changes and a thousand readers need no
more memory than the sections themselves.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Receive, Scope, Send

MOST_STREAMS = 100
"""Pages that can be kept up to date at once; one more is asked to come again later."""

_SIGN_OF_LIFE_S = 15.0
_SEND_LIMIT_S = 20.0
"""A reader that takes nothing for so long is given up."""


class Feed:
    """The sections. For one event loop.

    Attributes:
        readers: streams that are open now.
        is_closed: whether the streams are to end.
    """

    def __init__(self) -> None:
        self.readers = 0
        self.is_closed = False
        self._sections: dict[str, tuple[int, str]] = {}
        self._version = 0
        self._changed = asyncio.Event()

    def put(self, name: str, value: object) -> None:
        """Set a section; nothing happens when it says what it said before.

        Args:
            name: its name; what stands before the first blank is the name of the event that pages receive.
            value: JSON-ready.
        """
        text = json.dumps(value, separators=(",", ":"))
        if name in self._sections and self._sections[name][1] == text:
            return
        self._version += 1
        self._sections[name] = (self._version, text)
        self._wake()

    def close(self) -> None:
        """End all streams in order."""
        self.is_closed = True
        self._wake()

    def has(self, name: str) -> bool:
        """Say whether there is a section of this name."""
        return name in self._sections

    def keep_only(self, prefix: str, names: set[str]) -> None:
        """Forget the sections that begin with `prefix` and are not among `names`."""
        for name in [each for each in self._sections if each.startswith(prefix) and each not in names]:
            del self._sections[name]

    def since(self, version: int, wants: Callable[[str], bool]) -> tuple[int, list[tuple[str, str]]]:
        """Return the present version and the sections that are newer than `version`, oldest first."""
        newer = sorted(
            (number, name, text)
            for name, (number, text) in self._sections.items()
            if number > version and wants(name)
        )
        return self._version, [(name, text) for _, name, text in newer]

    async def change(self) -> None:
        """Wait until something changes."""
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class EventStream:
    """An ASGI response that sends server-sent events for as long as somebody reads.

    Args:
        feed: what is sent.
        wants: which sections this reader is sent.
        least_pause_s: shortest time between two sendings; what changes meanwhile goes out once.
    """

    def __init__(self, feed: Feed, wants: Callable[[str], bool], least_pause_s: float = 0.2) -> None:
        self._feed = feed
        self._wants = wants
        self._least_pause_s = least_pause_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader is gone, or takes nothing any more."""
        if self._feed.readers >= MOST_STREAMS:
            answer = PlainTextResponse("too many pages are open\n", 503, {"retry-after": "30"})
            await answer(scope, receive, send)
            return
        self._feed.readers += 1
        left = asyncio.create_task(_reader_left(receive))
        try:
            await self._send_all(send, left)
        except TimeoutError:
            # The connection is given up by not being ended in order.
            return
        finally:
            self._feed.readers -= 1
            left.cancel()

    async def _send_all(self, send: Send, left: asyncio.Task[None]) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await _send_text(send, "retry: 2000\n\n")
        version = 0
        while not (left.done() or self._feed.is_closed):
            version, sections = self._feed.since(version, self._wants)
            if sections:
                frames = (f"event: {name.partition(' ')[0]}\ndata: {text}\n\n" for name, text in sections)
                await _send_text(send, "".join(frames))
                await _first_of(left, asyncio.sleep(self._least_pause_s))
                continue
            if not await _first_of(left, self._feed.change(), _SIGN_OF_LIFE_S):
                await _send_text(send, ": still here\n\n")
        if not left.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_text(send: Send, text: str) -> None:
    async with asyncio.timeout(_SEND_LIMIT_S):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _first_of(left: asyncio.Task[None], other: object, limit_s: float | None = None) -> bool:
    """Wait for one of two things, or the limit; False for the limit."""
    waiting = asyncio.ensure_future(other)  # type: ignore[call-overload]
    try:
        done, _ = await asyncio.wait({left, waiting}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
    return bool(done)


async def _reader_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
