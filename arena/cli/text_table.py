"""A seat at the table in the terminal: diagrams, a prompt, one line a move."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

from arena.cli.errors import EXIT_FAILED, Failure
from arena.cli.printing import print_line
from arena.core.running import position_of, remaining
from arena.core.table import Act, Action, Broken, Ended, Phase, TableView, Unpacker, packed
from arena.rules.base import RulesError
from reports.printable import printable

if TYPE_CHECKING:
    import socket

    from arena.cli.tables import Tables
    from arena.core.record import GameRecord
    from arena.rules.base import Position

_HELP = (
    "a move; `moves` lists the legal ones, `board` shows the board again, `back` takes your last move back, "
    "`resign` gives up, `quit` leaves the game without storing it"
)


def play_in_text(tables: Tables, colour: int | None) -> None:
    """Play one game on standard input and output.

    Raises:
        Failure: the game could not be played.
    """
    with tables.lay(colour) as connection:
        record = _Terminal(connection).play()
    if record is None:
        print_line("left; the game is not stored")
        return
    names = " - ".join(printable(side.name) for side in (record.black, record.white))
    print_line(f"{names}: {record.verdict.result} ({record.verdict.reason})")
    print_line(tables.keep(record))


class _Terminal:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unpacker = Unpacker()
        self._view: TableView | None = None
        self._shown: object = None
        self._typed = b""
        self._has_ended_input = False

    def play(self) -> GameRecord | None:
        """Play until the game is over, None when the person leaves."""
        while True:
            sources: list[int] = [self._connection.fileno()]
            if self._is_asked() and not self._has_ended_input:
                sources.append(sys.stdin.fileno())
            ready, _, _ = select.select(sources, [], [])
            if self._connection.fileno() in ready:
                record = self._hear()
                if record is not None:
                    return record
            elif not self._read():
                return None
            while self._is_asked() and (line := self._line()) is not None:
                if line == "quit":
                    return None
                self._do(line)
            if self._has_ended_input and self._is_asked():
                return None

    def _is_asked(self) -> bool:
        return self._view is not None and self._view.phase in (Phase.PERSON, Phase.OFFER, Phase.CHOICE)

    def _hear(self) -> GameRecord | None:
        data = self._connection.recv(65536)
        if not data:
            raise Failure("the process that plays the game has ended", EXIT_FAILED)
        for said in self._unpacker.feed(data):
            match said:
                case TableView():
                    self._view = said
                    self._show(said)
                case Ended(record):
                    return record
                case Broken(message):
                    raise Failure(message)
        return None

    def _read(self) -> bool:
        """Take what was typed; False when nothing more will come."""
        data = os.read(sys.stdin.fileno(), 4096)
        self._typed += data
        self._has_ended_input = not data
        return bool(data) or bool(self._typed)

    def _line(self) -> str | None:
        line, end, rest = self._typed.partition(b"\n")
        if not end and not self._has_ended_input:
            return None
        if not end and not line:
            return None
        self._typed = rest
        return line.decode("utf-8", "replace").strip()

    def _do(self, line: str) -> None:
        view = self._view
        if view is None:
            return
        ply = len(view.game.moves)
        position = position_of(view.game)
        match line.lower():
            case "" | "help" | "?":
                print_line(_HELP)
            case "board":
                self._print_board(view, position)
            case "moves" if view.phase is Phase.PERSON:
                print_line(" ".join(position.rules.format_move(move) for move in position.legal_moves()))
            case "back":
                if view.can_take_back:
                    self._send(Action(Act.TAKE_BACK, ply=ply))
                    return
                print_line("there is no move of yours to take back")
            case "resign" if view.phase is Phase.PERSON:
                self._send(Action(Act.RESIGN, ply=ply))
                return
            case word:
                why_not = _refusal(view, position, word)
                if why_not is None:
                    self._send(Action(Act.ANSWER, word, ply))
                    return
                print_line(printable(why_not))
        self._prompt(view, position)

    def _send(self, action: Action) -> None:
        self._view = None
        self._shown = None
        self._connection.sendall(packed(action))

    def _show(self, view: TableView) -> None:
        mark = (view.phase, view.game.moves, view.taken_back)
        if mark == self._shown:
            return
        self._shown = mark
        position = position_of(view.game)
        if view.phase is Phase.OVER:
            self._print_board(view, position)
        elif self._is_asked():
            if view.phase is Phase.PERSON:
                self._print_board(view, position)
            self._prompt(view, position)

    def _print_board(self, view: TableView, position: Position) -> None:
        moves = view.game.moves
        if moves:
            titles = position.rules.colour_titles
            colour = view.game.first ^ ((len(moves) - 1) & 1)
            print_line(f"\nturn {len(moves)}: {titles[colour]} {printable(moves[-1])}")
        for line in position.diagram():
            print_line(line)

    def _prompt(self, view: TableView, position: Position) -> None:
        titles = position.rules.colour_titles
        if view.phase is Phase.OFFER:
            words = "komi you propose (White's points; the engine then chooses its side)"
        elif view.phase is Phase.CHOICE:
            words = f"komi {view.question} is proposed; your side, black or white"
        else:
            roll = f" with {position.dice[0]}-{position.dice[1]}" if position.dice else ""
            words = f"{titles[view.person]} (you) to move{roll}{_clock_words(view)}; help for help"
        sys.stdout.write(f"{words}> ")
        sys.stdout.flush()


def _refusal(view: TableView, position: Position, word: str) -> str | None:
    """Say why a word is no answer to what is asked, None when it is one."""
    if view.phase is Phase.CHOICE:
        return None if word in ("black", "white") else "black or white was expected"
    if view.phase is Phase.OFFER:
        most = (view.game.size or 0) ** 2
        digits = word.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 7 and int(digits) <= most:
            return None
        return f"a whole number from {-most} to {most} was expected"
    try:
        return position.refusal(position.rules.parse_move(word))
    except RulesError as error:
        return str(error)


def _clock_words(view: TableView) -> str:
    if len(view.game.clocks) < 2:
        return ""
    left = remaining(view.game.clocks[view.person], view.game.thinking_us).running_us
    return "" if left is None else f", {left / 1e6:.1f} s left"
