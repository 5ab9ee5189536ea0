"""A real browser for the pages: Debian's chromium, driven by playwright.

Where there is none the tests are skipped, except under CI=true, where that is a failure: `make test` installs
it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",  # the tests may run as root, which chromium's own sandbox refuses
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Said:
    """What a page complained of: messages of the console, errors, and dialogs that a script opened."""

    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a browser to a module, not to the session: playwright's loop keeps others from running theirs."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        reason = f"no browser: none of {', '.join(PROGRAMS)} is installed"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def page(browser: Browser, said: Said) -> Iterator[Page]:
    """A fresh page whose complaints are collected; a test that leaves an error on the console fails."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
    made = context.new_page()
    made.set_default_timeout(20_000)
    made.on("console", lambda message: said.errors.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: said.errors.append(str(error)))
    made.on("request", lambda request: said.requests.append(request.url))

    def closed(dialog: object) -> None:
        said.dialogs.append(dialog.message)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    made.on("dialog", closed)
    yield made
    context.close()
    assert said.errors == []
    assert said.dialogs == []
