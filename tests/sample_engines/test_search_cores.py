"""The searches' cores are the rules core's games: move by move, list by list, to the result."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from arena.rules.base import BLACK, Position, Rules
from arena.rules.registry import make_rules
from sample_engines.search import pente_core
from sample_engines.search.assemble import Kernels, assemble, core_of, search_of
from sample_engines.search.layout import DRAW, MARGIN, MOST_MOVES, OVER, RESULT, TO_MOVE, WIN
from sample_engines.search.ready import GAMES

if TYPE_CHECKING:
    from types import ModuleType

SETTINGS = [
    ("pletore", 1, 1),
    ("pletore", 2, 0),
    ("pletore", 4, 1),
    ("pletore", 5, 1),
    ("pletore", 9, -4),
    ("pente", 5, None),
    ("pente", 9, None),
    ("pente", 19, None),
    ("topolo", 4, None),
    ("topolo", 8, None),
    ("plakoto", None, None),
]

every_setting = pytest.mark.parametrize(
    ("game", "size", "komi"), SETTINGS, ids=lambda value: "" if value is None else str(value)
)


class Followed:
    """A position of the rules core and the same in the kernels' form."""

    def __init__(self, rules: Rules, first: int = BLACK) -> None:
        self.core: ModuleType = core_of(rules.game)
        self.kernels: Kernels = assemble(self.core, search_of("tree"), compiled=False)
        self.position: Position = rules.initial(first)
        self.tables: list[int] = self.core.make_tables(rules)
        self.state: list[int] = self.core.make_state(self.tables, first)

    def listed(self) -> list[object]:
        """Return the kernels' legal moves in the rules core's form."""
        moves = [0] * MOST_MOVES
        count = self.kernels.list_moves(self.state, self.tables, moves)
        return [self.core.decode(code) for code in moves[:count]]

    def candidates(self) -> list[object]:
        """Return the moves that the kernels propose."""
        moves, priors = [0] * MOST_MOVES, [0] * (2 * MOST_MOVES)
        count = self.kernels.list_candidates(self.state, self.tables, moves, priors)
        assert all(visits >= 1 for visits in priors[: 2 * count : 2])
        assert all(0 <= share <= WIN for share in priors[1 : 2 * count : 2])
        return [self.core.decode(code) for code in moves[:count]]

    def roll(self, random: Random) -> None:
        """Throw the dice for both where they are due."""
        if self.position.awaits_dice:
            first, second = random.randint(1, 6), random.randint(1, 6)
            self.position.set_dice(first, second)
            self.kernels.set_roll(self.state, self.tables, max(first, second), min(first, second))

    def play(self, move: object) -> None:
        """Make a move in both."""
        self.position.play(move)
        self.kernels.play(self.state, self.tables, self.core.encode(move))


@every_setting
def test_random_games_agree_with_the_rules_core(game: str, size: int | None, komi: int | None) -> None:
    for seed in range(4):
        random = Random(seed)
        rules = make_rules(game, size=size, komi=komi)
        both = Followed(rules, seed % 2 if rules.has_dice else BLACK)
        while not both.position.is_over:
            both.roll(random)
            legal = both.position.legal_moves()
            assert both.listed() == legal
            proposed = both.candidates()
            assert proposed
            assert set(proposed) <= set(legal)
            assert both.state[TO_MOVE] == both.position.to_move
            both.play(random.choice(legal))
            assert both.state[OVER] == both.position.is_over
        outcome = both.position.outcome()
        assert both.state[RESULT] == (DRAW if outcome.winner is None else WIN * (1 - outcome.winner))
        assert both.state[MARGIN] == 2 * (outcome.final_margin or 0)


@every_setting
def test_a_playout_ends_with_a_result(game: str, size: int | None, komi: int | None) -> None:
    both = Followed(make_rules(game, size=size, komi=komi))
    trace, moves, priors = [0] * 4096, [0] * MOST_MOVES, [0] * (2 * MOST_MOVES)
    total = both.kernels.playouts(3, both.state, both.tables, [1, 2], list(both.state), trace, moves, priors)
    assert 0 <= total <= 3 * WIN


def test_what_pente_keeps_up_to_date_is_what_counting_anew_gives() -> None:
    random = Random(5)
    rules = make_rules("pente", size=7)
    both = Followed(rules)
    while not both.position.is_over:
        both.play(random.choice(both.position.legal_moves()))
        stride = both.tables[pente_core.SIZE] + 2
        stones = {point: stone for point, stone in enumerate(_board(both)) if stone}
        fresh = both.core.make_state(both.tables, BLACK)
        for point, stone in stones.items():
            both.kernels._change(fresh, both.tables, point, stone)
        for name in (pente_core.WORTH, pente_core.CAPTURES):
            start = both.tables[name]
            assert (
                both.state[start : start + 2 * stride * stride] == fresh[start : start + 2 * stride * stride]
            )
        assert (
            both.state[pente_core.CHANCES : pente_core.BOARD] == fresh[pente_core.CHANCES : pente_core.BOARD]
        )


def _board(both: Followed) -> list[int]:
    start = both.tables[pente_core.PLACES]
    points = both.tables[pente_core.POINTS]
    return [both.state[place] for place in both.tables[start : start + points]]


@pytest.mark.parametrize("search", GAMES)
def test_every_search_joins_with_every_game_it_plays(search: str) -> None:
    for game in GAMES[search]:
        assert not assemble(core_of(game), search_of(search), compiled=False).is_compiled
