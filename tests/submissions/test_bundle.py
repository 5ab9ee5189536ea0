"""Bundles: known by their content alone, and free of what no bundle may hold."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from arena.submissions import bundle
from arena.submissions.bundle import BundleError, copy_bundle, manifest_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bot"
    (place / "data").mkdir(parents=True)
    (place / "run").write_bytes(b"#!/bin/sh\n")
    (place / "run").chmod(0o700)
    (place / "data" / "book.txt").write_bytes(b"K10\n")
    return place


def test_the_digest_can_be_made_again_by_hand(folder: Path) -> None:
    book, run = (hashlib.sha256(data).hexdigest() for data in (b"K10\n", b"#!/bin/sh\n"))
    lines = f"{book} - data/book.txt\n{run} x run\n"
    assert manifest_of(folder).text == lines
    assert manifest_of(folder).sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert manifest_of(folder).size_bytes == 14


def test_names_bits_and_content_count_and_nothing_else(folder: Path) -> None:
    first = manifest_of(folder).sha256
    os.utime(folder / "run", (1, 1))
    (folder / "empty").mkdir()
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").symlink_to("/etc/passwd")
    assert manifest_of(folder).sha256 == first
    (folder / "run").chmod(0o600)
    other = manifest_of(folder).sha256
    (folder / "data" / "book.txt").write_bytes(b"K11\n")
    assert len({first, other, manifest_of(folder).sha256}) == 3


def test_a_copy_has_the_same_digest_and_can_be_read_by_everybody(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "deep" / "copy"
    assert copy_bundle(folder, copy) == manifest_of(folder)
    assert (copy / "run").stat().st_mode & 0o777 == 0o755
    assert (copy / "data" / "book.txt").stat().st_mode & 0o777 == 0o644
    assert (copy / "data").stat().st_mode & 0o777 == 0o755


def test_links_devices_and_odd_names_are_refused_and_named(folder: Path, tmp_path: Path) -> None:
    (folder / "data" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BundleError, match="data/link is a link"):
        manifest_of(folder)
    with pytest.raises(BundleError, match="data/link is a link"):
        copy_bundle(folder, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    (folder / "data" / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BundleError, match="pipe is neither a file nor a folder"):
        manifest_of(folder)
    (folder / "pipe").unlink()
    (folder / "a\nb").write_bytes(b"")
    with pytest.raises(BundleError, match="no name that every system can write"):
        manifest_of(folder)


def test_a_linked_folder_is_not_followed(folder: Path) -> None:
    (folder / "etc").symlink_to("/etc")
    with pytest.raises(BundleError, match="etc is a link"):
        manifest_of(folder)


def test_too_much_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_FILES", 1)
    with pytest.raises(BundleError, match="more than 1 files"):
        manifest_of(folder)
    monkeypatch.setattr(bundle, "MAX_FILES", 10)
    monkeypatch.setattr(bundle, "MAX_BYTES", 12)
    with pytest.raises(BundleError, match="more than 0 GB, with book"):
        manifest_of(folder)
