"""Exit codes of the contract, and the one exception that ends a command with a message."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_NEGATIVE = 1
EXIT_CANNOT = 2
EXIT_STOPPED = 3
EXIT_FAILED = 4


class Failure(Exception):  # noqa: N818  "Error" would say too much: exit code 1 is an answer
    """Ends the command: the message goes to standard error, `exit_code` to the caller."""

    def __init__(self, message: str, exit_code: int = EXIT_CANNOT) -> None:
        super().__init__(message)
        self.exit_code = exit_code
