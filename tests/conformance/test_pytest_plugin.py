"""The pytest plugin in a repository of an engine's author: the suite as tests, and tests of his own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conformance.engines import flawed

pytest_plugins = ["pytester"]

OFF = ("--arena-sandbox", "off", "-p", "no:cacheprovider")

OWN_TESTS = """
import pytest

def test_good(arena_engine):
    assert arena_engine.game == "pente"
    assert arena_engine.must_play("E5", size=9) == "E5"
    arena_engine.must_not_play("E5 e6", moves="E5 E6", size=9)
    assert "E5" not in arena_engine.legal_moves("E5", size=9)
    score = arena_engine.play_match("random", games=2, size=9)
    assert score.games == 2 and score.faults == 0

def test_wrong_expectation(arena_engine):
    arena_engine.must_play(["A1", "B1"], size=9)

def test_lost_match(arena_engine):
    arena_engine.must_not_lose_to("greedy", games=2, size=9)

def test_no_position(arena_engine):
    arena_engine.move("E5 E5", size=9)
"""


def test_the_suite_runs_as_tests_and_failures_speak_the_suites_words(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    command = ("--arena-engine", flawed("blind-to-control"), "--arena-game", "pletore")
    result = pytester.runpytest_subprocess(*command, *OFF, "-rf", "-k", "own or near-final or commands")
    counts = result.parseoutcomes()
    assert counts["failed"] == 1
    assert counts["passed"] > 10
    result.stdout.fnmatch_lines(
        [
            "the engine plays legal moves in the last turns of a game: MUST",
            "in position * it played *, which is illegal here: *",
            "board:",
            "the * exchange (> sent, < received):",
            "FAILED arena/pletore::moves.near-final*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_what_only_should_hold_does_not_fail_the_run(pytester: pytest.Pytester) -> None:
    command = ("--arena-engine", flawed("chatters"), "--arena-game", "topolo")
    result = pytester.runpytest_subprocess(*command, *OFF, "-k", "start-up", "-rx")
    assert result.parseoutcomes()["xfailed"] == 1
    result.stdout.fnmatch_lines(["XFAIL*start-up.quiet*SHOULD: wrote `welcome`*"])
    assert result.ret == pytest.ExitCode.OK


def test_an_author_keeps_positions_and_matches_as_tests(pytester: pytest.Pytester) -> None:
    from pathlib import Path

    engine = f"{sys.executable} {Path(__file__).parents[2] / 'examples' / 'first_engine.py'}"
    pytester.makepyfile(OWN_TESTS)
    pytester.makeini(f"[pytest]\narena_engine = {engine}\narena_game = pente\narena_time = 2+0.1")
    result = pytester.runpytest_subprocess(*OFF)
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "E   *AssertionError: played E5, expected A1 or B1",
            "E   *AssertionError: against greedy: 0 won, 0 drawn, 2 lost: 0.000 *, expected at least 0.5",
            "E   *ValueError: the position cannot be had: ply 2, 'E5': E5 already holds a stone of Black",
        ]
    )


def test_dice_are_given_with_the_moves(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_dice(arena_engine):
            moves = [((6, 5), "24/18,24/19")]
            assert arena_engine.move(moves, dice=(3, 3)) in arena_engine.legal_moves(moves, dice=(3, 3))
        """
    )
    result = pytester.runpytest_subprocess(
        "--arena-engine", "greedy", "--arena-game", "plakoto", *OFF, "-k", "test_dice"
    )
    result.assert_outcomes(
        passed=1, deselected=len(result.parseoutcomes()) and result.parseoutcomes()["deselected"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--arena-engine", "greedy"), "*which engine, in which game?*"),
        (("--arena-engine", "nobody", "--arena-game", "pente"), "*a program that exists*"),
        (("--arena-engine", "greedy", "--arena-game", "chess"), "*unknown game 'chess'*"),
        (("--arena-engine", "greedy", "--arena-game", "pente", "--arena-size", "x"), "*a whole number*"),
    ],
)
def test_wrong_settings_are_usage_errors(
    pytester: pytest.Pytester, words: tuple[str, ...], message: str
) -> None:
    result = pytester.runpytest_subprocess(*words, *OFF)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_project_that_does_not_use_the_plugin_loads_next_to_nothing() -> None:
    script = (
        "import sys, arena.pytest_plugin\n"
        "heavy = {'trio', 'pydantic', 'numpy', 'click', 'arena.rules', 'arena.live'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
