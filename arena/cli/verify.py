"""`arena verify`: every stored game is played again and its dice and opening derived again."""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, ClassVar

import click

from arena.cli.errors import EXIT_DONE, EXIT_NEGATIVE
from arena.cli.printing import print_line
from arena.cli.sequence import PairingsWatch
from arena.cli.target import file_argument, opened_for_reading, schedule_of
from arena.core.dice import key_hash
from arena.core.event import IMPORTED
from arena.core.schedule import Schedule
from arena.core.verdict import Reason
from arena.core.verify import check_record
from arena.store import Standing
from arena.store.record_codec import time_use
from arena.words import counted
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.rounds import Step
    from arena.store import GameSummary, PlayedGames, ReadStore
    from arena.store.rounds import PairedStep

    _Sealed = tuple[GameRecord, bytes]

CHUNK_GAMES = 50
"""Games that go to a process at once: some tenths of a second of work."""

SHOWN_PAIRINGS = 20
"""Pairings of a round that a finding lists."""

SHOWN_MISSING = 10
"""Games that are not there whose ids a finding lists."""

ALONE_GAMES = 200
"""Up to so many games, starting processes takes longer than it saves."""


@click.command
@file_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to use (default: one a core).")
@click.pass_context
def command(context: click.Context, file: Path, as_json: bool, jobs: int | None) -> None:
    """Replay every game of FILE, a tournament file or its database, and derive openings and dice again.

    Exit code 1 when anything is not as it must be; each finding names game and ply.
    """
    with opened_for_reading(file) as store:
        found = _verify(store, jobs or os.cpu_count() or 1)
    if as_json:
        print_line(json.dumps(found))
    else:
        for problem in found["problems"]:
            print_line(printable(problem))
        print_line(_summary(found))
    context.exit(EXIT_NEGATIVE if found["problems"] else EXIT_DONE)


@dataclass(frozen=True, slots=True)
class _Checked:
    """What came of a chunk of games: how much was looked at, and what was found wrong."""

    games: int
    plies: int
    rolls: int
    problems: list[str]


def _verify(store: ReadStore, jobs: int) -> dict[str, Any]:
    event, meta, progress = store.event(), store.meta(), store.progress()
    is_imported = event.format == IMPORTED
    paired = store.steps()
    schedule = None if is_imported else schedule_of(event, paired)
    key = None if is_imported else store.secret_dice_key()
    problems = []
    if key is not None and key_hash(key) != meta.dice_key_hash:
        problems.append("the dice key is not the one whose hash was published at the start")
    is_short = schedule is not None and progress.played < len(schedule)
    if schedule is not None and meta.finished is not None and is_short and not _ended_early(store, event):
        problems.append(_missing(schedule, store.played()))
    if event.is_dynamic:
        problems += _pairing_problems(store, event, paired, is_finished=meta.finished is not None)
    expected = progress.played + progress.void_attempts + progress.superseded
    records = _compared(store, [engine.name for engine in event.engines], problems)
    games = plies = rolls = 0
    for checked in _check_all(records, event, schedule, key, jobs if expected > ALONE_GAMES else 1):
        games += checked.games
        plies += checked.plies
        rolls += checked.rolls
        problems += checked.problems
    late = 0
    if schedule is not None:
        kept = [(each.record, each.seal) for each in store.late()]
        late = len(kept)
        if kept:
            problems += [f"late result: {words}" for words in _check(kept, event, schedule, key).problems]
    return {
        "event": event.name,
        "games": games,
        "late": late,
        "lost_leases": len(store.lost_leases()),
        "plies": plies,
        "rolls": rolls,
        "dice_key_hash": None if is_imported else meta.dice_key_hash,
        "dice_key": None if meta.dice_key is None or is_imported else meta.dice_key.hex(),
        "imported": is_imported,
        "problems": problems,
    }


def _missing(schedule: Schedule, played: PlayedGames) -> str:
    """Return the finding that games of a finished event are not there, with the first of them by id."""
    gaps = [ordinal for ordinal in range(len(schedule)) if ordinal not in played]
    ids = [schedule.game(ordinal).id for ordinal in gaps[:SHOWN_MISSING]]
    count = len(gaps)
    rest = f" and {count - len(ids)} more" if count > len(ids) else ""
    are = "is" if count == 1 else "are"
    named = f"{count} of its games {are} not there: {', '.join(ids)}{rest}"
    return f"the event is said to be finished, but {named}"


def _ended_early(store: ReadStore, event: Event) -> bool:
    """Say whether the stored pairs, in the order of the schedule, decide the event's sequential test."""
    if event.sprt is None:
        return False
    watch = PairingsWatch(event)
    watch.take_stored(store.ending_columns())
    return watch.is_decided


def _pairing_problems(
    store: ReadStore, event: Event, paired: Sequence[PairedStep], *, is_finished: bool
) -> Iterator[str]:
    """Derive again who was to meet whom, from the results as they stood when it was decided."""
    schedule = schedule_of(event)
    for number, each in enumerate(paired, start=1):
        state = store.state(each.words)
        name = f"pairings {number} (round {each.step.round})"
        if schedule.awaits(state.results):
            yield f"{name}: they were made before the games they depend on had ended"
        else:
            derived = schedule.next_step(state.results, state.withdrawn)
            if derived != each.step:
                yield f"{name} are {_meetings(each.step)}; the results before give {_meetings(derived)}"
        schedule.add(each.step)
    state = store.state()
    if (
        is_finished
        and (not paired or paired[-1].words == store.words())
        and not schedule.awaits(state.results)
        and schedule.next_step(state.results, state.withdrawn) is not None
    ):
        yield "the event is said to be finished, but its next round has not been paired"


def _meetings(step: Step | None) -> str:
    if step is None:
        return "none"
    pairs = [
        f"{each.first + 1}-{'bye' if each.second is None else each.second + 1}" for each in step.meetings
    ]
    shown = ", ".join(pairs[:SHOWN_PAIRINGS])
    return f"{shown}, …" if len(pairs) > SHOWN_PAIRINGS else shown or "nobody"


def _compared(store: ReadStore, names: Sequence[str], problems: list[str]) -> Iterator[_Sealed]:
    """Yield every stored playing with its seal; add to `problems` what beside it contradicts it.

    Standings are made of summaries and of the organiser's words, so these must say what the records say.
    """
    words = {(entry.action, entry.target) for entry in store.audit()}
    removes = store.event().withdrawn == "remove"
    summaries = store.summaries()
    summary = next(summaries, None)
    for standing, record, seal in store.sealed():
        if standing is Standing.COUNTS:
            # A run may commit games between the two reads; what has no counterpart is left for the next time.
            while summary is not None and summary.ordinal < record.ordinal:
                summary = next(summaries, None)
            if summary is not None and summary.ordinal == record.ordinal:
                problems += _contradictions(record, summary, names)
        removed = removes and any(("disqualify", each.name) in words for each in (record.black, record.white))
        if record.verdict.reason == Reason.ANNULLED and ("annul", record.id) not in words and not removed:
            problems.append(f"game {record.id}, ply 0: it is annulled, but nobody's word for that is kept")
        if standing is Standing.SUPERSEDED and ("replay", record.id) not in words:
            problems.append(f"game {record.id}, ply 0: it is set aside, but nobody's word for that is kept")
        yield record, seal


def _contradictions(record: GameRecord, summary: GameSummary, names: Sequence[str]) -> Iterator[str]:
    board = record.verdict.outcome
    black, white = time_use(record)
    places = range(len(names))
    said = {
        "id": (summary.id, record.id),
        "black": (names[summary.black] if summary.black in places else None, record.black.name),
        "white": (names[summary.white] if summary.white in places else None, record.white.name),
        "winner": (summary.winner, record.verdict.winner_word),
        "board margin": (summary.board_margin, board.board_margin if board else None),
        "final margin": (summary.final_margin, board.final_margin if board else None),
        "number of turns": (summary.plies, len(record.moves)),
        "time of Black": (summary.black_us, black.total_us),
        "time of White": (summary.white_us, white.total_us),
    }
    for what, (listed, kept) in said.items():
        if listed != kept:
            yield f"game {record.id}, ply {len(record.moves)}: the list says {what} {listed}, the game {kept}"


def _check_all(
    records: Iterator[_Sealed], event: Event, schedule: Schedule | None, key: bytes | None, jobs: int
) -> Iterator[_Checked]:
    """Check chunk by chunk, here or in other processes; results come in the order of the records."""
    chunks = iter(lambda: list(itertools.islice(records, CHUNK_GAMES)), [])
    steps = () if schedule is None else schedule.steps
    if jobs == 1:
        for chunk in chunks:
            yield _check(chunk, event, schedule, key)
        return
    # Spawned, not forked: a child must not inherit the open database.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _Worker.start, (event, steps, key)) as pool:
        pending: deque[Future[_Checked]] = deque()
        for chunk in chunks:
            pending.append(pool.submit(_Worker.check, chunk))
            if len(pending) > 4 * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


class _Worker:
    """What a process of the pool keeps from chunk to chunk."""

    event: ClassVar[Event]
    schedule: ClassVar[Schedule | None]
    key: ClassVar[bytes | None]

    @classmethod
    def start(cls, event: Event, steps: Sequence[Step], key: bytes | None) -> None:
        # Ctrl-C is the parent's to handle; it ends the pool.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        cls.event, cls.key = event, key
        cls.schedule = None if event.format == IMPORTED else Schedule(event, steps=steps)

    @classmethod
    def check(cls, records: Sequence[_Sealed]) -> _Checked:
        return _check(records, cls.event, cls.schedule, cls.key)


def _check(
    records: Sequence[_Sealed], event: Event, schedule: Schedule | None, key: bytes | None
) -> _Checked:
    names = [engine.name for engine in event.engines]
    problems: list[str] = []
    for record, seal in records:
        ordinal = None if schedule is None else schedule.ordinal_of(record.id)
        scheduled = None if schedule is None or ordinal is None else schedule.game(ordinal)
        # An imported event has no schedule, and nobody knows how its games were decided.
        adjudication = None if schedule is None else event.adjudication
        problems += check_record(
            record, scheduled, key, event.dice, names=names, seal=seal, adjudication=adjudication
        )
    return _Checked(
        games=len(records),
        plies=sum(len(record.moves) for record, _ in records),
        rolls=sum(len(record.dice) for record, _ in records),
        problems=problems,
    )


def _summary(found: Mapping[str, Any]) -> str:
    rolls = f", {found['rolls']} rolls of the dice" if found["rolls"] else ""
    looked = f"{counted(found['games'], 'game')}, {counted(found['plies'], 'turn')}{rolls}"
    if found["late"]:
        results = counted(found["late"], "late result")
        looked += f", and {results} of lost leases that count for nothing (arena export --late)"
    problems = len(found["problems"])
    if problems:
        return f"{looked}: {counted(problems, 'finding')}, this is not what was played"
    if found["imported"]:
        return (
            f"{looked}: all as the rules have it (imported: there is no schedule or dice key to compare with)"
        )
    key = found["dice_key"]
    public = f"; dice key {key} has the hash published at the start" if key and rolls else ""
    return f"{looked}: all as the rules, the seed and the dice key have it{public}"
