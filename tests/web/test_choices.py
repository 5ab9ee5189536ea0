"""What can be clicked in a position is exactly what is legal there."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from arena.rules.registry import make_rules
from arena.web.choices import choices, targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.rules import Position, Rules

SIZES = {"pletore": 5, "pente": 7, "topolo": 4, "plakoto": None}


def positions(rules: Rules, games: int) -> Iterator[Position]:
    """Walk through random games."""
    for seed in range(games):
        chance = random.Random(seed)
        position = rules.initial()
        for _ in range(300):
            if position.awaits_dice:
                position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
            if position.is_over:
                break
            yield position
            position.play(chance.choice(position.legal_moves()))


def words_in(found: dict[str, Any]) -> list[str]:
    points = [word for pairs in found["points"].values() for _, word in pairs]
    return [*points, *(word for word, _ in found["plays"]), *found["words"]]


@pytest.mark.parametrize("game", ["pletore", "pente", "topolo"])
def test_every_legal_move_is_offered_once(game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    for position in positions(rules, 3):
        legal = [rules.format_move(move) for move in position.legal_moves()]
        assert sorted(words_in(choices(position))) == sorted(legal)


def test_every_way_of_playing_two_dice_is_offered_and_legal() -> None:
    rules = make_rules("plakoto")
    others = 0
    for position in positions(rules, 4):
        found = choices(position)
        legal = {rules.format_move(move) for move in position.legal_moves()}
        offered = words_in(found)
        assert len(set(offered)) == len(offered)
        assert legal <= set(offered)
        for word in offered:
            assert position.refusal(rules.parse_move(word)) is None
            assert rules.format_move(position.canonical(rules.parse_move(word))) in legal
        others += len(set(offered) - legal)
    assert others > 10


def test_steps_are_told_in_the_numbers_of_the_board() -> None:
    rules = make_rules("plakoto")
    position = rules.initial(1)
    position.set_dice(6, 5)
    (first, *_) = choices(position)["plays"]
    assert first == ["24/18,18/13", [[1, 7], [7, 12]]] or first[1][0][0] == 1
    assert all(
        1 <= start <= 24 and 0 <= end <= 24 for _, play in choices(position)["plays"] for start, end in play
    )


@pytest.mark.parametrize("game", SIZES)
def test_targets_do_not_overlap_and_lie_in_the_picture(game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    found = targets(rules)
    for place, (x, y, width, height) in enumerate(found):
        assert x >= 0
        assert y >= 0
        for other_x, other_y, other_width, other_height in found[:place]:
            apart_x = x >= other_x + other_width - 0.01 or other_x >= x + width - 0.01
            apart_y = y >= other_y + other_height - 0.01 or other_y >= y + height - 0.01
            assert apart_x or apart_y
