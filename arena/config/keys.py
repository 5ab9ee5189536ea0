"""Every key of a tournament file: its type, its bounds, its default, and what people are told is allowed.

A new key is one line here, plus the field of the same name in `arena.core.event`. Fields are checked in
their order and each sees the earlier ones (`info.data`), so a size is judged by the rules of its game while
mistakes elsewhere in the file do not hide it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
)

from arena.config.programs import resolved_command, resolved_place, sample_command, split_command
from arena.core import knockout
from arena.core.clock import TimeControl, parse_time
from arena.core.event import OpeningBook
from arena.core.opening_files import BookError, parse_book, parse_sgf, with_order
from arena.core.openings import OpeningSource
from arena.rules import QuestionError, Rules
from arena.rules.registry import make_rules, rules_class

NAME_CHARACTERS = 300
"""Longest name: it must fit a table, a file and a page, and hostile names come in any length."""

BOOK_BYTES = 64 * 2**20
"""Largest opening file: far beyond any book in use, small enough to be read whole."""

LARGEST_COUNT = 10_000_000
"""Largest number of games of a pairing: ten times the scale the store is made for."""

FORMAT_OF_KEY = {
    "seeds": ("gauntlet",),
    "rounds": ("swiss", "ladder"),
    "bye": ("swiss",),
    "best_of": ("knockout",),
    "tie_breaks": ("knockout",),
    "third_place": ("knockout",),
}
"""Keys that only some formats have."""

TIE_BREAK_WORDS = ('"pairs N"', *(f'"{rule}"' for rule in knockout.RULES if rule != "pairs"))

_TIE_BREAK = re.compile(rf"pairs ([1-9]|[1-9][0-9])|{'|'.join(knockout.RULES[1:])}")
_DISCIPLINE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_ROUND_NAME = re.compile(r"r[0-9]+")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the checks need to know beside the keys themselves.

    Attributes:
        folder: what relative paths are relative to.
        default_name: the event's name where none is given.
        sample_names: whether a command may be the mere name of a sample engine.
    """

    folder: Path
    default_name: str
    sample_names: bool = False


def key(allowed: str, default: Any = ..., **bounds: Any) -> Any:
    """Describe a key: what is allowed, in words that end a message; its default; its bounds."""
    return Field(default, description=allowed, **bounds)


class _Keys(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, validate_default=True, arbitrary_types_allowed=True
    )


def _surroundings(info: ValidationInfo) -> Surroundings:
    if not isinstance(info.context, Surroundings):
        raise TypeError("tournament keys are checked with their surroundings")
    return info.context


def _name(text: str) -> str:
    if not (0 < len(text) <= NAME_CHARACTERS and text.isprintable() and text == text.strip()):
        raise ValueError(f"1 to {NAME_CHARACTERS} printable characters, no blank at either end")
    return text


def _time(text: object) -> object:
    return parse_time(text) if isinstance(text, str) else text


def _known_game(game: str) -> str:
    try:
        rules_class(game)
    except QuestionError as error:
        raise ValueError(str(error)) from None
    return game


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Name = Annotated[str, AfterValidator(_name)]
Time = Annotated[TimeControl, BeforeValidator(_time)]
Game = Annotated[str, AfterValidator(_known_game)]

_NAME = f"a text of 1 to {NAME_CHARACTERS} printable characters"
_TIME = (
    'a time control in quotes, such as "60", "10+0.1", "10+0.1b", "10+0.1d", "40/60+0.5", "5/move", '
    '"60+3x10", "60+25/30", "60h" or "inf"'
)
_SECONDS = "a number of seconds above 0, up to 3600"
_WORD = "1 to 64 letters, digits and . _ + -, a letter or digit first"
_WORD_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"


class OpeningKeys(_Keys):
    """`openings = { random = 2 }` or `openings = { file = "openings.txt" }`, with where and how to go on."""

    random: int | None = key("a whole number of plies from 1 to 100", None, ge=1, le=100)
    file: str | None = key("the path of a file of move lists, positions or SGF", None)
    distinct: Literal["position", "symmetry"] | None = key("position or symmetry", None)
    order: Literal["file", "random"] | None = key("file or random", None)
    start: int | None = key("the number of an opening, a whole number from 1", None, ge=1, le=10**9)
    _book: OpeningBook = PrivateAttr(default_factory=OpeningBook)

    @property
    def book(self) -> OpeningBook:
        """The openings, once `read`."""
        return self._book

    def read(self, folder: Path, rules: Rules) -> None:
        """Read the openings that the keys name.

        Raises:
            ValueError: the file cannot be read, or holds what is no opening (the message says where), the
                board has no such random opening, or there are fewer than the one to start with.
        """
        if self.file is None:
            plies = self.random or 0
            source = f"random {plies}{' up to symmetry' if self.distinct == 'symmetry' else ''}"
            self._book = OpeningBook(
                random_plies=plies, source=source, distinct=self.distinct, start=self.start or 1
            )
            # Counting openings takes a good part of a second, and few plies always find room.
            if rules.size is not None and (plies > rules.size or self.start is not None):
                OpeningSource(self._book, rules, seed=0).count()
            return
        path = Path(resolved_place(self.file, folder, folder=False))
        try:
            with path.open("rb") as file:
                # Not by its size: a device or a pipe says 0 and has no end.
                content = file.read(BOOK_BYTES + 1)
            if len(content) > BOOK_BYTES:
                raise ValueError(f"a file of at most {BOOK_BYTES // 2**20} MB")
            if path.suffix.lower() == ".sgf":
                book = parse_sgf(content, rules, self.file, self.distinct)
            else:
                book = parse_book(content.decode("utf-8-sig"), rules, self.file, self.distinct)
            self._book = with_order(book, self.order, self.start)
        except BookError as error:
            raise ValueError(f"{self.file} {error}") from None
        except UnicodeDecodeError:
            raise ValueError(f"a file of UTF-8 text (tried {path})") from None
        except OSError as error:
            raise ValueError(f"a file that can be read (tried {path}: {error.strerror})") from None


_OPENINGS = '{ random = 2 } or { file = "openings.txt" }'
_PAIRS = f"a whole number from 1 to {LARGEST_COUNT // 2}"
_GAMES_EACH = f"a whole number from 1 to {LARGEST_COUNT}"
_LARGEST_ROUNDS = 10_000
_MOVES = "a whole number of moves, 0 for never, up to 10000"


class AdjudicationKeys(_Keys):
    """The table `[adjudication]`: how games may be decided before their end on the board."""

    loss_moves: int = key(_MOVES, 0, ge=0, le=10_000)
    loss_winrate: float = key("a share from 0 to 1", 0.02, ge=0, le=1, allow_inf_nan=False)
    loss_score: float | None = key("a number", None, allow_inf_nan=False)
    search_moves: int = key(_MOVES, 0, ge=0, le=10_000)
    search_nodes: int = key("a whole number from 1 to 10000000", 20_000, ge=1, le=10_000_000)
    ply_limit: int = key("a whole number of turns, 0 for no limit, up to 1000000", 0, ge=0, le=1_000_000)


class RulesKeys(_Keys):
    """What is played: the keys that `[tournament]` has in an event of one game, else each `[[game]]`."""

    game: Game | None = key("the id of a game", None)
    size: int | None = key("a size of the game, a whole number", None)
    komi: int | Literal["pie"] | None = key('a whole number or "pie"', None)
    pairs: int | None = key(_PAIRS, None, ge=1, le=LARGEST_COUNT // 2)
    games_each: int | None = key(_GAMES_EACH, None, ge=1, le=LARGEST_COUNT)
    openings: OpeningKeys | None = key(_OPENINGS, None)

    @field_validator("size")
    @classmethod
    def _size_of_the_game(cls, size: int | None, info: ValidationInfo) -> int | None:
        game = info.data.get("game")
        if game is None:
            return size
        size = rules_class(game).default_size if size is None else size
        _made_rules(game, size, None)
        return size

    @field_validator("komi")
    @classmethod
    def _komi_of_the_game(cls, komi: Any, info: ValidationInfo) -> Any:
        game = info.data.get("game")
        if game is None:
            return komi
        if not rules_class(game).has_komi:
            if komi is not None:
                raise ValueError(f"{game} has no komi: leave the key out")
            return None
        if komi is None:
            komi = 0
        # The size has had its own message when it was refused.
        check_komi(komi, game, info.data.get("size"))
        return komi

    @field_validator("openings")
    @classmethod
    def _openings_of_the_game(cls, keys: OpeningKeys | None, info: ValidationInfo) -> OpeningKeys | None:
        game = info.data.get("game")
        if keys is not None:
            check_openings(keys, game)
            # A size that was refused has had its own message.
            if game is not None and "size" in info.data:
                keys.read(_surroundings(info).folder, make_rules(game, size=info.data["size"]))
        return keys


def check_komi(komi: int | str, game: str, size: int | None) -> None:
    """Check the komi of a game that has one.

    Raises:
        ValueError: it is none of the game.
    """
    if isinstance(komi, int):
        if abs(komi) > 1_000_000:
            raise ValueError("a whole number from -1000000 to 1000000")
        _made_rules(game, size, komi)


def check_openings(keys: OpeningKeys, game: str | None) -> None:
    """Check what the keys of openings say, before anything is read.

    Raises:
        ValueError: the keys contradict each other or the game.
    """
    if (keys.random is None) == (keys.file is None):
        raise ValueError('one of { random = 2 } and { file = "openings.txt" }')
    if keys.random is not None and keys.order is not None:
        raise ValueError("order is for files: random openings have an order from the seed")
    if game is None:
        return
    if rules_class(game).has_dice:
        raise ValueError(f"no openings for {game}, whose dice serve that end")
    if keys.random is not None and not rules_class(game).random_openings:
        raise ValueError(f"no random openings for {game}")


class GameKeys(RulesKeys):
    """A table `[[game]]`: one of the games of an event of several."""

    game: Game = key("the id of a game")
    name: str | None = key("a word of small letters, digits, `-` and `_`, unique in the event", None)
    time: Time | None = key(_TIME, None)

    @field_validator("name")
    @classmethod
    def _begins_ids(cls, name: str | None) -> str | None:
        if name is not None and (not _DISCIPLINE_NAME.fullmatch(name) or _ROUND_NAME.fullmatch(name)):
            raise ValueError(
                "1 to 32 small letters, digits, `-` and `_`, a letter first, no `r` and number alone"
            )
        return name


class TournamentKeys(RulesKeys):
    """The table `[tournament]`."""

    name: Name | None = key(_NAME, None)
    format: Literal["match", "round-robin", "gauntlet", "pyramid", "swiss", "knockout", "ladder"] = key(
        "match, round-robin, gauntlet, pyramid, swiss, knockout or ladder"
    )
    seeds: int | None = key("a whole number from 1", None, ge=1, le=LARGEST_COUNT)
    rounds: int | None = key(f"a whole number from 1 to {_LARGEST_ROUNDS}", None, ge=1, le=_LARGEST_ROUNDS)
    bye: Literal["win", "draw", "loss"] | None = key("win, draw or loss", None)
    best_of: int | None = key(_GAMES_EACH, None, ge=1, le=LARGEST_COUNT)
    tie_breaks: list[str] | None = key(f"a list of {', '.join(TIE_BREAK_WORDS)}", None)
    third_place: bool | None = key("true or false", None)
    time: Time = key(_TIME, "10+0.1")
    concurrency: int = key("a whole number from 1 to 10000", max(1, cores() // 2), ge=1, le=10_000)
    seed: int = key("a whole number from 0 to 2**63 - 1", 0, ge=0, le=2**63 - 1)
    dice: Literal["independent", "duplicate"] = key("independent or duplicate", "independent")
    sandbox: Literal["off", "auto", "require"] | None = key("off, auto or require", None)
    dice_key: str | None = key("64 hexadecimal digits", None)
    clock: Literal["wall", "cpu"] = key("wall or cpu", "wall")
    suspend_idle: bool = key("true or false", False)
    oversubscribe: bool = key("true or false", False)
    max_faults_in_a_row: int = key(
        "a whole number of games, 0 for never, up to 1000000", 50, ge=0, le=1_000_000
    )
    withdrawn: Literal["forfeit", "remove"] = key("forfeit or remove", "forfeit")
    log: Literal["faults", "all"] = key("faults or all", "faults")

    @field_validator("name")
    @classmethod
    def _named(cls, name: str | None, info: ValidationInfo) -> str:
        return name or _surroundings(info).default_name

    @field_validator(*FORMAT_OF_KEY)
    @classmethod
    def _of_the_format(cls, value: Any, info: ValidationInfo) -> Any:
        formats = FORMAT_OF_KEY[info.field_name or ""]
        format_ = info.data.get("format")
        if value is not None and format_ is not None and format_ not in formats:
            raise ValueError(f"a key of {' and '.join(formats)}, the format is {format_}: leave it out")
        return value

    @field_validator("tie_breaks")
    @classmethod
    def _known_tie_breaks(cls, rules: list[str] | None) -> list[str] | None:
        for rule in rules or []:
            if not _TIE_BREAK.fullmatch(rule):
                raise ValueError(f"a list of {', '.join(TIE_BREAK_WORDS)}, not {rule!r:.40}")
        kinds = [rule.partition(" ")[0] for rule in rules or []]
        if rules is not None and (not rules or len(set(kinds)) < len(kinds)):
            raise ValueError("a list of rules, at least one, each once")
        return rules

    @field_validator("dice_key")
    @classmethod
    def _hexadecimal(cls, digits: str | None) -> str | None:
        if digits is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", digits):
            raise ValueError(f"64 hexadecimal digits (32 bytes), not {len(digits)} characters")
        return digits


class PairingKeys(_Keys):
    """A table `[[pairing]]`: what two entries play by when they meet."""

    engines: list[str] = key("a list of the names of two entries")
    game: str | None = key("the name of one of the event's games", None)
    size: int | None = key("a size of the game, a whole number", None)
    komi: int | Literal["pie"] | None = key('a whole number or "pie"', None)
    odds: int | None = key(
        "a whole number of points of komi from -1000000 to 1000000", None, ge=-1_000_000, le=1_000_000
    )
    time: str | list[str] | None = key(f"{_TIME}, or a list of two, one for each engine", None)
    openings: OpeningKeys | None = key(_OPENINGS, None)

    @field_validator("time")
    @classmethod
    def _controls(cls, time: str | list[str] | None) -> str | list[str] | None:
        words = [time] if isinstance(time, str) else time or []
        if isinstance(time, list) and len(time) != 2:
            raise ValueError("a time control, or a list of two, one for each engine")
        for word in words:
            parse_time(word)
        return time


def _made_rules(game: str, size: int | None, komi: int | None) -> None:
    try:
        make_rules(game, size=size, komi=komi)
    except QuestionError as error:
        raise ValueError(str(error)) from None


class LimitKeys(_Keys):
    """`limits = { … }` of an entry: what its processes may use."""

    memory_mb: float | None = key(
        "megabytes for the whole process tree, from 16 to 1048576", None, ge=16, le=2**20
    )
    processes: int | None = key("a number of processes and threads from 1 to 4096", None, ge=1, le=4096)
    open_files: int | None = key("a number of open files from 8 to 65536", None, ge=8, le=65536)
    file_mb: float | None = key("megabytes for one written file, from 0 to 1048576", None, ge=0, le=2**20)
    cpu_s: float | None = key("seconds of processor time for one process, above 0", None, gt=0, le=10**9)
    output_kb: float | None = key("kilobytes of output for one turn, from 1 to 1048576", None, ge=1, le=2**20)
    stderr_kb: float | None = key("kilobytes of stderr kept, from 0 to 1024", None, ge=0, le=1024)


class EngineKeys(_Keys):
    """A table `[[engine]]`; `[defaults]` takes the same keys."""

    name: Name = key(f"{_NAME}, unique in the event")
    command: Annotated[list[str], BeforeValidator(split_command)] = key(
        "a list of words, or one string split as a shell would"
    )
    cwd: str = key("the path of a folder that exists", ".")
    env: dict[str, str] = key("a table of texts", {})
    plays: list[Game] = key("a list of ids of games", [])
    time: Time | None = key(_TIME, None)
    margin_ms: int = key("a whole number of milliseconds from 0 to 60000", 20, ge=0, le=60_000)
    restart: bool = key("true or false", False)
    pipelining: bool = key("true or false", True)
    ids: bool = key("true or false", False)
    options: dict[str, str | int | float | bool] = key("a table of texts, numbers, true and false", {})
    work_limit: str | None = key('a limit such as "playouts 1000" (nodes, playouts or depth)', None)
    startup_s: float = key(_SECONDS, 10.0, gt=0, le=3600, allow_inf_nan=False)
    setup_s: float = key(_SECONDS, 10.0, gt=0, le=3600, allow_inf_nan=False)
    sandbox: Literal["off", "auto", "require"] | None = key("off, auto or require", None)
    folder: str | None = key("the path of a folder that exists", None)
    binds: list[str] = key("a list of paths that exist", [])
    data_folder: str | None = key("the path of a folder that exists", None)
    limits: LimitKeys = key("a table of limits", {})
    submitted: bool = key("true or false", False)
    submission: str | None = key("the name of a submission, or name@version", None)
    threads: int | None = key("a whole number of threads from 1 to 4096", None, ge=1, le=4096)

    @field_validator("command")
    @classmethod
    def _program_found(cls, words: list[str], info: ValidationInfo) -> list[str]:
        surroundings = _surroundings(info)
        if surroundings.sample_names and words:
            words = sample_command(words)
        return resolved_command(words, surroundings.folder)

    @field_validator("cwd", "folder", "data_folder")
    @classmethod
    def _folder_found(cls, text: str | None, info: ValidationInfo) -> str | None:
        return None if text is None else resolved_place(text, _surroundings(info).folder, folder=True)

    @field_validator("binds")
    @classmethod
    def _places_found(cls, places: list[str], info: ValidationInfo) -> list[str]:
        return [resolved_place(text, _surroundings(info).folder, folder=False) for text in places]

    @field_validator("env")
    @classmethod
    def _environment(cls, env: dict[str, str]) -> dict[str, str]:
        for name, text in env.items():
            if not name or "=" in name or "\0" in name + text:
                raise ValueError("names that are not empty and hold no `=`, no NUL characters anywhere")
        return env

    @field_validator("options")
    @classmethod
    def _options_of_one_line(cls, options: dict[str, Any]) -> dict[str, str]:
        texts = {name: _option_text(setting) for name, setting in options.items()}
        for name, text in texts.items():
            if not re.fullmatch(r"[!-~]{1,100}", name):
                raise ValueError("names of 1 to 100 visible ASCII characters without blanks")
            if not text or len(text) > 1000 or not text.isprintable():
                raise ValueError("settings of 1 to 1000 printable characters")
        return texts

    @field_validator("work_limit")
    @classmethod
    def _work_limit(cls, text: str | None) -> str | None:
        if text is not None and not re.fullmatch(r"(nodes|playouts|depth) [1-9][0-9]{0,17}", text):
            raise ValueError("`nodes`, `playouts` or `depth`, one blank, and a whole number above 0")
        return text


def _option_text(setting: str | float) -> str:
    if isinstance(setting, bool):
        return "true" if setting else "false"
    return str(setting)


class SubmissionKeys(_Keys):
    """The file `engine.toml` of an engine that is handed in; its paths are relative to its folder."""

    name: str = key(_WORD, pattern=_WORD_PATTERN)
    version: str = key(_WORD, pattern=_WORD_PATTERN)
    author: Name = key(_NAME)
    command: Annotated[list[str], BeforeValidator(split_command)] = key(
        "a list of words, or one string split as a shell would", min_length=1
    )
    games: list[Game] = key("a list of ids of games, at least one", min_length=1)
    build: Annotated[list[str], BeforeValidator(split_command)] = key(
        "a list of words, or one string split as a shell would", []
    )
    build_s: float = key(_SECONDS, 300.0, gt=0, le=3600, allow_inf_nan=False)
    env: dict[str, str] = key("a table of texts", {})
    restart: bool = key("true or false", False)
    pipelining: bool = key("true or false", True)
    ids: bool = key("true or false", False)
    options: dict[str, str | int | float | bool] = key("a table of texts, numbers, true and false", {})
    work_limit: str | None = key('a limit such as "playouts 1000" (nodes, playouts or depth)', None)
    limits: LimitKeys = key("a table of limits", {})


class SprtKeys(_Keys):
    """The table `[sprt]`: a sequential test that ends a match as soon as it is decided."""

    elo0: float = key("a number from -200 to 200, below elo1", 0.0, ge=-200, le=200)
    elo1: float = key("a number from -200 to 200, above elo0", 5.0, ge=-200, le=200)
    alpha: float = key("an error rate from 0 to below 0.5", 0.05, ge=0, lt=0.5)
    beta: float = key("an error rate from 0 to below 0.5", 0.05, ge=0, lt=0.5)
    model: Literal["normalized", "logistic"] = key("normalized or logistic", "logistic")
    min_pairs: int = key("a whole number from 1 to 1000000", 16, ge=1, le=1_000_000)

    @field_validator("elo1")
    @classmethod
    def _above_elo0(cls, elo1: float, info: ValidationInfo) -> float:
        elo0 = info.data.get("elo0")
        if elo0 is not None and elo1 <= elo0:
            raise ValueError(f"a number above elo0, which is {elo0:g}")
        return elo1


class FileKeys(_Keys):
    """A whole file, `[defaults]` already worked into the entries."""

    tournament: TournamentKeys = key("a table [tournament]")
    game: list[GameKeys] = key("tables [[game]], one for each game of an event of several", [])
    pairing: list[PairingKeys] = key("tables [[pairing]], for pairings with settings of their own", [])
    sprt: SprtKeys | None = key("a table [sprt]", None)
    engine: list[EngineKeys] = key("tables [[engine]], one for each entry")
    adjudication: AdjudicationKeys = key("a table [adjudication]", {})
