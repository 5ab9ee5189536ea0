"""What `arena match` takes for its openings: the forms of a tournament file, and the short ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.cli.errors import Failure
from arena.cli.match import command, openings_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text", ["2", "random=2", "random = 2", "{random=2}", "{ random = 2 }", ' { "random" = 2 }']
)
def test_random_openings_are_written_in_each_form_a_file_has(text: str) -> None:
    assert openings_of(text) == {"random": 2}


@pytest.mark.parametrize("text", ["file=book.sgf, order=random", '{ file = "book.sgf", order = "random" }'])
def test_keys_of_a_book_of_openings_are_read_too(text: str) -> None:
    assert openings_of(text) == {"file": "book.sgf", "order": "random"}


def test_a_name_of_a_file_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random=2").touch()
    assert openings_of("random=2") == {"file": "random=2"}
    assert openings_of("a, b.txt") == {"file": "a, b.txt"}
    assert openings_of(None) is None


def test_a_misspelt_key_is_told_with_the_nearest_one() -> None:
    words = ["a", "b", "--openings", "ranom=2"]
    with pytest.raises(Failure, match="ranom = 2: unknown key, did you mean random"):
        CliRunner().invoke(command, words, catch_exceptions=False)
