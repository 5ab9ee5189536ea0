"""What a tournament file describes, as frozen data: the event, its engines, one scheduled game.

These objects cross every border of the program (configuration to schedule, schedule to referee, runner to
worker process), so they are immutable and picklable and hold no open resource.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.core.clock import TimeControl

IMPORTED = "imported"
"""`Event.format` of games that were played elsewhere: there is no schedule, and no key behind the dice."""

Komi = int | Literal["pie"] | None
"""Whole number, `pie` (the players settle it), or None in games without komi."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One entry of an event, ready to be started.

    Attributes:
        name: unique in the event.
        command: program and arguments; the program is an absolute path.
        cwd: absolute folder to start in.
        env: variables added to the environment.
        plays: games the entry is declared for; empty means the engine is asked.
        time: its own time control (odds), None for the event's.
        margin_ms: time beyond the flag that is forgiven, for pipes and wake-ups.
        restart: a fresh process for every game.
        pipelining: whether all commands of a turn go out in one write.
        ids: whether commands carry numeric ids.
        options: `arena-option` settings.
        work_limit: `arena-limit` text such as `playouts 1000`, None for none.
        startup_s, setup_s: limits for the start of the process and for the set-up of one game, seconds.
        sandbox: `off`, `auto` or `require`.
        folder: the engine's own folder (what a sandbox shows it), None when not named.
        binds: further folders a sandbox shows read-only.
        data_folder: a folder that a sandbox lets it write, None for none.
        limits: resource limits by name (docs/configuration.md).
        submitted: whether the program comes from somebody else.
        threads: how many threads it computes with at a time; None: nobody said, one is assumed.
    """

    name: str
    command: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)
    plays: tuple[str, ...] = ()
    time: TimeControl | None = None
    margin_ms: int = 20
    restart: bool = False
    pipelining: bool = True
    ids: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    work_limit: str | None = None
    startup_s: float = 10.0
    setup_s: float = 10.0
    sandbox: Literal["off", "auto", "require"] = "off"
    folder: str | None = None
    binds: tuple[str, ...] = ()
    data_folder: str | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    submitted: bool = False
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class SequentialPlan:
    """A sequential test that ends a match as soon as it is decided (`arena.stats.sprt` has the terms).

    Attributes:
        elo0, elo1: the two hypotheses, for the first engine.
        alpha, beta: error rates.
        model: `logistic` or `normalized` Elo.
        min_pairs: no decision before that many pairs.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: str
    min_pairs: int


@dataclass(frozen=True, slots=True)
class OpeningBook:
    """Where the openings of an event come from.

    Attributes:
        random_plies: number of random placements; 0 when `lines` are given or there is no opening.
        lines: move lists read from a file, in its order; empty for random openings.
        source: what people call it (`random 2`, a file's name).
        distinct: what makes two openings different; `symmetry`: also no turned or mirrored board.
        order: lines as in the `file`, or in a `random` order from the seed.
        start: with which opening to begin, from 1.
        left_out: how many openings of the file repeat an earlier one and are not among `lines`.
    """

    random_plies: int = 0
    lines: tuple[tuple[str, ...], ...] = ()
    source: str = "none"
    distinct: Literal["position", "symmetry"] | None = None
    order: Literal["file", "random"] = "file"
    start: int = 1
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Discipline:
    """One of the games that an event is played in, with its settings.

    Attributes:
        name: begins the ids of its games; empty in an event of one game.
        game, size, komi, games_each, time, book: as in `Event`.
    """

    name: str
    game: str
    size: int | None
    komi: Komi
    games_each: int
    time: TimeControl
    book: OpeningBook


@dataclass(frozen=True, slots=True)
class PairingSettings:
    """What two entries play by when they meet, where it differs from the event.

    Attributes:
        engines: names of the two.
        discipline: name of the only discipline this is about, None for all.
        size, komi, book: None for the discipline's.
        odds: points of komi that the first of `engines` gets, whichever colour it has.
        times: time controls of the two, in the order of `engines`; None for their own or the discipline's.
    """

    engines: tuple[str, str]
    discipline: str | None = None
    size: int | None = None
    komi: Komi = None
    odds: int = 0
    times: tuple[TimeControl, TimeControl] | None = None
    book: OpeningBook | None = None


TIE_BREAKS = ("pairs 3", "wins-as-second", "seed")
"""How a drawn match of a knockout is decided where the file says nothing, rule after rule."""

DYNAMIC_FORMATS = frozenset({"swiss", "knockout", "ladder"})
"""Formats in which who meets whom depends on the games before."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How a game may be decided before its end on the board. By default it never is.

    Attributes:
        loss_moves: a side loses when its own `info` says so with so many of its moves in a row; 0: never.
        loss_winrate: a `winrate` of at most this says so; from 0 to 1.
        loss_score: a `score` of at most this says so; None: the score is not asked. Where an engine gives
            both, both must say so.
        search_moves: a game without dice is searched to its end as soon as no more moves than these are
            legal; 0: never.
        search_nodes: positions that one search may look at.
        ply_limit: turns, opening included, after which a game is drawn; 0: none.
    """

    loss_moves: int = 0
    loss_winrate: float = 0.02
    loss_score: float | None = None
    search_moves: int = 0
    search_nodes: int = 20_000
    ply_limit: int = 0


NO_ADJUDICATION = Adjudication()


@dataclass(frozen=True, slots=True)
class Event:
    """A whole event as its file describes it.

    In an event of several games `game`, `size`, `komi`, `games_each`, `time` and `book` are the first one's.

    Attributes:
        name: for people.
        format: `match`, `round-robin`, `gauntlet`, `pyramid`, `swiss`, `knockout`, `ladder`; or `imported`:
            the games were played elsewhere.
        game: id of the rules.
        size: board size, None for games without one.
        komi: see `Komi`.
        games_each: games of each pairing; even numbers are whole pairs.
        time: the time control of engines that have none of their own.
        concurrency: games at a time.
        seed: the public seed.
        book: the openings.
        dice: `independent` or `duplicate` (both games of a pair share the dice).
        dice_key: 32 bytes given beforehand, None for a secret one made at the start.
        engines: the entries, in the file's order.
        seeds: gauntlet: how many of the first entries meet all the others.
        rounds: swiss, ladder: number of rounds, None for the format's default.
        bye: swiss: what a bye is worth: a won, drawn or lost meeting.
        best_of: knockout: the same as `games_each`, and a match may end early; None: all are played.
        sprt: a sequential test that may end the match early, None for none.
        tie_breaks: knockout: rules for a drawn match, in order; the last word is always `seed`.
        third_place: knockout: whether the losers of the semi-finals meet.
        disciplines: the games of an event of several; empty in an event of one.
        pairings: settings of pairings that have their own.
        clock: what thinking is measured in: time on the wall, or processor time of the engine's processes.
        suspend_idle: whether the side not to move is stopped while its opponent thinks.
        oversubscribe: whether more threads may compute at a time than there are cores.
        max_faults_in_a_row: so many games in a row lost by a fault of its own withdraw an engine; 0: none do.
        withdrawn: what becomes of the unplayed games of an engine that is out of the event: lost (`forfeit`),
            or counted for nobody (`remove`).
        adjudication: how games may be decided before their end.
        log: which games leave their whole exchange behind: those that ended by a fault, or all.
        home: absolute folder of the event's file, which paths in it are relative to; empty where there
            was no file. Folder and database moved as a whole are the same event.
    """

    name: str
    format: str
    game: str
    size: int | None
    komi: Komi
    games_each: int
    time: TimeControl
    concurrency: int
    seed: int
    book: OpeningBook
    dice: Literal["independent", "duplicate"]
    dice_key: bytes | None
    engines: tuple[Engine, ...]
    seeds: int = 1
    rounds: int | None = None
    bye: Literal["win", "draw", "loss"] = "win"
    best_of: int | None = None
    sprt: SequentialPlan | None = None
    tie_breaks: tuple[str, ...] = TIE_BREAKS
    third_place: bool = False
    disciplines: tuple[Discipline, ...] = ()
    pairings: tuple[PairingSettings, ...] = ()
    clock: Literal["wall", "cpu"] = "wall"
    suspend_idle: bool = False
    oversubscribe: bool = False
    max_faults_in_a_row: int = 50
    withdrawn: Literal["forfeit", "remove"] = "forfeit"
    adjudication: Adjudication = NO_ADJUDICATION
    log: Literal["faults", "all"] = "faults"
    home: str = ""

    @property
    def is_dynamic(self) -> bool:
        """Whether later pairings depend on the games before."""
        return self.format in DYNAMIC_FORMATS

    @property
    def all_disciplines(self) -> tuple[Discipline, ...]:
        """The games of the event, at least one."""
        if self.disciplines:
            return self.disciplines
        return (Discipline("", self.game, self.size, self.komi, self.games_each, self.time, self.book),)


@dataclass(frozen=True, slots=True)
class Opening:
    """The moves that a game starts with.

    Attributes:
        label: which opening of which book, for people (`random 2 #17`); equal for both games of a pair.
        moves: canonical words, Black's first.
    """

    label: str
    moves: tuple[str, ...]


NO_OPENING = Opening("", ())


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game to be played: who, what, from where. Everything in it follows from the event and the seed.

    Attributes:
        id: stable and unique, also when the event is extended: `1-3.5a` is the first game of the fifth pair
            of entries 1 and 3 (counted from 1 in the file's order). Where pairings follow from results, the
            round stands before it, `r2.1-3.1a`; in an event of several games the game, `pente.1-3.5a`.
        ordinal: place in the event's present schedule, from 0.
        round: round of the format, from 1.
        pair: id of the pair, `1-3.5`; both games of a pair share it, and the opening.
        black, white: index of the entry in `Event.engines`.
        game, size, komi: the rules to be played.
        opening: what is played for the engines before they move.
        seed: seed for the game, 64 bits; engines get one derived from it (`arena.core.seeds`).
        controls: time controls of Black and White as scheduled; None: the entries' own, or the event's.
    """

    id: str
    ordinal: int
    round: int
    pair: str
    black: int
    white: int
    game: str
    size: int | None
    komi: Komi
    opening: Opening
    seed: int
    controls: tuple[TimeControl, TimeControl] | None = None
