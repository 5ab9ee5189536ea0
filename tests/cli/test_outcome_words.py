"""A game's margin and details are told in words that say whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.cli.main import main
from arena.cli.outcome_words import detail_words, margin_words
from arena.rules.base import BLACK, Outcome
from tests.cli.played import SIZES, an_event, play

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TITLES = ("Red", "Blue")


@pytest.mark.parametrize(
    ("board", "final", "words"),
    [
        (3, 3, "Red by 3"),
        (3, -0.5, "Red by 3 on the board, Blue by 0.5 in the end"),
        (0, 0, "even"),
        (0, -1, "even on the board, Blue by 1 in the end"),
        (2, None, "Red by 2"),
        (None, None, None),
    ],
)
def test_a_margin_says_who_is_ahead(board: float | None, final: float | None, words: str | None) -> None:
    outcome = Outcome(BLACK, ("score",), "B+1", board_margin=board, final_margin=final)
    assert margin_words(outcome, TITLES) == words


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ({"pip_counts": {"black": 12, "white": 0}}, "pip counts: Red 12, Blue 0"),
        ({"komi": 4, "button": "white"}, "komi: 4; button: Blue"),
        (
            {"groups": {"black": [[5, 9], [1, 2]], "white": []}},
            "groups (pieces/height): Red 5/9 1/2, Blue none",
        ),
        ({"scores": {"black": 40.0, "white": 41.5}}, "scores: Red 40, Blue 41.5"),
        ({"odd": {"x": [1]}, "none": None, "so": True}, 'odd: {"x": [1]}; none: none; so: True'),
    ],
)
def test_details_of_any_shape_become_words(details: Mapping[str, object], words: str) -> None:
    assert detail_words(details, TITLES) == words


@pytest.mark.parametrize("game", sorted(SIZES))
def test_show_prints_no_json_and_no_signs(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path / "cup.db", an_event(game))
    with pytest.raises(SystemExit):
        main(["show", str(database), "1-2.1a"])
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("details:", "margin:"))]
    assert told
    assert not set("{}[]") & set("".join(told))
    assert "+" not in "".join(told)
