"""Records in other forms: what is written is read back; what cannot be right is refused with its place."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from arena.core.clock import parse_time
from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.verdict import Reason, both_failed, by_fault, by_outcome, by_resignation
from arena.core.verify import check_record
from arena.rules.base import BLACK, WHITE
from arena.rules.registry import games as all_games
from arena.rules.registry import make_rules
from reports.export import json_line
from reports.records import lines, plain
from reports.records import sgf as sgf_form
from reports.records.files import event_of, form_of, read_records
from reports.records.objects import RecordError, object_of, record_of

if TYPE_CHECKING:
    from pathlib import Path

    from arena.core.verdict import Verdict

sgf = sgf_form.sgfmill("sgf")
SIZES = {"pletore": 5, "pente": 7, "topolo": 4, "plakoto": None}


def played(
    game: str, seed: int = 1, *, turns: int | None = None, verdict: Verdict | None = None
) -> GameRecord:
    """Return a random game with all that a record may hold; `turns` breaks it off, with its verdict."""
    chance = random.Random(seed)
    rules = make_rules(game, size=SIZES[game], komi=1 if game == "pletore" else None)
    throws = ((3, 3), (2, 5)) if rules.has_dice else ()
    position = rules.initial(WHITE if throws else BLACK)
    moves: list[str] = []
    rolls: list[tuple[int, int]] = []
    calls: list[str | None] = []
    while not position.is_over and (turns is None or len(moves) <= turns):
        if rules.has_dice:
            rolls.append((chance.randint(1, 6), chance.randint(1, 6)) if rolls else (5, 2))
            position.set_dice(*rolls[-1])
        if len(moves) == turns:
            break
        move = chance.choice(position.legal_moves())
        moves.append(rules.format_move(move))
        position.play(move)
        calls.append(position.announcement)
    opening = 0 if rules.has_dice else 2
    return GameRecord(
        id=f"1-2.{seed}a",
        ordinal=0,
        round=3,
        pair=f"1-2.{seed}",
        game=game,
        size=rules.size,
        seed=2**63 + seed,
        attempt=2,
        komi=rules.komi,
        black=EngineIdentity('a "name" [with] \\ signs: é', "Engine One 1.0"),
        white=EngineIdentity("white"),
        verdict=verdict or by_outcome(position.outcome()),
        moves=tuple(moves),
        opening_plies=opening,
        opening="random 2 #7" if opening else "",
        time_us=tuple(None if ply < opening else 1000 * ply + 250 for ply in range(len(moves))),
        started="2026-01-31T12:00:00.123Z",
        ended="2026-01-31T12:00:09.456Z",
        infos=tuple(
            {"winrate": 0.5, "pv": "D4 ]\\ E5", "depth": ply} if ply % 2 else {} for ply in range(len(moves))
        ),
        announcements=tuple(calls) if any(calls) else (),
        dice=tuple(rolls),
        opening_roll=throws,
        final_position=position.key(),
    )


def from_text(record: GameRecord, path: Path) -> list[GameRecord]:
    path.write_text(plain.text_of(record), encoding="utf-8")
    return [record_of(given, where, 0) for where, given in plain.read(path)]


def from_sgf(record: GameRecord, path: Path) -> list[GameRecord]:
    control = parse_time("60+3x10")
    path.write_bytes(sgf_form.sgf_of(record, (control, control)))
    return [record_of(given, where, 0) for where, given in sgf_form.read(path)]


def from_lines(record: GameRecord, path: Path) -> list[GameRecord]:
    path.write_text(json_line(record) + "\n", encoding="utf-8")
    return [record_of(given, where, 0) for where, given in lines.read(path)]


@pytest.mark.parametrize("game", all_games())
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_text_record_is_read_back_as_it_was(game: str, seed: int, tmp_path: Path) -> None:
    record = played(game, seed)
    assert from_text(record, tmp_path / "game.txt") == [record]


@pytest.mark.parametrize("game", sgf_form.GAMES)
@pytest.mark.parametrize("seed", range(1, 9))
def test_sgf_is_read_back_as_it_was(game: str, seed: int, tmp_path: Path) -> None:
    record = played(game, seed)
    assert from_sgf(record, tmp_path / "game.sgf") == [record]


@pytest.mark.parametrize("game", all_games())
def test_json_lines_are_read_back_as_they_were(game: str, tmp_path: Path) -> None:
    record = played(game)
    assert from_lines(record, tmp_path / "game.jsonl") == [record]


def endings() -> list[tuple[str, GameRecord]]:
    """Games that did not end on the board, of each kind."""
    made = []
    for game in all_games():
        points = 2 if game == "plakoto" else None
        mover = WHITE if game == "plakoto" else BLACK
        made += [
            (f"{game}-resign", played(game, turns=4, verdict=by_resignation(mover, points))),
            (f"{game}-time", played(game, turns=4, verdict=by_fault(mover, Reason.TIME, points))),
            (f"{game}-crash", played(game, turns=4, verdict=by_fault(WHITE, Reason.CRASH, points))),
            (f"{game}-both", played(game, turns=4, verdict=both_failed((Reason.CRASH, Reason.HANG)))),
            (
                f"{game}-illegal",
                dataclasses.replace(
                    played(game, turns=4, verdict=by_fault(mover, Reason.ILLEGAL_MOVE, points)),
                    fault_move="]Z99\\",
                    fault_us=1250,
                ),
            ),
        ]
    return made


@pytest.mark.parametrize("record", [pytest.param(record, id=name) for name, record in endings()])
def test_every_ending_survives_every_form(record: GameRecord, tmp_path: Path) -> None:
    assert check_record(record, None, None, "independent") == []
    assert from_text(record, tmp_path / "game.txt") == [record]
    assert from_lines(record, tmp_path / "game.jsonl") == [record]
    if record.game in sgf_form.GAMES:
        assert from_sgf(record, tmp_path / "game.sgf") == [record]


def test_the_pie_survives(tmp_path: Path) -> None:
    record = dataclasses.replace(played("pletore"), pie=Pie(WHITE, 1, BLACK))
    assert from_text(record, tmp_path / "a") == from_sgf(record, tmp_path / "b") == [record]


def go(board: dict[tuple[int, int], str], point: tuple[int, int], colour: str, size: int) -> None:
    """Play a move of Go as viewers do: enemy chains without a liberty go, then the own one if it has none."""

    def around(place: tuple[int, int]) -> list[tuple[int, int]]:
        row, column = place
        near = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        return [(r, c) for r, c in near if 0 <= r < size and 0 <= c < size]

    def chain(start: tuple[int, int]) -> tuple[set[tuple[int, int]], bool]:
        found, todo, is_free = {start}, [start], False
        while todo:
            for other in around(todo.pop()):
                is_free |= other not in board
                if board.get(other) == board[start] and other not in found:
                    found.add(other)
                    todo.append(other)
        return found, is_free

    board[point] = colour
    for start in [*(place for place in around(point) if board.get(place, colour) != colour), point]:
        if start in board:
            stones, is_free = chain(start)
            if not is_free:
                for stone in stones:
                    del board[stone]


@pytest.mark.parametrize("game", sgf_form.GAMES)
@pytest.mark.parametrize("seed", range(1, 7))
def test_a_viewer_that_plays_go_shows_the_right_board_after_every_node(game: str, seed: int) -> None:
    record = played(game, seed)
    rules = make_rules(game, size=record.size, komi=record.komi)
    position: Any = rules.initial()
    board: dict[tuple[int, int], str] = {}
    nodes = sgf.Sgf_game.from_bytes(sgf_form.sgf_of(record)).get_main_sequence()
    assert len(nodes) == 1 + len(record.moves)
    flips = 0
    for node, word in zip(nodes[1:], record.moves, strict=True):
        position.play(rules.parse_move(word))
        letter, point = node.get_move()
        if letter is not None and point is not None:
            go(board, point, letter, rules.size or 1)
        black, white, empty = node.get_setup_stones()
        assert letter is None or not (black or white or empty)
        board |= dict.fromkeys(black, "b") | dict.fromkeys(white, "w")
        board = {place: colour for place, colour in board.items() if place not in empty}
        flips += letter is None
        expected = {
            divmod(place, rules.size or 1): "bw"[stone - 1]
            for place, stone in enumerate(position.board)
            if stone
        }
        assert board == expected
    assert flips or game == "pente"


def test_sgf_says_result_time_left_and_calls_as_sgf_does() -> None:
    record = dataclasses.replace(
        played("pente", turns=5, verdict=by_resignation(WHITE)),
        announcements=(None, None, None, None, "three"),
    )
    control = parse_time("60+3x10")
    game = sgf.Sgf_game.from_bytes(sgf_form.sgf_of(record, (control, control)))
    root = game.get_root()
    assert (root.get("RE"), root.get("RU"), root.get("TM"), root.get("OT")) == (
        "B+R",
        "Pente",
        60.0,
        "60+3x10",
    )
    assert "Black announces three." in game.get_main_sequence()[5].get("C")
    assert game.get_main_sequence()[4].get("WL") == pytest.approx(59.997, abs=0.001)


def test_a_game_of_another_program_is_read(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sgf"
    path.write_text(
        "(;GM[1]FF[4]SZ[7]RU[Pente]PB[Anna]PW[Bob]RE[W+R];B[dd]C[hm];W[aa](;B[ee];W[bb])(;B[cc]))\n"
        "(;GM[1]SZ[5]RU[pletore]KM[2];B[cc];W[])"
    )
    found = list(sgf_form.read(path))
    first = record_of(found[0][1], found[0][0], 0)
    assert (first.black.name, first.white.name, first.verdict.result) == ("Anna", "Bob", "W+R")
    assert first.moves == ("D4", "A7", "E3", "B6")
    with pytest.raises(RecordError, match=r"game 2: move 2 \('pass'\): no pass while"):
        record_of(found[1][1], found[1][0], 1)


def test_sgf_has_no_board_for_topolo() -> None:
    with pytest.raises(RecordError, match="SGF has no board for topolo: use --format text"):
        sgf_form.sgf_of(played("topolo"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": None}, "moves is missing: expected a list of moves"),
        ({"moves": ["D4", 5]}, "moves must be a list of moves, words without blanks"),
        ({"moves": ["Z9"]}, r"move 1 \('Z9'\): 'Z9' is no move"),
        ({"black": " "}, "black must be a name, not ' '"),
        ({"black": "x" * 2000}, "black must be text of at most 1000 characters"),
        ({"black": "\x1b[31mred"}, "black must be printable text"),
        ({"id": "1\n2"}, "id must be printable text"),
        ({"started": "\u202e"}, "started must be printable text"),
        ({"size": 2**70}, "size must be a whole number from 1 to 100"),
        ({"size": True}, "size must be a whole number"),
        ({"game": "go"}, "go"),
        ({"result": "B+99"}, "result is 'B\\+99', the moves give"),
        ({"time_ms": [1, 2]}, "time_ms has 2 items for"),
        (
            {"winner": "nobody", "moves": ["C3"], "reasons": ["resign"], "result": ""},
            "winner must",
        ),
        (
            {"moves": ["C3"], "reasons": None, "reason": None, "result": ""},
            "no reason is given",
        ),
        (
            {"moves": ["C3"], "reasons": ["boredom"], "result": ""},
            "reasons must be a reason",
        ),
        ({"announcements": ["four"] * 40}, "the number of calls is 40"),
        ({"dice": [[1, 7]]}, "dice must be a list of pairs of dice"),
        ({"dice": [[1, 6]]}, "dice are recorded, but Pletore has none"),
        ({"infos": ["x"]}, "infos must be a list of objects"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(change: dict[str, Any], message: str) -> None:
    given = {**object_of(played("pletore")), "infos": None, "opening_plies": 0, "time_ms": None, **change}
    with pytest.raises(RecordError, match=f"^games.jsonl:7: .*{message}"):
        record_of(given, "games.jsonl:7", 0)


def test_any_alteration_of_json_gives_a_record_or_one_sentence() -> None:
    chance = random.Random(5)
    values = [
        None,
        True,
        -1,
        0,
        2**80,
        1.5,
        float("nan"),
        "",
        "x",
        [],
        [None],
        [[1]],
        {},
        {"black": 1},
        "black",
    ]
    given = object_of(played("plakoto", turns=4, verdict=by_resignation(WHITE, 2)))
    for _ in range(1500):
        altered = dict(given)
        for key in chance.sample(sorted(given), 2):
            altered[key] = chance.choice(values)
        with contextlib.suppress(RecordError):
            record_of(altered, "x", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense\n", "game.txt:1: expected 'arena-record 1'"),
        ('arena-record 1\nid: "a"\n', "game.txt:2: the file ends before the game does"),
        ("arena-record 1\nid: broken\nend\n", "game.txt:2: no JSON value"),
        ('arena-record 1\nid: "a"\nid: "b"\nend\n', "game.txt:3: id stands twice"),
        ("arena-record 1\n1 black D4 -\n3 white D5 -\nend\n", "game.txt:3: turn 3 after turn 1"),
        ("arena-record 1\n1 black D4 -\n2 black D5 -\nend\n", "game.txt:3: the sides move in turn"),
        ("arena-record 1\n1 black D4\nend\n", "game.txt:2: neither a turn nor a header line"),
        ('arena-record 1\nmoves: ["D4"]\nend\n', "game.txt:2: moves stands twice, or belongs to the turns"),
    ],
)
def test_a_broken_text_record_names_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        list(plain.read(path))


@pytest.mark.parametrize(
    "content",
    [b"", b"(", b"(;", b"(;GM[1]", b"\xff\xfe", b"(;GM[1]SZ[99]RU[Pente])", b"(;RU[Chess])",
     b"(;GM[1];B[zz])",
     b"(;RU[Pletore]SZ[5]KM[0.5])", b"(;RU[Pletore]SZ[5];AB[aa])", b"(;RU[Pente]SZ[7]ARENA[nonsense])",
     b"(;RU[Pente]SZ[7]ARENA[[\\]]", b"(;RU[Pente]SZ[7];B[dd];B[ee])", b"(" * 50_000, b"(;B[dd]" * 20_000],
)  # fmt: skip
def test_broken_sgf_is_refused_in_one_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"game\.sgf"):
        list(sgf_form.read(path))


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json_line(played("topolo")) + "\n\n{oops\n")
    with pytest.raises(RecordError, match=r"games\.jsonl:3: the line is no JSON"):
        list(lines.read(path))
    path.write_text("[" * 100_000)
    with pytest.raises(RecordError, match="no JSON"):
        list(lines.read(path))


def test_the_form_shows_in_the_ending_or_in_the_first_characters(tmp_path: Path) -> None:
    for name, content, form in (
        ("a.sgf", b"", "sgf"),
        ("a.JSONL", b"", "jsonl"),
        ("b", b"  (;GM[1])", "sgf"),
        ("c", b'{"id": 1}', "jsonl"),
        ("d", b"arena-record 1\n", "text"),
    ):
        (tmp_path / name).write_bytes(content)
        assert form_of(tmp_path / name) == form
    (tmp_path / "e").write_bytes(b"MZ")
    with pytest.raises(RecordError, match="neither JSON Lines nor SGF nor text records"):
        form_of(tmp_path / "e")


def test_files_of_one_kind_form_one_event_and_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        plain.text_of(played("pletore", 1)) + "\n" + plain.text_of(played("pletore", 2))
    )
    (tmp_path / "b.sgf").write_bytes(sgf_form.sgf_of(played("pletore", 3)))
    (tmp_path / "c.jsonl").write_text(json_line(played("topolo", 4)))
    records = read_records([tmp_path / "a.txt", tmp_path / "b.sgf"])
    assert [record.ordinal for record in records] == [0, 1, 2]
    event = event_of(records, "Old games")
    assert (event.format, event.game, event.size, event.komi) == ("imported", "pletore", 5, 1)
    assert len(event.engines) == 2
    with pytest.raises(RecordError, match="one database holds games of one kind and size"):
        read_records([tmp_path / "a.txt", tmp_path / "c.jsonl"])
    with pytest.raises(RecordError, match=r"two games have the id '1-2\.1a': give new ones with --renumber"):
        read_records([tmp_path / "a.txt", tmp_path / "a.txt"])
    numbered = read_records([tmp_path / "a.txt", tmp_path / "a.txt"], renumber=True)
    assert [record.id for record in numbered] == ["1", "2", "3", "4"]


def test_numbers_that_json_does_not_have_are_no_times() -> None:
    given = object_of(played("topolo"))
    given["time_ms"] = [json.loads("NaN")] * len(given["moves"])
    with pytest.raises(RecordError, match="time_ms must be a list of times"):
        record_of(given, "x", 0)
