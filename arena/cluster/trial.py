"""A cluster on this machine alone, for trial: a scheduler and some workers, TLS on, nothing left behind.

It listens on the loopback interface only. A process that ends is started anew, as the system of a real
cluster would do, so that one can try what a run makes of it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cluster.certificates import Certificates, make_certificates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

_SCHEDULER = "scheduler"

START_S = 60.0
"""How long the scheduler may take to be there."""

_LEAVE_S = 1.5
_LOOK_S = 0.2
_TOO_SOON_S = 5.0
_ENDS_IN_A_ROW = 3
"""So many ends in a row, each soon after the start, and it is not started anew."""

_SAID_CHARACTERS = 2000


class TrialError(Exception):
    """The cluster cannot be had; the message says why."""


@dataclass(slots=True)
class _Node:
    """One process.

    Attributes:
        name: `scheduler`, or the worker's name.
        arguments: what it is started with.
        log: where it writes.
        prefix, environment: how it is started, see `Trial.start_worker`.
        ends: how often in a row it ended soon after its start.
    """

    name: str
    arguments: Sequence[str]
    log: Path
    prefix: Sequence[str]
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    ends: int = field(default=0)


class Trial:
    """The cluster, from `with` to its end.

    Args:
        workers: how many.
        threads: games that each plays at once.
        port: of the scheduler; 0: any that is free.
        folder: where certificates are kept; None: a folder that goes with the cluster.
        say: told when a process ended.

    Attributes:
        address: of the scheduler.
        certificates: what a run shows to it.
    """

    def __init__(
        self,
        workers: int,
        *,
        threads: int = 1,
        port: int = 0,
        folder: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.address = ""
        # The nodes have a working folder of their own.
        self._given = folder and folder.absolute()
        self._workers = workers
        self._threads = threads
        self._port = port
        self._say = say
        self._nodes: dict[str, _Node] = {}

    def __enter__(self) -> Self:
        self._place = Path(tempfile.mkdtemp(prefix="arena-cluster-"))
        try:
            self.certificates: Certificates = make_certificates(self._given or self._place / "certificates")
            self._start_scheduler()
            for number in range(1, self._workers + 1):
                self.start_worker(f"worker-{number}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # The workers first: without their scheduler they would look for it.
        workers = [node for name, node in self._nodes.items() if name != _SCHEDULER]
        _end(workers)
        _end([node for name, node in self._nodes.items() if name == _SCHEDULER])
        shutil.rmtree(self._place, ignore_errors=True)

    def pid(self, name: str) -> int:
        """Return the process id of `scheduler` or of a worker, as it is now."""
        process = self._nodes[name].process
        if process is None:
            raise TrialError(f"{name} is not there")
        return process.pid

    def tend(self) -> None:
        """Start anew what has ended.

        Raises:
            TrialError: something ends whenever it is started.
        """
        for node in self._nodes.values():
            if node.process is None or node.process.poll() is None:
                continue
            is_soon = time.monotonic() - node.started_at < _TOO_SOON_S
            node.ends = node.ends + 1 if is_soon else 0
            if node.ends >= _ENDS_IN_A_ROW:
                raise TrialError(f"{node.name} ends whenever it is started; it said: {_end_of(node.log)}")
            code = node.process.returncode
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            self._say(f"{node.name} ended ({how}); it is started anew")
            self._launch(node)

    def tend_until_interrupted(self) -> None:
        """Tend until the interrupt, termination or hang-up signal comes."""
        signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
        before = {number: signal.getsignal(number) for number in signals}
        came: list[int] = []
        for number in signals:
            signal.signal(number, lambda number, _frame: came.append(number))
        try:
            while not came:
                self.tend()
                time.sleep(_LOOK_S)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _start_scheduler(self) -> None:
        told = self._place / "scheduler.json"
        node = self._node(
            "scheduler",
            [*_common(self.certificates), "--port", str(self._port), "--scheduler-file", str(told)],
        )
        deadline = time.monotonic() + START_S
        while not self.address:
            process = node.process
            if process is None or process.poll() is not None or time.monotonic() > deadline:
                raise TrialError(f"the scheduler does not start; it said: {_end_of(node.log)}")
            time.sleep(_LOOK_S / 4)
            with suppress(OSError, ValueError, KeyError):
                self.address = str(json.loads(told.read_bytes())["address"])
        # When it is started anew, its workers and runs must find it where it was.
        place = node.arguments.index("--port") + 1
        node.arguments = [
            *node.arguments[:place],
            self.address.rpartition(":")[2],
            *node.arguments[place + 1 :],
        ]

    def start_worker(
        self, name: str, *, prefix: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        """Start one more worker.

        Args:
            name: what the cluster calls it.
            prefix: program and arguments that it is started by.
            environment: variables beside ours.
        """
        own = ["--nthreads", str(self._threads), "--name", name, "--no-nanny", "--memory-limit", "0"]
        place = ["--local-directory", str(self._place / name)]
        self._node(name, [self.address, *_common(self.certificates), *own, *place], prefix, environment)

    def _node(
        self,
        name: str,
        arguments: Sequence[str],
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> _Node:
        log = self._place / f"{name}.log"
        node = self._nodes[name] = _Node(name, arguments, log, prefix, environment or {})
        self._launch(node)
        return node

    def _launch(self, node: _Node) -> None:
        kind = "scheduler" if node.name == _SCHEDULER else "worker"
        program = [sys.executable, "-m", "arena.cluster.node", str(os.getpid()), kind]
        with node.log.open("wb") as log:
            node.process = subprocess.Popen(
                [*node.prefix, *program, *node.arguments],
                env={**os.environ, **node.environment},
                # Python looks for modules in the folder it is started in, before all others.
                cwd=self._place,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        node.started_at = time.monotonic()


def _common(files: Certificates) -> list[str]:
    tls = ["--tls-ca-file", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    return [
        "--protocol",
        "tls",
        "--host",
        "127.0.0.1",
        "--no-dashboard",
        "--dashboard-address",
        "127.0.0.1:0",
        *tls,
    ]


def _end(nodes: Sequence[_Node]) -> None:
    processes = [node.process for node in nodes if node.process is not None]
    for process in processes:
        process.terminate()
        # One that is stopped hears of it only when it goes on.
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + _LEAVE_S
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        process.kill()
        process.wait()


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-_SAID_CHARACTERS:].strip() or "nothing"
