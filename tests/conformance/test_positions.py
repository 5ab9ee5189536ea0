"""Positions that engines are asked about: legal, reproducible, of the kind that they are said to be."""

from __future__ import annotations

import pytest

from arena.conformance.positions import Kind, Line, Positions, line_of
from arena.conformance.special import SPECIAL
from arena.rules import IllegalMoveError, Rules
from arena.rules.registry import games, make_rules
from tests.conformance.engines import SIZES
from tests.core.toy_games import Dash, Trio


def every_rules() -> list[Rules]:
    return [*(make_rules(game, size=SIZES.get(game)) for game in games()), Trio(), Dash()]


@pytest.fixture
def toy_games_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.rules import registry

    found = registry.rules_class
    toys: dict[str, type[Rules]] = {"trio": Trio, "dash": Dash}
    monkeypatch.setattr(registry, "rules_class", lambda game: toys.get(game) or found(game))


@pytest.mark.usefixtures("toy_games_installed")
@pytest.mark.parametrize("rules", every_rules(), ids=lambda rules: rules.game)
def test_every_position_is_legal_and_waits_for_a_move(rules: Rules) -> None:
    positions = Positions(rules, 3)
    lines = [line for kind in Kind for line in positions.lines(kind, 5)]
    assert len(lines) >= 12
    for line in lines:
        position = line.position()
        assert not position.is_over
        assert not position.awaits_dice
        assert position.legal_moves()
        assert sum(command.startswith("play ") for command in line.commands()) == len(line.turns)


@pytest.mark.parametrize("game", games())
def test_the_seed_alone_decides_the_positions(game: str) -> None:
    rules = make_rules(game, size=SIZES.get(game))

    def lines(seed: int, kinds: list[Kind]) -> dict[Kind, list[Line]]:
        positions = Positions(rules, seed)
        return {kind: positions.lines(kind, 4) for kind in kinds}

    assert lines(1, list(Kind)) == {**lines(1, list(Kind)[::-1])}
    assert lines(1, [Kind.RANDOM]) != lines(2, [Kind.RANDOM])


def test_kinds_are_what_they_are_called() -> None:
    positions = Positions(make_rules("pletore", size=9), 0)
    for line in positions.lines(Kind.FORCED, 8):
        assert len(line.position().legal_moves()) == 1
    for line in positions.lines(Kind.FEW, 8):
        assert 2 <= len(line.position().legal_moves()) <= 4
    for line in positions.lines(Kind.DECISIVE, 8):
        position = line.position()
        after = [position.copy() for _ in position.legal_moves()]
        for copy, move in zip(after, position.legal_moves(), strict=True):
            copy.play(move)
        assert any(copy.is_over for copy in after)
    taken = Positions(make_rules("pente", size=9), 0).lines(Kind.CAPTURES, 8)
    assert taken
    assert all(len(line.position().legal_moves()) > 81 - len(line.turns) for line in taken)


def test_narrowed_positions_have_lost_more_moves_than_were_played() -> None:
    lines = Positions(make_rules("pletore", size=9), 0).lines(Kind.NARROWED, 8)
    assert lines
    for line in lines:
        before = Line(line.label, line.game, line.size, line.komi, line.first, line.turns[:-2]).position()
        assert len(set(before.legal_moves()) - set(line.position().legal_moves())) >= 4


@pytest.mark.parametrize("game", sorted(SPECIAL))
def test_every_trap_is_a_position_of_its_game(game: str) -> None:
    for line in SPECIAL[game]:
        assert line.label
        assert line.game == game
        assert line.position().legal_moves()


def legal(line: Line) -> list[str]:
    position = line.position()
    return [position.rules.format_move(move) for move in position.legal_moves()]


def trap(game: str, words: str) -> list[str]:
    (line,) = (line for line in SPECIAL[game] if words in line.label)
    return legal(line)


def test_traps_forbid_what_they_are_said_to_forbid() -> None:
    assert "C3" not in trap("pletore", "may not answer opposite")
    assert "button" not in trap("pletore", "the button is taken by White")
    assert "D4" not in trap("pletore", "D4 is controlled by Black: not for White")
    assert "pass" not in trap("pletore", "no pass yet")
    assert trap("pente", "Black begins in the centre") == ["K10"]
    assert {"K11", "K12"} <= set(trap("pente", "K11 and K12 were taken"))
    assert all(word[1] in "2468" for word in trap("topolo", "rows 2, 4, 6, 8"))
    assert not any(word.endswith(":3") for word in trap("topolo", "used up height 3"))


def test_a_position_that_people_describe_wrongly_is_refused_with_its_ply() -> None:
    with pytest.raises(IllegalMoveError, match="ply 2, 'K10': K10 already holds"):
        line_of("pente", ["K10", "K10"])


def test_dice_are_told_before_their_turn() -> None:
    line = line_of("plakoto", [((6, 5), "24/18,24/19")], dice=(3, 1))
    assert line.commands() == ["arena-dice black 6 5", "play black 24/18,24/19", "arena-dice white 3 1"]
