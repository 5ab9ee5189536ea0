"""Gets compiled kernels without ever making a referee wait for the compiler.

Compiling a game's kernels takes several seconds, loading them from disk less than one. So a process of its
own compiles (`python -m sample_engines.search.ready GAME:SEARCH`), once for all engines of the machine, and
who asks meanwhile plays with plain Python: slower, but the same moves.

    python -m sample_engines.search.ready [GAME:SEARCH…]

compiles beforehand, by default everything.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from arena.rules.base import BLACK, Rules
from arena.rules.registry import make_rules
from sample_engines.search.alphabeta_search import AlphaBeta
from sample_engines.search.assemble import Kernels, assemble, cache_folder, can_compile, core_of, search_of
from sample_engines.search.expectiminimax_search import Expectiminimax
from sample_engines.search.followed import FollowedGame
from sample_engines.search.tree_search import TreeSearch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

GAMES = {
    "tree": ("pente", "plakoto", "pletore", "topolo"),
    "alphabeta": ("pente", "pletore", "topolo"),
    "expectiminimax": ("plakoto",),
}
"""The games that each search plays."""

PATIENCE_S = 2.0
"""How long an engine waits at the beginning of a game: well within the ten seconds a referee allows for a
set-up, on a busy machine too."""

_POLL_S = 0.05

_STALE_S = 300.0
"""Age at which the sign that somebody compiles is taken to be left over."""


class Loader:
    """Gets compiled kernels of a game and a search in a thread of its own, however long it takes.

    Args:
        game: a game that has a core.
        search: `tree`, `alphabeta` or `expectiminimax`.
    """

    def __init__(self, game: str, search: str) -> None:
        self._game = game
        self._search = search
        self._kernels: Kernels | None = None
        # A daemon: the engine may end while the compiler is still at work.
        self._thread = threading.Thread(target=self._load, daemon=True)
        self._thread.start()

    def kernels(self, patience_s: float = PATIENCE_S) -> Kernels | None:
        """Return the kernels; None without a compiler, or when they are not ready yet: ask again later."""
        self._thread.join(patience_s)
        return self._kernels

    def _load(self) -> None:
        if not can_compile():
            return
        folder = cache_folder(core_of(self._game), search_of(self._search))
        if folder is None:
            return
        if not _is_ready(folder):
            _start_compiler(self._game, self._search, folder)
            while not _is_ready(folder):
                if not (folder / "compiling").exists() and not _is_ready(folder):
                    return
                time.sleep(_POLL_S)
        self._kernels = compile_now(self._game, self._search)


def compile_now(game: str, search: str) -> Kernels:
    """Compile kernels in this process, or load them, however long it takes."""
    core = core_of(game)
    kernels = assemble(core, search_of(search), compiled=True)
    _USES[search](core, kernels, make_rules(game))
    folder = cache_folder(core, search_of(search))
    if folder is not None:
        (folder / "ready").touch()
    return kernels


# Each calls every kernel that engines call, so that it is compiled or loaded.


def _use_tree(core: ModuleType, kernels: Kernels, rules: Rules) -> None:
    followed = FollowedGame(core, kernels, rules, BLACK)
    if rules.has_dice:
        followed.set_roll(6, 5)
    search = TreeSearch(followed, core, 1000, 1)
    followed.play(followed.decode(search.think(2, None).move))
    if rules.has_dice:
        followed.set_roll(6, 5)
    search.think(2, None)


def _use_alphabeta(core: ModuleType, kernels: Kernels, rules: Rules) -> None:
    followed = FollowedGame(core, kernels, rules, BLACK)
    state = followed.state()
    search = AlphaBeta(kernels, list(map(int, followed.tables)), len(state))
    for endgame in (0, 1000):
        verdict = search.best_move(state, None, 1, endgame=endgame)
    followed.play(followed.decode(verdict.move))


def _use_expectiminimax(core: ModuleType, kernels: Kernels, rules: Rules) -> None:
    followed = FollowedGame(core, kernels, rules, BLACK)
    followed.set_roll(6, 5)
    search = Expectiminimax(kernels, list(map(int, followed.tables)), len(followed.state()))
    followed.play(followed.decode(search.best_move(followed.state(), None, 1).move))


_USES: dict[str, Callable[[ModuleType, Kernels, Rules], None]] = {
    "tree": _use_tree,
    "alphabeta": _use_alphabeta,
    "expectiminimax": _use_expectiminimax,
}


def _is_ready(folder: Path) -> bool:
    return (folder / "ready").exists()


def _start_compiler(game: str, search: str, folder: Path) -> None:
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
            [sys.executable, "-m", "sample_engines.search.ready", f"{game}:{search}"],
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
    """Compile what is named, or everything."""
    pairs = [word.split(":") for word in sys.argv[1:]] or [
        [game, search] for search, games in GAMES.items() for game in games
    ]
    for game, search in pairs:
        begin = time.monotonic()
        folder = cache_folder(core_of(game), search_of(search))
        try:
            compile_now(game, search)
        finally:
            if folder is not None:
                (folder / "compiling").unlink(missing_ok=True)
        print(f"{game}:{search} {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
