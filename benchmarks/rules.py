"""What the rules core costs: the referee's check and play of a move, lists of legal moves, perft.

    python -m benchmarks.rules [--games 40] [--json FILE]

The referee's work is what `arena.live.referee` asks of the rules for each ply: word to move, canonical form,
legality and play, the move's word, the announcement. Random games of every installed game, played from a
seed; the C loop of benchmarks/native/pipe_loop.c, timed in the same run, is the yardstick. All pure Python.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.rules.registry import games, make_rules, rules_class
from benchmarks.measuring import Report, arguments, compiled
from benchmarks.per_ply import c_loop_us
from benchmarks.played import write_games

if TYPE_CHECKING:
    from arena.rules import Position, Rules

_BEST_OF = 5
_PERFT_S = 1.0
_GOALS = ("pletore", "pente")


@dataclass(frozen=True, slots=True)
class Game:
    """One random game: words, and the dice before each of them."""

    words: tuple[str, ...]
    dice: tuple[tuple[int, int] | None, ...]


def random_game(rules: Rules, chance: random.Random) -> Game:
    """Return a game of random moves."""
    position = rules.initial()
    words: list[str] = []
    dice: list[tuple[int, int] | None] = []
    while not position.is_over:
        dice.append(_thrown(position, chance))
        move = chance.choice(position.legal_moves())
        words.append(rules.format_move(move))
        position.play(move)
    return Game(tuple(words), tuple(dice))


def _thrown(position: Position, chance: random.Random) -> tuple[int, int] | None:
    if not position.awaits_dice:
        return None
    roll = chance.randint(1, 6), chance.randint(1, 6)
    position.set_dice(*roll)
    return roll


def play_us(rules: Rules, sample: list[Game]) -> float:
    """Return the microseconds that the rules cost a referee for each ply."""
    best = float("inf")
    for _ in range(_BEST_OF):
        spent = plies = 0
        for game in sample:
            position = rules.initial()
            start = time.perf_counter_ns()
            for word, dice in zip(game.words, game.dice, strict=True):
                if dice is not None:
                    position.set_dice(*dice)
                move = position.canonical(rules.parse_move(word))
                position.play(move)
                rules.format_move(move)
                position.announcement  # noqa: B018  a property that Pente computes
            spent += time.perf_counter_ns() - start
            plies += len(game.words)
        best = min(best, spent / plies / 1000)
    return best


def list_us(rules: Rules, sample: list[Game]) -> float:
    """Return the microseconds of a whole list of legal moves."""
    spent = plies = 0
    for game in sample:
        position = rules.initial()
        for word, dice in zip(game.words, game.dice, strict=True):
            if dice is not None:
                position.set_dice(*dice)
            start = time.perf_counter_ns()
            position.legal_moves()
            spent += time.perf_counter_ns() - start
            position.play(position.canonical(rules.parse_move(word)))
            plies += 1
    return spent / plies / 1000


def perft_rate(rules: Rules) -> tuple[int, float]:
    """Return a depth and the leaves a second there, counted move by move; dice are thrown from a seed."""
    depth, rate = 1, 0.0
    while True:
        chance = random.Random(depth)
        start = time.perf_counter()
        leaves = _leaves(rules.initial(), depth, chance)
        seconds = time.perf_counter() - start
        rate = leaves / seconds
        # The next depth multiplies by tens to hundreds: one that takes seconds is deep enough.
        if seconds > _PERFT_S / 10:
            return depth, rate
        depth += 1


def _leaves(position: Position, depth: int, chance: random.Random) -> int:
    if depth == 0 or position.is_over:
        return 1
    _thrown(position, chance)
    leaves = 0
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        leaves += _leaves(child, depth - 1, chance)
    return leaves


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=40, help="random games of each kind")
    chosen = parser.parse_args()
    report = Report("The rules core, pure Python")
    with tempfile.TemporaryDirectory() as name:
        listed = Path(name) / "games.txt"
        write_games(listed)
        command = [compiled("replay_engine", Path(name)), str(listed)]
        c_us = c_loop_us(compiled("pipe_loop", Path(name)), listed, command)
    report.add("C pipe round trip", c_us, "us")
    for game in games():
        size = 9 if game == "pletore" else rules_class(game).default_size
        rules = make_rules(game, size=size)
        chance = random.Random(7)
        sample = [random_game(rules, chance) for _ in range(chosen.games)]
        name = f"{rules.title} {size}x{size}" if size is not None else rules.title
        plies = sum(len(one.words) for one in sample) / len(sample)
        goal = "less than the C round trip" if game in _GOALS else ""
        report.add(
            f"{name}: referee's check and play of a move", play_us(rules, sample), "us", goal, digits=2
        )
        report.add(f"- list of legal moves ({plies:.0f} plies a game)", list_us(rules, sample), "us")
        depth, rate = perft_rate(rules)
        report.add(f"- perft {depth}", rate, "leaves a second", digits=0)
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
