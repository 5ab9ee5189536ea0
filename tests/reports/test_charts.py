"""Charts exist, say what they show, and are the same for the same results."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reports.charts import MOST_BARS, _edges, save_all
from reports.extras import MissingExtraError
from reports.results import Results, from_rows
from reports.standings import standings
from tests.reports.samples import LABELS, game, season

if TYPE_CHECKING:
    from pathlib import Path

STEMS = [
    "game-length",
    "margins-by-colour",
    "margins-by-engine",
    "margins-by-pairing",
    "standings",
    "time-use",
]


def draw(results: Results, folder: Path) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    return {path.name: path.read_bytes() for path in save_all(results, standings(results), folder)}


def words(svg: bytes) -> str:
    root = ElementTree.fromstring(svg)  # noqa: S314  our own file
    return "\n".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))


def test_every_chart_comes_as_png_and_svg_with_title_and_units(tmp_path: Path) -> None:
    files = draw(season(3, 4), tmp_path)
    assert sorted(files) == sorted(f"{stem}.{ending}" for stem in STEMS for ending in ("png", "svg"))
    for stem in STEMS:
        assert files[f"{stem}.png"].startswith(b"\x89PNG")
        said = words(files[f"{stem}.svg"])
        assert "Trial cup" in said
        assert "Pletore 9x9, komi 4, 24 games" in said
        assert "(points)" in said or stem in {"game-length", "standings", "time-use"}


def test_the_same_results_give_the_same_svg(tmp_path: Path) -> None:
    one, other = draw(season(3, 2), tmp_path / "one"), draw(season(3, 2), tmp_path / "other")
    assert {k: v for k, v in one.items() if k.endswith("svg")} == {
        k: v for k, v in other.items() if k.endswith("svg")
    }


def test_many_pairings_are_spread_over_pages(tmp_path: Path) -> None:
    names = sorted(draw(season(8, 1), tmp_path))
    assert [name for name in names if name.startswith("margins-by-pairing") and name.endswith("png")] == [
        "margins-by-pairing-1.png",
        "margins-by-pairing-2.png",
    ]


def test_hostile_names_are_drawn_as_text(tmp_path: Path) -> None:
    results = season(2, 2, names=["$\\frac{", "</text><script>\x1b[2J日本" + "x" * 300])
    said = words(draw(results, tmp_path)["standings.svg"])
    assert "$\\frac{" in said
    assert "</text><script>\\x1b" in said
    assert "x" * 30 not in said


def test_an_event_without_games_has_no_charts(tmp_path: Path) -> None:
    assert draw(from_rows(["a", "b"], LABELS, []), tmp_path) == {}


def test_games_that_all_ended_by_faults_are_no_error(tmp_path: Path) -> None:
    results = from_rows(["a", "b"], LABELS, [game(0, 1, 1.0, "1", reason="time", at_fault=1, plies=3)])
    files = draw(results, tmp_path)
    assert not [name for name in files if name.startswith("margins")]
    assert "by a fault: 1" in words(files["game-length.svg"])


def test_one_engine_alone_is_no_error(tmp_path: Path) -> None:
    results = replace(season(2, 1), engines=("a", "b", "never played"))
    assert "margins-by-engine.png" in draw(results, tmp_path)


@pytest.mark.parametrize(
    "values", [[1, 3, -5, 7], [0.5, -0.5, 12.5], [2, -2, 1, 0], [float(n) for n in range(-400, 400, 3)], [4]]
)
def test_every_margin_lies_in_a_bar_and_bars_hold_the_same_number_of_values(values: list[float]) -> None:
    edges = _edges(np.array(values, dtype=float))
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert not set(edges.tolist()) & set(values)
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    assert len(edges) <= MOST_BARS + 3


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="matplotlib is missing"):
        draw(season(2, 1), tmp_path)
