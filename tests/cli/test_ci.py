"""`python -m arena.ci`: variables become commands, and the worst exit code is the answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.ci import VARIABLES, Step, steps, summary, worst

ROOT = Path(__file__).parents[2]


def test_variables_become_arguments_and_never_more_than_that() -> None:
    told = {
        "ARENA_ENGINE": "./bot; rm -rf /",
        "ARENA_GAME": "pente",
        "ARENA_BASELINES": "greedy --noise 0.1\n\n  random  \n",
        "ARENA_EXPECT": "score>=0.4\nfaults<=0",
        "ARENA_OUTPUT": "out",
    }
    check, first, second = steps(told)
    assert check.arguments[:2] == ("check", "./bot; rm -rf /")
    assert "--junit" in check.arguments
    assert first.arguments[:3] == ("match", "./bot; rm -rf /", "greedy --noise 0.1")
    assert second.arguments[2] == "random"
    assert first.arguments[-4:] == ("--expect", "score>=0.4", "--expect", "faults<=0")
    assert second.kept == Path("out", "match-2.txt")


@pytest.mark.parametrize("missing", ["ARENA_ENGINE", "ARENA_GAME"])
def test_what_must_be_set_is_asked_for(missing: str) -> None:
    told = {"ARENA_ENGINE": "greedy", "ARENA_GAME": "pente", missing: " "}
    with pytest.raises(ValueError, match=missing):
        steps(told)


def test_the_worst_step_decides() -> None:
    assert worst([0, 0]) == 0
    assert worst([0, 1, 0]) == 1
    assert worst([1, 2]) == 2
    assert worst([0, -9]) == 2


def test_a_summary_cannot_be_broken_out_of(tmp_path: Path) -> None:
    kept = tmp_path / "check.txt"
    kept.write_text("`````\n# <b>owned</b>\n")
    text = summary([(Step("Check of <script>`", (), kept), 1)])
    assert text.startswith("### Check of  script  : exit code 1\n\n````````\n")
    assert text.endswith("````````\n")


def test_an_engine_is_checked_and_played_for_real(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "ARENA_ENGINE": "greedy",
        "ARENA_GAME": "topolo",
        "ARENA_SIZE": "4",
        "ARENA_BASELINES": "random",
        "ARENA_PAIRS": "1",
        "ARENA_EXPECT": "faults<=0\nscore>1",
        "ARENA_SANDBOX": "off",
        "ARENA_OUTPUT": str(tmp_path / "out"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "arena.ci"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "greedy: expected score > 1: NOT met" in done.stdout
    assert "expected faults <= 0: met" in done.stdout
    assert int(ElementTree.parse(tmp_path / "out" / "check.xml").getroot()[0].get("tests", "0")) > 40  # noqa: S314
    assert (tmp_path / "out" / "match-1.db").exists()
    assert list((tmp_path / "out" / "match-1").glob("*.svg"))
    assert "### Match against random: exit code 1" in (tmp_path / "summary.md").read_text()


def test_the_action_hands_over_every_variable_and_the_guide_names_them() -> None:
    action = (ROOT / "action.yml").read_text()
    assert set(re.findall(r"^ +(ARENA_[A-Z]+): ", action, re.MULTILINE)) == set(VARIABLES)
    assert "${{" not in "".join(re.findall(r"run: \|\n((?: {8}.*\n)+)", action))
    guide = (ROOT / "docs" / "ci.md").read_text()
    assert all(f"`{name}`" in guide for name in VARIABLES)
