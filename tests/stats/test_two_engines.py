"""Two engines: published figures, colour, and words for what cannot be said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.stats.elo import elo_of_share, share_of_elo
from arena.stats.estimate import Estimate, Interval
from arena.stats.two_engines import strength, two_engines


@pytest.mark.parametrize(
    ("counts", "elo", "elo_error", "normalized", "normalized_error", "superiority"),
    [
        # Published by the tests of another program that computes them (normal approximations throughout).
        ([89, 123, 76], None, None, -20.76, 40.13, 0.1553),
        ([96, 111, 136], 40.70, 30.43, 49.77, 36.77, 0.9960),
        ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 28.28, 1.0),
        ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 10.96, 0.0505),
    ],
)
def test_figures_agree_with_published_ones(
    counts: list[int],
    elo: float | None,
    elo_error: float | None,
    normalized: float,
    normalized_error: float,
    superiority: float,
) -> None:
    found = strength(counts)
    assert found.normalized_elo.value == pytest.approx(normalized, abs=0.01)
    assert found.normalized_elo.interval is not None
    assert found.normalized_elo.interval.width / 2 == pytest.approx(normalized_error, rel=0.04)
    assert found.superiority.value == pytest.approx(superiority, abs=0.001)
    if elo is not None and elo_error is not None:
        assert found.elo.value == pytest.approx(elo, abs=0.01)
        assert found.elo.interval is not None
        assert found.elo.interval.width / 2 == pytest.approx(elo_error, rel=0.02)


def test_ten_wins_have_a_lower_limit_and_words_instead_of_an_upper_one() -> None:
    found = two_engines([(1.0, 1.0)] * 10)
    assert found.by_pairs is not None
    elo = found.by_pairs.elo
    assert elo.value == math.inf
    assert elo.interval is not None
    assert math.isfinite(elo.interval.low)
    assert elo.interval.high == math.inf
    assert elo.note == "all 10 pairs won: the difference has no upper limit"
    assert elo.interval.text().startswith("at least")
    assert found.by_pairs.normalized_elo.value is None
    assert 0.99 < (found.by_pairs.superiority.value or 0) < 1


def test_ten_draws_give_a_finite_interval_and_words() -> None:
    found = two_engines([(0.5, 0.5)] * 5)
    assert found.by_pairs is not None
    assert found.by_pairs.elo.value == 0
    assert "no sign of a difference" in found.by_pairs.elo.note
    assert found.by_pairs.elo.interval is not None
    assert found.by_pairs.elo.interval.is_bounded
    assert found.by_pairs.superiority.value == 0.5
    assert found.draws.value == 1.0


def test_one_pair_gives_words_and_no_interval() -> None:
    found = two_engines([(1.0, 0.0)])
    assert found.by_pairs is not None
    assert found.by_pairs.score.interval is None
    assert found.by_pairs.score.note == "one pair: no interval can be given"
    assert found.black.note == "one pair: no interval can be given"


def test_no_games_give_words() -> None:
    found = two_engines([])
    assert found.by_pairs is None
    assert found.by_games.elo.note == "no games yet"
    assert found.draws.value is None


def test_record_is_kept_by_colour() -> None:
    found = two_engines([(1.0, 0.0), (1.0, 0.5), (0.5, 0.0)])
    assert (found.as_black.wins, found.as_black.draws, found.as_black.losses) == (2, 1, 0)
    assert (found.as_white.wins, found.as_white.draws, found.as_white.losses) == (0, 1, 2)
    assert found.total.games == 6
    assert found.by_pairs is not None
    assert found.by_pairs.counts == (0, 1, 1, 1, 0)
    assert found.black.value == pytest.approx(5 / 6)
    assert found.draws.value == pytest.approx(1 / 3)


def test_games_without_a_partner_count_by_game_only() -> None:
    found = two_engines([(1.0, 0.0), (0.0, 1.0)], single_as_black=[1.0])
    assert found.by_pairs is not None
    assert sum(found.by_pairs.counts) == 2
    assert found.by_games.counts == (2, 0, 3)
    assert any("without a partner" in note for note in found.notes)


def test_one_colour_only_is_said() -> None:
    found = two_engines([], single_as_black=[1.0, 0.0, 1.0])
    assert any("one colour only" in note for note in found.notes)


def test_pairs_that_cancel_the_opening_narrow_the_interval() -> None:
    """Every opening is won by Black: by game all is chance, by pair nothing is."""
    found = two_engines([(1.0, 0.0)] * 50)
    assert found.by_pairs is not None
    assert found.by_pairs.score.interval is not None
    assert found.by_games.score.interval is not None
    assert found.by_pairs.score.interval.width < found.by_games.score.interval.width
    assert found.black.value == 1.0


def test_swapping_the_engines_mirrors_everything() -> None:
    pairs = [(1.0, 0.5), (0.0, 1.0), (0.5, 0.5), (1.0, 1.0), (0.0, 0.0), (1.0, 0.0)]
    forward = two_engines(pairs)
    backward = two_engines([(1 - second, 1 - first) for first, second in pairs])
    assert forward.by_pairs is not None
    assert backward.by_pairs is not None
    assert forward.by_pairs.elo.value == pytest.approx(-(backward.by_pairs.elo.value or 0))
    assert forward.by_pairs.superiority.value == pytest.approx(1 - (backward.by_pairs.superiority.value or 0))
    assert forward.black == backward.black


def test_impossible_points_are_refused() -> None:
    with pytest.raises(ValueError, match=r"0, 0\.5 or 1"):
        two_engines([(2.0, 0.0)])
    with pytest.raises(ValueError, match="three counts"):
        strength([1, 2])


def test_superiority_is_uniform_between_equal_engines() -> None:
    rng = np.random.default_rng(4)
    tables = rng.multinomial(100, [0.1, 0.2, 0.4, 0.2, 0.1], size=400)
    below = np.mean([(strength(table).superiority.value or 0) < 0.05 for table in tables])
    assert 0.02 < below < 0.09


def test_elo_and_share_are_inverse_and_infinite_at_the_ends() -> None:
    for elo in (-700.0, -3.0, 0.0, 250.0):
        assert elo_of_share(share_of_elo(elo)) == pytest.approx(elo)
    assert elo_of_share(0.0) == -math.inf
    assert elo_of_share(1.0) == math.inf
    assert share_of_elo(400) == pytest.approx(10 / 11)
    with pytest.raises(ValueError, match="share"):
        elo_of_share(1.2)


def test_estimates_read_as_words() -> None:
    assert Interval(-math.inf, math.inf, 0.95, "").text() == "no limit on either side"
    assert Interval(-math.inf, 2.0, 0.95, "").text() == "at most 2.0"
    assert Estimate(1.25, Interval(1, 2, 0.95, ""), "rough").text(2) == "1.25 (1.00 to 2.00) [rough]"
    assert Estimate(None, None, "no games").text() == "no games"
    assert 1.5 in Interval(1, 2, 0.95, "")
