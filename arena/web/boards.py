"""From views of running games, and records of finished ones, to what a page needs to show a board.

The moves of a view are played on the rules core here, only the new ones of each view. A move that the rules
refuse ends the following of that game: what was sent was no game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.core.running import remaining
from arena.rules.base import QuestionError, RulesError
from arena.rules.registry import make_rules
from reports.boards import drawing_of
from reports.positions import UnplayableError, replayed
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.running import RunningGame
    from arena.rules.base import Move, Position, Rules
    from reports.boards import Drawing

_LAST_MOVES = 12


class Follower:
    """One running game, followed from view to view."""

    def __init__(self) -> None:
        self._key: object = None
        self._moves: tuple[str, ...] = ()
        self._position: Position | None = None
        self._last: Move | None = None

    def position(self, view: RunningGame) -> tuple[Position, Move | None]:
        """Return the position of a view, and the move that led to it.

        Raises:
            RulesError: it holds what the rules do not allow.
        """
        key = (view.id, view.attempt, view.game, view.size, view.komi, view.first)
        known = len(self._moves)
        if self._position is None or key != self._key or view.moves[:known] != self._moves:
            rules = make_rules(view.game, size=view.size, komi=view.komi)
            self._key, self._moves, self._last = key, (), None
            self._position = rules.initial(view.first)
        position = self._position
        for ply in range(len(self._moves), len(view.moves)):
            self._throw(position, view, ply)
            self._last = position.rules.parse_move(view.moves[ply])
            position.play(self._last)
            self._moves = view.moves[: ply + 1]
        self._throw(position, view, len(view.moves))
        return position, self._last

    @staticmethod
    def _throw(position: Position, view: RunningGame, turn: int) -> None:
        if position.awaits_dice and turn < len(view.dice):
            position.set_dice(*view.dice[turn])


def board_of_view(view: RunningGame, follower: Follower, age_us: int) -> dict[str, Any]:
    """Return a running game as JSON values for a page.

    Args:
        view: what was received.
        follower: of this game.
        age_us: how old the view is.
    """
    shown: dict[str, Any] = {
        "id": printable(view.id, 40),
        "names": [printable(view.black), printable(view.white)],
        "ply": len(view.moves),
        "moves": _last_words(view.moves),
        "said": [_said(words) for words in view.said],
    }
    try:
        position, last = follower.position(view)
    except RulesError as error:
        return {**shown, "trouble": f"this game cannot be shown: {printable(str(error), 200)}"}
    mover = position.to_move
    thinking = view.thinking_us + age_us
    faces = [remaining(face, thinking if side == mover else 0) for side, face in enumerate(view.clocks)]
    return {
        **shown,
        **picture_of(position, last),
        "titles": list(position.rules.colour_titles),
        "mover": None if position.is_over else mover,
        "clocks": [
            {"us": face.running_us, "periods": face.periods, "moves": face.moves, "overtime": face.in_period}
            for face in faces
        ],
    }


def board_of_record(record: GameRecord) -> dict[str, Any]:
    """Return a finished game's last position as JSON values for a page."""
    shown: dict[str, Any] = {
        "id": record.id,
        "names": [printable(record.black.name), printable(record.white.name)],
        "ply": len(record.moves),
        "moves": _last_words(record.moves),
        "said": ["", ""],
        "mover": None,
        "clocks": [],
        "result": f"{printable(record.verdict.result)} ({printable(record.verdict.reason)})",
    }
    try:
        position, turns = replayed(record, len(record.moves))
    except UnplayableError as error:
        return {**shown, "trouble": printable(str(error), 200)}
    last = position.rules.parse_move(turns[-1].move) if turns else None
    return {**shown, **picture_of(position, last), "titles": list(position.rules.colour_titles)}


def picture_of(position: Position, last: Move | None) -> dict[str, Any]:
    """Return the board as symbols of its drawing and a caption; as lines of text where it has none."""
    drawing = drawing_of(position.rules)
    if drawing is None:
        return {"diagram": position.diagram()}
    return {
        "board": board_name(position.rules),
        "state": list(drawing.state(position, last)),
        "caption": drawing.caption(position),
    }


def board_name(rules: Rules) -> str:
    """Return by what the pages know a drawing: one for each game and size."""
    return rules.game if rules.size is None else f"{rules.game}-{rules.size}"


def boards_of(event: Event) -> dict[str, Drawing]:
    """Return the drawings that an event's games need, by name; games without one are left out."""
    found: dict[str, Drawing] = {}
    for discipline in event.all_disciplines:
        own = [each.size for each in event.pairings if each.discipline in (None, discipline.name)]
        for size in dict.fromkeys((discipline.size, *own)):
            try:
                rules = make_rules(discipline.game, size=discipline.size if size is None else size)
            except QuestionError:
                # A game that is not installed here, or a size that another of the event's games has.
                continue
            drawing = drawing_of(rules)
            if drawing is not None:
                found[board_name(rules)] = drawing
    return found


def _last_words(moves: tuple[str, ...]) -> list[str]:
    return [printable(word, 40) for word in moves[-_LAST_MOVES:]]


def _said(words: Mapping[str, str]) -> str:
    return printable(", ".join(f"{key} {value}" for key, value in words.items()), 100)
