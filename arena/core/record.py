"""The record of one playing of one game: what the store keeps, the export prints and `verify` replays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.core.packed import PackedParts
    from arena.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    """What an engine process said and was, for one side of one game.

    Attributes:
        name: the entry's name.
        reported_name, reported_version: the replies to `name` and `version`, cut, untrusted text.
        command_hash: SHA-256 (hex) of the command line.
        program_hash: SHA-256 (hex) of the program file, empty when it could not be read.
        sandbox: level of containment in force (`off` when none).
    """

    name: str
    reported_name: str = ""
    reported_version: str = ""
    command_hash: str = ""
    program_hash: str = ""
    sandbox: str = "off"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is kept of a fault.

    Attributes:
        message: one sentence: what happened and what was expected.
        offending: the bytes in question, escaped for print, cut.
        stderr: last lines of the engine's standard error, escaped, cut.
        exit: `exit code 3`, `signal SIGKILL`, or empty while it was alive.
        exchange: last lines sent and received, each with a direction mark.
    """

    message: str
    offending: str = ""
    stderr: str = ""
    exit: str = ""
    exchange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Adjudged:
    """Why a game was adjudicated.

    Attributes:
        rule: `own-word` (the loser's own `info` said so) or `search` (played out by the rules core).
        nodes: positions the search looked at, 0 without one.
        line: the search's line from the last position to the end of the game, canonical words.
    """

    rule: str
    nodes: int = 0
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pie:
    """How komi was settled by the players.

    Attributes:
        proposer: BLACK or WHITE: the colour that the proposer played in the end.
        komi_offered: the proposer's number.
        side_chosen: BLACK or WHITE: the colour the chooser took.
    """

    proposer: int
    komi_offered: int | None
    side_chosen: int | None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One playing, complete. Per-move sequences run over all legal moves, opening plies included.

    Attributes:
        id, ordinal, round, pair, game, size, seed: as in `ScheduledGame`.
        attempt: 1 for the first playing of this id, 2 for a replay, …
        komi: the komi in force (after pie), None in games without or when it was never settled.
        black, white: identities of the two sides (after pie: the colours really played).
        verdict: how it ended.
        moves: canonical words of the legal moves.
        opening_plies: how many of `moves` were played by the referee.
        opening: label of the opening.
        time_us: time charged for each move, microseconds; None for opening plies.
        infos: what the mover's `info` lines said, one mapping a move, empty where nothing was said; none at
            all where nothing ever was.
        announcements: pente: `three`, `four` or None after each move; empty where there was none.
        dice: plakoto: the roll of each turn (also of a turn that failed).
        opening_roll: plakoto: throws before the game [Black's die, White's die], ties included.
        fault_move: the refused text, cut, when a move was refused.
        fault_us: time spent on the turn that failed.
        evidence: what is kept of a fault, by colour.
        pie: how komi was settled, None without pie.
        started, ended: UTC, ISO 8601 with milliseconds.
        adjudged: why it was adjudicated, None when it was not.
        warnings: oddities of an engine that cost it nothing, by colour.
        log: file with the whole exchange, relative to the database's folder; empty when none was kept.
        idle_us: processor time that Black and White were seen to use while not to move, microseconds.
        lag_us: longest time for which the referee was kept from its work during the game, microseconds; 0
            when it was too short to matter.
        final_position: key of the last position.
        packed: what whoever played the game has prepared for the store; a record that `dataclasses.replace`
            makes of another has none.
    """

    id: str
    ordinal: int
    round: int
    pair: str
    game: str
    size: int | None
    seed: int
    attempt: int
    komi: int | None
    black: EngineIdentity
    white: EngineIdentity
    verdict: Verdict
    moves: tuple[str, ...]
    opening_plies: int
    opening: str
    time_us: tuple[int | None, ...]
    started: str
    ended: str
    infos: tuple[Mapping[str, Any], ...] = ()
    announcements: tuple[str | None, ...] = ()
    dice: tuple[tuple[int, int], ...] = ()
    opening_roll: tuple[tuple[int, int], ...] = ()
    fault_move: str | None = None
    fault_us: int | None = None
    evidence: Mapping[int, Evidence] = field(default_factory=dict)
    pie: Pie | None = None
    final_position: str = ""
    adjudged: Adjudged | None = None
    warnings: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    log: str = ""
    idle_us: tuple[int, int] = (0, 0)
    lag_us: int = 0
    packed: PackedParts | None = field(default=None, init=False, repr=False, compare=False)

    def keep_packed(self, parts: PackedParts) -> None:
        """Keep what was worked out from this record: it says nothing new, so the record is what it was."""
        object.__setattr__(self, "packed", parts)
