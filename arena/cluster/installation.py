"""What is installed here, in words that another machine can compare with its own.

A game must be the same game wherever it is played, so a worker needs the very program that the runner has:
the same version, and the same source, which two builds of one version need not share.
"""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from arena import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGES = ("arena", "protocol", "sample_engines")
_SHOWN_DIGITS = 12


@cache
def source_digest() -> str:
    """Return the SHA-256 (hex) over every Python file of ours that plays a part in a game."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        found = find_spec(package)
        for folder in [] if found is None else found.submodule_search_locations or []:
            for path in sorted(Path(folder).rglob("*.py")):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{package}/{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def installation() -> dict[str, str]:
    """Return the facts that must be equal on all machines, and `platform`, which need not be."""
    return {
        "gtparena": __version__,
        "source": source_digest(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "distributed": _version_of("distributed"),
        "platform": platform.platform(),
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str | None:
    """Say what differs and what to do about it, after the worker's name; None when nothing does."""
    if here["gtparena"] != there.get("gtparena"):
        return (
            f"has gtparena {there.get('gtparena')}, the runner {here['gtparena']}: install "
            f"'gtparena[cluster]=={here['gtparena']}' there and start it anew"
        )
    if here["python"] != there.get("python"):
        return (
            f"runs Python {there.get('python')}, the runner {here['python']}: start it with Python "
            f"{here['python']}"
        )
    if here["source"] != there.get("source"):
        theirs, ours = (each.get("source", "")[:_SHOWN_DIGITS] for each in (there, here))
        return (
            f"has gtparena {here['gtparena']} of other source (SHA-256 {theirs}…, the runner's {ours}…): "
            "install the runner's build there and start it anew"
        )
    return None


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
