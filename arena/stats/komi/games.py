"""Laboratory games, and which of them are observations.

A game that repeats another one move for move is the same observation. Games ended by a fault or by a
resignation say nothing on the board and are shown apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Ending(StrEnum):
    """How a laboratory game ended."""

    BOARD = "board"
    RESIGNED = "resigned"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class KomiGame:
    """One laboratory game.

    Attributes:
        komi: points given to White.
        opening: label of the opening; games that share it share its luck.
        black, white: names of the engines.
        moves: the game's moves, or any text that is equal exactly for equal moves.
        ending: how it ended.
        board_margin: Black minus White before komi and button; None unless it ended on the board.
        button: who took the button; None when nobody did or it was not in use.
        black_won: who won with komi and button; None when nobody did.
        plies: turns played.

    Raises:
        ValueError: it ended on the board and the margin is missing, or the winner does not follow from
            margin, komi and button.
    """

    komi: int
    opening: str
    black: str
    white: str
    moves: str
    ending: Ending
    board_margin: int | None
    button: Literal["black", "white"] | None
    black_won: bool | None
    plies: int

    def __post_init__(self) -> None:
        if self.ending is not Ending.BOARD:
            return
        if self.board_margin is None:
            raise ValueError(
                f"game {self.opening!r} at komi {self.komi}: ended on the board without a margin"
            )
        if self.black_won != self.black_would_win(self.komi):
            raise ValueError(
                f"game {self.opening!r} at komi {self.komi}: margin {self.board_margin:+d} and button "
                f"{self.button or 'untaken'} do not give the winner recorded"
            )

    def black_would_win(self, komi: int) -> bool:
        """Say whether this very game is a win for Black at another komi of the same parity.

        Without the button the margin never equals komi (margin and board size have the same parity); with
        it a tie goes to the side that took it.
        """
        if self.board_margin is None:
            raise ValueError("only a game that ended on the board has a margin")
        return self.board_margin > komi or (self.board_margin == komi and self.button == "black")


def has_button(komi: int, size: int) -> bool:
    """Say whether the button is in use: komi and board size have the same parity (the rules of Pletore)."""
    return (komi - size) % 2 == 0


@dataclass(frozen=True, slots=True)
class Sample:
    """Games sorted into observations and the rest.

    Attributes:
        games: distinct games that ended on the board, in the order given.
        repeats: by komi, how many games repeated an earlier one of the same komi.
        resigned, faults: by komi, how many games ended that way.
        notes: sentences that belong to the table.
    """

    games: tuple[KomiGame, ...]
    repeats: Mapping[int, int]
    resigned: Mapping[int, int]
    faults: Mapping[int, int]
    notes: tuple[str, ...]

    @property
    def komis(self) -> tuple[int, ...]:
        """The komi values with at least one observation, least first."""
        return tuple(sorted({game.komi for game in self.games}))

    def of_parity(self, parity: int) -> tuple[KomiGame, ...]:
        """Return the observations whose komi leaves that remainder (0 or 1) when divided by two."""
        return tuple(game for game in self.games if game.komi % 2 == parity)


def sort_out(games: Iterable[KomiGame]) -> Sample:
    """Sort games into distinct observations, repeats, resignations and faults."""
    seen: set[tuple[int, str, str, str]] = set()
    kept: list[KomiGame] = []
    repeats: Counter[int] = Counter()
    resigned: Counter[int] = Counter()
    faults: Counter[int] = Counter()
    for game in games:
        if game.ending is Ending.FAULT:
            faults[game.komi] += 1
        elif game.ending is Ending.RESIGNED:
            resigned[game.komi] += 1
        elif (key := (game.komi, game.black, game.white, game.moves)) in seen:
            repeats[game.komi] += 1
        else:
            seen.add(key)
            kept.append(game)
    notes = []
    if total := repeats.total():
        games_on_the_board = counted(total + len(kept), "game")
        notes.append(f"{total} of {games_on_the_board} repeated another move for move: one observation each.")
    if total := resigned.total():
        notes.append(f"{counted(total, 'game')} ended by resignation, shown apart: without a margin.")
    if total := faults.total():
        notes.append(f"{counted(total, 'game')} ended by a fault, shown apart.")
    return Sample(tuple(kept), dict(repeats), dict(resigned), dict(faults), tuple(notes))


def distinct_plays(games: Iterable[KomiGame]) -> tuple[KomiGame, ...]:
    """Return each play once, also where engines that do not look at komi repeated it at another komi."""
    first: dict[tuple[str, str, str], KomiGame] = {}
    for game in games:
        first.setdefault((game.black, game.white, game.moves), game)
    return tuple(first.values())
