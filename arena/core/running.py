"""A game that is being played, as somebody who watches it sees it: data, its bytes, and its clocks.

A view is complete in itself: moves from the first one on, dice, clocks. Whoever misses one view, or ten, has
lost nothing when the next arrives, so the channel that carries them may drop what it likes.

The bytes come from outside the process that reads them. Nothing in them is trusted: every field is checked
for type and bounds, and whether the moves are legal is for the rules core to say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.rules.registry import make_rules
from arena.words import in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.core.clock import Clock
    from arena.rules.base import Position

MOST_BYTES = 60_000
"""Longest view: ten games of usual length, and well below what a local datagram takes."""

_FORM = "gtparena view 1"
_NAME_CHARACTERS = 300
_WORD_CHARACTERS = 200
_MOST_TURNS = 20_000
_MOST_SIZE = 1000
_SAID_ENTRIES = 8
_SAID_CHARACTERS = 120
_LONGEST_US = 10**15
"""Thirty years: beyond any time control."""


class ViewError(ValueError):
    """Bytes that are no view of a running game; the message says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class ClockFace:
    """One side's clock as it stood when its present or last turn began.

    Attributes:
        control: the time control in its text form.
        main_us: main time left; None when unlimited.
        period_us: time left in the period, or a whole one while main time lasts; None without periods.
        periods: byo-yomi periods left; None in other controls.
        moves: moves to be made in the period or until the refill; None where not counted.
    """

    control: str
    main_us: int | None
    period_us: int | None
    periods: int | None
    moves: int | None


@dataclass(frozen=True, slots=True)
class RunningGame:
    """One moment of a running game.

    Attributes:
        id, attempt: which playing of which game.
        game, size, komi: the rules; komi None in games without and while it is not settled.
        black, white: names of the entries, for the colours now played.
        first: who moves first, BLACK but for games with dice.
        moves: canonical words so far.
        opening_plies: how many of them the referee played.
        dice: the roll of each turn so far, the present one included once it is thrown.
        clocks: Black's and White's; empty before the first turn.
        thinking_us: how long the side to move has been thinking; 0 before the first turn.
        said: what each side's engine last said it thinks, Black's first, as short texts.
        is_over: whether it is being played no more; the moves may lack the last ones.
    """

    id: str
    attempt: int
    game: str
    size: int | None
    komi: int | None
    black: str
    white: str
    first: int
    moves: tuple[str, ...]
    opening_plies: int
    dice: tuple[tuple[int, int], ...] = ()
    clocks: tuple[ClockFace, ...] = ()
    thinking_us: int = 0
    said: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})
    is_over: bool = False


def position_of(game: RunningGame) -> Position:
    """Return the position that a view stands for, with the present roll once it is thrown.

    Raises:
        RulesError: a move or a roll is not what the rules allow.
    """
    rules = make_rules(game.game, size=game.size, komi=game.komi)
    position = rules.initial(game.first)
    for ply in range(len(game.moves) + 1):
        if position.awaits_dice and ply < len(game.dice):
            position.set_dice(*game.dice[ply])
        if ply < len(game.moves):
            position.play(rules.parse_move(game.moves[ply]))
    return position


def clock_face(clock: Clock) -> ClockFace:
    """Return what a clock shows now."""
    return ClockFace(
        clock.control.text, clock.main_left_us, clock.period_left_us, clock.periods_left, clock.moves_left
    )


def short_infos(infos: Mapping[str, Any]) -> dict[str, str]:
    """Return the first few things an engine said of a move, as texts, cut."""
    entries = list(infos.items())[:_SAID_ENTRIES]
    return {str(key)[:_SAID_CHARACTERS]: in_words(value)[:_SAID_CHARACTERS] for key, value in entries}


def view_to_bytes(view: RunningGame) -> bytes | None:
    """Return the bytes of a view, None when it is too long to be sent."""
    data = json.dumps(
        {
            "form": _FORM,
            "id": view.id,
            "attempt": view.attempt,
            "game": view.game,
            "size": view.size,
            "komi": view.komi,
            "names": [view.black, view.white],
            "first": view.first,
            "moves": " ".join(view.moves),
            "opening_plies": view.opening_plies,
            "dice": "".join(f"{first}{second}" for first, second in view.dice),
            "clocks": [[c.control, c.main_us, c.period_us, c.periods, c.moves] for c in view.clocks],
            "thinking_us": view.thinking_us,
            "said": [dict(said) for said in view.said],
            "over": view.is_over,
        },
        separators=(",", ":"),
    ).encode()
    return data if len(data) <= MOST_BYTES else None


def view_from_bytes(data: bytes) -> RunningGame:
    """Return the view that bytes hold.

    Raises:
        ViewError: they hold none.
    """
    if len(data) > MOST_BYTES:
        raise ViewError(f"{len(data)} bytes, at most {MOST_BYTES} were allowed")
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        raise ViewError("not JSON") from None
    if not isinstance(fields, dict) or fields.get("form") != _FORM:
        raise ViewError(f"not of the form {_FORM!r}")
    names = _list(fields, "names", 2, 2)
    said = _list(fields, "said", 2, 2)
    moves = _text(fields.get("moves"), "moves", MOST_BYTES).split()
    if len(moves) > _MOST_TURNS or any(len(word) > _WORD_CHARACTERS for word in moves):
        raise ViewError("more or longer moves than any game has")
    clocks = _list(fields, "clocks", 0, 2)
    if len(clocks) == 1:
        raise ViewError("clocks: one of two is missing")
    return RunningGame(
        id=_text(fields.get("id"), "id", _WORD_CHARACTERS),
        attempt=_whole(fields.get("attempt"), "attempt", 1, 10**9),
        game=_text(fields.get("game"), "game", _WORD_CHARACTERS),
        size=_optional(fields.get("size"), "size", 0, _MOST_SIZE),
        komi=_optional(fields.get("komi"), "komi", -(_MOST_SIZE**2), _MOST_SIZE**2),
        black=_text(names[0], "names", _NAME_CHARACTERS),
        white=_text(names[1], "names", _NAME_CHARACTERS),
        first=_whole(fields.get("first"), "first", 0, 1),
        moves=tuple(moves),
        opening_plies=_whole(fields.get("opening_plies"), "opening_plies", 0, len(moves)),
        dice=_dice(_text(fields.get("dice"), "dice", 2 * _MOST_TURNS)),
        clocks=tuple(_clock(values) for values in clocks),
        thinking_us=_whole(fields.get("thinking_us"), "thinking_us", 0, _LONGEST_US),
        said=(_said(said[0]), _said(said[1])),
        is_over=fields.get("over") is True,
    )


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a clock shows while its side thinks.

    Attributes:
        running_us: time left in what is running now, main time or a period; None when unlimited.
        in_period: whether a period is running.
        periods: byo-yomi periods left, the present one included; None in other controls.
        moves: moves to be made in the period; None where not counted.
    """

    running_us: int | None
    in_period: bool
    periods: int | None
    moves: int | None


def remaining(face: ClockFace, thinking_us: int) -> Remaining:
    """Return what is left after `thinking_us` of the present think; never below 0."""
    if face.main_us is None:
        return Remaining(None, False, None, None)
    left_us = face.main_us - thinking_us
    if face.period_us is None or left_us > 0:
        return Remaining(max(left_us, 0), False, face.periods, face.moves)
    over_us = -left_us
    if face.periods is None:
        return Remaining(max(face.period_us - over_us, 0), True, None, face.moves)
    # As `Clock.charge` counts: a period of which nothing is left is not used up yet.
    used_up = max(0, -(-over_us // face.period_us) - 1) if face.period_us else face.periods
    if used_up >= face.periods:
        return Remaining(0, True, 0, face.moves)
    return Remaining(face.period_us * (used_up + 1) - over_us, True, face.periods - used_up, face.moves)


def _list(fields: Mapping[str, Any], key: str, least: int, most: int) -> list[Any]:
    value = fields.get(key)
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise ViewError(f"{key}: a list of {least} to {most} was expected")
    return value


def _text(value: object, key: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ViewError(f"{key}: a text of at most {most} characters was expected")
    return value


def _whole(value: object, key: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ViewError(f"{key}: a whole number from {least} to {most} was expected")
    return value


def _optional(value: object, key: str, least: int, most: int) -> int | None:
    return None if value is None else _whole(value, key, least, most)


def _dice(text: str) -> tuple[tuple[int, int], ...]:
    if len(text) % 2 or not set(text) <= set("123456"):
        raise ViewError("dice: pairs of digits from 1 to 6 were expected")
    return tuple((int(text[place]), int(text[place + 1])) for place in range(0, len(text), 2))


def _clock(values: object) -> ClockFace:
    if not isinstance(values, list) or len(values) != 5:
        raise ViewError("clocks: a list of five was expected")
    control, main_us, period_us, periods, moves = values
    return ClockFace(
        _text(control, "clocks", _WORD_CHARACTERS),
        _optional(main_us, "clocks", 0, _LONGEST_US),
        _optional(period_us, "clocks", 0, _LONGEST_US),
        _optional(periods, "clocks", 0, _MOST_TURNS),
        _optional(moves, "clocks", 0, _MOST_TURNS),
    )


def _said(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > _SAID_ENTRIES:
        raise ViewError("said: a few named texts were expected")
    return {key: _text(words, "said", _SAID_CHARACTERS) for key, words in value.items()}
