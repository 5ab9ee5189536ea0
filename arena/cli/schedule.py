"""`arena schedule`: who plays whom, from which opening, and how long it will take, without playing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.printing import print_line, print_object, print_rows
from arena.cli.progress import duration
from arena.cli.target import database_of, file_argument, opened_for_reading, schedule_of, told
from arena.store import ReadStore, StoreError
from arena.store.changes import changes
from arena.words import counted
from reports.forecast import forecast, measured
from reports.labels import labels_of
from reports.printable import NAME_CELLS, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from arena.core.event import Event, ScheduledGame
    from arena.core.schedule import Schedule
    from arena.store.rounds import PairedStep
    from reports.forecast import Forecast, Measured


@click.command
@file_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(file: Path, as_json: bool) -> None:
    """Print the games of FILE, a tournament file or a database: ids, rounds, colours, openings, and the time.

    Of formats by results the rounds are printed that have been paired; in a file that has not been played yet
    this is the first one.
    """
    event, paired, played, found = _known(file)
    schedule = schedule_of(event, paired)
    if event.is_dynamic and not paired:
        first = schedule.next_step({})
        if first is not None:
            schedule.add(first)
    for warning in schedule.warnings():
        click.echo(f"arena: {printable(warning)}", err=True)
    time = forecast(event, schedule, played, found)
    games = (schedule.game(ordinal) for ordinal in range(len(schedule)))
    if as_json:
        head = {
            "event": event.name,
            "format": event.format,
            "scheduled": schedule.planned(),
            "byes": [{"round": round_, "engine": name} for round_, name in _byes(event, schedule)],
            "time": _time_object(time),
        }
        print_object(head, "games", (_as_object(game, event) for game in games))
        return
    labels = labels_of(event)
    about = "about " if event.is_dynamic else "at most " if event.sprt is not None else ""
    print_line(
        printable(
            f"{labels.event}: {event.format}, {labels.rules}, {about}{counted(schedule.planned(), 'game')}"
        )
    )
    for line in _time_lines(time, event):
        print_line(line)
    print_line()
    has_terms = bool(event.disciplines or event.pairings)
    headers = ["game", "round", *labels.colours, *(["rules and clocks"] if has_terms else []), "opening"]
    print_rows(headers, _rows(games, event, has_terms))
    for round_, name in _byes(event, schedule):
        print_line(f"round {round_}: {printable(name, NAME_CELLS)} has a bye")
    to_come = schedule.meetings_to_come()
    if to_come:
        rounds = "1 more round" if len(to_come) == 1 else f"{len(to_come)} more rounds"
        print_line(f"{rounds}, each paired from the results of those before")


def _known(file: Path) -> tuple[Event, tuple[PairedStep, ...], int, dict[str, Measured]]:
    """Return the event, what of it has been paired and how much played, and what games of it took."""
    if file.suffix != ".toml":
        with opened_for_reading(file) as store:
            return store.event(), store.steps(), store.progress().played, measured(store.records())
    # Reading a tournament file takes pydantic, which takes longer to load than a database to read.
    from arena.config import ConfigError, load_event

    with told(ConfigError):
        event = load_event(file)
    database = database_of(file)
    if not database.exists():
        return event, (), 0, {}
    with told(StoreError), ReadStore(database) as store:
        if not all(change.allowed for change in changes(store.event(), event)):
            click.echo(
                f"arena: {database} belongs to another event: the times of its games are not used", err=True
            )
            return event, (), 0, {}
        return event, store.steps(), store.progress().played, measured(store.records())


def _time_lines(time: Forecast, event: Event) -> Iterator[str]:
    at_a_time = f"{event.concurrency} at a time"
    turns = ", ".join(f"{printable(name)} {each}".strip() for name, each in time.turns.items())
    source = "those played" if time.turns_from == "played" else "a few random ones"
    if not time.games:
        yield "time: everything has been played"
        return
    if time.at_most_s is None:
        yield "time: no bound, as a clock has no limit"
    else:
        yield (
            f"time: at most about {duration(time.at_most_s)} for {counted(time.games, 'game')}, {at_a_time}: "
            f"both clocks used up in games of {turns} turns (the median of {source})"
        )
    if event.sprt is not None:
        yield "time: the sequential test may end the match at any time before"
    if time.measured_s is not None:
        means = ", ".join(
            f"{printable(name)} {each.mean_s:.3g} s".strip() for name, each in time.measured.items()
        )
        count = sum(each.games for each in time.measured.values())
        yield (
            f"time: about {duration(time.measured_s)} as measured: {counted(count, 'game')} took {means} on "
            "average"
        )


def _time_object(time: Forecast) -> dict[str, Any]:
    return {
        "games": time.games,
        "at_most_s": time.at_most_s,
        "turns": dict(time.turns),
        "turns_from": time.turns_from,
        "measured_s": time.measured_s,
        "measured": {
            name: {"games": each.games, "mean_s": each.mean_s, "turns": each.turns}
            for name, each in time.measured.items()
        },
    }


def _byes(event: Event, schedule: Schedule) -> list[tuple[int, str]]:
    return [
        (step.round, event.engines[meeting.first].name)
        for step in schedule.steps
        if step.batch == 0
        for meeting in step.meetings
        if meeting.second is None
    ]


def _rows(games: Iterator[ScheduledGame], event: Event, has_terms: bool) -> Iterator[list[str]]:
    names = [printable(engine.name, NAME_CELLS) for engine in event.engines]
    for game in games:
        opening = " ".join(game.opening.moves)
        label = f"{game.opening.label}: {opening}" if game.opening.label else opening
        terms = [_terms(game)] if has_terms else []
        yield [game.id, str(game.round), names[game.black], names[game.white], *terms, label]


def _terms(game: ScheduledGame) -> str:
    words = [game.game]
    words += [f"{game.size}x{game.size}"] if game.size is not None else []
    words += [f"komi {game.komi}"] if game.komi is not None else []
    return f"{' '.join(words)}, {' against '.join(dict.fromkeys(_controls(game)))}"


def _controls(game: ScheduledGame) -> Sequence[str]:
    return [control.text for control in game.controls or ()]


def _as_object(game: ScheduledGame, event: Event) -> Mapping[str, Any]:
    return {
        "id": game.id,
        "pair": game.pair,
        "round": game.round,
        "black": event.engines[game.black].name,
        "white": event.engines[game.white].name,
        "game": game.game,
        "size": game.size,
        "komi": game.komi,
        "time_controls": dict(zip(("black", "white"), _controls(game), strict=False)),
        "opening": game.opening.label,
        "opening_moves": list(game.opening.moves),
        "seed": game.seed,
    }
