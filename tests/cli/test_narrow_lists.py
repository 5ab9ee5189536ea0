"""Long lists on a terminal: as many columns as have room, and the others named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli import printing
from arena.cli.printing import print_rows

if TYPE_CHECKING:
    import pytest

    Capture = pytest.CaptureFixture[str]
    Patch = pytest.MonkeyPatch

HEADERS = ("game", "black", "white", "time, s")
ROWS = [("1-2.1a", "a long name", "another name", "0.001")] * 3


def printed(capsys: Capture, monkeypatch: Patch, cells: int | None) -> list[str]:
    monkeypatch.setattr(printing, "terminal_cells", lambda: cells)
    print_rows(HEADERS, ROWS)
    return capsys.readouterr().out.splitlines()


def test_a_pipe_gets_everything(capsys: Capture, monkeypatch: Patch) -> None:
    whole = printed(capsys, monkeypatch, None)
    assert len(whole) == 5
    assert whole[0].split() == ["game", "black", "white", "time,", "s"]
    assert printed(capsys, monkeypatch, len(max(whole, key=len))) == whole


def test_what_has_no_room_is_named(capsys: Capture, monkeypatch: Patch) -> None:
    lines = printed(capsys, monkeypatch, 25)
    assert lines[0] == "game    black"
    assert all(len(line) <= 25 for line in lines[:-1])
    assert lines[-1] == "(a wider terminal, or a pipe, has also: white; time, s)"


def test_two_columns_are_always_there(capsys: Capture, monkeypatch: Patch) -> None:
    assert printed(capsys, monkeypatch, 1)[0] == "game    black"
