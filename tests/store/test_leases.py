"""Exactly one result of a game counts, whoever else has played it; the others are kept as evidence."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.seal import record_seal
from arena.store import Claim, DatabaseInUseError, LeaseError, ReadStore, RunStore, Standing, Worker, leases
from arena.store.record_text import record_from_json, record_to_json
from tests.store.builders import event, fault, full_record, record, spoiled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.core.record import GameRecord

OF = event(games_each=4)
LONG_S = 3600.0
"""Nobody gets a game from its holder in this time."""


class Clock:
    """What the store takes for the present."""

    def __init__(self) -> None:
        self.ms = 1_790_000_000_000

    def __call__(self) -> int:
        """Return it."""
        return self.ms

    def pass_s(self, seconds: float) -> None:
        """Let time go by."""
        self.ms += round(1000 * seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(leases, "now_ms", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[RunStore]:
    with RunStore.create_or_resume(tmp_path / "cup.db", OF) as store:
        yield store


def given_to(store: RunStore, ordinal: int, worker: int, for_s: float = LONG_S) -> Claim:
    (claim,) = store.give([(record(OF, ordinal).id, 1)], worker, for_s)
    return claim


def enrolled(store: RunStore, *names: str) -> list[int]:
    return [store.enrol(Worker(name, "host", 2, 1.0)) for name in names]


def played_by(path: Path) -> dict[str, int]:
    with ReadStore(path) as stored:
        columns = stored.columns()
        ids = [each.id for each in stored.summaries()]
        return dict(zip(ids, columns.worker.tolist(), strict=True))


def late_of(store: RunStore) -> list[tuple[GameRecord, int, str]]:
    with ReadStore(store.path) as stored:
        return [(late.record, late.worker, late.why) for late in stored.late()]


def test_the_holder_of_the_lease_commits_and_the_game_says_who_played_it(store: RunStore) -> None:
    one, two = enrolled(store, "one", "two")
    first, second = given_to(store, 0, one), given_to(store, 1, two)
    assert store.add_claimed([(record(OF, 0), first), (record(OF, 1), second)]) == [True, True]
    store.add([record(OF, 2)])
    store.close()
    assert list(played_by(store.path).values()) == [one, two, -1]
    with ReadStore(store.path) as stored:
        assert stored.late() == ()
        assert stored.lost_leases() == ()


def test_a_game_that_is_held_is_given_to_nobody_else(store: RunStore) -> None:
    one, two = enrolled(store, "one", "two")
    claim = given_to(store, 0, one)
    with pytest.raises(LeaseError, match=rf"2-3.1a cannot be handed out: worker {one} holds it until 2026"):
        given_to(store, 0, two)
    assert store.add_claimed([(record(OF, 0), claim)]) == [True]


def test_a_game_that_is_played_is_given_to_nobody(store: RunStore) -> None:
    (one,) = enrolled(store, "one")
    store.add([record(OF, 0)])
    with pytest.raises(LeaseError, match="is played already"):
        given_to(store, 0, one)


def test_games_are_given_all_or_none(store: RunStore) -> None:
    (one,) = enrolled(store, "one")
    given_to(store, 1, one)
    with pytest.raises(LeaseError):
        store.give([(record(OF, place).id, 1) for place in (0, 1)], one, LONG_S)
    given_to(store, 0, one)


@pytest.mark.parametrize("late_first", [True, False])
def test_the_result_of_an_expired_lease_is_evidence_whether_it_comes_first_or_last(
    store: RunStore, clock: Clock, late_first: bool
) -> None:
    slow, quick = enrolled(store, "slow", "quick")
    old = given_to(store, 0, slow, for_s=5)
    clock.pass_s(6)
    new = given_to(store, 0, quick, for_s=5)
    by_slow = replace(record(OF, 0), moves=("A1", "B2", "E5"))
    results = [(by_slow, old), (record(OF, 0), new)]
    taken = store.add_claimed(results if late_first else results[::-1])
    assert taken == ([False, True] if late_first else [True, False])
    assert played_by(store.path) == {record(OF, 0).id: quick}
    assert late_of(store) == [(by_slow, slow, "not heard of in time, the game went to another")]
    with ReadStore(store.path) as stored:
        (late,) = stored.late()
        assert late.seal == record_seal(by_slow)
        (kept,) = stored.records()
        assert kept.moves == record(OF, 0).moves
        (lost,) = stored.lost_leases()
        assert (lost.game, lost.worker) == (kept.id, slow)


def test_an_expired_lease_holds_until_the_game_is_given_to_another(store: RunStore, clock: Clock) -> None:
    (one,) = enrolled(store, "one")
    claim = given_to(store, 0, one, for_s=5)
    clock.pass_s(1000)
    assert store.add_claimed([(record(OF, 0), claim)]) == [True]


def test_a_worker_that_is_heard_of_keeps_what_it_holds(store: RunStore, clock: Clock) -> None:
    one, two = enrolled(store, "one", "two")
    given_to(store, 0, one, for_s=5)
    for _ in range(10):
        clock.pass_s(4)
        store.extend([one], 5)
    with pytest.raises(LeaseError):
        given_to(store, 0, two)
    clock.pass_s(6)
    given_to(store, 0, two)


def test_a_revoked_lease_is_worth_nothing_and_says_why(store: RunStore) -> None:
    one, two = enrolled(store, "one", "two")
    old = given_to(store, 0, one)
    store.revoke([old.token], "worker one was lost")
    new = given_to(store, 0, two)
    assert store.add_claimed([(record(OF, 0), old)]) == [False]
    assert store.add_claimed([(record(OF, 0), new)]) == [True]
    assert [why for _, _, why in late_of(store)] == ["worker one was lost"]


def test_a_lease_is_good_for_one_result(store: RunStore) -> None:
    (one,) = enrolled(store, "one")
    claim = given_to(store, 0, one)
    assert store.add_claimed([(record(OF, 0), claim)]) == [True]
    assert store.add_claimed([(record(OF, 0), claim)]) == [False]
    assert [why for _, _, why in late_of(store)] == ["its lease was used already, or never given"]


@pytest.mark.parametrize("what", ["token", "worker", "game", "attempt"])
def test_a_claim_must_fit_its_lease(store: RunStore, what: str) -> None:
    one, two = enrolled(store, "one", "two")
    claim = given_to(store, 0, one)
    played, wrong = record(OF, 0), claim
    if what == "token":
        wrong = Claim("0" * 16, one)
    elif what == "worker":
        wrong = Claim(claim.token, two)
    elif what == "game":
        played = record(OF, 1)
    else:
        played = record(OF, 0, attempt=2)
    assert store.add_claimed([(played, wrong)]) == [False]
    assert played_by(store.path) == {}
    assert len(late_of(store)) == 1
    assert store.add_claimed([(record(OF, 0), claim)]) == [True]


def test_a_void_playing_uses_its_lease_up_and_the_game_is_given_again(store: RunStore) -> None:
    (one,) = enrolled(store, "one")
    claim = given_to(store, 0, one)
    assert store.add_claimed([(spoiled(OF, 0), claim)]) == [True]
    (claim,) = store.give([(record(OF, 0).id, 2)], one, LONG_S)
    assert store.add_claimed([(record(OF, 0, attempt=2), claim)]) == [True]
    with ReadStore(store.path) as stored:
        assert [standing for standing, _ in stored.playings(record(OF, 0).id)] == [
            Standing.VOID,
            Standing.COUNTS,
        ]


def test_what_the_last_run_gave_away_is_worth_nothing_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    with RunStore.create_or_resume(path, OF) as store:
        (one,) = enrolled(store, "one")
        old = given_to(store, 0, one)
    with RunStore.create_or_resume(path, OF) as store:
        (again,) = enrolled(store, "one")
        new = given_to(store, 0, again)
        assert store.add_claimed([(record(OF, 0), old), (record(OF, 0), new)]) == [False, True]
        assert [each.run for each in store.workers()] == [1, 2]
        assert [why for _, _, why in late_of(store)] == ["its run ended"]


_HOLDING = """
import sys, time
from arena.store import RunStore, Worker
from tests.store.builders import event, record
of = event(games_each=4)
store = RunStore.create_or_resume(sys.argv[1], of)
worker = store.enrol(Worker("elsewhere", "host", 1))
(claim,) = store.give([(record(of, 0).id, 1)], worker, 3600)
print(worker, claim.token, flush=True)
time.sleep(600)
"""


def test_of_two_runners_one_is_refused_and_the_claims_of_a_killed_one_are_void(tmp_path: Path) -> None:
    path = tmp_path / "cup.db"
    first = subprocess.Popen([sys.executable, "-c", _HOLDING, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None
        number, token = first.stdout.readline().split()
        with pytest.raises(DatabaseInUseError, match=f"in use by process {first.pid}"):
            RunStore.create_or_resume(path, OF)
    finally:
        first.kill()
        first.communicate()
    with RunStore.create_or_resume(path, OF) as store:
        assert store.add_claimed([(record(OF, 0), Claim(token, int(number)))]) == [False]
        (one,) = enrolled(store, "one")
        assert store.add_claimed([(record(OF, 0), given_to(store, 0, one))]) == [True]
    assert list(played_by(path).values()) == [one]


@pytest.mark.parametrize("make", [record, fault, full_record, spoiled])
def test_a_record_as_text_is_the_record(make: object) -> None:
    made = make(OF, 3)  # type: ignore[operator]
    assert record_from_json(record_to_json(made)) == made


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["give", "result", "again", "silence", "heard", "revoke"]),
        st.integers(0, 2),
        st.integers(0, 1),
    ),
    max_size=40,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_a_game_counts_once_and_no_result_is_lost(
    steps: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leases, "now_ms", clock)
        path = tmp_path_factory.mktemp("leases") / "cup.db"
        with RunStore.create_or_resume(path, OF) as store:
            workers = enrolled(store, "one", "two")
            claims: list[tuple[int, Claim]] = []
            results = 0
            for what, ordinal, who in steps:
                if what == "give":
                    try:
                        claims.append((ordinal, given_to(store, ordinal, workers[who], for_s=5)))
                    except LeaseError:
                        continue
                elif what in ("result", "again") and claims:
                    place, claim = claims[(ordinal + who) % len(claims)]
                    store.add_claimed([(record(OF, place), claim)])
                    results += 1
                elif what == "silence":
                    clock.pass_s(3 * (1 + who))
                elif what == "heard":
                    store.extend([workers[who]], 5)
                elif what == "revoke" and claims:
                    store.revoke([claims[ordinal % len(claims)][1].token], "lost")
        with ReadStore(path) as stored:
            counted = [each.id for each in stored.summaries()]
            assert len(set(counted)) == len(counted)
            assert len(counted) + len(stored.late()) == results
