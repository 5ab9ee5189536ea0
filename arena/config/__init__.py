"""A tournament file into frozen data, or all its errors with file, line, key, value and what was allowed.

Only commands that need it import this package: pydantic is not cheap to load.
"""

from arena.config.loading import event_from_keys, load_event
from arena.config.problems import COMMAND_LINE, ConfigError, Problem

__all__ = ["COMMAND_LINE", "ConfigError", "Problem", "event_from_keys", "load_event"]
