"""Every command the referee sends: the table of them, and the only way to turn one into bytes.

A command is a line of ASCII words separated by single blanks. Part of the words come from files and from
engines (moves, option values, komi), so nothing is sent that was not checked here: a line end or `#` inside a
value would let it smuggle in a second command or hide the rest of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

ColourWord = Literal["black", "white"]

MAX_COMMAND_BYTES: Final = 4096
"""Longest command sent, id and line end included: one page, which a pipe takes in one piece."""


class UnsendableError(ValueError):
    """A value that must not become part of a command; the message quotes it."""


class Phase(Enum):
    """When a command is sent (the dialogue's table says what may follow what)."""

    START = "start of the process"
    ONCE = "set-up, once a process"
    SET_UP = "set-up, once a game"
    TURN = "a turn"
    THINK = "a turn, the move asked for"
    RESULT = "after a game"
    QUIT = "end of the process"


class Need(Enum):
    """Whether an engine must know a command."""

    ALWAYS = "required"
    BY_GAME = "required where the game or the event needs it"
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One row of the command table.

    Attributes:
        name: first word of the command.
        arguments: the further words, for people.
        phase: when it is sent.
        need: whether an engine must know it. `?` to an optional command is a warning, to any other a fault.
        is_waited_for: whether the referee waits for the reply before it goes on (the reply must come anyway).
        is_assumed: whether an engine that refuses `list_commands` is taken to know it.
        meaning: what it tells or asks the engine.
    """

    name: str
    arguments: str
    phase: Phase
    need: Need
    meaning: str
    is_waited_for: bool = True
    is_assumed: bool = False


_ALWAYS, _BY_GAME, _OPTIONAL = Need.ALWAYS, Need.BY_GAME, Need.OPTIONAL

_ROWS = (
    CommandSpec("protocol_version", "", Phase.START, _OPTIONAL, "reply 2", is_assumed=True),
    CommandSpec("name", "", Phase.START, _OPTIONAL, "the program's name", is_assumed=True),
    CommandSpec("version", "", Phase.START, _OPTIONAL, "the program's version", is_assumed=True),
    CommandSpec("list_commands", "", Phase.START, _OPTIONAL, "one known command a line"),
    CommandSpec("arena-games", "", Phase.ONCE, _OPTIONAL, "one game id a line"),
    CommandSpec("arena-options", "", Phase.ONCE, _OPTIONAL, "NAME TYPE DEFAULT [MIN MAX | CHOICE…] a line"),
    CommandSpec("arena-option", "NAME VALUE", Phase.ONCE, _OPTIONAL, "a setting of the engine's own"),
    CommandSpec("arena-limit", "nodes|playouts|depth N", Phase.ONCE, _OPTIONAL, "work limit for each move"),
    CommandSpec("arena-game", "ID", Phase.SET_UP, _OPTIONAL, "the game of what follows"),
    CommandSpec("arena-seed", "N", Phase.SET_UP, _OPTIONAL, "seed for the next game"),
    CommandSpec("boardsize", "N", Phase.SET_UP, _BY_GAME, "not for plakoto", is_assumed=True),
    CommandSpec("arena-choose_komi", "", Phase.SET_UP, _BY_GAME, "pie: propose a whole number"),
    CommandSpec("arena-choose_side", "K", Phase.SET_UP, _BY_GAME, "pie: choose black or white at komi K"),
    CommandSpec("komi", "K", Phase.SET_UP, _BY_GAME, "pletore only; whole number", is_assumed=True),
    CommandSpec("clear_board", "", Phase.SET_UP, _ALWAYS, "new game", is_assumed=True),
    CommandSpec(
        "arena-time_settings", "TEXT", Phase.SET_UP, _OPTIONAL, "time control, the arena's text form"
    ),
    CommandSpec("kata-time_settings", "KIND NUMBER…", Phase.SET_UP, _OPTIONAL, "time control, KataGo's form"),
    CommandSpec("kgs-time_settings", "KIND NUMBER…", Phase.SET_UP, _OPTIONAL, "time control, KGS's form"),
    CommandSpec("time_settings", "MAIN BYO STONES", Phase.SET_UP, _OPTIONAL, "time control, GTP's form"),
    CommandSpec("play", "COLOR MOVE", Phase.TURN, _ALWAYS, "a move was played", is_assumed=True),
    CommandSpec("arena-dice", "COLOR D1 D2", Phase.TURN, _BY_GAME, "plakoto: the roll for COLOR's turn"),
    CommandSpec("arena-announce", "COLOR three|four", Phase.TURN, _OPTIONAL, "pente: COLOR made a line"),
    CommandSpec("arena-clock", "key=value …", Phase.TURN, _OPTIONAL, "both clocks, in ms"),
    CommandSpec("time_left", "COLOR SECONDS STONES", Phase.TURN, _OPTIONAL, "the mover's clock"),
    CommandSpec("genmove", "COLOR", Phase.THINK, _ALWAYS, "reply a move, or resign", is_assumed=True),
    CommandSpec("arena-result", "TEXT", Phase.RESULT, _OPTIONAL, "how the game ended", is_waited_for=False),
    CommandSpec("quit", "", Phase.QUIT, _ALWAYS, "end the process", is_waited_for=False, is_assumed=True),
)

COMMANDS: Final[Mapping[str, CommandSpec]] = {row.name: row for row in _ROWS}
"""The command table in the order in which commands are sent."""


def needed_commands(*, has_size: bool, has_komi: bool, has_dice: bool, is_pie: bool) -> tuple[str, ...]:
    """Return what an engine must know to play games of the given kind, in the table's order.

    Args:
        has_size: the game has a board size.
        has_komi: the game has komi.
        has_dice: the referee throws dice.
        is_pie: the players settle komi themselves.
    """
    by_game = {
        "boardsize": has_size,
        "komi": has_komi,
        "arena-dice": has_dice,
        "arena-choose_komi": is_pie,
        "arena-choose_side": is_pie,
    }
    always = ("clear_board", "play", "genmove")
    return tuple(name for name in COMMANDS if name in always or by_game.get(name, False))


def command(name: str, *values: str | int) -> str:
    """Return the command line (without line end) of checked words.

    Raises:
        UnsendableError: the name is not in the table, or a value is empty or holds a blank, a line end or
            other control character, `#` or anything but ASCII.
    """
    if name not in COMMANDS:
        raise UnsendableError(f"{_quoted(name)} is no command of the protocol")
    words = [str(value) for value in values]
    line = " ".join([name, *words])
    if _is_sound(line, len(words)):
        return line
    bad = next(word for word in words if not word or not _is_sound(word, 0))
    raise UnsendableError(
        f"{_quoted(bad)} cannot be sent in `{name}`: a value is one printable ASCII word without `#`"
    )


def play(colour: ColourWord, move: str) -> str:
    """Return the command that tells an engine a move; raises `UnsendableError` like `command`."""
    line = f"play {colour} {move}"
    return line if _is_sound(line, 2) else command("play", colour, move)


def genmove(colour: ColourWord) -> str:
    """Return the command that asks an engine for a move; raises `UnsendableError` like `command`."""
    return command("genmove", colour)


def dice(colour: ColourWord, first: int, second: int) -> str:
    """Return the command that tells the roll for `colour`'s turn, dice from 1 to 6.

    Raises:
        UnsendableError: a die outside 1 to 6.
    """
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise UnsendableError(f"{first} {second} is no roll of two dice")
    return command("arena-dice", colour, first, second)


def encode(line: str, id: int | None = None) -> bytes:  # noqa: A002  GTP's word
    """Return the bytes of one command. Every byte sent passes here, however its line was made.

    Args:
        line: name and arguments separated by single blanks, without line end.
        id: number to be repeated in the reply, None for none.

    Raises:
        UnsendableError: the line is empty, too long, or holds `#` or anything but printable ASCII.
    """
    if not line or line[0] == " " or "#" in line or not (line.isascii() and line.isprintable()):
        raise UnsendableError(f"{_quoted(line)} is no command line: printable ASCII without `#` is sent only")
    data = (line if id is None else f"{id} {line}").encode("ascii") + b"\n"
    if len(data) > MAX_COMMAND_BYTES:
        raise UnsendableError(f"{_quoted(line)} is too long: at most {MAX_COMMAND_BYTES} bytes are sent")
    return data


def _is_sound(line: str, blanks: int) -> bool:
    """Say whether a line is printable ASCII without `#`: words with just `blanks` single blanks between."""
    return (
        line.isascii()
        and line.isprintable()
        and "#" not in line
        and line.count(" ") == blanks
        and (blanks == 0 or ("  " not in line and line[-1] != " "))
    )


def _quoted(text: str) -> str:
    """Return the start of hostile text, escaped for print."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
