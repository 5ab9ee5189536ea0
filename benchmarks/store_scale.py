"""How the store bears a million games: commits a second, bytes a game, time to add and to count them.

    python benchmarks/store_scale.py [--games 1000000] [--folder /tmp] [--keep]

The games are synthetic but shaped like Pletore 9x9 ones (about 92 plies, the real words, thinking times
spread over four orders of magnitude, scores as details of the outcome); they need not be legal, the store
does not look. Figures go to standard output, one a line.
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

from arena.core.clock import parse_time
from arena.core.event import Engine, Event, OpeningBook
from arena.core.record import EngineIdentity, GameRecord
from arena.core.verdict import by_outcome
from arena.rules import Outcome
from arena.store import ReadStore, RunStore

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = 6
COLUMNS = "ABCDEFGHJ"
WORDS = tuple(f"{column}{row}" for row in range(1, 10) for column in COLUMNS)


def event_of(games: int) -> Event:
    """Return a round robin of about that many games."""
    pairings = ENGINES * (ENGINES - 1) // 2
    engines = tuple(Engine(f"engine {number}", ("/bin/true",), "/") for number in range(1, ENGINES + 1))
    return Event(
        name="scale",
        format="round-robin",
        game="pletore",
        size=9,
        komi=4,
        games_each=games // pairings,
        time=parse_time("10+0.1"),
        concurrency=2,
        seed=7,
        book=OpeningBook(random_plies=2, source="random 2"),
        dice="independent",
        dice_key=None,
        engines=engines,
    )


def synthetic(games: int, seed: int) -> Iterator[GameRecord]:
    """Yield that many games in schedule order."""
    chance = random.Random(seed)
    pool = [_one(chance) for _ in range(500)]
    pairings = [(a, b) for a in range(ENGINES) for b in range(a + 1, ENGINES)]
    for ordinal in range(games):
        pair_number, pairing = divmod(ordinal // 2, len(pairings))
        sides = pairings[pairing] if ordinal % 2 == 0 else pairings[pairing][::-1]
        pair = f"{pairings[pairing][0] + 1}-{pairings[pairing][1] + 1}.{pair_number + 1}"
        black, white = (EngineIdentity(f"engine {side + 1}", "synthetic", "1.0", "0" * 64) for side in sides)
        # Two plies are exchanged, so that the games of the pool are not the same game over and over.
        model = pool[ordinal % len(pool)]
        moves = list(model.moves)
        first, second = chance.randrange(len(moves)), chance.randrange(len(moves))
        moves[first], moves[second] = moves[second], moves[first]
        yield replace(
            model,
            id=f"{pair}{'ab'[ordinal % 2]}",
            ordinal=ordinal,
            round=pair_number + 1,
            pair=pair,
            seed=chance.getrandbits(64),
            black=black,
            white=white,
            moves=tuple(moves),
        )


def _one(chance: random.Random) -> GameRecord:
    plies = max(20, round(chance.gauss(92, 6)))
    black_score = chance.randrange(82)
    margin = 2 * black_score - 81 - 3.5
    outcome = Outcome(
        winner=0 if margin > 0 else 1,
        reasons=("score",),
        result=f"{'B' if margin > 0 else 'W'}+{abs(margin)}",
        board_margin=2 * black_score - 81,
        final_margin=margin,
        details={"black_score": black_score, "white_score": 81 - black_score},
    )
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
        verdict=by_outcome(outcome),
        moves=tuple(chance.choice(WORDS) for _ in range(plies)),
        opening_plies=2,
        opening="random 2 #17",
        time_us=(None, None, *(round(10 ** chance.uniform(2, 6)) for _ in range(plies - 2))),
        started="2026-01-31T12:00:00.123Z",
        ended="2026-01-31T12:00:09.456Z",
        final_position="".join(chance.choice("XO.") for _ in range(81)) + " B 0 free",
    )


def _timed(label: str, start: float, games: int | None = None) -> None:
    seconds = time.perf_counter() - start
    rate = f", {games / seconds:,.0f} a second" if games else ""
    print(f"{label}: {seconds:.2f} s{rate}", flush=True)


def commits(folder: Path) -> None:
    """Print how many games a second are committed one by one, and in batches."""
    for size, count, safety in ((1, 3000, "NORMAL"), (1, 1000, "FULL"), (100, 10_000, "NORMAL")):
        path = folder / f"commits-{size}-{safety}.db"
        records = list(synthetic(count, seed=size))
        with RunStore.create_or_resume(path, event_of(count)) as store:
            store._open_connection().execute(f"PRAGMA synchronous = {safety}")
            start = time.perf_counter()
            for first in range(0, count, size):
                store.add(records[first : first + size])
            _timed(f"{count} games, {size} a commit, synchronous={safety}", start, count)
        print(f"  bytes a game: {path.stat().st_size / count:.0f}")
        path.unlink()


def scale(folder: Path, games: int, *, keep: bool) -> None:
    """Print what a large event costs."""
    path = folder / "scale.db"
    with RunStore.create_or_resume(path, event_of(games)) as store:
        start = time.perf_counter()
        batch: list[GameRecord] = []
        for record in synthetic(games, seed=1):
            batch.append(record)
            if len(batch) == 1000:
                store.add(batch)
                batch = []
        store.add(batch)
        _timed(f"add {games:,} games (making them included)", start, games)
    print(f"  file: {path.stat().st_size / 1e6:,.0f} MB, {path.stat().st_size / games:.0f} bytes a game")
    start = time.perf_counter()
    with RunStore.create_or_resume(path, event_of(games)) as store:
        played = store.played()
        _timed("resume, with the set of games played", start)
        assert len(played) == games
    with ReadStore(path) as store:
        for label, read in (
            ("who won (tallies)", lambda: store.ending_columns().tallies()),
            ("columns", store.columns),
            ("duplicates", store.duplicates),
            ("summaries", lambda: sum(1 for _ in store.summaries())),
            ("records", lambda: sum(1 for _ in store.records())),
        ):
            start = time.perf_counter()
            read()
            _timed(label, start)
            print(
                f"  largest memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
            )
    if not keep:
        path.unlink()


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument(
        "--folder", type=Path, help="where the databases go (about 1 GB); default: a temporary one"
    )
    parser.add_argument("--keep", action="store_true", help="leave the large database")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        commits(Path(folder))
        scale(
            arguments.folder if arguments.keep and arguments.folder else Path(folder),
            arguments.games,
            keep=arguments.keep,
        )


if __name__ == "__main__":
    main()
