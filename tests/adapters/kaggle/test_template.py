"""The sections of submissions, as modules: against the oracle and the agents."""

from __future__ import annotations

import itertools
import random

import pytest

from claimeven import Geometry, Position, Solver, make_agent
from claimeven.adapters.kaggle.template.alphabeta import AlphaBeta
from claimeven.adapters.kaggle.template.baselines import AnyColumn, Greedy
from claimeven.adapters.kaggle.template.board import Board, bits_of
from claimeven.adapters.kaggle.template.exact import ExactSolver
from claimeven.adapters.kaggle.template.flat import Flat
from claimeven.adapters.kaggle.template.kaggle_api import Clock, OutOfTime, seconds_for_move
from claimeven.adapters.kaggle.template.perfect import Perfect
from claimeven.adapters.kaggle.template.sequences import Sequences
from claimeven.adapters.kaggle.template.streaks import Streaks
from claimeven.adapters.kaggle.template.triples import Triples
from claimeven.adapters.kaggle.template.uct import Uct, UctNode, count_nodes
from claimeven.adapters.kaggle.template.windows import Windows
from claimeven.agents import Limit
from claimeven.game import bitboard
from claimeven.game.encodings import to_kaggle
from claimeven.montecarlo.formula import counted_total, log_root, upper_bound
from tests import naive
from tests.adapters.kaggle.support import board_of
from tests.agents.support import decided
from tests.positions import BOARDS, SEARCHED, oracle, random_position
from tests.solver.plain import all_scores

LONG = 1000.0

EVALUATORS = {
    "sequences": (Sequences, naive.sequences),
    "windows": (Windows, naive.windows_value),
    "windows-symmetric": (
        lambda board: Windows(board, (10, 5, 2), (-10, -5, -2), 0),
        lambda game: naive.windows_value(game, naive.SYMMETRIC_WEIGHTS),
    ),
    "streaks": (Streaks, naive.streaks),
    "triples": (Triples, naive.triples),
}


def some_positions(
    geometry: Geometry, count: int, plies: tuple[int, int] | None = None
) -> list[Position]:
    rng = random.Random(f"{geometry} {count}")
    found = []
    while len(found) < count:
        position = random_position(rng, geometry, rng.randint(*plies) if plies else None)
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_a_board_is_ours(geometry: Geometry) -> None:
    board = board_of(geometry)
    assert (board.all, board.bottom, board.steps) == (
        geometry.board, geometry.bottom, geometry.steps
    )  # fmt: skip
    assert tuple(board.center_order) == geometry.center_order
    for position in some_positions(geometry, 20):
        mine, mask = position.mine, position.mask
        assert board.read(to_kaggle(position), position.turn + 1) == (mine, mask)
        assert board.winning_cells(mine, mask) == bitboard.winning_cells(mine, mask, geometry)
        assert board.has_line(mine) == bitboard.has_line(mine, geometry)
        assert sorted(board.legal_columns(mask)) == list(position.legal_columns)
        key = position.key
        assert min(key, board.mirrored(key)) == position.canonical_key
        cells = list(bits_of(board.playable(mask)))
        assert [board.column_of(cell) for cell in cells] == list(position.legal_columns)


@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_evaluations_against_the_oracle(geometry: Geometry, name: str) -> None:
    maker, expected = EVALUATORS[name]
    evaluate = maker(board_of(geometry))
    rng = random.Random(name)
    for _ in range(12):
        position = random_position(rng, geometry)
        assert evaluate(position.mine, position.mask) == expected(oracle(position))


OPTIONS = {
    "": {},
    "view=root,eval=sequences": {"root_view": True},
    "order=left": {"left_first": True},
    "start=center": {"center_start": True},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_alpha_beta_plays_like_our_agent(geometry: Geometry, options: str) -> None:
    board = board_of(geometry)
    evaluate = Sequences(board) if "sequences" in options else Windows(board)
    agent = make_agent(f"alphabeta:{options}".rstrip(":"), geometry)
    for depth in (1, 4):
        player = AlphaBeta(board, evaluate, depth=depth, **OPTIONS[options])
        for position in some_positions(geometry, 6):
            decision = decided(agent, position, Limit(depth=depth))
            assert player.choose(position.mine, position.mask, Clock(LONG)) == decision.column


def test_alpha_beta_ends_by_its_limits() -> None:
    board = Board(7, 6, 4)
    player = AlphaBeta(board, Windows(board), nodes=200)
    assert player.choose(0, 0, Clock(LONG)) in range(7)
    assert player.visited == 201
    player = AlphaBeta(board, Windows(board), seconds=0.001)
    assert player.choose(0, 0, Clock(LONG)) in range(7)
    assert AlphaBeta(board, Windows(board)).choose(0, 0, Clock(0.0)) == 3


def test_exact_scores_of_every_position_of_a_small_board() -> None:
    for columns, rows, connect in ((3, 4, 3), (4, 3, 3), (2, 5, 3)):
        board = Board(columns, rows, connect)
        player = Perfect(board, Windows(board))
        for discs, expected in all_scores(columns, rows, connect).items():
            cells = [
                " xo".index(column[row]) if row < len(column) else 0
                for row in range(rows - 1, -1, -1)
                for column in discs
            ]
            ply = sum(map(len, discs))
            mine, mask = board.read(cells, 1 + ply % 2)
            if mask != board.all:
                found = player.root_columns(mine, mask)
                assert player.settle(found, Clock(LONG))
                assert max(known.low for known in found) == expected


@pytest.mark.parametrize(
    ("geometry", "plies"),
    [(Geometry(), (20, 41)), (Geometry(8, 7, 4), (36, 55)), (Geometry(6, 5, 5), (12, 29))],
    ids=str,
)
def test_exact_scores_and_best_columns_of_larger_boards(
    geometry: Geometry, plies: tuple[int, int]
) -> None:
    board, solver = board_of(geometry), Solver(geometry, table_mb=8)
    player = Perfect(board, Windows(board))
    for position in some_positions(geometry, 25, plies):
        scores = solver.scores(position)
        best = max(score for score in scores if score is not None)
        found = player.root_columns(position.mine, position.mask)
        assert player.settle(found, Clock(LONG))
        assert max(known.low for known in found) == best
        for known in found:
            score = scores[known.column]
            assert score is not None and known.low <= score <= known.high
        assert scores[player.choose(position.mine, position.mask, Clock(LONG))] == best
        assert player.is_exact


def test_a_solver_out_of_time_keeps_its_bounds() -> None:
    board = Board(7, 6, 4)
    solver = ExactSolver(board)
    solver.clock = Clock(0.0)
    with pytest.raises(OutOfTime):
        solver.test(0, 0, 0)
    assert solver.nodes and (solver.at_least or solver.at_most or solver.nodes < 100)
    player = Perfect(board, Windows(board))
    assert player.choose(0, 0, Clock(0.02)) in range(7)
    assert not player.is_exact


def test_known_bounds_decide_the_choice() -> None:
    board = Board(7, 6, 4)
    player = Perfect(board, Windows(board))
    columns = player.root_columns(0, 0)

    def choice(*bounds: tuple[int, int]) -> int:
        for known, (low, high) in zip(columns, bounds, strict=False):
            known.low, known.high = low, high
        return [known.column for known in columns].index(player.best_known(columns))

    lost = [(-9, -1)] * 7
    assert choice((-9, 0), (-9, 9), (1, 3), *lost) == 2  # a win is taken
    assert choice((-9, 9), (0, 0), *lost) == 1  # and so is a draw
    assert choice((-9, -1), (-9, 0), (-9, 5), *lost) == 2
    assert choice((-9, -1), (-9, 0), (-9, -2), *lost) == 1
    assert choice((-9, -5), (-9, -2), *[(-9, -5)] * 5) == 1


def test_uct_finds_wins_and_blocks_and_repeats_itself() -> None:
    board = Board(7, 6, 4)
    firsts = itertools.cycle(("random", "order", "all"))
    for playout in ("random", "wins-and-blocks", "careful", "greedy", "replies"):
        for solver in (False, True):
            player = Uct(
                board,
                playout=playout,
                solver=solver,
                decisive_moves="off",
                first_play=next(firsts),
                min_wins=int(solver),
                iterations=120,
            )
            wins = Position.from_moves("112233")
            assert player.choose(wins.mine, wins.mask, Clock(LONG)) == 3
            blocks = Position.from_moves("1122337")
            assert player.choose(blocks.mine, blocks.mask, Clock(LONG)) == 3
    position = Position.from_moves("4455")
    chosen = {
        Uct(board, iterations=80, seed=5).choose(position.mine, position.mask, Clock(LONG))
        for _ in range(2)
    }
    assert len(chosen) == 1


def test_uct_goes_by_its_options_as_ours_does() -> None:
    board = Board(7, 6, 4)
    player = Uct(
        board, first_play="all", solver=False, decisive_moves="off", reuse=False, iterations=30
    )
    player.choose(0, 0, Clock(LONG))
    assert player.root is not None
    tried = [child.visits for child in player.root.children]
    assert len(tried) == 7 and min(tried) > 0 and sum(tried) == 30
    small = Uct(board, decisive_moves="off", capacity=20, reuse=False, iterations=200)
    small.choose(0, 0, Clock(LONG))
    assert small.root is not None and small.root.visits == 200
    assert count_nodes(small.root) <= 20
    rng = random.Random(1)
    for wins in (0, 1, 3):
        player = Uct(board, weight=0.9, min_wins=wins, solver=False, first_play="all")
        for _ in range(50):
            node = UctNode(0, 0, -1)
            for _ in range(7):
                child = UctNode(0, 0, 0)
                child.visits = rng.randrange(6)
                child.total = rng.randint(-child.visits, child.visits)
                node.children.append(child)
            node.visits = 1 + sum(child.visits for child in node.children)
            spread = 0.9 * log_root(node.visits)
            bounds = {
                id(child): upper_bound(
                    counted_total(child.total, child.visits, wins), child.visits, spread
                )
                if child.visits
                else 1.0 + spread
                for child in node.children
            }
            assert bounds[id(player.select(node))] == pytest.approx(max(bounds.values()))
    for moves in ("", "4455", "112233", "4444441"):
        now = Position.from_moves(moves)
        for cell in bits_of(bitboard.playable_cells(now.mask, now.geometry)):
            wanted = bitboard.longest_run(now.mine, cell, now.geometry)
            assert board.longest_run(now.mine, cell) == wanted


@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_flat_plays_from_every_leaf_of_two_plies_in_turn(geometry: Geometry) -> None:
    """The leaves are counted on positions."""
    board = board_of(geometry)
    for position in some_positions(geometry, 6):
        after = [position.play(column) for column in position.legal_columns]
        leaves = sum(1 if each.is_over else len(each.legal_columns) for each in after)
        flat = Flat(board, solver=False, decisive_moves="off", reuse=False, iterations=3 * leaves)
        flat.choose(position.mine, position.mask, Clock(LONG))
        assert flat.root is not None and flat.root.visits == 3 * leaves
        shares = [1 if each.is_over else len(each.legal_columns) for each in after]
        assert [child.visits for child in flat.root.children] == [3 * share for share in shares]


def test_flat_finds_wins_and_blocks() -> None:
    board = Board(7, 6, 4)
    for moves in ("112233", "1122337"):
        for playout in ("random", "replies"):
            player = Flat(
                board, playout=playout, solver=False, decisive_moves="off", reuse=False,
                final_choice="mean", iterations=980,
            )  # fmt: skip
            now = Position.from_moves(moves)
            assert player.choose(now.mine, now.mask, Clock(LONG)) == 3
    small = Flat(board, solver=False, reuse=False, capacity=10, iterations=70)
    small.choose(0, 0, Clock(LONG))
    assert small.root is not None and count_nodes(small.root) == 8


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_greedy_plays_like_our_agent(geometry: Geometry) -> None:
    board, positions = board_of(geometry), some_positions(geometry, 12)
    for options in ({}, {"win": True}, {"block": True}, {"win": True, "block": True}):
        spec = "greedy:" + ",".join(f"{name}=yes" for name in options)
        agent = make_agent(spec.rstrip(":"), geometry)
        for position in positions:
            column = Greedy(board, **options).choose(position.mine, position.mask, Clock(LONG))
            assert column == decided(agent, position).column


def test_any_column_is_legal_and_equally_likely() -> None:
    position = Position.from_moves("111111")
    player = AnyColumn(Board(7, 6, 4), seed=5)
    counts = [0] * 7
    for _ in range(3000):
        counts[player.choose(position.mine, position.mask, Clock(LONG))] += 1
    assert counts[0] == 0
    assert all(400 < count < 600 for count in counts[1:])


def test_uct_proves_and_keeps_its_tree() -> None:
    geometry = Geometry(4, 4, 3)
    board = board_of(geometry)
    solver = Solver(geometry, table_mb=1)
    player = Uct(board, iterations=3000)
    for position in some_positions(geometry, 12):
        player.root = None
        column = player.choose(position.mine, position.mask, Clock(LONG))
        scores = solver.scores(position)
        best = max(score for score in scores if score is not None)
        if player.root is None:  # an immediate win needs no tree
            assert scores[column] == best
        elif player.root.proof is not None:
            assert player.root.proof == -((best > 0) - (best < 0))
            score = scores[column]
            assert score is not None and (score > 0) - (score < 0) == -player.root.proof
    player = Uct(Board(7, 6, 4), iterations=200)
    column = player.choose(0, 0, Clock(LONG))
    position = Position().play(column).play(3)
    before = player.root
    player.choose(position.mine, position.mask, Clock(LONG))
    assert before is not None and player.root is not before
    assert player.root is not None and player.root.visits > 200


def test_the_time_for_a_move() -> None:
    assert seconds_for_move(2.0, 60.0, False) == pytest.approx(1.4)
    assert seconds_for_move(0.1, 60.0, False) == pytest.approx(0.06)
    assert seconds_for_move(2.0, 60.0, True) == pytest.approx(1.4 + 6)
    assert seconds_for_move(2.0, 25.0, True) == pytest.approx(1.4 + 2)
    assert seconds_for_move(2.0, 10.0, True) == pytest.approx(1.4)
    assert seconds_for_move(float("nan"), float("nan"), True) == 0
    assert seconds_for_move(-1, -1, True) == 0
    assert seconds_for_move(float("inf"), 0, False) < 601
