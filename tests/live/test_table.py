"""A person at the table: real games against real engines, the person's part played by the test."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from arena.cli.tables import PERSON, Tables, event_against
from arena.core.running import position_of
from arena.core.schedule import Schedule
from arena.core.table import Act, Action, Broken, Ended, Phase, TableView, Unpacker, packed
from arena.core.verify import check_record
from arena.store import ReadStore

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arena.core.record import GameRecord
    from arena.rules import Position

    Player = Callable[[TableView, Position], Action | None]


def first_legal(view: TableView, position: Position) -> Action:
    word = position.rules.format_move(position.legal_moves()[0])
    return Action(Act.ANSWER, word, len(view.game.moves))


def heard(connection: socket.socket) -> Iterator[TableView | Ended | Broken]:
    connection.settimeout(60)
    unpacker = Unpacker()
    while data := connection.recv(65536):
        for said in unpacker.feed(data):
            assert isinstance(said, TableView | Ended | Broken)
            yield said


def played(connection: socket.socket, player: Player) -> tuple[GameRecord, list[TableView]]:
    """Play a whole game; the player is asked once for each thing that the table waits for."""
    views: list[TableView] = []
    asked: object = None
    for said in heard(connection):
        if isinstance(said, Ended):
            return said.record, views
        assert isinstance(said, TableView), said
        views.append(said)
        mark = (said.phase, said.game.moves, said.taken_back)
        if mark != asked:
            asked = mark
            is_asked = said.phase in (Phase.PERSON, Phase.OFFER, Phase.CHOICE)
            action = player(said, position_of(said.game)) if is_asked else None
            if action is not None:
                connection.sendall(packed(action))
    raise AssertionError("the table closed without a result")


def tables_for(folder: Path, game: str, engine: str = "random", time: str = "inf", **keys: Any) -> Tables:
    return Tables(event_against(engine, {"game": game, **keys}, "me", time), folder / "play.db")


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("pletore", {"size": 4, "komi": 0}),
        ("pente", {"size": 5}),
        ("topolo", {"size": 4}),
        ("plakoto", {}),
    ],
)
@pytest.mark.parametrize("colour", [0, 1])
def test_a_whole_game_is_refereed_stored_and_verified(
    tmp_path: Path, game: str, keys: dict[str, Any], colour: int
) -> None:
    with tables_for(tmp_path, game, **keys) as tables:
        with tables.lay(colour) as connection:
            record, views = played(connection, first_legal)
        assert views[-1].phase is Phase.OVER
        assert views[-1].result.startswith(record.verdict.result)
        assert (record.black, record.white)[colour].name == "me"
        assert record.verdict.outcome is not None
        tables.keep(record)
    with ReadStore(tmp_path / "play.db") as store:
        event, stored = store.event(), store.record(record.id)
        assert stored is not None
        scheduled = Schedule(event).game(stored.ordinal)
        names = [entry.name for entry in event.engines]
        key = store.secret_dice_key()
        assert check_record(stored, scheduled, key, event.dice, names=names) == []


def test_the_next_game_has_the_colour_asked_for_and_the_event_grows(tmp_path: Path) -> None:
    ids = []
    for _ in range(2):
        with tables_for(tmp_path, "topolo", size=4) as tables:
            for colour in (1, 1):
                with tables.lay(colour) as connection:
                    record, _ = played(connection, first_legal)
                assert record.white.name == "me"
                tables.keep(record)
                ids.append(record.id)
    assert len(set(ids)) == 4


def test_nonsense_and_illegal_moves_and_late_clicks_do_nothing(tmp_path: Path) -> None:
    tries = ("Z99", "", "\x00", "pass", "resign me", "A1 A2", "B2:9")
    with tables_for(tmp_path, "pletore", size=4) as tables, tables.lay(0) as connection:
        views = (said for said in heard(connection) if isinstance(said, TableView))
        next(view for view in views if view.phase is Phase.PERSON)
        # A click meant for another position, then moves that are none, then a real one.
        connection.sendall(packed(Action(Act.ANSWER, "A1", 7)))
        for word in tries:
            connection.sendall(packed(Action(Act.ANSWER, word, 0)))
        connection.sendall(packed(Action(Act.ANSWER, "C3", 0)))
        answered = next(view for view in views if len(view.game.moves) >= 2)
        assert answered.game.moves[0] == "C3"


@pytest.mark.parametrize(
    ("game", "keys"), [("pletore", {"size": 5}), ("plakoto", {}), ("pente", {"size": 7})]
)
def test_a_move_taken_back_leaves_no_trace_but_the_note(
    tmp_path: Path, game: str, keys: dict[str, Any]
) -> None:
    states: dict[int, list[tuple[object, ...]]] = {}

    def doubtful(view: TableView, position: Position) -> Action | None:
        ply = len(view.game.moves)
        states.setdefault(ply, []).append((view.game.moves, view.game.dice))
        if view.taken_back == 0 and ply >= 4 and view.can_take_back:
            return Action(Act.TAKE_BACK, ply=ply)
        if ply >= 8:
            return Action(Act.RESIGN, ply=ply)
        legal = position.legal_moves()
        move = legal[-1 if view.taken_back else 0]
        return Action(Act.ANSWER, position.rules.format_move(move), ply)

    with tables_for(tmp_path, game, engine="greedy", **keys) as tables:
        with tables.lay(0) as connection:
            record, _ = played(connection, doubtful)
        tables.keep(record)
    # The very position came back, its dice included.
    assert any(len(seen) == 2 and seen[0] == seen[1] for seen in states.values())
    noted = [ply for ply, said in enumerate(record.infos) if "taken_back" in said]
    assert len(noted) == 1
    assert record.infos[noted[0]]["taken_back"] == 1
    assert record.verdict.reason == "resign"
    assert len(record.moves) == len(record.time_us) == len(record.infos)
    with ReadStore(tmp_path / "play.db") as store:
        event = store.event()
        problems = check_record(
            record, Schedule(event).game(record.ordinal), store.secret_dice_key(), event.dice
        )
    assert problems == []


@pytest.mark.parametrize("colour", [0, 1])
def test_pie_is_settled_with_the_person_on_either_side_of_it(tmp_path: Path, colour: int) -> None:
    asked = []

    def player(view: TableView, position: Position) -> Action | None:
        asked.append(view.phase)
        if view.phase is Phase.OFFER:
            return Action(Act.ANSWER, "2")
        if view.phase is Phase.CHOICE:
            assert view.question is not None
            return Action(Act.ANSWER, "white")
        if view.phase is Phase.PERSON:
            return Action(Act.RESIGN, ply=len(view.game.moves))
        return None

    with tables_for(tmp_path, "pletore", engine="greedy", size=5, komi="pie") as tables:
        with tables.lay(colour) as connection:
            record, views = played(connection, player)
        tables.keep(record)
    assert record.pie is not None
    assert (Phase.OFFER if colour == 0 else Phase.CHOICE) in asked
    assert (record.black, record.white)[views[-1].person].name == "me"
    if colour == 0:
        assert record.komi == 2
    else:
        assert record.white.name == "me"


def test_a_persons_flag_falls_like_any_other(tmp_path: Path) -> None:
    with tables_for(tmp_path, "pletore", time="0.05", size=5) as tables, tables.lay(0) as connection:
        record, _ = played(connection, lambda _view, _position: None)
    assert record.verdict.result == "W+T"
    assert record.verdict.at_fault == PERSON


def test_an_engine_that_dies_while_the_person_thinks_loses(tmp_path: Path) -> None:
    engine = tmp_path / "mortal.py"
    engine.write_text(
        "import os, threading\n"
        "from sample_engines.random_player import RandomPlayer\n"
        "from protocol.sdk import run\n"
        "class Mortal(RandomPlayer):\n"
        "    def choose(self, position):\n"
        "        threading.Timer(0.2, os._exit, [3]).start()\n"
        "        return super().choose(position)\n"
        "run(Mortal())\n"
    )
    count = itertools.count()

    def slow(view: TableView, position: Position) -> Action | None:
        return first_legal(view, position) if next(count) == 0 else None

    tables = tables_for(tmp_path, "pletore", engine=f"{{python}} {engine}", size=5)
    with tables, tables.lay(0) as connection:
        record, _ = played(connection, slow)
    assert record.verdict.result == "B+F"
    assert record.verdict.reason == "crash"
    assert record.evidence[1].exit == "exit code 3"


def test_an_engine_that_cannot_play_the_game_is_named_before_the_first_move(tmp_path: Path) -> None:
    with tables_for(tmp_path, "pletore", engine="/bin/true", size=5) as tables, tables.lay(0) as connection:
        (said,) = heard(connection)
    assert isinstance(said, Broken)
    assert said.message


def test_a_session_without_a_finished_game_leaves_no_file(tmp_path: Path) -> None:
    with tables_for(tmp_path, "pletore", size=5) as tables, tables.lay(0):
        assert (tmp_path / "play.db").exists()
    assert list(tmp_path.iterdir()) == []
