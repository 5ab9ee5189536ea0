"""What is asked of Dask: each function here is called in a thread, and returns when Dask has answered."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client, Future

    from arena.cluster.station import Reply

ANSWER_S = 10.0
"""How long scheduler and workers may take to answer what needs no work."""

CLOSE_S = 0.7
"""How long taking leave may take, each of two steps: an aborted run is over within two seconds."""


def call_there() -> Callable[..., Any]:
    """Return what calls a function of the station wherever it is sent.

    It is made here so that it travels as itself and not as a name: a worker without our package would not
    survive the name, and the scheduler needs nothing of ours.
    """

    def gtparena_station(function: str, *values: Any, **keywords: Any) -> Any:
        import importlib

        return getattr(importlib.import_module("arena.cluster.station"), function)(*values, **keywords)

    return gtparena_station


def bound_to(address: str) -> dict[str, Any]:
    """Return how a task is submitted that nobody but one worker may do, and nobody again."""
    return {"workers": [address], "allow_other_workers": False, "pure": False, "retries": 0}


def workers_at(client: Client) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return the scheduler's name for itself and what it knows of its workers, by address."""
    scheduler: Any = client.scheduler
    identity = client.sync(scheduler.identity, n_workers=-1, callback_timeout=ANSWER_S)
    workers: dict[str, dict[str, Any]] = identity["workers"]
    return str(identity["id"]), workers


def fetched(future: Future[Any]) -> Reply | str | None:
    """Return what a game's task came to.

    Returns:
        The reply; in words what the task raised; or None where nothing comes now, because its worker or the
        scheduler does not answer.
    """
    try:
        reply: Reply = pickle.loads(future.result(timeout=ANSWER_S))  # noqa: S301  from the worker
    except Exception as error:
        return f"{type(error).__name__}: {error}" if future.status == "error" else None
    return reply


def views_at(client: Client, there: Callable[..., Any], run: str, addresses: list[str]) -> list[bytes]:
    """Return the views of running games that some workers have; none of those that do not answer."""
    found = client.run(there, "views", run, workers=addresses, on_error="ignore")
    return [view for views in found.values() for view in views]


def close(client: Client) -> None:
    """Take leave of the scheduler."""
    client.close(timeout=CLOSE_S)
