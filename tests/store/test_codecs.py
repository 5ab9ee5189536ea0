"""What goes into the database comes out of it again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.clock import parse_time
from arena.core.event import OpeningBook
from arena.store import StoreError
from arena.store.event_codec import event_from_json, event_to_json
from arena.store.record_codec import (
    moves_hash,
    pack_instant,
    pack_rolls,
    pack_times,
    pack_words,
    time_use,
    unpack_instant,
    unpack_rolls,
    unpack_times,
    unpack_words,
)
from tests.store.builders import KEY, engine, event, fault, record


@settings(max_examples=100)
@given(st.lists(st.none() | st.integers(0, 2**62)))
def test_times_come_back(times: list[int | None]) -> None:
    assert unpack_times(pack_times(times)) == tuple(times)


def test_a_short_time_takes_few_bytes() -> None:
    assert [len(pack_times([time])) for time in (None, 100, 10_000, 2_000_000)] == [1, 1, 2, 3]


@pytest.mark.parametrize("time", [-1, -(2**40)])
def test_negative_times_are_refused(time: int) -> None:
    with pytest.raises(ValueError, match="not negative"):
        pack_times([time])


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_rolls_come_back(rolls: list[tuple[int, int]]) -> None:
    assert unpack_rolls(pack_rolls(tuple(rolls))) == tuple(rolls)


def test_a_roll_can_be_read_in_hexadecimal() -> None:
    assert (pack_rolls(((6, 5), (1, 2))) or b"").hex() == "6512"


@pytest.mark.parametrize("words", [[""], ["A1 B2"], ["A1", "\t"], ["A1\n"]])
def test_a_move_with_a_blank_in_it_is_refused(words: list[str]) -> None:
    with pytest.raises(ValueError, match="without blanks"):
        pack_words(words)


@given(st.lists(st.from_regex(r"[!-~]{1,8}", fullmatch=True)))
def test_moves_come_back(words: list[str]) -> None:
    assert unpack_words(pack_words(words)) == tuple(words)


@given(st.integers(-(2**40), 2**44))
def test_instants_come_back_as_the_same_text(milliseconds: int) -> None:
    assert pack_instant(unpack_instant(milliseconds)) == milliseconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123456Z"])
def test_an_instant_in_another_form_is_kept_as_it_is(text: str) -> None:
    assert unpack_instant(pack_instant(text)) == text


def test_the_hash_tells_dice_and_moves_apart() -> None:
    hashes = {
        moves_hash("A1 B2", None, None),
        moves_hash("A1 B3", None, None),
        moves_hash("A1 B2", b"\x11", None),
        moves_hash("A1 B2", None, b"\x11"),
    }
    assert len(hashes) == 4
    assert moves_hash("A1 B2", None, None) in hashes


def test_time_is_counted_to_the_side_that_used_it() -> None:
    played = record(event(), 0, moves=("a", "b", "c", "d"), time_us=(None, 10, 20, 40), opening_plies=1)
    black, white = time_use(played)
    assert (black.moves, black.total_us, black.longest_us) == (1, 20, 20)
    assert (white.moves, white.total_us, white.longest_us) == (2, 50, 40)
    # White threw the higher die and moved first.
    black, white = time_use(replace(played, opening_roll=((3, 3), (2, 5))))
    assert (black.total_us, white.total_us) == (50, 20)
    black, white = time_use(replace(played, verdict=fault(event(), 0, side=0).verdict, fault_us=70))
    assert (black.moves, black.total_us, black.longest_us) == (1, 90, 70)


def test_an_event_comes_back_and_its_text_is_canonical() -> None:
    original = event(
        komi="pie",
        dice_key=KEY,
        book=OpeningBook(lines=(("A1", "B2"), ("C3",)), source="book.txt"),
        engines=(
            engine("Ünï", env={"B": "2", "A": "1"}, time=parse_time("60+3x10"), plays=("pletore",)),
            engine("b", options={"x": "true"}, binds=("/usr",), limits={"memory_mb": 16.5}, folder="/"),
        ),
    )
    text = event_to_json(original)
    assert event_from_json(text, KEY) == original
    assert KEY.hex() not in text
    shuffled = replace(
        original, engines=(replace(original.engines[0], env={"A": "1", "B": "2"}), original.engines[1])
    )
    assert event_to_json(shuffled) == text


def test_an_event_from_before_a_key_existed_takes_its_default() -> None:
    tree = json.loads(event_to_json(event("a", "b")))
    del tree["engines"][0]["margin_ms"]
    assert event_from_json(json.dumps(tree)) == event("a", "b")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 3}', "null", '{"engines": 3, "book": {}}'])
def test_a_text_that_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(StoreError, match="the stored event cannot be read"):
        event_from_json(text)


def test_an_event_of_a_later_version_is_refused() -> None:
    tree = json.loads(event_to_json(event("a", "b")))
    tree["invented_later"] = 1
    with pytest.raises(StoreError, match="invented_later"):
        event_from_json(json.dumps(tree))
