"""From checked keys to an `Event`; what no single table shows is checked here and told with its key."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from arena.config.keys import check_komi, check_openings
from arena.config.problems import nearest, shown
from arena.core import ladder, swiss
from arena.core.clock import TimeControl, parse_time
from arena.core.event import (
    TIE_BREAKS,
    Adjudication,
    Discipline,
    Engine,
    Event,
    OpeningBook,
    PairingSettings,
    SequentialPlan,
)
from arena.rules import QuestionError
from arena.rules.registry import make_rules, rules_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.config.keys import (
        EngineKeys,
        FileKeys,
        GameKeys,
        OpeningKeys,
        PairingKeys,
        Surroundings,
        TournamentKeys,
    )
    from arena.config.lines import KeyPath

    Complain = Callable[[KeyPath, str], None]


SPRT_PAIRS = 100_000
"""Pairs of a match with a sequential test whose file names no number."""


def assembled(keys: FileKeys, surroundings: Surroundings, complain: Complain) -> Event:
    """Return the event; what does not fit together is passed to `complain` with the path of its key."""
    table = keys.tournament
    engines = tuple(_engine(entry, table.sandbox) for entry in keys.engine)
    disciplines = tuple(_discipline(each, table) for each in keys.game)
    derived: dict[str, Any] = {
        "dice_key": None if table.dice_key is None else bytes.fromhex(table.dice_key),
        "engines": engines,
        "seeds": table.seeds or 1,
        "bye": table.bye or "win",
        "tie_breaks": TIE_BREAKS if table.tie_breaks is None else tuple(table.tie_breaks),
        "third_place": bool(table.third_place),
        "disciplines": disciplines,
        "adjudication": Adjudication(**keys.adjudication.model_dump()),
        "sprt": None if keys.sprt is None else SequentialPlan(**keys.sprt.model_dump()),
    }
    if disciplines:
        first = disciplines[0]
        for name in ("game", "size", "komi", "games_each", "book"):
            derived[name] = getattr(first, name)
    else:
        # A sequential test ends by itself: what is named by default is more than it will ever need.
        pairs = 1 if keys.sprt is None else SPRT_PAIRS
        derived["games_each"] = table.best_of or _games_each(table, 2 * pairs)
        derived["book"] = _book(table)
    event = Event(**{**_fields_alike(Event, table), **derived})
    if event.sprt is not None and (event.format != "match" or event.games_each % 2):
        complain(("sprt",), "no [sprt] but in a match of whole pairs")
    if event.format == "gauntlet" and event.seeds >= len(engines):
        complain(("tournament", "seeds"), f"fewer seeds than engines, which are {len(engines)}")
    # What is stored says the number of rounds, so that the event can have more of them later.
    rounds = {"swiss": swiss.rounds, "ladder": ladder.rounds}.get(event.format)
    if rounds is not None:
        event = dataclasses.replace(event, rounds=rounds(event))
    pairings = _Pairings(event, surroundings, complain)
    return dataclasses.replace(event, pairings=pairings.settings(keys.pairing))


def _games_each(keys: TournamentKeys | GameKeys, default: int) -> int:
    return keys.games_each or (2 * keys.pairs if keys.pairs else default)


def _book(keys: TournamentKeys | GameKeys) -> OpeningBook:
    return OpeningBook() if keys.openings is None else keys.openings.book


def _discipline(keys: GameKeys, table: TournamentKeys) -> Discipline:
    return Discipline(
        name=keys.name or keys.game,
        game=keys.game,
        size=keys.size,
        komi=keys.komi,
        games_each=_games_each(keys, _games_each(table, 2)),
        time=keys.time or table.time,
        book=_book(keys),
    )


def _engine(keys: EngineKeys, events_sandbox: str | None) -> Engine:
    sandbox = keys.sandbox or ("require" if keys.submitted else events_sandbox or "off")
    return Engine(**{**_fields_alike(Engine, keys), "sandbox": sandbox})


def _fields_alike(target: type[Event | Engine], keys: BaseModel) -> dict[str, Any]:
    """Return what goes over unchanged: keys that have a field of the same name."""
    wanted = {field.name for field in dataclasses.fields(target)}
    return {name: _frozen(getattr(keys, name)) for name in type(keys).model_fields if name in wanted}


def _frozen(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    return value.model_dump(exclude_none=True) if isinstance(value, BaseModel) else value


class _Pairings:
    """The tables `[[pairing]]`, against the event they belong to."""

    def __init__(self, event: Event, surroundings: Surroundings, complain: Complain) -> None:
        self._event = event
        self._surroundings = surroundings
        self._complain = complain
        self._names = [engine.name for engine in event.engines]
        self._seen: set[tuple[frozenset[str], str | None]] = set()

    def settings(self, tables: Sequence[PairingKeys]) -> tuple[PairingSettings, ...]:
        found = []
        for index, keys in enumerate(tables):
            try:
                found.append(self._one(keys))
            except _MisfitError as misfit:
                self._complain(("pairing", index, *misfit.path), str(misfit))
        return tuple(found)

    def _one(self, keys: PairingKeys) -> PairingSettings:
        for name in keys.engines:
            if name not in self._names:
                known = nearest(name, self._names)
                raise _MisfitError(f"names of two entries, not {shown(name)}: {known}", "engines")
        if len(set(keys.engines)) != 2 or len(keys.engines) != 2:
            raise _MisfitError("a list of the names of two entries", "engines")
        disciplines = self._disciplines(keys)
        key = (frozenset(keys.engines), keys.game)
        if key in self._seen:
            raise _MisfitError("one table for each pairing, there is another before", "engines")
        self._seen.add(key)
        for discipline in disciplines:
            self._check(keys, discipline)
        book = None
        if keys.openings is not None:
            book = self._openings(keys, keys.openings, disciplines)
        one, other = keys.engines
        return PairingSettings(
            (one, other), keys.game, keys.size, keys.komi, keys.odds or 0, _times(keys), book
        )

    def _disciplines(self, keys: PairingKeys) -> tuple[Discipline, ...]:
        every = self._event.all_disciplines
        if keys.game is None:
            return every
        chosen = tuple(each for each in every if each.name == keys.game)
        if not self._event.disciplines:
            raise _MisfitError("only in an event of several games: leave the key out", "game")
        if not chosen:
            known = nearest(keys.game, [each.name for each in every])
            raise _MisfitError(f"the name of one of the event's games: {known}", "game")
        return chosen

    def _check(self, keys: PairingKeys, discipline: Discipline) -> None:
        size = self._size(keys, discipline)
        rules = rules_class(discipline.game)
        if not rules.has_komi:
            for name, value in (("komi", keys.komi), ("odds", keys.odds)):
                if value is not None:
                    raise _MisfitError(f"{discipline.game} has no komi: leave the key out", name)
        komi = discipline.komi if keys.komi is None else keys.komi
        if keys.odds and komi == "pie":
            raise _MisfitError("odds need a komi that is a number, not pie", "odds")
        try:
            if keys.komi is not None:
                check_komi(keys.komi, discipline.game, size)
        except ValueError as error:
            raise _MisfitError(str(error), "komi") from None
        if keys.openings is None and discipline.book.lines and size != discipline.size:
            allowed = f"openings of its own: those of {discipline.book.source} are for size {discipline.size}"
            raise _MisfitError(allowed, "size")

    def _size(self, keys: PairingKeys, discipline: Discipline) -> int | None:
        if keys.size is None:
            return discipline.size
        try:
            make_rules(discipline.game, size=keys.size)
        except QuestionError as error:
            raise _MisfitError(str(error), "size") from None
        return keys.size

    def _openings(
        self, keys: PairingKeys, openings: OpeningKeys, disciplines: Sequence[Discipline]
    ) -> OpeningBook:
        if len(disciplines) > 1:
            raise _MisfitError("openings need the name of one game (`game = …`)", "openings")
        (discipline,) = disciplines
        size = discipline.size if keys.size is None else keys.size
        try:
            check_openings(openings, discipline.game)
            openings.read(self._surroundings.folder, make_rules(discipline.game, size=size))
        except ValueError as error:
            raise _MisfitError(str(error), "openings") from None
        return openings.book


def _times(keys: PairingKeys) -> tuple[TimeControl, TimeControl] | None:
    if keys.time is None:
        return None
    one, other = (keys.time, keys.time) if isinstance(keys.time, str) else keys.time
    return parse_time(one), parse_time(other)


class _MisfitError(Exception):
    """A key that does not fit the rest of the file."""

    def __init__(self, allowed: str, *path: str) -> None:
        super().__init__(allowed)
        self.path = path
