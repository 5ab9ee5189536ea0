"""What an engine knows of its clock: the time control it was told, and the time left for the move to come.

All times are seconds as floats. `parse_*` functions raise `ValueError` on words that are no time control.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """A time control. What a control does not have is 0.

    Attributes:
        main_s: main time, seconds; None: no limit at all.
        main_moves: moves the main time is for, after which as much is added again; 0: the whole game.
        increment_s: added after each move; with a delay or a Bronstein clock what a move may use for nothing.
        period_s: length of one period after the main time.
        period_moves: moves to be made in each period (1 in byo-yomi and with fixed time per move).
        periods: byo-yomi periods; 0: as many as needed.
    """

    main_s: float | None
    main_moves: int = 0
    increment_s: float = 0.0
    period_s: float = 0.0
    period_moves: int = 0
    periods: int = 0


UNLIMITED = TimeSettings(None)

_SECONDS = r"(\d+(?:\.\d+)?)"
_COUNT = r"(\d{1,9})"


def parse_arena_time(text: str) -> TimeSettings:
    """Read the text of `arena-time_settings`.

    Forms: `60`, `60+0.6`, `60+0.6b`, `60+0.6d`, `40/60+0.5`, `5/move`, `60+3x10`, `60+25/30`, `60h`, `inf`.
    """
    if text == "inf":
        return UNLIMITED
    # Compiled when needed: an engine's start-up is part of every game that wants a fresh process.
    if match := re.fullmatch(rf"{_SECONDS}/move", text, re.ASCII):
        return TimeSettings(0.0, period_s=float(match[1]), period_moves=1)
    if match := re.fullmatch(rf"{_SECONDS}\+{_COUNT}x{_SECONDS}", text, re.ASCII):
        return TimeSettings(float(match[1]), period_s=float(match[3]), period_moves=1, periods=int(match[2]))
    if match := re.fullmatch(rf"{_SECONDS}\+{_COUNT}/{_SECONDS}", text, re.ASCII):
        return TimeSettings(float(match[1]), period_s=float(match[3]), period_moves=int(match[2]))
    if match := re.fullmatch(rf"(?:{_COUNT}/)?{_SECONDS}(?:\+{_SECONDS})?", text, re.ASCII):
        return TimeSettings(float(match[2]), main_moves=int(match[1] or 0), increment_s=float(match[3] or 0))
    if match := re.fullmatch(rf"{_SECONDS}(?:\+{_SECONDS}[bd]|h)", text, re.ASCII):
        return TimeSettings(float(match[1]), increment_s=float(match[2] or 0))
    raise ValueError(f"no time control: {text[:60]}")


def parse_kata_time(words: tuple[str, ...]) -> TimeSettings:
    """Read the arguments of `kata-time_settings`: a kind and its numbers (KataGo's GTP extensions)."""
    kind, numbers = words[0], [float(word) for word in words[1:]]
    match kind, numbers:
        case "none", []:
            return UNLIMITED
        case "absolute", [main_s]:
            return TimeSettings(main_s)
        case "fischer", [main_s, increment_s]:
            return TimeSettings(main_s, increment_s=increment_s)
        case "byoyomi", [main_s, period_s, periods]:
            return TimeSettings(main_s, period_s=period_s, period_moves=1, periods=int(periods))
        case "canadian", [main_s, period_s, stones]:
            return TimeSettings(main_s, period_s=period_s, period_moves=int(stones))
        case _:
            raise ValueError(f"no time control: {' '.join(words)[:60]}")


def parse_gtp_time(main: str, period: str, stones: str) -> TimeSettings:
    """Read the arguments of `time_settings`. GTP's "no limit" is a period of some length for 0 stones."""
    main_s, period_s, moves = float(main), float(period), int(stones)
    if period_s > 0 and moves == 0:
        return UNLIMITED
    return TimeSettings(main_s, period_s=period_s, period_moves=moves)


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The clocks as the referee gave them for the move to come.

    Attributes:
        left_s: seconds to the flag, or to the end of the main time or period where periods exist; None when
            there is no limit or none was told.
        opponent_left_s: the same for the other side.
        periods: byo-yomi periods left, None when not told.
        moves: moves left in the period that `left_s` is for, None when not told.
        settings: the time control, None when not told.
    """

    left_s: float | None = None
    opponent_left_s: float | None = None
    periods: int | None = None
    moves: int | None = None
    settings: TimeSettings | None = None

    def suggested_s(self, moves_to_go: int = 30) -> float | None:
        """Return a safe time for this move, None when there is no limit.

        An even share of what is left plus most of what each move brings, and never more than nine tenths of
        what is left, so that wake-ups and pipes have room.

        Args:
            moves_to_go: own moves to plan for where the control does not say; at least 1.
        """
        if self.left_s is None:
            return None
        share = self.left_s / (self.moves or moves_to_go)
        if self.settings is not None:
            share += 0.8 * self.settings.increment_s
            if self.settings.period_moves:
                share = max(share, 0.8 * self.settings.period_s / self.settings.period_moves)
        return min(share, 0.9 * self.left_s)


@dataclass(frozen=True, slots=True)
class _Side:
    left_s: float | None = None
    periods: int | None = None
    moves: int | None = None


class ClockReader:
    """Gathers what the time commands say and makes the `TurnClock` of a move."""

    def __init__(self) -> None:
        self.settings: TimeSettings | None = None
        self._sides = {"black": _Side(), "white": _Side()}

    def take_clock(self, words: tuple[str, ...]) -> None:
        """Read the arguments of `arena-clock`: `black_ms=5000 white_ms=4000 …`; unknown keys are ignored.

        Raises:
            ValueError: a word that is no `key=whole number`.
        """
        sides = {"black": _Side(), "white": _Side()}
        for word in words:
            key, equals, text = word.partition("=")
            if not equals:
                raise ValueError(f"expected key=value: {word[:60]}")
            colour, _, field = key.partition("_")
            value = int(text)
            side = sides.get(colour)
            if side is None:
                continue
            if field == "ms":
                sides[colour] = replace(side, left_s=value / 1000)
            elif field == "periods":
                sides[colour] = replace(side, periods=value)
            elif field == "moves":
                sides[colour] = replace(side, moves=value)
        self._sides = sides

    def take_time_left(self, colour: str, seconds: str, stones: str) -> None:
        """Read the arguments of `time_left`; raises `ValueError` when they are no numbers."""
        self._sides[colour] = _Side(float(seconds), moves=int(stones) or None)

    def turn(self, colour: str) -> TurnClock:
        """Return the clocks for a move of `colour`, and forget them: they hold for one move."""
        own = self._sides[colour]
        other = self._sides["white" if colour == "black" else "black"]
        self._sides = {"black": _Side(), "white": _Side()}
        return TurnClock(own.left_s, other.left_s, own.periods, own.moves, self.settings)
