"""From game to game: which processes are kept, which are replaced, what pre-flight says of each entry."""

from __future__ import annotations

import errno
import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.clock import parse_time
from arena.core.event import Discipline, Engine, Event, OpeningBook, PairingSettings
from arena.live.faults import ArenaFault
from arena.live.player import GamePlayer
from arena.live.pool import EnginePool
from arena.live.preflight import examine
from arena.live.process import EngineProcess
from tests.live.scripted import (
    LISTED,
    ScriptedEngine,
    exiting,
    from_the,
    silent,
    task_of,
    thinking,
    virtual_patience,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trio.testing import MockClock

    from arena.core.event import Komi
    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.live.preflight import EngineFinding
    from arena.live.process import Launch
    from tests.live.scripted import ScriptedProcess


class Stage:
    """A pool whose processes are scripted: `makers` has one for each entry, called for every start."""

    def __init__(
        self, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, *makers: Callable[[], ScriptedEngine]
    ) -> None:
        self.makers = makers
        self.started: list[ScriptedEngine] = []
        self._nursery = nursery
        patience = virtual_patience()
        entries = tuple(
            replace(make().entry, name=str(index), command=(str(index),)) for index, make in enumerate(makers)
        )
        self.pool = EnginePool(entries, nursery, patience, games_at_a_time=1)
        self.player = GamePlayer(self.pool, patience)
        monkeypatch.setattr(EngineProcess, "start", staticmethod(self._start))

    def _start(self, launch: Launch) -> ScriptedProcess:
        engine = self.makers[int(launch.argv[-1])]()
        self.started.append(engine)
        self._nursery.start_soon(engine.run)
        return engine.process

    async def play(self, task: GameTask | None = None) -> GameRecord:
        """Play between entries 0 and 1, or what the task says."""
        return await self.player.play(task or task_of())

    @property
    def alive(self) -> list[ScriptedEngine]:
        """Those whose process has not ended, in the order of their start."""
        return [engine for engine in self.started if not engine.process.has_exited]


async def test_processes_are_used_again_for_the_next_game(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(
        nursery,
        monkeypatch,
        partial(ScriptedEngine, listed=[*LISTED, "arena-option"], options={"a": "1"}),
        ScriptedEngine,
    )
    for _ in range(3):
        assert (await stage.play()).verdict.outcome is not None
    assert len(stage.started) == 2
    assert [len(engine.sent("clear_board")) for engine in stage.started] == [3, 3]
    options = [line for engine in stage.started for line in engine.sent("arena-option")]
    assert options == ["arena-option a 1"]
    await stage.pool.close(politely=True)
    assert [engine.received[-1] for engine in stage.started] == ["quit", "quit"]
    assert not stage.alive


async def test_an_entry_with_restart_gets_a_fresh_process_for_every_game(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, partial(ScriptedEngine, restart=True), ScriptedEngine)
    for _ in range(3):
        await stage.play()
    assert len(stage.started) == 4
    ended = [engine for engine in stage.started if engine not in stage.alive]
    assert [engine.received[-1] for engine in ended] == ["quit"] * 3


async def test_shared_dice_are_played_by_fresh_processes_that_are_asked_to_leave(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine, ScriptedEngine)
    task = task_of("plakoto", size=None, needs_fresh=True)
    await stage.play(task)
    await stage.play(task)
    assert len(stage.started) == 4
    assert not stage.alive
    assert all(engine.received[-1] == "quit" for engine in stage.started)


async def test_only_the_side_at_fault_is_replaced(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = partial(ScriptedEngine, manners={"genmove": "nonsense"})
    stage = Stage(nursery, monkeypatch, bad, ScriptedEngine)
    for _ in range(2):
        assert (await stage.play()).verdict.result == "W+F"
    assert len(stage.started) == 3
    assert len(stage.alive) == 1
    assert len(stage.alive[0].sent("clear_board")) == 2


async def test_a_process_that_dies_between_games_is_replaced_and_nobody_charged(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine, ScriptedEngine)
    await stage.play()
    stage.started[0].process.exit(1)
    assert (await stage.play()).verdict.outcome is not None
    assert len(stage.started) == 3


async def test_a_result_that_is_never_answered_costs_the_next_game(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(
        nursery, monkeypatch, partial(ScriptedEngine, manners={"arena-result": silent()}), ScriptedEngine
    )
    assert (await stage.play()).verdict.outcome is not None
    record = await stage.play()
    assert (record.verdict.result, record.verdict.reason) == ("W+F", "set-up")


async def test_an_engine_that_cannot_start_loses_and_its_opponent_is_kept(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = partial(ScriptedEngine, manners={"protocol_version": exiting(7)})
    stage = Stage(nursery, monkeypatch, ScriptedEngine, dead)
    for _ in range(2):
        record = await stage.play()
        assert (record.verdict.result, record.verdict.reason) == ("B+F", "start-up")
        assert record.evidence[1].exit == "exit code 7"
        assert record.moves == ()
    assert len(stage.started) == 3
    stage = Stage(nursery, monkeypatch, dead, dead)
    assert (await stage.play()).verdict.reasons == ("both-failed", "start-up")


async def test_a_machine_without_descriptors_is_the_arenas_fault(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine, ScriptedEngine)

    def no_more(launch: Launch) -> ScriptedProcess:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(EngineProcess, "start", staticmethod(no_more))
    with pytest.RaisesGroup(pytest.RaisesExc(ArenaFault, match="Too many open files"), ArenaFault):
        await stage.play()


async def test_no_more_processes_are_kept_than_the_next_games_need(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, *[ScriptedEngine] * 10)
    task = task_of()
    for black in range(0, 10, 2):
        scheduled = replace(task.scheduled, black=black, white=black + 1)
        await stage.play(replace(task, scheduled=scheduled))
    assert len(stage.started) == 10
    assert stage.alive == stage.started[6:]
    assert [engine.received[-1] for engine in stage.started[:6]] == ["quit"] * 6


@pytest.mark.parametrize("at", ["name", "clear_board", "genmove"])
async def test_a_cancelled_game_leaves_no_process(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine, partial(ScriptedEngine, manners={at: silent()}))
    with trio.move_on_after(0.5) as scope:
        await stage.play()
    assert scope.cancelled_caught
    assert len(stage.started) == 2
    await stage.pool.close(politely=False)
    assert not stage.alive


async def test_the_program_is_hashed_as_it_is_found_from_its_own_folder(
    autojump_clock: MockClock, nursery: trio.Nursery, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_bytes(b"print()")
    entry = Engine("bot", ("/nonexistent/python", "bot.py"), str(tmp_path))
    pool = EnginePool((entry,), nursery, virtual_patience(), 1)
    identity = await pool.identity(0, None)
    assert identity.program_hash == hashlib.sha256(b"print()").hexdigest()


# ---- pre-flight -----------------------------------------------------------------------------------------


async def findings_of(
    nursery: trio.Nursery,
    monkeypatch: pytest.MonkeyPatch,
    *makers: Callable[[], ScriptedEngine],
    game: str = "pente",
    komi: Komi = None,
    time: str = "10",
) -> tuple[EngineFinding, ...]:
    stage = Stage(nursery, monkeypatch, *makers)
    size = {"plakoto": None}.get(game, 5)
    entries = tuple(stage.pool.entries)
    event = Event(
        "t", "match", game, size, komi, 2, parse_time(time), 1, 0, OpeningBook(), "independent", None, entries
    )
    findings = await examine(event, stage.pool)
    await stage.pool.close(politely=True)
    assert not stage.alive
    return findings


async def test_all_engines_are_examined_at_once_and_the_good_ones_kept(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = partial(ScriptedEngine, manners={"name": thinking(4)})
    started = trio.current_time()
    findings = await findings_of(nursery, monkeypatch, slow, slow, slow)
    assert trio.current_time() - started < 10
    assert [finding.shortcomings for finding in findings] == [(), (), ()]
    assert findings[0].pipelining


def missing(*names: str) -> Callable[[], ScriptedEngine]:
    return partial(ScriptedEngine, listed=[name for name in LISTED if name not in names])


def declaring(line: str, **options: str) -> Callable[[], ScriptedEngine]:
    return partial(
        ScriptedEngine,
        listed=[*LISTED, "arena-option", "arena-options"],
        manners={"arena-options": line},
        options=options,
    )


async def test_options_that_fit_what_is_declared_are_sent_once_a_process(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = declaring("a int 1 0 5", a="3")
    stage = Stage(nursery, monkeypatch, engine, engine)
    entries = tuple(stage.pool.entries)
    event = Event(
        "t", "match", "pente", 5, None, 2, parse_time("10"), 1, 0, OpeningBook(), "independent", None, entries
    )
    findings = await examine(event, stage.pool)
    assert [finding.shortcomings for finding in findings] == [(), ()]
    await stage.play()
    for scripted in stage.started:
        assert [line for line in scripted.received if line.startswith("arena-option ")] == [
            "arena-option a 3"
        ]


async def test_every_game_of_an_event_of_several_is_tried(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(nursery, monkeypatch, ScriptedEngine, missing("komi"))
    time, book = parse_time("10"), OpeningBook()
    disciplines = (
        Discipline("pente", "pente", 5, None, 2, time, book),
        Discipline("pletore", "pletore", 5, 3, 2, parse_time("20"), book),
    )
    own = PairingSettings(("engine 0", "engine 1"), discipline="pletore", size=7)
    entries = tuple(replace(entry, name=f"engine {n}") for n, entry in enumerate(stage.pool.entries))
    event = Event(
        "t", "match", "pente", 5, None, 2, time, 1, 0, book, "independent", None, entries,
        disciplines=disciplines, pairings=(own,),
    )  # fmt: skip
    findings = await examine(event, stage.pool)
    assert findings[0].shortcomings == ()
    assert findings[1].shortcomings == ("does not list `komi`, which pletore needs",)
    received = [line for engine in stage.started for line in engine.received]
    sizes = [line for line in received if line.startswith("boardsize")]
    assert sizes == ["boardsize 5", "boardsize 7"]


@pytest.mark.parametrize(
    ("maker", "game", "komi", "words"),
    [
        (missing("play"), "pente", None, "does not list `play`"),
        (missing("komi"), "pletore", 4, "does not list `komi`"),
        (missing("arena-dice"), "plakoto", None, "does not list `arena-dice`"),
        (
            missing("arena-choose_side"),
            "pletore",
            "pie",
            "`arena-choose_side`, which pletore under pie needs",
        ),
        (missing("arena-game"), "pente", None, "its entry must say plays"),
        (
            partial(ScriptedEngine, manners={"list_commands": b"? what\n\n"}, plays=("plakoto",)),
            "plakoto",
            None,
            "does not list `arena-dice`",
        ),
        (partial(ScriptedEngine, manners={"arena-games": "chess\ngo"}), "pente", None, "it says: chess, go"),
        (
            partial(ScriptedEngine, manners={"arena-game": b"? unknown game\n\n"}),
            "pente",
            None,
            "`arena-game pente`",
        ),
        (partial(ScriptedEngine, plays=("pletore",)), "pente", None, "without pente"),
        (
            partial(ScriptedEngine, manners={"boardsize": b"? unacceptable size\n\n"}),
            "pente",
            None,
            "boardsize",
        ),
        (partial(ScriptedEngine, manners={"komi": b"? no\n\n"}), "pletore", 4, "`komi 4`"),
        (partial(ScriptedEngine, manners={"clear_board": b"nonsense\n\n"}), "pente", None, "outside a reply"),
        (partial(ScriptedEngine, manners={"clear_board": silent()}), "pente", None, "no reply to"),
        (partial(ScriptedEngine, manners={"clear_board": exiting(9)}), "pente", None, "exit code 9"),
        (partial(ScriptedEngine, manners={"version": exiting(9)}), "pente", None, "exit code 9"),
        (partial(ScriptedEngine, manners={"version": silent()}), "pente", None, "no reply to `version`"),
        (
            partial(ScriptedEngine, manners={"protocol_version": b"GTP> = 2\n\n"}),
            "pente",
            None,
            "; it wrote: GTP> ",
        ),
        (partial(ScriptedEngine, manners={"version": b"= 1\n"}), "pente", None, "in time; it wrote: = 1"),
        (partial(ScriptedEngine, options={"a": "1"}), "pente", None, "arena-option"),
        (declaring("a int 1 0 5", b="1"), "pente", None, "has no option b: it has a"),
        (declaring("noise float 0 0 1", nois="1"), "pente", None, "no option nois: did you mean noise?"),
        (declaring("a int 1 0 5", a="x"), "pente", None, "option a = x: a whole number is expected"),
        (declaring("a int 1 0 5", a="6"), "pente", None, "option a = 6: at most 5"),
        (declaring("a choice x x y", a="z"), "pente", None, "option a = z: allowed: x, y"),
        (
            partial(
                ScriptedEngine,
                listed=[*LISTED, "arena-option"],
                manners={"arena-option": b"? no\n\n"},
                options={"a": "1"},
            ),
            "pente",
            None,
            "does not take the options of its entry",
        ),
        (
            partial(ScriptedEngine, listed=[*LISTED, "arena-option"], options={"a": "1\nquit"}),
            "pente",
            None,
            "cannot be sent",
        ),
        (partial(ScriptedEngine, work_limit="nodes 5"), "pente", None, "arena-limit"),
    ],
)
async def test_a_shortcoming_is_named_before_any_game(
    autojump_clock: MockClock,
    nursery: trio.Nursery,
    monkeypatch: pytest.MonkeyPatch,
    maker: Callable[[], ScriptedEngine],
    game: str,
    komi: Komi,
    words: str,
) -> None:
    good, bad = await findings_of(nursery, monkeypatch, ScriptedEngine, maker, game=game, komi=komi)
    assert good.shortcomings == ()
    assert any(words in sentence for sentence in bad.shortcomings), bad.shortcomings


async def test_an_engine_that_answers_the_first_of_two_joined_commands_is_used_one_by_one(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    select_loop = partial(ScriptedEngine, one_by_one=True)
    (finding,) = await findings_of(nursery, monkeypatch, select_loop)
    assert finding.shortcomings == ()
    assert not finding.pipelining
    assert "first of two joined commands" in finding.warnings[0]


async def test_the_second_joined_command_has_a_second_after_the_first_and_no_less(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"name": from_the(2, "name", thinking(3)), "version": from_the(2, "version", thinking(0.9))}
    (finding,) = await findings_of(nursery, monkeypatch, partial(ScriptedEngine, manners=slow))
    assert finding.pipelining


async def test_an_entry_without_pipelining_stays_without(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    (finding,) = await findings_of(nursery, monkeypatch, partial(ScriptedEngine, pipelining=False))
    assert not finding.pipelining


async def test_an_engine_that_cannot_be_told_its_clock_is_named_in_a_warning(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    (finding,) = await findings_of(nursery, monkeypatch, missing("arena-time_settings"), time="3+0.5")
    assert finding.shortcomings == ()
    untold = "is told what time is left, but cannot be told the time control (3+0.5)"
    assert finding.warnings == (f"{untold}: let it list `arena-time_settings`",)


async def test_a_refused_optional_command_and_a_banner_are_warnings(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    manners = {"arena-seed": b"? no\n\n", "protocol_version": b"hello\x07\n= 2\n\n"}
    (finding,) = await findings_of(nursery, monkeypatch, partial(ScriptedEngine, manners=manners))
    assert finding.shortcomings == ()
    assert any("`arena-seed`" in warning for warning in finding.warnings)
    assert any("hello" in warning for warning in finding.warnings)
    assert all(warning.isprintable() for warning in finding.warnings)
