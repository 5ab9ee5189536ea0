"""One game between two engine sessions, from set-up to verdict.

The referee trusts the rules core and its own clock and nothing that an engine says. Whatever happens it
returns a record; only a fault of the arena itself leaves it as an exception.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import trio

from arena.core import verdict as verdicts
from arena.core.adjudicate import Adjudicator
from arena.core.clock import Clock, Kind
from arena.core.clock_words import time_left_words
from arena.core.dice import Dice, starter
from arena.core.record import Adjudged, EngineIdentity, Evidence, GameRecord, Pie
from arena.core.running import RunningGame, clock_face, short_infos
from arena.core.seeds import engine_seed
from arena.core.verdict import Reason, Verdict
from arena.live.channel import OtherSideGone, Patience
from arena.live.cpu_clock import turn_by_cpu
from arena.live.faults import EngineFault, escaped
from arena.live.session import HANG_S, GameSettings
from arena.rules import BLACK, WHITE, IllegalMoveError, MalformedMoveError, NoSuchMoveError, colour_name
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from arena.core.task import GameTask
    from arena.live.partner import Partner
    from arena.live.pool import StartUpFault
    from arena.live.watch import Watch
    from arena.rules import Position
    from protocol.answers import InfoValue

_FAULT_MOVE_BYTES = 100


def utc_now() -> str:
    """Return the present time as the records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Referee:
    """Plays one task. Make one for each playing.

    Args:
        task: what to play.
        sessions: the sessions of the scheduled Black and White, started; empty before a `forfeit`.
        identities: what the record says of them.
        patience: says how long the game may go on without letting others have their turn.
        watch: looks at the game while it is played, None for no look.
    """

    def __init__(
        self,
        task: GameTask,
        sessions: Sequence[Partner],
        identities: tuple[EngineIdentity, EngineIdentity],
        *,
        patience: Patience | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._task = task
        self._sessions = list(sessions)
        self._watch = watch
        self._idle_us = (0, 0)
        self._lag_us = 0
        self._adjudicator: Adjudicator | None = None
        self._adjudged: Adjudged | None = None
        self._identities = list(identities)
        self._controls = list(task.controls)
        self._patience = patience or Patience(may_poll=False)
        self._started = utc_now()
        scheduled = task.scheduled
        self._komi = scheduled.komi if isinstance(scheduled.komi, int) else None
        self._position: Position = make_rules(scheduled.game, size=scheduled.size, komi=self._komi).initial()
        self._outbox: tuple[list[str], list[str]] = ([], [])
        self._moves: list[str] = []
        self._time_us: list[int | None] = []
        self._infos: list[Mapping[str, InfoValue]] = []
        self._announcements: list[str | None] = []
        self._dice_thrown: list[tuple[int, int]] = []
        self._first_roll = (0, 0)
        self._opening_roll: tuple[tuple[int, int], ...] = ()
        self._fault_move: str | None = None
        self._fault_us: int | None = None
        self._evidence: dict[int, Evidence] = {}
        self._pie: Pie | None = None
        self._clocks: tuple[Clock, ...] = ()
        self._unwilling: set[Partner] = set()
        self._interrupted: Partner | None = None
        self._has_resigned = False
        self._dice = Dice(task.dice_key) if task.dice_key is not None else None

    async def play(self) -> GameRecord:
        """Play the game to its end and return the record."""
        verdict = await self._set_up()
        if verdict is None:
            verdict = await self._play_on()
        for session in self._sessions:
            session.on_exit = None
            session.channel.calm()
            session.process.resume()
        self._tell(verdict)
        return self._record(verdict)

    def forfeit(self, faults: Mapping[int, StartUpFault]) -> GameRecord:
        """Return the record of a game that was lost before it began; `faults` by scheduled colour."""
        self._evidence = {side: fault.evidence for side, fault in faults.items()}
        return self._record(self._verdict_on(faults))

    @property
    def ply(self) -> int:
        """Turns played so far, opening plies included."""
        return len(self._moves)

    def view(self) -> RunningGame:
        """Return the game as it stands, for those who watch; `thinking_us` is theirs to fill in."""
        scheduled = self._task.scheduled
        last = (short_infos(infos) for infos in self._infos[:-3:-1])
        newest, other = next(last, {}), next(last, {})
        first = starter(self._opening_roll)[0] if self._opening_roll else BLACK
        return RunningGame(
            id=scheduled.id,
            attempt=self._task.attempt,
            game=scheduled.game,
            size=scheduled.size,
            komi=self._komi,
            black=self._identities[BLACK].name,
            white=self._identities[WHITE].name,
            first=first,
            moves=tuple(self._moves),
            opening_plies=min(len(scheduled.opening.moves), len(self._moves)),
            dice=tuple(self._dice_thrown),
            clocks=tuple(clock_face(clock) for clock in self._clocks),
            said=(other, newest) if self._position.to_move == BLACK else (newest, other),
        )

    @property
    def sessions(self) -> tuple[Partner, ...]:
        """The sessions of the real Black and White: pie may have changed the colours."""
        return tuple(self._sessions)

    @property
    def turn(self) -> tuple[int, int]:
        """Number of the present turn and the side to move."""
        return len(self._moves), self._position.to_move

    def cpu_ns(self, side: int) -> int:
        """Return the processor time that a side's processes have used so far."""
        return self._sessions[side].process.cpu_ns()

    def is_in_step(self, session: Partner) -> bool:
        """Say after the game whether a session can be used for another one."""
        faulty = any(self._sessions[side] is session for side in self._evidence)
        return not faulty and session is not self._interrupted and session not in self._unwilling

    # ---- set-up -------------------------------------------------------------------------------------

    async def _set_up(self) -> Verdict | None:
        """Bring both engines to the first move; a verdict when that fails."""
        if self._dice is not None and self._position.rules.has_dice:
            self._throw_for_start(self._dice)
        komi_is_open = self._task.scheduled.komi == "pie"
        faults = await self._both(
            lambda side: self._sessions[side].set_up(
                self._settings(side), self._opening_commands(), komi_is_open=komi_is_open
            )
        )
        if not faults and komi_is_open:
            faults = await self._settle_pie()
        if faults:
            return await self._fault_verdict(faults)
        self._play_opening()
        return None

    def _throw_for_start(self, dice: Dice) -> None:
        self._opening_roll = dice.opening()
        first, self._first_roll = starter(self._opening_roll)
        self._position = self._position.rules.initial(first)

    def _settings(self, side: int) -> GameSettings:
        scheduled = self._task.scheduled
        return GameSettings(
            game=scheduled.game,
            size=scheduled.size,
            komi=self._komi,
            seed=engine_seed(scheduled.seed, scheduled.id, side),
            control=self._controls[side],
        )

    def _opening_commands(self) -> list[str]:
        moves = self._task.scheduled.opening.moves
        first = self._position.to_move
        return [f"play {colour_name(first ^ (ply & 1))} {move}" for ply, move in enumerate(moves)]

    def _play_opening(self) -> None:
        rules = self._position.rules
        for word in self._task.scheduled.opening.moves:
            move = rules.parse_move(word)
            self._position.play(move)
            self._note_move(rules.format_move(move), None, _NO_INFOS)

    async def _settle_pie(self) -> dict[int, EngineFault]:
        """Let the players settle komi; scheduled Black proposes. Returns faults by colour."""
        proposer, chooser = self._sessions
        self._pie = Pie(BLACK, None, None)
        try:
            komi = _komi_offered(await proposer.ask_pie("arena-choose_komi"), self._task.scheduled.size or 0)
        except EngineFault as fault:
            return {BLACK: fault}
        self._pie = Pie(BLACK, komi, None)
        try:
            side = _side_chosen(await chooser.ask_pie(f"arena-choose_side {komi}"))
        except EngineFault as fault:
            return {WHITE: fault}
        self._pie = Pie(1 - side, komi, side)
        if side == BLACK:
            for pair in (self._sessions, self._identities, self._controls):
                pair.reverse()
        self._komi = komi
        scheduled = self._task.scheduled
        self._position = make_rules(scheduled.game, size=scheduled.size, komi=komi).initial()
        return await self._both(
            lambda colour: self._sessions[colour].settle_komi(
                self._settings(colour), self._opening_commands()
            )
        )

    async def _both(self, step: Callable[[int], Awaitable[None]]) -> dict[int, EngineFault]:
        """Take a step with both engines at the same time; return the faults by colour."""
        faults: dict[int, EngineFault] = {}

        async def take(side: int) -> None:
            try:
                await step(side)
            except EngineFault as fault:
                faults[side] = fault

        async with trio.open_nursery() as nursery:
            nursery.start_soon(take, BLACK)
            nursery.start_soon(take, WHITE)
        return faults

    # ---- play ---------------------------------------------------------------------------------------

    async def _play_on(self) -> Verdict:
        """Play, watched if somebody watches."""
        if self._watch is None:
            return await self._play_turns()
        began_ns = self._watch.now_ns()
        self._watch.show(self)
        try:
            return await self._play_turns()
        finally:
            self._lag_us = self._watch.longest_lag_ns(began_ns) // 1000
            self._idle_us = self._watch.hide(self)

    async def _play_turns(self) -> Verdict:
        has_dice = self._position.rules.has_dice
        adjudicator = Adjudicator(self._task.conduct.adjudication, has_dice=has_dice)
        self._adjudicator = adjudicator if adjudicator.is_active else None
        clocks = (Clock(self._controls[BLACK]), Clock(self._controls[WHITE]))
        self._clocks = clocks
        patience = self._patience
        resumed_ns = patience.now_ns()
        while not (position := self._position).is_over:
            side = position.to_move
            if position.awaits_dice:
                self._throw(position)
            verdict = await self._turn(position, side, clocks)
            if verdict is not None:
                return verdict
            # Turns answered at once need no checkpoint; other games and the runner's messages do.
            if patience.now_ns() - resumed_ns > patience.burst_ns:
                if patience.nearness is not None:
                    patience.nearness.after_burst()
                await trio.lowlevel.checkpoint()
                resumed_ns = patience.now_ns()
        return verdicts.by_outcome(position.outcome())

    def _throw(self, position: Position) -> None:
        if self._dice is None:
            raise RuntimeError(f"no dice key for a game of {position.rules.game}")
        turn = len(self._dice_thrown)
        first, second = self._dice.roll(turn) if turn else self._first_roll
        self._dice_thrown.append((first, second))
        position.set_dice(first, second)
        words = f"arena-dice {colour_name(position.to_move)} {first} {second}"
        for box in self._outbox:
            box.append(words)

    async def _turn(self, position: Position, side: int, clocks: tuple[Clock, Clock]) -> Verdict | None:
        """Ask for one move, judge it, play it; a verdict ends the game."""
        session = self._sessions[side]
        idle = self._sessions[1 - side]
        channel = session.channel
        if idle.process.exited.is_set():
            return await self._fault_verdict(self._gone_sides(1 - side))
        idle.on_exit = channel.break_off
        clock = clocks[side]
        budget_us = clock.budget_us()
        margin_us = session.entry.margin_ms * 1000
        limit_ns = int(HANG_S * 1e9) if budget_us is None else (budget_us + margin_us) * 1000
        commands = self._outbox[side]
        commands += self._clock_commands(session, side, clocks)
        commands.append(_GENMOVE[side])
        conduct = self._task.conduct
        if conduct.suspend_idle:
            idle.process.suspend()
            session.process.resume()
        cpu_us: int | None = None
        try:
            if conduct.clock == "cpu" and budget_us is not None:
                reply, cpu_us = await turn_by_cpu(session, commands, budget_us + margin_us)
            else:
                reply = await session.turn(commands, limit_ns)
        except OtherSideGone:
            self._interrupted = session
            return await self._fault_verdict(self._gone_sides(1 - side))
        except EngineFault as fault:
            self._fault_us = channel.spent_ns // 1000
            faults = {side: fault}
            if idle.process.has_exited:
                faults[1 - side] = _gone_while_idle()
            return await self._fault_verdict(faults)
        spent_us = channel.spent_ns // 1000 if cpu_us is None else cpu_us
        if reply is not None and self._task.to_the_end and not self._has_resigned and _resigns(reply.word):
            # The clock stands as before the question, so that the record's times are those of the moves.
            self._has_resigned = True
            commands.clear()
            return None
        main_us = clock.main_left_us
        if reply is None or not clock.charge(spent_us, margin_us):
            self._fault_us = spent_us
            if cpu_us is None and (lag_us := self._stall_us(side, budget_us, spent_us, margin_us)):
                return await self._stalled(side, spent_us, lag_us)
            return await self._fault_verdict({side: _late(budget_us, spent_us)})
        if clock.control.kind is Kind.HOURGLASS:
            clocks[1 - side].take_sand((main_us or 0) - (clock.main_left_us or 0))
        commands.clear()
        word = reply.word
        if _resigns(word):
            return verdicts.by_resignation(side, position.forfeit_points(side))
        rules = position.rules
        try:
            move = position.canonical(rules.parse_move(word))
            position.play(move)
        except (MalformedMoveError, IllegalMoveError) as error:
            self._fault_us = spent_us
            self._fault_move = escaped(word.encode(), _FAULT_MOVE_BYTES)
            malformed = isinstance(error, MalformedMoveError) and not isinstance(error, NoSuchMoveError)
            reason = Reason.MALFORMED_REPLY if malformed else Reason.ILLEGAL_MOVE
            return await self._fault_verdict({side: EngineFault(reason, str(error), word.encode())})
        self._has_resigned = False
        played = rules.format_move(move)
        announced = self._note_move(played, spent_us, reply.infos)
        colour = colour_name(side)
        box = self._outbox[1 - side]
        box.append(f"play {colour} {played}")
        if announced is not None and idle.lists("arena-announce"):
            box.append(f"arena-announce {colour} {announced}")
        if self._adjudicator is not None and not position.is_over:
            return await self._adjudicated(self._adjudicator, position, side, reply.infos)
        return None

    async def _adjudicated(
        self, adjudicator: Adjudicator, position: Position, side: int, infos: Mapping[str, InfoValue]
    ) -> Verdict | None:
        """Decide the game if it can be decided, while no clock runs; other games go on meanwhile."""
        steps = adjudicator.look(position, side, infos)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                if end.value is None:
                    return None
                verdict: Verdict
                verdict, self._adjudged = end.value
                return verdict
            await trio.lowlevel.checkpoint()

    def _clock_commands(self, session: Partner, side: int, clocks: tuple[Clock, Clock]) -> list[str]:
        if session.lists("arena-clock"):
            fields = [*clocks[BLACK].wire_fields("black"), *clocks[WHITE].wire_fields("white")]
            return [f"arena-clock {' '.join(fields)}"] if fields else []
        if session.lists("time_left") and clocks[side].budget_us() is not None:
            return [time_left_words(clocks[side], colour_name(side))]
        return []

    def _note_move(self, word: str, spent_us: int | None, infos: Mapping[str, InfoValue]) -> str | None:
        self._moves.append(word)
        self._time_us.append(spent_us)
        self._infos.append(infos)
        announced = self._position.announcement
        self._announcements.append(announced)
        return announced

    # ---- verdicts -----------------------------------------------------------------------------------

    def _gone_sides(self, idle: int) -> dict[int, EngineFault]:
        """Return the fault of the idle side, which is gone, and the mover's if it is gone as well."""
        faults = {idle: _gone_while_idle()}
        if self._sessions[1 - idle].process.has_exited:
            faults[1 - idle] = EngineFault(Reason.CRASH, "the engine ended, and its opponent too")
        return faults

    def _stall_us(self, side: int, budget_us: int | None, spent_us: int, margin_us: int) -> int:
        """Return for how long the referee was kept from its work, if that alone made this side late; else 0.

        A side whose own processes took more cores than it was granted made the lag itself.
        """
        watch = self._watch
        if watch is None or budget_us is None or self._task.has_stalled:
            return 0
        session = self._sessions[side]
        lag_us = watch.longest_lag_ns(watch.now_ns() - session.channel.spent_ns) // 1000
        in_time = spent_us - lag_us <= budget_us + margin_us
        if lag_us <= margin_us or not in_time:
            return 0
        return 0 if watch.is_to_blame(self, side, session.entry.threads or 1) else lag_us

    async def _stalled(self, side: int, spent_us: int, lag_us: int) -> Verdict:
        message = (
            f"late after {spent_us / 1e6:.3f} s, while this machine kept the referee from its work for "
            f"{lag_us / 1e6:.3f} s: void, to be played again"
        )
        fault = EngineFault(Reason.REFEREE_STALL, message)
        _, self._evidence[side] = await self._sessions[side].judged(fault)
        return verdicts.void(Reason.REFEREE_STALL)

    async def _fault_verdict(self, faults: dict[int, EngineFault]) -> Verdict:
        judged = {}
        for side, fault in faults.items():
            judged[side], self._evidence[side] = await self._sessions[side].judged(fault)
        return self._verdict_on(judged)

    def _verdict_on(self, faults: Mapping[int, EngineFault]) -> Verdict:
        if len(faults) == 2:
            return verdicts.both_failed((faults[BLACK].reason, faults[WHITE].reason))
        ((side, fault),) = faults.items()
        return verdicts.by_fault(side, fault.reason, self._position.forfeit_points(side))

    def _tell(self, verdict: Verdict) -> None:
        """Tell the result to the engines that are still in step; one that does not take it is not reused."""
        for side, session in enumerate(self._sessions):
            is_usable = side not in self._evidence and session is not self._interrupted
            if is_usable and not session.tell_result(verdict.result):
                self._unwilling.add(session)

    def _record(self, verdict: Verdict) -> GameRecord:
        scheduled = self._task.scheduled
        return GameRecord(
            id=scheduled.id,
            ordinal=scheduled.ordinal,
            round=scheduled.round,
            pair=scheduled.pair,
            game=scheduled.game,
            size=scheduled.size,
            seed=scheduled.seed,
            attempt=self._task.attempt,
            komi=self._komi,
            black=self._identities[BLACK],
            white=self._identities[WHITE],
            verdict=verdict,
            moves=tuple(self._moves),
            opening_plies=min(len(scheduled.opening.moves), len(self._moves)),
            opening=scheduled.opening.label,
            time_us=tuple(self._time_us),
            started=self._started,
            ended=utc_now(),
            infos=tuple(self._infos) if any(self._infos) else (),
            announcements=tuple(self._announcements) if any(self._announcements) else (),
            dice=tuple(self._dice_thrown),
            opening_roll=self._opening_roll,
            fault_move=self._fault_move,
            fault_us=self._fault_us,
            evidence=self._evidence,
            pie=self._pie,
            final_position=self._position.key(),
            adjudged=self._adjudged,
            idle_us=self._idle_us,
            lag_us=self._lag_us,
        )


_NO_INFOS: Mapping[str, InfoValue] = {}

_GENMOVE = ("genmove black", "genmove white")


def _resigns(word: str) -> bool:
    return len(word) == 6 and word.lower() == "resign"


def _gone_while_idle() -> EngineFault:
    return EngineFault(Reason.CRASH, "the engine ended while its opponent was to move")


def _late(budget_us: int | None, spent_us: int) -> EngineFault:
    if budget_us is None:
        return EngineFault(
            Reason.HANG, f"no move within {HANG_S:.0f} s, the limit where no clock is in force"
        )
    message = f"no move within {budget_us / 1e6:.3f} s (looked at after {spent_us / 1e6:.3f} s)"
    return EngineFault(Reason.TIME, message)


def _komi_offered(word: str, size: int) -> int:
    """Return the proposer's komi.

    Raises:
        EngineFault: `malformed-reply` when it is no whole number, `illegal-move` when it is out of range.
    """
    digits = word[1:] if word[:1] in ("-", "+") else word
    if not (digits.isascii() and digits.isdigit()):
        raise EngineFault(Reason.MALFORMED_REPLY, "no whole number for komi", word.encode())
    # Six digits are out of range on any board already; thousands must not become a number.
    offered = int(digits.lstrip("0")[:6] or "0")
    if offered > size * size:
        message = f"komi {word[:20]} is out of range: from {-size * size} to {size * size}"
        raise EngineFault(Reason.ILLEGAL_MOVE, message, word.encode())
    return -offered if word[0] == "-" else offered


def _side_chosen(word: str) -> int:
    """Return the chooser's colour.

    Raises:
        EngineFault: `malformed-reply` when it is no colour.
    """
    colours = {"black": BLACK, "b": BLACK, "white": WHITE, "w": WHITE}
    if word.lower() not in colours:
        raise EngineFault(Reason.MALFORMED_REPLY, "no colour: `black` or `white` expected", word.encode())
    return colours[word.lower()]
