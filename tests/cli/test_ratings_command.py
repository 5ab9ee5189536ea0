"""`arena ratings` over one file and several, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arena.cli.main import main
from arena.core.laboratory import Design, laboratory, text_with_design
from arena.store import RunStore
from tests.cli.played import an_event, an_event_of_several, play

if TYPE_CHECKING:
    from pathlib import Path


def rated(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int | str | None, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["ratings", *map(str, arguments)])
    told = capsys.readouterr()
    return ended.value.code, told.out, told.err


def as_object(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, _ = rated(capsys, *arguments, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_every_engine_of_an_event_is_rated_relative_to_the_anchor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path / "cup.db", an_event("topolo"))
    found = as_object(capsys, database, "--anchor", "random", "--anchor-elo", "1500")
    (group,) = found["groups"]
    anchor = found["engines"].index("random")
    assert group["anchor"] == anchor
    ratings = {rating["player"]: rating for rating in group["ratings"]}
    assert len(ratings) == 3
    assert ratings[anchor]["elo"] == 1500
    assert ratings[anchor]["interval"] is None
    assert all(rating["games"] == 8 for rating in ratings.values())
    code, out, _ = rated(capsys, database)
    assert code == 0
    assert "Likelihood of superiority" in out
    assert "No game was drawn" in out


def test_entries_of_two_files_that_agree_in_name_and_program_are_one_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = play(tmp_path / "first.db", an_event("pletore", ("greedy", "random")))
    second = play(tmp_path / "second.db", replace(an_event("pletore", ("random", "slow")), seed=8))
    together = as_object(capsys, first, second)
    assert sorted(together["engines"]) == ["greedy", "random", "slow"]
    (group,) = together["groups"]
    assert {rating["games"] for rating in group["ratings"]} == {4, 8}


def test_groups_that_never_met_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = play(tmp_path / "first.db", an_event("pletore", ("greedy", "random")))
    second = play(tmp_path / "second.db", an_event("pletore", ("slow", "fast")))
    assert len(as_object(capsys, first, second)["groups"]) == 2
    code, out, _ = rated(capsys, first, second)
    assert code == 0
    assert "group 1 of 2" in out
    assert "group 2 of 2" in out


def test_tables_are_written_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = play(tmp_path / "cup.db", an_event("pente"))
    code, _, _ = rated(capsys, database, "-o", tmp_path / "tables")
    assert code == 0
    written = {path.name for path in (tmp_path / "tables").iterdir()}
    assert written == {"ratings.csv", "ratings.md", "superiority.csv", "superiority.md"}


def test_an_event_of_several_games_is_rated_as_a_whole_and_in_each_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path / "cup.db", an_event_of_several("pletore", "topolo"))
    found = as_object(capsys, database, "--anchor", "random", "--anchor-elo", "1500")
    (of_all,) = found["groups"]
    assert {rating["games"] for rating in of_all["ratings"]} == {16}
    assert list(found["by_game"]) == ["pletore", "topolo"]
    for part in found["by_game"].values():
        (group,) = part["groups"]
        assert part["engines"][group["anchor"]] == "random"
        assert group["anchor_elo"] == 1500
        assert {rating["games"] for rating in group["ratings"]} == {8}
    apart = [_points(part) for part in found["by_game"].values()]
    assert apart[0] != apart[1]
    for engine, points in _points(found).items():
        assert points == pytest.approx(sum(part[engine] for part in apart))
    code, out, _ = rated(capsys, database, "-o", tmp_path / "tables")
    assert code == 0
    assert out.index("Games of pletore and topolo are rated together.") < out.index("Ratings: pletore")
    assert out.index("Ratings: pletore") < out.index("Ratings: topolo")
    # Pletore has no draws, Topolo has.
    assert "Draws between equals" not in out[out.index("Ratings: pletore") : out.index("Ratings: topolo")]
    files = {path.relative_to(tmp_path / "tables").as_posix() for path in (tmp_path / "tables").rglob("*.md")}
    assert files >= {"ratings.md", "pletore/ratings.md", "topolo/ratings.md", "topolo/superiority.md"}


def _points(found: dict[str, Any]) -> dict[str, float]:
    ratings = found["groups"][0]["ratings"]
    return {found["engines"][each["player"]]: each["score"] * each["games"] for each in ratings}


def test_files_of_different_games_are_rated_together_and_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = play(tmp_path / "first.db", an_event("pletore", ("greedy", "random")))
    second = play(tmp_path / "second.db", an_event("pente", ("random", "slow")))
    found = as_object(capsys, first, second)
    assert sorted(found["engines"]) == ["greedy", "random", "slow"]
    apart = {game: sorted(part["engines"]) for game, part in found["by_game"].items()}
    assert apart == {"pletore": ["greedy", "random"], "pente": ["random", "slow"]}
    assert "by_game" not in as_object(capsys, first)


def test_the_komi_of_a_laboratory_are_no_games_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    design = Design((0, 2, 4), 4, None, is_self_play=False)
    event = laboratory(an_event("pletore", ("greedy", "random")), design).event
    database = play(tmp_path / "komi.db", event)
    with RunStore.create_or_resume(database, event, event_text=text_with_design("", design)):
        pass
    assert "by_game" not in as_object(capsys, database)


def test_an_unknown_anchor_and_an_event_without_games_are_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path / "cup.db", an_event())
    code, _, words = rated(capsys, database, "--anchor", "gredy")
    assert code == 2
    assert "did you mean 'greedy'?" in words
    for number in ("nan", "inf"):
        code, _, words = rated(capsys, database, "--anchor-elo", number)
        assert code == 2
        assert f"--anchor-elo is a number, not {number}" in words
    empty = play(
        tmp_path / "none.db",
        an_event("pletore", ("a", "b")),
        unplayed=[f"1-2.{n}{h}" for n in (1, 2) for h in "ab"],
    )
    code, _, words = rated(capsys, empty)
    assert code == 2
    assert "no games to rate" in words
