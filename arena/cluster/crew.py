"""The workers of a Dask cluster as a crew: who is there, who holds which game, whose result counts.

The runner's part stays what it is: it places games and takes messages. What is particular to a cluster:

- Both games of a pair go to one worker, so that it is the same machine for both sides.
- A game is handed out under a lease (`arena.store.leases`). Dask's own way of repeating the work of lost
  workers is not used: each task is bound to one worker, and a game that is given to another is another task.
- A worker is lost when the scheduler no longer knows it, or when it was not heard of for the time of a lease.
  In the second case it may come back: what it still brings is kept as evidence, and then it may play on.
- A scheduler that goes away is waited for; all games out at that moment are handed out anew.

Dask's client lives on threads of its own. It is called from trio's worker threads, and what it has to say
comes back through `TrioToken.run_sync_soon`; nothing here blocks the loop.
"""

from __future__ import annotations

import pickle
import secrets
import statistics
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from arena.cluster.calibration import clock_factor, scaled
from arena.cluster.calls import ANSWER_S, CLOSE_S, bound_to, call_there, close, fetched, views_at, workers_at
from arena.cluster.connection import ConnectionRefusal, connected
from arena.cluster.greeting import Plan, RefusedError, TaskError, greet
from arena.cluster.remote import Remote
from arena.cluster.viewing import MOST_GAMES, relay
from arena.live.crew import CrewError
from arena.live.messages import Failed, Finished
from arena.live.pool import hashes_of
from arena.store import StoreError, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from distributed import Client, Future

    from arena.cluster.connection import Access
    from arena.cluster.greeting import Bundle, Greeted
    from arena.cluster.station import Reply
    from arena.core.event import Event
    from arena.core.record import GameRecord
    from arena.core.task import GameTask
    from arena.live.crew import Employer, Member
    from arena.live.preflight import EngineFinding
    from arena.store import Claim, RunStore

LEASE_S = 60.0
"""How long a worker may be silent before its games are given to others."""

WAIT_S = 30.0
"""How long the first workers may take to come."""

PATIENCE_S = 600.0
"""How long a scheduler that went away, or workers that all went away, are waited for."""

_LOOK_S = 0.5
_LOOK_MS_A_WORKER = 2
"""Time between two looks at the scheduler, and how much longer it gets with each worker: at ten thousand the
answer is megabytes."""

_RECONNECT_S = 1.0
_FETCHERS = 32
"""Workers that results are fetched from at the same time; one that does not answer takes a place a while."""

_HOMES_KEPT = 10_000
_LOSSES_OF_A_GAME = 5
"""A game whose worker was lost so often is taken to be the cause."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a crew goes about it.

    Attributes:
        lease_s: see `LEASE_S`.
        wait_s: see `WAIT_S`.
        workers: so many are waited for before the first game.
        patience_s: see `PATIENCE_S`.
        scales_clocks: whether time controls are fitted to each worker's speed.
        games_at_a_time: most games that are out to be played at once; None: what the workers can take.
    """

    lease_s: float = LEASE_S
    wait_s: float = WAIT_S
    workers: int = 1
    patience_s: float = PATIENCE_S
    scales_clocks: bool = False
    games_at_a_time: int | None = None


class _LostError(Exception):
    """The worker or the scheduler went away while something was asked of it."""


@dataclass(slots=True)
class _Out:
    """A game that is out to be played.

    Attributes:
        future: its task; None until it is submitted.
        is_late: whether its worker has lost it: what comes of it is evidence.
    """

    member: Remote
    task: GameTask
    claim: Claim | None = None
    future: Future[Any] | None = None
    is_late: bool = False


@dataclass(slots=True)
class _Seen:
    """What the scheduler says of a worker.

    Attributes:
        name, threads: by its own word.
        last_seen: when the scheduler heard of it, on the scheduler's clock.
        heard_at: when that was seen to change, on ours.
        host: address without the port.
    """

    name: str
    threads: int
    last_seen: float
    heard_at: float
    host: str


class DaskCrew:
    """Everybody at one scheduler.

    Args:
        event: what is played.
        access: the scheduler, checked.
        store: where leases and workers are kept.
        event_key: tells the event from others on the same cluster.
        say: told what people should know.
        bundles: engines that were handed in.
        absent: engines that are out of the event.
        logs: folder for exchanges, None for none.
        settings: see `Settings`.
    """

    def __init__(
        self,
        event: Event,
        access: Access,
        store: RunStore,
        *,
        event_key: str,
        say: Callable[[str], None],
        bundles: Sequence[Bundle] = (),
        absent: frozenset[int] = frozenset(),
        logs: Path | None = None,
        settings: Settings = Settings(),
    ) -> None:
        self._event = event
        self._access = access
        self._store = store
        self._say = say
        self._logs = logs
        self._settings = settings
        self._run = secrets.token_hex(8)
        # The programs are hashed when they are first needed, in a thread.
        self._plan = Plan(self._run, event_key, event, absent, (), bundles)
        self._client: Client | None = None
        self._employer: Employer | None = None
        self._nursery: trio.Nursery | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        self._scheduler_id = ""
        self._is_broken = False
        self._seen: dict[str, _Seen] = {}
        self._members: dict[str, Remote] = {}
        self._greeting: dict[str, trio.CancelScope] = {}
        self._refused: dict[str, str] = {}
        self._alone_since: float | None = None
        self._extended_at = -1.0
        self._out: dict[str, _Out] = {}
        self._to_submit: list[tuple[str, _Out]] = []
        self._has_to_submit = trio.Event()
        self._ended, self._to_fetch = trio.open_memory_channel[str](sys.maxsize)
        self._fetching: dict[str, list[str]] = {}
        self._fetchers = trio.CapacityLimiter(_FETCHERS)
        self._viewer = trio.CapacityLimiter(1)
        self._claims: dict[str, Claim] = {}
        self._exchanges: dict[str, tuple[Path, bytes]] = {}
        self._losses: dict[str, int] = {}
        self._homes: OrderedDict[str, Remote] = OrderedDict()
        self._mate: str | None = None
        self._reference: float | None = None
        self._there = call_there()

    # --- what the runner asks for ---

    async def assemble(self, employer: Employer, nursery: trio.Nursery) -> None:
        """Reach the scheduler, and have every worker that is there looked at before the first game."""
        self._employer, self._nursery = employer, nursery
        self._token = trio.lowlevel.current_trio_token()
        try:
            self._client = await trio.to_thread.run_sync(connected, self._access)
        except ConnectionRefusal as refusal:
            raise CrewError(str(refusal), is_refusal=True) from refusal
        self._plan = await trio.to_thread.run_sync(self._with_programs)
        nursery.start_soon(self._submit_all)
        nursery.start_soon(self._fetch_all)
        nursery.start_soon(relay, self._store.path, self._views)
        addresses = await self._first_workers()
        nursery.start_soon(self._watch)
        found: dict[str, Greeted] = {}
        async with trio.open_nursery() as greeting:
            for address in addresses:
                greeting.start_soon(self._greeted, address, found)
        if self._refused:
            first = next(iter(self._refused.values()))
            others = len(self._refused) - 1
            more = f" ({others} more worker{'s' if others > 1 else ''} likewise)" if others else ""
            raise CrewError(first + more, is_refusal=True)
        if not found:
            message = "every worker was lost before the first game: see what the workers themselves say"
            raise CrewError(message, is_refusal=True)
        speeds = [each.prepared.speed for each in found.values() if each.prepared.speed is not None]
        stored = await trio.to_thread.run_sync(self._store.workers)
        earlier = [float(each.worker.details["reference"]) for each in stored if each.worker.details]
        self._reference = earlier[0] if earlier else statistics.median(speeds)
        for address, greeted in found.items():
            await self._enrol(address, greeted)

    async def examine(self, absent: frozenset[int]) -> tuple[EngineFinding, ...]:
        """Return what the workers' own pre-flights found, each warning once."""
        merged: list[EngineFinding] = []
        for each in zip(*(member.findings for member in self._members.values()), strict=True):
            warnings = tuple(dict.fromkeys(words for finding in each for words in finding.warnings))
            merged.append(replace(each[0], warnings=warnings))
        return tuple(merged)

    def has_room(self) -> bool:
        """Say whether a worker has room, or the second game of a pair may follow its first."""
        return self._mate is not None or self._is_below_limit()

    def place(self, task: GameTask) -> Member | None:
        """Choose the worker that has the other game of the pair, else the least busy one with room."""
        pair = task.scheduled.pair
        home = self._homes.get(pair)
        is_mate, self._mate = self._mate == pair, None
        may_follow = is_mate and self._settings.games_at_a_time is None
        if home is not None and home.is_ready and (may_follow or self._is_below_limit()):
            return home
        if not self._is_below_limit():
            return None
        free = [member for member in self._members.values() if member.has_room()]
        chosen = min(free, key=lambda member: len(member.running) / member.share)
        self._homes[pair] = chosen
        self._mate = pair
        while len(self._homes) > _HOMES_KEPT:
            self._homes.popitem(last=False)
        return chosen

    async def replace(self, lost: Member, words: str) -> None:
        """Nobody replaces a worker of a cluster but the cluster; who comes is welcome."""

    def played(self) -> None:
        """Nothing is counted by games finished."""

    async def dismiss(self, *, is_calm: bool) -> None:
        """Have the run's referees end, and take leave of the scheduler."""
        client, self._client = self._client, None
        if client is None:
            return
        for member in self._members.values():
            member.lose("was sent home")
        leave = partial(self._leave, client, list(self._members), is_calm=is_calm)
        with trio.move_on_after(2 * CLOSE_S):
            await trio.to_thread.run_sync(leave, abandon_on_cancel=True)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Store records with the claims they were played on; called in a thread.

        Raises:
            StoreError: they cannot be stored, or a claim does not hold, which the runner relies on.
        """
        claimed = [(self._write_log(record), self._claims.get(record.id)) for record in records]
        taken = self._store.add_claimed(claimed)
        for record in records:
            self._claims.pop(record.id, None)
        if not all(taken):
            lost = next(record.id for record, holds in zip(records, taken, strict=True) if not holds)
            raise StoreError(f"game {lost} is no longer held by the worker that played it")

    # --- what members ask for ---

    def hand_out(self, member: Remote, task: GameTask) -> None:
        """Have a game submitted with the next batch."""
        self._to_submit.append((task.scheduled.id, _Out(member, task)))
        self._has_to_submit.set()

    def call_back(self, member: Remote, game_ids: Sequence[str]) -> None:
        """Take games back that nobody has begun."""
        wanted = set(game_ids)
        self._to_submit = [each for each in self._to_submit if each[0] not in wanted]
        gone = [key for key, out in self._out.items() if out.member is member and _id_of(out) in wanted]
        self._drop(gone, "it was taken back before it was begun")

    # --- games on their way ---

    async def _submit_all(self) -> None:
        while True:
            await self._has_to_submit.wait()
            self._has_to_submit = trio.Event()
            batch, self._to_submit = self._to_submit, []
            if not batch or self._client is None:
                continue
            try:
                submitted = await trio.to_thread.run_sync(
                    self._submit, self._client, [out for _, out in batch]
                )
            except StoreError as error:
                self._give_up(f"games cannot be handed out: {error}")
                return
            for key, out in submitted:
                self._out[key] = out
                if out.future is not None:
                    out.future.add_done_callback(partial(self._note_end, key))
            gone = [key for key, out in submitted if not out.member.has(_id_of(out))]
            self._drop(gone, "its worker was lost, or it was taken back, as it was handed out")

    def _submit(self, client: Client, outs: Sequence[_Out]) -> list[tuple[str, _Out]]:
        """Take leases and submit; in a thread."""
        present = [out for out in outs if out.member.why_lost is None]
        submitted = []
        for member in dict.fromkeys(out.member for out in present):
            own = [out for out in present if out.member is member]
            games = [(_id_of(out), out.task.attempt) for out in own]
            claims = self._store.give(games, member.number, self._settings.lease_s)
            for out, claim in zip(own, claims, strict=True):
                out.claim = claim
                key = f"gtparena-{self._run}-{_id_of(out)}-{claim.token}"
                black, white = out.task.controls
                factor = member.time_factor
                task = replace(out.task, controls=(scaled(black, factor), scaled(white, factor)))
                submitted.append((key, out))
                try:
                    out.future = client.submit(
                        self._there,
                        "play",
                        self._run,
                        pickle.dumps(task),
                        key=key,
                        **bound_to(member.address),
                    )
                except Exception:
                    # The scheduler is going; whoever watches it finds out and takes the leases back.
                    self._is_broken = True
        return submitted

    def _note_end(self, key: str, _future: Future[Any]) -> None:
        """Called on a thread of Dask's."""
        self._soon(self._ended.send_nowait, key)

    def _soon(self, function: Callable[..., object], *values: object) -> None:
        if self._token is not None:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(function, *values)

    async def _fetch_all(self) -> None:
        """Fetch results, those of each worker in turn: one that does not answer holds nobody else up."""
        async with trio.open_nursery() as nursery:
            async for key in self._to_fetch:
                out = self._out.get(key)
                if out is None or out.future is None:
                    continue
                waiting = self._fetching.setdefault(out.member.address, [])
                waiting.append(key)
                if len(waiting) == 1:
                    nursery.start_soon(self._fetch_from, out.member.address)

    async def _fetch_from(self, address: str) -> None:
        waiting = self._fetching[address]
        while waiting:
            key = waiting[0]
            out = self._out.get(key)
            if out is not None and out.future is not None:
                reply = await trio.to_thread.run_sync(fetched, out.future, limiter=self._fetchers)
                await self._settle(key, out.future, reply)
            del waiting[0]
        del self._fetching[address]

    async def _settle(self, key: str, future: Future[Any], reply: Reply | str | None) -> None:
        """Do what a reply asks for, unless the game has been forgotten meanwhile."""
        if key not in self._out:
            return
        if reply is not None:
            late = self._take(self._out.pop(key), reply)
            if late is not None:
                await self._keep_late(*late)
        elif future.status == "cancelled":
            # Nobody here has cancelled it, or it would not be out any more.
            self._is_broken = True
        elif future.status == "finished" and self._nursery is not None:
            self._nursery.start_soon(self._fetch_later, key)
        else:
            future.add_done_callback(partial(self._note_end, key))

    async def _fetch_later(self, key: str) -> None:
        await trio.sleep(_LOOK_S)
        self._ended.send_nowait(key)

    def _take(self, out: _Out, reply: Reply | str) -> tuple[GameRecord, Claim] | None:
        """Pass a result on to the runner; return what came too late."""
        if out.claim is None:
            return None
        game_id = _id_of(out)
        if isinstance(reply, str):
            if not out.is_late:
                self._claims[game_id] = out.claim
                text = f"worker {out.member.name} cannot play: {reply}"
                out.member.over(game_id, Failed(game_id, text, ""))
            return None
        message = reply.message
        if not out.is_late and reply.process != out.member.process:
            # The lease was given to a process that is no more; somebody else was started at its address.
            why = "was replaced by another process at its address"
            self._revoke([out.claim.token], f"worker {out.member.name} {why}")
            self._lose(out.member, why)
            out.is_late = True
        if out.is_late:
            return (message.record, out.claim) if isinstance(message, Finished) else None
        if isinstance(message, Finished):
            self._losses.pop(game_id, None)
            message = self._with_log(message, reply.log)
        self._claims[game_id] = out.claim
        out.member.over(game_id, message)
        return None

    def _with_log(self, message: Finished, content: bytes | None) -> Finished:
        """Name the exchange as it will be called here; it is written with the record."""
        record = message.record
        if content is None or self._logs is None:
            return message if not record.log else Finished(replace(record, log=""))
        path = self._logs / Path(record.log).name
        self._exchanges[record.id] = (path, content)
        return Finished(replace(record, log=f"{self._logs.name}/{path.name}"))

    def _write_log(self, record: GameRecord) -> GameRecord:
        """Keep an exchange beside the database; in a thread."""
        path, content = self._exchanges.pop(record.id, (None, b""))
        if path is None:
            return record
        try:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            # The game is worth more than its log.
            side = min(record.evidence, default=0)
            told = f"its exchange could not be kept: {error.strerror or error}"
            warnings = {**record.warnings, side: (*record.warnings.get(side, ()), told)}
            return replace(record, log="", warnings=warnings)
        return record

    async def _keep_late(self, record: GameRecord, claim: Claim) -> None:
        try:
            await trio.to_thread.run_sync(self._store.add_claimed, [(record, claim)])
        except StoreError as error:
            self._give_up(f"late results cannot be kept: {error}")
            return
        self._say(f"game {record.id}: a late result ({record.verdict.result}) is kept as evidence")

    # --- who is there ---

    async def _first_workers(self) -> list[str]:
        """Wait until enough workers are there; return their addresses.

        Raises:
            CrewError: they did not come.
        """
        wanted, wait_s = self._settings.workers, self._settings.wait_s
        with trio.move_on_after(wait_s):
            while not await self._look() or len(self._seen) < wanted:
                await trio.sleep(_LOOK_S)
        if len(self._seen) < wanted:
            there = f"{len(self._seen)} of {wanted} workers are" if self._seen else "no worker is"
            raise CrewError(
                f"{there} at scheduler {self._access.address} after {wait_s:g} s: start them "
                "(dask worker, docs/cluster.md) and run the same command again",
                is_refusal=True,
            )
        return list(self._seen)

    async def _watch(self) -> None:
        """Look again and again who is there."""
        while True:
            await trio.sleep(_LOOK_S + len(self._seen) * _LOOK_MS_A_WORKER / 1000)
            is_told = await self._look()
            if self._is_broken or (self._client is not None and self._client.status != "running"):
                await self._reconnect()
                continue
            if not is_told:
                self._note_silence()
                continue
            self._note_absence()
            self._note_silence()
            await self._note_heard()
            self._greet_newcomers()
            self._note_loneliness()

    async def _look(self) -> bool:
        """Ask the scheduler who is there; False when it does not answer."""
        client = self._client
        if client is None:
            return False
        try:
            scheduler_id, workers = await trio.to_thread.run_sync(workers_at, client, abandon_on_cancel=True)
        except Exception:
            # Whatever Dask raises when its scheduler has gone, or is going.
            return False
        # Dask's client comes back by itself, without the tasks: then they must be submitted anew.
        self._is_broken = self._is_broken or self._scheduler_id not in ("", scheduler_id)
        self._scheduler_id = scheduler_id
        now = trio.current_time()
        seen = {}
        for address, facts in workers.items():
            before = self._seen.get(address)
            last_seen = float(facts["last_seen"])
            is_heard = before is None or before.last_seen != last_seen
            heard_at = now if before is None or is_heard else before.heard_at
            host = str(facts["host"])
            seen[address] = _Seen(str(facts["name"]), int(facts["nthreads"]), last_seen, heard_at, host)
        self._seen = seen
        return True

    def _note_absence(self) -> None:
        """Give up on workers that the scheduler does not know any more; nothing will come from them."""
        for address in [address for address in self._members if address not in self._seen]:
            self._lose(self._members[address], "was lost")
        gone = [key for key, out in self._out.items() if out.member.address not in self._seen]
        self._drop(gone, "its worker was lost")
        for address in [address for address in self._greeting if address not in self._seen]:
            self._greeting[address].cancel()
        for address in [address for address in self._refused if address not in self._seen]:
            del self._refused[address]

    def _note_silence(self) -> None:
        """Give the games of workers to others that have not been heard of for the time of a lease."""
        now = trio.current_time()
        for address, member in list(self._members.items()):
            seen = self._seen.get(address)
            if seen is not None and now - seen.heard_at > self._settings.lease_s:
                self._lose(member, f"was not heard of for {self._settings.lease_s:g} s")

    async def _note_heard(self) -> None:
        """Extend the leases of workers that are there."""
        now = trio.current_time()
        if now - self._extended_at < self._settings.lease_s / 4:
            return
        heard = [
            member.number
            for address, member in self._members.items()
            if self._seen[address].heard_at >= self._extended_at
        ]
        self._extended_at = now
        if heard:
            try:
                await trio.to_thread.run_sync(self._store.extend, heard, self._settings.lease_s)
            except StoreError as error:
                self._give_up(f"leases cannot be kept: {error}")

    def _note_loneliness(self) -> None:
        """End the run when nobody has been there for too long."""
        if self._members or self._greeting:
            self._alone_since = None
            return
        now = trio.current_time()
        if self._alone_since is None:
            self._alone_since = now
        if now - self._alone_since > self._settings.patience_s:
            self._give_up(
                f"no worker has come to scheduler {self._access.address} for "
                f"{self._settings.patience_s:g} s; the same command goes on from here"
            )

    def _greet_newcomers(self) -> None:
        for address, seen in self._seen.items():
            is_known = address in self._members or address in self._greeting or address in self._refused
            if not is_known and trio.current_time() - seen.heard_at < self._settings.lease_s / 2:
                self._greeting[address] = trio.CancelScope()
                if self._nursery is not None:
                    self._nursery.start_soon(self._greet_newcomer, address)

    async def _greet_newcomer(self, address: str) -> None:
        found: dict[str, Greeted] = {}
        await self._greeted(address, found)
        if address in self._refused:
            self._say(f"{self._refused[address]}; it gets no games")
        if address in found:
            await self._enrol(address, found[address])

    async def _greeted(self, address: str, found: dict[str, Greeted]) -> None:
        """Look at a worker; it is `found`, or refused, or gone."""
        scope = self._greeting.setdefault(address, trio.CancelScope())
        try:
            with scope:
                found[address] = await self._greet(address)
        except RefusedError as refusal:
            self._refused[address] = str(refusal)
        except _LostError:
            pass
        if address not in found:
            self._greeting.pop(address, None)

    async def _greet(self, address: str) -> Greeted:
        seen = self._seen[address]
        who = f"worker {seen.name} ({address})" if seen.name != address else f"worker {address}"
        is_alone = sum(each.host == seen.host for each in self._seen.values()) == 1
        ask = partial(self._ask, address)
        return await greet(ask, who, self._plan, threads=seen.threads, is_alone=is_alone)

    async def _enrol(self, address: str, greeted: Greeted) -> None:
        """Take a worker in that is still there: from here on it gets games."""
        try:
            if (seen := self._seen.get(address)) is not None:
                await self._enrol_seen(address, seen, greeted)
        finally:
            self._greeting.pop(address, None)

    async def _enrol_seen(self, address: str, seen: _Seen, greeted: Greeted) -> None:
        facts, prepared = greeted.facts, greeted.prepared
        member = Remote(self, address, seen.name, seen.threads, greeted)
        reference = self._reference or prepared.speed or 1.0
        if self._settings.scales_clocks and prepared.speed is not None:
            member.time_factor = clock_factor(prepared.speed, reference)
        shown = ("gtparena", "python", "platform", "distributed")
        details = {name: facts[name] for name in shown if name in facts}
        details |= {"address": address, "sandbox": prepared.sandbox, "reference": f"{reference:.4f}"}
        worker = Worker(member.name, facts["host"], member.share, prepared.speed, member.time_factor, details)
        try:
            member.number = await trio.to_thread.run_sync(self._store.enrol, worker)
        except StoreError as error:
            self._give_up(f"workers cannot be noted: {error}")
            return
        clocks = f", clocks x {member.time_factor:g}" if self._settings.scales_clocks else ""
        games = "1 game" if member.share == 1 else f"{member.share} games"
        speed = "" if prepared.speed is None else f", speed {prepared.speed:.2f}"
        self._say(f"worker {member.name} on {facts['host']}: {games} at a time{speed}{clocks}")
        for entry, here, there in zip(
            self._event.engines, prepared.programs, self._plan.programs, strict=True
        ):
            if here != there:
                self._say(f"worker {member.name}: {entry.name} was built there to another program")
        if address in self._seen:
            member.is_ready = True
            self._members[address] = member
            if self._employer is not None:
                self._employer.welcome(member)

    def _lose(self, member: Remote, why: str) -> None:
        """Take a worker's games from it; what it still brings of them is evidence."""
        self._members.pop(member.address, None)
        self._to_submit = [each for each in self._to_submit if each[1].member is not member]
        lost = [out for out in self._out.values() if out.member is member and not out.is_late]
        tokens = []
        for out in lost:
            out.is_late = True
            if out.claim is not None:
                tokens.append(out.claim.token)
            game_id = _id_of(out)
            self._losses[game_id] = self._losses.get(game_id, 0) + 1
            if self._losses[game_id] >= _LOSSES_OF_A_GAME:
                self._give_up(
                    f"game {game_id} was lost with its worker {_LOSSES_OF_A_GAME} times: it may be what "
                    "ends them"
                )
        self._revoke(tokens, f"worker {member.name} {why}")
        games = f"; its {len(lost)} games go to others" if len(lost) > 1 else "; its game goes to another"
        self._say(f"worker {member.name} {why}{games if lost else ''}")
        member.lose(why)

    def _revoke(self, tokens: Sequence[str], why: str) -> None:
        if not tokens:
            return
        try:
            # Microseconds on a table of the games now out, and the runner must not hand these out before.
            self._store.revoke(tokens, why)
        except StoreError as error:
            self._give_up(f"leases cannot be taken back: {error}")

    def _drop(self, keys: Sequence[str], why: str) -> None:
        """Forget games that are out, and have their tasks cancelled."""
        futures, tokens = [], []
        for key in keys:
            out = self._out.pop(key, None)
            if out is None:
                continue
            if out.future is not None:
                futures.append(out.future)
            if not out.is_late and out.claim is not None:
                tokens.append(out.claim.token)
        self._revoke(tokens, why)
        if futures and self._client is not None and self._nursery is not None:
            self._nursery.start_soon(self._cancel, self._client, futures)

    async def _cancel(self, client: Client, futures: list[Future[Any]]) -> None:
        with suppress(Exception):
            await trio.to_thread.run_sync(partial(client.cancel, futures, force=True))

    async def _reconnect(self) -> None:
        """Wait for a scheduler that went away."""
        old, self._client = self._client, None
        self._say(f"scheduler {self._access.address} went away; waiting for it")
        for member in list(self._members.values()):
            self._lose(member, "was lost with the scheduler")
        self._out.clear()
        self._seen.clear()
        self._scheduler_id, self._is_broken = "", False
        for scope in self._greeting.values():
            scope.cancel()
        if old is not None:
            with trio.move_on_after(CLOSE_S):
                await trio.to_thread.run_sync(partial(close, old), abandon_on_cancel=True)
        why = ""
        with trio.move_on_after(self._settings.patience_s):
            while self._client is None:
                await trio.sleep(_RECONNECT_S)
                try:
                    self._client = await trio.to_thread.run_sync(connected, self._access)
                except ConnectionRefusal as refusal:
                    why = str(refusal)
        if self._client is None:
            self._give_up(
                f"the scheduler did not come back within {self._settings.patience_s:g} s ({why}); the same "
                "command goes on from here"
            )
            await trio.sleep_forever()
        self._say(f"scheduler {self._access.address} is there again")

    # --- small things ---

    async def _views(self) -> Sequence[bytes]:
        """Return views of running games, of as many workers as there are boards to be shown for."""
        client, asked, games = self._client, [], 0
        for member in self._members.values():
            if member.begun and games < MOST_GAMES:
                asked.append(member.address)
                games += len(member.begun)
        if client is None or not asked:
            return ()
        call = partial(views_at, client, self._there, self._run, asked)
        with trio.move_on_after(ANSWER_S), suppress(Exception):
            # One at a time, even when one that does not answer is left behind. Whatever Dask raises: no game
            # depends on it.
            return await trio.to_thread.run_sync(call, limiter=self._viewer, abandon_on_cancel=True)
        return ()

    async def _ask(self, address: str, function: str, *values: object) -> Any:
        """Have a function of the station called on a worker.

        Raises:
            TaskError: it raised something there, or could not be called.
            _LostError: the scheduler is gone. (A worker that goes has its greeting cancelled.)
        """
        client = self._client
        if client is None:
            raise _LostError
        done = trio.Event()
        key = f"gtparena-{self._run}-{function}-{secrets.token_hex(8)}"
        submit = partial(client.submit, self._there, function, *values, key=key, **bound_to(address))
        try:
            future = await trio.to_thread.run_sync(submit)
        except Exception as error:
            raise _LostError from error
        future.add_done_callback(lambda _: self._soon(done.set))
        try:
            await done.wait()
        except trio.Cancelled:
            if self._nursery is not None and self._client is client:
                self._nursery.start_soon(self._cancel, client, [future])
            raise
        try:
            return await trio.to_thread.run_sync(partial(future.result, timeout=ANSWER_S))
        except Exception as error:
            if future.status == "cancelled" or self._client is not client:
                raise _LostError from error
            raise TaskError(f"{type(error).__name__}: {error}") from error

    def _is_below_limit(self) -> bool:
        limit = self._settings.games_at_a_time
        if limit is not None and sum(len(each.running) for each in self._members.values()) >= limit:
            return False
        return any(member.has_room() for member in self._members.values())

    def _with_programs(self) -> Plan:
        return replace(self._plan, programs=tuple(hashes_of(entry)[1] for entry in self._event.engines))

    def _leave(self, client: Client, addresses: list[str], *, is_calm: bool) -> None:
        """Take leave of everybody; in a thread."""
        with suppress(Exception):
            client.run(
                self._there,
                "close_run",
                self._run,
                politely=is_calm,
                workers=addresses,
                wait=True,
                on_error="ignore",
            )
        with suppress(Exception):
            close(client)

    def _give_up(self, message: str) -> None:
        if self._employer is not None:
            self._employer.give_up(message)


def _id_of(out: _Out) -> str:
    return out.task.scheduled.id
