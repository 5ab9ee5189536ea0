"""`arena play`: a person against an engine, at a board in the browser or in the terminal."""

from __future__ import annotations

import webbrowser
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.errors import Failure
from arena.cli.target import DATABASE, told
from arena.cli.web_options import door_of, extra_told, web_options
from arena.rules.registry import make_rules

if TYPE_CHECKING:
    from arena.cli.tables import Tables
    from arena.cli.web_options import Place
    from arena.core.event import Event

_COLOURS = {"black": 0, "white": 1}


@click.command("play")
@click.option("--game", default="pletore", show_default=True, help="Which game.")
@click.option("--size", type=int, help="Board size; default: the game's.")
@click.option("--komi", help="Pletore: a whole number, or pie.")
@click.option("--against", default="greedy", show_default=True, help="A sample engine's name, or a command.")
@click.option("--colour", type=click.Choice([*_COLOURS, "any"]), default="black", show_default=True,
              help="Your colour; under pie: black proposes komi.")  # fmt: skip
@click.option("--name", "person", default="human", show_default=True, help="Your name in the records.")
@click.option("--time", default="inf", show_default=True, help="Your time control.")
@click.option("--engine-time", default="2/move", show_default=True, help="The engine's time control.")
@click.option("--seed", type=int, help="Public seed of the event.")
@click.option("--db", type=DATABASE, help="Where games are stored; default: a new file here.")
@click.option("--text", is_flag=True, help="Play in the terminal.")
@web_options
def command(
    game: str,
    size: int | None,
    komi: str | None,
    against: str,
    colour: str,
    person: str,
    time: str,
    engine_time: str,
    seed: int | None,
    db: Path | None,
    text: bool,
    place: Place,
) -> None:
    """Play against an engine; finished games are stored and can be verified like any others."""
    from arena.cli.match import whole_or_text
    from arena.cli.tables import Tables, event_against
    from arena.config import ConfigError
    from arena.core.clock import TimeControlError
    from arena.store import StoreError

    keys = {"game": game, "size": size, "komi": whole_or_text(komi), "time": engine_time, "seed": seed}
    try:
        with told(ConfigError):
            event = event_against(against, keys, person, time)
    except TimeControlError as error:
        raise Failure(f"--time: {error}") from error
    database = db or Path(f"arena-play-{datetime.now():%Y%m%d-%H%M%S}.db")  # noqa: DTZ005  for people here
    with told(StoreError), Tables(event, database) as tables:
        if text:
            from arena.cli.text_table import play_in_text

            play_in_text(tables, _COLOURS.get(colour))
        else:
            _play_in_browser(event, tables, _COLOURS.get(colour), place)


def _play_in_browser(event: Event, tables: Tables, colour: int | None, place: Place) -> None:
    with extra_told():
        from arena.web.serving import ServingError, address_of, listening_socket, server_of
        from arena.web.table import Play, application
    door = door_of(place)
    with told(ServingError):
        listener = listening_socket(place.host, place.port)
    komi = event.komi if isinstance(event.komi, int) else None
    rules = make_rules(event.game, size=event.size, komi=komi)
    address = f"{address_of(listener, place.host)}/{door.fragment}"
    click.echo(f"{event.name}: {address}  (Ctrl-C ends it)", err=True)
    if place.opens:
        webbrowser.open(address)
    play = Play(rules, tables.lay, tables.keep)
    server = server_of(application(play, colour, door), play.feed)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        click.echo("stopped; an unfinished game is not stored", err=True)
    if not server.started:
        raise Failure("the page could not be served; its message stands above")
