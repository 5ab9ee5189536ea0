"""Slots: how many games are played at a time, and on which cores each of them.

A slot is a place for one game, and both its engines run on the slot's cores. They seldom think at the same
time, so a slot has as many cores as the engine with the most threads asks for. What is left is the
referee's and the system's. Where the threads are more than the cores nobody is pinned to any.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.core.event import Event

SLOT_VARIABLE = "ARENA_SLOT"
"""Tells an engine the number of its slot, from 0: a port, a scratch file or a device of its own."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one game at a time.

    Attributes:
        number: from 0, unique in the run.
        cores: the cores its engines are bound to; empty: they may run anywhere.
    """

    number: int
    cores: tuple[int, ...] = ()


FREE_SLOT = Slot(0)
"""A slot of no particular place."""


def slots_of(event: Event, cores: Sequence[int]) -> tuple[Slot, ...]:
    """Return the slots of a run.

    Args:
        event: gives concurrency and threads.
        cores: numbers of the cores that may be used.
    """
    threads = _most_threads(event)
    if busy_cores(event) > len(cores) or len(cores) == 1:
        return tuple(Slot(number) for number in range(event.concurrency))
    ordered = sorted(cores)
    return tuple(
        Slot(number, tuple(ordered[number * threads : (number + 1) * threads]))
        for number in range(event.concurrency)
    )


def busy_cores(event: Event) -> int:
    """Return how many cores an event's games at a time may keep busy on one machine, if it had so many."""
    return event.concurrency * _most_threads(event)


def _most_threads(event: Event) -> int:
    return max((entry.threads or 1 for entry in event.engines), default=1)


@contextmanager
def pinned(cores: Sequence[int]) -> Iterator[None]:
    """Bind this thread to some cores for a moment: what it starts meanwhile stays bound to them."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
