"""Can the clock be trusted? The time charged against the time the engine itself measured.

    python -m benchmarks.clock_truth [--turns 4000] [--instant-games 10000] [--json FILE]

An engine that sleeps tells with every move how long its turn before took, from the end of the read that
brought the command to the start of the write that answered it. Charged minus true is what the arena, the two
pipes and the system's scheduler add; what a bare write and read add is shown before, with cores that may fall
asleep and with cores kept awake, as a run keeps them where it may (`ARENA_AWAKE`). The last part plays
instant engines at `1+0.01`, four games at a time for each core, and counts losses on time: there must be
none.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from arena.live.wakefulness import cores_kept_awake
from benchmarks.measuring import Report, arguments, compiled, quantile
from benchmarks.played import event_of, played, write_games

if TYPE_CHECKING:
    from arena.core.record import GameRecord

_GAME_TURNS = 40
"""Turns of one game, both sides together."""


def errors_us(record: GameRecord) -> list[float]:
    """Return charged minus true for every turn of a game of which the engine told the truth."""
    found = []
    for ply, charged_us in enumerate(record.time_us):
        told = record.infos[ply + 2].get("true_ns", "-1") if ply + 2 < len(record.infos) else "-1"
        true_ns = int(str(told))
        if charged_us is not None and true_ns >= 0:
            found.append(charged_us - true_ns / 1000)
    return found


def truth(
    report: Report,
    folder: Path,
    engine: str,
    *,
    at_a_time: int,
    sleep_us: tuple[int, int],
    turns: int,
    goal: int,
) -> None:
    """Play sleeping engines and report how far the charged times are off."""
    command = [engine, str(sleep_us[0]), str(sleep_us[1]), str(_GAME_TURNS // 2)]
    games = max(turns // (_GAME_TURNS - 2), at_a_time)
    event = event_of(
        [command] * 2, games=games + games % 2, concurrency=at_a_time, control="60", game="pente"
    )
    errors: list[float] = []
    run = played(event, folder / "truth.db", lambda record: errors.extend(errors_us(record)))
    where = f"{at_a_time} games at a time, asleep {sleep_us[0] / 1000:g}-{sleep_us[1] / 1000:g} ms"
    report.add(f"{where}: turns", len(errors), "", digits=0)
    report.add("- charged - true, lowest", min(errors), "us")
    report.add("- charged - true, median", statistics.median(errors), "us", "at most 100 us")
    report.add("- charged - true, 99 %", quantile(errors, 0.99), "us")
    report.add("- charged - true, 99.9 %", quantile(errors, 0.999), "us", f"at most {goal} us")
    report.data[f"endings, {where}"] = run.reasons


def floor(report: Report, engine: str, cores: str, *, sleep_us: tuple[int, int], turns: int) -> None:
    """Report the same for a blocking write and read with no arena around them: the machine's part."""
    command = [engine, str(sleep_us[0]), str(sleep_us[1]), str(turns)]
    errors: list[float] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the engine has no pipes")
        charged_ns = 0
        for turn in range(turns):
            start = time.perf_counter_ns()
            process.stdin.write(b"genmove black\n")
            reply = process.stdout.read(4096)
            told = time.perf_counter_ns() - start
            true_ns = int(reply.split(b"true_ns ")[1].split()[0])
            if turn:
                errors.append((charged_ns - true_ns) / 1000)
            charged_ns = told
        process.stdin.close()
    where = f"a blocking write and read, {cores}, asleep {sleep_us[0] / 1000:g}-{sleep_us[1] / 1000:g} ms"
    report.add(f"{where}: turns", len(errors), "", digits=0)
    report.add("- charged - true, lowest", min(errors), "us")
    report.add("- charged - true, median", statistics.median(errors), "us")
    report.add("- charged - true, 99.9 %", quantile(errors, 0.999), "us")


def instant(report: Report, folder: Path, games: int) -> None:
    """Play instant engines on a short clock and report how many lost on time."""
    listed = folder / "games.txt"
    write_games(listed)
    command = [compiled("replay_engine", folder), str(listed)]
    at_a_time = 4 * len(os.sched_getaffinity(0))
    longest: list[int] = []

    def look(record: GameRecord) -> None:
        longest.append(max(spent for spent in record.time_us if spent is not None))

    run = played(
        event_of([command] * 2, games=games, concurrency=at_a_time, control="1+0.01"),
        folder / "instant.db",
        look,
    )
    lost = sum(count for reason, count in run.reasons.items() if reason != "score")
    report.add(f"instant engines at 1+0.01, {at_a_time} games at a time: games", games, "", digits=0)
    report.add("- lost on time or otherwise", lost, "", "none", digits=0)
    report.add("- longest time charged for a move, median of the games", statistics.median(longest), "us")
    report.add("- longest time charged for a move, highest", max(longest) / 1000, "ms")
    report.data["endings, instant"] = run.reasons


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__)
    parser.add_argument("--turns", type=int, default=4000, help="sleeping turns at either concurrency")
    parser.add_argument("--instant-games", type=int, default=10_000)
    chosen = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    report = Report("Clock truth: time charged minus time the engine measured itself")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine = compiled("sleeping_engine", folder)
        few = min(chosen.turns, 300)
        floor(report, engine, "cores may sleep", sleep_us=(1000, 20_000), turns=few)
        with cores_kept_awake(cores):
            floor(report, engine, "cores kept awake", sleep_us=(1000, 20_000), turns=few)
        truth(report, folder, engine, at_a_time=cores, sleep_us=(1000, 20_000), turns=chosen.turns, goal=2000)
        truth(
            report,
            folder,
            engine,
            at_a_time=16 * cores,
            sleep_us=(20_000, 200_000),
            turns=chosen.turns,
            goal=5000,
        )
        if chosen.instant_games:
            instant(report, folder, chosen.instant_games)
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
