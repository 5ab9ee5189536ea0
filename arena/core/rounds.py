"""Events whose pairings follow from results: steps, what has been played so far, and what a step consists of.

A *step* is what is played before anything else is decided: a round, or in a knockout the next pair of the
matches that are still open. The next step is a pure function of the event, the steps before it, the results
so far and who has been taken out: `next_step` in `swiss`, `knockout` and `ladder`. Within a step all games
may be played at once, in any order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.core.event import Event


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two entries that meet in a step, or one that has a bye.

    Attributes:
        board: place in the bracket, the ladder or the table, from 1; 0 for the match for third place.
        first: has Black in more of the games where their number is odd.
        second: None: `first` has a bye.
    """

    board: int
    first: int
    second: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """What is played before anything else is decided.

    Attributes:
        round: from 1.
        batch: 0 for a round's first games; 1, 2, … for the further pairs of matches still open.
        meetings: in the order in which their games are handed out.
    """

    round: int
    batch: int
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game that stands ended, as far as pairings care.

    Attributes:
        id: the game's id.
        black, white: index of the entry that really had the colour (after pie).
        winner: None: nobody gets anything (both failed, or annulled).
        margin: final margin, Black minus White; None when the game did not end on the board.
    """

    id: str
    black: int
    white: int
    winner: Literal["black", "white", "draw"] | None
    margin: float | None = None


@dataclass(slots=True)
class Score:
    """What one entry made against another in one round.

    Attributes:
        half_points: 2 for a win, 1 for a draw.
        wins_as_second: games won as the side that moves second (White).
        margin: sum of the final margins, from the entry's side.
    """

    half_points: int = 0
    wins_as_second: int = 0
    margin: float = 0.0


@dataclass(frozen=True, slots=True)
class Slot:
    """One game of a meeting, before it is known who plays.

    Attributes:
        discipline: index into `Event.all_disciplines`.
        pair: from 1, in the meeting and the discipline.
        half: 0 for game `a`, 1 for game `b`.
        is_first_black: whether `Meeting.first` has Black.
    """

    discipline: int
    pair: int
    half: int
    is_first_black: bool


def main_batches(event: Event) -> int:
    """Return in how many batches the regular games of a meeting come."""
    return 1 if event.best_of is None else (event.best_of + 1) // 2


def extra_pairs(event: Event) -> int:
    """Return how many pairs a drawn match of a knockout may be prolonged by."""
    if event.format != "knockout":
        return 0
    words = [rule.partition(" ") for rule in event.tie_breaks]
    return sum(int(number) for rule, _, number in words if rule == "pairs")


@lru_cache(maxsize=64)
def _slots_of(games_each: tuple[int, ...], best_of: int | None, batch: int) -> tuple[Slot, ...]:
    pairs_of = [(games + 1) // 2 for games in games_each]
    batches = 1 if best_of is None else pairs_of[0]
    if batch >= batches:
        extra, discipline = divmod(batch - batches, len(games_each))
        wanted = [(pairs_of[discipline] + 1 + extra, discipline)]
    elif best_of is not None:
        wanted = [(batch + 1, 0)]
    else:
        wanted = [(pair, place) for place, pairs in enumerate(pairs_of) for pair in range(1, pairs + 1)]
        wanted.sort(key=lambda each: each[0])
    odd = [place for place, games in enumerate(games_each) if games % 2]
    slots = []
    for pair, discipline in wanted:
        begins = pair % 2 == 1
        is_single = discipline in odd and pair == pairs_of[discipline]
        if discipline in odd:
            # The single games at the ends of odd disciplines go to the two in turn, `first` before `second`.
            begins = (pair + pairs_of[discipline] + odd.index(discipline)) % 2 == 0
        slots.append(Slot(discipline, pair, 0, begins))
        if not is_single:
            slots.append(Slot(discipline, pair, 1, not begins))
    return tuple(slots)


def slots(event: Event, batch: int) -> tuple[Slot, ...]:
    """Return the games that each meeting of a batch consists of, in order."""
    return _slots_of(tuple(each.games_each for each in event.all_disciplines), event.best_of, batch)


def games_of_meeting(event: Event) -> int:
    """Return the number of regular games of a meeting."""
    return sum(each.games_each for each in event.all_disciplines)


def black_surplus(event: Event, batch: int) -> int:
    """Return how many more games of a batch `Meeting.first` has with Black than with White."""
    return sum(1 if slot.is_first_black else -1 for slot in slots(event, batch))


def bye_half_points(event: Event) -> int:
    """Return what a bye is worth in Swiss, where alone it counts: a meeting won, drawn or lost throughout."""
    if event.format != "swiss":
        return 0
    return {"win": 2, "draw": 1, "loss": 0}[event.bye] * games_of_meeting(event)


class History:
    """What has been played so far, summed up for pairing.

    Args:
        event: the event.
        steps: in order.
        results: games that stand, each with the round it belongs to.
        withdrawn: entries that play no more.

    Attributes:
        entries: number of entries.
        met: how often two entries (the smaller first) have been paired.
        byes: byes by entry.
        surplus: games scheduled with Black minus those with White, by entry.
    """

    def __init__(
        self,
        event: Event,
        steps: Sequence[Step],
        results: Iterable[tuple[int, GameResult]],
        withdrawn: frozenset[int],
    ) -> None:
        self.entries = len(event.engines)
        self.steps = tuple(steps)
        self.withdrawn = withdrawn
        self.met: Counter[tuple[int, int]] = Counter()
        self.byes: Counter[int] = Counter()
        self.surplus: Counter[int] = Counter()
        self._bye_half_points = bye_half_points(event)
        self._scores: defaultdict[tuple[int, int, int], Score] = defaultdict(Score)
        self._half_points: Counter[int] = Counter()
        for step in self.steps:
            self._count(step, black_surplus(event, step.batch))
        for round_, result in results:
            self._add(round_, result)

    def _count(self, step: Step, surplus: int) -> None:
        for meeting in step.meetings:
            if meeting.second is None:
                self.byes[meeting.first] += step.batch == 0
                continue
            self.surplus[meeting.first] += surplus
            self.surplus[meeting.second] -= surplus
            if step.batch == 0:
                self.met[ordered(meeting.first, meeting.second)] += 1

    def _add(self, round_: int, result: GameResult) -> None:
        if result.winner is None:
            return
        black, white = result.black, result.white
        for side, own, other in (("black", black, white), ("white", white, black)):
            score = self._scores[round_, own, other]
            won = 2 * (result.winner == side) + (result.winner == "draw")
            score.half_points += won
            score.wins_as_second += side == "white" and won == 2
            score.margin += (result.margin or 0.0) * (1 if side == "black" else -1)
            self._half_points[own] += won

    def score(self, round_: int, entry: int, opponent: int) -> Score:
        """Return what an entry made against another in a round."""
        return self._scores[round_, entry, opponent]

    def half_points(self, entry: int) -> int:
        """Return the points of an entry, byes included, times two."""
        return self._half_points[entry] + self.byes[entry] * self._bye_half_points

    def active(self) -> list[int]:
        """Return the entries that play on."""
        return [entry for entry in range(self.entries) if entry not in self.withdrawn]

    def meetings(self, round_: int) -> tuple[Meeting, ...]:
        """Return all meetings and byes of a round."""
        return next((step.meetings for step in self.steps if step.round == round_ and step.batch == 0), ())

    @property
    def last_round(self) -> int:
        """The round of the last step, 0 before the first."""
        return self.steps[-1].round if self.steps else 0

    def seated(self, one: int, other: int) -> tuple[int, int]:
        """Return two entries, the one first who has had Black more rarely.

        Equal ones by the rule of fixed formats: by the parity of their numbers and the round.
        """
        one, other = ordered(one, other)
        difference = self.surplus[one] - self.surplus[other]
        if difference < 0 or (difference == 0 and (one + other + self.last_round) % 2):
            return one, other
        return other, one


def ordered(one: int, other: int) -> tuple[int, int]:
    """Return two entries, the smaller one first."""
    return (one, other) if one < other else (other, one)
