"""The engine's side of the protocol, ready to use: subclass `Engine`, call `run`. Standard library only.

    class Mine(Engine):
        games = ("pente",)
        def new_game(self): ...
        def play(self, colour, move): ...
        def genmove(self, colour, clock): ...

    run(Mine())

docs/engine-author.md walks through a complete engine. Everything the protocol asks is handled here: reading
several commands from one write, ids, replies that are whole and flushed, refusals, the clock, unknown
commands. While an engine runs, whatever its code prints goes to standard error: a stray `print` cannot
break the protocol.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from protocol.answers import OptionKind, OptionSpec
from protocol.commands import COMMANDS, ColourWord
from protocol.engine_clock import (
    ClockReader,
    TimeSettings,
    TurnClock,
    parse_arena_time,
    parse_gtp_time,
    parse_kata_time,
)
from protocol.framing import BadCommand, Command, CommandParser
from protocol.gogui import Goban, gogui_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "ColourWord",
    "Engine",
    "Goban",
    "OptionKind",
    "OptionSpec",
    "Refusal",
    "TimeSettings",
    "TurnClock",
    "WorkLimit",
    "run",
    "serve",
]

READ_BYTES = 64 * 1024
"""How much is read at a time: what a pipe holds."""

_THINKING = ("genmove", "arena-choose_komi", "arena-choose_side")

_CONTROL = dict.fromkeys((*range(32), 127))

_T = TypeVar("_T")


class Refusal(Exception):  # noqa: N818  an answer to the referee, not a failure of the program
    """Raise it to answer a command with `? message` (`illegal move`, `unacceptable size`)."""


class WorkLimit(NamedTuple):
    """A work limit for each move: `kind` is `nodes`, `playouts` or `depth`."""

    kind: str
    amount: int


class Engine:
    """What an engine author writes. Only `new_game`, `play` and `genmove` are needed.

    The optional methods (`dice`, `announce`, `choose_komi`, `choose_side`, `result`, `show`, `goban`) are
    offered to the referee only where a subclass defines them.

    Attributes to set in the subclass:
        name: the program's name; the class's name when empty.
        version: its version.
        games: ids of the games it plays.
        sizes: board sizes it plays; empty means every size.
        options: settings a user may change; their values are in `settings`.
        limits: work limits it obeys, of `nodes`, `playouts`, `depth`.
        joins_replies: hold replies back until the commands read together are all done, `genmove` too. Saves a
            system call a turn; right for engines that answer within a millisecond.

    Attributes to read, set before `new_game` is called:
        game: id of the game to be played; the first of `games` when the referee names none.
        size: board size, None when it was not told (plakoto has none).
        komi: komi, 0 when it was not told.
        seed: seed for the engine's own randomness, None when none was given.
        settings: value of each option, by name: bool, int, float or str.
        limit: the work limit in force, None for none.
    """

    name: str = ""
    version: str = "1"
    games: Sequence[str] = ()
    sizes: Sequence[int] = ()
    options: tuple[OptionSpec, ...] = ()
    limits: tuple[str, ...] = ()
    joins_replies: bool = False

    game: str | None = None
    size: int | None = None
    komi: int = 0
    seed: int | None = None
    settings: Mapping[str, bool | float | str] = {}
    limit: WorkLimit | None = None

    _infos: Mapping[str, object] = {}

    def new_game(self) -> None:
        """Begin a new game with the present `game`, `size`, `komi` and `seed`."""
        raise NotImplementedError

    def play(self, colour: ColourWord, move: str) -> None:
        """Take note of a move: the opponent's, an opening's, and also the one `genmove` just returned.

        Raises:
            Refusal: the move is not legal.
        """
        raise NotImplementedError

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Return a move for `colour`, or `resign`. Do not play it here: `play` is called with it next."""
        raise NotImplementedError

    def dice(self, colour: ColourWord, first: int, second: int) -> None:
        """Take note of the roll for the turn of `colour` (plakoto)."""
        raise NotImplementedError

    def announce(self, colour: ColourWord, line: str) -> None:
        """Take note that `colour` has just made a line of `three` or `four` (pente)."""
        raise NotImplementedError

    def choose_komi(self) -> int:
        """Propose komi, at most the number of points either way; the opponent then chooses a side."""
        raise NotImplementedError

    def choose_side(self, komi: int) -> ColourWord:
        """Choose `black` or `white` at the komi the opponent proposed."""
        raise NotImplementedError

    def result(self, text: str) -> None:
        """Take note of how the game ended."""
        raise NotImplementedError

    def show(self) -> str:
        """Return the board as lines of text, for people (`showboard`)."""
        raise NotImplementedError

    def goban(self) -> Goban:
        """Return the position for GoGui, which then can show the game (`gogui-rules_…`).

        Raises:
            Refusal: the game is not played on a goban.
        """
        raise NotImplementedError

    def idle(self) -> bool:
        """Think on the opponent's time, for some milliseconds; return whether there is more to think about.

        Called again and again while no command waits and this returns True. The default has nothing to do.
        """
        return False

    def knows_game(self, game: str) -> bool:
        """Say whether the game can be played; the default looks it up in `games`."""
        return game in self.games

    def accepts_size(self, size: int) -> bool:
        """Say whether `game` can be played at this size; the default looks it up in `sizes`."""
        return not self.sizes or size in self.sizes

    def info(self, **values: object) -> None:
        """Say what the engine thinks of the move that `genmove` is about to return.

        Known keys: `winrate` (the mover's chance, 0 to 1), `score` (expected margin for the mover in points),
        `nodes`, `depth`, `pv` (a list of moves). Others are stored as they are; a value is one word.
        """
        self._infos = {**self._infos, **values}


def run(engine: Engine) -> None:
    """Serve commands from standard input until `quit` or its end; what the engine prints goes to stderr."""
    replies = os.dup(1)
    with contextlib.suppress(OSError):  # started without a standard error
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    # A broken pipe says that the referee has gone: the same as the end of its commands.
    with contextlib.suppress(BrokenPipeError):
        serve(engine, 0, replies)
    os.close(replies)


def serve(engine: Engine, read_from: int, write_to: int) -> None:
    """Serve commands from one file descriptor on another until `quit` or the end of the stream.

    Bytes are read as they come and never wait in a buffer of the language's own: an engine that looks for
    input while it thinks sees every command.
    """
    parser = CommandParser()
    server = _Server(engine)
    while not server.is_done() and (data := _next_bytes(engine, read_from)):
        replies: list[bytes] = []
        for command in parser.feed(data):
            if replies and not engine.joins_replies and _takes_time(command):
                _write_all(write_to, b"".join(replies))
                replies.clear()
            replies.append(server.reply(command))
            if server.is_done():
                break
        _write_all(write_to, b"".join(replies))


def _next_bytes(engine: Engine, read_from: int) -> bytes:
    """Return what comes next, empty at the end of the stream; the engine may think until then."""
    if type(engine).idle is not Engine.idle:
        waiting = select.poll()
        waiting.register(read_from, select.POLLIN)
        # Errors and the end of the stream count as something to read as well.
        while not waiting.poll(0) and _has_more_to_think(engine):
            pass
    return os.read(read_from, READ_BYTES)


def _has_more_to_think(engine: Engine) -> bool:
    try:
        return engine.idle()
    except Exception:
        import traceback  # only here, as in `_Server.reply`

        traceback.print_exc(file=sys.stderr)
        return False


def _takes_time(command: Command | BadCommand) -> bool:
    return isinstance(command, Command) and command.name in _THINKING


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


class _Server:
    """Answers commands one by one. Holds what belongs to the conversation and not to the engine."""

    def __init__(self, engine: Engine) -> None:
        self._has_quit = False
        self._engine = engine
        self._clock = ClockReader()
        # Whether the settings changed since `new_game` was last called, and whether a move came after that.
        self._is_new_game_due = True
        self._has_moved = False
        self._settings = {option.name: _option_value(option, option.default) for option in engine.options}
        engine.settings = self._settings
        if engine.game is None and engine.games:
            engine.game = engine.games[0]
        self._handlers = self._offered()

    def is_done(self) -> bool:
        """Say whether `quit` has been answered."""
        return self._has_quit

    def reply(self, command: Command | BadCommand) -> bytes:
        """Return the whole reply to one command. Errors of the engine's code become error replies."""
        if isinstance(command, BadCommand):
            return _reply_bytes("?", None, command.message)
        handler = self._handlers.get(command.name)
        if handler is None:
            return _reply_bytes("?", command.id, "unknown command")
        try:
            return _reply_bytes("=", command.id, handler(command.arguments))
        except Refusal as refusal:
            return _reply_bytes("?", command.id, str(refusal) or "refused")
        except Exception as error:
            import traceback  # only here: most engines never need it, and all would wait for it

            traceback.print_exc(file=sys.stderr)
            return _reply_bytes("?", command.id, f"internal error: {type(error).__name__}: {error}")

    def _offered(self) -> dict[str, Callable[[tuple[str, ...]], str]]:
        """Return the commands this engine knows: GTP's, and of the others what its class defines."""
        engine = self._engine
        kind = type(engine)
        offered: dict[str, Callable[[tuple[str, ...]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: engine.name or kind.__name__,
            "version": lambda _: engine.version,
            "known_command": self._known_command,
            "list_commands": lambda _: "\n".join(self._handlers),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "komi": self._komi,
            "clear_board": self._clear_board,
            "play": self._play,
            "genmove": self._genmove,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "kata-time_settings": self._kata_time_settings,
            "arena-time_settings": self._arena_time_settings,
            "arena-clock": self._arena_clock,
            "arena-games": lambda _: "\n".join(engine.games),
            "arena-game": self._arena_game,
            "arena-seed": self._arena_seed,
        }
        if engine.options:
            offered["arena-options"] = lambda _: "\n".join(option.line() for option in engine.options)
            offered["arena-option"] = self._arena_option
        if engine.limits:
            offered["arena-limit"] = self._arena_limit
        if kind.dice is not Engine.dice:
            offered["arena-dice"] = self._arena_dice
        if kind.announce is not Engine.announce:
            offered["arena-announce"] = self._arena_announce
        if kind.choose_komi is not Engine.choose_komi:
            offered["arena-choose_komi"] = self._arena_choose_komi
        if kind.choose_side is not Engine.choose_side:
            offered["arena-choose_side"] = self._arena_choose_side
        if kind.result is not Engine.result:
            offered["arena-result"] = self._arena_result
        if kind.show is not Engine.show:
            offered["showboard"] = self._showboard
        if kind.goban is not Engine.goban:
            offered |= gogui_commands(self._goban)
        return offered

    def _known_command(self, arguments: tuple[str, ...]) -> str:
        (name,) = _expect("known_command", arguments, 1)
        return "true" if name in self._handlers else "false"

    def _quit(self, arguments: tuple[str, ...]) -> str:
        self._has_quit = True
        return ""

    def _boardsize(self, arguments: tuple[str, ...]) -> str:
        (word,) = _expect("boardsize", arguments, 1)
        size = _whole(word, "boardsize")
        if not self._engine.accepts_size(size):
            raise Refusal("unacceptable size")
        self._engine.size = size
        self._is_new_game_due = True
        return ""

    def _komi(self, arguments: tuple[str, ...]) -> str:
        (word,) = _expect("komi", arguments, 1)
        try:
            komi = float(word)
        except ValueError:
            raise Refusal("komi must be a number") from None
        if not komi.is_integer():
            raise Refusal("komi must be a whole number")
        self._engine.komi = int(komi)
        if not self._has_moved:
            self._is_new_game_due = True
        return ""

    def _clear_board(self, arguments: tuple[str, ...]) -> str:
        self._engine.new_game()
        self._is_new_game_due = False
        self._has_moved = False
        return ""

    def _begin_if_due(self) -> None:
        """Begin the game that `boardsize` or `komi` changed, when no `clear_board` came after them."""
        if self._is_new_game_due:
            self._clear_board(())

    def _play(self, arguments: tuple[str, ...]) -> str:
        colour, move = _expect("play", arguments, 2)
        self._begin_if_due()
        self._engine.play(_colour(colour), move)
        self._has_moved = True
        return ""

    def _genmove(self, arguments: tuple[str, ...]) -> str:
        (word,) = _expect("genmove", arguments, 1)
        colour = _colour(word)
        self._begin_if_due()
        engine = self._engine
        engine._infos = {}
        move = engine.genmove(colour, self._clock.turn(colour))
        if len(move.split()) != 1:
            raise ValueError(f"genmove returned {move!r}, expected a move as one word")
        if move.lower() != "resign":
            engine.play(colour, move)
            self._has_moved = True
        return f"{move}\n{_info_line(engine._infos)}" if engine._infos else move

    def _time_settings(self, arguments: tuple[str, ...]) -> str:
        main, period, stones = _expect("time_settings", arguments, 3)
        self._clock.settings = _timed(lambda: parse_gtp_time(main, period, stones))
        return ""

    def _time_left(self, arguments: tuple[str, ...]) -> str:
        colour, seconds, stones = _expect("time_left", arguments, 3)
        _timed(lambda: self._clock.take_time_left(_colour(colour), seconds, stones))
        return ""

    def _kata_time_settings(self, arguments: tuple[str, ...]) -> str:
        if not arguments:
            _expect("kata-time_settings", arguments, 1)
        self._clock.settings = _timed(lambda: parse_kata_time(arguments))
        return ""

    def _arena_time_settings(self, arguments: tuple[str, ...]) -> str:
        (text,) = _expect("arena-time_settings", arguments, 1)
        self._clock.settings = _timed(lambda: parse_arena_time(text))
        return ""

    def _arena_clock(self, arguments: tuple[str, ...]) -> str:
        _timed(lambda: self._clock.take_clock(arguments))
        return ""

    def _arena_game(self, arguments: tuple[str, ...]) -> str:
        (game,) = _expect("arena-game", arguments, 1)
        if not self._engine.knows_game(game):
            raise Refusal("unknown game")
        self._engine.game = game
        self._engine.size = None
        self._engine.komi = 0
        self._is_new_game_due = True
        return ""

    def _arena_seed(self, arguments: tuple[str, ...]) -> str:
        (word,) = _expect("arena-seed", arguments, 1)
        self._engine.seed = _whole(word, "arena-seed")
        return ""

    def _arena_option(self, arguments: tuple[str, ...]) -> str:
        name, value = _expect("arena-option", arguments, 2)
        option = next((option for option in self._engine.options if option.name == name), None)
        if option is None:
            raise Refusal("unknown option")
        if problem := option.refusal(value):
            raise Refusal(f"unacceptable value: {problem}")
        self._settings[name] = _option_value(option, value)
        return ""

    def _arena_limit(self, arguments: tuple[str, ...]) -> str:
        kind, word = _expect("arena-limit", arguments, 2)
        if kind not in self._engine.limits:
            raise Refusal(f"unknown limit, known: {', '.join(self._engine.limits)}")
        amount = _whole(word, "arena-limit")
        if amount < 1:
            raise Refusal("a limit is at least 1")
        self._engine.limit = WorkLimit(kind, amount)
        return ""

    def _arena_dice(self, arguments: tuple[str, ...]) -> str:
        colour, *words = _expect("arena-dice", arguments, 3)
        first, second = (_whole(word, "arena-dice") for word in words)
        if not (1 <= first <= 6 and 1 <= second <= 6):
            raise Refusal("a die shows 1 to 6")
        self._begin_if_due()
        self._engine.dice(_colour(colour), first, second)
        return ""

    def _arena_announce(self, arguments: tuple[str, ...]) -> str:
        colour, line = _expect("arena-announce", arguments, 2)
        self._engine.announce(_colour(colour), line)
        return ""

    def _arena_choose_komi(self, arguments: tuple[str, ...]) -> str:
        return str(int(self._engine.choose_komi()))

    def _arena_choose_side(self, arguments: tuple[str, ...]) -> str:
        (word,) = _expect("arena-choose_side", arguments, 1)
        return _colour(self._engine.choose_side(_whole(word, "arena-choose_side")))

    def _arena_result(self, arguments: tuple[str, ...]) -> str:
        self._engine.result(" ".join(arguments))
        return ""

    def _goban(self) -> Goban:
        self._begin_if_due()
        return self._engine.goban()

    def _showboard(self, arguments: tuple[str, ...]) -> str:
        return "\n" + self._engine.show()


def _expect(name: str, arguments: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return the first `count` arguments; further ones are ignored, as most GTP engines do."""
    if len(arguments) < count:
        usage = COMMANDS[name].arguments if name in COMMANDS else "NAME"
        raise Refusal(f"syntax error, expected: {name} {usage}")
    return arguments[:count]


def _colour(word: str) -> ColourWord:
    match word.lower():
        case "black" | "b":
            return "black"
        case "white" | "w":
            return "white"
        case _:
            raise Refusal("syntax error, expected black or white")


def _whole(word: str, name: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise Refusal(f"syntax error, {name} expects a whole number") from None


def _timed(read: Callable[[], _T]) -> _T:
    try:
        return read()
    except (ValueError, OverflowError) as error:
        raise Refusal(f"syntax error, {error}") from None


def _option_value(option: OptionSpec, word: str) -> bool | float | str:
    match option.kind:
        case OptionKind.BOOL:
            return word == "true"
        case OptionKind.INT:
            return int(word)
        case OptionKind.FLOAT:
            return float(word)
        case OptionKind.CHOICE | OptionKind.TEXT:
            return word


def _info_line(infos: Mapping[str, object]) -> str:
    """Return `info key value …`; `pv` last, because it takes the rest of the line."""
    words = ["info"]
    for key, value in infos.items():
        if key != "pv":
            words += [key, "_".join(str(value).split()) or "-"]
    pv = infos.get("pv")
    if isinstance(pv, (list, tuple)) and pv:
        words += ["pv", *map(str, pv)]
    return " ".join(words)


def _reply_bytes(mark: str, id_: int | None, text: str) -> bytes:
    """Return a whole reply. Empty lines inside the text, which would end it early, are left out."""
    start = mark if id_ is None else f"{mark}{id_}"
    if not text.isprintable():
        first, *rest = (line.translate(_CONTROL).rstrip() for line in text.split("\n"))
        text = "\n".join([first, *filter(None, rest)])
    return (f"{start} {text}\n\n" if text else f"{start}\n\n").encode("utf-8", "replace")
