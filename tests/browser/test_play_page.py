"""The seat at the board in a real browser: whole games by clicks, by keys and by words."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import TimeoutError as PageTimeoutError

from arena.cli.tables import Tables, event_against
from arena.core.schedule import Schedule
from arena.core.verify import check_record
from arena.rules.registry import make_rules
from arena.store import ReadStore
from arena.web.guard import Door
from arena.web.table import Play, application
from tests.web.servers import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from playwright.sync_api import Page

OVER = "#status:has-text('The game is over')"


@contextmanager
def seated(
    page: Page, folder: Path, game: str, colour: int = 0, engine: str = "random", **keys: Any
) -> Iterator[None]:
    """Sit down at a page; leave it before the server ends."""
    event = event_against(engine, {"game": game, **keys}, "me", "inf")
    komi = event.komi if isinstance(event.komi, int) else None
    rules = make_rules(event.game, size=event.size, komi=komi)
    with Tables(event, folder / "play.db") as tables:
        play = Play(rules, tables.lay, tables.keep)
        with served(application(play, colour, Door()), play.feed) as address:
            page.goto(address)
            yield
            page.goto("about:blank")


def plies(page: Page) -> int:
    return page.locator("#score li").count()


def wait_for_turn(page: Page, after: int) -> None:
    """Wait until it is the person's turn beyond so many plies, or the game is over."""
    page.wait_for_function(
        """after => {
            const words = document.getElementById("status").textContent;
            const isNews = document.querySelectorAll("#score li").length > after;
            return (isNews && words.startsWith("Your turn")) || words.startsWith("The game is over");
        }""",
        arg=after,
    )


def play_by_clicks(page: Page, most_turns: int) -> None:
    """Click whatever is offered, one thing after the other, until the game is over."""
    wait_for_turn(page, -1)
    for turn in range(most_turns):
        if page.locator(OVER).count():
            return
        before = plies(page)
        for _ in range(200):
            if plies(page) != before or page.locator(OVER).count():
                break
            height = page.locator("#heights button:visible:enabled")
            words = page.locator("#words button:visible:enabled")
            targets = page.locator(".target.may")
            # What was offered may be gone by now, because the last click was a whole move.
            with suppress(PageTimeoutError):
                if height.count():
                    height.first.click(timeout=1_000)
                elif targets.count():
                    target = targets.nth((turn * 7) % targets.count())
                    target.click(position={"x": 3, "y": 3}, timeout=1_000)
                elif words.count():
                    words.first.click(timeout=1_000)
            page.wait_for_timeout(30)
        wait_for_turn(page, before)


def assert_verified(folder: Path, games: int = 1) -> None:
    with ReadStore(folder / "play.db") as store:
        event, records = store.event(), list(store.records())
        assert len(records) == games
        for record in records:
            scheduled = Schedule(event).game(record.ordinal)
            assert check_record(record, scheduled, store.secret_dice_key(), event.dice) == []


@pytest.mark.parametrize(
    ("game", "keys"), [("pletore", {"size": 4, "komi": 0}), ("pente", {"size": 5}), ("topolo", {"size": 4})]
)
def test_a_whole_game_is_played_by_clicks_and_stored(
    page: Page, tmp_path: Path, game: str, keys: dict[str, Any]
) -> None:
    with seated(page, tmp_path, game, **keys):
        play_by_clicks(page, 120)
        page.locator("#kept", has_text="stored in").wait_for()
        assert page.locator(OVER).count() == 1
    assert_verified(tmp_path)


def test_checkers_are_moved_by_clicks_and_the_turn_is_kept(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, "plakoto"):
        play_by_clicks(page, 12)
        if not page.locator(OVER).count():
            resign = page.locator("#resign")
            resign.click()
            assert page.locator(OVER).count() == 0
            resign.click()
        page.locator("#kept", has_text="stored in").wait_for()
    assert_verified(tmp_path)


def test_the_board_is_played_by_keys_alone(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, "pletore", size=5):
        wait_for_turn(page, -1)
        for _ in range(10):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.classList.contains('target')"):
                break
        label = "document.activeElement.getAttribute('aria-label')"
        assert page.evaluate(label).startswith("C3")
        for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"):
            page.keyboard.press(key)
        assert page.evaluate(label).startswith("B5")
        assert "can be chosen" in page.evaluate(label)
        page.keyboard.press("Enter")
        wait_for_turn(page, 1)
        assert page.locator("#score li").first.inner_text() == "B5"


def test_a_move_can_be_typed_and_taken_back(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, "pletore", size=5):
        wait_for_turn(page, -1)
        page.fill("#word", "nonsense")
        page.keyboard.press("Enter")
        page.locator("#trouble", has_text="nonsense is no legal move").wait_for()
        page.fill("#word", "c3")
        page.keyboard.press("Enter")
        wait_for_turn(page, 1)
        page.click("#back")
        page.wait_for_function("() => document.querySelectorAll('#score li').length === 0")
        page.locator("#back", has_text="1 so far").wait_for()
        page.click("#resign")
        page.click("#resign")
        page.locator("#status", has_text="The engine has won").wait_for()
    assert_verified(tmp_path)


@pytest.mark.parametrize("colour", [0, 1])
def test_pie_is_asked_on_the_page(page: Page, tmp_path: Path, colour: int) -> None:
    with seated(page, tmp_path, "pletore", colour=colour, engine="greedy", size=5, komi="pie"):
        if colour == 0:
            page.fill("#komi", "3")
            page.click("#offer button")
        else:
            page.locator("#sides button", has_text="White").click()
        wait_for_turn(page, -1)
        if colour == 0:
            assert "komi 3" in page.locator("#caption").inner_text()


def test_another_game_follows_with_the_other_colour(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, "topolo", size=4):
        for button in ("#again-white", None):
            wait_for_turn(page, -1)
            page.click("#resign")
            page.click("#resign")
            page.locator("#kept", has_text="stored in").wait_for()
            if button is not None:
                page.click(button)
                page.locator("#status", has_text="Your turn, Black").wait_for()
    assert_verified(tmp_path, games=2)


def test_an_engine_that_cannot_play_is_named_on_the_page(page: Page, tmp_path: Path) -> None:
    with seated(page, tmp_path, "pletore", engine="/bin/true", size=5):
        page.locator("#trouble", has_text="the engine").wait_for()


def test_what_an_engine_says_runs_nothing(page: Page, tmp_path: Path) -> None:
    markup = "<img/src=x/onerror=alert(1)>"
    engine = tmp_path / "loud.py"
    engine.write_text(
        "from sample_engines.random_player import RandomPlayer\n"
        "from protocol.sdk import run\n"
        "class Loud(RandomPlayer):\n"
        f"    name = {markup!r}\n"
        "    def choose(self, position):\n"
        f"        self.info(plan={markup!r})\n"
        "        return super().choose(position)\n"
        "run(Loud())\n"
    )
    with seated(page, tmp_path, "pletore", engine=f"{{python}} {engine}", size=5):
        wait_for_turn(page, -1)
        page.fill("#word", "C3")
        page.keyboard.press("Enter")
        page.locator("#said", has_text="<img/src").wait_for()
        assert page.locator("main img").count() == 0


def test_the_page_fits_a_narrow_screen(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    with seated(page, tmp_path, "plakoto"):
        wait_for_turn(page, -1)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
