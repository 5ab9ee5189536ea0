"""What the watching page says of an event's results, read from its database as sections of JSON values.

A section is a function of what was read. The page shows `standings` and `results` as tables, `progress` as a
bar, and each of `panels` as a titled list of lines: whatever else is to be told of an event is one more
function in `_PANELS`, or comes from whoever opens the page (the state of a sequential test). An engine that
plays itself in a komi laboratory has no standings: its results by komi take their place.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from arena.core.openings import OpeningError
from arena.core.schedule import Schedule, ScheduleError
from arena.rules.base import QuestionError
from arena.store import ReadStore, StoreError
from arena.store.lock import is_held
from arena.web.boards import board_of_record, boards_of
from arena.words import counted
from reports.duel import duel_lines
from reports.komi.by_komi import counts_by_komi
from reports.komi.study import is_through, plan_of
from reports.labels import labels_of
from reports.printable import printable
from reports.standings import standings
from reports.stored import results_of
from reports.tables import decision_line, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.laboratory import Laboratory
    from arena.store import GameSummary
    from reports.komi.by_komi import KomiCount
    from reports.results import Results
    from reports.standings import Standing

SHOWN_RESULTS = 20
_SHOWN_ENGINES = 200
_SHOWN_PAIRINGS = 45
_PACE_GAMES = 60
_BY_KOMI = "Results by komi"

_STANDINGS_NOTE = (
    "Shares with intervals on pairs for a number of games settled beforehand (Wilson, fixed sample): not for "
    "stopping when one likes."
)
_STANDINGS_SHARE = 30
_STANDINGS_S = 2.0
"""Standings are computed again at the earliest after two seconds and thirty times the time that it took: of
a million games they take seconds, and this process shall not keep a core busy that engines could use."""


@dataclass(frozen=True, slots=True)
class Panel:
    """What is to be told in lines of text, already safe to show.

    Attributes:
        title: its heading.
        lines: at least one.
    """

    title: str
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Read:
    """One open database with what was last read of it."""

    store: ReadStore
    file: tuple[int, int]
    event: Event
    plan: Laboratory | None = None
    total: int | None = None
    version: int = -1
    standings_version: int = -1
    standings_due: float = 0.0
    through_version: int = -1
    is_through: bool = False


class ResultsReader:
    """Reads an event again and again. Not thread-safe: one call at a time.

    Attributes:
        database: the file.
        event: the event as it was last read.
        finished: the playings that ended last, by id and attempt.
        is_running: whether a run was on at the last look.

    Args:
        database: the file; it may vanish, be replaced, be written all the time.
        event: what it holds now.
        further: makes further panels of what is stored.
    """

    def __init__(
        self,
        database: Path,
        event: Event,
        further: Callable[[ReadStore, Event], Sequence[Panel]] = lambda _store, _event: (),
    ) -> None:
        self.database = database
        self.event = event
        self._further = further
        self._read: _Read | None = None
        self.finished: frozenset[tuple[str, int]] = frozenset()
        self.is_running = True

    def close(self) -> None:
        """Close the database."""
        if self._read is not None:
            self._read.store.close()
            self._read = None

    def sections(self) -> dict[str, object]:
        """Return the sections that may have changed since the last call; `trouble` says what is wrong."""
        try:
            return {**self._sections(), "trouble": None}
        except (StoreError, OSError) as error:
            self.close()
            return {"trouble": printable(str(error), 500)}

    def game(self, game_id: str) -> dict[str, Any] | None:
        """Return a finished game for a page, None when there is none of this id."""
        try:
            record = self._opened().store.record(game_id)
        except (StoreError, OSError):
            return None
        return None if record is None else board_of_record(record)

    def _sections(self) -> dict[str, object]:
        read = self._opened()
        found: dict[str, object] = {}
        version = read.store.version()
        is_running = self.is_running = is_held(read.store.path)
        if version != read.version:
            event = read.store.event()
            is_other = event != read.event or read.version < 0
            if is_other:
                self.event = read.event = event
                found["event"] = _event(event)
            read.plan = plan_of(read.store, event)
            if is_other or event.is_dynamic:
                read.total = _games_of(event, read.store, read.plan)
            read.version = version
        latest = read.store.latest(max(SHOWN_RESULTS, _PACE_GAMES))
        self.finished = frozenset((game.id, game.attempt) for game, _ in latest)
        plan = read.plan
        if plan is not None and not is_running and read.through_version != version:
            read.is_through = plan.design.precision is not None and bool(is_through(plan, read.store))
            read.through_version = version
        names = [printable(engine.name) for engine in read.event.engines]
        found["progress"] = _progress(read, latest, is_running=is_running)
        found["results"] = [_result(game, ended, names) for game, ended in latest[:SHOWN_RESULTS]]
        if read.standings_version != version and time.monotonic() >= read.standings_due:
            is_first = read.standings_version < 0
            began = time.thread_time()
            found["standings"], panels = self._tables(read)
            found["panels"] = [{"title": panel.title, "lines": list(panel.lines)} for panel in panels]
            read.standings_version = version
            # The first time most of it is the loading of libraries.
            pause_s = 0.0 if is_first else _STANDINGS_S + _STANDINGS_SHARE * (time.thread_time() - began)
            read.standings_due = time.monotonic() + pause_s
        return found

    def _tables(self, read: _Read) -> tuple[dict[str, object], list[Panel]]:
        """Return the table that stands first, and what is told in lines."""
        if read.plan is None:
            results = results_of(read.store)
            panels = [*self._further(read.store, read.event), *_panels(results)]
            return _standings(results), panels
        columns = read.store.columns()
        results = results_of(read.store, columns=columns)
        counts = counts_by_komi(columns)
        if read.plan.is_self_play:
            # An engine is as strong as itself.
            return _by_komi(counts, len(results)), list(filter(None, [_organiser(results)]))
        lines = tuple(f"komi {each.komi}: Black won {each.black_won} of {each.games}" for each in counts)
        own = [Panel(_BY_KOMI, lines)] if lines else []
        return _standings(results), [*own, *self._further(read.store, read.event), *_panels(results)]

    def _opened(self) -> _Read:
        status = self.database.stat()
        file = (status.st_dev, status.st_ino)
        if self._read is not None and self._read.file != file:
            self.close()
        if self._read is None:
            store = ReadStore(self.database)
            try:
                self._read = _Read(store, file, store.event())
            except BaseException:
                store.close()
                raise
        return self._read


def _games_of(event: Event, store: ReadStore, plan: Laboratory | None) -> int | None:
    """Return how many games the event will have; None when that cannot be known (here)."""
    if plan is not None:
        return plan.planned if plan.design.precision is None else None
    try:
        schedule = Schedule(event, steps=[each.step for each in store.steps()])
        return schedule.expected(is_finished=store.meta().finished is not None)
    except (QuestionError, ScheduleError, OpeningError):
        return None


def _event(event: Event) -> dict[str, object]:
    labels = labels_of(event)
    return {
        "name": printable(event.name),
        "rules": printable(labels.rules),
        "colours": list(labels.colours),
        "format": event.format,
        "time": event.time.text,
        "engines": len(event.engines),
        "drawings": {name: drawing.as_data() for name, drawing in boards_of(event).items()},
    }


def _progress(
    read: _Read, latest: tuple[tuple[GameSummary, str], ...], *, is_running: bool
) -> dict[str, object]:
    progress, meta = read.store.progress(), read.store.meta()
    left = None if read.total is None else max(read.total - progress.played, 0)
    per_minute = _pace([ended for _, ended in latest])
    has_ended = meta.finished is not None or left == 0 or read.is_through
    state = "running" if is_running else "finished" if has_ended else "stopped"
    if state == "stopped" and meta.runs and meta.runs[-1].ended is None:
        state = "broken off"
    return {
        "state": state,
        "played": progress.played,
        "total": read.total,
        "annulled": progress.annulled,
        "void": progress.void_attempts,
        "per_minute": round(per_minute, 1) if is_running and per_minute else None,
        "left_s": round(left / per_minute * 60) if is_running and per_minute and left else None,
    }


def _pace(ended: list[str]) -> float | None:
    """Return games a minute over the newest games, None when it cannot be told."""
    if len(ended) < 3:
        return None
    newest, oldest = (datetime.fromisoformat(text) for text in (ended[0], ended[-1]))
    seconds = abs((newest - oldest).total_seconds())
    return (len(ended) - 1) * 60 / seconds if seconds else None


def _result(game: GameSummary, ended: str, names: list[str]) -> dict[str, object]:
    return {
        "id": game.id,
        "black": names[game.black],
        "white": names[game.white],
        "result": printable(game.result),
        "reason": printable(game.reason),
        "fault": None if game.at_fault is None else ("black", "white")[game.at_fault],
        "plies": game.plies,
        "ended": ended[11:19],
    }


def _standings(results: Results) -> dict[str, object]:
    lines = standings(results).lines
    black, white = results.labels.colours
    return {
        "title": "Standings",
        "name_at": 1,
        "note": _STANDINGS_NOTE,
        "headers": ["#", "Engine", "Games", "Points", "Share [95 %]", "W-D-L", black, white, "Faults"],
        "rows": [_standing(line) for line in lines[:_SHOWN_ENGINES]],
        "more": max(len(lines) - _SHOWN_ENGINES, 0),
        "counted": len(results),
    }


def _by_komi(counts: Sequence[KomiCount], counted: int) -> dict[str, object]:
    return {
        "title": _BY_KOMI,
        "name_at": None,
        "note": "What they say of the fair komi: arena komi, or arena report.",
        "headers": [
            "Komi",
            "Games",
            "Black won",
            "White won",
            "Black's share",
            "Mean board margin",
            "Faults",
        ],
        "rows": [
            [
                str(each.komi),
                str(each.games),
                str(each.black_won),
                str(each.white_won),
                f"{each.black_share:.1%}",
                "" if each.board_margin is None else f"{each.board_margin:+.2f}",
                str(each.faults),
            ]
            for each in counts
        ],
        "more": 0,
        "counted": counted,
    }


def _standing(line: Standing) -> list[str]:
    share, scores = line.share, (line.total, line.as_black, line.as_white)
    words = "" if share.value is None else f"{share.value:.1%}"
    if share.low is not None and share.high is not None:
        words += f" [{share.low:.1%}, {share.high:.1%}]"
    total, as_black, as_white = (f"{each.wins}-{each.draws}-{each.losses}" for each in scores)
    faults = sum(line.forfeits.values()) + line.total.failed
    name = printable(line.engine) + (" (out)" if line.is_disqualified else "")
    rank = f"{line.rank}=" if line.is_shared else str(line.rank)
    games, points = str(line.total.games), plain(line.total.points)
    return [rank, name, games, points, words, total, as_black, as_white, str(faults)]


def _organiser(results: Results) -> Panel | None:
    lines = tuple(decision_line(word) for word in results.decisions)
    return Panel("The organiser's words", lines) if lines else None


def _duel(results: Results) -> Panel | None:
    title, *lines = duel_lines(results) or [""]
    told = tuple(": ".join(part.strip() for part in line.split("  ", 1)) for line in lines if line)
    return Panel(title, told) if title else None


def _pairings(results: Results) -> Panel | None:
    """Every pairing of three and more engines; of two the panel on the match says it."""
    if len(results.engines) < 3 or not results.pairings:
        return None
    lines = [each.words(results.engines) for each in results.pairings[:_SHOWN_PAIRINGS]]
    left = len(results.pairings) - len(lines)
    lines += [f"{counted(left, 'further pairing')}"] if left else []
    return Panel("Pairings: score and its interval, valid whenever you look", tuple(lines))


def _panels(results: Results) -> list[Panel]:
    return [panel for make in _PANELS if (panel := make(results)) is not None]


_PANELS: tuple[Callable[[Results], Panel | None], ...] = (_duel, _pairings, _organiser)
