"""Games counted by komi and colour: what a komi laboratory shows wherever standings are shown.

Which of its engines is the stronger one is not what a laboratory asks, and of an engine that plays itself it
means nothing. What the counts say of the fair komi is another matter: `reports.komi.study`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.core.verdict import FAULTS
from arena.rules.base import BLACK, WHITE
from reports.tables import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.store import GameColumns

WHERE_TO_LOOK = (
    "What these games say of the fair komi: `arena komi`, asked as it was for them, or `arena report`."
)


@dataclass(frozen=True, slots=True)
class KomiCount:
    """The games at one komi that somebody won.

    Attributes:
        komi: in points.
        games: how many.
        black_won, white_won: by colour.
        faults: games among them that ended by a fault.
        board_margin: mean, Black minus White, of the games that ended on the board; None without one.
    """

    komi: int
    games: int
    black_won: int
    white_won: int
    faults: int
    board_margin: float | None

    @property
    def black_share(self) -> float:
        """Black's share of the points: a game that nobody won is half a point."""
        return 0.5 + (self.black_won - self.white_won) / (2 * self.games)


def counts_by_komi(columns: GameColumns) -> tuple[KomiCount, ...]:
    """Count the games at each komi that was played at, least first; under pie, at the one settled."""
    known = np.isfinite(columns.komi) & (columns.winner >= 0)
    fault_codes = [code for code, word in enumerate(columns.reasons) if word in FAULTS]
    failed = np.isin(columns.reason, fault_codes)
    found = []
    for komi in np.unique(columns.komi[known]).tolist():
        here = known & (columns.komi == komi)
        winner, margin = columns.winner[here], columns.board_margin[here]
        margin = margin[np.isfinite(margin)]
        found.append(
            KomiCount(
                int(komi),
                len(winner),
                int((winner == BLACK).sum()),
                int((winner == WHITE).sum()),
                int(failed[here].sum()),
                float(margin.mean()) if len(margin) else None,
            )
        )
    return tuple(found)


def by_komi_table(counts: Sequence[KomiCount], title: str, notes: tuple[str, ...] = ()) -> Table:
    """Return the counts as a table."""
    columns = (
        Column("komi", "komi"),
        Column("games", "games"),
        Column("Black won", "black_won"),
        Column("White won", "white_won"),
        Column("Black's share", "black_share", "{:.1%}".format),
        Column("mean board margin, Black minus White", "board_margin", "{:+.2f}".format),
        Column("by a fault", "faults"),
    )
    rows = tuple(
        (
            each.komi,
            each.games,
            each.black_won,
            each.white_won,
            each.black_share,
            each.board_margin,
            each.faults,
        )
        for each in counts
    )
    return Table("komi", title, columns, rows, notes)
