"""The search visits the nodes it always visited: a change of a number here is a change of it."""

from __future__ import annotations

import numpy as np
import pytest
from bench.sets import OWN_POSITIONS, SIGNATURE_MB, SIGNATURES

from claimeven import Geometry, Position
from claimeven.solver import ExactSearch


@pytest.mark.parametrize("name", ["end-easy", "middle-easy", "middle-medium", "begin-easy"])
def test_the_nodes_of_fixed_sets_of_positions(name: str) -> None:
    lines = (OWN_POSITIONS / f"{name}.txt").read_text().splitlines()
    positions = [Position.from_moves(line.split()[0]) for line in lines]
    search = ExactSearch(Geometry(), table_mb=SIGNATURE_MB)
    scores, nodes = search.score_many(
        np.array([position.mine for position in positions], dtype=np.uint64),
        np.array([position.mask for position in positions], dtype=np.uint64),
    )
    assert scores.tolist() == [int(line.split()[1]) for line in lines]
    assert nodes.sum() == SIGNATURES[name]
