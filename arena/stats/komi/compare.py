"""Comparing komi values on shared openings, in designs fixed beforehand.

For each two komi the units are the openings played at both. Under the hypothesis that komi makes no
difference, each opening's difference is as likely to have either sign; the exact distribution of their sum
is found by convolution (Fisher's sign-flip test; with one game an opening it is the exact McNemar test,
McNemar, Psychometrika 1947). All p values together are corrected by Holm's method (Holm, Scand. J. Statist.
1979).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.stats.komi.games import KomiGame


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two komi compared.

    Attributes:
        first, second: the komi, first < second.
        openings: openings played at both with the same engines on the same sides.
        difference: Black's share at `first` minus at `second` on them; None without any.
        p: exact two-sided p of the paired test; None without shared openings.
        adjusted_p: after Holm's correction over all comparisons made.
    """

    first: int
    second: int
    openings: int
    difference: float | None
    p: float | None
    adjusted_p: float | None


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All comparisons, or the words why there are none."""

    comparisons: tuple[Comparison, ...]
    words: str


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the exact two-sided p of the sum of integer differences under random signs."""
    sizes = [abs(difference) for difference in differences if difference]
    if not sizes:
        return 1.0
    chances = np.ones(1)
    for size in sizes:
        wider = np.zeros(len(chances) + 2 * size)
        wider[: len(chances)] += chances / 2
        wider[2 * size :] += chances / 2
        chances = wider
    reach = sum(sizes)
    seen = abs(sum(differences))
    sums = np.abs(np.arange(-reach, reach + 1))
    return float(min(1.0, chances[sums >= seen].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values, in the order given."""
    adjusted = [0.0] * len(values)
    running = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda index: values[index])):
        running = max(running, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = running
    return adjusted


def compare_komis(games: Iterable[KomiGame], *, adaptive: bool) -> Comparisons:
    """Compare every two komi.

    Args:
        games: observations (`arena.stats.komi.games.sort_out`).
        adaptive: whether results decided what was played next; then these tests do not hold and none is made.
    """
    if adaptive:
        return Comparisons(
            (),
            "komi values are not compared: results decided what was played; these tests need a fixed design",
        )
    played: dict[int, dict[str, dict[tuple[str, str], list[int]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for game in games:
        played[game.komi][game.opening][game.black, game.white].append(int(bool(game.black_won)))
    if len(played) < 2:
        return Comparisons((), "fewer than two komi were played: there is nothing to compare")
    found = []
    for first, second in combinations(sorted(played), 2):
        differences, units = [], 0
        for opening in sorted(played[first].keys() & played[second].keys()):
            here, there = played[first][opening], played[second][opening]
            matched = [
                here[sides][number] - there[sides][number]
                for sides in sorted(here.keys() & there.keys())
                for number in range(min(len(here[sides]), len(there[sides])))
            ]
            if matched:
                differences.append(sum(matched))
                units += len(matched)
        if not differences:
            found.append(Comparison(first, second, 0, None, None, None))
            continue
        found.append(
            Comparison(
                first, second, len(differences), sum(differences) / units, sign_flip_p(differences), None
            )
        )
    tested = [comparison for comparison in found if comparison.p is not None]
    corrected = iter(holm([comparison.p for comparison in tested if comparison.p is not None]))
    complete = tuple(
        comparison
        if comparison.p is None
        else Comparison(
            comparison.first,
            comparison.second,
            comparison.openings,
            comparison.difference,
            comparison.p,
            next(corrected),
        )
        for comparison in found
    )
    if not tested:
        return Comparisons(complete, "no opening was played at two komi: shares can be compared by eye only")
    return Comparisons(
        complete,
        f"{counted(len(tested), 'comparison')} on shared openings: exact sign-flip tests, Holm's correction "
        "over all",
    )
