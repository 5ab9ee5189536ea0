"""Who plays whom, in what order, from which opening, with which colours: a pure function.

It is one of the event alone, or, in formats whose pairings follow from results, of the event and the results.

The unit is the pair: two games of two entries on one opening, colours swapped.

Formats fixed beforehand (match, round robin, gauntlet, pyramid). All pairings play their first pair, then all
their second, and so on, so more pairs are added at the end. Within one such cycle a round robin goes round by
round as the circle method orders it (each entry at most once a round). Several games take turns: the cycle of
the first, that of the second, then the next pair. A game's id names its entries, counted from 1 in the file's
order, its pair and its place in the pair: `1-3.5a`. Seed, opening and colours follow from the id and the
event's seed alone, so more pairs, or entries added at the end of the file, change nothing of the games that
were there.

Pair k of every pairing starts from opening k. So all entries are tried on the same openings: a hard one hits
everybody, and none can be the reason of a place in the table.

Who has Black in game `a` is decided by parity: of entries i and j (from 0) in pair k (from 0) it is the one
that stands first in the file when i + j + k is odd. In whole pairs this only says who begins. Where
`games_each` is odd the last pair is one game, and over all these games each entry has Black in half of them,
or one more or less.

Formats by results (Swiss, knockout, ladder): the schedule holds the games of the steps so far
(`arena.core.rounds`) and grows by one step when all of them have been played. The round stands in the id
(`r2.1-3.1a`), and all meetings of a round start from the same openings, each round from new ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from arena.core import knockout, ladder, swiss
from arena.core.event import ScheduledGame
from arena.core.openings import OpeningSource
from arena.core.pairings import ScheduleError, check_entries, fixed_pairings
from arena.core.rounds import (
    GameResult,
    History,
    Step,
    bye_half_points,
    extra_pairs,
    games_of_meeting,
    main_batches,
    ordered,
    slots,
)
from arena.core.seeds import game_seed
from arena.core.terms import TermsOfEvent
from arena.rules.registry import make_rules
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from arena.core.event import Event, Opening
    from arena.core.rounds import Slot
    from arena.core.terms import Terms
    from arena.rules.base import Rules

__all__ = ["Schedule", "ScheduleError", "discipline_of"]

_GAME_ID = re.compile(
    r"(?:([a-z][a-z0-9_-]*)\.)?([1-9][0-9]{0,5})-([1-9][0-9]{0,5})\.([1-9][0-9]{0,8})([ab])"
)
_ROUND_WORD = re.compile(r"r[0-9]+")


def discipline_of(game_id: str) -> str:
    """Return the name of the discipline that an id of a game or pair begins with, empty when it has none."""
    word, point, _ = game_id.partition(".")
    return word if point and word[:1].isalpha() and not _ROUND_WORD.fullmatch(word) else ""


class Schedule:
    """All games of an event that are known so far, by ordinal or id.

    Games of fixed formats are known from the start, and each is made only when it is asked for.
    """

    def __init__(self, event: Event, rules: Rules | None = None, steps: Iterable[Step] = ()) -> None:
        """Prepare the schedule.

        Args:
            event: what to play.
            rules: the event's rules; None: made from the event (under pie with komi 0, for openings).
            steps: what has been paired so far, in formats by results.

        Raises:
            ScheduleError: the format does not fit the entries.
            OpeningError: the board does not allow the random openings asked for.
            QuestionError: no such game.
        """
        self._event = event
        self._maker = _GameMaker(event, rules)
        self._games: _FixedGames | _StepGames
        if event.is_dynamic:
            check_entries(event)
            self._games = _StepGames(event, self._maker)
            for step in steps:
                self._games.add(step)
        else:
            self._games = _FixedGames(event, self._maker)

    def __len__(self) -> int:
        return len(self._games)

    def __iter__(self) -> Iterator[ScheduledGame]:
        return map(self.game, range(len(self)))

    def game(self, ordinal: int) -> ScheduledGame:
        """Return the game at a place of the schedule.

        Raises:
            IndexError: an ordinal outside `range(len(schedule))`.
        """
        if not 0 <= ordinal < len(self):
            raise IndexError(f"no game {ordinal} in a schedule of {len(self)}")
        return self._games.game(ordinal)

    def ordinal_of(self, game_id: str) -> int | None:
        """Return the place of a game, None when no game of the schedule has this id."""
        return self._games.ordinal_of(game_id)

    def planned(self) -> int:
        """Return how many games the event will have; by results: if nobody leaves and no match is drawn."""
        return self._games.planned()

    def expected(self, *, is_finished: bool) -> int | None:
        """Return how many games there will have been in the end; None: a sequential test says when that is.

        Args:
            is_finished: whether the event is over: by results it has had then what was paired, and no more.
        """
        if self._event.sprt is not None:
            return None
        return len(self) if is_finished else self.planned()

    def meetings_to_come(self) -> list[int]:
        """Return how many meetings each round has that is not paired yet; empty in fixed formats."""
        return self._games.meetings_to_come()

    def warnings(self) -> list[str]:
        """Return what the organiser should know before the first game, a sentence each."""
        return [*self._games.warnings(), *self._maker.warnings(self._games.openings_needed)]

    # --- formats by results ---

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has been paired so far; empty in fixed formats."""
        return self._games.steps

    def awaits(self, results: Mapping[str, GameResult]) -> bool:
        """Say whether a game of the steps so far has no result yet."""
        return self._games.awaits(results)

    def next_step(
        self, results: Mapping[str, GameResult], withdrawn: frozenset[int] = frozenset()
    ) -> Step | None:
        """Return what is to be played next, None when the event is over. Nothing changes before `add`.

        Args:
            results: of all games so far, by id.
            withdrawn: entries taken out of the event.

        Raises:
            ValueError: a game so far has no result.
        """
        if self.awaits(results):
            raise ValueError("the next pairings depend on games that are not played yet")
        return self._games.next_step(results, withdrawn)

    def add(self, step: Step) -> None:
        """Take a step into the schedule: its games are known from here on."""
        self._games.add(step)

    def places(
        self, results: Mapping[str, GameResult], withdrawn: frozenset[int] = frozenset()
    ) -> list[int] | None:
        """Return each entry's place by the format's own measure, None where points alone decide."""
        return self._games.places(results, withdrawn)

    def byes(self) -> list[int]:
        """Return how many byes each entry had that count as points (Swiss)."""
        counts = [0] * len(self._event.engines)
        if self._event.format == "swiss":
            for step in self.steps:
                for meeting in step.meetings:
                    counts[meeting.first] += meeting.second is None
        return counts

    def bye_points(self) -> float:
        """Return what one bye is worth."""
        return bye_half_points(self._event) / 2


class _GameMaker:
    """Puts together what an id stands for: terms, opening, seed."""

    def __init__(self, event: Event, rules: Rules | None) -> None:
        self._event = event
        self._terms = TermsOfEvent(event)
        self.disciplines = event.all_disciplines
        self.prefixes = [f"{each.name}." if each.name else "" for each in self.disciplines]
        # One source for each board and book; books are told apart by identity, they may hold many lines.
        self._sources: dict[tuple[str, int | None, int], OpeningSource] = {}
        self._rules = rules
        self._opening: Callable[[tuple[str, int | None, int], int], Opening]
        # Neighbours in the schedule share an opening; a few are kept, so that each is made once.
        self._opening = lru_cache(maxsize=64)(lambda key, index: self._sources[key].opening(index))
        places = {engine.name: index for index, engine in enumerate(event.engines)}
        for discipline in range(len(self.disciplines)):
            self._source(self._terms.plain(discipline))
            for own in event.pairings:
                one, other = (places[name] for name in own.engines)
                self._source(self._terms.of(discipline, one, other))

    def _source(self, terms: Terms) -> tuple[str, int | None, int]:
        key = (terms.game, terms.size, id(terms.book))
        if key not in self._sources:
            rules = self._rules
            if rules is None or (rules.game, rules.size) != (terms.game, terms.size):
                komi = None if terms.komi == "pie" else terms.komi
                rules = make_rules(terms.game, size=terms.size, komi=komi)
            self._sources[key] = OpeningSource(terms.book, rules, self._event.seed)
            self._sources[key].count()
        return key

    def game(
        self,
        place: tuple[int, int],
        discipline: int,
        players: tuple[int, int],
        names: tuple[str, str],
        opening: int,
    ) -> ScheduledGame:
        """Return a game.

        Args:
            place: its ordinal and round.
            discipline: index.
            players: Black and White.
            names: id of the pair, and what the game's id has after it.
            opening: index of its opening.
        """
        black, white = players
        terms = self._terms.of(discipline, black, white)
        pair_id = self.prefixes[discipline] + names[0]
        game_id = pair_id + names[1]
        return ScheduledGame(
            id=game_id,
            ordinal=place[0],
            round=place[1],
            pair=pair_id,
            black=black,
            white=white,
            game=terms.game,
            size=terms.size,
            komi=terms.komi_with(black),
            opening=self._opening(self._source(terms), opening),
            seed=game_seed(self._event.seed, game_id),
            controls=(terms.controls[black], terms.controls[white]),
        )

    def warnings(self, needed: list[int]) -> list[str]:
        """Return a sentence for each discipline whose openings do not suffice for `needed` pairs."""
        said = []
        for place, (discipline, pairs) in enumerate(zip(self.disciplines, needed, strict=True)):
            source = self._sources[self._source(self._terms.plain(place))]
            name = f"{discipline.name}: " if discipline.name else ""
            said += [f"{name}{words}" for words in source.warnings(pairs)]
        return said


class _FixedGames:
    """The games of a format that is fixed beforehand, by arithmetic."""

    steps: tuple[Step, ...] = ()

    def __init__(self, event: Event, maker: _GameMaker) -> None:
        self._maker = maker
        self._pairings = fixed_pairings(event)
        self._games_each = [each.games_each for each in maker.disciplines]
        self._cycles = (max(self._games_each) + 1) // 2
        self._discipline = {each.name: place for place, each in enumerate(maker.disciplines)}
        self.openings_needed = [(games + 1) // 2 for games in self._games_each]

    def __len__(self) -> int:
        return len(self._pairings) * sum(self._games_each)

    def planned(self) -> int:
        return len(self)

    def meetings_to_come(self) -> list[int]:
        return []

    def warnings(self) -> list[str]:
        return []

    def _games_before(self, pair: int) -> int:
        """Return how many games come before the cycle of a pair, from 0."""
        return len(self._pairings) * sum(min(2 * pair, games) for games in self._games_each)

    def _halves(self, discipline: int, pair: int) -> int:
        """Return how many games a pair, from 0, has in a discipline: 2, 1, or 0 when it is not played."""
        return min(2, max(0, self._games_each[discipline] - 2 * pair))

    def game(self, ordinal: int) -> ScheduledGame:
        if len(self._games_each) == 1:
            pair = min(ordinal // (2 * len(self._pairings)), self._cycles - 1)
        else:
            pair = bisect_right(range(self._cycles), ordinal, key=self._games_before) - 1
        rest = ordinal - self._games_before(pair)
        discipline = 0
        while rest >= (games := len(self._pairings) * self._halves(discipline, pair)):
            rest -= games
            discipline += 1
        place, half = divmod(rest, self._halves(discipline, pair))
        first, second = self._pairings.pairing(place)
        is_first_black = (first + second + pair) % 2 != half
        return self._maker.game(
            (ordinal, pair * self._pairings.rounds + self._pairings.round_of(place) + 1),
            discipline,
            (first, second) if is_first_black else (second, first),
            (f"{first + 1}-{second + 1}.{pair + 1}", "ab"[half]),
            pair,
        )

    def ordinal_of(self, game_id: str) -> int | None:
        found = _GAME_ID.fullmatch(game_id)
        discipline = self._discipline.get(found[1] or "") if found else None
        if found is None or discipline is None:
            return None
        first, second, pair = (int(found[group]) - 1 for group in (2, 3, 4))
        half = int(found[5] == "b")
        place = self._pairings.place(first, second)
        if place is None or 2 * pair + half >= self._games_each[discipline]:
            return None
        before = sum(self._halves(each, pair) for each in range(discipline))
        within = self._halves(discipline, pair) * place + half
        return self._games_before(pair) + before * len(self._pairings) + within

    def awaits(self, results: Mapping[str, GameResult]) -> bool:
        return len(results) < len(self)

    def next_step(self, results: Mapping[str, GameResult], withdrawn: frozenset[int]) -> Step | None:
        del results, withdrawn
        return None

    def add(self, step: Step) -> None:
        raise ValueError(f"a fixed format takes no further step: {step}")

    def places(self, results: Mapping[str, GameResult], withdrawn: frozenset[int]) -> list[int] | None:
        del results, withdrawn
        return None


class _StepGames:
    """The games of the steps so far."""

    def __init__(self, event: Event, maker: _GameMaker) -> None:
        self._event = event
        self._maker = maker
        self.steps: tuple[Step, ...] = ()
        self._known: list[ScheduledGame] = []
        self._ordinals: dict[str, int] = {}
        further = extra_pairs(event)
        count = len(maker.disciplines)
        self._openings_a_round = [
            (each.games_each + 1) // 2 + (further + count - 1) // count for each in maker.disciplines
        ]

    def __len__(self) -> int:
        return len(self._known)

    def game(self, ordinal: int) -> ScheduledGame:
        return self._known[ordinal]

    def ordinal_of(self, game_id: str) -> int | None:
        return self._ordinals.get(game_id)

    def add(self, step: Step) -> None:
        seated = [each for meeting in step.meetings for each in (meeting.first, meeting.second)]
        entries = [each for each in seated if each is not None]
        if len(set(entries)) < len(entries) or not set(entries) <= set(range(len(self._event.engines))):
            raise ScheduleError(f"round {step.round} pairs somebody twice, or nobody of the event")
        self.steps += (step,)
        # All meetings play their first pair, then all their second, and so on.
        for _, pair in groupby(slots(self._event, step.batch), key=lambda slot: (slot.discipline, slot.pair)):
            halves = tuple(pair)
            for meeting in step.meetings:
                if meeting.second is not None:
                    self._add_pair(step.round, meeting.first, meeting.second, halves)

    def _add_pair(self, round_: int, first: int, second: int, halves: tuple[Slot, ...]) -> None:
        low, high = ordered(first, second)
        for slot in halves:
            game = self._maker.game(
                (len(self._known), round_),
                slot.discipline,
                (first, second) if slot.is_first_black else (second, first),
                (f"r{round_}.{low + 1}-{high + 1}.{slot.pair}", "ab"[slot.half]),
                (round_ - 1) * self._openings_a_round[slot.discipline] + slot.pair - 1,
            )
            self._ordinals[game.id] = len(self._known)
            self._known.append(game)

    def awaits(self, results: Mapping[str, GameResult]) -> bool:
        return any(game_id not in results for game_id in self._ordinals)

    def _history(self, results: Mapping[str, GameResult], withdrawn: frozenset[int]) -> History:
        known = (
            (self._known[ordinal].round, results[game_id])
            for game_id, ordinal in self._ordinals.items()
            if game_id in results
        )
        return History(self._event, self.steps, known, withdrawn)

    def next_step(self, results: Mapping[str, GameResult], withdrawn: frozenset[int]) -> Step | None:
        history = self._history(results, withdrawn)
        match self._event.format:
            case "swiss":
                return swiss.next_step(self._event, history)
            case "knockout":
                return knockout.next_step(self._event, history)
            case "ladder":
                return ladder.next_step(self._event, history)
            case unknown:
                raise ScheduleError(f"{unknown!r} is no format by results")

    def places(self, results: Mapping[str, GameResult], withdrawn: frozenset[int]) -> list[int] | None:
        history = self._history(results, withdrawn)
        match self._event.format:
            case "knockout":
                return knockout.places(self._event, history, is_settled=not self.awaits(results))
            case "ladder":
                return ladder.places(history)
            case _:
                return None

    @property
    def _rounds(self) -> int:
        entries = len(self._event.engines)
        match self._event.format:
            case "swiss":
                return swiss.rounds(self._event)
            case "ladder":
                return ladder.rounds(self._event)
            case _:
                return knockout.rounds(entries)

    @property
    def openings_needed(self) -> list[int]:
        return [self._rounds * pairs for pairs in self._openings_a_round]

    def planned(self) -> int:
        meetings = sum(self.meetings_to_come())
        return len(self) + self._open_batches() + meetings * games_of_meeting(self._event)

    def meetings_to_come(self) -> list[int]:
        entries, rounds = len(self._event.engines), self._rounds
        done = self.steps[-1].round if self.steps else 0
        to_come = range(done + 1, rounds + 1)
        match self._event.format:
            case "swiss":
                return [entries // 2 for _ in to_come]
            case "ladder":
                return [(entries - (round_ - 1) % 2 * (entries > 2)) // 2 for round_ in to_come]
            case _:
                full = [2 ** (rounds - round_) for round_ in to_come]
                if full and done == 0:
                    # The first round has byes for what the entries lack to a power of two.
                    full[0] = entries - full[0]
                if full and self._event.third_place and rounds > 1:
                    full[-1] += 1
                return full

    def _open_batches(self) -> int:
        """Return the games of a best-of that may still come in the round that is being played."""
        if self._event.best_of is None or not self.steps:
            return 0
        last = self.steps[-1]
        played = 2 * (last.batch + 1)
        open_matches = sum(each.second is not None for each in last.meetings)
        return open_matches * max(0, self._event.best_of - played) * (last.batch < main_batches(self._event))

    def warnings(self) -> list[str]:
        entries, rounds = len(self._event.engines), self._rounds
        without_rematch = entries - 1 + entries % 2
        if self._event.format == "swiss" and rounds > without_rematch:
            what = f"{counted(rounds, 'round')} of {counted(entries, 'engine')}"
            return [f"{what}: from round {without_rematch + 1} on some meet again"]
        return []
