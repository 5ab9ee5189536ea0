"""A checksum of a record that says at which ply it was altered.

A replay alone cannot find every alteration: in Pletore another stone may lead, by later flips, to the same
final position, and a move that is altered often shows only where a later one has become illegal. So a store
keeps with each record a seal: 16 bytes over everything that `arena.core.verify` judges, then one byte a ply
that depends on this ply and all before it. The first byte that differs names the ply.

A seal tells of damage and of careless hands. It is no signature: whoever knows this file can make a new one.
"""

from __future__ import annotations

import hashlib
import json
from itertools import chain, repeat
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from arena.core.record import GameRecord

_DIGEST_BYTES = 16


def record_seal(record: GameRecord) -> bytes:
    """Return the seal of a record: `_DIGEST_BYTES` over the whole, then a byte for each ply."""
    plies = _plies(record)
    frame = json.dumps(_frame(record), separators=(",", ":")).encode()
    digest = hashlib.sha256(b"".join((frame, *plies))).digest()[:_DIGEST_BYTES]
    running = 0
    trail = bytearray()
    for ply in plies:
        running = crc32(ply, running)
        trail.append(running & 0xFF)
    return digest + bytes(trail)


def altered_ply(record: GameRecord, seal: bytes) -> int | None:
    """Compare a record with the seal that was made of it.

    Returns:
        None when they agree, else the ply, from 1, that was altered first; 0 when every ply agrees and it is
        something else: players, settings, the verdict or the margins. (One altered ply in 256 goes by
        unnoticed until the next.)
    """
    fresh = record_seal(record)
    if fresh == seal:
        return None
    then, now = seal[_DIGEST_BYTES:], fresh[_DIGEST_BYTES:]
    if then == now:
        return 0
    differing = (ply for ply, (one, other) in enumerate(zip(then, now, strict=False)) if one != other)
    return 1 + next(differing, min(len(then), len(now)))


def _plies(record: GameRecord) -> list[bytes]:
    """Return what there is of each ply; what a game does not have is None in all of them."""
    sequences = (record.moves, record.dice, record.announcements, record.time_us)
    plies = max(len(record.moves), len(record.dice))
    padded = (chain(sequence, repeat(None, plies - len(sequence))) for sequence in sequences)
    return [
        f"\n{move}\0{roll}\0{call}\0{spent_us}".encode()
        for move, roll, call, spent_us in zip(*padded, strict=False)
    ]


def _frame(record: GameRecord) -> object:
    """Return everything judged that is not of one ply."""
    verdict, pie = record.verdict, record.pie
    outcome = verdict.outcome
    return [
        [record.id, record.pair, record.game, record.size, record.komi, record.seed, record.attempt],
        [record.black.name, record.white.name, record.opening, record.opening_plies, record.opening_roll],
        pie and [pie.proposer, pie.komi_offered, pie.side_chosen],
        [verdict.winner, verdict.reasons, verdict.result, verdict.at_fault, verdict.points],
        outcome
        and [
            [_number(outcome.board_margin), _number(outcome.final_margin), outcome.winner, outcome.result],
            [outcome.reasons, outcome.points, outcome.decided_by, outcome.deciding_group, outcome.button],
        ],
        [record.fault_move, record.fault_us, record.final_position],
    ]


def _number(margin: float | None) -> float | None:
    """Make whole margins the same whether a store gave them back as int or as float."""
    return None if margin is None else float(margin)
