"""From the store to what reports are computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.core.openings import OpeningError
from arena.core.schedule import Schedule, ScheduleError
from arena.core.verdict import Reason
from arena.rules.base import QuestionError
from arena.rules.registry import rules_class
from arena.store import Standing
from reports.allowance import granted_us
from reports.results import Decision, Labels, Results, VoidGame

if TYPE_CHECKING:
    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.store import GameColumns, ReadStore
    from reports.results import Floats, Integers

_BLACK_WINS, _WHITE_WINS, _DRAW = range(3)
"""Codes of `GameColumns.winner`."""


def results_of(store: ReadStore, columns: GameColumns | None = None) -> Results:
    """Read everything that standings and charts need; a million games take a few seconds.

    Args:
        store: the database.
        columns: its columns, where they have been read already.

    Raises:
        StoreError: the database is damaged.
    """
    event = store.event()
    columns = store.columns() if columns is None else columns
    annulled = [code for code, reason in enumerate(columns.reasons) if reason == Reason.ANNULLED]
    counts = ~np.isin(columns.reason, annulled)

    def integers(column: np.ndarray) -> Integers:
        return column[counts].astype(np.int64)

    black, white = integers(columns.black), integers(columns.white)
    moves = integers(columns.black_moves), integers(columns.white_moves)
    winner = columns.winner[counts]
    return Results(
        engines=tuple(engine.name for engine in event.engines),
        labels=labels_of(event),
        pair=integers(columns.pair),
        black=black,
        white=white,
        black_points=np.where(winner == _BLACK_WINS, 1.0, np.where(winner == _DRAW, 0.5, 0.0)),
        white_points=np.where(winner == _WHITE_WINS, 1.0, np.where(winner == _DRAW, 0.5, 0.0)),
        reasons=columns.reasons,
        reason=integers(columns.reason),
        at_fault=integers(columns.at_fault),
        board_margin=columns.board_margin[counts],
        final_margin=columns.final_margin[counts],
        plies=integers(columns.plies),
        moves=moves,
        spent_us=(integers(columns.black_us), integers(columns.white_us)),
        longest_us=(integers(columns.black_longest_us), integers(columns.white_longest_us)),
        granted_us=(_granted(event, black, moves[0]), _granted(event, white, moves[1])),
        void=void_games(store),
        decisions=decisions_of(store),
        identical=sum(group.count - 1 for group in store.duplicates()),
        scheduled=_scheduled(event),
        disqualified=tuple(entry.target for entry in store.audit() if entry.action == "disqualify"),
    )


def labels_of(event: Event) -> Labels:
    """Return what tables and charts call the event, its game and its sides."""
    settings = [f"{event.size}x{event.size}"] if event.size is not None else []
    try:
        rules = rules_class(event.game)
    except QuestionError:
        # A plugin's game that is not installed here: its results can be read all the same.
        return Labels(event.name, " ".join([event.game, *settings]), "points")
    name = " ".join([rules.title, *settings])
    if rules.has_komi:
        if event.komi is None:
            name += ", komi as each game has it"
        else:
            name += ", pie" if event.komi == "pie" else f", komi {event.komi}"
    return Labels(event.name, name, rules.margin_unit, rules.colour_titles)


def decisions_of(store: ReadStore) -> tuple[Decision, ...]:
    """Return the organiser's words, oldest first."""
    return tuple(Decision(entry.at, entry.action, entry.target, entry.why) for entry in store.audit())


def void_games(store: ReadStore) -> tuple[VoidGame, ...]:
    """Return the playings that count for nobody: annulled, spoiled by the arena, set aside for a replay."""
    why = {(entry.action, entry.target): entry.why for entry in store.audit()}
    found = []
    for game_id in dict.fromkeys(target for action, target in why if action == "annul"):
        record = store.record(game_id)
        if record is not None and record.verdict.reason == Reason.ANNULLED:
            found.append(_void(record, Reason.ANNULLED, why["annul", game_id]))
    for standing, record in store.set_aside():
        if standing is Standing.SUPERSEDED:
            found.append(_void(record, "replayed", why.get(("replay", record.id), "")))
        else:
            said = " / ".join(kept.message for kept in record.evidence.values() if kept.message)
            found.append(_void(record, record.verdict.reason, said))
    return tuple(found)


def _scheduled(event: Event) -> int | None:
    try:
        return len(Schedule(event))
    except (QuestionError, ScheduleError, OpeningError):
        # Made by a version or with a plugin that knew this game or format.
        return None


def _void(record: GameRecord, reason: str, why: str) -> VoidGame:
    return VoidGame(record.id, record.black.name, record.white.name, reason, why)


def _granted(event: Event, engine: Integers, moves: Integers) -> Floats:
    """Return the time granted in each game to the engine that stands in `engine`."""
    granted = np.full(len(engine), np.nan)
    for index, entry in enumerate(event.engines):
        games = engine == index
        granted[games] = granted_us(entry.time or event.time, moves[games])
    return granted
