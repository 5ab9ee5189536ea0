"""Joins a game's core and the search into one set of functions, as plain Python or compiled by numba.

Both are made of the same source: every kernel is copied into one fresh namespace, in which the core's
functions stand in the place of `hooks`; the compiled twin is the same copies, each handed to numba. So there
is one algorithm, and `compiled` decides about speed alone.

Compiled code is kept on disk, in a folder that is named after what it was made of. Where no folder can be
written to, it is compiled anew in every process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from sample_engines.search import hooks, layout, random_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from sample_engines.search.layout import Cells


@dataclass(frozen=True, slots=True)
class Kernels:
    """The functions of one game, and whether they are compiled. What they do stands in `hooks` and `tree`."""

    is_compiled: bool
    functions: dict[str, Callable[..., Any]]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a kernel by its name."""
        try:
            return self.functions[name]
        except KeyError:
            raise AttributeError(name) from None

    def rows(self, count: int, length: int) -> Any:
        """Return so many arrays of zeros, of the kind these functions work on."""
        if self.is_compiled:
            import numpy as np

            return np.zeros((count, length), np.int64)
        return [[0] * length for _ in range(count)]

    def cells(self, values: list[int] | int) -> Cells:
        """Return an array of the kind these functions work on: of given values, or so many zeros."""
        if self.is_compiled:
            import numpy as np

            made = np.zeros(values, np.int64) if isinstance(values, int) else np.array(values, np.int64)
            return cast("Cells", made)
        return [0] * values if isinstance(values, int) else list(values)


def core_of(game: str) -> ModuleType:
    """Return the module of a game's core.

    Raises:
        ModuleNotFoundError: the game has none.
    """
    return import_module(f"sample_engines.search.{game}_core")


def search_of(name: str) -> ModuleType:
    """Return the module of a search: `tree`, `alphabeta` or `expectiminimax`."""
    return import_module(f"sample_engines.search.{name}")


def can_compile() -> bool:
    """Say whether numba is installed, without importing it."""
    from importlib.util import find_spec

    return find_spec("numba") is not None


def assemble(core: ModuleType, search: ModuleType, *, compiled: bool) -> Kernels:
    """Return the kernels of a game and a search; nothing is compiled before it is called."""
    modules = _modules(core, search)
    namespace: dict[str, Any] = {"__name__": core.__name__, "__builtins__": __builtins__}
    hooked = set(vars(hooks))
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("__") or getattr(value, "__is_kernel__", False) or name in hooked:
                continue
            if namespace.setdefault(name, value) != value:
                raise ValueError(f"{module.__name__}.{name} means something else in another module")
    translate = _compiler(core, search) if compiled else _identity
    functions = {}
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                if not getattr(value, "__is_kernel__", False):
                    continue
                if name in functions:
                    raise ValueError(f"two kernels are called {name}")
                copy = FunctionType(value.__code__, namespace, name, value.__defaults__)
                copy.__module__ = core.__name__
                functions[name] = translate(copy)
    namespace.update(functions)
    return Kernels(compiled, functions)


def _identity(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _modules(core: ModuleType, search: ModuleType) -> tuple[ModuleType, ...]:
    return random_numbers, core, search


def _compiler(core: ModuleType, search: ModuleType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    import numba

    folder = cache_folder(core, search)
    if folder is not None:
        # numba notices changes of a function's own file alone; the folder's name stands for all of them.
        vars(numba.config)["CACHE_DIR"] = str(folder)
    translate: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(
        cache=folder is not None, nogil=True
    )
    return translate


def cache_folder(core: ModuleType, search: ModuleType) -> Path | None:
    """Return the folder for compiled code of a game and a search, None where nothing can be written.

    Looked for under `NUMBA_CACHE_DIR`, then the user's cache folder, then the folder for temporary files.
    """
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('numpy')}".encode())
    for module in (*_modules(core, search), layout):
        digest.update(Path(cast("str", module.__file__)).read_bytes())
    names = "-".join(module.__name__.rpartition(".")[2] for module in (core, search))
    name = f"{names}-{digest.hexdigest()[:16]}"
    for base in _cache_bases():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        # Code is loaded from there: nobody else's folder will do.
        if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
            return folder
    return None


def _cache_bases() -> list[Path]:
    bases = []
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        bases.append(Path(named) / "gtparena")
    if named := os.environ.get("XDG_CACHE_HOME"):
        bases.append(Path(named) / "gtparena")
    elif named := os.environ.get("HOME"):
        bases.append(Path(named) / ".cache" / "gtparena")
    bases.append(Path(tempfile.gettempdir()) / f"gtparena-{os.getuid()}")
    return bases
