"""A first engine: plays Pente on points that were never used, near its own last stone when it can."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from protocol.sdk import Engine, run

if TYPE_CHECKING:
    from protocol.sdk import ColourWord, TurnClock

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class FirstEngine(Engine):
    """Knows nothing of five in a row, but always plays a legal move."""

    name = "first engine"
    version = "1.0"
    games = ("pente",)
    sizes = range(5, 26, 2)

    def new_game(self) -> None:
        """Begin with an empty board of `self.size` lines."""
        size = self.size or 19
        self.centre = (size // 2, size // 2)
        self.unused = {(column, row) for column in range(size) for row in range(size)}
        self.last: dict[ColourWord, tuple[int, int]] = {}
        self.random = Random(self.seed)

    def play(self, colour: ColourWord, move: str) -> None:
        """Take note of a move, the opponent's or our own."""
        point = (COLUMNS.index(move[0].upper()), int(move[1:]) - 1)
        self.unused.discard(point)
        self.last[colour] = point

    def genmove(self, colour: ColourWord, clock: TurnClock) -> str:
        """Return a move; it is played afterwards, by `play`."""
        if not self.last:
            return self.word(self.centre)
        if not self.unused:
            return "resign"
        x, y = self.last.get(colour, self.centre)
        near = [point for point in self.unused if abs(point[0] - x) <= 1 and abs(point[1] - y) <= 1]
        self.info(nodes=len(self.unused), mood="curious" if near else "lost")
        return self.word(self.random.choice(sorted(near or self.unused)))

    def word(self, point: tuple[int, int]) -> str:
        """Return a point as the protocol writes it, `K10`."""
        return f"{COLUMNS[point[0]]}{point[1] + 1}"


if __name__ == "__main__":
    run(FirstEngine())
