"""Playing into a database: what is committed stands, what is changed is refused, one process at a time."""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.core.clock import parse_time
from arena.core.event import OpeningBook
from arena.core.schedule import Schedule
from arena.core.verdict import Reason, void
from arena.store import (
    ChangedEventError,
    DatabaseInUseError,
    ReadStore,
    RunStore,
    Standing,
    StoreError,
    UnwritableError,
)
from arena.store.record_codec import pack
from tests.store.builders import KEY, engine, event, fault, full_record, placement, record, spoiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.core.event import Event


def test_records_come_back_whole_and_in_schedule_order(tmp_path: Path) -> None:
    of = event()
    records = [full_record(of, 3), record(of, 0), fault(of, 5), record(of, 1)]
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add(records[:2])
        store.add(records[2:])
    with ReadStore(tmp_path / "cup.db") as stored:
        assert list(stored.records()) == [records[1], records[3], records[0], records[2]]
        assert stored.record(records[0].id) == records[0]
        assert stored.record("9-9.9a") is None
        assert stored.event() == of


def test_an_identity_with_undecodable_text_is_kept_escaped(tmp_path: Path) -> None:
    of = event()
    played = record(of, 0)
    odd = replace(played, black=replace(played.black, reported_name="\udcff<b>\0"))
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([odd])
    with ReadStore(tmp_path / "cup.db") as stored:
        found = stored.record(played.id)
        assert found is not None
        assert found.black.reported_name == "\\udcff<b>\0"


def test_a_resumed_run_knows_what_is_played(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0), spoiled(of, 1), record(of, 4)])
        key = store.dice_key
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        played = store.played()
        assert [ordinal in played for ordinal in range(7)] == [True, False, False, False, True, False, False]
        assert len(played) == 2
        assert [store.attempts(record(of, ordinal).id) for ordinal in (0, 1, 2)] == [1, 1, 0]
        assert store.dice_key == key
        store.add([record(of, 1, attempt=2)])
        assert store.attempts(record(of, 1).id) == 2
    with ReadStore(tmp_path / "cup.db") as stored:
        playings = stored.playings(record(of, 1).id)
        assert [standing for standing, _ in playings] == [Standing.VOID, Standing.COUNTS]
        assert [(standing, kept.id) for standing, kept in stored.set_aside()] == [
            (Standing.VOID, record(of, 1).id)
        ]
        assert len(stored.meta().runs) == 2
        assert all(run.ended for run in stored.meta().runs)


def test_a_batch_is_stored_wholly_or_not_at_all(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0)])
        with pytest.raises(StoreError, match="stored already"):
            store.add([record(of, 1), record(of, 0, attempt=2)])
        with pytest.raises(ValueError, match="times for"):
            store.add([record(of, 1), record(of, 2, time_us=())])
        with pytest.raises(ValueError, match="no engine"):
            store.add([record(of, 1, black=replace(record(of, 1).black, name="stranger"))])
        assert len(store.played()) == 1
        store.add([record(of, 1)])
        assert len(store.played()) == 2


def test_a_store_can_be_used_from_another_thread(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        threads = [threading.Thread(target=store.add, args=([record(of, n)],)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.played()) == 6


# --- the dice key ---


def test_the_dice_key_is_made_of_given_chance_and_kept_secret_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, event(), random_bytes=KEY) as store:
        assert store.dice_key == KEY
        assert store.dice_key_hash == hashlib.sha256(KEY).hexdigest()
        assert path.stat().st_mode & 0o077 == 0
        with ReadStore(path) as stored:
            assert stored.meta().dice_key is None
            assert stored.meta().dice_key_hash == store.dice_key_hash
            assert stored.secret_dice_key() == KEY
            assert not stored.meta().dice_key_given
        store.finish()
    with ReadStore(path) as stored:
        assert stored.meta().dice_key == KEY
        assert stored.meta().finished is not None
        assert stored.event().dice_key is None


def test_a_dice_key_given_beforehand_is_public_from_the_start(tmp_path: Path) -> None:
    of = event(dice_key=KEY)
    with RunStore.create_or_resume(tmp_path / "cup.db", of, random_bytes=bytes(32)) as store:
        assert store.dice_key == KEY
    with ReadStore(tmp_path / "cup.db") as stored:
        assert stored.meta().dice_key == KEY
        assert stored.meta().dice_key_given
        assert stored.event() == of


def test_two_databases_have_two_keys(tmp_path: Path) -> None:
    keys = set()
    for name in ("one.db", "two.db"):
        with RunStore.create_or_resume(tmp_path / name, event()) as store:
            keys.add(store.dice_key)
    assert len(keys) == 2


# --- going on with a changed event ---


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"komi": 2}, "komi: 1 in the database, 2 now"),
        ({"games_each": 1}, "games_each: 2 in the database, 1 now"),
        ({"games_each": 0}, "pairs: 1 in the database, 0 now (games_each: 2, 0)"),
        ({"name": "other"}, "name: 'cup' in the database, 'other' now"),
        ({"seed": 8}, "seed: 7 in the database, 8 now"),
        ({"time": parse_time("5/move")}, "time: '10+0.1' in the database, '5/move' now"),
        ({"dice_key": KEY}, "dice_key: not the one the event was begun with"),
        ({"book": OpeningBook(2, (), "random 2")}, "openings: none in the database, random 2 now"),
        ({"engines": (engine("a"), engine("b"))}, "engine 'c': no longer there"),
        (
            {"engines": (engine("a"), engine("b", margin_ms=9), engine("c"))},
            "engine 'b' margin_ms: 20 in the database, 9 now",
        ),
        (
            {"engines": (engine("new"), engine("a"), engine("b"), engine("c"))},
            "engine 'a' name: 'a' in the database, 'new' now",
        ),
    ],
)
def test_another_event_is_refused_key_by_key(
    tmp_path: Path, changes: dict[str, Any], difference: str
) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0)])
    before = (tmp_path / "cup.db").read_bytes()
    with pytest.raises(ChangedEventError) as caught:
        RunStore.create_or_resume(tmp_path / "cup.db", event(**changes))
    assert difference in caught.value.differences
    assert f"\n  {difference}" in str(caught.value)
    with ReadStore(tmp_path / "cup.db") as stored:
        assert stored.event() == of
        assert len(stored.meta().runs) == 1
    assert len(before) == (tmp_path / "cup.db").stat().st_size


def test_a_changed_book_is_named_by_its_first_other_opening(tmp_path: Path) -> None:
    books = [
        OpeningBook(lines=lines, source="book.txt") for lines in ((("A1",), ("B2",)), (("A1",), ("C3",)))
    ]
    RunStore.create_or_resume(tmp_path / "cup.db", event(book=books[0])).close()
    with pytest.raises(ChangedEventError, match=r"openings: book.txt has changed \(opening 2 is another\)"):
        RunStore.create_or_resume(tmp_path / "cup.db", event(book=books[1]))


def test_more_games_and_engines_extend_the_event_and_games_find_their_new_places(tmp_path: Path) -> None:
    small = event("a", "b", "c", "d", games_each=3)
    large = event("a", "b", "c", "d", "e", games_each=4, concurrency=9)
    with RunStore.create_or_resume(tmp_path / "cup.db", small) as store:
        store.add(record(small, ordinal) for ordinal in range(len(Schedule(small))))
        store.finish()
    with RunStore.create_or_resume(tmp_path / "cup.db", large, placement=placement(large)) as store:
        assert store.event == large
        assert len(store.played()) == len(Schedule(small))
    schedule = Schedule(large)
    with ReadStore(tmp_path / "cup.db") as stored:
        assert stored.event() == large
        records = list(stored.records())
        assert [kept.id for kept in records] == sorted(
            (kept.id for kept in records), key=lambda game_id: schedule.ordinal_of(game_id) or 0
        )
        for kept in records:
            place = schedule.game(kept.ordinal)
            assert (kept.id, kept.round) == (place.id, place.round)
        assert stored.meta().finished is None
        (entry,) = stored.audit()
        assert entry.action == "extend"
        assert entry.why == "games_each: 3 in the database, 4 now; engine 'e': new at the end of the list"


def test_another_concurrency_is_no_change_worth_a_word(tmp_path: Path) -> None:
    RunStore.create_or_resume(tmp_path / "cup.db", event()).close()
    RunStore.create_or_resume(tmp_path / "cup.db", event(concurrency=5)).close()
    with ReadStore(tmp_path / "cup.db") as stored:
        assert stored.event().concurrency == 5
        assert stored.audit() == ()


def at_home(home: str, *command: str, **changes: Any) -> Event:
    """Return an event whose first entry's paths are below a folder."""
    keys = {"cwd": f"{home}/a", "binds": (f"{home}/data", "/usr/share"), "folder": home, **changes}
    entry = engine("a", command=command or (f"{home}/a/bot", "--net", "net.bin"), **keys)
    return event(home=home, engines=(entry, engine("b"), engine("c")))


def test_a_folder_moved_as_a_whole_is_the_same_event(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    before, now = at_home("/srv/cup"), at_home("/home/me/cup 2")
    RunStore.create_or_resume(path, before).close()
    RunStore.create_or_resume(path, now).close()
    with ReadStore(path) as stored:
        assert stored.event() == now
        assert stored.audit() == ()
    RunStore.create_or_resume(path, before).close()


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        (at_home("/home/me", "/home/me/a/other", "--net", "net.bin"), "command"),
        (at_home("/home/me", "/home/me/a/bot", "--net", "new.bin"), "command"),
        (at_home("/home/me", "/home/me/a/bot"), "command"),
        (at_home("/home/me", "/usr/bin/bot", "--net", "net.bin"), "command"),
        (at_home("/home/me", "/home/me/cup/a/bot", "--net", "net.bin"), "command"),
        (at_home("/home/me", cwd="/home/me/b"), "cwd"),
        (at_home("/home/me", binds=("/home/me/data",)), "binds"),
        (at_home("/home/me", folder=None), "folder"),
        # Only what lies below the folder has moved with it.
        (at_home("/srv/cup", "/srv/cup2/bot"), "command"),
    ],
)
def test_what_has_changed_beside_the_move_is_refused(tmp_path: Path, changed: Event, key: str) -> None:
    RunStore.create_or_resume(tmp_path / "cup.db", at_home("/srv/cup")).close()
    with pytest.raises(ChangedEventError) as caught:
        RunStore.create_or_resume(tmp_path / "cup.db", changed)
    assert [words.split(":")[0] for words in caught.value.differences] == [f"engine 'a' {key}"]


def test_a_database_that_knows_no_folder_goes_on_where_it_is_and_learns_it(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    known = at_home("/srv/cup")
    RunStore.create_or_resume(path, replace(known, home="")).close()
    with pytest.raises(ChangedEventError):
        RunStore.create_or_resume(path, at_home("/home/me"))
    RunStore.create_or_resume(path, known).close()
    with ReadStore(path) as stored:
        assert stored.event() == known
    RunStore.create_or_resume(path, at_home("/home/me")).close()


# --- one writer ---

HOLDER = """
import sys, time
from pathlib import Path
from arena.store import RunStore
from tests.store.builders import event, record
of = event(games_each=200)
store = RunStore.create_or_resume(Path(sys.argv[1]), of)
for ordinal in range(int(sys.argv[2])):
    store.add([record(of, ordinal)])
    print(ordinal, flush=True)
print("held", flush=True)
sys.stdin.read()
"""


def start_holder(path: Path, games: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(games)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def test_a_second_writer_is_refused_and_the_first_is_named_until_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    (tmp_path / "link.db").symlink_to(path)
    with start_holder(path, 1) as holder:
        assert holder.stdout is not None
        assert [holder.stdout.readline() for _ in range(2)] == ["0\n", "held\n"]
        of = event(games_each=200)
        attempts: tuple[Callable[[], RunStore], ...] = (
            lambda: RunStore.create_or_resume(path, of),
            lambda: RunStore.create_or_resume(tmp_path / "link.db", of),
            lambda: RunStore.open(path),
        )
        for attempt in attempts:
            with pytest.raises(DatabaseInUseError, match=rf"in use by process {holder.pid} \(.*python.*-c"):
                attempt()
        with ReadStore(path) as stored:
            assert stored.progress().played == 1
        holder.kill()
        holder.wait()
    with RunStore.create_or_resume(path, of) as store:
        assert len(store.played()) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cup.db", "link.db"]


def test_a_killed_run_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    for last in (0, 7, 120):
        path.unlink(missing_ok=True)
        with start_holder(path, 400) as holder:
            assert holder.stdout is not None
            for line in holder.stdout:
                if int(line) == last:
                    break
            holder.send_signal(signal.SIGKILL)
            told = [int(line) for line in holder.stdout if line.strip().isdigit()]
        with ReadStore(path) as stored:
            kept = [kept.ordinal for kept in stored.records()]
            assert kept == list(range(len(kept)))
            assert len(kept) > max([last, *told])
        with RunStore.create_or_resume(path, event(games_each=200)) as store:
            assert len(store.played()) == len(kept)
            (killed, _) = _runs(path)
            assert killed is None


def _runs(path: Path) -> list[str | None]:
    with ReadStore(path) as stored:
        return [run.ended for run in stored.meta().runs]


def test_a_reader_sees_games_as_they_are_committed(tmp_path: Path) -> None:
    of = event()
    with (
        RunStore.create_or_resume(tmp_path / "cup.db", of) as store,
        ReadStore(tmp_path / "cup.db") as reader,
    ):
        records = reader.records()
        store.add([record(of, 0), record(of, 1)])
        assert next(records).ordinal == 0
        store.add([record(of, 2)])
        assert reader.progress().played == 3
        assert [summary.id for summary in reader.summaries()] == [record(of, n).id for n in range(3)]
        # The iterator holds no read transaction open while nobody asks it for more.
        store.add([record(of, 3)])


# --- the place ---


def test_a_closed_database_is_one_file(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0)])
    assert [file.name for file in tmp_path.iterdir()] == ["cup.db"]
    header = (tmp_path / "cup.db").read_bytes()[18:20]
    assert header == b"\x01\x01", "the file asks for no write-ahead log"


def test_a_name_with_odd_characters_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%41 d'e.db"
    RunStore.create_or_resume(path, event()).close()
    with ReadStore(path) as stored:
        assert stored.event() == event()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"there is no folder {tmp_path}/missing"):
        RunStore.create_or_resume(tmp_path / "missing" / "cup.db", event())


def test_a_full_disk_stops_the_write_and_leaves_the_rest(tmp_path: Path) -> None:
    of = event(games_each=2000)
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0)])
        connection = store._connection
        assert connection is not None
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(UnwritableError, match="the disk is full"):
            store.add(record(of, ordinal) for ordinal in range(1, 600))
        assert len(store.played()) == 1
        connection.execute("PRAGMA max_page_count = 100000")
        store.add([record(of, 1)])
    with ReadStore(tmp_path / "cup.db") as stored:
        assert [kept.ordinal for kept in stored.records()] == [0, 1]


IN_A_SMALL_FILE_SYSTEM = """
import sys
from pathlib import Path
from arena.store import ReadStore, RunStore, UnwritableError
from tests.store.builders import event, record
of, path, stored = event(games_each=20000), Path(sys.argv[1]) / "cup.db", 0
store = RunStore.create_or_resume(path, of)
try:
    for ordinal in range(20000):
        store.add([record(of, ordinal)])
        stored += 1
except UnwritableError as error:
    print(error)
store.close()
with ReadStore(path) as reader:
    kept = [record.ordinal for record in reader.records()]
assert 0 < len(kept) == stored, (len(kept), stored)
try:
    RunStore.create_or_resume(path.with_name("other.db"), of).close()
except UnwritableError as error:
    print(error)
"""


def in_a_namespace(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command that may mount file systems of its own; skip where that is forbidden."""
    unshare = ["unshare", "--mount", "--map-root-user"]
    if subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    return subprocess.run(
        [*unshare, "sh", "-ec", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


def test_a_really_full_disk_loses_no_game_that_was_committed(tmp_path: Path) -> None:
    done = in_a_namespace(
        'mount -t tmpfs -o size=600k none "$1"; "$2" -c "$3" "$1"',
        "sh",
        str(tmp_path),
        sys.executable,
        IN_A_SMALL_FILE_SYSTEM,
    )
    assert done.returncode == 0, done.stderr
    assert "cannot be used: the disk" in done.stdout


READ_AND_TRY_TO_WRITE = """
import sys
from pathlib import Path
from arena.store import ReadStore, RunStore, StoreError, UnwritableError
from tests.store.builders import event
path = Path(sys.argv[1]) / "cup.db"
with ReadStore(path) as reader:
    print(sum(1 for _ in reader.records()))
for attempt in (lambda: RunStore.open(path), lambda: RunStore.create_or_resume(path, event())):
    try:
        attempt()
    except UnwritableError as error:
        print(error)
"""


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_finished_database_is_read_from_a_read_only_place(tmp_path: Path, journal: str) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0), record(of, 1)])
    if journal == "wal":
        # What remains when a reader was there as the run ended: the header asks for a log that is not there.
        connection = sqlite3.connect(tmp_path / "cup.db")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.close()
        assert [file.name for file in tmp_path.iterdir()] == ["cup.db"]
    done = in_a_namespace(
        'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; "$2" -c "$3" "$1"',
        "sh",
        str(tmp_path),
        sys.executable,
        READ_AND_TRY_TO_WRITE,
    )
    assert done.returncode == 0, done.stderr
    count, *refusals = done.stdout.splitlines()
    assert count == "2"
    assert len(refusals) == 2
    assert all("cannot be written: its folder takes no file cup.db.lock" in line for line in refusals)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_finished_database_is_read_by_somebody_who_may_not_write() -> None:
    of = event()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "cup.db"
        with RunStore.create_or_resume(path, of) as store:
            store.add([record(of, 0)])
            store.finish()
        child = os.fork()
        if child == 0:
            os._exit(_read_as_nobody(path))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _read_as_nobody(path: Path) -> int:
    """Return 0 when nobody can read the file and cannot write it; runs in a process of its own."""
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    with ReadStore(path) as reader:
        count = sum(1 for _ in reader.records())
    try:
        RunStore.open(path)
    except UnwritableError:
        return 0 if count == 1 else 1
    except BaseException:
        return 2
    return 3


def test_a_void_record_of_a_stall_is_played_again_too(tmp_path: Path) -> None:
    of = event()
    with RunStore.create_or_resume(tmp_path / "cup.db", of) as store:
        store.add([record(of, 0, verdict=void(Reason.REFEREE_STALL))])
        assert 0 not in store.played()


def test_a_record_prepared_elsewhere_is_stored_as_any_other(tmp_path: Path) -> None:
    of = event("a", "b", "c")
    stored = []
    for name, is_prepared in (("one.db", True), ("two.db", False)):
        with RunStore.create_or_resume(tmp_path / name, of, random_bytes=KEY) as store:
            for each in (full_record(of, 0), fault(of, 1), record(of, 2)):
                if is_prepared:
                    each.keep_packed(pack(each))
                store.add([each])
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            queries = ("SELECT * FROM game", "SELECT * FROM playing")
            stored.append([connection.execute(query).fetchall() for query in queries])
    assert stored[0] == stored[1]
