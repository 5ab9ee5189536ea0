"""A record that was tampered with in any one place is found, and named by game and ply."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from arena.core import verdict as verdicts
from arena.core.dice import starter
from arena.core.event import Opening, OpeningBook
from arena.core.openings import OpeningSource
from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.seal import record_seal
from arena.core.verdict import FAULTS, Reason, Verdict
from arena.core.verify import check_record
from arena.rules.base import BLACK, WHITE, Outcome
from arena.rules.registry import make_rules
from tests.core.records import KEY, NAMES, played, scheduled_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.core.event import ScheduledGame
    from arena.rules.base import Position

OTHER_KEY = bytes(32)
RANDOM_2 = OpeningSource(OpeningBook(random_plies=2, source="random 2"), make_rules("pletore", size=5), 7)
SCHEDULED = {
    "pletore": scheduled_game("pletore", size=5, komi=3, opening=RANDOM_2.opening(0)),
    "pente": scheduled_game("pente", size=7),
    "topolo": scheduled_game("topolo", size=4),
    "plakoto": scheduled_game("plakoto"),
}
GAMES = list(SCHEDULED)


def problems(
    record: GameRecord, scheduled: ScheduledGame | None, key: bytes | None = KEY, seal: bytes | None = None
) -> list[str]:
    return check_record(record, scheduled, key, "independent", names=NAMES, seal=seal)


def whole(game: str, seed: int = 1) -> GameRecord:
    return played(SCHEDULED[game], seed)[0]


def broken_off(game: str, plies: int = 5) -> tuple[GameRecord, Position]:
    return played(SCHEDULED[game], 1, stop_after=plies)


def with_verdict(record: GameRecord, **changes: Any) -> GameRecord:
    return replace(record, verdict=replace(record.verdict, **changes))


def with_outcome(record: GameRecord, **changes: Any) -> GameRecord:
    outcome = record.verdict.outcome
    assert outcome is not None
    return with_verdict(record, outcome=replace(outcome, **changes))


def assert_found(record: GameRecord, scheduled: ScheduledGame | None, what: str = "") -> None:
    found = problems(record, scheduled)
    assert found, f"an alteration was not found: {record}"
    assert all(re.match(r"game 1-2\.1a, ply \d+: ", problem) for problem in found)
    assert any(what in problem for problem in found), found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", GAMES)
def test_a_game_as_it_was_played_holds(game: str, seed: int) -> None:
    record = whole(game, seed)
    assert problems(record, SCHEDULED[game]) == []
    assert problems(record, None) == []
    assert problems(record, SCHEDULED[game], key=None) == []


def with_one_move_altered(record: GameRecord) -> Iterator[tuple[int, GameRecord]]:
    """Put other legal moves in the place of each move; yields the ply, from 1, and the record."""
    rules = make_rules(record.game, size=record.size, komi=record.komi)
    position = rules.initial(starter(record.opening_roll)[0] if record.dice else BLACK)
    for ply, word in enumerate(record.moves):
        if record.dice:
            position.set_dice(*record.dice[ply])
        for move in position.legal_moves()[:4]:
            altered = rules.format_move(move)
            if altered != word:
                yield ply + 1, replace(record, moves=(*record.moves[:ply], altered, *record.moves[ply + 1 :]))
        position.play(rules.parse_move(word))


@pytest.mark.parametrize("game", GAMES)
def test_every_move_altered_is_found_at_its_ply_by_the_seal(game: str) -> None:
    record = whole(game)
    seal = record_seal(record)
    assert problems(record, SCHEDULED[game], seal=seal) == []
    for ply, altered in with_one_move_altered(record):
        found = problems(altered, SCHEDULED[game], seal=seal)
        assert found[0].startswith(f"game 1-2.1a, ply {ply}: the move")


@pytest.mark.parametrize("game", GAMES)
def test_without_a_seal_a_move_altered_is_found_unless_it_makes_no_difference(game: str) -> None:
    alterations = list(with_one_move_altered(whole(game)))
    found = [record for _, record in alterations if problems(record, SCHEDULED[game])]
    assert len(found) >= len(alterations) - (game == "pletore")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("word", ["", "resign", "Z99", "pass pass", "\x1b[31m\x00" * 50, "é"])
def test_a_move_that_is_none_is_found_and_shown_escaped_and_cut(game: str, word: str) -> None:
    record = whole(game)
    altered = replace(record, moves=(*record.moves[:5], word, *record.moves[6:]))
    found = problems(altered, SCHEDULED[game])
    assert any(problem.startswith("game 1-2.1a, ply 6: ") for problem in found)
    assert all(problem.isprintable() and len(problem) < 400 for problem in found)


@pytest.mark.parametrize("game", GAMES)
def test_a_move_left_out_or_added_is_found(game: str) -> None:
    record = whole(game)
    assert_found(replace(record, moves=record.moves[:-1]), SCHEDULED[game])
    assert_found(replace(record, moves=record.moves[1:]), SCHEDULED[game])
    assert_found(replace(record, moves=(*record.moves, record.moves[-1])), SCHEDULED[game])
    assert_found(replace(record, moves=()), SCHEDULED[game])


def test_a_move_that_is_not_canonical_is_found() -> None:
    record = whole("pletore")
    altered = replace(record, moves=(record.moves[0].lower(), *record.moves[1:]))
    assert_found(altered, SCHEDULED["pletore"], "canonical form")


def altered_dice(dice: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    for place, (one, other) in enumerate(dice):
        for roll in ((one % 6 + 1, other), (one, other % 6 + 1), (other, one), (0, other), (7, 1)):
            if roll != (one, other):
                yield (*dice[:place], roll, *dice[place + 1 :])


def test_every_die_altered_is_found() -> None:
    record = whole("plakoto")
    for dice in altered_dice(record.dice):
        assert_found(replace(record, dice=dice), SCHEDULED["plakoto"])
    for throws in altered_dice(record.opening_roll):
        assert_found(replace(record, opening_roll=throws), SCHEDULED["plakoto"])
    for dice in (record.dice[:-1], record.dice[1:], (*record.dice, (1, 2)), ()):
        assert_found(replace(record, dice=dice), SCHEDULED["plakoto"])
    assert_found(replace(record, opening_roll=()), SCHEDULED["plakoto"])
    assert_found(replace(record, attempt=2), SCHEDULED["plakoto"], "the key gives")


def test_dice_of_another_key_or_mode_are_found_at_the_first_ply() -> None:
    record = whole("plakoto")
    assert "the key gives" in problems(record, SCHEDULED["plakoto"], key=OTHER_KEY)[0]
    assert check_record(record, SCHEDULED["plakoto"], KEY, "duplicate")


def test_dice_in_a_game_without_are_found() -> None:
    assert_found(replace(whole("pente"), dice=((1, 2),)), SCHEDULED["pente"], "Pente has none")


@pytest.mark.parametrize("game", GAMES)
def test_every_field_of_the_verdict_altered_is_found(game: str) -> None:
    record = whole(game)
    verdict = record.verdict
    for changes in (
        {"winner": 1 - (verdict.winner or 0)},
        {"winner": None} if verdict.winner is not None else {"winner": BLACK},
        {"result": "B+99.5"},
        {"result": ""},
        {"reasons": (Reason.RESIGN,)},
        {"reasons": (Reason.TIME,)},
        {"reasons": (*verdict.reasons, Reason.FIVE)},
        {"at_fault": BLACK},
        {"points": 3},
        {"outcome": None},
        {"reasons": (Reason.ANNULLED,)},
    ):
        assert_found(with_verdict(record, **changes), SCHEDULED[game])


@pytest.mark.parametrize("game", GAMES)
def test_every_field_of_the_outcome_altered_is_found(game: str) -> None:
    record = whole(game)
    outcome = record.verdict.outcome
    assert outcome is not None
    altered: dict[str, Any] = {
        "winner": 1 - (outcome.winner or 0),
        "reasons": ("score", "score"),
        "result": "x",
        "board_margin": 1000,
        "final_margin": -1000.5,
        "points": 5,
        "decided_by": "luck",
        "deciding_group": 9,
        "button": BLACK if outcome.button == WHITE else WHITE,
        "details": {"stones": 1},
    }
    assert set(altered) == {field.name for field in fields(Outcome)}
    for name, value in altered.items():
        assert_found(with_outcome(record, **{name: value}), SCHEDULED[game], name.replace("_", " "))


def test_details_may_be_left_out_and_may_have_passed_through_json() -> None:
    record = whole("topolo")
    assert problems(with_outcome(record, details={}), SCHEDULED["topolo"]) == []


@pytest.mark.parametrize("game", GAMES)
def test_what_was_scheduled_otherwise_is_found(game: str) -> None:
    record, scheduled = whole(game), SCHEDULED[game]
    for changes in (
        {"pair": "1-2.2"},
        {"seed": record.seed + 1},
        {"size": (record.size or 0) + 1},
        {"opening": "random 2 #9"},
        {"opening_plies": record.opening_plies + 1},
        {"final_position": "elsewhere"},
        {"final_position": ""},
        {"komi": (record.komi or 0) + 1},
        {"black": EngineIdentity("random")},
        {"white": EngineIdentity("stranger")},
        {"black": record.white, "white": record.black},
        {"time_us": record.time_us[1:]},
        {"game": "chess"},
        {"fault_move": "A1"},
        {"pie": Pie(BLACK, 1, WHITE)},
    ):
        assert_found(replace(record, **changes), scheduled)


def test_a_game_under_another_id_is_found() -> None:
    found = problems(replace(whole("pente"), id="1-2.1b"), SCHEDULED["pente"])
    assert found == ['game 1-2.1b, ply 0: id is "1-2.1b", the schedule says "1-2.1a"']


def test_an_opening_that_the_seed_does_not_give_is_found_at_its_ply() -> None:
    record = whole("pletore")
    scheduled = SCHEDULED["pletore"]
    first, second = scheduled.opening.moves
    assert_found(record, replace(scheduled, opening=Opening("random 2 #1", (second, first))), "opening move")
    assert_found(record, replace(scheduled, opening=Opening("random 2 #1", (first,))), "opening plies")
    assert_found(replace(record, opening_plies=0), None, "time")


def test_calls_altered_are_found() -> None:
    record = whole("pente", 3)
    assert any(record.announcements)
    for ply, call in enumerate(record.announcements):
        other = "four" if call is None else None
        calls = (*record.announcements[:ply], other, *record.announcements[ply + 1 :])
        found = problems(replace(record, announcements=calls), SCHEDULED["pente"])
        assert any(f"ply {ply + 1}: the call" in problem for problem in found)
    assert_found(replace(record, announcements=()), SCHEDULED["pente"], "the call")
    assert_found(
        replace(record, announcements=record.announcements[:-1]), SCHEDULED["pente"], "number of calls"
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_resignation_is_the_movers_loss(game: str) -> None:
    record, position = broken_off(game)
    side = position.to_move
    resigned = replace(record, verdict=verdicts.by_resignation(side, position.forfeit_points(side)))
    assert problems(resigned, SCHEDULED[game]) == []
    by_the_other = verdicts.by_resignation(1 - side, position.forfeit_points(1 - side))
    assert_found(replace(record, verdict=by_the_other), SCHEDULED[game], "winner")
    for changes in ({"winner": side}, {"winner": None}, {"result": "B+F"}, {"at_fault": side}, {"points": 7}):
        assert_found(with_verdict(resigned, **changes), SCHEDULED[game])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("reason", sorted(FAULTS))
def test_a_fault_gives_the_game_to_the_other_side(game: str, reason: Reason) -> None:
    record, position = broken_off(game, 0 if reason == Reason.START_UP else 5)
    side = position.to_move
    refused = "Z99" if reason == Reason.ILLEGAL_MOVE else None
    lost = replace(
        record,
        verdict=verdicts.by_fault(side, reason, position.forfeit_points(side)),
        fault_move=refused,
        fault_us=5,
    )
    assert problems(lost, SCHEDULED[game]) == []
    wrong_mark = lost.verdict.result[:2] + ("F" if reason == Reason.TIME else "T")
    for changes in (
        {"winner": side},
        {"winner": None},
        {"at_fault": 1 - side},
        {"at_fault": None},
        {"result": wrong_mark},
        {"reasons": (Reason.SCORE,)},
        {"reasons": (reason, Reason.CRASH)},
        {"outcome": Outcome(1 - side, ("score",), "x", 1, 1)},
        {"points": 7},
    ):
        assert_found(with_verdict(lost, **changes), SCHEDULED[game])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("reason", [Reason.TIME, Reason.HANG, Reason.ILLEGAL_MOVE])
def test_the_side_not_to_move_cannot_be_late_or_play_illegally(game: str, reason: Reason) -> None:
    record, position = broken_off(game)
    side = 1 - position.to_move
    refused = "Z99" if reason == Reason.ILLEGAL_MOVE else None
    verdict = verdicts.by_fault(side, reason, position.forfeit_points(side))
    assert_found(replace(record, verdict=verdict, fault_move=refused), SCHEDULED[game], "not to move")


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_move_must_be_recorded_and_be_illegal(game: str) -> None:
    record, position = broken_off(game)
    side = position.to_move
    verdict = verdicts.by_fault(side, Reason.ILLEGAL_MOVE, position.forfeit_points(side))
    lost = replace(record, verdict=verdict)
    legal = position.rules.format_move(position.legal_moves()[0])
    assert_found(replace(lost, fault_move=legal), SCHEDULED[game], "is legal")
    assert_found(replace(lost, fault_move=None), SCHEDULED[game], "none is recorded")


def test_a_game_that_goes_on_has_not_ended_on_the_board() -> None:
    record, _ = broken_off("pletore")
    assert_found(replace(record, verdict=Verdict(BLACK, ("score",), "B+1")), SCHEDULED["pletore"], "not over")


def test_a_finished_game_is_not_lost_by_a_later_fault() -> None:
    record = whole("pente")
    assert_found(replace(record, verdict=verdicts.by_fault(BLACK, Reason.CRASH)), SCHEDULED["pente"])


def test_both_failed_void_adjudicated_and_ply_limit_hold_as_they_are_written() -> None:
    record, _ = broken_off("pente")
    holding = [
        verdicts.both_failed((Reason.CRASH, Reason.TIME)),
        *(verdicts.void(reason) for reason in sorted(verdicts.VOID)),
        Verdict(WHITE, (Reason.ADJUDICATED,), "W+A"),
        Verdict(None, (Reason.PLY_LIMIT,), "0"),
    ]
    for verdict in holding:
        assert problems(replace(record, verdict=verdict), SCHEDULED["pente"]) == []
        for changes in ({"winner": BLACK}, {"result": "B+1"}, {"at_fault": WHITE}):
            assert_found(replace(record, verdict=replace(verdict, **changes)), SCHEDULED["pente"])
    odd = Verdict(None, (Reason.BOTH_FAILED, "boredom"), "both-failed")
    assert_found(replace(record, verdict=odd), SCHEDULED["pente"], "boredom")


def test_an_annulled_game_holds_to_its_seal_by_its_moves_alone() -> None:
    record = whole("pletore")
    seal = record_seal(record)
    annulled = replace(record, verdict=verdicts.void(Reason.ANNULLED))
    assert problems(annulled, SCHEDULED["pletore"], seal=seal) == []
    moves = (*annulled.moves[:4], "A1", *annulled.moves[5:])
    assert "ply 5: the move" in problems(replace(annulled, moves=moves), SCHEDULED["pletore"], seal=seal)[0]


def test_a_verdict_that_is_not_the_sealed_one_is_found() -> None:
    record, position = broken_off("pente")
    seal = record_seal(replace(record, verdict=verdicts.by_resignation(position.to_move)))
    other = replace(record, verdict=verdicts.by_fault(position.to_move, Reason.CRASH))
    assert problems(other, SCHEDULED["pente"]) == []
    assert len(problems(other, SCHEDULED["pente"], seal=seal)) == 1


def test_a_game_that_never_began_holds() -> None:
    for game in GAMES:
        record, position = broken_off(game, 0)
        verdict = verdicts.by_fault(WHITE, Reason.START_UP, position.forfeit_points(WHITE))
        never = replace(record, verdict=verdict, dice=(), opening_roll=(), final_position="")
        assert problems(never, SCHEDULED[game]) == []
    begun, _ = broken_off("pente")
    assert_found(replace(begun, verdict=verdicts.by_fault(WHITE, Reason.START_UP)), SCHEDULED["pente"])


def test_a_game_of_dice_that_broke_off_has_the_roll_of_its_last_turn() -> None:
    record, position = broken_off("plakoto")
    side = position.to_move
    lost = replace(record, verdict=verdicts.by_fault(side, Reason.TIME, position.forfeit_points(side)))
    assert_found(replace(lost, dice=lost.dice[:-1]), SCHEDULED["plakoto"], "ply 6: the roll")
    assert_found(replace(lost, dice=(*lost.dice[:-1], (1, 1))), SCHEDULED["plakoto"], "ply 6: the roll")


PIE = scheduled_game("pletore", size=5, komi="pie")


@pytest.mark.parametrize("pie", [Pie(BLACK, 4, WHITE), Pie(WHITE, -25, BLACK)])
def test_a_pie_game_holds_with_the_colours_really_played(pie: Pie) -> None:
    record, _ = played(PIE, 1, pie=pie)
    assert problems(record, PIE) == []
    assert pie.komi_offered is not None
    for altered in (
        replace(pie, proposer=1 - pie.proposer),
        replace(pie, komi_offered=pie.komi_offered + 1),
        replace(pie, komi_offered=None),
        replace(pie, komi_offered=26),
        replace(pie, side_chosen=1 - (pie.side_chosen or 0)),
        replace(pie, side_chosen=None),
        None,
    ):
        assert_found(replace(record, pie=altered), PIE)
    assert_found(replace(record, komi=record.komi + 2 if record.komi is not None else 0), PIE)
    assert_found(replace(record, black=record.white, white=record.black), PIE, "the player of")


def test_a_failure_while_komi_is_settled_holds() -> None:
    record, _ = played(replace(PIE, komi=None), 1, stop_after=0)
    beyond = replace(
        record,
        pie=Pie(BLACK, None, None),
        verdict=verdicts.by_fault(BLACK, Reason.ILLEGAL_MOVE),
        fault_move="26",
        komi=None,
    )
    no_colour = replace(
        record, pie=Pie(BLACK, 3, None), verdict=verdicts.by_fault(WHITE, Reason.MALFORMED_REPLY), komi=None
    )
    for failed in (beyond, no_colour):
        assert problems(failed, PIE) == []
        assert_found(with_verdict(failed, winner=failed.verdict.at_fault), PIE)


def test_an_id_from_outside_is_shown_escaped_and_cut() -> None:
    found = problems(replace(whole("pente"), id="\x1b[2J" * 100), SCHEDULED["pente"])
    assert found
    assert all(problem.isprintable() and len(problem) < 400 for problem in found)
