"""What every registered game owes the rest of the project, whatever its rules."""

from __future__ import annotations

import json
import pickle
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.rules import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    NoSuchMoveError,
    Position,
    QuestionError,
    Rules,
    RulesError,
)
from arena.rules.registry import games, make_rules, rules_class
from tests.rules.vectors import as_setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.rules import Move

GAMES = games()
LONGEST_TRIED = 3000
"""Turns after which a random game of a game without a bound is given up: none gets near it."""

every_game = pytest.mark.parametrize("game", GAMES)


def every_size(game: str) -> tuple[int | None, ...]:
    """Return the smallest, the default and the largest size, or None alone."""
    kind = rules_class(game)
    return tuple(sorted({kind.sizes[0], kind.default_size or 0, kind.sizes[-1]})) if kind.sizes else (None,)


def settings_of(game: str) -> list[Rules]:
    return [make_rules(game, size=size) for size in every_size(game)]


def random_game(rules: Rules, seed: int) -> Iterator[Position]:
    """Play at random and yield the one position before every move and at the end; dice are thrown."""
    chance = random.Random(seed)
    position = rules.initial()
    for _ in range(rules.longest_game() or LONGEST_TRIED):
        if position.awaits_dice:
            position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
        if position.is_over:
            break
        yield position
        position.play(chance.choice(position.legal_moves()))
    assert position.is_over, "the game is longer than its longest"
    yield position


def throw(position: Position, dice: tuple[int, int] | None) -> None:
    if dice is not None:
        position.set_dice(*dice)


def complaint(kind: type[RulesError], act: Callable[[], object]) -> str | None:
    """Return what an action that may be refused is told, None when it is not."""
    try:
        act()
    except kind as error:
        return str(error)
    return None


def some_position(rules: Rules, seed: int, plies: int) -> Position:
    """Return the position after so many random turns, or the last one before the end."""
    position = rules.initial()
    for ply, current in enumerate(random_game(rules, seed)):
        if current.is_over or ply > plies:
            break
        position = current.copy()
    return position


@every_game
def test_the_class_describes_the_game(game: str) -> None:
    kind = rules_class(game)
    assert kind.game == game
    assert re.fullmatch(r"[a-z][a-z0-9_-]*", game)
    assert kind.title
    assert kind.margin_unit
    assert len(set(kind.colour_titles)) == 2
    assert list(kind.sizes) == sorted(set(kind.sizes))
    assert (kind.default_size in kind.sizes) if kind.sizes else (kind.default_size is None)
    assert json.loads(json.dumps(kind.sizes)) == list(kind.sizes)


@every_game
def test_default_settings_are_those_the_class_names(game: str) -> None:
    rules = make_rules(game)
    assert rules.size == rules.default_size
    assert rules.komi == (0 if rules.has_komi else None)


@every_game
@pytest.mark.parametrize("size", [0, -1, 26, 10**400, 9.0, "9", True, float("nan"), [9], {}])
def test_a_size_the_game_does_not_have_is_refused(game: str, size: Any) -> None:
    with pytest.raises(QuestionError):
        make_rules(game, size=size)


@every_game
@pytest.mark.parametrize("komi", [10**400, -(10**400), 0.5, "1", True, float("inf"), [0], {}])
def test_a_komi_that_is_no_whole_number_is_refused(game: str, komi: Any) -> None:
    with pytest.raises(QuestionError):
        make_rules(game, komi=komi)


@every_game
def test_komi_is_refused_where_the_game_has_none(game: str) -> None:
    if not rules_class(game).has_komi:
        with pytest.raises(QuestionError):
            make_rules(game, komi=1)


@every_game
def test_only_dice_decide_who_moves_first(game: str) -> None:
    rules = make_rules(game)
    assert rules.initial(BLACK).to_move == BLACK
    if rules.has_dice:
        assert rules.initial(WHITE).to_move == WHITE
    else:
        with pytest.raises(QuestionError):
            rules.initial(WHITE)


@every_game
def test_rules_travel_to_another_process(game: str) -> None:
    rules = pickle.loads(pickle.dumps(make_rules(game)))  # noqa: S301
    assert rules.initial().key() == make_rules(game).initial().key()


@every_game
def test_every_random_game_ends_in_time_with_a_full_outcome(game: str) -> None:
    for rules in settings_of(game):
        for position in random_game(rules, seed=1):
            if not position.is_over:
                continue
            assert position.legal_moves() == []
            outcome = position.outcome()
            assert outcome.reasons
            assert outcome.winner in (BLACK, WHITE, None)
            assert outcome.winner is not None or rules.can_draw
            assert outcome.result.startswith({BLACK: "B+", WHITE: "W+", None: "0"}[outcome.winner])
            json.dumps(dict(outcome.details))
            if outcome.final_margin and outcome.reasons[0] == "score":
                assert (outcome.final_margin > 0) == (outcome.winner == BLACK)


@every_game
def test_a_game_that_goes_on_has_no_outcome_and_a_legal_move(game: str) -> None:
    for rules in settings_of(game):
        for position in random_game(rules, seed=2):
            if not position.is_over:
                assert position.legal_moves()
                with pytest.raises(RulesError):
                    position.outcome()


@every_game
def test_a_finished_game_refuses_every_move(game: str) -> None:
    for rules in settings_of(game):
        *_, position = random_game(rules, seed=3)
        before = position.key()
        for move in some_position(rules, seed=4, plies=0).legal_moves():
            assert position.refusal(move)
            with pytest.raises(IllegalMoveError):
                position.play(move)
        assert position.key() == before


@every_game
def test_words_and_moves_translate_into_each_other(game: str) -> None:
    for rules in settings_of(game):
        for position in random_game(rules, seed=5):
            moves = position.legal_moves()
            words = [rules.format_move(move) for move in moves]
            assert len(set(words)) == len(set(moves)) == len(moves)
            for move, word in zip(moves, words, strict=True):
                assert re.fullmatch(r"[!-~]+", word)
                assert "#" not in word
                assert rules.parse_move(word) == move
                assert rules.parse_move(word.lower()) == rules.parse_move(word.upper()) == move


@every_game
def test_the_list_of_legal_moves_and_the_refusal_agree(game: str) -> None:
    for rules in settings_of(game):
        ever_legal: set[Any] = set()
        for position in random_game(rules, seed=6):
            if rules.size and rules.size > 9 and position.ply % 10:
                continue
            legal = position.legal_moves()
            ever_legal.update(legal)
            for move in ever_legal:
                if position.refusal(move) is None:
                    # One move may have several words (plakoto); the list has one of them.
                    assert rules.has_dice or move in legal
                else:
                    assert move not in legal


@every_game
def test_an_illegal_move_is_refused_in_words_and_changes_nothing(game: str) -> None:
    for rules in settings_of(game):
        position = some_position(rules, seed=7, plies=4)
        before = position.key(), position.ply, position.to_move
        other = some_position(rules, seed=8, plies=5)
        for move in other.legal_moves():
            reason = position.refusal(move)
            if reason is None:
                continue
            assert reason.isprintable()
            with pytest.raises(IllegalMoveError) as caught:
                position.play(move)
            assert str(caught.value) == reason
        assert (position.key(), position.ply, position.to_move) == before


@every_game
def test_a_copy_goes_its_own_way(game: str) -> None:
    for rules in settings_of(game):
        position = some_position(rules, seed=9, plies=6)
        before, drawn, legal = position.key(), position.diagram(), position.legal_moves()
        for move in legal[:20]:
            twin = position.copy()
            assert twin.key() == before
            assert (twin.ply, twin.dice, twin.awaits_dice) == (
                position.ply,
                position.dice,
                position.awaits_dice,
            )
            twin.play(move)
            assert twin.key() != before
        assert (position.key(), position.diagram(), position.legal_moves()) == (before, drawn, legal)


@every_game
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), kept=st.integers(0, 100))
def test_replaying_all_but_the_last_moves_undoes_them(game: str, seed: int, kept: int) -> None:
    rules = settings_of(game)[0]
    chance = random.Random(seed)
    position = rules.initial()
    turns: list[tuple[tuple[int, int] | None, Move]] = []
    seen = []
    while not position.is_over and len(turns) < LONGEST_TRIED:
        if position.awaits_dice:
            position.set_dice(chance.randint(1, 6), chance.randint(1, 6))
        legal = position.legal_moves()
        seen.append((position.key(), legal, position.diagram()))
        turns.append((position.dice, chance.choice(legal)))
        position.play(turns[-1][1])
    kept %= len(turns)
    replayed = rules.initial()
    for dice, move in turns[:kept]:
        throw(replayed, dice)
        replayed.play(move)
    throw(replayed, turns[kept][0])
    assert (replayed.key(), replayed.legal_moves(), replayed.diagram()) == seen[kept]
    assert replayed.ply == kept


@every_game
def test_the_diagram_is_plain_text_with_a_line_for_every_row(game: str) -> None:
    for rules in settings_of(game):
        for lines in (rules.initial().diagram(), list(random_game(rules, seed=10))[-1].diagram()):
            assert len(lines) > (rules.size or 2)
            assert all(line.isprintable() and line.isascii() for line in lines)


@every_game
def test_a_position_and_its_set_up_form_allow_the_same(game: str) -> None:
    for rules in settings_of(game):
        for plies in (0, 1, 2, 7):
            position = some_position(rules, seed=11, plies=plies)
            again = make_rules(game).from_setup(json.loads(json.dumps(as_setup(position))))
            assert again.legal_moves() == position.legal_moves()
            assert (again.rules.size, again.rules.komi) == (rules.size, rules.komi)
            assert again.key() == position.key()


@every_game
def test_a_game_without_dice_takes_none(game: str) -> None:
    rules = make_rules(game)
    position = rules.initial()
    if not rules.has_dice:
        assert position.dice is None
        with pytest.raises(RulesError):
            position.set_dice(3, 1)
    else:
        assert position.awaits_dice
        for first, second in ((0, 1), (7, 1), (1, -1)):
            with pytest.raises(RulesError):
                position.set_dice(first, second)
        position.set_dice(3, 1)
        with pytest.raises(RulesError):
            position.set_dice(3, 1)


@every_game
@settings(deadline=None)
@given(word=st.text(max_size=12) | st.sampled_from(["", " ", "I5", "ſ3", "ı1", "A٣", "A01", "A1 ", "+A1"]))
@example("A" * 100_000)
@example("1" * 5000)
@example("24/" * 2000)
def test_a_word_is_a_move_or_refused_in_few_words(game: str, word: str) -> None:
    rules = make_rules(game)
    why = complaint(MalformedMoveError, lambda: rules.parse_move(word))
    if why is not None:
        assert why.isprintable()
        assert len(why) < 400
    else:
        # Nothing but plain letters of either case spells a move.
        assert word.isascii()
        move = rules.parse_move(word)
        assert rules.parse_move(rules.format_move(move)) == move


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@every_game
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_set_up_is_refused_or_stands(game: str, data: st.DataObject) -> None:
    rules = settings_of(game)[0]
    setup = as_setup(some_position(rules, seed=12, plies=5))
    key = data.draw(st.sampled_from(sorted(setup)) | st.text(max_size=5))
    match data.draw(st.sampled_from(["replace", "remove", "inside"])):
        case "remove":
            setup.pop(key, None)
        case "inside" if isinstance(setup.get(key), dict):
            setup[key] = {**setup[key], data.draw(st.text(max_size=2)): data.draw(JSON)}
        case "inside" if isinstance(setup.get(key), list) and setup[key]:
            setup[key] = [*setup[key][:-1], data.draw(JSON)]
        case _:
            setup[key] = data.draw(JSON)
    why = complaint(QuestionError, lambda: rules.from_setup(setup))
    if why is not None:
        assert why.isprintable()
        assert len(why) < 500
        return
    position = rules.from_setup(setup)
    for move in position.legal_moves()[:3]:
        position.copy().play(move)
    position.diagram()


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("pletore", ["T15", "A10", "Z1"]),
        ("pente", ["A20", "Z9", "pass"]),
        ("topolo", ["J1:1", "A9:1", "A1:4", "A1:0", "pass"]),
        ("plakoto", ["25/20", "30/24", "24/0", "24/23/22/21/20/19"]),
    ],
)
def test_a_well_formed_word_that_names_nothing_here_is_told_from_nonsense(
    game: str, words: list[str]
) -> None:
    rules = make_rules(game)
    for word in words:
        with pytest.raises(NoSuchMoveError):
            rules.parse_move(word)
    for nonsense in ("", "foo", "A", "1A", "D4 E5", "24-18", "A1:"):
        with pytest.raises(MalformedMoveError) as caught:
            rules.parse_move(nonsense)
        assert not isinstance(caught.value, NoSuchMoveError)
