"""Playing an event from its description to its tables: what `arena run` and `arena match` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import trio

from arena.cli.errors import EXIT_CANNOT, EXIT_DONE, EXIT_FAILED, EXIT_NEGATIVE, EXIT_STOPPED, Failure
from arena.cli.progress import Line, Tally, display
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.sandbox import exposed
from arena.live.tournament import Ending, Runner
from arena.rules.registry import rules_class
from arena.store import ReadStore, RunStore, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from arena.core.event import Event
    from arena.core.task import GameTask

_NO_FAULT_FREE_GAME = "not one game ended without a fault"


def play(
    event: Event, database: Path, event_text: str, results: Path | None, private: Sequence[Path] = ()
) -> int:
    """Play what is not played yet, print the standings, and return the exit code.

    Args:
        event: what to play.
        database: the store; made when it does not exist.
        event_text: the tournament file as it was read, empty without one.
        results: folder for tables and charts, None for none.
        private: files that no contained engine may see, beside the database.

    Raises:
        Failure: the event cannot be played as asked.
    """
    _refuse_exposure(event, [database, *private])
    schedule = Schedule(event)

    def placement(game_id: str) -> tuple[int, int]:
        ordinal = schedule.ordinal_of(game_id)
        if ordinal is None:
            raise StoreError(f"{database} holds game {game_id}, which the event does not have")
        return ordinal, schedule.game(ordinal).round

    try:
        with RunStore.create_or_resume(database, event, event_text=event_text, placement=placement) as store:
            store.settle_withdrawals(schedule)
            _say_what_is_played(event, schedule, store)
            code = _run(event, schedule, store)
    except StoreError as error:
        raise Failure(str(error)) from error
    _print_results(database, results)
    return code


def _refuse_exposure(event: Event, private: Sequence[Path]) -> None:
    """Refuse sandboxes that would show an engine the tournament file or the database."""
    found = [f"{entry.name}: {words}" for entry in event.engines for words in exposed(entry, private)]
    if found:
        raise Failure("a sandbox must not show an engine the tournament:\n" + "\n".join(found))


def _run(event: Event, schedule: Schedule, store: RunStore) -> int:
    tally = _tally(event, schedule, store.path)
    if tally.done == tally.total:
        store.finish()
        click.echo(f"all {tally.total} games are played already", err=True)
        return _negative_without_a_good_game(tally)
    view = display(event, tally)
    with view:

        def again(task: GameTask) -> GameTask:
            return game_task(event, task.scheduled, task.attempt + 1, store.dice_key)

        runner = Runner(event, _tasks(event, schedule, store), store.add, view, again=again)
        report = trio.run(runner.run)
    match report.ending:
        case Ending.FINISHED:
            store.finish()
            click.echo(
                f"finished; dice key: {store.dice_key.hex()}" if _has_dice(event) else "finished", err=True
            )
            return _negative_without_a_good_game(tally)
        case Ending.STOPPED | Ending.ABORTED:
            left = tally.total - tally.done
            click.echo(f"stopped with {left} games to play; the same command goes on from here", err=True)
            return EXIT_STOPPED
        case Ending.REFUSED:
            raise Failure(f"pre-flight failed, no game was played:\n{report.message}", EXIT_CANNOT)
        case Ending.FAILED:
            raise Failure(report.message, EXIT_FAILED)


def _tasks(event: Event, schedule: Schedule, store: RunStore) -> Iterator[GameTask]:
    """Yield what is to be played, in schedule order, made only when it is asked for."""
    played = store.played()
    for ordinal in range(len(schedule)):
        if ordinal not in played:
            scheduled = schedule.game(ordinal)
            yield game_task(event, scheduled, store.attempts(scheduled.id) + 1, store.dice_key)


def _tally(event: Event, schedule: Schedule, database: Path) -> Tally:
    tally = Tally({entry.name: Line(entry.name) for entry in event.engines}, len(schedule))
    names = [entry.name for entry in event.engines]
    with ReadStore(database) as stored:
        for group in stored.tallies():
            at_fault = None if group.at_fault is None else ("black", "white")[group.at_fault]
            tally.add(names[group.black], names[group.white], group.winner, at_fault, group.games)
    return tally


def _negative_without_a_good_game(tally: Tally) -> int:
    if tally.total and not tally.without_fault:
        click.echo(f"arena: {_NO_FAULT_FREE_GAME}", err=True)
        return EXIT_NEGATIVE
    return EXIT_DONE


def _has_dice(event: Event) -> bool:
    return rules_class(event.game).has_dice


def _say_what_is_played(event: Event, schedule: Schedule, store: RunStore) -> None:
    size = f" {event.size}x{event.size}" if event.size is not None else ""
    komi = f", komi {event.komi}" if event.komi is not None else ""
    click.echo(
        f"{event.name}: {event.format}, {len(event.engines)} engines, {rules_class(event.game).title}{size}"
        f"{komi}, {event.time.text}; {len(schedule)} games, {event.concurrency} at a time; {store.path}",
        err=True,
    )
    if _has_dice(event):
        click.echo(f"dice key, SHA-256: {store.dice_key_hash}", err=True)
    for warning in schedule.warnings():
        click.echo(f"warning: {warning}", err=True)


def _print_results(database: Path, results: Path | None) -> None:
    from arena.cli.standings import print_standings, save_results

    print_standings(database)
    if results is not None:
        save_results(database, results)
