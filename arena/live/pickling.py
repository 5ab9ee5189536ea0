"""Pickling of frozen slotted dataclasses, quicker than they do it by themselves.

By itself such a class asks each object for its fields, twice, and sets them by name. Here the slots are read
in one call and set by their own setters. What is written can be read by `pickle.loads` where this module is.
"""

from __future__ import annotations

import copyreg
import pickle
from io import BytesIO
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SETTERS: dict[type, tuple[Callable[[object, object], None], ...]] = {}


class FastPickling:
    """Pickles objects, those of some classes the fast way.

    Args:
        kinds: frozen slotted dataclasses without a base that has slots.
    """

    def __init__(self, kinds: Iterable[type]) -> None:
        self._dispatch_table: dict[type, Callable[[Any], Any]] = dict(copyreg.dispatch_table)
        for kind in kinds:
            self._dispatch_table[kind] = _reducer(kind)

    def dumps(self, value: object) -> bytes:
        """Return the pickle of an object."""
        file = BytesIO()
        pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = self._dispatch_table
        pickler.dump(value)
        return file.getvalue()


def _reducer(kind: type) -> Callable[[object], tuple[Callable[..., object], tuple[object, ...]]]:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    if len(names) == 1:
        return lambda value: (_made, (kind, (getattr(value, names[0]),)))
    values = attrgetter(*names)
    return lambda value: (_made, (kind, values(value)))


def _setters(kind: type) -> tuple[Callable[[object, object], None], ...]:
    """Return the setters of a class's slots: a frozen class bars `__setattr__` alone."""
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    return tuple(kind.__dict__[name].__set__ for name in names)


def _made(kind: type, values: tuple[object, ...]) -> object:
    """Return an object of a frozen class, as it was."""
    setters = _SETTERS.get(kind)
    if setters is None:
        setters = _SETTERS[kind] = _setters(kind)
    made: object = object.__new__(kind)
    for set_value, value in zip(setters, values, strict=True):
        set_value(made, value)
    return made
