"""What a person can do in a position, sorted by what is clicked: points, heights, checkers, words.

The page knows no rules. It is given the legal moves by the slots of the board's drawing
(`reports.boards`), and what it sends back is one of these words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arena.rules.base import BLACK
from arena.rules.plakoto import PlakotoPosition
from reports.boards import drawing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.rules.base import Position, Rules

    Play = tuple[tuple[int, int], ...]

_CHECKER_HIGH = 5
"""A point of Plakoto is clicked on as high as checkers are piled."""


def targets(rules: Rules) -> list[list[float]]:
    """Return the places that can be clicked, in the order of the drawing's slots: x, y, width, height.

    Empty for a game without a drawing: its moves are chosen from a list.
    """
    drawing = drawing_of(rules)
    if drawing is None:
        return []
    half = drawing.cell / 2
    found = []
    for slot in drawing.slots[: drawing.points]:
        above = below = half
        if drawing.game == "plakoto":
            far = drawing.cell * (_CHECKER_HIGH - 0.5)
            above, below = (half, far) if slot.y < drawing.height / 2 else (far, half)
        found.append([slot.x - half, slot.y - above, drawing.cell, above + below])
    return found


def choices(position: Position) -> dict[str, Any]:
    """Return the legal moves of a position, JSON-ready.

    Returns:
        `points`: slot -> [what to choose there, move] pairs, an empty text where there is nothing to choose;
        `plays`: [move, [[from, to], …]] of a game of checkers, points in Black's numbers, 0 for off;
        `words`: moves that are no place on the board.
    """
    rules = position.rules
    drawing = drawing_of(rules)
    if isinstance(position, PlakotoPosition):
        plays = [[rules.format_move(play), _steps(position, play)] for play in _orders(position) if play]
        return {"points": {}, "plays": plays, "words": [] if plays else _words(position)}
    slots = (
        {} if drawing is None else {slot.name: at for at, slot in enumerate(drawing.slots[: drawing.points])}
    )
    points: dict[int, list[list[str]]] = {}
    words = []
    for word in _words(position):
        name, _, choice = word.partition(":")
        if name in slots:
            points.setdefault(slots[name], []).append([choice, word])
        else:
            words.append(word)
    return {"points": points, "plays": [], "words": words}


def _words(position: Position) -> list[str]:
    return [position.rules.format_move(move) for move in position.legal_moves()]


def _orders(position: PlakotoPosition) -> Iterator[Play]:
    """Yield the plays that can be made step by step: the canonical ones, and other ways of two dice.

    A double needs no others: it has one set of steps for each result, and the page takes steps in any order.
    """
    known = set()
    for move in position.legal_moves():
        play = cast("Play", move)
        known.add(frozenset(play) if len(set(play)) == len(play) else play)
        yield play
    dice = position.dice
    if dice is None or dice[0] == dice[1]:
        return
    own = list(position.points(position.to_move))
    for first_die, second_die in (dice, dice[::-1]):
        for start in own:
            first = (start, max(start - first_die, 0))
            for then in {*own, first[1]} - {0}:
                play = (first, (then, max(then - second_die, 0)))
                if frozenset(play) not in known and position.refusal(play) is None:
                    known.add(frozenset(play))
                    yield play


def _steps(position: PlakotoPosition, play: Play) -> list[list[int]]:
    return [[_shown(position, start), _shown(position, end)] for start, end in play]


def _shown(position: PlakotoPosition, point: int) -> int:
    """Return a point of the mover's in Black's numbers; 0 stays off."""
    return point if position.to_move == BLACK or point == 0 else 25 - point
