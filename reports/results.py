"""The games of an event as columns: what standings and charts are computed from.

One row a game that counts (also one in which both sides failed); void games are kept apart, by name. The
columns are numpy arrays, because an event may hold a million games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.pairings import pairing_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from reports.labels import Labels
    from reports.pairings import PairingScore

    Floats = NDArray[np.float64]
    Integers = NDArray[np.signedinteger[Any]]

NOBODY = -1
"""In `Results.at_fault`: no side failed, or both did."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """One finished game, as far as standings and charts care.

    Attributes:
        id: the game's id.
        pair: the id of its pair.
        black, white: index of the engine.
        black_points, white_points: 1, 0.5 or 0.
        reason: the reason that counts.
        at_fault: BLACK, WHITE or None.
        board_margin, final_margin: Black minus White; None when the game did not end on the board.
        plies: turns played, opening included.
        black_moves, white_moves: moves made by the engines themselves.
        black_us, white_us: time charged to each side in the whole game, microseconds.
        black_longest_us, white_longest_us: its longest move.
        black_granted_us, white_granted_us: time the control granted each side for the moves it made, None
            when unlimited.
        is_void: whether the game counts for nobody.
        why: the organiser's or the arena's word on a void game.
    """

    id: str
    pair: str
    black: int
    white: int
    black_points: float
    white_points: float
    reason: str
    at_fault: int | None = None
    board_margin: float | None = None
    final_margin: float | None = None
    plies: int = 0
    black_moves: int = 0
    white_moves: int = 0
    black_us: int = 0
    white_us: int = 0
    black_longest_us: int = 0
    white_longest_us: int = 0
    black_granted_us: int | None = None
    white_granted_us: int | None = None
    is_void: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class VoidGame:
    """A game that counts for nobody, for the list beside the table."""

    id: str
    black: str
    white: str
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One word of the organiser, shown under every table.

    Attributes:
        at: UTC, ISO 8601.
        action: `annul`, `replay` or `disqualify`.
        subject: the game's id or the engine's name.
        why: the reason given.
    """

    at: str
    action: str
    subject: str
    why: str


@dataclass(frozen=True, slots=True)
class Results:
    """All games that count, as columns of one length, and what is told beside them.

    Attributes:
        engines: names, in the event's order.
        pair: number of the pair, from 0 (any numbering).
        black, white: index of the engine.
        black_points, white_points: 1, 0.5, 0.
        reasons: the words that `reason` indexes.
        reason: index into `reasons`.
        at_fault: 0, 1 or NOBODY.
        board_margin, final_margin: Black minus White, nan when the game did not end on the board.
        plies: turns played, opening included.
        moves, spent_us, longest_us: one array for each colour: own moves, time in microseconds.
        granted_us: one array for each colour: time the control granted, nan when unlimited.
        void: games that count for nobody.
        decisions: the organiser's words, oldest first.
        identical: games that repeat an earlier game move by move.
        scheduled: games of the schedule, played or not; None when unknown.
        disqualified: names taken out of the event.
        disciplines: names of the event's games.
        discipline: index into `disciplines`, where the games of several are put together; else None. There
            are no margins then, as each game has its own unit.
        places: each engine's place by the format's own measure (knockout, ladder); None: points decide.
        byes: how many byes each engine had; empty where there are none.
        bye_points, bye_games: what one of them is worth, and for how many games it stands.
        is_swiss: whether Buchholz is among the tie-breaks.
        remarks: what people should know of engines and machine, a sentence each.
        pairings: the score of each, as far as every game before has ended; none where nothing is claimed.
    """

    engines: tuple[str, ...]
    labels: Labels
    pair: Integers
    black: Integers
    white: Integers
    black_points: Floats
    white_points: Floats
    reasons: tuple[str, ...]
    reason: Integers
    at_fault: Integers
    board_margin: Floats
    final_margin: Floats
    plies: Integers
    moves: tuple[Integers, Integers]
    spent_us: tuple[Integers, Integers]
    longest_us: tuple[Integers, Integers]
    granted_us: tuple[Floats, Floats]
    void: tuple[VoidGame, ...] = ()
    decisions: tuple[Decision, ...] = ()
    identical: int = 0
    scheduled: int | None = None
    disqualified: tuple[str, ...] = ()
    disciplines: tuple[str, ...] = ("",)
    discipline: Integers | None = None
    places: tuple[int, ...] | None = None
    byes: tuple[int, ...] = ()
    bye_points: float = 0.0
    bye_games: int = 0
    is_swiss: bool = False
    remarks: tuple[str, ...] = ()
    pairings: tuple[PairingScore, ...] = ()

    def __len__(self) -> int:
        """Number of games that count."""
        return len(self.black)


def from_rows(
    engines: Sequence[str],
    labels: Labels,
    rows: Iterable[GameRow],
    *,
    decisions: Sequence[Decision] = (),
    identical: int = 0,
    scheduled: int | None = None,
    disqualified: Sequence[str] = (),
) -> Results:
    """Turn rows into columns, the void ones apart."""
    counted: list[GameRow] = []
    void: list[VoidGame] = []
    for row in rows:
        if row.is_void:
            void.append(VoidGame(row.id, engines[row.black], engines[row.white], row.reason, row.why))
        else:
            counted.append(row)
    pairs: dict[str, int] = {}
    reasons: dict[str, int] = {}

    def integers(values: Iterable[int]) -> Integers:
        return np.fromiter(values, np.int64, len(counted))

    def floats(values: Iterable[float | None]) -> Floats:
        return np.fromiter((np.nan if value is None else value for value in values), np.float64, len(counted))

    pair = integers(pairs.setdefault(row.pair, len(pairs)) for row in counted)
    black, white = integers(row.black for row in counted), integers(row.white for row in counted)
    black_points = floats(row.black_points for row in counted)
    white_points = floats(row.white_points for row in counted)
    return Results(
        engines=tuple(engines),
        labels=labels,
        pair=pair,
        black=black,
        white=white,
        black_points=black_points,
        white_points=white_points,
        pairings=pairing_scores(pair, black, white, black_points, white_points),
        reason=integers(reasons.setdefault(row.reason, len(reasons)) for row in counted),
        reasons=tuple(reasons),
        at_fault=integers(NOBODY if row.at_fault is None else row.at_fault for row in counted),
        board_margin=floats(row.board_margin for row in counted),
        final_margin=floats(row.final_margin for row in counted),
        plies=integers(row.plies for row in counted),
        moves=(integers(row.black_moves for row in counted), integers(row.white_moves for row in counted)),
        spent_us=(integers(row.black_us for row in counted), integers(row.white_us for row in counted)),
        longest_us=(
            integers(row.black_longest_us for row in counted),
            integers(row.white_longest_us for row in counted),
        ),
        granted_us=(
            floats(row.black_granted_us for row in counted),
            floats(row.white_granted_us for row in counted),
        ),
        void=tuple(void),
        decisions=tuple(decisions),
        identical=identical,
        scheduled=scheduled,
        disqualified=tuple(disqualified),
    )
