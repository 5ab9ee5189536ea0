"""Requests to an ASGI application without a server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes


async def asked(
    app: ASGIApp,
    method: str = "GET",
    path: str = "/",
    *,
    host: str = "localhost:80",
    body: bytes = b"",
    query: bytes = b"",
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send one request and return the whole answer."""
    given = {"host": host, **(headers or {})}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    parts: list[MutableMapping[str, Any]] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        parts.append(message)

    await app(scope, receive, send)
    start, *rest = parts
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], told, b"".join(part.get("body", b"") for part in rest))


def get(app: ASGIApp, path: str = "/", **more: Any) -> Answer:
    """Ask and return the answer, outside of any event loop."""
    return asyncio.run(asked(app, "GET", path, **more))


def post(app: ASGIApp, path: str, body: bytes, **headers: str) -> Answer:
    """Post JSON and return the answer."""
    told = {"content-type": "application/json", "content-length": str(len(body))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    return asyncio.run(asked(app, "POST", path, body=body, headers=told))
