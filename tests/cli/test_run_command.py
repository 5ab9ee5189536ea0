"""`arena run` and `arena match` with real engine processes: whole, stopped, killed, resumed, extended."""

from __future__ import annotations

import random
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.cli.runs import (
    arena,
    games_played,
    kill_at_once,
    started,
    tournament,
    wait_until,
    what_was_played,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_plays_everything_and_leaves_tables_and_charts(tmp_path: Path) -> None:
    file = tournament(tmp_path, keys="pairs = 1\nopenings = { random = 2 }")
    done = arena("run", file)
    assert done.returncode == 0, done.stderr
    assert "Standings: cup" in done.stdout
    assert "6 of 6 games" in done.stderr
    written = {path.name for path in (tmp_path / "cup-results").iterdir()}
    assert {"standings.csv", "standings.md", "margins-by-pairing.png", "game-length.svg"} <= written
    assert arena("verify", file).returncode == 0
    again = arena("run", file, "--no-output")
    assert again.returncode == 0
    assert "played already" in again.stderr
    assert again.stdout == done.stdout


@pytest.mark.parametrize("game", ["pletore", "plakoto"])
def test_the_same_seed_gives_the_same_games_whatever_the_concurrency(tmp_path: Path, game: str) -> None:
    keys = f'pairs = 2\ndice_key = "{"5a" * 32}"'
    played = []
    for concurrency in ("1", "4"):
        folder = tmp_path / concurrency
        folder.mkdir()
        file = tournament(folder, keys=keys, game=game)
        assert arena("run", file, "--concurrency", concurrency, "--no-output").returncode == 0
        played.append(what_was_played(folder / "cup.db"))
    assert played[0] == played[1]
    assert len(played[0]) == 12


def test_a_folder_that_was_moved_as_a_whole_goes_on_and_a_changed_command_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "before"
    folder.mkdir()
    for name in ("bot", "other"):
        program = folder / name
        program.write_text(f"#!{sys.executable}\nfrom sample_engines.random_player import main\nmain()\n")
        program.chmod(0o755)
    text = (
        '[tournament]\nname = "cup"\nformat = "match"\ngame = "pletore"\nsize = 5\npairs = 1\n'
        '[[engine]]\nname = "one"\ncommand = "./bot"\n[[engine]]\nname = "two"\ncommand = ["./bot"]\n'
    )
    (folder / "cup.toml").write_text(text)
    assert arena("run", folder / "cup.toml", "--no-output").returncode == 0
    moved = tmp_path / "after"
    folder.rename(moved)
    file = moved / "cup.toml"
    file.write_text(text.replace("pairs = 1", "pairs = 2"))
    done = arena("run", file, "--no-output")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 games" in done.stderr
    assert arena("verify", file).returncode == 0
    file.write_text(text.replace('"./bot"', '"./other"', 1))
    refused = arena("run", file, "--no-output")
    assert refused.returncode == 2
    assert f"engine 'one' command: ('{moved}/bot',) in the database, ('{moved}/other',) now" in refused.stderr


def _killed_and_resumed(tmp_path: Path, kills: int, pairs: int) -> None:
    file = tournament(tmp_path, keys=f"pairs = {pairs}\nconcurrency = 2")
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    assert arena("run", file, "--db", whole, "--no-output").returncode == 0
    chance = random.Random(17)
    games = 6 * pairs
    for kill in range(kills):
        runner = started("run", file, "--db", broken, "--no-output")
        # A moment no later than some number of games, which grows; then anywhere in the game that follows.
        least = chance.randrange(max(1, games * kill // kills), max(2, games * (kill + 1) // kills))
        while games_played(broken) < least and runner.poll() is None:
            time.sleep(0.01)
        kill_at_once(runner)
    last = arena("run", file, "--db", broken, "--no-output")
    assert last.returncode == 0, last.stderr
    assert what_was_played(broken) == what_was_played(whole)
    assert arena("verify", broken).returncode == 0


def test_a_run_killed_again_and_again_ends_in_the_same_table(tmp_path: Path) -> None:
    _killed_and_resumed(tmp_path, kills=3, pairs=6)


@pytest.mark.soak
def test_a_run_killed_twenty_times_ends_in_the_same_table(tmp_path: Path) -> None:
    _killed_and_resumed(tmp_path, kills=20, pairs=40)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_finishes_the_running_games_and_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    file = tournament(tmp_path, keys="pairs = 200\nconcurrency = 2")
    database = tmp_path / "cup.db"
    runner = started("run", file, "--no-output")
    wait_until(lambda: games_played(database) >= 3)
    runner.send_signal(number)
    output, _ = runner.communicate()
    assert runner.returncode == 3, output
    assert "the same command goes on from here" in output
    played = games_played(database)
    assert 3 <= played < 1200
    assert arena("verify", database).returncode == 0
    runner = started("run", file, "--no-output")
    wait_until(lambda: games_played(database) > played)
    runner.send_signal(number)
    runner.communicate()
    assert runner.returncode == 3


def test_a_second_run_on_one_database_is_refused_and_names_the_process(tmp_path: Path) -> None:
    file = tournament(tmp_path, keys="pairs = 500")
    first = started("run", file, "--no-output")
    try:
        wait_until(lambda: games_played(tmp_path / "cup.db") >= 1)
        second = arena("run", file, "--no-output")
        assert second.returncode == 2
        assert str(first.pid) in second.stderr
        assert "Traceback" not in second.stderr
    finally:
        kill_at_once(first)


def test_more_pairs_and_new_engines_at_the_end_extend_an_event_and_nothing_else_may(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, keys="pairs = 1")
    assert arena("run", file, "--no-output").returncode == 0
    first = what_was_played(tmp_path / "cup.db")
    tournament(tmp_path, engines=3, keys="pairs = 2")
    extended = arena("run", file, "--no-output")
    assert extended.returncode == 0, extended.stderr
    played = {row[0]: row for row in what_was_played(tmp_path / "cup.db")}
    assert len(played) == 12
    for row in first:
        assert played[row[0]][3:] == row[3:]
    assert arena("verify", file).returncode == 0
    tournament(tmp_path, engines=3, keys="pairs = 2\nkomi = 2")
    refused = arena("run", file, "--no-output")
    assert refused.returncode == 2
    assert "komi" in refused.stderr
    assert "0" in refused.stderr
    assert "2" in refused.stderr


def test_an_engine_that_cannot_start_is_named_before_any_game(tmp_path: Path) -> None:
    file = tournament(tmp_path)
    file.write_text(
        file.read_text() + '\n[[engine]]\nname = "broken"\ncommand = ["{python}", "-c", "exit(3)"]\n'
    )
    done = arena("run", file, "--no-output")
    assert done.returncode == 2
    assert "broken" in done.stderr
    assert "exit code 3" in done.stderr
    assert games_played(tmp_path / "cup.db") == 0


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_a_file_mended_after_a_failed_pre_flight_is_played_without_further_ado(
    tmp_path: Path, form: str
) -> None:
    file = tournament(tmp_path, keys="pairs = 1" if form == "round-robin" else "pairs = 1\nrounds = 2")
    good = file.read_text().replace("round-robin", form)
    file.write_text(f'{good}\n[[engine]]\nname = "broken"\ncommand = ["{{python}}", "-c", "exit(3)"]\n')
    assert arena("run", file, "--no-output").returncode == 2
    file.write_text(good)
    done = arena("run", file, "--no-output")
    assert done.returncode == 0, done.stderr
    assert "made anew" in done.stderr
    assert arena("verify", file).returncode == 0
    played = what_was_played(tmp_path / "cup.db")
    # From the first game on an event stands.
    file.write_text(good.replace("seed = 11", "seed = 12"))
    assert arena("run", file, "--no-output").returncode == 2
    assert what_was_played(tmp_path / "cup.db") == played


def test_a_match_needs_no_file(tmp_path: Path) -> None:
    database = tmp_path / "match.db"
    done = arena(
        "match", "random_player", "greedy_player", "--game", "topolo", "--size", "4", "--pairs", "2",
        "--time", "10+0.1", "--db", database,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Topolo 4x4" in done.stdout
    assert games_played(database) == 4


def test_a_pie_event_is_settled_by_the_players_and_verified(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, keys='pairs = 3\nkomi = "pie"')
    done = arena("run", file, "--no-output")
    assert done.returncode == 0, done.stderr
    assert arena("verify", file).returncode == 0
    games = arena("export", file, "--format", "jsonl").stdout
    assert games.count('"komi_offered": null') == 0


def test_an_event_in_which_every_engine_fails_every_game_is_a_negative_answer(tmp_path: Path) -> None:
    # It passes pre-flight and leaves at its first move.
    quitter = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('genmove'): sys.exit(7)\n"
        "    known = 'arena-game\\nboardsize\\nkomi\\nclear_board\\nplay\\ngenmove'\n"
        "    print('=', known if line.startswith('list_') else '', end='\\n\\n', flush=True)\n"
    )
    (tmp_path / "quitter.py").write_text(quitter)
    file = tmp_path / "cup.toml"
    command = '["{python}", "quitter.py"]'
    file.write_text(f"{_PLETORE}{_TWO}".replace('"true"', command))
    done = arena("run", file, "--no-output")
    assert done.returncode == 1, done.stderr
    assert "crash" in done.stderr
    assert "not one game ended without a fault" in done.stderr


_TWO = '[[engine]]\nname = "a"\ncommand = "true"\n[[engine]]\nname = "b"\ncommand = "true"\n'
_PLETORE = '[tournament]\ngame = "pletore"\nformat = "match"\n'

BAD_FILES = {
    "malformed TOML": ("[tournament\n", "cup.toml:1"),
    "unknown game": (f'[tournament]\nformat = "match"\ngame = "chess"\n{_TWO}', "plakoto"),
    "unknown size": (f'[tournament]\nformat = "match"\ngame = "pente"\nsize = 8\n{_TWO}', "cup.toml:4"),
    "komi that is no number": (f'{_PLETORE}komi = "much"\n{_TWO}', "cup.toml:4"),
    "unknown key": (f"{_PLETORE}concurency = 2\n{_TWO}", "concurrency"),
    "unknown time": (f'{_PLETORE}time = "soon"\n{_TWO}', "60+0.6"),
    "missing program": (_PLETORE + _TWO.replace('"true"', '"./nobody"'), "nobody"),
    "two players of one name": (_PLETORE + _TWO.replace('"b"', '"a"'), "name"),
    "wrong move in an opening file": (f'{_PLETORE}openings = {{ file = "book.txt" }}\n{_TWO}', "line 2"),
    "one engine alone": (_PLETORE + _TWO[: len(_TWO) // 2], "engine"),
}
"""Text of the file, and a word that the message must hold."""


@pytest.mark.parametrize("what", sorted(BAD_FILES))
def test_a_bad_file_gives_one_clear_message_and_no_traceback(tmp_path: Path, what: str) -> None:
    (tmp_path / "book.txt").write_text("# the second line plays on an occupied point twice\nA1 C3 A1 A1\n")
    file = tmp_path / "cup.toml"
    text, word = BAD_FILES[what]
    file.write_text(text)
    done = arena("run", file)
    assert done.returncode == 2
    assert done.stdout == ""
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "cup.db").exists()


def test_a_match_takes_an_engine_that_knows_plain_gtp_when_it_is_told_so(tmp_path: Path) -> None:
    plain = tmp_path / "plain.py"
    plain.write_text(
        "import sys\n"
        "listed = 'list_commands name version boardsize komi clear_board play genmove quit'\n"
        "for line in sys.stdin:\n"
        "    name = line.split()[0]\n"
        "    said = {'list_commands': listed.replace(' ', '\\n'), 'genmove': 'resign'}.get(name, '')\n"
        "    print(f'= {said}\\n', flush=True)\n"
    )
    words = ("match", f"{{python}} {plain}", "random", "--size", "3")
    refused = arena(*words)
    assert refused.returncode == 2
    assert (
        "does not list `arena-game`: its entry must say plays = […] (arena match: --plays)" in refused.stderr
    )
    assert arena(*words, "--plays").returncode == 0


def test_a_strange_term_of_the_sequential_test_is_no_third_engine() -> None:
    done = arena("match", "random", "greedy", "--sprt", "elo2=5")
    assert done.returncode == 2
    assert "elo2=5: no term of --sprt, which are elo0, elo1" in done.stderr


@pytest.mark.soak
def test_two_thousand_games_leave_nothing_behind(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, size=9, keys="games_each = 2000\nconcurrency = 2\nkomi = 4")
    done = arena("run", file, "--no-output", timeout_s=600)
    assert done.returncode == 0, done.stderr
    assert arena("verify", file, timeout_s=600).returncode == 0
