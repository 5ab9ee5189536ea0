"""Boards of a cluster's games: they reach who watches at the runner, and nothing is done when nobody does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from arena.cluster import viewing
from arena.cluster.viewing import Collector, relay
from arena.core.running import RunningGame, view_from_bytes, view_to_bytes
from arena.store.watching import Announcer, Listener, meeting_folder
from tests.cli.runs import wait_until
from tests.cluster.clusters import played_there, steady_event

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest
    from trio.testing import MockClock

    from arena.cluster.trial import Trial

VIEW = RunningGame("1-2.1a", 1, "pletore", 5, 0, "one", "two", 0, ("A1",), 0, thinking_us=7)


def as_bytes(view: RunningGame) -> bytes:
    data = view_to_bytes(view)
    assert data is not None
    return data


def test_running_games_of_a_cluster_reach_who_watches_at_the_runner(cluster: Trial, tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    seen: dict[str, set[tuple[str, ...]]] = {}

    def watched() -> None:
        with Listener(database) as listener:

            def is_enough() -> bool:
                while (data := listener.receive()) is not None:
                    view = view_from_bytes(data)
                    seen.setdefault(view.id, set()).add(view.moves)
                return sum(len(moves) > 1 for moves in seen.values()) >= 2

            wait_until(is_enough)

    played_there(cluster, steady_event(tmp_path, pairs=2, pause_ms=150), database, watched)
    # A game is followed as it grows.
    for moves in seen.values():
        longest = max(moves, key=len)
        assert all(longest[: len(some)] == some for some in moves)


def test_a_worker_listens_while_it_is_asked_and_keeps_the_last_view_of_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "watched"
    announcer = Announcer(path)
    collector = Collector(path)
    assert not announcer.look()
    assert collector.take() == []
    wait_until(announcer.look)
    announcer.send(b"no view")
    announcer.send(as_bytes(VIEW))
    announcer.send(as_bytes(replace(VIEW, moves=("A1", "B2"))))
    found = [VIEW]

    def has_second_move() -> bool:
        found.extend(map(view_from_bytes, collector.take()))
        return len(found[-1].moves) == 2

    wait_until(has_second_move)
    last = found[-1]
    # How long the side to move thinks goes on while the view lies here.
    assert last.thinking_us >= VIEW.thinking_us
    assert replace(last, thinking_us=7) == replace(VIEW, moves=("A1", "B2"))
    assert collector.take() == []
    monkeypatch.setattr(viewing, "_UNASKED_S", 0.0)
    wait_until(lambda: not meeting_folder(path).exists())
    monkeypatch.undo()
    assert collector.take() == []
    wait_until(announcer.look)
    collector.close()
    wait_until(lambda: not meeting_folder(path).exists())
    announcer.close()


async def test_nothing_is_fetched_while_nobody_watches(tmp_path: Path, autojump_clock: MockClock) -> None:
    asked = 0

    async def views() -> Sequence[bytes]:
        nonlocal asked
        asked += 1
        return [as_bytes(VIEW)]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, tmp_path / "cup.db", views)
        await trio.sleep(60.5)
        assert asked == 0
        with Listener(tmp_path / "cup.db") as listener:
            await trio.sleep(3)
            assert asked == 3
            assert listener.receive() == as_bytes(VIEW)
        await trio.sleep(60)
        assert asked == 3
        nursery.cancel_scope.cancel()


async def test_a_watcher_that_does_not_listen_keeps_no_other_from_any_game(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    games = [as_bytes(replace(VIEW, id=f"g{number}")) for number in range(32)]
    rounds = 0

    async def views() -> Sequence[bytes]:
        nonlocal rounds
        rounds += 1
        return games

    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, tmp_path / "cup.db", views)
        with Listener(tmp_path / "cup.db"), Listener(tmp_path / "cup.db") as listener:
            seen: set[bytes] = set()
            for _ in range(30):
                await trio.sleep(0.2)
                while (data := listener.receive()) is not None:
                    seen.add(data)
            assert seen == set(games)
            assert rounds >= 3
        nursery.cancel_scope.cancel()
