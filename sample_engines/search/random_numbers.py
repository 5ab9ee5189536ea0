"""Random numbers that are the same in plain Python and compiled: whole numbers below 2**32 only.

Marsaglia's 32-bit xorshift (Journal of Statistical Software 8(14), 2003, triple 13, 17, 5) plus a Weyl
sequence, as in his xorwow. Period 2**32 * (2**32 - 1). Not for dice that anybody has to trust.
"""

from __future__ import annotations

from sample_engines.search.layout import Cells, kernel

_MASK = 0xFFFFFFFF
_WEYL = 362437


def seeded(seed: int) -> list[int]:
    """Return the generator's state for a seed, any whole number (splitmix, so that near seeds are unlike)."""
    words = []
    for step in (1, 2):
        mixed = (seed + step * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        words.append((mixed ^ mixed >> 31) & _MASK)
    return [words[0] or 1, words[1]]


@kernel
def draw(generator: Cells, bound: int) -> int:
    """Return a whole number from 0 to bound - 1; `bound` at most 2**16."""
    word = generator[0]
    word ^= word << 13 & _MASK
    word ^= word >> 17
    word ^= word << 5 & _MASK
    generator[0] = word
    generator[1] = (generator[1] + _WEYL) & _MASK
    return ((word + generator[1]) & _MASK) * bound >> 32
