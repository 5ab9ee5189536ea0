"""Points, order and tie-breaks by hand; the rest by its meaning."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from reports.results import GameRow, from_rows
from reports.standings import Score, Standings, standings
from tests.reports.samples import LABELS, game, season


def table(engines: list[str], rows: list[GameRow]) -> Standings:
    return standings(from_rows(engines, LABELS, rows))


def names(found: Standings) -> list[str]:
    return [line.engine for line in found.lines]


def test_a_win_is_one_point_a_draw_half_and_both_failing_nothing() -> None:
    found = table(
        ["a", "b"],
        [
            game(0, 1, 1.0, "1"),
            game(1, 0, 0.5, "1"),
            game(0, 1, 0.0, "2", white_points=0.0, reason="both-failed"),
        ],
    )
    a, b = found.lines
    assert a.total == Score(games=3, points=1.5, wins=1, draws=1, losses=0, failed=1)
    assert b.total == Score(games=3, points=0.5, wins=0, draws=1, losses=1, failed=1)
    assert a.as_black == Score(2, 1.0, 1, 0, 0, 1)
    assert a.as_white == Score(1, 0.5, 0, 1, 0, 0)
    assert found.cross[0] == (None, a.total)


def test_equal_points_are_parted_by_the_games_among_the_tied() -> None:
    found = table(
        ["c", "b", "a"],
        [game(1, 2, 1.0, "1"), game(2, 0, 1.0, "2"), game(2, 0, 1.0, "3"), game(1, 0, 1.0, "4")],
    )
    assert names(found) == ["b", "a", "c"]
    assert [line.rank for line in found.lines] == [1, 2, 3]
    assert [line.head_to_head for line in found.lines] == [1.0, 0.0, None]


def test_sonneborn_berger_parts_those_who_never_met() -> None:
    found = table(
        ["b", "a", "strong", "weak"],
        [
            game(1, 2, 1.0, "1"),
            game(0, 3, 1.0, "2"),
            game(2, 3, 1.0, "3"),
            game(3, 2, 0.0, "3"),
        ],
    )
    assert names(found) == ["strong", "a", "b", "weak"]
    assert [line.sonneborn_berger for line in found.lines] == [0.0, 2.0, 0.0, 0.0]
    assert [line.rank for line in found.lines] == [1, 2, 3, 4]


def test_wins_as_the_second_side_part_what_sonneborn_berger_leaves() -> None:
    found = table(["a", "b", "c", "d"], [game(0, 2, 1.0, "1"), game(3, 1, 0.0, "2")])
    assert names(found)[:2] == ["b", "a"]
    assert [line.rank for line in found.lines] == [1, 2, 3, 3]
    assert [line.is_shared for line in found.lines] == [False, False, True, True]


def test_engines_that_nothing_parts_share_the_rank_and_stand_by_name() -> None:
    found = table(["b", "a"], [game(0, 1, 1.0, "1"), game(1, 0, 1.0, "1")])
    assert names(found) == ["a", "b"]
    assert [line.rank for line in found.lines] == [1, 1]
    assert all(line.is_shared for line in found.lines)


@pytest.mark.parametrize("seed", range(8))
def test_neither_the_order_of_games_nor_of_entries_changes_the_table(seed: int) -> None:
    chance = random.Random(seed)
    engines = ["a", "b", "c", "d", "e"]
    rows = [
        game(black, white, chance.choice([0.0, 0.5, 1.0]), str(number), board_margin=number)
        for number in range(12)
        for black, white in [chance.sample(range(5), 2)]
    ]
    places = list(range(5))
    chance.shuffle(places)
    moved = [replace(row, black=places.index(row.black), white=places.index(row.white)) for row in rows]
    chance.shuffle(moved)
    one = table(engines, rows)
    other = table([engines[place] for place in places], moved)
    for mine, theirs in zip(one.lines, other.lines, strict=True):
        assert (mine.engine, mine.rank, mine.total) == (theirs.engine, theirs.rank, theirs.total)
        assert mine.share.low == pytest.approx(theirs.share.low)
        assert mine.board_margin.high == pytest.approx(theirs.board_margin.high)
    assert one.cross == other.cross


def test_points_add_up_to_the_games_not_failed() -> None:
    results = season(7, 3)
    found = standings(results)
    assert sum(line.total.points for line in found.lines) == len(results)
    assert sum(line.total.games for line in found.lines) == 2 * len(results)


def test_margins_are_seen_from_the_engines_own_side() -> None:
    found = table(
        ["a", "b"],
        [
            game(0, 1, 1.0, "1", board_margin=7, final_margin=3),
            game(1, 0, 0.0, "1", board_margin=-5, final_margin=-9),
            game(1, 0, 1.0, "2"),
        ],
    )
    a = found.lines[0]
    assert (a.board_margin.value, a.board_margin.games) == (6.0, 2)
    assert a.final_margin.value == 6.0
    assert found.lines[1].board_margin.value == -6.0


def test_void_games_count_for_nobody_and_stand_apart() -> None:
    results = from_rows(
        ["a", "b"],
        LABELS,
        [
            game(0, 1, 1.0, "1"),
            game(1, 0, 0.0, "1", id="1b", is_void=True, reason="annulled", why="wrong book"),
        ],
    )
    assert len(results) == 1
    assert [(game.id, game.black, game.why) for game in results.void] == [("1b", "b", "wrong book")]
    assert standings(results).lines[0].total.games == 1


def test_forfeits_are_charged_by_reason_to_the_side_at_fault() -> None:
    found = table(
        ["a", "b"],
        [
            game(0, 1, 0.0, "1", reason="time", at_fault=0),
            game(1, 0, 1.0, "2", reason="time", at_fault=1),
            game(0, 1, 0.0, "3", reason="crash", at_fault=0),
            game(0, 1, 0.0, "4", reason="resign"),
        ],
    )
    by_name = {line.engine: line.forfeits for line in found.lines}
    assert by_name == {"a": {"time": 2, "crash": 1}, "b": {}}


def test_time_is_counted_over_the_engines_own_moves() -> None:
    found = table(
        ["a", "b"],
        [
            game(0, 1, 1.0, "1", black_moves=10, black_us=5_000_000, black_longest_us=900_000),
            game(
                1,
                0,
                0.0,
                "1",
                white_moves=30,
                white_us=1_000_000,
                white_longest_us=700_000,
                white_granted_us=4_000_000,
            ),
        ],
    )
    use = found.lines[0].time
    assert use.moves == 40
    assert use.mean_s == pytest.approx(0.15)
    assert use.longest_s == pytest.approx(0.9)
    assert (use.mean_share, use.highest_share) == (0.25, 0.25)
    assert found.lines[1].time.mean_s is None


def test_an_event_without_games_has_a_table_of_noughts() -> None:
    found = table(["a", "b"], [])
    assert names(found) == ["a", "b"]
    assert all(line.rank == 1 and line.total.games == 0 and line.share.value is None for line in found.lines)


def test_a_bye_adds_to_the_points_and_to_no_game() -> None:
    results = from_rows(["a", "b", "c"], LABELS, [game(0, 1, 1.0, "1"), game(1, 0, 0.0, "1")])
    found = standings(replace(results, byes=(0, 0, 1), bye_points=2.0, bye_games=2, is_swiss=True))
    c, a, b = found.lines
    assert (a.engine, b.engine, c.engine) == ("a", "b", "c")
    assert (c.points, c.byes, c.total.points, c.total.games) == (2.0, 1, 0.0, 0)
    assert (a.buchholz, b.buchholz, c.buchholz) == (0.0, 4.0, 4.0), "c's dummy opponents have its own points"
    assert [line.rank for line in found.lines] == [1, 2, 3], "equal points are parted by Buchholz"


def test_buchholz_parts_only_a_swiss_event() -> None:
    rows = [game(0, 2, 0.5, "1"), game(1, 3, 0.5, "2"), game(2, 3, 1.0, "3"), game(2, 3, 1.0, "4")]
    results = from_rows(["a", "b", "strong", "weak"], LABELS, rows)
    plain = {line.engine: line for line in standings(results).lines}
    assert plain["a"].buchholz is None
    swiss = {line.engine: line for line in standings(replace(results, is_swiss=True)).lines}
    assert swiss["a"].buchholz == 2.5
    assert swiss["b"].buchholz == 0.5


def test_places_of_the_format_go_before_points() -> None:
    results = from_rows(["a", "b", "c"], LABELS, [game(0, 1, 1.0, "1"), game(0, 2, 1.0, "2")])
    found = standings(replace(results, places=(3, 1, 2)))
    assert names(found) == ["b", "c", "a"]
    assert [line.place for line in found.lines] == [1, 2, 3]


def test_each_game_of_several_is_counted_apart() -> None:
    rows = [game(0, 1, 1.0, "x.1"), game(1, 0, 1.0, "x.1"), game(0, 1, 0.5, "y.1")]
    results = from_rows(["a", "b"], LABELS, rows)
    combined = replace(results, disciplines=("x", "y"), discipline=np.array([0, 0, 1]))
    a = next(line for line in standings(combined).lines if line.engine == "a")
    assert [(score.games, score.points) for score in a.by_discipline] == [(2, 1.0), (1, 0.5)]
    assert a.points == 1.5


def test_the_order_of_the_input_decides_nothing_in_any_format() -> None:
    base = season(7, 2, seed=3)
    order = [3, 6, 0, 5, 1, 4, 2]
    place = np.array([order.index(engine) for engine in range(7)])
    byes, places = (1, 0, 0, 2, 0, 0, 1), (1, 2, 3, 3, 5, 5, 5)
    for is_swiss in (True, False):
        one = replace(
            base,
            byes=byes,
            bye_points=1.0,
            bye_games=1,
            is_swiss=is_swiss,
            places=None if is_swiss else places,
        )
        other = replace(
            one,
            engines=tuple(base.engines[engine] for engine in order),
            black=place[base.black],
            white=place[base.white],
            byes=tuple(byes[engine] for engine in order),
            places=None if is_swiss else tuple(places[engine] for engine in order),
        )
        ranks = [[(line.engine, line.rank) for line in standings(each).lines] for each in (one, other)]
        assert ranks[0] == ranks[1]
