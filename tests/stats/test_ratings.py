"""Ratings: published fits, statsmodels, literal formulas, known truth, and the cases without an answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize
from statsmodels.discrete.discrete_model import Logit

from arena.stats.elo import ELO_PER_NAT
from arena.stats.ratings import Rating, Ratings, rate

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_RECORDS = {
    # Agresti, Categorical Data Analysis (1990), table 10.11: won-lost at home against the other teams in
    # this order.
    "Milwaukee": "4-3 4-2 4-3 6-1 4-2 6-0",
    "Detroit": "3-3 4-2 4-3 6-0 6-1 4-3",
    "Toronto": "2-5 4-3 2-4 4-3 4-2 6-0",
    "New York": "3-3 5-1 2-5 4-3 4-2 6-1",
    "Boston": "5-1 2-5 3-3 4-2 5-2 6-0",
    "Cleveland": "2-5 3-3 3-4 4-3 4-2 2-4",
    "Baltimore": "2-5 1-5 1-6 2-4 1-6 3-4",
}


def baseball() -> tuple[list[int], list[int], list[float]]:
    black, white, points = [], [], []
    for home, team in enumerate(TEAMS):
        others = [index for index in range(len(TEAMS)) if index != home]
        for away, record in zip(others, HOME_RECORDS[team].split(), strict=True):
            won, lost = (int(number) for number in record.split("-"))
            black += [home] * (won + lost)
            white += [away] * (won + lost)
            points += [1.0] * won + [0.0] * lost
    return black, white, points


def by_player(ratings: Ratings) -> dict[int, Rating]:
    return {rating.player: rating for group in ratings.groups for rating in group.ratings}


def test_baseball_with_home_advantage_gives_the_published_abilities() -> None:
    """Turner & Firth, Bradley-Terry models in R (J. Stat. Softw. 2012); at home 0.302 (0.131)."""
    black, white, points = baseball()
    found = rate(7, black, white, points, anchor=6, can_draw=False, virtual_games=1e-9)
    published = {
        "Boston": 1.1438,
        "Cleveland": 0.7047,
        "Detroit": 1.4754,
        "New York": 1.2813,
        "Toronto": 1.3271,
    }
    for team, ability in published.items():
        assert by_player(found)[TEAMS.index(team)].elo / ELO_PER_NAT == pytest.approx(ability, abs=2e-4)
    assert found.black_elo.value is not None
    assert found.black_elo.value / ELO_PER_NAT == pytest.approx(0.3023, abs=1e-4)
    assert found.black_elo.interval is not None
    assert found.black_elo.interval.width / 2 / 1.96 / ELO_PER_NAT == pytest.approx(0.131, abs=0.002)


def test_citations_between_journals_give_the_published_abilities() -> None:
    """Stigler's journals (Agresti; Turner & Firth 2012): relative to Biometrika -2.949, -0.480, 0.269."""
    counts = {(0, 1): (730, 33), (0, 2): (498, 320), (0, 3): (221, 284), (1, 2): (68, 813), (1, 3): (17, 276)}
    counts[2, 3] = (142, 325)
    black, white, points = [], [], []
    for (first, second), (won, lost) in counts.items():
        # Half of the games with each colour, so that no advantage of Black is estimated.
        for amount, point in ((won, 1.0), (lost, 0.0)):
            for number in range(amount):
                swapped = number % 2
                black.append(second if swapped else first)
                white.append(first if swapped else second)
                points.append(1 - point if swapped else point)
    found = by_player(rate(4, black, white, points, can_draw=False, virtual_games=1e-9))
    for player, ability in ((1, -2.949), (2, -0.480), (3, 0.269)):
        assert found[player].elo / ELO_PER_NAT == pytest.approx(ability, abs=2e-3)


def test_clustered_errors_equal_those_of_statsmodels() -> None:
    rng = np.random.default_rng(8)
    players, pairs = 4, 300
    strengths = np.array([0.0, 0.4, -0.3, 0.8])
    first = rng.integers(players, size=pairs)
    second = (first + rng.integers(1, players, size=pairs)) % players
    luck = rng.normal(0, 0.8, size=pairs)
    black = np.stack([first, second], axis=1).ravel()
    white = np.stack([second, first], axis=1).ravel()
    labels = np.repeat(np.arange(pairs), 2)
    chance = 1 / (1 + np.exp(-(strengths[black] - strengths[white] + 0.2 + np.repeat(luck, 2))))
    points = (rng.random(2 * pairs) < chance).astype(float)
    design = np.zeros((2 * pairs, players + 1))
    design[np.arange(2 * pairs), black] = 1
    design[np.arange(2 * pairs), white] = -1
    design[:, -1] = 1
    fit = Logit(points, design[:, 1:]).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False}
    )
    found = rate(players, black, white, points, labels, can_draw=False, virtual_games=0.0)
    factor = math.sqrt(pairs / (pairs - 1))
    for player in range(1, players):
        rating = by_player(found)[player]
        assert rating.elo / ELO_PER_NAT == pytest.approx(float(fit.params[player - 1]), abs=1e-6)
        assert rating.interval is not None
        error = rating.interval.width / 2 / 1.959964 / ELO_PER_NAT
        assert error == pytest.approx(float(fit.bse[player - 1]) * factor, rel=1e-5)


def test_draws_and_colour_equal_the_literal_formula_of_davidson_and_beaver() -> None:
    """Maximise pi_i : nu sqrt(pi_i pi_j) : gamma pi_j as printed in the paper, by a general optimiser."""
    rng = np.random.default_rng(9)
    black = rng.integers(3, size=400)
    white = (black + rng.integers(1, 3, size=400)) % 3
    points = rng.choice([0.0, 0.5, 1.0], size=400, p=[0.3, 0.25, 0.45])

    def unlikely(parameters: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        worth = np.exp(np.array([0.0, parameters[0], parameters[1]]))
        gamma, nu = math.exp(parameters[2]), math.exp(parameters[3])
        win = worth[black]
        draw = nu * np.sqrt(worth[black] * worth[white])
        loss = gamma * worth[white]
        chosen = np.where(points == 1, win, np.where(points == 0, loss, draw))
        return float(-np.sum(np.log(chosen / (win + draw + loss))))

    literal = optimize.minimize(unlikely, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    found = rate(3, black, white, points, virtual_games=0.0)
    assert by_player(found)[1].elo / ELO_PER_NAT == pytest.approx(literal[0], abs=1e-4)
    assert by_player(found)[2].elo / ELO_PER_NAT == pytest.approx(literal[1], abs=1e-4)
    assert found.black_elo.value is not None
    assert found.black_elo.value / ELO_PER_NAT == pytest.approx(-literal[2], abs=1e-4)
    rate_between_equals = math.exp(literal[3] - literal[2] / 2)
    assert found.draw_share.value == pytest.approx(rate_between_equals / (2 + rate_between_equals), abs=1e-4)


def test_who_won_everything_gets_a_finite_rating_with_an_honest_interval() -> None:
    black = [0, 1] * 10 + [1, 2] * 10
    white = [1, 0] * 10 + [2, 1] * 10
    points = [1.0, 0.0] * 10 + [1.0, 1.0, 0.0, 0.0] * 5
    found = rate(3, black, white, points, np.repeat(np.arange(20), 2), anchor=1, can_draw=False)
    winner = by_player(found)[0]
    assert winner.note == "won every game"
    assert 300 < winner.elo < 900
    assert winner.interval is not None
    assert winner.interval.is_bounded
    # Twenty games won out of twenty refute an even match, and leave the upper end wide open.
    assert 100 < winner.interval.low < winner.elo - 200
    assert winner.interval.high > winner.elo + 300
    superiority = found.superiority[0][1]
    assert superiority is not None
    assert superiority > 0.999


def test_engines_that_never_met_are_not_rated_against_each_other() -> None:
    found = rate(5, [0, 1, 2, 3, 3], [1, 0, 3, 2, 2], [1, 0, 1, 1, 0], anchor=1)
    assert [sorted(rating.player for rating in group.ratings) for group in found.groups] == [[0, 1], [2, 3]]
    assert found.groups[0].anchor == 1
    assert found.groups[1].anchor in (2, 3)
    assert found.superiority[0][2] is None
    assert found.superiority[2][3] is not None
    assert found.superiority[0][0] is None
    assert "2 groups" in found.notes[0]
    assert any("without games" in note for note in found.notes)


def test_anchor_gives_its_number_to_the_scale() -> None:
    black, white, points = baseball()
    plain = by_player(rate(7, black, white, points, anchor=6))
    moved = by_player(rate(7, black, white, points, anchor=2, anchor_elo=1500.0))
    assert moved[2].elo == 1500.0
    assert moved[2].interval is None
    assert moved[0].elo - moved[2].elo == pytest.approx(plain[0].elo - plain[2].elo, abs=1e-5)


def test_colours_that_were_never_swapped_are_reported() -> None:
    found = rate(2, [0] * 10, [1] * 10, [1.0, 0.0] * 5)
    assert found.black_elo.value is None
    assert "cannot be told from strength" in found.black_elo.note
    assert any("not swapped" in note for note in found.notes)


def test_black_winning_everything_is_no_sign_of_strength() -> None:
    found = rate(2, [0, 1] * 20, [1, 0] * 20, [1.0] * 40, np.repeat(np.arange(20), 2))
    assert by_player(found)[1].elo == pytest.approx(0, abs=1e-6)
    assert found.black_elo.value is not None
    assert 300 < found.black_elo.value < 1500
    assert "Black won every game" in found.black_elo.note


def test_all_draws_are_finite() -> None:
    found = rate(2, [0, 1] * 10, [1, 0] * 10, [0.5] * 20, np.repeat(np.arange(10), 2))
    assert by_player(found)[1].elo == pytest.approx(0, abs=1e-6)
    assert found.draw_share.value is not None
    assert 0.9 < found.draw_share.value < 1
    assert found.superiority[0][1] == pytest.approx(0.5)


def test_order_of_games_and_names_of_pairs_do_not_matter() -> None:
    black, white, points = (np.array(part) for part in baseball())
    labels = np.arange(len(points)) // 2
    order = np.random.default_rng(3).permutation(len(points))
    first = rate(7, black, white, points, labels)
    second = rate(7, black[order], white[order], points[order], 1_000 - labels[order])
    for player, rating in by_player(first).items():
        other = by_player(second)[player]
        assert rating.elo == pytest.approx(other.elo, abs=1e-6)
        if rating.interval is not None and other.interval is not None:
            assert rating.interval.low == pytest.approx(other.interval.low, abs=1e-5)


@pytest.mark.parametrize(
    ("black", "white", "points", "words"),
    [
        ([0], [0], [1.0], "against itself"),
        ([0], [2], [1.0], "index"),
        ([0], [1], [0.7], "0, 0.5 or 1"),
        ([0], [1, 0], [1.0], "one length"),
        ([0], [1], [0.5], "cannot be drawn"),
    ],
)
def test_impossible_games_are_refused(
    black: list[int], white: list[int], points: list[float], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        rate(2, black, white, points, can_draw=False)


def test_no_games_give_words() -> None:
    assert rate(3, [], [], []).notes == ("No games: there is nothing to rate.",)


STRENGTHS = np.array([0.0, 0.5, -0.5, 1.0])


def tournament(rng: np.random.Generator, cycles: int, *, draws: bool) -> Ratings:
    """Play a round robin of pairs; each opening favours Black more or less, in both games of its pair."""
    players = len(STRENGTHS)
    meetings = np.array([(first, second) for first in range(players) for second in range(first)] * cycles)
    black, white = meetings.ravel(), meetings[:, ::-1].ravel()
    labels = np.repeat(np.arange(len(meetings)), 2)
    luck = np.repeat(rng.choice([-1.0, 1.0], size=len(meetings)), 2)
    eta = STRENGTHS[black] - STRENGTHS[white] + 0.3 + luck
    draw, win, loss = float(draws), np.exp(eta / 2), np.exp(-eta / 2)
    number = rng.random(len(black)) * (win + loss + draw)
    points = np.where(number < win, 1.0, np.where(number < win + draw, 0.5, 0.0))
    return rate(players, black, white, points, labels, can_draw=draws)


@pytest.mark.parametrize("draws", [False, True])
def test_intervals_cover_the_truth_when_games_of_a_pair_share_luck(draws: bool) -> None:
    """Luck in openings flattens the curve: the truth is what the model finds in an endless tournament."""
    truth = {
        player: rating.elo
        for player, rating in by_player(tournament(np.random.default_rng(1), 4_000, draws=draws)).items()
    }
    rng = np.random.default_rng(10)
    held = []
    for _ in range(100):
        for player, rating in by_player(tournament(rng, 12, draws=draws)).items():
            if rating.interval is not None:
                held.append(truth[player] in rating.interval)
    coverage = float(np.mean(held))
    print(f"draws {draws}: coverage {coverage:.3f} of {len(held)}")
    assert coverage >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 100)


def test_prior_vanishes_with_many_games() -> None:
    rng = np.random.default_rng(12)
    black = np.tile([0, 1], 20_000)
    chance = 1 / (1 + np.exp(-np.where(black == 0, 1.0, -1.0)))
    points = (rng.random(40_000) < chance).astype(float)
    found = by_player(rate(2, black, 1 - black, points, np.arange(40_000) // 2, can_draw=False))
    assert found[1].elo == pytest.approx(-ELO_PER_NAT, abs=4)
