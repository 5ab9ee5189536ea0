"""Cores are kept awake where that is wanted and allowed, and only as long as games are played."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from arena.live.wakefulness import AWAKE_VARIABLE, cores_kept_awake, wants_awake


@pytest.mark.parametrize(
    ("busy", "cores", "wish", "awake"),
    [
        (1, 2, None, True),
        (1, 4, None, False),
        (2, 4, None, True),
        (2, 5, None, True),
        (1, 5, None, False),
        (500, 4, None, True),
        (1, 64, "yes", True),
        (64, 64, "no", False),
        (64, 64, "perhaps", True),
    ],
)
def test_cores_are_kept_awake_that_are_busy_anyway_or_as_told(
    busy: int, cores: int, wish: str | None, awake: bool
) -> None:
    assert wants_awake(busy, cores, wish) is awake


def test_the_device_is_held_open_with_a_request_for_no_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AWAKE_VARIABLE, "yes")
    device = tmp_path / "latency"
    device.touch()
    with cores_kept_awake(1, device):
        assert device.read_bytes() == struct.pack("=i", 0)
        assert _open_files().count(str(device)) == 1
    assert str(device) not in _open_files()


def test_where_the_device_is_not_ours_games_are_played_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AWAKE_VARIABLE, "yes")
    with cores_kept_awake(1, tmp_path / "nothing"):
        assert str(tmp_path / "nothing") not in _open_files()
    with cores_kept_awake(1, tmp_path):
        assert str(tmp_path) not in _open_files()


def test_nothing_is_asked_for_where_it_is_not_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AWAKE_VARIABLE, "no")
    device = tmp_path / "latency"
    device.touch()
    with cores_kept_awake(1000, device):
        assert device.read_bytes() == b""


def _open_files() -> list[str]:
    links = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except FileNotFoundError:
            # The descriptor by which the folder itself is read.
            continue
    return links
