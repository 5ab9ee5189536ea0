"""A process of our own that is talked to over a socket: a worker, or a table.

It is in a session of its own, so that a terminal's interrupt reaches the command alone, and it ends by itself
when the other end of its socket closes, however that comes about.
"""

from __future__ import annotations

import socket
import subprocess
import sys


def start_module(name: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start `python -m NAME DESCRIPTOR`; return the process and our end of the socket, which blocks."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", name, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    return process, ours
