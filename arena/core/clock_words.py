"""A time control and a running clock in the words that engines of the Go world understand.

Which set-up command an engine is sent depends on what it lists and on what each command can express:

- `arena-time_settings` takes the arena's own text form, so it expresses everything.
- `kata-time_settings` is KataGo's (its GTP_Extensions.md): decimals allowed; none, absolute, byoyomi,
  canadian, fischer.
- `kgs-time_settings` is that of the KGS server's client: whole seconds; none, absolute, byoyomi, canadian.
- `time_settings` is GTP's (GTP 2 draft 2, section 4.2): whole seconds, Canadian overtime only.

Times are rounded down, so that an engine is never promised time it has not got. A command that would have to
name 0 seconds as the only time of a move cannot express the control: programs disagree on whether
`time_settings 0 0 0` means no time or no limit. Main time may become 0 where periods follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from arena.core.clock import Kind, seconds_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from arena.core.clock import Clock, TimeControl

_US_IN_S = 1_000_000


def time_command(control: TimeControl, listed: Container[str]) -> str | None:
    """Return the one set-up command that tells an engine its time control.

    Args:
        control: what the engine plays under.
        listed: commands the engine lists.

    Returns:
        The whole command of the first way that is listed and can express the control, or None: the engine
        cannot be told its clock.
    """
    for command, express in _WAYS:
        if command in listed and (words := express(control)) is not None:
            return f"{command} {words}"
    return None


def time_left_words(clock: Clock, colour_word: str) -> str:
    """Return GTP's whole `time_left` command for the side to move, or an empty text when it has no limit.

    Seconds are rounded down; the last number is 0 in main time, else the moves left in the period, or in
    byo-yomi the periods left (KGS's convention, which KataGo follows). Main time of less than a second with
    periods to follow is told as the first period: `0 0` would read as a fallen flag.
    """
    main_us = clock.main_left_us
    if main_us is None:
        return ""
    if clock.period_left_us is None:
        left_us = clock.running_us or 0
        return f"time_left {colour_word} {left_us // _US_IN_S} {clock.moves_left or 0}"
    if main_us >= _US_IN_S:
        return f"time_left {colour_word} {main_us // _US_IN_S} 0"
    count = clock.periods_left if clock.periods_left is not None else clock.moves_left or clock.control.moves
    return f"time_left {colour_word} {clock.period_left_us // _US_IN_S} {count}"


def _arena(control: TimeControl) -> str:
    return control.text


def _kata(control: TimeControl) -> str | None:
    if control.kind is Kind.BANK and control.increment_us:
        return f"fischer {seconds_text(control.main_us)} {seconds_text(control.increment_us)}"
    return _systems(control, seconds_text)


def _kgs(control: TimeControl) -> str | None:
    return _systems(control, _whole_seconds)


def _gtp(control: TimeControl) -> str | None:
    match control.kind:
        case Kind.UNLIMITED:
            return "0 1 0"
        case Kind.BANK if control.increment_us:
            return None
        case Kind.BANK | Kind.BRONSTEIN | Kind.DELAY | Kind.HOURGLASS:
            return _joined("{main} 0 0", control, _whole_seconds, needs=control.main_us)
        case Kind.BYO_YOMI if control.periods > 1:
            return None
        case _:
            words = _systems(control, _whole_seconds)
            return words and words.partition(" ")[2]


def _systems(control: TimeControl, seconds: Callable[[int], str]) -> str | None:
    match control.kind:
        case Kind.UNLIMITED:
            return "none"
        case Kind.BANK | Kind.REFILL if control.increment_us:
            return None
        case Kind.BANK | Kind.BRONSTEIN | Kind.DELAY | Kind.HOURGLASS:
            # Nobody but us has words for the last three. As sudden death an engine is promised less than it
            # has, and the clock sent before each move shows the rest.
            return _joined("absolute {main}", control, seconds, needs=control.main_us)
        case Kind.REFILL:
            # Canadian overtime loses what is left of a period, this control keeps it: the engine is told too
            # little for a moment, and the clock sent before each move shows the surplus.
            return _joined("canadian 0 {main} {moves}", control, seconds, needs=control.main_us)
        case Kind.EACH_MOVE:
            return _joined("byoyomi 0 {main} 1", control, seconds, needs=control.main_us)
        case Kind.BYO_YOMI:
            return _joined("byoyomi {main} {period} {periods}", control, seconds, needs=control.period_us)
        case Kind.CANADIAN:
            return _joined("canadian {main} {period} {moves}", control, seconds, needs=control.period_us)
        case _:
            assert_never(control.kind)


def _joined(form: str, control: TimeControl, seconds: Callable[[int], str], *, needs: int) -> str | None:
    """Fill in the form, or return None when the time it `needs` would be written as 0."""
    if seconds(needs) == "0":
        return None
    return form.format(
        main=seconds(control.main_us),
        period=seconds(control.period_us),
        moves=control.moves,
        periods=control.periods,
    )


def _whole_seconds(us: int) -> str:
    return str(us // _US_IN_S)


_WAYS: tuple[tuple[str, Callable[[TimeControl], str | None]], ...] = (
    ("arena-time_settings", _arena),
    ("kata-time_settings", _kata),
    ("kgs-time_settings", _kgs),
    ("time_settings", _gtp),
)
"""Ways of telling an engine its clock, in the protocol's order of preference."""
