"""A whole run as a process of its own, for tests that kill it: `python runner_driver.py MARK BEHAVIOUR…`.

It says on standard output what happens, a line at a time, and plays on for as long as it is let.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import trio

from arena.live.tournament import Runner
from tests.live.hostile_engines import entry
from tests.live.runs import Watcher, endless, event_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.record import GameRecord
    from arena.core.task import GameTask


class Teller(Watcher):
    """Says it to whoever started this process."""

    def game_started(self, task: GameTask) -> None:
        """Name the game."""
        print("started", task.scheduled.id, flush=True)

    def game_committed(self, record: GameRecord) -> None:
        """Name the game and how it ended."""
        print("committed", record.id, record.verdict.reason, flush=True)


def commit(batch: Sequence[GameRecord]) -> None:
    """Keep nothing."""


def main() -> None:
    """Run until there is nothing left or somebody objects."""
    mark, *behaviours = sys.argv[1:]
    event = event_of(*(entry(each, mark, f"{place}-{each}") for place, each in enumerate(behaviours)))
    report = trio.run(Runner(event, endless(event), commit, Teller(), again=lambda task: task).run)
    print("ended", report.ending.name, flush=True)


if __name__ == "__main__":
    main()
