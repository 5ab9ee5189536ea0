"""Limits of the machine are named before the first game, not met in the middle of an event."""

from __future__ import annotations

import resource

import pytest

from arena.live import capacity
from arena.live.capacity import allow_descriptors, processes_needed, shortage


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> dict[int, tuple[int, int]]:
    """Return what `getrlimit` says; to be changed."""
    said = dict.fromkeys((resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC), (1024, 10**6))
    monkeypatch.setattr(resource, "getrlimit", said.__getitem__)
    monkeypatch.setattr(capacity, "_process_limits", lambda: [(10**6, "nothing")])
    return said


def test_a_match_needs_two_processes_a_game_and_more_engines_need_those_kept_too() -> None:
    assert processes_needed(500, 2) == 1000
    assert 1000 < processes_needed(500, 6) <= 1000 + 500 * 4


def test_nothing_is_short_on_a_machine_with_room(limits: dict[int, tuple[int, int]]) -> None:
    assert shortage(500, 2, 2) is None


def test_open_files_are_short_by_the_hard_limit_alone(limits: dict[int, tuple[int, int]]) -> None:
    limits[resource.RLIMIT_NOFILE] = (64, 10**6)
    assert shortage(500, 2, 2) is None
    limits[resource.RLIMIT_NOFILE] = (64, 1000)
    words = shortage(500, 2, 2)
    assert words is not None
    assert "500 games at a time take up to 2064 open files in a worker, and 1000 are allowed" in words
    assert "concurrency" in words
    assert shortage(100, 2, 2) is None


def test_processes_are_short_where_any_limit_says_so(
    limits: dict[int, tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "_process_limits", lambda: [(5000, "a"), (700, "/sys/fs/cgroup/pids.max")])
    words = shortage(500, 2, 2)
    assert words is not None
    assert "room for 700 more (/sys/fs/cgroup/pids.max)" in words
    assert shortage(50, 2, 2) is None


def test_a_limit_is_found_on_this_machine() -> None:
    assert all(room > 0 and name for room, name in capacity._process_limits())


def test_a_process_may_open_as_many_files_as_it_is_allowed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (64, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: made.append((kind, limits)))
    allow_descriptors()
    assert made == [(resource.RLIMIT_NOFILE, (4096, 4096))]
