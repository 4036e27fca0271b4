"""The compiled search and its readable twin: same scores, same nodes, same table."""

from __future__ import annotations

import random

import pytest

from claimeven.game.geometry import Geometry
from claimeven.solver import kernel, steps, textbook
from claimeven.solver.search import ExactSearch
from claimeven.solver.textbook import TextbookSolver
from claimeven.solver.transposition_table import smallest_bucket_bits
from tests.solver.positions import hard_positions


@pytest.mark.parametrize(
    ("size", "plies", "table_bits", "least"),
    [
        ((7, 6, 4), 20, 6, 200),
        ((7, 6, 4), 13, 14, 200),
        ((4, 4, 3), 1, 6, 30),
        ((5, 4, 4), 4, 6, 300),
        ((6, 5, 4), 10, 6, 200),
        ((5, 5, 4), 10, 8, 200),
        ((8, 7, 4), 34, 0, 30),
        ((6, 6, 5), 20, 6, 200),
        ((16, 3, 4), 30, 0, 30),
        ((5, 5, 3), 2, 4, 10),
        ((4, 5, 2), 0, 4, 0),
        ((6, 7, 4), 20, 6, 200),
    ],
)
def test_node_for_node(size: tuple[int, int, int], plies: int, table_bits: int, least: int) -> None:
    """Each position takes `least` nodes or more from an empty table."""
    geometry = Geometry(*size)
    bucket_bits = max(table_bits - 1, smallest_bucket_bits(geometry))
    engine = ExactSearch(geometry, table_mb=2 * 8 * 2**bucket_bits / 2**20)
    assert engine.bucket_bits == bucket_bits
    readable = TextbookSolver(geometry, bucket_bits)
    rng = random.Random(str(size))
    for number in range(6):
        ply = plies + number % 2
        ((mine, mask),) = hard_positions(geometry, ply, 1, rng, least, 1000)
        floor, ceiling = ((-99, 99), (-4, 99), (-1, 1))[number % 3]
        score = engine.score(mine, mask, floor=floor, ceiling=ceiling)
        assert score == readable.solve(mine, mask, floor, ceiling)
        assert engine.nodes == readable.nodes
    assert engine.nodes >= least
    assert engine.entries.tolist() == readable.entries


def test_the_twins_agree_on_their_constants() -> None:
    assert steps.NO_TABLE == textbook.NO_TABLE
    assert kernel.FAR_APART == textbook.FAR_APART
    assert kernel.FAR_HIGH == textbook.FAR_HIGH
    assert steps.NO_SHARING == textbook.NO_SHARING
