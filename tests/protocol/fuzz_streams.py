"""A fuzzer guided by coverage over what an engine may write: `python -m tests.protocol.fuzz_streams -runs=N`.

Its bytes are cut at places that they name themselves. Framing and dialogue must give the same events however
they were cut, and must not raise.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["protocol"]):
    from protocol.dialogue import Dialogue
    from protocol.framing import CommandParser, ReplyParser

_MOST_CUTS = 8
_START = ("protocol_version", "name", "version", "list_commands")


def chunks_of(data: bytes) -> tuple[bytes, list[bytes]]:
    """Return the stream that fuzzed bytes stand for, whole and in pieces.

    The first byte is the number of cuts, the next ones their places (a share of the rest in 256ths).
    """
    count = min(data[0] % (_MOST_CUTS + 1), len(data) - 1) if data else 0
    stream = data[1 + count :]
    places = sorted(len(stream) * each // 256 for each in data[1 : 1 + count])
    ends = [*places, len(stream)]
    return stream, [stream[start:end] for start, end in zip([0, *places], ends, strict=True)]


def replies(chunks: list[bytes], *, ids: bool) -> list[object]:
    """Return the events of a stream of replies and its end."""
    parser = ReplyParser(ids=ids)
    return [*(event for chunk in chunks for event in parser.feed(chunk)), *parser.feed_end()]


def answers(chunks: list[bytes], *, ids: bool) -> list[object]:
    """Return the events of a dialogue that waits for the replies to all start-up commands, and of its end."""
    dialogue = Dialogue(ids=ids)
    dialogue.send(*_START)
    return [*(event for chunk in chunks for event in dialogue.receive(chunk)), *dialogue.receive_end()]


def commands(chunks: list[bytes]) -> list[object]:
    """Return what the engine's side makes of a stream."""
    parser = CommandParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


def one_input(data: bytes) -> None:
    """Try one stream, whole and in pieces.

    Raises:
        AssertionError: the pieces gave other events than the whole.
    """
    stream, chunks = chunks_of(data)
    for ids in (False, True):
        if replies(chunks, ids=ids) != replies([stream], ids=ids):
            raise AssertionError(f"replies differ by cut: {chunks}")
        if answers(chunks, ids=ids) != answers([stream], ids=ids):
            raise AssertionError(f"answers differ by cut: {chunks}")
    if commands(chunks) != commands([stream]):
        raise AssertionError(f"commands differ by cut: {chunks}")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
