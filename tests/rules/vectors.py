"""Replays the rule vectors of `tests/vectors` against any game, through `Rules` and `Position` alone.

What the vectors know by names of their own is asked of a game in the following ways, which are part of what
a game offers to people, too:

- `rules.from_setup(setup)` on rules of any settings: the set-up position brings its own (`position.rules`);
- `position.as_setup()`: the position in the form of the vectors' `setup` (all keys written out);
- `position.diagram()` begins with the lines of the board as the vectors draw it;
- `Outcome.details`: pletore `scores` (with komi and button), pente `pairs`, topolo `groups`
  (lists of [pieces, height]), plakoto `off`; each an object with the keys `black` and `white`;
- pente `position.runs_through(point)`, `position.pairs_captured`; pletore `position.scores()`;
- plakoto `opening_turn(throws)` in its module: (who starts, the dice of the first turn, higher one first).
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from arena.rules import BLACK, WHITE, IllegalMoveError, MalformedMoveError, Position, Rules, RulesError
from arena.rules.registry import games, make_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Record = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "vectors"
REASONS = {
    "full": "full-board",
    "borne off": "borne-off",
    "start checker pinned": "start-point",
    "both start checkers pinned": "both-start-points",
}
ROLLS = tuple((low, high) for low in range(1, 7) for high in range(low, 7))

_POSITION_KEYS = {"id", "game", "note", "params", "setup", "moves", "then"}


@cache
def read(game: str, kind: str) -> tuple[Record, ...]:
    """Return the records of one file; none if the game has no such file (a plugin's)."""
    file = FOLDER / f"{game}_{kind}.jsonl"
    if not file.exists():
        return ()
    return tuple(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


def cases(kind: str) -> list[tuple[str, Record]]:
    """Return (game, record) for all games that are there."""
    return [(game, record) for game in games() for record in read(game, kind)]


def name_of(game: str, record: Record) -> str:
    """Return a test's id for a record."""
    if "id" in record:
        return str(record["id"])
    if "one" in record:
        return f"{game}-after-{len(record['after'])}"
    return "-".join(
        [game, *(f"{key}{value}" for key, value in record["params"].items()), str(record["depth"])]
    )


# --- The vectors' colours and settings ---------------------------------------------------------------


def colour_of(game: str, letter: str) -> int:
    """Return the colour that a letter of the vectors means; in Topolo the wire's black is Red."""
    letters = ("R", "B") if game == "topolo" else ("B", "W")
    return letters.index(letter)


def start(game: str, record: Record) -> Position:
    """Return the position that `params` or `setup` of a record describes."""
    if "setup" in record:
        return make_rules(game).from_setup(record["setup"])
    return rules_of(game, record["params"]).initial()


def rules_of(game: str, params: Mapping[str, Any]) -> Rules:
    assert params.keys() <= {"n", "komi"}
    return make_rules(game, size=params.get("n"), komi=params.get("komi"))


# --- Playing ----------------------------------------------------------------------------------------


def legal_words(position: Position) -> list[str]:
    return [position.rules.format_move(move) for move in position.legal_moves()]


def play(position: Position, word: str) -> None:
    """Play a word that must be accepted."""
    move = position.rules.parse_move(word)
    assert position.refusal(move) is None, f"{word} refused: {position.refusal(move)}"
    position.play(move)


def check_is_refused(position: Position, word: str) -> None:
    """Check that a word is refused in words, and that trying it changes nothing."""
    try:
        move = position.rules.parse_move(word)
    except MalformedMoveError:
        return
    before = position.key()
    reason = position.refusal(move)
    assert reason, f"{word} is accepted"
    assert move not in position.legal_moves()
    with pytest.raises(IllegalMoveError) as caught:
        position.play(move)
    assert str(caught.value) == reason
    assert position.key() == before


# --- Whole games ------------------------------------------------------------------------------------


def replay(game: str, record: Record) -> None:
    """Replay a whole game and compare everything the record tells of every ply and of the end."""
    if "turns" in record:
        position = make_rules(game).initial(colour_of(game, record["first"]))
        opening = opening_turn(game, record["opening"])
        assert opening == (colour_of(game, record["first"]), tuple(record["turns"][0]["dice"]))
        turns = record["turns"]
    else:
        position = rules_of(game, record["params"]).initial()
        turns = [
            {"move": word, "count": count, "crc": crc}
            for word, count, crc in zip(record["moves"], record["counts"], record["crc"], strict=True)
        ]
    for ply, turn in enumerate(turns):
        where = f"{record['id']} ply {ply}"
        assert position.ply == ply
        assert not position.is_over, where
        if "dice" in turn:
            assert position.awaits_dice, where
            assert position.legal_moves() == []
            position.set_dice(*turn["dice"])
            assert not position.awaits_dice, where
        words = legal_words(position)
        assert len(words) == turn["count"], where
        assert f"{crc32(','.join(words).encode()):08x}" == turn["crc"], where
        mover = position.to_move
        play(position, turn["move"])
        if "captured_pairs" in record:
            assert len(position.captured) == 2 * record["captured_pairs"][ply], where
        if "announce" in record and not position.is_over:
            assert position.announcement == record["announce"][ply], where
        assert position.is_over or position.to_move == 1 - mover
    check_over(position, over=True)
    check_result(game, position, record["result"])
    check_final(game, position, record["final"])


def check_final(game: str, position: Position, final: Any) -> None:
    """Compare the end of a game: a drawing of the board, or a set-up position."""
    if isinstance(final, list):
        assert position.diagram()[: len(final) - 1] == final[:-1]
    else:
        setup = as_setup(position)
        assert {key: setup.get(key) for key in final} == final


def opening_turn(game: str, throws: Iterable[Iterable[int]]) -> tuple[int, tuple[int, int]]:
    module = importlib.import_module(f"arena.rules.{game}")
    first, dice = module.opening_turn([tuple(throw) for throw in throws])
    return first, tuple(dice)


def as_setup(position: Position) -> Record:
    setup: Record = position.as_setup()  # type: ignore[attr-defined]
    return setup


# --- Positions made by hand -------------------------------------------------------------------------


def check_handmade(game: str, record: Record) -> None:
    """Check everything that a record says of its position and of what follows from it."""
    if "opening" in record:
        letter, dice = record["expect"]
        assert opening_turn(game, record["opening"]) == (colour_of(game, letter), tuple(dice))
        return
    unused = record.keys() - _POSITION_KEYS - _CHECKS.keys() - {"refused"}
    assert not unused, f"the vectors say something that is not checked: {unused}"
    position = start(game, record)
    _play_and_check(game, position, record)
    for alternative in record.get("then", ()):
        assert not alternative.keys() - {"moves", "refused"} - _CHECKS.keys(), alternative
        _play_and_check(game, _played(start(game, record), record.get("moves", ())), alternative)


def _played(position: Position, words: Iterable[str]) -> Position:
    for word in words:
        play(position, word)
    return position


def _play_and_check(game: str, position: Position, record: Record) -> None:
    words = list(record.get("moves", ()))
    refused = words.pop() if record.get("refused") else None
    _played(position, words)
    if refused is not None:
        check_is_refused(position, refused)
    for key, check in _CHECKS.items():
        if key in record:
            check(game, position, record[key], words)


def check_over(position: Position, *, over: bool) -> None:
    assert position.is_over is over
    if over:
        assert position.legal_moves() == []
        position.outcome()
    else:
        with pytest.raises(RulesError):
            position.outcome()


def check_result(game: str, position: Position, expected: Mapping[str, Any]) -> None:
    """Compare an outcome with the vectors' names for it."""
    outcome = position.outcome()
    for key, value in expected.items():
        if key == "winner":
            assert outcome.winner == (None if value == "draw" else colour_of(game, value))
        elif key in ("B", "W", "R"):
            facts = _pair(outcome.details["groups" if game == "topolo" else "scores"])[colour_of(game, key)]
            assert ([list(group) for group in facts] if game == "topolo" else facts) == value
        elif key == "margin":
            assert outcome.final_margin is not None
            assert abs(outcome.final_margin) == value
        elif key == "button":
            assert outcome.button == (None if value == "unused" else colour_of(game, value))
        elif key == "how":
            assert list(outcome.reasons) == [REASONS.get(word, word) for word in value]
        elif key == "why":
            assert outcome.reasons[0] == REASONS[value]
        elif key == "rank":
            assert outcome.deciding_group == value
        elif key == "by":
            assert outcome.decided_by == value
        elif key == "points":
            assert outcome.points == value
        elif key in ("pairs", "off"):
            facts = _pair(outcome.details[key])
            assert {letter: facts[colour_of(game, letter)] for letter in value} == value
        else:
            pytest.fail(f"the vectors say something that is not checked: {key}")


def _pair(facts: Mapping[str, Any]) -> tuple[Any, Any]:
    return facts["black"], facts["white"]


def _check_exact(game: str, position: Position, expected: list[str], words: list[str]) -> None:
    assert legal_words(position) == expected


def _check_count(game: str, position: Position, expected: int, words: list[str]) -> None:
    assert len(position.legal_moves()) == expected


def _check_counts(game: str, position: Position, expected: dict[str, int], words: list[str]) -> None:
    for roll, count in expected.items():
        thrown = position.copy()
        thrown.set_dice(int(roll[0]), int(roll[-1]))
        assert len(thrown.legal_moves()) == count, roll


def _check_legal(game: str, position: Position, expected: list[str], words: list[str]) -> None:
    listed = legal_words(position)
    for word in expected:
        assert word in listed
        play(position.copy(), word)


def _check_illegal(game: str, position: Position, expected: list[str], words: list[str]) -> None:
    for word in expected:
        check_is_refused(position, word)


def _check_also(game: str, position: Position, expected: list[str], words: list[str]) -> None:
    canonical = legal_words(position)
    reached = {_played(position.copy(), [word]).key() for word in canonical}
    for word in expected:
        assert word not in canonical
        assert _played(position.copy(), [word]).key() in reached


def _check_over(game: str, position: Position, expected: bool, words: list[str]) -> None:
    check_over(position, over=expected)


def _check_result(game: str, position: Position, expected: dict[str, Any], words: list[str]) -> None:
    check_result(game, position, expected)


def _check_captured(game: str, position: Position, expected: list[str], words: list[str]) -> None:
    assert [position.rules.format_move(point) for point in position.captured] == expected


def _check_announce(game: str, position: Position, expected: str | None, words: list[str]) -> None:
    assert position.announcement == expected


def _check_runs(game: str, position: Position, expected: list[int], words: list[str]) -> None:
    point = position.rules.parse_move(words[-1])
    assert list(position.runs_through(point)) == expected  # type: ignore[attr-defined]


def _check_pairs(game: str, position: Position, expected: dict[str, int], words: list[str]) -> None:
    pairs = position.pairs_captured  # type: ignore[attr-defined]
    assert {letter: pairs[colour_of(game, letter)] for letter in expected} == expected


def _check_pinned(game: str, position: Position, expected: dict[str, list[int]], words: list[str]) -> None:
    assert as_setup(position)["pinned"] == expected


def _check_board_is(game: str, position: Position, expected: dict[str, str], words: list[str]) -> None:
    rows = as_setup(position)["rows"][::-1]
    for vertex, content in expected.items():
        column, row = "ABCDEFGHJKLMNOPQRSTUVWXYZ".index(vertex[0]), int(vertex[1:]) - 1
        cells = rows[row].split() if game == "topolo" else rows[row]
        assert cells[column] == content, vertex


def _check_turn_is(game: str, position: Position, expected: str, words: list[str]) -> None:
    assert position.to_move == colour_of(game, expected)


def _check_score(game: str, position: Position, expected: Any, words: list[str]) -> None:
    scores = position.scores()  # type: ignore[attr-defined]
    if isinstance(expected, dict):
        assert {letter: scores[colour_of(game, letter)] for letter in expected} == expected
    else:
        assert list(scores) == expected


_CHECKS: dict[str, Callable[[str, Position, Any, list[str]], None]] = {
    "exact": _check_exact,
    "count": _check_count,
    "counts": _check_counts,
    "legal": _check_legal,
    "illegal": _check_illegal,
    "also": _check_also,
    "over": _check_over,
    "result": _check_result,
    "captured": _check_captured,
    "announce": _check_announce,
    "runs": _check_runs,
    "pairs": _check_pairs,
    "pinned": _check_pinned,
    "board_is": _check_board_is,
    "turn_is": _check_turn_is,
    "score": _check_score,
}


# --- Counting ---------------------------------------------------------------------------------------


def check_perft(game: str, record: Record) -> None:
    """Compare the number of move sequences (or, with dice, of moves) with the record's."""
    if "one" not in record:
        assert perft(rules_of(game, record["params"]).initial(), record["depth"]) == record["nodes"]
        return
    position = make_rules(game).from_setup(record["setup"])
    played = _after(game, record)
    for colour in (BLACK, WHITE):
        assert played.forfeit_points(colour) == position.forfeit_points(colour)
    assert played.key() == position.key()
    one, two = {}, {}
    for dice in ROLLS:
        thrown = position.copy()
        thrown.set_dice(*dice)
        moves = thrown.legal_moves()
        roll = f"{dice[0]}{dice[1]}"
        one[roll] = len(moves)
        two[roll] = 0
        for move in moves:
            following = thrown.copy()
            following.play(move)
            if following.is_over:
                continue
            for answer in ROLLS:
                answered = following.copy()
                answered.set_dice(*answer)
                two[roll] += len(answered.legal_moves())
    assert one == record["one"]
    assert two == record["two"]


def _after(game: str, record: Record) -> Position:
    position = make_rules(game).initial(colour_of(game, record["first"]))
    for dice, word in record["after"]:
        position.set_dice(*dice)
        play(position, word)
    return position


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal turns (at least 1) from a position."""
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        following = position.copy()
        following.play(move)
        nodes += perft(following, depth - 1)
    return nodes
