"""Positions to ask a move in, found by playing random games with the rules core; any game, any size.

Engines meet a position as they would in a game: set up, then every move with `play`. What makes a position
worth asking about is told by the rules alone: few moves, moves that were legal a turn ago and are not now,
captures, an end within reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from arena.rules import BLACK, WHITE, RulesError, colour_name
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.rules import Move, Position, Rules

GAMES = 8
"""Random games that positions are taken from."""

LONGEST_PLIES = 3000
"""A game without a bound of its own is broken off here."""

_NEAR_FINAL_PLIES = 8
_FEW_MOVES = 4
_NARROWED_PLIES = 5
_LEAST_NARROWED = 4
"""The turns of a game at which most moves became illegal since the mover's last one; two do so by being
played, so from four on there is something to know."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: the move's canonical word, and the roll it was played with."""

    move: str
    dice: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A position as the way that leads to it.

    Attributes:
        label: for people (`game 3, ply 41`).
        game, size, komi: the rules.
        first: who moved first.
        turns: the moves played.
        dice: the roll the side to move has, None in games without.
    """

    label: str
    game: str
    size: int | None
    komi: int | None
    first: int
    turns: tuple[Turn, ...]
    dice: tuple[int, int] | None = None

    def position(self) -> Position:
        """Return the position, the roll thrown.

        Raises:
            RulesError: the rules refuse it (lines that people wrote).
        """
        position = make_rules(self.game, size=self.size, komi=self.komi).initial(self.first)
        for turn in self.turns:
            if turn.dice is not None:
                position.set_dice(*turn.dice)
            position.play(position.canonical(position.rules.parse_move(turn.move)))
        if self.dice is not None:
            position.set_dice(*self.dice)
        return position

    def commands(self) -> list[str]:
        """Return what tells an engine of the position after set-up; the last roll is in it."""
        position = make_rules(self.game, size=self.size, komi=self.komi).initial(self.first)
        commands = []
        for turn in self.turns:
            if turn.dice is not None:
                position.set_dice(*turn.dice)
            colour = colour_name(position.to_move)
            commands += [dice_command(colour, turn.dice)] if turn.dice else []
            move = position.canonical(position.rules.parse_move(turn.move))
            commands.append(f"play {colour} {position.rules.format_move(move)}")
            position.play(move)
        if self.dice is not None:
            commands.append(dice_command(colour_name(position.to_move), self.dice))
        return commands


def dice_command(colour: str, dice: tuple[int, int]) -> str:
    """Return the command that tells the roll for a colour's turn."""
    return f"arena-dice {colour} {dice[0]} {dice[1]}"


class Kind(StrEnum):
    """What is worth asking about; the values are the words of case ids."""

    OPENING = "opening"
    RANDOM = "random"
    NEAR_FINAL = "near-final"
    FORCED = "forced"
    FEW = "few-moves"
    NARROWED = "narrowed"
    CAPTURES = "captures"
    DECISIVE = "decisive"


TITLES = {
    Kind.OPENING: "plays a legal first move, as Black and as White",
    Kind.RANDOM: "plays legal moves in positions of random games",
    Kind.NEAR_FINAL: "plays legal moves in the last turns of a game",
    Kind.FORCED: "finds the move where only one is legal",
    Kind.FEW: "plays legal moves where only a few are legal",
    Kind.NARROWED: "plays legal moves where many became illegal since its last turn",
    Kind.CAPTURES: "plays legal moves after pieces were taken, also where they stood",
    Kind.DECISIVE: "plays legal moves where one of them ends the game",
}


class Positions:
    """The positions of one game, by kind; games are played when the first is asked for.

    Args:
        rules: the game with its settings.
        seed: the same seed gives the same positions.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self._rules = rules
        self._seed = seed

    def lines(self, kind: Kind, most: int) -> list[Line]:
        """Return up to `most` positions of a kind, from different games as far as possible."""
        if kind is Kind.OPENING:
            return self._openings
        found = list(self._played[1][kind])
        Random(f"{self._seed}/{kind}").shuffle(found)
        by_game: dict[int, list[tuple[int, int]]] = {}
        for place in found:
            by_game.setdefault(place[0], []).append(place)
        chosen: list[tuple[int, int]] = []
        while len(chosen) < most and any(by_game.values()):
            chosen += [places.pop() for places in by_game.values() if places]
        return [self._line(*place) for place in sorted(chosen[:most])]

    @cached_property
    def _openings(self) -> list[Line]:
        lines = []
        for game in range(2):
            start = self._line(game, 0)
            after_one = self._line(game, 1)
            lines += [start, after_one] if game == 0 or self._rules.has_dice else [after_one]
        return lines

    def _line(self, game: int, ply: int) -> Line:
        first, turns = self._played[0][game]
        return Line(
            f"game {game + 1}, ply {ply + 1}",
            self._rules.game,
            self._rules.size,
            self._rules.komi if self._rules.has_komi else None,
            first,
            tuple(turns[:ply]),
            turns[ply].dice if ply < len(turns) else None,
        )

    @cached_property
    def _played(self) -> tuple[list[tuple[int, list[Turn]]], dict[Kind, list[tuple[int, int]]]]:
        """The random games (who began, the turns), and their positions (game, ply) by kind."""
        found: dict[Kind, list[tuple[int, int]]] = {kind: [] for kind in Kind}
        return [self._play(game, found) for game in range(GAMES)], found

    def _play(self, game: int, found: dict[Kind, list[tuple[int, int]]]) -> tuple[int, list[Turn]]:
        """Play a random game; take note of its positions by kind."""
        random = Random(f"{self._seed}/game/{game}")
        first = WHITE if self._rules.has_dice and game % 2 else BLACK
        position = self._rules.initial(first)
        turns: list[Turn] = []
        legal_before: list[set[Move]] = [set(), set()]
        narrowed: list[tuple[int, int]] = []
        is_thinned = False
        last: list[Position] = []
        while not position.is_over and position.ply < LONGEST_PLIES:
            throw(position, random)
            moves = position.legal_moves()
            place = (game, position.ply)
            found[Kind.RANDOM].append(place)
            if len(moves) == 1:
                found[Kind.FORCED].append(place)
            elif len(moves) <= _FEW_MOVES:
                found[Kind.FEW].append(place)
            legal = set(moves)
            narrowed.append((len(legal_before[position.to_move] - legal), position.ply))
            legal_before[position.to_move] = legal
            is_thinned = is_thinned or bool(position.captured)
            if is_thinned:
                found[Kind.CAPTURES].append(place)
            last = [*last[-_NEAR_FINAL_PLIES + 1 :], position.copy()]
            move = random.choice(moves)
            turns.append(Turn(self._rules.format_move(move), position.dice))
            position.play(move)
        if not self._rules.has_dice:  # another roll allows other moves: that is no trap
            most = sorted(narrowed, reverse=True)[:_NARROWED_PLIES]
            found[Kind.NARROWED] += [(game, ply) for lost, ply in most if lost >= _LEAST_NARROWED]
        for each in last if position.is_over else []:
            found[Kind.NEAR_FINAL].append((game, each.ply))
            if _can_end(each):
                found[Kind.DECISIVE].append((game, each.ply))
        return first, turns


def throw(position: Position, random: Random) -> None:
    """Give the side to move a roll, where one is due. A game's first roll has two different dice."""
    if position.awaits_dice:
        roll = (random.randint(1, 6), random.randint(1, 6))
        while position.ply == 0 and roll[0] == roll[1]:
            roll = (random.randint(1, 6), random.randint(1, 6))
        position.set_dice(max(roll), min(roll)) if position.ply == 0 else position.set_dice(*roll)


def _can_end(position: Position) -> bool:
    """Say whether a legal move ends the game."""
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        if after.is_over:
            return True
    return False


def line_of(
    game: str,
    moves: Sequence[str | tuple[tuple[int, int], str]],
    *,
    size: int | None = None,
    komi: int | None = None,
    first: int = BLACK,
    dice: tuple[int, int] | None = None,
    label: str = "",
) -> Line:
    """Return the position that people describe: moves as words, in games with dice as (roll, word).

    Raises:
        RulesError: the rules refuse it; the message says at which ply.
    """
    rules = make_rules(game, size=size, komi=komi)
    turns = tuple(Turn(move) if isinstance(move, str) else Turn(move[1], move[0]) for move in moves)
    position = rules.initial(first)
    for ply, turn in enumerate(turns, start=1):
        try:
            if turn.dice is not None:
                position.set_dice(*turn.dice)
            position.play(position.canonical(rules.parse_move(turn.move)))
        except RulesError as error:
            raise type(error)(f"ply {ply}, {turn.move[:40]!r}: {error}") from error
    if dice is not None:
        position.set_dice(*dice)
    return Line(label, game, rules.size, rules.komi if rules.has_komi else None, first, turns, dice)
