"""Whole events played at random inside the test, without engines: a database as a run leaves it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.core.clock import parse_time
from arena.core.dice import Dice, dice_ident, game_key
from arena.core.event import Discipline, Engine, Event, OpeningBook
from arena.core.record import EngineIdentity, Evidence, GameRecord
from arena.core.schedule import Schedule
from arena.core.verdict import Reason, by_fault, by_outcome
from arena.rules.base import BLACK, WHITE
from arena.rules.registry import make_rules, rules_class
from arena.store import RunStore

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from arena.core.event import ScheduledGame

SIZES = {"pletore": 4, "pente": 5, "topolo": 4, "plakoto": None}


def an_event(game: str = "pletore", names: tuple[str, ...] = ("greedy", "random", "slow")) -> Event:
    """Return a small round robin; two random plies where the game has random openings."""
    rules = rules_class(game)
    return Event(
        name="Trial cup",
        format="round-robin",
        game=game,
        size=SIZES[game],
        komi=1 if rules.has_komi else None,
        games_each=4,
        time=parse_time("10+0.1"),
        concurrency=1,
        seed=7,
        book=OpeningBook(random_plies=2, source="random 2") if rules.random_openings else OpeningBook(),
        dice="independent",
        dice_key=None,
        engines=tuple(Engine(name, (f"/bin/{number}",), "/") for number, name in enumerate(names)),
    )


def an_event_of_several(*games: str, names: tuple[str, ...] = ("greedy", "random", "slow")) -> Event:
    """Return `an_event` in each of `games`, under its own name, as one event."""
    apart = [an_event(game, names) for game in games]
    disciplines = tuple(
        Discipline(each.game, each.game, each.size, each.komi, each.games_each, each.time, each.book)
        for each in apart
    )
    return replace(apart[0], disciplines=disciplines)


def play(
    database: Path, event: Event, *, faulty: Collection[str] = (), unplayed: Collection[str] = ()
) -> Path:
    """Play `event` at random into `database`.

    Args:
        database: made if it does not exist, else gone on with.
        event: what is played.
        faulty: ids of games that White loses by a hostile word after the opening.
        unplayed: ids of games left for later.
    """
    with RunStore.create_or_resume(database, event, random_bytes=bytes(range(32))) as store:
        schedule = Schedule(event, steps=[each.step for each in store.steps()])
        while True:
            played = store.played()
            for game in schedule:
                if game.ordinal not in played and game.id not in unplayed:
                    attempt = store.attempts(game.id) + 1
                    store.add([_record(event, game, attempt, store.dice_key, is_faulty=game.id in faulty)])
            state = store.state()
            if schedule.awaits(state.results):
                return database
            step = schedule.next_step(state.results, state.withdrawn)
            if step is None:
                store.finish()
                return database
            store.add_step(step)
            schedule.add(step)


def _record(event: Event, game: ScheduledGame, attempt: int, key: bytes, *, is_faulty: bool) -> GameRecord:
    chance = random.Random(f"{game.id} {attempt}")
    komi = game.komi if isinstance(game.komi, int) else None
    rules = make_rules(game.game, size=game.size, komi=komi)
    dice = Dice(game_key(key, dice_ident(game, attempt, event.dice))) if rules.has_dice else None
    throws = dice.opening() if dice else ()
    first = WHITE if throws and throws[-1][1] > throws[-1][0] else BLACK
    position = rules.initial(first)
    moves: list[str] = []
    rolls: list[tuple[int, int]] = []
    announcements: list[str | None] = []
    failed = False
    while not position.is_over:
        if dice and position.awaits_dice:
            high, low = max(throws[-1]), min(throws[-1])
            rolls.append(dice.roll(position.ply) if rolls else (high, low))
            position.set_dice(*rolls[-1])
        if is_faulty and len(moves) >= len(game.opening.moves) and position.to_move == WHITE:
            failed = True
            break
        opening = game.opening.moves[len(moves) : len(moves) + 1]
        move = rules.parse_move(opening[0]) if opening else chance.choice(position.legal_moves())
        moves.append(rules.format_move(move))
        position.play(move)
        announcements.append(position.announcement)
    record = GameRecord(
        id=game.id,
        ordinal=game.ordinal,
        round=game.round,
        pair=game.pair,
        game=game.game,
        size=game.size,
        seed=game.seed,
        attempt=attempt,
        komi=komi,
        black=EngineIdentity(event.engines[game.black].name, "Player", "1.0"),
        white=EngineIdentity(event.engines[game.white].name, "Player", "1.1"),
        verdict=by_fault(WHITE, Reason.ILLEGAL_MOVE, position.forfeit_points(WHITE))
        if failed
        else by_outcome(position.outcome()),
        moves=tuple(moves),
        opening_plies=len(game.opening.moves),
        opening=game.opening.label,
        time_us=tuple(
            None if ply < len(game.opening.moves) else chance.randint(100, 90_000)
            for ply in range(len(moves))
        ),
        started="2026-01-01T10:00:00.000Z",
        ended="2026-01-01T10:00:09.500Z",
        announcements=tuple(announcements) if game.game == "pente" else (),
        dice=tuple(rolls),
        opening_roll=throws,
        final_position=position.key(),
    )
    if not failed:
        return record
    said = Evidence(
        "Z99 is no move here", r"=\x1b[2JZ99", "Traceback\n  boom", "", ("> genmove white", "< = Z99")
    )
    return replace(record, fault_move="\x1b[2JZ99", fault_us=12_000, evidence={WHITE: said})
