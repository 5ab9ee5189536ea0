"""Tables on lines of any length: every column is there, none is cut, and each part has the names."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from reports.estimates import Estimate
from reports.printable import text_width
from reports.tables import DASH, Column, Rank, Table, save_csv, text

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = ("games", "a column with a long header", "points", "remark")


def a_table(name: str = "greedy") -> Table:
    columns = (Column("#", "rank"), Column("engine", "engine"), *(Column(each, each) for each in HEADERS))
    rows = tuple(
        (Rank(place, False), f"{name} {place}", place, 2.5, 0.1 * place, "x" * 12) for place in range(1, 4)
    )
    return Table("t", "Title", columns, rows, ("One note.",))


def test_without_a_line_length_a_table_is_whole() -> None:
    assert text(a_table()) == text(a_table(), 1000)
    assert text(a_table()).count("greedy 1") == 1


@pytest.mark.parametrize("cells", range(50, 90, 7))
def test_no_line_of_a_table_is_longer_than_the_terminals(cells: int) -> None:
    shown = text(a_table(), cells)
    assert max(map(text_width, shown.split("\n"))) <= cells
    assert all(shown.count(header) == 1 for header in HEADERS)
    assert shown.count("greedy 1") == shown.count("engine") > 0
    assert shown.endswith("\n\nOne note.")


def test_wide_characters_count_as_wide() -> None:
    assert max(map(text_width, text(a_table("碁" * 10), 60).split("\n"))) <= 60


def test_a_terminal_too_narrow_for_anything_has_a_column_a_part() -> None:
    shown = text(a_table(), 1)
    assert shown.count("greedy 1") == len(HEADERS)


def test_csv_has_the_digits_that_are_known_and_empty_cells_for_signs(tmp_path: Path) -> None:
    columns = (
        Column("name", "name"),
        Column("p", "p"),
        Column("share", "share"),
        Column("against", "against"),
    )
    rows = (
        ("-", 1.23456789012345e-9, Estimate(1 / 3, 0.1 + 0.2, 1000 / 3, 7), DASH),
        ("=1+1", 123456.5, Estimate(None, None, None, 0), "2"),
    )
    with save_csv(Table("t", "Title", columns, rows), tmp_path).open(encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert found[0] == ["name", "p", "share", "share_low", "share_high", "against"]
    assert found[1] == ["'-", "1.23457e-09", "0.333333", "0.3", "333.333333", ""]
    assert found[2] == ["'=1+1", "123456.5", "", "", "", "2"]
