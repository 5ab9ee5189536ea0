"""Two games small enough to see through, for tests that must not hang on the rules of a real one."""

# What a method means stands where it is declared, in `Rules` and `Position`.
# ruff: noqa: D101, D102

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    Outcome,
    Position,
    QuestionError,
    Rules,
    RulesError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.rules.base import Move


class Trio(Rules):
    """Three own stones side by side in a row win; a full board is a draw; `pass` is no placement.

    Cells are `a1`, `b1`, …; the referee calls `two` while two like stones stand side by side.
    """

    game = "trio"
    title = "Trio"
    sizes = tuple(range(1, 27))
    default_size = 3
    has_komi = True

    def __init__(self, size: int = 3, komi: int = 0) -> None:
        self.size: int = size
        self.komi = komi

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Trio:
        return cls(3 if size is None else size, komi or 0)

    def initial(self, first: int = BLACK) -> TrioPosition:
        if first != BLACK:
            raise QuestionError("Black begins")
        return TrioPosition(self)

    def from_setup(self, setup: Mapping[str, Any]) -> TrioPosition:
        raise QuestionError("no set-ups")

    def parse_move(self, text: str) -> Move:
        if text.lower() == "pass":
            return -1
        found = re.fullmatch(r"([a-z])([1-9][0-9]?)", text.lower())
        if not found or (column := ord(found[1]) - 97) >= self.size or int(found[2]) > self.size:
            raise MalformedMoveError(f"{text[:20]!r} is no cell")
        return (int(found[2]) - 1) * self.size + column

    def format_move(self, move: Move) -> str:
        assert isinstance(move, int)
        return "pass" if move < 0 else f"{chr(97 + move % self.size)}{move // self.size + 1}"

    def longest_game(self) -> int:
        return 10**6


class TrioPosition(Position):
    rules: Trio

    def __init__(self, rules: Trio) -> None:
        self.rules = rules
        self.to_move = BLACK
        self.ply = 0
        self.is_over = False
        self.board = "." * rules.size**2

    def copy(self) -> TrioPosition:
        twin = TrioPosition(self.rules)
        twin.to_move, twin.ply, twin.is_over, twin.board = self.to_move, self.ply, self.is_over, self.board
        return twin

    def legal_moves(self) -> list[Move]:
        if self.is_over:
            return []
        return [*(cell for cell, stone in enumerate(self.board) if stone == "."), -1]

    def refusal(self, move: Move) -> str | None:
        if self.is_over:
            return "the game is over"
        assert isinstance(move, int)
        return None if move < 0 or self.board[move] == "." else f"{self.rules.format_move(move)} is taken"

    def play(self, move: Move) -> None:
        if why := self.refusal(move):
            raise IllegalMoveError(why)
        assert isinstance(move, int)
        if move >= 0:
            self.board = f"{self.board[:move]}{'BW'[self.to_move]}{self.board[move + 1 :]}"
        self.to_move = 1 - self.to_move
        self.ply += 1
        self.is_over = "." not in self.board or self._winner() is not None

    def _rows(self) -> list[str]:
        size = self.rules.size
        return [self.board[start : start + size] for start in range(0, size * size, size)]

    def _winner(self) -> int | None:
        rows = self._rows()
        return next(
            (colour for colour in (BLACK, WHITE) if any("BW"[colour] * 3 in row for row in rows)), None
        )

    def outcome(self) -> Outcome:
        if not self.is_over:
            raise RulesError("not over")
        winner = self._winner()
        stones = self.board.count("B") - self.board.count("W")
        if winner is None:
            return Outcome(None, ("full-board",), "0", stones, stones)
        return Outcome(winner, ("trio",), f"{'BW'[winner]}+trio", stones, stones + 0.5)

    def diagram(self) -> list[str]:
        return self._rows()[::-1]

    def key(self) -> str:
        return f"{self.board} {'BW'[self.to_move]}"

    @property
    def announcement(self) -> str | None:
        return "two" if not self.is_over and any("BB" in row or "WW" in row for row in self._rows()) else None

    def is_placement(self, move: Move) -> bool:
        return move != -1


class Dash(Rules):
    """Two dice a turn; `run` adds both, `walk` the lower one; 40 or more wins, 2 points against under 20."""

    game = "dash"
    title = "Dash"
    has_dice = True
    random_openings = False

    size = None
    komi = None

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Dash:
        if size is not None or komi is not None:
            raise QuestionError("Dash has no settings")
        return cls()

    def initial(self, first: int = BLACK) -> DashPosition:
        return DashPosition(self, first)

    def from_setup(self, setup: Mapping[str, Any]) -> DashPosition:
        raise QuestionError("no set-ups")

    def parse_move(self, text: str) -> Move:
        if text.lower() not in ("run", "walk", "fly"):
            raise MalformedMoveError(f"{text[:20]!r} is neither run nor walk")
        return text.lower()

    def format_move(self, move: Move) -> str:
        return str(move)

    def longest_game(self) -> int:
        return 80


class DashPosition(Position):
    rules: Dash

    def __init__(self, rules: Dash, first: int) -> None:
        self.rules = rules
        self.to_move = first
        self.ply = 0
        self.is_over = False
        self.awaits_dice = True
        self.way = [0, 0]
        self._dice: tuple[int, int] | None = None

    def copy(self) -> DashPosition:
        twin = DashPosition(self.rules, self.to_move)
        twin.ply, twin.is_over, twin.awaits_dice = self.ply, self.is_over, self.awaits_dice
        twin.way, twin._dice = self.way.copy(), self._dice
        return twin

    def set_dice(self, first: int, second: int) -> None:
        if not self.awaits_dice or self.is_over or not 1 <= first <= 6 or not 1 <= second <= 6:
            raise RulesError(f"no roll {first} {second} here")
        self._dice = (first, second)
        self.awaits_dice = False

    @property
    def dice(self) -> tuple[int, int] | None:
        return self._dice

    def legal_moves(self) -> list[Move]:
        return [] if self.is_over or self.awaits_dice else ["run", "walk"]

    def refusal(self, move: Move) -> str | None:
        if self.is_over or self.awaits_dice:
            return "no move is due"
        return "nobody flies" if move == "fly" else None

    def play(self, move: Move) -> None:
        if why := self.refusal(move):
            raise IllegalMoveError(why)
        assert self._dice is not None
        self.way[self.to_move] += sum(self._dice) if move == "run" else min(self._dice)
        self.is_over = self.way[self.to_move] >= 40
        self.to_move = 1 - self.to_move
        self.ply += 1
        self._dice = None
        self.awaits_dice = not self.is_over

    def outcome(self) -> Outcome:
        if not self.is_over:
            raise RulesError("not over")
        winner = 1 - self.to_move
        points = self.forfeit_points(self.to_move)
        margin = points if winner == BLACK else -points
        return Outcome(winner, ("borne-off",), f"{'BW'[winner]}+{points}", margin, margin, points=points)

    def diagram(self) -> list[str]:
        return [f"black {self.way[0]} white {self.way[1]}"]

    def key(self) -> str:
        return f"dash {self.way[0]} {self.way[1]} {'BW'[self.to_move]} {self._dice}"

    def forfeit_points(self, loser: int) -> int:
        return 2 if self.way[loser] < 20 else 1
