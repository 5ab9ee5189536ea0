"""The engine as its author's own tests see it: a move in a position, a match against somebody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from arena.config import event_from_keys
from arena.conformance.case import CaseFailed
from arena.conformance.outputs import problem_text
from arena.conformance.positions import line_of
from arena.conformance.stages.moves import quick_control
from arena.core.clock import parse_time
from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.core.verdict import FAULTS
from arena.live.channel import Patience
from arena.live.player import GamePlayer
from arena.live.pool import EnginePool
from arena.rules import BLACK, RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.conformance.bench import Bench, Subject
    from arena.conformance.laboratory import Laboratory
    from arena.conformance.positions import Line
    from arena.core.event import Event
    from arena.core.record import GameRecord

    Moves = str | Sequence[str | tuple[tuple[int, int], str]]
    """Moves in one string, parted by blanks, or one by one; in games with dice each as (roll, move)."""


_DICE_KEY = b"gtparena/under-test".ljust(32, b"\0")


@dataclass(frozen=True, slots=True)
class MatchScore:
    """What a match came to, from the tested engine's side.

    Attributes:
        wins, draws, losses: games.
        faults: how many of the losses were faults of its own.
        lost: for each game lost, in words how.
    """

    wins: int
    draws: int
    losses: int
    faults: int
    lost: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game, from 0 to 1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    def __str__(self) -> str:
        faults = f", {self.faults} by its own fault" if self.faults else ""
        return (
            f"{self.wins} won, {self.draws} drawn, {self.losses} lost{faults}: {self.score:.3f} points a game"
        )


class EngineUnderTest:
    """What the fixture `arena_engine` gives."""

    def __init__(self, laboratory: Laboratory) -> None:
        self._laboratory = laboratory

    @property
    def game(self) -> str:
        """Which game it is tested in."""
        return self._laboratory.subject.game

    def legal_moves(
        self,
        moves: Moves = (),
        *,
        size: int | None = None,
        komi: int | None = None,
        dice: tuple[int, int] | None = None,
    ) -> list[str]:
        """Return all legal moves after `moves`, canonical words; arguments as for `move`."""
        position = self._line(moves, size, komi, BLACK, dice).position()
        return [position.rules.format_move(move) for move in position.legal_moves()]

    def move(
        self,
        moves: Moves = (),
        *,
        size: int | None = None,
        komi: int | None = None,
        first: int = BLACK,
        dice: tuple[int, int] | None = None,
        time: str | None = None,
        seed: int = 1,
        limit_s: float = 60.0,
    ) -> str:
        """Lead the engine to a position and return the move it plays there, canonical, or `resign`.

        Args:
            moves: how the position came about (the protocol has no other way to tell one).
            size: None for the one the engine is tested with.
            komi: likewise.
            first: who moved first; only games with dice allow White.
            dice: the roll it is to play, in games with dice.
            time: the time control it is told; None for a short time for the move.
            seed: what it is sent as arena-seed.
            limit_s: longest wait for the move.

        Raises:
            AssertionError: it plays an illegal move, or none; the message tells the exchange and the board.
            ValueError: `moves` are not legal.
        """
        __tracebackhide__ = True
        line = self._line(moves, size, komi, first, dice)

        async def ask(bench: Bench) -> str:
            async with bench.talk() as talk:
                control = quick_control(talk, bench.subject) if time is None else parse_time(time)
                await talk.set_up(line, control, seed=seed)
                thought = await talk.think([], limit_s)
                move = talk.judge(thought.word)
                return "resign" if move is None else talk.playing().rules.format_move(move)

        try:
            return self._laboratory.call(ask)
        except CaseFailed as failed:
            raise AssertionError(problem_text(failed.problem, most_lines=60)) from None

    def must_play(self, allowed: str | Iterable[str], moves: Moves = (), **more: object) -> str:
        """Assert that the engine plays one of some moves in a position; return the one it played.

        Args:
            allowed: words, or one string with blanks between.
            moves: how the position came about.
            more: as for `move`.
        """
        __tracebackhide__ = True
        played, wanted, board = self._compare(allowed, moves, more)
        assert played in wanted, f"played {played}, expected {' or '.join(wanted)}\n{board}"  # noqa: S101
        return played

    def must_not_play(self, forbidden: str | Iterable[str], moves: Moves = (), **more: object) -> str:
        """Assert that the engine plays none of some moves in a position; return the one it played."""
        __tracebackhide__ = True
        played, unwanted, board = self._compare(forbidden, moves, more)
        assert played not in unwanted, f"played {played}, which it must not\n{board}"  # noqa: S101
        return played

    def play_match(
        self,
        opponent: str = "greedy",
        games: int = 20,
        *,
        size: int | None = None,
        komi: int | None = None,
        time: str | None = None,
        seed: int = 0,
        openings: int | None = None,
    ) -> MatchScore:
        """Play a match against a sample engine or any command; each opening is played with both colours.

        Args:
            opponent: name of a sample engine with its flags (`greedy --noise 0.1`), or a command.
            games: how many; an odd number gives the tested engine Black once more.
            size: None for the one the engine is tested with.
            komi: likewise.
            time: likewise.
            seed: of schedule, openings and engines.
            openings: random plies that each pair of games begins with; None for none.
        """
        event = self._event(opponent, games, size, komi, time, seed, openings)

        async def play(_: Bench) -> list[GameRecord]:
            return await _play_all(event)

        records = self._laboratory.call(play)
        return _score(records, event.engines[0].name)

    def must_not_lose_to(self, opponent: str = "greedy", games: int = 20, **more: object) -> MatchScore:
        """Assert that a match brings at least half the points, and no loss by a fault; return its score."""
        __tracebackhide__ = True
        score = self.play_match(opponent, games, **more)  # type: ignore[arg-type]
        told = "\n".join(score.lost[:20])
        assert not score.faults, f"against {opponent}: {score}\n{told}"  # noqa: S101
        assert score.score >= 0.5, f"against {opponent}: {score}, expected at least 0.5\n{told}"  # noqa: S101
        return score

    def _line(
        self, moves: Moves, size: int | None, komi: int | None, first: int, dice: tuple[int, int] | None
    ) -> Line:
        __tracebackhide__ = True
        subject = self._laboratory.subject
        try:
            return line_of(
                subject.game,
                moves.split() if isinstance(moves, str) else list(moves),
                size=subject.size if size is None else size,
                komi=subject.komi if komi is None else komi,
                first=first,
                dice=dice,
            )
        except RulesError as error:
            raise ValueError(f"the position cannot be had: {error}") from None

    def _compare(
        self, words: str | Iterable[str], moves: Moves, more: dict[str, object]
    ) -> tuple[str, list[str], str]:
        """Return the move played, `words` in canonical form, and the board."""
        __tracebackhide__ = True
        where = {name: more.get(name) for name in ("size", "komi", "dice")}
        line = self._line(moves, where["size"], where["komi"], more.get("first", BLACK), where["dice"])  # type: ignore[arg-type]
        position = line.position()
        rules = position.rules
        given = words.split() if isinstance(words, str) else list(words)
        canonical = [
            word.lower()
            if word.lower() == "resign"
            else rules.format_move(position.canonical(rules.parse_move(word)))
            for word in given
        ]
        played = self.move(moves, **more)  # type: ignore[arg-type]
        return played, canonical, "\n".join(position.diagram())

    def _event(
        self,
        opponent: str,
        games: int,
        size: int | None,
        komi: int | None,
        time: str | None,
        seed: int,
        openings: int | None,
    ) -> Event:
        subject: Subject = self._laboratory.subject
        keys = {
            "game": subject.game,
            "format": "match",
            "size": subject.size if size is None else size,
            "komi": subject.komi if komi is None else komi,
            "time": time or subject.control.text,
            "games_each": games,
            "seed": seed,
            "openings": None if openings is None else {"random": openings},
        }
        event = event_from_keys(
            keys, ["random", {"command": opponent, "name": f"opponent: {opponent}"[:200]}]
        )
        return replace(event, engines=(replace(subject.entry, name="tested"), event.engines[1]))


async def _play_all(event: Event) -> list[GameRecord]:
    """Play all games of an event one after the other; what an engine does wrong is in their records."""
    schedule = Schedule(event)
    patience = Patience()
    async with trio.open_nursery() as nursery:
        pool = EnginePool(event.engines, nursery, patience, 1)
        try:
            player = GamePlayer(pool, patience)
            return [
                await player.play(game_task(event, schedule.game(ordinal), 1, _DICE_KEY))
                for ordinal in range(len(schedule))
            ]
        finally:
            with trio.CancelScope(shield=True):
                await pool.close(politely=True)
                pool.kill_all()
            nursery.cancel_scope.cancel()


def _score(records: Sequence[GameRecord], name: str) -> MatchScore:
    wins = draws = losses = faults = 0
    lost = []
    for record in records:
        side = 0 if record.black.name == name else 1
        verdict = record.verdict
        if verdict.winner is None:
            draws += 1
        elif verdict.winner == side:
            wins += 1
        else:
            losses += 1
            is_fault = verdict.reason in FAULTS
            faults += is_fault
            evidence = record.evidence.get(side)
            why = f" ({evidence.message})" if evidence else ""
            lost.append(f"game {record.id}: {verdict.result}, {verdict.reason}{why}")
    return MatchScore(wins, draws, losses, faults, tuple(lost))
