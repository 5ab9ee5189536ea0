"""An `Event` as canonical JSON and back: equal events give equal text, and the text gives the event.

A field that is missing in the text takes its default, so that a database from before a key existed can be
read. The dice key is left out: it is secret until the end and has a place of its own.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from arena.core.clock import TimeControl, parse_time
from arena.core.event import (
    Adjudication,
    Discipline,
    Engine,
    Event,
    OpeningBook,
    PairingSettings,
    SequentialPlan,
)
from arena.store.errors import StoreError


def event_to_json(event: Event) -> str:
    """Return the canonical text: keys sorted, no blanks, time controls in their own text form."""
    tree = _plain(event)
    del tree["dice_key"]
    return json.dumps(tree, sort_keys=True, separators=(",", ":"))


def event_from_json(text: str, dice_key: bytes | None = None) -> Event:
    """Return the event of a stored text, with the dice key that was given for it.

    Raises:
        StoreError: the text is no event, or has keys that this version does not know.
    """
    try:
        tree = json.loads(text)
        tree["book"] = _book(tree["book"])
        tree["engines"] = tuple(_engine(engine) for engine in tree["engines"])
        tree["time"] = parse_time(tree["time"])
        tree["disciplines"] = tuple(
            Discipline(**{**each, "time": parse_time(each["time"]), "book": _book(each["book"])})
            for each in tree.get("disciplines", [])
        )
        tree["pairings"] = tuple(_pairing(each) for each in tree.get("pairings", []))
        if tree.get("sprt") is not None:
            tree["sprt"] = SequentialPlan(**tree["sprt"])
        if "tie_breaks" in tree:
            tree["tie_breaks"] = tuple(tree["tie_breaks"])
        tree["adjudication"] = Adjudication(**tree.get("adjudication", {}))
        return Event(**tree, dice_key=dice_key)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"the stored event cannot be read by this version of gtparena ({error})") from error


def _book(tree: dict[str, Any]) -> OpeningBook:
    return OpeningBook(**{**tree, "lines": tuple(tuple(line) for line in tree["lines"])})


def _pairing(tree: dict[str, Any]) -> PairingSettings:
    one, other = tree["engines"]
    times = None
    if tree["times"] is not None:
        first, second = tree["times"]
        times = (parse_time(first), parse_time(second))
    book = None if tree["book"] is None else _book(tree["book"])
    return PairingSettings(**{**tree, "engines": (one, other), "times": times, "book": book})


def _engine(tree: dict[str, Any]) -> Engine:
    tuples: dict[str, Any] = {
        name: tuple(tree[name]) for name in ("command", "plays", "binds") if name in tree
    }
    time = parse_time(tree["time"]) if tree.get("time") is not None else None
    values: dict[str, Any] = {**tree, **tuples, "time": time}
    return Engine(**values)


def _plain(value: Any) -> Any:
    if isinstance(value, TimeControl):
        return value.text
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
