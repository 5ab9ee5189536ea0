"""Where those who watch a run listen: local datagram sockets in a private folder, one folder a database.

The folder follows from the database's path and the user alone, so that run and watchers find each other
without a word: `TEMPORARY/gtparena-UID/FIRST 16 HEX DIGITS OF SHA-256(REAL PATH)/`. It is the watchers who
make it; while nobody watches it does not exist, and looking for it costs a run one system call.

Sending never waits: a datagram that a full or dead socket does not take is dropped. The folders are the
user's own (mode 0700) and are refused when they are not: on a machine with several users nobody else reads
the moves or plants false ones. A program of the same user could do both; what is received is checked, and
only shown.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

MOST_WATCHERS = 8
"""Sockets that a run sends to; more are not looked at."""

RECEIVED_BYTES = 65_536
"""One datagram at most; longer ones are cut, and then refused by whoever reads them."""

_TEMPORARY = "/tmp"  # noqa: S108  checked for owner and mode; a variable would lead run and watcher apart


class WatchingError(Exception):
    """A watcher cannot listen; the message says why."""


def meeting_folder(database: Path) -> Path:
    """Return the folder in which watchers of a database listen, whether or not it exists."""
    digest = hashlib.sha256(os.fsencode(Path(database).resolve())).hexdigest()
    return Path(_TEMPORARY) / f"gtparena-{os.getuid()}" / digest[:16]


class Listener:
    """One watcher's end. Close it, or use `with`.

    Raises:
        WatchingError: the folder is somebody else's, or cannot be made.
    """

    def __init__(self, database: Path) -> None:
        folder = meeting_folder(database)
        for place in (folder.parent, folder):
            _make(place)
            if not _is_private(place):
                raise WatchingError(f"{place} is not this user's own folder: live moves cannot be received")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self.path = folder / secrets.token_hex(8)
        try:
            _clear(folder)
            self._socket.bind(str(self.path))
        except OSError as error:
            self._socket.close()
            raise WatchingError(f"{self.path} cannot be made: {error.strerror or error}") from error

    def fileno(self) -> int:
        """Return the descriptor, to wait on."""
        return self._socket.fileno()

    def receive(self) -> bytes | None:
        """Return the next datagram, None when there is none now."""
        try:
            return self._socket.recv(RECEIVED_BYTES)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Stop listening and leave nothing behind."""
        self._socket.close()
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self.path.parent.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Announcer:
    """A run's end: finds whoever listens and sends without ever waiting."""

    def __init__(self, database: Path) -> None:
        self._folder = meeting_folder(database)
        self._listeners: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def look(self) -> bool:
        """Look again for listeners; say whether there are any."""
        self._listeners = []
        try:
            with os.scandir(self._folder) as found:
                names = sorted(entry.path for entry in found)
        except OSError:
            return False
        if names and _is_private(self._folder.parent) and _is_private(self._folder):
            self._listeners = names[:MOST_WATCHERS]
        return bool(self._listeners)

    def send(self, data: bytes) -> bool:
        """Send a datagram to every listener; False when one of them dropped it for want of room."""
        all_taken = True
        for path in self._listeners:
            try:
                self._socket.sendto(data, path)
            except OSError as error:
                # Whoever is gone misses nothing; whoever is slow may get the next one.
                all_taken = all_taken and error.errno not in (errno.EAGAIN, errno.ENOBUFS)
        return all_taken

    def close(self) -> None:
        """Give the socket back."""
        self._socket.close()


def _make(place: Path) -> None:
    try:
        place.mkdir(mode=0o700)
    except FileExistsError:
        return
    except OSError as error:
        raise WatchingError(f"{place} cannot be made: {error.strerror or error}") from error


def _is_private(place: Path) -> bool:
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _clear(folder: Path) -> None:
    """Remove the sockets of watchers that died: nobody is bound to them any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        for path in folder.iterdir():
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue
