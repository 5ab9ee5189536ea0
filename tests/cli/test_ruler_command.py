"""`arena ruler` as a process: what GoGui asks of a ruler."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "arena", "ruler"]
DEADLINE_S = 60


def answers(arguments: list[str], *lines: str) -> list[str]:
    run = subprocess.run(
        [*COMMAND, *arguments],
        input="\n".join([*lines, "quit", ""]),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split("\n\n")[: len(lines)]


def test_a_game_of_pletore_ends_with_a_result() -> None:
    asked = answers(
        ["pletore", "--size", "1", "--komi", "0"],
        "gogui-rules_game_id",
        "gogui-rules_legal_moves",
        "play black a1",
        "play white pass",
        "gogui-rules_side_to_move",
        "play black pass",
        "gogui-rules_legal_moves",
        "gogui-rules_final_result",
    )
    assert asked[0] == "= Pletore"
    assert asked[1] == "= A1"
    assert asked[4] == "= black"
    assert asked[6] == "="
    assert "Black wins" in asked[7]


def test_the_button_is_taken_by_a_pass_while_it_is_free() -> None:
    asked = answers(
        ["pletore", "--size", "3", "--komi", "1"],
        "gogui-rules_legal_moves",
        "play black pass",
        "gogui-rules_legal_moves",
        "play white pass",
    )
    assert asked[0].split()[-1] == "pass"
    assert asked[1] == "="
    assert "pass" not in asked[2]
    assert asked[3].startswith("?")


def test_captures_of_pente_are_counted_in_stones() -> None:
    moves = ["black D4", "white E5", "black A1", "white F6", "black G7"]
    asked = answers(
        ["pente", "--size", "7"], *(f"play {move}" for move in moves), "gogui-rules_captured_count"
    )
    assert asked[-1] == "= 2 0"


def test_it_keeps_to_its_size_and_plays_nothing() -> None:
    asked = answers(
        ["pente", "--size", "7"], "boardsize 9", "boardsize 7", "genmove black", "arena-game pletore"
    )
    assert [answer[0] for answer in asked] == ["?", "=", "?", "?"]


@pytest.mark.parametrize(
    "arguments", [["topolo"], ["chess"], ["pente", "--size", "6"], ["pletore", "--size", "26"]]
)
def test_what_cannot_be_ruled_is_said_in_one_line(arguments: list[str]) -> None:
    run = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert run.returncode == 2
    assert run.stderr.startswith("arena: ")
    assert len(run.stderr.splitlines()) == 1
