"""A page's real server, run beside the test."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.web.serving import address_of, listening_socket, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from arena.web.feed import Feed


@contextmanager
def served(app: ASGIApp, feed: Feed) -> Iterator[str]:
    """Serve an application on a free port; gives its address."""
    listener = listening_socket("127.0.0.1", 0)
    server = server_of(app, feed)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield address_of(listener, "127.0.0.1")
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
    assert not thread.is_alive()
