"""Who may ask what: the gate before every page, and the headers behind it.

- Host. Only an address or a name of this server is answered. A page of somewhere else whose own name was
  made to point here (DNS rebinding) speaks under that name, and gets nothing.
- Token. Beyond loopback nothing but the door is shown without it. It is entered once by a POST (the page
  takes it from the address's fragment, which browsers send to nobody) and becomes a cookie of another value;
  so it stands in no URL that is asked for, in no log and in no Referer. Compared in constant time.
- Writing. A POST must be JSON, short, with its length told, and of this very origin.
- What is answered may load nothing from elsewhere, run no script but ours, and be framed by nobody.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, RedirectResponse, Response

from arena.web.assets import asset, page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHORTEST_TOKEN = 20
"""Characters; a token that this program makes has 43."""

MOST_HEAD_BYTES = 16 * 1024
"""Request line and headers together."""

MOST_POSTED_BYTES = 4096
"""A move, a token: nothing that is posted is longer."""

_WRONG_TOKEN_PAUSE_S = 1.0

_HEADERS = (
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            b"require-trusted-types-for 'script'; trusted-types 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cache-control", b"no-store"),
)

_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Door:
    """What lets a request in.

    Attributes:
        token: what must be entered first; None on loopback.
        names: host names that are this server's, beside addresses and `localhost`; lower case.
        session: what the cookie of those who entered holds.
    """

    token: str | None = None
    names: frozenset[str] = frozenset()
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def knows(self, host: str) -> bool:
        """Say whether a Host header names this server."""
        found = _HOST.fullmatch(host.lower())
        if found is None:
            return False
        name = found[1].strip("[]").removesuffix(".")
        if name == "localhost" or name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # An address cannot be rebound. Without a token only this machine is to be served at all.
        return self.token is not None or address.is_loopback

    @property
    def fragment(self) -> str:
        """What ends the address that is told to the one who may enter; a fragment is sent to no server."""
        return "" if self.token is None else f"#{self.token}"

    def admits(self, cookies: str) -> bool:
        """Say whether the Cookie header is that of somebody who has entered."""
        if self.token is None:
            return True
        try:
            parsed = SimpleCookie(cookies)
        except CookieError:
            return False
        given = parsed[_COOKIE].value if _COOKIE in parsed else ""
        return _is_same(given, self.session)

    def opens_to(self, token: object) -> bool:
        """Say whether this is the token."""
        return self.token is not None and isinstance(token, str) and _is_same(token, self.token)


_COOKIE = "arena-session"


class Guard:
    """The gate: an ASGI application around another one."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        answer: ASGIApp | None = self._refusal(scope)
        if answer is None and scope["path"] == "/enter":
            answer = await self._entry(scope, receive)
        await (answer or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer that ends here, None for a request that may pass."""
        if _head_bytes(scope) > MOST_HEAD_BYTES:
            # The server stops reading one that is still incomplete there; what comes at once is complete.
            return PlainTextResponse(f"at most {MOST_HEAD_BYTES} bytes of headers were expected\n", 400)
        headers = _headers(scope)
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = headers.get("host", "")
        if len(hosts) != 1 or not self._door.knows(host):
            return PlainTextResponse("this server goes by another name (Host header)\n", 421)
        method = scope["method"]
        if method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("no such method here\n", 405)
        if method == "POST":
            return self._post_refusal(headers, host) or self._stranger(scope, headers)
        return self._stranger(scope, headers)

    def _post_refusal(self, headers: Mapping[str, str], host: str) -> Response | None:
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return PlainTextResponse("JSON was expected\n", 415)
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or "transfer-encoding" in headers:
            return PlainTextResponse("Content-Length was expected\n", 411)
        if len(length) > len(str(MOST_POSTED_BYTES)) or int(length) > MOST_POSTED_BYTES:
            return PlainTextResponse(f"at most {MOST_POSTED_BYTES} bytes were expected\n", 413)
        origin = headers.get("origin")
        is_strange = origin is not None and origin.lower().partition("://")[2] != host.lower()
        if is_strange or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("this is not for other sites' pages\n", 403)
        return None

    def _stranger(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Return what somebody who has not entered is shown, None for everybody else."""
        path: str = scope["path"]
        if self._door.admits(headers.get("cookie", "")) or path == "/enter":
            return None
        if scope["method"] == "GET" and path.startswith("/static/"):
            return None
        if scope["method"] == "GET" and path == "/":
            return page("enter.html")
        return PlainTextResponse("enter first, at /\n", 401)

    async def _entry(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] != "POST":
            return RedirectResponse("/", 303)
        given = await posted(receive)
        if not self._door.opens_to(given.get("token")):
            await asyncio.sleep(_WRONG_TOKEN_PAUSE_S)
            return PlainTextResponse("this is not the token\n", 403)
        answer = Response(status_code=204)
        answer.set_cookie(_COOKIE, self._door.session, httponly=True, samesite="strict", path="/")
        return answer


async def posted(receive: Receive) -> dict[str, object]:
    """Return the JSON object that a request brings, an empty one for anything else."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return {}
        body += message.get("body", b"")
        if len(body) > MOST_POSTED_BYTES:
            return {}
        if not message.get("more_body", False):
            break
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def static(path: str) -> Response:
    """Return one of our own files by its name; there is no folder behind it that a path could leave."""
    found = asset(path)
    if found is None:
        return PlainTextResponse("there is nothing of this name\n", 404)
    content, media_type = found
    return Response(content, media_type=media_type)


def _head_bytes(scope: Scope) -> int:
    """Return how long request line and headers are, each in its shortest form."""
    target = len(scope["raw_path"]) + len(scope["query_string"]) + bool(scope["query_string"])
    line = len(scope["method"]) + target + len("  HTTP/1.1\r\n")
    return line + sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode())
