"""A `GameRecord` as database columns and back, loss-free. No SQL here, only values.

Packing: moves are text (canonical words joined by blanks); times are variable-length integers; a roll of two
dice is one byte whose hexadecimal digits are the dice; instants are milliseconds since 1970; what few games
have (engine `info`, evidence, pie, details of the outcome) is one JSON object, compressed where that pays.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from arena.core.packed import PackedParts, TimeUse
from arena.core.record import Adjudged, EngineIdentity, Evidence, GameRecord, Pie
from arena.core.seal import record_seal
from arena.core.verdict import Reason, Verdict, void
from arena.rules import BLACK, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DRAW = 2
"""In the column `winner`, beside BLACK (0), WHITE (1) and NULL for nobody."""

COMPRESSED_FROM_BYTES = 200
"""Shorter JSON is kept as it is: compression would save less than its own header costs in time."""

Rolls = tuple[tuple[int, int], ...]


def winner_code(verdict: Verdict) -> int | None:
    """Return the column `winner`: BLACK, WHITE, `DRAW`, or None for nobody."""
    return DRAW if verdict.is_draw else verdict.winner


def pack_words(words: Sequence[str]) -> str:
    """Join moves by blanks.

    Raises:
        ValueError: a word that is empty or holds white space, which no canonical move does.
    """
    text = " ".join(words)
    if len(text.split()) != len(words) or text.split() != list(words):
        raise ValueError(f"a move is one word without blanks; got {words!r:.200}")
    return text


def unpack_words(text: str) -> tuple[str, ...]:
    """Undo `pack_words`."""
    return tuple(text.split(" ")) if text else ()


def pack_times(times: Sequence[int | None]) -> bytes:
    """Pack times as LEB128 integers, one more than the microseconds; 0 stands for None (opening plies).

    Raises:
        ValueError: a negative time.
    """
    packed = bytearray()
    for time in times:
        left = 0 if time is None else time + 1
        if left < 0 or (left == 0 and time is not None):
            raise ValueError(f"a time is not negative; got {time}")
        while left > 0x7F:
            packed.append(left & 0x7F | 0x80)
            left >>= 7
        packed.append(left)
    return bytes(packed)


def unpack_times(packed: bytes) -> tuple[int | None, ...]:
    """Undo `pack_times`."""
    times: list[int | None] = []
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            times.append(value - 1 if value else None)
            value = shift = 0
    return tuple(times)


def pack_rolls(rolls: Rolls) -> bytes | None:
    """Pack rolls into a byte each, `0x65` for 6 and 5; None when there are none.

    Raises:
        ValueError: a die outside 0 to 15.
    """
    if any(not 0 <= die <= 15 for roll in rolls for die in roll):
        raise ValueError(f"dice out of range: {rolls!r:.200}")
    return bytes(16 * first + second for first, second in rolls) or None


def unpack_rolls(packed: bytes | None) -> Rolls:
    """Undo `pack_rolls`."""
    return tuple((byte >> 4, byte & 15) for byte in packed or b"")


def pack_instant(text: str) -> int | str:
    """Return milliseconds since 1970 for `2026-01-31T12:00:00.123Z`, any other text unchanged."""
    try:
        instant = datetime.fromisoformat(text)
        milliseconds = round(instant.timestamp() * 1000)
    except (ValueError, OverflowError):
        return text
    return milliseconds if unpack_instant(milliseconds) == text else text


def unpack_instant(stored: int | str) -> str:
    """Undo `pack_instant`."""
    if isinstance(stored, str):
        return stored
    seconds, milliseconds = divmod(stored, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"


def pack_seed(seed: int) -> int:
    """Return a 64-bit seed as the signed integer that SQLite keeps."""
    return seed - 2**64 if seed >= 2**63 else seed


def unpack_seed(stored: int) -> int:
    """Undo `pack_seed`."""
    return stored % 2**64


def moves_hash(moves: str, dice: bytes | None, throws: bytes | None) -> int:
    """Return 64 bits that tell two different games apart: over moves and dice, as a signed integer."""
    digest = blake2b(moves.encode(), digest_size=8, key=b"moves")
    digest.update(b"\0" + (dice or b"") + b"\0" + (throws or b""))
    return int.from_bytes(digest.digest(), "big", signed=True)


def time_use(record: GameRecord) -> tuple[TimeUse, TimeUse]:
    """Return Black's and White's use of time, the turn that failed included."""
    # Turns alternate in every game; with dice the higher one of the last throw began (rules.md, Plakoto).
    first = BLACK
    if record.opening_roll and record.opening_roll[-1][0] < record.opening_roll[-1][1]:
        first = 1 - BLACK
    own = [
        [time for time in record.time_us[(colour - first) % 2 :: 2] if time is not None] for colour in (0, 1)
    ]
    moves = [len(times) for times in own]
    if record.fault_us is not None and record.verdict.at_fault is not None:
        own[record.verdict.at_fault].append(record.fault_us)
    black, white = (
        TimeUse(count, sum(times), max(times, default=0)) for count, times in zip(moves, own, strict=True)
    )
    return black, white


def pack_more(record: GameRecord) -> bytes | None:
    """Pack what most games do not have; None when there is nothing."""
    tree: dict[str, Any] = {}
    if len(record.verdict.reasons) > 1:
        tree["reasons"] = list(record.verdict.reasons)
    if record.verdict.outcome is not None:
        tree["outcome"] = _outcome_tree(record.verdict.outcome, record.verdict)
    for name, sequence in (("infos", record.infos), ("announcements", record.announcements)):
        if sequence:
            if len(sequence) != len(record.moves):
                raise ValueError(f"{record.id}: {len(sequence)} {name} for {len(record.moves)} moves")
            tree[name] = {str(ply): said for ply, said in enumerate(sequence) if said}
    if record.evidence:
        tree["evidence"] = {str(side): dataclasses.asdict(kept) for side, kept in record.evidence.items()}
    if record.pie is not None:
        tree["pie"] = dataclasses.asdict(record.pie)
    if record.adjudged is not None:
        tree["adjudged"] = dataclasses.asdict(record.adjudged)
    if record.warnings:
        tree["warnings"] = {str(side): list(words) for side, words in record.warnings.items()}
    for name in ("fault_move", "fault_us"):
        if getattr(record, name) is not None:
            tree[name] = getattr(record, name)
    if record.log:
        tree["log"] = record.log
    if not tree:
        return None
    text = json.dumps(tree, separators=(",", ":")).encode()
    return text if len(text) < COMPRESSED_FROM_BYTES else zlib.compress(text)


def unpack_more(packed: bytes | None) -> dict[str, Any]:
    """Undo the packing of `pack_more`, to a tree of JSON values.

    Raises:
        ValueError: the bytes are damaged.
    """
    if packed is None:
        return {}
    try:
        tree = json.loads(packed if packed.startswith(b"{") else zlib.decompress(packed))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not isinstance(tree, dict):
        raise TypeError("no object")
    return tree


def pack(record: GameRecord) -> PackedParts:
    """Work out everything that a store keeps of a record beside its plain values.

    Raises:
        ValueError: a record whose parts do not fit together (a fault of the program).
    """
    if len(record.time_us) != len(record.moves):
        raise ValueError(f"{record.id}: {len(record.time_us)} times for {len(record.moves)} moves")
    moves, dice, throws = pack_words(record.moves), pack_rolls(record.dice), pack_rolls(record.opening_roll)
    return PackedParts(
        moves,
        pack_times(record.time_us),
        dice,
        throws,
        moves_hash(moves, dice, throws),
        time_use(record),
        pack_instant(record.started),
        pack_instant(record.ended),
        pack_more(record),
        record_seal(record),
    )


def _outcome_tree(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    """Return the fields of an outcome that are neither columns nor the same as the verdict's."""
    tree: dict[str, Any] = {}
    for name in ("winner", "result", "points"):
        if getattr(outcome, name) != getattr(verdict, name):
            tree[name] = getattr(outcome, name)
    if outcome.reasons != verdict.reasons:
        tree["reasons"] = list(outcome.reasons)
    for name in ("decided_by", "deciding_group", "button"):
        if getattr(outcome, name) is not None:
            tree[name] = getattr(outcome, name)
    if outcome.details:
        tree["details"] = dict(outcome.details)
    return tree


def verdict_tree(verdict: Verdict) -> dict[str, Any]:
    """Return a whole verdict as JSON values, for the audit trail."""
    return dataclasses.asdict(verdict)


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One row of `game` joined with `playing`, names resolved; field names as the columns."""

    id: str
    attempt: int
    ordinal: int
    round: int
    pair: str
    game: str
    size: int | None
    komi: int | None
    winner: int | None
    reason: str
    result: str
    at_fault: int | None
    points: int | None
    board_margin: float | None
    final_margin: float | None
    opening_plies: int
    black_idle_us: int
    white_idle_us: int
    lag_us: int
    moves: str
    times: bytes
    seed: int
    opening: str
    started: int | str
    ended: int | str
    dice: bytes | None
    throws: bytes | None
    final_position: str
    more: bytes | None


def record_of(row: StoredRow, black: EngineIdentity, white: EngineIdentity) -> GameRecord:
    """Return the record that a row holds.

    Raises:
        ValueError, TypeError, KeyError: the row is damaged.
    """
    more = unpack_more(row.more)
    moves = unpack_words(row.moves)
    return GameRecord(
        id=row.id,
        ordinal=row.ordinal,
        round=row.round,
        pair=row.pair,
        game=row.game,
        size=row.size,
        seed=unpack_seed(row.seed),
        attempt=row.attempt,
        komi=row.komi,
        black=black,
        white=white,
        verdict=_verdict(row, more),
        moves=moves,
        opening_plies=row.opening_plies,
        opening=row.opening,
        time_us=unpack_times(row.times),
        started=unpack_instant(row.started),
        ended=unpack_instant(row.ended),
        infos=_sequence(more, "infos", len(moves), {}),
        announcements=_sequence(more, "announcements", len(moves), None),
        dice=unpack_rolls(row.dice),
        opening_roll=unpack_rolls(row.throws),
        fault_move=more.get("fault_move"),
        fault_us=more.get("fault_us"),
        evidence={int(side): _evidence(tree) for side, tree in more.get("evidence", {}).items()},
        pie=Pie(**more["pie"]) if "pie" in more else None,
        final_position=row.final_position,
        adjudged=_adjudged(more["adjudged"]) if "adjudged" in more else None,
        warnings={int(side): tuple(words) for side, words in more.get("warnings", {}).items()},
        log=more.get("log", ""),
        idle_us=(row.black_idle_us, row.white_idle_us),
        lag_us=row.lag_us,
    )


def _verdict(row: StoredRow, more: Mapping[str, Any]) -> Verdict:
    if row.reason == Reason.ANNULLED:
        # What the game was before stands in the audit trail; `more` still describes that.
        return void(Reason.ANNULLED)
    winner = None if row.winner == DRAW else row.winner
    reasons = tuple(more.get("reasons", (row.reason,)))
    outcome = None
    if "outcome" in more:
        tree: dict[str, Any] = {
            "winner": winner,
            "reasons": reasons,
            "result": row.result,
            "points": row.points,
            "board_margin": row.board_margin,
            "final_margin": row.final_margin,
            **more["outcome"],
        }
        outcome = Outcome(**{**tree, "reasons": tuple(tree["reasons"])})
    return Verdict(winner, (row.reason, *reasons[1:]), row.result, row.at_fault, row.points, outcome)


def _sequence(more: Mapping[str, Any], name: str, length: int, empty: Any) -> tuple[Any, ...]:
    """Spread what was said at some plies over all of them; empty when the record had no such sequence."""
    if name not in more:
        return ()
    return tuple(more[name].get(str(ply), empty) for ply in range(length))


def _adjudged(tree: Mapping[str, Any]) -> Adjudged:
    return Adjudged(**{**tree, "line": tuple(tree["line"])})


def _evidence(tree: Mapping[str, Any]) -> Evidence:
    return Evidence(**{**tree, "exchange": tuple(tree["exchange"])})
