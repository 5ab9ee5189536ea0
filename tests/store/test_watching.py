"""The meeting place of a run and those who watch it."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from typing import TYPE_CHECKING

import pytest

from arena.store import watching
from arena.store.watching import Announcer, Listener, WatchingError, meeting_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # A socket's path has at most 107 bytes: pytest's own folders are too deep for it.
    with tempfile.TemporaryDirectory(prefix="arena-test-") as folder:
        monkeypatch.setattr(watching, "_TEMPORARY", folder)
        yield folder


@pytest.fixture
def announcer(tmp_path: Path) -> Iterator[Announcer]:
    made = Announcer(tmp_path / "cup.db")
    yield made
    made.close()


def test_a_run_finds_who_listens_by_the_database_alone(tmp_path: Path, announcer: Announcer) -> None:
    (tmp_path / "cup.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "cup.db")
    assert not announcer.look()
    with Listener(tmp_path / "link.db") as one, Listener(tmp_path / "cup.db") as other:
        assert announcer.look()
        assert announcer.send(b"a view")
        assert one.receive() == other.receive() == b"a view"
        assert one.receive() is None
    assert not announcer.look()


def test_watchers_of_another_database_hear_nothing(tmp_path: Path, announcer: Announcer) -> None:
    with Listener(tmp_path / "other.db"):
        assert not announcer.look()


def test_a_full_socket_drops_and_never_waits(tmp_path: Path, announcer: Announcer) -> None:
    with Listener(tmp_path / "cup.db") as listener:
        announcer.look()
        sent = 0
        while announcer.send(b"x" * 1000):
            sent += 1
            assert sent < 1_000_000
        assert not announcer.send(b"y")
        while listener.receive():
            pass
        assert announcer.send(b"y")


def test_a_watcher_that_died_costs_nothing_and_is_cleared_by_the_next(
    tmp_path: Path, announcer: Announcer
) -> None:
    with Listener(tmp_path / "cup.db") as listener:
        left = listener.path.with_name("left-by-a-dead-one")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
            dead.bind(str(left))
        announcer.look()
        assert announcer.send(b"a view")
        with Listener(tmp_path / "cup.db"):
            assert not left.exists()


def test_the_folders_are_the_users_own(tmp_path: Path) -> None:
    with Listener(tmp_path / "cup.db") as listener:
        for folder in (listener.path.parent, listener.path.parent.parent):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.stat().st_uid == os.getuid()


def test_a_folder_open_to_others_is_not_used(tmp_path: Path, announcer: Announcer) -> None:
    folder = meeting_folder(tmp_path / "cup.db")
    folder.mkdir(parents=True)
    folder.parent.chmod(0o777)
    (folder / "bait").touch()
    with pytest.raises(WatchingError, match="own folder"):
        Listener(tmp_path / "cup.db")
    assert not announcer.look()


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with Listener(tmp_path / "cup.db") as listener:
        path = listener.path
    assert not path.exists()
    assert not path.parent.exists()
