"""A shuffled order of 0 … size-1 that is computed place by place instead of being stored.

A balanced Feistel network over the next even number of bits is a permutation whatever its round function is
(Luby and Rackoff, SIAM J. Comput. 17, 1988); results outside the range are sent through again until they
fall inside (cycle walking; Black and Rogaway, CT-RSA 2002), which at most four times out of five is needed.

    round(i, right) = first h bits of HMAC-SHA-256(key, i as one byte, right in 32 bytes), big-endian
"""

from __future__ import annotations

import hmac

_ROUNDS = 6
_LARGEST_HALF_BITS = 256


class Permutation:
    """A bijection of `range(size)` fixed by a key."""

    __slots__ = ("_half_bits", "_key", "_mask", "_size")

    def __init__(self, size: int, key: bytes) -> None:
        """Make the permutation.

        Args:
            size: 1 to 2**512.
            key: any bytes; another key is another order.

        Raises:
            ValueError: a size out of range.
        """
        bits = (size - 1).bit_length() if size > 0 else 0
        self._half_bits = max(1, (bits + 1) // 2)
        if size < 1 or self._half_bits > _LARGEST_HALF_BITS:
            raise ValueError(f"cannot permute {size} elements")
        self._size = size
        self._key = key
        self._mask = (1 << self._half_bits) - 1

    def at(self, place: int) -> int:
        """Return the element at a place.

        Raises:
            IndexError: a place outside `range(size)`.
        """
        if not 0 <= place < self._size:
            raise IndexError(place)
        half_bits, mask, key = self._half_bits, self._mask, self._key
        element = place
        while True:
            left, right = element >> half_bits, element & mask
            for number in range(_ROUNDS):
                digest = hmac.digest(key, bytes((number,)) + right.to_bytes(32, "big"), "sha256")
                left, right = right, left ^ (int.from_bytes(digest, "big") >> (256 - half_bits))
            element = left << half_bits | right
            if element < self._size:
                return element
