"""`arena games`: the games that stand, with their results, all or those asked for."""

from __future__ import annotations

import difflib
import itertools
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import Failure
from arena.cli.printing import print_line, print_object, print_rows
from arena.cli.target import file_argument, opened_for_reading
from arena.core.verdict import Reason
from arena.rules.base import colour_name
from reports.labels import labels_of
from reports.printable import NAME_CELLS, printable
from reports.stored import decisions_of
from reports.tables import decision_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arena.store import GameSummary


@click.command
@file_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option(
    "--engine", "engines", multiple=True, metavar="NAME", help="Only games of this engine; twice: of both."
)
@click.option("--round", "round_", type=int, metavar="N", help="Only games of this round.")
@click.option("--winner", type=click.Choice(["black", "white", "draw", "nobody"]), help="Only games won so.")
@click.option("--reason", metavar="WORD", help="Only games that ended for this reason (score, time, …).")
@click.option("--faults", is_flag=True, help="Only games in which an engine failed.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most this many games.")
def command(
    file: Path,
    as_json: bool,
    engines: tuple[str, ...],
    round_: int | None,
    winner: str | None,
    reason: str | None,
    faults: bool,
    limit: int | None,
) -> None:
    """List the games of FILE, a tournament file or its database, in the order of the schedule."""
    with opened_for_reading(file) as store:
        event = store.event()
        names = [engine.name for engine in event.engines]
        wanted = {_index(name, names) for name in engines}

        def is_wanted(game: GameSummary) -> bool:
            return (
                wanted <= {game.black, game.white}
                and round_ in {None, game.round}
                and winner in {None, game.winner or "nobody"}
                and reason in {None, game.reason}
                and (not faults or game.at_fault is not None or game.reason == Reason.BOTH_FAILED)
            )

        games = itertools.islice(filter(is_wanted, store.summaries()), limit)
        decisions = decisions_of(store)
        if as_json:
            words = [{"at": w.at, "action": w.action, "subject": w.subject, "why": w.why} for w in decisions]
            head = {"event": event.name, "decisions": words}
            print_object(head, "games", (_as_object(game, names) for game in games))
            return
        colours = labels_of(event).colours
        headers = ["game", "round", *colours, "result", "reason", "margin", "turns", "time, s"]
        print_rows(headers, _rows(games, names))
        for word in decisions:
            print_line(decision_line(word))


def _index(name: str, names: Sequence[str]) -> int:
    if name in names:
        return names.index(name)
    near = difflib.get_close_matches(name, names, n=1)
    hint = (
        f"did you mean {printable(near[0])}?" if near else f"it has {', '.join(map(printable, names[:20]))}"
    )
    raise Failure(f"the event has no engine {printable(name, 100)}: {hint}")


def _rows(games: Iterator[GameSummary], names: Sequence[str]) -> Iterator[list[str]]:
    shown: Callable[[int], str] = [printable(name, NAME_CELLS) for name in names].__getitem__
    for game in games:
        margin = "" if game.final_margin is None else f"{game.final_margin:+g}" if game.final_margin else "0"
        yield [
            game.id,
            str(game.round),
            shown(game.black),
            shown(game.white),
            game.result,
            game.reason,
            margin,
            str(game.plies),
            f"{(game.black_us + game.white_us) / 1e6:.2f}",
        ]


def _as_object(game: GameSummary, names: Sequence[str]) -> dict[str, Any]:
    """Return the game under the words of the export, as far as a summary goes."""

    def colour(side: int | None) -> str | None:
        return None if side is None else colour_name(side)

    return {
        "id": game.id,
        "pair": game.pair,
        "round": game.round,
        "attempt": game.attempt,
        "black": names[game.black],
        "white": names[game.white],
        "komi": game.komi,
        "proposer": colour(game.proposer),
        "winner": game.winner,
        "result": game.result,
        "reason": game.reason,
        "at_fault": colour(game.at_fault),
        "board_margin": game.board_margin,
        "final_margin": game.final_margin,
        "points": game.points,
        "plies": game.plies,
        "opening_plies": game.opening_plies,
        "black_ms": game.black_us / 1000,
        "white_ms": game.white_us / 1000,
    }
