"""Bytes from a hostile engine become replies, whatever they are and however they are cut."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.framing import (
    MAX_BANNER_BYTES,
    MAX_EMPTY_BYTES,
    MAX_LINE_BYTES,
    MAX_QUOTED_BYTES,
    MAX_REPLY_BYTES,
    BadCommand,
    Banner,
    Command,
    CommandParser,
    Event,
    Fault,
    FaultKind,
    Reply,
    ReplyParser,
)

# Pieces that mean something to a parser, so that random streams reach its corners.
_PIECES = st.sampled_from(
    [
        b"=",
        b"?",
        b"= ",
        b"=1",
        b"=12 ",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\t",
        b"D4",
        b"info pv A1",
        b"\x00",
        b"\xff",
        b"#",
    ]
)
_STREAMS = st.lists(st.one_of(_PIECES, st.binary(max_size=6)), max_size=25).map(b"".join)
_WELL_FORMED = st.lists(st.sampled_from([b"=\n\n", b"= D4\n\n", b"? no\n\n", b"= a\nb c\n\n", b"\n"])).map(
    b"".join
)


def parsed(*chunks: bytes, ids: bool = False, end: bool = False) -> list[Event]:
    parser = ReplyParser(ids=ids)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + (parser.feed_end() if end else [])


def only_fault(events: list[Event]) -> Fault:
    faults = [event for event in events if isinstance(event, Fault)]
    assert len(faults) == 1
    assert events[-1] is faults[0]
    return faults[0]


@pytest.mark.parametrize(
    ("stream", "replies"),
    [
        (b"=\n\n", [Reply(True, None, "")]),
        (b"= \n\n", [Reply(True, None, "")]),
        (b"= D4\n\n", [Reply(True, None, "D4")]),
        (b"? unacceptable size\n\n", [Reply(False, None, "unacceptable size")]),
        (b"?\n\n", [Reply(False, None, "")]),
        (b"=\n\n=\n\n= D4\n\n", [Reply(True, None, ""), Reply(True, None, ""), Reply(True, None, "D4")]),
        (b"= play\ngenmove\nkomi\n\n", [Reply(True, None, "play\ngenmove\nkomi")]),
        (b"=\nplay\n\n", [Reply(True, None, "\nplay")]),
    ],
)
def test_a_reply_ends_at_its_first_empty_line(stream: bytes, replies: list[Reply]) -> None:
    assert parsed(stream) == replies


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        (b"= D4\r\n\r\n", "D4"),
        (b"=\tD4\tE5\n\n", "D4 E5"),
        (b"= D\x00\x07\x1b4\x7f\n\n", "D4"),
        (b"\x00= D4\n\x07\n", "D4"),
        (b"=   D4  \n\n", "D4"),
        ("= Größe 九\n\n".encode(), "Größe 九"),
        (b"= caf\xe9\n\n", "caf\ufffd"),
    ],
)
def test_line_ends_tabs_control_characters_and_foreign_encodings_are_tolerated(
    stream: bytes, text: str
) -> None:
    assert parsed(stream) == [Reply(True, None, text)]


def test_further_empty_lines_between_replies_are_tolerated() -> None:
    assert parsed(b"\n\n=\n\n\n\r\n\n= D4\n\n\n\n") == [Reply(True, None, ""), Reply(True, None, "D4")]


def test_a_reply_not_yet_ended_is_no_reply() -> None:
    assert parsed(b"= D4\n") == []


def test_text_before_the_first_reply_is_a_banner() -> None:
    events = parsed(b"Welcome to\nEngine 1.0 = best\n==== go ====\n\n= 2\n\n")
    assert events == [Banner("Welcome to\nEngine 1.0 = best\n==== go ===="), Reply(True, None, "2")]


@pytest.mark.parametrize(
    "stream", [b"\xef\xbb\xbf= 2\n\n", b"\r\n\xef\xbb\xbf= 2\r\n\r\n", b"\xef\xbb\xbf\n= 2\n\n"]
)
def test_a_byte_order_mark_before_the_first_reply_is_a_banner(stream: bytes) -> None:
    assert parsed(stream) == [Banner("\ufeff"), Reply(True, None, "2")]
    assert parsed(*(bytes([byte]) for byte in stream)) == [Banner("\ufeff"), Reply(True, None, "2")]


def test_a_byte_order_mark_later_on_is_malformed() -> None:
    assert only_fault(parsed(b"=\n\n\xef\xbb\xbf= D4\n\n")).kind is FaultKind.MALFORMED


def test_text_after_the_first_reply_is_malformed() -> None:
    fault = only_fault(parsed(b"=\n\nthinking...\n= D4\n\n"))
    assert fault.kind is FaultKind.MALFORMED
    assert fault.offending == b"thinking..."


@pytest.mark.parametrize("stream", [b"=1 D4\n\n", b"=7\n\n", b"?3 no\n\n", b"=\n\n=12 D4\n\n"])
def test_an_id_in_reply_to_a_command_without_one_is_malformed(stream: bytes) -> None:
    assert only_fault(parsed(stream)).kind is FaultKind.MALFORMED


def test_with_ids_the_reply_carries_its_id() -> None:
    assert parsed(b"=1 D4\n\n=2\n\n?30 no\n\n", ids=True) == [
        Reply(True, 1, "D4"),
        Reply(True, 2, ""),
        Reply(False, 30, "no"),
    ]


@pytest.mark.parametrize("stream", [b"= D4\n\n", b"=\n\n", b"=1D4\n\n", b"=" + b"9" * 5000 + b"\n\n"])
def test_with_ids_a_missing_or_unreadable_id_is_malformed(stream: bytes) -> None:
    assert only_fault(parsed(stream, ids=True)).kind is FaultKind.MALFORMED


@pytest.mark.parametrize(
    "stream", [b"=", b"= D4", b"= D4\n", b"=\n\n= D4\n", b"= D4\n\r", b"=\n\nhalf a line"]
)
def test_a_stream_that_ends_inside_a_reply_is_a_crash(stream: bytes) -> None:
    assert only_fault(parsed(stream, end=True)).kind is FaultKind.CRASH


@pytest.mark.parametrize("stream", [b"", b"\n\n", b"=\n\n", b"=\n\n\n\r\n", b"= D4\n\n\x00"])
def test_a_stream_that_ends_between_replies_is_no_fault(stream: bytes) -> None:
    assert not any(isinstance(event, Fault) for event in parsed(stream, end=True))


def test_a_banner_without_any_reply_is_still_reported_at_the_end() -> None:
    assert parsed(b"usage: engine [options]\noops", end=True) == [Banner("usage: engine [options]\noops")]


def test_a_line_at_the_limit_passes_and_one_byte_more_is_a_flood() -> None:
    longest = b"= " + b"x" * (MAX_LINE_BYTES - 2)
    assert parsed(longest + b"\n\n") == [Reply(True, None, "x" * (MAX_LINE_BYTES - 2))]
    fault = only_fault(parsed(longest + b"x"))
    assert fault.kind is FaultKind.FLOOD
    assert fault.offending == longest[:MAX_QUOTED_BYTES]


def test_a_reply_at_the_limit_passes_and_one_byte_more_is_a_flood() -> None:
    line = b"x" * 1023 + b"\n"
    body = b"=\n" + line * (MAX_REPLY_BYTES // 1024 - 1)
    filler = b"y" * (MAX_REPLY_BYTES - len(body) - 1)
    [reply] = parsed(body + filler + b"\n\n")
    assert isinstance(reply, Reply)
    assert only_fault(parsed(body + filler + b"y\n\n")).kind is FaultKind.FLOOD


def test_a_banner_over_its_bound_is_a_flood() -> None:
    line = b"x" * 1023 + b"\n"
    count = MAX_BANNER_BYTES // 1024
    assert parsed(line * count) == []
    events = parsed(line * (count + 1))
    assert only_fault(events).kind is FaultKind.FLOOD
    assert isinstance(events[0], Banner)


def test_empty_lines_without_end_are_a_flood() -> None:
    events = parsed(b"=\n\n", *[b"\n" * 4096] * (MAX_EMPTY_BYTES // 4096 + 1))
    assert only_fault(events).kind is FaultKind.FLOOD


def test_nothing_is_looked_at_after_a_fault() -> None:
    parser = ReplyParser()
    only_fault(parser.feed(b"=1\n\n= D4\n\n"))
    assert parser.feed(b"= D4\n\n") == []
    assert parser.feed_end() == []


@settings(max_examples=300, deadline=None)
@given(stream=st.one_of(_STREAMS, _WELL_FORMED), ids=st.booleans(), data=st.data())
@example(stream=b"= D4\n\n\n", ids=False, data=None)
def test_any_cut_of_any_bytes_gives_the_same_events_and_never_raises(
    stream: bytes, ids: bool, data: st.DataObject | None
) -> None:
    # The first reply leads past the banner, where the quick reading of whole replies is at work.
    for prefix in (b"", b"=1\n\n" if ids else b"=\n\n"):
        whole = parsed(prefix, stream, ids=ids, end=True)
        bytewise = [bytes([byte]) for byte in prefix + stream]
        assert parsed(*bytewise, ids=ids, end=True) == whole
        if data is not None:
            cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
            chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
            assert parsed(prefix, *chunks, ids=ids, end=True) == whole
        assert sum(isinstance(event, Fault) for event in whole) <= 1


@settings(max_examples=100, deadline=None)
@given(cut=st.integers(1, MAX_LINE_BYTES + 100))
def test_a_flood_is_the_same_however_it_was_cut(cut: int) -> None:
    stream = b"=\n\n= " + b"x" * (MAX_LINE_BYTES + 50) + b"\n\n"
    assert parsed(stream[:cut], stream[cut:]) == parsed(stream)


def commands(*chunks: bytes) -> list[Command | BadCommand]:
    parser = CommandParser()
    return [command for chunk in chunks for command in parser.feed(chunk)]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"name\n", [Command(None, "name", ())]),
        (
            b"play black D4\ngenmove white\n",
            [Command(None, "play", ("black", "D4")), Command(None, "genmove", ("white",))],
        ),
        (b"12 play  b\tD4\r\n", [Command(12, "play", ("b", "D4"))]),
        (b"# a comment\n\n   \nname # the name\n", [Command(None, "name", ())]),
        (b"na\x00me\x07\n", [Command(None, "name", ())]),
        (b"7\n", [Command(7, "", ())]),
        (b"quit", []),
    ],
)
def test_commands_are_read_as_gtp_says(stream: bytes, expected: list[Command]) -> None:
    assert commands(stream) == expected
    assert commands(*[bytes([byte]) for byte in stream]) == expected


def test_a_command_too_long_is_refused_and_the_next_one_read() -> None:
    bad, good = commands(b"x" * MAX_LINE_BYTES, b"x" * MAX_LINE_BYTES, b"\nname\n")
    assert isinstance(bad, BadCommand)
    assert good == Command(None, "name", ())


@settings(max_examples=200, deadline=None)
@given(
    stream=st.lists(st.one_of(st.binary(max_size=8), st.sampled_from([b"\n", b"#", b" ", b"12 "]))).map(
        b"".join
    )
)
def test_any_cut_of_any_bytes_gives_the_same_commands_and_never_raises(stream: bytes) -> None:
    assert commands(*[bytes([byte]) for byte in stream]) == commands(stream)
