"""What is wrong in a tournament file, one line each: where, which key, which value, what is allowed."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMAND_LINE = "command line"
"""Source of values that were given as flags."""

SHOWN_CHARACTERS = 80
"""Values are cut to this in messages: enough to recognise one, short enough for one line."""

MAX_PROBLEMS = 50
"""Problems reported at once; a file with more is wrong as a whole."""


def printable(text: str) -> str:
    """Escape what a terminal might act on, or what would break the line."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def shown(value: object) -> str:
    """Return a value as people wrote it, cut and safe to print."""
    if isinstance(value, float):
        text = repr(value)
    else:
        # A value may hold thousands of items: only as much is turned into text as can be seen.
        text = json.dumps(_pruned(value), ensure_ascii=False, default=str)
    text = printable(text)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def _pruned(value: object) -> object:
    if isinstance(value, str):
        return value[: SHOWN_CHARACTERS + 1]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**SHOWN_CHARACTERS:
        return "an integer of more than 80 digits"
    if isinstance(value, dict):
        return {str(key)[:SHOWN_CHARACTERS]: _pruned(item) for key, item in list(value.items())[:20]}
    if isinstance(value, (list, tuple)):
        return [_pruned(item) for item in value[:20]]
    return value


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint like `, did you mean pairs?`, or all known words when none is near."""
    choices = sorted(known)
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(choices)}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that must be changed before the event can start.

    Attributes:
        source: the file as the user named it, or `command line`.
        line: line in the file, from 1; None where there is none (flags, files that cannot be read).
        key: the key with its table (`engine.margin_ms`), empty when no single key is to blame.
        value: the value as `shown`, None when it is missing or plays no part.
        allowed: what is wrong or what was allowed.
    """

    source: str
    line: int | None
    key: str
    value: str | None
    allowed: str

    def __str__(self) -> str:
        place = printable(self.source) if self.line is None else f"{printable(self.source)}:{self.line}"
        key = printable(self.key)
        subject = f"{key} = {self.value}: " if key and self.value is not None else f"{key}: " if key else ""
        return f"{place}: {subject}{self.allowed}"


class ConfigError(Exception):
    """The tournament cannot be read as one; `problems` holds everything found, `str()` one line for each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:MAX_PROBLEMS]]
        if len(self.problems) > MAX_PROBLEMS:
            lines.append(f"… and {len(self.problems) - MAX_PROBLEMS} more")
        super().__init__("\n".join(lines))
