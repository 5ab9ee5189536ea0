"""What is said about a match of two engines."""

from __future__ import annotations

from reports.duel import duel_lines, duel_of
from reports.results import from_rows
from tests.reports.samples import LABELS, game, season


def test_a_pair_is_one_observation_and_a_game_without_a_partner_stands_alone() -> None:
    rows = [
        game(0, 1, 1, pair="1-2.1"),
        game(1, 0, 1, pair="1-2.1"),
        game(0, 1, 1, pair="1-2.2"),
        game(1, 0, 0.5, pair="1-2.2"),
        game(1, 0, 0, pair="1-2.3"),
    ]
    duel = duel_of(from_rows(["a", "b"], LABELS, rows))
    assert duel.by_pairs is not None
    assert duel.by_pairs.counts == (0, 0, 1, 1, 0)
    assert (duel.total.wins, duel.total.draws, duel.total.losses) == (3, 1, 1)
    assert (duel.as_black.wins, duel.as_white.wins) == (2, 1)
    assert duel.by_games.counts == (1, 1, 3)
    assert any("without a partner" in note for note in duel.notes)


def test_games_in_which_both_failed_count_for_nobody() -> None:
    rows = [game(0, 1, 0, pair="1-2.1", white_points=0.0), game(1, 0, 0, pair="1-2.1")]
    duel = duel_of(from_rows(["a", "b"], LABELS, rows))
    assert duel.by_pairs is None
    assert duel.total.games == 1


def test_lines_are_for_two_engines_with_points_only() -> None:
    assert duel_lines(season(3, 2)) == []
    assert duel_lines(from_rows(["a", "b"], LABELS, [])) == []
    lines = duel_lines(season(2, 20, names=("gre\x1b[2Jedy", "random")))
    assert all(line.isprintable() for line in lines)
    assert any(line.startswith("by pairs: Elo difference") for line in lines)
    assert any("valid at any stopping time" in line for line in lines)


def test_all_wins_and_one_pair_give_words_and_never_nan() -> None:
    for pairs in (1, 5):
        rows = [
            game(black, 1 - black, 1.0 if black == 0 else 0.0, pair=f"1-2.{pair}")
            for pair in range(pairs)
            for black in (0, 1)
        ]
        text = "\n".join(duel_lines(from_rows(["a", "b"], LABELS, rows)))
        assert "nan" not in text
        assert "inf" not in text.replace("infinite", "")
