"""How two engines stand to each other in every pairing, by an interval that may be looked at all the time.

It is computed on whole pairs and on the prefix of the schedule: games count when every game before them has
ended. Short games end first and are not like long ones, so what happens to be there is no fair sample. The
interval holds for one pairing of one game; it is not claimed for totals, nor for the best of many pairings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.words import counted
from reports.printable import NAME_CELLS, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from arena.core.event import Event
    from arena.stats.estimate import Interval

FORMATS = frozenset({"match", "round-robin", "gauntlet", "pyramid"})
"""Formats in which it does not depend on results who meets whom, and how often."""


@dataclass(frozen=True, slots=True)
class PairingScore:
    """One pairing, from the side of the engine that stands first in the event.

    Attributes:
        first, second: index of the engine.
        counts: pairs by score, lost both … won both.
    """

    first: int
    second: int
    counts: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """How many pairs count, at least one."""
        return sum(self.counts)

    @property
    def share(self) -> float:
        """The first engine's share of the points."""
        return sum(count * place / 4 for place, count in enumerate(self.counts)) / self.pairs

    def interval(self) -> Interval:
        """Return the interval of the share that holds at any stopping time."""
        # numpy takes longer to load than a run to begin, and a run uses this module from its start.
        from arena.stats.confidence_sequence import always_valid_interval

        return always_valid_interval(self.counts)

    def words(self, engines: Sequence[str]) -> str:
        """Return it as a line, printable."""
        names = " - ".join(printable(engines[place], NAME_CELLS) for place in (self.first, self.second))
        ends = self.interval()
        share = f"{self.share:.1%} ({ends.low:.1%} to {ends.high:.1%})"
        return f"{names}: {share} in {counted(self.pairs, 'pair')}"


def has_pairings(event: Event, discipline: str | None = None) -> bool:
    """Say whether the pairings of an event, or of one of its games, can be watched in this way.

    Games of several kinds put together have no common mean.
    """
    chosen = [each for each in event.all_disciplines if discipline in (None, each.name)]
    return event.format in FORMATS and len(chosen) == 1 and chosen[0].games_each % 2 == 0


def prefix_of(ordinals: NDArray[np.int64]) -> int:
    """Return how many games of the schedule have ended before the first that has not.

    Args:
        ordinals: of the games that have ended, ascending.
    """
    import numpy as np

    gaps = np.flatnonzero(ordinals != np.arange(len(ordinals)))
    return int(gaps[0]) if len(gaps) else len(ordinals)


def pairing_scores(
    pair: NDArray[np.integer],
    black: NDArray[np.integer],
    white: NDArray[np.integer],
    black_points: NDArray[np.float64],
    white_points: NDArray[np.float64],
) -> tuple[PairingScore, ...]:
    """Count the pairs of each pairing, in the order of the engines.

    A pair counts when both its games are among those given and somebody got points in each.

    Args:
        pair: any number that both games of a pair share, not negative.
        black: index of the engine, as `white`.
        white: see `black`.
        black_points: 1, 0.5 or 0, as `white_points`.
        white_points: see `black_points`.
    """
    import numpy as np

    from arena.stats.sprt import PAIR_SCORES

    if not len(pair):
        return ()
    first, second = np.minimum(black, white), np.maximum(black, white)
    decided = black_points + white_points > 0
    whole = np.bincount(pair, decided) == 2
    points = np.bincount(pair, np.where(black < white, black_points, white_points))
    at = np.zeros(len(whole), dtype=np.int64)
    at[pair] = np.arange(len(pair))
    places = at[whole]
    size = int(second.max()) + 1
    cell = first[places] * size + second[places]
    scores = (2 * points[whole]).astype(np.int64)
    table = np.bincount(cell * len(PAIR_SCORES) + scores, minlength=size * size * len(PAIR_SCORES))
    table = table.reshape(size * size, len(PAIR_SCORES))
    return tuple(
        PairingScore(*divmod(int(cell), size), tuple(table[cell].tolist()))
        for cell in np.flatnonzero(table.sum(axis=1))
    )
