"""Teaches the Plakoto network by playing against itself, and writes its weights.

    python -m sample_engines.learning.plakoto [--games N] [--seed N] [--minutes M] [--to FILE]

Temporal difference learning as in Tesauro's TD-Gammon (Communications of the ACM 38(3), 1995): a position's
value is drawn towards a mixture of the values that came later in the game and its result, TD(lambda), worked
out backwards when the game is over. The network that plays is the one of
`sample_engines.search.plakoto_core`, in whole numbers, made anew from the learning weights after each game.
Needs numba.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np

from sample_engines.search import plakoto_core as core
from sample_engines.search import tree
from sample_engines.search.assemble import assemble
from sample_engines.search.layout import MOST_MOVES, OVER, RESULT, TO_MOVE, WIN
from sample_engines.search.random_numbers import seeded

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

_F = TypeVar("_F", bound="Callable[..., object]")


def _compiled(function: _F) -> _F:
    return cast("_F", numba.njit(function))


LAMBDA = 0.7
"""Share of what came later than the next position in what a position is taught."""

FIRST_RATE, LAST_RATE = 0.1, 0.01
"""Learning rate at the first game and at the last; it falls by the same factor every game."""

LONGEST_GAME = 1000
"""Turns after which a game is given up and nothing is learnt from it."""

_kernels = assemble(core, tree, compiled=True)
_draw = _kernels.draw
_set_roll = _kernels.set_roll
_best_move = _kernels.best_move
_play = _kernels.play
_feature = _kernels.feature

_FEATURES, _UNITS = core.FEATURES, core.UNITS
_THRESHOLDS = _FEATURES * _UNITS
_OUTPUT = _THRESHOLDS + _UNITS


def _input_scales() -> Floats:
    """Return what each feature is multiplied by, so that all are of the order of 1."""
    scales = np.ones(_FEATURES)
    scales[2 : core.BOARD_FEATURES : core.POINT_FEATURES] = 1 / 4
    scales[core.BOARD_FEATURES :] = (1 / 8, 1 / 36, 1 / 432, 1 / 36, 1 / 4) * 2
    return scales


@_compiled
def _quantise(weights: Floats, scales: Floats, tables: Whole) -> None:
    """Write the weights as the whole numbers that the network plays with."""
    for number in range(_FEATURES):
        for unit in range(_UNITS):
            at = number * _UNITS + unit
            tables[at] = round(weights[at] * scales[number] * core.SCALE)
    for at in range(_THRESHOLDS, core.NUMBERS):
        tables[at] = round(weights[at] * core.SCALE)


@_compiled
def _play_game(
    first: int, start: Whole, tables: Whole, generator: Whole, moves: Whole, inputs: Floats, scales: Floats
) -> tuple[int, int]:
    """Play one game; note each position after a move as its mover sees it. Return turns and result."""
    state = start.copy()
    state[TO_MOVE] = first
    turns = 0
    while state[OVER] == 0 and turns < LONGEST_GAME:
        one, other = _draw(generator, 6) + 1, _draw(generator, 6) + 1
        _set_roll(state, tables, max(one, other), min(one, other))
        mover = state[TO_MOVE]
        _play(state, tables, _best_move(state, tables, moves))
        for number in range(_FEATURES):
            inputs[turns, number] = _feature(state, mover, number) * scales[number]
        turns += 1
    return turns, state[RESULT] if state[OVER] != 0 else -1


@_compiled
def _value(weights: Floats, inputs: Floats, hidden: Floats) -> float:
    """Return the output as the learning weights have it, before squashing; `hidden` gets the units' sums."""
    for unit in range(_UNITS):
        hidden[unit] = weights[_THRESHOLDS + unit]
    for number in range(_FEATURES):
        if inputs[number] != 0.0:
            for unit in range(_UNITS):
                hidden[unit] += inputs[number] * weights[number * _UNITS + unit]
    output = weights[_OUTPUT + _UNITS]
    for unit in range(_UNITS):
        output += hidden[unit] / (1.0 + abs(hidden[unit])) * weights[_OUTPUT + unit]
    return float(output)


@_compiled
def _learn(
    weights: Floats, inputs: Floats, turns: int, last_share: float, rate: float, hidden: Floats
) -> float:
    """Draw every position of a game towards what came after it; return the mean squared surprise.

    `last_share` is the result as the mover of the last turn sees it, 0 to 1.
    """
    surprise = 0.0
    target = last_share
    for turn in range(turns - 1, -1, -1):
        output = _value(weights, inputs[turn], hidden)
        share = 0.5 + 0.5 * output / (1.0 + abs(output))
        error = target - share
        surprise += error * error
        slope = rate * error * 0.5 / (1.0 + abs(output)) ** 2
        for unit in range(_UNITS):
            size = 1.0 + abs(hidden[unit])
            back = slope * weights[_OUTPUT + unit] / (size * size)
            weights[_OUTPUT + unit] += slope * hidden[unit] / size
            weights[_THRESHOLDS + unit] += back
            hidden[unit] = back
        weights[_OUTPUT + _UNITS] += slope
        for number in range(_FEATURES):
            if inputs[turn, number] != 0.0:
                for unit in range(_UNITS):
                    weights[number * _UNITS + unit] += inputs[turn, number] * hidden[unit]
        # The turn before was the other side's.
        target = 1.0 - (LAMBDA * target + (1.0 - LAMBDA) * share)
    return surprise / turns


def learn(games: int, seed: int, minutes: float, weights: Floats) -> tuple[int, Whole]:
    """Play games against itself, change the weights, and return how many were played and the network.

    The learning rate falls over `games` games; after `minutes` learning stops in any case.
    """
    scales = _input_scales()
    tables = np.zeros(core.NUMBERS, np.int64)
    start = np.array(core.make_state([], 0), np.int64)
    generator = np.array(seeded(seed), np.int64)
    moves = np.zeros(MOST_MOVES, np.int64)
    inputs = np.zeros((LONGEST_GAME, _FEATURES))
    hidden = np.zeros(_UNITS)
    deadline = time.monotonic() + 60 * minutes
    turns_played, surprise, done = 0, 0.0, 0
    for game in range(games):
        _quantise(weights, scales, tables)
        first = game % 2
        turns, result = _play_game(first, start, tables, generator, moves, inputs, scales)
        if result >= 0:
            black_moved_last = (first + turns) % 2 == 1
            share = result / WIN if black_moved_last else 1 - result / WIN
            rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (game / games)
            surprise += _learn(weights, inputs, turns, share, rate, hidden)
        turns_played += turns
        done = game + 1
        if done % 5000 == 0:
            print(f"{done} games, {turns_played / 5000:.1f} turns each, surprise {surprise / 5000:.4f}")
            turns_played, surprise = 0, 0.0
        if time.monotonic() > deadline:
            break
    _quantise(weights, scales, tables)
    return done, tables


def main() -> None:
    """Learn, and write the weights."""
    parser = argparse.ArgumentParser(description="Teaches the Plakoto network by playing against itself.")
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--to", type=Path, default=core._WEIGHTS)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    weights: Any = random.normal(0.0, 0.1, core.NUMBERS)
    done, tables = learn(arguments.games, arguments.seed, arguments.minutes, weights)
    note = (
        f"made by python -m sample_engines.learning.plakoto --games {arguments.games} --seed {arguments.seed}"
    )
    words = {"note": note, "games": done, "units": core.UNITS, "weights": list(map(int, tables))}
    arguments.to.write_text(json.dumps(words) + "\n")


if __name__ == "__main__":
    main()
