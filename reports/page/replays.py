"""One game as data for its replay: states of the board as changes, clocks, and what the engines said.

The browser knows no rules: it is given what changes on the board with each turn (`reports.boards`) and the
words to show. A game without a drawing is shown by its diagrams.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from arena.core.clock import Clock, Kind
from arena.rules.base import BLACK, WHITE, Position, RulesError, colour_name
from arena.rules.registry import make_rules
from arena.words import counted, in_words
from reports.boards import changes, drawing_of
from reports.positions import starter_of, throw
from reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.core.clock import TimeControl
    from arena.core.record import Evidence, GameRecord
    from arena.rules.base import Move
    from reports.boards import Drawing

SAID_CHARACTERS = 200
"""Of what an engine said about one move."""

EVIDENCE_CHARACTERS = 4000
"""Of each part of the evidence of a fault; the database keeps the rest."""


def replay_data(
    record: GameRecord, controls: tuple[TimeControl | None, TimeControl | None], *, is_drawn: bool = True
) -> dict[str, Any]:
    """Return what the page needs to show a game turn by turn, JSON-ready; all texts are printable.

    Args:
        record: the game.
        controls: time control of Black and of White, None where it is not known.
        is_drawn: whether the page has this game's board; without one diagrams are shown.

    `time` is in milliseconds. `frames` has one item more than there are turns: the first is the start. A
    frame is `[changes, caption]`, without a drawing `[diagram lines, ""]`. A game that the rules refuse ends
    there; `broken` says why.
    """
    frames, broken, first = _frames(record, is_drawn=is_drawn)
    turns = len(frames) - 1
    colours = [(first + turn) % 2 for turn in range(turns)]
    data: dict[str, Any] = {
        "id": printable(record.id, 200),
        "facts": [[name, printable(text, 600)] for name, text in _facts(record)],
        "names": [printable(record.black.name), printable(record.white.name)],
        "first": first,
        "moves": list(record.moves[:turns]),
        "opening": min(record.opening_plies, turns),
        "result": record.verdict.result,
        "frames": frames,
        "time": [None if spent is None else spent / 1000 for spent in record.time_us[:turns]],
        **_time_left(record, colours, controls),
        "dice": [list(roll) for roll in record.dice[: turns + 1]],
        "evidence": [_evidence(side, kept) for side, kept in sorted(record.evidence.items())],
    }
    if any(record.infos):
        opinions = [_opinion(said, colour) for said, colour in zip(record.infos, colours, strict=False)]
        data["winrate"] = [winrate for winrate, _ in opinions]
        data["score"] = [score for _, score in opinions]
        data["said"] = [_said(info) for info in record.infos[:turns]]
    if broken:
        data["broken"] = printable(broken, 300)
    return data


# --- The board --------------------------------------------------------------------------------------


def _frames(record: GameRecord, *, is_drawn: bool) -> tuple[list[list[Any]], str, int]:
    """Return the frames, why they end too early (or nothing), and who moves first."""
    frames: list[list[Any]] = []
    first = BLACK
    try:
        rules = make_rules(record.game, size=record.size, komi=record.komi)
        position = rules.initial(starter_of(record))
        first = position.to_move
        throw(record, position, 0)
        drawing = drawing_of(rules) if is_drawn else None
        before = bytes(len(drawing.slots)) if drawing else b""
        last: Move | None = None
        for ply in range(len(record.moves) + 1):
            if ply:
                last = rules.parse_move(record.moves[ply - 1])
                position.play(last)
                throw(record, position, ply)
            if drawing is None:
                frames.append([position.diagram(), ""])
                continue
            frame, before = _frame(drawing, position, last, before)
            frames.append(frame)
    except RulesError as error:
        where = f"beyond turn {len(frames) - 1}" if frames else "at all"
        return frames or [[[], ""]], f"This game cannot be played again {where}: {error}", first
    return frames, "", first


def _frame(drawing: Drawing, position: Position, last: Move | None, before: bytes) -> tuple[list[Any], bytes]:
    state = drawing.state(position, last)
    return [changes(before, state), drawing.caption(position, state)], state


# --- Time -------------------------------------------------------------------------------------------


def _time_left(
    record: GameRecord, colours: Sequence[int], controls: tuple[TimeControl | None, TimeControl | None]
) -> dict[str, list[str]]:
    """Return what both clocks showed at the `start`, and the mover's after each turn (`left`).

    Texts are empty where the control is not known or there is none.
    """
    clocks = [
        None if control is None or control.kind is Kind.UNLIMITED else Clock(control) for control in controls
    ]
    start = [_clock_text(clock) for clock in clocks]
    left = []
    for colour, spent_us in zip(colours, record.time_us, strict=False):
        clock = clocks[colour]
        if clock is not None and spent_us is not None:
            # The margin forgave whatever the verdict does not complain of.
            clock.charge(spent_us, spent_us)
        left.append(_clock_text(clock))
    return {"start": start, "left": left}


def _clock_text(clock: Clock | None) -> str:
    if clock is None or clock.main_left_us is None:
        return ""
    parts = (
        [f"{clock.main_left_us / 1e6:.1f} s"] if clock.main_left_us or clock.period_left_us is None else []
    )
    if clock.period_left_us is not None:
        period = f"{clock.period_left_us / 1e6:.1f} s"
        if clock.periods_left is not None:
            period = f"{clock.periods_left} x {period}"
        elif clock.moves_left:
            period += f" for {counted(clock.moves_left, 'move')}"
        parts.append(period)
    elif clock.moves_left:
        parts.append(f"for {counted(clock.moves_left, 'move')}")
    return " + ".join(parts) if clock.period_left_us is not None else " ".join(parts)


# --- What was said ----------------------------------------------------------------------------------


def _opinion(info: Mapping[str, Any], colour: int) -> tuple[float | None, float | None]:
    """Return the chance of winning and the score that an engine expects, both for Black."""
    winrate, score = _number(info.get("winrate")), _number(info.get("score"))
    if winrate is not None and not 0 <= winrate <= 1:
        winrate = None
    if colour == WHITE:
        winrate = None if winrate is None else 1 - winrate
        score = None if score is None else -score
    return (
        None if winrate is None else round(winrate, 4),
        None if score is None else round(max(-1e6, min(1e6, score)), 2),
    )


def _number(value: object) -> float | None:
    """Return a finite number, whatever an engine sent."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _said(info: Mapping[str, Any]) -> str:
    return printable(", ".join(f"{key} {in_words(value)}" for key, value in info.items()), SAID_CHARACTERS)


# --- Facts ------------------------------------------------------------------------------------------


def _facts(record: GameRecord) -> list[tuple[str, str]]:
    verdict, pie = record.verdict, record.pie
    facts = [("Round", str(record.round)), ("Result", f"{verdict.result} ({', '.join(verdict.reasons)})")]
    if record.komi is not None:
        facts.append(("Komi", str(record.komi)))
    if pie is not None:
        names = (record.black.name, record.white.name)
        offered = "no komi" if pie.komi_offered is None else f"komi {pie.komi_offered}"
        chosen = "no side" if pie.side_chosen is None else colour_name(pie.side_chosen)
        facts.append(
            ("Pie", f"{names[pie.proposer]} proposed {offered}, {names[1 - pie.proposer]} took {chosen}")
        )
    if record.opening:
        facts.append(("Opening", f"{record.opening}, {counted(record.opening_plies, 'turn')}"))
    if record.opening_roll:
        facts.append(("Opening roll", ", ".join(f"{black}-{white}" for black, white in record.opening_roll)))
    if record.fault_move is not None:
        facts.append(("Refused move", record.fault_move))
    if record.fault_us is not None:
        facts.append(("Time on the turn that failed", f"{record.fault_us / 1e6:.3f} s"))
    if record.attempt > 1:
        facts.append(("Attempt", str(record.attempt)))
    facts.append(("Played", f"{_moment(record.started)} to {_moment(record.ended)}"))
    return facts


def _moment(instant: str) -> str:
    return f"{instant[:10]} {instant[11:19]} UTC" if instant.endswith("Z") else instant


def _evidence(side: int, kept: Evidence) -> dict[str, Any]:
    return {
        "side": side,
        "message": printable(kept.message, EVIDENCE_CHARACTERS),
        "offending": printable(kept.offending, EVIDENCE_CHARACTERS),
        "exit": printable(kept.exit, 200),
        "stderr": _lines(kept.stderr.splitlines()),
        "exchange": _lines(kept.exchange),
    }


def _lines(lines: Sequence[str]) -> list[str]:
    """Return the last lines that fit into the bound."""
    kept: list[str] = []
    room = EVIDENCE_CHARACTERS
    for line in reversed(lines):
        shown = printable(line, 500)
        room -= len(shown) + 1
        if room < 0:
            kept.append("…")
            break
        kept.append(shown)
    return kept[::-1]
