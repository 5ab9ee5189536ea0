"""Nothing leaves the referee that could be read as anything but the one command that was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import commands
from protocol.commands import COMMANDS, MAX_COMMAND_BYTES, Need, Phase, UnsendableError
from protocol.framing import Command, CommandParser

SMUGGLERS = ["", "D4\nquit", "D4\rquit", "D4 E5", "D4#", "\x00", "D4\t", "Dä", "\x1b[0m", " D4", "\u2028"]


@pytest.mark.parametrize("value", SMUGGLERS)
@pytest.mark.parametrize(
    "build", [lambda v: commands.play("black", v), lambda v: commands.command("komi", v)]
)
def test_a_value_that_could_smuggle_something_is_refused(build: object, value: str) -> None:
    assert callable(build)
    with pytest.raises(UnsendableError, match="cannot be sent"):
        build(value)


@pytest.mark.parametrize(
    "line", ["play black D4\nquit", "play black D4 # ok", "", " name", "näme", "name\x00"]
)
def test_a_line_made_elsewhere_is_refused_at_the_gate(line: str) -> None:
    with pytest.raises(UnsendableError):
        commands.encode(line)


@given(st.text(max_size=30))
def test_what_is_encoded_is_read_back_as_exactly_one_command(value: str) -> None:
    try:
        data = commands.encode(commands.command("arena-option", "name", value), 5)
    except UnsendableError:
        return
    assert CommandParser().feed(data) == [Command(5, "arena-option", ("name", value))]


def test_a_line_too_long_is_refused() -> None:
    with pytest.raises(UnsendableError, match="too long"):
        commands.encode(commands.command("arena-option", "name", "x" * MAX_COMMAND_BYTES))


def test_commands_are_built_word_by_word() -> None:
    assert commands.play("white", "24/18,24/19") == "play white 24/18,24/19"
    assert commands.genmove("black") == "genmove black"
    assert commands.dice("black", 6, 5) == "arena-dice black 6 5"
    assert commands.command("komi", -3) == "komi -3"
    assert commands.command("time_settings", 60, 0, 0) == "time_settings 60 0 0"
    assert commands.encode("name") == b"name\n"
    assert commands.encode("name", 12) == b"12 name\n"


def test_unknown_commands_and_impossible_dice_are_refused() -> None:
    with pytest.raises(UnsendableError, match="no command of the protocol"):
        commands.command("undo")
    with pytest.raises(UnsendableError, match="no command of the protocol"):
        commands.command("loadsgf", "x")
    with pytest.raises(UnsendableError, match="roll"):
        commands.dice("black", 0, 7)


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ((True, True, False, False), ("boardsize", "komi", "clear_board", "play", "genmove")),
        ((True, False, False, False), ("boardsize", "clear_board", "play", "genmove")),
        ((False, False, True, False), ("clear_board", "play", "arena-dice", "genmove")),
        (
            (True, True, False, True),
            ("boardsize", "arena-choose_komi", "arena-choose_side", "komi", "clear_board", "play", "genmove"),
        ),
    ],
)
def test_what_an_engine_must_know_depends_on_the_game(
    kind: tuple[bool, bool, bool, bool], needed: tuple[str, ...]
) -> None:
    has_size, has_komi, has_dice, is_pie = kind
    assert (
        commands.needed_commands(has_size=has_size, has_komi=has_komi, has_dice=has_dice, is_pie=is_pie)
        == needed
    )


def test_set_up_commands_stand_in_the_order_in_which_they_are_sent() -> None:
    set_up = [
        row.name for row in COMMANDS.values() if row.phase is Phase.SET_UP and row.need is not Need.BY_GAME
    ]
    assert set_up[:3] == ["arena-game", "arena-seed", "clear_board"]
    assert set_up[3:] == ["arena-time_settings", "kata-time_settings", "kgs-time_settings", "time_settings"]


def test_only_the_last_words_of_a_game_are_not_waited_for() -> None:
    assert {row.name for row in COMMANDS.values() if not row.is_waited_for} == {"arena-result", "quit"}
