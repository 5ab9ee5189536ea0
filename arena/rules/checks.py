"""Checked reading of what comes from outside: settings, questions and set-up positions.

Every function returns the value in its proper type or raises `QuestionError` with a message that names the
place, shows the offending value (cut) and says what was allowed.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from arena.rules.base import QuestionError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SHOWN_CHARACTERS = 40
"""How much of an offending value a message shows: enough to recognise it, not enough to flood a log."""


def shown(value: object) -> str:
    """Return `value` as a message shows it: printable ASCII, at most about `SHOWN_CHARACTERS` of it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**SHOWN_CHARACTERS:
        # Writing out a huge number takes quadratic time, and beyond 4300 digits Python refuses to.
        return f"a number of more than {SHOWN_CHARACTERS} digits"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        cut = value[:SHOWN_CHARACTERS]
        return ascii(cut) if cut == value else f"{cut!a}..."
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else f"a {type(value).__name__}"


def known_name(name: object, known: Collection[str], kind: str) -> str:
    """Return the sentence that refuses an unknown name, with the nearest known one or else all of them."""
    text = name if isinstance(name, str) else ""
    near = difflib.get_close_matches(text[: 2 * SHOWN_CHARACTERS].lower(), known, n=1)
    if near:
        return f"unknown {kind} {shown(name)}: did you mean {near[0]!r}?"
    return f"unknown {kind} {shown(name)}: known are {', '.join(sorted(known)) or 'none'}"


def check_keys(given: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse an object with a key that is not among `known`."""
    for key in given:
        if key not in known:
            raise QuestionError(known_name(key, known, f"key in {where}"))


def check_object(value: object, where: str) -> Mapping[str, Any]:
    """Return `value` if it is an object with text keys."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise QuestionError(f"{where} must be an object, not {shown(value)}")
    return value


def check_whole(value: object, lowest: int, highest: int, where: str) -> int:
    """Return `value` if it is a whole number in the range; true, false and 9.0 are none."""
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise QuestionError(f"{where} must be a whole number from {lowest} to {highest}, not {shown(value)}")
    return value


def check_choice(value: object, allowed: Collection[str], where: str) -> str:
    """Return `value` if it is one of the words allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise QuestionError(f"{where} must be one of {', '.join(allowed)}, not {shown(value)}")
    return value
