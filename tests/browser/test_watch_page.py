"""The live page in a real browser: what happens arrives without a reload, and nothing told is markup."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.core.running import ClockFace, RunningGame, view_to_bytes
from arena.core.schedule import Schedule
from arena.rules.registry import games as all_games
from arena.rules.registry import make_rules
from arena.store import ReadStore, RunStore
from arena.store.watching import Announcer
from arena.web.guard import Door
from arena.web.results import ResultsReader
from arena.web.watch import Watch, application
from tests.cli.played import an_event, play
from tests.store import builders
from tests.web.servers import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from arena.core.event import Event
    from tests.browser.conftest import Said

MARKUP = "</script><img src=x onerror=alert(1)><b>&amp;\"'"


@contextmanager
def watched(page: Page, database: Path, door: Door | None = None) -> Iterator[str]:
    """Serve the page of a database, and leave it before the server ends."""
    with ReadStore(database) as store:
        event = store.event()
    watch = Watch(ResultsReader(database, event))
    with served(application(watch, door or Door()), watch.feed) as address:
        yield address
        page.goto("about:blank")


def a_view(event: Event, *moves: str, number: int = 1, name: str = "one") -> RunningGame:
    clock = ClockFace("60", 59_000_000, None, None, None)
    return RunningGame(
        f"1-2.{number}a", 1, event.game, event.size, event.komi if isinstance(event.komi, int) else None,
        name, "two", 0, moves, 0, clocks=(clock, clock), said=({"winrate": name}, {}),
    )  # fmt: skip


def tell(database: Path, *views: RunningGame) -> None:
    with closing(Announcer(database)) as announcer:
        assert announcer.look()
        for view in views:
            data = view_to_bytes(view)
            assert data is not None
            while not announcer.send(data):
                time.sleep(0.01)


def test_results_and_moves_arrive_without_a_reload(page: Page, tmp_path: Path) -> None:
    event = builders.event()
    database = tmp_path / "cup.db"
    with RunStore.create_or_resume(database, event) as store, watched(page, database) as address:
        page.goto(address)
        page.evaluate("window.isTheSamePage = true")
        page.locator("#progress", has_text="0 of 6 games played, running").wait_for()
        store.add([builders.record(event, 0)])
        page.locator("#results", has_text="2-3.1a").wait_for()
        page.locator("#progress", has_text="1 of 6 games played").wait_for()
        page.locator("#standings td", has_text="100.0%").wait_for()
        tell(database, a_view(event, "C3"))
        card = page.locator(".card")
        card.get_by_text("White to move").wait_for()
        assert "Black stone of the last move: C3" in (card.locator("svg").get_attribute("aria-label") or "")
        tell(database, a_view(event, "C3", "D4"))
        card.get_by_text("Last moves: C3 D4").wait_for()
        assert "White stone of the last move: D4" in (card.locator("svg").get_attribute("aria-label") or "")
        clock = card.locator(".side.moves .clock")
        before = clock.inner_text()
        page.wait_for_function(
            "before => document.querySelector('.side.moves .clock').innerText !== before", arg=before
        )
        assert page.evaluate("window.isTheSamePage")


def test_a_page_whose_server_has_ended_says_so(page: Page, said: Said, tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    with ReadStore(database) as store:
        watch = Watch(ResultsReader(database, store.event()))
    with served(application(watch, Door()), watch.feed) as address:
        page.goto(address)
        page.locator("#progress", has_text="12 of 12").wait_for()
    page.locator("#connection", has_text="is lost").wait_for()
    page.goto("about:blank")
    said.errors.clear()


def test_a_run_that_has_died_and_one_that_is_finished_are_told_apart(page: Page, tmp_path: Path) -> None:
    event = an_event()
    database = play(tmp_path / "cup.db", event)
    with watched(page, database) as address:
        page.goto(address)
        page.locator("#progress", has_text="12 of 12 games played, finished").wait_for()
        page.locator("#no-games", has_text="Every game has been played").wait_for()
        assert page.locator("#boards-title").inner_text() == "No game in progress"
        page.locator("#results a").first.click()
        page.locator(".card", has_text="turns").wait_for()
        assert "score" in page.locator(".card .head").inner_text()


@pytest.mark.parametrize("game", all_games())
def test_a_running_game_of_every_kind_has_its_board(page: Page, tmp_path: Path, game: str) -> None:
    event = an_event(game)
    ids = [scheduled.id for scheduled in Schedule(event)]
    database = play(tmp_path / "cup.db", event, unplayed=ids)
    komi = event.komi if isinstance(event.komi, int) else None
    rules = make_rules(game, size=event.size, komi=komi)
    position = rules.initial()
    dice = ((6, 5),) if rules.has_dice else ()
    if rules.has_dice:
        position.set_dice(6, 5)
    word = rules.format_move(position.legal_moves()[0])
    with watched(page, database) as address:
        page.goto(address)
        page.locator("#progress", has_text="0 of 12").wait_for()
        tell(database, replace(a_view(event, word), dice=dice))
        card = page.locator(".card")
        card.locator("svg").wait_for()
        assert word in card.inner_text()
        assert "board" in (card.locator("svg").get_attribute("aria-label") or "").lower()


def test_hostile_names_and_words_run_nothing(page: Page, tmp_path: Path) -> None:
    event = replace(an_event(names=(MARKUP, "b" * 300, "c")), name=MARKUP)
    database = play(tmp_path / "cup.db", event, faulty=["1-2.1a"])
    with watched(page, database) as address:
        page.goto(address)
        page.locator("#results tr").nth(3).wait_for()
        view = a_view(event, "A1", name=MARKUP)
        tell(database, replace(view, id="7-8.1a"))
        page.locator(".card").wait_for()
        assert MARKUP in page.locator(".card").inner_text()
        assert MARKUP in page.locator("#standings").inner_text()
        assert page.locator("h1").inner_text() == MARKUP
        assert page.locator("main img, main script, main b").count() == 0
        tell(database, replace(view, id="7-8.2a", moves=("<img src=x onerror=alert(2)>",)))
        page.get_by_text("this game cannot be shown").wait_for()


def test_views_that_are_none_are_ignored_and_many_games_are_listed(page: Page, tmp_path: Path) -> None:
    event = an_event()
    database = play(tmp_path / "cup.db", event, unplayed=[game.id for game in Schedule(event)])
    with watched(page, database) as address:
        page.goto(address)
        page.locator("#progress", has_text="0 of 12").wait_for()
        with closing(Announcer(database)) as announcer:
            assert announcer.look()
            for nonsense in (b"", b"{}", b"\xff" * 100, b"[" * 60_000):
                announcer.send(nonsense)
        for number in range(1, 12):
            tell(database, a_view(event, "A1", number=number))
        page.locator("#others", has_text="Further games in progress").wait_for()
        page.wait_for_function("() => document.querySelectorAll('.card').length === 8")
        page.locator("#others a").first.click()
        page.locator(".card svg").wait_for()


def test_narrow_screens_do_not_scroll_sideways(page: Page, tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event(names=("n" * 300, "w w " * 75, "c")))
    page.set_viewport_size({"width": 320, "height": 640})
    with watched(page, database) as address:
        page.goto(address)
        page.locator("#results tr").nth(3).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_token_is_taken_from_the_fragment_and_leaves_the_address(page: Page, tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event())
    door = Door("a-token-of-more-than-20-characters")
    with watched(page, database, door) as address:
        page.goto(f"{address}/{door.fragment}")
        page.locator("#progress", has_text="12 of 12").wait_for()
        assert "token" not in page.url
        assert page.context.cookies()[0]["httpOnly"] is True
