"""How long an event takes: by its clocks, by what was measured, round by round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.core.clock import parse_time
from arena.core.event import PairingSettings
from arena.core.schedule import Schedule
from arena.rules.registry import make_rules
from reports.forecast import Measured, forecast, measured, random_length
from tests.core.played_rounds import Played, an_event, by_strength
from tests.core.test_several_games import of_several
from tests.reports.test_export import PLAYED

FIVE = parse_time("5/move")


def test_at_most_is_both_clocks_for_the_turns_of_a_usual_game() -> None:
    event = an_event("round-robin", 4, 2, time=FIVE)
    found = forecast(event, Schedule(event))
    assert found.turns == {"": 16}, "Topolo 4x4 fills its board"
    assert found.turns_from == "random"
    assert found.at_most_s == pytest.approx(12 * 16 * 5 / 2)
    assert found.measured_s is None


def test_games_played_are_taken_off_and_measured() -> None:
    event = an_event("round-robin", 4, 2, time=FIVE)
    found = forecast(event, Schedule(event), played=4, found={"": Measured(4, 2.5, 10)})
    assert found.games == 8
    assert found.turns_from == "played"
    assert found.at_most_s == pytest.approx(8 * 10 * 5 / 2)
    assert found.measured_s == pytest.approx(8 * 2.5 / 2)


def test_a_clock_without_limit_has_no_bound() -> None:
    event = an_event("match", 2, time=parse_time("inf"))
    assert forecast(event, Schedule(event)).at_most_s is None


def test_odds_count_with_their_own_clocks() -> None:
    event = an_event("match", 2, 2, time=FIVE, concurrency=1)
    own = PairingSettings(("engine 1", "engine 2"), times=(parse_time("60"), FIVE))
    found = forecast(replace(event, pairings=(own,)), Schedule(event))
    assert found.at_most_s == pytest.approx(2 * (60 + 8 * 5))


@pytest.mark.parametrize("format_", ["swiss", "knockout", "ladder"])
def test_rounds_wait_for_one_another(format_: str) -> None:
    event = an_event(format_, 8, 2, time=FIVE, concurrency=100)
    played = Played(event, by_strength)
    rounds = len(played.schedule.meetings_to_come())
    measured_ = {"": Measured(1, 10.0, 16)}
    found = forecast(event, played.schedule, found=measured_)
    assert found.measured_s == pytest.approx(rounds * 10.0)
    played.play_on(1)
    found = forecast(event, played.schedule, len(played.results), measured_)
    assert found.measured_s == pytest.approx((rounds - 1) * 10.0)
    played.play_on()
    assert forecast(event, played.schedule, len(played.results), measured_).measured_s == 0


def test_several_games_are_weighed_by_their_numbers() -> None:
    event = of_several("match", 2, 2, 4, concurrency=1)
    names = [each.name for each in event.disciplines]
    found = forecast(
        event, Schedule(event), found={names[0]: Measured(1, 1.0, 16), names[1]: Measured(1, 10.0, 9)}
    )
    assert found.measured_s == pytest.approx(2 * 1.0 + 4 * 10.0)
    only_one = forecast(event, Schedule(event), found={names[0]: Measured(1, 1.0, 16)})
    assert (only_one.measured_s, only_one.turns_from) == (None, "random")


def test_what_ended_on_the_board_is_measured_by_game() -> None:
    pente = replace(PLAYED, id="pente.1-2.1a", ended="2026-01-01T00:00:04.000Z")
    resigned = replace(PLAYED, verdict=replace(PLAYED.verdict, outcome=None))
    found = measured([PLAYED, pente, resigned])
    assert found == {"": Measured(1, 1.0, 3), "pente": Measured(1, 4.0, 3)}


@pytest.mark.parametrize(
    ("started", "ended"),
    [("", ""), ("yesterday", "today"), ("2026-01-01T00:00:00Z", "2026-01-01T00:00:04"), ("2026-01-01", "")],
)
def test_a_game_whose_record_does_not_say_when_it_was_played_is_not_measured(
    started: str, ended: str
) -> None:
    assert measured([replace(PLAYED, started=started, ended=ended)]) == {}


@pytest.mark.parametrize(("game", "size"), [("pletore", 4), ("pente", 5), ("topolo", 4), ("plakoto", None)])
def test_random_games_end_and_are_the_same_at_every_call(game: str, size: int | None) -> None:
    rules = make_rules(game, size=size)
    length = random_length(rules)
    assert length == random_length(rules) > 5
    assert length <= (rules.longest_game() or 3000)
