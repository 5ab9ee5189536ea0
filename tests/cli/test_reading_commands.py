"""Commands that read results, over databases of whole events."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from arena.cli.main import main
from arena.core.laboratory import Design, laboratory, text_with_design
from arena.core.schedule import Schedule
from arena.rules.registry import games as all_games
from arena.store import RunStore
from reports.export import KEYS
from tests.cli.played import SIZES, an_event, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAULTY, LAST = "1-2.1a", "2-3.2b"


@pytest.fixture(scope="session")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Pletore event with one fault."""
    return play(tmp_path_factory.mktemp("cup") / "cup.db", an_event(), faulty=[FAULTY])


@pytest.fixture
def arena(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must succeed (or end with `code`) and return what it printed."""

    def run(*arguments: object, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        assert "Traceback" not in printed.err
        return printed.out if code in {0, 1} else printed.err

    return run


def test_standings_print_all_tables(cup: Path, arena: Callable[..., str]) -> None:
    shown = arena("standings", cup)
    for title in (
        "Standings: Trial cup (Pletore 4x4, komi 1)",
        "Cross table:",
        "Margins, forfeits and time:",
    ):
        assert title in shown
    assert "12 games counted of 12 scheduled." in shown
    assert "illegal-move 1" in shown


def test_the_tournament_file_stands_for_its_database(cup: Path, arena: Callable[..., str]) -> None:
    toml = cup.with_suffix(".toml")
    assert arena("standings", toml) == arena("standings", cup)


def test_standings_as_json_add_up(cup: Path, arena: Callable[..., str]) -> None:
    found = json.loads(arena("standings", cup, "--json"))
    assert found["games"] == found["scheduled"] == 12
    assert sum(line["total"]["points"] for line in found["standings"]) == 12
    assert len(found["cross_table"]) == 6
    assert {line["engine"] for line in found["standings"]} == {"greedy", "random", "slow"}
    share = found["standings"][0]["share"]
    assert share["low"] <= share["value"] <= share["high"]


def test_standings_write_tables_and_charts(cup: Path, arena: Callable[..., str], tmp_path: Path) -> None:
    arena("standings", cup, "-o", tmp_path / "new" / "folder")
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert {"standings.csv", "standings.md", "standings.png", "standings.svg", "cross-table.csv"} <= names


def in_a_laboratory(database: Path, *, is_self_play: bool) -> Path:
    design = Design((0, 3), 4, None, is_self_play=is_self_play)
    plan = laboratory(an_event("pletore", ("one", "two")), design)
    ids = [game.id for game in Schedule(plan.event)]
    wanted = {ids[ordinal] for ordinal in plan.ordinals()}
    play(database, plan.event, unplayed=[each for each in ids if each not in wanted])
    with RunStore.create_or_resume(database, plan.event, event_text=text_with_design("", design)):
        return database


def test_an_engine_is_not_compared_with_itself(tmp_path: Path, arena: Callable[..., str]) -> None:
    database = in_a_laboratory(tmp_path / "komi.db", is_self_play=True)
    shown = arena("standings", database, "-o", tmp_path / "tables")
    assert shown.startswith("Results by komi: Trial cup (Pletore 4x4, komi 0, 3)")
    assert "arena komi" in shown
    assert not [word for word in ("Standings", "Cross table", "against", "Elo") if word in shown]
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {"komi.csv", "komi.md"}
    found = json.loads(arena("standings", database, "--json"))
    assert found["standings"] == found["cross_table"] == found["pairings"] == []
    assert [(each["komi"], each["games"]) for each in found["komi"]] == [(0, 4), (3, 4)]
    assert all(each["black_won"] + each["white_won"] == 4 for each in found["komi"])
    assert "an engine played itself" in arena("ratings", database, code=2)


def test_a_laboratory_of_two_engines_has_one_table_of_its_komi(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = in_a_laboratory(tmp_path / "komi.db", is_self_play=False)
    shown = arena("standings", database)
    assert shown.count("Standings: ") == 1
    assert "Results by komi: " in shown
    assert "by_game" not in json.loads(arena("standings", database, "--json"))


def test_games_come_in_schedule_order_and_can_be_filtered(cup: Path, arena: Callable[..., str]) -> None:
    def ids(*filters: str) -> list[str]:
        return [game["id"] for game in json.loads(arena("games", cup, "--json", *filters))["games"]]

    schedule = list(Schedule(an_event()))
    assert ids() == [game.id for game in schedule]
    assert ids("--faults") == [FAULTY]
    assert ids("--engine", "slow", "--engine", "random") == [
        g.id for g in schedule if g.pair.startswith("2-3")
    ]
    assert ids("--round", "1") == [game.id for game in schedule if game.round == 1]
    assert ids("--limit", "2") == [game.id for game in schedule[:2]]
    assert set(ids("--winner", "black")) | set(ids("--winner", "white")) == set(ids())
    assert FAULTY in arena("games", cup)


def test_an_unknown_engine_is_answered_with_the_nearest(cup: Path, arena: Callable[..., str]) -> None:
    assert "did you mean greedy?" in arena("games", cup, "--engine", "gredy", code=2)


@pytest.mark.parametrize("game", sorted(SIZES))
def test_every_game_can_be_shown_at_every_move(game: str, tmp_path: Path, arena: Callable[..., str]) -> None:
    assert set(SIZES) <= set(all_games())
    database = play(tmp_path / "cup.db", an_event(game, ("a", "b")))
    whole = json.loads(arena("show", database, "1-2.1a", "--json"))
    assert whole["position"]["over"]
    for ply in (0, 1, whole["plies"]):
        shown = json.loads(arena("show", database, "1-2.1a", "--move", ply, "--json"))["position"]
        assert shown["turns"] == ply
        assert shown["diagram"]
    shown = arena("show", database, "1-2.1a")
    assert whole["result"] in shown
    assert "the game is over" in shown
    assert whole["moves"][-1] in shown


def test_a_fault_is_shown_with_its_evidence_and_obeys_nothing(cup: Path, arena: Callable[..., str]) -> None:
    shown = arena("show", cup, FAULTY)
    for part in (
        "illegal-move",
        "refused move: \\x1b[2JZ99",
        "Z99 is no move here",
        "> genmove white",
        "  boom",
    ):
        assert part in shown
    assert "\x1b" not in shown


def test_games_that_are_not_there_are_refused_in_a_sentence(cup: Path, arena: Callable[..., str]) -> None:
    assert "there is no game 7-8.1a" in arena("show", cup, "7-8.1a", code=2)
    assert "there is no game \\x1b" in arena("show", cup, "\x1b[2J", code=2)
    assert "--move 9999 is not among them" in arena("show", cup, FAULTY, "--move", 9999, code=2)
    assert "has no attempt 4" in arena("show", cup, FAULTY, "--attempt", 4, code=2)


def test_a_game_to_come_is_told_from_one_that_does_not_exist(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = play(tmp_path / "cup.db", an_event(), unplayed=[LAST])
    assert "has not been played yet" in arena("show", database, LAST, code=2)
    assert "11 games counted of 12 scheduled." in arena("standings", database)


@pytest.mark.parametrize("game", sorted(SIZES))
def test_exports_agree_and_hold_every_game_in_order(
    game: str, tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = play(tmp_path / "cup.db", an_event(game), faulty=[FAULTY])
    lines = [json.loads(line) for line in arena("export", database, "--format", "jsonl").splitlines()]
    assert [line["id"] for line in lines] == [scheduled.id for scheduled in Schedule(an_event(game))]
    for line in lines:
        assert tuple(line) == (*KEYS, "infos")
        assert len(line["moves"]) == len(line["time_ms"]) == line["plies"]
        assert (line["dice"] is None) == (game != "plakoto")
        assert (line["komi"] is None) == (game != "pletore")
        assert line["result"] == "B+F" if line["id"] == FAULTY else line["final_margin"] is not None
    output = tmp_path / "games.csv"
    assert arena("export", database, "--format", "csv", "-o", output) == ""
    rows = list(csv.DictReader(io.StringIO(output.read_text())))
    assert [row["moves"].split() for row in rows] == [line["moves"] for line in lines]
    assert [row["result"] for row in rows] == [line["result"] for line in lines]


def test_the_schedule_names_games_colours_and_openings(cup: Path, arena: Callable[..., str]) -> None:
    found = json.loads(arena("schedule", cup, "--json"))
    scheduled = list(Schedule(an_event()))
    assert [game["id"] for game in found["games"]] == [game.id for game in scheduled]
    assert found["games"][0]["opening_moves"] == list(scheduled[0].opening.moves)
    shown = arena("schedule", cup)
    assert " ".join(scheduled[0].opening.moves) in shown
    assert "12 games" in shown


def test_annulled_games_count_for_nobody_and_the_word_stands_everywhere(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = play(tmp_path / "cup.db", an_event())
    assert "annulled" in arena("annul", database, FAULTY, "--why", "power \x1b[2Jcut")
    for command in ("standings", "games"):
        shown = arena(command, database)
        assert f"annul {FAULTY}: power \\x1b[2Jcut" in shown
    found = json.loads(arena("standings", database, "--json"))
    assert found["games"] == 11
    assert [game["id"] for game in found["void"]] == [FAULTY]
    exported = [json.loads(line) for line in arena("export", database).splitlines()]
    assert [(line["winner"], line["result"]) for line in exported if line["id"] == FAULTY] == [(None, "void")]
    assert "annulled already" in arena("annul", database, FAULTY, "--why", "again", code=2)
    assert "power" in arena("show", database, FAULTY)


def test_a_replayed_game_is_set_aside_until_it_is_played_again(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = play(tmp_path / "cup.db", an_event())
    arena("replay", database, FAULTY, "--why", "network down")
    found = json.loads(arena("standings", database, "--json"))
    assert (found["games"], [game["reason"] for game in found["void"]]) == (11, ["replayed"])
    assert "set aside by the organiser" in arena("show", database, FAULTY)
    play(database, an_event())
    assert json.loads(arena("standings", database, "--json"))["games"] == 12
    assert json.loads(arena("show", database, FAULTY, "--json"))["attempt"] == 2
    assert json.loads(arena("show", database, FAULTY, "--attempt", 1, "--json"))["attempt"] == 1


def test_a_disqualified_engine_loses_what_it_has_not_played(
    tmp_path: Path, arena: Callable[..., str]
) -> None:
    database = play(tmp_path / "cup.db", an_event(), unplayed=[LAST])
    said = arena("disqualify", database, "slow", "--why", "phones home")
    assert "1 unplayed game was given" in said
    found = json.loads(arena("standings", database, "--json"))
    assert found["games"] == 12
    line = next(line for line in found["standings"] if line["engine"] == "slow")
    assert line["is_disqualified"]
    assert line["forfeits"] == {"withdrawn": 1}
    assert "slow (out)" in arena("standings", database)
    assert "did you mean 'greedy'" in arena("disqualify", database, "gredy", "--why", "x", code=2)


@pytest.mark.parametrize("command", ["annul", "replay", "disqualify"])
def test_the_organiser_must_give_a_reason(command: str, cup: Path, arena: Callable[..., str]) -> None:
    assert "--why" in arena(command, cup, FAULTY, code=2)


def test_the_organisers_word_waits_while_a_run_is_on(tmp_path: Path, arena: Callable[..., str]) -> None:
    database = play(tmp_path / "cup.db", an_event())
    with RunStore.open(database):
        assert "use" in arena("annul", database, FAULTY, "--why", "x", code=2)
        assert "Standings" in arena("standings", database)


READING = ("standings", "games", "export", "verify", "schedule")


@pytest.mark.parametrize("command", READING)
def test_files_that_are_no_results_are_refused_in_a_sentence(
    command: str, tmp_path: Path, arena: Callable[..., str]
) -> None:
    missing = tmp_path / "none.db"
    assert f"{missing} does not exist" in arena(command, missing, code=2)
    for content in (b"", b"no database", b"SQLite format 3\0" + bytes(200)):
        file = tmp_path / "bad.db"
        file.write_bytes(content)
        said = arena(command, file, code=2)
        assert said.startswith("arena: ")
        assert said.count("\n") == 1
    assert arena(command, tmp_path, code=2).count("\n") == 1


def test_a_tournament_not_yet_played_is_told(tmp_path: Path, arena: Callable[..., str]) -> None:
    toml = tmp_path / "new.toml"
    toml.write_text("")
    said = arena("standings", toml, code=2)
    assert "has no results yet" in said
    assert f"arena run {toml}" in said


def test_a_database_in_a_read_only_place_is_read(tmp_path: Path, arena: Callable[..., str]) -> None:
    database = play(tmp_path / "cup.db", an_event())
    database.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert "Standings" in arena("standings", database)
    finally:
        tmp_path.chmod(0o755)


def test_output_that_cannot_be_written_is_told(cup: Path, tmp_path: Path, arena: Callable[..., str]) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in arena("standings", cup, "-o", tmp_path / "file", code=2)
    assert "cannot be written" in arena("export", cup, "-o", tmp_path / "none" / "x", code=2)


@pytest.mark.parametrize("command", ["export", "games", "schedule", "standings"])
def test_a_reader_that_has_seen_enough_is_no_error(command: str, cup: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", command, str(cup)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert said == b""


def test_reading_changes_no_byte(cup: Path, arena: Callable[..., str]) -> None:
    before = cup.read_bytes()
    for command in READING:
        arena(command, cup)
    assert cup.read_bytes() == before
    assert [path.name for path in cup.parent.iterdir()] == ["cup.db"]
