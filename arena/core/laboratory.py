"""The komi laboratory's games: an event with a discipline for each komi, and which of its games to play.

So a laboratory is stored, resumed, verified and read like any other event. Its disciplines are called `k7` or
`k-3`; their games take turns (the first opening at every komi, then the second), all komi start from the same
openings, and the number of games can grow later. Where the players settle komi themselves (pie) it is an
event of one game.

An engine that plays itself is entered twice, as a match with its twin. A swapped pair would be the same game
again, so only the first game of each pair (`k7.1-2.5a`) is played.

What the games alone do not tell, the design that chose them, is kept as the last line of the text that is
stored with every run.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.core.event import Discipline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import Engine, Event

MOST_KOMIS = 101
"""Widest range: each komi is a discipline of its own in the event."""

MOST_GAMES = 1_000_000
"""Most games at each komi."""

_MARK = "# laboratory: "


def twins(engine: Engine) -> tuple[Engine, Engine]:
    """Return the two entries of an engine that plays itself."""
    return engine, dataclasses.replace(engine, name=f"{engine.name} (twin)")


@dataclass(frozen=True, slots=True)
class Design:
    """What is asked of a laboratory.

    Attributes:
        komis: the komi values, least first; empty for pie: the players settle it.
        games_each: games of each pairing at each komi (in all for pie); with a precision the mean at most.
        precision: width of the intervals at which an adaptive design stops, in points; None for an even grid.
        is_self_play: whether one engine plays its twin.
    """

    komis: tuple[int, ...]
    games_each: int
    precision: float | None
    is_self_play: bool

    @property
    def is_pie(self) -> bool:
        """Whether the players settle komi."""
        return not self.komis


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Which games belong to a laboratory.

    Attributes:
        event: an event with a discipline for each komi, in the order of the design's; without any for pie.
        design: what was asked for.
    """

    event: Event
    design: Design

    @property
    def komis(self) -> tuple[int, ...]:
        """The komi values, least first."""
        return self.design.komis

    @property
    def is_self_play(self) -> bool:
        """Whether the event's two entries are twins."""
        return self.design.is_self_play

    @property
    def games(self) -> int:
        """Games at each komi: the number in a fixed design, the mean at most in an adaptive one."""
        return _games_at_a_komi(self.event, self.design)

    @property
    def planned(self) -> int:
        """Games of a fixed design, and most games of an adaptive one."""
        return self.games * max(len(self.komis), 1)

    def ordinals(self) -> Iterator[int]:
        """Yield the games of a fixed design, as ordinals of the event's schedule, in its order."""
        turn = _played_a_turn(self.event, self.is_self_play)
        for first in range(0, self.games, turn):
            for place in range(max(len(self.komis), 1)):
                for number in range(first, first + turn):
                    yield self._ordinal(place, number)

    def ordinal(self, komi: int, number: int) -> int:
        """Return the ordinal in the event's schedule of a game at one komi.

        Args:
            komi: one of `komis`.
            number: which of its games, from 0.
        """
        return self._ordinal(self.komis.index(komi), number)

    def _ordinal(self, place: int, number: int) -> int:
        turn = _played_a_turn(self.event, self.is_self_play)
        cycle, rest = divmod(number, turn)
        return (cycle * max(len(self.komis), 1) + place) * _scheduled_a_turn(self.event) + rest


def laboratory(event: Event, design: Design) -> Laboratory:
    """Make a laboratory of a match or round robin.

    Args:
        event: of one game; its own komi and number of games do not count.
        design: its games are even unless one engine plays itself.

    Raises:
        ValueError: an odd number of games between two engines, no game, or an adaptive design under pie.
    """
    if design.games_each < 1:
        raise ValueError("at least one game is needed")
    if design.games_each % 2 and not design.is_self_play:
        raise ValueError(
            f"{design.games_each} games: two engines play each opening with both colours, an even number"
        )
    if design.is_pie and design.precision is not None:
        raise ValueError("komi = pie: the players settle komi, so there is none to choose with a precision")
    turn = _played_a_turn(event, design.is_self_play)
    games = _games_at_a_komi(event, design)
    needed = games if design.precision is None else games * len(design.komis)
    scheduled = 2 * -(-needed // turn)
    entries = twins(event.engines[0]) if design.is_self_play else event.engines
    disciplines = tuple(
        Discipline(f"k{komi}", event.game, event.size, komi, scheduled, event.time, event.book)
        for komi in design.komis
    )
    changed = dataclasses.replace(
        event,
        komi="pie" if design.is_pie else design.komis[0],
        games_each=scheduled,
        disciplines=disciplines,
        engines=entries,
    )
    return Laboratory(changed, design)


def text_with_design(text: str, design: Design) -> str:
    """Return the text to be stored with a run: the file as it was read, and the design as its last line.

    Args:
        text: the file, empty without one. It stays TOML: the line is a comment.
        design: as it is played, flags included.
    """
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}{_MARK}{json.dumps(dataclasses.asdict(design))}\n"


def design_in(text: str) -> Design | None:
    """Return the design that a run's text ends with; None where it is no laboratory's."""
    line = text.rstrip("\n").rpartition("\n")[2]
    if not line.startswith(_MARK):
        return None
    try:
        keys: Any = json.loads(line.removeprefix(_MARK))
        komis, precision = tuple(keys["komis"]), keys["precision"]
        numbers_fit = all(type(number) is int for number in (*komis, keys["games_each"]))
        if not numbers_fit or len(komis) > MOST_KOMIS or not 1 <= keys["games_each"] <= MOST_GAMES:
            return None
        width = None if precision is None else float(precision)
        return Design(komis, keys["games_each"], width, bool(keys["is_self_play"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        # Somebody else's words: the games can be shown all the same.
        return None


def _games_at_a_komi(event: Event, design: Design) -> int:
    if design.is_self_play:
        return design.games_each
    return design.games_each * _played_a_turn(event, is_self_play=False) // 2


def _scheduled_a_turn(event: Event) -> int:
    """Return how many games the schedule has for one opening at one komi: a pair of each two entries."""
    return len(event.engines) * (len(event.engines) - 1)


def _played_a_turn(event: Event, is_self_play: bool) -> int:
    return 1 if is_self_play else _scheduled_a_turn(event)
