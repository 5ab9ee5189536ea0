"""How a game is conducted beside its rules: adjudication, clocks of other kinds, idle sides, stalls."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.adjudicate import says_it_loses
from arena.core.event import Adjudication
from arena.core.task import Conduct
from arena.core.verify import check_record
from arena.live.watch import LEAST_LAG_NS, TICK_S, Watch
from arena.rules import BLACK, WHITE
from tests.live.scripted import ScriptedEngine, from_the, play, silent, task_of, thinking

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio.testing import MockClock

    from arena.live.watch import Watched

MS = 1_000_000


def saying(infos: str) -> Callable[[ScriptedEngine, str], Awaitable[None]]:
    """Return manners that add a line of infos to every move."""

    async def say(engine: ScriptedEngine, line: str) -> None:
        await engine.say(f"{engine.usual(line)}\ninfo {infos}")

    return say


def adjudicating(**terms: float) -> Conduct:
    return Conduct(adjudication=Adjudication(**terms))  # type: ignore[arg-type]


# ---- adjudication -----------------------------------------------------------------------------------------


async def test_a_side_that_says_it_has_lost_so_many_times_loses(autojump_clock: MockClock) -> None:
    conduct = adjudicating(loss_moves=3)
    black = ScriptedEngine("black", manners={"genmove": saying("winrate 0.01")})
    game = await play(black, ScriptedEngine("white"), task_of(conduct=conduct))
    assert game.outcome == ("W+A", "adjudicated")
    assert game.record.adjudged is not None
    assert game.record.adjudged.rule == "own-word"
    assert len(game.record.moves) == 5
    assert game.in_step == (True, True)
    assert check_record(game.record, None, None, "independent", adjudication=conduct.adjudication) == []
    assert black.sent("arena-result") == ["arena-result W+A"]


async def test_the_winners_word_decides_nothing(autojump_clock: MockClock) -> None:
    white = ScriptedEngine("white", manners={"genmove": saying("winrate 1.0 score 99")})
    task = task_of(conduct=adjudicating(loss_moves=1, loss_score=-1))
    game = await play(ScriptedEngine("black"), white, task)
    assert game.record.verdict.reason != "adjudicated"
    assert not any(says_it_loses(said, task.conduct.adjudication) for said in game.record.infos)


@pytest.mark.parametrize("game", ["pente", "plakoto"])
async def test_a_game_stops_at_its_limit_of_turns(autojump_clock: MockClock, game: str) -> None:
    conduct = adjudicating(ply_limit=6)
    size = 5 if game == "pente" else None
    opening = ("C3", "A2") if game == "pente" else ()
    task = task_of(game, size=size, opening=opening, conduct=conduct)
    played = await play(ScriptedEngine("black"), ScriptedEngine("white"), task)
    assert played.outcome == ("0", "ply-limit")
    assert len(played.record.moves) == 6
    assert played.record.verdict.winner_word == "draw"
    record = played.record
    if game == "pente":
        assert check_record(record, None, None, "independent", adjudication=conduct.adjudication) == []
    other = Adjudication(ply_limit=7)
    assert "7" in check_record(record, None, None, "independent", adjudication=other)[0]


async def test_a_game_that_can_be_played_out_by_search_is_decided_by_it(autojump_clock: MockClock) -> None:
    conduct = adjudicating(search_moves=6, search_nodes=50_000)
    task = task_of("pletore", size=3, komi=1, conduct=conduct)
    game = await play(ScriptedEngine("black"), ScriptedEngine("white"), task)
    assert game.record.verdict.reason == "adjudicated"
    adjudged = game.record.adjudged
    assert adjudged is not None
    assert adjudged.rule == "search"
    assert adjudged.line
    terms = conduct.adjudication
    assert check_record(game.record, None, None, "independent", adjudication=terms) == []
    without = Adjudication()
    assert check_record(game.record, None, None, "independent", adjudication=without) != []


# ---- clocks -----------------------------------------------------------------------------------------------


async def test_what_one_side_of_an_hourglass_uses_the_other_gains(autojump_clock: MockClock) -> None:
    white = ScriptedEngine("white", manners={"genmove": thinking(0.5)})
    black = ScriptedEngine("black", manners={"genmove": from_the(4, "genmove", silent())})
    game = await play(black, white, task_of(time="2h"))
    assert game.outcome == ("W+T", "time")
    # Three thinks of half a second came over to Black.
    assert game.record.fault_us == 3_520_000
    assert black.sent("arena-clock")[3] == "arena-clock black_ms=3500 white_ms=500"


async def test_a_delay_is_free_in_every_turn_and_told(autojump_clock: MockClock) -> None:
    black = ScriptedEngine("black", manners={"genmove": thinking(0.4)})
    white = ScriptedEngine("white", manners={"genmove": from_the(3, "genmove", silent())})
    game = await play(black, white, task_of(time="0.1+0.5d"))
    assert game.outcome == ("B+T", "time")
    assert game.record.fault_us == 620_000
    assert set(black.sent("arena-clock")) == {"arena-clock black_ms=600 white_ms=600"}


async def test_a_cpu_clock_counts_what_was_computed_and_not_what_passed(autojump_clock: MockClock) -> None:
    async def compute(engine: ScriptedEngine, line: str) -> None:
        text = engine.usual(line)
        await trio.sleep(3)
        engine.process.used_ns += 100 * MS
        await engine.say(text)

    black = ScriptedEngine("black", manners={"genmove": compute})
    game = await play(black, ScriptedEngine("white"), task_of(time="0.25", conduct=Conduct(clock="cpu")))
    assert game.outcome == ("W+T", "time")
    assert game.record.time_us[::2] == (100_000, 100_000)
    assert game.record.fault_us == 100_000


async def test_under_a_cpu_clock_an_engine_is_ended_when_it_has_used_its_time(
    autojump_clock: MockClock,
) -> None:
    async def burn(engine: ScriptedEngine, line: str) -> None:
        for _ in range(100):
            await trio.sleep(0.1)
            engine.process.used_ns += 100 * MS

    began = trio.current_time()
    game = await play(
        ScriptedEngine("black", manners={"genmove": burn}),
        ScriptedEngine("white"),
        task_of(time="1", conduct=Conduct(clock="cpu")),
    )
    assert game.outcome == ("W+T", "time")
    assert trio.current_time() - began < 3


async def test_under_a_cpu_clock_waiting_for_ever_has_its_limit_too(autojump_clock: MockClock) -> None:
    game = await play(
        ScriptedEngine("black", manners={"genmove": silent()}),
        ScriptedEngine("white"),
        task_of(time="1", conduct=Conduct(clock="cpu")),
    )
    assert game.outcome == ("W+T", "time")
    assert autojump_clock.current_time() > 20


# ---- the idle side ----------------------------------------------------------------------------------------


async def test_the_side_not_to_move_is_stopped_and_goes_on_before_its_turn(autojump_clock: MockClock) -> None:
    black, white = ScriptedEngine("black"), ScriptedEngine("white")
    game = await play(black, white, task_of(conduct=Conduct(suspend_idle=True)))
    assert game.record.verdict.at_fault is None
    for engine in (black, white):
        stops = engine.process.stops
        assert stops.count("stopped") >= 2
        assert all(one != other for one, other in pairwise(stops[1:-1]) if one == "stopped")
        assert stops[-1] == "going on"


async def test_nobody_is_stopped_unless_asked_for(autojump_clock: MockClock) -> None:
    black, white = ScriptedEngine("black"), ScriptedEngine("white")
    await play(black, white)
    assert {*black.process.stops, *white.process.stops} == {"going on"}


# ---- the watch --------------------------------------------------------------------------------------------


def watching() -> Watch:
    return Watch(now_ns=lambda: round(trio.current_time() * 1e9))


async def test_what_the_idle_side_computes_is_seen_and_the_movers_is_not(autojump_clock: MockClock) -> None:
    watch = watching()
    white = ScriptedEngine("white")

    async def compute(engine: ScriptedEngine, line: str) -> None:
        text = engine.usual(line)
        for _ in range(100):
            await trio.sleep(0.01)
            engine.process.used_ns += 10 * MS
            white.process.used_ns += 5 * MS
        await engine.say(text)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch.run)
        task = task_of(time="60", conduct=adjudicating(ply_limit=6))
        game = await play(ScriptedEngine("black", manners={"genmove": compute}), white, task, watch)
        nursery.cancel_scope.cancel()
    assert game.record.idle_us[BLACK] == 0
    assert 1_000_000 < game.record.idle_us[WHITE] <= 1_500_000


class Computing:
    """A game of which a test says how much its sides have computed."""

    turn = (0, BLACK)

    def __init__(self) -> None:
        self.used_ns = 0

    def cpu_ns(self, side: int) -> int:
        """Return the same for both sides."""
        del side
        return self.used_ns


async def test_a_loop_that_was_kept_from_running_shows_as_a_lag(autojump_clock: MockClock) -> None:
    late_ns = 0
    watch = Watch(now_ns=lambda: round(trio.current_time() * 1e9) + late_ns)
    game: Watched = Computing()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch.run)
        watch.show(game)
        await trio.sleep(5 * TICK_S)
        began_ns = watch.now_ns()
        assert watch.longest_lag_ns(0) == 0
        # The clock goes on while nothing runs: while it lasts, and after it is over.
        late_ns = 80 * MS
        assert 70 * MS <= watch.longest_lag_ns(began_ns) <= 80 * MS
        await trio.sleep(2 * TICK_S)
        assert 70 * MS <= watch.longest_lag_ns(began_ns) <= 80 * MS
        # Of a lag before the moment that is asked about nothing counts.
        await trio.sleep(0.5)
        assert watch.longest_lag_ns(watch.now_ns() - 100 * MS) == 0
        late_ns += LEAST_LAG_NS // 2
        assert watch.longest_lag_ns(watch.now_ns() - 50 * MS) == 0
        nursery.cancel_scope.cancel()


async def test_who_took_more_cores_than_it_was_granted_is_to_blame(autojump_clock: MockClock) -> None:
    watch = watching()
    game = Computing()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch.run)
        watch.show(game)
        await trio.sleep(0.045)  # between two looks: tasks that wake together run in any order
        game.used_ns = 45 * MS
        assert not watch.is_to_blame(game, BLACK, 1)
        game.used_ns = 100 * MS
        assert watch.is_to_blame(game, BLACK, 1)
        assert not watch.is_to_blame(game, BLACK, 2)
        nursery.cancel_scope.cancel()


class Lagging(Watch):
    """A watch that has seen a lag of 100 ms, whoever is to blame for it."""

    def __init__(self, *, blames: bool = False) -> None:
        super().__init__(lambda: round(trio.current_time() * 1e9))
        self.blames = blames

    def longest_lag_ns(self, since_ns: int) -> int:
        """Return the lag."""
        del since_ns
        return 100 * MS

    def is_to_blame(self, game: Watched, side: int, threads: int) -> bool:
        """Say what the test says."""
        return self.blames


LATE = {"genmove": from_the(2, "genmove", thinking(1.05))}


@pytest.mark.parametrize(
    ("watch", "has_stalled", "outcome"),
    [
        ({}, False, ("void", "referee-stall")),
        ({}, True, ("W+T", "time")),
        ({"blames": True}, False, ("W+T", "time")),
        (None, False, ("W+T", "time")),
    ],
)
async def test_a_loss_on_time_that_the_machine_may_have_made_is_void_once(
    autojump_clock: MockClock, watch: dict[str, bool] | None, has_stalled: bool, outcome: tuple[str, str]
) -> None:
    game = await play(
        ScriptedEngine("black", manners=LATE),
        ScriptedEngine("white"),
        task_of(time="1", has_stalled=has_stalled),
        None if watch is None else Lagging(**watch),
    )
    assert game.outcome == outcome
    assert game.in_step[BLACK] is False
    assert game.record.evidence[BLACK].message


async def test_a_machine_that_stalled_a_little_is_no_excuse_for_being_very_late(
    autojump_clock: MockClock,
) -> None:
    late = {"genmove": thinking(1.5)}
    game = await play(ScriptedEngine("black", manners=late), ScriptedEngine("white"), task_of(time="1.4"))
    assert game.outcome == ("W+T", "time")
    patient = ScriptedEngine("black", manners={"genmove": thinking(1.5)}, margin_ms=200)
    game = await play(patient, ScriptedEngine("white"), task_of(time="1.2"), Lagging())
    assert game.outcome == ("W+T", "time")


async def test_an_engine_that_ignores_a_play_shows_it_by_its_next_illegal_move(
    autojump_clock: MockClock,
) -> None:
    async def ignore(engine: ScriptedEngine, line: str) -> None:
        await engine.say("")

    white = ScriptedEngine("white", manners={"play": ignore, "genmove": "C3"})
    game = await play(ScriptedEngine("black", moves=["C3"]), white)
    assert game.outcome == ("B+F", "illegal-move")
    exchange = game.record.evidence[WHITE].exchange
    assert "> play black C3" in exchange
    assert "< = C3" in exchange
    assert exchange.index("> play black C3") < exchange.index("< = C3")
