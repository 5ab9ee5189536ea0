"""What cannot work is refused before any game, in one sentence that says what to do, with exit code 2."""

from __future__ import annotations

import shutil
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena as arena_package
from arena.cluster.certificates import make_certificates
from arena.cluster.trial import Trial
from tests.cli.runs import arena, games_played
from tests.cluster.clusters import STEADY, options, run_there, steady_event, tended

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return steady_event(tmp_path)


@pytest.fixture
def lone() -> Iterator[Trial]:
    """A cluster without workers."""
    with tended(Trial(0)) as trial:
        yield trial


def assert_refused(done: subprocess.CompletedProcess[str], database: Path, *words: str) -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith("arena: ")]
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1
    assert done.stderr.splitlines()[-1] == lines[0]
    for each in words:
        assert each in lines[0]
    assert "Traceback" not in done.stderr
    assert games_played(database) == 0
    return lines[0]


def run_with(event: Path, *given: str | Path) -> subprocess.CompletedProcess[str]:
    return arena("run", event, "--no-output", "--executor", "dask", *given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "--executor dask needs --scheduler tls://HOST:PORT"),
        (["--scheduler", "host:8786"], "--scheduler host:8786: tls://HOST:PORT is needed"),
        (["--scheduler", "tls://h:99999", "--tls-ca", "x"], "a port from 1 to 65535"),
        (["--scheduler", "tls://h:1"], "--tls-ca FILE is needed with tls://"),
        (["--scheduler", "tls://h:1", "--tls-ca", "no.pem"], "--tls-ca no.pem: there is no such file"),
        (["--scheduler", "tcp://10.0.0.1:8786"], "tcp:// is open to whoever reaches it"),
    ],
)
def test_options_that_do_not_fit_together(event: Path, given: list[str], words: str) -> None:
    assert_refused(run_with(event, *given), event.with_suffix(".db"), words)


def test_options_of_a_cluster_without_one(event: Path) -> None:
    done = arena("run", event, "--no-output", "--lease", "5")
    assert_refused(done, event.with_suffix(".db"), "--lease is for --executor dask")


def test_a_scheduler_that_nobody_has_started(event: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = run_with(event, "--scheduler", f"tcp://127.0.0.1:{port}")
    words = "cannot be reached (Connection refused): is it started, and is the port open?"
    assert_refused(done, event.with_suffix(".db"), f"scheduler tcp://127.0.0.1:{port} {words}")


def test_a_certificate_of_another_authority(lone: Trial, event: Path, tmp_path: Path) -> None:
    own, other = lone.certificates, make_certificates(tmp_path / "other")
    database = event.with_suffix(".db")

    def run(ca: Path, cert: Path, key: Path) -> subprocess.CompletedProcess[str]:
        tls = ["--tls-ca", str(ca), "--tls-cert", str(cert), "--tls-key", str(key)]
        return run_with(event, "--scheduler", lone.address, *tls)

    done = run(own.ca, other.cert, other.key)
    assert_refused(done, database, f"does not accept the certificate {other.cert}", "signed by the authority")
    assert_refused(run(other.ca, own.cert, own.key), database, f"that {other.ca} does not vouch for")
    assert_refused(run(own.ca, own.cert, other.key), database, "no certificate with its key in PEM form")
    assert_refused(run(event, own.cert, own.key), database, "no certificate in PEM form can be read there")


def test_a_server_that_is_no_scheduler(event: Path, tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "certificates")

    def answer(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        address = f"tls://127.0.0.1:{server.getsockname()[1]}"
        tls = ["--tls-ca", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)]
        done = run_with(event, "--scheduler", address, *tls)
    assert_refused(done, event.with_suffix(".db"), "does not speak TLS", "--protocol tls?")


def test_a_cluster_without_workers(lone: Trial, event: Path) -> None:
    done = run_there(lone, event, event.with_suffix(".db"), "--wait", "1")
    assert_refused(done, event.with_suffix(".db"), "no worker is at scheduler", "after 1 s: start them")


def test_a_worker_of_another_version(lone: Trial, event: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(Path(arena_package.__file__).parent, old / "arena")
    init = old / "arena" / "__init__.py"
    init.write_text(init.read_text().replace(arena_package.__version__, "0.0.7"))
    lone.start_worker("aged", environment={"PYTHONPATH": str(old)})
    database = event.with_suffix(".db")
    line = assert_refused(run_there(lone, event, database), database, "worker aged (tls://127.0.0.1:")
    assert f"has gtparena 0.0.7, the runner {arena_package.__version__}: install" in line
    # The same version, but built from other source.
    init.write_text(f'"""Changed."""\n\n__version__ = "{arena_package.__version__}"\n')
    lone.start_worker("changed", environment={"PYTHONPATH": str(old)})
    done = run_there(lone, event, database, "--workers", "2")
    assert_refused(done, database, "(1 more worker likewise)")


def test_a_worker_that_has_no_gtparena(lone: Trial, event: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    (bare / "arena" / "cluster").mkdir(parents=True)
    (bare / "arena" / "__init__.py").write_text("")
    (bare / "arena" / "cluster" / "__init__.py").write_text("")
    node = Path(arena_package.__file__).parent / "cluster" / "node.py"
    shutil.copy(node, bare / "arena" / "cluster")
    lone.start_worker("bare", environment={"PYTHONPATH": str(bare)})
    database = event.with_suffix(".db")
    done = run_there(lone, event, database)
    assert_refused(done, database, "worker bare (", "cannot load gtparena", "install 'gtparena[cluster]'")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap (apt install bubblewrap)")
def test_a_worker_without_an_engine_or_with_another(lone: Trial, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    player = programs / "player.py"
    text = STEADY.read_text()
    player.write_text(text)
    event = steady_event(tmp_path)
    event.write_text(event.read_text().replace(str(STEADY), str(player)))
    database = event.with_suffix(".db")
    everything = ["bwrap", "--dev-bind", "/", "/"]
    lone.start_worker("without", prefix=[*everything, "--tmpfs", str(programs)])
    done = run_there(lone, event, database)
    assert_refused(
        done, database, "worker without (", "has another program for engine 'steady 1'", "and 1 more: put"
    )
    other = tmp_path / "other.py"
    other.write_text(f"{text}\n# Another.\n")
    lone.start_worker("with", prefix=[*everything, "--ro-bind", str(other), str(player)])
    done = run_there(lone, event, database, "--workers", "2")
    assert_refused(done, database, "has another program for engine 'steady 1'", "(1 more worker likewise)")


def test_a_worker_that_fails_the_pre_flight(cluster: Trial, tmp_path: Path) -> None:
    event = steady_event(tmp_path, engine_keys='plays = ["pente"]')
    done = arena("run", event, *options(cluster))
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
