"""The interval of a pairing: whole pairs, in the order of the schedule, for what it is claimed for alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arena.core.event import OpeningBook
from arena.stats.confidence_sequence import always_valid_interval
from arena.store import ReadStore, RunStore
from arena.web.results import ResultsReader
from reports.pairings import PairingScore, has_pairings, pairing_scores, prefix_of
from reports.stored import results_of
from reports.tables import pairings_table
from tests.cli.played import an_event, play
from tests.core.test_several_games import of_several

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event
    from reports.results import Results


def read(database: Path) -> Results:
    with ReadStore(database) as store:
        return results_of(store)


def test_pairs_are_counted_from_the_side_of_the_engine_that_stands_first() -> None:
    pair = np.array([0, 0, 1, 1, 2, 3, 3])
    black, white = np.array([0, 2, 2, 0, 0, 1, 2]), np.array([2, 0, 0, 2, 2, 2, 1])
    points = np.array([1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.0])
    # The third pair has one game only; in the last one nobody got a point of the second game.
    other = np.array([0.0, 1.0, 0.5, 0.0, 0.0, 1.0, 0.0])
    (score,) = pairing_scores(pair, black, white, points, other)
    assert (score.first, score.second, score.counts) == (0, 2, (0, 0, 0, 1, 1))
    assert score.share == pytest.approx(0.875)
    assert score.interval() == always_valid_interval((0, 0, 0, 1, 1))


def test_the_prefix_ends_at_the_first_game_that_is_missing() -> None:
    assert prefix_of(np.array([0, 1, 2])) == 3
    assert prefix_of(np.array([0, 1, 3, 4])) == 2
    assert prefix_of(np.array([1, 2])) == 0
    assert prefix_of(np.array([], dtype=np.int64)) == 0


def test_games_that_ended_before_their_turn_do_not_count_yet(tmp_path: Path) -> None:
    event = replace(an_event(), games_each=8)
    whole = read(play(tmp_path / "whole.db", event)).pairings
    assert [score.pairs for score in whole] == [4, 4, 4]
    broken = read(play(tmp_path / "broken.db", event, unplayed=["1-2.2a"])).pairings
    assert sum(score.pairs for score in broken) < 6


def test_an_annulled_game_takes_its_pair_with_it_and_holds_nothing_up(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", replace(an_event(), games_each=8))
    with RunStore.open(database) as store:
        store.annul("1-2.1a", "power cut")
    assert [score.pairs for score in read(database).pairings] == [3, 4, 4]


@pytest.mark.parametrize(
    ("event", "has"),
    [
        (an_event(), True),
        (replace(an_event(), format="swiss"), False),
        (replace(an_event(), format="imported"), False),
        (replace(an_event(), games_each=3), False),
        (replace(an_event(), book=OpeningBook()), True),
    ],
)
def test_pairings_are_claimed_where_results_do_not_decide_who_meets(event: Event, has: bool) -> None:
    assert has_pairings(event) is has


def test_several_games_have_pairings_each_and_none_together() -> None:
    event = of_several("round-robin", 2, 2, 4)
    assert not has_pairings(event)
    assert all(has_pairings(event, each.name) for each in event.disciplines)


def test_table_and_page_show_every_pairing_with_hostile_names_made_safe(tmp_path: Path) -> None:
    event = replace(an_event(names=("\x1b[2Jgreedy", "random", "slow")), games_each=8)
    database = play(tmp_path / "cup.db", event)
    table = pairings_table(read(database))
    assert table is not None
    assert len(table.rows) == 3
    shortened = pairings_table(read(database), 2)
    assert shortened is not None
    assert shortened.notes[-1] == "1 further pairing not listed."
    reader = ResultsReader(database, event)
    panels = reader.sections()["panels"]
    reader.close()
    assert isinstance(panels, list)
    (lines,) = [panel["lines"] for panel in panels if panel["title"].startswith("Pairings")]
    assert len(lines) == 3
    assert all(line.isprintable() and "in 4 pairs" in line for line in lines)


def test_without_pairs_there_is_no_table(tmp_path: Path) -> None:
    results = read(play(tmp_path / "cup.db", replace(an_event(), games_each=3)))
    assert results.pairings == ()
    assert pairings_table(results) is None
    assert PairingScore(0, 1, (0, 0, 1, 0, 0)).words(("a", "b")).endswith("in 1 pair")
