"""Gets compiled kernels without ever making a referee wait for the compiler.

Compiling a game's kernels takes several seconds, loading them from disk less than one. So a process of its own
compiles (`python -m sample_engines.mcts.ready GAME`), once for all engines of the machine, and who asks meanwhile
plays with plain Python: slower, but the same moves.

    python -m sample_engines.mcts.ready [GAME…]

compiles beforehand, all games by default.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from arena.rules.registry import make_rules
from sample_engines.mcts.assemble import Kernels, assemble, cache_folder, can_compile, core_of
from sample_engines.mcts.searcher import Searcher

if TYPE_CHECKING:
    from types import ModuleType

GAMES = ("pente", "plakoto", "pletore", "topolo")
"""The games that have a core."""

PATIENCE_S = 5.0
"""How long an engine waits for the compiler: well within the ten seconds a referee allows for a set-up."""

_POLL_S = 0.05

_STALE_S = 300.0
"""Age at which the sign that somebody compiles is taken to be left over."""


def compiled_kernels(game: str, patience_s: float = PATIENCE_S) -> Kernels | None:
    """Return a game's compiled kernels, None when there is no compiler or they are not ready in time.

    Ask again at the next game: the compiler goes on.
    """
    if not can_compile():
        return None
    core = core_of(game)
    folder = cache_folder(core)
    if folder is None:
        return None
    deadline = time.monotonic() + patience_s
    if not _is_ready(folder):
        _start_compiler(game, folder)
        while not _is_ready(folder):
            if time.monotonic() > deadline:
                return None
            time.sleep(_POLL_S)
    kernels = assemble(core, compiled=True)
    _use_all(core, kernels, game)
    return kernels


def compile_now(game: str) -> Kernels:
    """Compile a game's kernels in this process, or load them, however long it takes."""
    core = core_of(game)
    kernels = assemble(core, compiled=True)
    _use_all(core, kernels, game)
    folder = cache_folder(core)
    if folder is not None:
        (folder / "ready").touch()
    return kernels


def _use_all(core: ModuleType, kernels: Kernels, game: str) -> None:
    """Call every kernel that engines call, so that it is compiled or loaded."""
    rules = make_rules(game)
    tables: list[int] = core.make_tables(rules)
    state: list[int] = core.make_state(tables, 0)
    searcher = Searcher(kernels, tables, core.KNOBS, 1000, 1)
    if rules.has_dice:
        cells = kernels.cells(state)
        kernels.set_roll(cells, kernels.cells(tables), 6, 5)
        state = list(map(int, cells))
    searcher.set_root(state)
    searcher.run(2)
    move = searcher.finding().move
    cells = kernels.cells(state)
    kernels.play(cells, kernels.cells(tables), move)
    searcher.move_root(list(map(int, cells)), [move])


def _is_ready(folder: Path) -> bool:
    return (folder / "ready").exists()


def _start_compiler(game: str, folder: Path) -> None:
    """Start a process that compiles unless one is at it."""
    sign = folder / "compiling"
    try:
        if time.time() - sign.stat().st_mtime > _STALE_S:
            sign.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    try:
        sign.touch(exist_ok=False)
        subprocess.Popen(
            [sys.executable, "-m", "sample_engines.mcts.ready", game],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except FileExistsError:
        return
    except OSError:
        # No process to be had here: nobody else shall wait for it.
        sign.unlink(missing_ok=True)


def main() -> None:
    """Compile the games named, or all of them."""
    for game in sys.argv[1:] or GAMES:
        begin = time.monotonic()
        try:
            compile_now(game)
        finally:
            folder = cache_folder(core_of(game))
            if folder is not None:
                (folder / "compiling").unlink(missing_ok=True)
        print(f"{game}: {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()
