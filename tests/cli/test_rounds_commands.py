"""Events by results and of several games, really run, killed, resumed, verified and read."""

from __future__ import annotations

import json
import random
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.played import an_event, play
from tests.cli.runs import (
    RANDOM,
    arena,
    games_played,
    kill_at_once,
    started,
    wait_until,
    what_was_played,
)

if TYPE_CHECKING:
    import subprocess

    from arena.core.event import Event

EXAMPLES = Path(__file__).parents[2] / "examples"


def by_results(folder: Path, format_: str, keys: str = "", engines: int = 5) -> Path:
    """Write a tournament of random players whose pairings follow from results."""
    lines = ["[tournament]", 'game = "pletore"', "size = 4", f'format = "{format_}"', "seed = 11", keys]
    for number in range(engines):
        lines += ["[[engine]]", f'name = "player {number}"', f"command = {RANDOM}"]
    file = folder / "cup.toml"
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize(
    ("format_", "keys", "games"),
    [
        ("swiss", "rounds = 3", 12),
        ("knockout", "third_place = true", None),
        ("ladder", "rounds = 3\ngames_each = 1", 6),
    ],
)
def test_an_event_by_results_is_the_same_whole_or_killed_at_any_point(
    tmp_path: Path, format_: str, keys: str, games: int | None
) -> None:
    file = by_results(tmp_path, format_, f"{keys}\nconcurrency = 2")
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    done = arena("run", file, "--db", whole, "--no-output")
    assert done.returncode == 0, done.stderr
    total = games_played(whole)
    assert games in (None, total)
    chance = random.Random(format_)
    for stop in sorted(chance.sample(range(1, total), 2)):
        process = started("run", file, "--db", broken, "--no-output")
        wait_until(partial(_is_far_enough, process, broken, stop))
        kill_at_once(process)
    assert arena("run", file, "--db", broken, "--no-output").returncode == 0
    assert what_was_played(broken) == what_was_played(whole)
    for database in (whole, broken):
        checked = arena("verify", database)
        assert checked.returncode == 0, checked.stdout
    again = arena("run", file, "--db", whole, "--no-output")
    assert f"everything is played already ({total} games)" in again.stderr


def _is_far_enough(process: subprocess.Popen[str], database: Path, games: int) -> bool:
    return games_played(database) >= games or process.poll() is not None


def an_event_of(format_: str, **changes: object) -> Event:
    event = replace(an_event(names=("a", "b", "c", "d")), format=format_, games_each=2)
    return replace(event, **changes)  # type: ignore[arg-type]


def test_pairings_that_do_not_follow_from_the_results_are_found(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", an_event_of("swiss", rounds=3))
    assert arena("verify", path).returncode == 0
    with sqlite3.connect(path) as connection:
        (text,) = connection.execute("SELECT value FROM meta WHERE key = 'step 1'").fetchone()
        tree = json.loads(text)
        tree["meetings"][0][1], tree["meetings"][1][1] = tree["meetings"][1][1], tree["meetings"][0][1]
        connection.execute("UPDATE meta SET value = ? WHERE key = 'step 1'", (json.dumps(tree),))
    connection.close()
    found = arena("verify", path)
    assert found.returncode == 1
    assert "pairings 1 (round 1) are " in found.stdout
    assert "; the results before give " in found.stdout


def test_what_the_organiser_says_later_makes_no_pairing_wrong(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", an_event_of("swiss", rounds=3))
    for command in (("annul", "r1.1-3.1a"), ("replay", "r1.2-4.1b"), ("disqualify", "d")):
        said = arena(command[0], path, command[1], "--why", "a test")
        assert said.returncode == 0, said.stderr
    play(path, an_event_of("swiss", rounds=3))
    checked = arena("verify", path)
    assert checked.returncode == 0, checked.stdout


def test_a_disqualified_engine_is_not_paired_again(tmp_path: Path) -> None:
    event = an_event_of("swiss", rounds=4)
    path = play(tmp_path / "cup.db", event, unplayed={"r1.2-4.1b"})
    said = arena("disqualify", path, "b", "--why", "a test")
    assert "1 unplayed game was given to its opponents" in said.stdout
    play(path, event)
    lines = [json.loads(line) for line in arena("export", path).stdout.splitlines()]
    assert not [line for line in lines if "b" in (line["black"], line["white"]) and line["round"] > 1]
    table = json.loads(arena("standings", path, "--json").stdout)["standings"]
    assert sum(line["byes"] for line in table) == 3
    assert arena("verify", path).returncode == 0


def test_places_lead_the_table_of_a_knockout(tmp_path: Path) -> None:
    path = play(tmp_path / "cup.db", an_event_of("knockout"))
    table = json.loads(arena("standings", path, "--json").stdout)["standings"]
    assert [line["place"] for line in table] == [1, 2, 3, 3]
    assert "Order: place reached in the format, points" in arena("standings", path).stdout


@pytest.mark.parametrize("name", ["swiss", "knockout", "ladder-format"])
def test_the_examples_play(tmp_path: Path, name: str) -> None:
    database = tmp_path / f"{name}.db"
    done = arena("run", EXAMPLES / f"{name}.toml", "--db", database, "--no-output")
    assert done.returncode == 0, done.stderr
    assert arena("verify", database).returncode == 0
    printed = arena("schedule", database)
    assert "time: everything has been played" in printed.stdout


def test_several_games_have_a_table_each_and_one_together(tmp_path: Path) -> None:
    file = EXAMPLES / "several-games.toml"
    database = tmp_path / "all.db"
    assert arena("run", file, "--db", database).returncode == 0
    assert arena("verify", database).returncode == 0
    folders = {path.name for path in (tmp_path / "all-results").iterdir() if path.is_dir()}
    assert folders == {"pletore", "pletore-pie", "pente", "topolo", "plakoto"}
    found = json.loads(arena("standings", database, "--json").stdout)
    assert set(found["by_game"]) == folders
    assert found["games"] == sum(each["games"] for each in found["by_game"].values()) == 33
    for line in found["standings"]:
        parts = [
            each["total"]["points"]
            for table in found["by_game"].values()
            for each in table["standings"]
            if each["engine"] == line["engine"]
        ]
        assert sum(parts) == line["points"]
        assert line["board_margin"]["value"] is None
    games = [json.loads(line) for line in arena("export", database).stdout.splitlines()]
    odds = {(game["black"], game["komi"]) for game in games if game["id"].startswith("pletore.1-3")}
    assert odds == {("random", -16), ("greedy", 24)}
    clocks = [game["time_controls"] for game in games if game["id"] == "pletore.1-3.1a"]
    assert clocks == [{"black": "30+0.3", "white": "5+0.05"}]


def test_the_schedule_says_how_long_it_will_take_and_from_what(tmp_path: Path) -> None:
    file = by_results(tmp_path, "swiss", 'rounds = 3\ntime = "5/move"')
    first = arena("schedule", file).stdout
    assert "time: at most about " in first
    assert "(the median of a few random ones)" in first
    assert "has a bye" in first
    assert "2 more rounds, each paired from the results of those before" in first
    path = play(tmp_path / "part.db", an_event_of("round-robin"), unplayed={"3-4.1a"})
    known = arena("schedule", path).stdout
    assert "(the median of those played)" in known
    assert "time: about 10 s as measured: 11 games took 9.5 s on average" in known
    found = json.loads(arena("schedule", path, "--json").stdout)
    assert found["time"]["games"] == 1
    assert found["time"]["measured_s"] == pytest.approx(9.5)
    unlimited = by_results(tmp_path, "ladder", 'time = "inf"')
    assert "time: no bound, as a clock has no limit" in arena("schedule", unlimited).stdout


def test_options_stand_in_the_export_and_beside_the_engine(tmp_path: Path) -> None:
    database = tmp_path / "swiss.db"
    assert arena("run", EXAMPLES / "swiss.toml", "--db", database, "--no-output").returncode == 0
    game = json.loads(arena("export", database).stdout.splitlines()[0])
    assert game["engine_options"] == {"black": {}, "white": {"noise": "0.4"}}
    assert (
        "White: greedy, 40 % noise (greedy 1), 10+0.1, noise = 0.4"
        in arena("show", database, game["id"]).stdout
    )


def test_wrong_options_are_told_before_any_game(tmp_path: Path) -> None:
    greedy = '["{python}", "-m", "sample_engines.greedy_player"]'
    file = tmp_path / "cup.toml"
    engines = [("a", "nois = 0.2"), ("b", "noise = 7")]
    tables = [
        f'[[engine]]\nname = "{name}"\ncommand = {greedy}\noptions = {{ {options} }}'
        for name, options in engines
    ]
    head = '[tournament]\nformat = "match"\ngame = "pletore"\nsize = 4'
    file.write_text("\n".join([head, *tables]))
    done = arena("run", file)
    assert done.returncode == 2
    assert "a: has no option nois: did you mean noise?" in done.stderr
    assert "b: option noise = 7: at most 1" in done.stderr


@pytest.mark.parametrize("format_", ["swiss", "round-robin"])
def test_a_database_of_something_else_is_refused_before_anything_is_paired(
    tmp_path: Path, format_: str
) -> None:
    file = by_results(tmp_path, format_)
    (tmp_path / "notes.txt").write_text("my notes")
    for database, words in (
        ("notes.txt", "is not a gtparena database"),
        (".", "names no file"),
        ("/", "names no file"),
        ("", "names no file"),
    ):
        ended = arena("run", file, "--db", tmp_path / database if database == "notes.txt" else database)
        assert words in ended.stderr
        assert "Traceback" not in ended.stderr
        assert ended.returncode == 2
    assert (tmp_path / "notes.txt").read_text() == "my notes"
