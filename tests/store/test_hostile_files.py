"""Files that are no sound database of this version are refused in one sentence, and left as they are."""

from __future__ import annotations

import random
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from arena.store import ReadStore, RunStore, StoreError, UnwritableError, schema
from tests.store.builders import event, full_record, record

if TYPE_CHECKING:
    from pathlib import Path

OF = event(games_each=40)
VERSION = schema.schema_version()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, OF) as store:
        store.add(record(OF, ordinal) for ordinal in range(60))
        store.add([full_record(OF, 60)])
    return path


def assert_refused(path: Path, words: str) -> None:
    before = path.read_bytes() if path.is_file() else None
    for attempt in (
        lambda: ReadStore(path),
        lambda: RunStore.open(path),
        lambda: RunStore.create_or_resume(path, OF),
    ):
        with pytest.raises(StoreError, match=words) as caught:
            attempt()
        assert str(caught.value).startswith(str(path))
        assert "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_empty_file_is_refused(path: Path) -> None:
    path.write_bytes(b"")
    assert_refused(path, "is empty, not a database")


@pytest.mark.parametrize("content", [b"x", b"[tournament]\n" * 100, b"\0" * 4096, b"SQLite format 3\0"])
def test_a_file_of_another_kind_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert_refused(path, "is not a gtparena database")


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE game (id)")
    connection.commit()
    connection.close()
    assert_refused(path, "is a database of another program")


def test_a_folder_is_refused(path: Path) -> None:
    path.unlink()
    path.mkdir()
    assert_refused(path, "is a folder")


def test_a_newer_version_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1000")
    connection.close()
    assert_refused(path, r"written by a newer gtparena \(database version 1000, this program knows up to")


@pytest.mark.parametrize("kept_share", [0.02, 0.5, 0.95, 0.999])
def test_a_truncated_database_is_refused(path: Path, kept_share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: max(100, int(len(content) * kept_share))])
    assert_refused(path, "is truncated")


def test_an_overwritten_page_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 8 : 4096 * 9] = random.Random(1).randbytes(4096)
    path.write_bytes(content)
    assert_refused(path, r"is damaged \([^*]+\): go back to a copy of it")


def test_damage_in_values_is_told_when_it_is_met(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE playing SET more = x'789c00' WHERE number = 61")
    connection.commit()
    connection.close()
    with ReadStore(path) as stored:
        assert len(list(stored.summaries())) == 61
        with pytest.raises(StoreError, match="is damaged: a row holds what cannot be"):
            list(stored.records())


@pytest.mark.parametrize("seed", range(20))
def test_random_damage_is_a_sentence_or_nothing_never_a_traceback(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 40)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path.write_bytes(content)
    with suppress(StoreError), ReadStore(path) as stored:
        stored.event()
        stored.meta()
        stored.audit()
        list(stored.records())
        list(stored.summaries())
        stored.ending_columns().tallies()
        stored.duplicates()
        stored.columns()


def test_an_older_version_is_brought_up_to_date_by_a_run_and_read_without_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = (*schema.MIGRATIONS, ("CREATE TABLE invented (x)", "INSERT INTO invented VALUES (3)"))
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    before = path.read_bytes()
    with ReadStore(path) as stored:
        assert stored.meta().schema_version == VERSION
        assert len(list(stored.records())) == 61
    assert path.read_bytes() == before
    with RunStore.create_or_resume(path, OF) as store:
        assert len(store.played()) == 61
    with ReadStore(path) as stored:
        assert stored.meta().schema_version == VERSION + 1


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = (*schema.MIGRATIONS, ("CREATE TABLE invented (x)", "CREATE TABLE game (x)"))
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    with pytest.raises(StoreError):
        RunStore.open(path)
    monkeypatch.undo()
    with ReadStore(path) as stored:
        assert stored.meta().schema_version == VERSION
        assert len(list(stored.records())) == 61


def test_a_file_from_between_two_versions_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE game DROP COLUMN lag_us")
    connection.commit()
    connection.close()
    assert_refused(path, r"between two versions of gtparena \(game.lag_us is missing\).*play the event anew")


def test_a_file_with_more_than_its_version_has_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE run ADD COLUMN mood TEXT")
    connection.commit()
    connection.close()
    assert_refused(path, r"between two versions of gtparena \(run.mood is unknown\)")


def test_a_file_of_the_first_version_is_gone_on_with(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = path.with_name("first.db")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        connection = schema.connect(first, "rwc")
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        schema.migrate(connection, 0)
    connection.execute("ATTACH ? AS now", (str(path),))
    for table in ("meta", "word", "identity", "game", "playing", "audit", "run"):
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
        connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM now.{table}")  # noqa: S608
    connection.close()
    with ReadStore(path) as now, ReadStore(first) as then:
        assert then.meta().schema_version == 1
        assert list(then.records()) == list(now.records())
        assert then.workers() == ()
        assert set(then.columns().worker.tolist()) == {-1}
    with RunStore.create_or_resume(first, OF) as store:
        store.add([record(OF, 70)])
        assert len(store.played()) == 62


def test_a_failed_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (("CREATE TABLE x (y)", "CREATE TABLE x (y)"),))
    with pytest.raises(StoreError):
        RunStore.create_or_resume(tmp_path / "cup.db", OF)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_takes_no_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="cannot be written"):
        RunStore.create_or_resume("/proc/self/cup.db", OF)
