"""A tournament file into frozen data, or all its errors with file, line, key, value and what was allowed.

Only commands that need it import this package: pydantic is not cheap to load.
"""

from arena.config.loading import ENGINE_FILE, event_from_keys, load_event, load_laboratory, load_submission
from arena.config.problems import COMMAND_LINE, ConfigError, Problem

__all__ = [
    "COMMAND_LINE",
    "ENGINE_FILE",
    "ConfigError",
    "Problem",
    "event_from_keys",
    "load_event",
    "load_laboratory",
    "load_submission",
]
