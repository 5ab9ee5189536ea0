"""One engine process as a partner in the dialogue: start, set-up of a game, turns, end.

A session knows the words of the protocol and nothing of any game's rules. Its methods raise `EngineFault`
with the reason the contract names for that stage; after one, or after a turn that ran out of time, the
session is out of step and may only be closed.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.core.clock_words import time_command
from arena.core.record import EngineIdentity, Evidence
from arena.core.verdict import Reason
from arena.live.channel import Channel, Patience, refusal
from arena.live.faults import ArenaFault, EngineFault, escaped, escaped_lines
from arena.live.limits import told_by_end
from arena.live.process import EngineProcess
from protocol.answers import (
    ASSUMED,
    NO_INFOS,
    MoveReply,
    OptionList,
    parse_games,
    parse_list_commands,
    parse_move_reply,
    parse_options,
)
from protocol.commands import COMMANDS, Need

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.core.clock import TimeControl
    from arena.core.event import Engine
    from arena.live.process import Launch, Process
    from protocol.dialogue import Answer

HANG_S = 3600.0
"""Longest wait for a move where no clock is in force."""

QUIT_GRACE_S = 1.0
"""Time to leave after `quit`, before the process tree is killed."""

_EXIT_WAIT_S = 0.5
"""How long a broken stream waits for the exit status that explains it."""

_BATCH = 32
"""Most commands outstanding: their replies fit any pipe many times over."""

_OUR_OWN_LACK = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})
"""Why a process cannot be started that says nothing about its program: descriptors, processes, memory."""

_REPORTED_NAME_BYTES = 200
_EXCHANGE_LINES = 40
_EXCHANGE_LINE_BYTES = 300
_STDERR_EVIDENCE_BYTES = 4000


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What one game needs to be set up.

    Attributes:
        game, size, komi: the rules; `komi` None where it is not sent (yet).
        seed: the engine's own seed for this game.
        control: this engine's time control.
    """

    game: str
    size: int | None
    komi: int | None
    seed: int
    control: TimeControl


class EngineSession:
    """A started engine.

    Attributes:
        entry: the entry it was started for.
        process: its process.
        channel: its pipes; `channel.spent_ns` is the time of the last exchange.
        capabilities: what it lists.
        reported_name, reported_version: what it calls itself, escaped and cut.
        pipelining: whether all commands of a turn go out in one write.
        on_exit: called when the process is gone, set by the referee while the other side thinks.
        warnings: tolerated oddities, one sentence each.
    """

    def __init__(self, entry: Engine, process: Process, patience: Patience) -> None:
        self.entry = entry
        self.process = process
        self.channel = Channel(process.read_fd, process.write_fd, ids=entry.ids, patience=patience)
        self.channel.output_limit_bytes = int(process.launch.limits.output_kb * 1024)
        self.capabilities = ASSUMED
        self.reported_name = ""
        self.reported_version = ""
        self.pipelining = entry.pipelining
        self.on_exit: Callable[[], None] | None = None
        self.warnings: list[str] = []
        self._games_played = 0

    @classmethod
    def launch(cls, entry: Engine, launch: Launch, patience: Patience) -> EngineSession:
        """Start the process.

        Raises:
            EngineFault: `start-up`, with the system's own message.
            ArenaFault: this machine lacks what starting any process takes.
        """
        try:
            process = EngineProcess.start(launch)
        except OSError as error:
            if error.errno in _OUR_OWN_LACK:
                raise ArenaFault(f"{entry.name} cannot be started: {error.strerror}") from error
            words = ": ".join(str(word) for word in (error.strerror or error, error.filename) if word)
            raise EngineFault(Reason.START_UP, f"cannot be started: {words}") from error
        return cls(entry, process, patience)

    async def watch(self) -> None:
        """Run beside the session: notices the exit of the process and collects its standard error."""
        await self.process.watch()
        self.channel.process_gone()
        if self.on_exit is not None:
            self.on_exit()

    def lists(self, command: str) -> bool:
        """Say whether the engine lists an optional command and has not refused it."""
        return command in self.capabilities.listed

    async def start_up(self) -> None:
        """Ask the engine who it is, within its start-up limit.

        Raises:
            EngineFault: `start-up`, whatever went wrong.
        """
        left_s = self.entry.startup_s
        answers: list[Answer] = []
        try:
            for command in ("protocol_version", "name", "version", "list_commands"):
                # One at a time: an engine that cannot take two commands in one write shall start, too.
                answers += await self._ask([command], left_s, Reason.START_UP)
                left_s -= self.channel.spent_ns / 1e9
        except EngineFault as fault:
            raise EngineFault(Reason.START_UP, f"at start-up: {fault.message}", fault.offending) from fault
        protocol_version, name, version, listed = answers
        if protocol_version.text != "2":
            self.warnings.append(
                f"says it speaks protocol version {escaped(protocol_version.text.encode(), 20)}"
            )
        if self.channel.banner:
            self.warnings.append(
                f"wrote text before its first reply: {escaped(self.channel.banner.encode(), 60)}"
            )
        self.reported_name = _reported(name)
        self.reported_version = _reported(version)
        self.capabilities = parse_list_commands(listed.ok, listed.text)

    async def probe_pipelining(self, limit_s: float) -> bool:
        """Say whether it answers two commands that come in one write.

        Args:
            limit_s: time for the second answer after the first, which has the set-up limit.

        Raises:
            EngineFault: it broke the protocol otherwise, `set-up` if not even the first answer came.
        """
        commands = ["name", "version"]
        answered = await self.channel.probe(commands, int(self.entry.setup_s * 1e9), int(limit_s * 1e9))
        if answered == 0:
            raise EngineFault(Reason.SET_UP, "no reply to two joined commands in time")
        return answered == len(commands)

    async def ask_games(self) -> tuple[str, ...]:
        """Return the games it says it plays; empty when it does not say."""
        if not self.lists("arena-games"):
            return ()
        (reply,) = await self._ask(["arena-games"], self.entry.setup_s, Reason.SET_UP)
        return parse_games(reply.text) if reply.ok else ()

    async def ask_options(self) -> OptionList:
        """Return the options it declares; empty when it does not say."""
        if not self.lists("arena-options"):
            return OptionList({}, ())
        (reply,) = await self._ask(["arena-options"], self.entry.setup_s, Reason.SET_UP)
        return parse_options(reply.text) if reply.ok else OptionList({}, ())

    async def set_up(self, settings: GameSettings, opening: Sequence[str], *, komi_is_open: bool) -> None:
        """Prepare a game; all replies are in when this returns.

        Args:
            settings: the game.
            opening: `play` commands of the opening, empty while komi is open.
            komi_is_open: the players will settle komi: nothing after `clear_board` is sent yet.

        Raises:
            EngineFault: `set-up` when the limit is over, `error-reply`, or what the stream broke with.
        """
        self.channel.exchange_log.clear()
        commands: list[str] = []
        if self._games_played == 0:
            commands += [f"arena-option {name} {value}" for name, value in self.entry.options.items()]
            if self.entry.work_limit:
                commands.append(f"arena-limit {self.entry.work_limit}")
        self._games_played += 1
        self.process.new_game()
        commands += [f"arena-game {settings.game}", f"arena-seed {settings.seed}"]
        if settings.size is not None:
            commands.append(f"boardsize {settings.size}")
        if komi_is_open:
            commands.append("clear_board")
        else:
            commands += self._last_steps(settings, opening)
        await self._send_all(commands)

    async def settle_komi(self, settings: GameSettings, opening: Sequence[str]) -> None:
        """Finish the set-up of a game whose komi the players have settled (`settings.komi`)."""
        await self._send_all(self._last_steps(settings, opening))

    def _last_steps(self, settings: GameSettings, opening: Sequence[str]) -> list[str]:
        commands = []
        if settings.komi is not None:
            commands.append(f"komi {settings.komi}")
        commands.append("clear_board")
        told = time_command(settings.control, self.capabilities.listed)
        if told is not None:
            commands.append(told)
        commands += opening
        return commands

    async def ask_pie(self, command: str) -> str:
        """Ask one of the pie questions; return the first word of the answer.

        Raises:
            EngineFault: as `set_up`.
        """
        (reply,) = await self._ask([command], self.entry.setup_s, Reason.SET_UP)
        return (reply.text.split() or [""])[0]

    async def turn(self, commands: list[str], limit_ns: int) -> MoveReply | None:
        """Bring the engine up to date and ask for its move.

        Args:
            commands: what happened since its last turn, `genmove` last.
            limit_ns: time to the flag, margin included; `channel.spent_ns` tells the time used.

        Returns:
            The answer, untrusted, or None when the time was over first.

        Raises:
            EngineFault, OtherSideGone: see `Channel.exchange`.
        """
        if not self.pipelining:
            for line in commands[:-1]:
                self._take_refusals(await self._ask([line], self.entry.setup_s, Reason.TIME))
            commands = commands[-1:]
        word = self.channel.quick_turn(commands, limit_ns)
        if word is not None:
            return MoveReply(word, NO_INFOS)
        answers = await self.channel.exchange(commands, limit_ns)
        if answers is None:
            return None
        self._take_refusals(answers)
        return parse_move_reply(answers[-1].text)

    def tell_result(self, text: str) -> bool:
        """Tell the result, without waiting for the reply; False when the engine does not take it any more."""
        return not self.lists("arena-result") or self.channel.send(f"arena-result {text}")

    def new_warnings(self) -> tuple[str, ...]:
        """Return the oddities noticed since the last call."""
        warnings, self.warnings = tuple(self.warnings), []
        return warnings

    async def close(self, *, politely: bool) -> None:
        """End the process: `quit` and a grace when `politely`, and in any case the whole process tree."""
        if politely and not self.process.has_exited:
            politely = self.channel.send("quit")
        await self.process.end(QUIT_GRACE_S if politely else 0.0)

    async def judged(self, fault: EngineFault) -> tuple[EngineFault, Evidence]:
        """Return a fault as it is to be judged, and what is kept of it.

        Waits a moment for the exit status if the stream broke. What looks like a crash is the limit's verdict
        when the engine was killed for exceeding one, or ended because it was refused more.
        """
        if fault.reason in (Reason.CRASH, Reason.START_UP):
            await self.process.wait_exit(_EXIT_WAIT_S)
            fault = self._explained(fault)
        return fault, self._evidence(fault)

    def _explained(self, fault: EngineFault) -> EngineFault:
        told = self.process.overrun or told_by_end(
            self.process.launch.limits, self.process.exit_words(), self.process.stderr_tail()
        )
        if told is None:
            return fault
        reason, words = told
        is_start = fault.reason is Reason.START_UP
        return EngineFault(Reason.START_UP if is_start else reason, f"the engine {words}", fault.offending)

    def _evidence(self, fault: EngineFault) -> Evidence:
        return Evidence(
            message=fault.message,
            offending=escaped(fault.offending),
            stderr=escaped_lines(self.process.stderr_tail(), _STDERR_EVIDENCE_BYTES),
            exit=self.process.exit_words(),
            exchange=self.exchange_lines(_EXCHANGE_LINES),
        )

    def exchange_lines(self, most: int) -> tuple[str, ...]:
        """Return the last `most` lines of the present game's exchange, `>` sent and `<` received."""
        # From the newest back, and no further than needed: the rest may be megabytes of an engine's making.
        blocks: list[tuple[bool, bytes]] = []
        line_ends = size = 0
        for sent, data in reversed(self.channel.exchange_log):
            if blocks and blocks[-1][0] is sent:
                blocks[-1] = (sent, data + blocks[-1][1])
            else:
                blocks.append((sent, data))
            line_ends += data.count(b"\n")
            size += len(data)
            if line_ends > 4 * most or size > most * _EXCHANGE_LINE_BYTES:
                break
        lines: list[str] = []
        for sent, data in reversed(blocks):
            mark = ">" if sent else "<"
            told = [line for line in data.split(b"\n") if line][-most:]
            lines += [f"{mark} {escaped(line, _EXCHANGE_LINE_BYTES)}" for line in told]
        return tuple(lines[-most:])

    def identity(self, command_hash: str, program_hash: str) -> EngineIdentity:
        """Return what the record says of this process."""
        return EngineIdentity(
            self.entry.name,
            self.reported_name,
            self.reported_version,
            command_hash,
            program_hash,
            self.process.launch.sandbox,
        )

    async def _send_all(self, commands: list[str]) -> None:
        """Send set-up commands that the engine knows, in batches, within one set-up limit."""
        known = [line for line in commands if not _is_optional(line) or self.lists(_name(line))]
        left_s = self.entry.setup_s
        size = _BATCH if self.pipelining else 1
        for start in range(0, len(known), size):
            answers = await self._ask(known[start : start + size], left_s, Reason.SET_UP)
            left_s -= self.channel.spent_ns / 1e9
            self._take_refusals(answers)

    def _take_refusals(self, answers: Sequence[Answer]) -> None:
        """Remember which optional commands were refused."""
        for answer in answers:
            if not answer.ok and self.lists(answer.spec.name):
                self.capabilities = self.capabilities.without(answer.spec.name)
                self.warnings.append(f"lists `{answer.spec.name}`, yet {refusal(answer)}; not sent again")

    async def _ask(self, lines: list[str], limit_s: float, late: Reason) -> list[Answer]:
        """Exchange commands under a limit of `limit_s` seconds; being late has the reason `late`."""
        answers = await self.channel.exchange(lines, int(max(limit_s, 0.0) * 1e9))
        if answers is None:
            raise EngineFault(late, f"no reply to `{escaped(lines[-1].encode(), 60)}` in time")
        return answers


def _name(line: str) -> str:
    return line.partition(" ")[0]


def _is_optional(line: str) -> bool:
    return COMMANDS[_name(line)].need is Need.OPTIONAL


def _reported(answer: Answer) -> str:
    return escaped(answer.text.encode(), _REPORTED_NAME_BYTES) if answer.ok else ""
