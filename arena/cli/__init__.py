"""The `arena` command: one module a subcommand, loaded only when it is called. The only place that prints."""

from arena.cli.main import main

__all__ = ["main"]
