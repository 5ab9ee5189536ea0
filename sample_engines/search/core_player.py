"""What the searching engines share: a game followed by the kernels beside the rules core's position."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from arena.rules.base import RulesError
from protocol.sdk import Refusal
from sample_engines.rules_engine import RulesEngine
from sample_engines.search.assemble import Kernels, assemble, core_of, search_of
from sample_engines.search.followed import FollowedGame
from sample_engines.search.ready import GAMES, Loader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules.base import Position
    from protocol.sdk import ColourWord, TurnClock


class CorePlayer(RulesEngine):
    """An engine on one of the searches; a subclass names it and says by `think` which move it plays."""

    search: ClassVar[str]
    """`tree`, `alphabeta` or `expectiminimax`."""

    joins_replies = False

    def __init__(self, *, compiled: bool = True) -> None:
        """Make an engine; `compiled`: use numba if it is there."""
        super().__init__()
        self.game = self.games[0] if self.game not in self.games else self.game
        self._wants_compiled = compiled
        self._kernels: dict[str, Kernels] = {}
        self._loaders: dict[str, Loader] = {}
        self._followed: FollowedGame | None = None

    @property
    def games(self) -> Sequence[str]:  # type: ignore[override]
        """The games that the search has been made for."""
        return GAMES[self.search]

    def knows_game(self, game: str) -> bool:
        """Say whether the search has been made for a game."""
        return game in self.games

    def think(self, position: Position, game: FollowedGame, clock: TurnClock) -> int:
        """Return the kernels' number of the move to play; the position has at least one legal move."""
        raise NotImplementedError

    def new_game(self) -> None:
        """Set up the game, and compiled kernels for it if they can be had by now."""
        super().new_game()
        self._followed = None
        game = self.rules.game
        if game not in self._kernels or (self._wants_compiled and not self._kernels[game].is_compiled):
            compiled = None
            if self._wants_compiled:
                if game not in self._loaders:
                    self._loaders[game] = Loader(game, self.search)
                compiled = self._loaders[game].kernels()
            self._kernels[game] = compiled or assemble(core_of(game), search_of(self.search), compiled=False)

    def play(self, colour: ColourWord, move: str) -> None:
        """Play a move on both boards."""
        position = self._position_for(colour)
        followed = self._followed_from(position)
        try:
            canonical = position.canonical(self.rules.parse_move(move))
        except RulesError as error:
            raise Refusal(f"illegal move: {error}") from None
        super().play(colour, move)
        followed.play(canonical)

    def dice(self, colour: ColourWord, first: int, second: int) -> None:
        """Take note of the roll."""
        followed = self._followed_from(self._position_for(colour))
        super().dice(colour, first, second)
        followed.set_roll(first, second)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Think and return a move."""
        position = self._position_to_move(colour)
        followed = self._followed_from(position)
        return self.rules.format_move(followed.decode(self.think(position, followed, clock)))

    def _followed_from(self, position: Position) -> FollowedGame:
        """Return the kernels' game, begun at the first move or roll."""
        if self._followed is None:
            game = self.rules.game
            self._followed = FollowedGame(core_of(game), self._kernels[game], self.rules, position.to_move)
        return self._followed
