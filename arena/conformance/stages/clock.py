"""The clock: budgets from generous to tight, what share of them is used, and by how much they are overrun."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from arena.conformance import duel
from arena.conformance.case import Case, CaseSkipped, Level
from arena.conformance.positions import LONGEST_PLIES
from arena.conformance.stages.seeds import start
from arena.conformance.stages.settings import NEEDS
from arena.core.clock import Kind, parse_time
from arena.rules import BLACK
from arena.words import counted

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.core.clock import TimeControl

_LONGEST_EVENT_S = 60.0
"""A game under the event's own clock is played to its end if that can take so long at most."""

_EVENT_PLIES = 40
_EACH_MOVE_PLIES = 20


@dataclass(frozen=True, slots=True)
class _Budget:
    """One time control that is tried: its word in the case's id, its text, how heavily it weighs."""

    word: str
    text: str
    level: Level


_BUDGETS = (
    _Budget("each-move", "0.5/move", Level.MUST),
    _Budget("increment", "2+0.05", Level.MUST),
    _Budget("periods", "1+2x0.3", Level.SHOULD),
    _Budget("sudden-death", "3", Level.SHOULD),
    _Budget("tight-increment", "0.5+0.02", Level.SHOULD),
    _Budget("tight-each-move", "0.05/move", Level.SHOULD),
)
"""From generous to tight. What is tighter than most events only SHOULD be kept."""


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage; the event's own time control comes first."""
    needs = (*NEEDS, "moves.random")
    event = Case(
        "clock.event",
        Level.MUST,
        f"keeps the time control asked for, {subject.control.text}",
        partial(_keeps, control=subject.control),
        needs,
    )
    others = [
        Case(
            f"clock.{budget.word}",
            budget.level,
            f"keeps {budget.text}",
            partial(_keeps, control=parse_time(budget.text)),
            needs,
        )
        for budget in _BUDGETS
    ]
    return [event, *others]


async def _keeps(bench: Bench, *, control: TimeControl) -> str:
    async with bench.talk() as talk:
        if control != bench.subject.control and not talk.can_be_told(control):
            raise CaseSkipped(f"cannot be told {control.text} by the commands it lists")
        line = start(bench)
        game = await duel.play(
            talk,
            line,
            BLACK,
            control,
            seed=bench.subject.seed + 1,
            most_plies=_plies(control),
            patience_s=bench.subject.patience_s,
        )
        used = (
            f"{counted(game.own, 'move')} in {game.spent_s:.2f} s, slowest {game.slowest_s:.3f} s"
            f" ({100 * min(game.share, 99):.0f} % of the time it had at most)"
        )
        if game.overrun_s > 0:
            margin_ms = talk.session.entry.margin_ms
            told = "It was told its clock" if talk.can_be_told(control) else "It cannot be told its clock"
            raise talk.failed(
                f"oversteps {control.text} by {game.overrun_s:.3f} s, margin of {margin_ms} ms apart: {used}",
                f"{told}. Keep some of it back: the way through the pipe and a busy machine cost time too.",
            )
        return f"{used}, no overrun"


def _plies(control: TimeControl) -> int:
    """Return how many turns are played, so that no case takes for ever."""
    if control.kind is Kind.EACH_MOVE:
        slow = control.main_us > _LONGEST_EVENT_S * 1e6 / _EACH_MOVE_PLIES
        return 4 if slow else _EACH_MOVE_PLIES
    if control.kind is Kind.UNLIMITED or control.main_us > _LONGEST_EVENT_S * 1e6:
        return _EVENT_PLIES
    return LONGEST_PLIES
