"""Containment and limits, with real processes: what an engine cannot reach, and what exceeding costs it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
import trio

from arena.core.event import Engine
from arena.live import sandbox
from arena.live.process import EngineProcess
from arena.live.sandbox import Launcher, SandboxError, bubblewrap_problem, exposed
from arena.store import ReadStore
from tests.cli.runs import games_played, kill_at_once, started, wait_until
from tests.engines.hostile import LIMITED
from tests.live.hostile_engines import MARK, entry, marked
from tests.live.scripted import task_of
from tests.live.test_hostile_engines import FINE, VERDICTS, play_all

if TYPE_CHECKING:
    from collections.abc import Iterator

ENOUGH_S = 60

needs_bubblewrap = pytest.mark.skipif(
    os.environ.get(sandbox.NO_SANDBOX_VARIABLE) == "1", reason=f"{sandbox.NO_SANDBOX_VARIABLE}=1"
)
"""Elsewhere a missing sandbox is a failure of these tests, not a reason to skip them."""

PROBE = """
import json, os, socket, sys
told = {}
def attempt(name, action):
    try:
        told[name] = [True, str(action())[:200]]
    except BaseException as error:
        told[name] = [False, type(error).__name__]
for name, path in json.loads(sys.argv[1]).items():
    attempt("read " + name, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(20))
attempt("write here", lambda: open("new", "w"))
attempt("write scratch", lambda: open("/tmp/new", "w").write("x"))
attempt("write data", lambda: open(os.environ["DATA"] + "/new", "w").write("x"))
attempt("setuid", lambda: os.setuid(0))
attempt("interfaces", lambda: [name for _, name in socket.if_nameindex()])
attempt("network", lambda: socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), timeout=5))
attempt("processes", lambda: len([name for name in os.listdir("/proc") if name.isdigit()]))
attempt("signal", lambda: os.kill(int(os.environ["VICTIM"]), 0))
attempt("namespaces", lambda: os.system("unshare --user true 2>/dev/null"))
attempt("environment", lambda: sorted(os.environ))
attempt("import numpy", lambda: __import__("numpy").__name__)
attempt("import ours", lambda: __import__("sample_engines.random_player").__name__)
attempt("uid", os.getuid)
print(json.dumps(told), flush=True)
"""


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    made = Launcher()
    yield made
    made.close()


async def output_of(launcher: Launcher, engine: Engine) -> bytes:
    """Start an entry and return all it writes; leave no process behind."""
    process = EngineProcess.start(launcher.launch(engine))
    collected = bytearray()
    try:
        with trio.fail_after(ENOUGH_S):
            while True:
                await trio.lowlevel.wait_readable(process.read_fd)
                data = os.read(process.read_fd, 65536)
                if not data:
                    break
                collected += data
    finally:
        process.kill()
    assert collected, process.stderr_tail()
    return bytes(collected)


async def all_gone(mark: str) -> None:
    """Wait for the kernel to take apart what it was told to kill."""
    with trio.fail_after(ENOUGH_S):
        while marked(mark):
            await trio.sleep(0.01)


@needs_bubblewrap
async def test_a_contained_engine_can_do_nothing_but_play(tmp_path: Path, launcher: Launcher) -> None:
    # As it is at home: an engine's folder beside the tournament file, closed to others (pytest makes it so).
    own, other, data = tmp_path / "bot", tmp_path / "other", tmp_path / "data"
    for folder in (own, other, data):
        folder.mkdir(mode=0o700)
    (own / "probe.py").write_text(PROBE)
    (own / "weights").write_text("w")
    (own / "weights").chmod(0o600)
    (other / "secret").write_text("x")
    (tmp_path / "cup.toml").write_text("x")
    (tmp_path / "cup.db").write_text("x")
    paths = {
        "own weights": own / "weights",
        "tournament": tmp_path / "cup.toml",
        "store": tmp_path / "cup.db",
        "above": tmp_path,
        "other engine": other / "secret",
        "passwords": "/etc/shadow",
        "home": Path.home() / ".ssh",
        "runner": f"/proc/{os.getpid()}/environ",
    }
    with socket.create_server(("127.0.0.1", 0)) as server:
        engine = Engine(
            "probe",
            (sys.executable, "probe.py", json.dumps({name: str(path) for name, path in paths.items()})),
            str(own),
            env={"PORT": str(server.getsockname()[1]), "VICTIM": str(os.getpid()), "DATA": str(data)},
            sandbox="require",
            folder=str(own),
            data_folder=str(data),
        )
        told: dict[str, Any] = json.loads(await output_of(launcher, engine))
    can = {name for name, (worked, _) in told.items() if worked}
    assert can == {
        "read own weights",
        "read above",
        "write scratch",
        "write data",
        "interfaces",
        "processes",
        "namespaces",
        "environment",
        "import numpy",
        "import ours",
        "uid",
    }, told
    # The sandbox's own folders: names of what it was given, nothing else.
    assert told["read above"][1] in ("['bot', 'data']", "['data', 'bot']")
    assert told["interfaces"][1] == "['lo']"
    assert int(told["processes"][1]) <= 3
    assert told["namespaces"][1] != "0"
    assert "PYTEST" not in told["environment"][1]
    assert told["uid"][1] != "0"
    assert (data / "new").read_text() == "x"
    assert not (own / "new").exists()


@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give each process a user of its own")
async def test_each_process_has_a_user_of_its_own(launcher: Launcher, tmp_path: Path) -> None:
    engine = Engine("who", ("/usr/bin/id", "-u"), str(tmp_path), sandbox="require")
    users = {await output_of(launcher, engine) for _ in range(3)}
    assert len(users) == 3
    assert b"0\n" not in users


LIMIT_VERDICTS = {
    "eats_memory_slowly": "memory",
    "eats_memory_at_once": "memory",
    "eats_memory_in_a_child": "memory",
    "forks_without_end": "processes",
    "starts_threads": "processes",
    "burns_every_core": "cpu",
    "fills_the_disk": "disk",
    "writes_a_huge_file": "disk",
}


@needs_bubblewrap
@pytest.mark.parametrize(("behaviour", "reason"), sorted(LIMIT_VERDICTS.items()))
async def test_each_limit_has_a_verdict_of_its_own(behaviour: str, reason: str) -> None:
    mark = uuid.uuid4().hex
    limits = {"memory_mb": 200, "processes": 40, "file_mb": 16, "cpu_s": 1.0}
    if behaviour == "writes_a_huge_file":
        limits["file_mb"] = 8
    bad = entry(behaviour, mark, "bad", sandbox="require", limits=limits)
    (record,) = await play_all((entry("good", mark, "good", sandbox="require"), bad), task_of(time="60"))
    assert (record.verdict.reason, record.verdict.at_fault) == (reason, 1), record.evidence
    assert record.evidence[1].message.startswith("the engine ")
    assert record.white.sandbox == "bubblewrap"
    await all_gone(mark)


@needs_bubblewrap
@pytest.mark.parametrize("behaviour", ["daemons", "ignores_the_end", "crash", "never_answers", "segfault"])
async def test_a_contained_engine_gets_the_verdict_it_would_get_outside(behaviour: str) -> None:
    mark = uuid.uuid4().hex
    entries = (entry("good", mark, "good", sandbox="require"), entry(behaviour, mark, sandbox="require"))
    (record,) = await play_all(entries, task_of(time="60", white_time="0.4/move"))
    expected = {"crash": "crash", "segfault": "crash", "never_answers": "time"}.get(behaviour)
    assert (record.verdict.at_fault is not None) == (expected is not None), record.evidence
    if expected:
        assert record.verdict.reason == expected
    if behaviour == "segfault":
        assert record.evidence[1].exit == "signal SIGSEGV"
    if behaviour == "crash":
        assert record.evidence[1].exit == "exit code 3"
    await all_gone(mark)


def test_require_without_a_sandbox_says_why_and_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, launcher: Launcher
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    bubblewrap_problem.cache_clear()
    try:
        with pytest.raises(SandboxError, match=r"bwrap .* is not installed \(apt install"):
            launcher.launch(Engine("a", ("/usr/bin/true",), "/", sandbox="require"))
        fallback = launcher.launch(Engine("a", ("/usr/bin/true",), "/", sandbox="auto"))
        assert fallback.sandbox in (sandbox.OTHER_USER, sandbox.LIMITS_ONLY)
    finally:
        bubblewrap_problem.cache_clear()


async def test_auto_without_a_sandbox_drops_the_user_and_sets_the_limits(
    monkeypatch: pytest.MonkeyPatch, launcher: Launcher
) -> None:
    monkeypatch.setenv(sandbox.NO_SANDBOX_VARIABLE, "1")
    bubblewrap_problem.cache_clear()
    try:
        command = ("/bin/sh", "-c", "id -u; ulimit -n; ulimit -c")
        engine = Engine("a", command, "/", sandbox="auto", limits={"open_files": 99})
        user, files, core = (await output_of(launcher, engine)).split()
    finally:
        bubblewrap_problem.cache_clear()
    assert (files, core) == (b"99", b"0")
    assert os.geteuid() != 0 or int(user) > 0


def test_no_sandbox_may_show_the_tournament_or_the_store() -> None:
    def shown(**keys: Any) -> list[str]:
        return exposed(Engine("a", ("x",), "/", **keys), [Path("/cups/spring/cup.db")])

    assert shown(sandbox="require", folder="/cups/spring")
    assert shown(sandbox="auto", folder="/engines/a", binds=("/cups",))
    assert shown(sandbox="require", data_folder="/")
    assert not shown(sandbox="require", folder="/cups/spring/bots/a")
    assert not shown(sandbox="off", folder="/cups/spring")


def test_without_a_folder_an_engine_sees_only_the_files_its_command_names(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "cup.toml").write_text("")
    engine = Engine("a", ("/usr/bin/python3", "bot.py"), str(tmp_path), sandbox="require")
    assert sandbox._shown_places(engine) == [tmp_path / "bot.py"]


@needs_bubblewrap
def test_no_contained_process_survives_the_kill_of_the_runner(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    lines = ["[tournament]", 'game = "pente"', "size = 5", 'format = "match"', "pairs = 500"]
    for number in range(2):
        # Forks twice and leaves its session with every game.
        bad = entry("daemons", mark)
        lines += ["[[engine]]", f'name = "{number}"', f"command = {json.dumps(bad.command)}"]
        lines += ['sandbox = "require"', f"env = {{ {MARK} = '{mark}' }}"]
    file = tmp_path / "cup.toml"
    file.write_text("\n".join(lines))
    runner = started("run", file, "--no-output")
    wait_until(lambda: games_played(tmp_path / "cup.db") >= 2)
    assert marked(mark)
    kill_at_once(runner)
    wait_until(lambda: not marked(mark))


@pytest.mark.parametrize("level", ["require", "auto"])
def test_a_contained_tree_dies_with_its_outermost_process(
    level: Literal["require", "auto"], launcher: Launcher, tmp_path: Path
) -> None:
    if level == "require" and os.environ.get(sandbox.NO_SANDBOX_VARIABLE) == "1":
        pytest.skip(f"{sandbox.NO_SANDBOX_VARIABLE}=1")
    # What the kernel does to the outermost process when the thread that started it is gone.
    mark = uuid.uuid4().hex
    engine = Engine("s", ("/usr/bin/sleep", "1000"), str(tmp_path), env={MARK: mark}, sandbox=level)
    launch = launcher.launch(engine)
    outermost = subprocess.Popen(list(launch.argv), env=dict(launch.env), start_new_session=True)
    wait_until(lambda: any(b"sleep" in _program(pid) for pid in marked(mark)))
    outermost.kill()
    outermost.wait()
    wait_until(lambda: not marked(mark))


def _program(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return b""


@pytest.mark.soak
@needs_bubblewrap
def test_a_thousand_games_with_every_hostile_engine_leave_nothing_behind(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    # What pre-flight refuses keeps the event from starting; that is another test's matter.
    hostile = sorted({*VERDICTS, *LIMITED} - {"good", "crash_at_start", "refuses_size"})
    # Bubblewrap keeps its ends of the pipes open: an engine that closes one looks like a silent one.
    expected = {**VERDICTS, **LIMIT_VERDICTS, "closes_stdin": "time", "closes_stdout": "time"}
    lines = ["[tournament]", 'game = "pente"', "size = 5", 'format = "gauntlet"', "concurrency = 2"]
    games = 1000 // len(hostile) + 1
    lines += [f"games_each = {games}", 'time = "60"', "[defaults]", 'sandbox = "require"']
    lines += [
        f"env = {{ {MARK} = '{mark}' }}",
        "limits = { memory_mb = 200, processes = 40, file_mb = 8, cpu_s = 1 }",
    ]
    for behaviour in ("good", *hostile):
        lines += [
            "[[engine]]",
            f'name = "{behaviour}"',
            f"command = {json.dumps(entry(behaviour, mark).command)}",
        ]
        lines += ['time = "0.3/move"'] if expected[behaviour] == "time" else []
    file = tmp_path / "cup.toml"
    file.write_text("\n".join(lines))
    before = set(Path(tempfile.gettempdir()).iterdir())
    said = tmp_path / "said.txt"
    with said.open("w") as output:  # a pipe that nobody empties would stop the runner
        command = [sys.executable, "-m", "arena", "run", str(file), "--no-output"]
        runner = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    sizes: list[int] = []
    workers = Path(f"/proc/{runner.pid}/task/{runner.pid}/children")
    while runner.poll() is None:
        # Tables are made when the workers are gone.
        with contextlib.suppress(OSError):
            sizes += [_resident_kb(runner.pid)] if workers.read_text() else []
        time.sleep(1)
    assert runner.returncode == 0, said.read_text()
    assert marked(mark) == []
    assert set(Path(tempfile.gettempdir()).iterdir()) <= before
    half = len(sizes) // 2
    assert max(sizes[half:]) < 1.2 * max(sizes[:half]), sizes
    with ReadStore(tmp_path / "cup.db") as store:
        for game in store.summaries():
            names = ("good", *hostile)
            bad = names[max(game.black, game.white)]
            is_good_now = bad == "crash_as_white" and names[game.black] == bad
            assert is_good_now or expected[bad] in (FINE, game.reason), (game.id, bad, game.reason)


def _resident_kb(pid: int) -> int:
    """Return the resident memory of a process and its workers' (Python) processes, KiB; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * 4
