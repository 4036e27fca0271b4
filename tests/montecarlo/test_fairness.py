"""No side of the board is favoured, and more iterations choose better."""

import random
from functools import cache

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, Searcher, preset
from tests.montecarlo.support import search, unfinished_position
from tests.montecarlo.test_proofs import naive
from tests.naive import score

SEEDS = 300

#: These go through the columns in order: `flat` visits all alike, the others favour the left.
SIDED = ("flat", "breadth", "uct-aifour")


@pytest.mark.parametrize("name", [n for n in PRESETS if n not in SIDED])
def test_mirror_columns_get_equal_shares(name: str) -> None:
    """Over many seeds, columns and their mirror images are visited alike, within the noise."""
    searcher = Searcher(preset(name, reuse=False, nodes=2000))
    shares = np.zeros((SEEDS, 7))
    for seed in range(SEEDS):
        result = searcher.search(Position(), np.random.default_rng(seed), iterations=150)
        for child in result.root.children:
            shares[seed, child.column] = child.share
    difference = shares - shares[:, ::-1]
    noise = difference.std(axis=0) / np.sqrt(SEEDS)
    assert np.all(np.abs(difference.mean(axis=0)) <= 4 * noise + 1e-9)


@cache
def scored_positions() -> list[tuple[Position, dict[int, int]]]:
    """Positions of a small board with the result of each column, by plain minimax."""
    rng, known = random.Random(8), dict[object, int]()
    found = []
    for _ in range(60):
        position = unfinished_position(rng, Geometry(5, 3, 3))
        scores = {c: -score(naive(position.play(c)), known) for c in position.legal_columns}
        found.append((position, {c: (s > 0) - (s < 0) for c, s in scores.items()}))
    return found


@pytest.mark.parametrize("name", ["uct", "uct-menary", "uct-itu-table", "uct-aifour"])
def test_more_iterations_choose_better(name: str) -> None:
    """The share of moves that keep the exact result rises."""
    options = preset(name, solver=False, decisive="off", playout="random", reuse=False)
    right = {8: 0, 80: 0, 3000: 0}
    for seed, (position, results) in enumerate(scored_positions()):
        for iterations in right:
            column = search(position, options, iterations, seed).column
            right[iterations] += results[column] == max(results.values())
    assert right[8] < right[80] < right[3000], right
    assert right[3000] >= 57
