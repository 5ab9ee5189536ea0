"""`arena komi`: real games of real processes, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from arena.cli.main import main
from arena.store import ReadStore
from tests.cli.runs import RANDOM, arena

if TYPE_CHECKING:
    from pathlib import Path


def found(*arguments: object) -> dict[str, Any]:
    done = arena("komi", *map(str, arguments), "--concurrency", "1", "--json")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize(("size", "komis", "last_won"), [(1, "-1..2", 0), (2, "2..5", 3), (3, "1..4", 2)])
def test_perfect_play_is_a_step_at_the_bracket_that_is_known(size: int, komis: str, last_won: int) -> None:
    told = found("--engine", "perfect_player", "--size", size, "--komi", komis, "--games", 2)
    assert told["verdict"]["bracket"] == [last_won, last_won + 1]
    assert told["verdict"]["is_step"]
    assert "a step, not a curve" in told["verdict"]["words"]
    assert {row["komi"]: row["repeats"] for row in told["rows"]} == dict.fromkeys(
        range(last_won - 1, last_won + 3), 1
    )
    assert any("repeated another move for move" in words for words in told["words"])
    assert any("48 % from 50 %, 4904" in words and "9806" in words for words in told["words"])
    assert not any(words.startswith("Recommended") for words in told["words"])


def test_under_pie_it_is_told_what_was_offered_and_taken(tmp_path: Path) -> None:
    told = found("--engine", "random_player", "--size", 3, "--komi", "pie", "--games", 12, "-o", tmp_path)
    assert told["games"] + told["repeats"] == 12
    assert sum(row["offers"] for row in told["offers"]) == told["games"]
    assert told["chooser_won"]["value"] is not None
    assert {path.name for path in tmp_path.iterdir()} >= {"komi-offers.csv", "komi-offers.png"}
    assert arena("verify", tmp_path / "komi.db").returncode == 0


def test_what_is_wrong_with_an_engine_in_self_play_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "fair.toml"
    file.write_text('[tournament]\ngame = "pletore"\n[[engine]]\nname = "no"\ncommand = "./no"\n')
    for arguments in (["--engine", "./no"], [str(file)], ["--engine", "false"]):
        refused = arena("komi", *arguments, "--komi", "0..3")
        assert refused.returncode == 2
        words = "a program that exists" if "false" not in arguments else "at start-up"
        assert refused.stderr.count(words) == 1


def test_an_adaptive_laboratory_of_a_file_goes_on_where_it_was_and_its_games_are_verified(
    tmp_path: Path,
) -> None:
    file = tmp_path / "fair.toml"
    file.write_text(
        "[tournament]\n"
        'game = "pletore"\n'
        "size = 3\n"
        "seed = 4\n"
        "[laboratory]\n"
        'komi = "-2..5"\n'
        "games = 4\n"
        "precision = 3\n"
        f'[[engine]]\nname = "chance"\ncommand = {RANDOM}\n'
    )
    output = tmp_path / "results"
    told = found(file, "-o", output)
    assert 0 < told["design"]["games"] <= 32
    assert sum(row["games"] for row in told["rows"]) == told["design"]["games"]
    assert {path.name for path in output.iterdir()} >= {
        "komi-even.csv",
        "komi-odd.csv",
        "komi-shares.svg",
        "komi-margins.png",
        "komi-posterior.png",
        "komi-answer.txt",
    }
    with ReadStore(tmp_path / "fair.db") as stored:
        played = stored.progress().played
    again = found(file)
    assert again == told
    with ReadStore(tmp_path / "fair.db") as stored:
        assert stored.progress().played == played
    assert arena("verify", tmp_path / "fair.db").returncode == 0


def test_engines_that_repeat_themselves_end_an_adaptive_design_with_words() -> None:
    told = found(
        "--engine", "perfect_player", "--size", 1, "--komi", "4..9", "--games", 50, "--precision", 0.5
    )
    assert told["verdict"]["bracket"] is None
    assert any(words.startswith("Stopped after") for words in told["words"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a FILE, or at least one --engine"),
        (["--engine", "random_player"], "a range is needed"),
        (["--engine", "random_player", "--komi", "low"], "a range LOW..HIGH of whole numbers"),
        (["--engine", "random_player", "--komi", "5..1"], "LOW first"),
        (["--engine", "random_player", "--komi", "0..500"], "at most 101 values"),
        (["--engine", "random_player", "--komi", "0..3", "--games", "0"], "a whole number from 1"),
        (["--engine", "random_player", "--komi", "0..3", "--precision", "0"], "a width in points"),
        (["--engine", "random_player", "--komi", "0..1", "--precision", "1"], "one point gives no curve"),
        (
            ["--engine", "random_player", "--engine", "greedy_player", "--komi", "0..1", "--games", "3"],
            "both colours",
        ),
        (["--engine", "random_player", "--komi", "pie", "--precision", "1"], "players settle komi"),
        (["missing.toml"], "no such file"),
    ],
)
def test_what_cannot_be_a_laboratory_is_refused_in_words(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["komi", *arguments])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ('[tournament]\ngame = "pente"\nkomi = 3\n', "has no komi"),
        ('[tournament]\ngame = "pletore"\n[laboratory]\nkomis = 3\n', "unknown key"),
        ('laboratory = 3\n[tournament]\ngame = "pletore"\n', "a table [laboratory]"),
        ('[tournament]\ngame = "pletore"\n[laboratory]\nkomi = true\n', "a range LOW..HIGH"),
    ],
)
def test_a_file_that_is_no_laboratory_is_refused_in_words(
    tmp_path: Path, keys: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "fair.toml"
    file.write_text(f'{keys}[[engine]]\nname = "chance"\ncommand = {RANDOM}\n')
    with pytest.raises(SystemExit) as ended:
        main(["komi", str(file)])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
