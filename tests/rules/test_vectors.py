"""The rule vectors, all of them, for every game that is there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.vectors import Record, cases, check_handmade, check_perft, name_of, replay

SOAK_NODES = 20_000_000
"""Counts beyond this take plain Python more than about ten seconds on a slow machine."""


def _parameters(kind: str) -> list[Any]:
    return [
        pytest.param(
            game,
            record,
            id=name_of(game, record),
            marks=[pytest.mark.soak] if record.get("nodes", 0) > SOAK_NODES else [],
        )
        for game, record in cases(kind)
    ]


@pytest.mark.parametrize(("game", "record"), _parameters("games"))
def test_a_recorded_game_replays_move_by_move_to_its_result(game: str, record: Record) -> None:
    replay(game, record)


@pytest.mark.parametrize(("game", "record"), _parameters("handmade"))
def test_a_position_made_by_hand_allows_and_yields_what_it_says(game: str, record: Record) -> None:
    check_handmade(game, record)


@pytest.mark.parametrize(("game", "record"), _parameters("perft"))
def test_the_number_of_move_sequences_is_the_counted_one(game: str, record: Record) -> None:
    check_perft(game, record)
