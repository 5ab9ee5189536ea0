"""`arena submit`: from a folder to an entry that plays, or nothing at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.cli.leftovers import leftovers
from arena.submissions.bundle import copy_bundle
from arena.submissions.registry import Registry
from tests.cli.played import an_event, play
from tests.cli.test_check_command import arena
from tests.conformance.engines import needs_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_ENGINE = Path(__file__).parents[2] / "examples" / "first_engine.py"
CUP = """[tournament]
format = "round-robin"
game = "pente"
size = 5
time = "5+0.1"
[[engine]]
name = "random"
command = ["{python}", "-m", "sample_engines.random_player"]
"""
OFF = ("--sandbox", "off")


@pytest.fixture
def bot(tmp_path: Path) -> Callable[..., Path]:
    def make(*more: str, version: str = "1.0", program: str | None = None) -> Path:
        folder = tmp_path / "bot"
        folder.mkdir(exist_ok=True)
        (folder / "bot.py").write_text(program or FIRST_ENGINE.read_text())
        lines = [
            'name = "firstling"',
            f'version = "{version}"',
            'author = "Ada"',
            'command = ["{python}", "bot.py"]',
            'games = ["pente"]',
            *more,
        ]
        (folder / "engine.toml").write_text("\n".join(lines))
        return folder

    return make


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(CUP)
    return path


def test_an_engine_that_passes_is_kept_entered_and_plays(
    bot: Callable[..., Path], cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena("submit", str(bot()), "--enter", str(cup), *OFF) == 0
    out = capsys.readouterr().out
    assert "== pente" in out
    assert f"{cup} has a new entry, firstling@1.0" in out
    assert cup.read_text() == f'{CUP}\n[[engine]]\nsubmission = "firstling@1.0"\n'
    kept = Registry(cup.parent / "submissions").find("firstling")
    assert kept.checks["pente"]["failed"] == 0
    assert kept.sha256 == kept.source_sha256
    assert arena("submit", str(bot()), "--enter", str(cup), *OFF) == 0
    out = capsys.readouterr().out
    assert "is there already, with the same content" in out
    assert "has the entry submission" in out
    cup.write_text(cup.read_text().replace("firstling@1.0", 'firstling@1.0"\nsandbox = "off'))
    assert arena("run", str(cup), "--no-output") == 0
    assert "firstling" in capsys.readouterr().out


def test_results_of_trials_are_no_part_of_the_engine(
    bot: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = bot()
    monkeypatch.chdir(folder)
    assert arena("submit", ".", *OFF) == 0
    play(folder / "trial.db", an_event("pente", ("a", "b")))
    (folder / "trial.db.lock").touch()
    for place in ("trial-results", "trial-logs", "submissions/old-results"):
        (folder / place).mkdir()
        (folder / place / "x.csv").touch()
    capsys.readouterr()
    # Its own results change nothing about the engine: it is the one that was handed in.
    assert arena("submit", ".", *OFF) == 0
    out = capsys.readouterr().out
    assert "left out, results of the arena: trial-logs, trial-results, trial.db, trial.db.lock\n" in out
    assert "firstling@1.0 is there already, with the same content" in out


def test_a_database_of_the_engines_own_goes_with_it(bot: Callable[..., Path], tmp_path: Path) -> None:
    folder = bot()
    with closing(sqlite3.connect(folder / "book.db")) as book, book:
        book.execute("CREATE TABLE line (moves TEXT)")
    (folder / "book-results").mkdir()
    (folder / "book-results" / "tuned.txt").write_text("1")
    assert leftovers(folder) == ()
    copy_bundle(folder, tmp_path / "copy", without=leftovers(folder))
    assert (tmp_path / "copy" / "book.db").exists()


def test_a_version_is_entered_once(
    bot: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = ("--to", str(tmp_path / "kept"))
    assert arena("submit", str(bot()), *registry, *OFF) == 0
    changed = FIRST_ENGINE.read_text().replace("first engine", "better engine")
    assert arena("submit", str(bot(program=changed)), *registry, *OFF) == 2
    assert "with other content: give the new one another version" in capsys.readouterr().err
    assert arena("submit", str(bot(program=changed, version="1.1")), *registry, *OFF) == 0
    assert Registry(tmp_path / "kept").find("firstling").version == "1.1"


def test_an_engine_that_fails_is_not_entered_and_nothing_is_left(
    bot: Callable[..., Path], cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bot(program="print('? no\\n', flush=True)\n")
    assert arena("submit", str(folder), "--enter", str(cup), *OFF) == 1
    assert "firstling 1.0 is not entered" in capsys.readouterr().out
    assert cup.read_text() == CUP
    assert [path for path in (cup.parent / "submissions").rglob("*") if path.is_file()] == []


def test_a_wrong_engine_toml_or_tournament_is_exit_code_2(
    bot: Callable[..., Path], cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena("submit", str(bot('games_too = ["pente"]')), "--enter", str(cup)) == 2
    assert "engine.toml:6: games_too" in capsys.readouterr().err
    assert arena("submit", str(tmp_path / "nothing")) == 2
    assert "engine.toml: no such file" in capsys.readouterr().err
    cup.write_text(CUP.replace('"pente"\nsize = 5', '"topolo"'))
    assert arena("submit", str(bot()), "--enter", str(cup)) == 2
    assert "is played in topolo; firstling says it plays pente" in capsys.readouterr().err


def test_links_out_of_the_folder_are_refused(
    bot: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bot()
    (folder / "secrets").symlink_to("/etc/shadow")
    assert arena("submit", str(folder), "--to", str(folder.parent / "kept"), *OFF) == 2
    assert "secrets is a link" in capsys.readouterr().err


@needs_sandbox
def test_a_build_makes_the_program_and_reaches_nothing_else(
    bot: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = bot('build = ["sh", "build.sh"]')
    (folder / "bot.py").rename(folder / "bot.source")
    (folder / "build.sh").write_text(
        f"cp bot.source bot.py\ntest ! -e {secret} || exit 4\ntest ! -e /etc/shadow || exit 5\n"
        "! echo x > /usr/x || exit 6\ntest $(ls /sys/class/net 2>/dev/null | wc -l) -lt 2 || exit 7\n"
    )
    kept = tmp_path / "kept"
    assert arena("submit", str(folder), "--to", str(kept)) == 0, capsys.readouterr().out
    submission = Registry(kept).find("firstling")
    assert submission.sha256 != submission.source_sha256
    assert (Registry(kept).checked_bundle(submission) / "bot.py").is_file()
    assert not (folder / "bot.py").exists()


@needs_sandbox
def test_a_build_that_fails_tells_its_last_words(
    bot: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for script, words in (
        ("echo no compiler; exit 3", "the build failed: exit code 3\n    no compiler"),
        ("sleep 60", "the build failed: not ready within 0.5 s"),
        ("ln -s /etc/shadow x", "what it built is no bundle: x is a link"),
    ):
        folder = bot(f'build = ["sh", "-c", "{script}"]', "build_s = 0.5")
        assert arena("submit", str(folder), "--to", str(tmp_path / "kept")) == 1
        assert words in capsys.readouterr().out
        assert not (tmp_path / "kept" / "firstling").exists()
