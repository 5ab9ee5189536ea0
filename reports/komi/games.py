"""Stored records as the laboratory's observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arena.core.verdict import Reason
from arena.rules import BLACK
from arena.stats.komi.games import Ending, KomiGame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.core.record import GameRecord


def komi_games(records: Iterable[GameRecord], *, is_self_play: bool) -> list[KomiGame]:
    """Return the laboratory games of records; annulled ones count for nobody.

    Raises:
        ValueError: a record contradicts itself, or has no komi.
    """
    return [komi_game(record, is_self_play=is_self_play) for record in records if not record.verdict.is_void]


def komi_game(record: GameRecord, *, is_self_play: bool) -> KomiGame:
    """Return a laboratory game.

    Without an opening that both share, two games have nothing in common: each is its own opening then.

    Args:
        record: a playing that stands, of Pletore with a komi.
        is_self_play: whether both sides were the same engine.

    Raises:
        ValueError: the record contradicts itself, or has no komi.
    """
    if record.komi is None:
        raise ValueError(f"game {record.id} has no komi")
    outcome = record.verdict.outcome
    if outcome is not None:
        ending = Ending.BOARD
    elif record.verdict.reason == Reason.RESIGN:
        ending = Ending.RESIGNED
    else:
        ending = Ending.FAULT
    margin = None if outcome is None or outcome.board_margin is None else int(outcome.board_margin)
    button: Literal["black", "white"] | None = None
    if outcome is not None and outcome.button is not None:
        button = "black" if outcome.button == BLACK else "white"
    winner = record.verdict.winner
    names = ("self", "self") if is_self_play else (record.black.name, record.white.name)
    return KomiGame(
        komi=record.komi,
        opening=record.opening or record.id,
        black=names[0],
        white=names[1],
        moves=" ".join(record.moves),
        ending=ending,
        board_margin=margin,
        button=button,
        black_won=None if winner is None else winner == BLACK,
        plies=len(record.moves),
    )
