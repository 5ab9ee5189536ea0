"""One game as JSON object or CSV row, under the keys of the contract: always all of them."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from arena.core.event import IMPORTED
from arena.core.schedule import discipline_of
from arena.core.terms import TermsOfEvent
from arena.rules.base import QuestionError, colour_name
from arena.rules.registry import rules_class
from reports.printable import spreadsheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arena.core.clock import TimeControl
    from arena.core.event import Event
    from arena.core.record import EngineIdentity, GameRecord

KEYS = (
    "id",
    "pair",
    "round",
    "game",
    "size",
    "komi",
    "black",
    "white",
    "winner",
    "result",
    "reason",
    "reasons",
    "at_fault",
    "board_margin",
    "final_margin",
    "points",
    "decided_by",
    "deciding_group",
    "button",
    "proposer",
    "komi_offered",
    "side_chosen",
    "plies",
    "opening_plies",
    "moves",
    "fault_move",
    "dice",
    "opening_roll",
    "announcements",
    "time_ms",
    "fault_ms",
    "opening",
    "seed",
    "started",
    "ended",
    "attempt",
    "engine_versions",
    "discipline",
    "time_controls",
    "engine_options",
)
"""Keys of a game, in the order of the contract."""

_ANNOUNCED = frozenset({"pente"})
"""Games with calls, which have a list of them also when nothing was called."""


class Circumstances:
    """What the event says of its games beside their records: clocks, and the settings engines were given."""

    def __init__(self, event: Event) -> None:
        self._terms = TermsOfEvent(event)
        self._places = {engine.name: place for place, engine in enumerate(event.engines)}
        self._engines = event.engines
        self._is_imported = event.format == IMPORTED
        self._disciplines = [each.name for each in event.all_disciplines]

    def controls(self, record: GameRecord) -> tuple[TimeControl, TimeControl] | None:
        """Return the time controls of Black and White; None when the event has no such game."""
        if self._is_imported:
            return None
        discipline = discipline_of(record.id)
        black, white = (self._places.get(side.name) for side in (record.black, record.white))
        if black is None or white is None or discipline not in self._disciplines:
            return None
        controls = self._terms.of(self._disciplines.index(discipline), black, white).controls
        return controls[black], controls[white]

    def options(self, record: GameRecord) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the options that the entries of Black and White set."""
        black, white = (self._options(side.name) for side in (record.black, record.white))
        return black, white

    def _options(self, name: str) -> Mapping[str, str]:
        place = self._places.get(name)
        return {} if place is None else dict(self._engines[place].options)


def game_object(record: GameRecord, circumstances: Circumstances | None = None) -> dict[str, Any]:
    """Return a game as a JSON-ready object.

    Times are milliseconds with at most three decimals. What a game does not have is null: `dice` and
    `opening_roll` without dice, `announcements` where nothing is ever announced.

    Args:
        record: the game.
        circumstances: of its event; None: time controls and options are null.
    """
    controls = circumstances.controls(record) if circumstances else None
    clocks = None if controls is None else {"black": controls[0].text, "white": controls[1].text}
    options = circumstances.options(record) if circumstances else None
    verdict, pie = record.verdict, record.pie
    is_announced = record.game in _ANNOUNCED or any(record.announcements)
    has_dice = bool(record.opening_roll) or _has_dice(record.game)
    board = verdict.outcome
    values = (
        record.id,
        record.pair,
        record.round,
        record.game,
        record.size,
        record.komi,
        record.black.name,
        record.white.name,
        verdict.winner_word,
        verdict.result,
        verdict.reason,
        list(verdict.reasons),
        _colour(verdict.at_fault),
        board.board_margin if board else None,
        board.final_margin if board else None,
        verdict.points,
        board.decided_by if board else None,
        board.deciding_group if board else None,
        _colour(board.button) if board else None,
        _colour(pie.proposer) if pie else None,
        pie.komi_offered if pie else None,
        _colour(pie.side_chosen) if pie else None,
        len(record.moves),
        record.opening_plies,
        list(record.moves),
        record.fault_move,
        [list(roll) for roll in record.dice] if has_dice else None,
        [list(throw) for throw in record.opening_roll] if has_dice else None,
        list(record.announcements) if is_announced else None,
        [_milliseconds(time) for time in record.time_us],
        _milliseconds(record.fault_us),
        record.opening,
        record.seed,
        record.started,
        record.ended,
        record.attempt,
        {"black": _version(record.black), "white": _version(record.white)},
        discipline_of(record.id) or None,
        clocks,
        None if options is None else dict(zip(("black", "white"), options, strict=True)),
    )
    return dict(zip(KEYS, values, strict=True))


def json_line(record: GameRecord, circumstances: Circumstances | None = None) -> str:
    """Return a game as one line of JSON, ASCII, without the line end.

    The keys of the contract, and `infos`: what was said with each move, null where nothing ever was.
    """
    return json.dumps(
        {**game_object(record, circumstances), "infos": infos_of(record)}, separators=(",", ":")
    )


def infos_of(record: GameRecord) -> list[dict[str, Any]] | None:
    """Return what an engine said with each move, None where nothing was said in the whole game."""
    return [dict(info) for info in record.infos] if any(record.infos) else None


def csv_row(record: GameRecord, circumstances: Circumstances | None = None) -> list[str | int | float | None]:
    """Return a game as the cells under `KEYS`.

    Lists are joined by blanks (`E5 D4`; dice `6-5 3-1`; a missing item is `.`), an object is JSON, null is an
    empty cell.
    """
    return [_cell(value) for value in game_object(record, circumstances).values()]


@cache
def _has_dice(game: str) -> bool:
    """Say whether a game has dice; that of a plugin not installed here counts as one without."""
    try:
        return rules_class(game).has_dice
    except QuestionError:
        return False


def _cell(value: Any) -> str | int | float | None:
    match value:
        case str():
            return spreadsheet(value)
        case list():
            return spreadsheet(" ".join(_word(item) for item in value))
        case dict():
            return json.dumps(value)
        case None | int() | float():
            return value
        case _:
            raise TypeError(f"no value of a game: {value!r}")


def _word(item: Any) -> str:
    if item is None:
        return "."
    return _joined(item) if isinstance(item, list) else str(item)


def _joined(numbers: Iterable[int]) -> str:
    return "-".join(str(number) for number in numbers)


def _colour(colour: int | None) -> str | None:
    return None if colour is None else colour_name(colour)


def _milliseconds(us: int | None) -> float | None:
    if us is None:
        return None
    return us // 1000 if us % 1000 == 0 else us / 1000


def _version(identity: EngineIdentity) -> str:
    return f"{identity.reported_name} {identity.reported_version}".strip()
