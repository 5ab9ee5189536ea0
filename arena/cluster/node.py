"""A scheduler or worker of a trial cluster: Dask's own program, which ends with whoever started it.

Started as `python -m arena.cluster.node PARENT scheduler|worker ARGUMENT…`; the arguments are those of
`dask scheduler` and `dask worker`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have the kernel end this process when the thread that started it does; `parent` was its process."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    try:
        os.kill(parent, 0)
    except ProcessLookupError:
        sys.exit("whoever started this is gone")


def main() -> None:
    """Be what the first argument says."""
    parent, kind, *arguments = sys.argv[1:]
    end_with(int(parent))
    # A terminal's Ctrl+C is for whoever started this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if kind == "scheduler":
        from distributed.cli.dask_scheduler import main as scheduler

        scheduler(arguments, prog_name="dask scheduler")
    else:
        from distributed.cli.dask_worker import main as worker

        worker(arguments, prog_name="dask worker")


if __name__ == "__main__":
    main()
