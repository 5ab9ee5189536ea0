"""GoGui's extensions for other games than Go, so that GoGui can show a game and know its legal moves.

Source: the chapter "Rules" of GoGui's manual. GoGui asks after every move for the board, the legal points and
the side to move, and for the result once no move is legal any more. It knows points and `pass` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.commands import ColourWord

_POINTS_A_LINE = 20


@dataclass(frozen=True, slots=True)
class Goban:
    """A position as GoGui is told of it.

    Attributes:
        game: the game's name; GoGui wants one word.
        rows: the board from the top row down, one of `.XO` a point: empty, black, white.
        legal: legal moves as GTP vertices or `pass`; empty when the game is over.
        to_move: whose turn it is.
        result: how the game ended, in words for people; empty while it goes on.
        captured: stones captured by Black and by White.
    """

    game: str
    rows: Sequence[str]
    legal: Sequence[str]
    to_move: ColourWord
    result: str = ""
    captured: tuple[int, int] = (0, 0)


ANALYZE_COMMANDS = (
    "string/Position/showboard",
    "plist/Legal Moves/gogui-rules_legal_moves",
    "string/Result/gogui-rules_final_result",
)
"""What GoGui's window for analyze commands offers: type, label and command."""


def gogui_commands(goban: Callable[[], Goban]) -> dict[str, Callable[[tuple[str, ...]], str]]:
    """Return the handlers of GoGui's commands by name; `goban` is asked for the position each time."""
    return {
        "gogui-analyze_commands": lambda _: "\n".join(ANALYZE_COMMANDS),
        "gogui-rules_game_id": lambda _: goban().game.capitalize(),
        "gogui-rules_board_size": lambda _: str(len(goban().rows)),
        "gogui-rules_board": lambda _: "\n" + "\n".join(" ".join(row) for row in goban().rows),
        "gogui-rules_legal_moves": lambda _: _lines(goban().legal),
        "gogui-rules_side_to_move": lambda _: goban().to_move,
        "gogui-rules_captured_count": lambda _: "{} {}".format(*goban().captured),
        "gogui-rules_final_result": lambda _: goban().result,
    }


def _lines(words: Sequence[str]) -> str:
    starts = range(0, len(words), _POINTS_A_LINE)
    return "\n".join(" ".join(words[start : start + _POINTS_A_LINE]) for start in starts)
