"""By what two entries play when they meet: the settings of the discipline, or the pairing's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.core.clock import TimeControl
    from arena.core.event import Event, Komi, OpeningBook, PairingSettings


@dataclass(frozen=True, slots=True)
class Terms:
    """Settings of one pairing in one discipline.

    Attributes:
        game, size: the rules.
        komi: without odds.
        odds: points of komi for the entry `favoured`, whichever colour it has.
        favoured: index of the entry, None without odds.
        controls: time control by entry.
        book: the openings.
    """

    game: str
    size: int | None
    komi: Komi
    odds: int
    favoured: int | None
    controls: dict[int, TimeControl]
    book: OpeningBook

    def komi_with(self, black: int) -> Komi:
        """Return the komi in force when `black` has Black: komi is White's."""
        if self.favoured is None or not isinstance(self.komi, int):
            return self.komi
        return self.komi - self.odds if black == self.favoured else self.komi + self.odds


class TermsOfEvent:
    """The terms of every pairing of an event; those that most pairings share are made once."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._disciplines = event.all_disciplines
        places = {engine.name: index for index, engine in enumerate(event.engines)}
        self._own: dict[tuple[int, int, str | None], tuple[PairingSettings, int]] = {}
        for own in event.pairings:
            one, other = (places[name] for name in own.engines)
            self._own[min(one, other), max(one, other), own.discipline] = (own, one)

    def plain(self, discipline: int) -> Terms:
        """Return the terms of a discipline without any pairing's own; they name no time controls."""
        settings = self._disciplines[discipline]
        return Terms(settings.game, settings.size, settings.komi, 0, None, {}, settings.book)

    def of(self, discipline: int, first: int, second: int) -> Terms:
        """Return the terms of two entries, given in any order; `discipline` is its index in the event."""
        event, settings = self._event, self._disciplines[discipline]
        controls = {entry: event.engines[entry].time or settings.time for entry in (first, second)}
        low, high = min(first, second), max(first, second)
        # The pairing's word on one discipline goes before its word on all of them.
        found = self._own.get((low, high, settings.name or None)) or self._own.get((low, high, None))
        if found is None:
            return Terms(settings.game, settings.size, settings.komi, 0, None, controls, settings.book)
        own, named_first = found
        if own.times is not None:
            named_second = second if named_first == first else first
            controls = {named_first: own.times[0], named_second: own.times[1]}
        return Terms(
            game=settings.game,
            size=settings.size if own.size is None else own.size,
            komi=settings.komi if own.komi is None else own.komi,
            odds=own.odds,
            favoured=named_first if own.odds else None,
            controls=controls,
            book=settings.book if own.book is None else own.book,
        )
