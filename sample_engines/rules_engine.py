"""What the sample engines share: an SDK engine that keeps a position of the rules core; subclasses choose.

Randomness: each new game starts a fresh generator from `arena-seed`, so the same seed and the same moves of
the opponent give the same game, however many games were played before in the process. Without a seed (a
person at GoGui, say) the generator starts from the system's entropy, and games differ.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from arena.rules.base import BLACK, WHITE, RulesError
from arena.rules.registry import games, rules_class
from protocol.sdk import Engine, Goban, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Move, Position, Rules
    from protocol.sdk import ColourWord, TurnClock


@runtime_checkable
class _HasStones(Protocol):
    """A position of a game on a goban: 0 empty, 1 black, 2 white for each point, from A1."""

    @property
    def board(self) -> bytes: ...


_COLOURS: dict[ColourWord, int] = {"black": BLACK, "white": WHITE}

DEFAULT_GAME = "pletore"
"""Played when nobody names a game; then GTP tools that know only Go can talk to the engine as well."""


class RulesEngine(Engine):
    """Keeps the position; a subclass says by `choose` which of the legal moves it plays."""

    joins_replies = True
    game = DEFAULT_GAME

    def __init__(self) -> None:
        self.rules: Rules
        self.random = Random()
        self._position: Position | None = None

    def choose(self, position: Position) -> Move:
        """Return a legal move for the side to move; the position must be left as it was."""
        raise NotImplementedError

    @property
    def games(self) -> Sequence[str]:  # type: ignore[override]
        """Every game that is installed; looked up only when asked for."""
        return games()

    def knows_game(self, game: str) -> bool:
        """Say whether the rules core knows a game."""
        try:
            rules_class(game)
        except RulesError:
            return False
        return True

    def accepts_size(self, size: int) -> bool:
        """Say whether the game has this size."""
        return size in rules_class(self._game()).sizes

    def new_game(self) -> None:
        """Set up the starting position; with dice, who starts shows only when somebody moves."""
        kind = rules_class(self._game())
        try:
            self.rules = kind.from_settings(
                size=self.size if kind.sizes else None,
                komi=self.komi if kind.has_komi else None,
            )
        except RulesError as error:
            raise Refusal(str(error)) from None
        self._position = None
        self.random.seed(self.seed)

    def play(self, colour: ColourWord, move: str) -> None:
        """Play a move on the board."""
        position = self._position_for(colour)
        try:
            position.play(self.rules.parse_move(move))
        except RulesError as error:
            raise Refusal(f"illegal move: {error}") from None

    def dice(self, colour: ColourWord, first: int, second: int) -> None:
        """Take note of the roll."""
        try:
            self._position_for(colour).set_dice(first, second)
        except RulesError as error:
            raise Refusal(str(error)) from None

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Return the word of the move chosen."""
        return self.rules.format_move(self.choose(self._position_to_move(colour)))

    def show(self) -> str:
        """Return the board as text."""
        position = self._position or self.rules.initial()
        return "\n".join(position.diagram())

    def goban(self) -> Goban:
        """Return the position for GoGui, in games on a goban."""
        position = self._position or self.rules.initial()
        size = self.rules.size
        if size is None or not self.rules.has_vertices or not isinstance(position, _HasStones):
            raise Refusal(f"{self.rules.title} is not played on a goban")
        signs = "".join(".XO"[stone] for stone in position.board)
        return Goban(
            game=self.rules.game,
            rows=[signs[row * size : (row + 1) * size] for row in reversed(range(size))],
            legal=[self.rules.format_move(move) for move in position.legal_moves()],
            to_move="white" if position.to_move == WHITE else "black",
            result=_result_words(self.rules, position),
            captured=_stones_captured(position),
        )

    def _game(self) -> str:
        return self.game or DEFAULT_GAME

    def _position_to_move(self, colour: ColourWord) -> Position:
        """Return the position, in which `colour` can move now."""
        position = self._position_for(colour)
        if position.is_over:
            raise Refusal("the game is over")
        if position.awaits_dice:
            raise Refusal("the dice have not been thrown")
        return position

    def _position_for(self, colour: ColourWord) -> Position:
        """Return the position, `colour` to move."""
        side = _COLOURS[colour]
        position = self._position
        if position is None:
            try:
                position = self._position = self.rules.initial(side)
            except RulesError as error:
                raise Refusal(str(error)) from None
        if position.to_move != side and not position.is_over:
            raise Refusal(f"it is not {colour}'s turn")
        return position


def _result_words(rules: Rules, position: Position) -> str:
    """Return how a finished game ended, empty while it goes on."""
    if not position.is_over:
        return ""
    outcome = position.outcome()
    if outcome.winner is None:
        return f"Draw ({', '.join(outcome.reasons)})"
    return f"{rules.colour_titles[outcome.winner]} wins: {outcome.result} ({', '.join(outcome.reasons)})"


def _stones_captured(position: Position) -> tuple[int, int]:
    """Return how many stones Black and White have captured, in games where stones are."""
    pairs = getattr(position, "pairs_captured", (0, 0))
    return 2 * pairs[0], 2 * pairs[1]
