"""Topolo: small, medium and large pieces fill a square board; the largest connected group wins.

Source: the published rule text, in the readings of docs/rules.md. Black of the wire is Red, who places
first; White of the wire is the player called Black there.

A cell is the number `row * size + column`, row 0 being row 1, nearest Red. A move is the number
`cell * 3 + height - 1`, so that ascending numbers are the canonical order of the rule vectors.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    NoSuchMoveError,
    Outcome,
    Position,
    QuestionError,
    Rules,
    RulesError,
    colour_name,
)
from arena.rules.checks import check_choice, check_keys, check_object, check_whole, shown
from arena.rules.symmetry import as_map, keeping_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.rules.base import Move

EMPTY = -1
"""What an empty cell holds in place of a colour."""

HEIGHTS = (1, 2, 3)
"""Small, medium and large."""

_MOVE_WORD = re.compile(r"([A-H])([1-8]):([1-3])", re.IGNORECASE | re.ASCII)
_MOVE_FORM = re.compile(r"[A-Z][0-9]{1,3}:[0-9]{1,3}|pass", re.IGNORECASE | re.ASCII)
_TOKENS = {"..": (EMPTY, 0)} | {
    f"{letter}{height}": (colour, height) for colour, letter in enumerate("RB") for height in HEIGHTS
}
_TOKEN_OF = {content: token for token, content in _TOKENS.items()}
_LETTERS = "RB"


class Topolo(Rules):
    """Topolo on 8x8, and on 4x4 for trial and teaching."""

    game: ClassVar[str] = "topolo"
    title: ClassVar[str] = "Topolo"
    sizes: ClassVar[tuple[int, ...]] = (4, 8)
    default_size: ClassVar[int | None] = 8
    colour_titles: ClassVar[tuple[str, str]] = ("Red", "Black")
    margin_unit: ClassVar[str] = "pieces"

    def __init__(self, size: int) -> None:
        self.size: int = size
        self.komi = None
        self.cell_names: tuple[str, ...] = tuple(
            f"{'ABCDEFGH'[column]}{row + 1}" for row in range(size) for column in range(size)
        )
        self.neighbours: tuple[tuple[int, ...], ...] = tuple(
            tuple(
                (row + down) * size + column + right
                for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
                if 0 <= row + down < size and 0 <= column + right < size
            )
            for row in range(size)
            for column in range(size)
        )

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Self:
        """Make the rules for size 8 (None) or 4; komi must be None."""
        if komi is not None:
            raise QuestionError(f"topolo has no komi: {komi} not accepted")
        if size is None:
            size = 8
        if type(size) is not int or size not in cls.sizes:
            raise QuestionError(f"size {shown(size)}: topolo is played on size 8 (or 4, for trial)")
        return cls(size)

    def initial(self, first: int = BLACK) -> TopoloPosition:
        """Return the empty board; Red (black) always begins."""
        if first != BLACK:
            raise QuestionError("topolo is always begun by Red (black)")
        return TopoloPosition(self)

    def from_setup(self, setup: Mapping[str, Any]) -> TopoloPosition:
        """Return the position of a `setup` object: `n`, `rows`, `turn`, `parity`, `free_hands`."""
        return _position_of_setup(self, setup)

    def parse_move(self, text: str) -> Move:
        """Turn `D4:3` into a move."""
        match = _MOVE_WORD.fullmatch(text)
        if match is not None:
            column, row = "ABCDEFGH".index(match[1].upper()), int(match[2]) - 1
            if column < self.size and row < self.size:
                return (row * self.size + column) * 3 + int(match[3]) - 1
        last_cell = self.cell_names[-1]
        error = NoSuchMoveError if _MOVE_FORM.fullmatch(text) else MalformedMoveError
        raise error(f"{shown(text)} is no topolo move: write cell:height, A1:1 to {last_cell}:3")

    def format_move(self, move: Move) -> str:
        """Return the word of a move, e.g. `D4:3`."""
        if type(move) is not int or not 0 <= move < 3 * self.size * self.size:
            raise RulesError(f"{shown(move)} is no topolo move of size {self.size}")
        return f"{self.cell_names[move // 3]}:{move % 3 + 1}"

    def longest_game(self) -> int:
        """Return the number of cells: every game fills the board."""
        return self.size * self.size

    def symmetries(self) -> Sequence[Callable[[Move], Move]]:
        """Return the four that keep rows together.

        The first piece closes every other row, so a row must go to a row; which rows are odd does not
        matter, as both kinds are alike but for the first piece.
        """
        return [
            as_map(cell * 3 + offset for cell in cells for offset in range(3))
            for cells in keeping_rows(self.size)
        ]

    def full_hand(self) -> list[int]:
        """Return a side's pieces at the start by height (index 0 unused): half are small."""
        pieces = self.size * self.size // 2
        return [0, pieces // 2, pieces // 4, pieces // 4]


class TopoloPosition(Position):
    """One moment of a game of Topolo.

    Attributes:
        board: colour for each cell, or EMPTY.
        heights: height for each cell, 0 where it is empty.
        hands: pieces left for each colour, by height (index 0 unused).
        parity: row number mod 2 of the first piece; None while there is none, and in a set-up position where
            it matters no more and was not stated.
    """

    rules: Topolo

    def __init__(self, rules: Topolo) -> None:
        cells = rules.size * rules.size
        self.rules = rules
        self.to_move = BLACK
        self.ply = 0
        self.is_over = False
        self.board = [EMPTY] * cells
        self.heights = [0] * cells
        self.hands = (rules.full_hand(), rules.full_hand())
        self.parity: int | None = None
        self._cells_left = cells

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        twin.rules = self.rules
        twin.to_move = self.to_move
        twin.ply = self.ply
        twin.is_over = self.is_over
        twin.board = self.board.copy()
        twin.heights = self.heights.copy()
        twin.hands = (self.hands[BLACK].copy(), self.hands[WHITE].copy())
        twin.parity = self.parity
        twin._cells_left = self._cells_left
        return twin

    def _closed_rows(self) -> int | None:
        """Return the row index mod 2 of rows that nothing may be placed on yet; None when all rows are open.

        Row indices are row numbers less one, so this is the number that `parity` is.
        """
        return self.parity if self._cells_left > len(self.board) // 2 else None

    def legal_moves(self) -> list[Move]:
        """Return every legal placement: by row from row 1, then column, then height."""
        if self.is_over:
            return []
        hand = self.hands[self.to_move]
        offsets = [height - 1 for height in HEIGHTS if hand[height]]
        size, board, closed = self.rules.size, self.board, self._closed_rows()
        moves: list[Move] = []
        for row in range(size):
            if row % 2 != closed:
                for cell in range(row * size, (row + 1) * size):
                    if board[cell] == EMPTY:
                        moves += [cell * 3 + offset for offset in offsets]
        return moves

    def refusal(self, move: Move) -> str | None:
        """Say why a placement is illegal here, None when it is legal."""
        rules = self.rules
        if self.is_over:
            return "the game is over"
        if type(move) is not int or not 0 <= move < 3 * rules.size * rules.size:
            return f"{shown(move)} is no move on this board"
        cell, height = move // 3, move % 3 + 1
        row = cell // rules.size
        if self.board[cell] != EMPTY:
            return f"{rules.cell_names[cell]} is taken by a {rules.colour_titles[self.board[cell]]} piece"
        if row % 2 == self._closed_rows():
            open_rows = "even" if row % 2 == 0 else "odd"
            return f"row {row + 1} is closed until the {open_rows} rows are full"
        if not self.hands[self.to_move][height]:
            return f"{rules.colour_titles[self.to_move]} has no piece of height {height} left"
        return None

    def play(self, move: Move) -> None:
        """Place one piece."""
        why_not = self.refusal(move)
        if why_not is not None:
            raise IllegalMoveError(why_not)
        number = cast("int", move)
        cell, height = number // 3, number % 3 + 1
        colour = self.to_move
        self.board[cell] = colour
        self.heights[cell] = height
        self.hands[colour][height] -= 1
        self._cells_left -= 1
        if self.parity is None:
            self.parity = (cell // self.rules.size + 1) % 2
        self.is_over = self._cells_left == 0
        self.to_move = 1 - colour
        self.ply += 1

    def groups(self, colour: int) -> list[tuple[int, int]]:
        """Return (pieces, total height) of each group of a colour, most pieces first, then highest first."""
        board, heights, neighbours = self.board, self.heights, self.rules.neighbours
        unseen = {cell for cell, owner in enumerate(board) if owner == colour}
        found = []
        while unseen:
            stack = [unseen.pop()]
            pieces = height = 0
            while stack:
                cell = stack.pop()
                pieces += 1
                height += heights[cell]
                for neighbour in neighbours[cell]:
                    if neighbour in unseen:
                        unseen.remove(neighbour)
                        stack.append(neighbour)
            found.append((pieces, height))
        return sorted(found, reverse=True)

    def outcome(self) -> Outcome:
        """Compare the groups pair by pair: first pieces, then height, then the next pair."""
        if not self.is_over:
            raise RulesError("the game is not over: the board is not full")
        groups = {colour: self.groups(colour) for colour in (BLACK, WHITE)}
        details = {
            "groups": {colour_name(colour): [list(group) for group in groups[colour]] for colour in groups}
        }
        margin = groups[BLACK][0][0] - groups[WHITE][0][0] if groups[BLACK] and groups[WHITE] else None
        # Both sides place equally many pieces, so one list can end before the other only after a pair of
        # unequal sizes; (0, 0) serves set-up positions whose sides have unequal numbers of pieces.
        pairs = zip_longest(groups[BLACK], groups[WHITE], fillvalue=(0, 0))
        for number, (black, white) in enumerate(pairs, start=1):
            if black == white:
                continue
            by_size = black[0] != white[0]
            difference = black[0] - white[0] if by_size else black[1] - white[1]
            winner = BLACK if difference > 0 else WHITE
            return Outcome(
                winner=winner,
                reasons=("largest-group",),
                result=f"{'BW'[winner]}+{'' if by_size else 'h'}{abs(difference)}",
                board_margin=margin,
                final_margin=margin,
                decided_by="size" if by_size else "height",
                deciding_group=number,
                details=details,
            )
        return Outcome(
            winner=None,
            reasons=("all-groups-equal",),
            result="0",
            board_margin=margin,
            final_margin=margin,
            details=details,
        )

    def diagram(self) -> list[str]:
        """Return rows from the top (`R1` … `B3`, `..` empty), columns, and the pieces left."""
        size = self.rules.size
        lines = []
        for row in reversed(range(size)):
            cells = range(row * size, (row + 1) * size)
            tokens = " ".join(_TOKEN_OF[self.board[cell], self.heights[cell]] for cell in cells)
            lines.append(f"{row + 1:2} {tokens}")
        lines.append("   " + "  ".join("ABCDEFGH"[:size]))
        for colour, title in enumerate(self.rules.colour_titles):
            hand = ", ".join(f"{self.hands[colour][height]} of height {height}" for height in HEIGHTS)
            lines.append(f"{title} has left: {hand}")
        lines.append(
            "the board is full" if self.is_over else f"{self.rules.colour_titles[self.to_move]} to move"
        )
        return lines

    def pieces(self) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
        """Return the pieces of Red and of Black."""
        red, black = (
            tuple(
                cell * 3 + self.heights[cell] - 1 for cell, owner in enumerate(self.board) if owner == colour
            )
            for colour in (BLACK, WHITE)
        )
        return red, black

    def as_setup(self) -> dict[str, Any]:
        """Return the position in the form of a `setup` object, all keys written out."""
        size = self.rules.size
        tokens = [_TOKEN_OF[content] for content in zip(self.board, self.heights, strict=True)]
        return {
            "n": size,
            "rows": [" ".join(tokens[row * size : (row + 1) * size]) for row in reversed(range(size))],
            "turn": _LETTERS[self.to_move],
            "parity": self.parity,
        }

    def key(self) -> str:
        """Return size, side to move and the cells; which rows are open follows from the cells."""
        cells = "".join(
            "." if owner == EMPTY else "rb"[owner] + str(height)
            for owner, height in zip(self.board, self.heights, strict=True)
        )
        return f"{self.rules.size} {'rb'[self.to_move]} {cells}"


def _position_of_setup(rules: Topolo, setup: Mapping[str, Any]) -> TopoloPosition:
    """Check a set-up object and build its position."""
    check_keys(check_object(setup, "setup"), ("n", "rows", "turn", "parity", "free_hands"), "setup")
    size = setup.get("n", rules.size)
    if type(size) is not int or size not in rules.sizes:
        raise QuestionError(f"setup n must be 4 or 8, not {shown(size)}")
    free_hands = setup.get("free_hands", False)
    if not isinstance(free_hands, bool):
        raise QuestionError(f"setup free_hands must be true or false, not {shown(free_hands)}")

    position = TopoloPosition(rules if size == rules.size else type(rules)(size))
    _fill_board(position, setup.get("rows"))
    if not free_hands:
        _check_piece_numbers(position)
    for hand in position.hands:
        hand[:] = [max(0, pieces) for pieces in hand]

    position.ply = sum(owner != EMPTY for owner in position.board)
    position.to_move = position.ply % 2
    turn = setup.get("turn")
    if turn is not None:
        position.to_move = _LETTERS.index(check_choice(turn, _LETTERS, "setup turn"))
        if position.to_move != position.ply % 2 and not free_hands:
            raise QuestionError(f"setup turn {turn}: after {position.ply} pieces it is the other side's turn")

    position._cells_left = len(position.board) - position.ply
    position.parity = _parity(position, setup.get("parity"))
    position.is_over = position._cells_left == 0
    return position


def _fill_board(position: TopoloPosition, rows: object) -> None:
    """Put the tokens of the rows on the board and take them out of the hands (which may go below zero)."""
    size = position.rules.size
    if not isinstance(rows, list) or len(rows) != size:
        raise QuestionError(f"setup rows must be a list of {size} rows from the top, not {shown(rows)}")
    for row, line in zip(reversed(range(size)), rows, strict=True):
        # A token and its blank take three characters: a much longer line is refused before it is split.
        tokens = line.split() if isinstance(line, str) and len(line) <= 4 * size else []
        if len(tokens) != size or any(token not in _TOKENS for token in tokens):
            raise QuestionError(
                f"setup rows, row {row + 1}, must be {size} of R1 to R3, B1 to B3 and .., not {shown(line)}"
            )
        for column, token in enumerate(tokens):
            owner, height = _TOKENS[token]
            if owner != EMPTY:
                position.board[row * size + column] = owner
                position.heights[row * size + column] = height
                position.hands[owner][height] -= 1


def _check_piece_numbers(position: TopoloPosition) -> None:
    """Refuse more pieces than a side has, and numbers that placing in turn cannot lead to."""
    for title, hand in zip(position.rules.colour_titles, position.hands, strict=True):
        for height in HEIGHTS:
            if hand[height] < 0:
                raise QuestionError(f"setup rows: more pieces of height {height} than {title} has")
    red, black = (position.board.count(colour) for colour in (BLACK, WHITE))
    if red - black not in (0, 1):
        raise QuestionError(
            f"setup rows: {red} Red and {black} Black pieces, but the sides place in turn, Red first"
        )


def _parity(position: TopoloPosition, stated: object) -> int | None:
    """Return the parity of the row number of the first piece: as stated, else as the cells tell.

    None where there is no piece yet, or where both kinds of rows are full and nothing is stated.
    """
    half = len(position.board) // 2
    placed = [0, 0]
    for cell, owner in enumerate(position.board):
        placed[(cell // position.rules.size + 1) % 2] += owner != EMPTY
    possible = [one for one in (0, 1) if placed[one] == half or (placed[one] and not placed[1 - one])]
    if not possible and placed != [0, 0]:
        raise QuestionError("setup rows: even and odd rows are both begun, and neither are full")
    if stated is None:
        return possible[0] if len(possible) == 1 else None
    parity = check_whole(stated, 0, 1, "setup parity")
    if parity not in possible:
        raise QuestionError(f"setup parity {parity}: no first piece on such a row fits the rows given")
    return parity
