"""The compiled search and its readable twin: same scores, same nodes, same table."""

from __future__ import annotations

import random

import pytest

from claimeven.game.geometry import Geometry
from claimeven.solver import kernel, reference, windows
from claimeven.solver.drive import Engine
from claimeven.solver.reference import Reference
from claimeven.solver.table import smallest_bucket_bits
from tests.solver.positions import random_position


@pytest.mark.parametrize(
    ("size", "plies", "table_bits"),
    [
        ((7, 6, 4), 24, 6),
        ((7, 6, 4), 20, 14),
        ((4, 4, 3), 0, 6),
        ((5, 4, 4), 4, 6),
        ((6, 5, 4), 14, 6),
        ((5, 5, 4), 10, 8),
        ((8, 7, 4), 44, 0),
        ((6, 6, 5), 22, 6),
        ((16, 3, 4), 36, 0),
        ((5, 5, 3), 4, 4),
        ((4, 5, 2), 0, 4),
        ((6, 7, 4), 26, 6),
    ],
)
def test_node_for_node(size: tuple[int, int, int], plies: int, table_bits: int) -> None:
    geometry = Geometry(*size)
    bucket_bits = max(table_bits - 1, smallest_bucket_bits(geometry))
    engine = Engine(geometry, table_mb=2 * 8 * 2**bucket_bits / 2**20)
    assert engine.bucket_bits == bucket_bits
    readable = Reference(geometry, bucket_bits)
    rng = random.Random(str(size))
    for number in range(8):
        mine, mask = random_position(geometry, plies + number % 2, rng)
        floor, ceiling = ((-99, 99), (-1, 1))[number % 4 == 3]
        score = engine.score(mine, mask, floor=floor, ceiling=ceiling)
        assert score == readable.solve(mine, mask, floor, ceiling)
        assert engine.nodes == readable.nodes
    assert engine.entries.tolist() == readable.entries


def test_the_twins_agree_on_their_constants() -> None:
    assert kernel.NO_TABLE == reference.NO_TABLE
    assert windows.FAR_APART == reference.FAR_APART
