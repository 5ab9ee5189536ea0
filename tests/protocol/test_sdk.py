"""An engine written with the SDK answers every command, whatever its author's code does."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.framing import Reply, ReplyParser
from protocol.sdk import (
    ColourWord,
    Engine,
    OptionKind,
    OptionSpec,
    Refusal,
    TimeSettings,
    TurnClock,
    WorkLimit,
    serve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Recorder(Engine):
    """Writes down what it is told, and plays what it was given to play."""

    name = "recorder"
    version = "2.1"
    games = ("pente", "pletore")
    sizes = (5, 9)
    options = (
        OptionSpec("noise", OptionKind.FLOAT, "0.5", 0, 1),
        OptionSpec("style", OptionKind.CHOICE, "a", choices=("a", "b")),
    )
    limits = ("nodes",)

    def __init__(self, *moves: str) -> None:
        self.told: list[object] = []
        self.moves = list(moves)

    def new_game(self) -> None:
        self.told.append(("new", self.game, self.size, self.komi, self.seed))

    def play(self, colour: ColourWord, move: str) -> None:
        if move == "Z99":
            raise Refusal("illegal move")
        if move == "CRASH":
            raise KeyError("oh\n\nno")
        self.told.append(("play", colour, move))

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        self.told.append(("genmove", colour, clock))
        return self.moves.pop(0)


class _Everything(_Recorder):
    """Offers the optional commands too."""

    def dice(self, colour: ColourWord, first: int, second: int) -> None:
        self.told.append(("dice", colour, first, second))

    def announce(self, colour: ColourWord, line: str) -> None:
        self.told.append(("announce", colour, line))

    def choose_komi(self) -> int:
        return -3

    def choose_side(self, komi: int) -> ColourWord:
        return "white" if komi > 0 else "black"

    def result(self, text: str) -> None:
        self.told.append(("result", text))

    def show(self) -> str:
        return ". . X\n\n. O .\n"


def served(engine: Engine, *chunks: bytes) -> list[bytes]:
    """Return what the engine writes when it reads the chunks, each by one read; one element a write."""
    commands_in, commands_out = os.pipe()
    replies_in, replies_out = os.pipe()
    writes: list[bytes] = []
    server = threading.Thread(target=serve, args=(engine, commands_in, replies_out))
    try:
        for chunk in chunks:
            os.write(commands_out, chunk)
        os.close(commands_out)
        server.start()
        server.join()
        os.close(replies_out)
        while data := os.read(replies_in, 1 << 20):
            writes.append(data)
    finally:
        os.close(commands_in)
        os.close(replies_in)
    return writes


def replies(engine: Engine, *lines: str, ids: bool = False) -> list[Reply]:
    """Return the replies to command lines sent in one write, checked by the referee's own parser."""
    data = "".join(f"{line}\n" for line in lines).encode()
    parser = ReplyParser(ids=ids)
    events = [event for written in served(engine, data) for event in parser.feed(written)]
    assert parser.feed_end() == []
    found = [event for event in events if isinstance(event, Reply)]
    assert found == events
    return found


def texts(engine: Engine, *lines: str) -> list[str]:
    found = replies(engine, *lines)
    assert all(reply.ok for reply in found), found
    return [reply.text for reply in found]


def test_who_it_is() -> None:
    assert texts(_Recorder(), "protocol_version", "name", "version") == ["2", "recorder", "2.1"]


def test_commands_in_one_write_are_all_answered_in_order() -> None:
    assert texts(_Recorder("D4"), "boardsize 9", "komi 3", "clear_board", "genmove b", "name") == [
        "",
        "",
        "",
        "D4",
        "recorder",
    ]


def test_ids_are_repeated() -> None:
    assert replies(_Recorder(), "7 name", "8 nonsense", "12 boardsize 77", ids=True) == [
        Reply(True, 7, "recorder"),
        Reply(False, 8, "unknown command"),
        Reply(False, 12, "unacceptable size"),
    ]


def test_a_game_reaches_the_engine_as_method_calls() -> None:
    engine = _Recorder("D4")
    texts(
        engine,
        "arena-game pletore",
        "arena-seed 5",
        "boardsize 9",
        "komi -4",
        "clear_board",
        "play B c3",
        "genmove w",
    )
    assert engine.told == [
        ("new", "pletore", 9, -4, 5),
        ("play", "black", "c3"),
        ("genmove", "white", TurnClock()),
        ("play", "white", "D4"),
    ]


def test_a_resignation_is_not_played() -> None:
    engine = _Recorder("resign")
    assert texts(engine, "genmove b") == ["resign"]
    assert ("play", "black", "resign") not in engine.told


def test_a_game_without_clear_board_begins_by_itself_with_the_last_settings() -> None:
    engine = _Recorder()
    texts(
        engine,
        "boardsize 5",
        "play b A1",
        "boardsize 9",
        "clear_board",
        "komi 2",
        "play b A1",
        "komi 3",
        "play w A2",
    )
    assert [told for told in engine.told if told[0] == "new"] == [  # type: ignore[index]
        ("new", "pente", 5, 0, None),
        ("new", "pente", 9, 0, None),
        ("new", "pente", 9, 2, None),
    ]


@pytest.mark.parametrize(
    ("settings_line", "expected"),
    [
        ("arena-time_settings 60+0.6", TimeSettings(60, increment_s=0.6)),
        ("kata-time_settings byoyomi 60 10 3", TimeSettings(60, period_s=10, period_moves=1, periods=3)),
        ("time_settings 60 30 25", TimeSettings(60, period_s=30, period_moves=25)),
    ],
)
def test_the_engine_gets_its_clock_in_seconds(settings_line: str, expected: TimeSettings) -> None:
    engine = _Recorder("A1", "A2")
    texts(
        engine,
        settings_line,
        "arena-clock black_ms=1500 white_ms=900",
        "genmove w",
        "time_left b 20 3",
        "genmove b",
    )
    clocks = [told[2] for told in engine.told if told[0] == "genmove"]  # type: ignore[index]
    assert clocks == [TurnClock(0.9, 1.5, settings=expected), TurnClock(20.0, moves=3, settings=expected)]


def test_options_and_limits_are_declared_checked_and_kept() -> None:
    engine = _Recorder()
    listed, *rest = replies(
        engine,
        "arena-options",
        "arena-option noise 0.25",
        "arena-option style b",
        "arena-option noise 2",
        "arena-option colour red",
        "arena-limit nodes 100",
        "arena-limit playouts 100",
        "arena-limit nodes 0",
    )
    assert listed.text == "noise float 0.5 0 1\nstyle choice a a b"
    assert [reply.ok for reply in rest] == [True, True, False, False, True, False, False]
    assert engine.settings == {"noise": 0.25, "style": "b"}
    assert engine.limit == WorkLimit("nodes", 100)


def test_only_what_the_class_defines_is_listed() -> None:
    [small] = texts(_Recorder(), "list_commands")
    [large] = texts(_Everything(), "list_commands")
    added = {
        "arena-dice",
        "arena-announce",
        "arena-choose_komi",
        "arena-choose_side",
        "arena-result",
        "showboard",
    }
    assert set(large.split("\n")) - set(small.split("\n")) == added
    assert texts(_Recorder(), "known_command arena-dice", "known_command play") == ["false", "true"]


def test_the_optional_commands_reach_the_engine() -> None:
    engine = _Everything()
    said = texts(
        engine,
        "arena-dice black 6 5",
        "arena-announce w three",
        "arena-choose_komi",
        "arena-choose_side 3",
        "arena-result B+3.5",
        "showboard",
    )
    assert said == ["", "", "-3", "white", "", "\n. . X\n. O ."]
    assert engine.told[1:] == [("dice", "black", 6, 5), ("announce", "white", "three"), ("result", "B+3.5")]


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "boardsize",
        "boardsize x",
        "boardsize 77",
        "komi",
        "komi x",
        "komi 6.5",
        "komi inf",
        "komi nan",
        "play black",
        "play green A1",
        "play black Z99",
        "genmove",
        "genmove green",
        "time_settings 1 2",
        "time_settings a b c",
        "time_left b x 0",
        "arena-time_settings soon",
        "kata-time_settings",
        "kata-time_settings sometimes 3",
        "arena-clock black_ms=x",
        "arena-game chess",
        "arena-seed x",
        "arena-option noise",
        "arena-dice black 0 7",
        "arena-choose_side x",
        "1234",
    ],
)
def test_what_makes_no_sense_is_refused_and_the_engine_goes_on(line: str) -> None:
    data = f"{line}\nname\n".encode()
    [written] = served(_Everything(), data)
    refusal, name = written.split(b"\n\n")[:2]
    assert refusal.startswith(b"?")
    assert name == b"= recorder"


def test_an_error_in_the_authors_code_becomes_an_error_reply_and_a_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    crashed, name = replies(_Recorder(), "play b CRASH", "name")
    assert not crashed.ok
    assert crashed.text.startswith("internal error: KeyError")
    assert name.text == "recorder"
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("move", ["", "A1 B2", "A1\n\nB2", " "])
def test_a_move_that_is_not_one_word_is_an_error_reply(move: str, capsys: pytest.CaptureFixture[str]) -> None:
    [reply] = replies(_Recorder(move), "genmove b")
    assert not reply.ok
    assert "expected a move as one word" in capsys.readouterr().err


def test_infos_follow_the_move_with_the_variation_last() -> None:
    class Thinker(_Recorder):
        def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
            self.info(pv=["A1", "B2"], winrate=0.5)
            self.info(nodes=12, comment="two words")
            return "A1"

    assert texts(Thinker(), "genmove b", "genmove w") == [
        "A1\ninfo winrate 0.5 nodes 12 comment two_words pv A1 B2",
        "A1\ninfo winrate 0.5 nodes 12 comment two_words pv A1 B2",
    ]


def test_text_of_the_author_cannot_break_a_reply() -> None:
    class Rude(_Recorder):
        name = "a\n\n= D4\x00\n\x07\r\nb"

    assert texts(Rude(), "name", "version") == ["a\n= D4\nb", "2.1"]


def test_replies_before_a_thought_are_not_held_back_unless_asked_for() -> None:
    class Peeking(_Recorder):
        seen = b""
        replies_in = -1

        def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
            self.seen = os.read(self.replies_in, 100) if self.replies_in >= 0 else b""
            return "A1"

    commands_in, commands_out = os.pipe()
    engine = Peeking()
    engine.replies_in, replies_out = os.pipe()
    os.write(commands_out, b"name\nversion\ngenmove b\nquit\nname\n")
    serve(engine, commands_in, replies_out)
    assert engine.seen == b"= recorder\n\n= 2.1\n\n"
    os.close(replies_out)
    assert os.read(engine.replies_in, 100) == b"= A1\n\n=\n\n"
    for descriptor in (commands_in, commands_out, engine.replies_in):
        os.close(descriptor)


def test_an_engine_thinks_on_until_a_command_waits_and_no_error_of_it_is_an_answer() -> None:
    class Pondering(_Recorder):
        thoughts = 0
        send_to = -1

        def idle(self) -> bool:
            self.thoughts += 1
            if self.thoughts == 3:
                os.write(self.send_to, b"name\n")
            elif self.thoughts == 4:
                os.write(self.send_to, b"quit\n")
                raise ValueError("confused")
            return True

    commands_in, commands_out = os.pipe()
    replies_in, replies_out = os.pipe()
    engine = Pondering()
    engine.send_to = commands_out
    serve(engine, commands_in, replies_out)
    assert engine.thoughts == 4
    os.close(replies_out)
    assert os.read(replies_in, 100) == b"= recorder\n\n=\n\n"
    for descriptor in (commands_in, commands_out, replies_in):
        os.close(descriptor)


def test_held_back_replies_are_one_write() -> None:
    engine = _Recorder("A1")
    engine.joins_replies = True
    assert served(engine, b"name\ngenmove b\n") == [b"= recorder\n\n= A1\n\n"]


_LINES = st.lists(
    st.one_of(
        st.sampled_from(["play b A1", "genmove w", "boardsize 9", "komi 1", "arena-clock black_ms=1", "#"]),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20),
    ),
    max_size=8,
)


@settings(max_examples=100, deadline=None)
@given(lines=_LINES)
def test_whatever_is_sent_every_command_gets_one_well_formed_reply(lines: list[str]) -> None:
    class Steady(_Everything):
        def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
            return "A1"

    numbered = [f"{number} {line}" for number, line in enumerate(lines, start=1)]
    found = replies(Steady(), *numbered, "99 name", ids=True)
    assert [reply.id for reply in found] == [*range(1, len(lines) + 1), 99]
    assert found[-1].text == "recorder"


# --- Whole processes ------------------------------------------------------------------------------


@pytest.fixture
def engine_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", _NOISY_ENGINE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        yield process
        process.kill()


_NOISY_ENGINE = """
import os
from protocol.sdk import Engine, run
class Noisy(Engine):
    games = ("pente",)
    def new_game(self): print("new game")
    def play(self, colour, move): os.write(1, b"raw output\\n")
    def genmove(self, colour, clock): os.system("echo from a child"); return "A1"
run(Noisy())
"""


def read_replies(process: subprocess.Popen[bytes], count: int) -> bytes:
    assert process.stdout is not None
    data = b""
    while data.count(b"\n\n") < count:
        read = os.read(process.stdout.fileno(), 4096)
        assert read, "the engine has ended"
        data += read
    return data


def test_stray_output_goes_to_standard_error(engine_process: subprocess.Popen[bytes]) -> None:
    assert engine_process.stdin is not None
    assert engine_process.stderr is not None
    engine_process.stdin.write(b"clear_board\nplay b A2\ngenmove w\n")
    engine_process.stdin.flush()
    assert read_replies(engine_process, 3) == b"=\n\n=\n\n= A1\n\n"
    engine_process.stdin.write(b"quit\n")
    engine_process.stdin.flush()
    assert engine_process.wait() == 0
    stderr = engine_process.stderr.read()
    for stray in (b"new game", b"raw output", b"from a child"):
        assert stray in stderr


def test_the_end_of_commands_ends_the_engine(engine_process: subprocess.Popen[bytes]) -> None:
    out, _ = engine_process.communicate(b"name\n")
    assert out == b"= Noisy\n\n"
    assert engine_process.returncode == 0


def test_a_referee_that_is_gone_ends_the_engine_quietly(engine_process: subprocess.Popen[bytes]) -> None:
    assert engine_process.stdin is not None
    assert engine_process.stdout is not None
    assert engine_process.stderr is not None
    engine_process.stdout.close()
    engine_process.stdin.write(b"name\n")
    engine_process.stdin.close()
    assert engine_process.wait() == 0
    assert engine_process.stderr.read() == b""


def test_importing_the_sdk_needs_the_standard_library_only() -> None:
    # -S and -E: no site-packages at all; what is imported comes from the interpreter or from here.
    script = "import sys; sys.path.insert(0, sys.argv[1]); import protocol.sdk; print(*sys.modules)"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", script, root], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    allowed = set(sys.stdlib_module_names) | {"__main__", "protocol"}
    assert loaded <= allowed
