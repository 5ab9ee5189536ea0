"""Cores that do not fall asleep while games are played, where this machine lets us ask for that.

A core with nothing to do is put to sleep, and waking it takes tens of microseconds, twice a turn, which are
all charged to the engine (docs/performance.md). Linux keeps its cores awake for as long as a program holds
`/dev/cpu_dma_latency` open that has written there how long waking up may take (kernel documentation,
`pm_qos_interface`); by default root alone may. The request is gone with the process that made it, however it
ends.

A core kept awake uses power, and on some hosts is paid for. So it is asked for where the games at a time may
keep half of the cores busy anyway, as they do by default, or where `ARENA_AWAKE` says so.
"""

from __future__ import annotations

import os
import struct
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

AWAKE_VARIABLE = "ARENA_AWAKE"
"""`yes` or `no`; anything else counts as unset."""

_DEVICE = Path("/dev/cpu_dma_latency")
_AT_ONCE_US = struct.pack("=i", 0)


def wants_awake(busy_cores: int, cores: int, wish: str | None) -> bool:
    """Say whether cores should be kept awake.

    Args:
        busy_cores: how many the games at a time may use.
        cores: how many this machine has.
        wish: what `AWAKE_VARIABLE` says, None when it is not set.
    """
    if wish in ("yes", "no"):
        return wish == "yes"
    return busy_cores >= max(1, cores // 2)


@contextmanager
def cores_kept_awake(busy_cores: int, device: Path = _DEVICE) -> Iterator[None]:
    """Keep the cores of this machine awake, if that is wanted and allowed; otherwise do nothing."""
    descriptor: int | None = None
    if wants_awake(busy_cores, os.cpu_count() or 1, os.environ.get(AWAKE_VARIABLE)):
        try:
            descriptor = os.open(device, os.O_WRONLY)
            os.write(descriptor, _AT_ONCE_US)
        except OSError:
            # Not ours to ask for: the clock is then as good as the machine's sleep lets it be.
            pass
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
