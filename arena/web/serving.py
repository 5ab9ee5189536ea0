"""The web server: uvicorn over one socket, with patience and room that end somewhere.

uvicorn waits for ever for a request that never gets complete. Here a connection has a few seconds for each
one, and there is a bound on connections. Nothing is logged: a log of requests would be the one place where
what a browser says of itself outlives the page.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.guard import MOST_HEAD_BYTES

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp

    from arena.web.feed import Feed

MOST_CONNECTIONS = 300
"""Open connections; room for every stream (`arena.web.feed`) and for the requests beside them."""

REQUEST_LIMIT_S = 10.0
"""From the opening of a connection, or the first byte of a further request, to the request's last byte."""

_QUIET_END_S = 1

DEFAULT_PORT = 8421


class ServingError(Exception):
    """The server cannot listen; the message is a sentence for the user."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 on one connection, ended when a request does not get complete in time."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time for a request ends with its last byte."""
        if self._limit is None and self.conn.their_state is h11.IDLE:
            self._begin()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._finish()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._finish()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._limit = self.loop.call_later(REQUEST_LIMIT_S, self._give_up)

    def _finish(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _give_up(self) -> None:
        self.transport.abort()


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address; `localhost` counts as one."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listening_socket(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: address or name.
        port: 0 for any; None for the usual one, or any if it is taken.

    Raises:
        ServingError: the address is not this machine's, or the port is taken.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no host name"
        raise ServingError(f"--host {host:.100}: {why}") from error
    for choice in (DEFAULT_PORT, 0) if port is None else (port,):
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address[0], choice, *address[2:]))
            listener.listen(128)
        except OSError as error:
            listener.close()
            refusal = f"{host}:{choice} cannot be listened on: {error.strerror or error}"
            continue
        return listener
    raise ServingError(f"{refusal} (--port 0 takes a free one)")


def address_of(listener: socket.socket, host: str) -> str:
    """Return the URL under which a listening socket is reached, without the slash at the end."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


class _Server(uvicorn.Server):
    """A server that ends its streams before it waits for the connections to be closed."""

    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self._feed = feed

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.close()
        await super().shutdown(sockets)


def server_of(app: ASGIApp, feed: Feed) -> uvicorn.Server:
    """Return a server; `run(sockets=[…])` serves until a signal comes, or `should_exit` is set.

    Args:
        app: what is served.
        feed: what its streams carry.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    settings: dict[str, Any] = {
        "http": PatientProtocol,
        "ws": "none",
        "loop": "asyncio",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "proxy_headers": False,
        "server_header": False,
        "timeout_graceful_shutdown": _QUIET_END_S,
        "h11_max_incomplete_event_size": MOST_HEAD_BYTES,
    }
    return _Server(uvicorn.Config(app, **settings), feed)
