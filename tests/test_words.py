"""Numbers and lists in sentences."""

from __future__ import annotations

from arena.words import counted, in_words


def test_a_count_agrees_with_its_noun() -> None:
    assert [counted(count, "game") for count in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert counted(1, "game was", "games were") == "1 game was"
    assert counted(3, "game was", "games were") == "3 games were"


def test_a_line_of_moves_is_shown_as_moves() -> None:
    assert in_words(("D4", "E5")) == in_words(["D4", "E5"]) == "D4 E5"
    assert [in_words(value) for value in (0.5, "D4", True, None)] == ["0.5", "D4", "True", "None"]
