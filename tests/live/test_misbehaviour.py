"""What each kind of misbehaviour costs, over scripted pipes and a virtual clock."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest
import trio

from arena.live import session as live_session
from arena.live.channel import Channel, OtherSideGone
from arena.live.faults import EngineFault, escaped
from protocol.commands import COMMANDS
from tests.live.scripted import (
    LISTED,
    ScriptedEngine,
    ScriptedProcess,
    exiting,
    from_the,
    play,
    silent,
    task_of,
    thinking,
    virtual_patience,
)

if TYPE_CHECKING:
    from trio.testing import MockClock


async def close_output(engine: ScriptedEngine, line: str) -> None:
    engine.process.close_output()


async def close_input(engine: ScriptedEngine, line: str) -> None:
    text = engine.usual(line)
    engine.process.close_input()
    await engine.say(text)


async def refuse_and_fall_silent(engine: ScriptedEngine, line: str) -> None:
    await engine.process.write(b"? lost my board\n\n")
    await trio.sleep_forever()


async def flood(engine: ScriptedEngine, line: str) -> None:
    while not engine.process.has_exited:
        await engine.process.write(b"x" * 70_000)


async def flood_of_lines(engine: ScriptedEngine, line: str) -> None:
    await engine.process.write(b"= \n")
    while not engine.process.has_exited:
        await engine.process.write(b"info\n" * 20_000)


TURN_FAULTS = {
    "silence": (silent(), "time"),
    "end of output": (close_output, "crash"),
    "exit": (exiting(3), "crash"),
    "half a reply at exit": (exiting(3, saying=b"= C3\n"), "crash"),
    "a long line": (flood, "flood"),
    "a long reply": (flood_of_lines, "flood"),
    "text outside a reply": (b"C3\n\n", "malformed-reply"),
    "two replies": (b"= C3\n\n= \n\n", "malformed-reply"),
    "no move": ("", "malformed-reply"),
    "nonsense": ("??", "malformed-reply"),
    "an escape sequence": ("\x1b[31mC3\x1b[0m", "malformed-reply"),
    "invalid UTF-8": (b"= \xff\xfe\n\n", "malformed-reply"),
    "an error": (b"? cannot\n\n", "error-reply"),
    "an error and silence": (refuse_and_fall_silent, "error-reply"),
    "an occupied point": ("C3", "illegal-move"),
    "a point off the board": ("T19", "illegal-move"),
}


@pytest.mark.parametrize("pipelining", [True, False], ids=["pipelined", "one by one"])
@pytest.mark.parametrize("kind", TURN_FAULTS)
async def test_a_fault_on_a_turn_loses_with_its_reason_and_evidence(
    autojump_clock: MockClock, kind: str, pipelining: bool
) -> None:
    manner, reason = TURN_FAULTS[kind]
    black = ScriptedEngine(moves=["C3"])
    white = ScriptedEngine(manners={"genmove": manner}, pipelining=pipelining)  # type: ignore[dict-item]
    white.process.stderr = b"fatal: \x1b[2J\n"
    started = trio.current_time()
    game = await play(black, white)
    assert game.outcome == ("B+T" if reason == "time" else "B+F", reason)
    assert trio.current_time() - started < 12
    assert game.record.verdict.at_fault == 1
    assert game.record.moves == ("C3",)
    assert game.record.fault_us is not None
    assert game.in_step == (True, False)
    evidence = game.record.evidence[1]
    assert evidence.message.isprintable()
    assert evidence.stderr == "fatal: \\x1b[2J"
    if kind != "a long reply":
        assert "> genmove white" in evidence.exchange
    assert all(line.isprintable() for line in (*evidence.exchange, evidence.offending))
    assert black.sent("arena-result") == [f"arena-result {game.record.verdict.result}"]
    if reason == "illegal-move":
        assert game.record.fault_move in ("C3", "T19")


@pytest.mark.parametrize(
    ("kind", "manner"),
    [
        ("CR LF", b"= C3\r\n\r\n"),
        ("more empty lines", b"= C3\n\n\n\n"),
        ("no blank", b"=\tC3\n\n"),
        ("NUL", b"= C\x003\n\n"),
        ("lower case", b"= c3\n\n"),
    ],
)
async def test_what_the_protocol_tolerates_costs_nothing(
    autojump_clock: MockClock, kind: str, manner: bytes
) -> None:
    white = ScriptedEngine(manners={"genmove": "resign"})
    game = await play(ScriptedEngine(manners={"genmove": manner}), white)
    assert game.outcome == ("B+R", "resign")
    assert game.record.moves == ("C3",)


async def test_a_banner_before_the_first_reply_is_tolerated(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"protocol_version": b"Welcome!\n\n(c)\n= 2\n\n"})
    game = await play(black, ScriptedEngine())
    assert game.record.verdict.outcome is not None


@pytest.mark.parametrize(
    ("game", "size", "first", "word", "reason"),
    [
        ("pletore", 5, ["A1"], "A1", "illegal-move"),  # a flip of what is not controlled
        ("pletore", 5, [], "pass", "illegal-move"),
        ("pletore", 5, [], "button", "illegal-move"),  # not in use with this komi
        ("pletore", 2, ["A1"], "B2", "illegal-move"),  # opposite the first stone
        ("pletore", 5, [], "Z9", "illegal-move"),
        ("pletore", 5, [], "5A", "malformed-reply"),
        ("pente", 5, [], "A1", "illegal-move"),  # not the centre
        ("pente", 5, ["C3"], "C3", "illegal-move"),
        ("topolo", 4, [], "A1", "malformed-reply"),
        ("topolo", 4, [], "A1:4", "illegal-move"),
        ("topolo", 4, ["A1:1"], "A2:1", "illegal-move"),  # a row of the other parity
        ("topolo", 4, ["A1:1"], "A1:1", "illegal-move"),
        ("plakoto", None, [], "pass", "illegal-move"),
        ("plakoto", None, [], "1/off", "illegal-move"),
        ("plakoto", None, [], "24-18", "malformed-reply"),
        ("plakoto", None, [], "24/" * 5000, "malformed-reply"),
        ("pente", 5, [], "C" + "9" * 5000, "malformed-reply"),
        ("topolo", 4, [], "A1:²", "malformed-reply"),
    ],
)
async def test_illegal_and_malformed_moves_of_every_game_lose(
    autojump_clock: MockClock, game: str, size: int | None, first: list[str], word: str, reason: str
) -> None:
    offender = ScriptedEngine(manners={"genmove": word})
    good = ScriptedEngine(moves=first)
    komi = {5: 4, 2: 1}.get(size or 0) if game == "pletore" else None
    task = task_of(game, size=size, komi=komi)
    if game == "plakoto":
        played = await play(offender, ScriptedEngine(manners={"genmove": word}), task)
    else:
        played = await (play(good, offender, task) if first else play(offender, good, task))
    result, found = played.outcome
    at_fault = played.record.verdict.at_fault
    assert (found, result[1:]) == (reason, "+F")
    assert at_fault is not None
    assert played.record.fault_move is not None
    assert len(played.record.fault_move) <= 110
    assert played.record.fault_move.isprintable()
    assert len(played.record.evidence[at_fault].message) < 300
    if game == "plakoto":
        assert played.record.verdict.points == 2
        assert len(played.record.dice) == 1


# ---- ends of processes ----------------------------------------------------------------------------------


async def test_move_and_exit_in_one_breath_the_move_counts(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": exiting(0, saying=b"= C3\n\n")})
    white = ScriptedEngine(manners={"genmove": silent()})
    started = trio.current_time()
    game = await play(black, white, task_of(time="inf"))
    assert game.record.moves == ("C3",)
    assert game.outcome == ("W+F", "crash")
    assert game.record.evidence[0].exit == "exit code 0"
    assert trio.current_time() - started < 1
    assert white.sent("arena-result") == ["arena-result W+F"]


async def test_a_move_that_wins_counts_whatever_the_process_does_next(autojump_clock: MockClock) -> None:
    moves = ["C3", "C1", "C2", "C4"]
    last = from_the(5, "genmove", exiting(1, saying=b"= C5\n\n"))
    black = ScriptedEngine(moves=moves, manners={"genmove": last})
    white = ScriptedEngine(moves=["A1", "E1", "A5", "E5"])
    game = await play(black, white)
    assert game.outcome == ("B+five", "five")
    assert game.in_step == (False, True)


@pytest.mark.parametrize("code", [0, 3])
async def test_the_end_of_the_idle_side_is_noticed_while_the_other_thinks(
    autojump_clock: MockClock, code: int
) -> None:
    async def opponent_leaves(engine: ScriptedEngine, line: str) -> None:
        await trio.sleep(2)
        white.process.exit(code)
        await trio.sleep_forever()

    black = ScriptedEngine(manners={"genmove": opponent_leaves})
    white = ScriptedEngine()
    started = trio.current_time()
    game = await play(black, white, task_of(time="inf"))
    assert game.outcome == ("B+F", "crash")
    assert game.record.evidence[1].exit == f"exit code {code}"
    assert trio.current_time() - started < 3
    assert game.in_step == (False, False)  # Black is still thinking
    assert not black.sent("arena-result")


async def test_a_crash_without_a_clock_is_noticed_at_once(autojump_clock: MockClock) -> None:
    started = trio.current_time()
    game = await play(ScriptedEngine(manners={"genmove": exiting(1)}), ScriptedEngine(), task_of(time="inf"))
    assert game.outcome == ("W+F", "crash")
    assert trio.current_time() - started < 1


async def test_both_sides_gone_at_once_have_both_failed(autojump_clock: MockClock) -> None:
    async def both_leave(engine: ScriptedEngine, line: str) -> None:
        white.process.exit(1)
        engine.process.exit(1)

    white = ScriptedEngine()
    game = await play(ScriptedEngine(manners={"genmove": both_leave}), white)
    assert game.outcome == ("both-failed", "both-failed")
    assert game.record.verdict.reasons == ("both-failed", "crash")
    assert game.record.verdict.at_fault is None
    assert set(game.record.evidence) == {0, 1}
    assert game.in_step == (False, False)


async def test_both_sides_failing_in_set_up_have_both_failed_with_both_reasons(
    autojump_clock: MockClock,
) -> None:
    black = ScriptedEngine(manners={"boardsize": b"? unacceptable size\n\n"})
    white = ScriptedEngine(manners={"clear_board": silent()})
    game = await play(black, white)
    assert game.record.verdict.reasons == ("both-failed", "error-reply", "set-up")


async def test_an_engine_that_closed_its_input_crashes_when_it_is_written_to(
    autojump_clock: MockClock,
) -> None:
    started = trio.current_time()
    white = ScriptedEngine(manners={"genmove": close_input})
    game = await play(ScriptedEngine(), white, task_of(time="inf"))
    assert game.outcome == ("B+F", "crash")
    assert len(game.record.moves) == 3
    assert "standard input" in game.record.evidence[1].message
    assert trio.current_time() - started < 1


async def test_an_engine_that_never_reads_loses_at_its_deadline(autojump_clock: MockClock) -> None:
    process = ScriptedProcess()
    channel = Channel(process.read_fd, process.write_fd, patience=virtual_patience())
    with contextlib.suppress(BlockingIOError):
        while os.write(process.write_fd, b"x" * 4096):
            pass
    started = trio.current_time()
    assert await channel.exchange(["name"], 5_000_000_000) is None
    assert trio.current_time() - started == pytest.approx(5, abs=0.1)
    assert not channel.send("quit")
    process.kill()
    process.exit()


# ---- refusals -------------------------------------------------------------------------------------------


async def test_a_refused_optional_command_is_not_sent_again(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"arena-clock": b"? no clock here\n\n", "arena-seed": b"? no\n\n"})
    game = await play(black, ScriptedEngine())
    assert game.record.verdict.outcome is not None
    assert len(black.sent("arena-clock")) == 1


@pytest.mark.parametrize("command", ["boardsize", "clear_board", "play"])
async def test_a_refused_required_command_ends_the_game_at_once(
    autojump_clock: MockClock, command: str
) -> None:
    started = trio.current_time()
    white = ScriptedEngine(manners={command: refuse_and_fall_silent})
    game = await play(ScriptedEngine(), white, task_of(time="inf"))
    assert game.outcome == ("B+F", "error-reply")
    assert game.record.evidence[1].offending == "? lost my board"
    assert f"`{command}" in game.record.evidence[1].message
    assert trio.current_time() - started < 1


async def test_the_set_up_limit_is_for_all_of_the_set_up(autojump_clock: MockClock) -> None:
    slow = {name: thinking(2.4) for name in ("arena-game", "arena-seed", "boardsize", "clear_board")}
    game = await play(ScriptedEngine(manners=slow, pipelining=False), ScriptedEngine())
    assert game.record.verdict.outcome is not None
    slow["arena-time_settings"] = thinking(2.4)
    started = trio.current_time()
    game = await play(ScriptedEngine(manners=slow, pipelining=False), ScriptedEngine())
    assert game.outcome == ("W+F", "set-up")
    assert trio.current_time() - started == pytest.approx(10, abs=0.1)


async def test_an_unsolicited_reply_between_turns_is_malformed(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"genmove": from_the(2, "genmove", b"= A3\n\n= \n\n")})
    game = await play(black, ScriptedEngine())
    assert game.outcome == ("W+F", "malformed-reply")


async def answer_beforehand(engine: ScriptedEngine, line: str) -> None:
    """Answer, and in the same breath all that the next turn will ask: its move, its clock, `genmove`."""
    await engine.say(engine.usual(line))
    await engine.process.write(b"= \n\n= \n\n= E5\n\n")


async def test_what_was_answered_before_it_was_asked_counts_for_nothing(autojump_clock: MockClock) -> None:
    game = await play(ScriptedEngine(manners={"genmove": answer_beforehand}), ScriptedEngine())
    assert game.outcome == ("W+F", "malformed-reply")
    assert "a reply to no command" in game.record.evidence[0].message
    # At once, if all of it was read in one piece.
    assert len(game.record.moves) in (0, 2)


async def test_resigning_out_of_turn_is_a_reply_to_no_command(autojump_clock: MockClock) -> None:
    async def wait_for_it(engine: ScriptedEngine, line: str) -> None:
        text = engine.usual(line)
        await white.process.write(b"= resign\n\n")
        await engine.say(text)

    white = ScriptedEngine()
    game = await play(ScriptedEngine(manners={"genmove": wait_for_it}), white)
    assert game.outcome == ("B+F", "malformed-reply")


# ---- pie ------------------------------------------------------------------------------------------------


async def test_the_chooser_who_takes_black_plays_black(autojump_clock: MockClock) -> None:
    one = ScriptedEngine("one", manners={"arena-choose_komi": "3"})
    two = ScriptedEngine("two", manners={"arena-choose_side": "black"})
    task = task_of("pletore", size=3, komi="pie", time="60", white_time="1", opening=["A1"])
    game = await play(one, two, task)
    record = game.record
    assert (record.black.name, record.white.name) == ("two", "one")
    assert record.komi == 3
    assert record.pie is not None
    assert (record.pie.proposer, record.pie.komi_offered, record.pie.side_chosen) == (1, 3, 0)
    assert two.sent("arena-choose_side", "komi", "clear_board", "play")[:5] == [
        "clear_board",
        "arena-choose_side 3",
        "komi 3",
        "clear_board",
        "play black A1",
    ]
    assert one.sent("genmove")[0] == "genmove white"
    assert two.sent("arena-time_settings") == ["arena-time_settings 1"]
    assert record.verdict.outcome is not None


async def test_the_chooser_who_takes_white_leaves_black_to_the_proposer(autojump_clock: MockClock) -> None:
    one = ScriptedEngine("one", manners={"arena-choose_komi": "-9"})
    two = ScriptedEngine("two", manners={"arena-choose_side": "W"})
    game = await play(one, two, task_of("pletore", size=3, komi="pie"))
    assert game.record.black.name == "one"
    assert game.record.komi == -9
    assert game.record.pie is not None
    assert (game.record.pie.proposer, game.record.pie.side_chosen) == (0, 1)


@pytest.mark.parametrize(
    ("komi", "side", "result", "reason"),
    [
        ("four", "black", "W+F", "malformed-reply"),
        ("", "black", "W+F", "malformed-reply"),
        ("2.5", "black", "W+F", "malformed-reply"),
        ("10", "black", "W+F", "illegal-move"),
        ("-10", "black", "W+F", "illegal-move"),
        ("1" + "0" * 5000, "black", "W+F", "illegal-move"),
        (b"? no\n\n", "black", "W+F", "error-reply"),
        (silent(), "black", "W+F", "set-up"),
        (exiting(1), "black", "W+F", "crash"),
        ("3", "red", "B+F", "malformed-reply"),
        ("3", "", "B+F", "malformed-reply"),
        ("3", b"? no\n\n", "B+F", "error-reply"),
        ("3", silent(), "B+F", "set-up"),
    ],
)
async def test_a_failure_to_settle_komi_loses_as_if_the_proposer_were_black(
    autojump_clock: MockClock, komi: object, side: object, result: str, reason: str
) -> None:
    one = ScriptedEngine("one", manners={"arena-choose_komi": komi})  # type: ignore[dict-item]
    two = ScriptedEngine("two", manners={"arena-choose_side": side})  # type: ignore[dict-item]
    game = await play(one, two, task_of("pletore", size=3, komi="pie"))
    assert game.outcome == (result, reason)
    assert game.record.black.name == "one"
    assert game.record.komi is None
    assert game.record.moves == ()
    assert set(game.record.evidence) == {game.record.verdict.at_fault}
    assert game.in_step == (result == "B+F", result == "W+F")


async def test_a_komi_with_a_sign_and_zeros_in_front_is_a_number(autojump_clock: MockClock) -> None:
    one = ScriptedEngine("one", manners={"arena-choose_komi": "+" + "0" * 5000 + "4"})
    two = ScriptedEngine("two", manners={"arena-choose_side": "white"})
    game = await play(one, two, task_of("pletore", size=3, komi="pie"))
    assert game.record.komi == 4


async def test_a_side_that_refuses_the_settled_komi_loses_in_its_real_colour(
    autojump_clock: MockClock,
) -> None:
    one = ScriptedEngine("one", manners={"arena-choose_komi": "3", "komi": b"? too much\n\n"})
    two = ScriptedEngine("two", manners={"arena-choose_side": "black"})
    game = await play(one, two, task_of("pletore", size=3, komi="pie"))
    assert game.outcome == ("B+F", "error-reply")
    assert game.record.white.name == "one"
    assert game.in_step == (True, False) if game.record.black.name == "one" else (False, True)


# ---- evidence and bounds --------------------------------------------------------------------------------


async def test_the_evidence_of_megabytes_is_made_from_their_end_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0

    def counting(data: bytes, limit: int = 400) -> str:
        nonlocal looked_at
        looked_at += 1
        return escaped(data, limit)

    monkeypatch.setattr(live_session, "escaped", counting)

    async def chatter(engine: ScriptedEngine, line: str) -> None:
        text = "?" if len(engine.sent("genmove")) == 4 else engine.usual(line)
        await engine.process.write(f"= {text}\n".encode() + b"i\n" * 400_000 + b"\n")

    black = ScriptedEngine(manners={"genmove": chatter})
    game = await play(black, ScriptedEngine(), task_of(time="inf"))
    assert game.outcome == ("W+F", "malformed-reply")
    assert len(game.record.evidence[0].exchange) == 40
    assert looked_at < 3000


async def test_pieces_of_one_line_are_one_line_of_evidence(autojump_clock: MockClock) -> None:
    async def piecemeal(engine: ScriptedEngine, line: str) -> None:
        for byte in b"= nonsense\n\n":
            await engine.process.write(bytes([byte]))
            await trio.sleep(0.01)

    game = await play(ScriptedEngine(manners={"genmove": piecemeal}), ScriptedEngine())
    assert game.record.evidence[0].exchange[-1] == "< = nonsense"


async def test_what_an_engine_calls_itself_is_escaped_and_cut(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"name": "<b>\x1b[31m\"'\n" + "é" * 300})
    session = live_session.EngineSession(black.entry, black.process, virtual_patience())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(black.run)
        await session.start_up()
        nursery.cancel_scope.cancel()
    assert session.reported_name.startswith("<b>\\x1b") or session.reported_name.startswith("<b>[31m")
    assert session.reported_name.endswith("…")
    assert session.reported_name[:-1].isascii()
    assert session.reported_name.isprintable()
    assert len(session.reported_name) < 900
    black.process.kill()


async def test_the_start_up_limit_is_for_all_of_the_start_up(autojump_clock: MockClock) -> None:
    black = ScriptedEngine(manners={"name": thinking(2), "list_commands": silent()}, startup_s=3)
    session = live_session.EngineSession(black.entry, black.process, virtual_patience())
    started = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(black.run)
        with pytest.raises(EngineFault) as caught:
            await session.start_up()
        nursery.cancel_scope.cancel()
    assert caught.value.reason == "start-up"
    assert "list_commands" in caught.value.message
    assert trio.current_time() - started == pytest.approx(3, abs=0.01)
    black.process.kill()


# ---- the channel alone ----------------------------------------------------------------------------------


async def test_a_channel_broken_off_beforehand_does_not_wait(autojump_clock: MockClock) -> None:
    process = ScriptedProcess()
    channel = Channel(process.read_fd, process.write_fd, patience=virtual_patience())
    channel.break_off()
    with pytest.raises(OtherSideGone):
        await channel.exchange(["name"], 10**12)
    process.kill()


async def test_nothing_is_sent_after_a_fault(autojump_clock: MockClock) -> None:
    process = ScriptedProcess()
    channel = Channel(process.read_fd, process.write_fd, patience=virtual_patience())
    await process.write(b"= \n\n= \n\n")
    with pytest.raises(EngineFault, match="a reply to no command"):
        await channel.exchange(["name"], 10**12)
    assert not channel.send("quit")
    process.kill()


async def test_the_end_of_a_process_whose_child_holds_the_pipe_is_a_crash(autojump_clock: MockClock) -> None:
    process = ScriptedProcess()
    channel = Channel(process.read_fd, process.write_fd, patience=virtual_patience())
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def leave() -> None:
            await trio.sleep(1)
            await process.write(b"= half")
            channel.process_gone()

        with pytest.raises(EngineFault, match="ended") as caught:
            await channel.exchange(["name"], 10**15)
    assert caught.value.reason == "crash"
    process.kill()


@pytest.mark.parametrize("joined", [0, 1, 2])
async def test_a_probe_counts_answers_until_a_gap(autojump_clock: MockClock, joined: int) -> None:
    process = ScriptedProcess()
    channel = Channel(process.read_fd, process.write_fd, patience=virtual_patience())

    async def answer() -> None:
        for _ in range(joined):
            await trio.sleep(0.9 if joined == 2 else 4)
            await process.write(b"= \n\n")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        assert await channel.probe(["name", "version"], 5 * 10**9, 10**9) == joined
    process.kill()


def test_the_commands_a_script_lists_are_the_protocols() -> None:
    assert set(LISTED) <= set(COMMANDS)
