"""When running games are looked at, and what is sent, on a virtual clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import trio

from arena.core.running import RunningGame, view_from_bytes
from arena.live.showing import show

if TYPE_CHECKING:
    from trio.testing import MockClock

    from arena.live.referee import Referee
    from arena.store.watching import Announcer


class FakeReferee:
    """A game whose moves the test makes."""

    def __init__(self) -> None:
        self.ply = 0
        self.looked_at = 0

    def view(self) -> RunningGame:
        """Return the game so far."""
        self.looked_at += 1
        moves = ("A1",) * self.ply
        return RunningGame("1-2.1a", 1, "pletore", 5, 0, "one", "two", 0, moves, 0)


class FakeAnnouncer:
    """Listeners as the test wants them."""

    def __init__(self, *, listens: bool = True, has_room: bool = True) -> None:
        self.listens = listens
        self.has_room = has_room
        self.sent: list[RunningGame] = []

    def look(self) -> bool:
        """Say whether anybody listens."""
        return self.listens

    def send(self, data: bytes) -> bool:
        """Take a view, if there is room."""
        if self.has_room:
            self.sent.append(view_from_bytes(data))
        return self.has_room


async def shown_for(
    seconds: float, referee: FakeReferee, announcer: FakeAnnouncer, *, moves_at: tuple[float, ...] = ()
) -> None:
    async with trio.open_nursery() as nursery:
        running = cast("dict[str, Referee]", {"1-2.1a": referee})
        nursery.start_soon(show, running, cast("Announcer", announcer))
        began = trio.current_time()
        for at in moves_at:
            await trio.sleep_until(began + at)
            referee.ply += 1
        await trio.sleep_until(began + seconds)
        nursery.cancel_scope.cancel()


async def test_a_game_nobody_watches_is_never_looked_at(autojump_clock: MockClock) -> None:
    referee, announcer = FakeReferee(), FakeAnnouncer(listens=False)
    await shown_for(3600, referee, announcer, moves_at=(1, 2, 3))
    assert referee.looked_at == 0


async def test_each_move_is_seen_though_the_next_is_long_in_coming(autojump_clock: MockClock) -> None:
    announcer = FakeAnnouncer()
    await shown_for(50, FakeReferee(), announcer, moves_at=(10, 10.01, 10.02))
    plies = [len(view.moves) for view in announcer.sent]
    assert plies == sorted(plies)
    assert set(plies) == {0, 3}


async def test_a_game_without_news_is_told_again_now_and_then(autojump_clock: MockClock) -> None:
    announcer = FakeAnnouncer()
    await shown_for(60, FakeReferee(), announcer)
    assert 20 < len(announcer.sent) < 40
    assert announcer.sent[-1].thinking_us > 50_000_000


async def test_a_view_that_was_dropped_is_sent_at_the_next_look(autojump_clock: MockClock) -> None:
    referee, announcer = FakeReferee(), FakeAnnouncer(has_room=False)
    await shown_for(1, referee, announcer)
    assert referee.looked_at > 3
    announcer.has_room = True
    await shown_for(0.1, referee, announcer)
    assert announcer.sent


async def test_fast_games_cost_no_more_than_slow_ones(autojump_clock: MockClock) -> None:
    referee, announcer = FakeReferee(), FakeAnnouncer()
    await shown_for(10, referee, announcer, moves_at=tuple(n / 100 for n in range(1000)))
    assert referee.looked_at < 100


async def test_the_end_of_a_game_is_told_until_it_is_heard(autojump_clock: MockClock) -> None:
    referee, announcer = FakeReferee(), FakeAnnouncer()
    running = cast("dict[str, Referee]", {"1-2.1a": referee})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(show, running, cast("Announcer", announcer))
        await trio.sleep(1)
        announcer.has_room = False
        running.clear()
        await trio.sleep(1)
        announcer.has_room = True
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert [view.is_over for view in announcer.sent].count(True) == 1
    assert announcer.sent[-1].is_over
