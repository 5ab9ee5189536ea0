"""What the referee needs of a player, whoever it is: an engine's session, or the seat of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import trio

    from arena.core.event import Engine
    from arena.core.record import Evidence
    from arena.live.faults import EngineFault
    from arena.live.session import GameSettings
    from protocol.answers import MoveReply


class Line(Protocol):
    """The way to a player.

    Attributes:
        spent_ns: time of the last exchange.
    """

    spent_ns: int

    def break_off(self) -> None:
        """End the present wait; the next one too if there is none now."""

    def expire(self) -> None:
        """End the present wait as if its time were over."""

    def calm(self) -> None:
        """Forget a `break_off` that met no wait."""


class Presence(Protocol):
    """Whether a player is there."""

    @property
    def exited(self) -> trio.Event:
        """Set when the player is gone."""

    @property
    def has_exited(self) -> bool:
        """Whether the player is gone."""

    def cpu_ns(self) -> int:
        """Return the processor time it has used, nanoseconds."""

    def suspend(self) -> None:
        """Stop it while its opponent thinks."""

    def resume(self) -> None:
        """Let it go on."""


class Partner(Protocol):
    """A player in one game. The methods are those of `arena.live.session.EngineSession`."""

    on_exit: Callable[[], None] | None

    @property
    def entry(self) -> Engine:
        """The entry it plays for."""

    @property
    def channel(self) -> Line:
        """The way to it."""

    @property
    def process(self) -> Presence:
        """Whether it is there."""

    def lists(self, command: str) -> bool:
        """Say whether it takes an optional command."""

    async def set_up(self, settings: GameSettings, opening: Sequence[str], *, komi_is_open: bool) -> None:
        """Prepare a game."""

    async def settle_komi(self, settings: GameSettings, opening: Sequence[str]) -> None:
        """Finish the set-up of a game whose komi the players have settled."""

    async def ask_pie(self, command: str) -> str:
        """Ask one of the pie questions."""

    async def turn(self, commands: list[str], limit_ns: int) -> MoveReply | None:
        """Bring it up to date and ask for its move; None when the time was over first."""

    def tell_result(self, text: str) -> bool:
        """Tell the result; False when it does not take it any more."""

    async def judged(self, fault: EngineFault) -> tuple[EngineFault, Evidence]:
        """Return the fault as it is charged, and what is kept of it."""
