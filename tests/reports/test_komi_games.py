"""Which records are observations of the komi laboratory, and of what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.core.record import EngineIdentity, GameRecord
from arena.core.verdict import Reason, Verdict, by_fault, by_outcome, by_resignation
from arena.rules.registry import make_rules
from arena.stats.komi.games import Ending
from arena.stats.komi.laboratory import analyse
from reports.komi.charts import save_komi_charts
from reports.komi.games import komi_game
from reports.komi.tables import komi_tables, verdict_lines

if TYPE_CHECKING:
    from pathlib import Path


def a_record(moves: tuple[str, ...], verdict: Verdict, komi: int | None = 1) -> GameRecord:
    nobody = EngineIdentity("engine")
    return GameRecord(
        id="k1.1-2.1a",
        ordinal=0,
        round=1,
        pair="k1.1-2.1",
        game="pletore",
        size=1,
        seed=1,
        attempt=1,
        komi=komi,
        black=nobody,
        white=replace(nobody, name="engine (twin)"),
        verdict=verdict,
        moves=moves,
        opening_plies=0,
        opening="",
        time_us=(0,) * len(moves),
        started="",
        ended="",
    )


def played(*words: str, komi: int) -> GameRecord:
    rules = make_rules("pletore", size=1, komi=komi)
    position = rules.initial()
    for word in words:
        position.play(rules.parse_move(word))
    return a_record(words, by_outcome(position.outcome()), komi)


def test_a_game_that_ended_on_the_board_has_margin_button_and_winner() -> None:
    game = komi_game(played("A1", "button", "pass", "pass", komi=1), is_self_play=True)
    assert game.ending is Ending.BOARD
    assert (game.board_margin, game.button, game.black_won) == (1, "white", False)
    assert game.black == game.white
    assert game.opening == "k1.1-2.1a"


def test_resignations_and_faults_are_told_apart_and_have_no_margin() -> None:
    resigned = komi_game(a_record((), by_resignation(0)), is_self_play=False)
    failed = komi_game(a_record((), by_fault(1, Reason.TIME)), is_self_play=False)
    assert (resigned.ending, resigned.black_won, resigned.board_margin) == (Ending.RESIGNED, False, None)
    assert (failed.ending, failed.black_won, failed.board_margin) == (Ending.FAULT, True, None)


def test_a_record_without_komi_is_none_of_the_laboratory() -> None:
    with pytest.raises(ValueError, match="no komi"):
        komi_game(a_record((), by_resignation(0), komi=None), is_self_play=False)


def test_without_a_game_on_the_board_there_are_words_and_no_charts(tmp_path: Path) -> None:
    report = analyse([komi_game(a_record((), by_resignation(0)), is_self_play=True)], 1)
    assert [table.stem for table in komi_tables(report, "nothing")] == ["komi-odd"]
    assert verdict_lines(report)[0] == "Answer: no game ended on the board: nothing can be said."
    assert save_komi_charts(report, "nothing", (), tmp_path) == []
