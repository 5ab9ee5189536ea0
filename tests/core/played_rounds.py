"""Events by results, played out with made-up results: what tests of Swiss, knockout and ladder share."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.rounds import GameResult
from arena.core.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.core.event import ScheduledGame
    from arena.core.rounds import Step

    Referee = Callable[[ScheduledGame], GameResult]


def an_event(format_: str, entries: int, games_each: int = 2, **changes: object) -> Event:
    """Return an event of Topolo on size 4, which is quick to set up."""
    fields: dict[str, object] = {
        "name": "trial",
        "format": format_,
        "game": "topolo",
        "size": 4,
        "komi": None,
        "games_each": games_each,
        "time": parse_time("10+0.1"),
        "concurrency": 2,
        "seed": 7,
        "book": OpeningBook(),
        "dice": "independent",
        "dice_key": None,
        "engines": tuple(Engine(f"engine {number}", ("true",), "/") for number in range(1, entries + 1)),
    }
    return Event(**{**fields, **changes})  # type: ignore[arg-type]


def by_chance(seed: int, draws: float = 0.2) -> Referee:
    """Return who decides each game by lot, the same for the same game however often it is asked."""

    def result(game: ScheduledGame) -> GameResult:
        lot = random.Random(f"{seed} {game.id}")
        word: Literal["black", "white", "draw"] = "draw"
        if lot.random() >= draws:
            word = lot.choice(["black", "white"])
        return GameResult(game.id, game.black, game.white, word, float(lot.randint(-9, 9)))

    return result


def by_strength(game: ScheduledGame) -> GameResult:
    """Let the entry with the higher number win."""
    return GameResult(game.id, game.black, game.white, "black" if game.black > game.white else "white", 1.0)


@dataclass
class Played:
    """An event under way.

    Attributes:
        event: the event.
        results: of the games played so far.
        withdrawn: entries taken out.
        schedule: what is known of the schedule.
    """

    event: Event
    referee: Referee
    results: dict[str, GameResult] = field(default_factory=dict)
    withdrawn: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.schedule = Schedule(self.event)

    def step(self) -> Step | None:
        """Pair the next step; None when the event is over."""
        step = self.schedule.next_step(self.results, self.withdrawn)
        if step is not None:
            self.schedule.add(step)
        return step

    def play(self) -> None:
        """Play what is known and not played."""
        for game in self.schedule:
            if game.id not in self.results:
                self.results[game.id] = self.referee(game)

    def play_on(self, steps: int = 10_000) -> Played:
        """Pair and play so many steps, or to the end."""
        for _ in range(steps):
            if self.step() is None:
                break
            self.play()
        return self
