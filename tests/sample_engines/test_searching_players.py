"""What the searching engines promise: legal moves, the same from the same seed, in time, not blind."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from arena.rules.base import BLACK, WHITE, Position, Rules, colour_name
from arena.rules.registry import make_rules
from protocol.sdk import Refusal, TurnClock, WorkLimit
from sample_engines import mcts_player
from sample_engines.alphabeta_player import AlphaBetaPlayer
from sample_engines.expectiminimax_player import ExpectiminimaxPlayer
from sample_engines.mcts_player import MctsPlayer
from sample_engines.search import assemble as assembling
from sample_engines.search import ready
from sample_engines.search.alphabeta_search import AlphaBeta
from sample_engines.search.assemble import assemble, cache_folder, can_compile, core_of, search_of

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.sdk import ColourWord
    from sample_engines.search.core_player import CorePlayer

SIZES = {"pletore": 5, "pente": 9, "topolo": 4, "plakoto": None}
COLOURS: tuple[ColourWord, ColourWord] = ("black", "white")

PLAYERS = [
    (MctsPlayer, "pente"),
    (MctsPlayer, "plakoto"),
    (MctsPlayer, "pletore"),
    (MctsPlayer, "topolo"),
    (AlphaBetaPlayer, "pente"),
    (AlphaBetaPlayer, "pletore"),
    (AlphaBetaPlayer, "topolo"),
    (ExpectiminimaxPlayer, "plakoto"),
]
every_player = pytest.mark.parametrize(("kind", "game"), PLAYERS)


def make(kind: type[CorePlayer], rules: Rules, *, compiled: bool = False, amount: int = 4) -> CorePlayer:
    """Return an engine that is ready for a game and thinks little."""
    engine = kind(compiled=compiled)
    engine.limit = WorkLimit(kind.limits[0], amount if kind is MctsPlayer else 1)
    engine.game, engine.size, engine.komi, engine.seed = rules.game, rules.size, rules.komi or 0, 11
    engine.new_game()
    return engine


def play_on(engine: CorePlayer, position: Position, turns: int, clock: TurnClock | None = None) -> list[str]:
    """Let an engine play both sides for some turns, dice by a fixed seed; return the moves."""
    dice = Random(1)
    words: list[str] = []
    while not position.is_over and len(words) < turns:
        colour = COLOURS[position.to_move]
        if position.awaits_dice:
            roll = dice.randint(1, 6), dice.randint(1, 6)
            position.set_dice(*roll)
            engine.dice(colour, *roll)
        word = engine.genmove(colour, clock or TurnClock())
        position.play(position.rules.parse_move(word))
        engine.play(colour, word)
        words.append(word)
    return words


@every_player
def test_games_are_legal_and_repeat_from_the_same_seed(kind: type[CorePlayer], game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    engine = make(kind, rules)
    turns = 6 if kind is AlphaBetaPlayer else 16
    first = play_on(engine, rules.initial(), turns)
    engine.new_game()
    assert play_on(engine, rules.initial(), turns) == first


@every_player
def test_without_time_left_a_legal_move_comes_at_once(kind: type[CorePlayer], game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    engine = make(kind, rules)
    engine.limit = None
    assert len(play_on(engine, rules.initial(), 3, TurnClock(left_s=0.0))) == 3


@every_player
def test_sizes_that_the_game_does_not_have_are_not_accepted(kind: type[CorePlayer], game: str) -> None:
    engine = make(kind, make_rules(game, size=SIZES[game]))
    assert not engine.accepts_size(26)
    assert not engine.knows_game("chess")


@every_player
def test_moves_that_are_not_legal_are_refused_and_change_nothing(kind: type[CorePlayer], game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    engine = make(kind, rules)
    if rules.has_dice:
        engine.dice("black", 6, 5)
    for word in ("nonsense", "Z99", "24/1"):
        with pytest.raises(Refusal):
            engine.play("black", word)
    with pytest.raises(Refusal):
        engine.play("white", "D4")
    position = rules.initial()
    if rules.has_dice:
        position.set_dice(6, 5)
    assert position.refusal(rules.parse_move(engine.genmove("black", TurnClock()))) is None


@pytest.mark.skipif(not can_compile(), reason="numba is not installed")
@pytest.mark.parametrize("game", ready.GAMES["tree"])
def test_compiled_or_not_the_same_seed_gives_the_same_moves(game: str) -> None:
    rules = make_rules(game, size=SIZES[game])
    kernels = ready.compile_now(game, "tree")
    plain, compiled = (make(MctsPlayer, rules, amount=60) for _ in range(2))
    compiled._kernels[game] = kernels
    assert kernels.is_compiled
    assert play_on(compiled, rules.initial(), 8) == play_on(plain, rules.initial(), 8)


def set_up(engine: CorePlayer, rules: Rules, moves: str) -> Position:
    """Play moves from the start, both sides in turn."""
    position = rules.initial()
    for word in moves.split():
        engine.play(COLOURS[position.to_move], word)
        position.play(rules.parse_move(word))
    return position


@pytest.mark.parametrize("kind", [MctsPlayer, AlphaBetaPlayer])
@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        ("E5 A1 F5 A3 G5 J1 H5 J9", {"D5", "J5"}),
        ("E5 C3 A9 D4 J1 F6 J9 G7", {"E5", "B2", "H8"}),
    ],
    ids=["completes five", "stops five"],
)
def test_pente_fives_are_completed_and_stopped(kind: type[CorePlayer], moves: str, wanted: set[str]) -> None:
    rules = make_rules("pente", size=9)
    engine = make(kind, rules, amount=30)
    position = set_up(engine, rules, moves)
    assert engine.genmove(COLOURS[position.to_move], TurnClock()) in wanted


def test_pente_a_chain_of_fours_is_seen_beyond_the_depth() -> None:
    rules = make_rules("pente", size=13)
    engine = make(AlphaBetaPlayer, rules)
    position = set_up(engine, rules, "G7 A1 H7 A3 J7 A5 G9 C1 H9 E1 J9 M1")
    word = engine.genmove(COLOURS[position.to_move], TurnClock())
    assert word in {"F7", "K7", "F9", "K9"}


def exact_value(position: Position, mover: int) -> int:
    """Return the result with best play, as the mover sees it: 1, 0 or -1."""
    if position.is_over:
        winner = position.outcome().winner
        return 0 if winner is None else 1 if winner == mover else -1
    values = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        values.append(exact_value(after, mover))
    return max(values) if position.to_move == mover else min(values)


@pytest.mark.parametrize("seed", range(4))
def test_topolo_endgames_are_played_exactly(seed: int) -> None:
    random = Random(seed)
    rules = make_rules("topolo", size=4)
    engine = make(AlphaBetaPlayer, rules)
    engine.limit = None
    position = rules.initial()
    while position.ply < 11:
        move = random.choice(position.legal_moves())
        engine.play(COLOURS[position.to_move], rules.format_move(move))
        position.play(move)
    mover = position.to_move
    best = exact_value(position, mover)
    word = engine.genmove(COLOURS[mover], TurnClock(left_s=900.0))
    assert engine._infos["exact"] == "true"
    after = position.copy()
    after.play(rules.parse_move(word))
    assert exact_value(after, mover) == best


def test_alphabeta_without_nodes_still_names_a_move() -> None:
    rules = make_rules("pletore", size=3)
    core = core_of("pletore")
    kernels = assemble(core, search_of("alphabeta"), compiled=False)
    tables = core.make_tables(rules)
    state = core.make_state(tables, BLACK)
    verdict = AlphaBeta(kernels, tables, len(state)).best_move(state, 0.0, None, endgame=100)
    assert verdict.move in rules.initial().legal_moves()


def test_the_tree_is_kept_from_move_to_move() -> None:
    rules = make_rules("topolo", size=4)
    engine = make(MctsPlayer, rules, amount=50)
    play_on(engine, rules.initial(), 2)
    assert isinstance(engine, MctsPlayer)
    assert engine._tree is not None
    position = set_up_again(engine, rules)
    used = engine._tree._searcher._control[0]
    engine.genmove(COLOURS[position.to_move], TurnClock())
    assert used > 1


def set_up_again(engine: CorePlayer, rules: Rules) -> Position:
    """Return a copy of the engine's own position."""
    assert engine._position is not None
    return engine._position.copy()


def test_the_mean_of_plakoto_over_rolls_is_that_of_the_network(tmp_path: Path) -> None:
    """One turn ahead every roll and every answer is looked at: as a loop over the rules core does."""
    rules = make_rules("plakoto")
    engine = make(ExpectiminimaxPlayer, rules)
    core = core_of("plakoto")
    engine.dice("black", 2, 1)
    followed = engine._followed
    assert followed is not None
    kernels = followed.kernels
    move = rules.parse_move("24/22,24/23")
    stack = kernels.rows(4, len(followed.state()))
    lists = kernels.rows(5, 3 * 4096)
    stack[0][:] = followed.state()
    found = kernels.value_move(stack, followed.tables, [0, 10**9], lists, core.encode(move), 1, 10)

    position = rules.initial()
    position.set_dice(2, 1)
    position.play(move)
    total = 0
    for first in range(1, 7):
        for second in range(1, 7):
            best = 0
            for answer in with_roll(position, first, second).legal_moves():
                state = followed.state()
                kernels.play(state, followed.tables, core.encode(move))
                kernels.set_roll(state, followed.tables, max(first, second), min(first, second))
                kernels.play(state, followed.tables, core.encode(answer))
                best = max(best, kernels.evaluate(state, followed.tables, WHITE))
            total += core.SURE - best
    assert found == total // 36


def with_roll(position: Position, first: int, second: int) -> Position:
    """Return a copy with the dice thrown."""
    copy = position.copy()
    copy.set_dice(first, second)
    return copy


# --- The compiler ------------------------------------------------------------------------------------


def test_an_engine_does_not_wait_longer_for_the_compiler_than_it_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(ready, "can_compile", lambda: True)
    monkeypatch.setattr(assembling, "version", lambda _: "0")
    monkeypatch.setattr("subprocess.Popen", lambda words, **_: started.append(words))
    loaders = [ready.Loader("topolo", "tree") for _ in range(2)]
    assert [loader.kernels(patience_s=0.2) for loader in loaders] == [None, None]
    assert [words[-1] for words in started] == ["topolo:tree"]
    for sign in tmp_path.glob("gtparena/*/compiling"):
        sign.unlink()
    assert [loader.kernels(patience_s=10.0) for loader in loaders] == [None, None]


def test_compiled_code_goes_to_the_first_folder_that_can_be_written_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assembling, "version", lambda _: "0")
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = cache_folder(core_of("topolo"), search_of("tree"))
    assert folder is not None
    assert folder.parent == tmp_path / "cache" / "gtparena"
    other = cache_folder(core_of("topolo"), search_of("alphabeta"))
    assert other != folder


def test_without_a_compiler_plain_python_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "can_compile", lambda: False)
    engine = make(MctsPlayer, make_rules("topolo", size=4), compiled=True)
    assert engine.genmove("black", TurnClock())
    assert colour_name(BLACK) == "black"


def test_only_an_engine_that_ponders_thinks_on_the_opponents_time_and_not_before_a_roll() -> None:
    for game, ponders, expected in (
        ("pletore", False, False),
        ("pletore", True, True),
        ("plakoto", True, False),
    ):
        rules = make_rules(game, size=SIZES[game])
        engine = make(MctsPlayer, rules)
        engine.settings = {**engine.settings, "ponder": ponders}
        position = rules.initial()
        assert not engine.idle()
        play_on(engine, position, 1)
        assert engine.idle() is expected
        if game == "pletore":
            answer = COLOURS[position.to_move]
            reply = next(iter(position.legal_moves()))
            engine.play(answer, rules.format_move(reply))
            position.play(reply)
            assert not engine.idle()
            assert play_on(engine, position, 4)


def pie_player(size: int, amount: int, seed: int = 11) -> MctsPlayer:
    engine = make(MctsPlayer, make_rules("pletore", size=size), amount=amount)
    assert isinstance(engine, MctsPlayer)
    engine.seed = seed
    engine.new_game()
    return engine


@pytest.mark.parametrize("size", [1, 2, 4])
def test_what_is_answered_under_pie_is_within_the_rules(size: int) -> None:
    engine = pie_player(size, 2)
    assert abs(engine.choose_komi()) <= size * size
    for komi in (-size * size, 0, size * size):
        assert engine.choose_side(komi) in COLOURS


def test_the_side_that_wins_is_taken_and_komi_near_an_even_game_is_proposed() -> None:
    # With perfect play Black wins on 3x3 up to komi 2.
    engine = pie_player(3, 60)
    assert [engine.choose_side(komi) for komi in (-4, 0, 5, 9)] == ["black", "black", "white", "white"]
    assert 0 <= engine.choose_komi() <= 4


def test_the_same_seed_and_playouts_answer_pie_alike() -> None:
    def answers(engine: MctsPlayer) -> list[object]:
        return [engine.choose_komi(), *(engine.choose_side(komi) for komi in range(4))]

    engine = pie_player(3, 8)
    first = answers(engine)
    engine.new_game()
    assert answers(engine) == first == answers(pie_player(3, 8))


def test_pie_is_answered_at_once_when_there_is_no_time_for_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts_player, "CHOICE_S", 0.0)
    engine = pie_player(9, 0)
    engine.limit = None
    assert abs(engine.choose_komi()) <= 81
    # The search's first thought of the empty board stands for the games.
    assert [engine.choose_side(komi) for komi in (-81, 81)] == ["black", "white"]


def test_a_game_without_komi_has_no_pie() -> None:
    engine = make(MctsPlayer, make_rules("pente", size=9))
    assert isinstance(engine, MctsPlayer)
    with pytest.raises(Refusal, match="Pente has no komi"):
        engine.choose_komi()
    with pytest.raises(Refusal, match="Pente has no komi"):
        engine.choose_side(0)


def test_pie_is_offered_to_the_referee_and_played() -> None:
    words = [
        "list_commands",
        "boardsize 3",
        "clear_board",
        "arena-choose_komi",
        "arena-choose_side 9",
        "quit",
    ]
    command = [sys.executable, "-m", "sample_engines.mcts_player", "--plain", "--playouts", "4"]
    done = subprocess.run(command, input="\n".join(words) + "\n", capture_output=True, text=True, check=True)
    listed, _, _, komi, side, _ = done.stdout.strip().split("\n\n")
    assert {"arena-choose_komi", "arena-choose_side"} <= set(listed.split())
    assert abs(int(komi.removeprefix("= "))) <= 9
    assert side == "= white"
