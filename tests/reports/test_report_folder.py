"""The report's folder: same events, same bytes; every part a file; bounded; nothing foreign is lost."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from arena.core.clock import parse_time
from arena.core.laboratory import Design, laboratory, text_with_design
from arena.core.record import Pie
from arena.rules.base import BLACK, WHITE
from arena.rules.registry import games as all_games
from arena.store import ReadStore, RunStore
from reports import charts
from reports.labels import labels_of
from reports.page import folder as folder_module
from reports.page.contents import material_of
from reports.page.folder import MANIFEST, FolderError, Written, write_report
from reports.page.replays import replay_data
from tests.cli.played import an_event, an_event_of_several, play

if TYPE_CHECKING:
    from pathlib import Path

FAULTY = "1-2.1a"


def written(folder: Path, *databases: Path, **limits: int) -> Written:
    stores = [ReadStore(database) for database in databases]
    try:
        return write_report(stores, folder, **limits)
    finally:
        for store in stores:
            store.close()


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def data(path: Path) -> Any:
    """Return what a script file hands over."""
    text = path.read_text()
    assert text.isascii()
    assert not set("<>") & set(text)
    found = re.fullmatch(r"arenaGames?\((?:[0-9]+,[0-9]+,)?(.*)\);\n", text)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An event of two engines for each game; Pletore's has a fault."""
    folder = tmp_path_factory.mktemp("events")
    return {
        game: play(
            folder / f"{game}.db",
            an_event(game, ("one", "two")),
            faulty=[FAULTY] if game == "pletore" else [],
        )
        for game in all_games()
    }


@pytest.fixture(scope="session")
def two_events(databases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of Pletore and Plakoto."""
    folder = tmp_path_factory.mktemp("report") / "report"
    written(folder, databases["pletore"], databases["plakoto"])
    return folder


def test_the_same_events_give_the_same_bytes(
    databases: dict[str, Path], two_events: Path, tmp_path: Path
) -> None:
    written(tmp_path / "again", databases["pletore"], databases["plakoto"])
    assert digests(tmp_path / "again") == digests(two_events)


def test_every_part_is_there_as_page_and_files(two_events: Path) -> None:
    files = set(digests(two_events))
    for stem in (
        "standings",
        "ratings",
        "cross-table",
        "margins-and-time",
        "forfeits",
        "game-length",
        "engines",
        "runs",
    ):
        assert {f"1/tables/{stem}.csv", f"1/tables/{stem}.md"} <= files
    for stem in ("standings", "margins-by-engine", "margins-by-pairing", "margins-by-colour", "time-use"):
        assert {f"1/charts/{stem}.png", f"1/charts/{stem}.svg"} <= files
    assert {"2/tables/dice.csv", "index.html", "page/report.js", "page/board.js", "page/style.css"} <= files
    page = (two_events / "index.html").read_text()
    for words in ("Report of 2 events", "Z99 is no move here", "chi-square test", "SHA-256 of the key"):
        assert words in page
    assert set((two_events / MANIFEST).read_text().splitlines()) == files - {MANIFEST}


def test_the_page_names_no_other_address(two_events: Path) -> None:
    page = (two_events / "index.html").read_text()
    addresses = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
    assert not [address for address in addresses if re.match(r"[a-z]+:|//", address) and address != "data:,"]
    missing = [a for a in addresses if a != "data:," and not (two_events / a).exists()]
    assert missing == []
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_the_cross_table_for_programs_has_a_row_for_each_meeting(two_events: Path) -> None:
    with (two_events / "1" / "tables" / "cross-table.csv").open() as file:
        assert next(csv.reader(file))[:2] == ["engine", "opponent"]


@pytest.mark.parametrize("game", all_games())
def test_replays_hold_every_turn_and_add_up_to_the_board(databases: dict[str, Path], game: str) -> None:
    control = parse_time("10+0.1")
    with ReadStore(databases[game]) as store:
        drawing = material_of(store, 10, 1).drawing
        records = list(store.records())
    assert drawing is not None
    for record in records:
        made = replay_data(record, (control, control))
        assert len(made["frames"]) == len(record.moves) + 1
        assert len(made["left"]) == len(record.moves)
        state = [0] * len(drawing.slots)
        for changed, caption in made["frames"]:
            for slot, symbol in zip(changed[::2], changed[1::2], strict=True):
                state[slot] = symbol
            assert caption.endswith(".")
        assert max(state) < len(drawing.symbols)
        assert "broken" not in made


def test_the_clock_of_a_replay_is_the_clock_of_the_game(databases: dict[str, Path]) -> None:
    with ReadStore(databases["pletore"]) as store:
        record = store.record("1-2.1b")
    assert record is not None
    record = dataclasses.replace(record, time_us=(None, None, 2_000_000, *record.time_us[3:]))
    made = replay_data(record, (parse_time("10+0.1"), None))
    assert made["start"] == ["10.0 s", ""]
    assert made["left"][:3] == ["10.0 s", "", "8.1 s"]
    periods = replay_data(record, (parse_time("1+3x5"), None))
    assert periods["start"] == ["1.0 s + 3 x 5.0 s", ""]


def test_a_game_that_the_rules_refuse_ends_where_they_do(databases: dict[str, Path]) -> None:
    with ReadStore(databases["topolo"]) as store:
        record = store.record("1-2.1a")
    assert record is not None
    broken = replay_data(dataclasses.replace(record, moves=(*record.moves[:3], "A1:9")), (None, None))
    assert len(broken["frames"]) == 4
    assert "cannot be played again beyond turn 3" in broken["broken"]
    unknown = replay_data(dataclasses.replace(record, game="plugin"), (None, None))
    assert "cannot be played again at all" in unknown["broken"]


def test_hostile_numbers_of_engines_are_no_points_of_the_graph(databases: dict[str, Path]) -> None:
    with ReadStore(databases["topolo"]) as store:
        record = store.record("1-2.1a")
    assert record is not None
    values: list[Any] = ["nan", "inf", 2, -1, "0.25", True, None, [], 1e400, "9" * 400]
    infos = tuple({"winrate": value, "score": value} for value in values)
    made = replay_data(dataclasses.replace(record, infos=(*infos, *({},) * (16 - len(infos)))), (None, None))
    assert [value for value in made["winrate"] if value is not None] == [0.25]
    assert all(value is None or abs(value) <= 1e6 for value in made["score"])
    json.dumps(made, allow_nan=False)


def test_of_many_games_a_stated_number_has_a_replay_faults_first(tmp_path: Path) -> None:
    event = dataclasses.replace(an_event("topolo", ("one", "two")), games_each=40)
    faults = [f"1-2.{pair}a" for pair in (3, 9, 20)]
    database = play(tmp_path / "cup.db", event, faulty=faults)
    made = written(tmp_path / "report", database, replays=30, of_more=10)
    assert (made.games, made.replays) == (40, 10)
    rows = data(tmp_path / "report" / "1" / "games.js")["rows"]
    assert len(rows) == 10
    assert set(faults) <= {row[0] for row in rows}
    page = (tmp_path / "report" / "index.html").read_text()
    assert "10 of 40 games open as a replay" in page
    assert "Counted over 10 games with a replay." in page
    assert written(tmp_path / "report", database, replays=0, of_more=0).replays == 0


def test_work_shared_among_processes_gives_the_same_bytes(
    databases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "one", databases["topolo"])
    monkeypatch.setattr(folder_module, "ALONE_GAMES", 0)
    written(tmp_path / "many", databases["topolo"])
    assert digests(tmp_path / "one") == digests(tmp_path / "many")


def test_charts_past_the_room_are_pictures_beside_the_page(
    databases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "INLINE_BYTES", 0)
    written(tmp_path / "report", databases["topolo"])
    page = (tmp_path / "report" / "index.html").read_text()
    assert '<img src="1/charts/standings.svg"' in page
    assert len(page) < 60_000


def test_a_new_report_takes_away_what_the_earlier_one_left_and_nothing_else(
    databases: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    written(folder, databases["pletore"], databases["topolo"])
    (folder / "mine.txt").write_text("keep")
    with (folder / MANIFEST).open("a") as manifest:
        manifest.write("../outside.txt\nmine.txt\n")
    (tmp_path / "outside.txt").write_text("keep")
    written(folder, databases["topolo"])
    assert not list((folder / "2").rglob("*.js"))
    assert (folder / "mine.txt").read_text() == (tmp_path / "outside.txt").read_text() == "keep"


def test_a_report_that_was_interrupted_can_be_made_again(
    databases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(charts, "save_all", full)
        with pytest.raises(OSError, match="No space left"):
            written(tmp_path / "report", databases["topolo"])
    written(tmp_path / "report", databases["topolo"])
    assert (tmp_path / "report" / "index.html").exists()


def test_a_folder_with_something_else_is_refused(databases: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FolderError, match="holds something else than a report: name a new or empty folder"):
        written(tmp_path, databases["topolo"])
    with pytest.raises(FolderError, match="is a file: name a folder"):
        written(tmp_path / "mine.txt", databases["topolo"])


def test_an_event_that_is_being_written_is_reported_as_far_as_it_is(tmp_path: Path) -> None:
    event = an_event("topolo", ("one", "two"))
    database = play(tmp_path / "cup.db", event, unplayed=["1-2.2b"])
    with RunStore.create_or_resume(database, event):
        made = written(tmp_path / "report", database)
    assert made.games == 3
    page = (tmp_path / "report" / "index.html").read_text()
    assert "3 games counted of 4 scheduled" in page
    assert "games are still to come" in page


def test_the_secret_key_of_a_running_event_is_not_in_its_report(tmp_path: Path) -> None:
    event = an_event("plakoto", ("one", "two"))
    database = play(tmp_path / "cup.db", event, unplayed=["1-2.2b"])
    with ReadStore(database) as store:
        key = store.secret_dice_key().hex()
    written(tmp_path / "report", database)
    assert not [path for path in (tmp_path / "report").rglob("*.*") if key.encode() in path.read_bytes()]
    assert "still secret" in (tmp_path / "report" / "index.html").read_text()


def test_names_of_300_characters_and_one_game_fit(tmp_path: Path) -> None:
    event = dataclasses.replace(an_event("pletore", ("x" * 300, "é" * 300)), games_each=1)
    written(tmp_path / "report", play(tmp_path / "cup.db", event))
    page = (tmp_path / "report" / "index.html").read_text()
    assert "1 game counted of 1 scheduled" in page
    assert "x" * 41 not in page


def test_annulled_games_and_the_organisers_words_are_told(databases: dict[str, Path], tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event("topolo", ("one", "two")))
    with RunStore.open(database) as store:
        store.annul("1-2.1a", "power <cut>")
    written(tmp_path / "report", database)
    page = (tmp_path / "report" / "index.html").read_text()
    assert "annul 1-2.1a: power &lt;cut&gt;" in page
    assert data(tmp_path / "report" / "1" / "games.js")["rows"][0][5] == "annulled"


def test_each_game_of_an_event_of_several_has_a_section_with_files_of_its_own(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event_of_several("pletore", "topolo", names=("one", "two")))
    written(tmp_path / "report", database)
    files = set(digests(tmp_path / "report"))
    for game in ("pletore", "topolo"):
        for stem in ("standings", "cross-table", "ratings", "superiority", "margins-and-time", "pairings"):
            assert {f"1/tables/{game}/{stem}.csv", f"1/tables/{game}/{stem}.md"} <= files
        for stem in ("standings", "ratings", "margins-by-engine", "game-length"):
            assert {f"1/charts/{game}/{stem}.png", f"1/charts/{game}/{stem}.svg"} <= files
    # Margins have another unit in each game.
    assert "1/charts/margins-by-engine.svg" not in files
    page = (tmp_path / "report" / "index.html").read_text()
    headings = re.findall(r"<h3 id=\"s1-([a-z-]+)\">(.+)</h3>", page)
    assert headings[2:5] == [
        ("margins", "Score margins"),
        ("game-pletore", "Pletore 4x4, komi 1"),
        ("game-topolo", "Topolo 4x4"),
    ]
    assert 'href="#s1-game-topolo"' in page
    assert 'aria-label="Margins by engine: topolo"' in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    addresses = set(re.findall(r'(?:src|href)="([^"#]+)"', page)) - {"data:,"}
    assert {address for address in addresses if not (tmp_path / "report" / address).exists()} == set()
    written(tmp_path / "report", play(tmp_path / "one.db", an_event("topolo", ("one", "two"))))
    assert not list((tmp_path / "report" / "1").glob("*/topolo/*"))


def test_games_that_differ_in_their_clock_alone_are_told_apart_by_name() -> None:
    event = an_event_of_several("pletore", "topolo")
    blitz = dataclasses.replace(event.disciplines[0], name="blitz", time=parse_time("1"))
    event = dataclasses.replace(event, disciplines=(*event.disciplines, blitz))
    said = [labels_of(event, each.name).rules for each in event.disciplines]
    assert said == ["Pletore 4x4, komi 1, pletore", "Topolo 4x4", "Pletore 4x4, komi 1, blitz"]


def komi_files(folder: Path) -> set[str]:
    return {path.name for kind in ("tables", "charts") for path in (folder / "1" / kind).glob("komi*")}


def of_komis(database: Path, komis: range, games_each: int, design: Design | None = None) -> Path:
    """Play an event of two engines at several komi, as a laboratory with a design."""
    event = dataclasses.replace(an_event("pletore", ("one", "two")), format="match")
    plan = laboratory(event, design or Design(tuple(komis), games_each, None, is_self_play=False))
    play(database, plan.event)
    if design is not None:
        text = text_with_design("", design)
        with RunStore.create_or_resume(database, plan.event, event_text=text):
            pass
    return database


def test_games_at_several_komis_are_studied_with_charts(tmp_path: Path) -> None:
    database = of_komis(tmp_path / "cup.db", range(-2, 3), 4)
    written(tmp_path / "report", database)
    assert komi_files(tmp_path / "report") >= {
        "komi-even.csv",
        "komi-odd.md",
        "komi-comparisons.csv",
        "komi-shares.png",
        "komi-shares.svg",
        "komi-margins.svg",
    }
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Pletore 4x4, komi -2 to 2" in page
    assert 'aria-label="Komi shares"' in page
    assert "Answer: " in page
    assert 'aria-label="Margins by engine"' in page
    written(tmp_path / "again", database)
    assert digests(tmp_path / "again") == digests(tmp_path / "report")


def test_an_adaptive_laboratory_shows_its_steps_and_compares_nothing(tmp_path: Path) -> None:
    design = Design(tuple(range(-4, 6)), 4, 1.0, is_self_play=True)
    written(tmp_path / "report", of_komis(tmp_path / "cup.db", range(0), 0, design))
    files = komi_files(tmp_path / "report")
    assert {"komi-posterior.svg", "komi-shares.svg"} <= files
    assert "komi-comparisons.csv" not in files
    page = (tmp_path / "report" / "index.html").read_text()
    assert re.findall(r"<h3 id=[^>]+>([^<]+)</h3>", page)[0] == "Komi"
    assert "Adaptive design" in page
    # An engine is as strong as itself.
    for part in ("Standings", "Ratings", "Score margins"):
        assert f">{part}</h3>" not in page
    assert {path.name for path in (tmp_path / "report" / "1" / "charts").glob("margins-*")} == set()
    assert "scheduled" not in page


def test_under_pie_the_offers_are_shown(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event("pletore", ("one", "two")))
    with ReadStore(database) as store:
        records = list(store.records())
    event = dataclasses.replace(an_event("pletore", ("one", "two")), komi="pie")
    with RunStore.create_or_resume(tmp_path / "pie.db", event) as run:
        run.add(
            dataclasses.replace(record, pie=Pie(WHITE, record.komi, BLACK) if place else None)
            for place, record in enumerate(records)
        )
    written(tmp_path / "report", tmp_path / "pie.db")
    with (tmp_path / "report" / "1" / "tables" / "komi-offers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {(row["komi"], row["took_black"]) for row in rows} == {("1", "1.0")}
    assert sum(int(row["offers"]) for row in rows) == len(records) - 1
    page = (tmp_path / "report" / "index.html").read_text()
    assert "1 game ended by a fault before komi was settled." in page
    assert 'aria-label="Komi offers"' in page


@pytest.mark.parametrize("precision", [None, 1.0])
def test_a_laboratory_without_a_game_that_counts_has_words(tmp_path: Path, precision: float | None) -> None:
    design = Design(tuple(range(4)), 2, precision, is_self_play=True)
    database = of_komis(tmp_path / "cup.db", range(0), 0, design)
    with ReadStore(database) as store:
        games = [record.id for record in store.records()]
    with RunStore.open(database) as run:
        for game_id in games:
            run.annul(game_id, "power cut")
    written(tmp_path / "report", database)
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Answer: no game ended on the board: nothing can be said." in page
    assert "ended by a fault" not in page
    assert komi_files(tmp_path / "report") == set()
    assert page.count("Organiser, ") < 5 * folder_module.MOST_NOTES + len(games)
