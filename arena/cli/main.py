"""The command group: finds a subcommand's module by name and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import NoReturn

import click

from arena import __version__
from arena.cli.errors import EXIT_CANNOT, EXIT_STOPPED, Failure

COMMANDS = {
    "run": "Play the event a tournament file describes, or go on with it.",
    "match": "Play two engines against each other without a file.",
    "check": "Try an engine in every way the referee will, and say what is wrong.",
    "submit": "Check an engine's folder and enter it in a tournament by name.",
    "schedule": "Print who plays whom, without playing.",
    "standings": "Print standings and cross table.",
    "games": "List the games with their results.",
    "show": "Print one game, move by move, or one position of it.",
    "export": "Write the games as JSON Lines, CSV, Parquet, SGF or text records.",
    "import": "Make a database of games that were recorded elsewhere.",
    "report": "Write a page with tables, charts and replays into a folder.",
    "verify": "Replay every stored game and derive dice and openings again.",
    "annul": "Declare a game void, by the organiser's word.",
    "replay": "Have a game played again, by the organiser's word.",
    "disqualify": "Take an engine out of the event, by the organiser's word.",
    "ratings": "Rate the engines of one or several events.",
    "cluster": "Run a cluster on this machine, to try games on several workers.",
    "komi": "Find the fair komi of a game by playing it at a range of komi.",
    "watch": "Show an event as a live page in the browser.",
    "play": "Play against an engine, in the browser or the terminal.",
    "rules": "Answer questions on the rules: one JSON a line in, one a line out.",
    "ruler": "Be board and referee's eye for GoGui.",
    "new": "Write a small complete engine to begin with.",
}
"""Subcommands and their one-line help: `--help` must not import what only one of them needs."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _ReaderLeft(Exception):  # noqa: N818  nothing went wrong
    """Whoever reads our output (`| head`) has seen enough."""


class _LazyGroup(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would end the program with exit code 1, which means a negative answer here.
            raise _ReaderLeft from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        # `import` is a word of the language.
        module = "importing" if cmd_name == "import" else cmd_name
        command = importlib.import_module(f"arena.cli.{module}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"arena.cli.{cmd_name}.command is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def arena() -> None:
    """Referee and tournament runner for game engines that speak the Go Text Protocol."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with the contract's code (docs/configuration.md)."""
    _open_what_is_closed()
    try:
        code = _answer(arguments)
        sys.stdout.flush()
    except (_ReaderLeft, BrokenPipeError):
        _give_up_output()
        code = 0
    except OSError as error:
        # A file that cannot be written is named where it is opened; what has no name is our output.
        if error.filename is not None or error.errno not in _NO_ROOM:
            raise
        _give_up_output()
        click.echo(f"arena: standard output cannot be written: {error.strerror}", err=True)
        code = EXIT_CANNOT
    sys.exit(code)


def _open_what_is_closed() -> None:
    """Open the standard streams that the caller has closed, to nothing.

    Else the next file opened would take the number of one, and what is written to the stream would go there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It takes the lowest free number: that of the closed stream, as those before it are open by now.
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(descriptor, mode, closefd=False, encoding="utf-8"))  # noqa: SIM115


def _give_up_output() -> None:
    """Let what is still to be printed go to nothing: Python's own flush at exit must not complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(arguments: list[str] | None) -> int:
    try:
        result = arena.main(args=arguments, prog_name="arena", standalone_mode=False)
        code = result if isinstance(result, int) else 0
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except click.ClickException as error:
        error.show()
        code = EXIT_CANNOT
    except click.Abort:
        click.echo("arena: stopped on request", err=True)
        code = EXIT_STOPPED
    except Failure as failure:
        click.echo(f"arena: {failure}", err=True)
        code = failure.exit_code
    return code
