"""The suite with real engines: good ones pass, and each flaw is found by its case and named in words."""

from __future__ import annotations

import pytest

from arena.conformance.case import Status
from arena.rules.registry import games
from tests.conformance.engines import SIZES, STAGES, flawed, needs_sandbox, results, run, subject

FLAWS = [
    ("never-flushes", "start-up.answers", Status.FAILED, "lay in its output buffer", "flush=True"),
    ("never-flushes", "end.flushed", Status.FAILED, "lay in its output buffer", "flush=True"),
    ("no-empty-line", "start-up.answers", Status.FAILED, "no empty line after it", "empty line"),
    ("never-answers", "start-up.answers", Status.FAILED, "neither computing nor", "line by line"),
    ("thinks-for-ever", "commands.genmove", Status.FAILED, "still computing", "clock"),
    ("one-of-two", "commands.joined", Status.WARNED, "only the first of two", "select"),
    ("chatters", "start-up.quiet", Status.WARNED, "wrote `welcome` before", "standard error"),
    ("one-board", "settings.other-sizes", Status.FAILED, "on size 1 it played", "really play on that board"),
    ("any-size", "settings.no-such-size", Status.WARNED, "accepts `boardsize 0`", "unacceptable size"),
    (
        "ignores-clear-board",
        "commands.clear_board",
        Status.FAILED,
        "refuses it after `clear_board`",
        "new game",
    ),
    ("blind-to-control", "moves.near-final", Status.FAILED, "is controlled by", "Legal here: "),
    ("blind-to-control", "moves.traps", Status.FAILED, "D4 is controlled by Black", "Legal here: "),
    ("ignores-seed", "seed.repeats", Status.WARNED, "same arena-seed", "generator"),
    (
        "ignores-seed-and-limit",
        "seed.repeats-under-work-limit",
        Status.FAILED,
        "same arena-seed",
        "clear_board",
    ),
    ("remembers", "games.fresh-start", Status.FAILED, "has played another game", "game before"),
    ("slow", "clock.tight-each-move", Status.WARNED, "oversteps 0.05/move by", "It was told its clock"),
    ("ends-in-the-middle", "moves.random", Status.FAILED, "exit code 7, its last words: something broke", ""),
    ("will-not-leave", "end.quit", Status.WARNED, "still runs", "killed"),
    ("refuses", "commands.genmove", Status.FAILED, "answered `genmove black` with an error", "refusal loses"),
    (
        "unknown-game-taken",
        "commands.unknown-game",
        Status.FAILED,
        "accepts `arena-game no-such",
        "unknown game",
    ),
]


@pytest.mark.parametrize(
    ("engine", "game"), [("random_player", "pletore"), *(("greedy_player", game) for game in games())]
)
def test_a_sample_engine_passes_in_every_game_it_claims(engine: str, game: str) -> None:
    report = run(subject(engine, game, size=SIZES.get(game), patience_s=10), *STAGES)
    assert [result for result in report.results if result.problem is not None] == []
    assert report.is_good(strict=True)
    assert report.count(Status.PASSED) > 35
    assert report.measured["memory"] != "0 MB at most"


@pytest.mark.parametrize(("flaw", "case", "status", "reason", "advice"), FLAWS)
def test_a_flaw_is_found_by_its_case_and_named_in_words(
    flaw: str, case: str, status: Status, reason: str, advice: str
) -> None:
    size = 9 if flaw in ("blind-to-control", "one-board") else 5
    found = results(run(subject(flawed(flaw), "pletore", size=size), case, "start-up.answers"))[case]
    assert found.status is status, found
    assert found.problem is not None
    assert reason in found.problem.reason
    assert advice in found.problem.advice
    assert found.words == found.problem.reason


def test_an_illegal_move_is_shown_with_the_whole_exchange_and_the_board() -> None:
    found = results(run(subject(flawed("blind-to-control"), "pletore", size=9), "moves.random"))[
        "moves.random"
    ]
    problem = found.problem
    assert problem is not None
    assert any(line.startswith("> genmove ") for line in problem.exchange[-2:])
    assert "> clear_board" in problem.exchange
    assert problem.exchange[-1].startswith("< = ")
    assert "A B C D E F G H J" in problem.diagram[9]
    assert "to move" in problem.diagram[10]


def test_what_builds_on_a_failed_case_is_not_tried() -> None:
    report = run(subject(flawed("refuses"), "pletore", size=5), "moves", "games")
    skipped = [result for result in report.results if result.status is Status.SKIPPED]
    assert {result.id.partition(".")[0] for result in skipped} == {"moves", "seed", "games"}
    assert all("not tried: commands.genmove failed" in result.words for result in skipped)


def test_an_engine_that_takes_no_joined_commands_is_tried_one_by_one() -> None:
    report = run(subject(flawed("one-of-two"), "pletore", size=5), "commands.joined", "commands.clear_board")
    assert results(report)["commands.clear_board"].status is Status.PASSED


def test_the_same_seed_asks_about_the_same_positions() -> None:
    first, second = (
        results(run(subject(flawed("blind-to-control"), "pletore", size=9), "moves.random"))["moves.random"]
        for _ in range(2)
    )
    assert first.problem is not None
    assert second.problem is not None
    assert first.problem.diagram == second.problem.diagram


@needs_sandbox
def test_an_engine_passes_inside_the_sandbox_that_is_required() -> None:
    from arena.conformance.subjects import Circumstances, subject_of

    tested = subject_of("greedy", "topolo", Circumstances(size=4, sandbox="require"))
    report = run(tested, "start-up", "moves", "games.against-itself")
    assert report.sandbox == "bubblewrap"
    assert not report.count(Status.FAILED)
