"""Where a command's output goes nowhere: a full disk, a closed stream, a reader who has left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.played import an_event, play

ARENA = [sys.executable, "-c", "from arena.cli.main import main; main()"]
FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("output") / "cup.db", an_event("pente"))


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "words", [["standings"], ["export"], ["export", "--format", "sgf"], ["games", "--json"], ["verify"]]
)
def test_output_that_finds_no_room_is_told_in_a_sentence(database: Path, words: list[str]) -> None:
    with FULL.open("wb") as full:
        ended = subprocess.run(
            [*ARENA, *words, str(database)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.stderr == "arena: standard output cannot be written: No space left on device\n"
    assert ended.returncode == 2


@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [
        (">&-", ["standings"], 0),
        (">&-", ["export", "--format", "sgf"], 0),
        ("2>&-", ["games", "no.db"], 2),
        ("<&-", ["rules"], 0),
        ("<&- >&- 2>&-", ["export"], 0),
    ],
)
def test_closed_streams_are_as_if_they_led_to_nothing(
    database: Path, closed: str, words: list[str], code: int
) -> None:
    words = words if words[-1] in ("no.db", "rules") else [*words, str(database)]
    ended = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *ARENA, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode == code
