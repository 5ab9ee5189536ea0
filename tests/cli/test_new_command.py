"""`arena new`: an engine that passes its own checks at once, and never into somebody's files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.check import command as check
from arena.cli.errors import Failure
from arena.cli.new import LANGUAGES, command
from arena.config import load_submission

NEEDS = {"python": "python3", "c": "cc", "javascript": "node"}


def make(folder: Path, language: str) -> None:
    result = CliRunner().invoke(command, [str(folder), "--language", language], catch_exceptions=False)
    assert result.exit_code == 0
    assert LANGUAGES[language].check in result.output


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_engine_passes_its_own_checks(language: str, tmp_path: Path) -> None:
    if shutil.which(NEEDS[language]) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{NEEDS[language]} is not installed, but CI must check engines in {language}")
        pytest.skip(f"{NEEDS[language]} is not installed: new engines in {language} are not checked here")
    folder = tmp_path / "mine"
    make(folder, language)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    run = subprocess.run(
        LANGUAGES[language].check.split(),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_engine_takes_its_time_control_and_keeps_it(language: str, tmp_path: Path) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"{NEEDS[language]} is not installed: new engines in {language} are not checked here")
    folder = tmp_path / "mine"
    make(folder, language)
    if LANGUAGES[language].build:
        subprocess.run(LANGUAGES[language].build.split(), cwd=folder, check=True, capture_output=True)
    cases = ("start-up.clock", "commands.arena-time_settings", "clock.tight-each-move")
    options = ["--game", "pletore", "--size", "5", "--sandbox", "off", "--json", "-"]
    found = CliRunner().invoke(check, [str(folder), *options, *(f"--only={each}" for each in cases)])
    (report,) = json.loads(found.output)["checks"]
    said = {case["id"]: case["status"] for case in report["cases"]}
    assert {case: said[case] for case in cases} == dict.fromkeys(cases, "passed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_trial_event_names_the_new_engine(language: str, tmp_path: Path) -> None:
    make(tmp_path / "mine", language)
    event = tomllib.loads((tmp_path / "mine" / "trial.toml").read_text())
    assert [engine["name"] for engine in event["engine"]] == ["mine", "random"]
    assert event["tournament"]["game"] == "pletore"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_new_folder_can_be_handed_in(language: str, tmp_path: Path) -> None:
    make(tmp_path / "mine", language)
    handed_in = load_submission(tmp_path / "mine")
    assert tuple(handed_in.games) == LANGUAGES[language].ids
    assert handed_in.name == "my-engine"
    assert bool(handed_in.build) == bool(LANGUAGES[language].build)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    make(tmp_path, "python")
    assert (tmp_path / "engine.py").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(Failure, match="not an empty folder"):
        CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        with pytest.raises(Failure):
            CliRunner().invoke(command, [str(tmp_path / name)], catch_exceptions=False)
