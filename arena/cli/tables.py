"""Games between a person and an engine, from the command line's words to stored records.

The event is an ordinary one of two entries. The person's entry is never started; its command says so. Every
further game is the next of the schedule in which the person has the colour asked for, and the event grows
when there is none left.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.cli.target import placement_in
from arena.core.clock import parse_time
from arena.core.schedule import Schedule
from arena.core.table import Laid, packed
from arena.core.task import game_task
from arena.live.child import start_module
from arena.store import ReadStore, RunStore

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Self

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.task import GameTask

PERSON = 0
"""Index of the person's entry."""

MARGIN_MS = 1000
"""What is forgiven beyond the flag. For a person, because the way from hand to referee is longer than a pipe;
for the engine, because nobody wants to win a game by 20 ms of a busy machine."""

_END_S = 3.0


def event_against(engine: str, keys: dict[str, object], name: str, time: str) -> Event:
    """Return the event of a person against an engine.

    Args:
        engine: name of a sample engine, or a command.
        keys: keys of `[tournament]`; its `time` is the engine's.
        name: the person's name.
        time: the person's time control.

    Raises:
        ConfigError: with every problem found.
        TimeControlError: the person's time is no time control.
    """
    from arena.config import event_from_keys

    control = parse_time(time)
    entries: list[Mapping[str, object] | str] = [
        {"name": name, "command": ["{python}"]},
        {"command": engine, "margin_ms": MARGIN_MS},
    ]
    tournament = {"format": "match", "pairs": 1, "concurrency": 1, **keys}
    event = event_from_keys(tournament, entries)
    person = replace(
        event.engines[PERSON],
        command=("a-person",),
        cwd=os.sep,
        time=control,
        margin_ms=MARGIN_MS,
        work_limit=None,
        options={},
    )
    return replace(event, engines=(person, *event.engines[1:]))


class Tables:
    """The games of one person against one engine in one database. Close it, or use `with`.

    Args:
        event: from `event_against`.
        database: where the records go; made when it does not exist.

    Raises:
        StoreError: the database belongs to another event, is in use, cannot be written.
    """

    def __init__(self, event: Event, database: Path) -> None:
        self._event = event
        self.path = database
        self._is_new = not database.exists()
        self._kept = 0
        self._table: subprocess.Popen[bytes] | None = None
        if not self._is_new:
            with ReadStore(database) as stored:
                self._event = replace(event, games_each=max(event.games_each, stored.event().games_each))
        self._store = self._opened(self._event)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the game that is on, and close the database; one without a game is removed."""
        self._end_table()
        if not self._kept and self._is_new:
            self._store.close()
            self.path.unlink(missing_ok=True)
            return
        if len(self._store.played()) == len(Schedule(self._event)):
            self._store.finish()
        self._store.close()

    def lay(self, colour: int | None) -> socket.socket:
        """Begin a game; return the socket to its table.

        Args:
            colour: the person's; None for the next game as it is scheduled.
        """
        self._end_table()
        task = self._next_task(colour)
        self._table, ours = start_module("arena.live.table")
        ours.sendall(packed(Laid(self._event, task, PERSON)))
        return ours

    def keep(self, record: GameRecord) -> str:
        """Commit a finished game; return where it went."""
        self._store.add([record])
        if record.verdict.is_void:
            return "the game is void by the arena's own fault and counts for nobody"
        self._kept += 1
        return f"stored in {self.path} as game {record.id}"

    def _next_task(self, colour: int | None) -> GameTask:
        while True:
            schedule, played = Schedule(self._event), self._store.played()
            for ordinal in range(len(schedule)):
                scheduled = schedule.game(ordinal)
                if ordinal not in played and colour in (None, 0 if scheduled.black == PERSON else 1):
                    attempt = self._store.attempts(scheduled.id) + 1
                    return game_task(self._event, scheduled, attempt, self._store.dice_key)
            self._event = replace(self._event, games_each=self._event.games_each + 2)
            self._store.close()
            self._store = self._opened(self._event)

    def _opened(self, event: Event) -> RunStore:
        return RunStore.create_or_resume(self.path, event, placement=placement_in(Schedule(event), self.path))

    def _end_table(self) -> None:
        table, self._table = self._table, None
        if table is None:
            return
        try:
            table.wait(_END_S)
        except subprocess.TimeoutExpired:
            table.kill()
            table.wait()
