"""The gate before the pages: hosts, tokens, writing, and the headers of every answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from starlette.responses import PlainTextResponse

from arena.web import guard
from arena.web.guard import Door, Guard, static
from tests.web.asgi import get, post

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

TOKEN = "a-token-of-more-than-20-characters"  # noqa: S105


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("inside")(scope, receive, send)


OPEN = Guard(inside, Door())


def locked() -> tuple[Guard, Door]:
    door = Door(TOKEN, frozenset({"arena.example"}))
    return Guard(inside, door), door


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8421", "127.0.0.1:8421", "[::1]:8421", "127.1.2.3"])
def test_on_loopback_this_machine_is_answered(host: str) -> None:
    assert get(OPEN, host=host).body == b"inside"


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.7:8421",
        "[::1",
        "localhost:123456",
        "localhost@evil.example",
        "a b",
        "localhost\t",
        "2130706433x",
        "\u00e9",
    ],
)
def test_a_page_under_another_name_gets_nothing(host: str) -> None:
    answer = get(OPEN, host=host)
    assert answer.status == 421
    assert b"inside" not in answer.body


def test_two_host_headers_are_refused() -> None:
    assert get(OPEN, headers={"Host": "localhost"}).status == 200
    scope_like = {"host": "localhost"}
    assert get(OPEN, headers=scope_like).status == 200


def test_beyond_loopback_addresses_and_given_names_are_known() -> None:
    app, door = locked()
    cookie = {"cookie": f"arena-session={door.session}"}
    for host in ("192.168.1.7:8421", "[2001:db8::1]:8421", "arena.example", "ARENA.example."):
        assert get(app, host=host, headers=cookie).status == 200
    assert get(app, host="other.example", headers=cookie).status == 421


def test_without_the_token_only_the_door_is_seen() -> None:
    app, _ = locked()
    assert b"Token" in get(app).body
    for path in ("/events", "/game/1-2.1a", "/act", "/anything"):
        answer = get(app, path)
        assert answer.status == 401
        assert b"inside" not in answer.body


@pytest.mark.parametrize(
    "cookie", ["", "arena-session=", "arena-session=x", f"arena-session={TOKEN}", "\x00;=;", "arena-session"]
)
def test_a_wrong_cookie_is_no_key_and_the_token_itself_is_none(cookie: str) -> None:
    app, _ = locked()
    assert get(app, "/events", headers={"cookie": cookie}).status == 401


def test_the_token_gives_a_cookie_that_no_script_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_WRONG_TOKEN_PAUSE_S", 0)
    app, door = locked()
    answer = post(app, "/enter", json.dumps({"token": TOKEN}).encode())
    assert answer.status == 204
    cookie = answer.headers["set-cookie"]
    assert door.session in cookie
    assert TOKEN not in str(answer.headers)
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    for wrong in (b"{}", b'{"token": "x"}', b'{"token": 7}', b"[]", b"not json", b"[" * 4000):
        answer = post(app, "/enter", wrong)
        assert answer.status == 403
        assert "set-cookie" not in answer.headers


def test_the_address_that_is_told_carries_the_token_where_no_server_sees_it() -> None:
    assert locked()[1].fragment == f"#{TOKEN}"
    assert Door().fragment == ""


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_length": ""}, 411),
        ({"content_length": "+5"}, 411),
        ({"content_length": "\u0661"}, 411),
        ({"transfer_encoding": "chunked"}, 411),
        ({"content_length": "4097"}, 413),
        ({"content_length": "9" * 5000}, 413),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"origin": "http://localhost:80", "sec_fetch_site": "same-origin"}, 200),
    ],
)
def test_what_may_be_posted(headers: dict[str, str], status: int) -> None:
    headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    assert post(OPEN, "/act", b"{}", **headers).status == status


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_methods_are_refused(method: str) -> None:
    import asyncio

    from tests.web.asgi import asked

    assert asyncio.run(asked(OPEN, method)).status == 405


def test_every_answer_forbids_what_a_page_here_never_needs() -> None:
    app, _ = locked()
    for answer in (get(OPEN), get(OPEN, host="evil.example"), get(app), get(app, "/x")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    "name", ["../guard.py", "..", "", "watch.html", "/etc/passwd", "style.css/..", "STYLE.CSS", "style.css\0"]
)
def test_there_is_no_way_out_of_the_static_files(name: str) -> None:
    assert static(name).status_code == 404


@pytest.mark.parametrize("name", ["style.css", "watch.js", "play.js", "board.js", "clocks.js", "icon.svg"])
def test_the_static_files_are_there(name: str) -> None:
    answer = static(name)
    assert answer.status_code == 200
    assert len(answer.body) > 100
