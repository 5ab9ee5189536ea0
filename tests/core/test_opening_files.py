"""Files of openings: SGF, positions, move lists; distinct up to symmetry; order and start."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.event import OpeningBook
from arena.core.opening_files import BookError, parse_book, parse_sgf, placed_in_turn, with_order
from arena.core.openings import OpeningError, OpeningSource
from arena.core.random_openings import position_class
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from arena.rules.base import Rules

GRIDS = [("pletore", 4), ("pletore", 5), ("pente", 5), ("topolo", 4)]


@pytest.mark.parametrize(("game", "size"), GRIDS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_a_turned_game_is_as_legal_and_ends_alike(game: str, size: int, seed: int) -> None:
    rules = make_rules(game, size=size)
    chance = random.Random(seed)
    for turned in rules.symmetries():
        one, other = rules.initial(), rules.initial()
        while not one.is_over:
            legal = one.legal_moves()
            assert sorted(map(repr, map(turned, legal))) == sorted(map(repr, other.legal_moves()))
            move = chance.choice(legal)
            one.play(move)
            other.play(turned(move))
        assert one.outcome() == other.outcome()


@pytest.mark.parametrize(("game", "size", "count"), [("pletore", 9, 8), ("pente", 5, 8), ("topolo", 8, 4)])
def test_symmetries_are_different_and_the_first_is_the_identity(game: str, size: int, count: int) -> None:
    rules = make_rules(game, size=size)
    maps = rules.symmetries()
    moves = rules.initial().legal_moves() if game != "pente" else list(range(25))
    images = [tuple(turned(move) for move in moves) for turned in maps]
    assert images[0] == tuple(moves)
    assert len(set(images)) == len(maps) == count


def test_rows_of_topolo_do_not_become_columns() -> None:
    rules = make_rules("topolo", size=8)
    d4 = rules.parse_move("D4:2")
    words = {rules.format_move(turned(d4)) for turned in rules.symmetries()}
    assert words == {"D4:2", "E4:2", "D5:2", "E5:2"}


# --- random openings ---


def classes(rules: Rules, source: OpeningSource, count: int) -> list[str]:
    maps = rules.symmetries()
    return [
        position_class(rules, [rules.parse_move(word) for word in source.opening(index).moves], maps)
        for index in range(count)
    ]


def up_to_symmetry(rules: Rules, plies: int, seed: int = 7) -> OpeningSource:
    return OpeningSource(OpeningBook(random_plies=plies, source="random", distinct="symmetry"), rules, seed)


@pytest.mark.parametrize(
    ("game", "size", "plies"), [("pletore", 4, 1), ("pletore", 4, 2), ("pente", 7, 2), ("topolo", 4, 1)]
)
def test_few_random_openings_up_to_symmetry_are_one_of_each_class(game: str, size: int, plies: int) -> None:
    rules = make_rules(game, size=size)
    plain = OpeningSource(OpeningBook(random_plies=plies, source="random"), rules, 7)
    every, source = plain.count(), up_to_symmetry(rules, plies)
    count = source.count()
    assert every is not None
    assert count is not None
    assert sorted(classes(rules, source, count)) == sorted(set(classes(rules, plain, every)))
    assert count < every


@pytest.mark.parametrize(("game", "size", "plies"), [("pletore", 9, 4), ("pente", 19, 4), ("topolo", 8, 4)])
def test_many_random_openings_are_different_up_to_symmetry(game: str, size: int, plies: int) -> None:
    rules = make_rules(game, size=size)
    source = up_to_symmetry(rules, plies)
    found = classes(rules, source, 120)
    assert len(set(found)) == 120
    count = source.count()
    assert count is None or count > 5_000


def test_a_whole_round_of_numbered_openings_repeats_no_class() -> None:
    rules = make_rules("pletore", size=6)
    source = up_to_symmetry(rules, 3)
    count = source.count()
    assert count is not None
    assert 1000 < count < 36 * 35 * 34 // 2 // 8
    found = classes(rules, source, count)
    assert len(set(found)) == count


def test_openings_up_to_symmetry_do_not_all_lie_in_one_corner() -> None:
    rules = make_rules("pletore", size=9)
    source = up_to_symmetry(rules, 2)
    firsts = {source.opening(index).moves[0] for index in range(200)}
    assert len(firsts) > 40
    assert source.opening(17) == up_to_symmetry(rules, 2).opening(17)


def test_a_start_beyond_the_random_openings_is_refused() -> None:
    rules = make_rules("pletore", size=3)
    book = OpeningBook(random_plies=1, source="random 1", start=10)
    with pytest.raises(OpeningError, match="start = 10: random 1 has only 9 openings"):
        OpeningSource(book, rules, 7).count()


# --- positions ---


@pytest.mark.parametrize(("game", "size"), [("pletore", 5), ("pente", 7), ("topolo", 4)])
@given(plies=st.integers(1, 8), seed=st.integers(0, 10**6))
@settings(max_examples=8, deadline=None)
def test_a_position_of_placements_is_reached_by_moves(game: str, size: int, plies: int, seed: int) -> None:
    rules = make_rules(game, size=size)
    chance = random.Random(seed)
    position = rules.initial()
    for _ in range(plies):
        moves = [move for move in position.legal_moves() if position.is_placement(move)]
        child = position.copy()
        if not moves:
            break
        child.play(chance.choice(moves))
        if child.captured or child.is_over:
            break
        position = child
    setup = position.as_setup()  # type: ignore[attr-defined]
    if position.ply == 0:
        return
    book = parse_book(json.dumps(setup), rules, "book.txt")
    replayed = rules.initial()
    for word in book.lines[0]:
        replayed.play(rules.parse_move(word))
    assert replayed.pieces() == position.pieces()
    assert replayed.to_move == position.to_move


def test_an_order_is_found_where_the_first_one_is_illegal() -> None:
    rules = make_rules("pente", size=5)
    corner, centre, other = (rules.parse_move(word) for word in ("A1", "C3", "A5"))
    moves = placed_in_turn(rules, (corner, centre), (other,))
    assert moves is not None
    assert moves[0] == centre


def test_pieces_that_cannot_stand_are_told() -> None:
    rules = make_rules("pletore", size=3)
    rows = ["...", "...", "BB."]
    with pytest.raises(BookError, match="line 1: the position cannot be reached by placing"):
        parse_book(json.dumps({"n": 3, "rows": rows, "turn": "B"}), rules, "x")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "line 1: is no JSON object"),
        ("{" * 100_000, "line 1: is"),
        ('{"n": 3}', "line 1: setup has no rows"),
        (
            '{"n": 4, "rows": ["....", "....", "....", "B..."], "turn": "W"}',
            "a position of size 4, the event has 3",
        ),
        ("{}", "line 1: setup has no n"),
    ],
)
def test_what_is_no_position_is_told_with_its_line(line: str, complaint: str) -> None:
    with pytest.raises(BookError, match=complaint):
        parse_book(line, make_rules("pletore", size=3), "x")


# --- files as a whole ---


def test_openings_that_repeat_up_to_symmetry_are_left_out_and_counted() -> None:
    rules = make_rules("pletore", size=5)
    text = "A1\nE5\nA1 B2\nE1 D2\nB2 A1\nC3\nA1\n"
    assert len(parse_book(text, rules, "x").lines) == 7
    by_position = parse_book(text, rules, "x", "position")
    assert by_position.left_out == 1
    turned = parse_book(text, rules, "x", "symmetry")
    assert turned.lines == (("A1",), ("A1", "B2"), ("B2", "A1"), ("C3",))
    assert turned.left_out == 3
    assert OpeningSource(turned, rules, 1).warnings(2) == [
        "x: 3 openings left out: repeats of an earlier one"
    ]


def test_the_order_of_a_file_may_come_from_the_seed() -> None:
    rules = make_rules("pletore", size=5)
    book = parse_book("A1\nB1\nC1\nD1\nE1\nA2\nB2\nC2\n", rules, "x")
    shuffled = with_order(book, "random", None)
    orders = []
    for seed in (1, 2):
        source = OpeningSource(shuffled, rules, seed)
        found = [source.opening(index).moves for index in range(8)]
        assert sorted(found) == sorted(book.lines)
        assert source.opening(8) == source.opening(0)
        orders.append(found)
    assert orders[0] != orders[1]
    first = OpeningSource(shuffled, rules, 1).opening(0)
    assert book.lines[int(first.label.rpartition("#")[2]) - 1] == first.moves, (
        "the label names the file's line"
    )


def test_a_start_skips_openings_and_the_book_goes_round() -> None:
    rules = make_rules("pletore", size=5)
    book = with_order(parse_book("A1\nB1\nC1\n", rules, "x"), None, 3)
    source = OpeningSource(book, rules, 1)
    assert [source.opening(index).moves[0] for index in range(4)] == ["C1", "A1", "B1", "C1"]
    assert source.warnings(1) == []
    assert source.warnings(3) == ["x ends with pair 1: the pairs after it begin at the book's beginning"]
    assert "from pair 4 on they are played again" in source.warnings(4)[0]
    with pytest.raises(BookError, match="start = 4: x has 3 openings"):
        with_order(book, None, 4)


# --- SGF ---


def test_each_variation_of_an_sgf_is_an_opening() -> None:
    rules = make_rules("pletore", size=5)
    data = b"(;GM[1]FF[4]SZ[5];B[aa](;W[bb];B[cc])(;W[cb]))(;SZ[5];B[ee])"
    book = parse_sgf(data, rules, "x.sgf")
    assert book.lines == (("A5", "B4", "C3"), ("A5", "C4"), ("E1",))


def test_the_set_up_of_an_sgf_is_placed_in_turn() -> None:
    rules = make_rules("pente", size=5)
    book = parse_sgf(b"(;SZ[5]AB[cc][aa]AW[ea];W[ee])", rules, "x.sgf")
    assert book.lines == (("C3", "E5", "A5", "E1"),)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is no SGF"),
        (b"hello", "is no SGF"),
        (b"(;SZ[9];B[aa])", "game 1: a board of size 9, the event has 5"),
        (b"(;SZ[5];B[aa])(;SZ[5];B[aa];B[bb])", "game 2, ply 2: black moves out of turn"),
        (b"(;SZ[5];W[aa])", "game 1, ply 1: white moves out of turn"),
        (b"(;SZ[5];B[aa];W[aa])", "game 1, ply 2: A5 is illegal"),
        (b"(;SZ[5];B[zz])", "game 1, ply 1: cannot be read"),
        (b"(;SZ[5];B[])", "game 1, ply 1: pass is illegal"),
        (b"(;SZ[5];B[aa];AB[bb])", "game 1, ply 1: a set-up after the first node"),
        (b"(;SZ[5]AB[aa][bb])", "game 1: its set-up cannot be reached"),
        (b"(;SZ[5])", "holds no opening"),
        (b"(;SZ[99];B[aa])", "game 1: is no SGF game"),
        (b"(" * 5000, "is no SGF"),
        (b"(;SZ[5]" + b";C[x]" * 3000 + b")", "more than 2000 nodes in a row"),
    ],
)
def test_what_is_wrong_in_an_sgf_is_told_with_its_place(data: bytes, complaint: str) -> None:
    with pytest.raises(BookError, match=complaint):
        parse_sgf(data, make_rules("pletore", size=5), "x.sgf")


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_bytes_that_are_no_sgf_are_refused_in_words(noise: bytes) -> None:
    rules = make_rules("pletore", size=5)
    for data in (noise, b"(;SZ[5];B[" + noise + b"])"):
        with suppress(BookError):
            parse_sgf(data, rules, "x.sgf")


def test_games_off_the_lines_have_no_sgf() -> None:
    with pytest.raises(BookError, match="SGF is for games on lines, Topolo is none"):
        parse_sgf(b"(;SZ[8])", make_rules("topolo", size=8), "x.sgf")
