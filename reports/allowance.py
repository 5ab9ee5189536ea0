"""How much time a control grants for a number of moves: the measure for `time used`."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from arena.core.clock import Kind, TimeControl

if TYPE_CHECKING:
    from reports.results import Floats, Integers


def granted_us(control: TimeControl, moves: Integers) -> Floats:
    """Return the most time a side could have used for its moves without losing on time, microseconds.

    Args:
        control: the side's time control.
        moves: own moves in each game.

    Returns:
        nan where time is unlimited, where no move was made, and with an hourglass, which grants what the
        opponent uses.
    """
    if control.kind in (Kind.UNLIMITED, Kind.HOURGLASS):
        return np.full(len(moves), np.nan)
    made = moves.astype(np.float64)
    match control.kind:
        case Kind.DELAY:
            most = control.main_us + control.increment_us * made
        case Kind.BANK | Kind.BRONSTEIN:
            most = control.main_us + control.increment_us * (made - 1)
        case Kind.REFILL:
            most = control.main_us * np.ceil(made / control.moves) + control.increment_us * (made - 1)
        case Kind.EACH_MOVE:
            most = control.main_us * made
        case Kind.BYO_YOMI:
            most = control.main_us + control.period_us * (control.periods - 1 + made)
        case Kind.CANADIAN:
            most = control.main_us + control.period_us * np.ceil(made / control.moves)
        case _:
            assert_never(control.kind)
    return np.where(moves > 0, most, np.nan)
