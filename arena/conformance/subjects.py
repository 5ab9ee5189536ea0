"""From what a user names (a command, a sample engine, a folder with engine.toml) to what the suite tests."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.config import ENGINE_FILE, event_from_keys, load_submission
from arena.config.programs import sample_module
from arena.conformance.bench import Subject
from arena.submissions.registry import Registry, Submission

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.config.keys import SubmissionKeys

_NOBODY = {"command": "{python}", "name": "nobody"}
"""An event has two entries; this second one is never started."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Under what an engine is tested; None where its game's or the arena's default counts.

    Attributes:
        size, komi, time, seed: as in a tournament file.
        positions: positions of each kind.
        sandbox: what the engine runs in.
        folder, binds: what a sandbox shows of the machine; `folder` None for that of the program.
        plays: whether it is taken for granted that it plays the game.
        work_limit, margin_ms: as in an entry.
    """

    size: int | None = None
    komi: int | None = None
    time: str | None = None
    seed: int | None = None
    positions: int = 8
    sandbox: str = "require"
    folder: str | None = None
    binds: tuple[str, ...] = ()
    plays: bool = False
    work_limit: str | None = None
    margin_ms: int | None = None


def is_folder_of_an_engine(engine: str) -> bool:
    """Say whether a user named a folder that holds an engine.toml."""
    return (Path(engine) / ENGINE_FILE).is_file()


def subject_of(engine: str, game: str, circumstances: Circumstances) -> Subject:
    """Return what is tested when somebody names an engine and a game.

    Args:
        engine: a command in one string, the name of a sample engine, or a folder with engine.toml.
        game: id of the rules.
        circumstances: everything else.

    Raises:
        ConfigError: with every problem found.
    """
    if is_folder_of_an_engine(engine):
        entry = entry_of_folder(Path(engine), load_submission(engine))
    else:
        entry = _entry_of_command(engine)
    return subject_of_entry(entry, game, circumstances)


def subject_of_entry(entry: Mapping[str, Any], game: str, circumstances: Circumstances) -> Subject:
    """Return what is tested when the keys of an entry are known; the circumstances' word goes first.

    Raises:
        ConfigError: with every problem found.
    """
    told = {
        "sandbox": circumstances.sandbox,
        "folder": circumstances.folder,
        "binds": list(circumstances.binds) or None,
        "plays": [game] if circumstances.plays else None,
        "work_limit": circumstances.work_limit,
        "margin_ms": circumstances.margin_ms,
    }
    keys = {**entry, **{name: value for name, value in told.items() if value is not None}}
    tournament = {
        "game": game,
        "format": "gauntlet",
        "size": circumstances.size,
        "komi": circumstances.komi,
        "time": circumstances.time,
        "seed": circumstances.seed,
    }
    event = event_from_keys(tournament, [{k: v for k, v in keys.items() if v is not None}, _NOBODY])
    engine = event.engines[0]
    komi = event.komi if isinstance(event.komi, int) else None
    control = engine.time or event.time
    return Subject(engine, game, event.size, komi, control, event.seed, circumstances.positions)


def entry_of_folder(folder: Path, keys: SubmissionKeys) -> dict[str, Any]:
    """Return the keys of the entry that a folder makes."""
    place = folder.absolute()
    return Registry(place).entry_keys(submission_of(keys), place)


def submission_of(keys: SubmissionKeys, **more: Any) -> Submission:
    """Return the record that an engine.toml makes; digests and checks come with `more`."""
    wishes = keys.model_dump(
        include={"env", "restart", "pipelining", "ids", "options", "work_limit", "limits"},
        exclude_unset=True,
    )
    values: dict[str, Any] = {"sha256": "", "source_sha256": "", **more}
    return Submission(
        name=keys.name,
        version=keys.version,
        author=keys.author,
        command=tuple(keys.command),
        games=tuple(keys.games),
        build=tuple(keys.build),
        keys=wishes,
        **values,
    )


def _entry_of_command(engine: str) -> dict[str, Any]:
    """Return the keys of the entry that a command makes.

    Files that it names become absolute, and a sandbox shows the folder of the first one that is no
    interpreter: there the engine starts. A sample engine, and a program of the system, need none.
    """
    entry: dict[str, Any] = {"command": engine, "name": engine[:200].strip(), "submitted": True}
    try:
        words = shlex.split(engine)
    except ValueError:
        return entry  # the check of the command says so
    if not words or sample_module(words[0]) is not None:
        return entry
    files = [Path(word).absolute() for word in words if Path(word).is_file()]
    entry["command"] = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
    own = [path for path in files if not _is_interpreter(path) and not path.is_relative_to("/usr")]
    return {**entry, "folder": str(own[0].parent)} if own else entry


def _is_interpreter(path: Path) -> bool:
    return path.name.startswith(("python", "pypy", "node", "java", "ruby", "perl", "lua"))
