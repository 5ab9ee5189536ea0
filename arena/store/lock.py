"""One writer a database, by a lock of the operating system: it is gone when its process is, however killed.

The lock is `flock` on a file beside the database, not on the database itself: SQLite's own POSIX locks on
it would be dropped whenever another descriptor of the file is closed in the same process (fcntl(2)).
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arena.store.errors import DatabaseInUseError, UnwritableError

if TYPE_CHECKING:
    from pathlib import Path

COMMAND_CHARACTERS = 200
"""The holder's command line is cut to this, for one line in a message."""


class WriterLock:
    """Held from construction to `release`.

    Raises:
        DatabaseInUseError: another process holds it; the message names process and command.
        UnwritableError: the folder does not take the lock's file.
    """

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.lock")
        try:
            self._descriptor = self._locked(database)
        except OSError as error:
            reason = f"its folder takes no file {self._path.name} ({error.strerror})"
            raise UnwritableError(f"{database} cannot be written: {reason}") from error
        command = " ".join(sys.orig_argv)[:COMMAND_CHARACTERS]
        holder = {
            "pid": os.getpid(),
            "command": command,
            "since": datetime.now(UTC).isoformat("T", "seconds"),
        }
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps(holder).encode(), 0)
        except OSError as error:
            self.release()
            raise UnwritableError(f"{database} cannot be written: {error.strerror}") from error

    def _locked(self, database: Path) -> int:
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = _holder(descriptor)
                os.close(descriptor)
                raise DatabaseInUseError(f"{database} is in use by {holder}") from None
            except BaseException:
                os.close(descriptor)
                raise
            # The last holder may have removed the file between `open` and `flock`: then another process can
            # lock a new file of that name, and this one guards nothing.
            try:
                if os.path.samestat(os.fstat(descriptor), self._path.stat()):
                    return descriptor
            except FileNotFoundError:
                pass
            os.close(descriptor)

    def release(self) -> None:
        """Give the lock up and remove its file; does nothing the second time."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def is_held(database: Path) -> bool:
    """Say whether a process that writes the database is alive, without taking the lock.

    Trying the lock would make a run that starts at that moment believe it is taken.
    """
    try:
        holder = json.loads(database.with_name(f"{database.name}.lock").read_bytes()[:4096])
        os.kill(int(holder["pid"]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        command = "".join(c if c.isprintable() else "?" for c in str(holder["command"]))
        return f"process {int(holder['pid'])} ({command}), since {holder['since']}"
    except (ValueError, KeyError, TypeError):
        # The holder has the lock but has not written its name yet.
        return "another process"
