"""What may be sent when, and which command a reply answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.commands import COMMANDS, UnsendableError
from protocol.dialogue import MAX_OUTSTANDING, Answer, Dialogue, DialogueError, State
from protocol.framing import Banner, Fault, FaultKind


def in_game(*, ids: bool = False) -> Dialogue:
    """Return a dialogue past start-up and set-up (three commands)."""
    dialogue = Dialogue(ids=ids)
    for number, line in enumerate(("list_commands", "boardsize 9", "clear_board"), start=1):
        dialogue.send(line)
        dialogue.receive(b"=%d\n\n" % number if ids else b"=\n\n")
    assert state_of(dialogue) is State.GAME
    return dialogue


def state_of(dialogue: Dialogue) -> State:
    """Return the state by a call, which a type checker does not take to be the same twice."""
    return dialogue.state


def only_fault(events: list[Answer | Banner | Fault]) -> Fault:
    [fault] = [event for event in events if isinstance(event, Fault)]
    return fault


def test_a_turn_is_one_write_and_its_replies_come_back_in_order() -> None:
    dialogue = in_game()
    lines = ("play black D4", "arena-clock black_ms=1000", "genmove white")
    assert dialogue.send(*lines) == b"play black D4\narena-clock black_ms=1000\ngenmove white\n"
    assert state_of(dialogue) is State.THINKING
    assert dialogue.outstanding == 3
    answers = dialogue.receive(b"=\n\n? unknown command\n\n= E5\n\n")
    assert answers == [
        Answer("play black D4", COMMANDS["play"], True, ""),
        Answer("arena-clock black_ms=1000", COMMANDS["arena-clock"], False, "unknown command"),
        Answer("genmove white", COMMANDS["genmove"], True, "E5"),
    ]
    assert state_of(dialogue) is State.GAME
    assert dialogue.outstanding == 0


def test_set_up_is_a_barrier_for_genmove() -> None:
    dialogue = Dialogue()
    dialogue.send("list_commands")
    dialogue.receive(b"=\n\n")
    dialogue.send("boardsize 9", "clear_board", "play black D4")
    with pytest.raises(DialogueError, match="`genmove` may not be sent in state `set-up`"):
        dialogue.send("genmove white")
    dialogue.receive(b"=\n\n=\n\n")
    with pytest.raises(DialogueError):
        dialogue.send("genmove white")
    dialogue.receive(b"=\n\n")
    assert dialogue.send("genmove white") == b"genmove white\n"


@pytest.mark.parametrize("line", ["boardsize 9", "play black D4", "genmove black", "arena-result 0"])
def test_nothing_of_a_game_is_sent_during_start_up(line: str) -> None:
    dialogue = Dialogue()
    dialogue.send("name")
    with pytest.raises(DialogueError):
        dialogue.send(line)


@pytest.mark.parametrize("line", ["play black D4", "clear_board", "genmove black", "arena-result 0", "name"])
def test_nothing_but_quit_is_sent_while_an_engine_thinks(line: str) -> None:
    dialogue = in_game()
    dialogue.send("genmove black")
    with pytest.raises(DialogueError):
        dialogue.send(line)
    assert dialogue.send("quit") == b"quit\n"


def test_after_the_result_the_next_game_is_set_up_without_waiting() -> None:
    dialogue = in_game()
    dialogue.send("arena-result B+3.5")
    assert state_of(dialogue) is State.READY
    dialogue.send("clear_board")
    dialogue.receive(b"=\n\n")
    assert state_of(dialogue) is State.SET_UP
    dialogue.receive(b"=\n\n")
    assert state_of(dialogue) is State.GAME


def test_a_refused_batch_changes_nothing() -> None:
    dialogue = in_game()
    with pytest.raises(DialogueError):
        dialogue.send("play black D4", "genmove white", "play white E5")
    with pytest.raises(UnsendableError):
        dialogue.send("genmove black", "quit #\nquit")
    assert state_of(dialogue) is State.GAME
    assert dialogue.outstanding == 0


def test_commands_without_reply_are_bounded() -> None:
    dialogue = in_game()
    dialogue.send(*["play black D4"] * MAX_OUTSTANDING)
    assert dialogue.room == 0
    with pytest.raises(DialogueError, match="without a reply"):
        dialogue.send("play black D4")
    dialogue.receive(b"=\n\n")
    assert dialogue.room == 1


def test_an_unknown_command_is_the_callers_mistake() -> None:
    with pytest.raises(DialogueError, match="no command of the protocol"):
        Dialogue().send("undo")


def test_a_reply_to_no_command_is_malformed() -> None:
    dialogue = in_game()
    fault = only_fault(dialogue.receive(b"= D4\n\n"))
    assert (fault.kind, fault.offending) == (FaultKind.MALFORMED, b"= D4")
    assert state_of(dialogue) is State.BROKEN
    with pytest.raises(DialogueError):
        dialogue.send("quit")


def test_with_ids_the_right_id_is_asked_for() -> None:
    dialogue = in_game(ids=True)
    assert dialogue.send("play black D4", "genmove white") == b"4 play black D4\n5 genmove white\n"
    first, fault = dialogue.receive(b"=4\n\n=4 E5\n\n")
    assert first == Answer("play black D4", COMMANDS["play"], True, "")
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.MALFORMED
    assert "id 4 where `genmove white` had id 5" in fault.message


def test_the_end_of_the_stream_is_a_crash_that_names_what_was_due() -> None:
    dialogue = in_game()
    dialogue.send("play black D4", "genmove white")
    fault = only_fault(dialogue.receive_end())
    assert fault.kind is FaultKind.CRASH
    assert fault.message == "the stream ended, when 2 replies were due (the next to `play black D4`)"
    assert state_of(dialogue) is State.CLOSED
    assert dialogue.receive_end() == []


def test_the_end_of_the_stream_after_quit_is_no_fault_even_without_a_reply() -> None:
    dialogue = in_game()
    dialogue.send("quit")
    assert dialogue.receive(b"= half a rep") == []
    assert dialogue.receive_end() == []
    assert state_of(dialogue) is State.CLOSED


def test_a_cut_off_reply_at_the_end_is_one_crash_and_a_banner_is_passed_on() -> None:
    dialogue = Dialogue()
    dialogue.send("name")
    events = dialogue.receive(b"hello\n= half") + dialogue.receive_end()
    assert isinstance(events[0], Banner)
    assert only_fault(events).kind is FaultKind.CRASH


def test_nothing_is_read_after_a_fault() -> None:
    dialogue = in_game()
    dialogue.send("genmove black")
    only_fault(dialogue.receive(b"what?\n"))
    assert dialogue.receive(b"= D4\n\n") == []
    assert dialogue.receive_end() == []


@settings(max_examples=200, deadline=None)
@given(
    chunks=st.lists(
        st.one_of(
            st.sampled_from([b"=\n\n", b"= D4\n\n", b"? no\n\n", b"= x\n", b"\n"]), st.binary(max_size=8)
        )
    ),
    lines=st.lists(
        st.sampled_from(["name", "clear_board", "play black D4", "genmove white", "arena-result 0", "quit"]),
        max_size=6,
    ),
)
def test_whatever_an_engine_writes_comes_out_as_events(chunks: list[bytes], lines: list[str]) -> None:
    dialogue = Dialogue()
    sent = answered = 0
    for index, chunk in enumerate(chunks):
        if index < len(lines):
            try:
                dialogue.send(lines[index])
            except DialogueError:
                pass
            else:
                sent += 1
        answered += sum(isinstance(event, Answer) for event in dialogue.receive(chunk))
        assert dialogue.state is State.BROKEN or sent == answered + dialogue.outstanding
    dialogue.receive_end()
    assert dialogue.state in (State.CLOSED, State.BROKEN)
