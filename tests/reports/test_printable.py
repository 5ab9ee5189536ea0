"""Hostile text shows as what it is and does nothing."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.printable import cell_width, markdown, printable, spreadsheet


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name", "plain name"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines\r", r"two\x0alines\x0d"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\udc80", r"\udc80"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("日本語", "日本語"),
        ("ångström", "ångström"),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_whatever_comes_one_printable_line_goes_out(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not any(c < " " or "\x7f" <= c <= "\x9f" for c in shown)


@given(st.text(), st.integers(1, 30))
def test_a_cut_text_fits_its_cells(text: str, cells: int) -> None:
    shown = printable(text, cells)
    assert sum(map(cell_width, shown)) <= cells
    assert shown == printable(text) or shown.endswith("…")


def test_towers_of_combining_marks_are_cut() -> None:
    assert printable("a" + "\u0301" * 500 + "b") == "a\u0301\u0301b"


def test_markdown_takes_nothing_for_markup() -> None:
    assert markdown("a|b") == r"a\|b"
    assert markdown("<script>") == r"\<script\>"
    assert markdown("[x](http://e)") == r"\[x\](http://e)"
    assert markdown("`_*") == r"\`\_\*"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "  =", "\t="])
def test_a_spreadsheet_sees_no_formula(start: str) -> None:
    cell = spreadsheet(f"{start}cmd|' /C calc'!A0")
    assert cell[0] in "'\\"


@given(st.text(string.ascii_letters + string.digits, min_size=1))
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert printable(name) == markdown(name) == spreadsheet(name) == name
