"""What the watching page says of results, whatever state the database is in."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arena.cli import watch
from arena.cli.laboratory import games_at
from arena.core.event import Discipline, PairingSettings, SequentialPlan
from arena.core.laboratory import Design, laboratory, text_with_design
from arena.core.schedule import Schedule
from arena.rules.registry import games
from arena.store import RunStore
from arena.web.boards import boards_of
from arena.web.results import ResultsReader
from reports.komi.courses import course_of
from tests.cli.played import an_event, play
from tests.store import builders

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e" + "n" * 250


def sections_of(database: Path) -> dict[str, Any]:
    reader = ResultsReader(database, an_event())
    try:
        found = reader.sections()
    finally:
        reader.close()
    assert json.loads(json.dumps(found)) == found
    return found


@pytest.mark.parametrize("game", games())
def test_a_finished_event_is_told_whole(tmp_path: Path, game: str) -> None:
    database = play(tmp_path / "cup.db", an_event(game))
    found = sections_of(database)
    assert found["trouble"] is None
    assert found["progress"]["state"] == "finished"
    assert found["progress"]["played"] == found["progress"]["total"] == 12
    assert len(found["standings"]["rows"]) == 3
    assert len(found["results"]) == 12
    (drawing,) = found["event"]["drawings"].values()
    assert drawing["game"] == game
    reader = ResultsReader(database, an_event())
    board = reader.game(found["results"][0]["id"])
    reader.close()
    assert board is not None
    assert len(board["state"]) == len(drawing["names"])


def test_an_empty_event_and_one_game_have_their_page(tmp_path: Path) -> None:
    event = an_event()
    ids = [game.id for game in Schedule(event)]
    database = play(tmp_path / "cup.db", event, unplayed=ids)
    found = sections_of(database)
    assert found["progress"]["played"] == 0
    assert found["progress"]["state"] == "stopped"
    assert found["results"] == []
    assert [row[2] for row in found["standings"]["rows"]] == ["0", "0", "0"]
    play(database, event, unplayed=ids[1:])
    assert [game["id"] for game in sections_of(database)["results"]] == ids[:1]


def test_a_run_that_goes_on_is_followed_and_told_from_one_that_broke_off(tmp_path: Path) -> None:
    event = builders.event()
    reader = ResultsReader(tmp_path / "cup.db", event)
    with RunStore.create_or_resume(tmp_path / "cup.db", event) as store:
        store.add([builders.record(event, 0)])
        found: Any = reader.sections()
        assert found["progress"]["state"] == "running"
        assert [game["id"] for game in found["results"]] == ["2-3.1a"]
        again: Any = reader.sections()
        assert "standings" not in again
        store.add([builders.fault(event, 1)])
        found = reader.sections()
        assert found["results"][0]["fault"] == "white"
        assert found["progress"]["played"] == 2
        # What a killed run leaves: a run without an end, and nobody who holds the lock.
        shutil.copy(tmp_path / "cup.db", tmp_path / "copy.db")
        shutil.copy(tmp_path / "cup.db-wal", tmp_path / "copy.db-wal")
    reader.close()
    assert sections_of(tmp_path / "copy.db")["progress"]["state"] == "broken off"
    assert sections_of(tmp_path / "cup.db")["progress"]["state"] == "stopped"


def a_laboratory(database: Path, design: Design, most: int | None = None) -> None:
    """Play a laboratory of two engines, or of one and its twin, as far as `most` games."""
    plan = laboratory(an_event("pletore", ("one", "two")), design)
    with RunStore.create_or_resume(database, plan.event):
        pass
    course = course_of(plan, lambda ordinals: games_at(plan, database, ordinals))
    ids = [game.id for game in Schedule(plan.event)]
    ordinals = itertools.chain.from_iterable(iter(lambda: list(course.next_batch()), []))
    for ordinal in itertools.islice(ordinals, most):
        play(database, plan.event, unplayed=[*ids[:ordinal], *ids[ordinal + 1 :]])
    with RunStore.create_or_resume(database, plan.event, event_text=text_with_design("", design)):
        pass


def test_an_adaptive_laboratory_is_finished_when_its_design_asks_for_no_more(tmp_path: Path) -> None:
    design = Design((0, 1, 2, 3), 8, 3.0, is_self_play=True)
    a_laboratory(tmp_path / "all.db", design)
    found = sections_of(tmp_path / "all.db")
    assert found["progress"]["state"] == "finished"
    assert found["progress"]["total"] is None
    a_laboratory(tmp_path / "some.db", design, most=found["progress"]["played"] - 1)
    assert sections_of(tmp_path / "some.db")["progress"]["state"] == "stopped"


def test_an_engine_that_plays_itself_has_results_by_komi_in_place_of_standings(tmp_path: Path) -> None:
    a_laboratory(tmp_path / "self.db", Design((0, 1), 3, None, is_self_play=True))
    found = sections_of(tmp_path / "self.db")
    assert found["progress"]["state"] == "finished"
    table = found["standings"]
    assert table["title"] == "Results by komi"
    assert [row[:2] for row in table["rows"]] == [["0", "3"], ["1", "3"]]
    assert all(int(row[2]) + int(row[3]) == 3 for row in table["rows"])
    assert found["panels"] == []


def test_a_laboratory_of_two_engines_has_standings_and_results_by_komi(tmp_path: Path) -> None:
    a_laboratory(tmp_path / "two.db", Design((0, 1), 2, None, is_self_play=False))
    found = sections_of(tmp_path / "two.db")
    assert found["standings"]["title"] == "Standings"
    assert [row[1] for row in found["standings"]["rows"]] != []
    by_komi, *others = found["panels"]
    assert by_komi["title"] == "Results by komi"
    assert [line.split(":")[0] for line in by_komi["lines"]] == ["komi 0", "komi 1"]
    assert any(panel["title"] == "one against two" for panel in others)


def test_every_game_and_size_of_an_event_has_its_drawing() -> None:
    event = an_event()
    nine = Discipline("nine", "pletore", 9, 4, 2, event.time, event.book)
    disciplines = (nine, replace(nine, name="dice", game="plakoto", size=None, komi=None))
    other = PairingSettings(("greedy", "random"), discipline="nine", size=13)
    several = replace(event, disciplines=disciplines, pairings=(other,))
    assert sorted(boards_of(several)) == ["plakoto", "pletore-13", "pletore-9"]
    assert boards_of(replace(event, game="no-such-game")) == {}


def test_a_match_tells_what_is_known_of_its_two_engines_and_the_organiser_is_heard(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event(names=("one", "two")))
    with RunStore.open(database) as store:
        store.annul("1-2.1a", "the power went")
    duel, organiser = sections_of(database)["panels"]
    assert duel["title"] == "one against two"
    assert any("valid at any stopping time" in line for line in duel["lines"])
    assert "the power went" in organiser["lines"][0]


def test_a_match_with_a_sequential_test_tells_where_it_stands(tmp_path: Path) -> None:
    plan = SequentialPlan(0.0, 100.0, 0.05, 0.05, "logistic", 1)
    event = replace(an_event(names=("one", "two")), format="match", sprt=plan)
    database = play(tmp_path / "cup.db", event)
    reader = ResultsReader(database, event, watch._match_panels)
    found: Any = reader.sections()
    reader.close()
    panel = found["panels"][0]
    assert panel["title"] == "Sequential test"
    assert "LLR" in panel["lines"][0]
    assert len(panel["lines"]) == 2
    # Where a test ends the match, its cap is no number of games to come.
    assert (found["progress"]["total"], found["progress"]["state"]) == (None, "finished")


def test_names_from_outside_come_as_harmless_text(tmp_path: Path) -> None:
    event = an_event(names=(HOSTILE, "b", "c"))
    found = sections_of(play(tmp_path / "cup.db", replace(event, name=HOSTILE)))
    told = json.dumps(found, ensure_ascii=False)
    assert "\u202e" not in told
    assert "\x1b" not in told
    assert r"\u202e" in found["event"]["name"]
    assert found["event"]["name"].startswith("</script>")


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert "newer gtparena" in sections_of(database)["trouble"]
    database.write_bytes(b"nonsense")
    assert "not a gtparena database" in sections_of(database)["trouble"]
    database.unlink()
    assert sections_of(database)["trouble"]


def test_a_database_that_is_replaced_is_read_anew(tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    reader = ResultsReader(database, an_event())
    assert reader.sections()["trouble"] is None
    database.unlink()
    assert reader.sections()["trouble"]
    play(database, an_event("topolo"))
    found: Any = reader.sections()
    reader.close()
    assert found["trouble"] is None
    assert found["event"]["rules"].startswith("Topolo")


def test_a_game_that_was_never_played_is_none(tmp_path: Path) -> None:
    reader = ResultsReader(play(tmp_path / "cup.db", an_event()), an_event())
    assert reader.game("9-9.9a") is None
    assert reader.game("'; DROP TABLE game; --") is None
    reader.close()
