"""Events and records as the store gets them, small and quick to make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.record import Adjudged, EngineIdentity, Evidence, GameRecord, Pie
from arena.core.schedule import Schedule
from arena.core.verdict import Reason, by_fault, by_outcome, void
from arena.rules import BLACK, WHITE, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = bytes(range(32))


def engine(name: str, **changes: Any) -> Engine:
    """Return an entry."""
    return replace(Engine(name, ("/bin/true",), "/"), **changes)


def event(*names: str, **changes: Any) -> Event:
    """Return a round robin of engines of these names (default: a, b, c), two games a pairing."""
    plain = Event(
        name="cup",
        format="round-robin",
        game="pletore",
        size=5,
        komi=1,
        games_each=2,
        time=parse_time("10+0.1"),
        concurrency=2,
        seed=7,
        book=OpeningBook(),
        dice="independent",
        dice_key=None,
        engines=tuple(engine(name) for name in names or ("a", "b", "c")),
    )
    return replace(plain, **changes)


def record(of: Event, ordinal: int, **changes: Any) -> GameRecord:
    """Return a playing of the game at a place of the schedule, won on the board by Black."""
    game = Schedule(of).game(ordinal)
    outcome = Outcome(BLACK, ("score",), "B+2.5", board_margin=3, final_margin=2.5, details={"black": 14})
    plain = GameRecord(
        id=game.id,
        ordinal=ordinal,
        round=game.round,
        pair=game.pair,
        game=game.game,
        size=game.size,
        seed=game.seed,
        attempt=1,
        komi=1,
        black=EngineIdentity(of.engines[game.black].name, "reported", "1.0", "c0", "ff"),
        white=EngineIdentity(of.engines[game.white].name),
        verdict=by_outcome(outcome),
        moves=("A1", "B2", f"C{ordinal % 5 + 1}"),
        opening_plies=1,
        opening="random 1 #3",
        time_us=(None, 1500, 200),
        started="2026-01-31T12:00:00.123Z",
        ended="2026-01-31T12:00:01.000Z",
        final_position="XO. B 0",
    )
    return replace(plain, **changes)


def fault(of: Event, ordinal: int, side: int = WHITE, reason: Reason = Reason.CRASH) -> GameRecord:
    """Return a playing that one side lost by a fault, with evidence of it."""
    return record(
        of,
        ordinal,
        verdict=by_fault(side, reason),
        evidence={side: Evidence("it died", "\\x00", "last words", "signal SIGKILL", ("> genmove", "< "))},
        fault_move="Z99",
        fault_us=77,
    )


def spoiled(of: Event, ordinal: int, attempt: int = 1) -> GameRecord:
    """Return a playing that the arena spoiled."""
    return record(of, ordinal, attempt=attempt, verdict=void(Reason.ARENA_FAULT), moves=(), time_us=())


def full_record(of: Event, ordinal: int) -> GameRecord:
    """Return a record in which every field holds something."""
    outcome = Outcome(
        WHITE,
        ("five", "pairs"),
        "W+five",
        board_margin=-2,
        final_margin=-1.5,
        points=2,
        decided_by="height",
        deciding_group=3,
        button=BLACK,
        details={"groups": [[3, 9], [1, 1]], "note": "é"},
    )
    return record(
        of,
        ordinal,
        verdict=by_outcome(outcome),
        moves=("A1", "24/18,24/19", "pass"),
        infos=({}, {"winrate": 0.61, "pv": "D4 E5"}, {}),
        announcements=(None, "three", None),
        dice=((6, 5), (1, 1)),
        opening_roll=((3, 3), (2, 5)),
        fault_move="\ud800 odd",
        fault_us=0,
        evidence={BLACK: Evidence("black did"), WHITE: Evidence("white did", exchange=("a", "b"))},
        pie=Pie(WHITE, -3, None),
        seed=2**64 - 1,
        adjudged=Adjudged("search", 17, ("A1", "B2")),
        warnings={WHITE: ("says odd things", "and more")},
        log="cup-logs/1-2.1a.1.log",
        idle_us=(0, 5),
        lag_us=30_000,
    )


def placement(of: Event) -> Callable[[str], tuple[int, int]]:
    """Return where the schedule of an event places its games."""
    schedule = Schedule(of)

    def place(game_id: str) -> tuple[int, int]:
        ordinal = schedule.ordinal_of(game_id)
        assert ordinal is not None
        return ordinal, schedule.game(ordinal).round

    return place
