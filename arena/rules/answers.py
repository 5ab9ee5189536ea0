"""Questions on the rules, one JSON object in and one out: what `arena rules` and other programs ask.

A question names a game, a starting point (`params` or `setup`) and the moves played from there; the answer
says what may be played next or how the game ended. The form is the contract of the interfaces document. No
text whatever makes `answer` raise: what is wrong comes back as `{"error": why, "at": index or null}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    Position,
    QuestionError,
    RulesError,
    colour_name,
)
from arena.rules.checks import check_choice, check_keys, check_object, check_whole, shown
from arena.rules.registry import make_rules, rules_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.rules.base import Outcome, Rules

_COLOURS = {colour_name(BLACK): BLACK, colour_name(WHITE): WHITE}


class _MoveRefusedError(Exception):
    """A move of the question is refused: why, and which one, from 0."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why)
        self.at = at


def answer(line: str) -> str:
    """Return the answer to one question, both JSON in one line; the answer is ASCII and has no line end."""
    try:
        position = _position_asked_for(_read(line))
        reply = _described(position)
    except _MoveRefusedError as error:
        reply = {"error": str(error), "at": error.at}
    except RulesError as error:
        reply = {"error": str(error), "at": None}
    return json.dumps(reply)


def refused(why: str) -> str:
    """Return the answer to what is no question at all."""
    return json.dumps({"error": why, "at": None})


# --- Reading the question ---------------------------------------------------------------------------


def _read(line: str) -> Mapping[str, Any]:
    try:
        question = json.loads(line, object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise QuestionError(f"the line is no JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise QuestionError("the line is nested too deeply") from error
    except ValueError as error:
        # Python reads no whole number of more than 4300 digits.
        raise QuestionError("the line holds a number too long to read") from error
    return check_object(question, "the question")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise QuestionError(f"the key {shown(key)} stands twice in one object")
        made[key] = value
    return made


def _no_number(word: str) -> NoReturn:
    raise QuestionError(f"{word} is no number of JSON")


def _position_asked_for(question: Mapping[str, Any]) -> Position:
    if "game" not in question:
        raise QuestionError("the question has no game")
    game = question["game"]
    if not isinstance(game, str):
        raise QuestionError(f"game must be text, not {shown(game)}")
    has_dice = rules_class(game).has_dice
    record = ("turns", "dice") if has_dice else ("moves",)
    check_keys(question, ("game", "params", "setup", *record), "the question")
    if "params" in question and "setup" in question:
        raise QuestionError("a question has params or setup, not both")
    if "setup" in question:
        position = make_rules(game).from_setup(check_object(question["setup"], "setup"))
    else:
        position = _started(game, check_object(question.get("params", {}), "params"))
    if has_dice:
        _play_turns(position, question.get("turns", []))
        if "dice" in question:
            _throw(position, question["dice"], "dice")
    else:
        _play_moves(position, question.get("moves", []))
    return position


def _started(game: str, params: Mapping[str, Any]) -> Position:
    kind = rules_class(game)
    known = {"size": bool(kind.sizes), "komi": kind.has_komi, "first": kind.has_dice}
    check_keys(params, [key for key, is_known in known.items() if is_known], "params")
    rules: Rules = make_rules(
        game, **{key: _setting(params[key], key) for key in ("size", "komi") if key in params}
    )
    return rules.initial(_COLOURS[check_choice(params.get("first", "black"), _COLOURS, "params first")])


def _setting(value: object, key: str) -> int:
    """Return a setting that is a whole number at all; whether the game has it is for the game to say."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise QuestionError(f"params {key} must be a whole number, not {shown(value)}")
    return value


# --- Playing ----------------------------------------------------------------------------------------


def _play_moves(position: Position, moves: object) -> None:
    if not isinstance(moves, list):
        raise QuestionError(f"moves must be a list, not {shown(moves)}")
    for index, word in enumerate(moves):
        if not isinstance(word, str):
            raise QuestionError(f"moves[{index}] must be text, not {shown(word)}")
    for index, word in enumerate(moves):
        _play(position, word, index)


def _play_turns(position: Position, turns: object) -> None:
    if not isinstance(turns, list):
        raise QuestionError(f"turns must be a list, not {shown(turns)}")
    for index, item in enumerate(turns):
        turn = check_object(item, f"turns[{index}]")
        check_keys(turn, ("dice", "move"), f"turns[{index}]")
        if not isinstance(turn.get("move"), str):
            raise QuestionError(f"turns[{index}] has no move, or one that is not text")
        _check_dice(turn.get("dice"), f"turns[{index}] dice")
    for index, turn in enumerate(turns):
        if position.is_over:
            raise _MoveRefusedError("the game is over", index)
        _throw(position, turn["dice"], f"turns[{index}] dice")
        _play(position, turn["move"], index)


def _play(position: Position, word: str, index: int) -> None:
    try:
        position.play(position.rules.parse_move(word))
    except (IllegalMoveError, MalformedMoveError) as error:
        raise _MoveRefusedError(str(error), index) from error


def _check_dice(dice: object, where: str) -> tuple[int, int]:
    if not isinstance(dice, list) or len(dice) != 2:
        raise QuestionError(f"{where} must be a list of two numbers from 1 to 6, not {shown(dice)}")
    return check_whole(dice[0], 1, 6, where), check_whole(dice[1], 1, 6, where)


def _throw(position: Position, dice: object, where: str) -> None:
    """Give a roll; where the position already has one (a set-up with dice), it must be the same."""
    first, second = _check_dice(dice, where)
    if position.is_over:
        raise QuestionError(f"{where}: the game is over, no roll is due")
    if position.awaits_dice:
        position.set_dice(first, second)
    elif position.dice is None or sorted(position.dice) != sorted((first, second)):
        raise QuestionError(f"{where}: the position already has the roll {position.dice}")


# --- Writing the answer -----------------------------------------------------------------------------


def _described(position: Position) -> dict[str, Any]:
    reply: dict[str, Any] = {
        "to_move": colour_name(position.to_move),
        "legal": [position.rules.format_move(move) for move in position.legal_moves()],
        "over": position.is_over,
        "result": _result(position.outcome()) if position.is_over else None,
        "diagram": position.diagram(),
    }
    kind = type(position)
    if kind.captured is not Position.captured:
        reply["captured"] = [position.rules.format_move(point) for point in position.captured]
    if kind.announcement is not Position.announcement:
        reply["announce"] = position.announcement
    return reply


def _result(outcome: Outcome) -> dict[str, Any]:
    return {
        "winner": "draw" if outcome.winner is None else colour_name(outcome.winner),
        "reason": outcome.reasons[0],
        "reasons": list(outcome.reasons),
        "board_margin": outcome.board_margin,
        "final_margin": outcome.final_margin,
        "points": outcome.points,
    }
