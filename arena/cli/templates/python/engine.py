#!/usr/bin/env python3
"""A complete engine for Pletore in one file, with nothing but Python's standard library.

It looks one move ahead and takes the best by a small evaluation, by chance among equals. To make it your own,
change `choose`. Above it are the rules, below it the protocol: GTP 2 with arena- extensions.
"""

import random
import sys
import time

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
BLACK, WHITE = 0, 1


class Position:
    """One moment of a game. A move is a point (row * size + column), "button" or "pass"."""

    def __init__(self, size, komi):
        """Set up the empty board."""
        self.size = size
        self.komi = komi
        self.board = [0] * (size * size)  # 0 empty, 1 Black, 2 White
        self.to_move = BLACK
        self.turns = 0
        self.passes = 0
        self.button = "free" if (size - komi) % 2 == 0 else "unused"
        self.forbidden = None  # where White's first stone may not stand on even boards: opposite Black's

    def copy(self):
        """Return an independent copy."""
        twin = Position.__new__(Position)
        twin.__dict__.update(self.__dict__)
        twin.board = self.board[:]
        return twin

    @property
    def is_over(self):
        """Whether both sides have passed in succession."""
        return self.passes == 2

    def pinchers(self, point):
        """Return the players who see a point along its row and along its column, as a mask of 1 and 2."""
        size, board = self.size, self.board
        row = point // size
        across = first(board, range(point - 1, row * size - 1, -1))
        across |= first(board, range(point + 1, (row + 1) * size))
        along = first(board, range(point - size, -1, -size)) | first(
            board, range(point + size, size * size, size)
        )
        return across & along

    def legal_moves(self):
        """Return every legal move."""
        if self.is_over:
            return []
        own = self.to_move + 1
        moves = []
        is_settled = True
        for point, stone in enumerate(self.board):
            by = self.pinchers(point)
            if not stone:
                is_settled = is_settled and by in (1, 2)
                if by != 3 - own and point != self.forbidden:
                    moves.append(point)
            elif stone != own and by == own:
                moves.append(point)
        if self.button == "free":
            moves.append("button")
        elif is_settled:
            moves.append("pass")
        return moves

    def play(self, move):
        """Make a legal move."""
        self.forbidden = None
        self.passes = self.passes + 1 if move == "pass" else 0
        if move == "button":
            self.button = self.to_move
        elif move != "pass":
            self.board[move] = self.to_move + 1
            if self.turns == 0 and self.size % 2 == 0:
                self.forbidden = self.size * self.size - 1 - move
        self.to_move = 1 - self.to_move
        self.turns += 1

    def word_of(self, move):
        """Return a move as the protocol writes it."""
        return move if isinstance(move, str) else f"{COLUMNS[move % self.size]}{move // self.size + 1}"


def first(board, points):
    """Return the first stone on these points, 0 if there is none."""
    for point in points:
        if board[point]:
            return board[point]
    return 0


def evaluate(position, side):
    """Return what a position is worth to the side that has just moved, in points."""
    worth = 0.5 if position.button == side else 0.0
    for point, stone in enumerate(position.board):
        by = position.pinchers(point)
        owner = stone or by
        worth += 1 if owner == side + 1 else -1 if owner == 2 - side else 0
        if stone and by == 3 - stone:  # it can be flipped
            worth += -4 if stone == side + 1 else 2
    return worth


def choose(position, seconds):
    """Return the move to play, the best of those that could be looked at in this time."""
    best, best_worth = [], None
    end = time.monotonic() + seconds
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        worth = evaluate(after, position.to_move)
        if best_worth is None or worth > best_worth:
            best, best_worth = [], worth
        if worth == best_worth:
            best.append(move)
        if time.monotonic() > end:
            break
    return random.choice(best)


class RefusalError(Exception):
    """Answers a command with `?` and a message."""


class Engine:
    """What is known between two commands; one method a command, named in `COMMANDS`."""

    def __init__(self):
        """Begin with the usual board."""
        self.size, self.komi = 9, 0
        self.seconds_left, self.moves_to_come = 60.0, 20
        self.position = Position(self.size, self.komi)

    def begin(self):
        """Begin a new game."""
        self.position = Position(self.size, self.komi)

    def arena_game(self, game):
        """Accept the one game there is."""
        if game != "pletore":
            raise RefusalError("unknown game")

    def boardsize(self, word):
        """Set the size."""
        if not word.isdigit() or not 1 <= int(word) <= 25:
            raise RefusalError("unacceptable size")
        self.size = int(word)
        self.begin()

    def set_komi(self, word):
        """Set komi, a whole number."""
        try:
            self.komi = int(word)
        except ValueError:
            raise RefusalError("komi must be a whole number") from None
        if self.position.turns == 0:
            self.begin()

    def time_settings(self, text):
        """Take note of the time control: a fixed time for each move is not saved for later."""
        self.moves_to_come = 2 if text.endswith("/move") else 20

    def clock(self, *fields):
        """Take note of the time left for the move to come."""
        key = f"{('black', 'white')[self.position.to_move]}_ms="
        for field in fields:
            if field.startswith(key) and field[len(key) :].isdigit():
                self.seconds_left = int(field[len(key) :]) / 1000

    def check_turn(self, colour):
        """Refuse a move of the side that is not to move."""
        if self.position.is_over:
            raise RefusalError("the game is over")
        if colour.lower()[:1] != "bw"[self.position.to_move]:
            raise RefusalError("it is the other side's turn")

    def play(self, colour, word):
        """Take note of a move."""
        self.check_turn(colour)
        moves = {self.position.word_of(move).lower(): move for move in self.position.legal_moves()}
        if word.lower() not in moves:
            raise RefusalError("illegal move")
        self.position.play(moves[word.lower()])

    def genmove(self, colour):
        """Choose a move, play it and name it."""
        self.check_turn(colour)
        move = choose(self.position, self.seconds_left / self.moves_to_come)
        word = self.position.word_of(move)
        self.position.play(move)
        return word

    def legal_moves(self):
        """Return the legal moves; the checks ask for them."""
        return " ".join(map(self.position.word_of, self.position.legal_moves()))


ENGINE = Engine()
COMMANDS = {
    "protocol_version": lambda: "2",
    "name": lambda: "my engine",
    "version": lambda: "1",
    "list_commands": lambda: "\n".join(COMMANDS),
    "quit": lambda: "",
    "arena-games": lambda: "pletore",
    "arena-game": ENGINE.arena_game,
    "arena-seed": random.seed,
    "arena-time_settings": ENGINE.time_settings,
    "arena-clock": ENGINE.clock,
    "boardsize": ENGINE.boardsize,
    "komi": ENGINE.set_komi,
    "clear_board": ENGINE.begin,
    "play": ENGINE.play,
    "genmove": ENGINE.genmove,
    "gogui-rules_legal_moves": ENGINE.legal_moves,
}


def answer(words):
    """Return the whole reply to a command, given as words."""
    number = words.pop(0) if words[0].isdigit() else ""
    if not words or words[0] not in COMMANDS:
        return f"?{number} unknown command\n\n"
    try:
        return f"={number} {COMMANDS[words[0]](*words[1:]) or ''}\n\n"
    except (RefusalError, TypeError) as error:
        return f"?{number} {error}\n\n"


def main():
    """Answer commands until `quit` or the end of the input."""
    for line in sys.stdin:
        words = line.partition("#")[0].split()
        if words:
            has_quit = "quit" in words[:2]
            sys.stdout.write(answer(words))
            sys.stdout.flush()
            if has_quit:
                break


if __name__ == "__main__":
    main()
