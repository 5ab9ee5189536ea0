"""The games of databases put together for the ratings, and what their tables say about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arena.core.clock import parse_time
from arena.core.event import Discipline, OpeningBook
from arena.store import ReadStore
from reports.ratings import rated_games, rating_tables, ratings_of
from tests.cli.played import an_event, play

if TYPE_CHECKING:
    from pathlib import Path


def test_a_game_without_draws_that_was_drawn_at_its_limit_of_turns_is_rated(tmp_path: Path) -> None:
    with ReadStore(play(tmp_path / "cup.db", an_event("pletore"))) as store:
        columns = store.columns()
        drawn = replace(columns, winner=np.full_like(columns.winner, 2))
        games = rated_games([store], [drawn])
    ratings = ratings_of(games, 0, 0.0)
    assert [rating.score for rating in ratings.groups[0].ratings] == [0.5, 0.5, 0.5]


def test_an_event_whose_first_game_knows_no_draws_is_rated_with_the_draws_of_its_others(
    tmp_path: Path,
) -> None:
    first = Discipline("pletore", "pletore", 4, 1, 2, parse_time("10+0.1"), OpeningBook())
    other = Discipline("topolo", "topolo", 4, None, 2, parse_time("10+0.1"), OpeningBook())
    with ReadStore(play(tmp_path / "cup.db", replace(an_event(), disciplines=(first, other)))) as store:
        columns = store.columns()
        drawn = np.where(columns.discipline == 1, 2, columns.winner).astype(columns.winner.dtype)
        games = rated_games([store], [replace(columns, winner=drawn)])
    ratings = ratings_of(games, 0, 0.0)
    assert ratings.draw_share.value is not None
    notes = rating_tables(games, ratings)[0].notes
    assert "Games of pletore and topolo are rated together." in notes


def test_what_was_never_drawn_is_said_once(tmp_path: Path) -> None:
    with ReadStore(play(tmp_path / "cup.db", an_event("pente", ("greedy", "random")))) as store:
        columns = store.columns()
        games = rated_games([store], [replace(columns, winner=np.zeros_like(columns.winner))])
    notes = rating_tables(games, ratings_of(games, 0, 0.0))[0].notes
    assert sum("draw" in note for note in notes) == 1
    assert sum(note.startswith("Intervals") for note in notes) == 1
