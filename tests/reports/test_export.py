"""Exported games have all keys of the contract and only its words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.verdict import Reason, both_failed, by_fault, by_outcome, by_resignation, void
from arena.rules.base import BLACK, WHITE, Outcome
from reports.export import KEYS, csv_row, game_object, json_line

PLAYED = GameRecord(
    id="1-2.1a",
    ordinal=0,
    round=1,
    pair="1-2.1",
    game="pletore",
    size=9,
    seed=2**64 - 1,
    attempt=1,
    komi=4,
    black=EngineIdentity("greedy", "Greedy", "1.2"),
    white=EngineIdentity("random"),
    verdict=by_outcome(Outcome(BLACK, ("score",), "B+3.5", board_margin=7, final_margin=3.5, button=BLACK)),
    moves=("E5", "D4", "button"),
    opening_plies=2,
    opening="random 2 #1",
    time_us=(None, None, 1500),
    started="2026-01-01T00:00:00.000Z",
    ended="2026-01-01T00:00:01.000Z",
)


def test_a_played_game_has_every_key_in_the_contracts_order() -> None:
    exported = json.loads(json_line(PLAYED))
    assert tuple(exported) == (*KEYS, "infos")
    assert [exported.pop(key) for key in ("discipline", "time_controls", "engine_options", "infos")] == [
        None
    ] * 4
    assert exported == {
        "id": "1-2.1a",
        "pair": "1-2.1",
        "round": 1,
        "game": "pletore",
        "size": 9,
        "komi": 4,
        "black": "greedy",
        "white": "random",
        "winner": "black",
        "result": "B+3.5",
        "reason": "score",
        "reasons": ["score"],
        "at_fault": None,
        "board_margin": 7,
        "final_margin": 3.5,
        "points": None,
        "decided_by": None,
        "deciding_group": None,
        "button": "black",
        "proposer": None,
        "komi_offered": None,
        "side_chosen": None,
        "plies": 3,
        "opening_plies": 2,
        "moves": ["E5", "D4", "button"],
        "fault_move": None,
        "dice": None,
        "opening_roll": None,
        "announcements": None,
        "time_ms": [None, None, 1.5],
        "fault_ms": None,
        "opening": "random 2 #1",
        "seed": 2**64 - 1,
        "started": "2026-01-01T00:00:00.000Z",
        "ended": "2026-01-01T00:00:01.000Z",
        "attempt": 1,
        "engine_versions": {"black": "Greedy 1.2", "white": ""},
    }


def test_the_keys_are_those_of_the_contract() -> None:
    for key in KEYS:
        assert key.replace("_", "").isalpha()
    assert len(KEYS) == len(set(KEYS)) == 40


def test_faults_voids_and_failures_of_both_keep_their_words() -> None:
    lost = game_object(
        replace(PLAYED, verdict=by_fault(WHITE, Reason.ILLEGAL_MOVE), fault_move="Z9", fault_us=7)
    )
    assert (lost["winner"], lost["result"], lost["at_fault"]) == ("black", "B+F", "white")
    assert (lost["board_margin"], lost["fault_move"], lost["fault_ms"]) == (None, "Z9", 0.007)
    gone = game_object(replace(PLAYED, verdict=void(Reason.ANNULLED)))
    assert (gone["winner"], gone["result"], gone["reason"]) == (None, "void", "annulled")
    both = game_object(replace(PLAYED, verdict=both_failed((Reason.TIME, Reason.CRASH))))
    assert (both["winner"], both["result"], both["reasons"]) == (
        None,
        "both-failed",
        ["both-failed", "time", "crash"],
    )
    resigned = game_object(replace(PLAYED, verdict=by_resignation(BLACK)))
    assert (resigned["winner"], resigned["result"], resigned["at_fault"]) == ("white", "W+R", None)


def test_pie_dice_and_announcements_are_told() -> None:
    exported = game_object(
        replace(
            PLAYED,
            pie=Pie(proposer=WHITE, komi_offered=5, side_chosen=BLACK),
            opening_roll=((2, 2), (6, 1)),
            dice=((6, 1), (3, 3)),
            announcements=(None, "three", None),
        )
    )
    assert (exported["proposer"], exported["komi_offered"], exported["side_chosen"]) == ("white", 5, "black")
    assert exported["opening_roll"] == [[2, 2], [6, 1]]
    assert exported["dice"] == [[6, 1], [3, 3]]
    assert exported["announcements"] == [None, "three", None]


def test_calls_are_listed_where_the_game_has_them() -> None:
    silent = replace(PLAYED, announcements=(None, None, None))
    assert game_object(silent)["announcements"] is None
    assert game_object(replace(silent, game="pente"))["announcements"] == [None, None, None]


def test_a_csv_row_has_a_cell_for_every_key_and_no_formula() -> None:
    row = csv_row(replace(PLAYED, fault_move="=1+1", dice=((6, 5),), opening_roll=((6, 5),)))
    cells = dict(zip(KEYS, row, strict=True))
    assert cells["moves"] == "E5 D4 button"
    assert cells["time_ms"] == ". . 1.5"
    assert cells["dice"] == "6-5"
    assert cells["fault_move"] == "'=1+1"
    assert cells["points"] is None


@pytest.mark.parametrize("name", ["\n", '"', "\u2028", "\x1b[2J", "\ud800"])
def test_a_name_never_breaks_the_line(name: str) -> None:
    line = json_line(replace(PLAYED, black=EngineIdentity(name)))
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["black"] == name
