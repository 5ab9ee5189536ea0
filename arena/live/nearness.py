"""The referee beside its engines: on their core while they answer at once, on any core while they think.

Programs that talk over pipes and take turns never work at the same time. They are quickest on one core: to
wake a program there takes a switch, to wake it on another core an interrupt, which costs more than a fast
engine's whole turn. But an engine that thinks, or goes on computing out of turn, would keep the referee from
that core. So one answer that has to be waited for sends the referee away again, every time for longer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FIRST_BURSTS = 4
"""Bursts of turns taken without waiting (of a millisecond each) before the referee comes near."""

MOST_BURSTS = 4096


class Nearness:
    """Where the thread runs that referees one game at a time.

    Args:
        cores: the cores its engines are bound to.
        move: binds this thread to some cores.
    """

    def __init__(
        self,
        cores: Iterable[int],
        move: Callable[[Iterable[int]], None] = lambda cores: os.sched_setaffinity(0, cores),
    ) -> None:
        self._near = frozenset(cores)
        self._everywhere = frozenset(os.sched_getaffinity(0))
        self._move = move
        self._bursts = 0
        self._needed = FIRST_BURSTS
        self._is_near = False

    def after_burst(self) -> None:
        """Turns were taken for a while without waiting."""
        self._bursts += 1
        if not self._is_near and self._bursts >= self._needed:
            self._is_near = True
            self._move(self._near)

    def after_wait(self) -> None:
        """An answer did not come at once."""
        self._bursts = 0
        if self._is_near:
            self._is_near = False
            self._needed = min(2 * self._needed, MOST_BURSTS)
            self._move(self._everywhere)
