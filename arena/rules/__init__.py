"""The trusted rules core: what is legal, what a move does, who has won. Standard library only, no I/O."""

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    Move,
    NoSuchMoveError,
    Outcome,
    Position,
    QuestionError,
    Rules,
    RulesError,
    colour_name,
)

__all__ = [
    "BLACK",
    "WHITE",
    "IllegalMoveError",
    "MalformedMoveError",
    "Move",
    "NoSuchMoveError",
    "Outcome",
    "Position",
    "QuestionError",
    "Rules",
    "RulesError",
    "colour_name",
]
