"""Derived seeds follow the published formula and keep their uses apart."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.seeds import derive, engine_seed, game_seed
from arena.rules.base import BLACK, WHITE

words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def test_the_worked_examples_of_the_documentation_hold() -> None:
    assert game_seed(7, "1-2.1a") == 233863543782973048
    assert engine_seed(game_seed(7, "1-2.1a"), "1-2.1a", BLACK) == 1852861250
    assert engine_seed(game_seed(7, "1-2.1a"), "1-2.1a", WHITE) == 146480465


@given(st.integers(), words, words)
def test_a_seed_is_the_documented_hmac(seed: int, label: str, ident: str) -> None:
    message = b"gtparena/1\x00" + label.encode() + b"\x00" + ident.encode()
    expected = hmac.new(str(seed).encode(), message, hashlib.sha256).hexdigest()[:16]
    assert f"{derive(seed, label, ident):016x}" == expected


def test_a_game_seed_fits_a_signed_64_bit_integer() -> None:
    seeds = [game_seed(7, f"1-2.{pair}a") for pair in range(100)]
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seeds[0] == derive(7, "game", "1-2.0a") >> 1


def test_a_nul_cannot_make_two_messages_one() -> None:
    with pytest.raises(ValueError, match="NUL"):
        derive(1, "game\0x", "y")
    with pytest.raises(ValueError, match="NUL"):
        derive(1, "game", "x\0y")


def test_uses_games_colours_and_seeds_are_kept_apart() -> None:
    numbers = {
        derive(seed, label, ident)
        for seed in (-1, 0, 1, 2**64)
        for label in ("game", "engine", "openings")
        for ident in ("1-2.1a", "1-2.1b", "1-2.11a")
    }
    assert len(numbers) == 4 * 3 * 3


@given(st.integers(0, 2**64 - 1), st.sampled_from([BLACK, WHITE]))
def test_an_engine_seed_fits_a_signed_32_bit_integer(seed: int, colour: int) -> None:
    assert 0 <= engine_seed(seed, "1-2.1a", colour) < 2**31


def test_the_two_engines_of_a_game_get_different_seeds() -> None:
    assert engine_seed(5, "1-2.1a", BLACK) != engine_seed(5, "1-2.1a", WHITE)
