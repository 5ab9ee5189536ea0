"""The whole exchange of one game with both engines, as a file for people: what a fault is judged by.

Bounded: a channel remembers its newest pieces, each cut, and a file holds so many lines of each side at most.
What an engine wrote is escaped; a file can be looked at on any terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arena.core.record import GameRecord

LINES_KEPT = 20_000
"""Lines of one side's exchange: far more than any sane game has, at most some megabytes."""


def log_name(record: GameRecord) -> str:
    """Return the name of a game's file; ids hold nothing that a file's name may not."""
    again = f".{record.attempt}" if record.attempt > 1 else ""
    return f"{record.id}{again}.log"


def write_log(folder: Path, record: GameRecord, exchanges: Sequence[Sequence[str]]) -> str:
    """Write the exchange of a game; return the file's path from the folder above.

    Args:
        folder: made when it does not exist.
        record: the game.
        exchanges: lines of Black and of White; a side without a process has none.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(exist_ok=True)
    path = folder / log_name(record)
    path.write_text("\n".join(_lines(record, exchanges)) + "\n", encoding="utf-8", errors="backslashreplace")
    return f"{folder.name}/{path.name}"


def _lines(record: GameRecord, exchanges: Sequence[Sequence[str]]) -> list[str]:
    verdict = record.verdict
    lines = [
        f"game {record.id}, attempt {record.attempt}: {verdict.result} ({', '.join(verdict.reasons)})",
        f"{record.started} to {record.ended}; `>` was sent, `<` was received",
    ]
    identities = (record.black, record.white)
    for side, word in enumerate(("black", "white")):
        lines += ["", f"== {word}: {identities[side].name!a}"]
        kept = record.evidence.get(side)
        if side < len(exchanges) and exchanges[side]:
            lines += exchanges[side]
        elif kept is not None:
            lines += kept.exchange
        if kept is not None:
            lines += ["", f"-- {kept.message}{f', {kept.exit}' if kept.exit else ''}"]
            lines += [f"   stderr: {line}" for line in kept.stderr.splitlines()]
    return lines
