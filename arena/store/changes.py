"""What differs between a stored event and the one to be gone on with, and which of it is an extension.

Paths in a tournament file are stored as absolute ones. They are compared as they stand to the file: a path
below its folder is the same when the folder has been moved as a whole.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.core.clock import TimeControl

if TYPE_CHECKING:
    from arena.core.event import Discipline, Engine, Event, OpeningBook

OF_THE_FIRST = frozenset({"game", "size", "komi", "games_each", "book", "time"})
"""Fields that in an event of several games repeat those of the first."""

HARMLESS = frozenset({"concurrency", "oversubscribe", "max_faults_in_a_row", "log", "home"})
"""Keys that change nothing about the games played so far, nor about how a game is played."""

PATHS = frozenset({"command", "cwd", "folder", "binds", "data_folder"})
"""Keys of an entry that hold paths."""

SHOWN_CHARACTERS = 100
"""Values are cut to this in a difference."""


@dataclass(frozen=True, slots=True)
class Change:
    """One key that differs.

    Attributes:
        text: the key with both values, for people.
        allowed: whether the event can go on with it.
        adds_games: whether it moves the places of games in the schedule.
    """

    text: str
    allowed: bool = False
    adds_games: bool = False


def changes(stored: Event, given: Event) -> list[Change]:
    """Return what differs, in the order of the event's keys.

    Allowed are what is `HARMLESS`, and what adds games without touching those that are there: in fixed
    formats more games a pairing, new engines and new games (`[[game]]`) at the end of their lists; by results
    more rounds.
    """
    found: list[Change] = []
    for field in dataclasses.fields(stored):
        before, now = getattr(stored, field.name), getattr(given, field.name)
        if field.name == "engines":
            move = _Move(stored.home, given.home)
            found += _engine_changes(before, now, move, may_grow=not stored.is_dynamic)
        elif field.name == "disciplines":
            found += _discipline_changes(before, now, may_grow=not stored.is_dynamic)
        elif field.name in OF_THE_FIRST and stored.disciplines and given.disciplines:
            # The first of the disciplines says it.
            continue
        elif field.name == "games_each" and None not in (stored.best_of, given.best_of):
            # It follows from best_of, which is what a file says.
            continue
        elif before != now:
            found.append(_event_change(stored, field.name, before, now))
    return found


def _event_change(stored: Event, name: str, before: Any, now: Any) -> Change:
    more = (name == "games_each" and not stored.is_dynamic and now > before) or (
        name == "rounds" and before is not None and now is not None and now > before
    )
    text = f"{name}: {_shown(before)} in the database, {_shown(now)} now"
    if name == "games_each":
        text = _games_difference(before, now)
    elif name == "book":
        text = f"openings: {_book_difference(before, now)}"
    elif name == "dice_key":
        text = "dice_key: not the one the event was begun with"
    return Change(text, allowed=more or name in HARMLESS, adds_games=more)


def _discipline_changes(
    stored: tuple[Discipline, ...], given: tuple[Discipline, ...], *, may_grow: bool
) -> list[Change]:
    found: list[Change] = []
    for before, now in zip(stored, given, strict=False):
        for field in dataclasses.fields(before):
            old, new = getattr(before, field.name), getattr(now, field.name)
            if old != new:
                more = may_grow and field.name == "games_each" and new > old
                difference = f"{field.name}: {_shown(old)} in the database, {_shown(new)} now"
                if field.name == "games_each":
                    difference = _games_difference(old, new)
                elif field.name == "book":
                    difference = f"openings: {_book_difference(old, new)}"
                text = f"game {_shown(before.name)} {difference}"
                found.append(Change(text, allowed=more, adds_games=more))
    found += [Change(f"game {_shown(each.name)}: no longer there") for each in stored[len(given) :]]
    is_new = bool(stored) and may_grow
    found += [
        Change(f"game {_shown(each.name)}: new at the end of the list", allowed=is_new, adds_games=is_new)
        for each in given[len(stored) :]
    ]
    return found


@dataclass(frozen=True, slots=True)
class _Move:
    """The folder of the event's file then and now; empty where it is not known."""

    before: str
    now: str

    def explains(self, old: Any, new: Any) -> bool:
        """Say whether a path, or a list of words some of which are paths, is as it was but for the move."""
        if isinstance(old, tuple) and isinstance(new, tuple):
            return len(old) == len(new) and all(map(self.explains, old, new))
        if old == new or not (self.before and self.now and isinstance(old, str)):
            return bool(old == new)
        return (old + os.sep).startswith(self.before + os.sep) and self.now + old[len(self.before) :] == new


def _engine_changes(
    stored: tuple[Engine, ...], given: tuple[Engine, ...], move: _Move, *, may_grow: bool
) -> list[Change]:
    found: list[Change] = []
    for before, now in zip(stored, given, strict=False):
        for field in dataclasses.fields(before):
            old, new = getattr(before, field.name), getattr(now, field.name)
            if field.name in PATHS and move.explains(old, new):
                continue
            if old != new:
                key = f"engine {_shown(before.name)} {field.name}"
                found.append(Change(f"{key}: {_shown(old)} in the database, {_shown(new)} now"))
    found += [Change(f"engine {_shown(engine.name)}: no longer there") for engine in stored[len(given) :]]
    found += [
        Change(
            f"engine {_shown(engine.name)}: new at the end of the list", allowed=may_grow, adds_games=may_grow
        )
        for engine in given[len(stored) :]
    ]
    return found


def _games_difference(before: int, now: int) -> str:
    """Return how many games each, under both keys that a file may have said it with where pairs are whole."""
    if before % 2 or now % 2:
        return f"games_each: {before} in the database, {now} now"
    return f"pairs: {before // 2} in the database, {now // 2} now (games_each: {before}, {now})"


def _book_difference(before: OpeningBook, now: OpeningBook) -> str:
    if before.source != now.source:
        return f"{before.source} in the database, {now.source} now"
    for name in ("distinct", "order", "start"):
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            return f"{name}: {_shown(old)} in the database, {_shown(new)} now"
    pairs = enumerate(zip(before.lines, now.lines, strict=False), start=1)
    first = next((number for number, (old, new) in pairs if old != new), None)
    place = (
        f"opening {first} is another" if first else f"{len(before.lines)} openings then, {len(now.lines)} now"
    )
    return f"{before.source} has changed ({place})"


def _shown(value: Any) -> str:
    text = repr(value.text if isinstance(value, TimeControl) else value)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
