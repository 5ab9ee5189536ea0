"""The komi laboratory's games: an event with a discipline for each komi, and which of its games to play.

So a laboratory is stored, resumed, verified and read like any other event. Its disciplines are called `k7` or
`k-3`; their games take turns (the first opening at every komi, then the second), all komi start from the same
openings, and the number of games can grow later.

An engine that plays itself is entered twice, as a match with its twin. A swapped pair would be the same game
again, so only the first game of each pair (`k7.1-2.5a`) is played.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.core.event import Discipline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.core.event import Engine, Event


def twins(engine: Engine) -> tuple[Engine, Engine]:
    """Return the two entries of an engine that plays itself."""
    return engine, dataclasses.replace(engine, name=f"{engine.name} (twin)")


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Which games belong to a laboratory.

    Attributes:
        event: an event with a discipline for each komi.
        komis: the komi values, least first, in the order of the disciplines.
        games: games at each komi: the number in a fixed design, the mean at most in an adaptive one.
        is_self_play: whether the event's two entries are twins.
    """

    event: Event
    komis: tuple[int, ...]
    games: int
    is_self_play: bool

    @property
    def planned(self) -> int:
        """Games of a fixed design, and most games of an adaptive one."""
        return self.games * len(self.komis)

    def ordinals(self) -> Iterator[int]:
        """Yield the games of a fixed design, as ordinals of the event's schedule, in its order."""
        turn = _played_a_turn(self.event, self.is_self_play)
        for first in range(0, self.games, turn):
            for komi in self.komis:
                for number in range(first, first + turn):
                    yield self.ordinal(komi, number)

    def ordinal(self, komi: int, number: int) -> int:
        """Return the ordinal in the event's schedule of a game at one komi.

        Args:
            komi: one of `komis`.
            number: which of its games, from 0.
        """
        turn = _played_a_turn(self.event, self.is_self_play)
        cycle, rest = divmod(number, turn)
        return (cycle * len(self.komis) + self.komis.index(komi)) * _scheduled_a_turn(self.event) + rest


def laboratory(
    event: Event, komis: Sequence[int], games_each: int, *, is_self_play: bool, is_adaptive: bool
) -> Laboratory:
    """Make a laboratory of a match or round robin.

    Args:
        event: of one game; its own komi and number of games do not count.
        komis: komi values, least first, each once.
        games_each: games of each pairing at each komi; even unless one engine plays itself.
        is_self_play: whether the second entry is the first one's twin.
        is_adaptive: whether all games may turn out to be played at one komi.

    Raises:
        ValueError: an odd number of games between two engines, no game, or no komi.
    """
    if games_each < 1 or not komis:
        raise ValueError("at least one game and one komi are needed")
    if games_each % 2 and not is_self_play:
        raise ValueError(
            f"{games_each} games: two engines play each opening with both colours, an even number"
        )
    turn = _played_a_turn(event, is_self_play)
    games = games_each if is_self_play else games_each * turn // 2
    needed = games * len(komis) if is_adaptive else games
    scheduled = 2 * -(-needed // turn)
    disciplines = tuple(
        Discipline(f"k{komi}", event.game, event.size, komi, scheduled, event.time, event.book)
        for komi in komis
    )
    entries = twins(event.engines[0]) if is_self_play else event.engines
    changed = dataclasses.replace(
        event, komi=komis[0], games_each=scheduled, disciplines=disciplines, engines=entries
    )
    return Laboratory(changed, tuple(komis), games, is_self_play)


def _scheduled_a_turn(event: Event) -> int:
    """Return how many games the schedule has for one opening at one komi: a pair of each two entries."""
    return len(event.engines) * (len(event.engines) - 1)


def _played_a_turn(event: Event, is_self_play: bool) -> int:
    return 1 if is_self_play else _scheduled_a_turn(event)
