"""What tables, charts and messages call an event, its games and its sides; loads no library of numbers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.rules.base import QuestionError
from arena.rules.registry import rules_class
from arena.words import counted
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Discipline, Event, Komi


@dataclass(frozen=True, slots=True)
class Labels:
    """What people read on tables and charts of one event.

    Attributes:
        event: the event's name.
        rules: title of the game with its settings, e.g. `Pletore 9x9, komi 4`.
        margin_unit: unit of the margins.
        colours: what people call the two sides.
    """

    event: str
    rules: str
    margin_unit: str
    colours: tuple[str, str] = ("Black", "White")


def labels_of(event: Event, discipline: str | None = None) -> Labels:
    """Return what tables and charts call the event, its game and its sides.

    Games of one event that differ in their clock or openings alone are told apart by their names.

    Args:
        event: the event.
        discipline: name of one game of an event of several; None: all of them.
    """
    chosen = [each for each in event.all_disciplines if discipline in (None, each.name)]
    kinds = [_labels_of_one(event.name, each) for each in _alike_but_for_komi(chosen)]
    if len(kinds) == 1:
        (labels,) = kinds
        if discipline:
            others = (each for each in event.disciplines if each.name != discipline)
            if any(_labels_of_one(event.name, (each, (each.komi,))) == labels for each in others):
                labels = dataclasses.replace(labels, rules=f"{labels.rules}, {printable(discipline)}")
        own = sum(each.discipline in (None, *(one.name for one in chosen)) for each in event.pairings)
        if own:
            otherwise = f"{counted(own, 'pairing')} otherwise"
            labels = dataclasses.replace(labels, rules=f"{labels.rules}, {otherwise}")
        return labels
    colours = {labels.colours for labels in kinds}
    return Labels(
        event.name,
        "; ".join(labels.rules for labels in kinds),
        "points",
        colours.pop() if len(colours) == 1 else ("first side", "second side"),
    )


def _alike_but_for_komi(disciplines: Sequence[Discipline]) -> list[tuple[Discipline, tuple[Komi, ...]]]:
    """Return the disciplines with their komi, those that differ in it alone as one."""
    found: dict[tuple[str, int | None], tuple[Discipline, tuple[Komi, ...]]] = {}
    for each in disciplines:
        first, komis = found.get((each.game, each.size), (each, ()))
        found[each.game, each.size] = first, komis if each.komi in komis else (*komis, each.komi)
    return list(found.values())


def _komi_words(komis: Sequence[Komi]) -> str:
    numbers = sorted(komi for komi in komis if isinstance(komi, int))
    words = [", ".join(map(str, numbers))] if numbers else []
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        words = [f"{numbers[0]} to {numbers[-1]}"]
    said = [f"komi {words[0]}"] if words else []
    return " and ".join([*said, *(["pie"] if "pie" in komis else [])])


def _labels_of_one(event: str, settled: tuple[Discipline, tuple[Komi, ...]]) -> Labels:
    discipline, komis = settled
    settings = [f"{discipline.size}x{discipline.size}"] if discipline.size is not None else []
    try:
        rules = rules_class(discipline.game)
    except QuestionError:
        # A plugin's game that is not installed here: its results can be read all the same.
        return Labels(event, " ".join([discipline.game, *settings]), "points")
    name = " ".join([rules.title, *settings])
    if rules.has_komi:
        if discipline.komi is None:
            name += ", komi as each game has it"
        else:
            name += f", {_komi_words(komis)}"
    return Labels(event, name, rules.margin_unit, rules.colour_titles)
