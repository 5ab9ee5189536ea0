"""What people see of a run that goes wrong in parts: withdrawals, logs, warnings, totals, interruptions."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.cli.progress import HEARTBEAT_S, Line, PlainLines, Tally
from arena.cli.sequence import PairingsWatch
from arena.core.event import SequentialPlan
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.core.verdict import Reason, void
from arena.store import ReadStore
from tests.cli.runs import (
    RANDOM,
    arena,
    games_played,
    kill_at_once,
    started,
    tournament,
    wait_until,
    what_was_played,
)
from tests.store.builders import event, fault, record, spoiled

if TYPE_CHECKING:
    from arena.core.record import GameRecord

HOSTILE = Path(__file__).parents[1] / "engines" / "hostile.py"


def hostile(folder: Path, *behaviours: str, keys: str = "", form: str = "match") -> Path:
    """Write a tournament of Pente between engines of certain behaviours and return the file."""
    lines = ["[tournament]", 'game = "pente"', "size = 5", f'format = "{form}"', 'time = "60"', keys]
    for behaviour in behaviours:
        command = [sys.executable, "-I", "-S", str(HOSTILE), "--behaviour", behaviour]
        lines += ["[[engine]]", f'name = "{behaviour}"', f"command = {json.dumps(command)}"]
    file = folder / "cup.toml"
    file.write_text("\n".join(lines))
    return file


def records(file: Path) -> list[GameRecord]:
    with ReadStore(file.with_suffix(".db")) as store:
        return list(store.records())


# ---- withdrawals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("withdrawn", "reason"), [("forfeit", "withdrawn"), ("remove", "annulled")])
def test_an_engine_that_fails_again_and_again_is_withdrawn(
    tmp_path: Path, withdrawn: str, reason: str
) -> None:
    keys = f'games_each = 8\nconcurrency = 1\nmax_faults_in_a_row = 3\nwithdrawn = "{withdrawn}"'
    file = hostile(tmp_path, "good", "crash", keys=keys)
    done = arena("run", file, "--no-output")
    assert done.returncode == 1, done.stderr  # not one game ended without a fault
    assert "crash is withdrawn by the arena, after 3 games in a row" in done.stderr
    assert "8 of 8 games" in done.stderr
    # A game may be running, and one be at hand, when the third is stored.
    reasons = [each.verdict.reason for each in records(file)]
    assert reasons[:3] == ["crash"] * 3
    assert reasons[5:] == [reason] * 3
    assert sorted(reasons) == sorted(["crash"] * reasons.count("crash") + [reason] * reasons.count(reason))
    checked = arena("verify", file)
    assert checked.returncode == 0, checked.stdout
    games = arena("games", file).stdout
    assert "3 games in a row lost by faults of its own" in games
    again = arena("run", file, "--no-output")
    assert "played already" in again.stderr


def test_a_run_that_goes_on_withdraws_as_one_that_was_not_broken_off(tmp_path: Path) -> None:
    keys = "concurrency = 1\nmax_faults_in_a_row = 3\ngames_each = "
    file = hostile(tmp_path, "good", "crash", keys=f"{keys}2")
    arena("run", file, "--no-output")
    hostile(tmp_path, "good", "crash", keys=f"{keys}7")
    arena("run", file, "--no-output")
    reasons = [each.verdict.reason for each in records(file)]
    assert reasons[:3] == ["crash"] * 3
    assert reasons[5:] == ["withdrawn"] * 2
    # Out of the event it need not even start any more.
    text = hostile(tmp_path, "good", "crash", keys=f"{keys}9").read_text()
    assert arena("run", file, "--no-output").returncode == 1
    assert len(records(file)) == 9
    assert "crash" in text


# ---- logs and warnings ------------------------------------------------------------------------------------


def test_the_exchange_of_a_game_with_a_fault_is_kept_and_its_path_told(tmp_path: Path) -> None:
    file = hostile(tmp_path, "good", "illegal", keys="pairs = 1")
    done = arena("run", file, "--no-output")
    for each in records(file):
        assert each.log == f"cup-logs/{each.id}.log"
        assert f"({each.log})" in done.stderr
        assert each.log not in done.stdout
        text = (tmp_path / each.log).read_text()
        assert "> genmove" in text
        assert "illegal-move" in text
        assert each.log in arena("show", file, each.id).stdout


def test_all_exchanges_are_kept_when_asked_for(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, keys="pairs = 1")
    assert arena("run", file, "--no-output", "--log", "all").returncode == 0
    assert {path.name for path in (tmp_path / "cup-logs").iterdir()} == {"1-2.1a.log", "1-2.1b.log"}
    other = tmp_path / "quiet"
    other.mkdir()
    assert arena("run", tournament(other, engines=2), "--no-output").returncode == 0
    assert not (other / "cup-logs").exists()


def test_an_oddity_met_during_games_is_told_once_and_kept(tmp_path: Path) -> None:
    file = hostile(tmp_path, "good", "refuses_clock", keys="pairs = 2\nconcurrency = 1")
    done = arena("run", file, "--no-output")
    assert done.stderr.count("lists `arena-clock`") == 1
    kept = [words for each in records(file) for said in each.warnings.values() for words in said]
    assert len(kept) == 1
    assert "lists `arena-clock`" in kept[0]


# ---- what every record says -------------------------------------------------------------------------------


def test_every_game_is_accounted_for_however_it_ended(tmp_path: Path) -> None:
    bad = ("illegal", "crash", "nonsense", "half_a_reply", "move_and_exit", "error", "crash_as_white")
    file = hostile(tmp_path, "good", *bad, keys="pairs = 1", form="gauntlet")
    done = arena("run", file, "--no-output")
    assert done.returncode in (0, 1), done.stderr
    games = [json.loads(line) for line in arena("export", file, "--format", "jsonl").stdout.splitlines()]
    assert len(games) == 2 * len(bad)
    by_reason: dict[str, int] = {}
    for game in games:
        by_reason[game["reason"]] = by_reason.get(game["reason"], 0) + 1
        assert game["result"]
        assert game["winner"] in ("black", "white")
        assert game["at_fault"] in ("black", "white", None)
        assert game["plies"] == len(game["moves"])
        if game["at_fault"] is not None:
            assert game[game["at_fault"]] != "good"
    assert sum(by_reason.values()) == len(games)
    # An illegal first move too leaves a record that can be replayed.
    assert any(game["reason"] == "illegal-move" and game["plies"] <= 1 for game in games)
    assert arena("verify", file).returncode == 0


def test_when_every_engine_fails_nothing_is_called_a_draw(tmp_path: Path) -> None:
    file = hostile(tmp_path, "crash", "error", keys="pairs = 2")
    done = arena("run", file, "--no-output")
    assert done.returncode == 1
    assert "not one game ended without a fault" in done.stderr
    assert all(each.verdict.winner_word != "draw" for each in records(file))


def test_programs_are_found_from_the_file_and_their_path_and_hash_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "two words" / "engines here"
    folder.mkdir(parents=True)
    program = folder / "my engine.py"
    shutil.copy(HOSTILE, program)
    file = tmp_path / "two words" / "cup.toml"
    file.write_text(
        '[tournament]\ngame = "pente"\nsize = 5\nformat = "match"\ngames_each = 1\n'
        '[defaults]\ncwd = "engines here"\n'
        '[[engine]]\nname = "a"\ncommand = "{python} -I \'my engine.py\' --behaviour good"\n'
        '[[engine]]\nname = "b"\ncommand = ["{python}", "-I", "my engine.py", "--behaviour", "good"]\n'
    )
    done = arena("run", file, "--no-output")
    assert done.returncode == 0, done.stderr
    (kept,) = records(file)
    assert len(kept.black.program_hash) == 64
    assert kept.black.program_hash == kept.white.program_hash
    with ReadStore(file.with_suffix(".db")) as store:
        first = store.event().engines[0]
    assert first.command[0] == sys.executable
    assert first.cwd == str(folder)


# ---- what is shown ----------------------------------------------------------------------------------------


def test_totals_never_go_backwards_and_no_more_games_are_shown_than_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    of = event("a", "b", "c", games_each=4, concurrency=2)
    schedule = Schedule(of)
    tally = Tally({each.name: Line(each.name) for each in of.engines}, len(schedule))
    view = PlainLines(of, tally, of.concurrency)
    ended = [
        record(of, 0),
        spoiled(of, 1),
        fault(of, 2),
        replace(spoiled(of, 3), verdict=void(Reason.ANNULLED)),
    ]
    done = 0
    for ordinal in range(4):
        view.game_started(game_task(of, schedule.game(ordinal), 1, bytes(32)))
    assert view.playing == 2
    for each in ended:
        view.game_committed(each)
        assert tally.done >= done
        assert view.playing <= of.concurrency
        done = tally.done
    assert (done, tally.void) == (3, 1)
    assert tally.lines["a"].games + tally.lines["b"].games + tally.lines["c"].games == 4
    assert "it died, signal SIGKILL" in capsys.readouterr().err


def test_the_heartbeat_comes_also_while_no_game_ends(capsys: pytest.CaptureFixture[str]) -> None:
    of = event("a", "b")
    now = 0.0
    tally = Tally({each.name: Line(each.name) for each in of.engines}, 2)
    view = PlainLines(of, tally, of.concurrency, now=lambda: now)
    lines = []
    for _ in range(70):
        now += HEARTBEAT_S / 20
        view.beat()
        lines += capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines == ["0 of 2 games, the engines are being started"] * 3


def test_a_run_in_which_no_game_began_says_nothing_of_games(capsys: pytest.CaptureFixture[str]) -> None:
    of = event("a", "b")
    with PlainLines(of, Tally({each.name: Line(each.name) for each in of.engines}, 2), of.concurrency):
        pass
    assert capsys.readouterr().err == ""


def test_where_a_test_ends_the_event_no_time_is_promised(capsys: pytest.CaptureFixture[str]) -> None:
    of = event("a", "b", games_each=200_000, sprt=SequentialPlan(0, 5, 0.05, 0.05, "logistic", 16))
    tally = Tally({each.name: Line(each.name) for each in of.engines}, 200_000, may_end_early=True)
    tally.watch = PairingsWatch(of)
    view = PlainLines(of, tally, of.concurrency)
    assert view.summary() == "0 of at most 200000 games, LLR 0.00 (ends at -2.94 or 2.94)"
    for ordinal in range(2):
        view.game_started(game_task(of, Schedule(of).game(ordinal), 1, bytes(32)))
        view.game_committed(record(of, ordinal))
        tally.watch.take([record(of, ordinal)])
    assert " games a minute, score 0.500 in 1 pair, " in view.summary()
    assert view.summary().endswith("; LLR -0.01 (ends at -2.94 or 2.94)")
    assert " left" not in view.summary()


def test_games_on_a_cluster_are_not_held_to_the_files_number() -> None:
    of = event("a", "b", games_each=8, concurrency=1)
    view = PlainLines(of, Tally({each.name: Line(each.name) for each in of.engines}, 8), None)
    for ordinal in range(4):
        view.game_started(game_task(of, Schedule(of).game(ordinal), 1, bytes(32)))
    assert view.playing == 4


def test_games_that_an_early_end_of_a_match_leaves_out_are_not_waited_for(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=4, keys="best_of = 3")
    file.write_text(file.read_text().replace('"round-robin"', '"knockout"'))
    done = arena("run", file)
    assert done.returncode == 0, done.stderr
    games = games_played(tmp_path / "cup.db")
    assert games < 9
    assert f"\n{games} of {games} games, " in done.stderr
    assert f"{games} games counted of {games} scheduled." in done.stdout


# ---- broken off -------------------------------------------------------------------------------------------


def test_a_lost_terminal_breaks_off_and_the_same_command_goes_on(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=2, keys="pairs = 60")
    runner = started("run", file, "--no-output")
    wait_until(lambda: games_played(tmp_path / "cup.db") >= 2)
    runner.send_signal(signal.SIGHUP)
    output, _ = runner.communicate()
    assert runner.returncode == 3, output
    assert "the same command goes on from here" in output
    assert arena("run", file, "--no-output").returncode == 0
    assert games_played(tmp_path / "cup.db") == 120


@pytest.mark.soak
def test_ten_interruptions_of_a_run_of_five_engines_are_one_run(tmp_path: Path) -> None:
    file = tournament(tmp_path, engines=5, keys="pairs = 3\nopenings = { random = 2 }\nconcurrency = 3")
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    assert arena("run", file, "--db", whole, "--no-output").returncode == 0
    games = len(what_was_played(whole))
    for cycle in range(10):
        least = games * cycle // 11
        runner = started("run", file, "--db", broken, "--no-output")
        while games_played(broken) <= least and runner.poll() is None:
            time.sleep(0.01)
        number = (signal.SIGINT, signal.SIGKILL, signal.SIGHUP)[cycle % 3]
        if number is signal.SIGKILL:
            kill_at_once(runner)
        else:
            runner.send_signal(number)
            runner.communicate()
            assert runner.returncode in (0, 3)
    last = arena("run", file, "--db", broken, "--no-output")
    assert last.returncode == 0, last.stderr
    assert what_was_played(broken) == what_was_played(whole)
    assert arena("verify", broken).returncode == 0
    told = [json.loads(arena("standings", path, "--json").stdout) for path in (whole, broken)]
    for table in told:
        for line in table["standings"]:
            del line["time"]
    assert told[0]["standings"] == told[1]["standings"]
    assert told[0]["cross_table"] == told[1]["cross_table"]


def test_a_file_that_asks_for_more_threads_than_cores_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    text = '[tournament]\ngame = "pente"\nsize = 5\nformat = "match"\ngames_each = 1\n'
    text += "[defaults]\nthreads = 4000\n"
    for name in "ab":
        text += f'[[engine]]\nname = "{name}"\ncommand = {RANDOM}\n'
    file.write_text(text)
    refused = arena("run", file, "--no-output")
    assert refused.returncode == 2
    assert "oversubscribe = true" in refused.stderr
    assert arena("run", file, "--no-output", "--oversubscribe").returncode == 0
