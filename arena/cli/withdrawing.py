"""Taking engines out of a running event when they fail too often, and what becomes of their games.

`arena.core.streaks` decides, the store keeps the decision among the organiser's words, and the games that are
still to come are recorded as the event's `withdrawn` says when their turn to be played has come.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from arena.core.streaks import Withdrawals, ended
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arena.core.event import Event, ScheduledGame
    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.store import RunStore

_BATCH_GAMES = 1000
"""Games given away that are committed at once."""


class Withdrawing:
    """Stands between a run and its store.

    Args:
        event: what is played.
        store: where withdrawals are kept.
        commit: stores records; it is called in whatever thread asks for it.
        settled: told of the games that were given away.

    Attributes:
        news: what people should be told, oldest first; whoever tells it takes it out.
    """

    def __init__(
        self,
        event: Event,
        store: RunStore,
        commit: Callable[[Sequence[GameRecord]], None],
        settled: Callable[[GameRecord], None],
    ) -> None:
        self.news: deque[str] = deque()
        self._event = event
        self._store = store
        self._commit = commit
        self._settled = settled
        self._lock = Lock()
        self._places = {entry.name: place for place, entry in enumerate(event.engines)}
        self._out = set(store.disqualified())
        start, beyond = store.streaks()
        self._withdrawals = Withdrawals(event.max_faults_in_a_row, start, self._out)
        self._withdraw(self._withdrawals.take(beyond))

    @property
    def out(self) -> frozenset[int]:
        """Index of every engine that is out of the event by now."""
        return frozenset(self._out)

    def commit(self, records: Sequence[GameRecord]) -> None:
        """Store records and withdraw whom they condemn; called in a thread, while another takes tasks."""
        self._commit(records)
        games = [
            ended(record.ordinal, record.id, self._sides(record), record.verdict)
            for record in records
            if not record.verdict.is_replayed
        ]
        with self._lock:
            self._withdraw(self._withdrawals.take(games))

    def spared(self, tasks: Iterator[GameTask | None]) -> Iterator[GameTask | None]:
        """Yield the tasks of those who are still in; the other games are recorded without being played."""
        given_away: list[ScheduledGame] = []
        for task in tasks:
            is_out = task is not None and bool(self._out & {task.scheduled.black, task.scheduled.white})
            if task is not None and is_out:
                given_away.append(task.scheduled)
                if len(given_away) < _BATCH_GAMES:
                    continue
            has_given = self._give_away(given_away)
            given_away = []
            # Where there was nothing yet, the games just given away may have brought something.
            if not is_out and not (task is None and has_given):
                yield task
        self._give_away(given_away)

    def _give_away(self, games: list[ScheduledGame]) -> bool:
        """Record games; say whether there were any."""
        records = self._store.withdrawn_records(games)
        if records:
            self.commit(records)
            for record in records:
                self._settled(record)
        return bool(records)

    def _withdraw(self, engines: list[int]) -> None:
        for engine in engines:
            limit = self._event.max_faults_in_a_row
            why = f"by the arena, after {counted(limit, 'game')} in a row lost by faults of its own"
            self._store.withdraw(engine, why)
            self._out.add(engine)
            becomes = "lost" if self._event.withdrawn == "forfeit" else "counted for nobody"
            name = self._event.engines[engine].name
            self.news.append(f"{name} is withdrawn {why}: its unplayed games are {becomes}")

    def _sides(self, record: GameRecord) -> tuple[int, int]:
        return self._places[record.black.name], self._places[record.white.name]
