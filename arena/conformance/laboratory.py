"""The bench for callers that know nothing of trio (pytest): one thread of its own holds engine and loop.

Engines are started on that thread and their lives are tied to it, so it lasts until `close`.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import trio

from arena.conformance.bench import Bench
from arena.conformance.suite import Suite

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from arena.conformance.bench import Subject
    from arena.conformance.case import Case, CaseResult

_Result = TypeVar("_Result")


class Laboratory:
    """One engine under test, used from ordinary functions; its first process starts with the first use.

    Attributes:
        subject: what is tested.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._thread: threading.Thread | None = None
        self._is_ready = threading.Event()
        self._token: trio.lowlevel.TrioToken | None = None
        self._stop = trio.Event()
        self._suite: Suite | None = None

    def run(self, case: Case) -> CaseResult:
        """Try one case of the suite; what came of earlier ones is known to it."""

        async def run(suite: Suite) -> CaseResult:
            return await suite.run(case)

        return self._in_thread(run)

    def call(self, do: Callable[[Bench], Awaitable[_Result]]) -> _Result:
        """Do something with the bench and return what comes of it; errors come through as they are."""

        async def run(suite: Suite) -> _Result:
            return await do(suite.bench)

        return self._in_thread(run)

    def close(self) -> None:
        """End all processes and the thread."""
        if self._thread is not None and self._token is not None:
            with suppress(trio.RunFinishedError):
                trio.from_thread.run_sync(self._stop.set, trio_token=self._token)
            self._thread.join()
            self._thread = None

    def _in_thread(self, do: Callable[[Suite], Awaitable[_Result]]) -> _Result:
        if self._thread is None:
            self._thread = threading.Thread(
                target=trio.run, args=(self._serve,), name="arena laboratory", daemon=True
            )
            self._thread.start()
            self._is_ready.wait()
        suite = self._suite
        if suite is None or self._token is None:
            raise RuntimeError("the laboratory did not start")
        return trio.from_thread.run(do, suite, trio_token=self._token)

    async def _serve(self) -> None:
        try:
            async with trio.open_nursery() as nursery:
                bench = Bench(self.subject, nursery)
                self._suite = Suite(bench)
                self._token = trio.lowlevel.current_trio_token()
                self._is_ready.set()
                try:
                    await self._stop.wait()
                finally:
                    await bench.close()
                    nursery.cancel_scope.cancel()
        finally:
            self._is_ready.set()
