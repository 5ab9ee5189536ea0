"""`python -m arena.ci`: what continuous integration does with an engine, told by environment variables.

The composite action (action.yml) runs this; any other system can (docs/ci.md). It checks the engine, plays it
against each baseline, leaves files in one folder, and ends with the worst exit code of all steps: 0 good, 1 a
check failed or an expectation was not met, 2 and more when something could not be done.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

VARIABLES = {
    "ARENA_ENGINE": "command of the engine, or a folder with an engine.toml; must be set",
    "ARENA_GAME": "which game; must be set",
    "ARENA_SIZE": "board size; the game's default when empty",
    "ARENA_KOMI": "komi, in games that have it; 0 when empty",
    "ARENA_TIME": "time control; 2+0.05 when empty",
    "ARENA_BASELINES": "opponents, one a line; none when empty: then only the check runs",
    "ARENA_PAIRS": "pairs of games against each baseline; 10 when empty",
    "ARENA_EXPECT": "what must hold against every baseline, one a line (arena match --expect)",
    "ARENA_STRICT": "true makes what only SHOULD hold a failure, too",
    "ARENA_SANDBOX": "require, auto or off; require when empty",
    "ARENA_SEED": "seed of positions, openings and opponents; 0 when empty",
    "ARENA_OUTPUT": "folder for everything that is written; arena-results when empty",
}
"""What is read, in words."""

_EXIT_CANNOT = 2


@dataclass(frozen=True, slots=True)
class Step:
    """One command: its heading, the arguments of `arena`, the file that keeps what it prints."""

    heading: str
    arguments: tuple[str, ...]
    kept: Path


def steps(environment: Mapping[str, str]) -> list[Step]:
    """Return what is to be run.

    Raises:
        ValueError: a variable that must be set is not; the message names it.
    """
    told = {name: environment.get(name, "").strip() for name in VARIABLES}
    for name in ("ARENA_ENGINE", "ARENA_GAME"):
        if not told[name]:
            raise ValueError(f"{name} is not set: {VARIABLES[name]}")
    output = Path(told["ARENA_OUTPUT"] or "arena-results")
    engine = told["ARENA_ENGINE"]
    both = [
        *("--game", told["ARENA_GAME"]),
        *("--time", told["ARENA_TIME"] or "2+0.05"),
        *("--seed", told["ARENA_SEED"] or "0"),
        *("--sandbox", told["ARENA_SANDBOX"] or "require"),
        *_given("--size", told["ARENA_SIZE"]),
        *_given("--komi", told["ARENA_KOMI"]),
    ]
    check = [
        *("check", engine, *both),
        *("--junit", str(output / "check.xml"), "--json", str(output / "check.json")),
        *(["--strict"] if told["ARENA_STRICT"].lower() == "true" else []),
    ]
    found = [Step(f"Check of {engine}", tuple(check), output / "check.txt")]
    expected = [word for line in _lines(told["ARENA_EXPECT"]) for word in ("--expect", line)]
    for number, baseline in enumerate(_lines(told["ARENA_BASELINES"]), start=1):
        match = [
            *("match", engine, baseline, *both),
            *("--pairs", told["ARENA_PAIRS"] or "10"),
            *("--db", str(output / f"match-{number}.db"), "-o", str(output / f"match-{number}")),
            *expected,
        ]
        found.append(Step(f"Match against {baseline}", tuple(match), output / f"match-{number}.txt"))
    return found


def _given(option: str, value: str) -> list[str]:
    return [option, value] if value else []


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def run(step: Step) -> int:
    """Run one step; what it prints is shown and kept. Return its exit code."""
    step.kept.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "arena", *step.arguments]
    with step.kept.open("w", encoding="utf-8") as kept:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        )
        for line in process.stdout or ():
            sys.stdout.write(line)
            kept.write(line)
        return process.wait()


def worst(codes: Iterable[int]) -> int:
    """Return the exit code of all steps together: the highest, and 2 for one that was killed."""
    return max((code if code >= 0 else _EXIT_CANNOT for code in codes), default=0)


def summary(done: Iterable[tuple[Step, int]]) -> str:
    """Return what was found as Markdown, texts of engines inside fences that they cannot close."""
    parts = []
    for step, code in done:
        text = step.kept.read_text(encoding="utf-8")
        fence = "`" * (3 + max((len(run) for run in re.findall("`+", text)), default=0))
        heading = re.sub(r"[^\w ./+-]", " ", step.heading)
        parts.append(
            f"### {heading}: {'good' if code == 0 else f'exit code {code}'}\n\n{fence}\n{text}\n{fence}\n"
        )
    return "\n".join(parts)


def main() -> int:
    """Do everything; return the exit code."""
    try:
        todo = steps(os.environ)
    except ValueError as error:
        sys.stderr.write(f"arena.ci: {error}\n")
        return _EXIT_CANNOT
    done = []
    for step in todo:
        sys.stdout.write(f"\n## {step.heading}\n")
        sys.stdout.flush()
        done.append((step, run(step)))
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(summary(done))
    return worst(code for _, code in done)


if __name__ == "__main__":
    sys.exit(main())
