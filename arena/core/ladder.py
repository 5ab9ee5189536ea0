"""Ladder: neighbours meet, and who beats the one above takes its rung; the file's order is where it begins.

In odd rounds the first rung meets the second, the third the fourth, …; in even rounds the second meets the
third, …. The lower one moves up if it makes more points; a drawn meeting leaves both where they are. This is
odd-even transposition sort (Knuth, TAOCP 5.3.4): if the better engine always won, as many rounds as there
are entries would put any order right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.rounds import Meeting, Step

if TYPE_CHECKING:
    from arena.core.event import Event
    from arena.core.rounds import History


def rounds(event: Event) -> int:
    """Return the number of rounds: the event's, or as many as there are entries."""
    return event.rounds or len(event.engines)


def next_step(event: Event, history: History) -> Step | None:
    """Return the next round, None when all are played or nobody is left to meet."""
    round_ = history.last_round + 1
    rungs = [entry for entry in order(history) if entry not in history.withdrawn]
    if round_ > rounds(event) or len(rungs) < 2:
        return None
    upper = (round_ - 1) % 2 if len(rungs) > 2 else 0
    pairs = zip(rungs[upper::2], rungs[upper + 1 :: 2], strict=False)
    return Step(
        round_,
        0,
        tuple(Meeting(upper + 2 * place + 1, *history.seated(*pair)) for place, pair in enumerate(pairs)),
    )


def order(history: History) -> list[int]:
    """Return the entries from the top of the ladder down."""
    rungs = list(range(history.entries))
    for step in history.steps:
        for meeting in step.meetings:
            if meeting.second is None:
                continue
            upper, lower = sorted((meeting.first, meeting.second), key=rungs.index)
            gain = history.score(step.round, lower, upper).half_points
            if gain > history.score(step.round, upper, lower).half_points:
                above, below = rungs.index(upper), rungs.index(lower)
                rungs[above], rungs[below] = lower, upper
    return rungs


def places(history: History) -> list[int]:
    """Return each entry's rung, from 1; who has been taken out stands below the others."""
    rungs = sorted(order(history), key=lambda entry: entry in history.withdrawn)
    return [rungs.index(entry) + 1 for entry in range(history.entries)]
