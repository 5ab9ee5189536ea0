"""What is known of a match while it is played, and the sequential test that ends it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.cli.sequence import PairingsWatch
from arena.core.event import SequentialPlan
from arena.core.schedule import Schedule
from arena.stats.sprt import Decision
from arena.store import ReadStore
from reports.stored import results_of
from tests.cli.played import an_event, play
from tests.cli.runs import arena, tournament

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
    in_order = PairingsWatch(event)
    in_order.take(records)
    for seed in range(5):
        shuffled = records.copy()
        random.Random(seed).shuffle(shuffled)
        watch = PairingsWatch(event)
        watch.take(shuffled)
        assert watch.state == in_order.state
        assert watch.words() == in_order.words()


def test_a_pair_counts_when_all_pairs_before_it_have_ended(tmp_path: Path) -> None:
    event = a_match(8)
    records = records_of(tmp_path, event)
    watch = PairingsWatch(event)
    watch.take(records[2:])
    assert watch.words().startswith("LLR 0.00 (ends at ")
    watch.take(records[:1])
    assert watch.words().startswith("LLR 0.00 (ends at ")
    watch.take(records[1:2])
    assert " in 4 pairs" in watch.words()


def test_what_is_stored_gives_the_same_as_what_is_committed(tmp_path: Path) -> None:
    event = a_match(40)
    committed, stored = PairingsWatch(event), PairingsWatch(event)
    committed.take(records_of(tmp_path, event))
    with ReadStore(tmp_path / "match.db") as store:
        stored.take_stored(store.ending_columns())
    assert stored.state == committed.state
    assert stored.words() == committed.words()


def test_whole_pairs_of_few_pairings_are_watched() -> None:
    assert PairingsWatch.fits(a_match(4, None))
    assert not PairingsWatch.fits(a_match(3, None))
    assert PairingsWatch.fits(an_event())
    assert not PairingsWatch.fits(an_event(names=tuple("abcdef")))
    assert not PairingsWatch.fits(replace(an_event(), games_each=100_000))
    assert not PairingsWatch.fits(replace(an_event(), format="swiss"))


def test_every_pairing_has_its_interval_whatever_the_order_of_ends(tmp_path: Path) -> None:
    event = replace(an_event(), games_each=8)
    records = records_of(tmp_path, event)
    in_order, shuffled = PairingsWatch(event), PairingsWatch(event)
    in_order.take(records)
    assert [(each.first, each.second, each.pairs) for each in in_order.scores()] == [
        (0, 1, 4),
        (0, 2, 4),
        (1, 2, 4),
    ]
    assert in_order.words() == ""
    assert in_order.lines()[0].startswith("greedy - random: ")
    later = records.copy()
    random.Random(2).shuffle(later)
    shuffled.take(later)
    assert shuffled.lines() == in_order.lines()


def test_what_is_stored_gives_the_same_pairings_as_the_report_shows(tmp_path: Path) -> None:
    event = replace(an_event(), games_each=8)
    database = play(tmp_path / "cup.db", event, unplayed=["1-3.3b"])
    watch = PairingsWatch(event)
    with ReadStore(database) as store:
        watch.take_stored(store.ending_columns())
        results = results_of(store)
    assert list(results.pairings) == watch.scores()
    assert sum(each.pairs for each in watch.scores()) < 12


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
        watch = PairingsWatch(store.event())
        watch.take_stored(store.ending_columns())
        assert store.progress().played < 200
    assert watch.state is not None
    assert watch.state.decision is Decision.H1
    assert arena("verify", database).returncode == 0
    again = arena("match", "greedy_player", "random_player", "--sprt", *words, *options)
    assert again.returncode == 0
    assert "played already" in again.stderr


def test_the_schedule_of_a_sequential_match_is_the_most_there_can_be(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, keys="pairs = 50")
    text = file.read_text().replace('"round-robin"', '"match"')
    file.write_text(f"{text}\n[sprt]\nelo0 = 0\nelo1 = 50\n")
    told = arena("schedule", file)
    assert told.returncode == 0, told.stderr
    assert ", at most 100 games\n" in told.stdout
    assert "the sequential test may end the match" in told.stdout
