"""Does a stored game hold? It is replayed through the rules core, and everything derivable is derived again.

What is checked: that the game is the one that was scheduled (pair, settings, seed, opening, who had which
colour); every die against the published key; every move, its legality and canonical form; every call of the
referee; the final position; and the verdict: where the board decided, the board's word is the only one, and
where an engine failed or resigned, winner, result, points and the refused move must fit that. What cannot be
known afterwards is believed: how long a think took, and what an engine did that failed.

Each problem is a sentence that names the game and the ply (0: before the first move). Nothing in a record is
trusted, not even to be short.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Literal

from arena.core import verdict as verdicts
from arena.core.adjudicate import by_own_word, finished, search
from arena.core.dice import Dice, dice_ident, game_key, starter
from arena.core.seal import altered_ply
from arena.core.verdict import FAULTS, Reason, Verdict
from arena.rules.base import BLACK, WHITE, Outcome, RulesError, colour_name
from arena.rules.registry import make_rules
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.core.event import Adjudication, ScheduledGame
    from arena.core.record import Adjudged, GameRecord
    from arena.rules.base import Position, Rules

_MOVERS_FAULTS = frozenset({Reason.TIME, Reason.HANG, Reason.ILLEGAL_MOVE})
"""Faults that only the side to move can commit once the game has begun."""

_REFUSALS = frozenset({Reason.ILLEGAL_MOVE, Reason.MALFORMED_REPLY})

_GAME_ID = re.compile(r"[0-9A-Za-z.-]{1,40}")

_SHOWN_CHARACTERS = 60


def check_record(
    record: GameRecord,
    scheduled: ScheduledGame | None,
    dice_key: bytes | None,
    dice_mode: Literal["independent", "duplicate"],
    *,
    names: Sequence[str] | None = None,
    seal: bytes | None = None,
    adjudication: Adjudication | None = None,
) -> list[str]:
    """Replay one record and return everything that is wrong with it.

    Args:
        record: what the store kept.
        scheduled: the game as the event's schedule has it; None: the schedule no longer has it, and only what
            the record says of itself is checked.
        dice_key: the event's key; None while it is secret: rolls are then checked for form only.
        dice_mode: the event's `dice`.
        names: the entries' names in the event's order; None: who played is not checked.
        seal: what `arena.core.seal` made of the record when the game ended; None: the store has none, and an
            altered move may show at a later ply or, where it makes no difference in the end, not at all.
        adjudication: how the event decides games before their end: what it decided is found again. None: it
            is not known, and an adjudicated game is only checked for its form.

    Returns:
        Problems, a sentence each, in the order in which they were met; empty when the record holds.
    """
    check = _Check(record, scheduled, names, adjudication)
    if seal is not None:
        check.seal(seal)
    if scheduled is not None:
        check.schedule(scheduled)
    check.pie()
    try:
        rules = make_rules(record.game, size=record.size, komi=record.komi)
    except RulesError as error:
        check.say(0, f"the rules cannot be set up: {error}")
        return check.problems
    dice = None
    if rules.has_dice and dice_key is not None:
        dice = Dice(game_key(dice_key, dice_ident(scheduled or record, record.attempt, dice_mode)))
    position = check.replay(rules, dice)
    if position is not None:
        check.verdict(position)
    return check.problems


class _Check:
    def __init__(
        self,
        record: GameRecord,
        scheduled: ScheduledGame | None,
        names: Sequence[str] | None,
        adjudication: Adjudication | None,
    ) -> None:
        self.problems: list[str] = []
        self._record = record
        self._scheduled = scheduled
        self._names = names
        self._adjudication = adjudication
        self._movers: list[int] = []
        self._last_ply = len(record.moves)
        self._name = record.id if _GAME_ID.fullmatch(record.id) else _shown(record.id)

    def say(self, ply: int, what: str) -> None:
        self.problems.append(f"game {self._name}, ply {ply}: {what}")

    def _expect(self, ply: int, what: str, recorded: object, expected: object, source: str) -> bool:
        if recorded == expected:
            return True
        self.say(ply, f"{what} is {_shown(recorded)}, {source} {_shown(expected)}")
        return False

    def seal(self, seal: bytes) -> None:
        """Compare the record with the seal that was made of it when the game ended.

        An annulled game had another verdict then, so only its plies can be compared.
        """
        ply = altered_ply(self._record, seal)
        if ply == 0 and self._record.verdict.reason != Reason.ANNULLED:
            self.say(0, "players, settings, verdict or margins are not those that were stored at the end")
        elif ply:
            self.say(ply, "the move, its roll, call or time is not the one that was stored at the end")

    # ---- what was scheduled -------------------------------------------------------------------------

    def schedule(self, scheduled: ScheduledGame) -> None:
        """Compare the record with the schedule; ordinal and round may shift when an event is extended."""
        record = self._record
        for name in ("id", "pair", "game", "size", "seed"):
            self._expect(0, name, getattr(record, name), getattr(scheduled, name), "the schedule says")
        if scheduled.komi != "pie":
            self._expect(0, "komi", record.komi, scheduled.komi, "the schedule says")
        self._opening(scheduled)
        self._players(scheduled)

    def _opening(self, scheduled: ScheduledGame) -> None:
        record, opening = self._record, scheduled.opening
        self._expect(0, "the opening", record.opening, opening.label, "the seed gives")
        plies = min(len(opening.moves), len(record.moves))
        self._expect(0, "the number of opening plies", record.opening_plies, plies, "the schedule gives")
        for ply, (move, derived) in enumerate(zip(record.moves, opening.moves, strict=False), start=1):
            self._expect(ply, "the opening move", move, derived, "the seed gives")
        if record.moves and len(record.moves) < len(opening.moves):
            self.say(
                self._last_ply,
                f"the game breaks off inside its opening of {counted(len(opening.moves), 'move')}",
            )

    def _players(self, scheduled: ScheduledGame) -> None:
        if self._names is None:
            return
        record = self._record
        entries = [scheduled.black, scheduled.white]
        if record.pie is not None and record.pie.proposer == WHITE:
            entries.reverse()
        for side, identity in enumerate((record.black, record.white)):
            expected = self._names[entries[side]]
            self._expect(0, f"the player of {colour_name(side)}", identity.name, expected, "it should be")

    def pie(self) -> None:
        """Check that komi and colours follow from what the players said."""
        record, pie = self._record, self._record.pie
        is_pie = pie is not None if self._scheduled is None else self._scheduled.komi == "pie"
        if not is_pie:
            if pie is not None:
                self.say(0, "komi was settled by the players, but it is fixed in this event")
            return
        if pie is None:
            if record.moves or record.komi is not None:
                self.say(0, "nothing is recorded of how the players settled komi")
            return
        is_settled = pie.side_chosen is not None
        self._expect(
            0, "komi", record.komi, pie.komi_offered if is_settled else None, "the players agreed on"
        )
        proposer = 1 - pie.side_chosen if pie.side_chosen is not None else BLACK
        self._expect(0, "the proposer's colour", pie.proposer, proposer, "the choice gives")
        if not is_settled and record.moves:
            self.say(0, "moves were played before the players had settled komi")
        if pie.komi_offered is None:
            if is_settled:
                self.say(0, "a side was chosen though no komi was offered")
        elif record.size is not None and abs(pie.komi_offered) > record.size**2:
            self.say(0, f"the komi offered, {pie.komi_offered}, is beyond the {record.size**2} allowed")

    # ---- the moves ----------------------------------------------------------------------------------

    def replay(self, rules: Rules, dice: Dice | None) -> Position | None:
        """Play all moves; return the position reached, or None when that is not possible."""
        record = self._record
        self._lengths(rules)
        first = self._starter(rules, dice)
        if first is None:
            return None
        position = rules.initial(first)
        for ply, word in enumerate(record.moves, start=1):
            if rules.has_dice and not self._throw(position, ply, dice):
                return None
            try:
                move = rules.parse_move(word)
                refused = position.refusal(move)
                if refused is None:
                    self._movers.append(position.to_move)
                    canonical = rules.format_move(position.canonical(move))
                    self._expect(ply, "the move", word, canonical, "its canonical form is")
                    position.play(move)
            except RulesError as error:
                refused = str(error)
            if refused is not None:
                self.say(ply, f"the move {_shown(word)} cannot be played: {refused}")
                return None
            announced = record.announcements[ply - 1] if ply <= len(record.announcements) else None
            self._expect(ply, "the call", announced, position.announcement, "the rules say")
        if rules.has_dice:
            self._throw_of_a_broken_turn(position, dice)
        if (record.final_position or record.moves) and record.final_position != position.key():
            self.say(self._last_ply, "the final position is not the one that the moves lead to")
        return position

    def _lengths(self, rules: Rules) -> None:
        record, plies = self._record, self._last_ply
        self._expect(plies, "the number of times", len(record.time_us), plies, "the number of moves is")
        if record.announcements:
            calls = len(record.announcements)
            self._expect(plies, "the number of calls", calls, plies, "the number of moves is")
        for ply, spent_us in enumerate(record.time_us, start=1):
            if (spent_us is None) != (ply <= record.opening_plies):
                whose = (
                    "an opening move has a time" if spent_us is not None else "the time of a move is missing"
                )
                self.say(ply, whose)
        if rules.has_dice:
            if not plies <= len(record.dice) <= plies + 1:
                self.say(
                    min(plies, len(record.dice)) + 1,
                    f"{counted(len(record.dice), 'roll')} for {counted(plies, 'move')}",
                )
        elif record.dice or record.opening_roll:
            self.say(0, f"dice are recorded, but {rules.title} has none")

    def _starter(self, rules: Rules, dice: Dice | None) -> int | None:
        """Return who moves first, None when the opening throws do not tell."""
        record = self._record
        if not rules.has_dice or not (record.opening_roll or record.dice or record.moves):
            return BLACK
        throws = record.opening_roll
        if dice is not None:
            self._expect(0, "the opening roll", throws, dice.opening(), "the key gives")
        try:
            first, roll = starter(throws)
        except ValueError as error:
            self.say(0, str(error))
            return None
        if any(black != white for black, white in throws[:-1]):
            self.say(0, "there were opening throws after one that decided")
        if record.dice:
            self._expect(1, "the roll", record.dice[0], roll, "the opening throw gives")
        return first

    def _throw(self, position: Position, ply: int, dice: Dice | None) -> bool:
        if ply > len(self._record.dice):
            return False
        roll = self._record.dice[ply - 1]
        if dice is not None and ply > 1:
            self._expect(ply, "the roll", roll, dice.roll(ply - 1), "the key gives")
        try:
            position.set_dice(*roll)
        except RulesError as error:
            self.say(ply, f"the roll {_shown(roll)} cannot be: {error}")
            return False
        return True

    def _throw_of_a_broken_turn(self, position: Position, dice: Dice | None) -> None:
        """Give the roll of a turn that was not finished: every game that broke off in play has one."""
        record, plies = self._record, self._last_ply
        has_roll = len(record.dice) > plies
        if has_roll and position.is_over:
            self.say(plies + 1, "there is a roll after the end")
        elif has_roll:
            self._throw(position, plies + 1, dice)
        elif plies and not position.is_over and not record.verdict.is_void:
            self.say(plies + 1, "the roll of the turn that was not finished is missing")

    # ---- the verdict --------------------------------------------------------------------------------

    def verdict(self, position: Position) -> None:
        """Compare the verdict with what the position and the kind of ending demand."""
        verdict = self._record.verdict
        expected = self._expected(position)
        if expected is None:
            return
        source = "the board says" if expected.outcome is not None else "such an ending means"
        for name in ("winner", "reasons", "result", "at_fault", "points"):
            self._expect(
                self._last_ply,
                name.replace("_", " "),
                _as_words(name, getattr(verdict, name)),
                _as_words(name, getattr(expected, name)),
                source,
            )
        if not verdict.is_void:
            self._outcome(verdict.outcome, expected.outcome)
        self._fault(position)

    def _expected(self, position: Position) -> Verdict | None:
        verdict, reason = self._record.verdict, self._record.verdict.reason
        side = position.to_move
        if verdict.is_void:
            return verdicts.void(Reason(reason))
        if position.is_over:
            return verdicts.by_outcome(position.outcome())
        if reason == Reason.RESIGN:
            return verdicts.by_resignation(side, position.forfeit_points(side))
        if reason in FAULTS:
            if verdict.at_fault not in (BLACK, WHITE):
                self.say(self._last_ply, f"the game ended by {reason}, but nobody is at fault")
                return None
            points = position.forfeit_points(verdict.at_fault)
            return verdicts.by_fault(verdict.at_fault, Reason(reason), points)
        if reason == Reason.BOTH_FAILED:
            if not verdict.reasons[1:] or not FAULTS.issuperset(verdict.reasons[1:]):
                self.say(self._last_ply, f"both sides failed, for {_shown(verdict.reasons[1:])}")
            return Verdict(None, verdict.reasons, "both-failed")
        if reason == Reason.PLY_LIMIT:
            if self._adjudication is not None:
                limit = self._adjudication.ply_limit or "no limit"
                self._expect(
                    self._last_ply, "the number of turns", position.ply, limit, "the event's limit is"
                )
            return verdicts.ply_limit()
        if reason == Reason.ADJUDICATED:
            self._adjudicated(position)
            points = None if verdict.winner is None else position.forfeit_points(1 - verdict.winner)
            return verdicts.adjudicated(verdict.winner, points)
        self.say(self._last_ply, f"the game is said to have ended by {_shown(reason)}, but it is not over")
        return None

    def _adjudicated(self, position: Position) -> None:
        """Decide the game again, by the rule that decided it."""
        record, terms = self._record, self._adjudication
        adjudged = record.adjudged
        if terms is None:
            return
        if adjudged is None:
            self.say(self._last_ply, "the game was adjudicated, but nothing says why")
        elif adjudged.rule == "own-word":
            infos = record.infos or ({},) * len(self._movers)
            loser = by_own_word(self._movers, infos, terms)
            winner = None if loser is None else 1 - loser
            if loser is None:
                self.say(
                    self._last_ply, "the game was adjudicated on the loser's word, which it did not give"
                )
            else:
                self._expect(
                    self._last_ply,
                    "the winner",
                    _as_words("winner", record.verdict.winner),
                    _as_words("winner", winner),
                    "the loser's own word says",
                )
        else:
            self._searched(position, adjudged, terms)

    def _searched(self, position: Position, adjudged: Adjudged, terms: Adjudication) -> None:
        if position.rules.has_dice or not terms.search_moves:
            self.say(self._last_ply, "the game was adjudicated by a search that this event does not have")
            return
        found = finished(search(position, terms.search_nodes))
        if found is None:
            self.say(self._last_ply, f"a search of {terms.search_nodes} positions does not decide the game")
            return
        proved = "the search proves"
        winner, line = _as_words("winner", self._record.verdict.winner), " ".join(adjudged.line)
        self._expect(self._last_ply, "the winner", winner, _as_words("winner", found.winner), proved)
        self._expect(self._last_ply, "the line", line, " ".join(found.line), "the search finds")

    def _outcome(self, recorded: Outcome | None, expected: Outcome | None) -> None:
        if recorded is None or expected is None:
            if recorded is not None:
                self.say(self._last_ply, "margins are recorded, but the game did not end on the board")
            elif expected is not None:
                self.say(self._last_ply, "the game ended on the board, but no margins are recorded")
            return
        for field in fields(Outcome):
            one, other = getattr(recorded, field.name), getattr(expected, field.name)
            if field.name == "details":
                # Details are for people and pass through JSON; a store may leave them out.
                one, other = (json.dumps(dict(each), sort_keys=True, default=str) for each in (one, other))
                if not recorded.details:
                    continue
            name = f"the outcome's {field.name.replace('_', ' ')}"
            self._expect(
                self._last_ply,
                name,
                _as_words(field.name, one),
                _as_words(field.name, other),
                "the board says",
            )

    def _fault(self, position: Position) -> None:
        record, verdict = self._record, self._record.verdict
        reason, refused = verdict.reason, record.fault_move
        is_settling_komi = record.pie is not None and record.komi is None
        if refused is not None and reason not in _REFUSALS:
            self.say(
                self._last_ply + 1, f"{_shown(refused)} is said to be refused, but the game ended by {reason}"
            )
        if is_settling_komi or position.is_over:
            return
        if reason in _MOVERS_FAULTS and verdict.at_fault != position.to_move:
            mover = colour_name(position.to_move)
            self.say(self._last_ply + 1, f"{reason} is charged to the side not to move: {mover} was")
        if reason == Reason.START_UP and record.moves:
            self.say(self._last_ply, "an engine failed to start, but moves were played")
        if reason == Reason.ILLEGAL_MOVE and refused is None:
            self.say(self._last_ply + 1, "an illegal move is charged, but none is recorded")
        if refused is not None and reason in _REFUSALS and _is_legal(position, refused):
            self.say(self._last_ply + 1, f"the refused move {_shown(refused)} is legal")


def _is_legal(position: Position, word: str) -> bool:
    try:
        return position.refusal(position.rules.parse_move(word)) is None
    except RulesError:
        return False


def _as_words(name: str, value: object) -> object:
    """Put the fields that hold a colour into the words that people read."""
    if name in ("winner", "at_fault", "button") and value in (BLACK, WHITE):
        return colour_name(BLACK if value == BLACK else WHITE)
    return value


def _shown(value: object) -> str:
    """Quote a stored value for print: escaped, and cut."""
    text = json.dumps(value, default=str) if isinstance(value, str | tuple | list) else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
