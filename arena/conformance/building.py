"""The build command of an engine that was handed in, run where it can reach nothing but its own folder.

It is a stranger's program like the engine itself: no network, no file but the system's own and the copy that
it builds in, its own user id when the runner is root, bounded in time, memory, processes and file size.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arena.config.programs import PYTHON_WORD
from arena.live.faults import escaped_lines
from arena.submissions.bundle import BundleError, copy_bundle

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTPUT_BYTES = 16 * 1024
"""How much of what a build says is kept, its end."""

_USER = 99_000_000
"""A user id that belongs to nobody, and to no engine."""

_MEMORY_BYTES = 4 * 2**30
_FILE_BYTES = 2**30
_PROCESSES = 256
_SCRATCH_BYTES = 512 * 2**20


class BuildError(Exception):
    """A build cannot be tried on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Build:
    """What came of a build.

    Attributes:
        is_good: whether it ended with exit code 0 in time.
        words: how it ended.
        output: the end of what it printed, escaped.
    """

    is_good: bool
    words: str
    output: str


def build(
    folder: Path, command: Sequence[str], limit_s: float, sandbox: Literal["require", "auto", "off"]
) -> Build:
    """Run a build command in a folder, which is changed by it.

    Args:
        folder: a bundle put together for this; when the build failed it is of no further use.
        command: program and arguments; a program in the folder is found there; `{python}` is this
            interpreter.
        limit_s: time for it.
        sandbox: `require` refuses to run it without bubblewrap, `auto` runs it without.

    Raises:
        BuildError: the sandbox that is required cannot be had.
    """
    problem = None if sandbox == "off" else sandbox_problem()
    if problem is not None and sandbox == "require":
        raise BuildError(f"a build runs in a sandbox, which cannot be had here: {problem}")
    is_contained = sandbox != "off" and problem is None
    # Built below /tmp: another user id cannot reach a folder below somebody's closed home.
    with tempfile.TemporaryDirectory(prefix="arena-build-") as place:
        Path(place).chmod(0o755)
        work = Path(place, "build")
        copy_bundle(folder, work)
        if is_contained and os.geteuid() == 0:
            for path in (work, *work.rglob("*")):
                os.chown(path, _USER, _USER)
        words = _resolved(command, work)
        result = _run(_contained(words, work) if is_contained else words, work, limit_s)
        if result.is_good:
            shutil.rmtree(folder)
            try:
                copy_bundle(work, folder)
            except BundleError as error:
                return Build(False, f"what it built is no bundle: {error}", result.output)
    return result


def sandbox_problem() -> str | None:
    """Try bubblewrap; return None when it works, else the system's own message and what to do."""
    if os.environ.get("ARENA_NO_SANDBOX") == "1":
        return "ARENA_NO_SANDBOX=1 forbids it"
    if shutil.which("bwrap") is None or shutil.which("prlimit") is None:
        return "bwrap or prlimit is not installed (apt install bubblewrap util-linux)"
    with tempfile.TemporaryDirectory(prefix="arena-build-") as place:
        Path(place).chmod(0o755)
        tried = _run(_contained(["/usr/bin/true"], Path(place)), Path(place), 10.0)
    if tried.is_good:
        return None
    return f"{tried.output.strip() or tried.words} (are user namespaces allowed?)"


def _resolved(command: Sequence[str], work: Path) -> list[str]:
    first, *rest = (word.replace(PYTHON_WORD, sys.executable) for word in command)
    beside = work / first
    return [str(beside) if beside.is_file() else first, *rest]


def _contained(words: Sequence[str], work: Path) -> list[str]:
    limits = [
        "prlimit",
        f"--as={_MEMORY_BYTES}",
        f"--nproc={_PROCESSES}",
        f"--fsize={_FILE_BYTES}",
        "--core=0",
        "--",
    ]
    namespaces = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    tree = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        system = Path("/", name)
        if system.is_symlink():
            tree += ["--symlink", str(system.readlink()), str(system)]
        elif system.is_dir():
            tree += ["--ro-bind", str(system), str(system)]
    for path in ("/etc/alternatives", "/etc/ld.so.cache"):
        tree += ["--ro-bind-try", path, path]
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix)):
        if sys.executable in words and not Path(prefix).is_relative_to("/usr"):
            tree += ["--ro-bind-try", prefix, prefix]
    own = ["--size", str(_SCRATCH_BYTES), "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc"]  # noqa: S108
    bwrap = [
        "bwrap",
        *namespaces,
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--disable-userns",
        *tree,
        *own,
        "--bind",
        str(work),
        str(work),
        "--chdir",
        str(work),
    ]
    return [*limits, *bwrap, "--", *words]


def _run(words: Sequence[str], work: Path, limit_s: float) -> Build:
    is_wrapped = words[0] == "prlimit"
    user: dict[str, object] = (
        {"user": _USER, "group": _USER, "extra_groups": []} if is_wrapped and os.geteuid() == 0 else {}
    )
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # type: ignore[call-overload]
                list(words),
                cwd="/" if is_wrapped else work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **user,
            )
        except OSError as error:
            return Build(False, f"cannot be started: {error.strerror or error}", "")
        try:
            code = process.wait(limit_s)
            words_said = f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
        except subprocess.TimeoutExpired:
            code, words_said = -1, f"not ready within {limit_s:g} s"
        finally:
            # The sandbox takes everything in it along.
            _kill_group(process)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - OUTPUT_BYTES))
        return Build(code == 0, words_said, escaped_lines(output.read(), OUTPUT_BYTES))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
