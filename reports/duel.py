"""Two engines: everything a match says about which of them is stronger, as lines of text.

A pair counts as one observation (both games share the opening), a game whose partner is missing or void by
itself. Games in which both sides failed give nobody a point and are left out with their pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.stats.two_engines import two_engines
from arena.words import counted
from reports.printable import NAME_CELLS, printable

if TYPE_CHECKING:
    from arena.stats.two_engines import Record, Strength, TwoEngines
    from reports.pairings import PairingScore
    from reports.results import Results


def duel_of(results: Results) -> TwoEngines:
    """Return the figures of an event of two engines, from the first one's side."""
    decided = results.black_points + results.white_points > 0
    scores: dict[int, list[float | None]] = {}
    for pair, black, points in zip(
        results.pair[decided], results.black[decided], results.black_points[decided], strict=True
    ):
        place = 0 if black == 0 else 1
        scores.setdefault(int(pair), [None, None])[place] = float(points if place == 0 else 1 - points)
    pairs = [(one, other) for one, other in scores.values() if one is not None and other is not None]
    as_black = [one for one, other in scores.values() if one is not None and other is None]
    as_white = [other for one, other in scores.values() if one is None and other is not None]
    return two_engines(pairs, as_black, as_white)


def duel_lines(results: Results) -> list[str]:
    """Return what is printed below the tables of a match; empty when there are more than two engines."""
    if len(results.engines) != 2 or not np.any(results.black_points + results.white_points):
        return []
    duel = duel_of(results)
    first, second = (printable(name, NAME_CELLS) for name in results.engines)
    rows = [
        ("record (wins-draws-losses)", _record(duel.total)),
        ("as Black, as White", f"{_record(duel.as_black)}, {_record(duel.as_white)}"),
    ]
    rows += _strength_rows("by pairs", duel.by_pairs) if duel.by_pairs is not None else []
    rows += _strength_rows("by games", duel.by_games)
    rows += [
        ("score, valid at any stopping time", f"{each.interval().text(3)} ({_of_the_schedule(each)})")
        for each in results.pairings
    ]
    rows.append(("draws", duel.draws.text(3)))
    rows.append(("points of the side that starts", duel.black.text(3)))
    width = max(len(label) for label, _ in rows)
    lines = [f"{first} against {second}", "", *(f"{label:<{width}}  {words}" for label, words in rows)]
    return [*lines, *duel.notes]


def _of_the_schedule(pairing: PairingScore) -> str:
    """Say what the interval rests on: games that ended out of turn do not count yet."""
    return f"{counted(pairing.pairs, 'pair')}, all before them ended"


def _record(record: Record) -> str:
    return f"{record.wins}-{record.draws}-{record.losses}"


def _strength_rows(unit: str, strength: Strength) -> list[tuple[str, str]]:
    counts = ", ".join(map(str, strength.counts))
    return [
        (f"{unit}: counts, worst to best", counts),
        (f"{unit}: score", strength.score.text(3)),
        (f"{unit}: Elo difference", strength.elo.text()),
        (f"{unit}: normalized Elo", strength.normalized_elo.text()),
        (f"{unit}: likelihood of superiority", strength.superiority.text(3)),
    ]
