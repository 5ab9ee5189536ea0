"""Two hundred games on two workers, with everything going wrong that can be made to: they come out as here.

It prints what was played, where, in what time.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

import arena as arena_package
from arena.cluster.trial import Trial
from tests.cli.runs import arena, games_played, kill_at_once, wait_until, what_was_played
from tests.cluster.clusters import (
    finished,
    go_on,
    kill,
    late,
    lost,
    run_here,
    slowing_folder,
    started_there,
    steady_event,
    steady_players,
    stop,
    stored_workers,
    table,
    tended,
)

GAMES = 200


@pytest.mark.soak
def test_two_hundred_games_with_every_fault_come_out_as_here(tmp_path: Path) -> None:
    # 4 entries have 6 pairings of 34 games, 204 in all.
    event = steady_event(tmp_path, engines=4, pairs=17, pause_ms=10)
    here, database = tmp_path / "here.db", tmp_path / "there.db"
    start = time.monotonic()
    run_here(event, here)
    print(f"local: {games_played(here)} games in {time.monotonic() - start:.0f} s")
    said: list[str] = []
    start = time.monotonic()
    with tended(Trial(2, say=said.append)) as trial:

        def until(games: int) -> None:
            wait_until(lambda: games_played(database) >= games)

        run = started_there(trial, event, database, "--workers", "2", "--lease", "3")
        until(20)
        kill(trial.pid("worker-1"))
        until(50)
        stop(frozen := trial.pid("worker-2"))
        try:
            wait_until(lambda: any("not heard of" in each.why for each in lost(database)))
        finally:
            go_on(frozen)
        until(80)
        kill(trial.pid("scheduler"))
        until(110)
        kill_at_once(run)
        run = started_there(trial, event, database, "--workers", "2", "--lease", "3")
        until(112)
        trial.start_worker("aged", environment={"PYTHONPATH": str(_older(tmp_path / "old"))})
        trial.start_worker("slow", environment={"PYTHONPATH": str(slowing_folder(tmp_path))})
        if shutil.which("bwrap") is not None:
            players = str(Path(__file__).parent)
            trial.start_worker("without", prefix=["bwrap", "--dev-bind", "/", "/", "--tmpfs", players])
        words = finished(run)
    print(f"cluster: {games_played(database)} games in {time.monotonic() - start:.0f} s")
    print(words.split("Standings")[0])
    assert games_played(here) >= GAMES
    assert what_was_played(database) == what_was_played(here)
    assert table(database) == table(here)
    checked, expected = (arena("verify", each).stdout for each in (database, here))
    assert "all as the rules, the seed and the dice key have it" in checked
    assert checked.split(",")[0] == expected.split(",")[0]
    assert "worker aged" in words
    assert "has gtparena 0.0.7" in words
    assert shutil.which("bwrap") is None or "has another program for engine" in words
    causes = {each.why for each in lost(database)}
    assert {"worker worker-1 was lost", "worker worker-2 was not heard of for 3 s"} <= causes
    assert any("was lost with the scheduler" in why for why in causes)
    assert "its run ended" in causes
    assert late(database)
    assert {each.worker.name for each in stored_workers(database)} >= {"worker-1", "worker-2", "slow"}
    assert not steady_players()


def _older(folder: Path) -> Path:
    shutil.copytree(Path(arena_package.__file__).parent, folder / "arena")
    init = folder / "arena" / "__init__.py"
    init.write_text(init.read_text().replace(arena_package.__version__, "0.0.7"))
    return folder
