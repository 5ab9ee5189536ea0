"""Made-up events for the tests of reports: small and exact, or large and seeded."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from reports.labels import Labels
from reports.results import GameRow, Results, from_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

LABELS = Labels("Trial cup", "Pletore 9x9, komi 4", "points")


def game(black: int, white: int, black_points: float, pair: str = "p", **facts: object) -> GameRow:
    """Return a decided game; `facts` are further fields of the row."""
    fields: dict[str, object] = {
        "id": f"{pair}a",
        "pair": pair,
        "black": black,
        "white": white,
        "black_points": black_points,
        "white_points": 1 - black_points,
        "reason": "score",
    }
    return GameRow(**{**fields, **facts})  # type: ignore[arg-type]


def season(
    engines: int, pairs: int, seed: int = 1, names: Sequence[str] = (), faults: float = 0.02
) -> Results:
    """Return a round robin of engines of rising strength with plausible margins, lengths and times."""
    chance = random.Random(seed)
    rows = []
    for first in range(engines):
        for second in range(first + 1, engines):
            for number in range(pairs):
                for black, white, letter in ((first, second, "a"), (second, first, "b")):
                    board = round(chance.gauss(4 + 5 * (black - white), 9)) | 1
                    final = board - 4
                    fault = chance.random() < faults
                    plies = chance.randint(60, 110)
                    rows.append(
                        game(
                            black,
                            white,
                            1.0 if final > 0 else 0.0,
                            pair=f"{first + 1}-{second + 1}.{number + 1}",
                            id=f"{first + 1}-{second + 1}.{number + 1}{letter}",
                            reason=chance.choice(["time", "illegal-move", "crash"]) if fault else "score",
                            at_fault=(1 if final > 0 else 0) if fault else None,
                            board_margin=None if fault else board,
                            final_margin=None if fault else final,
                            plies=plies,
                            black_moves=plies // 2,
                            white_moves=plies // 2,
                            black_us=chance.randint(10**5, 10**7),
                            white_us=chance.randint(10**5, 10**7),
                            black_longest_us=chance.randint(10**4, 10**6),
                            white_longest_us=chance.randint(10**4, 10**6),
                            black_granted_us=14 * 10**6,
                            white_granted_us=14 * 10**6,
                        )
                    )
    every = tuple(names) or tuple(f"engine-{number + 1}" for number in range(engines))
    return from_rows(every, LABELS, rows)
