"""What holds for all tests."""

from __future__ import annotations

import signal

# A shell starts its background jobs with the interrupt ignored, and programs pass that on to their children.
# Commands under test are interrupted as a person would do it, so they must begin with the system's default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
