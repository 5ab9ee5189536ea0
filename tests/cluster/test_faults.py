"""What goes wrong with machines and wires: the event is played to its end, and comes out as it would here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.runs import games_played, kill_at_once, wait_until, what_was_played
from tests.cluster.clusters import (
    finished,
    go_on,
    kill,
    late,
    lost,
    run_here,
    run_there,
    standings,
    started_there,
    steady_event,
    steady_players,
    stop,
    stored_workers,
)

if TYPE_CHECKING:
    from pathlib import Path

    from arena.cluster.trial import Trial


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event of twelve games, each of a second or so, and beside it what it comes to on this machine."""
    folder = tmp_path_factory.mktemp("here")
    file = steady_event(folder, engines=3, pairs=2, pause_ms=20)
    run_here(file, folder / "here.db")
    return file


def assert_as_here(event: Path, database: Path) -> None:
    here = event.with_name("here.db")
    assert what_was_played(database) == what_was_played(here)
    assert standings(database).replace(database.name, "") == standings(here).replace(here.name, "")


def some_are_out(database: Path, games: int = 1) -> bool:
    return games_played(database) >= games


def test_a_cluster_plays_what_this_machine_plays(cluster: Trial, event: Path, tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    done = run_there(cluster, event, database, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert_as_here(event, database)
    assert {each.worker.name for each in stored_workers(database)} == {"worker-1", "worker-2"}
    assert late(database) == ()
    wait_until(lambda: not steady_players())


def test_a_worker_that_is_killed_loses_its_game_to_another(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2")
    wait_until(lambda: some_are_out(database))
    kill(cluster.pid("worker-1"))
    said = finished(run)
    assert "worker worker-1 was lost; its" in said
    assert_as_here(event, database)
    assert [each.why for each in lost(database)]
    assert {each.why for each in lost(database)} == {"worker worker-1 was lost"}


def test_a_worker_that_is_cut_off_and_comes_back_brings_evidence_and_no_second_game(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2", "--lease", "2")
    wait_until(lambda: some_are_out(database))
    frozen = cluster.pid("worker-2")
    stop(frozen)
    try:
        wait_until(lambda: any("not heard of" in each.why for each in lost(database)))
    finally:
        go_on(frozen)
    said = finished(run)
    assert "worker worker-2 was not heard of for 2 s" in said
    assert_as_here(event, database)
    kept = late(database)
    assert kept
    assert {each.why for each in kept} == {"worker worker-2 was not heard of for 2 s"}
    assert "is kept as evidence" in said


def test_a_scheduler_that_is_started_anew_is_waited_for(cluster: Trial, event: Path, tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2")
    wait_until(lambda: some_are_out(database))
    kill(cluster.pid("scheduler"))
    said = finished(run)
    assert "went away; waiting for it" in said
    assert "is there again" in said
    assert_as_here(event, database)


def test_a_run_that_is_killed_goes_on_with_the_same_command(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2")
    wait_until(lambda: some_are_out(database, 2))
    kill_at_once(run)
    played = games_played(database)
    # What it left running on the workers ends without its runner.
    wait_until(lambda: not steady_players())
    done = run_there(cluster, event, database, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert games_played(database) > played
    assert_as_here(event, database)
    assert {each.why for each in lost(database)} == {"its run ended"}
