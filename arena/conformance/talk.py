"""A conversation with one process in which every answer is judged, and every fault becomes words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.conformance.case import CaseFailed, Problem
from arena.core.clock_words import time_command
from arena.core.verdict import Reason
from arena.live.faults import EngineFault, escaped, escaped_lines
from arena.live.session import GameSettings
from arena.rules import MalformedMoveError, NoSuchMoveError, RulesError, colour_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.conformance.bench import Subject
    from arena.conformance.positions import Line
    from arena.core.clock import TimeControl
    from arena.live.session import EngineSession
    from arena.rules import Move, Position

LINES_SHOWN = 400
"""Most lines of an exchange kept with a failure: a whole long game, so that it can be replayed by hand."""

_STDERR_BYTES = 2000

FAULT_ADVICE = {
    Reason.CRASH: "What it wrote to standard error stands below, if anything; a traceback names the line.",
    Reason.MALFORMED_REPLY: "Standard output carries replies and nothing else; every command gets exactly one"
    " reply. Logs belong on standard error.",
    Reason.FLOOD: "A reply is short; look for a loop that prints.",
    Reason.ERROR_REPLY: "The referee sends this command in just this form, so a refusal loses the game.",
    Reason.MEMORY: "It needs more memory than its limits allow: limits.memory_mb.",
    Reason.CPU: "It needs more processor time than its limits allow: limits.cpu_s.",
    Reason.PROCESSES: "It starts more processes or threads than its limits allow: limits.processes.",
    Reason.DISK: "It writes more than its limits allow: limits.file_mb.",
}
"""What to look at after each kind of fault."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: `=` (ok) or `?`, and its text, untrusted."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A move as an engine gave it: the word, untrusted, and the time it took in seconds."""

    word: str
    seconds: float


@dataclass(slots=True)
class Thinking:
    """What an engine's moves took together: how many there were, and for how many seconds it thought."""

    moves: int = 0
    seconds: float = 0.0


class Talk:
    """What a case says to one process.

    Attributes:
        session: the process.
        position: the board the engine is to have, None outside a game.
        is_in_step: False once the process should not be used by another case.
    """

    def __init__(self, session: EngineSession, subject: Subject, thinking: Thinking) -> None:
        self.session = session
        self.position: Position | None = None
        self.is_in_step = True
        self._subject = subject
        self._thinking = thinking

    def lists(self, command: str) -> bool:
        """Say whether the engine lists a command."""
        return self.session.lists(command)

    def diagram(self) -> tuple[str, ...]:
        """Return the board, who is to move and the roll, for people."""
        position = self.position
        if position is None:
            return ()
        lines = position.diagram()
        if position.dice is not None:
            lines.append(f"dice {position.dice[0]} {position.dice[1]}")
        if not position.is_over and not any("to move" in line for line in lines):
            lines.append(f"{position.rules.colour_titles[position.to_move]} to move")
        return tuple(lines)

    async def ask(self, line: str) -> Reply:
        """Send one command; a refusal is an answer like another.

        Raises:
            EngineFault: no answer in time (`time`), or the stream broke.
        """
        limit_s = self._subject.patience_s
        try:
            answers = await self.session.channel.exchange([line], int(limit_s * 1e9))
        except EngineFault as fault:
            if fault.reason is not Reason.ERROR_REPLY:
                raise
            # One command was owed its answer and has it: the stream is in step.
            return Reply(False, fault.offending[2:].decode("utf-8", "replace"))
        if answers is None:
            raise EngineFault(Reason.TIME, f"no reply to `{escaped(line.encode(), 60)}` within {limit_s:g} s")
        return Reply(answers[-1].ok, answers[-1].text)

    async def must(self, line: str) -> str:
        """Send one command that must be accepted; return the text of its reply.

        Raises:
            CaseFailed: it was refused.
            EngineFault: as `ask`.
        """
        reply = await self.ask(line)
        if not reply.ok:
            told = escaped(line.encode(), 60)
            raise self.failed(f"answered `{told}` with an error: `? {escaped(reply.text.encode(), 120)}`", "")
        return reply.text

    def settings(self, control: TimeControl, *, seed: int, line: Line | None = None) -> GameSettings:
        """Return the settings of a game: those of the subject, or those of a line."""
        source = line or self._subject
        return GameSettings(source.game, source.size, source.komi, seed, control)

    async def set_up(self, line: Line, control: TimeControl, *, seed: int = 1) -> None:
        """Set up a game and lead it to the position of a line.

        Raises:
            EngineFault: it refuses, is silent (`set-up`), or the stream broke.
        """
        self.position = line.position()
        await self.session.set_up(
            self.settings(control, seed=seed, line=line), line.commands(), komi_is_open=False
        )

    async def think(self, commands: Sequence[str], limit_s: float) -> Thought:
        """Send a turn's commands and `genmove` for the side to move; return what came.

        Raises:
            EngineFault: no move within the limit (`time`), or the stream broke.
        """
        position = self.playing()
        genmove = f"genmove {colour_name(position.to_move)}"
        reply = await self.session.turn([*commands, genmove], int(limit_s * 1e9))
        if reply is None:
            raise EngineFault(Reason.TIME, f"no reply to `{genmove}` within {limit_s:g} s")
        thought = Thought(reply.word, self.session.channel.spent_ns / 1e9)
        self._thinking.moves += 1
        self._thinking.seconds += thought.seconds
        return thought

    def playing(self) -> Position:
        """Return the position of the game in hand."""
        if self.position is None:
            raise RuntimeError("no game was set up")
        return self.position

    def judge(self, word: str) -> Move | None:
        """Return the move that an engine's word is in the position in hand; None for `resign`.

        Raises:
            CaseFailed: the word is no move, or no legal one.
        """
        position = self.playing()
        if word.lower() == "resign":
            return None
        if not word:
            raise self.failed("answered `genmove` with an empty reply, expected a move", self._legal_words())
        shown = escaped(word.encode(), 60)
        try:
            move = position.canonical(position.rules.parse_move(word))
            refusal = position.refusal(move)
        except RulesError as error:
            is_none = isinstance(error, MalformedMoveError) and not isinstance(error, NoSuchMoveError)
            what = "is no move of this game" if is_none else "is illegal here"
            raise self.failed(
                f"played `{shown}`, which {what}: {_plain(error)}", self._legal_words()
            ) from error
        if refusal is not None:
            raise self.failed(
                f"played `{shown}`, which is illegal here: {escaped(refusal.encode(), 200)}",
                self._legal_words(),
            )
        return move

    def failed(self, reason: str, advice: str) -> CaseFailed:
        """Return a failure with what was said and the board; the process serves no other case."""
        self.is_in_step = False
        return CaseFailed(
            Problem(
                reason,
                advice,
                self.session.exchange_lines(LINES_SHOWN),
                self.diagram(),
                escaped_lines(self.session.process.stderr_tail(), _STDERR_BYTES),
            )
        )

    def can_be_told(self, control: TimeControl) -> bool:
        """Say whether the engine lists a command that tells it this time control."""
        return time_command(control, self.session.capabilities.listed) is not None

    def _legal_words(self) -> str:
        position = self.playing()
        words = [position.rules.format_move(move) for move in position.legal_moves()[:13]]
        if not words:
            return ""
        more = f", … ({len(position.legal_moves())} in all)" if len(words) > 12 else ""
        return f"Legal here: {', '.join(words[:12])}{more}."


def _plain(error: Exception) -> str:
    return escaped(str(error).encode(), 200)
