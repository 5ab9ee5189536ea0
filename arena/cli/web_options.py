"""What the commands that serve a page share: where it is to be reached, and the token it then needs."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.web.guard import Door

TOKEN_VARIABLE = "ARENA_WEB_TOKEN"  # noqa: S105  the name of a variable


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is served.

    Attributes:
        host, port: what to listen on; port 0 is any, None the usual one or any.
        names: host names under which the server is reached, beside addresses.
        token_file: where the token stands, None for one made now.
        opens: whether to open the browser.
    """

    host: str
    port: int | None
    names: tuple[str, ...]
    token_file: Path | None
    opens: bool


def web_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a page; it gets them as one argument, `place`."""

    @click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
    @click.option("--port", type=click.IntRange(0, 65535), help="Port; default: 8421, or any if it is taken.")
    @click.option(
        "--host-name", "names", multiple=True, help="A name the page is reached under, if it has one."
    )
    @click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        help=f"Holds the token that --host beyond this machine needs; else ${TOKEN_VARIABLE}, or a new one.",
    )
    @click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
    @wraps(command)
    def with_place(
        *args: object,
        host: str,
        port: int | None,
        names: tuple[str, ...],
        token_file: Path | None,
        opens: bool,
        **options: object,
    ) -> object:
        return command(*args, place=Place(host, port, names, token_file, opens), **options)

    return with_place


def door_of(place: Place) -> Door:
    """Return what lets requests in: nothing needed on loopback, a token beyond it.

    Raises:
        Failure: the token cannot be read or is too short.
    """
    from arena.web.guard import Door
    from arena.web.serving import is_loopback

    names = frozenset(name.lower() for name in (*place.names, place.host))
    if is_loopback(place.host) and place.token_file is None:
        return Door(names=names)
    return Door(_token(place), names)


def _token(place: Place) -> str:
    from arena.web.guard import SHORTEST_TOKEN

    if place.token_file is not None:
        try:
            token = place.token_file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it holds more than ASCII"
            raise Failure(f"{place.token_file} cannot be read as a token: {why}") from error
        where = str(place.token_file)
    else:
        token, where = os.environ.get(TOKEN_VARIABLE, ""), f"${TOKEN_VARIABLE}"
        if not token:
            return secrets.token_urlsafe(32)
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise Failure(f"{where}: a token has at least {SHORTEST_TOKEN} visible ASCII characters")
    return token


@contextmanager
def extra_told() -> Iterator[None]:
    """Turn a missing library of the extra `web` into a `Failure`."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("arena", "reports", "protocol"):
            raise
        raise Failure(
            f"this needs {error.name}, which is not installed: pip install 'gtparena[web]'"
        ) from error
