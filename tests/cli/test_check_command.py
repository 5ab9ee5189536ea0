"""`arena check` and `arena match --expect`: tables, files and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from arena.cli.errors import Failure
from arena.cli.expectations import parse_expectation
from arena.cli.main import main
from reports.estimates import NOTHING, Estimate
from reports.standings import Score, Standing, TimeUse
from tests.conformance.engines import flawed

if TYPE_CHECKING:
    from pathlib import Path

OFF = ("--sandbox", "off")


def arena(*words: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(list(words))
    code = exit_.value.code
    assert isinstance(code, int)
    return code


def test_a_good_engine_gets_a_table_and_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("check", "random", "--game", "topolo", "--size", "4", "--only", "moves", *OFF) == 0
    out = capsys.readouterr().out
    assert "passed   MUST   moves.random" in out
    assert "random, topolo 4x4: " in out
    assert "sandbox: off" in out


def test_a_bad_engine_gets_its_failures_in_full_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = ("--junit", str(tmp_path / "new" / "j.xml"), "--json", str(tmp_path / "r.json"))
    words = (flawed("blind-to-control"), "--game", "pletore", "--only", "moves.near-final", *files, *OFF)
    assert arena("check", *words) == 1
    out = capsys.readouterr().out
    assert "FAILED moves.near-final (MUST: the engine plays legal moves in the last turns of a game)" in out
    assert "which is illegal here: " in out
    assert "  board:\n       9 " in out
    assert "      > genmove " in out
    failure = ElementTree.parse(tmp_path / "new" / "j.xml").find(".//failure")  # noqa: S314  our own
    assert failure is not None
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["passed"] is False
    (case,) = (case for case in told["checks"][0]["cases"] if case["status"] == "failed")
    assert case["words"] == failure.get("message")
    assert case["diagram"][-1].startswith(("Black to move", "White to move"))


def test_json_on_standard_output_comes_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("random", "--game", "topolo", "--game", "plakoto", "--only", "start-up.answers", "--json", "-")
    assert arena("check", *words, *OFF) == 0
    told = json.loads(capsys.readouterr().out)
    assert [check["game"] for check in told["checks"]] == ["topolo 8x8", "plakoto"]


def test_warnings_count_when_strict() -> None:
    words = ("check", flawed("chatters"), "--game", "topolo", "--only", "start-up.quiet", *OFF)
    assert arena(*words) == 0
    assert arena(*words, "--strict") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("greedy",), "which game? --game ID, one of pente"),
        (("greedy", "--game", "chess"), 'game = "chess": unknown game'),
        (("no-such-program", "--game", "pente"), "a program that exists"),
        (("greedy", "--game", "pente", "--size", "8"), "size = 8"),
        (("greedy", "--game", "pente", "--time", "soon"), 'time = "soon"'),
        (
            ("greedy", "--game", "pente", "--only", "nothing"),
            "no case or stage 'nothing'; there are start-up",
        ),
        ((".", "--game", "pente"), "is a folder without an engine.toml"),
    ],
)
def test_what_cannot_be_tried_is_exit_code_2_and_one_sentence(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena("check", *words, *OFF) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_sandbox_that_is_required_and_cannot_be_had_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from arena.live import sandbox

    monkeypatch.setattr(sandbox, "bubblewrap_problem", lambda: "no user namespaces here")
    assert arena("check", "greedy", "--game", "pente") == 2
    assert "no user namespaces here" in capsys.readouterr().err


def standing(share: Estimate, forfeits: int = 0) -> Standing:
    score = Score(4, 2.0, 2, 0, 2, 0)
    return Standing(
        rank=1,
        is_shared=False,
        engine="e",
        is_disqualified=False,
        total=score,
        as_black=score,
        as_white=score,
        share=share,
        head_to_head=None,
        sonneborn_berger=0.0,
        board_margin=NOTHING,
        final_margin=NOTHING,
        forfeits={"time": forfeits} if forfeits else {},
        time=TimeUse(0, None, None, None, None),
    )


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("score>=0.5", True),
        ("score>0.5", False),
        ("score >= 50%", True),
        ("low>=0.4", False),
        ("low>=0.3", True),
        ("high<0.8", True),
        ("faults<=1", True),
        ("faults<1", False),
    ],
)
def test_an_expectation_is_held_to_what_it_names(text: str, is_met: bool) -> None:
    met, words = parse_expectation(text).judge(standing(Estimate(0.5, 0.3, 0.7, 20), forfeits=1))
    assert met is is_met
    assert ("NOT met" in words) is not is_met
    if not text.startswith("faults"):
        assert "95 % interval 0.300 to 0.700, 20 games" in words


def test_what_cannot_be_said_meets_nothing() -> None:
    for text in ("low>=0", "low<=1", "high<=1"):
        met, words = parse_expectation(text).judge(standing(Estimate(0.5, None, None, 2)))
        assert not met
        assert "cannot be said" in words


@pytest.mark.parametrize(
    "text", ["", "score", "score=0.4", "points>=1", "score>=", "score>=40", "faults<=5%", "score>=0.4; rm"]
)
def test_what_is_no_expectation_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(Failure) as raised:
        parse_expectation(text)
    assert raised.value.exit_code == 2
    assert repr(text) in str(raised.value)


def test_a_match_that_does_not_show_what_was_expected_is_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    match = ("match", "random", "random --seed 1", "--game", "topolo", "--size", "4", "--pairs", "2")
    assert arena(*match, "--expect", "faults<=0", "--expect", "score>=0") == 0
    assert arena(*match, "--expect", "score>1") == 1
    out = capsys.readouterr().out
    assert "random: expected faults <= 0: met, it is 0" in out
    assert "random: expected score > 1: NOT met" in out


def test_an_expectation_is_read_before_anything_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("match", "random", "random", "--expect", "luck>1") == 2
    assert "figures: score (points a game" in capsys.readouterr().err
