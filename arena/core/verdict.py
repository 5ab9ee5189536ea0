"""How games end: the closed list of reasons, and the verdict that a record carries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.rules.base import Outcome


class Reason(StrEnum):
    """Why a game ended; the values are the contract's words."""

    SCORE = "score"
    FIVE = "five"
    PAIRS = "pairs"
    LARGEST_GROUP = "largest-group"
    BORNE_OFF = "borne-off"
    START_POINT = "start-point"
    BOTH_START_POINTS = "both-start-points"
    FULL_BOARD = "full-board"
    ALL_GROUPS_EQUAL = "all-groups-equal"
    RESIGN = "resign"
    ADJUDICATED = "adjudicated"
    PLY_LIMIT = "ply-limit"
    TIME = "time"
    HANG = "hang"
    ILLEGAL_MOVE = "illegal-move"
    MALFORMED_REPLY = "malformed-reply"
    ERROR_REPLY = "error-reply"
    CRASH = "crash"
    FLOOD = "flood"
    MEMORY = "memory"
    CPU = "cpu"
    PROCESSES = "processes"
    DISK = "disk"
    START_UP = "start-up"
    SET_UP = "set-up"
    WITHDRAWN = "withdrawn"
    BOTH_FAILED = "both-failed"
    ARENA_FAULT = "arena-fault"
    REFEREE_STALL = "referee-stall"
    ANNULLED = "annulled"


FAULTS = frozenset(
    {
        Reason.TIME,
        Reason.HANG,
        Reason.ILLEGAL_MOVE,
        Reason.MALFORMED_REPLY,
        Reason.ERROR_REPLY,
        Reason.CRASH,
        Reason.FLOOD,
        Reason.MEMORY,
        Reason.CPU,
        Reason.PROCESSES,
        Reason.DISK,
        Reason.START_UP,
        Reason.SET_UP,
        Reason.WITHDRAWN,
    }
)
"""Reasons for which one side is at fault and loses."""

VOID = frozenset({Reason.ARENA_FAULT, Reason.REFEREE_STALL, Reason.ANNULLED})
"""Reasons for which a game counts for nobody."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one playing ended.

    Attributes:
        winner: BLACK, WHITE, or None (draw, both failed, or void: see `is_draw`).
        reasons: at least one; the first is the one that counts.
        result: the contract's result text.
        at_fault: the side that lost by a fault, None otherwise.
        points: plakoto points won by the winner, None in games without.
        outcome: how it ended on the board, None when it did not.
    """

    winner: int | None
    reasons: tuple[str, ...]
    result: str
    at_fault: int | None = None
    points: int | None = None
    outcome: Outcome | None = None

    @property
    def reason(self) -> str:
        """The reason that counts: a `Reason`, or a word of its own from a plugin's game."""
        return self.reasons[0]

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody."""
        return self.reason in VOID

    @property
    def is_replayed(self) -> bool:
        """Whether the game is to be played again: void, and not by the organiser's word."""
        return self.is_void and self.reason != Reason.ANNULLED

    @property
    def is_draw(self) -> bool:
        """Whether both sides share the point."""
        return self.winner is None and not self.is_void and self.reason != Reason.BOTH_FAILED

    @property
    def winner_word(self) -> str | None:
        """`black`, `white`, `draw`, or None when nobody gets anything."""
        if self.winner is not None:
            return ("black", "white")[self.winner]
        return "draw" if self.is_draw else None


def by_outcome(outcome: Outcome) -> Verdict:
    """Return the verdict of a game that ended on the board."""
    return Verdict(
        winner=outcome.winner,
        reasons=outcome.reasons,
        result=outcome.result,
        points=outcome.points,
        outcome=outcome,
    )


def by_fault(side: int, reason: Reason, points: int | None = None) -> Verdict:
    """Return the verdict against `side`, which failed for `reason`."""
    letter = "BW"[1 - side]
    mark = "T" if reason is Reason.TIME else "F"
    return Verdict(1 - side, (reason,), f"{letter}+{mark}", at_fault=side, points=points)


def by_resignation(side: int, points: int | None = None) -> Verdict:
    """Return the verdict after `side` resigned."""
    return Verdict(1 - side, (Reason.RESIGN,), f"{'BW'[1 - side]}+R", points=points)


def adjudicated(winner: int | None, points: int | None = None) -> Verdict:
    """Return the verdict of a game that was decided before its end on the board; None: drawn."""
    result = "0" if winner is None else f"{'BW'[winner]}+A"
    return Verdict(winner, (Reason.ADJUDICATED,), result, points=points)


def ply_limit() -> Verdict:
    """Return the verdict of a game that was stopped at its limit of turns: a draw."""
    return Verdict(None, (Reason.PLY_LIMIT,), "0")


def both_failed(reasons: tuple[Reason, Reason]) -> Verdict:
    """Return the verdict when both sides fail at once; Black's reason first."""
    return Verdict(None, (Reason.BOTH_FAILED, *dict.fromkeys(reasons)), "both-failed")


def void(reason: Reason) -> Verdict:
    """Return the verdict of a game that counts for nobody."""
    return Verdict(None, (reason,), "void")
