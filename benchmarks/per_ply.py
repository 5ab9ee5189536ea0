"""What one ply costs: the whole arena between two instant engines, against a loop in C over the same pipes.

    python -m benchmarks.per_ply [--games 1500] [--rounds 3] [--each] [--json FILE]

Every round takes the C loop, one game at a time, two games at a time, and the C loop again; ratios are taken
within a round, and the median of the rounds is shown. Rules, clocks and the store are on. Rates are engine
replies a second: over the wall of the whole runner (workers started, pre-flight, every game committed, all
processes ended), and while games are being played.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from arena.live.slots import pinned
from benchmarks.measuring import Report, arguments, compiled
from benchmarks.played import event_of, played, write_games

_LOOP_ROUNDS = 8
GOAL_RATIO, GOAL_REFEREE_US, GOAL_SCALING = 2.5, 28, 1.8


def c_loop_us(program: str, games: Path, command: list[str], *, on_one_core: bool = False) -> float:
    """Return what one turn costs the C loop, microseconds; with its engines on one core, or on any."""
    with pinned([min(os.sched_getaffinity(0))] if on_one_core else []):
        done = subprocess.run(
            [program, games, str(_LOOP_ROUNDS), *command], check=True, capture_output=True, text=True
        )
    return float(done.stdout) / 1000


def measure(report: Report, folder: Path, games: int, rounds: int, *, each: bool) -> None:
    """Take all figures."""
    engine, loop = compiled("replay_engine", folder), compiled("pipe_loop", folder)
    listed = folder / "games.txt"
    write_games(listed)
    command = [engine, str(listed), *(["each"] if each else [])]
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    for _ in range(rounds):
        c_us = [c_loop_us(loop, listed, command)]
        runs = {
            at_a_time: played(
                event_of([command] * 2, games=games * at_a_time, concurrency=at_a_time, control="10+0.1"),
                folder / "bench.db",
            )
            for at_a_time in (1, 2)
        }
        c_us.append(c_loop_us(loop, listed, command))
        note("c_us", statistics.mean(c_us))
        note("c_one_core_us", c_loop_us(loop, listed, command, on_one_core=True))
        for at_a_time, run in runs.items():
            if set(run.reasons) != {"score"}:
                raise RuntimeError(f"games ended by something else than the score: {run.reasons}")
            note("others_cores", run.others_cores)
            note(f"ply_us {at_a_time}", 1e6 * run.ply_s)
            note(f"ratio {at_a_time}", 1e6 * run.ply_s / statistics.mean(c_us))
            note(f"referee_us {at_a_time}", 1e6 * run.worker_ply_s)
            note(f"runner_us {at_a_time}", 1e6 * run.runner_ply_s)
            note(f"rate {at_a_time}", 1 / run.ply_s)
            note(f"whole_rate {at_a_time}", run.plies / run.wall_s)
        note("scaling", runs[1].ply_s / runs[2].ply_s)
    median = {name: statistics.median(values) for name, values in figures.items()}
    report.data["rounds"] = figures
    report.add("cores in use by others meanwhile", median["others_cores"], "", digits=2)
    report.add("C loop, one turn", median["c_us"], "us")
    report.add("C loop, one turn, all on one core", median["c_one_core_us"], "us")
    for at_a_time, words in ((1, "one game at a time"), (2, "two games at a time")):
        goal = f"at most {GOAL_RATIO} C loops" if at_a_time == 1 else ""
        report.add(f"wall of a ply, {words}", median[f"ply_us {at_a_time}"], "us")
        report.add(f"- in C loops, {words}", median[f"ratio {at_a_time}"], "", goal, digits=2)
        goal = f"at most {GOAL_REFEREE_US} us" if at_a_time == 1 else ""
        report.add(f"- referee's processor time, {words}", median[f"referee_us {at_a_time}"], "us", goal)
        report.add(f"- runner's processor time, {words}", median[f"runner_us {at_a_time}"], "us")
        report.add(f"replies a second, {words}", median[f"rate {at_a_time}"], "", digits=0)
        report.add(f"- over the whole runner, {words}", median[f"whole_rate {at_a_time}"], "", digits=0)
    report.add(
        "two games at a time / one",
        median["scaling"],
        "",
        f"at least {GOAL_SCALING} on two free cores",
        digits=2,
    )


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=1500, help="games a run, for each game at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--each", action="store_true", help="the engine writes every reply by itself")
    chosen = parser.parse_args()
    report = Report("One ply of Pletore 9x9 between instant engines in C, rules, clocks and store on")
    with tempfile.TemporaryDirectory() as folder:
        measure(report, Path(folder), chosen.games, chosen.rounds, each=chosen.each)
    report.publish(chosen.json)


if __name__ == "__main__":
    main()
