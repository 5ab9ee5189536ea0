"""The text of replies, hostile as it is, becomes bounded typed data."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.answers import (
    ASSUMED,
    MAX_INFO_CHARACTERS,
    MAX_INFO_KEYS,
    MAX_LISTED,
    MAX_PV_WORDS,
    MAX_WORD_CHARACTERS,
    Capabilities,
    OptionKind,
    OptionSpec,
    parse_games,
    parse_list_commands,
    parse_move_reply,
    parse_options,
)


def test_listed_commands_are_known_and_others_are_not() -> None:
    capabilities = parse_list_commands(True, "play\ngenmove\n arena-dice \n")
    assert capabilities.lists_commands
    assert capabilities.knows("arena-dice")
    assert not capabilities.knows("komi")
    assert capabilities.choose(["arena-clock", "genmove", "play"]) == ("genmove", "play")
    assert capabilities.missing(["arena-clock", "genmove"]) == ("arena-clock",)
    assert not capabilities.without("arena-dice").knows("arena-dice")


def test_an_engine_that_refuses_list_commands_is_taken_to_know_gtp_and_nothing_optional() -> None:
    capabilities = parse_list_commands(False, "unknown command")
    assert capabilities == ASSUMED
    assert not capabilities.lists_commands
    assert capabilities.missing(["boardsize", "komi", "clear_board", "play", "genmove", "quit"]) == ()
    optional = ("arena-dice", "arena-choose_komi", "arena-clock", "time_settings", "time_left", "arena-game")
    assert capabilities.choose(optional) == ()


def test_long_lists_and_long_words_are_cut() -> None:
    text = "\n".join([*(f"c{number}" for number in range(2 * MAX_LISTED)), "x" * 1000])
    assert len(parse_list_commands(True, text).listed) == MAX_LISTED
    assert parse_list_commands(True, "x" * (MAX_WORD_CHARACTERS + 1)) == Capabilities(frozenset())


def test_games_are_lower_case_each_once_in_order() -> None:
    assert parse_games("Pente\npletore\n\npente") == ("pente", "pletore")


def test_options_are_read_by_type() -> None:
    options, problems = parse_options(
        "threads int 1 1 64\nnoise float 0.5\nponder bool false\nstyle choice calm calm wild\nbook text none"
    )
    assert problems == ()
    assert options["threads"] == OptionSpec("threads", OptionKind.INT, "1", 1, 64)
    assert options["noise"].minimum is None
    assert options["style"].choices == ("calm", "wild")
    for option in options.values():
        assert parse_options(option.line()).options == {option.name: option}


@pytest.mark.parametrize(
    "line",
    [
        "threads",
        "threads int",
        "threads number 3",
        "threads int 1 5",
        "threads int 1 a b",
        "threads int 9 1 5",
        "ponder bool yes",
        "style choice calm",
        "book text a b",
        "noise float nan",
        "x text " + "y" * (MAX_WORD_CHARACTERS + 1),
    ],
)
def test_an_option_line_that_makes_no_sense_is_left_out_with_a_word_on_it(line: str) -> None:
    options, problems = parse_options(line + "\nponder bool true")
    assert list(options) == ["ponder"]
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        (
            OptionSpec("n", OptionKind.INT, "1", 1, 64),
            ["1", "64", "+2"],
            ["0", "65", "1.5", "", "x", "1_0", "9" * 5000],
        ),
        (OptionSpec("n", OptionKind.FLOAT, "0"), ["-1.5", "1e3"], ["inf", "nan", "x", ""]),
        (OptionSpec("n", OptionKind.BOOL, "true"), ["true", "false"], ["yes", "1"]),
        (OptionSpec("n", OptionKind.CHOICE, "a", choices=("a", "b")), ["a", "b"], ["c"]),
        (OptionSpec("n", OptionKind.TEXT, "a"), ["anything"], []),
    ],
)
def test_a_value_is_checked_against_its_option(option: OptionSpec, good: list[str], bad: list[str]) -> None:
    assert [option.refusal(value) for value in good] == [None] * len(good)
    assert all(option.refusal(value) for value in bad)


def test_a_move_comes_without_its_info_lines() -> None:
    word, infos = parse_move_reply(
        "D4\ninfo winrate 0.61 score 3.5 nodes 12000 depth 9 mood calm pv D4 E5\nchat hello"
    )
    assert word == "D4"
    assert infos == {
        "winrate": 0.61,
        "score": 3.5,
        "nodes": 12000,
        "depth": 9,
        "mood": "calm",
        "pv": ("D4", "E5"),
    }


def test_a_bare_move_has_no_infos() -> None:
    assert parse_move_reply("resign") == ("resign", {})
    assert parse_move_reply("") == ("", {})
    assert parse_move_reply("\nD4").word == ""


@pytest.mark.parametrize(
    "info",
    [
        "winrate 1.5",
        "winrate nan",
        "score inf",
        "nodes -3",
        "nodes 1e3",
        "depth x",
        "nodes " + "9" * 60,
        "lonely",
    ],
)
def test_a_value_that_is_none_is_left_out(info: str) -> None:
    assert parse_move_reply(f"D4\ninfo {info}").infos == {}


def test_infos_are_bounded() -> None:
    many = " ".join(f"key{number} {'v' * 250}" for number in range(200))
    infos = parse_move_reply(f"D4\ninfo {many}\ninfo {'k' * 100} 1\ninfo key3 last").infos
    assert len(infos) == MAX_INFO_KEYS
    assert infos["key3"] == "last"
    assert infos["key4"] == "v" * MAX_WORD_CHARACTERS
    moves = parse_move_reply("D4\ninfo pv " + "D4 " * 500).infos["pv"]
    assert isinstance(moves, tuple)
    assert len(moves) == MAX_PV_WORDS


def test_megabytes_of_infos_are_not_read_to_their_end() -> None:
    lines = "info depth 1\n" * (MAX_INFO_CHARACTERS // 13 + 1)
    assert parse_move_reply(f"D4\n{lines}info depth 2").infos == {"depth": 1}


@given(st.text(st.sampled_from("infowrate scoredpv0189.-+_e\n #é"), max_size=200) | st.text(max_size=200))
def test_no_text_makes_a_reader_raise_and_what_is_read_can_be_stored(text: str) -> None:
    infos = parse_move_reply("D4\n" + text).infos
    assert json.loads(json.dumps(infos, allow_nan=False)).keys() == infos.keys()
    parse_list_commands(True, text)
    parse_games(text)
    for option in parse_options(text).options.values():
        assert option.refusal(option.default) is None
