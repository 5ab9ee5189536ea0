"""The folder that holds what was handed in: bundles by their digest, and a record for each name and version.

    submissions/
        bundles/SHA256/…        the files of one bundle, never changed
        NAME/VERSION.json       who handed it in, how it is started, which bundle it is

A record appears in one step, after its bundle: whatever is interrupted, no name leads to half a bundle.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from arena.submissions.bundle import BundleError, manifest_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "submissions"
"""Name of the registry beside a tournament file."""

WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
"""Names and versions: they become names of files and words of messages."""

_BUNDLES = "bundles"


class RegistryError(Exception):
    """A submission cannot be found, read or added; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One version of one engine, as it was accepted.

    Attributes:
        name, version, author: who it is.
        command: program and arguments, as in engine.toml (paths relative to the bundle).
        games: what it plays.
        sha256: digest of the bundle that is run.
        source_sha256: digest of the folder as handed in; another one where a build command ran.
        build: the build command, empty without one.
        entered: when it was accepted, UTC, ISO 8601.
        keys: further engine keys of its author's (options, limits, …); a tournament file's word goes first.
        checks: for each game that was tried, the counts of the suite's results.
    """

    name: str
    version: str
    author: str
    command: tuple[str, ...]
    games: tuple[str, ...]
    sha256: str
    source_sha256: str
    build: tuple[str, ...] = ()
    entered: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)
    checks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and version, as a tournament file may write them."""
        return f"{self.name}@{self.version}"


class Registry:
    """The registry in one folder; it need not exist yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bundle(self, sha256: str) -> Path:
        """Return where a bundle is, or would be."""
        return self.folder / _BUNDLES / sha256

    def staging(self) -> Path:
        """Return a new path on the registry's own file system, where a bundle can be put together."""
        return self.folder / _BUNDLES / f".new-{secrets.token_hex(8)}"

    def versions(self, name: str) -> list[Submission]:
        """Return all versions of a name, the one entered last comes last.

        Raises:
            RegistryError: a record cannot be read.
        """
        if not WORD.fullmatch(name) or name == _BUNDLES:
            return []
        found = [_read(path) for path in sorted((self.folder / name).glob("*.json"))]
        return sorted(found, key=lambda each: (each.entered, each.version))

    def names(self) -> list[str]:
        """Return all names, sorted."""
        if not self.folder.is_dir():
            return []
        places = (place.name for place in self.folder.iterdir() if place.is_dir())
        return sorted(name for name in places if name != _BUNDLES and WORD.fullmatch(name))

    def find(self, label: str) -> Submission:
        """Return the submission that `name` (the version entered last) or `name@version` means.

        Raises:
            RegistryError: there is none, or its record cannot be read; the message says what there is.
        """
        name, _, version = label.partition("@")
        versions = self.versions(name)
        if not versions:
            names = ", ".join(self.names()[:20]) or "none"
            raise RegistryError(f"no submission {label[:80]!r} in {self.folder} (there: {names})")
        if not version:
            return versions[-1]
        for each in versions:
            if each.version == version:
                return each
        known = ", ".join(each.version for each in versions[-20:])
        raise RegistryError(f"{name} has no version {version[:80]!r} in {self.folder} (there: {known})")

    def checked_bundle(self, submission: Submission) -> Path:
        """Return the folder of a submission's bundle, after looking whether it is still what was accepted.

        Raises:
            RegistryError: it is missing or was altered.
        """
        folder = self.bundle(submission.sha256)
        if not folder.is_dir():
            raise RegistryError(f"the bundle of {submission.label} is missing: {folder}")
        try:
            found = manifest_of(folder).sha256
        except BundleError as error:
            raise RegistryError(f"the bundle of {submission.label} was altered: {error}") from error
        if found != submission.sha256:
            digests = f"its digest is {found[:16]}…, not {submission.sha256[:16]}…"
            raise RegistryError(f"the bundle of {submission.label} was altered: {digests}")
        return folder

    def add(self, submission: Submission, staged: Path) -> None:
        """Take a bundle that was put together at `staged`, and its record.

        Raises:
            RegistryError: this version is there already, with other content; or nothing can be written.
        """
        record = self.folder / submission.name / f"{submission.version}.json"
        try:
            bundle = self.bundle(submission.sha256)
            if not bundle.exists():
                staged.rename(bundle)
            record.parent.mkdir(parents=True, exist_ok=True)
            fresh = record.with_name(f".{record.name}.{secrets.token_hex(4)}")
            fresh.write_text(json.dumps(asdict(submission), indent=1) + "\n", encoding="utf-8")
            fresh.replace(record)
        except OSError as error:
            raise RegistryError(
                f"{error.filename or self.folder} cannot be written: {error.strerror or error}"
            ) from error

    def entry_keys(self, submission: Submission, folder: Path) -> dict[str, Any]:
        """Return the keys that an entry of a tournament file gets from a submission in `folder`."""
        first, *rest = submission.command
        program = folder / first
        return {
            **submission.keys,
            "name": submission.name,
            "command": [str(program) if program.is_file() else first, *rest],
            "cwd": str(folder),
            "folder": str(folder),
            "plays": list(submission.games),
            "submitted": True,
        }


def _read(path: Path) -> Submission:
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(Submission)}
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in tree.items()}
        given: dict[str, Any] = {name: value for name, value in values.items() if name in known}
        submission = Submission(**given)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise RegistryError(f"{path} is no record of a submission ({error})") from error
    if not re.fullmatch(r"[0-9a-f]{64}", str(submission.sha256)):
        raise RegistryError(f"{path} is no record of a submission (sha256)")
    return submission
