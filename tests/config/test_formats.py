"""Keys of formats, several games and pairings: what arrives, and what is refused with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arena.core.clock import parse_time
from arena.core.event import TIE_BREAKS, OpeningBook, PairingSettings

if TYPE_CHECKING:
    from tests.config.conftest import Files

THREE = "".join(f'[[engine]]\nname = "{name}"\ncommand = "{{python}} -V"\n' for name in "abc")


def head(format_: str, keys: str = "", game: str = 'game = "pletore"\n') -> str:
    """Return a file of three engines; further keys begin on line 4, or 3 without a game."""
    return f'[tournament]\nformat = "{format_}"\n{game}{keys}\n{THREE}'


def test_keys_of_formats_arrive(files: Files) -> None:
    assert files.load(head("gauntlet", "seeds = 2")).seeds == 2
    swiss = files.load(head("swiss", 'rounds = 5\nbye = "draw"'))
    assert (swiss.rounds, swiss.bye) == (5, "draw")
    assert files.load(head("swiss")).rounds == 2
    assert files.load(head("ladder")).rounds == 3
    knockout = files.load(
        head("knockout", 'best_of = 5\ntie_breaks = ["pairs 2", "lot"]\nthird_place = true')
    )
    assert (knockout.best_of, knockout.games_each, knockout.third_place) == (5, 5, True)
    assert knockout.tie_breaks == ("pairs 2", "lot")
    assert files.load(head("knockout")).tie_breaks == TIE_BREAKS
    assert files.load(head("pyramid")).format == "pyramid"


@pytest.mark.parametrize(
    ("format_", "keys", "complaint"),
    [
        ("swiss", "seeds = 2", "seeds = 2: a key of gauntlet, the format is swiss: leave it out"),
        ("round-robin", "rounds = 2", "rounds = 2: a key of swiss and ladder"),
        ("swiss", "rounds = 0", "rounds = 0: a whole number from 1 to 10000"),
        ("gauntlet", "seeds = 3", "seeds = 3: fewer seeds than engines, which are 3"),
        ("swiss", 'bye = "none"', 'bye = "none": win, draw or loss'),
        ("knockout", "best_of = 3\npairs = 1", "pairs = 1: only one of pairs and best_of"),
        ("knockout", 'tie_breaks = ["coin"]', "a list of"),
        ("knockout", 'tie_breaks = ["seed", "seed"]', "a list of rules, at least one, each once"),
        ("knockout", "tie_breaks = []", "a list of rules, at least one, each once"),
        ("knockout", 'tie_breaks = ["pairs 0"]', "not 'pairs 0'"),
    ],
)
def test_a_wrong_key_of_a_format_is_told(files: Files, format_: str, keys: str, complaint: str) -> None:
    (line,) = files.complaints(lambda: files.load(head(format_, keys)))
    assert line.startswith(("cup.toml:4: ", "cup.toml:5: "))
    assert complaint in line


GAMES = """
[[game]]
game = "pletore"
size = 7
komi = "pie"
openings = { random = 2, distinct = "symmetry" }
[[game]]
name = "pletore-large"
game = "pletore"
games_each = 3
time = "60"
[[game]]
game = "plakoto"
"""


def test_several_games_arrive_with_their_settings(files: Files) -> None:
    event = files.load(head("round-robin", f'pairs = 2\ntime = "5"\n{GAMES}', game=""))
    small, large, plakoto = event.disciplines
    assert (small.name, small.game, small.size, small.komi, small.games_each) == (
        "pletore",
        "pletore",
        7,
        "pie",
        4,
    )
    assert small.book == OpeningBook(random_plies=2, source="random 2 up to symmetry", distinct="symmetry")
    assert (large.name, large.size, large.komi, large.games_each) == ("pletore-large", 9, 0, 3)
    assert (small.time, large.time) == (parse_time("5"), parse_time("60"))
    assert (plakoto.name, plakoto.size, plakoto.komi, plakoto.book) == ("plakoto", None, None, OpeningBook())
    assert (event.game, event.size, event.komi, event.games_each) == ("pletore", 7, "pie", 4)


@pytest.mark.parametrize(
    ("games", "complaint"),
    [
        (
            'size = 9\n[[game]]\ngame = "pente"',
            "size = 9: not beside tables [[game]]: put it into each",
        ),
        ('[[game]]\ngame = "pente"\n[[game]]\ngame = "pente"', "a name of its own (line 3 has it too)"),
        ('[[game]]\ngame = "chess"', "game.game"),
        ("[[game]]\nsize = 5", "game.game: missing: the id of a game"),
        ('[[game]]\ngame = "pente"\nsize = 6', "game.size = 6"),
        ('[[game]]\ngame = "pente"\nkomi = 6', "pente has no komi"),
        ('[[game]]\ngame = "pente"\nname = "r2"', 'game.name = "r2": 1 to 32 small letters'),
        ('[[game]]\ngame = "pente"\nname = "A b"', "1 to 32 small letters"),
        ('[[game]]\ngame = "pente"\npairs = 1\ngames_each = 1', "only one of pairs and games_each"),
        ('[[game]]\ngame = "plakoto"\nopenings = { random = 2 }', "no openings for plakoto"),
        ("game = []", "tournament.game"),
    ],
)
def test_a_wrong_game_is_told(files: Files, games: str, complaint: str) -> None:
    lines = files.complaints(lambda: files.load(head("round-robin", games, game="")))
    assert any(complaint in line for line in lines), lines


def test_without_a_game_the_file_says_what_is_missing(files: Files) -> None:
    lines = files.complaints(lambda: files.load(head("swiss", game="")))
    assert lines == ["cup.toml:1: tournament.game: missing: the id of a game"]


def test_an_engine_must_play_every_game(files: Files) -> None:
    games = '[[game]]\ngame = "pente"\n[[game]]\ngame = "topolo"\n'
    lines = files.complaints(lambda: files.load(head("swiss", games, game="") + 'plays = ["pente"]\n'))
    (line,) = lines
    assert line.endswith('engine.plays = ["pente"]: a list that holds the event\'s game, "topolo"')


def pairing(keys: str) -> str:
    return head("round-robin", "size = 7\nkomi = 3") + f'[[pairing]]\nengines = ["c", "a"]\n{keys}\n'


def test_settings_of_a_pairing_arrive(files: Files) -> None:
    event = files.load(
        pairing('size = 9\nkomi = 5\nodds = -4\ntime = ["60", "5/move"]\nopenings = { random = 1 }')
    )
    assert event.pairings == (
        PairingSettings(
            ("c", "a"), None, 9, 5, -4, (parse_time("60"), parse_time("5/move")),
            OpeningBook(random_plies=1, source="random 1"),
        ),
    )  # fmt: skip
    event = files.load(pairing('time = "60"'))
    assert event.pairings[0].times == (parse_time("60"), parse_time("60"))


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ("size = 99", "pairing.size = 99"),
        ('komi = "pi"', "pairing.komi"),
        ('komi = "pie"\nodds = 2', "odds = 2: odds need a komi that is a number, not pie"),
        ('time = ["60"]', "a time control, or a list of two"),
        ('time = "soon"', "pairing.time"),
        ('game = "pletore"', "only in an event of several games: leave the key out"),
        ("pairs = 3", "unknown key"),
        ('[[pairing]]\nengines = ["a", "c"]', "one table for each pairing, there is another before"),
        ('[[pairing]]\nengines = ["a", "a"]', "a list of the names of two entries"),
        ('[[pairing]]\nengines = ["a"]', "a list of the names of two entries"),
        ('[[pairing]]\nengines = ["a", "bb"]', 'not "bb": '),
        ('openings = { file = "none.txt" }', "a file or folder that exists"),
    ],
)
def test_a_wrong_pairing_is_told(files: Files, keys: str, complaint: str) -> None:
    lines = files.complaints(lambda: files.load(pairing(keys)))
    assert any(complaint in line for line in lines), lines


def test_komi_of_a_game_without_komi_is_told(files: Files) -> None:
    text = head("match", "", game='game = "pente"\n').replace('name = "c"', 'name = "d"')
    text = text.replace('[[engine]]\nname = "d"\ncommand = "{python} -V"\n', "")
    lines = files.complaints(lambda: files.load(text + '[[pairing]]\nengines = ["a", "b"]\nodds = 2'))
    assert lines == ["cup.toml:13: pairing.odds = 2: pente has no komi: leave the key out"]


def test_openings_of_a_file_do_not_fit_another_size(files: Files) -> None:
    (files.folder / "book.txt").write_text("A1 B2\n")
    text = (
        head("round-robin", 'openings = { file = "book.txt" }')
        + '[[pairing]]\nengines = ["a", "b"]\nsize = 5\n'
    )
    lines = files.complaints(lambda: files.load(text))
    assert lines == ["cup.toml:16: pairing.size = 5: openings of its own: those of book.txt are for size 9"]


@pytest.mark.parametrize(
    ("openings", "complaint"),
    [
        ('{ file = "b.txt", start = 3 }', "b.txt start = 3: b.txt has 2 openings"),
        ('{ random = 2, order = "random" }', "order is for files"),
        ("{ random = 1, start = 100 }", "start = 100: random 1 has only 81 openings"),
        ('{ file = "b.txt", order = "any" }', "file or random"),
        ('{ file = "b.txt", distinct = true }', "position or symmetry"),
        ('{ file = "b.sgf" }', "b.sgf game 1, ply 1: white moves out of turn"),
    ],
)
def test_wrong_openings_are_told(files: Files, openings: str, complaint: str) -> None:
    (files.folder / "b.txt").write_text("A1\nB2\n")
    (files.folder / "b.sgf").write_text("(;SZ[9];W[aa])")
    (line,) = files.complaints(lambda: files.load(head("swiss", f"openings = {openings}")))
    assert complaint in line


def test_openings_of_every_kind_arrive(files: Files) -> None:
    position = {"n": 9, "rows": ["." * 9] * 8 + ["B........"], "turn": "W"}
    (files.folder / "b.txt").write_text(f"A1\nJ9\n{json.dumps(position)}\nB2")
    (files.folder / "b.SGF").write_text("(;SZ[9];B[aa](;W[bb])(;W[cc]))")
    keys = 'openings = { file = "b.txt", distinct = "symmetry", order = "random", start = 2 }'
    book = files.load(head("swiss", keys)).book
    assert (book.lines, book.left_out, book.order, book.start) == ((("A1",), ("B2",)), 2, "random", 2)
    sgf = files.load(head("swiss", 'openings = { file = "b.SGF" }')).book
    assert sgf.lines == (("A9", "B8"), ("A9", "C7"))
