"""Containment: how an engine is started so that it can do nothing but play.

With bubblewrap an engine sees its own folder, its interpreter and the system's programs, all read-only, and a
bounded scratch space; it has no network, no capability, and namespaces of its own (user, PID, network, IPC,
UTS, mount). docs/sandbox.md says what that keeps out and what not.

When the runner is root two sandboxes are nested. The outer one, still root, only puts together the tree of
files: it alone can reach an interpreter or a folder below a directory that is closed to others. Then the
user id is dropped to one that no other process has, and the inner one, without any privilege, makes the
namespaces.
"""

# Every /tmp and /dev/shm below is the sandbox's own.
# ruff: noqa: S108

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zlib import crc32

from arena.live.limits import Limits, limits_of, prlimit_words
from arena.live.process import BUBBLEWRAP, Launch
from arena.live.slots import FREE_SLOT, SLOT_VARIABLE, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.core.event import Engine

OTHER_USER: Final = "other user, limits"
LIMITS_ONLY: Final = "limits"
"""Levels as records and reports name them; `off` is the fourth."""

SCRATCH_MB: Final = 64
"""Scratch space where `file_mb` names none."""

NO_SANDBOX_VARIABLE: Final = "ARENA_NO_SANDBOX"
"""Set to 1 where user namespaces are forbidden: every `auto` goes without, and tests of the sandbox are
skipped."""

_FIRST_UID = 100_000_000
_UIDS_EACH = 256
"""User ids 100,000,000 and up belong to nobody; each runner process has 256 of its own, by its process id."""

_LAST_SMALL_UID = 60_000
_SHARED_UMASK = 0o007
_PROBE_S = 10.0

_SYSTEM_FILES = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
)
_INTERPRETERS = re.compile(r"(python|pypy|node|nodejs|ruby|perl|lua|luajit|java|deno|bun)[0-9.]*")
_PACKAGES = ("arena", "protocol", "sample_engines")


class SandboxError(Exception):
    """The containment that an entry requires cannot be had; the message holds the system's own words."""


@cache
def bubblewrap_problem() -> str | None:
    """Try bubblewrap once, as engines will be started; return None when it works, else why not."""
    if os.environ.get(NO_SANDBOX_VARIABLE) == "1":
        return f"{NO_SANDBOX_VARIABLE}=1 forbids it"
    missing = [program for program in ("bwrap", "setpriv", "prlimit") if shutil.which(program) is None]
    if missing:
        return f"{' and '.join(missing)} is not installed (apt install bubblewrap util-linux)"
    tree = _Tree([])
    try:
        done = subprocess.run(
            _contained(["/usr/bin/true"], tree, "/", {}, Limits(), _user_id(0), _user_id(0)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip()
    return f"{said or f'exit code {done.returncode}'} (are user namespaces allowed? see docs/sandbox.md)"


def problem(entry: Engine) -> str | None:
    """Return why an entry cannot be contained as it requires, None when it can."""
    if entry.sandbox != "require":
        return None
    why = bubblewrap_problem()
    return None if why is None else f'sandbox = "require" cannot be had: {why}'


def exposed(entry: Engine, private: Iterable[Path]) -> list[str]:
    """Return which folders of an entry would show it a private file (tournament file, database)."""
    if entry.sandbox == "off":
        return []
    shown = {"folder": [entry.folder], "binds": entry.binds, "data_folder": [entry.data_folder]}
    return [
        f"{key} {place} would show the engine {path}"
        for key, places in shown.items()
        for place in places
        for path in private
        if place is not None and Path(path).resolve().is_relative_to(Path(place).resolve())
    ]


class Launcher:
    """Starts the engines of one process; every engine process gets a user id of its own when we are root."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._sources: dict[Path, Path] = {}
        self._stage: Path | None = None

    def launch(self, entry: Engine, slot: Slot = FREE_SLOT) -> Launch:
        """Return how an entry is to be started in a slot, as its `sandbox` says.

        Raises:
            SandboxError: it requires what cannot be had here.
        """
        if (why := problem(entry)) is not None:
            raise SandboxError(why)
        entry = replace(entry, env={**entry.env, SLOT_VARIABLE: str(slot.number)})
        return replace(self._launch(entry), cores=slot.cores)

    def _launch(self, entry: Engine) -> Launch:
        if entry.sandbox == "off":
            limits = limits_of(entry.limits, contained=False)
            words = [*_dies_with_us([]), *prlimit_words(limits), *entry.command]
            return Launch(words, entry.cwd, {**os.environ, **entry.env}, limits=limits)
        limits = limits_of(entry.limits, contained=True)
        user = _user_id(next(self._numbers))
        if bubblewrap_problem() is None:
            return self._bubblewrap(entry, limits, user)
        return _fallback(entry, limits, user)

    def close(self) -> None:
        """Remove the copies that were made for engines."""
        if self._stage is not None:
            shutil.rmtree(self._stage, ignore_errors=True)

    def _bubblewrap(self, entry: Engine, limits: Limits, user: int | None) -> Launch:
        places = _shown_places(entry)
        sources = [(self._readable(place) if user is not None else place, place) for place in places]
        data = None if entry.data_folder is None else Path(entry.data_folder)
        group = user
        if data is not None and user is not None:
            group = _shared_group(data)
        tree = _Tree(sources, data)
        inside = any(Path(entry.cwd).is_relative_to(place) for place in places if place.is_dir())
        cwd = entry.cwd if inside else entry.folder or "/tmp"
        words = _contained(entry.command, tree, cwd, _environment(entry), limits, user, group)
        umask = -1 if group == user else _SHARED_UMASK
        return Launch(words, "/", dict(os.environ), BUBBLEWRAP, limits, umask)

    def _readable(self, place: Path) -> Path:
        """Return the place, or a copy that everybody can read where others cannot read the original."""
        if place not in self._sources:
            self._sources[place] = place if _is_open(place) else self._copied(place)
        return self._sources[place]

    def _copied(self, place: Path) -> Path:
        if self._stage is None:
            self._stage = _private_folder()
        copy = self._stage / f"{len(self._sources)}"
        if place.is_dir():
            shutil.copytree(place, copy, symlinks=True, ignore_dangling_symlinks=True)
            for path in (copy, *copy.rglob("*")):
                _open_up(path)
        else:
            shutil.copy2(place, copy)
            _open_up(copy)
        return copy


class _Tree:
    """What an engine sees of the file system beside the system's own programs.

    Args:
        places: (source on this machine, path inside), read-only.
        data: a folder it may write, None for none.
    """

    def __init__(self, places: Sequence[tuple[Path, Path]], data: Path | None = None) -> None:
        self._places = sorted(places, key=lambda place: place[1])
        self._data = data

    def words(self) -> list[str]:
        """Return the arguments that bind the whole tree."""
        words: list[str] = ["--ro-bind", "/usr", "/usr"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            system = Path("/", name)
            if system.is_symlink():
                words += ["--symlink", str(system.readlink()), str(system)]
            elif system.is_dir():
                words += ["--ro-bind", str(system), str(system)]
        words += [*_folders([Path("/etc/x")])]
        for path in _SYSTEM_FILES:
            words += ["--ro-bind-try", path, path]
        words += _folders([inside for _, inside in self._places] + ([self._data] if self._data else []))
        return words + self.binds(self._places)

    def again(self) -> list[str]:
        """Return the arguments that show the own places again, where scratch space has covered them."""
        return self.binds([(inside, inside) for _, inside in self._places])

    def binds(self, places: Sequence[tuple[Path, Path]]) -> list[str]:
        """Return the arguments that bind some places, and the data folder."""
        words = []
        for source, inside in places:
            words += ["--ro-bind", str(source), str(inside)]
        if self._data is not None:
            words += ["--bind", str(self._data), str(self._data)]
        return words


def _folders(paths: Iterable[Path]) -> list[str]:
    """Return the arguments that make the folders above some paths, open to all (bubblewrap's own are not)."""
    words: list[str] = []
    made: set[Path] = set()
    for path in paths:
        for folder in reversed(path.parents):
            if folder != Path("/") and folder not in made and not folder.is_relative_to("/usr"):
                made.add(folder)
                words += ["--perms", "0755", "--dir", str(folder)]
    return words


def _contained(
    command: Sequence[str],
    tree: _Tree,
    cwd: str,
    environment: dict[str, str],
    limits: Limits,
    user: int | None,
    group: int | None,
) -> list[str]:
    """Return the whole command line: see the module. `group` is the user's own but for a shared folder."""
    scratch = str(int((limits.file_mb or SCRATCH_MB) * 1024 * 1024))
    setenv = [word for name, value in environment.items() for word in ("--setenv", name, value)]
    namespaces = [
        "bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--disable-userns",
    ]  # fmt: skip
    own = [
        "--size", scratch, "--tmpfs", "/tmp", "--dev", "/dev", "--size", scratch, "--tmpfs", "/dev/shm",
        "--proc", "/proc", "--remount-ro", "/dev",
    ]  # fmt: skip
    last = [*_dies_with_us([]), *prlimit_words(limits)]
    if user is None:
        whole = [*namespaces, *own, *tree.words(), "--clearenv", *setenv, "--chdir", cwd]
        return [*last, *whole, "--", *command]
    # A parent-death signal does not outlive the changes of user on the way in; a PID namespace does, and
    # takes everything with it when the outer sandbox is killed.
    outer = [
        "bwrap", "--die-with-parent", "--unshare-pid",
        "--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc",
        "--perms", "0755", "--dir", "/tmp", *tree.words(),
        "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--",
    ]  # fmt: skip
    drop = ["--reuid", str(user), "--regid", str(group), "--clear-groups"]
    inner = [*namespaces, "--ro-bind", "/", "/", *own, *tree.again(), "--clearenv", *setenv, "--chdir", cwd]
    return [*outer, *_as_user(drop), *prlimit_words(limits), *inner, "--", *command]


def _fallback(entry: Engine, limits: Limits, user: int | None) -> Launch:
    """Return the best that can be had without bubblewrap: another user where we may, and the limits."""
    places = [Path(entry.command[0]), Path(entry.cwd), *([Path(entry.folder)] if entry.folder else [])]
    if user is not None and all(_is_reachable(place) for place in places):
        drop = ["--reuid", str(user), "--regid", str(user), "--clear-groups", "--no-new-privs"]
        level = OTHER_USER
    else:
        drop, level = ["--no-new-privs"], LIMITS_ONLY
    words = [*_dies_with_us(drop), *prlimit_words(limits), *entry.command]
    return Launch(words, entry.cwd, _environment(entry), level, limits=limits)


def _dies_with_us(more: Sequence[str]) -> list[str]:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    # A change of user clears the signal (prctl(2)), so it is asked for in a step of its own, after that.
    return [*_as_user(more), setpriv, "--pdeathsig", "KILL", "--"]


def _as_user(words: Sequence[str]) -> list[str]:
    return [shutil.which("setpriv") or "setpriv", *words, "--"] if words else []


def _environment(entry: Engine) -> dict[str, str]:
    """Return the whole environment of a contained engine."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": "/tmp/numba",
        **entry.env,
    }


def _shown_places(entry: Engine) -> list[Path]:
    """Return what an engine must see: its folder, its binds, its program's files and its interpreter."""
    places = [Path(place) for place in (entry.folder, *entry.binds) if place is not None]
    program = Path(entry.command[0])
    places += _interpreter_places(program)
    for word in entry.command:
        # Without a folder of its own an engine sees just the files its command names.
        path = Path(entry.cwd, word)
        if path.is_file() and not any(path.is_relative_to(place) for place in places):
            places.append(path)
    kept: list[Path] = []
    for place in sorted({Path(os.path.abspath(place)) for place in places}):  # noqa: PTH100  keeps links
        inside = any(place.is_relative_to(other) for other in kept)
        if not inside and not place.is_relative_to("/usr"):
            kept.append(place)
    return kept


def _interpreter_places(program: Path) -> list[Path]:
    """Return the folders that an interpreter outside /usr needs: its prefix, and that of its environment."""
    places = [
        path.parent.parent
        for path in (program, program.resolve())
        if _INTERPRETERS.fullmatch(path.name) and path.parent.name == "bin"
    ]
    if program.samefile(sys.executable) or program.parent == Path(sys.executable).parent:
        places.append(Path(sysconfig.get_path("purelib")))
        places += _own_packages()
    return places


@cache
def _own_packages() -> tuple[Path, ...]:
    """Return where our own packages are, which an editable installation keeps outside the prefix."""
    specs = (find_spec(name) for name in _PACKAGES)
    return tuple(
        Path(place) for spec in specs if spec is not None for place in spec.submodule_search_locations or ()
    )


def _user_id(number: int) -> int | None:
    """Return a user id for the engine process of this number, None when we are not root."""
    if os.geteuid() != 0:
        return None
    covered = sum(int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines())
    if covered < _FIRST_UID * 20:
        return 10_000 + (os.getpid() * 37 + number) % (min(covered, _LAST_SMALL_UID) - 10_000)
    return _FIRST_UID + os.getpid() * _UIDS_EACH + number % _UIDS_EACH


def _shared_group(folder: Path) -> int:
    """Give a data folder to a group of its own, which all processes of its engine have, and return the group.

    Each process has another user, so what one wrote the next must be allowed to change.
    """
    group = _FIRST_UID + crc32(str(folder).encode()) % _FIRST_UID
    if folder.stat().st_gid != group:
        os.chown(folder, -1, group)
        folder.chmod(folder.stat().st_mode | stat.S_IRWXG | stat.S_ISGID)
    return group


def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="arena-engines-"))
    folder.chmod(0o711)
    return folder


def _is_open(place: Path) -> bool:
    """Say whether everybody may read a place, whatever lies above it."""
    if not _is_open_itself(place):
        return False
    paths = chain([place], place.rglob("*") if place.is_dir() else ())
    return all(path.is_symlink() or _is_open_itself(path) for path in islice(paths, _LOOKED_AT))


def _is_open_itself(path: Path) -> bool:
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    return path.stat().st_mode & wanted == wanted


_LOOKED_AT = 2000
"""Files looked at: an interpreter's tree is open as a whole or not at all."""


def _is_reachable(place: Path) -> bool:
    """Say whether another user gets to a place and may read or enter it."""
    return _is_open_itself(place) and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in place.resolve().parents
    )


def _open_up(path: Path) -> None:
    if not path.is_symlink():
        mode = path.stat().st_mode
        path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if path.is_dir() or mode & stat.S_IXUSR else 0))
