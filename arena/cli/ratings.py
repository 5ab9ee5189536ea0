"""`arena ratings`: Elo ratings over the games of one or several databases."""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.errors import Failure
from arena.cli.printing import print_line, terminal_cells
from arena.cli.target import opened_for_reading, told, writing_told
from arena.rules.base import QuestionError
from arena.store import StoreError
from reports import tables
from reports.printable import file_name
from reports.ratings import rated_games, rating_tables, ratings_of

if TYPE_CHECKING:
    from arena.stats.ratings import Ratings
    from reports.ratings import RatedGames


@click.command("ratings")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--anchor", metavar="NAME", help="The engine the numbers are relative to; default: the first.")
@click.option("--anchor-elo", type=float, default=0.0, show_default=True, help="The number it is put at.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="Also write the tables into this folder.",
)
def command(
    files: tuple[Path, ...], anchor: str | None, anchor_elo: float, as_json: bool, folder: Path | None
) -> None:
    """Rate the engines of all FILEs, tournament files or databases.

    An engine is its name and the hash of its program: entries of several files that agree in both are one.
    Games of several kinds are rated together, and then each kind by itself.
    """
    if not math.isfinite(anchor_elo):
        raise Failure(f"--anchor-elo is a number, not {anchor_elo}")
    with told(StoreError, QuestionError), ExitStack() as stack:
        games = rated_games([stack.enter_context(opened_for_reading(file)) for file in files])
    if not games.points.size:
        raise Failure(
            "there are no games to rate: none was finished, all are void, or an engine played itself "
            "(a komi laboratory: arena komi)"
        )
    place = _anchor(games, anchor)
    rated = {"": (games, ratings_of(games, place, anchor_elo))}
    for kind, own in games.by_kind():
        if own.points.size:
            rated[kind] = own, own.rated_from(games.names[place], anchor_elo)
    if as_json:
        print_line(json.dumps(_as_object(rated)))
    else:
        for kind, (own, ratings) in rated.items():
            for table in rating_tables(own, ratings, kind):
                for line in [*tables.text(table, terminal_cells()).split("\n"), "", ""]:
                    print_line(line)
    if folder is not None:
        with writing_told(folder):
            for kind, (own, ratings) in rated.items():
                inside = folder / file_name(kind)
                inside.mkdir(parents=True, exist_ok=True)
                for table in rating_tables(own, ratings, kind):
                    tables.save_csv(table, inside)
                    tables.save_markdown(table, inside)


def _as_object(rated: dict[str, tuple[RatedGames, Ratings]]) -> Any:
    """Return the ratings of all games and, where there are several kinds, `by_game` those of each."""
    objects = {
        kind: {"engines": games.names, **dataclasses.asdict(ratings)}
        for kind, (games, ratings) in rated.items()
    }
    of_all = objects.pop("")
    return _finite({**of_all, **({"by_game": objects} if objects else {})})


def _anchor(games: RatedGames, name: str | None) -> int:
    if name is None:
        return 0
    if name not in games.names:
        near = difflib.get_close_matches(name, games.names, n=1)
        raise Failure(
            f"no engine is called {name!r}: "
            + (f"did you mean {near[0]!r}?" if near else ", ".join(map(repr, games.names[:20])))
        )
    return games.names.index(name)


def _finite(value: Any) -> Any:
    """Make infinite numbers null: JSON has none."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
