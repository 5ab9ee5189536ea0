"""From the words of an entry's `command` to a program that can be started, or a sentence why not.

Found before the first game: a wrong path must not come up in the middle of a night's tournament.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

PYTHON_WORD = "{python}"
"""Stands for the interpreter that runs the arena, so that a file works in any virtual environment."""

_MODULE_NAME = re.compile(r"[A-Za-z]\w*")


def split_command(command: object) -> object:
    """Split a string as a shell would; anything else is returned as it is, for the type check to judge.

    Raises:
        ValueError: a quotation that is not closed, or a string without words.
    """
    if not isinstance(command, str):
        return command
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"a command split as a shell would split it ({error})") from None
    if not words:
        raise ValueError("a command of at least one word")
    return words


def sample_module(word: str) -> str | None:
    """Return the module of the sample engine called `greedy` or `greedy_player`, None when none is."""
    if not _MODULE_NAME.fullmatch(word):
        return None
    module = f"sample_engines.{word.removesuffix('_player')}_player"
    return module if importlib.util.find_spec(module) is not None else None


def sample_command(words: list[str]) -> list[str]:
    """Turn `greedy_player --noise 0.1` into the command that starts it; other commands stay as they are."""
    module = sample_module(words[0])
    return words if module is None else [PYTHON_WORD, "-m", module, *words[1:]]


def resolved_command(words: list[str], base: Path) -> list[str]:
    """Return the command with `{python}` filled in and its program as an absolute path.

    A program with a slash in its name is a path, relative to `base` (the tournament file's folder); one
    without is looked for on the PATH, then in `base`. Symbolic links stay: a virtual environment's
    interpreter knows its environment by the link's name.

    Raises:
        ValueError: no such program, or none that can be executed; the message names what was tried.
    """
    if not words or not words[0]:
        raise ValueError("a command of at least one word, the first one not empty")
    if any("\0" in word for word in words):
        raise ValueError("words without NUL characters")
    words = [word.replace(PYTHON_WORD, sys.executable) for word in words]
    return [_program(words[0], base), *words[1:]]


def _program(word: str, base: Path) -> str:
    beside = os.path.abspath(base / word)  # noqa: PTH100  `resolve` would follow symbolic links
    if "/" not in word:
        on_path = shutil.which(word)
        if on_path is not None:
            return os.path.abspath(on_path)  # noqa: PTH100  as above
    refusal = _refusal(Path(beside))
    if refusal is None:
        return beside
    if refusal != "no such file":
        raise ValueError(f"{beside} {refusal}")
    tried = beside if "/" in word else f"{word} on the PATH, then {beside}"
    raise ValueError(
        f"a program that exists (tried {tried}); a path with spaces needs quotes or a list of words"
    )


def _refusal(path: Path) -> str | None:
    try:
        if path.is_dir():
            return "is a folder, not a program"
        if not path.exists():
            return "no such file"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not os.access(path, os.X_OK):
        return "is not executable (chmod +x makes it so)"
    return None


def resolved_place(text: str, base: Path, *, folder: bool) -> str:
    """Return an existing path as an absolute one; relative paths are relative to `base`.

    Raises:
        ValueError: it does not exist, or is no folder where one is needed.
    """
    path = Path(os.path.abspath(base / text)) if "\0" not in text else None  # noqa: PTH100  keeps links
    try:
        found = path is not None and (path.is_dir() if folder else path.exists())
    except OSError:
        found = False
    if path is None or not found:
        kind = "folder" if folder else "file or folder"
        raise ValueError(f"a {kind} that exists (tried {path or 'nothing: the path holds a NUL character'})")
    return str(path)
