"""A search that is kept from move to move: arrays, tree and generator, without any word of the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sample_engines.search.layout import (
    CAPACITY,
    CONTROL,
    COUNT,
    DEEPEST,
    DEPTH,
    FIRST,
    LONGEST_PLAYOUT,
    MARGINS,
    MOST_MOVES,
    MOVE,
    NODE,
    PLAYOUTS,
    PRIOR,
    USED,
    VISITS,
    WIN,
    WINS,
)
from sample_engines.search.random_numbers import seeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sample_engines.search.assemble import Kernels

_MARKS = 8192
"""More than twice the largest number any game's moves have under `rave_key`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search thinks.

    Attributes:
        move: the move visited most.
        share: the mover's expected share of the win by that move, 0 to 1.
        margin: mean margin of the playouts, Black minus White.
        playouts: how many were made for this move.
        depth: deepest node reached.
        line: moves visited most, one after another; below a chance node the numbers of rolls are among them.
    """

    move: int
    share: float
    margin: float
    playouts: int
    depth: int
    line: tuple[int, ...]


class Searcher:
    """The tree below one position.

    Args:
        kernels: the game's functions.
        tables: the game's constants, as its core makes them.
        knobs: exploration, bias of later moves, visits before a node gets children.
        capacity: nodes there is room for; the same capacity is part of "same moves for the same seed".
        seed: of the playouts.
    """

    def __init__(
        self, kernels: Kernels, tables: list[int], knobs: Sequence[int], capacity: int, seed: int
    ) -> None:
        cells = kernels.cells
        self._kernels = kernels
        self._tables = cells(tables)
        self._knobs = cells(list(knobs))
        self._generator = cells(seeded(seed))
        self._nodes = cells(capacity * NODE)
        self._spare = cells(capacity * NODE)
        self._control = cells(CONTROL)
        self._control[CAPACITY] = capacity
        self._root = cells(1)
        self._state = cells(1)
        self._path = cells(2 * DEEPEST)
        self._trace = cells(LONGEST_PLAYOUT)
        self._marks = cells(_MARKS)
        self._moves = cells(MOST_MOVES)
        self._priors = cells(2 * MOST_MOVES)
        self._plant()

    def set_root(self, state: list[int]) -> None:
        """Search from this position, with a new tree."""
        self._root = self._kernels.cells(state)
        self._state = self._kernels.cells(len(state))
        self._plant()

    def move_root(self, state: list[int], path: Sequence[int]) -> None:
        """Search from the position that moves (or rolls, by number) lead to; keep what is known of it."""
        node = 0
        for step in path:
            found = next((child for child in self._children(node) if self._at(child, MOVE) == step), None)
            if found is None:
                self.set_root(state)
                return
            node = found
        self._kernels.keep_subtree(self._nodes, self._control, self._spare, node)
        self._nodes, self._spare = self._spare, self._nodes
        self._root = self._kernels.cells(state)
        self._clear_counts()

    def run(self, playouts: int) -> None:
        """Make playouts."""
        self._kernels.search(
            playouts,
            self._root,
            self._tables,
            self._nodes,
            self._control,
            self._knobs,
            self._generator,
            self._state,
            self._path,
            self._trace,
            self._marks,
            self._moves,
            self._priors,
        )

    @property
    def has_room(self) -> bool:
        """Whether half of the nodes are still free."""
        return int(self._control[USED]) < int(self._control[CAPACITY]) // 2

    def finding(self) -> Finding:
        """Return what is thought of the position after at least one playout."""
        best = self._favourite(0)
        visits = self._at(best, VISITS)
        playouts = int(self._control[PLAYOUTS])
        return Finding(
            move=self._at(best, MOVE),
            share=self._at(best, WINS) / (WIN * max(1, visits)),
            margin=self._control[MARGINS] / (2 * max(1, playouts)),
            playouts=playouts,
            depth=int(self._control[DEPTH]),
            line=tuple(self._line()),
        )

    def is_decided(self, playouts_left: int) -> bool:
        """Say whether so many more playouts cannot change which move is visited most."""
        visits = sorted((self._own_visits(child) for child in self._children(0)), reverse=True)
        return len(visits) == 1 or (len(visits) > 1 and visits[0] - visits[1] > playouts_left)

    def _line(self) -> Iterator[int]:
        node = 0
        while self._at(node, COUNT) and self._at(self._at(node, FIRST), VISITS):
            node = self._favourite(node)
            if self._own_visits(node) == 0:
                return
            yield self._at(node, MOVE)

    def _favourite(self, node: int) -> int:
        """Return the child visited most, the first of equals."""
        return max(self._children(node), key=lambda child: (self._own_visits(child), -child))

    def _own_visits(self, node: int) -> int:
        return self._at(node, VISITS) - self._at(node, PRIOR)

    def _children(self, node: int) -> range:
        first = self._at(node, FIRST)
        return range(first, first + self._at(node, COUNT))

    def _at(self, node: int, field: int) -> int:
        return int(self._nodes[node * NODE + field])

    def _plant(self) -> None:
        """Begin a new tree."""
        for field in range(NODE):
            self._nodes[field] = 0
        self._control[USED] = 1
        self._clear_counts()

    def _clear_counts(self) -> None:
        self._control[PLAYOUTS] = self._control[MARGINS] = self._control[DEPTH] = 0
