"""How games are found, and what a broken plugin may do to the others: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.rules import QuestionError, registry
from arena.rules.pente import Pente

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Renju(Pente):
    """A game of another distribution."""

    game = "renju"
    title = "Renju"


class Unfinished(Pente):
    """A game that is named otherwise than its entry point."""

    game = "something-else"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """Offer entry points of distributions that exist as metadata alone."""
    monkeypatch.syspath_prepend(tmp_path)

    def add(distribution: str, game: str, target: str) -> None:
        folder = tmp_path / f"{distribution}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[{registry.ENTRY_POINT_GROUP}]\n{game} = {target}\n")
        registry._plugins.cache_clear()

    yield add
    registry._plugins.cache_clear()


def test_the_games_of_this_distribution_are_found_by_their_files() -> None:
    assert {"pente", "pletore"} <= set(registry.games())
    assert list(registry.games()) == sorted(registry.games())
    for game in registry.games():
        assert registry.rules_class(game).game == game


@pytest.mark.parametrize(
    ("asked", "nearest"), [("pletor", "pletore"), ("Pente", "pente"), ("pentte", "pente")]
)
def test_an_unknown_game_is_refused_with_the_nearest_known_one(asked: str, nearest: str) -> None:
    with pytest.raises(QuestionError, match=f"did you mean '{nearest}'"):
        registry.make_rules(asked)


def test_a_game_unlike_any_other_is_refused_with_all_that_are_there() -> None:
    with pytest.raises(QuestionError, match=r"known are .*pente, .*pletore"):
        registry.make_rules("zzzz")


def test_a_game_of_another_distribution_is_taken_up(install: Callable[[str, str, str], None]) -> None:
    install("renju-for-the-arena", "renju", f"{__name__}:Renju")
    assert "renju" in registry.games()
    assert registry.make_rules("renju", size=15).size == 15


@pytest.mark.parametrize(
    ("game", "target"),
    [
        ("broken", "no_such_module_anywhere:Game"),
        ("broken", f"{__name__}:no_such_name"),
        ("broken", "math:pi"),
        ("broken", "arena.rules.base:Rules"),
        ("broken", f"{__name__}:Unfinished"),
    ],
)
def test_a_broken_plugin_is_named_when_it_is_asked_for_and_harms_nobody(
    install: Callable[[str, str, str], None], game: str, target: str
) -> None:
    install("broken-plugin", game, target)
    assert game in registry.games()
    with pytest.raises(QuestionError, match=r"distribution broken-plugin 1\.0"):
        registry.rules_class(game)
    assert registry.make_rules("pente").size == 19


def test_a_plugin_that_ends_the_program_when_loaded_does_not(
    install: Callable[[str, str, str], None], tmp_path: Path
) -> None:
    (tmp_path / "plugin_that_exits.py").write_text("raise SystemExit(3)\n")
    install("leaver", "leaving", "plugin_that_exits:Game")
    with pytest.raises(QuestionError, match=r"leaver 1\.0 cannot be loaded: SystemExit: 3"):
        registry.rules_class("leaving")


def test_a_plugin_does_not_replace_a_game_of_this_distribution(
    install: Callable[[str, str, str], None],
) -> None:
    install("impostor", "pente", f"{__name__}:Renju")
    assert registry.rules_class("pente") is Pente
    assert registry.games().count("pente") == 1


def test_one_game_from_two_distributions_is_refused_naming_both(
    install: Callable[[str, str, str], None],
) -> None:
    install("first-offer", "renju", f"{__name__}:Renju")
    install("second-offer", "renju", f"{__name__}:Renju")
    with pytest.raises(QuestionError, match=r"first-offer 1\.0 and distribution second-offer 1\.0"):
        registry.rules_class("renju")
