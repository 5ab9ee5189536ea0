"""Files of openings: move lists, positions, SGF. Every opening is played through the rules when it is read.

A text file has one opening a line: its moves parted by blanks, Black's first, or, where the line begins with
`{`, a position as JSON object in the form of `arena rules`' `setup`. `#` starts a comment. What engines are
told are moves, so of a position an order is looked for in which its pieces can be placed in turn.

An SGF file (FF[4], smart-game.com) is a collection of games on a board of lines; each path from a root to a
leaf is an opening: the stones of its set-up, placed in turn, then its moves.

What is read is hostile: bounded, and refused with the place where it is wrong.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from arena.core.event import OpeningBook
from arena.core.random_openings import position_class
from arena.rules.base import BLACK, WHITE, MalformedMoveError, RulesError, colour_name
from arena.rules.geometry import COLUMNS
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfmill import sgf

    from arena.rules.base import Move, Rules

MOST_OPENINGS = 1_000_000
"""Openings of one file: what a list may hold before memory, not time, is the question."""

SEARCH_BUDGET = 20_000
"""Placements tried to find an order for the pieces of one position: most are found at once."""

LONGEST_SGF_PATH = 2000
"""Nodes from the root of an SGF game to a leaf: longer than any game worth opening with."""

Distinct = Literal["position", "symmetry"]


class BookError(ValueError):
    """An opening file is wrong at one place.

    Attributes:
        line: line of a text, game of an SGF file, from 1; 0 when it is about the file as a whole.
        ply: in the opening, from 1; 0 when it is about the opening as a whole.
        reason: what is wrong, in words.
    """

    def __init__(self, line: int, ply: int, reason: str, *, unit: str = "line") -> None:
        places = [f"{name} {number}" for name, number in ((unit, line), ("ply", ply)) if number]
        super().__init__(f"{', '.join(places)}: {reason}" if places else reason)
        self.line = line
        self.ply = ply
        self.reason = reason


def parse_book(text: str, rules: Rules, source: str, distinct: Distinct | None = None) -> OpeningBook:
    """Read a text of move lists and positions.

    Args:
        text: what the file holds.
        rules: the event's game.
        source: what people call the file.
        distinct: which openings to leave out when they repeat an earlier one; None: none.

    Raises:
        BookError: a word that is no move, an illegal move, a position that cannot be set up, a game that is
            over, or no opening at all.
    """
    return _book(_lines(text, rules), rules, source, distinct)


def parse_sgf(data: bytes, rules: Rules, source: str, distinct: Distinct | None = None) -> OpeningBook:
    """Read an SGF collection; arguments and errors as for `parse_book`."""
    if not rules.has_vertices:
        raise BookError(0, 0, f"SGF is for games on lines, {rules.title} is none: use a file of move lists")
    return _book(_sgf_openings(data, rules), rules, source, distinct)


def _book(
    openings: Iterable[tuple[str, ...]], rules: Rules, source: str, distinct: Distinct | None
) -> OpeningBook:
    if rules.has_dice:
        raise BookError(0, 0, f"{rules.title} is played with dice: it has no openings of moves alone")
    maps = rules.symmetries() if distinct == "symmetry" else rules.symmetries()[:1]
    seen: set[str] = set()
    kept: list[tuple[str, ...]] = []
    left_out = 0
    for words in openings:
        if distinct is not None:
            key = position_class(rules, [rules.parse_move(word) for word in words], maps)
            if key in seen:
                left_out += 1
                continue
            seen.add(key)
        kept.append(words)
        if len(kept) > MOST_OPENINGS:
            raise BookError(0, 0, f"{source} holds more than {MOST_OPENINGS} openings")
    if not kept:
        raise BookError(0, 0, f"{source} holds no opening")
    return OpeningBook(lines=tuple(kept), source=source, distinct=distinct, left_out=left_out)


# --- Text ----------------------------------------------------------------------------------------------


def _lines(text: str, rules: Rules) -> Iterator[tuple[str, ...]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("{"):
            yield _position(line, rules, number)
            continue
        words = line.partition("#")[0].split()
        if words:
            yield _replayed(words, rules, number)


def _replayed(words: list[str], rules: Rules, line: int, unit: str = "line") -> tuple[str, ...]:
    """Return the canonical words of an opening that is legal and leaves something to play."""
    position = rules.initial()
    moves = []
    for ply, word in enumerate(words, start=1):
        try:
            move = rules.parse_move(word)
        except MalformedMoveError as error:
            raise BookError(line, ply, str(error), unit=unit) from error
        if (why := position.refusal(move)) is not None:
            raise BookError(line, ply, f"{rules.format_move(move)} is illegal: {why}", unit=unit)
        position.play(move)
        moves.append(rules.format_move(move))
        if position.is_over:
            reason = f"{moves[-1]} ends the game, an opening must leave it undecided"
            raise BookError(line, ply, reason, unit=unit)
    return tuple(moves)


def _position(text: str, rules: Rules, line: int) -> tuple[str, ...]:
    try:
        setup = json.loads(text)
        position = rules.from_setup(setup)
    except RecursionError:
        raise BookError(line, 0, "is no position: values nested too deeply") from None
    except ValueError as error:
        raise BookError(line, 0, f"is no JSON object: {error}") from None
    except RulesError as error:
        raise BookError(line, 0, str(error)) from None
    if position.rules.size != rules.size:
        raise BookError(line, 0, f"a position of size {position.rules.size}, the event has {rules.size}")
    pieces = position.pieces()
    if pieces is None:
        raise BookError(line, 0, f"positions of {rules.title} cannot be set up by moves: use move lists")
    moves = placed_in_turn(rules, *pieces)
    if moves is None or position.to_move != len(moves) % 2 or position.is_over:
        reason = "cannot be reached by placing its pieces in turn, Black first, without a capture or an end"
        raise BookError(line, 0, f"the position {reason}")
    return tuple(rules.format_move(move) for move in moves)


def placed_in_turn(rules: Rules, black: tuple[Move, ...], white: tuple[Move, ...]) -> list[Move] | None:
    """Return an order in which the pieces can be placed, sides in turn, so that all of them stand at the end.

    Returns:
        None when there is none, or none was found within `SEARCH_BUDGET`.
    """
    if len(black) - len(white) not in (0, 1):
        return None
    budget = SEARCH_BUDGET
    # Depth first, without recursion: the position, what is left of either side, and which to try next.
    stack = [(rules.initial(), (list(black), list(white)), 0)]
    line: list[Move] = []
    while stack:
        position, left, tried = stack.pop()
        hand = left[position.to_move]
        if not hand and not left[1 - position.to_move]:
            return line
        if tried == len(hand) or position.is_over:
            if line:
                line.pop()
            continue
        stack.append((position, left, tried + 1))
        move = hand[tried]
        budget -= 1
        if budget < 0:
            return None
        if position.refusal(move) is not None or not position.is_placement(move):
            continue
        child = position.copy()
        child.play(move)
        if child.captured or child.is_over:
            continue
        rest = (left[BLACK].copy(), left[WHITE].copy())
        del rest[position.to_move][tried]
        line.append(move)
        stack.append((child, rest, 0))
    return None


# --- SGF -----------------------------------------------------------------------------------------------


def _sgf_openings(data: bytes, rules: Rules) -> Iterator[tuple[str, ...]]:
    # Only for this one form of file. Its documentation strings hold backslashes that newer compilers warn of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sgfmill import sgf, sgf_grammar

    try:
        games = sgf_grammar.parse_sgf_collection(data)
    except (ValueError, RecursionError) as error:
        raise BookError(0, 0, f"is no SGF: {error}") from None
    for number, coarse in enumerate(games, start=1):
        try:
            game = sgf.Sgf_game.from_coarse_game_tree(coarse)
        except (ValueError, RecursionError) as error:
            raise BookError(number, 0, f"is no SGF game: {error}", unit="game") from None
        if game.get_size() != rules.size:
            reason = f"a board of size {game.get_size()}, the event has {rules.size}"
            raise BookError(number, 0, reason, unit="game")
        for path in _paths(game.get_root(), number):
            words = _path_words(path, rules, number)
            if words:
                yield _replayed(words, rules, number, unit="game")


def _paths(root: sgf.Tree_node, number: int) -> Iterator[list[sgf.Tree_node]]:
    """Yield the nodes from the root to each leaf."""
    stack = [[root]]
    while stack:
        path = stack.pop()
        if len(path) > LONGEST_SGF_PATH:
            raise BookError(number, 0, f"more than {LONGEST_SGF_PATH} nodes in a row", unit="game")
        children = list(path[-1])
        if not children:
            yield path
        stack += [[*path, child] for child in reversed(children)]


def _path_words(path: list[sgf.Tree_node], rules: Rules, number: int) -> list[str]:
    words: list[str] = []
    for depth, node in enumerate(path):
        try:
            if node.has_setup_stones():
                if words or depth:
                    raise BookError(number, len(words), "a set-up after the first node", unit="game")
                words += _set_up_words(node, rules, number)
            colour, vertex = node.get_move()
        except (ValueError, IndexError) as error:
            if isinstance(error, BookError):
                raise
            raise BookError(number, len(words) + 1, f"cannot be read: {error}", unit="game") from None
        if colour is None:
            continue
        mover = BLACK if colour == "b" else WHITE
        if mover != len(words) % 2:
            reason = f"{colour_name(mover)} moves out of turn: the sides move alternately, Black first"
            raise BookError(number, len(words) + 1, reason, unit="game")
        words.append("pass" if vertex is None else _vertex(vertex))
    return words


def _set_up_words(node: sgf.Tree_node, rules: Rules, number: int) -> list[str]:
    black, white, _ = node.get_setup_stones()
    try:
        pieces = [
            tuple(rules.parse_move(_vertex(point)) for point in sorted(points)) for points in (black, white)
        ]
    except (MalformedMoveError, IndexError) as error:
        raise BookError(number, 0, f"set-up: {error}", unit="game") from None
    moves = placed_in_turn(rules, *pieces)
    if moves is None:
        reason = "its set-up cannot be reached by placing the stones in turn, Black first, without a capture"
        raise BookError(number, 0, reason, unit="game")
    return [rules.format_move(move) for move in moves]


def _vertex(point: tuple[int, int]) -> str:
    row, column = point
    return f"{COLUMNS[column]}{row + 1}"


def with_order(book: OpeningBook, order: Literal["file", "random"] | None, start: int | None) -> OpeningBook:
    """Return a book that is begun elsewhere, or in another order.

    Raises:
        BookError: a start beyond the openings of a file.
    """
    start = start or 1
    if book.lines and start > len(book.lines):
        raise BookError(0, 0, f"start = {start}: {book.source} has {counted(len(book.lines), 'opening')}")
    return replace(book, order=order or "file", start=start)
