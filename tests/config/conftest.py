"""Tournament files to be loaded by tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.config import ConfigError, load_event

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.core.event import Event

HEAD = '[tournament]\nname = "cup"\nformat = "match"\ngame = "pletore"\n'
ENGINES = '[[engine]]\nname = "a"\ncommand = "{python} -V"\n[[engine]]\nname = "b"\ncommand = "{python} -V"\n'


class Files:
    """Tournament files in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "cup.toml"

    def load(self, text: str, **overrides: object) -> Event:
        """Load a text as a file of that folder."""
        self.path.write_text(text, encoding="utf-8")
        return load_event(self.path, overrides)

    def tournament(self, keys: str, **overrides: object) -> Event:
        """Load a sound file with further keys of `[tournament]`, the first of them on line 5."""
        return self.load(HEAD + keys + "\n" + ENGINES, **overrides)

    def engine(self, keys: str) -> Event:
        """Load a sound file with further keys of its last engine, the first of them on line 11."""
        return self.load(HEAD + ENGINES + keys + "\n")

    def complaints(self, read: Callable[[], object]) -> list[str]:
        """Return the lines of the error without the folder's name."""
        with pytest.raises(ConfigError) as caught:
            read()
        assert len(str(caught.value).splitlines()) == len(caught.value.problems)
        return [line.replace(f"{self.folder}/", "") for line in str(caught.value).splitlines()]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)
