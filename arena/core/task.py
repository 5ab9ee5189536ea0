"""One playing to be done: what the referee, in whatever process or machine, needs to know of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arena.core.dice import dice_ident, game_key
from arena.core.event import NO_ADJUDICATION, Adjudication
from arena.rules.registry import rules_class

if TYPE_CHECKING:
    from arena.core.clock import TimeControl
    from arena.core.event import Event, ScheduledGame


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a game is conducted, beside its rules: the event's keys of the same names.

    Attributes:
        clock, suspend_idle, adjudication: see `arena.core.event.Event`.
        keeps_exchange: whether the exchange is kept also of a game without a fault.
    """

    clock: Literal["wall", "cpu"] = "wall"
    suspend_idle: bool = False
    adjudication: Adjudication = NO_ADJUDICATION
    keeps_exchange: bool = False


@dataclass(frozen=True, slots=True)
class GameTask:
    """One playing of one scheduled game.

    Attributes:
        scheduled: the game.
        attempt: which playing of it this is, from 1.
        dice_key: key of this playing's dice, None in games without dice.
        controls: time controls of Black and White as scheduled (before pie).
        needs_fresh: whether both engines must be fresh processes (shared dice).
        conduct: how it is conducted.
        has_stalled: whether an earlier playing was void because this machine stalled; the next time that
            costs the game.
        to_the_end: whether an engine that resigns is asked once more for a move, as in the komi laboratory.
    """

    scheduled: ScheduledGame
    attempt: int
    dice_key: bytes | None
    controls: tuple[TimeControl, TimeControl]
    needs_fresh: bool = False
    conduct: Conduct = Conduct()
    has_stalled: bool = False
    to_the_end: bool = False


def game_task(
    event: Event, scheduled: ScheduledGame, attempt: int, dice_key: bytes, *, has_stalled: bool = False
) -> GameTask:
    """Return the task of playing a scheduled game.

    Args:
        event: the event it belongs to.
        scheduled: the game.
        attempt: from 1.
        dice_key: the event's dice key; the task gets only what this playing needs of it.
        has_stalled: see `GameTask`.
    """
    has_dice = rules_class(scheduled.game).has_dice
    ident = dice_ident(scheduled, attempt, event.dice)
    black, white = event.engines[scheduled.black], event.engines[scheduled.white]
    return GameTask(
        scheduled,
        attempt,
        game_key(dice_key, ident) if has_dice else None,
        scheduled.controls or (black.time or event.time, white.time or event.time),
        needs_fresh=has_dice and event.dice == "duplicate",
        conduct=Conduct(event.clock, event.suspend_idle, event.adjudication, event.log == "all"),
        has_stalled=has_stalled,
    )
