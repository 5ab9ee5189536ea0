"""pytest plugin: the conformance suite as tests, and the fixture `arena_engine` for tests of one's own.

    pytest --arena-engine "./mybot --fast" --arena-game pletore

adds a test for each case of the suite. The same two settings may stand in the pytest configuration
(`arena_engine`, `arena_game`); then only the fixture uses them, unless `arena_check = true`. Nothing but
pytest is imported here before a test needs it: every project that has gtparena installed loads the plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from arena.conformance.case import Case
    from arena.conformance.laboratory import Laboratory
    from arena.conformance.under_test import EngineUnderTest

_LABORATORIES = pytest.StashKey[dict[str, Any]]()

_SETTINGS = (
    ("engine", "CMD", "Command of the engine, the name of a sample engine, or a folder with an engine.toml."),
    ("game", "ID", "Which game; several with commas."),
    ("size", "N", "Board size; default: the game's."),
    ("komi", "N", "Komi, where the game has it; default 0."),
    ("time", "TEXT", "Time control that it must keep; default 10+0.1."),
    ("seed", "N", "Seed of positions and opponents; default 0."),
    ("sandbox", "LEVEL", "require (default), auto or off."),
    ("folder", "DIR", "The engine's own folder, all that a sandbox shows of the machine."),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each also as a key of the configuration."""
    group = parser.getgroup("arena", "tests of game engines (gtparena)")
    for name, metavar, words in _SETTINGS:
        group.addoption(f"--arena-{name}", metavar=metavar, default=None, help=words)
        parser.addini(f"arena_{name}", words, default=None)
    parser.addini(
        "arena_check", "Run the suite whenever an engine is configured.", type="bool", default=False
    )


def _setting(config: pytest.Config, name: str) -> str | None:
    value = config.getoption(f"--arena-{name}")
    if value is None:
        value = config.getini(f"arena_{name}")
    return str(value) if value else None


def pytest_configure(config: pytest.Config) -> None:
    """Make the place where running engines are kept."""
    config.stash[_LABORATORIES] = {}
    config.addinivalue_line("markers", "arena: a case of the gtparena conformance suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the suite's cases to what was collected."""
    is_asked_for = config.getoption("--arena-engine") is not None or config.getini("arena_check")
    if not is_asked_for or _setting(config, "engine") is None:
        return
    for game in _games(config):
        collector = ConformanceSuite.from_parent(
            session, name=f"arena-{game}", nodeid=f"arena/{game}", game=game
        )
        items += collector.collect()


def _games(config: pytest.Config) -> list[str]:
    """Return the games asked for.

    Raises:
        pytest.UsageError: none, and the engine does not say so itself.
    """
    text = _setting(config, "game")
    if text is not None:
        return [word.strip() for word in text.split(",") if word.strip()]
    from arena.config import ConfigError, load_submission
    from arena.conformance.subjects import is_folder_of_an_engine

    engine = _setting(config, "engine") or ""
    if is_folder_of_an_engine(engine):
        try:
            return list(load_submission(engine).games)
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from error
    raise pytest.UsageError(
        "which engine, in which game? --arena-engine CMD --arena-game pletore (or arena_engine and arena_game"
        " in the configuration)"
    )


def _laboratory(config: pytest.Config, game: str) -> Laboratory:
    """Return the running engine for a game; it is started when the first test needs it."""
    laboratories = config.stash[_LABORATORIES]
    if game not in laboratories:
        from arena.conformance.laboratory import Laboratory

        laboratories[game] = Laboratory(_subject(config, game))
    laboratory: Laboratory = laboratories[game]
    return laboratory


def _subject(config: pytest.Config, game: str) -> Any:
    from arena.config import ConfigError
    from arena.conformance.subjects import Circumstances, subject_of

    engine = _setting(config, "engine")
    if engine is None:
        raise pytest.UsageError("which engine? --arena-engine CMD, or arena_engine in the configuration")
    try:
        circumstances = Circumstances(
            size=_number(config, "size"),
            komi=_number(config, "komi"),
            seed=_number(config, "seed"),
            time=_setting(config, "time"),
            sandbox=_setting(config, "sandbox") or "require",
            folder=_setting(config, "folder"),
        )
        return subject_of(engine, game, circumstances)
    except (ConfigError, ValueError) as error:
        raise pytest.UsageError(str(error)) from error


def _number(config: pytest.Config, name: str) -> int | None:
    text = _setting(config, name)
    try:
        return None if text is None else int(text)
    except ValueError:
        raise pytest.UsageError(f"arena-{name} {text!r}: a whole number is expected") from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End every engine."""
    for laboratory in config.stash.get(_LABORATORIES, {}).values():
        laboratory.close()


class ConformanceSuite(pytest.Collector):
    """The cases for one game."""

    def __init__(self, *, game: str, **more: Any) -> None:
        super().__init__(**more)
        self.game = game

    def collect(self) -> list[pytest.Item]:
        """Return an item for each case."""
        from arena.conformance.suite import cases

        subject = _subject(self.config, self.game)
        return [ConformanceItem.from_parent(self, name=case.id, case=case) for case in cases(subject)]


class ConformanceItem(pytest.Item):
    """One case as a test."""

    def __init__(self, *, case: Case, **more: Any) -> None:
        super().__init__(**more)
        self.case = case
        self.add_marker("arena")

    def runtest(self) -> None:
        """Try the case."""
        from arena.conformance.case import Level, Status
        from arena.conformance.outputs import problem_text

        parent = self.parent
        if not isinstance(parent, ConformanceSuite):
            raise TypeError("a case belongs to a suite")
        result = _laboratory(self.config, parent.game).run(self.case)
        if result.status is Status.SKIPPED:
            pytest.skip(result.words)
        if result.problem is not None:
            text = problem_text(result.problem, most_lines=60)
            if self.case.level is Level.SHOULD:
                pytest.xfail(f"SHOULD: {result.problem.reason}")
            raise ConformanceError(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a failure of the engine in the suite's words, without a traceback of this program."""
        if isinstance(excinfo.value, ConformanceError):
            return f"the engine {self.case.title}: {self.case.level}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """Return what heads a failure."""
        return "arena", None, f"{self.parent.name if self.parent else 'arena'}: {self.case.id}"


class ConformanceError(AssertionError):
    """The engine does not do what a case asks; the text says everything about it."""


@pytest.fixture(scope="session")
def arena_engine(request: pytest.FixtureRequest) -> EngineUnderTest:
    """The configured engine, for tests of one's own: positions, matches (docs/ci.md)."""
    from arena.conformance.under_test import EngineUnderTest

    try:
        game = _games(request.config)[0]
        return EngineUnderTest(_laboratory(request.config, game))
    except pytest.UsageError as error:
        pytest.fail(str(error), pytrace=False)
