"""What goes wrong with machines and wires: the event is played to its end, and comes out as it would here."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from arena.cluster.crew import Settings
from tests.cli.runs import games_played, kill_at_once, wait_until, what_was_played
from tests.cluster.clusters import (
    go_on,
    kill,
    late,
    lost,
    played_there,
    referees,
    run_here,
    run_there,
    started_there,
    steady_event,
    steady_players,
    stop,
    stored_workers,
    table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from arena.cluster.trial import Trial


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event of twelve games, each of half a second or so, and beside it what it comes to here."""
    folder = tmp_path_factory.mktemp("here")
    file = steady_event(folder, engines=3, pairs=2, pause_ms=20)
    run_here(file, folder / "here.db")
    return file


def assert_as_here(event: Path, database: Path) -> None:
    here = event.with_name("here.db")
    assert what_was_played(database) == what_was_played(here)
    assert table(database) == table(here)


def test_a_cluster_plays_what_this_machine_plays(cluster: Trial, event: Path, tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    said = played_there(cluster, event, database)
    assert_as_here(event, database)
    assert {each.worker.name for each in stored_workers(database)} == {"worker-1", "worker-2"}
    assert [words.split(" on ")[0] for words in sorted(said)] == ["worker worker-1", "worker worker-2"]
    assert late(database) == ()
    assert lost(database) == ()
    wait_until(lambda: not steady_players())


def test_a_worker_that_is_killed_loses_its_games_to_another(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"

    def fault() -> None:
        wait_until(lambda: games_played(database) >= 1)
        kill(cluster.pid("worker-1"))

    said = played_there(cluster, event, database, fault)
    assert any(words.startswith("worker worker-1 was lost; its") for words in said)
    assert_as_here(event, database)
    assert {each.why for each in lost(database)} == {"worker worker-1 was lost"}


def test_a_referee_that_is_stopped_on_its_worker_does_not_keep_its_games(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database)
    wait_until(lambda: games_played(database) >= 1)
    (referee,) = referees(cluster.pid("worker-1"))
    stop(referee)
    run.communicate(timeout=100)
    # It held both games of a pair, or one: two void games of one pairing end a run, which then goes on.
    if run.returncode != 0:
        assert run.returncode == 4
        assert run_there(cluster, event, database).returncode == 0
    assert_as_here(event, database)
    wait_until(lambda: not steady_players())


def test_a_worker_that_is_cut_off_and_comes_back_brings_evidence_and_no_second_game(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"

    def fault() -> None:
        wait_until(lambda: games_played(database) >= 1)
        frozen = cluster.pid("worker-2")
        stop(frozen)
        try:
            wait_until(lambda: any("not heard of" in each.why for each in lost(database)))
        finally:
            go_on(frozen)

    said = played_there(cluster, event, database, fault, Settings(workers=2, lease_s=2))
    assert any(words.startswith("worker worker-2 was not heard of for 2 s") for words in said)
    assert_as_here(event, database)
    kept = late(database)
    assert kept
    assert {each.why for each in kept} == {"worker worker-2 was not heard of for 2 s"}
    assert any("is kept as evidence" in words for words in said)


def test_a_scheduler_that_is_started_anew_is_waited_for(cluster: Trial, event: Path, tmp_path: Path) -> None:
    database = tmp_path / "cup.db"

    def fault() -> None:
        wait_until(lambda: games_played(database) >= 1)
        kill(cluster.pid("scheduler"))

    said = played_there(cluster, event, database, fault)
    assert f"scheduler {cluster.address} went away; waiting for it" in said
    assert f"scheduler {cluster.address} is there again" in said
    assert_as_here(event, database)


def test_a_run_that_is_killed_goes_on_with_the_same_command(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2")
    wait_until(lambda: games_played(database) >= 2)
    kill_at_once(run)
    played = games_played(database)
    # What it left running on the workers ends without its runner.
    wait_until(lambda: not steady_players())
    done = run_there(cluster, event, database, "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert games_played(database) > played
    assert_as_here(event, database)
    assert {each.why for each in lost(database)} == {"its run ended"}
    # What it prints has a table of workers.
    assert "Does the worker matter?" in done.stdout


def test_a_run_that_is_asked_to_stop_gives_back_what_is_not_begun(
    cluster: Trial, event: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cup.db"
    run = started_there(cluster, event, database, "--workers", "2")
    wait_until(lambda: games_played(database) >= 1)
    run.terminate()
    said, _ = run.communicate(timeout=60)
    assert run.returncode == 3, said
    assert "the same command goes on from here" in said
    assert games_played(database) < 12
    wait_until(lambda: not steady_players())
    played_there(cluster, event, database)
    assert_as_here(event, database)


def test_nothing_of_a_run_is_left_in_threads(cluster: Trial, event: Path, tmp_path: Path) -> None:
    played_there(cluster, event, tmp_path / "cup.db")
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("IO loop")]
