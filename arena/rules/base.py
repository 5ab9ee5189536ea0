"""What every game offers: `Rules` (one game with its settings) and `Position` (one moment of a game).

A game is one module that subclasses both; the registry finds it. Everything else in the project (referee,
command line, reports, conformance tests) knows games only through the two classes here.

Colours are the integers `BLACK` (0, the side that starts; Red in Topolo) and `WHITE` (1). A move is a small
hashable value whose meaning only its game knows; words on the wire become moves by `Rules.parse_move` and
moves become words by `Rules.format_move`.

A position is mutable, because a referee plays every move exactly once and must do so in a few
microseconds; who needs the old position takes a `copy` first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import Self

    Move = Hashable
else:
    Move = object

BLACK = 0
WHITE = 1

_COLOUR_NAMES = ("black", "white")


def colour_name(colour: int) -> str:
    """Return `black` or `white`, the words of the wire and of every file."""
    return _COLOUR_NAMES[colour]


class RulesError(Exception):
    """The rules core refuses what it was asked; the message says why in words for people."""


class QuestionError(RulesError):
    """Settings or a set-up position that the game does not have (the user's fault)."""


class MalformedMoveError(RulesError):
    """A word that is no move of this game at all, in whatever position."""


class NoSuchMoveError(MalformedMoveError):
    """A word of the right form that names nothing this board has: `T15` on 9x9, `pass` where none exists.

    A referee counts it as an illegal move and not as a malformed reply.
    """


class IllegalMoveError(RulesError):
    """A move of this game that this position does not allow."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended on the board. A field that the game does not have is None.

    Attributes:
        winner: BLACK, WHITE, or None for a draw.
        reasons: reason codes of the contract, the first is the one that counts (`score`, `five`, …).
        result: the contract's result text, e.g. `B+3.5`, `W+five`, `B+h2`, `0`.
        board_margin: Black minus White in the game's own unit; pletore: before komi and button.
        final_margin: the same, with komi and button where the game has them.
        points: points won by the winner (plakoto: 0, 1 or 2).
        decided_by: topolo: `size` or `height`.
        deciding_group: topolo: which pair of groups decided, from 1.
        button: pletore: who took the button.
        details: further facts for people (scores, groups, pip counts), JSON-ready.
    """

    winner: int | None
    reasons: tuple[str, ...]
    result: str
    board_margin: float | None = None
    final_margin: float | None = None
    points: int | None = None
    decided_by: str | None = None
    deciding_group: int | None = None
    button: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Rules(ABC):
    """One game with its settings: immutable, cheap to share, the maker of positions.

    Class attributes describe the game to code that knows no game by name.

    Attributes:
        game: id of the contract, e.g. `pletore`.
        title: name for people.
        sizes: board sizes allowed, smallest first; empty when the game has no size.
        default_size: size where a file names none; None when the game has no size.
        has_komi: whether komi is one of the settings.
        has_dice: whether the referee throws dice (then `Position.set_dice` is due before each turn).
        can_draw: whether a finished game can be drawn.
        random_openings: whether openings of random plies make sense.
        colour_titles: what people call black and white in this game, capitalised.
        margin_unit: unit of the margins, for axis labels, e.g. `points`.
        has_vertices: whether moves are GTP vertices on a goban of `size` lines (GoGui, SGF).
    """

    game: ClassVar[str]
    title: ClassVar[str]
    sizes: ClassVar[tuple[int, ...]] = ()
    default_size: ClassVar[int | None] = None
    has_komi: ClassVar[bool] = False
    has_dice: ClassVar[bool] = False
    can_draw: ClassVar[bool] = True
    random_openings: ClassVar[bool] = True
    colour_titles: ClassVar[tuple[str, str]] = ("Black", "White")
    margin_unit: ClassVar[str] = "points"
    has_vertices: ClassVar[bool] = False

    size: int | None
    komi: int | None

    @classmethod
    @abstractmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Self:
        """Make the rules for given settings; None means the game's default (komi: 0).

        Raises:
            QuestionError: a size the game does not have, or a setting given that the game does not know.
        """

    @abstractmethod
    def initial(self, first: int = BLACK) -> Position:
        """Return the starting position. `first` moves first; only games with dice accept WHITE.

        Raises:
            QuestionError: the game is always begun by Black.
        """

    @abstractmethod
    def from_setup(self, setup: Mapping[str, Any]) -> Position:
        """Return the position that a `setup` object of the rule vectors describes (their keys and colours).

        The object comes from outside: every field is checked for type and range.

        Raises:
            QuestionError: a field is missing, of a wrong type or contradicts the rules; the message names it.
        """

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Turn a word into a move, case-insensitively, without asking whether it is legal anywhere.

        Raises:
            MalformedMoveError: no word of this game; the message quotes it (cut) and gives the form.
            NoSuchMoveError: the form is right, and there is no such point, piece or pass in this game.
        """

    @abstractmethod
    def format_move(self, move: Move) -> str:
        """Return the canonical word of a move."""

    @abstractmethod
    def longest_game(self) -> int | None:
        """Return an upper bound of the number of turns of a game, None where there is none."""

    def symmetries(self) -> Sequence[Callable[[Move], Move]]:
        """Return the symmetries of the game as maps of moves, the identity first.

        A game whose moves are all mapped is as legal as before and ends alike.
        """
        return (lambda move: move,)


class Position(ABC):
    """One moment of a game: who moves, what is legal, what happened last.

    Attributes:
        rules: the rules this position belongs to.
        to_move: BLACK or WHITE; in a finished game the side that would move next.
        ply: turns played so far (passes and the button are turns).
        is_over: whether the game has ended on the board.
        awaits_dice: whether `set_dice` must come before the next move (games with dice only).
    """

    rules: Rules
    to_move: int
    ply: int
    is_over: bool
    awaits_dice: bool = False

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy."""

    @abstractmethod
    def legal_moves(self) -> list[Move]:
        """Return every legal move in the canonical order of the rule vectors.

        Empty when the game is over and while a roll is due.
        """

    @abstractmethod
    def refusal(self, move: Move) -> str | None:
        """Say why `move` is illegal here ("D4 is controlled by White"), or None when it is legal."""

    @abstractmethod
    def play(self, move: Move) -> None:
        """Play one legal move.

        Raises:
            IllegalMoveError: with the words of `refusal`; the position is unchanged then.
        """

    def canonical(self, move: Move) -> Move:
        """Return the one form under which a legal move is recorded and told to others.

        Only games in which several words name one move (plakoto) need more than the move itself.

        Raises:
            IllegalMoveError: with the words of `refusal`, from a game that has to look at the position.
        """
        return move

    @abstractmethod
    def outcome(self) -> Outcome:
        """Return how the finished game ended.

        Raises:
            RulesError: the game is not over.
        """

    @abstractmethod
    def diagram(self) -> list[str]:
        """Return the position as lines of text for people, rows from the top, with coordinates."""

    @abstractmethod
    def key(self) -> str:
        """Return a stable text that is equal exactly for equal positions (same legal futures)."""

    def set_dice(self, first: int, second: int) -> None:
        """Give the roll for the side to move (games with dice).

        Raises:
            RulesError: no roll is due here, or a die outside 1 to 6.
        """
        raise RulesError(f"{self.rules.title} has no dice: {first} {second} not accepted")

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll in force, None when there is none."""
        return None

    @property
    def captured(self) -> Sequence[Move]:
        """Moves naming the points that the last move emptied (Pente), else empty."""
        return ()

    @property
    def announcement(self) -> str | None:
        """What the referee calls after the last move (Pente: `three` or `four`), else None."""
        return None

    def pieces(self) -> tuple[tuple[Move, ...], tuple[Move, ...]] | None:
        """Return what stands on the board as the moves that place it, Black's and White's.

        None in games in which a position is more than what was placed.
        """
        return None

    def forfeit_points(self, loser: int) -> int | None:
        """Return the points a win by forfeit counts (plakoto: 1 or 2), None where games have no points."""
        del loser
        return None

    def is_placement(self, move: Move) -> bool:
        """Say whether a legal move only puts down a new piece (what a random opening is made of)."""
        del move
        return True
