"""Deciding a game before its end: by the loser's own word, by exact search, by a limit of turns.

Pure: the referee asks after each move, and `arena verify` asks again. Nothing here trusts the winner: a side
loses by words only when they are its own, and a search proves its result against every defence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.core import verdict as verdicts
from arena.core.record import Adjudged

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from arena.core.event import Adjudication
    from arena.core.verdict import Verdict
    from arena.rules.base import Move, Position

_PAUSE_NODES = 16
"""A search lets others have their turn after so many positions: about half a millisecond."""

_DEEPEST = 150
"""Longest line a search follows: far beyond what its bound of positions can settle, short enough for the
interpreter's stack."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What a search has proved.

    Attributes:
        winner: BLACK, WHITE or None for a draw, under best play of both.
        nodes: positions looked at.
        line: best play of both to the end, canonical words.
    """

    winner: int | None
    nodes: int
    line: tuple[str, ...]


class _TooLargeError(Exception):
    """The search would go beyond its bounds."""


class _Search:
    """A depth-first search of everything, over win, draw and loss. Each position is judged once.

    A position's value is exact: it is only cut short by a proven win, which nothing can better.
    """

    def __init__(self, most_nodes: int) -> None:
        self.nodes = 0
        self.best: dict[str, tuple[int, Move | None]] = {}
        self._most_nodes = most_nodes

    def value(self, position: Position, depth: int = 0) -> Generator[None, None, int]:
        """Return 1, 0 or -1 for the side to move; yields now and then.

        Raises:
            _TooLargeError: beyond the bounds.
        """
        key = position.key()
        known = self.best.get(key)
        if known is not None:
            return known[0]
        self.nodes += 1
        if self.nodes > self._most_nodes or depth > _DEEPEST:
            raise _TooLargeError
        if self.nodes % _PAUSE_NODES == 0:
            yield
        side = position.to_move
        if position.is_over:
            winner = position.outcome().winner
            value = 0 if winner is None else 1 if winner == side else -1
            self.best[key] = value, None
            return value
        best, chosen = -2, None
        for move in position.legal_moves():
            after = position.copy()
            after.play(move)
            value = yield from self.value(after, depth + 1)
            if after.to_move != side:
                value = -value
            if value > best:
                best, chosen = value, move
                if best == 1:
                    break
        self.best[key] = best, chosen
        return best


def search(position: Position, most_nodes: int) -> Generator[None, None, Solution | None]:
    """Play a position out, all of it. A generator, so that the caller can do other things meanwhile.

    Args:
        position: not over, of a game without dice; left as it is.
        most_nodes: positions that may be looked at.

    Returns:
        What is proved, the same for the same arguments; None when the bound is too low for it.
    """
    tree = _Search(most_nodes)
    try:
        value = yield from tree.value(position)
    except _TooLargeError:
        return None
    side = position.to_move
    winner = None if value == 0 else side if value == 1 else 1 - side
    return Solution(winner, tree.nodes, _line(tree, position))


def _line(tree: _Search, position: Position) -> tuple[str, ...]:
    line: list[str] = []
    position = position.copy()
    while (move := tree.best[position.key()][1]) is not None:
        line.append(position.rules.format_move(position.canonical(move)))
        position.play(move)
    return tuple(line)


def says_it_loses(said: Mapping[str, Any], terms: Adjudication) -> bool:
    """Return whether what an engine said with a move means that it counts itself lost."""
    verdicts_given = []
    winrate, score = _number(said.get("winrate")), _number(said.get("score"))
    if winrate is not None:
        verdicts_given.append(winrate <= terms.loss_winrate)
    if score is not None and terms.loss_score is not None:
        verdicts_given.append(score <= terms.loss_score)
    return bool(verdicts_given) and all(verdicts_given)


def by_own_word(movers: Sequence[int], infos: Sequence[Mapping[str, Any]], terms: Adjudication) -> int | None:
    """Return the side that has given itself up, None when none has.

    Args:
        movers: who made each move; `infos` what was said with it.
        infos: empty mappings for opening moves and where nothing was said.
        terms: the event's.
    """
    if not terms.loss_moves or not movers:
        return None
    # Only the word that was just spoken can complete a row.
    loser = movers[-1]
    spoken = 0
    for mover, said in zip(reversed(movers), reversed(infos), strict=True):
        if mover != loser:
            continue
        if not says_it_loses(said, terms):
            return None
        spoken += 1
        if spoken == terms.loss_moves:
            return loser
    return None


class Adjudicator:
    """Looks at one game after each move.

    Args:
        terms: the event's.
        has_dice: whether the game has dice: then nothing is searched.
    """

    def __init__(self, terms: Adjudication, *, has_dice: bool) -> None:
        self._terms = terms
        self._searches = terms.search_moves > 0 and not has_dice
        self._failed_at: int | None = None
        self._movers: list[int] = []
        self._infos: list[Mapping[str, Any]] = []

    @property
    def is_active(self) -> bool:
        """Whether there is anything to look at."""
        terms = self._terms
        return bool(terms.loss_moves or terms.ply_limit or self._searches)

    def look(
        self, position: Position, mover: int, said: Mapping[str, Any]
    ) -> Generator[None, None, tuple[Verdict, Adjudged | None] | None]:
        """Return the verdict on a game that goes on, None when it must go on. A generator, as `search`.

        Args:
            position: after the move, not over.
            mover: who made it.
            said: what it said with it.
        """
        self._movers.append(mover)
        self._infos.append(said)
        loser = by_own_word(self._movers, self._infos, self._terms)
        if loser is not None:
            return verdicts.adjudicated(1 - loser, position.forfeit_points(loser)), Adjudged("own-word")
        if self._terms.ply_limit and position.ply >= self._terms.ply_limit:
            return verdicts.ply_limit(), None
        if self._searches:
            solution = yield from self._search(position)
            if solution is not None:
                adjudged = Adjudged("search", solution.nodes, solution.line)
                return verdicts.adjudicated(solution.winner), adjudged
        return None

    def _search(self, position: Position) -> Generator[None, None, Solution | None]:
        moves = len(position.legal_moves())
        if moves > self._terms.search_moves or (self._failed_at is not None and moves >= self._failed_at):
            return None
        solution = yield from search(position, self._terms.search_nodes)
        # What was too much with so many moves is tried again when there are fewer.
        self._failed_at = moves if solution is None else None
        return solution


def finished(steps: Generator[None, None, Any]) -> Any:
    """Run a search to its end without pausing and return what it found."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
