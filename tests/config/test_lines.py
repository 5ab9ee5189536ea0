"""The line finder agrees with `tomllib` on what keys there are, whatever the notation."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.lines import key_lines, line_of

TEXT = '''\
# a comment with [brackets] and "quotes
title = "a # b"   # comment
a.b."c d" = 1
  multi = """
[not.a.table]
x = "y" \\""" still inside
"""
literal = \'\'\'
k = 'v'
\'\'\'\'
list = [  # comment ]
  1,
  [2, "]"], { inner = 3 },
]

[table . "quoted.key"]
when = 1979-05-27 07:32:00
point = { x = 1, "y z" = { w = 2 } }

[[engine]]
name = "one"

[engine.limits]
memory = 3

[[engine]]
"name" = \'two\'
[[engine.sub]]
deep = true
[[engine.sub]]
deep = false
'''


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Return the path of everything in a parsed TOML tree."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {path, *(found for key, item in inside for found in paths_of(item, (*path, key)))}


def test_every_notation_is_followed_to_its_line() -> None:
    lines = key_lines(TEXT)
    assert paths_of(tomllib.loads(TEXT)) - {()} - lines.keys() == {("table",)}
    expected = {
        ("title",): 2,
        ("a", "b", "c d"): 3,
        ("multi",): 4,
        ("literal",): 8,
        ("list",): 11,
        ("list", 0): 12,
        ("list", 1, 1): 13,
        ("list", 2, "inner"): 13,
        ("table", "quoted.key"): 16,
        ("table", "quoted.key", "when"): 17,
        ("table", "quoted.key", "point", "y z", "w"): 18,
        ("engine",): 20,
        ("engine", 0, "name"): 21,
        ("engine", 0, "limits", "memory"): 24,
        ("engine", 1, "name"): 27,
        ("engine", 1, "sub", 0, "deep"): 29,
        ("engine", 1, "sub", 1, "deep"): 31,
    }
    assert {path: lines[path] for path in expected} == expected


def test_windows_line_ends_count_once() -> None:
    assert key_lines("a = 1\r\nb = 2\r\n") == {("a",): 1, ("b",): 2}


def test_unknown_place_takes_the_line_of_what_is_around_it() -> None:
    lines = key_lines("[[engine]]\nname = 'x'\n")
    assert line_of(lines, ("engine", 0, "command")) == 1
    assert line_of(lines, ("engine", 0, "name", "deeper")) == 2
    assert line_of(lines, ("tournament", "game")) is None


NAMES = st.text(max_size=6).filter(lambda name: name.isprintable())
STRINGS = st.text(max_size=12).filter(lambda text: all(c.isprintable() for c in text))
LEAVES = st.one_of(st.integers(-99, 99), st.booleans(), STRINGS, st.just("''' \"\"\" # ] } = ,"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def written(value: Any) -> str:
    """Write a value in TOML's inline notation, arrays over several lines."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"{json.dumps(key, ensure_ascii=False)} = {written(item)}" for key, item in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[\n" + "".join(f" {written(item)}, # ]\n" for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(NAMES, VALUES, max_size=4),
    st.lists(st.dictionaries(NAMES, VALUES, max_size=3), max_size=3),
)
def test_finds_exactly_the_keys_that_tomllib_finds(
    table: dict[str, Any], entries: list[dict[str, Any]]
) -> None:
    lines = ["[table]"]
    for name, value in table.items():
        lines += f"{json.dumps(name, ensure_ascii=False)}\t= {written(value)}".split("\n")
    where: dict[tuple[str | int, ...], int] = {}
    for index, entry in enumerate(entries):
        lines += ["", "[[entry]] # one"]
        for name, value in entry.items():
            where["entry", index, name] = len(lines) + 1
            lines += f"{json.dumps(name, ensure_ascii=False)} = {written(value)}".split("\n")
    text = "\n".join(lines)
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        pytest.fail(f"the test writes no TOML: {text!r}")
    found = key_lines(text)
    assert found.keys() == paths_of(tree) - {()}
    assert {path: found[path] for path in where} == where
