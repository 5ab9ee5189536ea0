"""The registry: by name and version to a bundle that is what was accepted, or a sentence why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.config import ConfigError, load_event, load_submission
from arena.submissions.bundle import copy_bundle
from arena.submissions.registry import Registry, RegistryError, Submission

if TYPE_CHECKING:
    from pathlib import Path

CUP = """[tournament]
format = "round-robin"
game = "pente"
[defaults]
margin_ms = 30
[[engine]]
name = "random"
command = ["{python}", "-m", "sample_engines.random_player"]
[[engine]]
submission = "LABEL"
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "submissions")


def submitted(
    registry: Registry, tmp_path: Path, version: str, text: str = "x", entered: str = ""
) -> Submission:
    folder = tmp_path / f"work-{version}"
    folder.mkdir()
    (folder / "bot").write_text(text)
    (folder / "bot").chmod(0o755)
    staged = registry.staging()
    sha256 = copy_bundle(folder, staged).sha256
    submission = Submission(
        "bot",
        version,
        "Ada",
        ("./bot", "--fast"),
        ("pente",),
        sha256,
        sha256,
        entered=entered or version,
        keys={"margin_ms": 99, "ids": True, "limits": {"memory_mb": 64}},
    )
    registry.add(submission, staged)
    return submission


def cup(tmp_path: Path, label: str, more: str = "") -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(CUP.replace("LABEL", label) + more)
    return path


def test_a_name_means_the_version_entered_last_and_a_version_itself(
    registry: Registry, tmp_path: Path
) -> None:
    second = submitted(registry, tmp_path, "2", "two", entered="2026-01-02")
    first = submitted(registry, tmp_path, "10", "ten", entered="2026-01-01")
    assert registry.find("bot") == second
    assert registry.find("bot@10") == first
    assert registry.names() == ["bot"]
    for label, words in (
        ("cat", "no submission 'cat'"),
        ("bot@3", "no version '3'"),
        ("../x", "no submission"),
    ):
        with pytest.raises(RegistryError, match=words):
            registry.find(label)


def test_an_entry_of_a_tournament_file_becomes_the_submitted_engine(
    registry: Registry, tmp_path: Path
) -> None:
    submission = submitted(registry, tmp_path, "1.0")
    engine = load_event(cup(tmp_path, "bot@1.0")).engines[1]
    bundle = str(registry.bundle(submission.sha256))
    assert engine.name == "bot"
    assert engine.command == (f"{bundle}/./bot", "--fast") or engine.command == (f"{bundle}/bot", "--fast")
    assert engine.folder == engine.cwd == bundle
    assert engine.submitted
    assert engine.sandbox == "require"
    assert engine.plays == ("pente",)
    assert engine.ids
    assert engine.margin_ms == 30, "what the file says goes before the author's wish"
    assert engine.limits == {"memory_mb": 64}


def test_what_a_submission_settles_is_not_for_the_file_to_say(registry: Registry, tmp_path: Path) -> None:
    submitted(registry, tmp_path, "1.0")
    with pytest.raises(ConfigError) as raised:
        load_event(cup(tmp_path, "bot", 'command = "sh"\nsubmitted = false\nname = "other"\n'))
    assert str(raised.value).splitlines() == [
        f'{tmp_path}/cup.toml:11: engine.command = "sh": comes from the submission: leave it out',
        f"{tmp_path}/cup.toml:12: engine.submitted = false: comes from the submission: leave it out",
    ]


def test_a_submission_that_is_not_there_is_named_with_what_there_is(
    registry: Registry, tmp_path: Path
) -> None:
    submitted(registry, tmp_path, "1.0")
    with pytest.raises(ConfigError) as raised:
        load_event(cup(tmp_path, "bat"))
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f'{tmp_path}/cup.toml:10: engine.submission = "bat": no submission')
    assert line.endswith("(there: bot)")


def test_an_altered_bundle_is_not_played(registry: Registry, tmp_path: Path) -> None:
    submission = submitted(registry, tmp_path, "1.0")
    (registry.bundle(submission.sha256) / "bot").write_text("worse")
    with pytest.raises(ConfigError, match="was altered: its digest is"):
        load_event(cup(tmp_path, "bot"))
    (registry.bundle(submission.sha256) / "bot").unlink()
    (registry.bundle(submission.sha256)).rmdir()
    with pytest.raises(ConfigError, match="is missing"):
        load_event(cup(tmp_path, "bot"))


def test_a_damaged_record_is_said_to_be_one(registry: Registry, tmp_path: Path) -> None:
    submitted(registry, tmp_path, "1.0")
    record = registry.folder / "bot" / "1.0.json"
    for text in ("{", "[]", "{}", record.read_text().replace('"sha256": "', '"sha256": "../')):
        record.write_text(text)
        with pytest.raises(RegistryError, match="is no record of a submission"):
            registry.find("bot")


def test_two_versions_with_one_content_share_a_bundle(registry: Registry, tmp_path: Path) -> None:
    first = submitted(registry, tmp_path, "1", "same")
    second = submitted(registry, tmp_path, "2", "same")
    assert first.sha256 == second.sha256
    assert registry.find("bot@2") == replace(first, version="2", entered="2")


def test_everything_wrong_in_an_engine_toml_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "engine.toml").write_text(
        'name = "../evil"\nversion = 2\ngames = ["pente", "chess"]\ncomand = "make"\n'
        "[limits]\nmemory_mb = 1\n"
    )
    with pytest.raises(ConfigError) as raised:
        load_submission(tmp_path)
    told = str(raised.value)
    assert f'{tmp_path}/engine.toml:1: name = "../evil": 1 to 64 letters' in told
    assert "engine.toml:2: version = 2: 1 to 64 letters" in told
    assert "unknown game 'chess'" in told
    assert "comand" in told
    assert "did you mean command?" in told
    assert "author: missing" in told
    assert "command: missing" in told
    assert "limits.memory_mb = 1: megabytes" in told
