# ruff: noqa: D102  what `Process` and `Engine` mean is said where they are defined
"""Engines that a test plays itself: real pipes, no process, and a clock that runs as the test says.

`ScriptedProcess` is what a session takes for a process; `ScriptedEngine` sits at the other end of its pipes,
a good engine but for the commands that a test gives it other manners for. With pytest-trio's `autojump_clock`
an hour of thought takes no time.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio
import trio.testing

from arena.core.clock import parse_time
from arena.core.dice import game_key
from arena.core.event import NO_OPENING, Engine, Opening, ScheduledGame
from arena.core.record import EngineIdentity, GameRecord
from arena.core.task import Conduct, GameTask
from arena.live.channel import Patience
from arena.live.process import Launch
from arena.live.referee import Referee
from arena.live.session import EngineSession
from arena.rules import BLACK, WHITE
from arena.rules.registry import make_rules, rules_class

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from arena.core.event import Komi
    from arena.core.verdict import Reason
    from arena.live.watch import Watch
    from arena.rules import Position, Rules

    Manner = str | bytes | Callable[["ScriptedEngine", str], Awaitable[None]]

LISTED = [
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "boardsize",
    "komi",
    "clear_board",
    "play",
    "genmove",
    "quit",
    "arena-game",
    "arena-games",
    "arena-seed",
    "arena-time_settings",
    "arena-dice",
    "arena-announce",
    "arena-clock",
    "arena-result",
    "arena-choose_komi",
    "arena-choose_side",
]

DICE_KEY = game_key(b"k" * 32, "1-2.1a#1")


def virtual_patience() -> Patience:
    """Return a patience that measures by trio's clock, which may be a mock."""
    return Patience(may_poll=False, now_ns=lambda: round(trio.current_time() * 1e9))


class ScriptedProcess:
    """Two pipes with nobody behind them but the test."""

    def __init__(self, name: str = "scripted") -> None:
        self.launch = Launch((name,), None, {})
        self._input, self.write_fd = os.pipe()
        self.read_fd, self._output = os.pipe()
        for descriptor in (self._input, self.write_fd, self.read_fd, self._output):
            os.set_blocking(descriptor, False)
        self.exited = trio.Event()
        self.code: int | None = None
        self.stderr = b""
        self.grace_s: float | None = None
        self.overrun: tuple[Reason, str] | None = None
        self.used_ns = 0
        self.stops: list[str] = []
        self._lines: deque[str] = deque()
        self._rest = b""
        self._open = {self._input, self.write_fd, self.read_fd, self._output}

    # What the session sees.

    @property
    def has_exited(self) -> bool:
        return self.code is not None

    async def watch(self) -> None:
        await self.exited.wait()

    def stderr_tail(self) -> bytes:
        return self.stderr

    def new_game(self) -> None:
        """Scripted engines use no CPU."""

    def cpu_ns(self) -> int:
        """Return what the test says has been used."""
        return self.used_ns

    def suspend(self) -> None:
        self.stops.append("stopped")

    def resume(self) -> None:
        self.stops.append("going on")

    async def wait_exit(self, limit_s: float) -> None:
        with trio.move_on_after(limit_s):
            await self.exited.wait()

    def exit_words(self) -> str:
        return "" if self.code is None else f"exit code {self.code}"

    async def end(self, grace_s: float) -> None:
        self.grace_s = grace_s
        with trio.CancelScope(shield=True):
            self._close(self.write_fd)
            await self.wait_exit(grace_s)
            self.kill()

    def kill(self) -> None:
        self._close(self.write_fd, self.read_fd)
        if self.code is None:
            self.exit(-9)

    # What the engine does.

    async def line(self, *, one_of_each_write: bool = False) -> str | None:
        """Return the next command, None at the end of input.

        `one_of_each_write`: behave like a program that waits with `select` before each line although its
        buffer holds more of them: a line that came together with another is seen at the next write only.
        """
        while one_of_each_write or not self._lines:
            if self._input not in self._open:
                return None
            try:
                await trio.lowlevel.wait_readable(self._input)
                data = os.read(self._input, 65536)
            except (OSError, trio.ClosedResourceError):
                return None
            *whole, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(line.decode() for line in whole)
            if not data:
                return None
            if self._lines:
                break
        return self._lines.popleft()

    async def write(self, data: bytes) -> None:
        """Write everything, however long the referee takes to read it; nothing when nobody reads."""
        with contextlib.suppress(OSError, trio.ClosedResourceError):
            while data:
                await trio.lowlevel.wait_writable(self._output)
                data = data[os.write(self._output, data) :]

    def exit(self, code: int = 0) -> None:
        self.code = code
        self._close(self._input, self._output)
        self.exited.set()

    def close_input(self) -> None:
        self._close(self._input)

    def close_output(self) -> None:
        self._close(self._output)

    def _close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            if descriptor in self._open:
                self._open.remove(descriptor)
                trio.lowlevel.notify_closing(descriptor)
                os.close(descriptor)


class ScriptedEngine:
    """A good engine that plays the first legal move, but for what a test gives it.

    Args:
        moves: its moves, the first legal one when they are used up.
        manners: by command name: text of a good reply, raw bytes, or what to do instead of a reply.
        listed: what it says it knows.
        entry: keys of its entry, e.g. `margin_ms=0`.
        one_by_one: see `ScriptedProcess.line`.
    """

    def __init__(
        self,
        name: str = "scripted",
        *,
        moves: Sequence[str] = (),
        manners: Mapping[str, Manner] | None = None,
        listed: Sequence[str] = LISTED,
        one_by_one: bool = False,
        **entry: object,
    ) -> None:
        self.entry = Engine(name, (name,), "/", **entry)  # type: ignore[arg-type]
        self.process = ScriptedProcess(name)
        self.received: list[str] = []
        self.times: list[float] = []
        self.manners = dict(manners or {})
        self._moves = list(moves)
        self._listed = listed
        self._one_by_one = one_by_one
        self._settings: dict[str, int] = {}
        self._rules: Rules | None = None
        self._game = ""
        self.position: Position | None = None
        self.id = ""

    @property
    def name(self) -> str:
        return self.entry.name

    def sent(self, *names: str) -> list[str]:
        """Return what it was sent, only commands of the given names if there are any."""
        return [line for line in self.received if not names or line.split()[0] in names]

    async def run(self) -> None:
        while (line := await self.process.line(one_of_each_write=self._one_by_one)) is not None:
            self.id, line = self._parted(line)
            self.received.append(line)
            self.times.append(trio.current_time())
            manner = self.manners.get(line.split()[0])
            if manner is None:
                await self.say(self.usual(line))
            elif isinstance(manner, str):
                self.usual(line)
                await self.say(manner)
            elif isinstance(manner, bytes):
                self.usual(line)
                await self.process.write(manner)
            else:
                await manner(self, line)
            if line == "quit" and not self.process.has_exited:
                self.process.exit(0)

    async def say(self, text: str) -> None:
        await self.process.write(f"={self.id} {text}\n\n".encode())

    def usual(self, line: str) -> str:
        """Do what a command says and return the text that a good engine replies."""
        name, *words = line.split()
        match name:
            case "protocol_version":
                return "2"
            case "name":
                return self.name
            case "list_commands":
                return "\n".join(self._listed)
            case "arena-game":
                self._game = words[0]
            case "boardsize" | "komi":
                self._settings["size" if name == "boardsize" else "komi"] = int(words[0])
            case "clear_board":
                self._rules = make_rules(self._game or "pente", **self._settings)
                self.position = self._rules.initial()
            case "arena-dice":
                assert self.position is not None
                if self.position.ply == 0 and self.position.dice is None:
                    self.position = self.position.rules.initial(("black", "white").index(words[0]))
                self.position.set_dice(int(words[1]), int(words[2]))
            case "play":
                assert self.position is not None
                self.position.play(self.position.rules.parse_move(words[1]))
            case "genmove":
                return self._move()
            case _:
                pass
        return ""

    def _move(self) -> str:
        assert self.position is not None
        rules = self.position.rules
        if self._moves:
            word = self._moves.pop(0)
            with contextlib.suppress(Exception):
                self.position.play(self.position.canonical(rules.parse_move(word)))
            return word
        move = self.position.legal_moves()[0]
        self.position.play(move)
        return rules.format_move(move)

    def _parted(self, line: str) -> tuple[str, str]:
        digits, _, rest = line.partition(" ")
        return (digits, rest) if digits.isdigit() else ("", line)


def thinking(seconds: float, then: str | None = None) -> Callable[[ScriptedEngine, str], Awaitable[None]]:
    """Return manners that let `seconds` pass before the usual reply, or `then`."""

    async def think(engine: ScriptedEngine, line: str) -> None:
        text = engine.usual(line)
        await trio.sleep(seconds)
        await engine.say(text if then is None else then)

    return think


def silent() -> Callable[[ScriptedEngine, str], Awaitable[None]]:
    """Return manners that never answer."""

    async def nothing(engine: ScriptedEngine, line: str) -> None:
        del engine, line

    return nothing


def exiting(code: int = 0, *, saying: bytes = b"") -> Callable[[ScriptedEngine, str], Awaitable[None]]:
    """Return manners that end the process, in one breath with some last bytes."""

    async def leave(engine: ScriptedEngine, line: str) -> None:
        del line
        await engine.process.write(saying)
        engine.process.exit(code)

    return leave


def from_the(count: int, name: str, manner: Manner) -> Callable[[ScriptedEngine, str], Awaitable[None]]:
    """Return manners that are the usual ones until command `name` comes for the `count`th time."""

    async def change(engine: ScriptedEngine, line: str) -> None:
        if len(engine.sent(name)) < count:
            await engine.say(engine.usual(line))
        elif isinstance(manner, str):
            await engine.say(manner)
        elif isinstance(manner, bytes):
            await engine.process.write(manner)
        else:
            await manner(engine, line)

    return change


@dataclass(slots=True)
class Game:
    """One game between scripted engines.

    Attributes:
        record: what the referee made of it.
        in_step: by scheduled colour: whether the referee would use its session again.
    """

    record: GameRecord
    in_step: tuple[bool, bool]

    @property
    def outcome(self) -> tuple[str, str]:
        return self.record.verdict.result, self.record.verdict.reason


def task_of(
    game: str = "pente",
    *,
    size: int | None = 5,
    komi: Komi = None,
    time: str = "10",
    white_time: str | None = None,
    opening: Sequence[str] = (),
    attempt: int = 1,
    needs_fresh: bool = False,
    conduct: Conduct | None = None,
    has_stalled: bool = False,
) -> GameTask:
    """Return a task between entries 0 (Black) and 1."""
    scheduled = ScheduledGame(
        "1-2.1a",
        0,
        1,
        "1-2.1",
        0,
        1,
        game,
        size,
        komi,
        Opening("test", tuple(opening)) if opening else NO_OPENING,
        7,
    )
    controls = (parse_time(time), parse_time(white_time or time))
    key = DICE_KEY if rules_class(game).has_dice else None
    return GameTask(scheduled, attempt, key, controls, needs_fresh, conduct or Conduct(), has_stalled)


async def play(
    black: ScriptedEngine, white: ScriptedEngine, task: GameTask | None = None, watch: Watch | None = None
) -> Game:
    """Let two engines play a task (default: Pente 5x5, ten seconds each)."""
    patience = virtual_patience()
    async with trio.open_nursery() as nursery:
        sessions = []
        for engine in (black, white):
            session = EngineSession(engine.entry, engine.process, patience)
            nursery.start_soon(engine.run)
            nursery.start_soon(session.watch)
            await session.start_up()
            sessions.append(session)
        identities = (EngineIdentity(black.name), EngineIdentity(white.name))
        referee = Referee(task or task_of(), sessions, identities, watch=watch)
        record = await referee.play()
        in_step = (referee.is_in_step(sessions[BLACK]), referee.is_in_step(sessions[WHITE]))
        # What was sent last shall arrive before the pipes are closed.
        await trio.testing.wait_all_tasks_blocked()
        for engine in (black, white):
            engine.process.kill()
        nursery.cancel_scope.cancel()
    return Game(record, in_step)
