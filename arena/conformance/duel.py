"""One game of the engine under test against a random mover that lives here, with dice and clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from arena.conformance.positions import LONGEST_PLIES, Line, dice_command, throw
from arena.core.clock import Clock, Kind
from arena.core.clock_words import time_left_words
from arena.live.faults import EngineFault
from arena.rules import BLACK, WHITE, colour_name

if TYPE_CHECKING:
    from arena.conformance.talk import Talk
    from arena.core.clock import TimeControl
    from arena.rules import Outcome, Position

OVERRUN_WATCHED_S = 5.0
"""How long a move is waited for beyond the flag, to say by how much the engine was late."""


@dataclass(slots=True)
class Duel:
    """What came of a game.

    Attributes:
        colour: the engine's.
        words: all moves, canonical.
        own: how many of them the engine made.
        resigned: whether the engine did.
        outcome: how the game ended on the board, None when it did not.
        spent_s: the engine's thinking time.
        slowest_s: its slowest move.
        share: the largest part of a move's budget that it used, 1 = all of it; 0 when unlimited.
        overrun_s: its worst overrun beyond flag and margin, 0 when there was none.
    """

    colour: int
    words: list[str] = field(default_factory=list)
    own: int = 0
    resigned: bool = False
    outcome: Outcome | None = None
    spent_s: float = 0.0
    slowest_s: float = 0.0
    share: float = 0.0
    overrun_s: float = 0.0


async def play(
    talk: Talk,
    line: Line,
    colour: int,
    control: TimeControl,
    *,
    seed: int,
    most_plies: int = LONGEST_PLIES,
    patience_s: float = 0.0,
) -> Duel:
    """Play from the position of `line` to the end, or for a number of plies.

    Args:
        talk: the conversation; its engine plays `colour`.
        line: where the game begins.
        colour: the engine's.
        control: the engine's clock; the random mover takes no time.
        seed: of the random mover and the dice; the engine is sent it too.
        most_plies: after so many turns the game is broken off.
        patience_s: time for a move at least, also beyond the flag.

    Raises:
        CaseFailed, EngineFault: what `Talk` raises; no move within budget, margin and the time watched.
    """
    await talk.set_up(line, control, seed=seed)
    position = talk.playing()
    random = Random(f"{seed}/duel")
    duel = Duel(colour)
    clocks = (Clock(control), Clock(control))
    box: list[str] = []
    while not position.is_over and len(duel.words) < most_plies:
        side = position.to_move
        if position.awaits_dice:
            throw(position, random)
            if position.dice is not None:
                box.append(dice_command(colour_name(side), position.dice))
        if side == colour:
            if not await _engine_moves(talk, box, clocks, duel, patience_s):
                return duel
            box = []
        else:
            move = random.choice(position.legal_moves())
            box += _played(position, position.rules.format_move(move), talk)
            duel.words.append(position.rules.format_move(move))
    if position.is_over:
        duel.outcome = position.outcome()
    return duel


async def _engine_moves(
    talk: Talk, box: list[str], clocks: tuple[Clock, Clock], duel: Duel, patience_s: float
) -> bool:
    """Have the engine move; False when that was the last it does (resigned, flag fallen)."""
    position = talk.playing()
    clock = clocks[duel.colour]
    budget_us = clock.budget_us()
    margin_us = talk.session.entry.margin_ms * 1000
    allowed_s = patience_s if budget_us is None else (budget_us + margin_us) / 1e6
    limit_s = max(allowed_s + OVERRUN_WATCHED_S, patience_s)
    commands = [*box, *_clock_commands(talk, clocks, duel.colour)]
    try:
        thought = await talk.think(commands, limit_s)
    except EngineFault as fault:
        if budget_us is None or "within" not in fault.message:
            raise
        words = f"{fault.message}, where it had {budget_us / 1e6:.3f} s left"
        raise EngineFault(fault.reason, words, fault.offending) from fault
    duel.own += 1
    duel.spent_s += thought.seconds
    duel.slowest_s = max(duel.slowest_s, thought.seconds)
    if budget_us is not None:
        duel.share = max(duel.share, thought.seconds * 1e6 / max(budget_us, 1))
        duel.overrun_s = max(duel.overrun_s, thought.seconds - allowed_s)
    is_in_time = clock.charge(int(thought.seconds * 1e6), margin_us)
    move = talk.judge(thought.word)
    if move is None:
        duel.resigned = True
        return False
    duel.words.append(position.rules.format_move(move))
    position.play(move)
    return is_in_time or clock.control.kind is Kind.EACH_MOVE


def _clock_commands(talk: Talk, clocks: tuple[Clock, Clock], colour: int) -> list[str]:
    if clocks[colour].budget_us() is None:
        return []
    if talk.lists("arena-clock"):
        fields = [*clocks[BLACK].wire_fields("black"), *clocks[WHITE].wire_fields("white")]
        return [f"arena-clock {' '.join(fields)}"]
    if talk.lists("time_left"):
        return [time_left_words(clocks[colour], colour_name(colour))]
    return []


def _played(position: Position, word: str, talk: Talk) -> list[str]:
    """Play the random mover's move; return what tells the engine of it."""
    colour = colour_name(position.to_move)
    position.play(position.rules.parse_move(word))
    told = [f"play {colour} {word}"]
    if position.announcement is not None and talk.lists("arena-announce"):
        told.append(f"arena-announce {colour} {position.announcement}")
    return told
