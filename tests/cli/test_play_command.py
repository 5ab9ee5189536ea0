"""`arena play` in the terminal, and what `arena play` and `arena watch` refuse, as a user meets them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.cli.played import an_event, play
from tests.cli.runs import arena

if TYPE_CHECKING:
    from pathlib import Path


def played(folder: Path, typed: str, *options: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "arena", "play", "--text", "--db", str(folder / "play.db"), *options]
    return subprocess.run(arguments, input=typed, capture_output=True, text=True, check=False, timeout=120)


def test_a_game_is_typed_stored_and_shown(tmp_path: Path) -> None:
    typed = "help\nmoves\nE5\nZ9\nnonsense\nback\nC3\nboard\nresign\n"
    said = played(tmp_path, typed, "--size", "5", "--against", "random")
    assert said.returncode == 0, said.stderr
    assert "`back` takes your last move back" in said.stdout
    assert "A1 B1 C1" in said.stdout
    assert "'z9' is no move" in said.stdout
    assert "human - random: W+R (resign)" in said.stdout
    assert "as game 1-2.1a" in said.stdout
    assert arena("verify", tmp_path / "play.db").returncode == 0
    shown = arena("show", tmp_path / "play.db", "1-2.1a").stdout
    assert "human (a person)" in shown
    assert "taken_back 1" in shown


def test_dice_and_the_other_colour_are_played_in_the_terminal_too(tmp_path: Path) -> None:
    said = played(
        tmp_path, "moves\nresign\n", "--game", "plakoto", "--colour", "white", "--against", "random"
    )
    assert said.returncode == 0, said.stderr
    assert "White (you) to move with " in said.stdout
    assert "random - human: B+R (resign)" in said.stdout


def test_pie_is_asked_in_the_terminal(tmp_path: Path) -> None:
    said = played(tmp_path, "many\n26\n-3\nresign\n", "--size", "5", "--komi", "pie", "--against", "greedy")
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("a whole number from -25 to 25 was expected") == 2
    assert "komi -3" in said.stdout
    assert "(resign)" in said.stdout


@pytest.mark.parametrize("typed", ["", "quit\n", "C3\n", "C3\nback"])
def test_leaving_before_the_end_stores_nothing(tmp_path: Path, typed: str) -> None:
    said = played(tmp_path, typed, "--size", "5", "--against", "random")
    assert said.returncode == 0, said.stderr
    assert "not stored" in said.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--against", "nosuchengine"], "a program that exists"),
        (["--against", "/bin/true"], "the engine closed its standard output"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--time", "soon"], "--time: 'soon' is no time control"),
        (["--engine-time", "soon"], "'soon' is no time control"),
        (["--name", "greedy"], "a name of its own"),
    ],
)
def test_what_cannot_be_played_is_one_message(tmp_path: Path, options: list[str], words: str) -> None:
    said = played(tmp_path, "", "--size", "5", *options)
    assert said.returncode == 2
    assert words in said.stderr
    assert "Traceback" not in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_watched_event_is_served_until_the_interrupt(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "watch", str(database), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    address = line.split("Trial cup: ")[1].split()[0]
    with urllib.request.urlopen(address, timeout=60) as page:  # noqa: S310  our own server
        assert b"Trial cup" in page.read()
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert "the run, if there is one, goes on" in rest
    assert "Traceback" not in rest


def test_beyond_this_machine_the_address_carries_a_token(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    short = arena("watch", database, "--host", "0.0.0.0", "--token-file", os.devnull)  # noqa: S104
    assert short.returncode == 2
    assert "a token has at least 20 visible ASCII characters" in short.stderr
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "watch", str(database), "--port", "0", "--host", "0.0.0.0"],  # noqa: S104
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    process.terminate()
    process.wait(60)
    process.stderr.close()
    assert len(line.split("/#")[1].split()[0]) == 43


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("no.db", None, "does not exist"),
        ("cup.toml", b"", "has no results yet"),
        ("cup.db", b"nonsense", "not a gtparena database"),
        ("empty.db", b"", "is empty, not a database"),
    ],
)
def test_what_cannot_be_watched_is_one_message(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    said = arena("watch", tmp_path / name)
    assert said.returncode == 2
    assert words in said.stderr
    assert len(said.stderr.splitlines()) == 1
