"""No game's waiting may cost another game's clock: counted in polls and turns, never in time."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

import pytest
import trio

from arena.core.record import EngineIdentity
from arena.live.channel import Channel, Patience
from arena.live.referee import Referee
from arena.rules.registry import make_rules
from protocol.answers import NO_INFOS, MoveReply
from tests.live.scripted import ScriptedEngine, ScriptedProcess, task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.live.session import EngineSession, GameSettings

HELD_UP_NS = 300_000
"""For how long the waiting of all others together may keep a game from its clock."""

STEP_NS = 20_000


@pytest.mark.parametrize("games", [2, 3, 8, 100])
def test_bursts_and_polls_of_all_the_others_stay_within_the_limit(games: int) -> None:
    patience = Patience()
    patience.games = games
    assert patience.poll_s is not None
    assert (games - 1) * (patience.poll_s * 1e9 + patience.burst_ns) <= HELD_UP_NS


def test_the_ration_follows_the_number_of_games() -> None:
    patience = Patience()
    polls = []
    for games in (1, 2, 3, 1):
        patience.games = games
        polls.append(patience.poll_s)
    alone, two, three, alone_again = polls
    assert alone is None
    assert two is not None
    assert three == two / 2
    assert alone_again is None


async def test_a_channel_polls_no_longer_than_it_may_and_no_more_once_its_engine_is_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def nothing_there(*_: object) -> tuple[list[int], list[int], list[int]]:
        asked.append(float(str(_[-1])))
        return [], [], []

    monkeypatch.setattr(select, "select", nothing_there)
    process = ScriptedProcess()
    now = iter(range(0, 10**12, 1_000_000))
    patience = Patience(now_ns=lambda: next(now))
    patience.games = 5
    channel = Channel(process.read_fd, process.write_fd, patience=patience)
    for _ in range(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.write, b"= 2\n\n")
            assert await channel.exchange(("protocol_version",), 10**12) is not None
    assert asked
    assert max(asked) * 1e9 * (patience.games - 1) <= HELD_UP_NS
    # Each exchange took a millisecond of this clock: that is known after the first few.
    assert len(asked) < 10
    process.kill()


class AtOnce:
    """A session whose moves are there at once: its turns never let trio's loop come round."""

    def __init__(self, moves: Sequence[str]) -> None:
        engine = ScriptedEngine()
        self.entry, self.process = engine.entry, engine.process
        self.on_exit = None
        self.turns = 0
        self._moves = iter(moves)
        self.channel = self
        self.spent_ns = STEP_NS

    def break_off(self) -> None:
        """Nobody waits here."""

    def calm(self) -> None:
        """Nobody waits here."""

    def lists(self, command: str) -> bool:
        """Say that nothing optional is known."""
        return False

    async def set_up(self, settings: GameSettings, opening: Sequence[str], *, komi_is_open: bool) -> None:
        """Need nothing."""

    async def turn(self, commands: list[str], limit_ns: int) -> MoveReply:
        """Move."""
        self.turns += 1
        return MoveReply(next(self._moves), NO_INFOS)

    def tell_result(self, text: str) -> bool:
        """Take it."""
        return True


class Passes(trio.abc.Instrument):
    """Counts the turns of a session between two passes of trio's loop."""

    def __init__(self, *sessions: AtOnce) -> None:
        self.most = 0
        self._sessions = sessions
        self._seen = 0

    def before_io_wait(self, timeout: float) -> None:
        """Note that the loop has come round."""
        turns = sum(session.turns for session in self._sessions)
        self.most = max(self.most, turns - self._seen)
        self._seen = turns


@pytest.mark.parametrize(("games", "most_turns"), [(2, 6), (3, 3), (20, 1)])
async def test_a_game_of_instant_engines_lets_the_others_have_their_turn(games: int, most_turns: int) -> None:
    moves = _pente_game()
    sessions = AtOnce(moves[::2]), AtOnce(moves[1::2])
    now = iter(range(0, 10**12, STEP_NS))
    patience = Patience(may_poll=False, now_ns=lambda: next(now))
    patience.games = games
    passes = Passes(*sessions)
    trio.lowlevel.add_instrument(passes)
    try:
        identities = EngineIdentity("a"), EngineIdentity("b")
        players: list[EngineSession] = list(sessions)  # type: ignore[arg-type]
        record = await Referee(task_of(size=9), players, identities, patience=patience).play()
    finally:
        trio.lowlevel.remove_instrument(passes)
    assert record.moves == tuple(moves)
    assert 1 <= passes.most <= most_turns


def _pente_game() -> list[str]:
    """Return the words of a game in which each side plays the first legal point."""
    rules = make_rules("pente", size=9)
    position = rules.initial()
    words = []
    while not position.is_over:
        move = position.legal_moves()[0]
        words.append(rules.format_move(move))
        position.play(move)
    return words
