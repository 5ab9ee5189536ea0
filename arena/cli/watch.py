"""`arena watch`: a live page of an event, in a process of its own that only reads."""

from __future__ import annotations

import os
import webbrowser
from typing import TYPE_CHECKING

import click

from arena.cli.errors import Failure
from arena.cli.sequence import PairingsWatch
from arena.cli.target import database_of, file_argument, opened_for_reading, told
from arena.cli.web_options import door_of, extra_told, web_options
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arena.cli.web_options import Place
    from arena.core.event import Event
    from arena.store import ReadStore
    from arena.web.results import Panel

_NICENESS = 10
"""Engines and referee come first: this process only takes what they leave."""


@click.command("watch")
@file_argument
@web_options
def command(file: Path, place: Place) -> None:
    """Show FILE, a tournament file or its database, as a live page in the browser."""
    with opened_for_reading(file) as store:
        event = store.event()
    with extra_told():
        from arena.web.results import ResultsReader
        from arena.web.serving import ServingError, address_of, listening_socket, server_of
        from arena.web.watch import Watch, application
    door = door_of(place)
    with told(ServingError):
        listener = listening_socket(place.host, place.port)
    address = address_of(listener, place.host)
    os.nice(_NICENESS)
    click.echo(f"{event.name}: {address}/{door.fragment}  (Ctrl-C ends the page, not the run)", err=True)
    if place.opens:
        webbrowser.open(f"{address}/{door.fragment}")
    watch = Watch(ResultsReader(database_of(file), event, _match_panels))
    server = server_of(application(watch, door), watch.feed)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        click.echo("the page is closed; the run, if there is one, goes on", err=True)
    if not server.started:
        raise Failure("the page could not be served; its message stands above")


def _match_panels(store: ReadStore, event: Event) -> Sequence[Panel]:
    """Return where a match of two engines stands, and its sequential test if it has one."""
    from arena.web.results import Panel

    if event.format != "match" or not PairingsWatch.fits(event):
        return ()
    match = PairingsWatch(event)
    match.take_stored(store.ending_columns())
    lines = [match.words()] if match.words() else []
    if match.state is not None:
        lines.append(match.state.words)
    title = "The match so far" if event.sprt is None else "Sequential test"
    return [Panel(title, tuple(map(printable, lines)))] if lines else ()
