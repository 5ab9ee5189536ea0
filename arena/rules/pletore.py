"""Pletore, the drawless territory game of Luis Bolaños Mures, on n x n points.

The one idea behind the code: a stone is a single bit (Black 1, White 2), so the colours that a point sees
along its row, and those it sees along its column, are each a mask of two bits, and their intersection is the
mask of the players who *pinch* the point. A player *controls* a point when he alone pinches it: the
intersection is exactly his bit. One move looks along the four rays of one point; lists and scores work on
whole lines.
"""

# What a method means stands where it is declared, in `Rules` and `Position`.
# ruff: noqa: D102

from __future__ import annotations

from functools import cache, lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    Outcome,
    QuestionError,
    Rules,
    RulesError,
)
from arena.rules.checks import check_choice, check_whole, shown
from arena.rules.geometry import (
    BLACK_STONE,
    EMPTY,
    LARGEST_SIZE,
    WHITE_STONE,
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

KOMI_BOUND = 10**9
"""The rules allow any whole komi; within this bound a margin is exact wherever it is stored or charted."""

_WEST, _EAST, _SOUTH, _NORTH = (0, -1), (0, 1), (-1, 0), (1, 0)

_NOBODY = 0
_BOTH = BLACK_STONE | WHITE_STONE

_BUTTON_UNUSED = -2
_BUTTON_FREE = -1

_SETUP_KEYS = ("n", "rows", "turn", "komi", "button", "passes", "white_turns")


class Pletore(Rules):
    """Pletore with a board size from 1 to 25 and a whole komi; the parity of both decides on the button."""

    game = "pletore"
    title = "Pletore"
    sizes = tuple(range(1, LARGEST_SIZE + 1))
    default_size = 9
    has_komi = True
    can_draw = False
    has_vertices = True

    size: int
    komi: int

    def __init__(self, size: int, komi: int) -> None:
        self.size = size
        self.komi = komi
        self.has_button = (komi - size) % 2 == 0
        points = size * size
        self.button = points
        self.pass_ = points + 1
        self._words = (*vertex_names(size), "button", "pass")
        self._moves = {**words_of_points(size), "button": self.button, "pass": self.pass_}

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Pletore:
        return cls(
            cls.default_size if size is None else check_whole(size, 1, LARGEST_SIZE, "size"),
            0 if komi is None else check_whole(komi, -KOMI_BOUND, KOMI_BOUND, "komi"),
        )

    def initial(self, first: int = BLACK) -> PletorePosition:
        if first != BLACK:
            raise QuestionError("in Pletore Black moves first")
        return PletorePosition(self)

    def from_setup(self, setup: Mapping[str, Any]) -> PletorePosition:
        check_setup_keys(setup, _SETUP_KEYS)
        rules = self.from_settings(
            size=check_whole(setup["n"], 1, LARGEST_SIZE, "setup n"),
            komi=check_whole(setup.get("komi", 0), -KOMI_BOUND, KOMI_BOUND, "setup komi"),
        )
        board, turn = board_and_turn(setup, rules.size)
        button = _BUTTON_UNUSED
        if rules.has_button:
            holder = check_choice(setup.get("button", "free"), ("free", "B", "W"), "setup button")
            button = {"free": _BUTTON_FREE, "B": BLACK, "W": WHITE}[holder]
        elif setup.get("button", "unused") != "unused":
            raise QuestionError(
                f"setup button: none is in use on {rules.size}x{rules.size} with komi {rules.komi}"
            )
        passes = check_whole(setup.get("passes", 0), 0, 1, "setup passes")
        white_turns = check_whole(setup.get("white_turns", 1), 0, rules.longest_game(), "setup white_turns")
        if white_turns == 0 and WHITE_STONE in board:
            raise QuestionError("setup white_turns is 0, but White has stones on the board")
        return PletorePosition(rules, board, turn, button, passes, white_has_moved=white_turns > 0)

    def parse_move(self, text: str) -> Move:
        move = self._moves.get(text)
        if move is None and text.isascii():
            move = self._moves.get(text.lower())
        if move is None:
            raise self._malformed(text)
        return move

    def _malformed(self, text: str) -> MalformedMoveError:
        return bad_vertex(text, self.size, "`button`", "`pass`")

    def format_move(self, move: Move) -> str:
        if not isinstance(move, int) or not 0 <= move <= self.pass_:
            raise ValueError(f"not a move of Pletore {self.size}x{self.size}: {shown(move)}")
        return self._words[move]

    def longest_game(self) -> int:
        """Return an upper bound of the number of turns.

        A line with k stones has at most k - 1 pairs of like stones that see each other, so the board has at
        most 2n(n - 1). A flip raises their number by at least 1; a placement lowers it by at most 1 (where it
        parts two enemy stones it must not see an enemy along the other line, the enemy would control the
        point). So there are at most n*n + 2n(n - 1) flips beside n*n placements and the button, and a pass
        can only stand before each of them, and twice at the end.
        """
        size = self.size
        actions = 2 * size * size + 2 * size * (size - 1) + int(self.has_button)
        return 2 * actions + 2

    def symmetries(self) -> Sequence[Callable[[Move], Move]]:
        """Return the eight of the square: seeing goes along rows and columns alike, turns keep opposites."""
        return [as_map((*points, self.button, self.pass_)) for points in of_square(self.size)]


class PletorePosition(GobanPosition):
    """One moment of a game of Pletore. A move is a point, `rules.button` or `rules.pass_`."""

    rules: Pletore

    def __init__(
        self,
        rules: Pletore,
        board: bytearray | None = None,
        to_move: int = BLACK,
        button: int | None = None,
        passes: int = 0,
        *,
        white_has_moved: bool = False,
    ) -> None:
        super().__init__(rules, board, to_move)
        if button is None:
            button = _BUTTON_FREE if rules.has_button else _BUTTON_UNUSED
        self._button = button
        self._passes = passes
        self._rays = _rays(rules.size)
        # On even boards White's first turn may not mirror Black's; `_forbidden` is that point while it binds.
        self._mirror_rule_pending = rules.size % 2 == 0 and not white_has_moved
        self._forbidden = -1
        if to_move == WHITE:
            self._forbid_mirror_image()

    def copy(self) -> PletorePosition:
        twin = object.__new__(PletorePosition)
        twin.rules = self.rules
        twin.to_move = self.to_move
        twin.ply = self.ply
        twin.is_over = self.is_over
        twin._points = self._points
        twin._board = self._board[:]
        twin._button = self._button
        twin._passes = self._passes
        twin._rays = self._rays
        twin._mirror_rule_pending = self._mirror_rule_pending
        twin._forbidden = self._forbidden
        return twin

    # --- What others read -------------------------------------------------------------------------

    def controllers(self) -> bytes:
        """Return who controls each point, with or without a stone: 0 nobody, 1 Black, 2 White."""
        return self._pinchers().translate(_CONTROLLER_OF_PINCHERS)

    def scores(self) -> tuple[int, int]:
        """Return the board scores of Black and White: own stones and empty points controlled."""
        codes = self._codes()
        return (
            self._board.count(BLACK_STONE) + codes.count(BLACK_STONE << 2),
            self._board.count(WHITE_STONE) + codes.count(WHITE_STONE << 2),
        )

    @property
    def button_state(self) -> Literal["unused", "free", "black", "white"]:
        """Whether the button is in use, and who has taken it."""
        return _BUTTON_STATES[self._button]

    # --- Moves ------------------------------------------------------------------------------------

    def play(self, move: Move) -> None:
        if not isinstance(move, int) or not self._allows(move):
            raise IllegalMoveError(self.refusal(move))
        if move < self._points:
            self._board[move] = self.to_move + 1
            self._passes = 0
        elif move == self._points:
            self._button = self.to_move
            self._passes = 0
        else:
            self._passes += 1
            self.is_over = self._passes == 2
        self.to_move = 1 - self.to_move
        self.ply += 1
        if self._mirror_rule_pending:
            self._follow_mirror_rule()

    def refusal(self, move: Move) -> str | None:
        if not isinstance(move, int) or not 0 <= move <= self.rules.pass_:
            return f"{shown(move)} is no move of Pletore {self.rules.size}x{self.rules.size}"
        if self._allows(move):
            return None
        if self.is_over:
            return "the game is over"
        if move == self.rules.button:
            return self._why_no_button()
        if move == self.rules.pass_:
            return self._why_no_pass()
        return self._why_no_stone(move)

    def _allows(self, move: int) -> bool:
        """Say whether a move is legal; the fast half of `refusal`."""
        if self.is_over:
            return False
        if 0 <= move < self._points:
            stone = self._board[move]
            own = self.to_move + 1
            if stone == EMPTY:
                return move != self._forbidden and self._pinchers_of(move) != _BOTH - own
            return stone != own and self._pinchers_of(move) == own
        if move == self._points:
            return self._button == _BUTTON_FREE
        return move == self._points + 1 and self._button != _BUTTON_FREE and self._every_empty_point_is_held()

    def legal_moves(self) -> list[Move]:
        if self.is_over:
            return []
        codes = self._codes()
        moves: list[Move] = list(compress(range(self._points), codes.translate(_MAY_PUT[self.to_move])))
        if self._forbidden >= 0:
            moves.remove(self._forbidden)
        if self._button == _BUTTON_FREE:
            moves.append(self.rules.button)
        elif _is_held(codes):
            moves.append(self.rules.pass_)
        return moves

    def is_placement(self, move: Move) -> bool:
        return isinstance(move, int) and 0 <= move < self._points and self._board[move] == EMPTY

    # --- The mirror rule --------------------------------------------------------------------------

    def _follow_mirror_rule(self) -> None:
        if self.to_move == WHITE:
            self._forbid_mirror_image()
        else:
            self._mirror_rule_pending = False
            self._forbidden = -1

    def _forbid_mirror_image(self) -> None:
        """Forbid White's first stone to stand opposite the only stone on the board, if there is just one."""
        if self._mirror_rule_pending and self._board.count(EMPTY) == self._points - 1:
            self._forbidden = self._points - 1 - self._board.index(BLACK_STONE)

    # --- Sight and control ------------------------------------------------------------------------

    def _pinchers_of(self, point: int) -> int:
        """Return the mask of the players who pinch a point."""
        board = self._board
        west, east, south, north = self._rays[point]
        along_row = along_column = _NOBODY
        for seen in west:
            if board[seen]:
                along_row = board[seen]
                break
        for seen in east:
            if board[seen]:
                along_row |= board[seen]
                break
        if along_row == _NOBODY:
            return _NOBODY
        for seen in south:
            if board[seen]:
                along_column = board[seen]
                break
        for seen in north:
            if board[seen]:
                along_column |= board[seen]
                break
        return along_row & along_column

    def _pinchers(self) -> bytes:
        """Return the mask of the players who pinch it for every point, line by line."""
        size, points = self.rules.size, self._points
        board = bytes(self._board)
        along_rows = b"".join([_seen_along(board[start : start + size]) for start in range(0, points, size)])
        along_columns = bytearray(points)
        for column in range(size):
            along_columns[column::size] = _seen_along(board[column::size])
        # One long integer each: the intersection of all masks is a single operation.
        return (int.from_bytes(along_rows) & int.from_bytes(along_columns)).to_bytes(points)

    def _codes(self) -> bytes:
        """Return for every point its stone (bits 0 and 1) and its pinchers (bits 2 and 3)."""
        pinchers = int.from_bytes(self._pinchers())
        return (pinchers << 2 | int.from_bytes(self._board)).to_bytes(self._points)

    def _every_empty_point_is_held(self) -> bool:
        return EMPTY not in self._board or _is_held(self._codes())

    # --- Words ------------------------------------------------------------------------------------

    def _why_no_button(self) -> str:
        if self._button == _BUTTON_UNUSED:
            return (
                f"the button is not in use on {self.rules.size}x{self.rules.size} with komi {self.rules.komi}"
            )
        return f"the button is already taken by {title(self._button)}"

    def _why_no_pass(self) -> str:
        if self._button == _BUTTON_FREE:
            return "no pass while the button is free"
        codes = self._codes()
        open_point = next(point for point, code in enumerate(codes) if code in _UNHELD)
        return f"no pass while an empty point is controlled by nobody ({self.rules.format_move(open_point)})"

    def _why_no_stone(self, point: int) -> str:
        vertex = self.rules.format_move(point)
        mover = title(self.to_move)
        stone = self._board[point]
        if stone == EMPTY:
            if point == self._forbidden:
                return f"{vertex} mirrors Black's first stone, which White's first turn may not"
            return f"{vertex} is controlled by {title(1 - self.to_move)}"
        if stone == self.to_move + 1:
            return f"{vertex} already holds a stone of {mover}"
        return f"{vertex} holds a stone of {title(1 - self.to_move)}, and {mover} does not control the point"

    def diagram(self) -> list[str]:
        facts = [f"{title(self.to_move)} to move", f"komi {self.rules.komi}"]
        if self.is_over:
            facts[0] = f"game over, {self.outcome().result}"
        if self._button != _BUTTON_UNUSED:
            facts.append(f"button {self.button_state}")
        if self._passes == 1:
            facts.append("one pass")
        return [*drawing(self._board, self.rules.size), ", ".join(facts)]

    def key(self) -> str:
        rows = "/".join(rows_text(self._board, self.rules.size))
        mirror_may_bind = self._mirror_rule_pending and (
            self._forbidden >= 0 or (self.to_move == BLACK and not any(self._board))
        )
        return (
            f"pletore {rows} {colour_letter(self.to_move)} komi {self.rules.komi} "
            f"button {self.button_state} passes {self._passes}{' mirror' if mirror_may_bind else ''}"
        )

    def as_setup(self) -> dict[str, Any]:
        setup: dict[str, Any] = {
            **super().as_setup(),
            "komi": self.rules.komi,
            "passes": self._passes,
            "white_turns": 0 if self._mirror_rule_pending else 1,
        }
        if self._button != _BUTTON_UNUSED:
            setup["button"] = {_BUTTON_FREE: "free", BLACK: "B", WHITE: "W"}[self._button]
        return setup

    # --- The end ----------------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        if not self.is_over:
            raise RulesError("the game is not over")
        black, white = self.scores()
        black_final: float = black
        white_final: float = white + self.rules.komi
        taker = self._button if self._button in (BLACK, WHITE) else None
        if taker == BLACK:
            black_final += 0.5
        elif taker == WHITE:
            white_final += 0.5
        margin = black_final - white_final
        winner = BLACK if margin > 0 else WHITE
        return Outcome(
            winner=winner,
            reasons=("score",),
            result=f"{colour_letter(winner)}+{_number(abs(margin))}",
            board_margin=black - white,
            final_margin=margin,
            button=taker,
            details={
                "board_scores": {"black": black, "white": white},
                "scores": {"black": black_final, "white": white_final},
                "komi": self.rules.komi,
                "button": self.button_state,
            },
        )


def _number(value: float) -> str:
    """Return a margin without a fraction when it is whole."""
    return str(int(value)) if value == int(value) else f"{value:.1f}"


@cache
def _rays(size: int) -> tuple[tuple[Ray, Ray, Ray, Ray], ...]:
    return tuple(
        (west, east, south, north) for west, east, south, north in rays(size, (_WEST, _EAST, _SOUTH, _NORTH))
    )


@lru_cache(maxsize=1 << 14)
def _seen_along(line: bytes) -> bytes:
    """Return for each point of a row or column the mask of the colours it sees along it.

    Most lines of a board are as they were a turn ago, so the answers are kept (at most some 4 MB of them).
    """
    masks = bytearray(len(line))
    _look(line, masks, range(len(line)))
    _look(line, masks, range(len(line) - 1, -1, -1))
    return bytes(masks)


def _look(line: bytes, masks: bytearray, points: Sequence[int]) -> None:
    """Add to each point's mask the stone last passed on a walk along the line."""
    last = EMPTY
    for point in points:
        masks[point] |= last
        last = line[point] or last


def _is_held(codes: bytes) -> bool:
    """Say whether every empty point is controlled by somebody."""
    return not any(code in codes for code in _UNHELD)


def _table(marked: Mapping[int, int]) -> bytes:
    return bytes(marked.get(code, 0) for code in range(256))


_UNHELD = (EMPTY | _NOBODY << 2, EMPTY | _BOTH << 2)
"""The codes of an empty point that nobody controls."""

_CONTROLLER_OF_PINCHERS = _table({BLACK_STONE: BLACK_STONE, WHITE_STONE: WHITE_STONE})

_MAY_PUT = tuple(
    _table(
        {
            **{EMPTY | pinchers << 2: 1 for pinchers in range(4) if pinchers != _BOTH - own},
            (_BOTH - own) | own << 2: 1,
        }
    )
    for own in (BLACK_STONE, WHITE_STONE)
)
"""For each mover: which codes are those of a point where he may place or flip."""

_BUTTON_STATES: dict[int, Literal["unused", "free", "black", "white"]] = {
    _BUTTON_UNUSED: "unused",
    _BUTTON_FREE: "free",
    BLACK: "black",
    WHITE: "white",
}
