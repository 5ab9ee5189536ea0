"""Smart Game Format (FF 4, https://www.red-bean.com/sgf/) for Pletore and Pente, by means of sgfmill.

Every turn is one node. A turn that a Go program would show rightly by itself is a move (`B`, `W`); any other
(a flip, a capture of Pente, a stone that Go's rules would take off or take others off with) is a set-up
(`AB`, `AW`, `AE`) that leaves the board as our game has it, so any viewer shows the right board. Such a turn,
and the button, is named in the private property `TURN` (`black D4`), and the stone is circled (`CR`). What
SGF has no place for stands in the root's private property `ARENA`: JSON under the contract's keys.
"""

from __future__ import annotations

import importlib
import json
import warnings
from typing import TYPE_CHECKING, Any, cast

from arena import __version__
from arena.core.clock import Clock, Kind
from arena.core.verdict import Reason
from arena.rules.base import BLACK, WHITE, colour_name
from arena.rules.geometry import COLUMNS
from arena.rules.registry import make_rules
from reports.printable import printable
from reports.records.objects import RecordError, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.core.clock import TimeControl
    from arena.core.record import GameRecord
    from arena.rules.pente import PentePosition
    from arena.rules.pletore import PletorePosition

    Controls = tuple[TimeControl | None, TimeControl | None]

FILE_BYTES = 256 * 2**20
"""Largest file that is read: a collection is parsed as a whole."""

GAMES = ("pente", "pletore")
_TITLES = {"pletore": "Pletore", "pente": "Pente"}
_LETTERS = ("b", "w")
_COLOUR_OF = {"b": BLACK, "w": WHITE, "black": BLACK, "white": WHITE}

_IN_NODES = ("moves", "infos", "black", "white", "size", "komi", "game", "id")
"""Keys that properties of SGF's own say."""


def sgfmill(module: str) -> Any:
    """Import a module of sgfmill, when SGF is first needed."""
    with warnings.catch_warnings():
        # Its docstrings hold escapes that newer Pythons complain of when they compile them.
        warnings.simplefilter("ignore")
        return importlib.import_module(f"sgfmill.{module}")


def sgf_of(record: GameRecord, controls: Controls = (None, None)) -> bytes:
    """Return a game as an SGF game tree, UTF-8, with a line end.

    Args:
        record: a game of Pletore or Pente.
        controls: time control of Black and White, for the time left; None where it is not known.

    Raises:
        RecordError: SGF has no such board.
        RulesError: the game cannot be played again.
    """
    if record.game not in GAMES or record.size is None:
        raise RecordError(f"game {record.id}: SGF has no board for {record.game}: use --format text or jsonl")
    tree = sgfmill("sgf").Sgf_game(size=record.size)
    _write_root(tree.get_root(), record, controls)
    writer = _NodeWriter(tree, record, controls)
    for ply in range(len(record.moves)):
        writer.write(ply)
    return bytes(tree.serialise(wrap=None)) + b"\n"


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield each game of a collection as its place and its object; the main line of each tree is read.

    Raises:
        RecordError: the file is no SGF, or of a game that is not ours.
        OSError: the file cannot be read.
    """
    grammar, sgf = sgfmill("sgf_grammar"), sgfmill("sgf")
    with path.open("rb") as file:
        # Not by its size: a device or a pipe says 0 and has no end.
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise RecordError(f"{path}: larger than {FILE_BYTES} bytes: cut the collection into smaller files")
    try:
        trees = grammar.parse_sgf_collection(content)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: no SGF: {error}") from error
    for number, tree in enumerate(trees, start=1):
        where = f"{path}, game {number}"
        try:
            yield where, _object(sgf.Sgf_game.from_coarse_game_tree(tree), where)
        except (ValueError, KeyError, LookupError) as error:
            raise RecordError(f"{where}: {error}") from error


# --- Writing ----------------------------------------------------------------------------------------


def _write_root(root: Any, record: GameRecord, controls: Controls) -> None:
    root.set("AP", ("gtparena", __version__))
    root.set("RU", _TITLES[record.game])
    root.set("GN", record.id)
    root.set("RO", str(record.round))
    root.set("PB", record.black.name)
    root.set("PW", record.white.name)
    root.set("RE", _result(record))
    if record.komi is not None:
        root.set("KM", float(record.komi))
    if record.started[:10]:
        root.set("DT", record.started[:10])
    control = controls[0]
    if control is not None and control.kind is not Kind.UNLIMITED:
        root.set("TM", control.main_us / 1e6)
        root.set("OT", control.text)
    made = object_of(record)
    rest = {key: value for key, value in made.items() if key not in _IN_NODES and value is not None}
    root.set_raw("ARENA", _escaped(json.dumps(rest, separators=(",", ":"))))


def _result(record: GameRecord) -> str:
    """Return the result as SGF spells it; the contract's own text stands in `ARENA`."""
    verdict = record.verdict
    if verdict.is_void:
        return "Void"
    if verdict.reason == Reason.BOTH_FAILED:
        return "?"
    if verdict.winner is None:
        return "0"
    colour = "BW"[verdict.winner]
    ending = verdict.result.partition("+")[2]
    is_known = ending in ("R", "T", "F") or ending.replace(".", "", 1).isdigit()
    return f"{colour}+{ending if is_known else ''}"


class _NodeWriter:
    """Writes turn after turn, beside a board on which Go is played."""

    def __init__(self, tree: Any, record: GameRecord, controls: Controls) -> None:
        self._tree = tree
        self._record = record
        self._size = cast("int", record.size)
        self._rules = make_rules(record.game, size=record.size, komi=record.komi)
        self._position = cast("PletorePosition | PentePosition", self._rules.initial())
        self._clocks = [
            Clock(control) if control is not None and control.kind is not Kind.UNLIMITED else None
            for control in controls
        ]

    def write(self, ply: int) -> None:
        record, position, size = self._record, self._position, self._size
        word, colour = record.moves[ply], position.to_move
        before = position.board
        position.play(self._rules.parse_move(word))
        after = position.board
        node = self._tree.extend_main_sequence()
        if before == after:
            if word == "pass":
                node.set_move(_LETTERS[colour], None)
            else:
                node.set_raw("TURN", f"{colour_name(colour)} {word}".encode())
                node.set("PL", _LETTERS[1 - colour])
        elif _go_shows(before, after, size, colour):
            point = next(
                point for point, (one, other) in enumerate(zip(before, after, strict=True)) if one != other
            )
            node.set_move(_LETTERS[colour], divmod(point, size))
        else:
            self._write_setup(node, before, after, colour, word)
        self._write_comment(node, ply, colour, word)
        self._write_time(node, ply, colour)

    def _write_setup(self, node: Any, before: bytes, after: bytes, colour: int, word: str) -> None:
        size = self._size
        changed = [
            point for point, (one, other) in enumerate(zip(before, after, strict=True)) if one != other
        ]
        black, white, empty = (
            [divmod(point, size) for point in changed if after[point] == content] for content in (1, 2, 0)
        )
        node.set_setup_stones(black, white, empty)
        node.set("PL", _LETTERS[1 - colour])
        node.set("CR", black + white)
        node.set_raw("TURN", f"{colour_name(colour)} {word}".encode())

    def _write_comment(self, node: Any, ply: int, colour: int, word: str) -> None:
        record = self._record
        said = []
        if word == "button":
            said.append(f"{colour_name(colour).capitalize()} takes the button.")
        if record.announcements and record.announcements[ply]:
            said.append(f"{colour_name(colour).capitalize()} announces {record.announcements[ply]}.")
        if ply < record.opening_plies:
            said.append("Opening.")
        info = record.infos[ply] if record.infos else {}
        if info:
            said.append(printable(", ".join(f"{key} {value}" for key, value in info.items())))
            node.set_raw("INFO", _escaped(json.dumps(dict(info))))
        if said:
            node.set("C", "\n".join(said))

    def _write_time(self, node: Any, ply: int, colour: int) -> None:
        clock, spent_us = self._clocks[colour], self._record.time_us[ply]
        if clock is None or spent_us is None:
            return
        clock.charge(spent_us, spent_us)
        left_us = clock.main_left_us or clock.period_left_us
        if left_us is not None:
            node.set("BL" if colour == BLACK else "WL", round(left_us / 1e6, 3))
        if not clock.main_left_us and clock.periods_left is not None:
            node.set("OB" if colour == BLACK else "OW", clock.periods_left)


def _go_shows(before: bytes, after: bytes, size: int, colour: int) -> bool:
    """Say whether a move of Go leads from one board to the other: one stone more, and nothing to take off."""
    changed = [point for point, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    if len(changed) != 1 or before[changed[0]] or not after[changed[0]]:
        return False
    own = colour + 1
    around = [other for other in _neighbours(changed[0], size) if after[other] == 3 - own]
    return all(_has_liberty(after, size, point) for point in (changed[0], *around))


def _has_liberty(board: bytes, size: int, point: int) -> bool:
    """Say whether the chain of a stone touches an empty point."""
    colour = board[point]
    seen, stack = {point}, [point]
    while stack:
        for other in _neighbours(stack.pop(), size):
            if not board[other]:
                return True
            if board[other] == colour and other not in seen:
                seen.add(other)
                stack.append(other)
    return False


def _neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    found = []
    if row:
        found.append(point - size)
    if row < size - 1:
        found.append(point + size)
    if column:
        found.append(point - 1)
    if column < size - 1:
        found.append(point + 1)
    return found


def _escaped(text: str) -> bytes:
    """Return text as the raw value of a property."""
    return text.replace("\\", "\\\\").replace("]", "\\]").encode()


# --- Reading ----------------------------------------------------------------------------------------


def _object(tree: Any, where: str) -> dict[str, Any]:
    root = tree.get_root()
    made: dict[str, Any] = {}
    if root.has_property("ARENA"):
        made = _json(root, "ARENA", where)
        if not isinstance(made, dict):
            raise RecordError(f"{where}: ARENA is no object")
    rules = _text(root, "RU") or ""
    game = rules.strip().lower()
    if game not in GAMES:
        raise RecordError(
            f"{where}: RU[{rules[:40]}] names none of our games: expected RU[Pletore] or RU[Pente]"
        )
    made |= {
        "game": game,
        "size": tree.get_size(),
        "black": _text(root, "PB") or "black",
        "white": _text(root, "PW") or "white",
    }
    if _text(root, "GN"):
        made["id"] = _text(root, "GN")
    if game == "pletore":
        made["komi"] = _komi(root, where)
    moves: list[str] = []
    infos: list[Any] = []
    for node in tree.get_main_sequence():
        word = _turn(node, len(moves), where)
        if word is not None:
            moves.append(word)
            infos.append(_json(node, "INFO", where) if node.has_property("INFO") else {})
    made["moves"] = moves
    if any(infos):
        made["infos"] = infos
    if "result" not in made:
        made |= _ending(_text(root, "RE") or "")
    return made


def _turn(node: Any, turns: int, where: str) -> str | None:
    """Return the move of a node, None when it holds none."""
    if node.has_property("TURN"):
        colour, _, word = node.get_raw("TURN").decode("ascii", "replace").partition(" ")
    else:
        letter, point = node.get_move()
        if letter is None:
            if node.has_setup_stones():
                raise RecordError(
                    f"{where}: a set-up position without TURN: only games from the start are read"
                )
            return None
        colour = letter
        word = "pass" if point is None else f"{COLUMNS[point[1]]}{point[0] + 1}"
    if _COLOUR_OF.get(colour) != turns % 2:
        raise RecordError(
            f"{where}: move {turns + 1} ({word[:40]}) is not {colour_name(turns % 2).capitalize()}'s"
        )
    return str(word)


def _komi(root: Any, where: str) -> int:
    komi = root.get("KM") if root.has_property("KM") else 0.0
    if komi != int(komi):
        raise RecordError(f"{where}: KM[{komi:g}] is no whole number, which komi is in Pletore")
    return int(komi)


def _ending(result: str) -> dict[str, Any]:
    """Return how a game of another program ended, where its moves do not tell."""
    winner = {"B": "black", "W": "white"}.get(result[:1])
    loser = {"black": "white", "white": "black"}.get(winner or "")
    ending = result[2:].upper()
    if winner is None or result[1:2] != "+":
        return {}
    if ending in ("R", "RESIGN"):
        return {"winner": winner, "reason": "resign", "result": f"{result[0]}+R"}
    if ending in ("T", "TIME"):
        return {"winner": winner, "reason": "time", "result": f"{result[0]}+T", "at_fault": loser}
    return {"winner": winner, "reason": "adjudicated", "result": f"{result[0]}+A"}


def _text(node: Any, name: str) -> str | None:
    return str(node.get(name)) if node.has_property(name) else None


def _json(node: Any, name: str, where: str) -> Any:
    try:
        return json.loads(_unescaped(node.get_raw(name)))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where}: {name} is no JSON: {error}") from error


def _unescaped(raw: bytes) -> str:
    text = sgfmill("sgf_grammar").text_value(raw)
    return str(text.decode("utf-8"))
