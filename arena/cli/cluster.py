"""`arena cluster`: a scheduler and workers on this machine, to try what `arena run --executor dask` does."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from arena.cli.errors import EXIT_DONE, Failure
from arena.cli.printing import print_line


@click.command("cluster")
@click.option("--workers", type=click.IntRange(1, 256), help="How many; default: one a core.")
@click.option(
    "--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Games each plays."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of the scheduler; default: a free one."
)
@click.option(
    "--certificates",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where certificates are made and kept; default: a folder that goes with the cluster.",
)
@click.option("--only-certificates", is_flag=True, help="Make them, for machines of your own, and end.")
def command(
    workers: int | None, threads: int, port: int, certificates: Path | None, only_certificates: bool
) -> int:
    """Run a cluster on this machine until Ctrl+C; nothing of it is left then.

    It listens on 127.0.0.1 alone, with certificates of its own. Several machines: docs/cluster.md.
    """
    try:
        import cryptography  # noqa: F401
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise Failure(f"arena cluster needs {error.name}: pip install 'gtparena[cluster]'") from error
    from arena.cluster.certificates import make_certificates
    from arena.cluster.trial import Trial, TrialError

    if only_certificates:
        if certificates is None:
            raise Failure("--only-certificates needs a folder to make them in: --certificates DIR")
        try:
            files = make_certificates(certificates)
        except OSError as error:
            raise Failure(f"{certificates} cannot be written: {error.strerror or error}") from error
        for path in (files.ca, files.cert, files.key):
            print_line(str(path))
        return EXIT_DONE
    count = workers or len(os.sched_getaffinity(0))
    try:
        with Trial(count, threads=threads, port=port, folder=certificates, say=_say) as trial:
            games = "1 game" if threads == 1 else f"{threads} games"
            _say(
                f"scheduler {trial.address}, {count} workers of {games} at a time; Ctrl+C ends it; play with"
            )
            files = trial.certificates
            options = [
                *("--executor", "dask", "--scheduler", trial.address, "--workers", str(count)),
                *("--tls-ca", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)),
            ]
            print_line(f"arena run FILE.toml {shlex.join(options)}")
            sys.stdout.flush()
            trial.tend_until_interrupted()
    except (TrialError, OSError) as error:
        raise Failure(str(error)) from error
    _say("the cluster has ended")
    return EXIT_DONE


def _say(line: str) -> None:
    click.echo(line, err=True)
