"""What an outcome's margins and details say, in words: any game's, since every game names its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from arena.rules.base import BLACK, WHITE, colour_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.rules.base import Outcome

_NAMES = {"groups": "groups (pieces/height)"}
"""Details whose key does not say what their numbers are."""


def margin_words(outcome: Outcome, titles: Sequence[str]) -> str | None:
    """Return by how much who is ahead on the board and in the end; None for a game without margins.

    Args:
        outcome: of a game that ended on the board.
        titles: what Black and White are called.
    """
    board, final = outcome.board_margin, outcome.final_margin
    if board is None:
        return None
    if final is None or final == board:
        return _lead(board, titles)
    return f"{_lead(board, titles)} on the board, {_lead(final, titles)} in the end"


def detail_words(details: Mapping[str, Any], titles: Sequence[str]) -> str:
    """Return the details of an outcome: each with its name, and with whose it is."""
    return "; ".join(
        f"{_NAMES.get(key, key.replace('_', ' '))}: {_value(value, titles)}" for key, value in details.items()
    )


def _lead(margin: float, titles: Sequence[str]) -> str:
    if margin == 0:
        return "even"
    return f"{titles[BLACK if margin > 0 else WHITE]} by {abs(margin):g}"


def _value(value: Any, titles: Sequence[str]) -> str:
    colours = {colour_name(colour): titles[colour] for colour in (BLACK, WHITE)}
    match value:
        case dict() if value and value.keys() <= colours.keys():
            return ", ".join(f"{colours[colour]} {_plain(of)}" for colour, of in value.items())
        case str():
            return colours.get(value, value)
        case _:
            return _plain(value)


def _plain(value: Any) -> str:
    match value:
        case None:
            return "none"
        case float():
            return f"{value:g}"
        case list() | tuple():
            parts = [
                "/".join(map(_plain, each)) if isinstance(each, (list, tuple)) else _plain(each)
                for each in value
            ]
            return " ".join(parts) or "none"
        case str() | int():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)
