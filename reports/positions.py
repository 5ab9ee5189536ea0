"""A stored game played again up to a point, for diagrams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.rules.base import BLACK, WHITE, Position, RulesError
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from arena.core.record import GameRecord


class UnplayableError(Exception):
    """A stored game that the rules refuse; the message names game and ply."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a stored game.

    Attributes:
        ply: number of the turn, from 1.
        colour: who moved.
        move: the canonical word.
    """

    ply: int
    colour: int
    move: str


def replayed(record: GameRecord, plies: int) -> tuple[Position, list[Turn]]:
    """Play the first `plies` moves of a stored game.

    Returns:
        The position reached, with the next roll thrown where one is stored, and the turns that led to it.

    Raises:
        UnplayableError: settings, dice or moves are not what the rules allow.
    """
    turns: list[Turn] = []
    try:
        rules = make_rules(record.game, size=record.size, komi=record.komi)
        position = rules.initial(starter_of(record))
        throw(record, position, 0)
        for ply, word in enumerate(record.moves[:plies], start=1):
            turns.append(Turn(ply, position.to_move, word))
            position.play(rules.parse_move(word))
            throw(record, position, ply)
    except RulesError as error:
        where = f"move {len(turns)} ({turns[-1].move})" if turns else "the start"
        raise UnplayableError(f"game {record.id} cannot be played again beyond {where}: {error}") from error
    return position, turns


def starter_of(record: GameRecord) -> int:
    """Return who starts: with dice the higher one of the last throw, else Black."""
    if not record.opening_roll:
        return BLACK
    black, white = record.opening_roll[-1]
    return BLACK if black > white else WHITE


def throw(record: GameRecord, position: Position, turn: int) -> None:
    """Give the position the stored roll of a turn, from 0, where one is due and stored."""
    if position.awaits_dice and turn < len(record.dice):
        position.set_dice(*record.dice[turn])
