"""Commands are found before the first game, or refused with what was tried."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from arena.config import ConfigError, event_from_keys
from arena.config.programs import resolved_command, split_command

MATCH = {"format": "match", "game": "pletore"}


def program(path: Path, mode: int = 0o755) -> Path:
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return path


def test_the_running_interpreter_is_filled_in_as_it_was_called(tmp_path: Path) -> None:
    assert resolved_command(["{python}", "-m", "x"], tmp_path) == [sys.executable, "-m", "x"]


def test_a_path_is_relative_to_the_file_and_may_hold_blanks(tmp_path: Path) -> None:
    (tmp_path / "my engines").mkdir()
    found = program(tmp_path / "my engines" / "run me")
    words = split_command("'my engines/run me' --level 3")
    assert words == ["my engines/run me", "--level", "3"]
    assert resolved_command(["my engines/run me", "--level", "3"], tmp_path) == [str(found), "--level", "3"]


def test_a_word_is_looked_for_on_the_path_then_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    on_path = program(tmp_path / "bin" / "first")
    beside = program(tmp_path / "second")
    program(tmp_path / "first")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert resolved_command(["first"], tmp_path) == [str(on_path)]
    assert resolved_command(["second"], tmp_path) == [str(beside)]


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    program(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    assert resolved_command(["./link"], tmp_path) == [str(tmp_path / "link")]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["./missing"], r"tried {here}/missing\)"),
        (["missing-anywhere"], r"tried missing-anywhere on the PATH, then {here}/missing-anywhere\)"),
        (["./plain"], "{here}/plain is not executable"),
        (["./folder"], "{here}/folder is a folder, not a program"),
        ([], "at least one word"),
        ([""], "first one not empty"),
        (["{python}", "a\0b"], "without NUL"),
    ],
)
def test_what_cannot_be_started_is_refused_with_what_was_tried(
    tmp_path: Path, words: list[str], complaint: str
) -> None:
    program(tmp_path / "plain", mode=0o644)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=complaint.replace("{here}", str(tmp_path))):
        resolved_command(words, tmp_path)


def test_a_match_names_its_engines_by_their_commands(tmp_path: Path) -> None:
    found = program(tmp_path / "mine")
    event = event_from_keys({**MATCH, "pairs": 3, "size": None}, [f"{found} --level 3", "./mine"], tmp_path)
    assert [engine.name for engine in event.engines] == ["mine --level 3", "mine"]
    assert event.engines[1].command == (str(found),)
    assert event.engines[1].cwd == str(tmp_path)
    assert event.name == "mine --level 3 - mine"
    assert event.games_each == 6


def test_two_engines_of_one_command_are_numbered() -> None:
    event = event_from_keys(MATCH, ["{python} -V", {"command": "{python} -V", "margin_ms": 0}])
    assert [engine.name for engine in event.engines] == ["{python} -V #1", "{python} -V #2"]


def test_a_sample_engine_may_be_called_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"sample_engines.greedy_player"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if name in there else None)
    event = event_from_keys(MATCH, ["greedy --noise 0.1", "greedy_player"])
    module = (sys.executable, "-m", "sample_engines.greedy_player")
    assert [engine.command for engine in event.engines] == [(*module, "--noise", "0.1"), module]
    assert [engine.name for engine in event.engines] == ["greedy --noise 0.1", "greedy_player"]


def test_wrong_flags_of_a_match_are_told_by_engine() -> None:
    with pytest.raises(ConfigError) as caught:
        event_from_keys({**MATCH, "pears": 3}, ["no-such-thing", {"command": "{python}", "margin_ms": -1}])
    program = (
        'command line: engine 1 command = "no-such-thing": a program that exists (tried no-such-thing on the'
        f" PATH, then {Path.cwd()}/no-such-thing); a path with spaces needs quotes or a list of words"
    )
    assert str(caught.value).splitlines() == [
        "command line: pears = 3: unknown key, did you mean pairs?",
        program,
        "command line: engine 2 margin_ms = -1: a whole number of milliseconds from 0 to 60000",
    ]
