"""Knows the rules and plays nothing: board and referee's eye for GoGui ("Game", "Rules", "Attach").

    arena ruler pletore --size 9 --komi 4

GoGui knows points and `pass` alone. Pletore's button is therefore taken by a pass while it is free, when no
real pass is legal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from protocol.sdk import Refusal
from sample_engines.rules_engine import RulesEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.sdk import ColourWord, Goban, TurnClock

_BUTTON, _PASS = "button", "pass"


class Ruler(RulesEngine):
    """Follows a game on a goban and says what is legal."""

    name = "ruler"

    def __init__(self, game: str, size: int | None, komi: int) -> None:
        """Make a ruler of one game with one board."""
        super().__init__()
        self.game = game
        self.size = self._only_size = size
        self.komi = komi
        self.new_game()

    @property
    def games(self) -> Sequence[str]:  # type: ignore[override]
        """The one game."""
        return (self.game or "",)

    def knows_game(self, game: str) -> bool:
        """Say whether it is the one game."""
        return game == self.game

    def accepts_size(self, size: int) -> bool:
        """Say whether it is the board's size; every size if none was named."""
        return super().accepts_size(size) and self._only_size in (None, size)

    def play(self, colour: ColourWord, move: str) -> None:
        """Play a move; a pass takes the button as long as it is free."""
        if move.lower() == _PASS and _BUTTON in super().goban().legal:
            move = _BUTTON
        super().play(colour, move)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Refuse: there is nobody here who plays."""
        raise Refusal("a ruler makes no moves")

    def goban(self) -> Goban:
        """Return the position in words that GoGui knows."""
        goban = super().goban()
        return replace(goban, legal=[_PASS if word == _BUTTON else word for word in goban.legal])
