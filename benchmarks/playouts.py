"""How many games a second the search plays out, compiled and in plain Python, in one run.

    python -m benchmarks.playouts [GAME[:SIZE]…] [--seconds S]

By default Pletore 9x9, where compiled code must be at least 25 times as fast: exit code 1 if it is not.
"""

from __future__ import annotations

import argparse
import sys
import time

from arena.rules.base import BLACK, Rules
from arena.rules.registry import make_rules
from sample_engines.search.assemble import Kernels, assemble, can_compile, core_of, search_of
from sample_engines.search.layout import LONGEST_PLAYOUT, MOST_MOVES, WIN
from sample_engines.search.random_numbers import seeded

LEAST_RATIO = 25.0
"""What compiling must gain on Pletore 9x9."""


def playouts_a_second(rules: Rules, kernels: Kernels, seconds: float) -> tuple[float, float]:
    """Return playouts a second from the first position, and Black's share of the wins."""
    core = core_of(rules.game)
    tables = core.make_tables(rules)
    state = core.make_state(tables, BLACK)
    cells = kernels.cells
    root, scratch, constants = cells(state), cells(state), cells(tables)
    generator = cells(seeded(1))
    trace, moves, priors = cells(LONGEST_PLAYOUT), cells(MOST_MOVES), cells(2 * MOST_MOVES)

    def run(count: int) -> int:
        total: int = kernels.playouts(count, root, constants, generator, scratch, trace, moves, priors)
        return total

    run(1)  # compiles
    done, won, count = 0, 0, 1
    begin = time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        won += run(count)
        done += count
        count *= 2
    return done / elapsed, won / done / WIN


def main() -> None:
    """Print one line a game."""
    parser = argparse.ArgumentParser(description="Playouts a second, compiled and plain.")
    parser.add_argument("games", nargs="*", default=["pletore:9"], metavar="GAME[:SIZE]")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each measurement")
    arguments = parser.parse_args()
    missed = False
    for word in arguments.games:
        game, _, size = word.partition(":")
        rules = make_rules(game, size=int(size) if size else None)
        plain, share = playouts_a_second(
            rules, assemble(core_of(game), search_of("tree"), compiled=False), arguments.seconds
        )
        line = f"{word}: plain Python {plain:,.0f} playouts/s"
        if can_compile():
            kernels = assemble(core_of(game), search_of("tree"), compiled=True)
            compiled, share = playouts_a_second(rules, kernels, arguments.seconds)
            line += f", compiled {compiled:,.0f}, {compiled / plain:.0f} times as many"
            missed = missed or (word == "pletore:9" and compiled < LEAST_RATIO * plain)
        print(f"{line}; Black's share {share:.3f}", flush=True)
    if missed:
        sys.exit(f"compiled playouts of Pletore 9x9 are less than {LEAST_RATIO:g} times plain Python")


if __name__ == "__main__":
    main()
