"""A game is decided before its end by the loser's own word, a proof, or its limit of turns, never else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.adjudicate import Adjudicator, by_own_word, finished, says_it_loses, search
from arena.core.event import Adjudication
from arena.rules import BLACK, WHITE
from arena.rules.registry import make_rules
from tests.core.toy_games import Trio, TrioPosition

if TYPE_CHECKING:
    from arena.rules import Position
    from arena.rules.base import Move

TERMS = Adjudication(loss_moves=3, loss_winrate=0.05, loss_score=-10)
LOST = {"winrate": 0.01, "score": -20.0}


class Filling(TrioPosition):
    """Trio without passes: every line comes to an end."""

    def copy(self) -> Filling:
        """Return a copy that has no passes either."""
        twin = Filling(self.rules)
        twin.to_move, twin.ply, twin.is_over, twin.board = self.to_move, self.ply, self.is_over, self.board
        return twin

    def legal_moves(self) -> list[Move]:
        """Return the free cells."""
        return [move for move in super().legal_moves() if move != -1]


def plain_value(position: Position) -> int:
    """Say by looking at everything what a position is worth to the side to move."""
    if position.is_over:
        winner = position.outcome().winner
        return 0 if winner is None else 1 if winner == position.to_move else -1
    values = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        values.append(-plain_value(after))
    return max(values)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_a_search_finds_what_looking_at_everything_finds(seed: int) -> None:
    position: Position = Filling(Trio(3))
    chance = random.Random(seed)
    while len(position.legal_moves()) > 6:
        position.play(chance.choice(position.legal_moves()))
    before = position.key()
    solution = finished(search(position, 100_000))
    assert position.key() == before
    value = plain_value(position)
    winners = {0: None, 1: position.to_move, -1: 1 - position.to_move}
    assert solution.winner == winners[value]
    for word in solution.line:
        position.play(position.rules.parse_move(word))
    assert position.is_over
    assert position.outcome().winner == solution.winner


def test_a_search_beyond_its_bound_proves_nothing_and_lets_others_have_their_turn() -> None:
    position = make_rules("pletore", size=5, komi=1).initial()
    steps = search(position, 200)
    assert len(list(steps)) >= 10
    assert finished(search(position, 200)) is None


def test_a_game_that_can_go_round_for_ever_is_not_decided() -> None:
    assert finished(search(Trio(3).initial(), 1_000_000)) is None


@pytest.mark.parametrize(
    ("said", "loses"),
    [
        ({}, False),
        ({"winrate": 0.05}, True),
        ({"winrate": 0.06}, False),
        ({"score": -10}, True),
        ({"score": -9.5}, False),
        ({"winrate": 0.01, "score": 3.0}, False),
        ({"winrate": 0.9, "score": -30.0}, False),
        (LOST, True),
        ({"winrate": "0.01"}, False),
        ({"nodes": 5}, False),
    ],
)
def test_an_engine_counts_itself_lost_when_all_it_says_means_that(said: dict[str, Any], loses: bool) -> None:
    assert says_it_loses(said, TERMS) is loses


def test_a_side_loses_by_its_own_words_in_a_row_and_by_nobody_elses() -> None:
    def loser(*told: tuple[int, dict[str, Any]]) -> int | None:
        return by_own_word([mover for mover, _ in told], [said for _, said in told], TERMS)

    won = {"winrate": 1.0}
    assert loser((BLACK, LOST), (WHITE, won), (BLACK, LOST), (WHITE, won), (BLACK, LOST)) == BLACK
    # The winner's certainty is nothing, nor is a row that the loser has broken.
    assert loser(*[(BLACK, {}), (WHITE, won)] * 5) is None
    assert loser((BLACK, LOST), (WHITE, won), (BLACK, {}), (WHITE, won), (BLACK, LOST)) is None
    assert loser((BLACK, LOST), (BLACK, LOST), (WHITE, won)) is None
    assert by_own_word([BLACK] * 3, [LOST] * 3, Adjudication()) is None


def test_nothing_is_decided_by_default() -> None:
    assert not Adjudicator(Adjudication(), has_dice=False).is_active
    assert not Adjudicator(Adjudication(search_moves=50), has_dice=True).is_active
    assert Adjudicator(Adjudication(ply_limit=50), has_dice=True).is_active


def test_a_game_is_drawn_at_its_limit_of_turns() -> None:
    position = Trio(5).initial()
    adjudicator = Adjudicator(Adjudication(ply_limit=2), has_dice=False)
    for word, verdict in (("a1", None), ("c1", ("0", "ply-limit", None))):
        mover = position.to_move
        position.play(position.rules.parse_move(word))
        found = finished(adjudicator.look(position, mover, {}))
        assert verdict is None if found is None else (*_told(found[0]),) == verdict


def _told(verdict: Any) -> tuple[str, str, int | None]:
    return verdict.result, verdict.reason, verdict.winner


def test_a_search_starts_when_few_moves_are_left_and_keeps_its_line() -> None:
    position = Filling(Trio(3))
    adjudicator = Adjudicator(Adjudication(search_moves=5, search_nodes=1000), has_dice=False)
    looked = []
    for word in ("a1", "b1", "c1", "a2"):
        mover = position.to_move
        position.play(position.rules.parse_move(word))
        looked.append(finished(adjudicator.look(position, mover, {})))
    verdict, adjudged = looked[-1]
    assert looked[:-1] == [None, None, None]
    assert verdict.reason == "adjudicated"
    assert adjudged.rule == "search"
    assert adjudged.nodes > 0
    assert adjudged.line
