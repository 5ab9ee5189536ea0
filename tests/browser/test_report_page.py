"""The report in a real browser, opened from the disk: replays, links to a turn, keys, and hostile texts."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import pytest

from arena.core.record import Evidence
from arena.rules.base import WHITE
from arena.rules.registry import games as all_games
from arena.store import ReadStore, RunStore
from reports.page.folder import write_report
from tests.cli.played import an_event, play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.conftest import Said

FAULTY = "1-2.1a"
MARKUP = "</script><img src=x onerror=alert(1)><b>&amp;\"'"


def report(databases: Sequence[Path], folder: Path) -> str:
    """Write a report and return its address."""
    stores = [ReadStore(database) for database in databases]
    try:
        return write_report(stores, folder).page.as_uri()
    finally:
        for store in stores:
            store.close()


@pytest.fixture(scope="session")
def cup(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a Pletore event with one fault."""
    folder = tmp_path_factory.mktemp("cup")
    return report([play(folder / "cup.db", an_event(), faulty=[FAULTY])], folder / "report")


@pytest.fixture(scope="session")
def four_games(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One report of an event of each game; the events stand in the order of the games' names."""
    folder = tmp_path_factory.mktemp("four")
    databases = [play(folder / f"{game}.db", an_event(game, ("one", "two"))) for game in all_games()]
    return report(databases, folder / "report")


def status(page: Page) -> str:
    return page.locator("#replay-status").inner_text()


def test_the_page_shows_tables_charts_and_games_and_asks_no_network(page: Page, said: Said, cup: str) -> None:
    page.goto(cup)
    assert page.title() == "Trial cup: report"
    for heading in (
        "Standings",
        "Score margins",
        "Forfeits",
        "Use of time",
        "Openings",
        "Environment",
        "Games",
    ):
        assert page.get_by_role("heading", name=heading, exact=True).count() == 1
    assert page.locator("figure svg").count() >= 5
    page.locator(".list tbody tr").nth(11).wait_for()
    assert all(address.startswith(("file:", "data:")) for address in said.requests)


def test_a_game_opens_from_the_list_and_steps_by_buttons(page: Page, cup: str) -> None:
    page.goto(cup)
    page.locator(".list a", has_text="1-2.1b").click()
    page.locator("#replay-board svg").wait_for()
    assert "1-2.1b" in page.locator("#replay-title").inner_text()
    assert status(page) == "At the start."
    page.get_by_label("One turn on (Right)").click()
    assert status(page).startswith("Turn 1: Black ")
    assert "opening, played by the referee" in status(page)
    page.get_by_label("To the end (End)").click()
    assert "result " in status(page)
    assert page.get_by_label("One turn on (Right)").is_disabled()
    page.get_by_label("Ten turns back (Page Up)").click()
    page.get_by_label("To the start (Home)").click()
    assert status(page) == "At the start."


def test_keys_step_and_jump(page: Page, cup: str) -> None:
    page.goto(f"{cup}#1-2.1b")
    page.locator("#replay-board svg").wait_for()
    for key, turn in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11), ("Home", 0)):
        page.keyboard.press(key)
        assert page.locator("#replay-of").inner_text().startswith(f"{turn} of ")
    page.keyboard.press("End")
    last = page.locator("#replay-of").inner_text().split(" of ")
    assert last[0] == last[1]


def test_a_link_to_a_turn_opens_it_and_the_address_follows_the_steps(page: Page, cup: str) -> None:
    page.goto(f"{cup}#1-2.1b/5")
    page.locator("#replay-board svg").wait_for()
    assert status(page).startswith("Turn 5: Black ")
    assert page.locator("#replay-moves [aria-current]").inner_text().startswith("5.")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith("#1-2.1b/6")
    page.locator("#replay-moves a").nth(2).click()
    page.get_by_text("Turn 3: ").wait_for()
    page.get_by_text("Back to the report").click()
    page.locator("#report").wait_for()
    assert page.locator("#replay").is_hidden()


def test_steps_forward_and_a_jump_back_show_the_same_board(page: Page, cup: str) -> None:
    page.goto(f"{cup}#1-2.1b/7")
    page.locator("#replay-board svg").wait_for()
    at_seven = page.locator("#replay-words").text_content()
    page.keyboard.press("End")
    assert page.locator("#replay-words").text_content() != at_seven
    page.keyboard.press("Home")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    assert page.locator("#replay-words").text_content() == at_seven


@pytest.mark.parametrize("game", all_games())
def test_every_game_is_drawn_and_told_in_words(page: Page, four_games: str, game: str) -> None:
    number = all_games().index(game) + 1
    prefix = "" if number == 1 else f"e{number}:"
    page.goto(f"{four_games}#{prefix}1-2.1a/4")
    page.locator("#replay-board svg").wait_for()
    shown = set(re.findall(rf"#{game}-[0-9]+", page.locator("#replay-board").inner_html()))
    assert len(shown) > 2
    words = page.locator("#replay-words").text_content() or ""
    assert {"pletore": "Black stone", "pente": "Black stone", "topolo": "Red piece", "plakoto": "checker"}[
        game
    ] in words
    assert page.locator("#replay-board svg").get_attribute("aria-label")
    assert page.locator("#replay-caption").inner_text().endswith(".")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_words_of_the_browser_are_those_of_python(page: Page, tmp_path: Path) -> None:
    from arena.rules.registry import make_rules
    from reports.boards import drawing_of
    from reports.positions import replayed

    database = play(tmp_path / "cup.db", an_event("plakoto", ("one", "two")))
    with ReadStore(database) as store:
        record = store.record("1-2.1a")
    assert record is not None
    position, turns = replayed(record, 9)
    drawing = drawing_of(make_rules("plakoto"))
    assert drawing is not None
    last = position.rules.parse_move(turns[-1].move)
    page.goto(f"{report([database], tmp_path / 'report')}#1-2.1a/9")
    page.locator("#replay-board svg").wait_for()
    assert page.locator("#replay-words").text_content() == drawing.alternative(drawing.state(position, last))
    assert page.locator("#replay-caption").inner_text() == drawing.caption(position)


def test_a_fault_shows_its_evidence_as_text(page: Page, cup: str) -> None:
    page.goto(cup)
    page.locator("td a", has_text=FAULTY).first.click()
    evidence = page.locator("#replay-evidence")
    evidence.get_by_text("Z99 is no move here").wait_for()
    assert r"\x1b[2JZ99" in evidence.inner_text()
    assert "boom" in evidence.inner_text()


def test_hostile_names_and_standard_error_stay_text(page: Page, said: Said, tmp_path: Path) -> None:
    names = (f"one{MARKUP}", "javascript:alert(2)//", "x" * 300)
    event = an_event("pletore", names)
    database = play(tmp_path / "cup.db", dataclasses.replace(event, name=f"Cup {MARKUP}"), faulty=[FAULTY])
    with ReadStore(database) as store:
        record = store.record(FAULTY)
    assert record is not None
    kept = Evidence(MARKUP, MARKUP, f"{MARKUP}\n\u2028{MARKUP}", MARKUP, (MARKUP,))
    infos = tuple({"winrate": MARKUP, MARKUP: MARKUP} for _ in record.moves)
    with RunStore.open(database) as store:
        store.replay(FAULTY, MARKUP)
        store.add(
            [dataclasses.replace(record, attempt=2, evidence={WHITE: kept}, infos=infos, opening=MARKUP)]
        )
    page.goto(report([database], tmp_path / "report"))
    page.locator(".list a", has_text=FAULTY).click()
    page.locator("#replay-evidence pre").first.wait_for()
    page.keyboard.press("End")
    assert page.locator("#replay-title").inner_text().startswith(f"Game {FAULTY}: ")
    assert MARKUP in page.locator("#replay-evidence").inner_text()
    assert page.evaluate("document.querySelectorAll('img, b, iframe, object').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert said.dialogs == []


def test_the_list_filters_by_engine_and_reason(page: Page, cup: str) -> None:
    page.goto(cup)
    page.locator(".filter").wait_for()
    page.get_by_role("combobox", name="ended by").select_option("illegal-move")
    assert page.locator(".list tbody tr").count() == 1
    page.get_by_role("combobox", name="ended by").select_option("")
    page.get_by_role("combobox", name="Engine").select_option(label="slow")
    page.get_by_role("combobox", name="against").select_option(label="greedy")
    assert page.locator(".list tbody tr").count() == 4
    page.get_by_role("textbox", name="Game").fill("no such game")
    assert page.locator(".pager").inner_text() == "No such game."


def test_what_the_engines_said_is_drawn_below_the_board(page: Page, tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event("pletore", ("one", "two")))
    with ReadStore(database) as store:
        record = store.record("1-2.1a")
    assert record is not None
    infos = tuple({"winrate": 0.5 + ply / 100, "score": 1.5, "nodes": 7} for ply in range(len(record.moves)))
    with RunStore.open(database) as store:
        store.replay("1-2.1a", "again")
        store.add([dataclasses.replace(record, attempt=2, infos=infos)])
    page.goto(f"{report([database], tmp_path / 'report')}#1-2.1a/3")
    page.locator("#replay-graphs svg").nth(1).wait_for()
    assert "winrate 0.52, score 1.5, nodes 7" in status(page)
    box = page.locator("#replay-graphs svg").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.99, box["y"] + box["height"] / 2)
    page.get_by_text(f"Turn {len(record.moves)}: ").wait_for()


def test_a_narrow_screen_needs_no_scrolling_sideways(page: Page, cup: str) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    for address in (cup, f"{cup}#1-2.1b/9"):
        page.goto("about:blank")
        page.goto(address)
        page.locator(".list tbody tr").first.wait_for(state="attached")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_everything_can_be_reached_by_tab_and_has_a_name(page: Page, cup: str) -> None:
    page.goto(f"{cup}#1-2.1b/2")
    page.locator("#replay-board svg").wait_for()
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                "(e => e.getAttribute('aria-label') || e.innerText || e.id)(document.activeElement)"
            )
        )
    assert "Back to the report" in names
    assert "One turn on (Right)" in names
    assert "replay-ply" in names
    assert all(names)


def test_a_missing_file_is_told(page: Page, said: Said, tmp_path: Path) -> None:
    database = play(tmp_path / "cup.db", an_event("topolo", ("one", "two")))
    address = report([database], tmp_path / "report")
    (tmp_path / "report" / "1" / "games" / "000" / "0.js").unlink()
    page.goto(address)
    page.locator(".list a").first.click()
    page.locator("#report-problem").wait_for()
    assert "is missing beside this page" in page.locator("#report-problem").inner_text()
    said.errors.clear()  # the browser itself reports the file that is not there


def test_an_empty_event_has_a_page(page: Page, tmp_path: Path) -> None:
    event = an_event()
    database = tmp_path / "cup.db"
    RunStore.create_or_resume(database, event, random_bytes=bytes(32)).close()
    page.goto(report([database], tmp_path / "report"))
    assert page.get_by_text("No game has been played yet.").is_visible()
    assert page.get_by_text("0 games counted of 12 scheduled").count()
