"""`arena report`, `export` in every form, `import`, and what reading commands make of imported games."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from arena.cli.main import main
from arena.rules.registry import games as all_games
from tests.cli.played import an_event, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMS = {
    "pletore": ("sgf", "text", "jsonl"),
    "pente": ("sgf", "text"),
    "topolo": ("text",),
    "plakoto": ("text",),
}


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A database for each game; Pletore's has a fault."""
    folder = tmp_path_factory.mktemp("events")
    return {
        game: play(folder / f"{game}.db", an_event(game), faulty=["1-2.1a"] if game == "pletore" else [])
        for game in all_games()
    }


@pytest.fixture
def arena(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must end with `code` and return what it printed, there or on standard error."""

    def run(*arguments: object, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        assert "Traceback" not in printed.err
        return printed.out or printed.err

    return run


def what_a_record_holds(lines: str) -> list[dict[str, Any]]:
    """Return exported games without what belongs to their event: clocks and options of the engines."""
    games: list[dict[str, Any]] = [json.loads(line) for line in lines.splitlines()]
    for game in games:
        for key in ("time_controls", "engine_options"):
            del game[key]
    return games


@pytest.mark.parametrize(("game", "form"), [(game, form) for game in FORMS for form in FORMS[game]])
def test_exported_games_are_imported_as_they_were(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path, game: str, form: str
) -> None:
    arena("export", events[game], "--format", form, "-o", tmp_path / f"games.{form}")
    said = arena("import", tmp_path / f"games.{form}", "--format", form, "-o", tmp_path / "copy.db")
    assert "12 games of 3 engines" in said
    copied, original = (arena("export", database) for database in (tmp_path / "copy.db", events[game]))
    assert what_a_record_holds(copied) == what_a_record_holds(original)
    # Clocks belong to the event, which a record does not hold: none is invented.
    assert all(json.loads(line)["time_controls"] is None for line in copied.splitlines())


def test_reading_commands_take_imported_games(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    arena("export", events["plakoto"], "--format", "text", "-o", tmp_path / "games.txt")
    copy = tmp_path / "copy.db"
    arena("import", tmp_path / "games.txt", "--db", copy, "--name", "Old games")
    assert "Standings: Old games (Plakoto)" in arena("standings", copy)
    assert "1-2.1a" in arena("games", copy)
    assert "game 1-2.1a" in arena("show", copy, "1-2.1a")
    assert "imported: there is no schedule or dice key to compare with" in arena("verify", copy)
    assert json.loads(arena("verify", copy, "--json"))["problems"] == []
    arena("report", copy, "-o", tmp_path / "report")
    assert "The dice came with the records" in (tmp_path / "report" / "index.html").read_text()
    assert "were imported: there is no schedule" in arena("schedule", copy, code=2)
    assert "there is no game nothing" in arena("show", copy, "nothing", code=2)


def test_one_game_is_exported_by_its_id(events: dict[str, Path], arena: Callable[..., str]) -> None:
    assert json.loads(arena("export", events["topolo"], "--game", "1-2.1b"))["id"] == "1-2.1b"
    assert arena("export", events["pletore"], "--game", "1-2.1b", "--format", "sgf").count("(;FF[4]") == 1
    assert "there is no played game 9-9" in arena("export", events["topolo"], "--game", "9-9", code=2)


def test_parquet_has_typed_columns(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    import pandas as pd

    arena("export", events["plakoto"], "--format", "parquet", "-o", tmp_path / "games.parquet")
    frame = pd.read_parquet(tmp_path / "games.parquet")
    lines = [json.loads(line) for line in arena("export", events["plakoto"]).splitlines()]
    assert list(frame["id"]) == [line["id"] for line in lines]
    assert [list(map(list, dice)) for dice in frame["dice"]] == [line["dice"] for line in lines]
    assert [list(moves) for moves in frame["moves"]] == [line["moves"] for line in lines]
    assert frame["final_margin"].dtype == "float64"
    assert "needs a file to write to" in arena("export", events["plakoto"], "--format", "parquet", code=2)


def test_sgf_of_a_game_without_such_a_board_says_what_to_use(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    said = arena("export", events["plakoto"], "--format", "sgf", "-o", tmp_path / "games.sgf", code=2)
    assert "SGF has no board for plakoto: use --format text or jsonl" in said
    assert not (tmp_path / "games.sgf").exists()


def test_import_makes_no_database_of_files_it_cannot_read(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    lines = arena("export", events["pletore"]).splitlines()
    made = json.loads(lines[3])
    made["moves"][2] = "Z9"
    (tmp_path / "bad.jsonl").write_text("\n".join([*lines[:3], json.dumps(made)]))
    copy = tmp_path / "copy.db"
    said = arena("import", tmp_path / "bad.jsonl", "-o", copy, code=2)
    assert "bad.jsonl:4: move 3 ('Z9'): 'Z9' is no move" in said
    assert not copy.exists()
    assert "cannot be read: No such file" in arena("import", tmp_path / "none.sgf", "-o", copy, code=2)
    (tmp_path / "empty.jsonl").write_text("")
    assert "no game in it" in arena("import", tmp_path / "empty.jsonl", "-o", copy, code=2)
    assert "exists: name a new database" in arena(
        "import", tmp_path / "bad.jsonl", "-o", events["pente"], code=2
    )


def test_a_report_says_what_it_wrote(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    said = arena("report", events["topolo"], events["pente"], "-o", tmp_path / "report", "--replays", 5)
    assert "index.html (24 games, 10 of them with a replay; " in said


def test_a_report_of_what_cannot_be_read_is_one_message(
    events: dict[str, Path], arena: Callable[..., str], tmp_path: Path
) -> None:
    folder = tmp_path / "report"
    assert "does not exist" in arena("report", tmp_path / "none.db", "-o", folder, code=2)
    newer = tmp_path / "newer.db"
    newer.write_bytes(events["topolo"].read_bytes())
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert "was written by a newer gtparena" in arena("report", events["pente"], newer, "-o", folder, code=2)
    assert not folder.exists()
    (tmp_path / "file").write_text("mine")
    assert "is a file: name a folder" in arena("report", events["topolo"], "-o", tmp_path / "file", code=2)


@pytest.mark.parametrize("game", all_games())
def test_show_draws_all_boards_in_colour_when_asked(
    events: dict[str, Path], arena: Callable[..., str], game: str
) -> None:
    shown = arena("show", events[game], "1-2.1b", "--move", 5, "--colour", "always")
    plain = arena("show", events[game], "1-2.1b", "--move", 5)
    assert "\x1b[" in shown
    assert "\x1b[" not in plain
    assert shown.splitlines()[-1].endswith(".")


def imported(folder: Path, arena: Callable[..., str], *games: dict[str, Any]) -> Path:
    """Import games of Pletore 1x1 that Black wins; what is given is put over that."""
    lines = [
        {"id": f"g{number}", "game": "pletore", "size": 1, "black": "a", "white": "b", "winner": "black"}
        | {"reason": "score", "result": "B+1", "moves": ["A1", "pass", "pass"]}
        | given
        for number, given in enumerate(games)
    ]
    (folder / "odd.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arena("import", folder / "odd.jsonl", "-o", folder / "odd.db")
    return folder / "odd.db"


READING = ("standings", "games", "verify", "ratings", "export")


def test_games_of_an_engine_against_itself_are_shown_and_not_rated(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = imported(tmp_path, arena, {}, {"black": "b"})
    assert "b" in arena("standings", database)
    assert "Elo" in arena("ratings", database)
    arena("report", database, "-o", tmp_path / "report")
    (tmp_path / "odd.db").unlink()
    database = imported(tmp_path, arena, {"white": "a"}, {"white": "a"})
    assert "no games to rate" in arena("ratings", database, code=2)
    arena("report", database, "-o", tmp_path / "report")


def test_one_colour_only_is_told_in_words(tmp_path: Path, arena: Callable[..., str]) -> None:
    database = imported(tmp_path, arena, {}, {})
    assert "it cannot be told from strength." in arena("ratings", database)


@pytest.mark.parametrize("game_id", [".x", "../../x", ".", "a.b", "<b>"])
def test_no_id_or_pair_is_too_odd_to_be_read(tmp_path: Path, arena: Callable[..., str], game_id: str) -> None:
    database = imported(tmp_path, arena, {"id": game_id, "pair": game_id})
    for command in READING:
        arena(command, database)
    arena("report", database, "-o", tmp_path / "report")


def test_an_imported_event_has_no_schedule_whatever_its_games_say_of_time(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = imported(tmp_path, arena, {}, {"started": "yesterday", "ended": "2026-01-01"})
    assert "there is no schedule" in arena("schedule", database, code=2)


def test_a_game_without_draws_that_was_drawn_at_its_limit_of_turns_is_rated(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    drawn = {"winner": "draw", "reason": "ply-limit", "result": "0", "moves": ["A1"]}
    database = imported(tmp_path, arena, drawn, {"black": "b", "white": "a"})
    assert "Draws between equals" in arena("ratings", database)
    arena("report", database, "-o", tmp_path / "report")


def test_a_database_that_cannot_be_made_is_told_in_a_sentence(
    events: dict[str, Path], tmp_path: Path, arena: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("export", events["pente"], "-o", tmp_path / "games.jsonl")

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    # As root everything may be written; a file system that takes nothing is played by its refusals.
    monkeypatch.setattr("arena.store.lock.os.open", refuse)
    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    said = arena("import", tmp_path / "games.jsonl", "-o", tmp_path / "new.db", code=2)
    assert "cannot be written" in said


ALTERED = (
    "UPDATE game SET winner = 7",
    "UPDATE game SET at_fault = -4611686018427387904",
    "UPDATE game SET standing = -1",
    "UPDATE game SET reason = 1000000",
    "UPDATE game SET reason = -4611686018427387904",
    "UPDATE game SET black = 4611686018427387904",
    "UPDATE game SET white = 1000000",
    "UPDATE game SET worker = -4611686018427387904",
    "UPDATE game SET final_margin = '\"x\"'",
    "UPDATE game SET final_margin = x'fffe'",
    "UPDATE identity SET number = -number",
    "UPDATE identity SET name = 'somebody else' WHERE number = 1",
    "UPDATE word SET number = 4611686018427387904 WHERE number = 1",
    "UPDATE playing SET times = x'0000'",
    "UPDATE playing SET ended = x'fffe'",
    "UPDATE playing SET started = 4611686018427387904",
    "UPDATE playing SET more = x'00'",
    "UPDATE playing SET moves = 'A1 A1'",
    "UPDATE playing SET number = number + 1000",
    "DELETE FROM playing",
    "UPDATE run SET versions = '[1, 2]'",
    "UPDATE meta SET value = '[1, 2]' WHERE key = 'dice_key'",
)


@pytest.mark.parametrize("statement", ALTERED)
def test_a_file_altered_to_what_cannot_be_is_told_in_a_sentence(
    events: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str
) -> None:
    altered = tmp_path / "altered.db"
    altered.write_bytes(events["pente"].read_bytes())
    with sqlite3.connect(altered) as connection:
        connection.execute(statement)
    connection.close()
    commands = [[command, altered] for command in READING]
    commands += [
        ["export", altered, "--format", "text", "-o", tmp_path / "text"],
        ["export", altered, "--format", "sgf", "-o", tmp_path / "sgf"],
        ["show", altered, "1-2.1a"],
        ["report", altered, "-o", tmp_path / "report"],
        ["annul", altered, "1-2.1a", "--why", "a test"],
    ]
    told = []
    for words in commands:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        printed = capsys.readouterr()
        assert ended.value.code in (0, 1, 2)
        assert "Traceback" not in printed.err
        told.append(printed.err if ended.value.code == 2 else printed.out if words[0] == "verify" else "")
    assert any("damaged" in line or "finding" in line for line in told), told
