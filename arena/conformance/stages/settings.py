"""Sizes and komi: what is accepted must be played, what is not must be refused cleanly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.conformance.case import Case, CaseFailed, CaseSkipped, Level
from arena.conformance.positions import line_of
from arena.live.faults import EngineFault, escaped
from arena.rules import RulesError
from arena.rules.registry import make_rules, rules_class

if TYPE_CHECKING:
    from arena.conformance.bench import Bench, Subject
    from arena.conformance.positions import Line
    from arena.conformance.talk import Talk

NEEDS = ("commands.genmove", "commands.play", "commands.clear_board")


def cases(subject: Subject) -> list[Case]:
    """Return the cases of this stage; none for a game without settings."""
    kind = rules_class(subject.game)
    found = []
    if kind.sizes:
        found += [
            Case(
                "settings.size",
                Level.MUST,
                f"plays on the board asked for, size {subject.size}",
                _size,
                NEEDS,
            ),
            Case(
                "settings.other-sizes",
                Level.MUST,
                "plays on each board it accepts, and refuses the others cleanly",
                _other_sizes,
                NEEDS,
            ),
            Case(
                "settings.no-such-size",
                Level.SHOULD,
                "refuses a size that the game does not have",
                _no_such_size,
                NEEDS,
            ),
        ]
    if kind.has_komi:
        found += [
            Case("settings.komi", Level.MUST, f"takes the komi asked for, {subject.komi}", _komi, NEEDS),
            Case(
                "settings.other-komi",
                Level.MUST,
                "takes other komi and plays with it, or refuses it cleanly",
                _other_komi,
                NEEDS,
            ),
        ]
    return found


async def _size(bench: Bench) -> str:
    async with bench.talk() as talk:
        await _plays_everywhere(talk, bench, bench.subject.size, bench.subject.komi)
    return ""


async def _other_sizes(bench: Bench) -> str:
    sizes = rules_class(bench.subject.game).sizes
    komi = bench.subject.komi
    tried = sorted({sizes[0], sizes[len(sizes) // 3], sizes[2 * len(sizes) // 3], sizes[-1], *_usual(sizes)})
    taken, refused = [], []
    for size in tried:
        if size == bench.subject.size:
            continue
        async with bench.talk() as talk:
            await _enter(talk, bench)
            if not (await talk.ask(f"boardsize {size}")).ok:
                refused.append(str(size))
                continue
            await _plays_everywhere(talk, bench, size, komi)
            taken.append(str(size))
    async with bench.talk() as talk:
        await _plays_everywhere(talk, bench, bench.subject.size, komi)
    words = [f"plays {', '.join(taken)}" if taken else "", f"refuses {', '.join(refused)}" if refused else ""]
    return "; ".join(filter(None, words))


async def _no_such_size(bench: Bench) -> str:
    kind = rules_class(bench.subject.game)
    sizes = kind.sizes
    gaps = [size for size in range(sizes[0], sizes[-1]) if size not in sizes][:1]
    wrong = [*({0, sizes[0] - 1} - set(sizes)), *gaps, sizes[-1] + 1, 1000]
    accepted = []
    for size in sorted(size for size in wrong if size >= 0):
        async with bench.talk() as talk:
            await _enter(talk, bench)
            if (await talk.ask(f"boardsize {size}")).ok:
                accepted.append(str(size))
                talk.is_in_step = False
    async with bench.talk() as talk:
        await _plays_everywhere(talk, bench, bench.subject.size, bench.subject.komi)
        if accepted:
            raise talk.failed(
                f"accepts `boardsize {'`, `boardsize '.join(accepted)}`, which {kind.title} does not have",
                "Answer `? unacceptable size`, as GTP asks: whoever mistypes a size should be told.",
            )
    return ""


async def _komi(bench: Bench) -> str:
    async with bench.talk() as talk:
        await _enter(talk, bench)
        await talk.must(f"boardsize {bench.subject.size}")
        await talk.must(f"komi {bench.subject.komi}")
        await _plays_everywhere(talk, bench, bench.subject.size, bench.subject.komi)
    return ""


async def _other_komi(bench: Bench) -> str:
    size = bench.subject.size
    area = (size or 0) ** 2
    taken, refused = [], []
    for komi in (0, 1, -1, 4, 7, area, -area):
        try:
            make_rules(bench.subject.game, size=size, komi=komi)
        except RulesError:
            continue
        async with bench.talk() as talk:
            await _enter(talk, bench)
            await talk.must(f"boardsize {size}")
            if not (await talk.ask(f"komi {komi}")).ok:
                refused.append(str(komi))
                continue
            await _plays_everywhere(talk, bench, size, komi)
            taken.append(str(komi))
    if not taken:
        raise CaseSkipped(f"refuses all komi tried: {', '.join(refused)}")
    words = f"takes {', '.join(taken)}"
    return f"{words}; refuses {', '.join(refused)}" if refused else words


def _usual(sizes: tuple[int, ...]) -> set[int]:
    return {size for size in (9, 13, 19) if size in sizes}


async def _enter(talk: Talk, bench: Bench) -> None:
    if talk.lists("arena-game"):
        await talk.must(f"arena-game {bench.subject.game}")


async def _plays_everywhere(talk: Talk, bench: Bench, size: int | None, komi: int | None) -> None:
    """Try a board's last corner and two moves of the engine: who plays on another board shows it here."""
    for line in _corners(bench, size, komi):
        try:
            await talk.set_up(line, bench.subject.control)
            if talk.playing().is_over:
                continue
            thought = await talk.think([], bench.subject.patience_s)
        except EngineFault as fault:
            if fault.reason != "error-reply":
                raise
            raise talk.failed(
                f"on size {size} it {escaped(fault.message.encode(), 200)}, a legal move there",
                f"It accepted `boardsize {size}`; does it really play on that board?",
            ) from fault
        try:
            talk.judge(thought.word)
        except CaseFailed as failed:
            advice = (
                f"It accepted `boardsize {size}`; does it really play on that board? {failed.problem.advice}"
            )
            raise talk.failed(f"on size {size} it {failed.problem.reason}", advice) from failed


def _corners(bench: Bench, size: int | None, komi: int | None) -> list[Line]:
    """Return the start, and the positions after the first and the last move of the rules' own order."""
    game = bench.subject.game
    lines = [line_of(game, [], size=size, komi=komi)]
    rules = make_rules(game, size=size, komi=komi)
    position = rules.initial()
    placements = [move for move in position.legal_moves() if position.is_placement(move)]
    corners = dict.fromkeys((placements[-1], placements[0])) if placements else {}
    return lines + [line_of(game, [rules.format_move(move)], size=size, komi=komi) for move in corners]
