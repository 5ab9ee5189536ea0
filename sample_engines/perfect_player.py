"""Plays tiny Pletore boards perfectly: looks at every game there is, and remembers every position.

    python -m sample_engines.perfect_player

Up to 3x3 it knows the whole game from the first move; on 4x4 and 5x5 it plays by the greedy player's
evaluation until few enough positions are left to be looked at in its time, and perfectly from then on. Sizes
above are refused. Among moves with the same final margin it takes the first; so it plays for the margin,
which wins whenever a win is possible.

Exact values with perfect play, Black's board margin without the button and with it: 1x1 +1 and +1/2, 2x2 +4
and +3 1/2, 3x3 +3 and +2 1/2; so Black wins if and only if komi is at most 0, 3 and 2.
"""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import TYPE_CHECKING, cast

from protocol.sdk import Refusal, run
from sample_engines.evaluation.pletore import rank
from sample_engines.rules_engine import RulesEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Position
    from arena.rules.pletore import PletorePosition
    from protocol.sdk import ColourWord, TurnClock

LARGEST = 5
"""Largest board that is accepted."""

KNOWN = 3
"""Largest board whose whole game is looked at, however long it takes: some seconds."""

SECONDS = 2.0
"""Time for a move on larger boards where no clock says more."""

MOST_POSITIONS = 3_000_000
"""Positions remembered at most, some hundred bytes each."""

BLACK, WHITE = 0, 1

Board = tuple[int, int]
"""Black's stones and White's, a bit a point."""


class OutOfTimeError(Exception):
    """The search had to be given up."""


class Solver:
    """Exact values of positions on one board, all games played to their end.

    A value is in half points, Black minus White, without komi. After the button has been taken the game goes
    on as one that never had a button; so there are two kinds of positions, with a free button and without.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = size * size
        self._all = (1 << self.points) - 1
        self._known: dict[tuple[int, int, int, bool, int], int] = {}
        self._deadline: float | None = None

    def value(self, board: Board, mover: int, button_free: bool, passes: int, deadline: float | None) -> int:
        """Return the exact value of a position in which no mirror rule binds.

        Args:
            board: the stones.
            mover: whose turn it is.
            button_free: whether the button is there to be taken.
            passes: 1 after a pass, else 0.
            deadline: on the clock of `time.monotonic`; None: take all the time it needs.

        Raises:
            OutOfTimeError: it could not be found out by then, or there is no room.
        """
        self._deadline = deadline
        return self._value(board, mover, button_free, passes)

    def _value(self, board: Board, mover: int, button_free: bool, passes: int) -> int:
        key = (board[0], board[1], mover, button_free, passes)
        known = self._known.get(key)
        if known is not None:
            return known
        if len(self._known) % 256 == 0 and self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfTimeError
        if len(self._known) > MOST_POSITIONS:
            raise OutOfTimeError
        black, white = self._controlled(board)
        empty = self._all & ~(board[0] | board[1])
        own, own_control, enemy, enemy_control = (
            (board[0], black, board[1], white) if mover == BLACK else (board[1], white, board[0], black)
        )
        sign = 1 if mover == BLACK else -1
        best = -(10**9)
        targets = (empty & ~enemy_control) | (enemy & own_control)
        while targets:
            bit = targets & -targets
            targets ^= bit
            after = (own | bit, enemy & ~bit) if mover == BLACK else (enemy & ~bit, own | bit)
            best = max(best, sign * self._value(after, 1 - mover, button_free, 0))
        if button_free:
            best = max(best, 1 + sign * self._value(board, 1 - mover, False, 0))
        elif not empty & ~(black | white):
            if passes == 1:
                score = (board[0] | empty & black).bit_count() - (board[1] | empty & white).bit_count()
                best = max(best, sign * 2 * score)
            else:
                best = max(best, sign * self._value(board, 1 - mover, False, 1))
        self._known[key] = sign * best
        return sign * best

    def _controlled(self, board: Board) -> Board:
        """Return the points that Black controls and those that White does, with or without a stone."""
        rows = _seen(board, self.size, along_rows=True)
        columns = _seen(board, self.size, along_rows=False)
        black, white = rows[0] & columns[0], rows[1] & columns[1]
        return black & ~white, white & ~black


@cache
def _line(stones: tuple[int, int], size: int) -> tuple[int, int]:
    """Return the points of a line that see a black stone along it and those that see a white one."""
    seen = [0, 0]
    for order in (range(size), range(size - 1, -1, -1)):
        last = None
        for place in order:
            if last is not None:
                seen[last] |= 1 << place
            for colour in (BLACK, WHITE):
                if stones[colour] >> place & 1:
                    last = colour
    return seen[0], seen[1]


def _seen(board: Board, size: int, *, along_rows: bool) -> Board:
    """Return for the whole board what `_line` returns for a line."""
    black = white = 0
    for number in range(size):
        lines = [_cut(stones, size, number, along_rows=along_rows) for stones in board]
        for_black, for_white = _line((lines[0], lines[1]), size)
        black |= _spread(for_black, size, number, along_rows=along_rows)
        white |= _spread(for_white, size, number, along_rows=along_rows)
    return black, white


def _cut(stones: int, size: int, number: int, *, along_rows: bool) -> int:
    """Return one row or column of a board as bits of their own."""
    if along_rows:
        return stones >> number * size & (1 << size) - 1
    return _column(stones >> number & _first_column(size), size)


@cache
def _first_column(size: int) -> int:
    return sum(1 << row * size for row in range(size))


@cache
def _column(bits: int, size: int) -> int:
    return sum(1 << row for row in range(size) if bits >> row * size & 1)


@cache
def _spread(line: int, size: int, number: int, *, along_rows: bool) -> int:
    """Return the points of a row or column as points of the board."""
    if along_rows:
        return line << number * size
    return sum(1 << place * size + number for place in range(size) if line >> place & 1)


class PerfectPlayer(RulesEngine):
    """Plays a move of the best final margin, as far as it can be known."""

    name = "perfect"
    joins_replies = False
    sizes = tuple(range(1, LARGEST + 1))

    def __init__(self) -> None:
        super().__init__()
        self._solvers: dict[int, Solver] = {}
        self._seconds: float = SECONDS

    @property
    def games(self) -> Sequence[str]:  # type: ignore[override]
        """Pletore alone."""
        return ("pletore",)

    def knows_game(self, game: str) -> bool:
        """Say whether it is Pletore."""
        return game == "pletore"

    def accepts_size(self, size: int) -> bool:
        """Say whether the board is small enough."""
        return size in self.sizes

    def new_game(self) -> None:
        """Set up the game; up to 3x3 look at all of it now, before any clock runs."""
        if self.size is None:
            self.size = KNOWN
        super().new_game()
        if self.size <= KNOWN:
            self._evaluate(self.rules.initial(), None)

    def choose_komi(self) -> int:
        """Propose the komi at which Black just loses, or a guess on larger boards."""
        return self._fair_komi()

    def choose_side(self, komi: int) -> ColourWord:
        """Take the side that wins."""
        return "black" if komi < self._fair_komi() else "white"

    def _fair_komi(self) -> int:
        """Return the lowest komi at which White wins; komi alters the button, so each is asked for."""
        size = self.size or KNOWN
        return {1: 1, 2: 4, 3: 3}.get(size, size // 2)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Return a move of the best final margin."""
        position = self._position_for(colour)
        if position.is_over:
            raise Refusal("the game is over")
        suggested = clock.suggested_s()
        self._seconds = SECONDS if suggested is None else suggested
        return super().genmove(colour, clock)

    def choose(self, position: Position) -> int:
        """Return the first of the best moves."""
        moves = cast("list[int]", position.legal_moves())
        sign = 1 if position.to_move == BLACK else -1
        deadline = None
        if self.rules.size is None or self.rules.size > KNOWN:
            deadline = time.monotonic() + self._seconds
        try:
            values = []
            for move in moves:
                after = position.copy()
                after.play(move)
                values.append(sign * self._evaluate(after, deadline))
        except OutOfTimeError:
            ranks = rank(position, moves)
            return moves[ranks.index(max(ranks))]
        best = max(values)
        margin = best / 2 - sign * (self.rules.komi or 0)
        self.info(score=margin, winrate=1.0 if margin > 0 else 0.0, nodes=len(self._solver()._known))
        return moves[values.index(best)]

    def _evaluate(self, position: Position, deadline: float | None) -> int:
        """Return the value of a position of the rules core, in half points without komi."""
        pletore = cast("PletorePosition", position)
        if pletore.is_over:
            outcome = pletore.outcome()
            return round(2 * ((outcome.final_margin or 0) + (self.rules.komi or 0)))
        setup = pletore.as_setup()
        button = setup.get("button", "unused")
        taken = {"B": 1, "W": -1}.get(button, 0)
        if _mirror_rule_may_bind(pletore):
            # At the beginning of even boards: the rules core knows which move is forbidden.
            sign = 1 if pletore.to_move == BLACK else -1
            values = []
            for move in pletore.legal_moves():
                after = pletore.copy()
                after.play(move)
                values.append(sign * self._evaluate(after, deadline))
            return sign * max(values)
        stones = pletore.board
        board = (
            sum(1 << point for point, stone in enumerate(stones) if stone == 1),
            sum(1 << point for point, stone in enumerate(stones) if stone == 2),
        )
        solver = self._solver()
        return taken + solver.value(board, pletore.to_move, button == "free", setup["passes"], deadline)

    def _solver(self) -> Solver:
        size = self.rules.size or KNOWN
        if size not in self._solvers:
            self._solvers[size] = Solver(size)
        return self._solvers[size]


def _mirror_rule_may_bind(position: PletorePosition) -> bool:
    return (position.rules.size or 0) % 2 == 0 and position.ply < 2


def main() -> None:
    """Run the engine on standard input and output."""
    if len(sys.argv) > 1:
        import argparse  # only here: without options an engine starts faster

        argparse.ArgumentParser(description="Plays tiny Pletore boards perfectly.").parse_args()
    run(PerfectPlayer())


if __name__ == "__main__":
    main()
