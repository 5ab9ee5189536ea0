"""Pente: five in a row, or five pairs captured, on the intersections of an odd board.

A move looks at the new stone's surroundings alone: eight possible captures, four lines for the length of
the run. Stones never move, so nothing else has to be kept than the board and the pairs.
"""

# What a method means stands where it is declared, in `Rules` and `Position`.
# ruff: noqa: D102

from __future__ import annotations

from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    Outcome,
    QuestionError,
    Rules,
    RulesError,
)
from arena.rules.checks import check_keys, check_object, check_whole, shown
from arena.rules.geometry import (
    EMPTY,
    LARGEST_SIZE,
    Ray,
    bad_vertex,
    colour_letter,
    drawing,
    rays,
    rows_text,
    vertex_names,
    words_of_points,
)
from arena.rules.goban import GobanPosition, board_and_turn, check_setup_keys, title
from arena.rules.symmetry import as_map, of_square

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.rules.base import Move

WINNING_RUN = 5
WINNING_PAIRS = 5

_ANNOUNCED = {3: "three", 4: "four"}

_OPPOSITE_DIRECTIONS = (((0, -1), (0, 1)), ((-1, 0), (1, 0)), ((-1, -1), (1, 1)), ((-1, 1), (1, -1)))
"""Row, column, rising and falling diagonal, each in both directions."""

_SETUP_KEYS = ("n", "rows", "turn", "pairs")


class Pente(Rules):
    """Pente on an odd board from 5 to 25 lines; 19 is the game."""

    game = "pente"
    title = "Pente"
    sizes = tuple(range(5, LARGEST_SIZE + 1, 2))
    default_size = 19
    margin_unit = "pairs captured"
    has_vertices = True

    size: int
    komi: None

    def __init__(self, size: int) -> None:
        self.size = size
        self.komi = None
        self._names = vertex_names(size)
        self._points = words_of_points(size)

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Pente:
        if komi is not None:
            raise QuestionError(f"Pente has no komi: {shown(komi)} not accepted")
        return cls(cls.default_size if size is None else _checked_size(size, "size"))

    def initial(self, first: int = BLACK) -> PentePosition:
        if first != BLACK:
            raise QuestionError("in Pente Black moves first")
        return PentePosition(self)

    def from_setup(self, setup: Mapping[str, Any]) -> PentePosition:
        check_setup_keys(setup, _SETUP_KEYS)
        rules = self.from_settings(size=_checked_size(setup["n"], "setup n"))
        board, turn = board_and_turn(setup, rules.size)
        pairs = check_object(setup.get("pairs", {}), "setup pairs")
        check_keys(pairs, ("B", "W"), "setup pairs")
        black_pairs, white_pairs = (
            check_whole(pairs.get(letter, 0), 0, WINNING_PAIRS - 1, f"setup pairs {letter}")
            for letter in "BW"
        )
        if EMPTY not in board:
            raise QuestionError("setup rows: the board is full, the game would be over")
        if not any(board) and (turn == WHITE or black_pairs or white_pairs):
            raise QuestionError("setup rows: on an empty board it is Black's turn and nothing is captured")
        return PentePosition(rules, board, turn, [black_pairs, white_pairs])

    def parse_move(self, text: str) -> Move:
        point = self._points.get(text)
        if point is None:
            raise bad_vertex(text, self.size)
        return point

    def format_move(self, move: Move) -> str:
        if not isinstance(move, int) or not 0 <= move < len(self._names):
            raise ValueError(f"not a point of a board of {self.size} lines: {shown(move)}")
        return self._names[move]

    def longest_game(self) -> int:
        """Return an upper bound of the number of turns.

        Every stone but those captured stays, and without a win each side has captured at most 4 pairs.
        """
        return self.size * self.size + 2 * 2 * (WINNING_PAIRS - 1)

    def symmetries(self) -> Sequence[Callable[[Move], Move]]:
        """Return the eight of the square: lines and captures go in all directions, the centre stays."""
        return [as_map(points) for points in of_square(self.size)]


class PentePosition(GobanPosition):
    """One moment of a game of Pente. A move is a point: row * size + column, from A1."""

    rules: Pente

    def __init__(
        self,
        rules: Pente,
        board: bytearray | None = None,
        to_move: int = BLACK,
        pairs: Sequence[int] = (0, 0),
    ) -> None:
        super().__init__(rules, board, to_move)
        self._empty_points = self._board.count(EMPTY)
        self._only_point = self._points // 2 if self._empty_points == self._points else -1
        self._pairs = list(pairs)
        self._surroundings = _surroundings(rules.size)
        self._captured: list[int] = []
        self._longest_run = 0

    def copy(self) -> PentePosition:
        twin = object.__new__(PentePosition)
        twin.rules = self.rules
        twin.to_move = self.to_move
        twin.ply = self.ply
        twin.is_over = self.is_over
        twin._board = self._board[:]
        twin._points = self._points
        twin._empty_points = self._empty_points
        twin._only_point = self._only_point
        twin._pairs = self._pairs[:]
        twin._surroundings = self._surroundings
        twin._captured = self._captured
        twin._longest_run = self._longest_run
        return twin

    # --- What others read -------------------------------------------------------------------------

    @property
    def pairs_captured(self) -> tuple[int, int]:
        """Pairs captured by Black and by White."""
        return self._pairs[BLACK], self._pairs[WHITE]

    @property
    def captured(self) -> Sequence[Move]:
        return tuple(sorted(self._captured))

    @property
    def announcement(self) -> str | None:
        return None if self._reasons() else _ANNOUNCED.get(self._longest_run)

    def runs_through(self, point: Move) -> tuple[int, ...]:
        """Return the lengths of the unbroken lines through the stone on a point, the longest first.

        Raises:
            RulesError: there is no stone on the point.
        """
        if not isinstance(point, int) or not 0 <= point < self._points or self._board[point] == EMPTY:
            raise RulesError(f"no stone there: {shown(point)}")
        board = self._board
        own = board[point]
        runs = []
        for line in self._surroundings[point].lines:
            run = 1
            for ray in line:
                for other in ray:
                    if board[other] != own:
                        break
                    run += 1
            runs.append(run)
        return tuple(sorted(runs, reverse=True))

    # --- Moves ------------------------------------------------------------------------------------

    def play(self, move: Move) -> None:
        if not isinstance(move, int) or not self._allows(move):
            raise IllegalMoveError(self.refusal(move))
        board = self._board
        own = self.to_move + 1
        enemy = 3 - own
        brackets, lines = self._surroundings[move]
        board[move] = own
        captured: list[int] = []
        for near, far, bracket in brackets:
            if board[near] == enemy and board[far] == enemy and board[bracket] == own:
                board[near] = board[far] = EMPTY
                captured += (near, far)
        longest = 1
        for one_way, other_way in lines:
            run = 1
            for other in one_way:
                if board[other] != own:
                    break
                run += 1
            for other in other_way:
                if board[other] != own:
                    break
                run += 1
            if run > longest:
                longest = run
        self._captured = captured
        self._longest_run = longest
        self._pairs[self.to_move] += len(captured) // 2
        self._empty_points += len(captured) - 1
        self.is_over = (
            longest >= WINNING_RUN or self._pairs[self.to_move] >= WINNING_PAIRS or self._empty_points == 0
        )
        self._only_point = -1
        self.to_move = 1 - self.to_move
        self.ply += 1

    def refusal(self, move: Move) -> str | None:
        if not isinstance(move, int) or not 0 <= move < self._points:
            return f"{shown(move)} is no point of a board of {self.rules.size} lines"
        if self._allows(move):
            return None
        if self.is_over:
            return "the game is over"
        vertex = self.rules.format_move(move)
        if self._board[move] != EMPTY:
            return f"{vertex} already holds a stone of {title(self._board[move] - 1)}"
        centre = self.rules.format_move(self._only_point)
        return f"Black's first stone goes on the centre, {centre}, not on {vertex}"

    def _allows(self, move: int) -> bool:
        """Say whether a move is legal; the fast half of `refusal`."""
        return (
            not self.is_over
            and 0 <= move < self._points
            and self._board[move] == EMPTY
            and self._only_point in (-1, move)
        )

    def legal_moves(self) -> list[Move]:
        if self.is_over:
            return []
        if self._only_point >= 0:
            return [self._only_point]
        return list(compress(range(self._points), self._board.translate(_IS_EMPTY)))

    # --- The end ----------------------------------------------------------------------------------

    def _reasons(self) -> tuple[str, ...]:
        """Return how the last move won, empty if it did not."""
        if not self.is_over:
            return ()
        five = ("five",) if self._longest_run >= WINNING_RUN else ()
        pairs = ("pairs",) if self._pairs[1 - self.to_move] >= WINNING_PAIRS else ()
        return five + pairs

    def outcome(self) -> Outcome:
        if not self.is_over:
            raise RulesError("the game is not over")
        reasons = self._reasons()
        winner = 1 - self.to_move if reasons else None
        margin = self._pairs[BLACK] - self._pairs[WHITE]
        return Outcome(
            winner=winner,
            reasons=reasons or ("full-board",),
            result="0" if winner is None else f"{colour_letter(winner)}+{reasons[0]}",
            board_margin=margin,
            final_margin=margin,
            details={
                "pairs": {"black": self._pairs[BLACK], "white": self._pairs[WHITE]},
                "longest_run": self._longest_run,
            },
        )

    # --- Words ------------------------------------------------------------------------------------

    def diagram(self) -> list[str]:
        state = f"game over, {self.outcome().result}" if self.is_over else f"{title(self.to_move)} to move"
        pairs = f"pairs captured: Black {self._pairs[BLACK]}, White {self._pairs[WHITE]}"
        return [*drawing(self._board, self.rules.size), f"{state}, {pairs}"]

    def key(self) -> str:
        rows = "/".join(rows_text(self._board, self.rules.size))
        state = f" over {self.outcome().result}" if self.is_over else ""
        black, white = self._pairs
        return f"pente {rows} {colour_letter(self.to_move)} pairs {black} {white}{state}"

    def as_setup(self) -> dict[str, Any]:
        return {**super().as_setup(), "pairs": {"B": self._pairs[BLACK], "W": self._pairs[WHITE]}}


def _checked_size(size: object, where: str) -> int:
    number = check_whole(size, Pente.sizes[0], Pente.sizes[-1], where)
    if number not in Pente.sizes:
        raise QuestionError(f"{where} must be odd in Pente, from 5 to 25, not {number}")
    return number


_IS_EMPTY = bytes(int(content == EMPTY) for content in range(256))


class _Surroundings(NamedTuple):
    """What a stone on one point can close or continue.

    Attributes:
        brackets: for each direction with room for a capture: the two points of the pair and the far bracket.
        lines: for row, column and diagonals the rays both ways.
    """

    brackets: tuple[tuple[int, int, int], ...]
    lines: tuple[tuple[Ray, Ray], ...]


@cache
def _surroundings(size: int) -> tuple[_Surroundings, ...]:
    directions = tuple(direction for opposite in _OPPOSITE_DIRECTIONS for direction in opposite)
    return tuple(
        _Surroundings(
            brackets=tuple((ray[0], ray[1], ray[2]) for ray in around if len(ray) >= 3),
            lines=tuple(zip(around[::2], around[1::2], strict=True)),
        )
        for around in rays(size, directions)
    )
