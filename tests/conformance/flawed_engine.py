"""An engine for all games that is right but for one flaw: `flawed_engine.py FLAW`."""

from __future__ import annotations

import itertools
import os
import sys
import time
from random import Random
from typing import TYPE_CHECKING

from arena.rules.base import RulesError
from arena.rules.registry import rules_class
from protocol.sdk import Refusal, run
from sample_engines.random_player import RandomPlayer

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.rules.base import Move, Position
    from protocol.sdk import ColourWord, TurnClock

FLAW = sys.argv[1]


class Flawed(RandomPlayer):
    """Plays at random, with one flaw."""

    name = "flawed"
    limits = ("playouts",) if FLAW == "ignores-seed-and-limit" else ()

    def new_game(self) -> None:
        """Begin, unless clear_board is what it ignores."""
        if FLAW == "ignores-clear-board" and getattr(self, "began", False):
            return
        self.began = True
        super().new_game()
        if FLAW in ("ignores-seed", "ignores-seed-and-limit"):
            self.random = Random()
        if FLAW == "remembers" and self.seed is not None:
            self.games_begun = getattr(self, "games_begun", 0) + 1
            self.random = Random(self.seed + self.games_begun // 2)

    def accepts_size(self, size: int) -> bool:
        """Accept what the flaw says."""
        if FLAW == "one-board":
            return size in rules_class(self._game()).sizes
        return FLAW == "any-size" or super().accepts_size(size)

    def knows_game(self, game: str) -> bool:
        """Know every game, if that is the flaw."""
        return FLAW == "unknown-game-taken" or super().knows_game(game)

    def choose(self, position: Position) -> Move:
        """Choose, slowly or wrongly where that is the flaw."""
        moves = position.legal_moves()
        if FLAW == "slow":
            time.sleep(0.3)
        if FLAW == "thinks-for-ever":
            for _ in itertools.count():
                pass
        if FLAW == "ends-in-the-middle" and position.ply > 20:
            print("something broke", file=sys.stderr)
            os._exit(7)
        if FLAW == "refuses":
            raise Refusal("I do not know")
        return self.random.choice(moves)

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Answer with the flaw."""
        position = self._position_for(colour)
        if FLAW == "blind-to-control" and not position.is_over:
            # Takes every empty point for a legal one.
            words = [self.rules.format_move(move) for move in position.legal_moves()]
            for column, row in itertools.product("ABCDEFGHJ", range(9, 0, -1)):
                word = f"{column}{row}"
                try:
                    move = self.rules.parse_move(word)
                except RulesError:
                    continue
                if word not in words and "controlled" in (position.refusal(move) or ""):
                    return word
        return super().genmove(colour, clock)

    def play(self, colour: ColourWord, move: str) -> None:
        """Play; a wrong move of its own is kept to itself."""
        try:
            super().play(colour, move)
        except Refusal:
            if FLAW != "blind-to-control":
                raise


def one_at_a_time(answer: Callable[[str], str], *, flush: bool, ending: str = "\n\n") -> None:
    """Read a line, answer a line, by the language's own buffered streams."""
    # A buffer of its own: PYTHONUNBUFFERED must not mend the flaw.
    output = open(1, "w", buffering=65536, encoding="ascii", closefd=False)  # noqa: SIM115
    for line in sys.stdin:
        if line.strip():
            output.write(f"{answer(line.strip())}{ending}")
            if flush:
                output.flush()
            if line.strip() == "quit":
                return


def plain(line: str) -> str:
    """Answer the start-up commands."""
    known = (
        "name version protocol_version list_commands quit boardsize komi clear_board play genmove arena-game"
    )
    match line.split()[0]:
        case "protocol_version":
            return "= 2"
        case "list_commands":
            return "= " + "\n".join(known.split())
        case "name" | "version":
            return "= flawed"
        case _:
            return "= "


def main() -> None:
    """Run the engine."""
    match FLAW:
        case "never-flushes":
            one_at_a_time(plain, flush=False)
        case "no-empty-line":
            one_at_a_time(plain, flush=True, ending="\n")
        case "never-answers":
            for _ in sys.stdin:
                pass
        case "one-of-two":
            one_of_two()
        case "will-not-leave":
            engine = Flawed()
            run(engine)
            time.sleep(60)
        case "chatters":
            print("welcome\n", flush=True)
            run(Flawed())
        case "one-board":
            one_board()
        case _:
            run(Flawed())


def one_board() -> None:
    """Accept every size, and play on the first one."""

    class OneBoard(Flawed):
        def new_game(self) -> None:
            wanted, self.size = self.size, 9
            super().new_game()
            self.size = wanted

    run(OneBoard())


def one_of_two() -> None:
    """Answer the first of joined commands only: `select` does not see what a buffered reader holds."""
    import select

    while True:
        select.select([sys.stdin], [], [])
        line = sys.stdin.readline()
        if not line or line.strip() == "quit":
            return
        if line.strip() == "genmove black":
            print("= A1\n", flush=True)
        else:
            print(plain(line.strip()) + "\n", flush=True)


if __name__ == "__main__":
    main()
