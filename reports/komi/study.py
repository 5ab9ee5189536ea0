"""What an event says of komi, ready to be shown: at fixed komi, or under pie.

A study has tables, sentences, charts and an object for programs; the laboratory's command and the report show
the same ones.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol

from arena.core.laboratory import Design, Laboratory
from arena.stats.komi.laboratory import LaboratoryReport, analyse
from arena.stats.komi.pie import PieReport, judge_pie
from arena.words import counted
from reports.komi.charts import save_komi_charts
from reports.komi.courses import AdaptiveCourse, FixedCourse
from reports.komi.games import komi_games
from reports.komi.pie import PieGames, pie_lines, pie_table, save_pie_charts
from reports.komi.tables import comparison_table, komi_tables, power_words, share_table, verdict_lines
from reports.stored import design_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.stats.komi.design import DesignState
    from arena.stats.komi.games import KomiGame
    from arena.store import ReadStore
    from reports.komi.courses import Course, GamesAt
    from reports.tables import Table

GAME = "pletore"
"""The game with komi."""

MOST_GAMES = 20_000
"""Larger events are not studied on a page: every game is read with its moves, a second for 5,000."""

MOST_STEPS_SHOWN = 2_000
"""Games up to which the steps of an adaptive design are gone through again for a page."""


class Study(Protocol):
    """What is shown."""

    @property
    def charts(self) -> tuple[str, ...]:
        """Names of its charts' files, without ending."""

    def tables(self) -> tuple[Table, ...]:
        """Return the tables that are always shown."""

    def further_tables(self) -> tuple[Table, ...]:
        """Return long tables, which a terminal does not show."""

    def lines(self) -> list[str]:
        """Return the answer and what belongs to it, a sentence each, printable."""

    def save_charts(self, folder: Path) -> list[Path]:
        """Write the charts as PNG and SVG into `folder`, which exists, and return the paths.

        Raises:
            MissingExtraError: matplotlib is not installed.
            OSError: a file cannot be written.
        """

    def as_object(self) -> dict[str, Any]:
        """Return all of it for programs; numbers may be infinite."""


@dataclass(frozen=True, slots=True)
class KomiStudy:
    """Games at komi fixed beforehand, or chosen by an adaptive design.

    Attributes:
        title: who played what.
        report: what the statistics say.
        state: where an adaptive design stands, None for a fixed one.
        history: where it stood after each batch.
        words: what else there is to say about the plan, sentences.
    """

    title: str
    report: LaboratoryReport
    state: DesignState | None = None
    history: tuple[DesignState, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def charts(self) -> tuple[str, ...]:
        """Names of the charts' files."""
        return ("komi-shares", "komi-margins", "komi-posterior")

    def tables(self) -> tuple[Table, ...]:
        """Return a table for each parity and the shares nearest to even."""
        shares = share_table(self.report)
        return (*komi_tables(self.report, self.title), *([shares] if shares is not None else []))

    def further_tables(self) -> tuple[Table, ...]:
        """Return the comparisons of komi."""
        compared = comparison_table(self.report)
        return () if compared is None else (compared,)

    def lines(self) -> list[str]:
        """Return the answer first."""
        return verdict_lines(self.report, (*self.words, power_words()))

    def save_charts(self, folder: Path) -> list[Path]:
        """Write shares, margins and, of an adaptive design, the posterior as games came in."""
        return save_komi_charts(self.report, self.title, self.history, folder)

    def as_object(self) -> dict[str, Any]:
        """Return everything for programs."""
        report = self.report
        return {
            "laboratory": self.title,
            "games": len(report.sample.games),
            "rows": [asdict(row) for row in report.rows],
            "parities": [asdict(parity) for parity in report.parities],
            "common_spread": asdict(report.common),
            "comparisons": asdict(report.comparisons),
            "verdict": asdict(report.verdict),
            "design": None if self.state is None else asdict(self.state),
            "words": self.lines(),
        }


@dataclass(frozen=True, slots=True)
class PieStudy:
    """Games whose komi the players settled.

    Attributes:
        title: who played what.
        games: the games, sorted.
        report: what the statistics say.
    """

    title: str
    games: PieGames
    report: PieReport

    @property
    def charts(self) -> tuple[str, ...]:
        """Name of the chart's files."""
        return ("komi-offers",)

    def tables(self) -> tuple[Table, ...]:
        """Return the table of offers."""
        return (pie_table(self.report, self.title),) if self.report.rows else ()

    def further_tables(self) -> tuple[Table, ...]:
        """Return none."""
        return ()

    def lines(self) -> list[str]:
        """Return what was offered, what was taken, and whether choosing won."""
        return pie_lines(self.games, self.report)

    def save_charts(self, folder: Path) -> list[Path]:
        """Write offers by komi and side taken."""
        return save_pie_charts(self.games, self.title, folder)

    def as_object(self) -> dict[str, Any]:
        """Return everything for programs."""
        return {
            "laboratory": self.title,
            "games": len(self.games.offers),
            "repeats": self.games.repeats,
            "unsettled": self.games.unsettled,
            "undecided": self.games.undecided,
            "offers": [asdict(row) for row in self.report.rows],
            "took_black": asdict(self.report.took_black),
            "chooser_won": asdict(self.report.chooser_won),
            "words": self.lines(),
        }


def title_of(plan: Laboratory) -> str:
    """Return who played what, for the titles of tables and charts."""
    size, engines = plan.event.size, [engine.name for engine in plan.event.engines]
    who = f"{engines[0]} in self-play" if plan.is_self_play else counted(len(engines), "engine")
    return f"Pletore {size}x{size}, {who}, {plan.event.time.text}"


def study_of_course(plan: Laboratory, course: Course) -> KomiStudy:
    """Study the games that count of a course that was gone through.

    Raises:
        ValueError: a record contradicts itself.
    """
    report = analyse(course.games(), plan.event.size or 0, design=course.state)
    return KomiStudy(title_of(plan), report, course.state, course.history, course.words)


def study_of_pie(plan: Laboratory, records: Iterable[GameRecord]) -> PieStudy:
    """Study games under pie."""
    games = PieGames.of(records, is_self_play=plan.is_self_play)
    return PieStudy(title_of(plan), games, judge_pie(games.offers))


def plan_of(store: ReadStore, event: Event) -> Laboratory | None:
    """Return the laboratory that an event was played as; None where it was none."""
    design = design_of(store)
    if design is None or tuple(each.komi for each in event.disciplines) != design.komis:
        return None
    return Laboratory(event, design)


def study_of_event(store: ReadStore, event: Event, games: int) -> Study | str | None:
    """Study what any event says of komi.

    Args:
        store: its database.
        event: what it holds.
        games: how many.

    Returns:
        The study; a sentence where there is something to study and it cannot be; None where the event has no
        choice of komi: another game, one komi, boards of several sizes.

    Raises:
        StoreError: the database is damaged.
    """
    each = event.all_disciplines
    komis = {discipline.komi for discipline in each}
    is_alike = {(discipline.game, discipline.size) for discipline in each} == {(GAME, event.size)}
    if not is_alike or event.pairings or not games or None in komis:
        return None
    plan = plan_of(store, event)
    if komis != {"pie"} and (len(komis) < 2 or "pie" in komis):
        return None
    if games > MOST_GAMES:
        return f"More than {MOST_GAMES} games: komi is not studied here."
    if plan is None:
        numbers = tuple(sorted(komi for komi in komis if isinstance(komi, int)))
        plan = Laboratory(event, Design(numbers, event.games_each, None, is_self_play=False))
        if numbers:
            observed = komi_games(store.records(), is_self_play=False)
            return KomiStudy(title_of(plan), analyse(observed, event.size or 0))
    if plan.design.is_pie:
        return study_of_pie(plan, store.records())
    return _study_of_plan(plan, store, games)


def is_through(plan: Laboratory, store: ReadStore) -> bool | None:
    """Say whether an adaptive design has all the games it asks for; takes a second for some 2,000 games.

    Returns:
        None where that is not known: more games than are studied, or a design that cannot be gone through.
    """
    if len(store.played()) > MOST_GAMES:
        return None
    try:
        return _gone_through(plan, store)[1]
    except ValueError:
        return None


def _study_of_plan(plan: Laboratory, store: ReadStore, games: int) -> Study | str:
    if plan.design.precision is None:
        return study_of_course(plan, FixedCourse(plan, _games_at(plan, store)))
    if games > MOST_STEPS_SHOWN:
        return f"An adaptive design of more than {MOST_STEPS_SHOWN} games: `arena komi` shows it."
    try:
        course, _ = _gone_through(plan, store)
    except ValueError as error:
        return f"The design that is stored cannot be gone through: {error}."
    return study_of_course(plan, course)


def _gone_through(plan: Laboratory, store: ReadStore) -> tuple[Course, bool]:
    """Go through an adaptive design as far as there are games; return it, and whether it is over.

    Raises:
        ValueError: the range or the precision allow no design.
    """
    played = store.played()
    course = AdaptiveCourse(plan, _games_at(plan, store))
    while batch := list(course.next_batch()):
        if any(ordinal not in played for ordinal in batch):
            return course, False
    return course, True


def _games_at(plan: Laboratory, store: ReadStore) -> GamesAt:
    def games_at(ordinals: Sequence[int]) -> list[KomiGame]:
        return komi_games(store.records_at(ordinals), is_self_play=plan.is_self_play)

    return games_at
