"""Engine processes: how one is started, watched and ended together with everything it started itself.

Linux is what this module is written for. Three things the standard library's helpers do not give:

- Engines are started on the thread that runs trio. A parent-death signal is tied to the starting *thread*,
  and trio's own helper starts processes in a cached thread that it retires after ten idle seconds.
- The runner is a subreaper: what an engine leaves behind by forking twice is handed to the runner by the
  kernel, recognised by a token in its environment, and killed.
- The pipes are plain non-blocking descriptors, for the channel's brief polls.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import trio

from arena.live.limits import FREE, WATCH_S, Limits, excess, usage_of_tree
from arena.live.proc import children, cpu_ns_of_tree, descendants
from arena.live.slots import pinned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arena.core.verdict import Reason

_STDERR_READ_BYTES = 64 * 1024
_STDERR_PAUSE_S = 0.005
"""Pause after each full read of standard error: an endless writer is slowed by its own full pipe instead of
costing the referee a core."""

_KILL_WAIT_S = 2.0
"""How long other games go on while the kernel takes a killed process apart; then the wait blocks."""

BUBBLEWRAP = "bubblewrap"
"""Level of containment, as records name it, of a process behind bubblewrap."""

_SIGNALLED = 128
_PR_SET_CHILD_SUBREAPER = 36
_TOKEN = "ARENA_PROCESS"  # noqa: S105  a mark, no secret


@dataclass(frozen=True, slots=True)
class Launch:
    """What exactly is executed.

    Attributes:
        argv: wrapper programs and the engine's command.
        cwd: folder to start in, None for the runner's.
        env: the complete environment.
        sandbox: level of containment in force, for the record.
        umask: its file mode creation mask, -1 for the runner's.
        limits: what the process tree may use; the kernel's part of it stands in `argv` already.
        cores: the cores it is bound to; empty: all.
    """

    argv: Sequence[str]
    cwd: str | None
    env: Mapping[str, str]
    sandbox: str = "off"
    limits: Limits = FREE
    umask: int = -1
    cores: tuple[int, ...] = ()


def become_subreaper() -> bool:
    """Ask the kernel to hand orphaned descendants to this process; False where it cannot.

    From then on children that are no live engine are killed when an engine ends, except those that cannot be
    an engine's offspring: they are in this process's own session, which no process that began in another one
    can join (setsid(2)), or they were there before. A program beside the engines that is started later *in a
    session of its own* would be taken for an orphan.
    """
    global _is_subreaper, _own_children
    if not _is_subreaper:
        _own_children = frozenset(children(os.getpid()))
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        _is_subreaper = libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        _is_subreaper = False
    return _is_subreaper


_is_subreaper = False
_own_children: frozenset[int] = frozenset()


class Process(Protocol):
    """What a session needs of the program it talks to; tests play it without starting one.

    Attributes:
        launch: what was started.
        read_fd, write_fd: its standard output and input, non-blocking.
        exited: set when it is gone; not before `watch` runs.
        overrun: which limit it exceeded and by what; it was killed for that. None while it kept within.
    """

    launch: Launch
    overrun: tuple[Reason, str] | None
    read_fd: int
    write_fd: int
    exited: trio.Event

    @property
    def has_exited(self) -> bool:
        """Whether the process is gone, asked of the system."""

    async def watch(self) -> None:
        """Return when the process is gone."""

    def stderr_tail(self) -> bytes:
        """Return the end of its standard error, untrusted."""

    def new_game(self) -> None:
        """Begin to count the CPU time of another game."""

    def cpu_ns(self) -> int:
        """Return the processor time that it and all it started have used, nanoseconds."""

    def suspend(self) -> None:
        """Stop it and all it started."""

    def resume(self) -> None:
        """Let it and all it started go on; of no effect on what was not stopped."""

    async def wait_exit(self, limit_s: float) -> None:
        """Wait up to `limit_s` seconds for it to be gone."""

    def exit_words(self) -> str:
        """Return how it ended, an empty text while it is alive."""

    async def end(self, grace_s: float) -> None:
        """Let it leave within `grace_s` seconds, then kill whatever is left."""

    def kill(self) -> None:
        """Kill it and all it started, at once."""


class EngineProcess:
    """One running engine: descriptors, standard error, exit status, and its certain end.

    `start` must be called on the trio thread; `watch` must run in a nursery for as long as the process
    lives; `end` may be called more than once and leaves nothing running.
    """

    _registry: dict[int, EngineProcess] = {}  # noqa: RUF012  shared on purpose: all live engines of this process

    def __init__(self, popen: subprocess.Popen[bytes], token: str, launch: Launch) -> None:
        assert popen.stdin is not None  # noqa: S101  all three are pipes, see `start`
        assert popen.stdout is not None  # noqa: S101
        assert popen.stderr is not None  # noqa: S101
        self.pid = popen.pid
        self.launch = launch
        self.write_fd = popen.stdin.fileno()
        self.read_fd = popen.stdout.fileno()
        self.exited = trio.Event()
        self._popen = popen
        self._token = token
        self._stderr = bytearray()
        self._stderr_kept_bytes = int(launch.limits.stderr_kb * 1024)
        self._stderr_fd = popen.stderr.fileno()
        self._pidfd = os.pidfd_open(popen.pid)
        self._ended = False
        self._cpu_before_s = 0.0
        self.overrun: tuple[Reason, str] | None = None
        self.peak_memory_bytes = 0
        self._is_suspended = False
        for descriptor in (self.write_fd, self.read_fd, self._stderr_fd):
            os.set_blocking(descriptor, False)
        self._registry[self.pid] = self

    @classmethod
    def start(cls, launch: Launch) -> EngineProcess:
        """Start the program in a session of its own.

        Raises:
            OSError: the program cannot be executed.
        """
        token = secrets.token_hex(8)
        with pinned(launch.cores):
            popen = subprocess.Popen(
                list(launch.argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=launch.cwd,
                env={**launch.env, _TOKEN: token},
                bufsize=0,
                start_new_session=True,
                umask=launch.umask,
            )
        try:
            return cls(popen, token, launch)
        except OSError:
            popen.kill()
            popen.communicate()
            raise

    async def watch(self) -> None:
        """Collect standard error and notice the exit, until the process is gone or `kill` was called."""
        if self._ended:
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            if self.launch.limits.are_watched:
                nursery.start_soon(self._watch_limits)
            with contextlib.suppress(trio.ClosedResourceError):
                await trio.lowlevel.wait_readable(self._pidfd)
            self.exited.set()
            nursery.cancel_scope.cancel()

    def new_game(self) -> None:
        """Begin to count the CPU time of another game."""
        if self.launch.limits.cpu_s is not None:
            self._cpu_before_s = usage_of_tree(self.pid, self.launch.limits).cpu_s

    def cpu_ns(self) -> int:
        """Return the processor time that it and all it started have used, nanoseconds."""
        return 0 if self._ended else cpu_ns_of_tree(self.pid)

    def suspend(self) -> None:
        """Stop it and all it started; a process that is being started meanwhile is found by a second look."""
        if self._ended:
            return
        self._is_suspended = True
        stopped: set[int] = set()
        while fresh := {self.pid, *descendants(self.pid)} - stopped:
            self._signal_all(fresh, signal.SIGSTOP)
            stopped |= fresh

    def resume(self) -> None:
        """Let it and all it started go on, if it was suspended."""
        if self._is_suspended and not self._ended:
            self._is_suspended = False
            self._signal_all([*descendants(self.pid), self.pid], signal.SIGCONT)

    @staticmethod
    def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    async def _watch_limits(self) -> None:
        """Look at the tree now and then; kill it when it has gone too far, and remember the limit."""
        while not self._ended:
            usage = usage_of_tree(self.pid, self.launch.limits)
            self.peak_memory_bytes = max(self.peak_memory_bytes, usage.memory_bytes)
            self.overrun = excess(self.launch.limits, usage, self._cpu_before_s)
            if self.overrun is not None:
                self._signal_tree()
                return
            await trio.sleep(WATCH_S)

    async def _drain_stderr(self) -> None:
        with contextlib.suppress(trio.ClosedResourceError):
            while not self._ended:
                await trio.lowlevel.wait_readable(self._stderr_fd)
                if not self._read_stderr():
                    return
                await trio.sleep(_STDERR_PAUSE_S)

    def _read_stderr(self) -> bool:
        """Read what is there; False at its end."""
        if self._ended:
            # The number of a closed descriptor may be another engine's by now.
            return False
        try:
            data = os.read(self._stderr_fd, _STDERR_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._stderr += data
        del self._stderr[: -self._stderr_kept_bytes]
        return bool(data)

    def stderr_tail(self) -> bytes:
        """Return the end of what the engine wrote to standard error so far, untrusted."""
        self._read_stderr()
        return bytes(self._stderr)

    @property
    def has_exited(self) -> bool:
        """Whether the process is gone (its children may live).

        It is looked at and not reaped: as long as it is a zombie, neither its id nor its group's can be
        given to somebody else, who would then be killed by `kill`.
        """
        return self._exit_code() is not None

    def _exit_code(self) -> int | None:
        """Return the exit code, minus the signal that ended it, or None while it is alive."""
        if self._popen.returncode is not None:
            return self._popen.returncode
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    async def wait_exit(self, limit_s: float) -> None:
        """Wait up to `limit_s` seconds for the process to be gone."""
        with trio.move_on_after(limit_s):
            await self.exited.wait()

    def exit_words(self) -> str:
        """Return `exit code 3`, `signal SIGKILL`, or an empty text while it is alive."""
        code = self._exit_code()
        if code is None:
            return ""
        if code > _SIGNALLED and self.launch.sandbox == BUBBLEWRAP:
            # The sandbox hands on a signal as a shell does.
            code = _SIGNALLED - code
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def close_input(self) -> None:
        """Close its standard input: nothing can be sent any more, what it writes can still be read."""
        if not self._ended:
            self._close_streams(self._popen.stdin)

    async def end(self, grace_s: float) -> None:
        """Close its input, wait up to `grace_s` seconds for it to leave, then kill the whole tree.

        Cancellation does not interrupt this: nothing outlives it.
        """
        if self._ended:
            return
        with trio.CancelScope(shield=True):
            self._close_streams(self._popen.stdin)
            self.resume()
            if grace_s > 0 and not self.has_exited:
                await self.wait_exit(grace_s)
            if not self._ended:
                self._signal_tree()
                # Gigabytes take their time to be given back: meanwhile the other games go on.
                await self.wait_exit(_KILL_WAIT_S)
            self.kill()
            await trio.lowlevel.checkpoint()

    def kill(self) -> None:
        """Kill the process and all it started, at once; wait for the kernel to confirm."""
        if self._ended:
            return
        self._signal_tree()
        self._popen.wait()
        self._read_stderr()
        self._ended = True
        self._registry.pop(self.pid, None)
        self._close_streams(self._popen.stdin, self._popen.stdout, self._popen.stderr)
        trio.lowlevel.notify_closing(self._pidfd)
        os.close(self._pidfd)
        self.exited.set()
        sweep_orphans()

    def _signal_tree(self) -> None:
        """Send the kill signal to the process, its group and all descendants that can be found."""
        if self.has_exited:
            tree = []
        else:
            # Stopped first, so that nothing is forked between the look and the kill.
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGSTOP)
            tree = list(descendants(self.pid))
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in tree:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    @staticmethod
    def _close_streams(*streams: IO[bytes] | None) -> None:
        for stream in streams:
            if stream is not None and not stream.closed:
                trio.lowlevel.notify_closing(stream.fileno())
                with contextlib.suppress(OSError):
                    stream.close()


def sweep_orphans() -> int:
    """Kill what ended engines left behind (handed to a subreaper by the kernel); return how many.

    An orphan that carries the token of an engine still alive belongs to it and is left alone.
    """
    tokens = {process._token for process in EngineProcess._registry.values()}
    swept = 0
    if not _is_subreaper:
        return swept
    for _ in range(1000):  # an orphan killed hands over its own children: look again, not for ever
        orphans = [pid for pid in children(os.getpid()) if _is_orphan(pid, tokens)]
        if not orphans:
            break
        for pid in orphans:
            for each in [*descendants(pid), pid]:
                with contextlib.suppress(OSError):
                    os.kill(each, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
                swept += 1
    return swept


def _is_orphan(pid: int, live_tokens: set[str]) -> bool:
    if pid in EngineProcess._registry or pid in _own_children:
        return False
    with contextlib.suppress(OSError):
        if os.getsid(pid) == os.getsid(0):
            return False
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        environment = b""
    return not any(f"{_TOKEN}={token}".encode() in environment for token in live_tokens)
