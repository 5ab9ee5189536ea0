"""What a game's core offers to the search: each core has these kernels, with these meanings.

The search is written against this module; `assemble` puts a game's kernels in the place of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sample_engines.search.layout import Cells


def list_moves(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write every legal move into `moves`, in the canonical order, and return how many there are."""
    raise NotImplementedError


def list_candidates(state: Cells, tables: Cells, moves: Cells, priors: Cells) -> int:
    """Write the moves worth a look and what is thought of them before any search; return how many.

    `priors[2 * i]` is the number of imagined visits of move i (at least 1), `priors[2 * i + 1]` the mover's
    expected result in thousandths. There is at least one candidate in a position that is not over.
    """
    raise NotImplementedError


def play(state: Cells, tables: Cells, move: int) -> None:
    """Make a legal move."""
    raise NotImplementedError


def set_roll(state: Cells, tables: Cells, larger: int, smaller: int) -> None:
    """Give the dice to a position that awaits them."""
    raise NotImplementedError


def playout(state: Cells, tables: Cells, generator: Cells, trace: Cells, moves: Cells, priors: Cells) -> int:
    """Play on until the result is known or guessed, set it, and return how many moves `trace` holds.

    An entry of the trace is `2 * rave_key(move) + colour`. `moves` and `priors` are free to write on.
    """
    raise NotImplementedError


def rave_key(move: int) -> int:
    """Return the number under which moves count as the same in a playout."""
    raise NotImplementedError


def guess(state: Cells, tables: Cells) -> int:
    """Return Black's share of the win, 0 to 1000, as a position that is not over looks without any search."""
    raise NotImplementedError


def list_threats(state: Cells, tables: Cells, moves: Cells) -> int:
    """Write the moves that force an answer, for a search beyond its depth; return how many.

    Where the side to move has no choice but these, or wins by them, the number is negative.
    """
    raise NotImplementedError
