"""What commands that read results are given: a tournament file, or the database itself."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.errors import Failure
from arena.core.event import IMPORTED
from arena.core.openings import OpeningError
from arena.core.schedule import Schedule, ScheduleError
from arena.rules.base import QuestionError
from arena.store import ReadStore, RunStore, StoreError, oddity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.core.event import Event
    from arena.store.rounds import PairedStep

_Command = TypeVar("_Command", bound="Callable[..., object]")


class _DatabasePath(click.Path):
    """The path of a database to be made: with a name, as its lock and its logs are called after it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if not path.name:
            self.fail(f"{str(value)!r} names no file", param, ctx)
        return path


DATABASE = _DatabasePath()


def file_argument(command: _Command) -> _Command:
    """Give a command its first argument, FILE: a tournament file (`.toml`) or a database."""
    return click.argument("file", type=click.Path(path_type=Path))(command)


def database_of(file: Path) -> Path:
    """Return the database that belongs to `file`: itself, or the one beside a tournament file."""
    return file.with_suffix(".db") if file.suffix == ".toml" else file


@contextmanager
def opened_for_reading(file: Path) -> Iterator[ReadStore]:
    """Open the results of `file`; nothing is written.

    Raises:
        Failure: there are none, or they cannot be read.
    """
    database = _existing(file)
    with told(StoreError), _damage_told(database), ReadStore(database) as store:
        yield store


@contextmanager
def opened_for_writing(file: Path) -> Iterator[RunStore]:
    """Open the results of `file` for the organiser's word.

    Raises:
        Failure: there are none, a run holds them, or they cannot be written.
    """
    database = _existing(file)
    with told(StoreError), _damage_told(database), RunStore.open(database) as store:
        yield store


def placement_in(schedule: Schedule, database: Path) -> Callable[[str], tuple[int, int]]:
    """Return what gives a stored game its ordinal and round in a schedule, as `RunStore` wants it.

    It raises `StoreError` for a game that the schedule does not have.
    """

    def placement(game_id: str) -> tuple[int, int]:
        ordinal = schedule.ordinal_of(game_id)
        if ordinal is None:
            raise StoreError(f"{database} holds game {game_id}, which the event does not have")
        return ordinal, schedule.game(ordinal).round

    return placement


def schedule_of(event: Event, paired: Iterable[PairedStep] = ()) -> Schedule:
    """Return the schedule of an event; `paired` is what its database says of formats by results.

    Raises:
        Failure: the event cannot be scheduled, or its game is not installed.
    """
    if event.format == IMPORTED:
        raise Failure(f"the games of {event.name!r:.100} were imported: there is no schedule")
    with told(ScheduleError, OpeningError, QuestionError):
        return Schedule(event, steps=[each.step for each in paired])


@contextmanager
def told(*errors: type[Exception]) -> Iterator[None]:
    """Turn errors whose message is a sentence for the user into a `Failure`."""
    try:
        yield
    except errors as error:
        raise Failure(str(error)) from error


@contextmanager
def writing_told(what: Path) -> Iterator[None]:
    """Turn the file system's refusal to write `what` into a `Failure`; a closed pipe is no such refusal."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"{error.filename or what} cannot be written: {error.strerror or error}") from error


@contextmanager
def _damage_told(database: Path) -> Iterator[None]:
    """Tell what a failure comes from if the database holds what cannot be; else it is the failure it is."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
        what = oddity(database)
        if what is None:
            raise
        raise StoreError(f"{database} was altered or is damaged: {what}; go back to a copy of it") from error


def _existing(file: Path) -> Path:
    database = database_of(file)
    if database.exists():
        return database
    if not file.exists():
        raise Failure(f"{file} does not exist")
    raise Failure(f"{file} has no results yet: there is no {database} (arena run {file} makes it)")
