"""The short way through a turn changes no verdict, whatever an engine writes, in whatever pieces."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.live.channel import Channel, OtherSideGone, Patience
from arena.live.faults import EngineFault
from protocol.answers import parse_move_reply
from protocol.framing import Fault, ReplyParser

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_NS = 10**12

TURN = ("play black D4", "arena-clock black_ms=10000 white_ms=10000", "genmove white")

PIECES = (
    b"=\n\n",
    b"= \n\n",
    b"= E5\n\n",
    b"= 24/18,24/19\n\n",
    b"=\r\n\r\n",
    b"= E5\r\n\r\n",
    b"= E5\n\n\n",
    b"\n",
    b"= E5\ninfo winrate 0.5\n\n",
    b"= E5 D4\n\n",
    b"=  E5\n\n",
    b"=\tE5\n\n",
    b"= resign\n\n",
    b"= " + b"x" * 70 + b"\n\n",
    b"= E5\x1b\n\n",
    b"= E\xff\n\n",
    b"= = \n\n",
    b"=E5\n\n",
    b"=1 E5\n\n",
    b"? no\n\n",
    b"?\n\n",
    b"E5\n\n",
    b"= E5\n",
    b"=",
)
"""What an engine may write, alone and put together: good, odd, and bad."""


class Judged(NamedTuple):
    """What came of a turn: a move, or why there is none; and all that was received by then."""

    said: object
    received: bytes


class SlowChannel(Channel):
    """A channel that knows the long way only."""

    def quick_turn(self, lines: object, limit_ns: int) -> str | None:
        """Leave it to `exchange`."""
        return None


class Conversation:
    """A channel in the middle of a game, and the engine's ends of its pipes."""

    def __init__(self, kind: type[Channel], patience: Patience | None = None) -> None:
        self._input, write_fd = os.pipe()
        read_fd, self.output = os.pipe()
        self._ours = [self._input, write_fd, read_fd]
        for descriptor in (read_fd, write_fd):
            os.set_blocking(descriptor, False)
        self.channel = kind(read_fd, write_fd, patience=patience or Patience(now_ns=lambda: 0))

    async def begin(self) -> None:
        """Bring the dialogue into a game."""
        self.answer_at_once(b"= 2\n\n")
        for lines in (("protocol_version",), ("clear_board",)):
            assert await self.channel.exchange(lines, LIMIT_NS) is not None
        self.answer_at_once(b"")
        self.channel.exchange_log.clear()

    def answer_at_once(self, output: bytes) -> None:
        """Have the channel's writes answered with this."""
        write = type(self.channel)._write

        def write_and_be_answered(data: bytes) -> bytes:
            unwritten = write(self.channel, data)
            os.write(self.output, output)
            return unwritten

        self.channel._write = write_and_be_answered  # type: ignore[method-assign]

    async def turn(self, output: bytes, split: int, *, ends: bool) -> Judged:
        """Take a turn to which the first `split` bytes come at once and the others later."""
        self.answer_at_once(output[:split])
        async with trio.open_nursery() as nursery:

            async def rest() -> None:
                # Once the channel lets others run: it has found that something is missing.
                os.write(self.output, output[split:])
                if ends:
                    self.close_output()

            nursery.start_soon(rest)
            try:
                said: object = self.channel.quick_turn(TURN, LIMIT_NS)
                if said is None:
                    answers = await self.channel.exchange(TURN, LIMIT_NS)
                    said = answers and parse_move_reply(answers[-1].text)
                else:
                    said = parse_move_reply(str(said))
            except EngineFault as fault:
                said = fault.reason, fault.message, fault.offending
        received = b"".join(data for sent, data in self.channel.exchange_log if not sent)
        return Judged(said, received)

    def close_output(self) -> None:
        """End the engine's output."""
        if self.output >= 0:
            os.close(self.output)
            self.output = -1

    def close(self) -> None:
        """Close everything."""
        self.close_output()
        for descriptor in self._ours:
            os.close(descriptor)


def judged(kind: type[Channel], turns: list[bytes], split: int) -> list[Judged]:
    """Return what came of turns, up to the first that ended the game; then the output ends."""

    async def take_turns() -> list[Judged]:
        conversation = Conversation(kind)
        try:
            await conversation.begin()
            found: list[Judged] = []
            for number, output in enumerate(turns):
                ends = number == len(turns) - 1 or len(output) < len(b"= \n\n") * len(TURN)
                found.append(await conversation.turn(output, split % (len(output) + 1), ends=ends))
                if ends or (isinstance(found[-1].said, tuple) and len(found[-1].said) == 3):
                    break
            return found
        finally:
            conversation.close()

    return trio.run(take_turns)


outputs = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(b"".join)
good_outputs = st.sampled_from(
    [b"=\n\n=\n\n= E5\n\n", b"= \n\n= \n\n= E5\n\n", b"=\n\n= \n\n= E5\n\n", b"=\n\n=\n\n= 24/18,24/19\n\n"]
)


@settings(max_examples=150, deadline=None)
@given(turns=st.lists(st.one_of(good_outputs, outputs), min_size=1, max_size=4), split=st.integers(0, 200))
def test_the_short_way_and_the_long_way_judge_alike(turns: list[bytes], split: int) -> None:
    # A turn that is short of replies would wait for ever: only the last may be, since then the stream ends.
    whole = [turn for turn in turns[:-1] if _answers_everything(turn)] + turns[-1:]
    assert judged(Channel, whole, split) == judged(SlowChannel, whole, split)


def _answers_everything(output: bytes) -> bool:
    """Say whether a turn comes to its end by this, good or bad, and nothing is begun after it."""
    parser = ReplyParser(ids=False)
    events = parser.feed(output)
    return any(isinstance(event, Fault) for event in events) or (
        len(events) >= len(TURN) and parser.is_at_rest
    )


@pytest.fixture
def conversation() -> Iterator[Conversation]:
    talk = Conversation(Channel)
    yield talk
    talk.close()


async def test_a_turn_as_nearly_all_are_goes_the_short_way(conversation: Conversation) -> None:
    await conversation.begin()
    conversation.answer_at_once(b"=\n\n=\n\n= E5\n\n")
    for _ in range(3):
        assert conversation.channel.quick_turn(TURN, LIMIT_NS) == "E5"
    assert len(conversation.channel.exchange_log) == 6


@pytest.mark.parametrize("kind", [Channel, SlowChannel])
async def test_an_answer_that_was_there_before_the_question_is_none(kind: type[Channel]) -> None:
    talk = Conversation(kind)
    try:
        await talk.begin()
        os.write(talk.output, b"=\n\n=\n\n= E5\n\n")
        assert talk.channel.quick_turn(TURN, LIMIT_NS) is None
        with pytest.raises(EngineFault, match="a reply to no command"):
            await talk.channel.exchange(TURN, LIMIT_NS)
        assert not any(is_sent for is_sent, _ in talk.channel.exchange_log)
    finally:
        talk.close()


async def test_no_turn_goes_the_short_way_before_a_game_is_on(conversation: Conversation) -> None:
    os.write(conversation.output, b"=\n\n=\n\n= E5\n\n")
    assert conversation.channel.quick_turn(TURN, LIMIT_NS) is None
    assert not conversation.channel.exchange_log


async def test_no_turn_goes_the_short_way_while_a_reply_is_owed(conversation: Conversation) -> None:
    await conversation.begin()
    assert conversation.channel.send("arena-result B+R")
    assert conversation.channel.quick_turn(TURN, LIMIT_NS) is None
    os.write(conversation.output, b"=\n\n")
    with suppress(OtherSideGone):
        assert await conversation.channel.exchange(("clear_board",), 0) is None


@pytest.mark.parametrize(
    "line", ["play black D4\nquit", "play black #D4", "play black Ä4", "play black \x07"]
)
async def test_what_must_not_be_sent_is_not_sent_by_the_short_way_either(
    conversation: Conversation, line: str
) -> None:
    await conversation.begin()
    assert conversation.channel.quick_turn((line, "genmove white"), LIMIT_NS) is None
    assert not conversation.channel.exchange_log


async def test_an_answer_that_comes_too_late_is_late_on_the_short_way_too() -> None:
    clock = iter(range(0, 10**9, 1000))
    talk = Conversation(Channel, Patience(now_ns=lambda: next(clock)))
    try:
        await talk.begin()
        talk.answer_at_once(b"=\n\n=\n\n= E5\n\n")
        assert talk.channel.quick_turn(TURN, 500) is None
        assert await talk.channel.exchange(TURN, 500) is None
        assert talk.channel.spent_ns > 500
    finally:
        talk.close()
