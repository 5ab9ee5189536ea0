"""How fast a machine is at what games are made of: a fixed piece of work in the rules core, timed.

The work is a row of random games of Pletore 9x9 from fixed seeds, all legal moves listed at every turn. The
speed is `NOMINAL_S` over the median time of several such rows, so that 1.0 is a machine of the kind on which
the measure was set, and 0.5 one that takes twice as long. Wall time is measured, since that is what clocks
show: a machine that is busy, throttled or shared is slow.
"""

from __future__ import annotations

import random
import statistics
import time

from arena.core.clock import Kind, TimeControl
from arena.rules.registry import make_rules

NOMINAL_S = 0.035
"""What the work took on the machine the measure was set on (docs/scale.md)."""

ROUNDS = 9

LOWEST_FACTOR, HIGHEST_FACTOR = 0.25, 4.0
"""Bounds of what clocks are multiplied with: beyond them a machine is not slow but unfit."""

_GAMES = 20
_US_IN_MS = 1000


def work() -> int:
    """Do the work once; return its number of plies, the same on every machine."""
    plies = 0
    for seed in range(_GAMES):
        chance = random.Random(seed)
        position = make_rules("pletore", size=9, komi=4).initial()
        while not position.is_over:
            position.play(chance.choice(position.legal_moves()))
            plies += 1
    return plies


def speed(rounds: int = ROUNDS) -> float:
    """Return this machine's speed as it is now."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return NOMINAL_S / statistics.median(times)


def clock_factor(speed: float, reference: float) -> float:
    """Return what the clocks of a machine are multiplied with, so that it can think as much as the reference.

    In hundredths, between `LOWEST_FACTOR` and `HIGHEST_FACTOR`.
    """
    return round(min(max(reference / speed, LOWEST_FACTOR), HIGHEST_FACTOR), 2)


def scaled(control: TimeControl, factor: float) -> TimeControl:
    """Return a time control with all its times multiplied, in whole milliseconds; never down to nothing."""
    if factor == 1.0 or control.kind is Kind.UNLIMITED:
        return control
    return TimeControl(
        control.kind,
        main_us=_scaled_us(control.main_us, factor),
        increment_us=_scaled_us(control.increment_us, factor),
        moves=control.moves,
        period_us=_scaled_us(control.period_us, factor),
        periods=control.periods,
    )


def _scaled_us(time_us: int, factor: float) -> int:
    return max(_US_IN_MS, round(time_us * factor / _US_IN_MS) * _US_IN_MS) if time_us else 0
