"""Legal moves: the engine is led into many positions and asked for one move in each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level
from arena.conformance.positions import TITLES, Kind
from arena.conformance.special import SPECIAL
from arena.conformance.stages.settings import NEEDS
from arena.core.clock import parse_time
from arena.live.faults import escaped

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.conformance.positions import Line
    from arena.conformance.talk import Talk
    from arena.core.clock import TimeControl

_QUICK = ("0.1/move", "1/move", "3/move")
"""Time for a move, the first that the engine can be told: what it plays is judged here, not how fast."""


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage: one for each kind of position."""
    found = [
        Case(f"moves.{kind}", Level.MUST, TITLES[kind], partial(_kind, kind=kind), NEEDS) for kind in Kind
    ]
    if SPECIAL.get(subject.game):
        title = "plays legal moves in positions that set traps"
        found.append(Case("moves.traps", Level.MUST, title, _traps, NEEDS))
    return found


def quick_control(talk: Talk, subject: Subject) -> TimeControl:
    """Return a control of little time for a move; the subject's own where the engine can be told none."""
    controls = [parse_time(text) for text in _QUICK]
    return next((control for control in controls if talk.can_be_told(control)), subject.control)


async def _kind(bench: Bench, *, kind: Kind) -> str:
    lines = bench.positions.lines(kind, bench.subject.positions)
    if not lines:
        raise CaseSkipped("the random games of this suite have no such position")
    return await _all_legal(bench, lines)


async def _traps(bench: Bench) -> str:
    return await _all_legal(bench, SPECIAL[bench.subject.game])


async def _all_legal(bench: Bench, lines: list[Line]) -> str:
    """Ask for a move in each position; the first illegal one ends the case, and says how many were right."""
    resigned = 0
    refused: set[tuple[int | None, int | None]] = set()
    for right, line in enumerate(lines):
        async with bench.talk() as talk:
            if not await _accepts(talk, bench, line):
                refused.add((line.size, line.komi))
                continue
            await talk.set_up(line, quick_control(talk, bench.subject))
            thought = await talk.think([], bench.subject.patience_s)
            try:
                resigned += talk.judge(thought.word) is None
            except CaseFailed as failed:
                place = f"in position {right + 1} of {len(lines)} ({line.label}) it "
                raise talk.failed(place + failed.problem.reason, failed.problem.advice) from failed
    words = f"{len(lines)} positions"
    if refused:
        sizes = ", ".join(f"size {size}, komi {komi}" for size, komi in sorted(refused, key=str))
        words += f", some left out: it refuses {escaped(sizes.encode(), 100)}"
    return f"{words}, resigned in {resigned}" if resigned else words


async def _accepts(talk: Talk, bench: Bench, line: Line) -> bool:
    """Say whether the settings of a line are the subject's, or are accepted as well."""
    if (line.size, line.komi) == (bench.subject.size, bench.subject.komi):
        return True
    if talk.lists("arena-game"):
        await talk.must(f"arena-game {line.game}")
    if line.size is not None and not (await talk.ask(f"boardsize {line.size}")).ok:
        return False
    return line.komi is None or (await talk.ask(f"komi {line.komi}")).ok
