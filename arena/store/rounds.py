"""What an event by results keeps beside its games: the steps that were paired, and from what.

A step is a fact in `meta` under `step N` (N from 1): JSON with `round`, `batch`, `meetings` as [board, first,
second or null], and `words`, the number of the last entry of the audit trail when it was paired. So it can be
derived again later, from the results as they stood then, whatever the organiser has said since.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from arena.core.rounds import GameResult, Meeting, Step
from arena.core.verdict import Reason
from arena.store.record_codec import DRAW
from arena.store.schema import Standing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_WORDS: dict[int | None, Literal["black", "white", "draw"] | None] = {
    0: "black",
    1: "white",
    DRAW: "draw",
    None: None,
}


@dataclass(frozen=True, slots=True)
class PairedStep:
    """A stored step.

    Attributes:
        step: what was paired.
        words: number of the last entry of the audit trail at that time, 0 before the first.
    """

    step: Step
    words: int


@dataclass(frozen=True, slots=True)
class State:
    """What the next pairings depend on.

    Attributes:
        results: of the games that stand, by id.
        withdrawn: index of every engine that was taken out.
    """

    results: dict[str, GameResult]
    withdrawn: frozenset[int]


def save_step(connection: sqlite3.Connection, step: Step) -> None:
    """Store the next step."""
    number = len(stored_steps(connection)) + 1
    words = connection.execute("SELECT coalesce(max(number), 0) FROM audit").fetchone()[0]
    tree = {
        "round": step.round,
        "batch": step.batch,
        "meetings": [[each.board, each.first, each.second] for each in step.meetings],
        "words": words,
    }
    text = json.dumps(tree, separators=(",", ":"))
    connection.execute("INSERT INTO meta VALUES (?, ?)", (f"step {number}", text))


def stored_steps(connection: sqlite3.Connection) -> tuple[PairedStep, ...]:
    """Return the steps in order.

    Raises:
        ValueError, TypeError, KeyError: a step is damaged.
    """
    query = "SELECT key, value FROM meta WHERE key GLOB 'step [0-9]*'"
    texts = {int(key.partition(" ")[2]): value for key, value in connection.execute(query)}
    return tuple(_paired(json.loads(texts[number])) for number in range(1, len(texts) + 1))


def _paired(tree: Any) -> PairedStep:
    meetings = tuple(
        Meeting(int(board), int(first), None if second is None else int(second))
        for board, first, second in tree["meetings"]
    )
    return PairedStep(Step(int(tree["round"]), int(tree["batch"]), meetings), int(tree["words"]))


def state_at(connection: sqlite3.Connection, names: Sequence[str], words: int | None = None) -> State:
    """Return results and withdrawals, as they are now or as they were after an entry of the audit trail.

    Args:
        connection: the database.
        names: of the engines, in the event's order.
        words: number of the entry; None for now.

    Raises:
        ValueError, TypeError, KeyError: a row is damaged.
    """
    audit = connection.execute(
        "SELECT number, action, target, original FROM audit ORDER BY number"
    ).fetchall()
    said = [row for row in audit if words is None or row[0] <= words]
    later = [row for row in audit if words is not None and row[0] > words]
    withdrawn = frozenset(
        names.index(target) for _, action, target, _ in said if action == "disqualify" and target in names
    )
    replays: defaultdict[str, int] = defaultdict(int)
    for _, action, target, _ in said:
        replays[target] += action == "replay"
    results = {}
    for game_id, playings in _playings(connection).items():
        # Each replay has set one playing aside: after n of them the one that stood was the n-th, from 0.
        which = replays[game_id]
        if which < len(playings):
            results[game_id] = playings[which]
    for _, action, target, original in reversed(later):
        if action in ("annul", "replay") and target in results and original is not None:
            results[target] = _as_it_was(results[target], json.loads(original))
    return State(results, withdrawn)


def _playings(connection: sqlite3.Connection) -> dict[str, list[GameResult]]:
    """Return for each game its playings that stood at some time, by attempt."""
    query = """
        SELECT id, black, white, winner, word, final_margin
        FROM game JOIN word ON word.number = reason WHERE standing <> ? ORDER BY id, attempt
    """
    found: defaultdict[str, list[GameResult]] = defaultdict(list)
    for game_id, black, white, winner, reason, margin in connection.execute(query, (int(Standing.VOID),)):
        word = None if reason == Reason.ANNULLED else _WORDS[winner]
        found[game_id].append(GameResult(game_id, black, white, word, margin))
    return found


def _as_it_was(result: GameResult, verdict: Any) -> GameResult:
    """Return a result with the verdict that an entry of the audit trail kept."""
    outcome = verdict.get("outcome")
    margin = None if outcome is None else outcome.get("final_margin")
    reason = verdict["reasons"][0]
    is_nobodys = reason in (Reason.ANNULLED, Reason.BOTH_FAILED)
    word = None if is_nobodys else "draw" if verdict["winner"] is None else _WORDS[verdict["winner"]]
    return GameResult(result.id, result.black, result.white, word, margin)
