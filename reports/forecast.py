"""How long an event will take: at most, by its clocks, and as measured, once games of it have been played.

At most: both sides of every game use up their clocks in a game of usual length. That length is the median of
the games played; before there are any, of a few random ones, which tell the order of magnitude: engines end
games of Pente sooner, and play those of Topolo to the same last space.

Games are taken to fill all the places there are; in formats by results each round waits for the one before.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from arena.core.rounds import slots
from arena.core.schedule import discipline_of
from arena.core.terms import TermsOfEvent
from arena.rules.registry import make_rules
from reports.allowance import granted_us

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.schedule import Schedule
    from arena.rules.base import Rules

RANDOM_GAMES = 9
LONGEST_RANDOM_GAME = 3000
"""Turns after which a random game is broken off: a plugin's game may have no end of its own."""

MEASURED_GAMES = 500
"""Games that a measurement looks at, the first of the schedule: enough for a mean, soon read."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What games played so far took, of one discipline.

    Attributes:
        games: how many were looked at.
        mean_s: from the first set-up to the last move, seconds.
        turns: median length.
    """

    games: int
    mean_s: float
    turns: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The time an event will take; seconds.

    Attributes:
        games: games to be played from now on; by results: if no match is drawn and nobody leaves.
        at_most_s: None where a clock has no limit.
        turns: the length of a game that this is reckoned with, by discipline.
        turns_from: whether those lengths are of games played or of random ones.
        measured_s: as games took that were played; None before there are any of every discipline.
        measured: what was measured, by discipline.
    """

    games: int
    at_most_s: float | None
    turns: Mapping[str, int]
    turns_from: Literal["played", "random"]
    measured_s: float | None
    measured: Mapping[str, Measured]


def measured(records: Iterable[GameRecord]) -> dict[str, Measured]:
    """Return what the first games took, by discipline; only those that ended on the board."""
    times: dict[str, list[tuple[float, int]]] = {}
    for record in islice(records, MEASURED_GAMES):
        seconds = _duration_s(record)
        if record.verdict.outcome is None or seconds is None:
            continue
        times.setdefault(discipline_of(record.id), []).append((seconds, len(record.moves)))
    return {
        name: Measured(
            games=len(games),
            mean_s=statistics.fmean(seconds for seconds, _ in games),
            turns=int(statistics.median(turns for _, turns in games)),
        )
        for name, games in times.items()
    }


def _duration_s(record: GameRecord) -> float | None:
    """Return how long a game took; None where its record does not say, as imported ones may not."""
    try:
        started, ended = (datetime.fromisoformat(text) for text in (record.started, record.ended))
        return max(0.0, (ended - started).total_seconds())
    except (ValueError, TypeError):
        # No instants, or one with a time zone and one without.
        return None


def forecast(
    event: Event, schedule: Schedule, played: int = 0, found: Mapping[str, Measured] | None = None
) -> Forecast:
    """Return how long an event will take from now on.

    Args:
        event: the event.
        schedule: its schedule, as far as it is known.
        played: games that need no playing any more.
        found: what games so far took, by discipline.
    """
    found = found or {}
    disciplines = event.all_disciplines
    is_measured = all(each.name in found for each in disciplines)
    turns = {
        each.name: found[each.name].turns
        if is_measured
        else random_length(make_rules(each.game, size=each.size))
        for each in disciplines
    }
    left = max(0, schedule.planned() - played)
    most = _Most(event, turns)
    at_most = _total_s(event, schedule, left, [most.seconds(place) for place in range(len(disciplines))])
    as_measured = None
    if is_measured:
        as_measured = _total_s(event, schedule, left, [found[each.name].mean_s for each in disciplines])
    return Forecast(
        games=left,
        at_most_s=at_most if math.isfinite(at_most) else None,
        turns=turns,
        turns_from="played" if is_measured else "random",
        measured_s=as_measured,
        measured=found,
    )


def random_length(rules: Rules) -> int:
    """Return the median length of a few random games, in turns; the same at every call."""
    chance = random.Random(f"{rules.game} {rules.size}")
    lengths = []
    for _ in range(RANDOM_GAMES):
        position = rules.initial()
        while not position.is_over and position.ply < LONGEST_RANDOM_GAME:
            if position.awaits_dice:
                position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
            position.play(chance.choice(position.legal_moves()))
        lengths.append(position.ply)
    return int(statistics.median(lengths))


class _Most:
    """The longest that a game of each discipline takes by the clocks, over all pairings."""

    def __init__(self, event: Event, turns: Mapping[str, int]) -> None:
        self._event = event
        self._terms = TermsOfEvent(event)
        self._turns = turns

    def seconds(self, discipline: int) -> float:
        """Return twice the mean of the entries' clocks, or the clocks of a pairing that has longer ones."""
        event = self._event
        moves = np.array([math.ceil(self._turns[event.all_disciplines[discipline].name] / 2)])
        own = [engine.time or event.all_disciplines[discipline].time for engine in event.engines]
        clocks = [float(granted_us(control, moves)[0]) / 1e6 for control in own]
        total = 2 * statistics.fmean(math.inf if math.isnan(clock) else clock for clock in clocks)
        names = {engine.name: place for place, engine in enumerate(event.engines)}
        for pairing in event.pairings:
            if pairing.times is not None:
                controls = self._terms.of(discipline, *(names[name] for name in pairing.engines)).controls
                pair = [float(granted_us(control, moves)[0]) / 1e6 for control in controls.values()]
                total = max(total, sum(math.inf if math.isnan(clock) else clock for clock in pair))
        return total


def _total_s(event: Event, schedule: Schedule, left: int, seconds: Sequence[float]) -> float:
    """Return how long `left` games take when a game of each discipline takes so long."""
    if left == 0:
        return 0.0
    share = [each.games_each for each in event.all_disciplines]
    mean = sum(games * each for games, each in zip(share, seconds, strict=True)) / sum(share)
    rounds = schedule.meetings_to_come()
    if not event.is_dynamic:
        return _batch_s(event, left, mean, max(seconds))
    of_meeting = len(slots(event, 0)) if event.best_of is None else event.best_of
    to_come = [meetings * of_meeting for meetings in rounds]
    now = max(0, left - sum(to_come))
    return sum(_batch_s(event, games, mean, max(seconds)) for games in [now, *to_come] if games)


def _batch_s(event: Event, games: int, mean: float, longest: float) -> float:
    """Return how long games take that may all be played at once; no less than one of them."""
    return max(games * mean / min(event.concurrency, games), min(longest, games * mean))
