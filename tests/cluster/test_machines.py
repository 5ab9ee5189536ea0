"""Machines that are not alike: slow ones, and engines that travel to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arena.cluster.calibration import clock_factor, scaled, speed, work
from arena.cluster.crew import Settings
from arena.cluster.trial import Trial
from arena.core.clock import parse_time
from arena.live.sandbox import bubblewrap_problem
from arena.store import ReadStore
from tests.cli.runs import arena, what_was_played
from tests.cluster.clusters import (
    played_there,
    run_here,
    run_there,
    slowing_folder,
    steady_event,
    stored_workers,
    tended,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_the_work_of_the_calibration_is_the_same_everywhere() -> None:
    assert work() == 1812
    assert speed(rounds=3) > 0


@pytest.mark.parametrize(
    ("speed", "reference", "factor"),
    [
        (1.0, 1.0, 1.0),
        (0.5, 1.0, 2.0),
        (2.0, 1.0, 0.5),
        (0.01, 1.0, 4.0),
        (50.0, 1.0, 0.25),
        (0.7, 1.1, 1.57),
    ],
)
def test_clocks_are_fitted_within_bounds(speed: float, reference: float, factor: float) -> None:
    assert clock_factor(speed, reference) == factor


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("60", "90"),
        ("60+0.6", "90+0.9"),
        ("40/60+0.5", "40/90+0.75"),
        ("5/move", "7.5/move"),
        ("60+3x10", "90+3x15"),
        ("60+25/30", "90+25/45"),
        ("60+0.6b", "90+0.9b"),
        ("60+0.6d", "90+0.9d"),
        ("60h", "90h"),
        ("0.001", "0.002"),
        ("inf", "inf"),
    ],
)
def test_every_time_control_can_be_fitted(text: str, longer: str) -> None:
    fitted = scaled(parse_time(text), 1.5)
    assert fitted.text == longer
    assert parse_time(fitted.text) == fitted
    assert scaled(parse_time("0.001"), 0.25).text == "0.001"


def test_a_slow_worker_is_shown_and_may_have_more_time(tmp_path: Path) -> None:
    event = steady_event(tmp_path, engines=3, pairs=2)
    run_here(event, tmp_path / "here.db")
    slow = slowing_folder(tmp_path)
    with tended(Trial(1)) as trial:
        trial.start_worker("slow", environment={"PYTHONPATH": str(slow)})
        plain = played_there(trial, event, tmp_path / "plain.db")
        settings = Settings(workers=2, scales_clocks=True)
        fitted = played_there(trial, event, tmp_path / "fitted.db", settings=settings)
    for said, database in ((plain, tmp_path / "plain.db"), (fitted, tmp_path / "fitted.db")):
        assert any(words.startswith("worker slow on ") for words in said)
        assert what_was_played(database) == what_was_played(tmp_path / "here.db")
        found = {each.worker.name: each.worker for each in stored_workers(database)}
        slow_speed, usual_speed = found["slow"].speed, found["worker-1"].speed
        assert slow_speed is not None
        assert usual_speed is not None
        assert slow_speed < usual_speed
        is_fitted = database.name == "fitted.db"
        assert (found["slow"].time_factor > found["worker-1"].time_factor) == is_fitted
        assert found["slow"].time_factor == 1.0 or is_fitted
    with ReadStore(tmp_path / "fitted.db") as store:
        assert set(store.columns().worker.tolist()) <= {each.number for each in store.workers()}


ENGINE_TOML = """
name = "handed"
version = "1"
author = "Ada"
command = ["{python}", "handed.py"]
games = ["pletore"]
build = ["/bin/sh", "build.sh"]
"""


@pytest.mark.skipif(bubblewrap_problem() is not None, reason=f"no sandbox: {bubblewrap_problem()}")
def test_an_engine_that_was_handed_in_travels_and_is_built_and_contained_there(
    cluster: Trial, tmp_path: Path
) -> None:
    folder = tmp_path / "handed"
    folder.mkdir()
    (folder / "engine.toml").write_text(ENGINE_TOML)
    (folder / "source.py").write_text("from sample_engines import random_player\nrandom_player.main()\n")
    (folder / "build.sh").write_text("cp source.py handed.py\n")
    event = steady_event(tmp_path, engines=1, pairs=1)
    submitted = arena("submit", folder, "--enter", event)
    assert submitted.returncode == 0, submitted.stdout + submitted.stderr
    done = run_there(cluster, event, tmp_path / "there.db", "--workers", "2")
    assert done.returncode == 0, done.stderr
    run_here(event, tmp_path / "here.db")
    assert what_was_played(tmp_path / "there.db") == what_was_played(tmp_path / "here.db")
    with ReadStore(tmp_path / "there.db") as store:
        sandboxes = {each.name: each.sandbox for each in store.identities()}
        assert sandboxes["handed"] == "bubblewrap"
        commands = {each.worker.details["sandbox"] for each in store.workers()}
        assert commands == {"bubblewrap"}
    registry = json.loads((tmp_path / "submissions" / "handed" / "1.json").read_text())
    # A bundle that was altered does not leave.
    bundle = tmp_path / "submissions" / "bundles" / registry["sha256"]
    (bundle / "source.py").write_text("import this\n")
    refused = run_there(cluster, event, tmp_path / "altered.db")
    assert refused.returncode == 2
    assert "was altered" in refused.stderr
