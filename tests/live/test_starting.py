"""Processes start one at a time, and no game begins while others that were asked for before have not."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import trio
import trio.testing

from arena.live.pool import EnginePool
from arena.live.process import EngineProcess
from tests.live.scripted import ScriptedEngine, silent, thinking, virtual_patience

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from trio.testing import MockClock

    from arena.live.process import Launch
    from tests.live.scripted import ScriptedProcess


class Stage:
    """A pool of one entry whose processes are scripted; `started` has the times."""

    def __init__(
        self, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, make: Callable[[], ScriptedEngine]
    ) -> None:
        self.started: list[float] = []
        self._make = make
        self._nursery = nursery
        self.pool = EnginePool([make().entry], nursery, virtual_patience(), games_at_a_time=10)
        monkeypatch.setattr(EngineProcess, "start", staticmethod(self._start))

    def _start(self, launch: Launch) -> ScriptedProcess:
        self.started.append(trio.current_time())
        engine = self._make()
        self._nursery.start_soon(engine.run)
        return engine.process

    async def acquire(self) -> None:
        """Take a session, for ever."""
        await self.pool.acquire(0)


async def test_a_process_that_is_up_lets_the_next_one_start(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, lambda: ScriptedEngine(manners={"name": thinking(0.02)}))
    async with trio.open_nursery() as games:
        for _ in range(3):
            games.start_soon(stage.acquire)
    gaps = [round(later - earlier, 6) for earlier, later in pairwise(stage.started)]
    assert gaps == [0.02, 0.02]


async def test_nobody_waits_long_for_one_that_is_slow_to_start(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, lambda: ScriptedEngine(manners={"name": silent()}))
    with trio.move_on_after(1):
        async with trio.open_nursery() as games:
            for _ in range(5):
                games.start_soon(stage.acquire)
    assert len(stage.started) == 5
    assert stage.started[-1] - stage.started[0] < 0.5


async def test_a_game_begins_after_the_processes_that_were_asked_for_before_it(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, lambda: ScriptedEngine(manners={"name": thinking(0.02)}))
    seen = -1

    async def game() -> None:
        nonlocal seen
        await stage.pool.let_others_start()
        seen = len(stage.started)

    async with trio.open_nursery() as games:
        for _ in range(3):
            games.start_soon(stage.acquire)
        await trio.testing.wait_all_tasks_blocked()
        games.start_soon(game)
        await trio.testing.wait_all_tasks_blocked()
        games.start_soon(stage.acquire)
    assert seen == 3
    assert len(stage.started) == 4


async def test_a_game_does_not_wait_when_nothing_is_starting(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine)
    await stage.acquire()
    before = trio.current_time()
    await stage.pool.let_others_start()
    assert trio.current_time() == before
