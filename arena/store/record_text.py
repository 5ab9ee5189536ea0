"""A whole `GameRecord` as one JSON text and back, for playings that are kept beside those of the event."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from arena.core.record import Adjudged, EngineIdentity, Evidence, GameRecord, Pie
from arena.core.verdict import Verdict
from arena.rules import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable


def record_to_json(record: GameRecord) -> str:
    """Return the text of a record; text that UTF-8 cannot hold is escaped by JSON."""
    # A copy has no `packed`, which need not be copied deep to be thrown away.
    tree = dataclasses.asdict(dataclasses.replace(record))
    del tree["packed"]
    return json.dumps(tree, separators=(",", ":"))


def record_from_json(text: str) -> GameRecord:
    """Return the record of a text.

    Raises:
        ValueError, TypeError, KeyError: the text is damaged.
    """
    tree: dict[str, Any] = json.loads(text)
    verdict = tree["verdict"]
    outcome = _optional(verdict["outcome"], _outcome)
    tree |= {
        "black": EngineIdentity(**tree["black"]),
        "white": EngineIdentity(**tree["white"]),
        "verdict": Verdict(**{**verdict, "reasons": tuple(verdict["reasons"]), "outcome": outcome}),
        "evidence": {
            int(side): Evidence(**{**kept, "exchange": tuple(kept["exchange"])})
            for side, kept in tree["evidence"].items()
        },
        "warnings": {int(side): tuple(words) for side, words in tree["warnings"].items()},
        "pie": _optional(tree["pie"], lambda pie: Pie(**pie)),
        "adjudged": _optional(tree["adjudged"], lambda why: Adjudged(**{**why, "line": tuple(why["line"])})),
    }
    for name in ("moves", "time_us", "infos", "announcements", "idle_us"):
        tree[name] = tuple(tree[name])
    for name in ("dice", "opening_roll"):
        tree[name] = tuple((first, second) for first, second in tree[name])
    return GameRecord(**tree)


def _outcome(tree: dict[str, Any]) -> Outcome:
    return Outcome(**{**tree, "reasons": tuple(tree["reasons"])})


def _optional(tree: Any, make: Callable[[Any], Any]) -> Any:
    return None if tree is None else make(tree)
