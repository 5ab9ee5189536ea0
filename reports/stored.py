"""From the store to what reports are computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arena.core.laboratory import design_in
from arena.core.openings import OpeningError
from arena.core.rounds import games_of_meeting
from arena.core.schedule import Schedule, ScheduleError, discipline_of
from arena.core.terms import TermsOfEvent
from arena.core.verdict import Reason
from arena.rules.base import QuestionError
from arena.store import Standing
from arena.words import counted
from reports.allowance import granted_us
from reports.labels import labels_of
from reports.pairings import has_pairings, pairing_scores, prefix_of
from reports.printable import printable
from reports.results import Decision, Results, VoidGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arena.core.event import Event
    from arena.core.laboratory import Design
    from arena.core.record import GameRecord
    from arena.store import ReadStore, ResultColumns
    from reports.pairings import PairingScore
    from reports.results import Floats, Integers

_IDLE_SHARE = 0.05
_IDLE_LEAST_US = 100_000
"""An engine computes out of turn when it does so for a twentieth of its opponents' time, and not once."""

_BLACK_WINS, _WHITE_WINS, _DRAW = range(3)
"""Codes of `GameColumns.winner`."""


def results_of(
    store: ReadStore, discipline: str | None = None, columns: ResultColumns | None = None
) -> Results:
    """Read everything that standings and charts need; a million games take a few seconds.

    Args:
        store: the database.
        discipline: name of the only game to look at in an event of several; None: all of them together,
            without margins, which have another unit in each.
        columns: its columns, where they have been read already.

    Raises:
        StoreError: the database is damaged.
    """
    event = store.event()
    columns = store.result_columns() if columns is None else columns
    annulled = [code for code, reason in enumerate(columns.reasons) if reason == Reason.ANNULLED]
    counts = ~np.isin(columns.reason, annulled)
    names = tuple(each.name for each in event.all_disciplines)
    kinds = np.array([names.index(name) if name in names else 0 for name in columns.disciplines], np.int32)
    kind = kinds[columns.discipline] if len(kinds) else np.empty(0, np.int32)
    if discipline is not None:
        counts &= kind == names.index(discipline)
    # Games that differ in komi alone are one game here: their margins can be put together.
    kinds_of_game = {(each.game, each.size, each.time, each.book) for each in event.all_disciplines}
    is_combined = len(kinds_of_game) > 1 and discipline is None

    kept = slice(None) if counts.all() else counts

    def counted(column: np.ndarray) -> Integers:
        """Return the entries of the games that count, as narrow as they are; no copy where all do."""
        taken: Integers = column[kept]
        return taken

    def margins(column: np.ndarray) -> Floats:
        return np.full(int(counts.sum()), np.nan) if is_combined else column[kept]

    black, white = counted(columns.black), counted(columns.white)
    played = kind[kept]
    moves = counted(columns.black_moves), counted(columns.white_moves)
    winner = columns.winner[kept]
    pair = counted(columns.pair)
    black_points = np.where(winner == _BLACK_WINS, 1.0, np.where(winner == _DRAW, 0.5, 0.0))
    white_points = np.where(winner == _WHITE_WINS, 1.0, np.where(winner == _DRAW, 0.5, 0.0))
    pairings: tuple[PairingScore, ...] = ()
    if has_pairings(event, discipline):
        in_prefix = columns.ordinal[kept] < prefix_of(columns.ordinal)
        ended = slice(None) if in_prefix.all() else in_prefix
        pairings = pairing_scores(
            pair[ended], black[ended], white[ended], black_points[ended], white_points[ended]
        )
    schedule = _schedule(event, store)
    granted = _Granted(event)
    return Results(
        engines=tuple(engine.name for engine in event.engines),
        labels=labels_of(event, discipline),
        pair=pair,
        black=black,
        white=white,
        black_points=black_points,
        white_points=white_points,
        pairings=pairings,
        reasons=columns.reasons,
        reason=counted(columns.reason),
        at_fault=counted(columns.at_fault),
        board_margin=margins(columns.board_margin),
        final_margin=margins(columns.final_margin),
        plies=counted(columns.plies),
        moves=moves,
        spent_us=(counted(columns.black_us), counted(columns.white_us)),
        longest_us=(counted(columns.black_longest_us), counted(columns.white_longest_us)),
        granted_us=(
            granted.to(played, black, white, moves[0]),
            granted.to(played, white, black, moves[1]),
        ),
        void=tuple(game for game in void_games(store) if discipline in (None, discipline_of(game.id))),
        decisions=decisions_of(store),
        identical=_identical(columns, counts),
        scheduled=None
        if design_of(store) is not None
        else _scheduled(event, schedule, discipline, is_finished=store.meta().finished is not None),
        disqualified=tuple(entry.target for entry in store.audit() if entry.action == "disqualify"),
        discipline=played if is_combined else None,
        disciplines=names,
        remarks=remarks_of(columns, event),
        **_by_results(event, store, schedule if discipline is None else None),
    )


def design_of(store: ReadStore) -> Design | None:
    """Return the design of a komi laboratory, which plays only some of its schedule; None of other events."""
    runs = store.meta().runs
    return design_in(runs[-1].event_text) if runs else None


def remarks_of(columns: ResultColumns, event: Event) -> tuple[str, ...]:
    """Return what was seen of the machine: who computed out of turn, and whether it was overloaded."""
    margin_us = min((entry.margin_ms for entry in event.engines), default=0) * 1000
    idle, opponents = np.zeros(len(event.engines)), np.zeros(len(event.engines))
    for own, own_idle_us, other_us in (
        (columns.black, columns.black_idle_us, columns.white_us),
        (columns.white, columns.white_idle_us, columns.black_us),
    ):
        idle += np.bincount(own, own_idle_us, len(idle))
        opponents += np.bincount(own, other_us, len(idle))
    found = []
    for entry, idle_us, opponents_us in zip(event.engines, idle, opponents, strict=True):
        if idle_us >= _IDLE_LEAST_US and idle_us > _IDLE_SHARE * opponents_us:
            words = (
                f"{printable(entry.name)} computed while not to move: {idle_us / 1e6:.1f} s of processor time"
            )
            # Under a CPU clock the opponents' time is no measure: they may have slept.
            during = (
                "" if event.clock == "cpu" else f" in {opponents_us / 1e6:.1f} s of its opponents' thinking"
            )
            found.append(f"Warning: {words}{during}.")
    lags_us = columns.lag_us[columns.lag_us > margin_us]
    if len(lags_us):
        games = counted(len(lags_us), "game")
        found.append(
            f"Warning: the machine was overloaded: in {games} the referee was kept from its work "
            f"for more than the margin of {margin_us // 1000} ms, {lags_us.max() / 1e6:.3f} s at most."
        )
    return tuple(found)


def _by_results(event: Event, store: ReadStore, schedule: Schedule | None) -> dict[str, Any]:
    """Return what only formats by results have: places, byes, whether Buchholz counts."""
    if schedule is None or not event.is_dynamic:
        return {}
    state = store.state()
    places = schedule.places(state.results, state.withdrawn)
    return {
        "places": None if places is None else tuple(places),
        "byes": tuple(schedule.byes()),
        "bye_points": schedule.bye_points(),
        "bye_games": games_of_meeting(event),
        "is_swiss": event.format == "swiss",
    }


def _identical(columns: ResultColumns, counts: NDArray[np.bool_]) -> int:
    """Return how many games repeat an earlier one; those that ended before a move of an engine do not."""
    hashes = np.sort(columns.moves_hash[counts & (columns.plies > columns.opening_plies)])
    return int(np.count_nonzero(hashes[1:] == hashes[:-1]))


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


def _schedule(event: Event, store: ReadStore) -> Schedule | None:
    try:
        return Schedule(event, steps=[each.step for each in store.steps()])
    except (QuestionError, ScheduleError, OpeningError):
        # Made by a version or with a plugin that knew this game or format.
        return None


def _scheduled(
    event: Event, schedule: Schedule | None, discipline: str | None, *, is_finished: bool
) -> int | None:
    if schedule is None:
        return None
    if discipline is None or event.sprt is not None:
        return schedule.expected(is_finished=is_finished)
    if event.is_dynamic:
        return None
    share = {each.name: each.games_each for each in event.all_disciplines}
    return len(schedule) * share[discipline] // sum(share.values())


def _void(record: GameRecord, reason: str, why: str) -> VoidGame:
    return VoidGame(record.id, record.black.name, record.white.name, reason, why)


class _Granted:
    """The time that each game's control granted; worked out once for each two engines and game."""

    def __init__(self, event: Event) -> None:
        self._terms = TermsOfEvent(event)
        self._size = len(event.engines)

    def to(self, discipline: Integers, engine: Integers, opponent: Integers, moves: Integers) -> Floats:
        """Return the time granted in each game to `engine` for its moves, microseconds."""
        granted = np.full(len(engine), np.nan)
        codes = (discipline.astype(np.int64) * self._size + engine) * self._size + opponent
        order = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[order], return_index=True)
        for code, games in zip(found.tolist(), np.split(order, starts[1:]), strict=False):
            rest, other = divmod(code, self._size)
            kind, own = divmod(rest, self._size)
            control = self._terms.of(kind, own, other).controls[own]
            granted[games] = granted_us(control, moves[games])
        return granted
