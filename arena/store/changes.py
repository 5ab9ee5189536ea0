"""What differs between a stored event and the one to be gone on with, and which of it is an extension."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.core.clock import TimeControl

if TYPE_CHECKING:
    from arena.core.event import Engine, Event, OpeningBook

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

    Allowed are more games a pairing, new engines at the end of the list, and any concurrency.
    """
    found: list[Change] = []
    for field in dataclasses.fields(stored):
        before, now = getattr(stored, field.name), getattr(given, field.name)
        if field.name == "engines":
            found += _engine_changes(before, now)
        elif before != now:
            more = field.name == "games_each" and now > before
            text = f"{field.name}: {_shown(before)} in the database, {_shown(now)} now"
            if field.name == "book":
                text = f"openings: {_book_difference(before, now)}"
            elif field.name == "dice_key":
                text = "dice_key: not the one the event was begun with"
            found.append(Change(text, allowed=more or field.name == "concurrency", adds_games=more))
    return found


def _engine_changes(stored: tuple[Engine, ...], given: tuple[Engine, ...]) -> list[Change]:
    found: list[Change] = []
    for before, now in zip(stored, given, strict=False):
        for field in dataclasses.fields(before):
            old, new = getattr(before, field.name), getattr(now, field.name)
            if old != new:
                key = f"engine {_shown(before.name)} {field.name}"
                found.append(Change(f"{key}: {_shown(old)} in the database, {_shown(new)} now"))
    found += [Change(f"engine {_shown(engine.name)}: no longer there") for engine in stored[len(given) :]]
    found += [
        Change(f"engine {_shown(engine.name)}: new at the end of the list", allowed=True, adds_games=True)
        for engine in given[len(stored) :]
    ]
    return found


def _book_difference(before: OpeningBook, now: OpeningBook) -> str:
    if before.source != now.source:
        return f"{before.source} in the database, {now.source} now"
    pairs = enumerate(zip(before.lines, now.lines, strict=False), start=1)
    first = next((number for number, (old, new) in pairs if old != new), None)
    place = (
        f"opening {first} is another" if first else f"{len(before.lines)} openings then, {len(now.lines)} now"
    )
    return f"{before.source} has changed ({place})"


def _shown(value: Any) -> str:
    text = repr(value.text if isinstance(value, TimeControl) else value)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
