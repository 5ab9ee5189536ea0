"""Ratings over the games of one or several databases: who the players are, and the tables.

A player is a name together with the hash of its program, so a program that changed under one name is two
players, and one program under two names as well. Void games, and games in which both sides failed, are left
out, as are those of an engine that plays itself, in a komi laboratory or as imported; a win by forfeit is a
win.

Where the games are of several kinds, each kind can be rated by itself: in an event of several games these are
they, by the names they have there; an event of one game, and a komi laboratory, go under the game's id.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.rules.registry import rules_class
from arena.stats.ratings import rate
from reports.printable import NAME_CELLS, printable
from reports.stored import design_of
from reports.tables import DASH, Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from arena.stats.ratings import Ratings
    from arena.store import GameColumns, ReadStore
    from reports.tables import Cell

_HASH_SHOWN = 8
_DRAW = 0.5
_BLACK_POINTS = np.array([1.0, 0.0, _DRAW])
"""By the store's code of the winner: Black, White, draw."""


@dataclass(frozen=True, slots=True)
class RatedGames:
    """The games of several databases as `arena.stats.ratings.rate` takes them.

    Attributes:
        names: of the players; a name with several programs has `#` and the start of the program's hash.
        black, white: index of the player, an entry a game.
        points: Black's points.
        pairs: label of the pair.
        can_draw: whether any of the games can be drawn, by its rules or by a limit of turns.
        kinds: what the kinds of game are called, each with whether it can be drawn.
        kind: index into `kinds`.
    """

    names: tuple[str, ...]
    black: NDArray[np.int64]
    white: NDArray[np.int64]
    points: NDArray[np.float64]
    pairs: NDArray[np.int64]
    can_draw: bool
    kinds: tuple[tuple[str, bool], ...]
    kind: NDArray[np.int32]

    def rated_from(self, anchor: str, anchor_elo: float) -> Ratings:
        """Return the ratings with a player of this name at this Elo; without it, with the first one at 0."""
        if anchor in self.names:
            return ratings_of(self, self.names.index(anchor), anchor_elo)
        return ratings_of(self, 0, 0.0)

    def by_kind(self) -> Iterator[tuple[str, RatedGames]]:
        """Yield each kind's games with the players who played them; nothing where there is one kind."""
        for place, (name, can_draw) in enumerate(self.kinds if len(self.kinds) > 1 else ()):
            here = self.kind == place
            black, white = self.black[here], self.white[here]
            players, places = np.unique(np.concatenate([black, white]), return_inverse=True)
            yield (
                name,
                RatedGames(
                    tuple(self.names[player] for player in players),
                    places[: len(black)],
                    places[len(black) :],
                    self.points[here],
                    self.pairs[here],
                    can_draw,
                    ((name, can_draw),),
                    np.zeros(len(black), dtype=np.int32),
                ),
            )


def rated_games(stores: Sequence[ReadStore], columns_read: Sequence[GameColumns] | None = None) -> RatedGames:
    """Collect the games that count from all stores.

    Args:
        stores: the databases.
        columns_read: their columns, where they have been read already.

    Raises:
        StoreError: a database is damaged.
        QuestionError: a game is not installed here.
    """
    players: dict[tuple[str, str], int] = {}
    parts: list[tuple[NDArray[np.int64], ...]] = []
    points: list[NDArray[np.float64]] = []
    kinds: dict[str, bool] = {}
    kind: list[NDArray[np.int32]] = []
    next_pair = 0
    for place, store in enumerate(stores):
        design = design_of(store)
        if design is not None and design.is_self_play:
            continue
        columns = store.columns() if columns_read is None else columns_read[place]
        kind_of = _kinds(kinds, store, columns.disciplines)
        counts = (columns.winner >= 0) & ~_of_one_player(store, columns)
        identities = (columns.black_identity[counts], columns.white_identity[counts])
        sides = [_players_of(players, store, column) for column in identities]
        pairs = columns.pair[counts].astype(np.int64) + next_pair
        next_pair = int(pairs.max(initial=next_pair)) + 1
        parts.append((*sides, pairs))
        kind.append(kind_of[columns.discipline[counts]])
        points.append(_BLACK_POINTS[columns.winner[counts]])
    nothing = np.empty(0, dtype=np.int64)
    black, white, pairs = (np.concatenate([nothing, *(part[which] for part in parts)]) for which in range(3))
    scores = np.concatenate([np.empty(0), *points])
    kind_of_game = np.concatenate([nothing.astype(np.int32), *kind])
    drawn = set(np.unique(kind_of_game[scores == _DRAW]).tolist())
    told = tuple((name, can or place in drawn) for place, (name, can) in enumerate(kinds.items()))
    can_draw = any(can for _, can in told)
    return RatedGames(_names(players), black, white, scores, pairs, can_draw, told, kind_of_game)


def _kinds(kinds: dict[str, bool], store: ReadStore, disciplines: Sequence[str]) -> NDArray[np.int32]:
    """Enter the kinds of an event's games into `kinds`; return the place there of each of `disciplines`."""
    event = store.event()
    of_game = {each.name: each.game for each in event.disciplines}
    # The disciplines of a komi laboratory are its komi.
    is_one = design_of(store) is not None
    names = {each: event.game if is_one or each not in of_game else each for each in disciplines}
    for each, name in names.items():
        can_draw = rules_class(of_game.get(each, event.game)).can_draw
        kinds[name] = kinds.get(name, False) or can_draw
    places = {name: place for place, name in enumerate(kinds)}
    return np.array([places[names[each]] for each in disciplines], dtype=np.int32)


def _of_one_player(store: ReadStore, columns: GameColumns) -> NDArray[np.bool_]:
    """Say of each game whether both sides are one player: it says nothing on strength."""
    players: dict[tuple[str, str], int] = {}
    black, white = (
        _players_of(players, store, column) for column in (columns.black_identity, columns.white_identity)
    )
    of_one: NDArray[np.bool_] = black == white
    return of_one


def _players_of(
    players: dict[tuple[str, str], int], store: ReadStore, identities: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return each identity's player, entered into `players` if it is new there."""
    player_of = np.zeros(int(identities.max(initial=-1)) + 1, dtype=np.int64)
    for number in np.flatnonzero(np.bincount(identities)):
        identity = store.identity(int(number))
        player_of[number] = players.setdefault((identity.name, identity.program_hash), len(players))
    return player_of[identities]


def _names(players: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    programs = Counter(name for name, _ in players)
    return tuple(
        name if programs[name] == 1 else f"{name} #{program[:_HASH_SHOWN] or 'unknown'}"
        for name, program in players
    )


def ratings_of(games: RatedGames, anchor: int, anchor_elo: float) -> Ratings:
    """Rate the players relative to one of them."""
    return rate(
        len(games.names),
        games.black,
        games.white,
        games.points,
        games.pairs,
        anchor=anchor,
        anchor_elo=anchor_elo,
        can_draw=games.can_draw,
    )


def rating_tables(games: RatedGames, ratings: Ratings, kind: str = "") -> list[Table]:
    """Return a table of ratings for each group of players who met, and the table of superiority.

    Args:
        games: the games.
        ratings: what they came to.
        kind: name of the only kind of game, where there are others beside; it ends the titles.
    """
    of_kind = f": {kind}" if kind else ""
    tables = [_group_table(games, ratings, place, of_kind) for place in range(len(ratings.groups))]
    if len(games.names) > 1 and ratings.groups:
        tables.append(_superiority_table(games, ratings, of_kind))
    return tables


def _group_table(games: RatedGames, ratings: Ratings, place: int, of_kind: str) -> Table:
    group = ratings.groups[place]
    rows = tuple(
        (
            rank,
            games.names[rating.player],
            f"{rating.elo:+.1f}",
            rating.interval.text() if rating.interval else "anchor",
            rating.games,
            rating.pairs,
            f"{100 * rating.score:.1f}%",
            rating.note,
        )
        for rank, rating in enumerate(group.ratings, 1)
    )
    methods = {rating.interval.method for rating in group.ratings if rating.interval}
    anchor = printable(games.names[group.anchor], NAME_CELLS)
    notes = [f"Elo relative to {anchor}, which is put at {group.anchor_elo:g}."]
    notes += [f"Intervals: {', or '.join(sorted(methods))}."] if methods else []
    if len(games.kinds) > 1:
        kinds = [printable(name, NAME_CELLS) for name, _ in games.kinds]
        notes.append(f"Games of {', '.join(kinds[:-1])} and {kinds[-1]} are rated together.")
    if place == 0:
        notes += [_advantage_note(ratings)]
        has_draws = ratings.draw_share.value is not None
        notes += [f"Draws between equals: {ratings.draw_share.text(2)}."] if has_draws else []
        notes += ratings.notes
    several = len(ratings.groups) > 1
    title = f"Ratings, group {place + 1} of {len(ratings.groups)}" if several else "Ratings"
    columns = (
        Column("#", "rank"),
        Column("engine", "engine", cells=32),
        Column("Elo", "elo"),
        Column("95 %", "interval"),
        Column("games", "games"),
        Column("pairs", "pairs"),
        Column("score", "score"),
        Column("", "note"),
    )
    stem = f"ratings-{place + 1}" if several else "ratings"
    return Table(stem, f"{title}{of_kind}", columns, rows, tuple(notes))


def _advantage_note(ratings: Ratings) -> str:
    unit = "" if ratings.black_elo.value is None else " Elo"
    return f"First-move advantage: {ratings.black_elo.text()}{unit}."


def _superiority_table(games: RatedGames, ratings: Ratings, of_kind: str) -> Table:
    order = [rating.player for group in ratings.groups for rating in group.ratings]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            place,
            games.names[player],
            *(DASH if value is None else f"{100 * value:.1f}" for value in _row(ratings, player, order)),
        )
        for place, player in enumerate(order, 1)
    )
    columns = (
        Column("", "rank"),
        Column("engine", "engine", cells=32),
        *(Column(str(place), f"against_{place}") for place in range(1, len(order) + 1)),
    )
    note = "Probability in percent that the row's engine is the stronger one."
    return Table("superiority", f"Likelihood of superiority{of_kind}", columns, rows, (note,))


def _row(ratings: Ratings, player: int, order: list[int]) -> list[float | None]:
    return [ratings.superiority[player][other] for other in order]
