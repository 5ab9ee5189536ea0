"""On which line of a TOML text each key stands.

`tomllib` gives values without places, and a message without a line sends people searching. This scanner
walks a text that `tomllib` has already accepted, so it need not judge, only follow: tables, arrays of tables,
dotted and quoted keys, inline tables, arrays over several lines, all four kinds of strings, comments.

Source: the TOML 1.0 specification (toml.io/en/v1.0.0).
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

KeyPath = tuple[str | int, ...]
"""Where a value stands: keys of tables, indices of arrays, from the top of the text."""

_BLANK = re.compile(r"[ \t]*")
_FILLING = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.places: dict[KeyPath, int] = {}
        self._array_lengths: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        while self._skip(_FILLING):
            line = self.line
            if self._take("[["):
                table = self._array_item(self._key())
                self._expect("]]")
                self.places.setdefault(table[:-1], line)
                self.places.setdefault(table, line)
            elif self._take("["):
                table = self._inside_arrays(self._key())
                self._expect("]")
                self.places.setdefault(table, line)
            else:
                self._key_and_value(table)

    def _key_and_value(self, table: KeyPath) -> None:
        line = self.line
        path = table
        for part in self._key():
            path = (*path, part)
            self.places.setdefault(path, line)
        self._expect("=")
        self._skip(_BLANK)
        self._value(path)

    def _key(self) -> KeyPath:
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE_KEY.match(self.text, self.at)
            if found is None:
                raise ValueError(f"no key at line {self.line}")
            self._move_to(found.end())
            parts.append(tomllib.loads(f"x={found[0]}")["x"] if quoted else found[0])
            self._skip(_BLANK)
            if not self._take("."):
                return tuple(parts)

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            index = 0
            while self._skip(_FILLING) and not self._take("]"):
                self.places[(*path, index)] = self.line
                self._value((*path, index))
                index += 1
                self._skip(_FILLING)
                self._take(",")
        elif self._take("{"):
            while self._skip(_BLANK) and not self._take("}"):
                self._key_and_value(path)
                self._skip(_BLANK)
                self._take(",")
        else:
            found = _STRING.match(self.text, self.at) or _BARE_VALUE.match(self.text, self.at)
            if found is None or found.end() == self.at:
                raise ValueError(f"no value at line {self.line}")
            self._move_to(found.end())

    def _array_item(self, key: KeyPath) -> KeyPath:
        array = (*self._inside_arrays(key[:-1]), key[-1])
        index = self._array_lengths.get(array, 0)
        self._array_lengths[array] = index + 1
        return (*array, index)

    def _inside_arrays(self, key: KeyPath) -> KeyPath:
        """Put in the index of the last item wherever a part of the key names an array of tables."""
        path: KeyPath = ()
        for part in key:
            path = (*path, part)
            if path in self._array_lengths:
                path = (*path, self._array_lengths[path] - 1)
        return path

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Pass over what the pattern matches; false at the end of the text."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self._move_to(found.end())
        return self.at < len(self.text)

    def _take(self, word: str) -> bool:
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True

    def _expect(self, word: str) -> None:
        self._skip(_BLANK)
        if not self._take(word):
            raise ValueError(f"no {word} at line {self.line}")

    def _move_to(self, end: int) -> None:
        self.line += self.text.count("\n", self.at, end)
        self.at = end


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line (from 1) of every key, table and array item of a valid TOML text.

    A table opened by a header stands on the line of its header, items of `[[engine]]` under
    `("engine", 0)`, `("engine", 1)`, …

    Raises:
        ValueError: the text is no TOML (callers let `tomllib` speak first).
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.places


def line_of(places: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of the path, or of the nearest table around it that has one."""
    for length in range(len(path), 0, -1):
        if path[:length] in places:
            return places[path[:length]]
    return None
