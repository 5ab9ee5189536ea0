"""A seal finds every alteration of what is judged, and names the ply."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.seal import altered_ply, record_seal
from arena.rules.base import BLACK, WHITE
from tests.core.records import played, scheduled_game

PLAKOTO = played(scheduled_game("plakoto"), 1)[0]
PLETORE = played(scheduled_game("pletore", size=5, komi=3), 1)[0]


def test_a_record_agrees_with_its_own_seal() -> None:
    for record in (PLAKOTO, PLETORE):
        assert altered_ply(record, record_seal(record)) is None


def test_a_seal_takes_a_byte_a_ply() -> None:
    assert len(record_seal(PLETORE)) == 16 + len(PLETORE.moves)


def with_element(sequence: tuple[Any, ...], place: int, element: object) -> tuple[Any, ...]:
    return (*sequence[:place], element, *sequence[place + 1 :])


@pytest.mark.parametrize("place", range(0, len(PLAKOTO.moves), 7))
def test_whatever_is_altered_of_a_ply_names_the_ply(place: int) -> None:
    record, seal = PLAKOTO, record_seal(PLAKOTO)
    one, other = record.dice[place]
    for altered in (
        replace(record, moves=with_element(record.moves, place, "13/12")),
        replace(record, dice=with_element(record.dice, place, (one % 6 + 1, other))),
        replace(record, time_us=with_element(record.time_us, place, 999)),
        replace(record, announcements=with_element(record.announcements, place, "four")),
    ):
        assert altered_ply(altered, seal) == place + 1


def test_plies_left_out_or_added_are_named() -> None:
    seal = record_seal(PLETORE)
    plies = len(PLETORE.moves)
    assert altered_ply(replace(PLETORE, moves=PLETORE.moves[:-1]), seal) == plies
    assert altered_ply(replace(PLETORE, moves=(*PLETORE.moves, "pass")), seal) == plies + 1
    assert altered_ply(replace(PLETORE, moves=()), seal) == 1
    assert altered_ply(PLETORE, seal[:-1]) == plies


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "1-2.9a"},
        {"seed": 1},
        {"attempt": 2},
        {"komi": 5},
        {"black": EngineIdentity("somebody")},
        {"opening": "x"},
        {"opening_plies": 1},
        {"opening_roll": ((1, 2),)},
        {"fault_move": "A1"},
        {"final_position": ""},
        {"pie": Pie(BLACK, 3, WHITE)},
    ],
)
def test_what_is_altered_beside_the_plies_is_found(changes: dict[str, Any]) -> None:
    assert altered_ply(replace(PLETORE, **changes), record_seal(PLETORE)) == 0


def test_verdict_and_margins_are_sealed_and_a_float_is_as_good_as_an_int() -> None:
    seal = record_seal(PLETORE)
    outcome = PLETORE.verdict.outcome
    assert outcome is not None
    assert outcome.board_margin is not None

    def margin(value: float) -> GameRecord:
        verdict = replace(PLETORE.verdict, outcome=replace(outcome, board_margin=value))
        return replace(PLETORE, verdict=verdict)

    assert altered_ply(margin(float(outcome.board_margin)), seal) is None
    assert altered_ply(margin(outcome.board_margin + 1), seal) == 0
    assert altered_ply(replace(PLETORE, verdict=replace(PLETORE.verdict, result="0")), seal) == 0


def test_a_seal_that_is_none_is_a_difference() -> None:
    assert altered_ply(PLETORE, b"") == 1
