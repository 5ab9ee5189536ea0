"""Which games there are, found rather than listed.

A game of this distribution is a module of `arena.rules` named for its id that holds one subclass of `Rules`.
Another distribution offers games under the entry-point group `arena.games`: the entry's name is the id, its
object the subclass of `Rules`. A plugin can neither replace a game of this distribution nor keep the other
games from working: whatever is wrong with it is said when that one game is asked for.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache
from typing import TYPE_CHECKING, TypeGuard

import arena.rules
from arena.rules.base import QuestionError, Rules
from arena.rules.checks import known_name

if TYPE_CHECKING:
    from importlib import metadata

ENTRY_POINT_GROUP = "arena.games"

_GAME_ID = re.compile(r"[a-z][a-z0-9_-]{0,31}")
"""An id travels as one word of the line protocol and stands in file names."""


@cache
def _own_game(name: str) -> type[Rules] | None:
    """Return the complete `Rules` class of the module `arena.rules.<name>`; None when there is none.

    Only that module is loaded: an engine that plays one game starts without the others.
    """
    if name not in _module_names():
        return None
    module = importlib.import_module(f"{arena.rules.__name__}.{name}")
    for _, candidate in inspect.getmembers(module, inspect.isclass):
        if candidate.__module__ == module.__name__ and _is_game(candidate) and candidate.game == name:
            return candidate
    return None


@cache
def _module_names() -> frozenset[str]:
    return frozenset(info.name for info in pkgutil.iter_modules(arena.rules.__path__))


def _is_game(candidate: object) -> TypeGuard[type[Rules]]:
    return isinstance(candidate, type) and issubclass(candidate, Rules) and not inspect.isabstract(candidate)


@cache
def _plugins() -> dict[str, tuple[metadata.EntryPoint, ...]]:
    """Return the entry points of other distributions by game id, unloaded."""
    # Slow to load, and needed only when a game is none of our own.
    from importlib import metadata

    found: dict[str, tuple[metadata.EntryPoint, ...]] = {}
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def games() -> tuple[str, ...]:
    """Return the ids of all games, sorted. A plugin stands here even if asking for it tells of a fault."""
    own = (name for name in _module_names() if _own_game(name) is not None)
    return tuple(sorted({*own, *_plugins()}))


def rules_class(game: str) -> type[Rules]:
    """Return the class of a game.

    Raises:
        QuestionError: there is no such game (the message names the nearest), or the plugin that offers it
            does not work (the message names its distribution).
    """
    own = _own_game(game)
    if own is not None:
        return own
    offers = _plugins().get(game)
    if offers is None:
        raise QuestionError(known_name(game, games(), "game"))
    return _loaded(game, offers)


def make_rules(game: str, *, size: int | None = None, komi: int | None = None) -> Rules:
    """Return the rules of a game with its settings; None means the game's default.

    Raises:
        QuestionError: no such game, or a setting that the game does not have.
    """
    return rules_class(game).from_settings(size=size, komi=komi)


def _loaded(game: str, offers: tuple[metadata.EntryPoint, ...]) -> type[Rules]:
    names = " and ".join(sorted({_distribution(offer) for offer in offers}))
    if len(offers) > 1:
        raise QuestionError(f"game {game!r} is offered more than once, by {names}: uninstall all but one")
    try:
        offered = offers[0].load()
    except (Exception, SystemExit) as error:
        raise QuestionError(
            f"game {game!r} of {names} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not _is_game(offered):
        raise QuestionError(f"game {game!r} of {names} is no complete subclass of arena.rules.Rules")
    if not _GAME_ID.fullmatch(game) or getattr(offered, "game", None) != game:
        raise QuestionError(
            f"game {game!r} of {names}: the entry point must be named for the class's own `game`, "
            "lower-case letters, digits, `-` and `_`"
        )
    return offered


def _distribution(offer: metadata.EntryPoint) -> str:
    return f"distribution {offer.dist.name} {offer.dist.version}" if offer.dist else "an unnamed distribution"
