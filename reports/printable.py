"""Text from engines and files made safe to show: on a terminal, in Markdown, in CSV, on a chart.

Names, versions and reasons come from outside. Nothing in them may move a cursor, colour a line, break a row
of a table, become markup or a formula.
"""

from __future__ import annotations

import re
import unicodedata

NAME_CELLS = 24
"""Width at which tables cut a name."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are not shown as they are: controls, formats (bidi marks, joiners), surrogates,
private and unassigned code points, line and paragraph separators."""

_MARKDOWN = frozenset("\\`*_[]<>|~&$")


def printable(text: str, cells: int | None = None) -> str:
    r"""Return `text` in one line without anything that a terminal would obey.

    Hidden characters become `\x1b` or `\u202e`; a run of blanks stays. Combining marks without end (a
    "tower") are cut after two.

    Args:
        text: anything.
        cells: cut to this width in terminal cells, with `…` as the last one; None for no cut.
    """
    if text.isascii() and text.isprintable():
        return text if cells is None or len(text) <= cells else f"{text[: cells - 1]}…"
    shown: list[str] = []
    width = 0
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        if category in {"Mn", "Me"}:
            marks += 1
            if marks > 2 or not shown:
                continue
            shown.append(character)
            continue
        marks = 0
        piece = _escaped(character) if category in _HIDDEN else character
        size = sum(cell_width(part) for part in piece)
        if cells is not None and width + size > cells:
            return _cut(shown, cells) + "…"
        shown.append(piece)
        width += size
    return "".join(shown)


def text_width(text: str) -> int:
    """Return how many terminal cells a printable text takes."""
    return len(text) if text.isascii() else sum(map(cell_width, text))


def cell_width(character: str) -> int:
    """Return how many terminal cells a printable character takes: 0, 1 or 2."""
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def markdown(text: str, cells: int | None = None) -> str:
    """Return `text` as Markdown that shows it literally, in one table cell."""
    return "".join(f"\\{c}" if c in _MARKDOWN else c for c in printable(text, cells))


def spreadsheet(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula.

    A leading `=`, `+`, `-`, `@` gets an apostrophe before it, as OWASP's page on CSV injection advises.
    """
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(("=", "+", "-", "@")) else shown


def file_name(text: str) -> str:
    """Return `text` as the name of one file or folder: letters, digits, `-` and `_`, all others as `_`."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(shown: list[str], cells: int) -> str:
    """Take pieces away until one cell is free for the sign of omission."""
    width = sum(cell_width(c) for piece in shown for c in piece)
    while shown and width > cells - 1:
        width -= sum(cell_width(c) for c in shown.pop())
    return "".join(shown)
