"""Time controls and the clock of one side: what a think costs, when the flag falls, what is left.

All arithmetic is in whole microseconds; the module never reads a clock, it is told how long a think took.
docs/time-controls.md explains every control for users; the rules that hold for all of them are:

- The flag is judged first. Only a move that was in time is credited an increment or opens the next period.
- A think that takes exactly the time that was left is in time.
- The margin forgives an overstep, it is never time to use: after a forgiven overstep zero is left, then the
  increment is credited as usual.
- An increment is credited after a move, so the first move has the main time alone.

- Delay and Bronstein are about the think that just ended: a delay costs nothing while it lasts, a Bronstein
  credit gives back what was used, up to so much. Neither ever lets a clock grow.

A CPU clock is this clock, told CPU time. An hourglass runs into the other side's: whoever charges one clock
hands the time to the other one (`Clock.take_sand`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, assert_never

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SECONDS = 1_000_000
"""Longest time a control may name (eleven and a half days), so that no sum overflows any reader's integer."""

MAX_COUNT = 10_000
"""Most moves or periods a control may name."""

_US_IN_S = 1_000_000
_US_IN_MS = 1_000

FORMS = (
    "60, 60+0.6, 60+0.6b, 60+0.6d, 40/60, 40/60+0.5, 5/move, 60+3x10, 60+25/30, 60h or inf "
    "(seconds, at most three decimals)"
)
"""The accepted forms by example, for messages."""


class TimeControlError(ValueError):
    """A text that is no time control; the message quotes it (cut) and says what was allowed."""


class Kind(Enum):
    """What sort of control it is; decides which fields of `TimeControl` mean something."""

    UNLIMITED = "unlimited"
    BANK = "bank"
    """One stock of time for the whole game, with or without increment (sudden death, Fischer)."""
    REFILL = "refill"
    """The stock is filled up again after every so many moves; what is left over is kept."""
    EACH_MOVE = "each move"
    """The same time for every move; what is left over is lost."""
    BYO_YOMI = "byo-yomi"
    """Main time, then periods of which only a whole used-up one is lost."""
    CANADIAN = "canadian"
    """Main time, then so many moves in each period; what is left of a period is lost."""
    BRONSTEIN = "bronstein"
    """One stock of time; each move is given back what it used, up to so much."""
    DELAY = "delay"
    """One stock of time, which begins to run only so long after the turn began (US delay)."""
    HOURGLASS = "hourglass"
    """What one side uses the other side gains."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """One time control. Made by `parse_time`; times in microseconds, each a whole number of milliseconds.

    Attributes:
        kind: decides which of the other fields are used; the rest are 0.
        main_us: time at the start (EACH_MOVE: for one move); 0 only where periods follow, or for UNLIMITED.
        increment_us: credited after each move (BANK, REFILL); the most that is given back (BRONSTEIN); what
            is free in each turn (DELAY).
        moves: moves until the stock is refilled (REFILL), or in one period (CANADIAN).
        period_us: length of a period (BYO_YOMI, CANADIAN).
        periods: number of periods (BYO_YOMI).
    """

    kind: Kind
    main_us: int = 0
    increment_us: int = 0
    moves: int = 0
    period_us: int = 0
    periods: int = 0

    @property
    def text(self) -> str:
        """The canonical text form: `parse_time(control.text) == control`."""
        main = seconds_text(self.main_us)
        increment = f"+{seconds_text(self.increment_us)}" if self.increment_us else ""
        match self.kind:
            case Kind.UNLIMITED:
                return "inf"
            case Kind.BANK:
                return main + increment
            case Kind.REFILL:
                return f"{self.moves}/{main}{increment}"
            case Kind.EACH_MOVE:
                return f"{main}/move"
            case Kind.BYO_YOMI:
                return f"{main}+{self.periods}x{seconds_text(self.period_us)}"
            case Kind.CANADIAN:
                return f"{main}+{self.moves}/{seconds_text(self.period_us)}"
            case Kind.BRONSTEIN:
                return f"{main}{increment}b"
            case Kind.DELAY:
                return f"{main}{increment}d"
            case Kind.HOURGLASS:
                return f"{main}h"
            case _:
                assert_never(self.kind)

    def __str__(self) -> str:
        return self.text


def seconds_text(us: int) -> str:
    """Return whole milliseconds, given in microseconds, as seconds without needless zeros: `0.6`, `60`."""
    whole, rest = divmod(us // _US_IN_MS, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


class _Parser:
    """The numbers of one text: turns its pieces into microseconds and counts or says what is wrong."""

    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, why: str) -> TimeControlError:
        shown = self._text if len(self._text) <= 40 else self._text[:40] + "…"
        return TimeControlError(f"{shown!r} is no time control: {why}")

    def seconds(self, piece: str, what: str, *, may_be_zero: bool = False) -> int:
        whole, _, decimals = piece.partition(".")
        if len(decimals) > 3:
            raise self.error(f"{what} has more than three decimals")
        if len(whole) > 1 and whole.startswith("0"):
            raise self.error(f"{what} starts with a needless zero")
        # The length is asked first: digits without end must not be turned into a number.
        is_too_long = len(whole) > len(str(MAX_SECONDS))
        us = 0 if is_too_long else int(whole) * _US_IN_S + int(decimals.ljust(3, "0")) * _US_IN_MS
        if is_too_long or us > MAX_SECONDS * _US_IN_S:
            raise self.error(f"{what} is over {MAX_SECONDS} seconds")
        if us == 0 and not may_be_zero:
            raise self.error(f"{what} must be more than 0")
        return us

    def count(self, piece: str, what: str) -> int:
        if piece.startswith("0"):
            raise self.error(f"the number of {what} must be at least 1, without leading zeros")
        if len(piece) > len(str(MAX_COUNT)) or int(piece) > MAX_COUNT:
            raise self.error(f"the number of {what} is over {MAX_COUNT}")
        return int(piece)


def _bank(parser: _Parser, main: str, increment: str | None) -> TimeControl:
    if increment is not None and parser.seconds(main, "the main time", may_be_zero=True) == 0:
        raise parser.error(
            "an increment is credited after a move, so the first move needs a main time above 0"
        )
    return TimeControl(
        Kind.BANK,
        main_us=parser.seconds(main, "the main time"),
        increment_us=parser.seconds(increment or "0", "the increment", may_be_zero=True),
    )


def _refill(parser: _Parser, moves: str, main: str, increment: str | None) -> TimeControl:
    return TimeControl(
        Kind.REFILL,
        moves=parser.count(moves, "moves"),
        main_us=parser.seconds(main, "the time of a period"),
        increment_us=parser.seconds(increment or "0", "the increment", may_be_zero=True),
    )


def _each_move(parser: _Parser, time: str) -> TimeControl:
    return TimeControl(Kind.EACH_MOVE, main_us=parser.seconds(time, "the time for a move"))


def _byo_yomi(parser: _Parser, main: str, periods: str, period: str) -> TimeControl:
    return TimeControl(
        Kind.BYO_YOMI,
        main_us=parser.seconds(main, "the main time", may_be_zero=True),
        periods=parser.count(periods, "periods"),
        period_us=parser.seconds(period, "the time of a period"),
    )


def _canadian(parser: _Parser, main: str, moves: str, period: str) -> TimeControl:
    return TimeControl(
        Kind.CANADIAN,
        main_us=parser.seconds(main, "the main time", may_be_zero=True),
        moves=parser.count(moves, "moves"),
        period_us=parser.seconds(period, "the time of a period"),
    )


def _bronstein(parser: _Parser, main: str, most: str) -> TimeControl:
    return TimeControl(
        Kind.BRONSTEIN,
        main_us=parser.seconds(main, "the main time"),
        increment_us=parser.seconds(most, "the time given back"),
    )


def _delay(parser: _Parser, main: str, delay: str) -> TimeControl:
    return TimeControl(
        Kind.DELAY,
        main_us=parser.seconds(main, "the main time"),
        increment_us=parser.seconds(delay, "the delay"),
    )


def _hourglass(parser: _Parser, main: str) -> TimeControl:
    return TimeControl(Kind.HOURGLASS, main_us=parser.seconds(main, "the time at the start"))


_SECONDS = r"([0-9]+(?:\.[0-9]+)?)"
_COUNT = r"([0-9]+)"
_GRAMMAR: tuple[tuple[re.Pattern[str], Callable[..., TimeControl]], ...] = (
    (re.compile("inf"), lambda _parser: TimeControl(Kind.UNLIMITED)),
    (re.compile(rf"{_SECONDS}(?:\+{_SECONDS})?"), _bank),
    (re.compile(rf"{_SECONDS}/move"), _each_move),
    (re.compile(rf"{_COUNT}/{_SECONDS}(?:\+{_SECONDS})?"), _refill),
    (re.compile(rf"{_SECONDS}\+{_COUNT}x{_SECONDS}"), _byo_yomi),
    (re.compile(rf"{_SECONDS}\+{_COUNT}/{_SECONDS}"), _canadian),
    (re.compile(rf"{_SECONDS}\+{_SECONDS}b"), _bronstein),
    (re.compile(rf"{_SECONDS}\+{_SECONDS}d"), _delay),
    (re.compile(rf"{_SECONDS}h"), _hourglass),
)
"""Every form with what builds it; no two forms share a text."""


def parse_time(text: str) -> TimeControl:
    """Turn the text form of a time control into the control.

    Args:
        text: one of the `FORMS`, without blanks. A zero increment is accepted and dropped.

    Raises:
        TimeControlError: no such form, or a number out of bounds (`MAX_SECONDS`, `MAX_COUNT`, zero).
    """
    parser = _Parser(text)
    for pattern, build in _GRAMMAR:
        if found := pattern.fullmatch(text):
            return build(parser, *found.groups())
    raise parser.error(f"allowed are {FORMS}")


class Clock:
    """The clock of one side in one game. Times in microseconds; None where the control has no such thing.

    Attributes:
        control: what it runs under.
        main_left_us: main time left (EACH_MOVE: the time for a move); None when unlimited.
        period_left_us: time left in the present period, or in the first one while main time lasts.
        periods_left: byo-yomi periods left, the present one included.
        moves_left: moves still to be made in the present period or until the refill; 0 while main time
            lasts and periods follow (as `time_left` counts stones).
    """

    __slots__ = ("control", "main_left_us", "moves_left", "period_left_us", "periods_left")

    main_left_us: int | None
    period_left_us: int | None
    periods_left: int | None
    moves_left: int | None

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        kind = control.kind
        has_overtime = kind is Kind.BYO_YOMI or kind is Kind.CANADIAN
        self.main_left_us = None if kind is Kind.UNLIMITED else control.main_us
        self.period_left_us = control.period_us if has_overtime else None
        self.periods_left = control.periods if kind is Kind.BYO_YOMI else None
        self.moves_left = None
        if kind is Kind.REFILL:
            self.moves_left = control.moves
        elif kind is Kind.EACH_MOVE:
            self.moves_left = 1
        elif has_overtime:
            self.moves_left = 0 if control.main_us else self._moves_of_a_period()

    def budget_us(self) -> int | None:
        """Return the time to the flag for the move to come, without margin; None when unlimited."""
        main_us = self.main_left_us
        if main_us is None:
            return None
        if self.period_left_us is None:
            return main_us + self.control.increment_us if self.control.kind is Kind.DELAY else main_us
        if self.periods_left is None:
            return main_us + self.period_left_us
        return main_us + self.period_left_us * self.periods_left

    def charge(self, spent_us: int, margin_us: int) -> bool:
        """Take the time of one think off the clock and credit what the move earns.

        Args:
            spent_us: how long the think took, at least 0.
            margin_us: by how much an overstep is forgiven, at least 0.

        Returns:
            False when the flag fell: the game is lost, and the clock is of no further use.
        """
        main_us = self.main_left_us
        if main_us is None:
            return True
        if self.period_left_us is not None:
            return self._charge_overtime(main_us, self.period_left_us, spent_us, margin_us)
        control = self.control
        kind = control.kind
        if kind is Kind.DELAY:
            spent_us = max(0, spent_us - control.increment_us)
        left_us = main_us - spent_us
        if left_us < 0:
            if left_us < -margin_us:
                self.main_left_us = 0
                return False
            left_us = 0
        if kind is Kind.BRONSTEIN:
            self.main_left_us = left_us + min(main_us - left_us, control.increment_us)
        elif kind is Kind.DELAY:
            self.main_left_us = left_us
        elif self.moves_left is None:
            self.main_left_us = left_us + control.increment_us
        elif kind is Kind.REFILL:
            self.main_left_us = left_us + control.increment_us
            self.moves_left -= 1
            if self.moves_left == 0:
                self.main_left_us += control.main_us
                self.moves_left = control.moves
        return True

    def take_sand(self, used_us: int) -> None:
        """Credit what the other side has just used; of no effect unless this clock is an hourglass.

        Args:
            used_us: the fall of the other side's `main_left_us`, so that no time comes of a margin.
        """
        if self.control.kind is Kind.HOURGLASS and self.main_left_us is not None:
            self.main_left_us += used_us

    def _charge_overtime(self, main_us: int, period_us: int, spent_us: int, margin_us: int) -> bool:
        if main_us and spent_us <= main_us:
            self.main_left_us = main_us - spent_us
            if self.main_left_us == 0:
                self.moves_left = self._moves_of_a_period()
            return True
        self.main_left_us = 0
        over_us = spent_us - main_us
        if self.periods_left is not None:
            # What is forgiven at the flag is forgiven at the end of every period: a period is used up when
            # it was overstepped by more than the margin.
            used_up = max(0, -(-(over_us - margin_us) // period_us) - 1)
            if used_up >= self.periods_left:
                self.periods_left = 0
                return False
            self.periods_left -= used_up
            self.moves_left = 1
            return True
        if over_us > period_us + margin_us:
            self.period_left_us = 0
            return False
        moves_left = (self.moves_left or self.control.moves) - 1
        self.moves_left = moves_left or self.control.moves
        self.period_left_us = max(0, period_us - over_us) if moves_left else self.control.period_us
        return True

    def _moves_of_a_period(self) -> int:
        return 1 if self.control.kind is Kind.BYO_YOMI else self.control.moves

    @property
    def running_us(self) -> int | None:
        """What a clock face shows: the main time left, then the time left in the period.

        With a delay it is the time to the flag, the delay of the move to come included.
        """
        if self.control.kind is Kind.DELAY:
            return self.budget_us()
        return self.main_left_us or self.period_left_us or self.main_left_us

    def wire_fields(self, colour_word: str) -> list[str]:
        """Return this side's `key=value` words for `arena-clock`; empty when unlimited.

        `_ms` is rounded down, so that what was sent is never more than what is enforced. `_moves` is 0 while
        main time lasts and periods follow, which tells an engine which of the two `_ms` means.
        """
        running_us = self.running_us
        if running_us is None:
            return []
        fields = [f"{colour_word}_ms={running_us // _US_IN_MS}"]
        if self.periods_left is not None:
            fields.append(f"{colour_word}_periods={self.periods_left}")
        if self.moves_left is not None:
            fields.append(f"{colour_word}_moves={self.moves_left}")
        return fields
