"""What a run shows while it plays: a live table on a terminal, plain lines elsewhere. All on standard error.

Every figure is counted from committed records, so no total ever goes backwards or runs ahead of the file.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol, Self

    from rich.console import Group

    from arena.cli.sequence import PairingsWatch
    from arena.core.event import Event
    from arena.core.record import Evidence, GameRecord
    from arena.core.task import GameTask
    from arena.live.preflight import EngineFinding
    from arena.live.tournament import Observer

    class Display(Observer, Protocol):
        """An observer with a beginning and an end."""

        def __enter__(self) -> Self: ...

        def __exit__(self, *error: object) -> None: ...

        def say(self, line: str) -> None:
            """Print a line."""

        def beat(self) -> None:
            """Take the chance to say where the run stands; called now and then."""


HEARTBEAT_S = 10.0
"""Longest silence between two plain lines while games are being played."""

PAIRINGS_S = 5.0
"""Shortest time between two computations of the pairings' intervals."""

_SHOWN_ENGINES = 20
_NAME_WIDTH = 32
_RATE_WINDOW_S = 120.0


@dataclass(slots=True)
class Line:
    """One engine's line of the live table."""

    name: str
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: int = 0

    @property
    def points(self) -> float:
        """Points so far."""
        return self.wins + self.draws / 2


@dataclass(slots=True)
class Tally:
    """What the committed records add up to.

    Attributes:
        lines: by engine name.
        total: games of the event.
        may_end_early: whether a test or an estimate ends it, so that `total` is only the most there can be.
        done: games that need no playing any more.
        void: playings that counted for nobody.
        watch: what is known of the pairings while they are played, None where that cannot be watched.
        without_fault: games in which no engine failed.
    """

    lines: dict[str, Line]
    total: int
    done: int = 0
    void: int = 0
    without_fault: int = 0
    may_end_early: bool = False
    watch: PairingsWatch | None = None

    def add(self, black: str, white: str, winner: str | None, at_fault: str | None, games: int = 1) -> None:
        """Count games that ended alike: `winner` and `at_fault` are `black`, `white`, `draw` or None."""
        self.done += games
        if winner is not None and at_fault is None:
            self.without_fault += games
        for side, name in (("black", black), ("white", white)):
            line = self.lines[name]
            line.games += games
            line.wins += games * (winner == side)
            line.draws += games * (winner == "draw")
            line.losses += games * (winner not in (side, "draw"))
            line.faults += games * (at_fault == side)

    def take(self, record: GameRecord) -> None:
        """Count one committed record."""
        verdict = record.verdict
        if verdict.is_void:
            self.void += verdict.is_replayed
            self.done += not verdict.is_replayed
            return
        at_fault = None if verdict.at_fault is None else ("black", "white")[verdict.at_fault]
        self.add(record.black.name, record.white.name, verdict.winner_word, at_fault)

    def ranked(self) -> list[Line]:
        """Return the lines by share of points, then name."""
        return sorted(self.lines.values(), key=lambda line: (-line.points / max(line.games, 1), line.name))


class Pace:
    """Games per minute over the last two minutes, and the time left at that pace."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times = deque([now()])

    def count(self) -> None:
        """Note that a game was committed."""
        now = self._now()
        self._times.append(now)
        while self._times[0] < now - _RATE_WINDOW_S:
            self._times.popleft()

    @property
    def has_counted(self) -> bool:
        """Whether a game was committed."""
        return len(self._times) > 1

    def per_minute(self) -> float:
        """Return games per minute; 0.0 before the first game."""
        span = self._now() - self._times[0]
        return (len(self._times) - 1) * 60 / span if span > 0 else 0.0

    def left(self, games: int) -> str:
        """Return the time that `games` more games will take, in words."""
        rate = self.per_minute()
        return duration(games / rate * 60) if rate else "unknown"


def duration(seconds: float) -> str:
    """Return a duration in words of at most two units: `45 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours // 24} days {hours % 24} h"


def shortened(name: str, width: int = _NAME_WIDTH) -> str:
    """Return a name cut to `width` characters."""
    return name if len(name) <= width else name[: width - 1] + "…"


def fault_line(record: GameRecord) -> str | None:
    """Return one line on a game that ended by a fault, None for every other game."""
    verdict = record.verdict
    if not record.evidence:
        return None
    names = (shortened(record.black.name), shortened(record.white.name))
    words = "; ".join(f"{names[side]}: {_told(each)}" for side, each in sorted(record.evidence.items()))
    log = f" ({record.log})" if record.log else ""
    return f"game {record.id}, {verdict.reason}: {words}{log}"


def _told(evidence: Evidence) -> str:
    return f"{evidence.message}, {evidence.exit}" if evidence.exit else evidence.message


class _Watching:
    """What both displays do with events."""

    def __init__(self, event: Event, tally: Tally, most_playing: int | None) -> None:
        self.event = event
        self.tally = tally
        self.most_playing = most_playing
        self.pace = Pace()
        self.running: set[str] = set()
        self.has_begun = False
        self._warned: set[tuple[str, str]] = set()

    def examined(self, findings: Iterable[EngineFinding]) -> None:
        for finding in findings:
            self._warn(finding.name, finding.warnings)

    def game_started(self, task: GameTask) -> None:
        self.has_begun = True
        self.running.add(task.scheduled.id)

    def game_committed(self, record: GameRecord) -> None:
        self.running.discard(record.id)
        self.tally.take(record)
        self.pace.count()
        for side, words in sorted(record.warnings.items()):
            self._warn((record.black, record.white)[side].name, words)
        line = fault_line(record)
        if line is not None:
            self.say(line)

    def _warn(self, engine: str, warnings: Iterable[str]) -> None:
        """Say each oddity of an engine once."""
        for words in warnings:
            if (engine, words) not in self._warned:
                self._warned.add((engine, words))
                self.say(f"{shortened(engine)}: {words}")

    def stopping(self, *, at_once: bool) -> None:
        if at_once:
            self.say("stopping at once: the running games are given up and will be played again")
        else:
            self.say("stopping when the running games are finished; once more to stop at once")

    def say(self, line: str) -> None:
        raise NotImplementedError

    @property
    def playing(self) -> int:
        """How many games are being played; one that is over and not yet stored is none of them."""
        return len(self.running) if self.most_playing is None else min(len(self.running), self.most_playing)

    def beat(self) -> None:
        """Nothing is to be done now and then."""

    def summary(self) -> str:
        """Return where the run stands, in one line."""
        tally = self.tally
        left = tally.total - tally.done
        most = "at most " if tally.may_end_early else ""
        words = [f"{tally.done} of {most}{counted(tally.total, 'game')}"]
        if self.pace.has_counted:
            words.append(f"{self.pace.per_minute():.1f} games a minute")
            if left and not tally.may_end_early:
                words.append(f"{self.pace.left(left)} left")
        if tally.watch is not None and (known := tally.watch.words()):
            words.append(known)
        if tally.void:
            words.append(f"{tally.void} void")
        return ", ".join(words)

    def state(self) -> str:
        """Return the same, and what is being done at the moment."""
        doing = f"{self.playing} being played" if self.has_begun else "the engines are being started"
        return f"{self.summary()}, {doing}"


class PlainLines(_Watching):
    """Lines for logs: faults and warnings at once, and where the run stands now and then."""

    def __init__(
        self,
        event: Event,
        tally: Tally,
        most_playing: int | None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(event, tally, most_playing)
        self._now = now
        self._last = now()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.has_begun:
            click.echo(self.summary(), err=True)

    def beat(self) -> None:
        """Say where the run stands when that was not said for a while, whether games end or not."""
        now = self._now()
        if now - self._last >= HEARTBEAT_S:
            self._last = now
            click.echo(self.state(), err=True)

    def say(self, line: str) -> None:
        """Print a line."""
        click.echo(line, err=True)


class LiveTable(_Watching):
    """A table that is drawn again four times a second."""

    def __init__(self, event: Event, tally: Tally, most_playing: int | None) -> None:
        super().__init__(event, tally, most_playing)
        from rich.console import Console
        from rich.live import Live

        self._pairings: list[str] = []
        self._pairings_due = 0.0
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(
            get_renderable=self._table, console=self._console, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()
        if self.has_begun:
            self._console.print(self.summary(), markup=False)

    def say(self, line: str) -> None:
        """Print a line above the table."""
        self._console.print(line, markup=False)

    def _table(self) -> Group:
        from rich import box
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        table = Table(title=escape(self.event.name), caption=escape(self.state()), box=box.SIMPLE_HEAD)
        # On a narrow terminal names are cut, figures never.
        table.add_column("Engine", no_wrap=True, overflow="ellipsis")
        for heading in ("Games", "Points", "Share", "Wins", "Draws", "Losses", "Faults"):
            table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
        ranked = self.tally.ranked()
        for line in ranked[:_SHOWN_ENGINES]:
            share = f"{100 * line.points / line.games:.1f} %" if line.games else "–"
            counts = (line.wins, line.draws, line.losses, line.faults)
            table.add_row(
                escape(shortened(line.name)), str(line.games), f"{line.points:g}", share, *map(str, counts)
            )
        if len(ranked) > _SHOWN_ENGINES:
            table.add_row(f"… and {len(ranked) - _SHOWN_ENGINES} more", *[""] * 7)
        pairings = self._pairing_lines()
        if not pairings:
            return Group(table)
        head = "Pairings, with intervals that are valid whenever you look"
        return Group(table, *(Text(line) for line in ("", head, *pairings)))

    def _pairing_lines(self) -> list[str]:
        """Return the pairings' lines, made anew every few seconds: this process has games to referee."""
        now = time.monotonic()
        if self.tally.watch is not None and now >= self._pairings_due:
            self._pairings = self.tally.watch.lines()
            self._pairings_due = now + PAIRINGS_S
        return self._pairings


def display(event: Event, tally: Tally, most_playing: int | None) -> Display:
    """Return the display that fits where standard error goes.

    Args:
        event: what is played.
        tally: what its committed games add up to.
        most_playing: games at a time, None where others settle that.
    """
    kind = LiveTable if sys.stderr.isatty() else PlainLines
    return kind(event, tally, most_playing)
