"""A folder as a bundle: which files belong to it, one SHA-256 for all of them, and a copy that is checked.

The digest is that of a manifest, one line a file, sorted by path as UTF-8 bytes:

    SHA-256 of the file (hex) BLANK x or - (executable or not) BLANK path with / between its parts LF

so it can be made again anywhere with standard tools, and depends on nothing but names, executable bits and
content. Owners, times and empty folders play no part.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_FILES = 20_000
"""Most files of a bundle: far beyond any engine with its weights, and short enough to be looked through."""

MAX_BYTES = 4 * 2**30
"""Largest bundle."""

MAX_PATH_BYTES = 1000

LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
"""Folders that are no part of an engine wherever they stand; some of them tools write by themselves."""

_BLOCK_BYTES = 2**20


class BundleError(Exception):
    """A folder that cannot be a bundle; the message names the file and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file: its path inside, whether it is executable, its SHA-256 (hex), its size."""

    path: str
    is_executable: bool
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """All files of a bundle, sorted by path."""

    files: tuple[BundleFile, ...]

    @property
    def text(self) -> str:
        """The lines that the digest is made of."""
        marks = {True: "x", False: "-"}
        return "".join(f"{file.sha256} {marks[file.is_executable]} {file.path}\n" for file in self.files)

    @property
    def sha256(self) -> str:
        """The digest of the bundle, hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def size_bytes(self) -> int:
        """The size of all files together."""
        return sum(file.size_bytes for file in self.files)


def manifest_of(folder: Path) -> Manifest:
    """Look through a folder.

    Raises:
        BundleError: it holds what no bundle may (links, devices, odd names), too much, or cannot be read.
    """
    files: list[BundleFile] = []
    size_bytes = 0
    for path in _files_in(folder):
        inside = path.relative_to(folder).as_posix()
        if len(files) == MAX_FILES:
            raise BundleError(f"more than {MAX_FILES} files")
        try:
            sha256, read_bytes = _hashed(path, MAX_BYTES - size_bytes)
            is_executable = bool(path.stat().st_mode & stat.S_IXUSR)
        except OSError as error:
            raise BundleError(f"{inside} cannot be read: {error.strerror or error}") from error
        size_bytes += read_bytes
        files.append(BundleFile(inside, is_executable, sha256, read_bytes))
    return Manifest(tuple(sorted(files, key=lambda file: file.path.encode())))


def copy_bundle(folder: Path, target: Path, *, without: Collection[str] = ()) -> Manifest:
    """Copy a folder's files to a folder that does not exist yet; return what the copy holds.

    Everybody may read the copy: engines of others run as other users.

    Args:
        folder: what is copied.
        target: the new folder.
        without: files and folders that are no part of it: paths inside `folder`, with / between their parts.

    Raises:
        BundleError: as `manifest_of`; the target is removed then.
    """
    try:
        target.mkdir(parents=True)
        _open_up(target)
        for path in _files_in(folder, without):
            copied = target / path.relative_to(folder)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copied, follow_symlinks=False)
            copied.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
        for below in target.rglob("*"):
            if below.is_dir():
                _open_up(below)
        return manifest_of(target)
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        name = error.filename or folder
        raise BundleError(f"{name} cannot be copied: {error.strerror or error}") from error
    except BundleError:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _files_in(folder: Path, without: Collection[str] = ()) -> list[Path]:
    """Return the files of a bundle, looked for without following any link."""
    found: list[Path] = []

    def refuse(error: OSError) -> None:
        raise BundleError(f"{error.filename} cannot be read: {error.strerror or error}") from error

    for place, folders, names in os.walk(folder, onerror=refuse):
        base = Path(place).relative_to(folder)
        folders[:] = sorted(
            name for name in folders if name not in LEFT_OUT and (base / name).as_posix() not in without
        )
        for name in sorted([*names, *folders]):
            path = Path(place, name)
            inside = path.relative_to(folder).as_posix()
            if inside in without:
                continue
            if not inside.isprintable() or len(inside.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES:
                raise BundleError(f"{inside[:80]!r} is no name that every system can write")
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                raise BundleError(f"{inside} is a link: a bundle holds the file itself")
            if stat.S_ISREG(mode):
                found.append(path)
            elif not stat.S_ISDIR(mode):
                raise BundleError(f"{inside} is neither a file nor a folder")
        if len(found) > MAX_FILES:
            raise BundleError(f"more than {MAX_FILES} files")
    return found


def _hashed(path: Path, most_bytes: int) -> tuple[str, int]:
    digest = hashlib.sha256()
    size_bytes = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            size_bytes += len(block)
            if size_bytes > most_bytes:
                raise BundleError(f"more than {MAX_BYTES // 2**30} GB, with {path.name}")
            digest.update(block)
    return digest.hexdigest(), size_bytes


def _open_up(folder: Path) -> None:
    folder.chmod(0o755)
