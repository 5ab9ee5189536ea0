"""Playing an event from its description to its tables: what `arena run` and `arena match` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import trio

from arena.cli.clustering import crew_of
from arena.cli.errors import EXIT_CANNOT, EXIT_DONE, EXIT_FAILED, EXIT_NEGATIVE, EXIT_STOPPED, Failure
from arena.cli.progress import Line, Tally, display
from arena.cli.sequence import PairingsWatch
from arena.cli.target import placement_in, schedule_of
from arena.cli.withdrawing import Withdrawing
from arena.core.task import game_task
from arena.core.verdict import Reason
from arena.live.capacity import shortage
from arena.live.crew import worker_count
from arena.live.sandbox import exposed
from arena.live.tournament import Ending, Runner
from arena.rules.registry import rules_class
from arena.store import ReadStore, RunStore, StoreError
from arena.store.writing import UNTRIED
from arena.words import counted
from reports.labels import labels_of
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from arena.cli.clustering import ClusterOptions
    from arena.cli.progress import Display
    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.schedule import Schedule
    from arena.core.task import GameTask
    from arena.live.tournament import RunReport
    from arena.store.rounds import PairedStep

BEAT_S = 0.5
"""How often a display is given the chance to say where the run stands."""

_NO_FAULT_FREE_GAME = "not one game ended without a fault"


def play(
    event: Event,
    database: Path,
    event_text: str,
    results: Path | None,
    private: Sequence[Path] = (),
    *,
    keeps_logs: bool = True,
    cluster: ClusterOptions | None = None,
) -> int:
    """Play what is not played yet, print the standings, and return the exit code.

    Args:
        event: what to play.
        database: the store; made when it does not exist.
        event_text: the tournament file as it was read, empty without one.
        results: folder for tables and charts, None for none.
        private: files that no contained engine may see, beside the database.
        keeps_logs: whether exchanges are kept in a folder beside the database.
        cluster: where the games are played; None: on this machine.

    Raises:
        Failure: the event cannot be played as asked.
    """
    logs = database.absolute().with_name(f"{database.stem}-logs") if keeps_logs else None
    refuse_exposure(event, [database, *private])
    make_room(database, event)
    schedule = schedule_of(event, _paired(database, event))
    placement = placement_in(schedule, database)
    try:
        with RunStore.create_or_resume(database, event, event_text=event_text, placement=placement) as store:
            store.settle_withdrawals(schedule)
            code = _run(event, schedule, store, logs, cluster)
    except StoreError as error:
        raise Failure(str(error)) from error
    _print_results(database, results)
    return code


def make_room(database: Path, event: Event) -> None:
    """Take away what an attempt has left that ended before its first game, if the event changed since."""
    try:
        is_gone = RunStore.discard_unbegun(database, event)
    except StoreError as error:
        raise Failure(str(error)) from error
    if is_gone:
        click.echo(f"{database} held this event as it was before, without a game; it is made anew", err=True)


def refuse_exposure(event: Event, private: Sequence[Path]) -> None:
    """Refuse sandboxes that would show an engine the tournament file or the database."""
    found = [f"{entry.name}: {words}" for entry in event.engines for words in exposed(entry, private)]
    if found:
        raise Failure("a sandbox must not show an engine the tournament:\n" + "\n".join(found))


def _paired(database: Path, event: Event) -> tuple[PairedStep, ...]:
    """Return what has been paired in an event by results that is gone on with."""
    if not event.is_dynamic or not database.exists():
        return ()
    with ReadStore(database) as stored:
        return stored.steps()


def _run(
    event: Event,
    schedule: Schedule,
    store: RunStore,
    logs: Path | None,
    cluster: ClusterOptions | None,
) -> int:
    tally = tally_of(event, schedule.planned(), store.path)
    tasks = Tasks(event, schedule, store, tally)
    tasks.look_ahead()
    _say_what_is_played(event, schedule, store, cluster)
    if tasks.is_over:
        store.finish()
        click.echo(f"everything is played already ({counted(tally.done, 'game')})", err=True)
        _say_what_was_decided(tally)
        return _negative_without_a_good_game(tally)
    lack = shortage(event.concurrency, len(event.engines), worker_count(event.concurrency))
    if lack is not None and cluster is None:
        raise Failure(lack)
    view = display(event, tally, event.concurrency if cluster is None else cluster.games_at_a_time)
    with view:

        def again(task: GameTask) -> GameTask:
            return game_task(event, task.scheduled, task.attempt + 1, store.dice_key)

        withdrawing = Withdrawing(event, store, tasks.commit, view.game_committed)
        crew = None
        if cluster is not None:
            crew = crew_of(cluster, event, store, logs, withdrawing.out, withdrawing.news.append)
            tasks.add = crew.add
        runner = Runner(
            event,
            withdrawing.spared(tasks),
            withdrawing.commit,
            view,
            again=again,
            absent=withdrawing.out,
            logs=logs,
            database=store.path,
            crew=crew,
        )
        report = trio.run(_watched, runner, view, withdrawing)
    match report.ending:
        case Ending.FINISHED:
            store.finish()
            has_dice = any(rules_class(each.game).has_dice for each in event.all_disciplines)
            click.echo(f"finished; dice key: {store.dice_key.hex()}" if has_dice else "finished", err=True)
            _say_what_was_decided(tally)
            return _negative_without_a_good_game(tally)
        case Ending.STOPPED | Ending.ABORTED:
            left = f"{counted(tally.total - tally.done, 'game')} to play"
            if tally.may_end_early:
                left = "the test undecided"
            click.echo(f"stopped with {left}; the same command goes on from here", err=True)
            return EXIT_STOPPED
        case Ending.REFUSED if not report.findings:
            raise Failure(report.message, EXIT_CANNOT)
        case Ending.REFUSED:
            raise Failure(f"pre-flight failed, no game was played:\n{report.message}", EXIT_CANNOT)
        case Ending.FAILED:
            raise Failure(report.message, EXIT_FAILED)


async def _watched(runner: Runner, view: Display, withdrawing: Withdrawing) -> RunReport:
    """Run, and let the display speak also while no game ends."""

    async def beat() -> None:
        while True:
            await trio.sleep(BEAT_S)
            tell()

    def tell() -> None:
        while withdrawing.news:
            view.say(withdrawing.news.popleft())
        view.beat()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(beat)
        report = await runner.run()
        nursery.cancel_scope.cancel()
    tell()
    return report


class Tasks:
    """What is to be played, in schedule order, made only when it is asked for.

    By results, the next games are paired when the last one before them is committed; until then the answer
    is None. What was paired is stored before its first game is handed out.

    Attributes:
        is_over: whether there is nothing to play any more, once that is known.
        add: what stores records.
    """

    def __init__(self, event: Event, schedule: Schedule, store: RunStore, tally: Tally) -> None:
        self.is_over = False
        self.add: Callable[[Sequence[GameRecord]], None] = store.add
        self._event = event
        self._schedule = schedule
        self._store = store
        self._tally = tally
        self._played = store.played()
        self._tried = store.tried()
        self._ordinal = 0
        self._watch = tally.watch
        # Ids of games by results that are still out; a fixed format may have a million and needs none.
        self._awaited: set[str] = set()

    def __iter__(self) -> Tasks:
        return self

    def __next__(self) -> GameTask | None:
        self.look_ahead()
        if self.is_over:
            raise StopIteration
        if self._ordinal == len(self._schedule):
            return None
        scheduled = self._schedule.game(self._ordinal)
        self._ordinal += 1
        if self._event.is_dynamic:
            self._awaited.add(scheduled.id)
        attempts, has_stalled = self._tried.get(scheduled.id, UNTRIED)
        return game_task(self._event, scheduled, attempts + 1, self._store.dice_key, has_stalled=has_stalled)

    def commit(self, records: Sequence[GameRecord]) -> None:
        """Store records; called in a thread, while tasks are asked for in another."""
        self.add(records)
        self._awaited.difference_update(record.id for record in records if not record.verdict.is_replayed)
        if self._watch is not None:
            self._watch.take(records)

    def look_ahead(self) -> None:
        """Go on to the next game that is not played, pairing what follows when everything has been."""
        if self._watch is not None and self._watch.is_decided:
            self.is_over = True
            return
        while True:
            while self._ordinal < len(self._schedule) and self._ordinal in self._played:
                self._ordinal += 1
            if self._ordinal < len(self._schedule) or self._awaited:
                return
            if not self._event.is_dynamic:
                self.is_over = True
                return
            state = self._store.state()
            if self._schedule.awaits(state.results):
                return
            step = self._schedule.next_step(state.results, state.withdrawn)
            if step is None:
                # A match that was decided early has left games out.
                self._tally.total = len(self._schedule)
                self.is_over = True
                return
            self._store.add_step(step)
            self._schedule.add(step)
            self._tally.total = self._schedule.planned()


def tally_of(event: Event, total: int, database: Path) -> Tally:
    """Return what the stored games of an event add up to; `total` is the number of games there will be."""
    tally = Tally({entry.name: Line(entry.name) for entry in event.engines}, total)
    tally.may_end_early = event.sprt is not None
    names = [entry.name for entry in event.engines]
    if PairingsWatch.fits(event):
        tally.watch = PairingsWatch(event)
    with ReadStore(database) as stored:
        if not stored.has_games():
            return tally
        columns = stored.ending_columns()
        for group in columns.tallies():
            if group.reason == Reason.ANNULLED:
                tally.done += group.games
                continue
            at_fault = None if group.at_fault is None else ("black", "white")[group.at_fault]
            tally.add(names[group.black], names[group.white], group.winner, at_fault, group.games)
    if tally.watch is not None:
        tally.watch.take_stored(columns)
    return tally


def _say_what_was_decided(tally: Tally) -> None:
    if tally.watch is not None and (state := tally.watch.state) is not None:
        click.echo(f"sequential test: {state.words}")


def _negative_without_a_good_game(tally: Tally) -> int:
    if tally.total and not tally.without_fault:
        click.echo(f"arena: {_NO_FAULT_FREE_GAME}", err=True)
        return EXIT_NEGATIVE
    return EXIT_DONE


def _say_what_is_played(
    event: Event, schedule: Schedule, store: RunStore, cluster: ClusterOptions | None
) -> None:
    about = "about " if event.is_dynamic else "at most " if event.sprt is not None else ""
    games = f"{about}{counted(schedule.planned(), 'game')}"
    at_a_time = event.concurrency if cluster is None else cluster.games_at_a_time
    pace = "as many at a time as the workers take" if at_a_time is None else f"{at_a_time} at a time"
    what = f"{event.name}: {event.format}, {counted(len(event.engines), 'engine')}, {labels_of(event).rules}"
    click.echo(
        f"{printable(what)}, {event.time.text}; {games}, {pace}; {store.path}",
        err=True,
    )
    if any(rules_class(each.game).has_dice for each in event.all_disciplines):
        click.echo(f"dice key, SHA-256: {store.dice_key_hash}", err=True)
    for warning in schedule.warnings():
        click.echo(f"warning: {printable(warning)}", err=True)


def _print_results(database: Path, results: Path | None) -> None:
    from arena.cli.standings import print_standings, save_results

    print_standings(database)
    if results is not None:
        save_results(database, results)
