"""Laboratory games are played to the end: a resignation is asked about once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.live.scripted import ScriptedEngine, play, task_of

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_an_engine_that_resigns_is_asked_again_and_the_game_goes_on(autojump_clock: MockClock) -> None:
    async def hesitant(engine: ScriptedEngine, line: str) -> None:
        await engine.say("resign" if len(engine.sent("genmove")) % 2 else engine.usual(line))

    black, white = ScriptedEngine(manners={"genmove": hesitant}), ScriptedEngine()
    played = await play(black, white, replace(task_of("pletore", size=3, komi=1), to_the_end=True))
    record = played.record
    assert record.verdict.outcome is not None
    assert played.in_step == (True, True)
    assert len(record.moves) == len(record.time_us)
    assert len(black.sent("genmove")) == 2 * len(record.moves[::2])


async def test_a_second_resignation_ends_the_game(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": "resign"})
    task = replace(task_of("pletore", size=3, komi=1), to_the_end=True)
    played = await play(black, ScriptedEngine(), task)
    assert played.outcome == ("W+R", "resign")
    assert len(black.sent("genmove")) == 2
    assert played.in_step == (True, True)


async def test_elsewhere_a_resignation_ends_the_game_at_once(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": "resign"})
    played = await play(black, ScriptedEngine(), task_of("pletore", size=3, komi=1))
    assert played.outcome == ("W+R", "resign")
    assert len(black.sent("genmove")) == 1
