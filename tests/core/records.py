"""Whole games played at random through the rules core, as the referee would have recorded them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from arena.core import verdict as verdicts
from arena.core.dice import Dice, dice_ident, game_key, starter
from arena.core.event import NO_OPENING, Opening, ScheduledGame
from arena.core.record import EngineIdentity, GameRecord, Pie
from arena.core.seeds import game_seed
from arena.rules.base import BLACK, WHITE
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from arena.core.event import Komi
    from arena.core.verdict import Verdict
    from arena.rules.base import Position

KEY = bytes(range(32))
NAMES = ("greedy", "random")


def scheduled_game(
    game: str,
    *,
    size: int | None = None,
    komi: Komi = None,
    opening: Opening = NO_OPENING,
    game_id: str = "1-2.1a",
) -> ScheduledGame:
    seed = game_seed(7, game_id)
    return ScheduledGame(game_id, 0, 1, game_id[:-1], 0, 1, game, size, komi, opening, seed)


def played(
    scheduled: ScheduledGame, seed: int, *, stop_after: int | None = None, pie: Pie | None = None
) -> tuple[GameRecord, Position]:
    """Play at random to the end, or for some plies; the record of a game that stopped is void."""
    komi = pie.komi_offered if pie else scheduled.komi
    assert komi is None or isinstance(komi, int)
    rules = make_rules(scheduled.game, size=scheduled.size, komi=komi)
    dice = Dice(game_key(KEY, dice_ident(scheduled, 1, "independent")))
    first, roll = starter(dice.opening()) if rules.has_dice else (BLACK, (0, 0))
    position = rules.initial(first)
    chance = random.Random(seed)
    moves: list[str] = []
    calls: list[str | None] = []
    rolls: list[tuple[int, int]] = []
    while not position.is_over:
        if rules.has_dice:
            rolls.append(dice.roll(len(rolls)) if rolls else roll)
            position.set_dice(*rolls[-1])
        if len(moves) == stop_after:
            break
        opening = scheduled.opening.moves
        if len(moves) < len(opening):
            move = rules.parse_move(opening[len(moves)])
        else:
            move = chance.choice(position.legal_moves())
        moves.append(rules.format_move(move))
        position.play(move)
        calls.append(position.announcement)
    opening_plies = min(len(moves), len(scheduled.opening.moves))
    names = NAMES if pie is None or pie.proposer == BLACK else NAMES[::-1]
    record = GameRecord(
        id=scheduled.id,
        ordinal=scheduled.ordinal,
        round=scheduled.round,
        pair=scheduled.pair,
        game=scheduled.game,
        size=scheduled.size,
        seed=scheduled.seed,
        attempt=1,
        komi=komi,
        black=EngineIdentity(names[BLACK]),
        white=EngineIdentity(names[WHITE]),
        verdict=end_of(position),
        moves=tuple(moves),
        opening_plies=opening_plies,
        opening=scheduled.opening.label,
        time_us=(None,) * opening_plies + (1_000,) * (len(moves) - opening_plies),
        started="2026-01-01T00:00:00.000Z",
        ended="2026-01-01T00:00:01.000Z",
        announcements=tuple(calls),
        dice=tuple(rolls),
        opening_roll=dice.opening() if rules.has_dice else (),
        pie=pie,
        final_position=position.key(),
    )
    return record, position


def end_of(position: Position) -> Verdict:
    return (
        verdicts.by_outcome(position.outcome())
        if position.is_over
        else verdicts.void(verdicts.Reason.ARENA_FAULT)
    )
