"""Perfect play of tiny Pletore: the exact values, and that nobody gets more than they allow."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from arena.rules.base import BLACK
from arena.rules.registry import make_rules
from protocol.sdk import Refusal, TurnClock
from sample_engines.perfect_player import PerfectPlayer, main

if TYPE_CHECKING:
    from protocol.sdk import ColourWord

HIGHEST_KOMI = {1: 0, 2: 3, 3: 2}
"""By size: the highest komi at which Black wins with perfect play."""

BOARD_MARGIN = {1: 1.0, 2: 4.0, 3: 3.0}
"""By size: Black's board margin when there is no button."""


@pytest.fixture(scope="module")
def engine() -> PerfectPlayer:
    return PerfectPlayer()


def begin(engine: PerfectPlayer, size: int, komi: int) -> None:
    engine.size, engine.komi = size, komi
    engine.new_game()


@pytest.mark.parametrize("size", HIGHEST_KOMI)
def test_black_wins_exactly_up_to_the_known_komi(engine: PerfectPlayer, size: int) -> None:
    for komi in range(HIGHEST_KOMI[size] - 2, HIGHEST_KOMI[size] + 4):
        begin(engine, size, komi)
        value = engine._evaluate(engine.rules.initial(), None) / 2
        has_button = (size - komi) % 2 == 0
        assert value == BOARD_MARGIN[size] - (0.5 if has_button else 0.0)
        assert (value > komi) == (komi <= HIGHEST_KOMI[size])


@pytest.mark.parametrize(("size", "komi"), [(1, 0), (1, 1), (2, 3), (2, 4), (3, 2), (3, 3)])
def test_the_side_that_wins_wins_against_anybody(engine: PerfectPlayer, size: int, komi: int) -> None:
    winner = BLACK if komi <= HIGHEST_KOMI[size] else 1 - BLACK
    for seed in range(5):
        random = Random(seed)
        begin(engine, size, komi)
        rules = make_rules("pletore", size=size, komi=komi)
        position = rules.initial()
        while not position.is_over:
            colour: ColourWord = "black" if position.to_move == BLACK else "white"
            if position.to_move == winner:
                word = engine.genmove(colour, TurnClock())
            else:
                word = rules.format_move(random.choice(position.legal_moves()))
            position.play(rules.parse_move(word))
            engine.play(colour, word)
        assert position.outcome().winner == winner


def test_larger_boards_are_played_without_knowing_all(engine: PerfectPlayer) -> None:
    begin(engine, 4, 3)
    word = engine.genmove("black", TurnClock(left_s=0.0))
    assert engine.rules.parse_move(word) in engine.rules.initial().legal_moves()


def test_sizes_above_five_and_other_games_are_refused(engine: PerfectPlayer) -> None:
    assert engine.accepts_size(5)
    assert not engine.accepts_size(6)
    assert not engine.knows_game("pente")


def test_pie_is_answered_by_the_winning_side(engine: PerfectPlayer) -> None:
    begin(engine, 3, 0)
    assert engine.choose_side(2) == "black"
    assert engine.choose_side(3) == "white"
    assert engine.choose_komi() in (2, 3)


def test_a_move_out_of_turn_is_refused(engine: PerfectPlayer) -> None:
    begin(engine, 2, 0)
    with pytest.raises(Refusal):
        engine.genmove("white", TurnClock())


def test_an_argument_that_it_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["perfect_player", "--depth", "3"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
