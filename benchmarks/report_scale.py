"""What a report of a large event costs: time, memory, size of the page, and the time until it is open.

    python benchmarks/report_scale.py [--games 10000] [--folder /tmp] [--browser]

The games are random but legal games of Pletore 9x9, `POOL` different ones over and over; thinking times are
spread over four orders of magnitude, and one game in fifty is lost on time. Figures go to standard output.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.core.record import EngineIdentity, Evidence, GameRecord
from arena.core.verdict import Reason, by_fault, by_outcome
from arena.rules.registry import make_rules
from arena.store import ReadStore, RunStore
from benchmarks.store_scale import ENGINES, event_of
from reports.page.folder import write_report

if TYPE_CHECKING:
    from collections.abc import Iterator

POOL = 1000
WITH_INFOS = 100_000
"""In larger events the engines say nothing: the database would take three times the room."""


def played(chance: random.Random, *, bare: bool) -> GameRecord:
    """Return a random game; what belongs to the schedule is filled in later."""
    rules = make_rules("pletore", size=9, komi=4)
    position = rules.initial()
    moves = []
    while not position.is_over:
        move = chance.choice(position.legal_moves())
        moves.append(rules.format_move(move))
        position.play(move)
    return GameRecord(
        id="",
        ordinal=0,
        round=1,
        pair="",
        game="pletore",
        size=9,
        seed=0,
        attempt=1,
        komi=4,
        black=EngineIdentity(""),
        white=EngineIdentity(""),
        verdict=by_outcome(position.outcome()),
        moves=tuple(moves),
        opening_plies=2,
        opening=f"random 2 #{chance.randrange(500)}",
        time_us=(None, None, *(round(10 ** chance.uniform(2, 5)) for _ in moves[2:])),
        started="2026-01-31T12:00:00.123Z",
        ended="2026-01-31T12:00:09.456Z",
        infos=()
        if bare
        else tuple({"winrate": round(chance.random(), 3), "score": chance.randint(-9, 9)} for _ in moves),
        final_position=position.key(),
    )


def games_of(games: int) -> Iterator[GameRecord]:
    """Yield that many games in schedule order."""
    chance = random.Random(1)
    pool = [played(chance, bare=games > WITH_INFOS) for _ in range(min(POOL, games))]
    pairings = [(a, b) for a in range(ENGINES) for b in range(a + 1, ENGINES)]
    for ordinal in range(games):
        number, pairing = divmod(ordinal // 2, len(pairings))
        sides = pairings[pairing] if ordinal % 2 == 0 else pairings[pairing][::-1]
        pair = f"{pairings[pairing][0] + 1}-{pairings[pairing][1] + 1}.{number + 1}"
        black, white = (EngineIdentity(f"engine {side + 1}", "synthetic", "1.0", "0" * 64) for side in sides)
        record = replace(
            pool[ordinal % len(pool)],
            id=f"{pair}{'ab'[ordinal % 2]}",
            ordinal=ordinal,
            round=number + 1,
            pair=pair,
            black=black,
            white=white,
        )
        if ordinal % 50 == 7:
            cut, side = len(record.moves) // 2, len(record.moves) // 2 % 2
            record = replace(
                record,
                moves=record.moves[:cut],
                time_us=record.time_us[:cut],
                infos=record.infos[:cut],
                verdict=by_fault(side, Reason.TIME),
                fault_us=10_200_000,
                evidence={side: Evidence("10.200 s used where 10.100 s were left")},
                final_position="",
            )
        yield record


def main() -> None:
    """Make a database, report it, and print what that cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where database and report go and stay")
    parser.add_argument("--browser", action="store_true", help="open the page in chromium too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        database = folder / f"report-{arguments.games}.db"
        if not database.exists():
            _make(database, arguments.games)
        before_s = time.perf_counter()
        with ReadStore(database) as store:
            written = write_report([store], folder / f"report-{arguments.games}")
        spent_s = time.perf_counter() - before_s
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_s = sum(usage.ru_utime + usage.ru_stime for usage in used)
        memory = used[0].ru_maxrss / 1024
        print(f"{written.games:,} games, {written.replays:,} with a replay: {spent_s:.1f} s", end="")
        print(f", {cpu_s:.1f} s of processor time")
        print(f"largest memory: {memory:.0f} MB")
        page_bytes = written.page.stat().st_size
        print(
            f"page: {page_bytes / 1e6:.2f} MB; {written.files:,} files, {_bytes(written.page):.0f} MB in all"
        )
        if arguments.browser:
            _open(written.page)


def _make(database: Path, games: int) -> None:
    with RunStore.create_or_resume(database, event_of(games)) as store:
        batch: list[GameRecord] = []
        for record in games_of(games):
            batch.append(record)
            if len(batch) == 1000:
                store.add(batch)
                batch = []
        store.add(batch)
        store.finish()


def _bytes(page: Path) -> float:
    return sum(path.stat().st_size for path in page.parent.rglob("*") if path.is_file()) / 1e6


def _open(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        tab = browser.new_page()
        before_s = time.perf_counter()
        tab.goto(page.as_uri())
        tab.locator(".filter").wait_for()
        print(f"open, with its list of games: {time.perf_counter() - before_s:.2f} s")
        before_s = time.perf_counter()
        tab.locator(".list a").first.click()
        tab.locator("#replay-board svg").wait_for()
        print(f"a game opened: {time.perf_counter() - before_s:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
