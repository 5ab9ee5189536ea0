"""How engines that were handed in travel: a folder as one archive, known by the digest of its content.

A worker asks for what it does not have yet, takes the archive in pieces, and believes nothing of it: the
unpacked files must give the digest by which the bundle is known (`arena.submissions.bundle`). A build
command of its author's is run there again, in the sandbox, so that the program fits the worker's machine.
"""

from __future__ import annotations

import io
import shutil
import tarfile
import threading
from typing import TYPE_CHECKING

from arena.submissions.bundle import BundleError, manifest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PIECE_BYTES = 8 * 2**20

BUILD_S = 300.0
"""Time for a build."""


def pieces(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the archive of a bundle's folder, piece by piece, each with its place."""
    whole = io.BytesIO()
    manifest = manifest_of(folder)
    with tarfile.open(fileobj=whole, mode="w:gz", compresslevel=1) as archive:
        for file in manifest.files:
            info = tarfile.TarInfo(file.path)
            info.size = file.size_bytes
            info.mode = 0o755 if file.is_executable else 0o644
            with (folder / file.path).open("rb") as opened:
                archive.addfile(info, opened)
    content = whole.getbuffer()
    for offset in range(0, len(content), PIECE_BYTES):
        yield offset, bytes(content[offset : offset + PIECE_BYTES])


class Shelf:
    """The bundles that a worker has."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def folder(self, digest: str) -> Path:
        """Return where a bundle is, or would be."""
        return self._folder / digest

    def has(self, digest: str) -> bool:
        """Say whether a bundle is here, checked."""
        return self.folder(digest).is_dir()

    def take(self, digest: str, offset: int, piece: bytes) -> None:
        """Write a piece of an archive at its place."""
        with self._lock:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._archive(digest).open("r+b" if offset else "wb") as file:
                file.seek(offset)
                file.write(piece)

    def unpack(self, digest: str, build: Sequence[str]) -> str:
        """Unpack an archive, check it, build it; return an empty text, or what is wrong with it."""
        from arena.conformance.building import BuildError
        from arena.conformance.building import build as build_in_sandbox

        with self._lock:
            if self.has(digest):
                return ""
            fresh = self._folder / f".new-{digest}"
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(parents=True)
            self._folder.chmod(0o755)
            try:
                with tarfile.open(self._archive(digest), "r:gz") as archive:
                    archive.extractall(fresh, filter="data")
                _open_up(fresh)
                found = manifest_of(fresh).sha256
                if found != digest:
                    return f"got another bundle than it asked for ({found[:12]}… for {digest[:12]}…)"
                if build:
                    built = build_in_sandbox(fresh, build, BUILD_S, "require")
                    if not built.is_good:
                        last = built.output.splitlines()[-1:] or [""]
                        return f"cannot build bundle {digest[:12]}…: {built.words} {last[0]}".rstrip()
                fresh.rename(self.folder(digest))
            except (OSError, tarfile.TarError, BundleError, BuildError) as error:
                return f"cannot unpack bundle {digest[:12]}…: {error}"
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
                self._archive(digest).unlink(missing_ok=True)
        return ""

    def _archive(self, digest: str) -> Path:
        return self._folder / f"{digest}.tar.gz"


def _open_up(folder: Path) -> None:
    """Let everybody read: engines of others run as other users."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
