"""What cannot work is refused before any game, in one sentence that says what to do, with exit code 2."""

from __future__ import annotations

import shutil
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena as arena_package
from arena.cli.clustering import options_of
from arena.cli.errors import Failure
from arena.cluster import connection
from arena.cluster.certificates import make_certificates
from arena.cluster.connection import Access, ConnectionRefusal, checked, probe
from arena.cluster.crew import Settings
from arena.cluster.trial import Trial
from arena.live.sandbox import bubblewrap_problem
from arena.live.tournament import Ending
from tests.cli.runs import arena, games_played
from tests.cluster.clusters import STEADY, outcome_there, run_there, steady_event, tended

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return steady_event(tmp_path)


@pytest.fixture(scope="module")
def lone() -> Iterator[Trial]:
    """A cluster without workers."""
    with tended(Trial(0)) as trial:
        yield trial


def assert_refused(done: subprocess.CompletedProcess[str], database: Path, *words: str) -> None:
    lines = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert lines[-1].startswith("arena: ")
    assert sum(line.startswith("arena: ") for line in lines) == 1
    for each in words:
        assert each in lines[-1]
    assert "Traceback" not in done.stderr
    assert games_played(database) == 0


def refusal(trial: Trial, event: Path, workers: int = 1, wait_s: float = 30) -> str:
    """Return why a cluster is refused; no game was played."""
    database = event.with_suffix(".db")
    settings = Settings(workers=workers, wait_s=wait_s)
    report, _ = outcome_there(trial, event, database, None, settings)
    assert report.ending is Ending.REFUSED
    assert not report.findings
    assert "\n" not in report.message
    assert games_played(database) == 0
    return report.message


def no_way(access: Access) -> str:
    """Return why a scheduler cannot be had."""
    with pytest.raises(ConnectionRefusal) as refused:
        probe(checked(access))
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "--executor dask needs --scheduler tls://HOST:PORT"),
        ({"scheduler": "host:8786"}, "--scheduler host:8786: tls://HOST:PORT is needed"),
        ({"scheduler": "tls://h:99999", "tls_ca": "x"}, "a port from 1 to 65535"),
        ({"scheduler": "tls://h:1"}, "--tls-ca FILE is needed with tls://"),
        ({"scheduler": "tls://h:1", "tls_ca": "no.pem"}, "--tls-ca no.pem: there is no such file"),
        ({"scheduler": "tcp://10.0.0.1:8786"}, "tcp:// is open to whoever reaches it"),
    ],
)
def test_options_that_do_not_fit_together(given: dict[str, str], words: str) -> None:
    ways = {"scheduler": None, "tls_ca": None, "tls_cert": None, "tls_key": None}
    paths = {name: value if name == "scheduler" else Path(value) for name, value in given.items()}
    with pytest.raises(Failure) as refused:
        options_of({**ways, **paths}, None)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2


def test_options_of_a_cluster_without_one(event: Path) -> None:
    done = arena("run", event, "--no-output", "--lease", "5")
    assert_refused(done, event.with_suffix(".db"), "--lease is for --executor dask")


def test_a_scheduler_that_nobody_has_started(event: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    done = arena("run", event, "--no-output", "--executor", "dask", "--scheduler", address)
    words = "cannot be reached (Connection refused): is it started, and is the port open?"
    assert_refused(done, event.with_suffix(".db"), f"scheduler {address} {words}")


def test_a_scheduler_whose_host_is_unknown(tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "own")
    access = Access("tls://no-such-host.invalid:8786", files.ca, files.cert, files.key)
    assert "its host is not known" in no_way(access)


def test_a_scheduler_that_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = make_certificates(tmp_path / "own")
    monkeypatch.setattr(connection, "CONNECT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tls://127.0.0.1:{silent.getsockname()[1]}"
        assert "does not answer within 0.2 s" in no_way(Access(address, files.ca, files.cert, files.key))


def test_a_certificate_of_another_authority(lone: Trial, event: Path, tmp_path: Path) -> None:
    own, other = lone.certificates, make_certificates(tmp_path / "other")
    tls = ["--tls-ca", str(own.ca), "--tls-cert", str(other.cert), "--tls-key", str(other.key)]
    done = arena("run", event, "--no-output", "--executor", "dask", "--scheduler", lone.address, *tls)
    words = f"does not accept the certificate {other.cert}"
    assert_refused(done, event.with_suffix(".db"), words, "signed by the authority")

    def said(ca: Path, cert: Path, key: Path) -> str:
        return no_way(Access(lone.address, ca, cert, key))

    assert f"that {other.ca} does not vouch for" in said(other.ca, own.cert, own.key)
    assert "no certificate with its key in PEM form" in said(own.ca, own.cert, other.key)
    assert "no certificate in PEM form can be read there" in said(event, own.cert, own.key)
    probe(checked(Access(lone.address, own.ca, own.cert, own.key)))


def test_the_folder_of_certificates_is_closed_to_others(tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "own")
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (files.ca, files.cert, files.key)} == {0o600}


def test_a_server_that_is_no_scheduler(tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "certificates")

    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=(server,))
        thread.start()
        address = f"tls://127.0.0.1:{server.getsockname()[1]}"
        said = no_way(Access(address, files.ca, files.cert, files.key))
        thread.join()
    assert "does not speak TLS" in said
    assert "--protocol tls?" in said


def test_a_cluster_without_workers(lone: Trial, event: Path) -> None:
    assert "no worker is at scheduler" in (said := refusal(lone, event, wait_s=1))
    assert "after 1 s: start them" in said


def test_a_worker_of_another_version(event: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(Path(arena_package.__file__).parent, old / "arena")
    init = old / "arena" / "__init__.py"
    init.write_text(init.read_text().replace(arena_package.__version__, "0.0.7"))
    with tended(Trial(0)) as trial:
        trial.start_worker("aged", environment={"PYTHONPATH": str(old)})
        done = run_there(trial, event, database := event.with_suffix(".db"))
        words = f"has gtparena 0.0.7, the runner {arena_package.__version__}: install"
        assert_refused(done, database, "worker aged (tls://127.0.0.1:", words)
        # The same version, but built from other source.
        init.write_text(f'"""Changed."""\n\n__version__ = "{arena_package.__version__}"\n')
        trial.start_worker("changed", environment={"PYTHONPATH": str(old)})
        assert "(1 more worker likewise)" in refusal(trial, event, workers=2)


def test_a_worker_that_has_no_gtparena(event: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    (bare / "arena" / "cluster").mkdir(parents=True)
    (bare / "arena" / "__init__.py").write_text("")
    (bare / "arena" / "cluster" / "__init__.py").write_text("")
    node = Path(arena_package.__file__).parent / "cluster" / "node.py"
    shutil.copy(node, bare / "arena" / "cluster")
    with tended(Trial(0)) as trial:
        trial.start_worker("bare", environment={"PYTHONPATH": str(bare)})
        said = refusal(trial, event)
    assert said.startswith("worker bare (")
    assert "cannot load gtparena" in said
    assert "install 'gtparena[cluster]'" in said


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap (apt install bubblewrap)")
def test_a_worker_without_an_engine_or_with_another(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    player, other = programs / "player.py", tmp_path / "other.py"
    player.write_text(STEADY.read_text())
    other.write_text(f"{STEADY.read_text()}\n# Another.\n")
    event = steady_event(tmp_path)
    event.write_text(event.read_text().replace(str(STEADY), str(player)))
    everything = ["bwrap", "--dev-bind", "/", "/"]
    with tended(Trial(0)) as trial:
        trial.start_worker("without", prefix=[*everything, "--tmpfs", str(programs)])
        trial.start_worker("with", prefix=[*everything, "--ro-bind", str(other), str(player)])
        said = refusal(trial, event, workers=2)
    assert "has another program for engine 'steady 1' (SHA-256 " in said
    assert "and 1 more: put the runner's programs there" in said
    assert "(1 more worker likewise)" in said


@pytest.mark.skipif(bubblewrap_problem() is not None, reason=f"no sandbox: {bubblewrap_problem()}")
def test_a_worker_that_contains_engines_in_another_way(tmp_path: Path) -> None:
    event = steady_event(tmp_path, engine_keys='sandbox = "auto"')
    with tended(Trial(0)) as trial:
        trial.start_worker("open", environment={"ARENA_NO_SANDBOX": "1"})
        said = refusal(trial, event)
    assert said.startswith("worker open (")
    assert "has no bubblewrap (ARENA_NO_SANDBOX=1 forbids it)" in said
    assert "engine 'steady 1' would be contained in another way there: install it on all machines" in said


def test_a_worker_that_fails_the_pre_flight(cluster: Trial, tmp_path: Path) -> None:
    event = steady_event(tmp_path, engine_keys='options = { "mood" = "good" }')
    said = refusal(cluster, event, workers=2)
    assert "engine 'steady 1' has no option mood" in said
