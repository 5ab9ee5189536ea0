"""Our own files: pages made by jinja2 with everything escaped, and the few static ones, by name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import jinja2
from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from starlette.responses import Response

_STATIC = {
    "style.css": ("arena.web", "text/css"),
    "clocks.js": ("arena.web", "text/javascript"),
    "enter.js": ("arena.web", "text/javascript"),
    "watch.js": ("arena.web", "text/javascript"),
    "play.js": ("arena.web", "text/javascript"),
    "icon.svg": ("arena.web", "image/svg+xml"),
    "board.js": ("reports", "text/javascript"),
}
"""Name of a file: the package whose pages it belongs to, and what it is."""

_FOLDERS = {"arena.web": "pages", "reports": "page"}


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """Return a static file with its media type, None when there is none of this name."""
    if name not in _STATIC:
        return None
    package, media_type = _STATIC[name]
    return files(package).joinpath(_FOLDERS[package], name).read_bytes(), media_type


def page(name: str, status: int = 200, **values: object) -> Response:
    """Return a page; every value is escaped but our own drawings, which come as `Markup`."""
    return HTMLResponse(_templates().get_template(name).render(**values), status)


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_source), autoescape=True, undefined=jinja2.StrictUndefined
    )


def _source(name: str) -> str:
    return files("arena.web").joinpath("pages", name).read_text(encoding="utf-8")
