"""The course of a komi laboratory: what is played next, and what counts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arena.cli.laboratory import games_at
from arena.core.laboratory import Design, laboratory
from reports.komi.courses import BATCH, AdaptiveCourse, FixedCourse
from tests.cli.played import an_event, play

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.laboratory import Laboratory
    from reports.komi.courses import GamesAt


def a_plan(komis: tuple[int, ...] = tuple(range(6)), precision: float | None = 0.1) -> Laboratory:
    event = replace(an_event("pletore", ("chance", "nobody")), format="match")
    return laboratory(event, Design(komis, 4, precision, is_self_play=True))


def games_of(plan: Laboratory, database: Path) -> GamesAt:
    return partial(games_at, plan, database)


@pytest.fixture
def plan() -> Laboratory:
    return a_plan()


def test_an_adaptive_course_plays_whole_batches_up_to_its_limit(tmp_path: Path, plan: Laboratory) -> None:
    database = play(tmp_path / "komi.db", plan.event)
    course = AdaptiveCourse(plan, games_of(plan, database))
    batches = []
    while batch := list(course.next_batch()):
        batches.append(batch)
    assert [len(batch) for batch in batches] == [BATCH] * (plan.planned // BATCH)
    ordinals = [ordinal for batch in batches for ordinal in batch]
    assert len(set(ordinals)) == len(ordinals) == plan.planned
    assert len(list(course.games())) == plan.planned
    assert course.state is not None
    assert course.state.done
    assert len(course.history) == len(batches)


def test_the_same_results_lead_to_the_same_games_again(tmp_path: Path, plan: Laboratory) -> None:
    database = play(tmp_path / "komi.db", plan.event)
    first, second = (AdaptiveCourse(plan, games_of(plan, database)) for _ in range(2))
    for _ in range(3):
        assert list(first.next_batch()) == list(second.next_batch())


def test_a_batch_counts_when_all_of_it_is_played(tmp_path: Path, plan: Laboratory) -> None:
    course = AdaptiveCourse(plan, games_of(plan, play(tmp_path / "komi.db", plan.event)))
    list(course.next_batch())
    assert list(course.games()) == []
    assert any("not complete" in words for words in course.words)
    list(course.next_batch())
    assert len(list(course.games())) == BATCH


def test_games_that_count_for_nobody_end_an_adaptive_course_with_words(
    tmp_path: Path, plan: Laboratory
) -> None:
    failed = [f"k{komi}.1-2.{pair}a" for komi in range(6) for pair in range(1, 25)]
    course = AdaptiveCourse(plan, games_of(plan, play(tmp_path / "komi.db", plan.event, faulty=failed)))
    assert len(list(course.next_batch())) == BATCH
    assert list(course.next_batch()) == []
    assert any(words.startswith("Stopped after") for words in course.words)


def test_a_fixed_course_is_one_batch(tmp_path: Path) -> None:
    plan = a_plan(precision=None)
    course = FixedCourse(plan, games_of(plan, play(tmp_path / "komi.db", plan.event)))
    assert list(course.next_batch()) == list(plan.ordinals())
    assert list(course.next_batch()) == []
    assert {game.komi for game in course.games()} == set(plan.komis)


def test_a_range_with_one_komi_of_each_parity_has_no_adaptive_design(tmp_path: Path) -> None:
    plan = a_plan((0, 1))
    with pytest.raises(ValueError, match="no parity has two komi"):
        AdaptiveCourse(plan, games_of(plan, tmp_path / "komi.db"))
