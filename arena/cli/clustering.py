"""What `arena run` has to do with clusters: its options, and the crew they make. Dask is not loaded here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.cluster.connection import Access
    from arena.cluster.crew import DaskCrew
    from arena.cluster.greeting import Bundle
    from arena.core.event import Event
    from arena.store import RunStore

_Command = TypeVar("_Command", bound="Callable[..., object]")

_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option("--scheduler", metavar="ADDRESS", help="With dask: tls://HOST:PORT of the scheduler."),
    click.option("--tls-ca", type=_PATH, metavar="FILE", help="With dask: the cluster's authority (PEM)."),
    click.option("--tls-cert", type=_PATH, metavar="FILE", help="With dask: our certificate (PEM)."),
    click.option("--tls-key", type=_PATH, metavar="FILE", help="With dask: its key (PEM)."),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="With dask: wait for so many workers before the first game; default 1.",
    ),
    click.option(
        "--wait",
        "wait_s",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="With dask: how long the first workers may take to come; default 30.",
    ),
    click.option(
        "--lease",
        "lease_s",
        type=click.FloatRange(min=2),
        metavar="SECONDS",
        help="With dask: how long a worker may be silent before its games go to others; default 60.",
    ),
    click.option(
        "--patience",
        "patience_s",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="With dask: how long a scheduler or workers that went away are waited for; default 600.",
    ),
    click.option(
        "--scale-clocks",
        "scales_clocks",
        is_flag=True,
        default=None,
        help="With dask: fit time controls to the measured speed of each worker.",
    ),
)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where a run's games are played, as the command line says.

    Attributes:
        access: the scheduler.
        games_at_a_time: most games at a time, None for what the workers can take.
        given: further settings of `arena.cluster.crew.Settings`, those that were named.
    """

    access: Access
    games_at_a_time: int | None
    given: Mapping[str, Any]


def cluster_options(command: _Command) -> _Command:
    """Give a command the options of a cluster; it gets them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def options_of(given: Mapping[str, Any], concurrency: int | None) -> ClusterOptions:
    """Return the options.

    Args:
        given: the keywords of `cluster_options`.
        concurrency: games at a time if the command line names them; the file's number is about one machine.

    Raises:
        Failure: no scheduler is named, or what is named does not fit together.
    """
    from arena.cluster.connection import Access, ConnectionRefusal, checked

    if given["scheduler"] is None:
        raise Failure(
            "--executor dask needs --scheduler tls://HOST:PORT (arena cluster starts one here for trial)"
        )
    ways = ("scheduler", "tls_ca", "tls_cert", "tls_key")
    settings = {name: value for name, value in given.items() if name not in ways and value is not None}
    try:
        access = checked(Access(given["scheduler"], given["tls_ca"], given["tls_cert"], given["tls_key"]))
    except ConnectionRefusal as refusal:
        raise Failure(str(refusal)) from refusal
    return ClusterOptions(access, concurrency, settings)


def refuse_cluster_options(given: Mapping[str, Any]) -> None:
    """Refuse options of a cluster where none is used.

    Raises:
        Failure: there are some.
    """
    named = {"wait_s": "wait", "lease_s": "lease", "patience_s": "patience", "scales_clocks": "scale-clocks"}
    for name, value in given.items():
        if value is not None:
            option = named.get(name, name.replace("_", "-"))
            raise Failure(f"--{option} is for --executor dask; the local executor plays on this machine")


def crew_of(
    options: ClusterOptions,
    event: Event,
    store: RunStore,
    logs: Path | None,
    absent: frozenset[int],
    say: Callable[[str], None],
) -> DaskCrew:
    """Return the crew of a cluster.

    Raises:
        Failure: an engine that was handed in is not what it was.
    """
    import hashlib
    import socket

    from arena.cluster.crew import DaskCrew, Settings

    settings = Settings(**options.given, games_at_a_time=options.games_at_a_time)
    place = f"{socket.gethostname()}\0{store.path}\0{store.dice_key_hash}"
    clocks = "fitted to each worker" if settings.scales_clocks else "as given"
    store.note_run({"executor": f"dask {options.access.address}", "clocks": clocks})
    return DaskCrew(
        event,
        options.access,
        store,
        event_key=hashlib.sha256(place.encode()).hexdigest(),
        say=say,
        bundles=_bundles(event),
        absent=absent,
        logs=logs,
        settings=settings,
    )


def _bundles(event: Event) -> list[Bundle]:
    """Return what must travel: the folders of engines that `arena submit` has entered."""
    from arena.cluster.greeting import Bundle
    from arena.submissions.registry import Registry, RegistryError

    found = {}
    for entry in event.engines:
        if not entry.submitted or entry.folder is None or entry.folder in found:
            continue
        folder = Path(entry.folder)
        registry = Registry(folder.parent.parent)
        try:
            known = [each for name in registry.names() for each in registry.versions(name)]
            submission = next((each for each in known if registry.bundle(each.sha256) == folder), None)
            if submission is not None:
                registry.checked_bundle(submission)
                found[entry.folder] = Bundle(entry.folder, submission.sha256, submission.build)
        except RegistryError as error:
            raise Failure(str(error)) from error
    return list(found.values())
