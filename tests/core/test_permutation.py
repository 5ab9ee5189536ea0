"""A computed shuffle is a true permutation, and the key decides on it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.permutation import Permutation


def order(size: int, key: bytes) -> list[int]:
    permutation = Permutation(size, key)
    return [permutation.at(place) for place in range(size)]


@settings(max_examples=60)
@given(st.integers(1, 300), st.binary(max_size=8))
def test_every_element_has_exactly_one_place(size: int, key: bytes) -> None:
    assert sorted(order(size, key)) == list(range(size))


@given(st.integers(1, 2**512), st.data())
def test_an_element_lies_in_range_whatever_the_size(size: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, size - 1))
    assert 0 <= Permutation(size, b"key").at(place) < size


def test_another_key_is_another_order() -> None:
    assert order(100, b"a") != order(100, b"b")
    assert order(100, b"a") == order(100, b"a")


def test_first_places_hold_all_elements_about_equally_often() -> None:
    firsts = [Permutation(10, b"%d" % key).at(0) for key in range(2_000)]
    assert all(140 <= firsts.count(element) <= 260 for element in range(10))


@pytest.mark.parametrize("size", [0, -1, 2**512 + 1])
def test_sizes_beyond_reason_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="cannot permute"):
        Permutation(size, b"")


@pytest.mark.parametrize("place", [-1, 10])
def test_places_outside_are_no_places(place: int) -> None:
    with pytest.raises(IndexError):
        Permutation(10, b"").at(place)
