"""The laboratory's table: one row for each komi."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from arena.stats.komi import openings
from arena.stats.komi.games import has_button

if TYPE_CHECKING:
    from arena.stats.estimate import Estimate
    from arena.stats.komi.games import Sample


@dataclass(frozen=True, slots=True)
class KomiRow:
    """What was seen at one komi.

    Attributes:
        komi: points given to White.
        button: whether the button is in use at this komi.
        games: observations (distinct games that ended on the board).
        black_wins: how many of them Black won.
        black_share: Black's share of wins, in [0, 1].
        margin: mean board margin, Black minus White, before komi and button.
        margin_median: its median, None without games.
        button_black, button_white, button_untaken: who took the button, where in use.
        plies: mean length in turns.
        repeats, resigned, faults: games that are no observations.
    """

    komi: int
    button: bool
    games: int
    black_wins: int
    black_share: Estimate
    margin: Estimate
    margin_median: float | None
    button_black: int
    button_white: int
    button_untaken: int
    plies: Estimate
    repeats: int
    resigned: int
    faults: int


def komi_table(sample: Sample, size: int, level: float = 0.95) -> tuple[KomiRow, ...]:
    """Return a row for each komi at which any game was played, least komi first."""
    rows = []
    for komi in sorted({*sample.komis, *sample.repeats, *sample.resigned, *sample.faults}):
        games = [game for game in sample.games if game.komi == komi]
        labels = [game.opening for game in games]
        margins = [float(game.board_margin or 0) for game in games]
        wins = [float(bool(game.black_won)) for game in games]
        button = has_button(komi, size)
        taken = [game.button for game in games] if button else []
        rows.append(
            KomiRow(
                komi=komi,
                button=button,
                games=len(games),
                black_wins=int(sum(wins)),
                black_share=openings.share(wins, labels, level),
                margin=openings.mean(margins, labels, level),
                margin_median=median(margins) if margins else None,
                button_black=taken.count("black"),
                button_white=taken.count("white"),
                button_untaken=taken.count(None),
                plies=openings.mean([float(game.plies) for game in games], labels, level),
                repeats=sample.repeats.get(komi, 0),
                resigned=sample.resigned.get(komi, 0),
                faults=sample.faults.get(komi, 0),
            )
        )
    return tuple(rows)
