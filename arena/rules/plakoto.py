"""Plakoto: fifteen checkers a side run a backgammon board from end to end; a lone enemy is pinned, not hit.

Source: the rules of SweBoard's Plakoto, in the readings of docs/rules.md. Dice are an input.

Points are always a side's own: 24 is where its checkers start, 1 its last point before bearing off, 0 stands
for off. Point p of one side is point 25 - p of the other.

A move is a tuple of checker moves (from, to), the empty tuple is `pass`. Moves that lead to the same
position are one move; of all its playable orders the canonical one has the fewest checker moves and among
those is the first by (from descending, to ascending).

How plays are found fast: during a side's turn the enemy stands still, so which points are open, which own
checkers are pinned and whether a pin ends the game are settled when the turn begins, and the turn's state is
nothing but the mover's free checkers. They are kept as one integer, four bits a point (no point can hold
more than 15), the lowest four counting the checkers borne off. A checker move is then one addition, and
equal integers are equal positions.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from arena.rules.base import (
    BLACK,
    WHITE,
    IllegalMoveError,
    MalformedMoveError,
    NoSuchMoveError,
    Outcome,
    Position,
    QuestionError,
    Rules,
    RulesError,
    colour_name,
)
from arena.rules.checks import check_choice, check_keys, check_object, check_whole, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arena.rules.base import Move

CHECKERS = 15
START = 24
"""The point where all checkers of a side start."""
HOME = 6
"""The highest point from which a checker may be borne off."""
OFF = 0

CheckerMove = tuple[int, int]
"""(from, to) in the mover's own points, to = OFF when borne off."""

Play = tuple[CheckerMove, ...]
"""A move: checker moves in the order they are made; empty for `pass`."""

_PASS: Play = ()
_MOST_CHECKER_MOVES = 4
_LONGEST_WORD = 4 * len("24/18,")
"""No move has more characters."""
_POINT_WORD = re.compile(r"[1-9]|1[0-9]|2[0-4]")
_PATH_FORM = r"[0-9]{1,3}(?:/[0-9]{1,3})*/(?:[0-9]{1,3}|off)"
_MOVE_FORM = re.compile(rf"{_PATH_FORM}(?:,{_PATH_FORM})*", re.IGNORECASE | re.ASCII)
_LETTERS = "BW"

_ON_BOARD = sum(1 << 4 * point for point in range(1, START + 1))
"""The lowest bit of each point's four."""
_ABOVE_HOME = 4 * (HOME + 1)
_AT_START = 4 * START

# By die and lowest bit of the point a checker leaves: the (from, to) made, and what it adds to the integer.
_CHECKER_MOVES: tuple[dict[int, CheckerMove], ...] = tuple(
    {4 * point: (point, max(OFF, point - die)) for point in range(1, START + 1)} for die in range(7)
)
_CHANGES: tuple[dict[int, int], ...] = tuple(
    {bit: (1 << 4 * end) - (1 << 4 * start) for bit, (start, end) in moves.items()}
    for moves in _CHECKER_MOVES
)


class Plakoto(Rules):
    """Plakoto; it has no settings."""

    game: ClassVar[str] = "plakoto"
    title: ClassVar[str] = "Plakoto"
    has_dice: ClassVar[bool] = True
    random_openings: ClassVar[bool] = False

    def __init__(self) -> None:
        self.size = None
        self.komi = None

    @classmethod
    def from_settings(cls, *, size: int | None = None, komi: int | None = None) -> Self:
        """Make the rules; size and komi must be None."""
        if size is not None:
            raise QuestionError(f"plakoto has one board only: size {shown(size)} not accepted")
        if komi is not None:
            raise QuestionError(f"plakoto has no komi: {shown(komi)} not accepted")
        return cls()

    def initial(self, first: int = BLACK) -> PlakotoPosition:
        """Return the starting position; `first` is the winner of the opening roll."""
        if first not in (BLACK, WHITE):
            raise QuestionError(f"{shown(first)} is no colour to begin with")
        position = PlakotoPosition(self)
        position.to_move = first
        return position

    def from_setup(self, setup: Mapping[str, Any]) -> PlakotoPosition:
        """Return the position of a `setup` object: `W`, `B`, `pinned`, `off`, `turn` (W), `dice`."""
        return _position_of_setup(self, setup)

    def parse_move(self, text: str) -> Move:
        """Turn `24/18,24/19`, `24/18/13`, `6/off` or `pass` into a move."""
        word = text.lower() if text.isascii() and len(text) <= _LONGEST_WORD else ""
        if word == "pass":
            return _PASS
        play: list[CheckerMove] = []
        for path in word.split(","):
            stops = path.split("/")
            points = [int(stop) for stop in stops[:-1] if _POINT_WORD.fullmatch(stop)]
            if stops[-1] == "off":
                points.append(OFF)
            elif _POINT_WORD.fullmatch(stops[-1]):
                points.append(int(stops[-1]))
            if len(points) < 2 or len(points) != len(stops):
                raise _no_word(
                    text, "write checker moves as 24/18,24/19, 24/18/13 or 6/off (24 is your start)"
                )
            play += pairwise(points)
        if len(play) > _MOST_CHECKER_MOVES:
            raise _no_word(text, f"a turn has at most {_MOST_CHECKER_MOVES} checker moves")
        return tuple(play)

    def format_move(self, move: Move) -> str:
        """Return the word of a move in the order of checker moves it has."""
        return _play_word(cast("Play", move))

    def longest_game(self) -> None:
        """Return None: dice that let nobody move may come up any number of times."""


class PlakotoPosition(Position):
    """One moment of a game of Plakoto."""

    rules: Plakoto

    def __init__(self, rules: Plakoto) -> None:
        self.rules = rules
        self.to_move = BLACK
        self.ply = 0
        self.is_over = False
        self.awaits_dice = True
        self._dice: tuple[int, int] | None = None
        # For each colour: free checkers (four bits a point, the lowest four: borne off), and pinned points
        # (a bit in the same place, since only a lone checker can be pinned).
        self._free = [CHECKERS << _AT_START, CHECKERS << _AT_START]
        self._pinned = [0, 0]
        self._winner: int | None = None
        self._reason = ""
        self._turn: _Turn | None = None

    def copy(self) -> Self:
        """Return an independent copy; what was found out about the present turn is shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._free = self._free.copy()
        twin._pinned = self._pinned.copy()
        return twin

    # --- What stands where -------------------------------------------------------------------------

    def points(self, colour: int) -> dict[int, int]:
        """Return own point -> checkers of a colour there, pinned ones included; empty points are absent."""
        men = self._free[colour] + self._pinned[colour]
        return {point: count for point in range(1, START + 1) if (count := men >> 4 * point & 15)}

    def pinned(self, colour: int) -> list[int]:
        """Return the own points, ascending, on which a checker of a colour is pinned."""
        return [point for point in range(1, START + 1) if self._pinned[colour] >> 4 * point & 1]

    def off(self, colour: int) -> int:
        """Return how many checkers a colour has borne off."""
        return self._free[colour] & 15

    def pip_count(self, colour: int) -> int:
        """Return how many points a colour's checkers have to run until all are off."""
        return sum(point * count for point, count in self.points(colour).items())

    # --- Dice --------------------------------------------------------------------------------------

    def set_dice(self, first: int, second: int) -> None:
        """Give the roll for the side to move; the order of the dice does not matter."""
        if self.is_over:
            raise RulesError("the game is over: no roll is due")
        if self._dice is not None:
            raise RulesError(f"no roll is due: {_roll_word(self._dice)} has not been played yet")
        for die in (first, second):
            if type(die) is not int or not 1 <= die <= 6:
                raise RulesError(f"a die shows 1 to 6, not {shown(die)}")
        self._dice = (first, second)
        self.awaits_dice = False
        self._turn = None

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll in force as it was given, None while one is due and after the end."""
        return self._dice

    # --- Moves -------------------------------------------------------------------------------------

    def legal_moves(self) -> list[Move]:
        """Return every move: fewest checker moves first, then by (from descending, to ascending)."""
        if self._dice is None:
            return []
        return list(self._present_turn().plays().values()) or [_PASS]

    def refusal(self, move: Move) -> str | None:
        """Say why a move is illegal here, None when this order of checker moves is playable."""
        if self.is_over:
            return "the game is over"
        if self._dice is None:
            return "the dice have not been thrown yet"
        if not _is_play(move):
            return f"{shown(move)} is no move of plakoto"
        arrival = self._present_turn().follow(cast("Play", move))
        return arrival if isinstance(arrival, str) else None

    def canonical(self, move: Move) -> Move:
        """Return the canonical order of a legal move."""
        why_not = self.refusal(move)
        if why_not is not None:
            raise IllegalMoveError(why_not)
        turn = self._present_turn()
        arrival = turn.follow(cast("Play", move))
        return turn.plays()[arrival] if isinstance(arrival, int) and move else _PASS

    def play(self, move: Move) -> None:
        """Make the checker moves of one turn, in whatever playable order they are given."""
        why_not = self.refusal(move)
        if why_not is not None:
            raise IllegalMoveError(why_not)
        for start, end in cast("Play", move):
            self._move_checker(start, end)
        if move:
            self._judge()
        self.to_move = 1 - self.to_move
        self.ply += 1
        self._dice = None
        self._turn = None
        self.awaits_dice = not self.is_over

    def _present_turn(self) -> _Turn:
        """Return what is settled for this turn, found out when it is first asked for."""
        if self._turn is None:
            mover = self.to_move
            self._turn = _Turn(
                cast("tuple[int, int]", self._dice),
                self._free[mover],
                self._pinned[mover],
                self._free[1 - mover],
                self._pinned[1 - mover],
                self.rules.colour_titles[mover],
                self.rules.colour_titles[1 - mover],
            )
        return self._turn

    def _move_checker(self, start: int, end: int) -> None:
        """Move a free checker of the side to move; set free whom it leaves, pin whom it lands on."""
        mover, enemy = self.to_move, 1 - self.to_move
        self._free[mover] += (1 << 4 * end) - (1 << 4 * start)
        left = 1 << 4 * (25 - start)
        if self._pinned[enemy] & left and not self._free[mover] >> 4 * start & 15:
            self._pinned[enemy] -= left
            self._free[enemy] += left
        landed = 1 << 4 * (25 - end)
        if end != OFF and self._free[enemy] >> 4 * (25 - end) & 15:
            self._free[enemy] -= landed
            self._pinned[enemy] += landed

    def _judge(self) -> None:
        """Say whether the game has ended, after the last checker move of a turn."""
        mover, enemy = self.to_move, 1 - self.to_move
        if self.off(mover) == CHECKERS:
            self._end(mover, "borne-off")
            return
        stuck = [bool(self._pinned[colour] >> _AT_START & 1) for colour in (BLACK, WHITE)]
        gone = [not self._free[colour] >> _AT_START for colour in (BLACK, WHITE)]
        if all(stuck):
            self._end(None, "both-start-points")
        elif stuck[enemy] and gone[mover]:
            self._end(mover, "start-point")
        elif stuck[mover] and gone[enemy]:
            self._end(enemy, "start-point")

    def _end(self, winner: int | None, reason: str) -> None:
        self.is_over = True
        self._winner = winner
        self._reason = reason

    # --- The end -----------------------------------------------------------------------------------

    def forfeit_points(self, loser: int) -> int:
        """Return what a win over `loser` counts: 2 if he has borne off none, else 1."""
        return 1 if self.off(loser) else 2

    def outcome(self) -> Outcome:
        """Return winner and points; the margin is points won by Black, negative when White won."""
        if not self.is_over:
            raise RulesError("the game is not over")
        points = 0 if self._winner is None else self.forfeit_points(1 - self._winner)
        margin = -points if self._winner == WHITE else points
        return Outcome(
            winner=self._winner,
            reasons=(self._reason,),
            result="0" if self._winner is None else f"{_LETTERS[self._winner]}+{points}",
            board_margin=margin,
            final_margin=margin,
            points=points,
            details={
                "off": {colour_name(colour): self.off(colour) for colour in (BLACK, WHITE)},
                "pip_counts": {colour_name(colour): self.pip_count(colour) for colour in (BLACK, WHITE)},
            },
        )

    def is_placement(self, move: Move) -> bool:
        """Return False: no piece is ever put down."""
        return False

    # --- Views -------------------------------------------------------------------------------------

    def diagram(self) -> list[str]:
        """Return the board in two halves of twelve points, each numbered for both sides.

        `B3` is three black checkers; `B1(W)` is one black checker on top of a pinned white one.
        """
        lines = []
        for half in (range(13, START + 1), range(12, 0, -1)):
            lines.append("Black's " + "".join(f"{point:>7}" for point in half))
            lines.append("        " + "".join(f"{self._content(point):>7}" for point in half))
            lines.append("White's " + "".join(f"{25 - point:>7}" for point in half))
        for colour, title in enumerate(self.rules.colour_titles):
            lines.append(f"{title}: {self.off(colour)} off, {self.pip_count(colour)} points to run")
        if self.is_over:
            lines.append("the game is over")
        else:
            roll = "a roll is due" if self._dice is None else f"dice {_roll_word(self._dice)}"
            lines.append(f"{self.rules.colour_titles[self.to_move]} to move, {roll}")
        return lines

    def _content(self, point: int) -> str:
        """Return what stands on a point of Black's numbering."""
        for colour, own in ((BLACK, point), (WHITE, 25 - point)):
            free = self._free[colour] >> 4 * own & 15
            if free:
                pins = self._pinned[1 - colour] >> 4 * (25 - own) & 1
                return f"{_LETTERS[colour]}{free}" + (f"({_LETTERS[1 - colour]})" if pins else "")
        return "."

    def as_setup(self) -> dict[str, Any]:
        """Return the position in the form of a `setup` object; `dice` only while a roll is in force."""
        setup: dict[str, Any] = {
            letter: {str(point): count for point, count in self.points(colour).items()}
            for colour, letter in enumerate(_LETTERS)
        }
        setup["pinned"] = {letter: self.pinned(colour) for colour, letter in enumerate(_LETTERS)}
        setup["off"] = {letter: self.off(colour) for colour, letter in enumerate(_LETTERS)}
        setup["turn"] = _LETTERS[self.to_move]
        if self._dice is not None:
            setup["dice"] = list(self._dice)
        return setup

    def key(self) -> str:
        """Return both sides' checkers, the side to move and the roll, whose order does not matter."""
        sides = " ".join(
            f"{free:x}/{pinned:x}" for free, pinned in zip(self._free, self._pinned, strict=True)
        )
        if self.is_over:
            return f"{sides} over {self._reason} {self._winner}"
        roll = "?" if self._dice is None else _roll_word(self._dice)
        return f"{sides} {_LETTERS[self.to_move]} {roll}"


class _Step(NamedTuple):
    """A first checker move with what it leads to."""

    checker_move: CheckerMove
    state: int
    dice_left: tuple[int, ...]


class _Turn:
    """One side's turn: which plays there are and why others are not.

    A *state* is the integer of the mover's free checkers, see the module's docstring.

    Args:
        dice: the roll, in any order.
        free: the mover's free checkers when the turn begins.
        pinned: the mover's pinned checkers; they stay pinned all through the turn.
        enemy_free: the enemy's free checkers in his own points.
        enemy_pinned: the enemy's pinned checkers in his own points.
        title: what people call the mover.
        enemy_title: what people call the enemy.
    """

    def __init__(
        self,
        dice: tuple[int, int],
        free: int,
        pinned: int,
        enemy_free: int,
        enemy_pinned: int,
        title: str,
        enemy_title: str,
    ) -> None:
        self._dice = (max(dice), min(dice)) if dice[0] != dice[1] else dice * 2
        self._free = free
        self._pinned = pinned
        self._enemy = enemy_free + enemy_pinned
        self._title = title
        self._enemy_title = enemy_title

        # Closed are points with two or more enemies, and those where an enemy holds an own checker pinned.
        closed = pinned
        blocks = (enemy_free >> 1 | enemy_free >> 2 | enemy_free >> 3) & _ON_BOARD
        while blocks:
            bit = blocks.bit_length() - 1
            blocks ^= 1 << bit
            closed |= 1 << 100 - bit
        self._open = _ON_BOARD & ~closed

        self._start_is_pinned = bool(pinned >> _AT_START)
        enemies_at_start = self._enemy >> _AT_START
        self._enemy_start_is_single = enemies_at_start == 1
        self._enemy_start_is_empty = enemies_at_start == 0
        self._can_end = (
            self._enemy_start_is_single
            or (self._start_is_pinned and self._enemy_start_is_empty)
            or (free & 15) + len(self._dice) >= CHECKERS
        )
        self._plays: dict[int, Play] | None = None

    def plays(self) -> dict[int, Play]:
        """Return the canonical play to each state that a legal play leads to, in canonical order."""
        if self._plays is None:
            self._plays = self._doubles() if len(self._dice) > 2 else self._two_dice()
        return self._plays

    def follow(self, play: Play) -> int | str:
        """Return the state that a play leads to, or say why it is not legal."""
        state = self._free
        left = list(self._dice)
        ended = False
        for start, end in play:
            if ended:
                return f"{_word((start, end))} comes too late: the checker move before it ends the game"
            if not left:
                return f"{_word((start, end))} is too many: the roll has {len(self._dice)} checker moves"
            pips = start - end
            # Where several dice bear a checker off it makes no difference which does: take the smallest.
            die = min((die for die in left if die >= pips), default=0) if end == OFF else pips
            why_not = self._why_no_step(state, start, end, die, left)
            if why_not is not None:
                return why_not
            left.remove(die)
            state += _CHANGES[die][4 * start]
            ended = self._can_end and self._ends(state)
        if ended or not left:
            return state
        plays = self.plays()
        # The length counts too: bearing off with one die may lead where a legal play gets with two.
        if (not play and not plays) or (state in plays and len(plays[state]) == len(play)):
            return state
        return self._why_incomplete(play, left)

    def _ends(self, state: int) -> bool:
        """Say whether a checker move that led to `state` ends the game."""
        if state & 15 == CHECKERS:
            return True
        if self._enemy_start_is_single and state >> 4 & 15:
            # The enemy's last start checker is pinned. He loses, or it is a draw if the mover's is pinned
            # too, unless the mover still has free checkers on his own start point.
            return not state >> _AT_START
        return self._start_is_pinned and self._enemy_start_is_empty

    # --- Finding plays -----------------------------------------------------------------------------

    def _movable(self, state: int, die: int) -> int:
        """Return the lowest bit of each point from which a free checker can move by `die`."""
        occupied = (state | state >> 1 | state >> 2 | state >> 3) & _ON_BOARD
        movable = occupied & self._open << 4 * die
        if not state >> _ABOVE_HOME and not self._pinned:
            exact = 1 << 4 * die
            if occupied >= exact:
                movable |= occupied & exact
            elif occupied:
                movable |= 1 << occupied.bit_length() - 1
        return movable

    def _steps(self, state: int, dice: tuple[int, ...]) -> list[_Step]:
        """Return all checker moves with one of two different dice (the larger first), in canonical order."""
        larger, smaller = dice
        with_larger, with_smaller = self._movable(state, larger), self._movable(state, smaller)
        with_any = with_larger | with_smaller
        steps = []
        while with_any:
            bit = with_any.bit_length() - 1
            with_any ^= 1 << bit
            left: tuple[int, ...] = ()
            if with_larger >> bit & 1:
                # A checker that either die bears off leaves the choice of the other die.
                left = dice if with_smaller >> bit & 1 and bit <= 4 * smaller else (smaller,)
                steps.append(_Step(_CHECKER_MOVES[larger][bit], state + _CHANGES[larger][bit], left))
            if with_smaller >> bit & 1 and left != dice:
                steps.append(_Step(_CHECKER_MOVES[smaller][bit], state + _CHANGES[smaller][bit], (larger,)))
        return steps

    def _two_dice(self) -> dict[int, Play]:
        """Return the plays of two different dice.

        First checker moves, and second ones after each, are tried in canonical order. So the first play
        found to a state is its canonical one, and the order of finding is the canonical order of the list.
        """
        larger = self._dice[0]
        steps = self._steps(self._free, self._dice)
        ending = {
            state: (checker_move,)
            for checker_move, state, _ in (steps if self._can_end else ())
            if self._ends(state)
        }
        both: dict[int, Play] = {}
        for first, state, left in steps:
            if state in ending:
                continue
            if len(left) > 1:
                for second, arrival, _ in self._steps(state, left):
                    both.setdefault(arrival, (first, second))
                continue
            checker_moves, changes = _CHECKER_MOVES[left[0]], _CHANGES[left[0]]
            movable = self._movable(state, left[0])
            while movable:
                bit = movable.bit_length() - 1
                movable ^= 1 << bit
                arrival = state + changes[bit]
                if arrival not in both:
                    both[arrival] = (first, checker_moves[bit])
        if both:
            return {**ending, **{state: play for state, play in both.items() if state not in ending}}
        larger_can = any(left != (larger,) for _, _, left in steps)
        return {
            state: (checker_move,)
            for checker_move, state, left in steps
            if state in ending or not larger_can or left != (larger,)
        }

    def _doubles(self) -> dict[int, Play]:
        """Return the plays of a double.

        Each level holds the states after one more checker move, with the canonical play to each, in the
        canonical order of those plays; continued in that order, it yields the next level in the same form.
        """
        die = self._dice[0]
        checker_moves, changes = _CHECKER_MOVES[die], _CHANGES[die]
        ending: dict[int, Play] = {}
        level: dict[int, Play] = {self._free: _PASS}
        for _ in self._dice:
            ended = {
                state: play for state, play in level.items() if play and self._can_end and self._ends(state)
            }
            following: dict[int, Play] = {}
            for state, play in level.items():
                if state in ended:
                    continue
                movable = self._movable(state, die)
                while movable:
                    bit = movable.bit_length() - 1
                    movable ^= 1 << bit
                    arrival = state + changes[bit]
                    if arrival not in following:
                        following[arrival] = (*play, checker_moves[bit])
            if not following:
                break
            ending |= ended
            level = following
        level.pop(self._free, None)
        return {**ending, **level}

    # --- Saying why not ----------------------------------------------------------------------------

    def _why_no_step(self, state: int, start: int, end: int, die: int, left: Sequence[int]) -> str | None:
        """Say why one checker move with `die` (0: none suffices) is not playable, None when it is."""
        word = _word((start, end))
        if end >= start:
            return f"{word} goes backwards: checkers run from 24 down to 1 and off"
        if not state >> 4 * start & 15:
            if self._pinned >> 4 * start & 1:
                return f"the checker on {start} is pinned"
            return f"{self._title} has no checker on {start}"
        if end == OFF:
            return self._why_not_off(state, start, die, left)
        if die > 6:
            return f"{word} is further than a die goes: name every step, as in 24/18/13"
        if die not in left:
            return f"{word} needs a {die}: {_dice_left(left)}"
        if not self._open >> 4 * end & 1:
            enemy = self._enemy_title.lower()
            if self._pinned >> 4 * end & 1:
                return f"point {end} is blocked: {enemy} holds a checker pinned there"
            return f"point {end} is blocked by {self._enemy >> 4 * (25 - end) & 15} {enemy} checkers"
        return None

    def _why_not_off(self, state: int, start: int, die: int, left: Sequence[int]) -> str | None:
        """Say why a free checker on `start` may not be borne off with `die`, None when it may."""
        if self._pinned:
            return f"bearing off waits as long as the checker on {_highest(self._pinned)} is pinned"
        highest = _highest(state)
        if highest > HOME:
            return f"bearing off needs all checkers in {HOME} to 1: there is one on {highest}"
        if not die:
            return f"{start}/off needs a {start} or more: {_dice_left(left)}"
        if die > start and highest > start:
            return (
                f"a {die} bears off from {start} only when no checker is behind it: there is one on {highest}"
            )
        return None

    def _why_incomplete(self, play: Play, left: Sequence[int]) -> str:
        """Say what else is due after a play of good checker moves that leaves dice unused."""
        plays = self.plays()
        example = next(reversed(plays.values()))
        if not play:
            return f"pass is allowed only when nothing can be moved: {_play_word(example)} is possible"
        if len(play) == len(example):
            return (
                f"only one die can be played, and the {self._dice[0]} can: so it must be the {self._dice[0]}"
            )
        if len(self._dice) == 2:
            return f"both dice must be played: {_play_word(play)} alone leaves the {left[0]} unused"
        return (
            f"{len(example)} checker moves of {self._dice[0]} must be played: "
            f"{_play_word(play)} has only {len(play)}"
        )


def opening_turn(throws: Iterable[Sequence[int]]) -> tuple[int, tuple[int, int]]:
    """Return who starts and the dice of the first turn, the higher first, from the opening throws.

    Args:
        throws: [Black's die, White's die] of each throw; all but the last are ties.

    Raises:
        QuestionError: no throw decides, or one comes after the deciding one, or a die outside 1 to 6.
    """
    opening: tuple[int, tuple[int, int]] | None = None
    for throw in throws:
        if opening is not None:
            raise QuestionError("opening throws: another one after the one that decides")
        if not isinstance(throw, (list, tuple)) or len(throw) != 2:
            raise QuestionError(f"an opening throw is one die a side, not {shown(throw)}")
        black, white = (check_whole(die, 1, 6, "a die of the opening") for die in throw)
        if black != white:
            opening = (BLACK, (black, white)) if black > white else (WHITE, (white, black))
    if opening is None:
        raise QuestionError("opening throws: none decides who starts")
    return opening


# --- Words -----------------------------------------------------------------------------------------


def _word(checker_move: CheckerMove) -> str:
    start, end = checker_move
    return f"{start}/{end or 'off'}"


def _play_word(play: Play) -> str:
    return ",".join(map(_word, play)) or "pass"


def _roll_word(dice: tuple[int, int]) -> str:
    """Return the roll with the larger die first."""
    return f"{max(dice)}-{min(dice)}"


def _dice_left(left: Sequence[int]) -> str:
    if len(left) == 1:
        return f"the die left is a {left[0]}"
    return f"the dice left are {', '.join(map(str, left))}"


def _no_word(text: str, advice: str) -> MalformedMoveError:
    error = NoSuchMoveError if _MOVE_FORM.fullmatch(text) else MalformedMoveError
    return error(f"{shown(text)} is no plakoto move: {advice}")


def _highest(men: int) -> int:
    """Return the highest point on which there is a checker."""
    return (men.bit_length() - 1) // 4


def _is_play(move: object) -> bool:
    """Say whether a value has the form of a move, so that it can be followed."""
    return (
        isinstance(move, tuple)
        and len(move) <= _MOST_CHECKER_MOVES
        and all(
            isinstance(step, tuple)
            and len(step) == 2
            and all(type(point) is int and OFF <= point <= START for point in step)
            and step[0] != OFF
            for step in move
        )
    )


# --- Set-up positions ------------------------------------------------------------------------------


def _position_of_setup(rules: Plakoto, setup: object) -> PlakotoPosition:
    """Check a set-up object and build its position."""
    given = check_object(setup, "setup")
    check_keys(given, ("W", "B", "pinned", "off", "turn", "dice"), "setup")
    position = PlakotoPosition(rules)
    pinned_points = _object_of_sides(given.get("pinned", {}), "setup pinned")
    off = _object_of_sides(given.get("off", {}), "setup off")
    for colour, letter in enumerate(_LETTERS):
        pinned = _pinned_of_setup(pinned_points.get(letter, []), f"setup pinned {letter}")
        borne_off = check_whole(off.get(letter, 0), 0, CHECKERS - 1, f"setup off {letter}")
        men = _points_of_setup(given.get(letter), f"setup {letter}") + borne_off
        for point in pinned:
            if men >> 4 * point & 15 != 1:
                raise QuestionError(f"setup pinned {letter}: on {point} there is not exactly one own checker")
            position._pinned[colour] |= 1 << 4 * point
        position._free[colour] = men - position._pinned[colour]
        checkers = borne_off + sum(position.points(colour).values())
        if checkers != CHECKERS:
            raise QuestionError(f"setup {letter}: {checkers} checkers on the board and off, not {CHECKERS}")
    for colour in (BLACK, WHITE):
        _check_shared_points(position, colour)

    position.to_move = _LETTERS.index(check_choice(given.get("turn", "W"), _LETTERS, "setup turn"))
    dice = given.get("dice")
    if dice is not None:
        if not isinstance(dice, list) or len(dice) != 2:
            raise QuestionError(f"setup dice must be a list of two dice, not {shown(dice)}")
        first, second = (check_whole(die, 1, 6, "a die of setup dice") for die in dice)
        position.set_dice(first, second)
    return position


def _object_of_sides(value: object, where: str) -> Mapping[str, Any]:
    sides = check_object(value, where)
    check_keys(sides, _LETTERS, where)
    return sides


def _points_of_setup(value: object, where: str) -> int:
    """Return the integer of a side's checkers on the board, four bits a point."""
    men = 0
    for word, count in check_object(value, where).items():
        if not _POINT_WORD.fullmatch(word):
            raise QuestionError(f"{where}: a point is 1 to {START}, not {shown(word)}")
        men += check_whole(count, 1, CHECKERS, f"{where} {word}") << 4 * int(word)
    return men


def _pinned_of_setup(value: object, where: str) -> list[int]:
    if not isinstance(value, list) or len(value) > CHECKERS:
        raise QuestionError(f"{where} must be a list of points, not {shown(value)}")
    points = [check_whole(point, 1, START, f"{where}: a point") for point in value]
    if len(set(points)) != len(points):
        raise QuestionError(f"{where}: a point stands there twice")
    return points


def _check_shared_points(position: PlakotoPosition, colour: int) -> None:
    """Refuse points of one side on which both stand and it is not clear, or impossible, who pins whom."""
    own, enemy = _LETTERS[colour], _LETTERS[1 - colour]
    for point in range(1, START + 1):
        free = position._free[colour] >> 4 * point & 15
        enemy_free = position._free[1 - colour] >> 4 * (25 - point) & 15
        pinned = position._pinned[colour] >> 4 * point & 1
        if free and enemy_free:
            raise QuestionError(f"setup: {own} and {enemy} both stand on {own}'s {point}, and none is pinned")
        if pinned and not enemy_free:
            raise QuestionError(f"setup pinned {own}: no {enemy} checker holds the one on {point}")
        if pinned and point == 1:
            raise QuestionError(f"setup pinned {own}: {enemy} cannot land on his own start point, {own}'s 1")
