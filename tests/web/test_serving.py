"""The real server against clients that mean no good."""

from __future__ import annotations

import socket
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from arena.store import ReadStore
from arena.web import feed, serving
from arena.web.guard import Door
from arena.web.results import ResultsReader
from arena.web.serving import ServingError, is_loopback, listening_socket
from arena.web.watch import Watch, application
from tests.cli.played import an_event, play
from tests.web.servers import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("served") / "cup.db", an_event())


@contextmanager
def watched(database: Path) -> Iterator[str]:
    with ReadStore(database) as store:
        event = store.event()
    watch = Watch(ResultsReader(database, event))
    with served(application(watch, Door()), watch.feed) as address:
        yield address


@pytest.fixture(scope="module")
def address(database: Path) -> Iterator[str]:
    with watched(database) as found:
        yield found


def connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=30)


def answer(address: str, request: bytes) -> bytes:
    """Send bytes and return everything that comes until the connection is closed."""
    with connected(address) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while data := connection.recv(65536):
                received += data
        except ConnectionResetError:
            pass
        return received


def request(path: str, *lines: str, method: str = "GET") -> bytes:
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", *lines]
    return "\r\n".join([*head, "", ""]).encode("latin-1")


def still_serves(address: str) -> None:
    assert answer(address, request("/")).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../guard.py",
        "/static/..%2f..%2fguard.py",
        "/static/%2e%2e/%2e%2e/serving.py",
        "/static//etc/passwd",
        "/static/style.css%00.js",
        "/game/../../etc/passwd",
        "/game/%3Cscript%3Ealert(1)%3C/script%3E",
        "/game/" + "x" * 200,
        "/%ff%fe",
        "//evil.example/",
        "/nothing",
    ],
)
def test_there_is_nothing_beyond_the_pages(address: str, path: str) -> None:
    found = answer(address, request(path))
    assert found.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"<script>alert" not in found
    assert b"import" not in found


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\x03" * 50,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n{}",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: \xff\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=range(14),
)
def test_malformed_and_oversized_requests_hurt_nobody(address: str, data: bytes) -> None:
    found = answer(address, data)
    assert not found.startswith(b"HTTP/1.1 500")
    still_serves(address)


@pytest.mark.parametrize(("head_bytes", "status"), [(16_000, b"200"), (17_000, b"400"), (60_000, b"400")])
@pytest.mark.parametrize("place", ["header", "headers", "target"])
def test_a_long_head_is_refused_however_it_arrives(
    address: str, head_bytes: int, status: bytes, place: str
) -> None:
    size = head_bytes - 100
    match place:
        case "header":
            data = request("/static/style.css", "X: " + "x" * size)
        case "headers":
            data = request("/static/style.css", *["X: xxxxx"] * (size // 10))
        case _:
            data = request("/static/style.css?" + "x" * size)
    assert answer(address, data).startswith(b"HTTP/1.1 " + status)
    still_serves(address)


def test_a_request_that_never_gets_complete_is_ended(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_LIMIT_S", 0.3)
    starts = (
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    )
    with watched(database) as address, ExitStack() as stack:
        lines = [stack.enter_context(connected(address)) for _ in starts]
        for line, start in zip(lines, starts, strict=True):
            line.sendall(start)
        for line in lines:
            try:
                while line.recv(65536):
                    pass
            except ConnectionResetError:
                pass
        still_serves(address)


def test_a_stream_outlives_the_limit_for_requests(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_LIMIT_S", 0.3)
    monkeypatch.setattr(feed, "_SIGN_OF_LIFE_S", 0.4)
    with watched(database) as address, connected(address) as line:
        line.sendall(request("/events"))
        received = b""
        while received.count(b": still here") < 3:
            data = line.recv(65536)
            assert data
            received += data


def test_connections_and_streams_without_end_leave_room(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 40)
    monkeypatch.setattr(feed, "MOST_STREAMS", 10)
    with watched(database) as address, ExitStack() as stack:
        answers = []
        for _ in range(30):
            line = stack.enter_context(connected(address))
            line.sendall(request("/events"))
            answers.append(line.recv(12))
        assert answers.count(b"HTTP/1.1 200") == 10
        assert answers.count(b"HTTP/1.1 503") == 20
        for _ in range(200):
            stack.enter_context(connected(address))
        stack.close()
        # The server notices one after the other that they are gone.
        patience = 1000
        while not answer(address, request("/")) and patience:
            patience -= 1
        still_serves(address)


def test_the_server_tells_no_more_of_itself_than_it_must(address: str) -> None:
    head, _, _ = answer(address, request("/")).partition(b"\r\n\r\n")
    assert b"uvicorn" not in head.lower()
    assert b"python" not in head.lower()


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ServingError, match=f"127.0.0.1:{port} cannot be listened on: Address already in use"
        ):
            listening_socket("127.0.0.1", port)
    with pytest.raises(ServingError, match=r"--host no\.such\.host\.invalid"):
        listening_socket("no.such.host.invalid", 0)


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104
        ("10.1.2.3", False),
        ("x", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone
