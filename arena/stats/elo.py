"""The Elo scales: logistic Elo of a score, and normalized Elo of a signal-to-noise ratio.

Logistic: Elo, *The Rating of Chessplayers* (1978), with the logistic curve in place of the normal one.
Normalized: Van den Bergh, *Normalized Elo* (2021): the mean score above one half, divided by the standard
deviation of a single game's score, times 800 / ln 10.
"""

from __future__ import annotations

import math

ELO_PER_NAT = 400 / math.log(10)
"""Elo points of one unit of log-odds (173.7)."""

NORMALIZED_ELO_UNIT = 800 / math.log(10)
"""Normalized Elo of a mean that lies one standard deviation of a game above one half (347.4)."""


def share_of_elo(elo: float) -> float:
    """Return the expected score share in (0, 1) of a player who is `elo` points stronger."""
    return 1 / (1 + math.exp(-elo / ELO_PER_NAT))


def elo_of_share(share: float) -> float:
    """Return the Elo difference that a score share in [0, 1] stands for; infinite at 0 and 1.

    Raises:
        ValueError: the share lies outside [0, 1].
    """
    if not 0 <= share <= 1:
        raise ValueError(f"score share {share!r}: a number from 0 to 1 is needed")
    if share == 0:
        return -math.inf
    if share == 1:
        return math.inf
    return ELO_PER_NAT * math.log(share / (1 - share))
