"""A tournament file, or the flags of a command, into an `Event`; everything wrong is found in one go."""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from arena.config.assembly import assembled
from arena.config.keys import NAME_CHARACTERS, EngineKeys, FileKeys, SubmissionKeys, Surroundings, cores
from arena.config.lines import key_lines, line_of
from arena.config.problems import COMMAND_LINE, ConfigError, Problem, nearest, printable, shown
from arena.config.programs import PYTHON_WORD, sample_module, split_command
from arena.submissions.registry import FOLDER, Registry, RegistryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic_core import ErrorDetails

    from arena.config.lines import KeyPath
    from arena.core.event import Event

MAX_FILE_BYTES = 4 * 2**20
"""Largest tournament file: thousands of entries fit, and a wrong path (a video) is refused at once."""

TABLES = (*FileKeys.model_fields, "defaults")
"""What may stand at the top of a file."""

ENGINE_FILE = "engine.toml"
"""What a folder that is handed in must hold."""

OF_THE_SUBMISSION = ("command", "cwd", "folder", "plays", "submitted")
"""Keys of an entry that a submission settles."""

_NUMBER = re.compile(r"\bengine [12]\b")

EXCLUDES = {
    "pairs": ("games_each", "best_of"),
    "games_each": ("pairs", "best_of"),
    "best_of": ("pairs", "games_each"),
}
"""Spellings of one thing: a flag replaces the others, a file may hold one."""

OF_ONE_GAME = ("game", "size", "komi", "openings", "best_of")
"""Keys of `[tournament]` that an event with tables `[[game]]` has there, or not at all."""


def load_event(path: str | Path, overrides: Mapping[str, object] | None = None) -> Event:
    """Read and check a tournament file.

    Args:
        path: the file; relative paths in it are relative to its folder.
        overrides: keys of `[tournament]` given as flags, which win over the file's; None values count as
            not given. They pass the same checks, with `command line` as their place.

    Raises:
        ConfigError: with every problem found.
    """
    path = Path(path)
    text = _read(path)
    source = _Source(str(path), *_parse(path, text))
    source.override(overrides or {})
    folder = path.absolute().parent
    source.take_submissions(Registry(folder / FOLDER))
    return _at_home(_event(source, Surroundings(folder, default_name=_default_name(path))), folder)


def load_laboratory(path: str | Path, overrides: Mapping[str, object]) -> tuple[Event, dict[str, Any], int]:
    """Read and check the file of a komi laboratory: a tournament file with a table `[laboratory]`.

    One entry plays itself: it is entered a second time. The format follows from the number of entries.

    Args:
        path: the file.
        overrides: as for `load_event`.

    Returns:
        The event, the keys of `[laboratory]` as they stand there, and the number of entries in the file.

    Raises:
        ConfigError: with every problem found.
    """
    path = Path(path)
    source = _Source(str(path), *_parse(path, _read(path)))
    laboratory = source.tables.pop("laboratory", {})
    if not isinstance(laboratory, dict):
        raise ConfigError([source.problem(("laboratory",), laboratory, "a table [laboratory]")])
    folder = path.absolute().parent
    source.take_submissions(Registry(folder / FOLDER))
    entries = source.entries
    if len(entries) == 1:
        source.tables["engine"] = [entries[0], {**entries[0], "name": f"{entries[0].get('name')} (twin)"}]
    source.override({**overrides, "format": "match" if len(entries) <= 2 else "round-robin"})
    with _twins_as_one(is_self_play=len(entries) == 1):
        event = _event(source, Surroundings(folder, default_name=_default_name(path)))
    return _at_home(event, folder), laboratory, len(entries)


def _at_home(event: Event, folder: Path) -> Event:
    return dataclasses.replace(event, home=os.path.abspath(folder))  # noqa: PTH100  as the paths are resolved


@contextmanager
def _twins_as_one(*, is_self_play: bool) -> Iterator[None]:
    """Tell what is wrong with an engine that was entered twice to play itself only once."""
    try:
        yield
    except ConfigError as error:
        if not is_self_play:
            raise
        # Of two alike the last is kept: it knows the line of a key that its twin was only given.
        told = {(_NUMBER.sub("engine", each.key), each.value, each.allowed): each for each in error.problems}
        raise ConfigError(
            [dataclasses.replace(each, key=_NUMBER.sub("engine", each.key)) for each in told.values()]
        ) from None


def event_from_keys(
    tournament: Mapping[str, object],
    engines: Sequence[Mapping[str, object] | str],
    base_dir: str | Path = ".",
    sprt: Mapping[str, object] | None = None,
    *,
    is_self_play: bool = False,
) -> Event:
    """Make an event of keys that come from flags, as `arena match` does.

    Args:
        tournament: keys of `[tournament]`; None values count as not given.
        engines: one entry each: a mapping of engine keys, or just its command. A command may be the name of
            a sample engine with its flags (`greedy_player --noise 0.1`). An entry without a name is called
            by its command, numbered where two would be called the same.
        base_dir: what relative paths are relative to.
        sprt: keys of `[sprt]`; None for no sequential test.
        is_self_play: whether the two entries are one engine, so that what is wrong with it is told once.

    Raises:
        ConfigError: with every problem found; the place is `command line`.
    """
    entries: list[dict[str, object]] = [
        {"command": entry} if isinstance(entry, str) else _given(entry) for entry in engines
    ]
    _name_entries(entries)
    keys = _given(tournament)
    default = " - ".join(str(entry.get("name")) for entry in entries)[:300]
    tables: dict[str, Any] = {"tournament": keys, "engine": entries}
    if sprt is not None:
        tables["sprt"] = dict(sprt)
    source = _Source(COMMAND_LINE, tables, {})
    folder = Path(base_dir).absolute()
    with _twins_as_one(is_self_play=is_self_play):
        return _event(source, Surroundings(folder, default_name=default or "match", sample_names=True))


def load_submission(folder: str | Path) -> SubmissionKeys:
    """Read and check the file `engine.toml` of a folder that is handed in.

    Raises:
        ConfigError: with every problem found.
    """
    path = Path(folder) / ENGINE_FILE
    source = _Source(str(path), *_parse(path, _read(path)))
    try:
        return SubmissionKeys.model_validate(
            source.tables, context=Surroundings(path.absolute().parent, default_name="")
        )
    except ValidationError as error:
        problems = [
            _problem(source, detail, (), source.tables, SubmissionKeys)
            for detail in error.errors(include_url=False)
        ]
    raise ConfigError(sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0))


def _given(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in keys.items() if value is not None}


def _default_name(path: Path) -> str:
    return printable(path.stem).strip()[:300] or "tournament"


def _name_entries(entries: list[dict[str, object]]) -> None:
    wanted = [_name_by_command(entry.get("command")) for entry in entries if "name" not in entry]
    twice = {name for name, count in Counter(wanted).items() if count > 1}
    seen: Counter[str] = Counter()
    for entry in entries:
        if "name" not in entry:
            name = _name_by_command(entry.get("command"))
            seen[name] += 1
            entry["name"] = f"{name} #{seen[name]}" if name in twice else name


def _name_by_command(command: object) -> str:
    try:
        words = split_command(command)
    except ValueError:
        words = [str(command)]
    if not isinstance(words, list) or not words:
        return "engine"
    first = str(words[0])
    if sample_module(first) is None:
        first = Path(first).name or first
    return printable(" ".join([first, *map(str, words[1:])]))[:200].strip() or "engine"


def _read(path: Path) -> str:
    def refuse(why: str, line: int | None = None) -> ConfigError:
        return ConfigError([Problem(str(path), line, "", None, why)])

    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise refuse("no such file") from None
    except IsADirectoryError:
        raise refuse("is a folder, not a tournament file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise refuse(f"cannot be read ({why})") from None
    if len(content) > MAX_FILE_BYTES:
        raise refuse(f"a tournament file has at most {MAX_FILE_BYTES // 2**20} MB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refuse(f"is no UTF-8 text (byte {content[error.start]:#04x})", line) from None


def _parse(path: Path, text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    try:
        return tomllib.loads(text), key_lines(text)
    except RecursionError:
        why, line = "is no TOML that can be read: values nested too deeply", None
    except ValueError as error:
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
        why = f"is no valid TOML: {printable(message[: place.start()] if place else message)}"
        line = None if place is None else int(place[1]) if place[1] else text.rstrip().count("\n") + 1
    raise ConfigError([Problem(str(path), line, "", None, why)])


class _Source:
    """The keys as given, and where each was given."""

    def __init__(self, name: str, tables: dict[str, Any], places: dict[KeyPath, int]) -> None:
        self.name = name
        self.tables = tables
        self.places = places
        self.flags: set[str] = set()
        self.submission_problems: list[Problem] = []

    def take_submissions(self, registry: Registry) -> None:
        """Give entries that name a submission the keys that its record holds.

        What an engine is (`OF_THE_SUBMISSION`) comes from the record alone; of its author's wishes only those
        count on which the file is silent.
        """
        for index, entry in enumerate(self.entries):
            label = entry.get("submission")
            if not isinstance(label, str):
                continue
            path: KeyPath = ("engine", index)
            self.submission_problems += [
                self.problem((*path, key), entry[key], "comes from the submission: leave it out")
                for key in OF_THE_SUBMISSION
                if key in entry
            ]
            try:
                submission = registry.find(label)
                keys = registry.entry_keys(submission, registry.checked_bundle(submission))
            except RegistryError as error:
                self.submission_problems.append(self.problem((*path, "submission"), label, str(error)))
                # The type check must not complain about what the record would have given.
                keys = {"name": label[:NAME_CHARACTERS], "command": [PYTHON_WORD]}
            for key, value in keys.items():
                if key in OF_THE_SUBMISSION or (key not in self.defaults and key not in entry):
                    entry[key] = value

    def override(self, flags: Mapping[str, object]) -> None:
        table = self.tables.setdefault("tournament", {})
        if not isinstance(table, dict):
            return
        for key, value in _given(flags).items():
            for other in EXCLUDES.get(key, ()):
                table.pop(other, None)
            table[key] = value
            self.flags.add(key)

    @property
    def defaults(self) -> dict[str, Any]:
        table = self.tables.get("defaults", {})
        return table if isinstance(table, dict) else {}

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries that are tables; anything else is reported by the type check."""
        items = self.tables.get("engine", [])
        return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else []

    def merged(self) -> dict[str, Any]:
        """The tables as the model wants them: every entry with the defaults it does not override."""
        tables = {name: table for name, table in self.tables.items() if name != "defaults"}
        items = tables.get("engine")
        if isinstance(items, list):
            tables["engine"] = [
                {**self.defaults, **item} if isinstance(item, dict) else item for item in items
            ]
        return tables

    def value(self, path: KeyPath) -> object:
        """Return what stands at a path; `...` when nothing does."""
        value: Any = self.tables
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return ...
        return value

    def origin(self, path: KeyPath) -> KeyPath:
        """Return where a merged value was really written: in its entry or in `[defaults]`."""
        if len(path) >= 3 and path[0] == "engine" and isinstance(path[1], int):
            entries = self.entries
            own = entries[path[1]] if path[1] < len(entries) else {}
            if path[2] not in own and path[2] in self.defaults:
                return ("defaults", *path[2:])
        return path

    def problem(self, path: KeyPath, value: object, allowed: str) -> Problem:
        """Describe what is wrong with the value at a path of the merged tables; `...` when it is missing."""
        text = None if value is ... else shown(value)
        path = self.origin(path)
        if self.name == COMMAND_LINE or (len(path) > 1 and path[0] == "tournament" and path[1] in self.flags):
            keys = path[1:] if path and path[0] == "tournament" else path
            words = [f"{part + 1}" if isinstance(part, int) else part for part in keys]
            return Problem(COMMAND_LINE, None, " ".join(words), text, allowed)
        key = ".".join(part for part in path if isinstance(part, str))
        return Problem(self.name, line_of(self.places, path), key, text, allowed)


def _event(source: _Source, surroundings: Surroundings) -> Event:
    problems = [
        *source.submission_problems,
        *_defaults_problems(source, surroundings),
        *_problems_across(source),
    ]
    try:
        keys = FileKeys.model_validate(source.merged(), context=surroundings)
    except ValidationError as error:
        problems += [
            _problem(source, detail, (), source.merged(), FileKeys)
            for detail in error.errors(include_url=False)
        ]
    else:
        problems += _too_many_threads(source, keys)
        if not problems:

            def complain(path: KeyPath, allowed: str) -> None:
                problems.append(source.problem(path, source.value(path), allowed))

            event = assembled(keys, surroundings, complain)
            if not problems:
                return event
    # Each problem once (a wrong default hits every entry), in the order of the file's lines.
    raise ConfigError(sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0))


def _too_many_threads(source: _Source, keys: FileKeys) -> list[Problem]:
    """Refuse more computing threads than cores, where the file says how many its engines have.

    The engines of one game seldom think at once, so a game counts with the more of its two.
    """
    stated = [entry.threads for entry in keys.engine if entry.threads is not None]
    table = keys.tournament
    if not stated or table.oversubscribe:
        return []
    threads = max(stated)
    if table.concurrency * threads <= cores():
        return []
    needed = f"{table.concurrency} games at a time with {threads} threads each need"
    allowed = (
        f"at most {max(1, cores() // threads)}: {needed} {table.concurrency * threads} cores, "
        f"and there are {cores()} (oversubscribe = true allows it)"
    )
    return [source.problem(("tournament", "concurrency"), table.concurrency, allowed)]


def _defaults_problems(source: _Source, surroundings: Surroundings) -> list[Problem]:
    """Check `[defaults]` on its own: a key every entry overrides must be right all the same."""
    table = source.tables.get("defaults", {})
    if not isinstance(table, dict):
        return [source.problem(("defaults",), table, "a table [defaults]")]
    try:
        EngineKeys.model_validate(table, context=surroundings)
    except ValidationError as error:
        wrong = [detail for detail in error.errors(include_url=False) if detail["type"] != "missing"]
        return [_problem(source, detail, ("defaults",), table, EngineKeys) for detail in wrong]
    return []


def _problems_across(source: _Source) -> list[Problem]:
    """Check what no single key shows: keys that exclude each other, names used twice, too few entries."""
    table = source.tables.get("tournament")
    table = table if isinstance(table, dict) else {}
    games = _tables(source.tables.get("game"))
    problems = _exclusions(source, ("tournament",), table)
    for index, keys in enumerate(games):
        problems += _exclusions(source, ("game", index), keys)
    if games:
        problems += [
            source.problem(("tournament", key), table[key], f"not beside tables [[game]]: {why}")
            for key in OF_ONE_GAME
            if key in table
            for why in ["every match plays all games" if key == "best_of" else "put it into each of them"]
        ]
        names = {index: keys.get("name", keys.get("game")) for index, keys in enumerate(games)}
        problems += _used_twice(source, "game", names)
    elif "game" not in table and isinstance(source.tables.get("tournament"), dict):
        problems.append(source.problem(("tournament", "game"), ..., "missing: the id of a game"))
    return problems + _entries_problems(source, table, games)


def _tables(items: object) -> list[dict[str, Any]]:
    """Return the tables of a list; anything else is reported by the type check."""
    return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else []


def _exclusions(source: _Source, path: KeyPath, table: dict[str, Any]) -> list[Problem]:
    there = [key for key in EXCLUDES if key in table]
    if len(there) < 2:
        return []
    return [source.problem((*path, there[0]), table[there[0]], f"only one of {' and '.join(there)}")]


def _used_twice(source: _Source, kind: str, names: Mapping[int, object]) -> list[Problem]:
    problems = []
    first_uses: dict[str, int] = {}
    for index, name in names.items():
        if isinstance(name, str) and first_uses.setdefault(name, index) != index:
            first = source.problem((kind, first_uses[name], "name"), name, "")
            place = f" (line {first.line} has it too)" if first.line else ""
            problems.append(source.problem((kind, index, "name"), name, f"a name of its own{place}"))
    return problems


def _entries_problems(
    source: _Source, table: dict[str, Any], games: Sequence[dict[str, Any]]
) -> list[Problem]:
    """Check the entries together: their number, their names, the games they play."""
    items = source.merged().get("engine")
    if not isinstance(items, list):
        return []
    entries = _tables(items)
    problems = []
    wanted = 2 if table.get("format") == "match" else None
    if len(items) < 2 or len(items) != (wanted or len(items)):
        allowed = "exactly 2 entries for a match" if wanted else "at least 2 entries"
        problems.append(source.problem(("engine",), ..., f"{allowed}, not {len(items)}"))
    problems += _used_twice(source, "engine", {index: each.get("name") for index, each in enumerate(entries)})
    needed = [keys.get("game") for keys in games] or [table.get("game")]
    for index, entry in enumerate(entries):
        plays = entry.get("plays")
        missing = [game for game in needed if isinstance(game, str) and game not in (plays or [])]
        if isinstance(plays, list) and plays and missing:
            allowed = f"a list that holds the event's game, {shown(missing[0])}"
            problems.append(source.problem(("engine", index, "plays"), plays, allowed))
    return problems


def _problem(
    source: _Source, detail: ErrorDetails, root: KeyPath, tables: dict[str, Any], model: type[BaseModel]
) -> Problem:
    """Tell one of pydantic's findings in the words of the key it concerns."""
    loc = detail["loc"]
    found = _followed(loc, tables, model)
    path, value = (*root, *found.path), found.value
    if detail["type"] == "missing":
        return source.problem((*path, loc[-1]), ..., f"missing: {found.allowed_next(loc[-1])}")
    if detail["type"] == "extra_forbidden":
        known = TABLES if found.owner is FileKeys else tuple(found.owner.model_fields)
        return source.problem(path, value, f"unknown key, {nearest(str(loc[-1]), known)}")
    if detail["type"] == "value_error":
        return source.problem(path, value, str(detail["ctx"]["error"]))
    return source.problem(path, value, found.allowed)


@dataclasses.dataclass(frozen=True, slots=True)
class _Found:
    """Where an error's place leads to in the keys as given.

    Attributes:
        path, value: how far the place can be followed, and what stands there.
        owner: the model that the last key belongs to.
        inside: the model of the keys that come next, None inside plain data.
        allowed: what the last key of a model allows.
    """

    path: KeyPath
    value: object
    owner: type[BaseModel]
    inside: type[BaseModel] | None
    allowed: str

    def allowed_next(self, key: str | int) -> str:
        field = None if self.inside is None else self.inside.model_fields.get(str(key))
        return (field.description if field is not None else None) or self.allowed


def _followed(loc: tuple[str | int, ...], value: object, model: type[BaseModel]) -> _Found:
    """Follow an error's place as far as the keys go; branches of unions (`komi.int`) are in no file."""
    path: KeyPath = ()
    owner, allowed = model, "a table"
    inside: type[BaseModel] | None = model
    for part in loc:
        try:
            value = value[part]  # type: ignore[index]
        except (KeyError, TypeError):
            break
        path = (*path, part)
        if inside is not None and isinstance(part, str):
            owner = inside
            field = inside.model_fields.get(part)
            allowed = (field.description if field is not None else None) or allowed
            inside = None if field is None else _model_inside(field.annotation)
    return _Found(path, value, owner, inside, allowed)


def _model_inside(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a type is, or holds (`list[EngineKeys]`, `OpeningKeys | None`)."""
    parts = [annotation, *getattr(annotation, "__args__", ())]
    return next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)
