"""Knockout: who loses a match is out; the file's order is the seeding.

The bracket is the usual one: in every round the best seed meets the weakest, if no seed ever loses to a
weaker one, and while entries are missing to the next power of two the best seeds have byes. A match ends as
soon as it is decided when it is a best-of, else when its regular games are played. A drawn match goes on by
the event's tie-break rules, in order:

- `pairs N`: up to N further pairs, one at a time, until one pair is not shared;
- `wins-as-second`: more games won as the side that moves second;
- `margin`: the larger sum of final margins;
- `lot`: by lot, from the seed;
- `seed`: the better seed; always the last word.

Who has been taken out of the event is never paired again: its opponent goes on without playing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.core.rounds import Meeting, Step, extra_pairs, main_batches
from arena.core.seeds import Label, derive

if TYPE_CHECKING:
    from arena.core.event import Event
    from arena.core.rounds import History

RULES = ("pairs", "wins-as-second", "margin", "lot", "seed")

_THIRD_PLACE = 0
"""Board of the match for third place, beside the final's 1."""


def rounds(entries: int) -> int:
    """Return the number of rounds."""
    return (entries - 1).bit_length()


def bracket(entries: int) -> list[tuple[int, int | None]]:
    """Return the first round: two entries a board, None for a bye; entries are seeds from 0."""
    order = [0]
    while len(order) < entries:
        size = 2 * len(order)
        order = [seed for upper in order for seed in (upper, size - 1 - upper)]
    seats = [seed if seed < entries else None for seed in order]
    return [(upper, lower) for upper, lower in zip(seats[::2], seats[1::2], strict=True) if upper is not None]


def next_step(event: Event, history: History) -> Step | None:
    """Return the next step: further pairs of open matches, the next round, or None when all is decided."""
    round_ = history.last_round
    if round_ == 0:
        return _round(history, 1, dict(enumerate(bracket(history.entries), start=1)))
    is_open = [each for each in history.meetings(round_) if _wants_more(event, history, round_, each)]
    if is_open:
        return Step(round_, history.steps[-1].batch + 1, tuple(is_open))
    if round_ == rounds(history.entries):
        return None
    boards = 2 ** (rounds(history.entries) - round_ - 1)
    winners = {board: _winner(event, history, round_, board) for board in range(1, 2 * boards + 1)}
    seats = {board: (winners[2 * board - 1], winners[2 * board]) for board in range(1, boards + 1)}
    if event.third_place and boards == 1:
        losers = [_loser(event, history, round_, board) for board in (1, 2)]
        seats[_THIRD_PLACE] = (losers[0], losers[1])
    return _round(history, round_ + 1, seats)


def places(event: Event, history: History, *, is_settled: bool) -> list[int]:
    """Return each entry's place so far, from 1; equal for those that went out in the same round.

    Who is still in has place 1.

    Args:
        event: the event.
        history: what has been played.
        is_settled: whether every game of the last step has been played.
    """
    found = [0] * history.entries
    left = history.entries
    for round_ in range(1, history.last_round + 1):
        alive = {entry for entry in range(history.entries) if found[entry] == 0}
        out = alive - _through(event, history, round_, is_settled=is_settled)
        left -= len(out)
        for entry in out:
            found[entry] = left + 1
    final = rounds(history.entries)
    for meeting in history.meetings(final):
        if meeting.board == _THIRD_PLACE and is_settled and not _wants_more(event, history, final, meeting):
            loser = _loser(event, history, final, _THIRD_PLACE)
            if loser is not None:
                found[loser] = 4
    return [place or 1 for place in found]


def _through(event: Event, history: History, round_: int, *, is_settled: bool) -> set[int | None]:
    """Return who is still in after a round; where it is still being played, both who play."""
    kept: set[int | None] = set()
    for meeting in history.meetings(round_):
        is_playing = round_ == history.last_round and (
            (not is_settled and meeting in history.steps[-1].meetings)
            or _wants_more(event, history, round_, meeting)
        )
        if is_playing:
            kept |= {meeting.first, meeting.second}
        elif meeting.board != _THIRD_PLACE:
            kept.add(_winner(event, history, round_, meeting.board))
    return kept


def _round(history: History, round_: int, seats: dict[int, tuple[int | None, int | None]]) -> Step:
    meetings = []
    for board, pair in seats.items():
        there = [entry for entry in pair if entry is not None and entry not in history.withdrawn]
        if len(there) == 2:
            meetings.append(Meeting(board, *history.seated(*there)))
        elif there and board != _THIRD_PLACE:
            meetings.append(Meeting(board, there[0], None))
    return Step(round_, 0, tuple(meetings))


def _wants_more(event: Event, history: History, round_: int, meeting: Meeting) -> bool:
    """Say whether a match of the last round needs another batch of games."""
    batch = history.steps[-1].batch
    if meeting.second is None or meeting not in history.steps[-1].meetings:
        return False
    if {meeting.first, meeting.second} & history.withdrawn:
        return False
    mine = history.score(round_, meeting.first, meeting.second)
    theirs = history.score(round_, meeting.second, meeting.first)
    lead = abs(mine.half_points - theirs.half_points)
    if batch + 1 < main_batches(event):
        left = (event.best_of or 0) - 2 * (batch + 1)
        return lead <= 2 * left
    if lead:
        return False
    extra = batch + 1 - main_batches(event)
    for rule in event.tie_breaks:
        if rule.startswith("pairs") and extra < extra_pairs(event):
            return True
        if not rule.startswith("pairs") and _by_rule(event, history, round_, meeting, rule) is not None:
            return False
    return False


def _winner(event: Event, history: History, round_: int, board: int) -> int | None:
    """Return who goes on from a board of a round; None when nobody does.

    Once the next round is paired it alone says so, whatever is decided later about the games before it.
    """
    meeting = next((each for each in history.meetings(round_) if each.board == board), None)
    if meeting is None:
        return None
    pair = [entry for entry in (meeting.first, meeting.second) if entry is not None]
    if round_ < history.last_round:
        seated = {
            entry
            for each in history.meetings(round_ + 1)
            if each.board != _THIRD_PLACE
            for entry in (each.first, each.second)
        }
        return next((entry for entry in pair if entry in seated), None)
    there = [entry for entry in pair if entry not in history.withdrawn]
    if len(there) < 2 or meeting.second is None:
        return there[0] if there else None
    mine = history.score(round_, meeting.first, meeting.second).half_points
    theirs = history.score(round_, meeting.second, meeting.first).half_points
    if mine != theirs:
        return meeting.first if mine > theirs else meeting.second
    for rule in event.tie_breaks:
        winner = _by_rule(event, history, round_, meeting, rule)
        if winner is not None:
            return winner
    return min(meeting.first, meeting.second)


def _loser(event: Event, history: History, round_: int, board: int) -> int | None:
    meeting = next((each for each in history.meetings(round_) if each.board == board), None)
    if meeting is None or meeting.second is None:
        return None
    winner = _winner(event, history, round_, board)
    return meeting.second if winner == meeting.first else meeting.first


def _by_rule(event: Event, history: History, round_: int, meeting: Meeting, rule: str) -> int | None:
    """Return who wins a drawn match by one tie-break rule, None when it does not part the two."""
    first, second = meeting.first, meeting.second
    if second is None:
        return first
    mine, theirs = history.score(round_, first, second), history.score(round_, second, first)
    match rule:
        case "wins-as-second":
            lead: float = mine.wins_as_second - theirs.wins_as_second
        case "margin":
            lead = mine.margin - theirs.margin
        case "lot":
            lots = [
                derive(event.seed, Label.PAIRING, f"lot/{round_}/{entry + 1}") for entry in (first, second)
            ]
            lead = lots[0] - lots[1]
        case "seed":
            lead = second - first
        case _:
            lead = 0
    return None if lead == 0 else first if lead > 0 else second
