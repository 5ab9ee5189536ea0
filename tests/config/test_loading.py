"""A tournament file becomes an event, or a list of everything that is wrong with it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.config import ConfigError, event_from_keys, load_event
from arena.config.keys import (
    AdjudicationKeys,
    EngineKeys,
    GameKeys,
    LimitKeys,
    OpeningKeys,
    PairingKeys,
    TournamentKeys,
)
from arena.core.clock import parse_time
from arena.core.event import Adjudication, OpeningBook
from tests.config.conftest import ENGINES, HEAD

if TYPE_CHECKING:
    from tests.config.conftest import Files

DOCUMENT = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_defaults_are_those_of_the_contract(files: Files) -> None:
    event = files.tournament("")
    assert (event.size, event.komi, event.games_each, event.seed) == (9, 0, 2, 0)
    assert event.time == parse_time("10+0.1")
    assert event.concurrency == max(1, len(os.sched_getaffinity(0)) // 2)
    assert event.book == OpeningBook()
    assert (event.dice, event.dice_key) == ("independent", None)
    first = event.engines[0]
    assert first.command == (sys.executable, "-V")
    assert first.cwd == str(files.folder)
    assert (first.margin_ms, first.restart, first.pipelining, first.ids) == (20, False, True, False)
    assert (first.env, first.plays, first.time, first.options, first.work_limit) == ({}, (), None, {}, None)
    assert (first.startup_s, first.setup_s, first.sandbox, first.limits) == (10.0, 10.0, "off", {})
    assert (first.folder, first.binds, first.submitted) == (None, (), False)


def test_every_key_arrives_in_the_event(files: Files) -> None:
    (files.folder / "bin").mkdir()
    event = files.load(
        """
[tournament]
name = "Trial cup"
format = "gauntlet"
game = "pletore"
size = 13
komi = "pie"
games_each = 3
time = "60+0.6"
concurrency = 7
seed = 9223372036854775807
openings = { random = 2 }
dice = "duplicate"
dice_key = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
[defaults]
margin_ms = 50
env = { A = "1" }
[[engine]]
name = "one"
command = ["{python}", "-c", "a b"]
[[engine]]
name = "two"
command = "'{python}' -c 'a b'"
cwd = "bin"
env = { B = "2" }
plays = ["pletore", "pente"]
time = "5/move"
margin_ms = 0
restart = true
pipelining = false
ids = true
options = { threads = 2, book = false, style = "wild one", scale = 0.5 }
work_limit = "playouts 1000"
startup_s = 2
setup_s = 2.5
submitted = true
folder = "bin"
binds = ["bin", "/usr"]
limits = { memory_mb = 512, cpu_s = 1.5 }
"""
    )
    assert (event.name, event.format, event.size, event.komi) == ("Trial cup", "gauntlet", 13, "pie")
    assert (event.games_each, event.concurrency, event.seed) == (3, 7, 2**63 - 1)
    assert event.book == OpeningBook(random_plies=2, source="random 2")
    assert event.dice_key == bytes.fromhex("00112233445566778899aabbccddeeff" * 2)
    one, two = event.engines
    assert (one.margin_ms, one.env) == (50, {"A": "1"})
    assert two.command == one.command == (sys.executable, "-c", "a b")
    assert (two.margin_ms, two.env) == (0, {"B": "2"})
    assert two.cwd == two.folder == str(files.folder / "bin")
    assert two.binds == (str(files.folder / "bin"), "/usr")
    assert two.plays == ("pletore", "pente")
    assert two.time == parse_time("5/move")
    assert (two.restart, two.pipelining, two.ids) == (True, False, True)
    assert two.options == {"threads": "2", "book": "false", "style": "wild one", "scale": "0.5"}
    assert (two.work_limit, two.startup_s, two.setup_s) == ("playouts 1000", 2.0, 2.5)
    assert (two.sandbox, two.submitted) == ("require", True)
    assert two.limits == {"memory_mb": 512, "cpu_s": 1.5}
    assert pickle.loads(pickle.dumps(event)) == event  # noqa: S301  our own bytes


def test_all_errors_come_at_once_in_the_order_of_their_lines(files: Files) -> None:
    assert files.complaints(
        lambda: files.load(
            """[tournament]
format = "round-robbin"
game = "pletore"
size = 99
komi = 4.5
pairz = 2
time = "10+0.1 parsecs"
concurrency = true
[defaults]
margin_ms = "20"
[[engine]]
name = "greedy"
command = "no-such-program-anywhere --x"
limits = { memory_mb = 512, procesess = 3 }
[[engine]]
name = "greedy"
command = ["{python}"]
restart = 1
[[engine]]
command = "'unclosed"
"""
        )
    ) == [
        (
            'cup.toml:2: tournament.format = "round-robbin": match, round-robin, gauntlet, pyramid, swiss, '
            "knockout or ladder"
        ),
        "cup.toml:4: tournament.size = 99: size must be a whole number from 1 to 25, not 99",
        'cup.toml:5: tournament.komi = 4.5: a whole number or "pie"',
        "cup.toml:6: tournament.pairz = 2: unknown key, did you mean pairs?",
        f'cup.toml:7: tournament.time = "10+0.1 parsecs": {time_error("10+0.1 parsecs")}',
        "cup.toml:8: tournament.concurrency = true: a whole number from 1 to 10000",
        'cup.toml:10: defaults.margin_ms = "20": a whole number of milliseconds from 0 to 60000',
        (
            'cup.toml:13: engine.command = "no-such-program-anywhere --x": a program that exists (tried '
            "no-such-program-anywhere on the PATH, then no-such-program-anywhere); a path with spaces needs "
            "quotes or a list of words"
        ),
        "cup.toml:14: engine.limits.procesess = 3: unknown key, did you mean processes?",
        'cup.toml:16: engine.name = "greedy": a name of its own (line 12 has it too)',
        "cup.toml:18: engine.restart = 1: true or false",
        "cup.toml:19: engine.name: missing: a text of 1 to 300 printable characters, unique in the event",
        (
            'cup.toml:20: engine.command = "\'unclosed": a command split as a shell would split it '
            "(No closing quotation)"
        ),
    ]


def time_error(text: str) -> str:
    with pytest.raises(ValueError) as caught:
        parse_time(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ("pairs = 1\ngames_each = 3", "cup.toml:5: tournament.pairs = 1: only one of pairs and games_each"),
        ("pairs = 0", "cup.toml:5: tournament.pairs = 0: a whole number from 1 to 5000000"),
        ("seed = -1", "cup.toml:5: tournament.seed = -1: a whole number from 0 to 2**63 - 1"),
        ('size = "9"', 'cup.toml:5: tournament.size = "9": a size of the game, a whole number'),
        ('komi = "pi"', 'cup.toml:5: tournament.komi = "pi": a whole number or "pie"'),
        (
            'dice_key = "abc"',
            'cup.toml:5: tournament.dice_key = "abc": 64 hexadecimal digits (32 bytes), not 3',
        ),
        ("openings = {}", "cup.toml:5: tournament.openings = {}: one of { random = 2 }"),
        ("openings = { random = 0 }", "cup.toml:5: tournament.openings.random = 0: a whole number of plies"),
        (
            "openings.randon = 2",
            "cup.toml:5: tournament.openings.randon = 2: unknown key, did you mean random?",
        ),
        ("size = 2\nopenings.random = 5", "has no opening of 5 placements"),
        ("openings = 2", "cup.toml:5: tournament.openings = 2: { random = 2 } or"),
        ('openings = { file = "none.txt" }', "a file or folder that exists (tried none.txt)"),
        ('openings = { file = "/dev/zero" }', "a file of at most 64 MB"),
        ('name = "x"', "is no valid TOML: Cannot overwrite a value"),
        ("pairs = " + "9" * 5000, "is no valid TOML"),
        ("pairs = " + "9" * 4000, 'pairs = "an integer of more than 80 digits": a whole number'),
    ],
)
def test_a_wrong_key_of_the_tournament_is_named(files: Files, keys: str, complaint: str) -> None:
    (line,) = files.complaints(lambda: files.tournament(keys))
    assert complaint in line


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ('name = "b\\nc"', None),
        ("margin_ms = -1", "engine.margin_ms = -1: a whole number of milliseconds from 0 to 60000"),
        ("startup_s = nan", "engine.startup_s = nan: a number of seconds above 0, up to 3600"),
        ("setup_s = inf", "engine.setup_s = inf: a number of seconds above 0, up to 3600"),
        ("env = { A = 1 }", "engine.env.A = 1: a table of texts"),
        ('env = { "A=B" = "1" }', "names that are not empty and hold no `=`"),
        ('options = { "a b" = 1 }', "visible ASCII characters without blanks"),
        ('options = { a = "x\\ny" }', "settings of 1 to 1000 printable characters"),
        ('work_limit = "seconds 3"', "`nodes`, `playouts` or `depth`"),
        ('plays = ["chess"]', "engine.plays"),
        ('plays = ["pente"]', 'engine.plays = ["pente"]: a list that holds the event\'s game, "pletore"'),
        ('cwd = "missing"', 'engine.cwd = "missing": a folder that exists (tried missing)'),
        ('binds = ["missing"]', "a file or folder that exists (tried missing)"),
        ('sandbox = "on"', 'engine.sandbox = "on": off, auto or require'),
        ("sub_mitted = true", "engine.sub_mitted = true: unknown key, did you mean submitted?"),
        ('limits = { memory_mb = "1 GB" }', 'engine.limits.memory_mb = "1 GB": megabytes'),
    ],
)
def test_a_wrong_key_of_an_engine_is_named(files: Files, keys: str, complaint: str | None) -> None:
    lines = files.complaints(lambda: files.engine(keys))
    assert lines[0].startswith("cup.toml:")
    if complaint is not None:
        assert any(line.startswith("cup.toml:11: ") and complaint in line for line in lines)


@pytest.mark.parametrize("name", ["", " ", "a ", "x" * 301, "a\nb", "\x1b[31mred", "‮evil", "nul\0"])
def test_names_that_a_table_cannot_show_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="1 to 300 printable characters") as caught:
        event_from_keys(
            {"format": "match", "game": "pletore"},
            [{"name": name, "command": "{python}"}, {"name": "b", "command": "{python}"}],
        )
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["x" * 300, "Kōmi 囲碁 ♟", "<b>\"'&"])
def test_odd_but_printable_names_are_welcome(name: str) -> None:
    event = event_from_keys(
        {"format": "match", "game": "pletore"},
        [{"name": name, "command": "{python}"}, {"name": "b", "command": "{python}"}],
    )
    assert event.engines[0].name == name


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[tournament", "cup.toml:1: is no valid TOML: "),
        ('a = 1\nb = "x\n', "cup.toml:2: is no valid TOML: "),
        ("a = 1\n\nb = '''", "cup.toml:3: is no valid TOML: "),
        ("a = " + "[" * 100_000, "cup.toml: is no TOML that can be read: values nested too deeply"),
        ("tournament = 3\n", "cup.toml:1: tournament = 3: a table [tournament]"),
        ("[tournaments]\n", "cup.toml:1: tournaments = {}: unknown key, did you mean tournament?"),
        ("[engine]\nname = 'x'\n", 'cup.toml:1: engine = {"name": "x"}: tables [[engine]]'),
        ("defaults = []\n", "cup.toml:1: defaults = []: a table [defaults]"),
        ("", "cup.toml: tournament.game: missing: the id of a game"),
        ("", "cup.toml: engine: missing: tables [[engine]], one for each entry"),
    ],
)
def test_a_broken_file_is_told_with_its_line(files: Files, text: str, complaint: str) -> None:
    assert any(line.startswith(complaint) for line in files.complaints(lambda: files.load(text)))


def test_bytes_that_are_no_text_are_told_with_their_line(files: Files) -> None:
    files.path.write_bytes(b"a = 1\nb = '\xff'\n")
    assert files.complaints(lambda: load_event(files.path)) == ["cup.toml:2: is no UTF-8 text (byte 0xff)"]


def test_files_that_cannot_be_read_are_told(files: Files) -> None:
    assert files.complaints(lambda: load_event(files.path)) == ["cup.toml: no such file"]
    files.path.mkdir()
    assert files.complaints(lambda: load_event(files.path)) == [
        "cup.toml: is a folder, not a tournament file"
    ]


def test_the_number_of_engines_fits_the_format(files: Files) -> None:
    third = '[[engine]]\nname = "c"\ncommand = "{python}"'
    assert files.complaints(lambda: files.engine(third)) == [
        "cup.toml:5: engine: exactly 2 entries for a match, not 3"
    ]


def test_flags_win_over_the_file_and_are_named_as_such(files: Files) -> None:
    event = files.tournament(
        "games_each = 3\nconcurrency = 1", pairs=5, concurrency=4, time="5/move", seed=None
    )
    assert (event.games_each, event.concurrency, event.time) == (10, 4, parse_time("5/move"))
    assert files.complaints(lambda: files.tournament("seed = -1", pairs=0, concurency=3)) == [
        "command line: pairs = 0: a whole number from 1 to 5000000",
        "command line: concurency = 3: unknown key, did you mean concurrency?",
        "cup.toml:5: tournament.seed = -1: a whole number from 0 to 2**63 - 1",
    ]


def test_a_wrong_default_is_told_once_even_if_no_engine_uses_it(files: Files) -> None:
    assert files.complaints(
        lambda: files.engine("restart = true\n[defaults]\nrestart = 0\nsandbox = 'on'\nname = 'same'")
    ) == [
        "cup.toml:13: defaults.restart = 0: true or false",
        'cup.toml:14: defaults.sandbox = "on": off, auto or require',
    ]


def test_an_opening_book_is_read_beside_the_file(files: Files) -> None:
    (files.folder / "book.txt").write_text("a1 B2\nC3\n", encoding="utf-8")
    event = files.tournament('openings = { file = "book.txt" }')
    assert event.book.lines == (("A1", "B2"), ("C3",))
    assert event.book.random_plies == 0
    (files.folder / "book.txt").write_text("A1\nZ99\n", encoding="utf-8")
    (line,) = files.complaints(lambda: files.tournament('openings = { file = "book.txt" }'))
    assert line.startswith('cup.toml:5: tournament.openings = {"file": "book.txt"}: book.txt line 2, ply 1: ')
    assert "Z99" in line


def test_a_message_stays_one_printable_line_whatever_the_value(files: Files) -> None:
    for value in ('"\\u001b[31m\\u202e"', '"' + "x" * 100_000 + '"', "[" + "1," * 10_000 + "]"):
        lines = files.complaints(lambda value=value: files.tournament(f"pairs = {value}"))  # type: ignore[misc]
        assert all(line.isprintable() and len(line) < 300 for line in lines)


def test_every_key_is_documented_with_what_is_allowed() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    for model in (
        TournamentKeys,
        GameKeys,
        PairingKeys,
        EngineKeys,
        LimitKeys,
        OpeningKeys,
        AdjudicationKeys,
    ):
        for name, field in model.model_fields.items():
            assert f"`{name}`" in document, name
            assert field.description


def test_the_command_line_starts_without_the_configuration() -> None:
    script = "import sys, arena.cli.main; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_conduct_of_games_is_read(files: Files) -> None:
    keys = 'clock = "cpu"\nsuspend_idle = true\nmax_faults_in_a_row = 3\nwithdrawn = "remove"\nlog = "all"'
    table = "[adjudication]\nloss_moves = 3\nloss_score = -20\nply_limit = 400"
    event = files.tournament(f"{keys}\n{table}")
    assert event.adjudication == Adjudication(loss_moves=3, loss_score=-20.0, ply_limit=400)
    assert (event.clock, event.suspend_idle, event.log) == ("cpu", True, "all")
    assert (event.max_faults_in_a_row, event.withdrawn) == (3, "remove")
    plain = files.tournament("")
    assert plain.adjudication == Adjudication()
    assert (plain.clock, plain.suspend_idle, plain.log, plain.withdrawn) == (
        "wall",
        False,
        "faults",
        "forfeit",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("loss_winrate = 2", "cup.toml:6: adjudication.loss_winrate = 2: a share from 0 to 1"),
        ("ply_limits = 2", "did you mean ply_limit?"),
        ("search_nodes = 0", "cup.toml:6: adjudication.search_nodes = 0: a whole number from 1"),
    ],
)
def test_a_wrong_adjudication_is_named(files: Files, text: str, words: str) -> None:
    assert words in files.complaints(lambda: files.tournament(f"[adjudication]\n{text}"))[0]


def test_more_threads_than_cores_must_be_asked_for(files: Files) -> None:
    many = f"{HEAD}concurrency = 3\nOVER\n{ENGINES}threads = 4000\n"
    (complaint,) = files.complaints(lambda: files.load(many.replace("OVER", "")))
    assert "cup.toml:5: concurrency = 3" in complaint.replace("tournament.", "")
    assert "12000 cores" in complaint
    assert "oversubscribe = true" in complaint
    allowed = files.load(many.replace("OVER", "oversubscribe = true"))
    assert [each.threads for each in allowed.engines] == [None, 4000]
    # Where nobody says how many threads there are nothing is refused.
    assert files.tournament("concurrency = 9000").concurrency == 9000
