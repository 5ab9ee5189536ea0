"""`arena schedule`: who plays whom, from which opening, without playing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.printing import print_line, print_object, print_rows
from arena.cli.target import file_argument, opened_for_reading, schedule_of, told
from reports.printable import NAME_CELLS, printable
from reports.stored import labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.core.event import Event, ScheduledGame


@click.command
@file_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(file: Path, as_json: bool) -> None:
    """Print the games of FILE, a tournament file or a database: ids, rounds, colours, openings."""
    event = _event(file)
    schedule = schedule_of(event)
    for warning in schedule.warnings():
        click.echo(f"arena: {printable(warning)}", err=True)
    games = (schedule.game(ordinal) for ordinal in range(len(schedule)))
    if as_json:
        head = {"event": event.name, "format": event.format, "scheduled": len(schedule)}
        print_object(head, "games", (_as_object(game, event) for game in games))
        return
    labels = labels_of(event)
    print_line(printable(f"{labels.event}: {event.format}, {labels.rules}, {len(schedule)} games"))
    print_line()
    print_rows(["game", "round", *labels.colours, "opening"], _rows(games, event))


def _event(file: Path) -> Event:
    if file.suffix == ".toml":
        # Reading a tournament file takes pydantic, which takes longer to load than a database to read.
        from arena.config import ConfigError, load_event

        with told(ConfigError):
            return load_event(file)
    with opened_for_reading(file) as store:
        return store.event()


def _rows(games: Iterator[ScheduledGame], event: Event) -> Iterator[list[str]]:
    names = [printable(engine.name, NAME_CELLS) for engine in event.engines]
    for game in games:
        opening = " ".join(game.opening.moves)
        label = f"{game.opening.label}: {opening}" if game.opening.label else opening
        yield [game.id, str(game.round), names[game.black], names[game.white], label]


def _as_object(game: ScheduledGame, event: Event) -> dict[str, Any]:
    return {
        "id": game.id,
        "pair": game.pair,
        "round": game.round,
        "black": event.engines[game.black].name,
        "white": event.engines[game.white].name,
        "game": game.game,
        "size": game.size,
        "komi": game.komi,
        "opening": game.opening.label,
        "opening_moves": list(game.opening.moves),
        "seed": game.seed,
    }
