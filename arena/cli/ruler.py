"""`arena ruler`: speaks GoGui's rules extension on standard input and output."""

from __future__ import annotations

import click

from arena.cli.errors import Failure
from arena.rules.base import RulesError
from arena.rules.registry import games, rules_class


@click.command(name="ruler")
@click.argument("game")
@click.option("--size", type=int, default=None, help="Board size; the game's own by default.")
@click.option("--komi", type=int, default=0, show_default=True, help="Komi, in games that have it.")
def command(game: str, size: int | None, komi: int) -> None:
    """Be board and referee's eye for GoGui: GAME is pletore or pente.

    In GoGui choose Game, Rules, New Program and give this command. Pletore's button is taken by a pass.
    """
    from protocol.sdk import Refusal, run
    from sample_engines.ruler import Ruler

    try:
        if not rules_class(game).has_vertices:
            on_goban = ", ".join(name for name in games() if rules_class(name).has_vertices)
            raise Failure(f"{game} is not played on a goban; games that are: {on_goban}")
        ruler = Ruler(game, size, komi)
    except (RulesError, Refusal) as error:
        raise Failure(str(error)) from None
    run(ruler)
