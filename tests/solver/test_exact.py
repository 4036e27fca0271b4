"""Exact scores: plain minimax on every position of small boards, and published results."""

from __future__ import annotations

import random

import numpy as np
import pytest

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.search import ExactSearch
from claimeven.solver.solver import Solver
from tests import naive
from tests.solver.plain import (
    STRAIGHT,
    all_scores,
    as_arrays,
    as_words,
    played,
    random_board,
    scores_from,
    to_arrays,
    wins_with,
)


@pytest.mark.parametrize(
    "size",
    [
        (4, 4, 2),
        (3, 3, 3),
        (4, 3, 3),
        (3, 5, 3),
        (4, 4, 3),
        (8, 1, 3),
        (1, 5, 4),
        (6, 1, 4),
        (2, 6, 4),
        (4, 3, 4),
        (3, 4, 4),
        (3, 5, 4),
        (4, 4, 4),
        (4, 5, 3),
        (3, 5, 5),
        (5, 2, 5),
    ],
)
def test_every_position_of_small_boards(size: tuple[int, int, int]) -> None:
    mines, masks, expected = as_arrays(*size)
    engine = ExactSearch(Geometry(*size), table_mb=1)
    scores, nodes = engine.score_many(mines, masks)
    np.testing.assert_array_equal(scores, expected)
    assert nodes.sum() == engine.nodes
    outcomes, _ = engine.score_many(mines, masks, floor=-1, ceiling=1)
    np.testing.assert_array_equal(outcomes, np.sign(expected))


@pytest.mark.parametrize("size", [(5, 5, 5), (6, 5, 5)])
def test_every_position_below_random_ones_with_lines_of_five(size: tuple[int, int, int]) -> None:
    """Eleven moves from the end or less: every position, diagonals deciding many of them."""
    geometry = Geometry(*size)
    engine, solver = ExactSearch(geometry, table_mb=1), Solver(geometry, table_mb=1)
    rng = random.Random(1)
    by_diagonals = 0
    for _ in range(5):
        start = random_board(rng, size, geometry.cells - 11)
        expected = scores_from(start, geometry.rows, geometry.connect)
        mines, masks, scores = to_arrays(expected, geometry.rows)
        np.testing.assert_array_equal(engine.score_many(mines, masks)[0], scores)
        straight = scores_from(start, geometry.rows, geometry.connect, STRAIGHT)
        by_diagonals += sum(straight.get(board) != score for board, score in expected.items())
        mine, mask = as_words(start, geometry.rows)
        children = solver.scores(Position(geometry, mine, mask))
        for column, score in enumerate(children):
            if score is not None and not wins_with(played(start, column), column, 5):
                assert score == -expected[played(start, column)]
    assert by_diagonals > 300


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 3, 3), (3, 4, 3), (5, 1, 3), (2, 5, 4)])
def test_the_plain_scores_equal_the_oracle(size: tuple[int, int, int]) -> None:
    """On every position; lines of three run in all four directions."""
    known: dict[object, int] = {}
    naive.score(naive.Game(*size), known)
    _, rows, _ = size
    seen = {
        tuple(
            tuple("xo".index(disc) for disc in discs) + (None,) * (rows - len(discs))
            for discs in board
        ): score
        for board, score in all_scores(*size).items()
    }
    assert seen.items() <= known.items()
    won = [grid for grid in known if grid not in seen]
    assert all(known[grid] < 0 for grid in won)


#: The winner from the empty board (sign) and the winning disc; 0 for a draw. Tromp; Steininger.
PUBLISHED = {
    (4, 4): 0,
    (5, 4): 0,
    (6, 4): -24,
    (7, 4): 0,
    (4, 5): 0,
    (5, 5): 0,
    (6, 5): 0,
    (4, 6): 0,
    (5, 6): 0,
    (4, 7): 0,
    (8, 4): -32,
    (7, 5): 0,
    (6, 6): -36,
    (5, 7): 0,
    (4, 8): 0,
}


@pytest.mark.parametrize("size", PUBLISHED)
def test_published_results_of_whole_boards(size: tuple[int, int]) -> None:
    disc = PUBLISHED[size]
    geometry = Geometry(*size)
    expected = (geometry.cells + 2 - abs(disc)) // 2 if disc else 0
    score = ExactSearch(geometry, table_mb=16).score(0, 0)
    assert score == (expected if disc > 0 else -expected)


def test_full_columns_and_wins_at_hand() -> None:
    scores = Solver(table_mb=1, book=None).scores(Position.from_moves("444444717171"))
    assert scores[3] is None
    assert scores[6] == (42 + 1 - 12) // 2


def test_a_full_board_is_a_draw() -> None:
    geometry = Geometry(2, 2, 3)
    engine = ExactSearch(geometry, table_mb=1)
    assert engine.score(0b001010, geometry.board) == 0
