"""Openings are legal, distinct, undecided and the same for everybody who asks, in whatever order."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.event import NO_OPENING, OpeningBook
from arena.core.openings import BookError, OpeningError, OpeningSource, parse_book
from arena.rules.registry import make_rules
from tests.core.toy_games import Dash, Trio

if TYPE_CHECKING:
    from arena.core.event import Opening
    from arena.rules.base import Rules


def source(rules: Rules, plies: int, seed: int = 7) -> OpeningSource:
    return OpeningSource(OpeningBook(random_plies=plies, source=f"random {plies}"), rules, seed)


def position_key(rules: Rules, opening: Opening) -> str:
    """Play an opening, asserting that it is what a random opening must be."""
    position = rules.initial()
    for word in opening.moves:
        move = rules.parse_move(word)
        assert rules.format_move(move) == word
        assert position.is_placement(move)
        position.play(move)
        assert not position.is_over
    return position.key()


def all_openings(size: int, plies: int) -> set[str]:
    """Positions after `plies` placements of Trio, by brute force."""
    rules = Trio(size)
    found = set()
    for cells in permutations(range(size * size), plies):
        position = rules.initial()
        for cell in cells:
            if position.is_over:
                break
            position.play(cell)
        else:
            if not position.is_over:
                found.add(position.key())
    return found


@pytest.mark.parametrize(("size", "plies"), [(3, 1), (3, 2), (3, 4), (3, 5), (4, 3)])
def test_where_openings_are_few_each_comes_exactly_once(size: int, plies: int) -> None:
    rules = Trio(size)
    few = source(rules, plies)
    expected = all_openings(size, plies)
    assert few.count() == len(expected)
    assert {position_key(rules, few.opening(index)) for index in range(len(expected))} == expected


@pytest.mark.parametrize(("size", "plies"), [(6, 4), (9, 3), (9, 4), (19, 2), (19, 8)])
def test_where_openings_are_many_they_are_distinct_too(size: int, plies: int) -> None:
    rules = Trio(size)
    many = source(rules, plies)
    count = many.count()
    assert count is None or count > 600
    keys = {position_key(rules, many.opening(index)) for index in range(600)}
    assert len(keys) == 600


def test_no_opening_comes_twice_in_a_whole_round_of_numbered_ones() -> None:
    rules = Trio(6)
    numbered = source(rules, 3)
    count = numbered.count()
    assert count is not None
    everything = 36 * 35 * 34 // 2
    assert everything > 20_000, "so many that they are not listed"
    assert everything * 0.6 < count < everything
    assert len({position_key(rules, numbered.opening(index)) for index in range(count)}) == count


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(-5, 2**63))
def test_an_opening_depends_on_its_index_and_the_seed_alone(index: int, seed: int) -> None:
    rules = Trio(9)
    assert source(rules, 4, seed).opening(index) == source(rules, 4, seed).opening(index)


def test_asking_in_another_order_changes_nothing() -> None:
    forward, backward = source(Trio(9), 4), source(Trio(9), 4)
    indices = [0, 1, 2, 500_000, 3, 123_456]
    first = {index: forward.opening(index) for index in indices}
    assert {index: backward.opening(index) for index in reversed(indices)} == first


def test_another_seed_is_another_order() -> None:
    one, other = source(Trio(9), 4, seed=1), source(Trio(9), 4, seed=2)
    assert [one.opening(index) for index in range(10)] != [other.opening(index) for index in range(10)]


def test_komi_has_no_say_in_openings() -> None:
    assert source(Trio(9, komi=3), 4).opening(5) == source(Trio(9, komi=0), 4).opening(5)


def test_both_orders_of_the_same_stones_are_one_opening() -> None:
    rules = Trio(9)
    many = source(rules, 5)
    stones = [
        (frozenset(opening.moves[::2]), frozenset(opening.moves[1::2]))
        for opening in map(many.opening, range(400))
    ]
    assert len(set(stones)) == 400


def test_after_the_last_opening_they_begin_again_under_their_own_label() -> None:
    few = source(Trio(3), 1)
    assert few.count() == 9
    assert few.opening(9) == few.opening(0)
    assert few.opening(17).label == "random 1 #9"


def test_a_board_without_such_openings_is_an_error_that_names_them() -> None:
    with pytest.raises(OpeningError, match="Trio on size 2 has no opening of 5 placements"):
        source(Trio(2), 5).count()
    with pytest.raises(OpeningError, match=r"hardly any opening of 70 random placements"):
        source(Trio(9), 70).opening(0)


def test_no_openings_mean_none_and_never_run_out() -> None:
    none = OpeningSource(OpeningBook(), Trio(), 7)
    assert none.count() is None
    assert none.opening(0) is none.opening(10**9) is NO_OPENING


def test_lines_of_a_file_come_in_its_order_and_begin_again() -> None:
    book = OpeningSource(OpeningBook(lines=(("a1",), ("b2", "c3")), source="x.txt"), Trio(), 7)
    assert book.count() == 2
    assert [book.opening(index).moves for index in range(3)] == [("a1",), ("b2", "c3"), ("a1",)]
    assert [book.opening(index).label for index in range(3)] == ["x.txt #1", "x.txt #2", "x.txt #1"]


def test_a_file_of_openings_is_read_with_comments_blank_lines_and_canonical_words() -> None:
    book = parse_book("# two openings\n\n  A1 b2  # corner\r\n\t\nc3 PASS\n", Trio(), "x.txt")
    assert book.lines == (("a1", "b2"), ("c3", "pass"))
    assert book.source == "x.txt"
    assert book.random_plies == 0


@pytest.mark.parametrize(
    ("text", "line", "ply", "reason"),
    [
        ("a1\n\nb2 z9\n", 3, 2, "'z9' is no cell"),
        ("a1 b2 a1", 1, 3, "a1 is illegal: a1 is taken"),
        ("# ok\na1 a3 b1 b3 c1", 2, 5, "c1 ends the game, an opening must leave it undecided"),
        ("a1 a3 b1 b3 c1 c3", 1, 5, "c1 ends the game, an opening must leave it undecided"),
        ("a1, b2", 1, 1, "'a1,' is no cell"),
        ("# nothing\n\n", 0, 0, "x.txt holds no opening"),
        ("", 0, 0, "x.txt holds no opening"),
    ],
)
def test_a_wrong_line_is_named_with_ply_and_reason(text: str, line: int, ply: int, reason: str) -> None:
    with pytest.raises(BookError) as caught:
        parse_book(text, Trio(), "x.txt")
    assert (caught.value.line, caught.value.ply, caught.value.reason) == (line, ply, reason)
    assert reason in str(caught.value)
    assert (f"line {line}" in str(caught.value)) == (line > 0)


def test_a_game_with_dice_has_no_book() -> None:
    with pytest.raises(BookError, match="played with dice"):
        parse_book("run walk", Dash(), "x.txt")


@given(st.text(max_size=60))
def test_any_text_is_a_book_or_a_named_error(text: str) -> None:
    try:
        book = parse_book(text, Trio(), "x.txt")
    except BookError:
        return
    assert parse_book("\n".join(" ".join(line) for line in book.lines), Trio(), "x.txt") == book


@pytest.mark.parametrize(
    ("game", "size", "plies"),
    [
        ("pletore", 9, 2),
        ("pletore", 8, 3),
        ("pletore", 9, 6),
        ("pente", 19, 3),
        ("pente", 5, 8),
        ("topolo", 8, 4),
    ],
)
def test_real_games_open_with_legal_distinct_undecided_positions(game: str, size: int, plies: int) -> None:
    rules = make_rules(game, size=size)
    openings = source(rules, plies)
    count = openings.count()
    assert count is None or count > 200
    keys = {position_key(rules, openings.opening(index)) for index in range(200)}
    assert len(keys) == 200


def test_an_opening_forced_by_the_rules_is_the_only_one() -> None:
    forced = source(make_rules("pente", size=19), 1)
    assert forced.count() == 1
    assert forced.opening(0).moves == ("K10",)


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        ("pletore", "A1 B1 T15", "T15"),
        ("pente", "A1", "illegal"),
        ("topolo", "A1:1 A2:1", "illegal"),
        ("plakoto", "24/18", "played with dice"),
    ],
)
def test_books_of_real_games_are_played_through_their_rules(game: str, text: str, reason: str) -> None:
    with pytest.raises(BookError, match=reason):
        parse_book(text, make_rules(game), "x.txt")
