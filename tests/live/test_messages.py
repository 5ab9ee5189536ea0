"""What the runner and its workers tell each other arrives as it was sent."""

from __future__ import annotations

import socket
from dataclasses import fields, replace

import pytest
import trio

from arena.core.schedule import Schedule
from arena.core.task import game_task
from arena.live.messages import BlockingStream, Finished, Message, MessageStream, Play, Started
from arena.store.record_codec import pack
from tests.store.builders import KEY, event, fault, full_record, record, spoiled

EVENT = event("a", "b", "c")


def both_ways(*messages: Message) -> list[Message]:
    """Send messages in one piece; return what arrives."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)

        async def send() -> None:
            stream = MessageStream(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
            await stream.send(*messages)
            await stream.close()

        trio.run(send)
        return list(BlockingStream(theirs).messages())


@pytest.mark.parametrize("make", [record, fault, spoiled, full_record])
def test_a_record_arrives_with_every_field(make: object) -> None:
    assert callable(make)
    sent = make(EVENT, 0)
    sent.keep_packed(pack(sent))
    (arrived,) = both_ways(Finished(sent))
    assert isinstance(arrived, Finished)
    for field in fields(sent):
        assert getattr(arrived.record, field.name) == getattr(sent, field.name), field.name
    assert type(arrived.record.verdict.reason) is type(sent.verdict.reason)


def test_a_task_arrives_as_it_was() -> None:
    task = game_task(EVENT, Schedule(EVENT).game(1), 3, KEY, has_stalled=True)
    assert both_ways(Play(task), Started(task.scheduled.id)) == [Play(task), Started(task.scheduled.id)]


def test_what_arrives_is_as_unchangeable_as_what_was_sent() -> None:
    (arrived,) = both_ways(Started("r1.1-2.1"))
    with pytest.raises(AttributeError):
        arrived.game_id = "another"  # type: ignore[misc,union-attr]


def test_a_changed_record_does_not_keep_what_was_prepared_of_the_one_before() -> None:
    sent = record(EVENT, 0)
    sent.keep_packed(pack(sent))
    (arrived,) = both_ways(Finished(sent))
    assert isinstance(arrived, Finished)
    assert replace(arrived.record, log="elsewhere").packed is None
