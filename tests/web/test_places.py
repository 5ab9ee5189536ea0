"""Which boards the live page has: of the games that run, and for a moment of one that has just ended."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arena.core.running import RunningGame, view_to_bytes
from arena.web.results import ResultsReader
from arena.web.watch import Watch
from tests.cli.played import an_event

if TYPE_CHECKING:
    from pathlib import Path


class Page:
    """A watch that hears what the test says, at the time that the test says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.heard: list[bytes] = []
        self.reader = ResultsReader(folder / "cup.db", an_event())
        self.watch = Watch(self.reader)
        monkeypatch.setattr("arena.web.watch.time.monotonic", lambda: self.now)
        monkeypatch.setattr(self.watch, "_datagrams", lambda: iter(self.heard))

    def hears(self, *views: RunningGame, after_s: float = 0.2) -> dict[str, Any]:
        """Let time pass, send views, and return what the page is told of games."""
        self.now += after_s
        self.heard = [data for view in views if (data := view_to_bytes(view)) is not None]
        self.watch._receive()
        self.watch._forget()
        self.watch._publish()
        return self.told("games")

    def told(self, section: str) -> dict[str, Any]:
        """Return what a section of the page says."""
        ((_, text),) = self.watch.feed.since(0, section.__eq__)[1]
        found: dict[str, Any] = json.loads(text)
        return found


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    return Page(tmp_path, monkeypatch)


def a_view(number: int, *, attempt: int = 1) -> RunningGame:
    return RunningGame(f"1-2.{number}a", attempt, "pletore", 5, 1, "one", "two", 0, ("A1",), 0)


def over(view: RunningGame) -> RunningGame:
    return replace(view, is_over=True)


def test_quick_games_two_at_a_time_are_never_more_than_two_boards(page: Page) -> None:
    slow = a_view(99)
    for number in range(1, 30):
        told = page.hears(slow, a_view(number), *([over(a_view(number - 1))] if number > 1 else []))
        assert told["count"] == 2
        assert told["shown"] == ["1-2.99a", f"1-2.{number}a"]
        assert told["others"] == []


def test_a_game_that_is_over_stays_for_a_moment_and_does_not_count(page: Page) -> None:
    page.hears(a_view(1))
    told = page.hears(over(a_view(1)))
    assert (told["count"], told["shown"]) == (0, ["1-2.1a"])
    assert page.told("board 1-2.1a")["over"] is True
    told = page.hears(after_s=3)
    assert (told["count"], told["shown"]) == (0, [])


def test_the_end_of_an_earlier_attempt_ends_no_later_one(page: Page) -> None:
    page.hears(a_view(1), a_view(1, attempt=2))
    assert page.hears(over(a_view(1)))["count"] == 1


def test_news_that_come_after_the_result_bring_no_game_back(page: Page) -> None:
    page.reader.finished = frozenset({("1-2.1a", 1)})
    assert page.hears(a_view(1))["shown"] == []
    assert page.hears(a_view(1, attempt=2))["count"] == 1


def test_when_no_run_is_on_its_games_are_soon_gone(page: Page) -> None:
    page.hears(a_view(1))
    assert page.hears(after_s=10)["count"] == 1
    page.reader.is_running = False
    assert page.hears()["shown"] == []
