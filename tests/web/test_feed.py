"""Sections and the streams that carry them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from arena.web import feed
from arena.web.feed import EventStream, Feed

if TYPE_CHECKING:
    import pytest


class Reader:
    """A page that reads a stream."""

    def __init__(self, stream: EventStream, *, takes: bool = True) -> None:
        self.status = 0
        self.text = ""
        self.left = asyncio.Event()
        self.takes = asyncio.Event()
        if takes:
            self.takes.set()
        self.task = asyncio.create_task(stream({"type": "http"}, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        await self.takes.wait()
        self.text += message["body"].decode()

    async def reads(self, words: str) -> None:
        """Wait until it has read these words."""
        async with asyncio.timeout(20):
            while words not in self.text:
                await asyncio.sleep(0.005)


def test_a_reader_gets_everything_first_and_then_what_changes() -> None:
    async def scene() -> None:
        sections = Feed()
        sections.put("one", {"a": 1})
        reader = Reader(EventStream(sections, lambda _: True, 0.0))
        await reader.reads('event: one\ndata: {"a":1}\n\n')
        sections.put("two", "x\ny")
        await reader.reads('event: two\ndata: "x\\ny"\n\n')
        sections.put("one", {"a": 1})
        sections.put("board 7", [1, 2])
        await reader.reads("event: board\ndata: [1,2]\n\n")
        assert reader.text.count("event: one") == 1
        reader.left.set()
        await reader.task
        assert sections.readers == 0

    asyncio.run(scene())


def test_a_slow_reader_skips_what_was_replaced_meanwhile() -> None:
    async def scene() -> None:
        sections = Feed()
        sections.put("count", 0)
        reader = Reader(EventStream(sections, lambda _: True, 0.0), takes=False)
        for number in range(1000):
            sections.put("count", number)
            await asyncio.sleep(0)
        reader.takes.set()
        await reader.reads("data: 999\n\n")
        assert reader.text.count("event: count") <= 3
        reader.left.set()
        await reader.task

    asyncio.run(scene())


def test_a_reader_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_SEND_LIMIT_S", 0.05)

    async def scene() -> None:
        sections = Feed()
        reader = Reader(EventStream(sections, lambda _: True), takes=False)
        await asyncio.wait_for(reader.task, 20)
        assert sections.readers == 0

    asyncio.run(scene())


def test_readers_are_bounded_and_the_rest_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_STREAMS", 3)

    async def scene() -> None:
        sections = Feed()
        readers = [Reader(EventStream(sections, lambda _: True)) for _ in range(3)]
        for reader in readers:
            await reader.reads("retry")
        late = Reader(EventStream(sections, lambda _: True))
        await late.task
        assert late.status == 503
        readers[0].left.set()
        await readers[0].task
        again = Reader(EventStream(sections, lambda _: True))
        await again.reads("retry")
        for reader in [*readers, again]:
            reader.left.set()
            await reader.task

    asyncio.run(scene())


def test_a_quiet_stream_gives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_SIGN_OF_LIFE_S", 0.02)

    async def scene() -> None:
        reader = Reader(EventStream(Feed(), lambda _: True))
        await reader.reads(": still here")
        reader.left.set()
        await reader.task

    asyncio.run(scene())


def test_a_reader_gets_only_what_it_wants_and_what_is_forgotten_is_gone() -> None:
    sections = Feed()
    for name in ("board 1", "board 2", "progress"):
        sections.put(name, name)
    _, found = sections.since(0, lambda name: name != "progress")
    assert [name for name, _ in found] == ["board 1", "board 2"]
    sections.keep_only("board ", {"board 2"})
    _, found = sections.since(0, lambda _: True)
    assert [name for name, _ in found] == ["board 2", "progress"]
