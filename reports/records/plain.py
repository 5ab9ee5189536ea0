"""The text record: a game as lines that people read and programs parse, for every game.

    arena-record 1
    id: "1-2.1a"
    game: "plakoto"
    …
    1 black 6-5 24/18,24/19 0.123
    2 white 3-1 24/21,24/23 0.087 {"winrate": 0.61}
    end

A header line is a key of the contract and its JSON value. A turn is its number, the side, the roll (games
with dice), the move, the time in milliseconds (`-` for none), and what the engine said, if anything, as JSON.
docs/records.md has the whole description.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from arena.rules.base import colour_name
from reports.positions import starter_of
from reports.records.objects import RecordError, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.core.record import GameRecord

HEAD = "arena-record 1"
LINE_CHARACTERS = 1_000_000
"""Longest line that is read."""

_IN_TURNS = ("moves", "time_ms", "infos")
"""Keys whose values stand with the turns."""

_HEADER = re.compile(r"([a-z_]{1,40}): (.*)")
_TURN = re.compile(
    r"(?P<number>[0-9]{1,6}) (?P<side>black|white) (?:(?P<roll>[1-6]-[1-6]) )?(?P<move>\S{1,60})"
    r" (?P<time>-|[0-9]{1,12}(?:\.[0-9]{1,3})?)(?: (?P<info>\{.*\}))?"
)


def text_of(record: GameRecord) -> str:
    """Return a game as a text record, with the line end after `end`."""
    made = object_of(record)
    # The roll of a turn that failed has no turn to stand with: then all rolls stay in the header.
    rolls = made["dice"] or []
    has_rolls_in_turns = len(rolls) == len(record.moves)
    in_turns = {*_IN_TURNS, "dice"} if has_rolls_in_turns else set(_IN_TURNS)
    lines = [HEAD]
    lines += [
        f"{key}: {json.dumps(value)}"
        for key, value in made.items()
        if key not in in_turns and value is not None
    ]
    first = starter_of(record)
    for place, (move, time) in enumerate(zip(made["moves"], made["time_ms"], strict=True)):
        roll = f"{rolls[place][0]}-{rolls[place][1]} " if has_rolls_in_turns and rolls else ""
        info = record.infos[place] if record.infos else {}
        said = f" {json.dumps(dict(info))}" if info else ""
        spent = "-" if time is None else f"{time:.3f}".rstrip("0").rstrip(".")
        lines.append(f"{place + 1} {colour_name((first + place) % 2)} {roll}{move} {spent}{said}")
    return "\n".join([*lines, "end", ""])


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield each game of a file as its place and its object.

    Raises:
        RecordError: a line is none of a text record; the message names it.
        OSError: the file cannot be read.
    """
    reader: _Reader | None = None
    where = str(path)
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        number = 0
        while line := file.readline(LINE_CHARACTERS + 1):
            number += 1
            where = f"{path}:{number}"
            if len(line) > LINE_CHARACTERS:
                raise RecordError(f"{where}: the line is longer than {LINE_CHARACTERS} characters")
            text = line.strip()
            if reader is None:
                if text == HEAD:
                    reader = _Reader(where)
                elif text:
                    raise RecordError(f"{where}: expected {HEAD!r}, not {text[:60]!r}")
            elif text == "end":
                yield reader.where, reader.made()
                reader = None
            elif text:
                reader.take(text, where)
    if reader is not None:
        raise RecordError(f"{where}: the file ends before the game does (no line `end`)")


class _Reader:
    """Collects the lines of one game."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._header: dict[str, Any] = {}
        self._moves: list[str] = []
        self._times: list[float | None] = []
        self._rolls: list[list[int]] = []
        self._infos: list[dict[str, Any]] = []
        self._first = ""

    def take(self, text: str, where: str) -> None:
        turn = _TURN.fullmatch(text)
        if turn is not None:
            self._take_turn(turn, where)
            return
        header = _HEADER.fullmatch(text)
        if header is None or self._moves:
            raise RecordError(f"{where}: neither a turn nor a header line: {text[:60]!r}")
        key = header[1]
        if key in self._header or key in _IN_TURNS:
            raise RecordError(f"{where}: {key} stands twice, or belongs to the turns")
        self._header[key] = _json(header[2], where)

    def _take_turn(self, turn: re.Match[str], where: str) -> None:
        place = len(self._moves)
        if int(turn["number"]) != place + 1:
            raise RecordError(f"{where}: turn {turn['number']} after turn {place}")
        self._moves.append(turn["move"])
        self._times.append(None if turn["time"] == "-" else float(turn["time"]))
        self._infos.append(_json(turn["info"], where) if turn["info"] else {})
        if turn["roll"]:
            self._rolls.append([int(die) for die in turn["roll"].split("-")])
        self._side(turn["side"], place, where)

    def _side(self, side: str, place: int, where: str) -> None:
        """Check that the sides alternate; who begins is known from the opening roll."""
        if place == 0:
            self._first = side
        elif (side == self._first) != (place % 2 == 0):
            raise RecordError(f"{where}: the sides move in turn, but {side} moves again")

    def made(self) -> dict[str, Any]:
        made = {**self._header, "moves": self._moves, "time_ms": self._times}
        if any(self._infos):
            made["infos"] = self._infos
        if self._rolls:
            made["dice"] = self._rolls
        return made


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where}: no JSON value: {error}") from error
