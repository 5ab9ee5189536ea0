"""What a turn is made of: the commands, the clock, the ways of answering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.verdict import Reason
from tests.live.scripted import LISTED, ScriptedEngine, from_the, play, silent, task_of, thinking

if TYPE_CHECKING:
    from trio.testing import MockClock


def without(*names: str) -> list[str]:
    return [name for name in LISTED if name not in names]


async def test_a_game_of_good_engines_ends_on_the_board(autojump_clock: MockClock) -> None:
    game = await play(ScriptedEngine(), ScriptedEngine())
    assert game.record.verdict.outcome is not None
    assert game.in_step == (True, True)
    assert len(game.record.moves) == len(game.record.time_us) == len(game.record.announcements)


@pytest.mark.parametrize("game", ["pletore", "pente", "topolo", "plakoto"])
async def test_every_game_is_played_to_its_end_with_both_engines_in_step(
    autojump_clock: MockClock, game: str
) -> None:
    size = {"pletore": 3, "pente": 5, "topolo": 4, "plakoto": None}[game]
    task = task_of(game, size=size, komi=1 if game == "pletore" else None)
    black, white = ScriptedEngine(), ScriptedEngine()
    played = await play(black, white, task)
    assert played.record.verdict.outcome is not None
    assert played.record.final_position
    assert played.in_step == (True, True)
    assert len(played.record.dice) == (len(played.record.moves) if game == "plakoto" else 0)


async def test_set_up_commands_go_out_in_the_tables_order(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(
        listed=[*LISTED, "arena-option", "arena-limit", "time_settings"],
        options={"style": "bold"},
        work_limit="nodes 10",
    )
    await play(black, ScriptedEngine(), task_of("pletore", size=3, komi=-2, opening=["A1", "B3"]))
    names = [line.split()[0] for line in black.received]
    assert names[: names.index("genmove")] == [
        "protocol_version",
        "name",
        "version",
        "list_commands",
        "arena-option",
        "arena-limit",
        "arena-game",
        "arena-seed",
        "boardsize",
        "komi",
        "clear_board",
        "arena-time_settings",
        "play",
        "play",
        "arena-clock",
    ]
    assert black.sent("komi", "boardsize", "play", "arena-time_settings", "arena-option", "arena-limit")[
        :7
    ] == [
        "arena-option style bold",
        "arena-limit nodes 10",
        "boardsize 3",
        "komi -2",
        "arena-time_settings 10",
        "play black A1",
        "play white B3",
    ]


async def test_an_engine_is_sent_no_optional_command_that_it_does_not_list(autojump_clock: MockClock) -> None:
    plain = [
        "protocol_version",
        "name",
        "version",
        "list_commands",
        "boardsize",
        "clear_board",
        "play",
        "genmove",
        "quit",
    ]
    black = ScriptedEngine(listed=plain, plays=("pente",))
    game = await play(black, ScriptedEngine())
    assert game.record.verdict.outcome is not None
    assert not [line for line in black.received if line.startswith(("arena-", "time"))]


async def test_an_engine_that_refuses_to_list_its_commands_is_sent_gtps_own(
    autojump_clock: MockClock,
) -> None:
    black = ScriptedEngine(manners={"list_commands": b"? unknown command\n\n"}, plays=("pente",))
    game = await play(black, ScriptedEngine())
    assert game.record.verdict.outcome is not None
    assert not [line for line in black.received if line.startswith("arena-")]


async def test_set_up_is_a_barrier(autojump_clock: MockClock) -> None:
    black = ScriptedEngine()
    white = ScriptedEngine(manners={"clear_board": thinking(7)})
    game = await play(black, white, task_of(time="1"))
    assert game.record.verdict.outcome is not None
    asked = black.times[black.received.index("genmove black")]
    assert asked - black.times[black.received.index("clear_board")] == pytest.approx(7)


async def test_the_opponents_move_comes_with_the_next_turn_in_one_write(autojump_clock: MockClock) -> None:
    black, white = ScriptedEngine(moves=["C3"]), ScriptedEngine(moves=["A1"])
    await play(black, white)
    turn = white.received[white.received.index("play black C3") :][:3]
    assert [line.split()[0] for line in turn] == ["play", "arena-clock", "genmove"]
    turn = black.received[black.received.index("play white A1") :][:3]
    assert turn == [
        "play white A1",
        "arena-clock black_ms=10000 white_ms=10000",
        "genmove black",
    ]


async def test_an_engine_without_pipelining_gets_one_command_at_a_time(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(one_by_one=True, pipelining=False)
    game = await play(black, ScriptedEngine())
    assert game.record.verdict.outcome is not None


async def test_an_engine_that_cannot_take_two_commands_in_a_write_loses_where_they_are_sent(
    autojump_clock: MockClock,
) -> None:
    game = await play(ScriptedEngine(one_by_one=True), ScriptedEngine())
    assert game.outcome == ("W+F", "set-up")


async def test_an_engine_with_ids_gets_numbered_commands_and_must_repeat_them(
    autojump_clock: MockClock,
) -> None:
    game = await play(ScriptedEngine(ids=True), ScriptedEngine())
    assert game.record.verdict.outcome is not None
    wrong = ScriptedEngine(ids=True, manners={"genmove": b"=1 C3\n\n"})
    game = await play(wrong, ScriptedEngine())
    assert game.outcome == ("W+F", "malformed-reply")


async def test_an_id_where_none_was_sent_is_malformed(autojump_clock: MockClock) -> None:
    game = await play(ScriptedEngine(manners={"genmove": b"=7 C3\n\n"}), ScriptedEngine())
    assert game.outcome == ("W+F", "malformed-reply")
    assert game.record.evidence[0].offending.startswith("=7 C3")


async def test_the_roll_goes_to_the_mover_before_its_turn_and_to_the_other_side_with_the_move(
    autojump_clock: MockClock,
) -> None:
    engines = ScriptedEngine(), ScriptedEngine()
    game = await play(*engines, task_of("plakoto", size=None))
    first, second = game.record.dice[:2]
    opening = game.record.opening_roll[-1]
    starts = 0 if opening[0] > opening[1] else 1
    assert first == (max(opening), min(opening))
    colour, other = (("black", "white"), ("white", "black"))[starts]
    told = engines[starts].sent("arena-dice", "play", "genmove")
    assert told[:2] == [f"arena-dice {colour} {first[0]} {first[1]}", f"genmove {colour}"]
    told = engines[1 - starts].sent("arena-dice", "play", "genmove")
    assert told[:4] == [
        f"arena-dice {colour} {first[0]} {first[1]}",
        f"play {colour} {game.record.moves[0]}",
        f"arena-dice {other} {second[0]} {second[1]}",
        f"genmove {other}",
    ]


async def test_a_line_of_three_is_announced_to_the_opponent_with_the_move(autojump_clock: MockClock) -> None:
    black, white = ScriptedEngine(moves=["C3", "C2", "C1"]), ScriptedEngine(moves=["A1", "E1"])
    deaf = ScriptedEngine(moves=["A1", "E1"], listed=without("arena-announce"))
    game = await play(black, white)
    place = white.received.index("play black C1")
    assert white.received[place + 1] == "arena-announce black three"
    assert game.record.announcements[4] == "three"
    await play(ScriptedEngine(moves=["C3", "C2", "C1"]), deaf)
    assert not deaf.sent("arena-announce")


async def test_the_clock_is_sent_rounded_down_and_to_the_mover_alone_by_time_left(
    autojump_clock: MockClock,
) -> None:
    black = ScriptedEngine(manners={"genmove": thinking(0.0625)}, listed=without("arena-clock"))
    other = ScriptedEngine(manners={"genmove": thinking(1.5)}, listed=[*without("arena-clock"), "time_left"])
    await play(black, other, task_of(time="10+1"))
    assert not black.sent("time_left", "arena-clock")
    assert other.sent("time_left")[:3] == [
        "time_left white 10 0",
        "time_left white 9 0",
        "time_left white 9 0",
    ]
    watcher = ScriptedEngine()
    await play(ScriptedEngine(manners={"genmove": thinking(0.0625)}), watcher, task_of(time="10"))
    assert watcher.sent("arena-clock")[0] == "arena-clock black_ms=9937 white_ms=10000"


async def test_no_clock_is_sent_where_none_is_in_force(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(listed=[*LISTED, "time_left"])
    await play(black, ScriptedEngine(), task_of(time="inf"))
    assert not black.sent("arena-clock", "time_left")


async def test_opening_plies_cost_no_time_and_are_told_to_both_in_set_up(autojump_clock: MockClock) -> None:
    opening = ["C3", "A1", "A2"]
    black, white = ScriptedEngine(manners={"play": thinking(1)}), ScriptedEngine()
    game = await play(black, white, task_of(time="3/5", opening=opening))
    assert game.record.moves[:3] == tuple(opening)
    assert game.record.opening_plies == 3
    assert game.record.time_us[:3] == (None, None, None)
    assert white.received.index("play black A2") < white.received.index("genmove white")
    assert (
        white.sent("arena-clock")[0] == "arena-clock black_ms=5000 black_moves=3 white_ms=5000 white_moves=3"
    )
    assert not black.sent("genmove")[0].endswith("white")


async def test_time_odds_are_told_and_enforced(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": thinking(1.5)})
    white = ScriptedEngine(manners={"genmove": thinking(1.5)})
    game = await play(black, white, task_of(time="60", white_time="1"))
    assert black.sent("arena-time_settings") == ["arena-time_settings 60"]
    assert white.sent("arena-time_settings") == ["arena-time_settings 1"]
    assert game.outcome == ("B+T", "time")


# ---- the clock and the flag -----------------------------------------------------------------------------


async def test_a_move_within_the_margin_counts_and_one_beyond_it_loses(autojump_clock: MockClock) -> None:
    late = {"genmove": thinking(10.015)}
    game = await play(ScriptedEngine(manners=late), ScriptedEngine(manners={"genmove": "resign"}))
    assert game.outcome == ("B+R", "resign")
    assert game.record.time_us == (10_015_000,)
    game = await play(ScriptedEngine(manners=late, margin_ms=10), ScriptedEngine())
    assert game.outcome == ("W+T", "time")
    assert game.record.moves == ()
    assert game.record.fault_us is not None
    assert 10_010_000 <= game.record.fault_us < 10_015_000


@pytest.mark.parametrize(
    "manner",
    [
        silent(),
        b"= C3\n",
        b"= C",
        b"\n",
        pytest.param("chatter", id="chatter"),
        pytest.param("empty lines", id="empty-lines"),
    ],
)
async def test_output_never_extends_a_deadline(autojump_clock: MockClock, manner: object) -> None:
    async def chatter(engine: ScriptedEngine, line: str) -> None:
        await engine.process.write(b"= C3\n")
        while not engine.process.has_exited:
            await engine.process.write(b"info nodes 5\n")
            await trio.sleep(0.3)

    async def empty_lines(engine: ScriptedEngine, line: str) -> None:
        while not engine.process.has_exited:
            await engine.process.write(b"\n\r\n")
            await trio.sleep(0.3)

    chosen = {"chatter": chatter, "empty lines": empty_lines}.get(str(manner), manner)
    black = ScriptedEngine(manners={"genmove": chosen})  # type: ignore[dict-item]
    started = trio.current_time()
    game = await play(black, ScriptedEngine())
    assert game.outcome == ("W+T", "time")
    assert trio.current_time() - started == pytest.approx(10.02, abs=0.02)
    assert game.in_step == (False, True)


async def test_without_a_clock_the_hang_limit_of_an_hour_ends_the_game(autojump_clock: MockClock) -> None:
    started = trio.current_time()
    game = await play(ScriptedEngine(manners={"genmove": silent()}), ScriptedEngine(), task_of(time="inf"))
    assert game.outcome == ("W+F", "hang")
    assert trio.current_time() - started == pytest.approx(3600, abs=1)


async def test_the_last_move_of_a_period_must_be_in_time_before_the_next_period_is_credited(
    autojump_clock: MockClock,
) -> None:
    black = ScriptedEngine(manners={"genmove": from_the(2, "genmove", thinking(4.5))})
    game = await play(black, ScriptedEngine(), task_of(time="2/4"))
    assert game.outcome == ("W+T", "time")
    assert len(game.record.moves) == 2


async def test_an_increment_is_credited_after_the_move(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": thinking(2.5)})
    game = await play(black, ScriptedEngine(), task_of(time="2+5"))
    assert game.outcome == ("W+T", "time")
    white = ScriptedEngine(manners={"genmove": from_the(2, "genmove", thinking(5))})
    game = await play(ScriptedEngine(), white, task_of(time="2+5"))
    assert game.record.verdict.outcome is not None


async def test_the_clock_stops_with_the_last_byte_of_the_reply(autojump_clock: MockClock) -> None:
    async def piecemeal(engine: ScriptedEngine, line: str) -> None:
        text = engine.usual(line)
        for byte in f"= {text}\n\n".encode():
            await trio.sleep(0.125)
            await engine.process.write(bytes([byte]))

    game = await play(
        ScriptedEngine(manners={"genmove": from_the(1, "genmove", piecemeal)}), ScriptedEngine()
    )
    assert game.record.time_us[0] == 750_000


async def test_answering_play_late_costs_an_engines_own_time(autojump_clock: MockClock) -> None:
    white = ScriptedEngine(manners={"play": thinking(11)})
    game = await play(ScriptedEngine(), white)
    assert game.outcome == ("B+T", "time")


async def test_without_pipelining_the_clock_starts_before_genmove_alone(autojump_clock: MockClock) -> None:
    white = ScriptedEngine(manners={"play": thinking(6)}, pipelining=False)
    game = await play(ScriptedEngine(), white, task_of(time="5"))
    assert game.record.verdict.outcome is not None
    late = ScriptedEngine(manners={"play": thinking(11)}, pipelining=False)
    game = await play(ScriptedEngine(), late, task_of(time="60"))
    assert game.outcome == ("B+T", "time")


async def test_a_late_answer_is_never_taken_for_the_next_commands(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": thinking(10.5)})
    game = await play(black, ScriptedEngine())
    assert game.outcome == ("W+T", "time")
    assert game.in_step == (False, True)


# ---- resigning, info, results ---------------------------------------------------------------------------


async def test_resigning_is_no_fault_in_whatever_case_it_is_written(autojump_clock: MockClock) -> None:
    game = await play(ScriptedEngine(manners={"genmove": "ReSign"}), ScriptedEngine())
    assert game.outcome == ("W+R", "resign")
    assert game.record.verdict.at_fault is None
    assert game.in_step == (True, True)


async def test_what_an_engine_thinks_is_kept(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(
        manners={"genmove": from_the(1, "genmove", "C3\ninfo winrate 0.5 pv C3 A1\nnoise")}
    )
    white = ScriptedEngine(manners={"genmove": "resign"})
    game = await play(black, white)
    assert dict(game.record.infos[0]) == {"winrate": 0.5, "pv": ("C3", "A1")}


async def test_the_move_that_ends_a_game_is_not_sent_and_the_result_is_not_waited_for(
    autojump_clock: MockClock,
) -> None:
    started = trio.current_time()
    black, white = ScriptedEngine(manners={"arena-result": silent()}), ScriptedEngine()
    game = await play(black, white)
    last = f"play {'white' if len(game.record.moves) % 2 == 0 else 'black'} {game.record.moves[-1]}"
    assert last not in black.received + white.received
    assert black.received[-1] == white.received[-1] == f"arena-result {game.record.verdict.result}"
    assert trio.current_time() - started < 0.1


async def test_the_loser_by_a_fault_is_told_nothing_and_the_winner_the_result(
    autojump_clock: MockClock,
) -> None:
    black, white = ScriptedEngine(manners={"genmove": "nonsense"}), ScriptedEngine()
    game = await play(black, white)
    assert game.outcome == ("W+F", Reason.MALFORMED_REPLY)
    assert not black.sent("arena-result")
    assert white.sent("arena-result") == ["arena-result W+F"]
