"""The engines in other languages know the rules: their legal moves are the rules core's, game after game.

Each has the command `gogui-rules_legal_moves` for all its games. Without a compiler or without node the test
is skipped on a developer's machine; where CI is set it fails, so that it cannot be missed there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from arena.rules.base import Position, colour_name
from arena.rules.registry import make_rules
from protocol.framing import Reply, ReplyParser

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = Path(__file__).parents[2] / "sample_engines"

GAMES = [
    ("c", "pletore", 5, 1),
    ("c", "pletore", 4, 0),
    ("c", "pente", 7, None),
    ("c", "topolo", 4, None),
    ("c", "topolo", 8, None),
    ("c", "plakoto", None, None),
    ("javascript", "pletore", 5, 1),
    ("javascript", "pletore", 4, 0),
    ("javascript", "pente", 7, None),
    ("bash", "pletore", 4, 0),
    ("bash", "pletore", 3, 1),
]


def program(name: str) -> str:
    """Return the path of a program, or skip the test: loudly where CI promises to have it."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not installed, but CI must test the engines that need it")
        pytest.skip(f"{name} is not installed: its engine is not tested here")
    return path


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the command lines made so far, by language."""
    return {"folder": [str(tmp_path_factory.mktemp("engines"))]}


def command(language: str, made: dict[str, list[str]]) -> list[str]:
    """Return the command line of an engine, compiled if it has to be."""
    if language not in made:
        match language:
            case "c":
                target = f"{made['folder'][0]}/flat_engine"
                source = str(ENGINES / "c" / "flat_engine.c")
                compiler = [program("cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
                subprocess.run([*compiler, "-o", target, source], check=True)
                made[language] = [target]
            case "javascript":
                made[language] = [program("node"), str(ENGINES / "javascript" / "engine.js")]
            case _:
                made[language] = [program("bash"), str(ENGINES / "bash" / "engine.sh")]
    return made[language]


class Talk:
    """A conversation with an engine process, one command at a time."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._parser = ReplyParser()

    def ask(self, line: str) -> Reply:
        """Send a command and wait for its reply."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()
        while True:
            data = os.read(self._process.stdout.fileno(), 65536)
            assert data, f"the engine ended at {line}"
            for event in self._parser.feed(data):
                assert isinstance(event, Reply), event
                return event

    def done(self, line: str) -> str:
        """Send a command that must succeed and return the text of its reply."""
        reply = self.ask(line)
        assert reply.ok, f"{line}: {reply.text}"
        return reply.text

    def close(self) -> int:
        """Quit and return the exit code; a process that does not go is killed."""
        try:
            self.done("quit")
            code = self._process.wait(timeout=10)
        finally:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        return code


@pytest.fixture(params=GAMES, ids=lambda game: "-".join(map(str, game[:3])))
def talk(request: pytest.FixtureRequest, commands: dict[str, list[str]]) -> Iterator[tuple[Talk, Position]]:
    """Start an engine on a game and return it with the position in which it is."""
    language, game, size, komi = request.param
    rules = make_rules(game, size=size, komi=komi)
    conversation = Talk(command(language, commands))
    conversation.done(f"arena-game {game}")
    if size is not None:
        conversation.done(f"boardsize {size}")
    if komi is not None:
        conversation.done(f"komi {komi}")
    conversation.done("arena-seed 7")
    conversation.ask("arena-limit playouts 1")
    conversation.done("clear_board")
    yield conversation, rules.initial()
    assert conversation.close() == 0


def test_legal_moves_are_those_of_the_rules_core(talk: tuple[Talk, Position]) -> None:
    conversation, position = talk
    rules, random = position.rules, Random(3)
    while not position.is_over:
        colour = colour_name(position.to_move)
        if position.awaits_dice:
            roll = random.randint(1, 6), random.randint(1, 6)
            position.set_dice(*roll)
            conversation.done(f"arena-dice {colour} {roll[0]} {roll[1]}")
        words = conversation.done("gogui-rules_legal_moves").split()
        moves = [position.canonical(rules.parse_move(word)) for word in words]
        assert sorted(map(rules.format_move, moves)) == sorted(map(rules.format_move, position.legal_moves()))
        if position.ply % 4 == 3:
            word = conversation.done(f"genmove {colour}").split()[0]
            position.play(rules.parse_move(word))
        else:
            move = random.choice(position.legal_moves())
            position.play(move)
            conversation.done(f"play {colour} {rules.format_move(move)}")
    assert not conversation.done("gogui-rules_legal_moves")


def test_what_is_not_legal_is_refused(talk: tuple[Talk, Position]) -> None:
    conversation, position = talk
    for line in ("boardsize 26", "boardsize 0", "arena-game chess", "genmove white", "nonsense"):
        if position.rules.has_dice and line == "genmove white":
            continue
        assert not conversation.ask(line).ok
    if not position.rules.has_dice:
        assert not conversation.ask("play black Z99").ok
        move = position.legal_moves()[0]
        conversation.done(f"play black {position.rules.format_move(move)}")
        assert not conversation.ask(f"play white {position.rules.format_move(move)}").ok
