"""What the text of replies means: what an engine can do, its options, its move and what it thinks.

Every function takes hostile text, never raises on it and returns bounded data; what does not fit is left out,
with a word on it where somebody can act on that word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from protocol.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_LISTED: Final = 1000
"""Most lines looked at in a reply that lists something (commands, games, options)."""

MAX_WORD_CHARACTERS: Final = 200
"""Longest name, value or choice that is kept."""

MAX_INFO_KEYS: Final = 32
"""Most keys kept of one move's `info` lines: they are stored with every move."""

MAX_INFO_KEY_CHARACTERS: Final = 32
"""Longest key of an `info` line; longer ones are left out."""

MAX_INFO_CHARACTERS: Final = 64 * 1024
"""How much of a `genmove` reply is looked at: a reply at its limit would take the referee 0.1 s to read, at
the cost of other games' clocks."""

MAX_PV_WORDS: Final = 64
"""Longest principal variation kept, in moves."""

MAX_COUNT: Final = 2**63 - 1
"""Largest `nodes` or `depth` kept: what a database integer holds."""

InfoValue = float | int | str | tuple[str, ...]
"""`winrate`, `score`: float; `nodes`, `depth`: int; `pv`: words; any other key: text."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which commands an engine knows.

    Attributes:
        listed: names from its `list_commands` reply, and what it was assumed to know without one.
        lists_commands: whether it answered `list_commands` at all.
    """

    listed: frozenset[str]
    lists_commands: bool = True

    def knows(self, name: str) -> bool:
        """Say whether a command may be sent."""
        return name in self.listed

    def choose(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of `names` that the engine knows, in their order."""
        return tuple(name for name in names if name in self.listed)

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of `names` that the engine does not know, in their order."""
        return tuple(name for name in names if name not in self.listed)

    def without(self, name: str) -> Capabilities:
        """Return the capabilities after a listed command was refused: it is not sent again."""
        return replace(self, listed=self.listed - {name})


ASSUMED: Final = Capabilities(frozenset(row.name for row in COMMANDS.values() if row.is_assumed), False)
"""What an engine that refuses `list_commands` is taken to know: GTP's own commands, nothing optional."""


def parse_list_commands(ok: bool, text: str) -> Capabilities:
    """Read the reply to `list_commands`; a refusal (`?`) gives `ASSUMED`."""
    return Capabilities(frozenset(_listed_words(text))) if ok else ASSUMED


def parse_games(text: str) -> tuple[str, ...]:
    """Read the reply to `arena-games`: game ids, lower case, each once, in the engine's order."""
    return tuple(dict.fromkeys(word.lower() for word in _listed_words(text)))


class OptionKind(Enum):
    """Types of an engine's own settings; the values are the words on the wire."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One setting that an engine declares by `arena-options`.

    Attributes:
        name: its name, one word.
        kind: its type.
        default: the value in force when nothing is sent, as a word.
        minimum, maximum: bounds of an `int` or `float`, None where none were given.
        choices: the words a `choice` may be; empty for other types.
    """

    name: str
    kind: OptionKind
    default: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def refusal(self, value: str) -> str | None:
        """Say why `value` is none that the engine declared, None when it is fine."""
        match self.kind:
            case OptionKind.BOOL:
                return None if value in ("true", "false") else "allowed: true, false"
            case OptionKind.CHOICE:
                return None if value in self.choices else f"allowed: {', '.join(self.choices)}"
            case OptionKind.INT | OptionKind.FLOAT:
                number = _whole(value) if self.kind is OptionKind.INT else _number(value)
                if number is None:
                    return (
                        "a whole number is expected"
                        if self.kind is OptionKind.INT
                        else "a number is expected"
                    )
                if self.minimum is not None and number < self.minimum:
                    return f"at least {_plain(self.minimum)}"
                if self.maximum is not None and number > self.maximum:
                    return f"at most {_plain(self.maximum)}"
                return None
            case OptionKind.TEXT:
                return None
            case _:
                assert_never(self.kind)

    def line(self) -> str:
        """Return the option as a line of the `arena-options` reply."""
        words = [self.name, self.kind.value, self.default]
        if self.minimum is not None and self.maximum is not None:
            words += [_plain(self.minimum), _plain(self.maximum)]
        return " ".join([*words, *self.choices])


class OptionList(NamedTuple):
    """The options an engine declares, by name, and what was wrong with lines that were left out."""

    options: Mapping[str, OptionSpec]
    problems: tuple[str, ...]


def parse_options(text: str) -> OptionList:
    """Read the reply to `arena-options`: `NAME TYPE DEFAULT [MIN MAX | CHOICE…]` a line.

    Types are `bool` (`true`, `false`), `int`, `float` (both with optional bounds), `choice` (choices follow
    the default) and `text` (one word).
    """
    options: dict[str, OptionSpec] = {}
    problems: list[str] = []
    for line in text.split("\n")[:MAX_LISTED]:
        words = line.split()
        if not words:
            continue
        option = _parsed_option(words)
        if isinstance(option, str):
            problems.append(f"{line[:60]!r}: {option}")
        else:
            options[option.name] = option
    return OptionList(options, tuple(problems))


class MoveReply(NamedTuple):
    """The reply to `genmove`.

    Attributes:
        word: the first line, without blanks around it; may be empty or nonsense.
        infos: what the `info` lines said.
    """

    word: str
    infos: Mapping[str, InfoValue]


NO_INFOS: Final[Mapping[str, InfoValue]] = {}


def parse_move_reply(text: str) -> MoveReply:
    """Read the text of a `genmove` reply: the move, then lines `info key value …`.

    `pv` takes the rest of its line. `winrate` (0 to 1), `score`, `nodes`, `depth` are left out when their
    value is none; further keys keep their text; of a key said twice the last value is kept. Other lines are
    ignored, and so is everything beyond MAX_INFO_CHARACTERS.
    """
    if "\n" not in text:
        return MoveReply(text, NO_INFOS)
    first, *rest = text[:MAX_INFO_CHARACTERS].split("\n")
    infos: dict[str, InfoValue] = {}
    for line in rest:
        words = line.split()
        if words and words[0] == "info":
            _take_info(words[1:], infos)
    return MoveReply(first.strip(), infos)


def _take_info(words: list[str], infos: dict[str, InfoValue]) -> None:
    for index in range(0, len(words) - 1, 2):
        key, word = words[index], words[index + 1]
        is_known = key in infos
        if len(key) > MAX_INFO_KEY_CHARACTERS or (len(infos) >= MAX_INFO_KEYS and not is_known):
            continue
        if key == "pv":
            pv = words[index + 1 : index + 1 + MAX_PV_WORDS]
            infos[key] = tuple(move[:MAX_WORD_CHARACTERS] for move in pv)
            return
        value = _info_value(key, word)
        if value is not None:
            infos[key] = value


def _info_value(key: str, word: str) -> InfoValue | None:
    if key == "winrate":
        winrate = _number(word)
        return winrate if winrate is not None and 0 <= winrate <= 1 else None
    if key == "score":
        return _number(word)
    if key in ("nodes", "depth"):
        count = _whole(word)
        return count if count is not None and 0 <= count <= MAX_COUNT else None
    return word[:MAX_WORD_CHARACTERS]


def _parsed_option(words: list[str]) -> OptionSpec | str:
    if any(len(word) > MAX_WORD_CHARACTERS for word in words):
        return f"a word of more than {MAX_WORD_CHARACTERS} characters"
    if len(words) < 3:
        return "expected NAME TYPE DEFAULT [MIN MAX | CHOICE…]"
    name, type_word, default, *rest = words
    try:
        kind = OptionKind(type_word)
    except ValueError:
        return f"type must be one of {', '.join(kind.value for kind in OptionKind)}"
    option = OptionSpec(name, kind, default)
    if kind is OptionKind.CHOICE:
        option = replace(option, choices=tuple(rest))
    elif kind in (OptionKind.INT, OptionKind.FLOAT) and rest:
        bounds = [_number(word) for word in rest]
        if len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
            return "expected MIN and MAX after the default"
        option = replace(option, minimum=bounds[0], maximum=bounds[1])
    elif rest:
        return "nothing may follow the default of this type"
    problem = option.refusal(default)
    return f"the default does not fit: {problem}" if problem else option


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _listed_words(text: str) -> list[str]:
    """Return the first word of each line of a list."""
    words = [line.split()[0] for line in text.split("\n")[:MAX_LISTED] if line.strip()]
    return [word for word in words if len(word) <= MAX_WORD_CHARACTERS]


def _number(word: str) -> float | None:
    if len(word) > MAX_WORD_CHARACTERS or not word.isascii() or "_" in word:
        return None
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(word: str) -> int | None:
    digits = word[1:] if word[:1] in ("-", "+") else word
    if len(word) > MAX_WORD_CHARACTERS or not (digits.isascii() and digits.isdigit()):
        return None
    return int(word)
