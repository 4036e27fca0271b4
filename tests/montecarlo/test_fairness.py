"""No side of the board is favored, and more iterations choose better."""

import random
from functools import cache

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, MonteCarloSearch, preset
from tests.montecarlo.support import unfinished_position
from tests.montecarlo.test_proofs import naive
from tests.naive import score

SEEDS = 300

#: Not fair by definition: `uct-aifour-code` tries columns left to right, as the published code, so
#: that the leftmost of equals is tried, and chosen, first.
ONE_SIDED = ("uct-aifour-code",)
#: These give visits out by turns, left to right, independent of the results: their value of a
#: column is compared, not its visits. `breadth` knows the left better, and so chooses it less by
#: luck.
BY_TURNS = ("flat", "breadth")

SYMMETRIC = ("", "44", "4444", "1177", "3454")


@pytest.mark.parametrize("moves", SYMMETRIC)
@pytest.mark.parametrize("name", [n for n in PRESETS if n not in ONE_SIDED])
def test_mirror_columns_are_treated_equally(name: str, moves: str) -> None:
    """Over many seeds, columns and their mirror images are visited and chosen alike, within the
    noise.
    """
    position = Position.from_moves(moves)
    assert position == position.mirror()
    searcher = MonteCarloSearch(preset(name, reuse=False, capacity=2000))
    shares, chosen = np.zeros((SEEDS, 7)), np.zeros((SEEDS, 7))
    for seed in range(SEEDS):
        result = searcher.search(position, np.random.default_rng(seed), iterations=150)
        chosen[seed, result.column] = 1
        for child in result.root.children:
            shares[seed, child.column] = child.mean if name in BY_TURNS else child.share
    for amounts in (shares,) if name == "breadth" else (shares, chosen):
        difference = amounts - amounts[:, ::-1]
        noise = difference.std(axis=0) / np.sqrt(SEEDS)
        assert np.all(np.abs(difference.mean(axis=0)) <= 4 * noise + 1e-9)


@pytest.mark.parametrize("choice", ["visits", "mean", "ucb"])
def test_ties_of_the_choice_are_broken_at_random(choice: str) -> None:
    """After an iteration for each column of a mirror-symmetric board, many are equal."""
    fair, one_sided = (
        MonteCarloSearch(preset(name, final_choice=choice, reuse=False))
        for name in ("uct-menary", "uct-aifour-code")
    )
    chosen = [0] * 7
    for seed in range(400):
        rng = np.random.default_rng(seed)
        chosen[fair.search(Position(), rng, iterations=7).column] += 1
    assert min(chosen) > 30
    for seed in range(20):
        result = one_sided.search(Position(), np.random.default_rng(seed), iterations=7)
        best = max(child.mean for child in result.root.children)
        leftmost = next(child.column for child in result.root.children if child.mean == best)
        assert result.column == leftmost


@pytest.mark.parametrize("moves", ["223344", "41315"])
def test_ties_without_a_search_are_broken_evenly(moves: str) -> None:
    """Two columns win immediately; one of two that win for the opponent is blocked, in vain."""
    position = Position.from_moves(moves)
    chosen = {
        first: {
            MonteCarloSearch(preset("uct", first_play=first))
            .search(position, np.random.default_rng(seed), iterations=1)
            .column
            for seed in range(20)
        }
        for first in ("random", "order")
    }
    assert len(chosen["random"]) == 2
    assert chosen["order"] == {min(chosen["random"])}


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
    options = preset(name, solver=False, decisive_moves="off", playout="random", reuse=False)
    searcher = MonteCarloSearch(options)
    right = {8: 0, 80: 0, 3000: 0}
    for seed, (position, results) in enumerate(scored_positions()):
        for iterations in right:
            rng = np.random.default_rng(seed)
            column = searcher.search(position, rng, iterations=iterations).column
            right[iterations] += results[column] == max(results.values())
    assert right[8] < right[80] < right[3000], right
    assert right[3000] >= 57
