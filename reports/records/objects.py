"""One game as an object of JSON values and back: what all forms of records are made of.

Reading believes only what the rules cannot tell. Moves are played again; the final position, the margins and,
for a game that ended on the board, the verdict are computed; `arena.core.verify` judges the rest.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.verdict import Reason, Verdict, by_outcome, void
from arena.core.verify import check_record
from arena.rules.base import BLACK, WHITE, RulesError
from arena.rules.registry import make_rules
from reports.export import game_object, infos_of
from reports.positions import starter_of, throw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.rules.base import Outcome

TEXT_CHARACTERS = 1000
"""Longest name, opening, result or the like that is read."""

MOST_TURNS = 100_000
"""Longest game that is read."""

INFO_CHARACTERS = 4000
"""Most that is read of what an engine said about one move, as JSON."""

_COLOURS = {"black": BLACK, "white": WHITE}
_WORDS = frozenset(Reason)


class RecordError(Exception):
    """A record that cannot be read; the message names the place and says what was expected."""


def object_of(record: GameRecord) -> dict[str, Any]:
    """Return a game under the keys of the contract, and `infos` where an engine said something."""
    made = game_object(record)
    infos = infos_of(record)
    return made if infos is None else {**made, "infos": infos}


def record_of(given: object, where: str, ordinal: int) -> GameRecord:
    """Return the record that an object describes, checked against the rules.

    Args:
        given: an object of JSON values. `game`, `black`, `white` and `moves` must be there; what else is
            missing takes what a game without it has.
        where: the place in the file, for messages.
        ordinal: the game's place in its event.

    Raises:
        RecordError: a key is missing, of a wrong type, or contradicts the rules.
    """
    if not isinstance(given, dict):
        raise RecordError(f"{where}: a game is an object, not {_cut(given)}")
    fields = _Fields(given, where)
    moves = fields.words("moves")
    record = _as_stated(fields, moves, ordinal)
    record = _played(record, fields, where)
    problems = check_record(record, None, None, "independent")
    if problems:
        raise RecordError(f"{where}: {problems[0]}")
    return record


# --- The fields -------------------------------------------------------------------------------------


class _Fields:
    """The keys of an object, each asked for by type."""

    def __init__(self, given: Mapping[str, Any], where: str) -> None:
        self.given = given
        self.where = where

    def wrong(self, key: str, expected: str) -> RecordError:
        if self.given.get(key) is None:
            return RecordError(f"{self.where}: {key} is missing: expected {expected}")
        return RecordError(f"{self.where}: {key} must be {expected}, not {_cut(self.given[key])}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.given.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or len(value) > TEXT_CHARACTERS:
            raise self.wrong(key, f"text of at most {TEXT_CHARACTERS} characters")
        return value

    def label(self, key: str, default: str | None = None) -> str:
        """Return a text of ours, printable as all names and ids are: nothing that a terminal would act on."""
        value = self.text(key, default)
        if not value.isprintable():
            raise self.wrong(key, "printable text")
        return value

    def name(self, key: str) -> str:
        value = self.label(key)
        if not value.strip():
            raise self.wrong(key, "a name")
        return value

    def whole(self, key: str, low: int = 0, high: int = 2**63 - 1) -> int | None:
        value = self.given.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong(key, f"a whole number from {low} to {high}")
        return value

    def number(self, key: str) -> float | None:
        value = self.given.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
            raise self.wrong(key, "a time in milliseconds")
        return value

    def colour(self, key: str) -> int | None:
        value = self.given.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or value not in _COLOURS:
            raise self.wrong(key, "`black`, `white` or null")
        return _COLOURS[value]

    def items(self, key: str) -> list[Any]:
        value = self.given.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > MOST_TURNS:
            raise self.wrong(key, f"a list of at most {MOST_TURNS} items")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        if self.given.get(key) is None:
            raise self.wrong(key, "a list of moves")
        found = self.items(key)
        if not all(
            isinstance(word, str) and word and len(word) <= 60 and not set(word) & set(" \t\n\r")
            for word in found
        ):
            raise self.wrong(key, "a list of moves, words without blanks")
        return tuple(found)

    def times_us(self, key: str, length: int) -> tuple[int | None, ...]:
        found = self.items(key)
        if not found:
            return ()
        if len(found) != length:
            raise RecordError(f"{self.where}: {key} has {len(found)} items for {length} moves")
        good = all(
            time is None
            or (not isinstance(time, bool) and isinstance(time, (int, float)) and 0 <= time < 1e12)
            for time in found
        )
        if not good:
            raise self.wrong(key, "a list of times in milliseconds, or null")
        return tuple(None if time is None else round(time * 1000) for time in found)

    def rolls(self, key: str) -> tuple[tuple[int, int], ...]:
        found = self.items(key)
        for roll in found:
            good = (
                isinstance(roll, list)
                and len(roll) == 2
                and all(type(die) is int and 1 <= die <= 6 for die in roll)
            )
            if not good:
                raise self.wrong(key, "a list of pairs of dice from 1 to 6")
        return tuple((roll[0], roll[1]) for roll in found)

    def infos(self, length: int) -> tuple[dict[str, Any], ...]:
        found = self.items("infos")
        if not found:
            return ()
        if len(found) != length or not all(isinstance(info, dict) for info in found):
            raise self.wrong("infos", "a list of objects, one for each move")
        if any(len(str(info)) > INFO_CHARACTERS for info in found):
            raise RecordError(
                f"{self.where}: infos holds more than {INFO_CHARACTERS} characters for one move"
            )
        return tuple(found)


def _as_stated(fields: _Fields, moves: tuple[str, ...], ordinal: int) -> GameRecord:
    """Return the record as the object states it, without verdict and final position."""
    game_id = fields.label("id", f"game-{ordinal + 1}")
    opening_plies = fields.whole("opening_plies", 0, len(moves)) or 0
    times = fields.times_us("time_ms", len(moves))
    if not times:
        times = tuple(None if ply < opening_plies else 0 for ply in range(len(moves)))
    versions = fields.given.get("engine_versions")
    said = _Fields(versions if isinstance(versions, dict) else {}, f"{fields.where}: engine_versions")
    proposer = fields.colour("proposer")
    pie = None
    if proposer is not None or fields.given.get("komi_offered") is not None:
        pie = Pie(
            BLACK if proposer is None else proposer,
            fields.whole("komi_offered", -(10**9), 10**9),
            fields.colour("side_chosen"),
        )
    fault_ms = fields.number("fault_ms")
    announced = fields.items("announcements")
    if not all(call in (None, "three", "four") for call in announced):
        raise fields.wrong("announcements", "a list of `three`, `four` and null")
    return GameRecord(
        id=game_id,
        ordinal=ordinal,
        round=fields.whole("round", 0, 10**9) or 1,
        pair=fields.label("pair", game_id),
        game=fields.text("game"),
        size=fields.whole("size", 1, 100),
        seed=fields.whole("seed", 0, 2**64 - 1) or 0,
        attempt=fields.whole("attempt", 1, 10**6) or 1,
        komi=fields.whole("komi", -(10**9), 10**9),
        black=EngineIdentity(fields.name("black"), said.text("black", "")),
        white=EngineIdentity(fields.name("white"), said.text("white", "")),
        verdict=void(Reason.ANNULLED),
        moves=moves,
        opening_plies=opening_plies,
        opening=fields.label("opening", ""),
        time_us=times,
        started=fields.label("started", ""),
        ended=fields.label("ended", ""),
        infos=fields.infos(len(moves)),
        announcements=tuple(announced),
        dice=fields.rolls("dice"),
        opening_roll=fields.rolls("opening_roll"),
        fault_move=fields.given.get("fault_move") and fields.text("fault_move"),
        fault_us=None if fault_ms is None else round(fault_ms * 1000),
        pie=pie,
    )


# --- What the rules say -----------------------------------------------------------------------------


def _played(record: GameRecord, fields: _Fields, where: str) -> GameRecord:
    """Return the record with its final position, calls and verdict, and its moves in canonical form."""
    moves: list[str] = []
    calls: list[str | None] = []
    at = ""
    try:
        rules = make_rules(record.game, size=record.size, komi=record.komi)
        if rules.sizes and record.size is None:
            record = dataclasses.replace(record, size=rules.size)
        if rules.has_komi and record.komi is None and record.moves:
            record = dataclasses.replace(record, komi=rules.komi)
        if rules.has_dice and record.moves and not record.opening_roll:
            raise RecordError(f"{where}: opening_roll is missing: it says who starts")
        position = rules.initial(starter_of(record))
        throw(record, position, 0)
        for ply, word in enumerate(record.moves, start=1):
            at = f"move {ply} ({_cut(word)}): "
            move = position.canonical(rules.parse_move(word))
            moves.append(rules.format_move(move))
            position.play(move)
            calls.append(position.announcement)
            throw(record, position, ply)
    except RulesError as error:
        raise RecordError(f"{where}: {at}{error}") from error
    outcome = position.outcome() if position.is_over else None
    return dataclasses.replace(
        record,
        moves=tuple(moves),
        announcements=record.announcements or (tuple(calls) if any(calls) else ()),
        verdict=_verdict(fields, outcome, where),
        final_position=position.key(),
    )


def _verdict(fields: _Fields, outcome: Outcome | None, where: str) -> Verdict:
    """Return the verdict that is stated; one that the board gives must agree with it."""
    stated = fields.items("reasons") or [fields.given.get("reason")]
    result = fields.text("result", "")
    if stated[0] == Reason.ANNULLED:
        return void(Reason.ANNULLED)
    if outcome is not None:
        verdict = by_outcome(outcome)
        if result and result != verdict.result:
            raise RecordError(f"{where}: result is {_cut(result)}, the moves give {verdict.result}")
        return verdict
    if stated[0] is None:
        raise RecordError(f"{where}: the moves do not end the game, and no reason is given for its end")
    if not all(isinstance(word, str) and word in _WORDS for word in stated) or len(stated) > len(_WORDS):
        raise fields.wrong("reasons" if fields.items("reasons") else "reason", "a reason that games end by")
    words = {"black": BLACK, "white": WHITE, "draw": None}
    winner = fields.given.get("winner")
    if winner is not None and (not isinstance(winner, str) or winner not in words):
        raise fields.wrong("winner", "`black`, `white`, `draw` or null")
    return Verdict(
        winner=None if winner is None else words[winner],
        reasons=tuple(Reason(word) for word in stated),
        result=result,
        at_fault=fields.colour("at_fault"),
        points=fields.whole("points", 0, 2),
    )


def check_unique(records: Sequence[GameRecord]) -> None:
    """Refuse two games of one id.

    Raises:
        RecordError: there are such.
    """
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise RecordError(f"two games have the id {_cut(record.id)}: give new ones with --renumber")
        seen.add(record.id)


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
