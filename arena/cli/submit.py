"""`arena submit`: an engine that somebody hands in is checked and then entered by name."""

from __future__ import annotations

import shutil
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import EXIT_DONE, EXIT_NEGATIVE, Failure
from arena.cli.printing import print_line
from arena.cli.target import told, writing_told
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.config.keys import SubmissionKeys
    from arena.conformance.case import Report
    from arena.submissions.registry import Registry, Submission


@click.command("submit")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--enter",
    "tournament",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Tournament file that it is to play in: its game and settings are checked, an entry is added.",
)
@click.option(
    "--to",
    "registry_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where submissions are kept; default: submissions beside the tournament file, or here.",
)
@click.option(
    "--sandbox",
    type=click.Choice(["require", "auto", "off"]),
    default="require",
    show_default=True,
    help="What it is built and checked in.",
)
@click.option("--strict", is_flag=True, help="Do not accept what only SHOULD hold and does not, either.")
def command(
    folder: Path, tournament: Path | None, registry_folder: Path | None, sandbox: str, strict: bool
) -> int:
    """Check the engine in FOLDER (it holds an engine.toml) and enter it.

    Exit code 0: it is entered; 1: it did not build or failed the check, and nothing is entered; 2: the
    folder, its engine.toml or the tournament file is not what it should be.
    """
    from arena.config import ConfigError, load_submission
    from arena.conformance.subjects import submission_of
    from arena.submissions.bundle import BundleError, copy_bundle
    from arena.submissions.registry import FOLDER, Registry, RegistryError

    if tournament is not None and registry_folder is not None:
        raise Failure("--enter keeps submissions beside the tournament file: leave out --to")
    with told(ConfigError):
        keys = load_submission(folder)
    settings = {} if tournament is None else _settings(tournament, keys)
    beside = Path() if tournament is None else tournament.parent
    registry = Registry(registry_folder or beside / FOLDER)
    with told(BundleError, RegistryError), writing_told(registry.folder), _staged(registry) as staged:
        apart = _apart(folder, registry)
        source = copy_bundle(folder, staged, without=apart)
        known = _known(registry, keys, source.sha256)
        if known is None:
            entered = _checked_and_built(keys, staged, source.sha256, settings, sandbox, strict=strict)
            if entered is None:
                print_line(f"{keys.name} {keys.version} is not entered")
                return EXIT_NEGATIVE
            known = submission_of(keys, **entered)
            registry.add(known, staged)
            print_line(
                f"{known.name} {known.version} is kept in {registry.folder}, bundle {known.sha256[:16]}…"
            )
        else:
            print_line(f"{known.label} is there already, with the same content")
        if tournament is not None:
            _enter(tournament, known)
    return EXIT_DONE


def _apart(folder: Path, registry: Registry) -> tuple[str, ...]:
    """Return what stands in the folder and is no part of the engine, and say so: results, the registry."""
    from arena.cli.leftovers import leftovers

    apart = leftovers(folder)
    if apart:
        print_line(f"left out, results of the arena: {', '.join(printable(each) for each in apart)}")
    kept, own = registry.folder.resolve(), folder.resolve()
    if kept != own and kept.is_relative_to(own):
        apart += (kept.relative_to(own).as_posix(),)
    return apart


@contextmanager
def _staged(registry: Registry) -> Iterator[Path]:
    """Give a place for a bundle in the making; whatever is left there in the end is removed."""
    staged = registry.staging()
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _known(registry: Registry, keys: SubmissionKeys, source_sha256: str) -> Submission | None:
    """Return the record of this version if it was accepted before.

    Raises:
        Failure: it was, with other content.
    """
    for each in registry.versions(keys.name):
        if each.version == keys.version:
            if each.source_sha256 == source_sha256:
                return each
            when = f"{each.label} was entered {each.entered} with other content"
            raise Failure(f"{when}: give the new one another version")
    return None


def _checked_and_built(
    keys: SubmissionKeys,
    staged: Path,
    source_sha256: str,
    settings: dict[str, Any],
    sandbox: str,
    *,
    strict: bool,
) -> dict[str, Any] | None:
    """Build and check what is staged; return what the record says of it, None when it is not good enough."""
    from arena.cli.checking import checked
    from arena.config import ConfigError
    from arena.conformance.subjects import Circumstances, entry_of_folder, subject_of_entry
    from arena.live.referee import utc_now
    from arena.submissions.bundle import manifest_of

    if keys.build and not _built(keys, staged, sandbox):
        return None
    checks: dict[str, dict[str, int]] = {}
    is_good = True
    # The digest is taken before anything of it has run.
    sha256 = manifest_of(staged).sha256
    for game in keys.games:
        wanted = settings if settings.get("game") == game else {}
        circumstances = Circumstances(
            size=wanted.get("size"), komi=wanted.get("komi"), time=wanted.get("time"), sandbox=sandbox
        )
        with told(ConfigError):
            subject = subject_of_entry(entry_of_folder(staged, keys), game, circumstances)
        print_line(f"== {game}")
        report = checked(subject)
        print_line()
        is_good = is_good and report.is_good(strict=strict)
        checks[game] = _counts(report)
    if manifest_of(staged).sha256 != sha256:
        print_line("it changed its own files while it was checked: a bundle stays as it is")
        return None
    if not is_good:
        return None
    return {"sha256": sha256, "source_sha256": source_sha256, "entered": utc_now(), "checks": checks}


def _built(keys: SubmissionKeys, staged: Path, sandbox: Any) -> bool:
    from arena.conformance.building import BuildError, build

    click.echo(f"building: {' '.join(keys.build)}", err=True)
    with told(BuildError):
        result = build(staged, keys.build, keys.build_s, sandbox)
    if not result.is_good:
        print_line(f"the build failed: {result.words}")
        for line in result.output.splitlines()[-40:]:
            print_line(f"    {line}")
    return result.is_good


def _counts(report: Report) -> dict[str, int]:
    from arena.conformance.case import Status

    return {status.lower(): report.count(status) for status in Status}


def _settings(tournament: Path, keys: SubmissionKeys) -> dict[str, Any]:
    """Return game, size, komi and time of the tournament; the file may have too few entries as yet.

    Raises:
        Failure: it cannot be read, or the engine does not play its game.
    """
    try:
        table = tomllib.loads(tournament.read_text(encoding="utf-8")).get("tournament")
    except OSError as error:
        raise Failure(f"{tournament} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise Failure(f"{tournament} is no valid TOML: {error}") from error
    if not isinstance(table, dict) or not isinstance(table.get("game"), str):
        raise Failure(f"{tournament} has no table [tournament] with a game")
    game = table["game"]
    if game not in keys.games:
        raise Failure(f"{tournament} is played in {game}; {keys.name} says it plays {', '.join(keys.games)}")
    komi = table.get("komi")
    return {
        "game": game,
        "size": table.get("size"),
        "komi": None if komi == "pie" else komi,
        "time": table.get("time"),
    }


def _enter(tournament: Path, submission: Submission) -> None:
    """Add an entry to a tournament file, unless it has one for this name already."""
    text = tournament.read_text(encoding="utf-8")
    entries = tomllib.loads(text).get("engine", [])
    for entry in entries if isinstance(entries, list) else []:
        label = entry.get("submission") if isinstance(entry, dict) else None
        if label in (submission.name, submission.label):
            print_line(f'{tournament} has the entry submission = "{label}" already')
            return
        if isinstance(label, str) and label.partition("@")[0] == submission.name:
            raise Failure(f'{tournament} has the entry submission = "{label}": change its version there')
    with tournament.open("a", encoding="utf-8") as file:
        file.write(
            f'{"" if text.endswith(chr(10)) else chr(10)}\n[[engine]]\nsubmission = "{submission.label}"\n'
        )
    print_line(f"{tournament} has a new entry, {submission.label}")
