"""The games of an event of several, each with its own tables and charts: a section of the report for each.

A point is a point in every game, so there are standings and ratings of them all; margins have another unit in
each, and who is good at one may be bad at another. The disciplines of a komi laboratory are its komi, which
have a section already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.rules.base import QuestionError
from reports.page.contents import MOST_ROWS, Section
from reports.printable import file_name
from reports.ratings import rated_games, rating_tables
from reports.standings import standings
from reports.stored import design_of, results_of
from reports.tables import conduct_table, cross_table, meetings_table, pairings_table, standings_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.stats.ratings import Ratings
    from arena.store import ReadStore
    from reports.ratings import RatedGames
    from reports.results import Results
    from reports.standings import Standings

_CHARTS = (
    "standings",
    "ratings",
    "margins-by-engine",
    "margins-by-pairing",
    "margins-by-colour",
    "time-use",
    "game-length",
)


@dataclass(frozen=True, slots=True)
class GameApart:
    """One game of an event of several.

    Attributes:
        name: what the event calls it.
        results, table: what its standings and charts are made of.
        rated: its games as ratings take them, and the ratings; None where there is nothing to rate.
    """

    name: str
    results: Results
    table: Standings
    rated: tuple[RatedGames, Ratings] | None

    def section(self) -> Section:
        """Return its section; its files stand in folders of its name."""
        results, table = self.results, self.table
        shown, whole = pairings_table(results, MOST_ROWS), pairings_table(results)
        folder = file_name(self.name)
        return Section(
            f"game-{folder}",
            results.labels.rules,
            (
                standings_table(results, table),
                cross_table(results, table),
                *([shown] if shown else []),
                *(rating_tables(*self.rated, self.name) if self.rated else []),
                conduct_table(results, table),
            ),
            (meetings_table(results, table), *([whole] if whole else [])),
            _CHARTS,
            folder=folder,
        )


def games_apart(store: ReadStore) -> Iterator[GameApart]:
    """Yield each game of an event of several, one after the other, as their results may be large.

    Raises:
        StoreError: the database is damaged.
    """
    names = [each.name for each in store.event().disciplines]
    if len(names) < 2 or design_of(store) is not None:
        return
    rated = _rated(store)
    columns = store.result_columns()
    for name in names:
        results = results_of(store, name, columns)
        yield GameApart(name, results, standings(results), rated.get(name))


def _rated(store: ReadStore) -> dict[str, tuple[RatedGames, Ratings]]:
    try:
        games = rated_games([store])
    except QuestionError:
        # A plugin's game that is not installed here.
        return {}
    anchor = games.names[0] if games.names else ""
    return {kind: (own, own.rated_from(anchor, 0.0)) for kind, own in games.by_kind() if len(own.names) > 1}
