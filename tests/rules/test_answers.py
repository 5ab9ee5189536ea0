"""`arena rules` as a function: the form of its answers, and that no line whatever makes it raise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.rules.answers import answer
from arena.rules.registry import games, rules_class
from tests.rules.test_contract import JSON, some_position
from tests.rules.vectors import as_setup, legal_words, read

with_dice = pytest.mark.skipif("plakoto" not in games(), reason="no game with dice is there")


def ask(**question: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(answer(json.dumps(question)))
    return reply


def test_an_answer_has_the_fields_of_the_contract() -> None:
    reply = ask(game="pletore", params={"size": 2, "komi": 1}, moves=["A1"])
    assert reply == {
        "to_move": "white",
        "legal": ["B1", "A2"],
        "over": False,
        "result": None,
        "diagram": [" 2 . .", " 1 B .", "   A B", "White to move, komi 1"],
    }


def test_a_finished_game_has_a_result_and_no_legal_moves() -> None:
    reply = ask(game="pletore", params={"size": 1, "komi": 1}, moves=["button", "A1", "pass", "pass"])
    assert reply["over"] is True
    assert reply["legal"] == []
    assert reply["result"] == {
        "winner": "white",
        "reason": "score",
        "reasons": ["score"],
        "board_margin": -1,
        "final_margin": -1.5,
        "points": None,
    }


def test_pente_tells_what_the_last_move_captured_and_what_is_announced() -> None:
    rows = [".........", "....B....", "....W....", "....W....", "BB.......", *["........."] * 4]
    setup = {"n": 9, "rows": rows}
    assert (ask(game="pente")["captured"], ask(game="pente")["announce"]) == ([], None)
    reply = ask(game="pente", setup=setup, moves=["E5"])
    assert (reply["captured"], reply["announce"]) == (["E6", "E7"], None)
    reply = ask(game="pente", setup=setup, moves=["C5"])
    assert (reply["captured"], reply["announce"]) == ([], "three")


def test_a_draw_is_a_winner_of_its_own_name() -> None:
    setup = {"n": 5, "rows": ["BBWWB", "WWBBW", "BBWWB", "WWBBW", "BBWW."], "turn": "W"}
    result = ask(game="pente", setup=setup, moves=["E1"])["result"]
    assert (result["winner"], result["reason"], result["final_margin"]) == ("draw", "full-board", 0)


@pytest.mark.parametrize("game", games())
def test_every_recorded_game_is_answered_as_it_ended(game: str) -> None:
    for record in read(game, "games")[::10]:
        if "turns" in record:
            question: dict[str, Any] = {
                "params": {"first": {"B": "black", "W": "white"}[record["first"]]},
                "turns": [{"dice": turn["dice"], "move": turn["move"]} for turn in record["turns"]],
            }
        else:
            params = {{"n": "size"}.get(key, key): value for key, value in record["params"].items()}
            question = {"params": params, "moves": record["moves"]}
        reply = ask(game=game, **question)
        assert reply["over"] is True
        letters = {"R": "black", "B": "white"} if game == "topolo" else {"B": "black", "W": "white"}
        assert reply["result"]["winner"] == letters.get(record["result"]["winner"], "draw")


@pytest.mark.parametrize(
    ("moves", "at"),
    [
        (["A1", "A1"], 1),
        (["pass"], 0),
        (["A1", "Z9"], 1),
        (["A1", "B1", ""], 2),
        (["resign"], 0),
        (["A1", "I1"], 1),
    ],
)
def test_a_refused_move_is_pointed_at(moves: list[str], at: int) -> None:
    reply = ask(game="pletore", params={"size": 9}, moves=moves)
    assert reply.keys() == {"error", "at"}
    assert reply["at"] == at
    assert reply["error"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "no JSON"),
        ("   ", "no JSON"),
        ("{", "no JSON"),
        ("null", "must be an object"),
        ("[]", "must be an object"),
        ('"pletore"', "must be an object"),
        ("{}", "no game"),
        ('{"game": null}', "must be text"),
        ('{"game": ["pletore"]}', "must be text"),
        ('{"game": "pletor"}', "did you mean 'pletore'"),
        ('{"game": "pletore", "game": "pente"}', "twice"),
        ('{"game": "pletore", "param": {}}', "did you mean 'params'"),
        ('{"game": "pletore", "params": []}', "params must be an object"),
        ('{"game": "pletore", "params": {"size": true}}', "size"),
        ('{"game": "pletore", "params": {"size": "9"}}', "size"),
        ('{"game": "pletore", "params": {"size": 9.0}}', "size"),
        ('{"game": "pletore", "params": {"size": null}}', "size"),
        ('{"game": "pletore", "params": {"size": 1e99}}', "size"),
        ('{"game": "pletore", "params": {"size": 26}}', "from 1 to 25"),
        ('{"game": "pletore", "params": {"komi": NaN}}', "NaN"),
        ('{"game": "pletore", "params": {"komi": -Infinity}}', "-Infinity"),
        ('{"game": "pletore", "params": {"komi": "pie"}}', "komi"),
        ('{"game": "pletore", "params": {"komi": ' + "9" * 5000 + "}}", "too long"),
        ('{"game": "pletore", "params": {"komi": ' + "9" * 4000 + "}}", "komi"),
        ('{"game": "pletore", "params": {"sise": 9}}', "did you mean 'size'"),
        ('{"game": "pletore", "params": {"n": 9}}', "known are komi, size"),
        ('{"game": "pletore", "params": {"first": "white"}}', "first"),
        ('{"game": "pente", "params": {"komi": 0}}', "komi"),
        ('{"game": "pletore", "moves": "A1"}', "moves must be a list"),
        ('{"game": "pletore", "moves": {"0": "A1"}}', "moves must be a list"),
        ('{"game": "pletore", "moves": ["A1", 5]}', "moves[1]"),
        ('{"game": "pletore", "moves": [["A1"]]}', "moves[0]"),
        ('{"game": "pletore", "turns": []}', "turns"),
        ('{"game": "pletore", "dice": [1, 2]}', "dice"),
        ('{"game": "pletore", "params": {}, "setup": {}}', "not both"),
        ('{"game": "pletore", "setup": {}}', "no n"),
        ('{"game": "pletore", "setup": 5}', "setup must be an object"),
        ("[" * 100_000, "too deeply"),
        ('{"a":' * 100_000, "too deeply"),
        ('{"game": "pletore"} {"game": "pente"}', "no JSON"),
        ('\ufeff{"game": "pletore"}', "no JSON"),
    ],
)
def test_a_wrong_question_is_told_why(line: str, said: str) -> None:
    reply = json.loads(answer(line))
    assert reply.keys() == {"error", "at"}
    assert reply["at"] is None
    assert said in reply["error"]
    assert len(reply["error"]) < 300


@with_dice
def test_turns_and_dice_are_played_in_order() -> None:
    reply = ask(game="plakoto", params={"first": "black"}, dice=[6, 5])
    assert reply["to_move"] == "black"
    assert reply["legal"] == ["24/18,24/19", "24/18,18/13"]
    turn = {"dice": [6, 5], "move": "24/18,24/19"}
    reply = ask(game="plakoto", params={"first": "black"}, turns=[turn])
    assert (reply["to_move"], reply["legal"], reply["over"]) == ("white", [], False)
    assert ask(game="plakoto", turns=[turn], dice=[3, 1])["legal"]
    assert ask(game="plakoto", params={"first": "white"})["to_move"] == "white"
    assert ask(game="plakoto")["to_move"] == "black"


@with_dice
def test_the_first_turn_repeats_the_dice_of_the_set_up() -> None:
    setup = {"W": {"24": 15}, "B": {"24": 15}, "turn": "W", "dice": [6, 5]}
    setup |= {"pinned": {"W": [], "B": []}, "off": {"W": 0, "B": 0}}
    assert ask(game="plakoto", setup=setup)["legal"] == ["24/18,24/19", "24/18,18/13"]
    assert ask(game="plakoto", setup=setup, dice=[5, 6])["legal"] == ["24/18,24/19", "24/18,18/13"]
    reply = ask(game="plakoto", setup=setup, turns=[{"dice": [6, 5], "move": "24/18/13"}], dice=[1, 1])
    assert reply["to_move"] == "black"
    reply = ask(game="plakoto", setup=setup, turns=[{"dice": [6, 4], "move": "24/18,24/20"}])
    assert reply["at"] is None
    assert "already has the roll" in reply["error"]


@with_dice
@pytest.mark.parametrize(
    ("more", "at"),
    [
        ({"turns": [{"dice": [6, 5], "move": "24/18"}]}, 0),
        ({"turns": [{"dice": [6, 5], "move": "24/18,24/19"}, {"dice": [1, 1], "move": "pass"}]}, 1),
        ({"turns": [{"dice": [6, 5], "move": "sideways"}]}, 0),
        ({"turns": [{"dice": [7, 5], "move": "24/18,24/19"}]}, None),
        ({"turns": [{"dice": [6, True], "move": "24/18,24/19"}]}, None),
        ({"turns": [{"dice": [6], "move": "24/18,24/19"}]}, None),
        ({"turns": [{"dice": "65", "move": "24/18,24/19"}]}, None),
        ({"turns": [{"dice": [6, 5]}]}, None),
        ({"turns": [{"move": "24/18,24/19"}]}, None),
        ({"turns": [{"dice": [6, 5], "move": 7}]}, None),
        ({"turns": [[]]}, None),
        ({"turns": {}}, None),
        ({"moves": []}, None),
        ({"dice": [0, 1]}, None),
        ({"dice": 6}, None),
        ({"params": {"size": 8}}, None),
        ({"params": {"first": "red"}}, None),
        ({"params": {"first": 0}}, None),
    ],
)
def test_wrong_turns_and_dice_are_refused(more: dict[str, Any], at: int | None) -> None:
    reply = ask(game="plakoto", **more)
    assert reply.keys() == {"error", "at"}
    assert reply["at"] == at


@pytest.mark.parametrize("game", games())
def test_a_set_up_position_is_answered_like_the_moves_that_lead_there(game: str) -> None:
    kind = rules_class(game)
    position = some_position(kind.from_settings(size=kind.sizes[0] if kind.sizes else None), 3, 4)
    reply = ask(game=game, setup=as_setup(position))
    assert reply["legal"] == legal_words(position)
    assert reply["to_move"] == ("black", "white")[position.to_move]


@settings(max_examples=300, deadline=None)
@given(
    question=st.fixed_dictionaries(
        {},
        optional={
            "game": st.sampled_from(games()) | JSON,
            "params": st.dictionaries(st.sampled_from(["size", "komi", "first", "n"]), JSON) | JSON,
            "setup": JSON,
            "moves": st.lists(st.sampled_from(["A1", "pass", "button", "B2:1", "24/23"]) | JSON) | JSON,
            "turns": st.lists(st.fixed_dictionaries({"dice": JSON, "move": JSON})) | JSON,
            "dice": st.lists(st.integers(0, 7), max_size=3) | JSON,
        },
    )
)
def test_every_question_has_an_answer(question: dict[str, Any]) -> None:
    reply = json.loads(answer(json.dumps(question)))
    assert "legal" in reply or reply.keys() == {"error", "at"}


@settings(deadline=None)
@given(line=st.text())
@example('{"game": "\\ud800"}')
@example("\x00")
@example('{"game": "pletore", "moves": ["\\ud83d"]}')
def test_every_line_has_an_answer_of_plain_characters(line: str) -> None:
    reply = answer(line)
    assert reply.isascii()
    assert reply.isprintable()
    json.loads(reply)
