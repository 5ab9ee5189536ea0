"""GoGui's commands: offered where an engine has a goban, and in the form GoGui's manual gives."""

from __future__ import annotations

from protocol.framing import Command
from protocol.gogui import Goban, gogui_commands
from protocol.sdk import Engine, _Server

GOBAN = Goban(
    game="pente",
    rows=("..O", ".X.", "..."),
    legal=[f"A{number}" for number in range(1, 26)],
    to_move="white",
    captured=(2, 0),
)


class WithGoban(Engine):
    """Shows the one position."""

    def new_game(self) -> None:
        """Begin."""

    def goban(self) -> Goban:
        """Return the position."""
        return GOBAN


class WithoutGoban(Engine):
    """Shows nothing."""

    def new_game(self) -> None:
        """Begin."""


def answer(engine: Engine, name: str) -> str:
    return _Server(engine).reply(Command(name=name, arguments=(), id=None)).decode()


def test_only_engines_with_a_goban_offer_the_commands() -> None:
    assert "gogui-rules_board" in answer(WithGoban(), "list_commands")
    assert "gogui" not in answer(WithoutGoban(), "list_commands")
    assert answer(WithoutGoban(), "gogui-rules_board").startswith("?")


def test_the_board_is_drawn_from_the_top() -> None:
    assert answer(WithGoban(), "gogui-rules_board") == "= \n. . O\n. X .\n. . .\n\n"


def test_each_command_has_the_form_of_the_manual() -> None:
    assert answer(WithGoban(), "gogui-rules_game_id") == "= Pente\n\n"
    assert answer(WithGoban(), "gogui-rules_board_size") == "= 3\n\n"
    assert answer(WithGoban(), "gogui-rules_side_to_move") == "= white\n\n"
    assert answer(WithGoban(), "gogui-rules_captured_count") == "= 2 0\n\n"
    assert answer(WithGoban(), "gogui-rules_final_result") == "=\n\n"
    for line in answer(WithGoban(), "gogui-analyze_commands")[2:].split("\n"):
        assert line == "" or len(line.split("/")) == 3


def test_long_lists_of_moves_are_broken_into_lines_without_losing_one() -> None:
    text = gogui_commands(lambda: GOBAN)["gogui-rules_legal_moves"](())
    assert text.split() == list(GOBAN.legal)
    assert len(text.split("\n")) == 2
