"""What is known of a match while it is played, and the sequential test that ends it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.cli.sequence import MatchWatch
from arena.core.event import SequentialPlan
from arena.core.schedule import Schedule
from arena.stats.sprt import Decision
from arena.store import ReadStore
from tests.cli.played import an_event, play
from tests.cli.runs import arena

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.record import GameRecord

PLAN = SequentialPlan(0.0, 100.0, 0.05, 0.05, "logistic", 4)


def a_match(games: int, plan: SequentialPlan | None = PLAN) -> Event:
    return replace(an_event("pletore", ("greedy", "random")), format="match", games_each=games, sprt=plan)


def records_of(tmp_path: Path, event: Event) -> list[GameRecord]:
    with ReadStore(play(tmp_path / "match.db", event)) as store:
        return list(store.records())


def test_the_order_in_which_games_end_does_not_matter(tmp_path: Path) -> None:
    event = a_match(60)
    records = records_of(tmp_path, event)
    assert [record.ordinal for record in records] == list(range(len(Schedule(event))))
    in_order = MatchWatch(event)
    in_order.take(records)
    for seed in range(5):
        shuffled = records.copy()
        random.Random(seed).shuffle(shuffled)
        watch = MatchWatch(event)
        watch.take(shuffled)
        assert watch.state == in_order.state
        assert watch.words() == in_order.words()


def test_a_pair_counts_when_all_pairs_before_it_have_ended(tmp_path: Path) -> None:
    event = a_match(8)
    records = records_of(tmp_path, event)
    watch = MatchWatch(event)
    watch.take(records[2:])
    assert watch.words() == ""
    watch.take(records[:1])
    assert watch.words() == ""
    watch.take(records[1:2])
    assert " in 4 pairs" in watch.words()


def test_what_is_stored_gives_the_same_as_what_is_committed(tmp_path: Path) -> None:
    event = a_match(40)
    committed, stored = MatchWatch(event), MatchWatch(event)
    committed.take(records_of(tmp_path, event))
    with ReadStore(tmp_path / "match.db") as store:
        stored.take_stored(store.summaries())
    assert stored.state == committed.state
    assert stored.words() == committed.words()


def test_only_a_match_of_whole_pairs_is_watched() -> None:
    assert MatchWatch.fits(a_match(4, None))
    assert not MatchWatch.fits(a_match(3, None))
    assert not MatchWatch.fits(an_event())


def test_a_decided_match_stops_says_so_and_is_verified(tmp_path: Path) -> None:
    database = tmp_path / "match.db"
    words = ("elo0=0", "elo1=300", "alpha=0.05", "min_pairs=2")
    options = ("--game", "pletore", "--size", "5", "--openings", "2", "--concurrency", "2", "--db", database)
    refused = arena("match", "greedy_player", "random_player", "--sprt", *words, *options)
    assert refused.returncode == 2
    assert "elo1 = 300" in refused.stderr
    words = ("elo0=0", "elo1=100", "min_pairs=2", "model=logistic")
    done = arena("match", "greedy_player", "random_player", "--sprt", *words, *options)
    assert done.returncode == 0, done.stderr
    assert "sequential test: H1" in done.stdout
    assert "LLR" in done.stderr
    with ReadStore(database) as store:
        watch = MatchWatch(store.event())
        watch.take_stored(store.summaries())
        assert store.progress().played < 200
    assert watch.state is not None
    assert watch.state.decision is Decision.H1
    assert arena("verify", database).returncode == 0
    again = arena("match", "greedy_player", "random_player", "--sprt", *words, *options)
    assert again.returncode == 0
    assert "played already" in again.stderr
