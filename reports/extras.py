"""What only `gtparena[reports]` installs, imported when first needed."""

from __future__ import annotations

import importlib
from typing import Any

INSTALL = "pip install 'gtparena[reports]'"


class MissingExtraError(Exception):
    """A library of the extra is not installed; the message says how to get it."""


def require(module: str) -> Any:
    """Import a library of the extra, e.g. `pandas`.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is missing, which this needs: {INSTALL}") from error
