"""Results of workers that had lost their game: checked and exported, and no part of the event."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from arena.store import ReadStore, RunStore, Worker
from tests.cli.played import an_event, play
from tests.cli.runs import arena

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """An event of this machine in which one game came once more from a worker that had lost it."""
    event = an_event()
    # The same games, played once before for the late one.
    with ReadStore(play(tmp_path / "other.db", event)) as other:
        record = next(other.records())
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, event, random_bytes=bytes(range(32))) as store:
        number = store.enrol(Worker("lost one", "far away", 1, 0.5))
        (claim,) = store.give([(record.id, record.attempt)], number, 60)
        store.revoke([claim.token], "worker lost one was lost")
        assert store.add_claimed([(record, claim)]) == [False]
    return play(path, event)


def test_they_are_verified_and_told(database: Path) -> None:
    done = arena("verify", database)
    assert done.returncode == 0, done.stdout
    assert "and 1 late result of lost leases that count for nothing (arena export --late)" in done.stdout
    found = json.loads(arena("verify", database, "--json").stdout)
    assert (found["late"], found["lost_leases"], found["problems"]) == (1, 1, [])


def test_one_that_was_altered_is_found(database: Path) -> None:
    connection = sqlite3.connect(database)
    (text,) = connection.execute("SELECT record FROM late").fetchone()
    record = json.loads(text)
    record["moves"][3] = record["moves"][5]
    connection.execute("UPDATE late SET record = ?", (json.dumps(record),))
    connection.commit()
    connection.close()
    done = arena("verify", database)
    assert done.returncode == 1
    assert "late result: game " in done.stdout


def test_they_are_exported_by_themselves(database: Path) -> None:
    with ReadStore(database) as store:
        games, (late,) = store.progress().played, store.late()
    lines = arena("export", database, "--late").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [late.record.id]
    assert len(arena("export", database).stdout.splitlines()) == games
    assert arena("export", database, "--late", "--game", "1-2.2a").stdout == ""


def test_the_standings_name_the_worker(database: Path) -> None:
    shown = arena("standings", database).stdout
    assert "lost one" in shown
    assert "Games taken from their worker and given away anew: 1." in shown
    assert "Late results, kept as evidence (arena export --late), that count for nothing: 1." in shown
