"""The build command of an engine that was handed in, run where it can reach nothing but its own folder.

It is a stranger's program like the engine itself, and it runs in the same sandbox: no network, no file but
the system's own and the copy that it builds in, bounded in time, memory, processes and file size.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arena.config.programs import resolved_command
from arena.core.event import Engine
from arena.live.faults import escaped_lines
from arena.live.sandbox import Launcher, SandboxError
from arena.submissions.bundle import BundleError, copy_bundle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.live.process import Launch

OUTPUT_BYTES = 16 * 1024
"""How much of what a build says is kept, its end."""

_LIMITS: Mapping[str, float] = {"memory_mb": 4096, "processes": 256, "open_files": 1024, "file_mb": 1024}
"""What a compiler needs, with room."""


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
        sandbox: `require` refuses to run it without bubblewrap, `auto` runs it with what can be had.

    Raises:
        BuildError: the sandbox that is required cannot be had.
    """
    with tempfile.TemporaryDirectory(prefix="arena-build-") as place:
        work = Path(place, "build")
        copy_bundle(folder, work)
        # In the sandbox it is another user who writes here; from outside nobody reaches this place.
        for path in (work, *work.rglob("*")):
            path.chmod(0o777 if path.is_dir() or os.access(path, os.X_OK) else 0o666)
        try:
            words = tuple(resolved_command(list(command), work))
        except ValueError as error:
            return Build(False, f"the build command is {error}", "")
        entry = Engine(
            "build",
            words,
            str(work),
            sandbox=sandbox,
            folder=str(work),
            data_folder=str(work),
            limits=_LIMITS,
            submitted=True,
        )
        launcher = Launcher()
        try:
            result = _run(launcher.launch(entry), limit_s)
        except SandboxError as error:
            raise BuildError(f"the build cannot be tried: {error}") from error
        finally:
            launcher.close()
        if not result.is_good:
            return result
        shutil.rmtree(folder)
        try:
            copy_bundle(work, folder)
        except BundleError as error:
            return Build(False, f"what it built is no bundle: {error}", result.output)
        return result


def _run(launch: Launch, limit_s: float) -> Build:
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                list(launch.argv),
                cwd=launch.cwd,
                env=dict(launch.env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=launch.umask,
            )
        except OSError as error:
            return Build(False, f"cannot be started: {error.strerror or error}", "")
        try:
            code = process.wait(limit_s)
            words = f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
        except subprocess.TimeoutExpired:
            code, words = -1, f"not ready within {limit_s:g} s"
        finally:
            # The end of the sandbox takes everything in it along.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - OUTPUT_BYTES))
        return Build(code == 0, words, escaped_lines(output.read(), OUTPUT_BYTES))
