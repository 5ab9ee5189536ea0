"""Do the engines play the same whatever komi is? An equivalence test, within one parity.

If they do, every game of a parity tells who would have won it at every other komi of that parity. That must
be shown, not assumed: a difference that failed to be significant shows nothing. For each komi k tried and
each threshold c tried, the share of games that Black would win at c is compared between the games played at
k and those played at the others. Blindness is shown when all of these differences lie within the stated
bound, each by two one-sided 5 % tests (Schuirmann, J. Pharmacokin. Biopharm. 1987); all must hold, so no
correction for their number is needed (intersection-union test, Berger, Technometrics 1982). Engines that
heed komi show themselves by a difference that Holm's correction leaves significant.

Games on one opening go together: standard errors come from openings, and shared openings are thereby
paired. Where nothing scatters at all, the half-width is the 95 % limit of an event never seen in n
openings, 1 - 0.05^(1/n).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from arena.stats.komi.compare import holm
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arena.stats.komi.games import KomiGame

DEFAULT_BOUND_SHARE = 0.05
"""Differences in Black's share up to this are taken for none."""

FEWEST_OPENINGS = 10
"""With fewer openings at a komi its standard error is not believed."""

_ONE_SIDED = 0.05
_SIGNIFICANT = 0.05


class Blindness(StrEnum):
    """What the test says."""

    BLIND = "blind"
    NOT_SHOWN = "not shown"
    HEEDS_KOMI = "heeds komi"


@dataclass(frozen=True, slots=True)
class BlindnessTest:
    """The test of one parity.

    Attributes:
        verdict: what it says.
        bound_share: the bound it was made with.
        difference: the largest difference in share seen; None when nothing could be compared.
        limit: the largest upper 95 % limit of a difference; blind when below the bound.
        komi: where that limit was found.
        words: the same for people.
    """

    verdict: Blindness
    bound_share: float
    difference: float | None
    limit: float | None
    komi: int | None
    words: str


def judge_blindness(games: Sequence[KomiGame], bound_share: float = DEFAULT_BOUND_SHARE) -> BlindnessTest:
    """Test whether engines heed komi.

    Args:
        games: observations of one parity that ended on the board.
        bound_share: largest difference in share that does not matter, in (0, 0.5).

    Raises:
        ValueError: the bound is out of range, or both parities are among the games.
    """
    if not 0 < bound_share < 0.5:
        raise ValueError(f"bound {bound_share!r}: a share between 0 and 0.5 is needed")
    if len({game.komi % 2 for game in games}) > 1:
        raise ValueError("odd and even komi are different games: test them apart")
    komis = sorted({game.komi for game in games})
    if len(komis) < 2:
        words = "one komi only: it cannot be told whether the engines heed komi"
        return BlindnessTest(Blindness.NOT_SHOWN, bound_share, None, None, None, words)
    labels = np.unique([game.opening for game in games], return_inverse=True)[1]
    komi_of = np.array([game.komi for game in games])
    margins = np.array([float(game.board_margin or 0) for game in games])
    with_black = np.array([game.button == "black" for game in games])
    cuts = np.array(komis)
    wins = (margins[:, None] > cuts) | ((margins[:, None] == cuts) & with_black[:, None])
    outcomes = wins.astype(np.float64)
    fewest = min(len(np.unique(labels[komi_of == komi])) for komi in komis)
    here = komi_of == np.array(komis)[:, None]
    units = np.array([len(np.unique(labels[row])) for row in here])
    compared = [_difference(outcomes, row, labels) for row in here]
    differences = np.array([difference for difference, _ in compared])
    errors = np.array([error for _, error in compared])
    quantile = stats.t.isf(_ONE_SIDED, np.maximum(units - 1, 1))[:, None]
    floor = (1 - _ONE_SIDED ** (1 / units))[:, None]
    limits = np.abs(differences) + np.maximum(quantile * errors, floor)
    worst_difference, worst_limit = float(np.abs(differences).max()), float(limits.max())
    worst_komi = komis[int(np.argmax(limits.max(axis=1)))]
    significant = _is_significant(margins, komi_of.astype(np.float64), here, labels)
    bound = f"{100 * bound_share:g} points in a hundred"
    seen = (
        f"largest difference {100 * worst_difference:.1f}, "
        f"upper limit {100 * worst_limit:.1f} at komi {worst_komi}"
    )
    if fewest < FEWEST_OPENINGS:
        verdict = Blindness.NOT_SHOWN
        words = (
            f"only {counted(fewest, 'opening')} at some komi: too few to tell whether the engines heed komi"
        )
    elif worst_limit < bound_share:
        verdict = Blindness.BLIND
        words = (
            f"the engines do not heed komi beyond {bound} ({seen}): games of one parity speak for all of it"
        )
    elif significant:
        verdict = Blindness.HEEDS_KOMI
        words = f"the engines heed komi ({seen}): only games at a komi count for it"
    else:
        verdict = Blindness.NOT_SHOWN
        words = f"the engines may heed komi by more than {bound} ({seen}): a komi's own games count only"
    return BlindnessTest(verdict, bound_share, worst_difference, worst_limit, worst_komi, words)


def _difference(
    outcomes: NDArray[np.float64], here: NDArray[np.bool_], labels: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the difference of means at each threshold and its standard error over openings."""
    first, second = outcomes[here].mean(axis=0), outcomes[~here].mean(axis=0)
    centred = outcomes - np.where(here[:, None], first, second)
    return first - second, np.sqrt(_variance(centred, here, labels))


def _variance(
    centred: NDArray[np.float64], here: NDArray[np.bool_], labels: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the variance of a difference of means, openings being the independent units."""
    influence = centred * np.where(here, 1 / np.count_nonzero(here), -1 / np.count_nonzero(~here))[:, None]
    sums = np.zeros((int(labels.max()) + 1, centred.shape[1]))
    np.add.at(sums, labels, influence)
    factor = len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0
    variance: NDArray[np.float64] = factor * (sums**2).sum(axis=0)
    return variance


def _is_significant(
    margins: NDArray[np.float64],
    komis: NDArray[np.float64],
    here: NDArray[np.bool_],
    labels: NDArray[np.intp],
) -> bool:
    """Say whether margins differ between komi at 5 %, after Holm's correction.

    Tested are the slope of the margin against komi, and each komi's mean margin against the others'.
    """
    openings = int(labels.max()) + 1
    centred = margins - margins.mean()
    lever = komis - komis.mean()
    slope = float(lever @ centred / (lever @ lever))
    sums = np.bincount(labels, lever * (centred - slope * lever), openings)
    scores = [slope * float(lever @ lever) / max(float(np.sqrt(sums @ sums)), 1e-9)]
    for row in here:
        difference, error = _difference(margins[:, None], row, labels)
        scores.append(float(difference[0]) / max(float(error[0]), 1e-9))
    smallest = min(len(np.unique(labels[row])) for row in here)
    chances = 2 * stats.t.sf(np.abs(scores), max(smallest - 1, 1))
    return min(holm([float(chance) for chance in chances])) < _SIGNIFICANT
