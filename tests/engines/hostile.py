"""One engine with many bad manners: `python hostile.py --behaviour NAME`.

It plays Pente, on points nobody has used yet, from the centre outwards in no particular order, and resigns
when there are none left. A behaviour takes over where its function says so; `good` never does. The standard
library only, and no import of ours: it starts in milliseconds and can do everything a stranger's program can.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LISTED = (
    "protocol_version name version list_commands boardsize clear_board play genmove quit "
    "arena-game arena-games arena-seed arena-time_settings arena-announce arena-clock arena-result"
)
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class Engine:
    """The well-behaved part, and the bare descriptors for what is not."""

    def __init__(self) -> None:
        self.name = "hostile"
        self.size = 19
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}
        self.line = ""
        self.before = b"= "
        self.after = b"\n\n"
        self.ignores_the_end = False

    def write(self, data: bytes) -> None:
        """Write all of it to standard output."""
        while data:
            data = data[os.write(1, data) :]

    def answer(self, text: str) -> None:
        """Give a reply in the present form."""
        self.write(self.before + text.encode() + self.after)

    def usual(self) -> str:
        """Do what the present command says and return what a good engine answers."""
        name, *words = self.line.split()
        if name == "protocol_version":
            return "2"
        if name == "name":
            return self.name
        if name == "list_commands":
            return LISTED.replace(" ", "\n")
        if name == "arena-games":
            return "pente"
        if name == "boardsize":
            self.size = int(words[0])
        if name == "clear_board":
            self.used.clear()
        if name == "play":
            self.used.add(words[1])
        if name == "genmove":
            return self.move()
        return ""

    def move(self) -> str:
        """Return a point that was never used."""
        middle = self.size // 2
        centre = f"{LETTERS[middle]}{middle + 1}"
        letters, rows = LETTERS[: self.size], range(1, self.size + 1)
        points = [centre, *(f"{letter}{row}" for row in rows for letter in letters)]
        free = next((point for point in points if point not in self.used), "resign")
        self.used.add(free)
        return free

    def run(self, behave: Callable[[Engine, str], bool]) -> None:
        """Read commands to the end of input; what `behave` does not take is answered as usual."""
        rest = b""
        while True:
            try:
                data = os.read(0, 65536)
            except OSError:
                data = b""
            if not data:
                while self.ignores_the_end:
                    time.sleep(60)
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.line = line.decode()
                name = self.line.split()[0]
                self.counts[name] = self.counts.get(name, 0) + 1
                if not behave(self, name):
                    self.answer(self.usual())
                if name == "quit" and not self.ignores_the_end:
                    return


BEHAVIOURS: dict[str, Callable[[Engine, str], bool]] = {}


def behaviour(function: Callable[[Engine, str], bool]) -> Callable[[Engine, str], bool]:
    """Enter a behaviour under its name; True says that the command was dealt with."""
    BEHAVIOURS[function.__name__.removesuffix("_")] = function
    return function


def raw(data: bytes, at: str = "genmove") -> Callable[[Engine, str], bool]:
    """Return a behaviour that writes certain bytes instead of a reply."""

    def write(engine: Engine, name: str) -> bool:
        if name == at:
            engine.write(data)
        return name == at

    return write


def form(before: bytes, after: bytes) -> Callable[[Engine, str], bool]:
    """Return a behaviour that gives good replies in another form."""

    def reform(engine: Engine, name: str) -> bool:
        engine.before, engine.after = before, after
        return False

    return reform


BEHAVIOURS |= {
    "good": lambda _engine, _name: False,
    "half_a_line": raw(b"= C"),
    "no_blank_line": raw(b"= C3\n"),
    "outside": raw(b"C3\n\n"),
    "unsolicited": raw(b"= C1\n\n= \n\n"),
    "wrong_id": raw(b"=9 C1\n\n"),
    "not_utf8": raw(b"= \xff\xfe\xfd\n\n"),
    "colours": raw(b"= \x1b[31mC1\x1b[0m\n\n"),
    "illegal": raw(b"= C3\n\n"),
    "nonsense": raw(b"= 1.e4\n\n"),
    "error": raw(b"? out of ideas\n\n"),
    "refuses_play": raw(b"? illegal move\n\n", "play"),
    "resigns_out_of_turn": raw(b"= resign\n\n= \n\n", "play"),
    "refuses_size": raw(b"? unacceptable size\n\n", "boardsize"),
    "refuses_clock": raw(b"? what clock\n\n", "arena-clock"),
    "long_line": raw(b"= " + b"x" * 10_000_000 + b"\n\n"),
    "two_blank_lines": form(b"= ", b"\n\n\n"),
    "crlf": form(b"= ", b"\r\n\r\n"),
    "nul": form(b"=\x00 ", b"\x00\n\n"),
}


@behaviour
def banner(engine: Engine, name: str) -> bool:
    """Greet before the first reply."""
    if name == "protocol_version":
        engine.write(b"Welcome\n\n(c)\n")
    return False


@behaviour
def never_answers(engine: Engine, name: str) -> bool:
    """Say nothing to genmove."""
    return name == "genmove"


@behaviour
def late(engine: Engine, name: str) -> bool:
    """Answer long after the deadline."""
    if name == "genmove":
        time.sleep(3)
    return False


@behaviour
def thinks(engine: Engine, name: str) -> bool:
    """Play well and take a moment for it."""
    if name == "genmove":
        time.sleep(0.1)
    return False


@behaviour
def late_play(engine: Engine, name: str) -> bool:
    """Take too long over the opponent's move."""
    if name == "play":
        time.sleep(3)
    return False


@behaviour
def byte_by_byte(engine: Engine, name: str) -> bool:
    """Write one byte a tenth of a second, for ever."""
    while name == "genmove":
        engine.write(b"=")
        time.sleep(0.1)
    return False


@behaviour
def sleeps_at_start(engine: Engine, name: str) -> bool:
    """Be slow to start."""
    if name == "protocol_version":
        time.sleep(0.3)
    return False


@behaviour
def never_starts(engine: Engine, name: str) -> bool:
    """Never answer the first command."""
    while True:
        time.sleep(60)


@behaviour
def never_reads(engine: Engine, name: str) -> bool:
    """Read one turn's commands and nothing more."""
    while name == "genmove":
        time.sleep(60)
    return False


@behaviour
def crash(engine: Engine, name: str) -> bool:
    """Die over the second move with words on standard error."""
    if name == "genmove" and engine.counts[name] == 2:
        os.write(2, b"Traceback: \x1b[2Jgone\n")
        os._exit(3)
    return False


@behaviour
def crash_at_start(engine: Engine, name: str) -> bool:
    """Die before the first reply."""
    os.write(2, b"no licence\n")
    os._exit(5)


@behaviour
def crash_as_white(engine: Engine, name: str) -> bool:
    """Die when asked for a white move."""
    if engine.line == "genmove white":
        os._exit(1)
    return False


@behaviour
def segfault(engine: Engine, name: str) -> bool:
    """Die by a signal."""
    if name == "genmove":
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)
    return False


@behaviour
def half_a_reply(engine: Engine, name: str) -> bool:
    """Die between a reply and its empty line."""
    if name == "genmove":
        engine.write(b"= C1\n")
        os._exit(0)
    return False


@behaviour
def move_and_exit(engine: Engine, name: str) -> bool:
    """Give a good move and leave in one breath."""
    if name == "genmove":
        engine.answer(engine.usual())
        os._exit(0)
    return False


@behaviour
def answers_beforehand(engine: Engine, name: str) -> bool:
    """Give a good move, and a moment later the replies of the whole next turn."""
    if name == "genmove":
        engine.answer(engine.usual())
        time.sleep(0.02)
        engine.write(b"= \n\n= \n\n= " + engine.move().encode() + b"\n\n")
    return name == "genmove"


@behaviour
def closes_stdout(engine: Engine, name: str) -> bool:
    """Close standard output and live on."""
    while name == "genmove":
        with contextlib.suppress(OSError):
            os.close(1)
        time.sleep(60)
    return False


@behaviour
def closes_stdin(engine: Engine, name: str) -> bool:
    """Close standard input after a move and live on."""
    if name == "genmove":
        engine.answer(engine.usual())
        os.close(0)
        while True:
            time.sleep(60)
    return False


@behaviour
def stops_itself(engine: Engine, name: str) -> bool:
    """Stop, as by Ctrl-Z."""
    if name == "genmove":
        os.kill(os.getpid(), signal.SIGSTOP)
    return False


@behaviour
def floods_stdout(engine: Engine, name: str) -> bool:
    """Write info lines without end."""
    if name == "genmove":
        engine.write(b"= C1\n")
        while True:
            engine.write(b"info depth 1\n" * 1000)
    return False


@behaviour
def floods_stderr(engine: Engine, name: str) -> bool:
    """Play well and write to standard error without end beside it."""
    if name == "name":
        threading.Thread(target=_write_for_ever, args=(2,), daemon=True).start()
    return False


def _write_for_ever(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            os.write(descriptor, b"warning: all is well\n" * 3000)


@behaviour
def ignores_the_end(engine: Engine, name: str) -> bool:
    """Heed neither `quit` nor the end of input nor SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    engine.ignores_the_end = True
    return False


@behaviour
def daemons(engine: Engine, name: str) -> bool:
    """Leave behind daemons that ignore everything, the last of them outside of every group of ours."""
    if name == "clear_board":
        for leaves_the_session in (False, True):
            if os.fork() == 0:
                if leaves_the_session:
                    os.setsid()
                if os.fork() == 0:
                    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
                        signal.signal(number, signal.SIG_IGN)
                    while True:
                        time.sleep(60)
                os._exit(0)
    return False


@behaviour
def daemon_holds_the_pipe(engine: Engine, name: str) -> bool:
    """Exit over a move while a child keeps standard output open."""
    if name == "genmove":
        if os.fork() == 0:
            while True:
                time.sleep(60)
        os._exit(4)
    return False


@behaviour
def zombie(engine: Engine, name: str) -> bool:
    """Never look after a child that has ended."""
    if name == "clear_board" and os.fork() == 0:
        os._exit(0)
    return False


@behaviour
def burns_cpu(engine: Engine, name: str) -> bool:
    """Keep computing while the opponent thinks."""
    if name == "name":
        threading.Thread(target=_count_for_ever, daemon=True).start()
    return False


def _count_for_ever() -> None:
    while True:
        sum(range(1000))


@behaviour
def burns_every_core(engine: Engine, name: str) -> bool:
    """Compute in many processes instead of moving, for ever."""
    if name == "genmove":
        for _ in range(4):
            if os.fork() == 0:
                _count_for_ever()
        _count_for_ever()
    return False


@behaviour
def eats_memory_slowly(engine: Engine, name: str) -> bool:
    """Take memory bit by bit and use it, instead of moving."""
    kept = []
    while name == "genmove":
        kept.append(b"x" * (4 << 20))
        time.sleep(0.002)
    return False


@behaviour
def eats_memory_at_once(engine: Engine, name: str) -> bool:
    """Ask for more memory than there can be."""
    if name == "genmove":
        engine.answer(str(len(bytearray(1 << 40))))
    return False


@behaviour
def eats_memory_in_a_child(engine: Engine, name: str) -> bool:
    """Let a child take the memory, and wait for it."""
    if name == "genmove":
        child = os.fork()
        if child == 0:
            eats_memory_slowly(engine, name)
        os.waitpid(child, 0)
    return False


@behaviour
def forks_without_end(engine: Engine, name: str) -> bool:
    """Start as many processes as it is given."""
    while name == "genmove":
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
    return False


@behaviour
def starts_threads(engine: Engine, name: str) -> bool:
    """Start as many threads as it is given, and die of the refusal."""
    while name == "genmove":
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return False


@behaviour
def fills_the_disk(engine: Engine, name: str) -> bool:
    """Write to its scratch space until there is none."""
    number = 0
    while name == "genmove":
        number += 1
        with open(f"/tmp/{number}", "wb") as file:  # noqa: PTH123, S108
            file.write(b"x" * (1 << 20))
    return False


@behaviour
def writes_a_huge_file(engine: Engine, name: str) -> bool:
    """Write one file without end."""
    if name == "genmove":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        with open("/tmp/huge", "wb") as file:  # noqa: PTH123, S108
            while True:
                file.write(b"x" * (1 << 20))
    return False


LIMITED = (
    "burns_every_core",
    "eats_memory_slowly",
    "eats_memory_at_once",
    "eats_memory_in_a_child",
    "forks_without_end",
    "starts_threads",
    "fills_the_disk",
    "writes_a_huge_file",
)
"""Behaviours that only limits can stop; never let one run without."""


@behaviour
def names(engine: Engine, name: str) -> bool:
    """Call itself something else in each process, and nothing nice."""
    engine.name = f"{os.getpid()}<script>\x1b]0;x\x07'\"&\n" + "x" * 300
    return False


def main() -> None:
    """Behave as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--behaviour", choices=sorted(BEHAVIOURS), required=True)
    chosen = BEHAVIOURS[parser.parse_args().behaviour]
    if chosen is crash_at_start:
        chosen(Engine(), "")
    with contextlib.suppress(BrokenPipeError):
        Engine().run(chosen)
    sys.stderr.flush()


if __name__ == "__main__":
    main()
