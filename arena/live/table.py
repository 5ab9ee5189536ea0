"""A table for one game between a person and an engine: the referee as in every event, a seat as one player.

A process of its own, started by whoever shows the board (a page, a terminal), told what to play and told the
person's moves over a socket. It ends when the other end closes, and takes the engine with it. Started as
`python -m arena.live.table DESCRIPTOR`.

A person is judged by the same rules and the same clock. Two things are his alone: what he says is looked at
before the referee hears it, so that a slip is no loss; and he may take back his last move. Time that was used
stays used then, dice stay as they were thrown, and the record says at the next move how often it was done.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from arena.core.clock import Kind
from arena.core.record import EngineIdentity, Evidence
from arena.core.table import Act, Action, Broken, Ended, Laid, Phase, TableView, Unpacker, packed
from arena.live.channel import OtherSideGone, Patience
from arena.live.faults import ArenaFault, EngineFault
from arena.live.pool import EnginePool
from arena.live.preflight import examine
from arena.live.process import become_subreaper
from arena.live.referee import Referee
from arena.rules import RulesError, colour_name
from protocol.answers import MoveReply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from arena.core.clock import Clock
    from arena.core.event import Engine
    from arena.core.record import GameRecord
    from arena.core.table import Said
    from arena.core.task import GameTask
    from arena.core.verdict import Verdict
    from arena.live.partner import Partner
    from arena.live.session import EngineSession, GameSettings
    from arena.rules import Position

_LOOK_S = 0.02
"""How often the seat is told what has changed."""

_REPEAT_S = 2.0
"""Clocks are told again after this time."""


class _TakeBack(Exception):  # noqa: N818  a wish, no error
    """The person takes back his last move."""


class _SeatLine:
    """The way to a person: nothing but the measured time, and the end of a wait."""

    def __init__(self) -> None:
        self.spent_ns = 0
        self.is_broken_off = False
        self.scope: trio.CancelScope | None = None

    def break_off(self) -> None:
        self.is_broken_off = True
        if self.scope is not None:
            self.scope.cancel()

    def expire(self) -> None:
        """A person's time is not processor time."""

    def calm(self) -> None:
        self.is_broken_off = False


class _Present:
    """A person does not crash."""

    has_exited = False

    def __init__(self) -> None:
        self.exited = trio.Event()

    def cpu_ns(self) -> int:
        return 0

    def suspend(self) -> None:
        """Nobody is stopped."""

    def resume(self) -> None:
        """Nobody was stopped."""


class Seat:
    """A person as a player.

    Attributes:
        entry: the person's entry.
        phase: what the person is asked for; ENGINE while nothing is asked.
        question: the komi proposed, in the phase CHOICE.
        taken_back: how often a move was taken back.
    """

    def __init__(self, entry: Engine, now_ns: Callable[[], int]) -> None:
        self.entry = entry
        self.channel = _SeatLine()
        self.process = _Present()
        self.on_exit: Callable[[], None] | None = None
        self.phase = Phase.STARTING
        self.question: int | None = None
        self.taken_back = 0
        self._now_ns = now_ns
        self._is_unlimited = True
        self._word: str | None = None
        self._has_taken_back = False
        self._answered = trio.Event()

    def answer(self, word: str) -> None:
        """Take the answer to what is asked."""
        self._word = word
        self._answered.set()

    def take_back(self) -> None:
        """Take the wish to have the last move back."""
        self._has_taken_back = True
        self._answered.set()

    def lists(self, command: str) -> bool:
        """A person is told nothing by command."""
        return False

    async def set_up(self, settings: GameSettings, opening: Sequence[str], *, komi_is_open: bool) -> None:
        """Note the time control."""
        self._is_unlimited = settings.control.kind is Kind.UNLIMITED
        self.phase = Phase.ENGINE

    async def settle_komi(self, settings: GameSettings, opening: Sequence[str]) -> None:
        """Note the time control, which may be that of the other colour now."""
        self._is_unlimited = settings.control.kind is Kind.UNLIMITED

    async def ask_pie(self, command: str) -> str:
        """Ask for komi or a side; a person has all the time for that."""
        name, _, komi = command.partition(" ")
        self.question = int(komi) if komi else None
        return await self._asked(Phase.CHOICE if name == "arena-choose_side" else Phase.OFFER, None) or ""

    async def turn(self, commands: list[str], limit_ns: int) -> MoveReply | None:
        """Ask for a move.

        Raises:
            OtherSideGone: the engine has ended meanwhile.
            _TakeBack: the person wants the last move back.
        """
        began = self._now_ns()
        try:
            word = await self._asked(Phase.PERSON, None if self._is_unlimited else limit_ns / 1e9)
        finally:
            self.channel.spent_ns = self._now_ns() - began
        if self._has_taken_back:
            self._has_taken_back = False
            raise _TakeBack
        return None if word is None else MoveReply(word, {})

    def tell_result(self, text: str) -> bool:
        """The result is on the board."""
        return True

    async def judged(self, fault: EngineFault) -> tuple[EngineFault, Evidence]:
        """Return the fault, and of evidence what there is: the sentence."""
        return fault, Evidence(fault.message)

    async def _asked(self, phase: Phase, limit_s: float | None) -> str | None:
        self._word, self._answered = None, trio.Event()
        self.phase = phase
        try:
            with trio.CancelScope() as scope:
                self.channel.scope = scope
                if limit_s is not None:
                    scope.deadline = trio.current_time() + limit_s
                if self.channel.is_broken_off:
                    scope.cancel()
                await self._answered.wait()
        finally:
            self.channel.scope = None
            self.phase = Phase.ENGINE
        if self.channel.is_broken_off:
            raise OtherSideGone
        return self._word


class TableReferee(Referee):
    """The referee of a game in which one player is a person.

    Args:
        task: the game.
        seat: the person.
        session: the engine, started.
        person: the person's scheduled colour.
        identity: what the record says of the engine.
    """

    def __init__(
        self, task: GameTask, seat: Seat, session: EngineSession, person: int, identity: EngineIdentity
    ) -> None:
        names = EngineIdentity(seat.entry.name, reported_name="a person")
        players: tuple[Partner, Partner] = (session, seat) if person else (seat, session)
        super().__init__(task, players, (identity, names) if person else (names, identity))
        self._seat = seat
        self._is_second_try = False

    @property
    def person(self) -> int:
        """The colour the person plays."""
        return 0 if self._sessions[0] is self._seat else 1

    @property
    def can_take_back(self) -> bool:
        """Whether the person has made a move that can be taken back."""
        return self._last_ply_of(self.person) is not None

    def refuses(self, word: str) -> str | None:
        """Say why a move of the person is refused, None for a legal one and for `resign`."""
        if word == "resign":
            return None
        try:
            return self._position.refusal(self._position.rules.parse_move(word))
        except RulesError as error:
            return str(error)

    async def _turn(self, position: Position, side: int, clocks: tuple[Clock, Clock]) -> Verdict | None:
        ply = self.ply
        try:
            verdict = await super()._turn(position, side, clocks)
        except _TakeBack:
            self._charge_for_thinking(clocks[side])
            return await self._take_back(side)
        if self._is_second_try and self.ply > ply:
            self._infos[-1] = {**self._infos[-1], "taken_back": self._seat.taken_back}
            self._is_second_try = False
        return verdict

    def _charge_for_thinking(self, clock: Clock) -> None:
        """Take the time spent before a move was taken back off the clock, as of a move that earns nothing."""
        if clock.main_left_us is not None:
            clock.main_left_us = max(clock.main_left_us - self._seat.channel.spent_ns // 1000, 0)

    def _last_ply_of(self, side: int) -> int | None:
        """Return how many turns had been played before the last one of a side; None when it has made none."""
        opening = self._task.scheduled.opening.moves
        ply = len(self._moves) - 1 - (self._position.to_move == side)
        return ply if ply >= len(opening) else None

    async def _take_back(self, side: int) -> Verdict | None:
        """Go back to before the person's last move, and tell the engine by a new set-up."""
        kept = self._last_ply_of(side)
        if kept is None:
            return None
        engine = self._sessions[1 - side]
        position, history = self._replayed(kept)
        for sequence in (self._moves, self._time_us, self._infos, self._announcements):
            del sequence[kept:]
        del self._dice_thrown[kept + 1 :]
        self._position = position
        for box in self._outbox:
            box.clear()
        if position.awaits_dice:
            position.set_dice(*self._dice_thrown[kept])
            self._outbox[1 - side].append(_dice_words(position.to_move, self._dice_thrown[kept]))
        self._seat.taken_back += 1
        self._is_second_try = True
        try:
            await engine.settle_komi(self._settings(1 - side), history)
        except EngineFault as fault:
            return await self._fault_verdict({1 - side: fault})
        return None

    def _replayed(self, plies: int) -> tuple[Position, list[str]]:
        """Return the position after so many turns, and the commands that lead an engine there."""
        rules = self._position.rules
        position = rules.initial(self.view().first)
        commands = []
        for ply, word in enumerate(self._moves[:plies]):
            colour = position.to_move
            if position.awaits_dice:
                position.set_dice(*self._dice_thrown[ply])
                commands.append(_dice_words(colour, self._dice_thrown[ply]))
            position.play(rules.parse_move(word))
            commands.append(f"play {colour_name(colour)} {word}")
            if position.announcement is not None:
                commands.append(f"arena-announce {colour_name(colour)} {position.announcement}")
        return position, commands


def _dice_words(colour: int, dice: tuple[int, int]) -> str:
    return f"arena-dice {colour_name(colour)} {dice[0]} {dice[1]}"


class Table:
    """One end of the socket: plays what is laid, says what happens, does what the person wants."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._patience = Patience()
        self._referee: TableReferee | None = None
        self._seat: Seat | None = None
        self._result = ""

    async def serve(self) -> None:
        """Play one game; return when it is over, or the other end is closed."""
        incoming = self._incoming()
        laid = await anext(incoming, None)
        if not isinstance(laid, Laid):
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._obey, incoming, nursery.cancel_scope)
            try:
                await self._say(await self._played(laid))
            except ArenaFault as fault:
                await self._say(Broken(str(fault)))
            finally:
                nursery.cancel_scope.cancel()

    async def _played(self, laid: Laid) -> Ended | Broken:
        entry = laid.event.engines[1 - laid.person]
        async with trio.open_nursery() as nursery:
            pool = EnginePool((entry,), nursery, self._patience, 1)
            try:
                event = replace(laid.event, engines=(entry,))
                (finding,) = await examine(event, pool)
                if finding.shortcomings:
                    return Broken("; ".join(finding.shortcomings))
                pool.use_entries((replace(entry, pipelining=finding.pipelining),))
                try:
                    session = await pool.acquire(0)
                except EngineFault as fault:
                    return Broken(f"the engine could not be started: {fault.message}")
                record = await self._refereed(laid, session, await pool.identity(0, session), nursery)
                await pool.close(politely=True)
                return Ended(record)
            finally:
                pool.kill_all()
                nursery.cancel_scope.cancel()

    async def _refereed(
        self, laid: Laid, session: EngineSession, identity: EngineIdentity, nursery: trio.Nursery
    ) -> GameRecord:
        seat = Seat(laid.event.engines[laid.person], self._patience.now_ns)
        person = 0 if laid.task.scheduled.black == laid.person else 1
        referee = TableReferee(laid.task, seat, session, person, identity)
        self._seat, self._referee = seat, referee
        with trio.CancelScope() as showing:
            nursery.start_soon(self._show, showing)
            record = await referee.play()
            showing.cancel()
        verdict = record.verdict
        self._result = f"{verdict.result} ({verdict.reason})"
        await self._say(self._view(0.0))
        return record

    async def _show(self, scope: trio.CancelScope) -> None:
        """Tell the seat what has changed, until the game is over."""
        mark: object = None
        since = told_at = trio.current_time()
        while not scope.cancel_called:
            now = trio.current_time()
            view = self._view(0.0)
            if view != mark:
                if not isinstance(mark, TableView) or view.game.moves != mark.game.moves:
                    since = now
                mark, told_at = view, float("-inf")
            if now - told_at >= _REPEAT_S:
                told_at = now
                await self._say(self._view(now - since))
            await trio.sleep(_LOOK_S)

    def _view(self, thinking_s: float) -> TableView:
        if self._referee is None or self._seat is None:
            raise RuntimeError("nothing has been laid")
        referee, seat = self._referee, self._seat
        phase = Phase.OVER if self._result else seat.phase
        return TableView(
            phase=phase,
            game=replace(referee.view(), thinking_us=int(thinking_s * 1e6)),
            person=referee.person,
            question=seat.question if phase is Phase.CHOICE else None,
            can_take_back=phase is Phase.PERSON and referee.can_take_back,
            taken_back=seat.taken_back,
            result=self._result,
        )

    async def _obey(self, incoming: AsyncIterator[Said], scope: trio.CancelScope) -> None:
        async for said in incoming:
            if isinstance(said, Action) and self._seat is not None and self._referee is not None:
                self._act(said, self._seat, self._referee)
        # Nobody sits here any more.
        scope.cancel()

    def _act(self, action: Action, seat: Seat, referee: TableReferee) -> None:
        """Do what the person wants, if it fits the moment; else nothing."""
        if action.ply != referee.ply:
            return
        match action.act:
            case Act.TAKE_BACK if seat.phase is Phase.PERSON and referee.can_take_back:
                seat.take_back()
            case Act.RESIGN if seat.phase is Phase.PERSON:
                seat.answer("resign")
            case Act.ANSWER if self._fits(action.word, seat, referee):
                seat.answer(action.word)
            case _:
                return

    @staticmethod
    def _fits(word: str, seat: Seat, referee: TableReferee) -> bool:
        match seat.phase:
            case Phase.PERSON:
                return referee.refuses(word) is None
            case Phase.CHOICE:
                return word in ("black", "white")
            case Phase.OFFER:
                size = referee.view().size or 0
                with suppress(ValueError):
                    return len(word) < 8 and abs(int(word)) <= size * size
                return False
            case _:
                return False

    async def _say(self, said: Said) -> None:
        try:
            await self._stream.send_all(packed(said))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            # `_obey` meets the end of the stream and ends everything.
            return

    async def _incoming(self) -> AsyncIterator[Said]:
        unpacker = Unpacker()
        while True:
            try:
                data = await self._stream.receive_some(65536)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not data:
                return
            for said in unpacker.feed(data):
                yield said


def main() -> None:
    """Serve the seat at the other end of the inherited socket."""
    # Ctrl-C is for whoever started this process: it closes the socket when it has done what it has to do.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: None)
    become_subreaper()
    connection = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(connection.fileno(), False)

    async def run() -> None:
        table = Table(trio.SocketStream(trio.socket.from_stdlib_socket(connection)))
        await table.serve()

    try:
        trio.run(run)
    except Exception as error:
        traceback.print_exc()
        with suppress(OSError):
            connection.setblocking(True)
            connection.sendall(packed(Broken(f"the table failed: {type(error).__name__}: {error}")))


if __name__ == "__main__":
    main()
