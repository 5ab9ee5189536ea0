"""How a worker is looked at before it gets its first game: whatever differs there is told in a sentence."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import trio

from arena.cluster.bundles import pieces
from arena.cluster.installation import difference, installation
from arena.cluster.station import Preparation
from arena.live.sandbox import bubblewrap_problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.cluster.station import Prepared
    from arena.core.event import Event


class RefusedError(Exception):
    """A worker that must not play; the message is a sentence for the user that names it."""


class TaskError(Exception):
    """A function failed on a worker; the message is what it raised."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """An engine that was handed in, as it travels: its folder here, its digest, its build command."""

    folder: str
    sha256: str
    build: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted of every worker.

    Attributes:
        run, event_key, event, absent, programs: as in `arena.cluster.station.Preparation`.
        bundles: engines that travel.
    """

    run: str
    event_key: str
    event: Event
    absent: frozenset[int]
    programs: tuple[str, ...]
    bundles: Sequence[Bundle]


@dataclass(frozen=True, slots=True)
class Greeted:
    """A worker that may play.

    Attributes:
        facts: what it says of itself, see `arena.cluster.station.describe`.
        prepared: what came of its preparation.
    """

    facts: Mapping[str, str]
    prepared: Prepared


class Ask(Protocol):
    """Has a function of the station called on the worker.

    Raises:
        TaskError: it failed there.
    """

    async def __call__(self, function: str, *values: object) -> Any:
        """Return what it returned."""


async def greet(ask: Ask, who: str, plan: Plan, *, threads: int, is_alone: bool) -> Greeted:
    """Compare, send what must travel, and have the worker make ready.

    Args:
        ask: the way to it.
        who: its name in sentences.
        plan: what is wanted.
        threads: games it plays at a time.
        is_alone: whether it has its machine for itself.

    Raises:
        RefusedError: it cannot play this event.
    """
    try:
        # Plain values first: whatever else it has may be another version's.
        facts: dict[str, str] = await ask("describe")
    except TaskError as error:
        raise RefusedError(
            f"{who} cannot load gtparena ({error}): install 'gtparena[cluster]' of the runner's version "
            "there and start it anew"
        ) from error
    if (words := difference(installation(), facts)) is not None:
        raise RefusedError(f"{who} {words}")
    try:
        await _send_bundles(ask, who, plan.bundles)
        wanted = Preparation(
            plan.run,
            plan.event_key,
            plan.event,
            plan.absent,
            sys.executable,
            plan.programs,
            {each.folder: each.sha256 for each in plan.bundles},
            await trio.to_thread.run_sync(bubblewrap_problem) is None,
            is_alone,
            threads,
        )
        answer = await ask("prepare", pickle.dumps(wanted))
    except TaskError as error:
        raise RefusedError(f"{who} cannot be made ready ({error}); see the worker's own log") from error
    prepared: Prepared = pickle.loads(answer)  # noqa: S301  from the worker, see the station
    if prepared.problems:
        raise RefusedError(f"{who} {'; '.join(prepared.problems)}")
    return Greeted(facts, prepared)


async def _send_bundles(ask: Ask, who: str, bundles: Sequence[Bundle]) -> None:
    """Send the worker what it does not have of the engines that were handed in."""
    by_digest = {each.sha256: each for each in bundles}
    for digest in await ask("missing_bundles", list(by_digest)) if bundles else []:
        bundle = by_digest[digest]
        for offset, piece in await trio.to_thread.run_sync(list, pieces(Path(bundle.folder))):
            await ask("take_piece", digest, offset, piece)
        problem = await ask("open_bundle", digest, list(bundle.build))
        if problem:
            raise RefusedError(f"{who} {problem}")
