"""Common parts of the tests of the Monte Carlo searches."""

from __future__ import annotations

import random

import numpy as np

from claimeven.game import Geometry, Position
from claimeven.montecarlo import Branch, MonteCarloOptions, MonteCarloResult, MonteCarloSearch
from tests.positions import random_position

#: Boards of one word, and connect lengths of 2 to 5.
BOARDS = (
    Geometry(7, 6, 4),
    Geometry(4, 4, 3),
    Geometry(5, 4, 4),
    Geometry(3, 3, 3),
    Geometry(8, 7, 4),
    Geometry(6, 5, 5),
    Geometry(2, 2, 2),
    Geometry(16, 3, 3),
)


def unfinished_position(rng: random.Random, geometry: Geometry) -> Position:
    """The position after some random moves, not over."""
    return random_position(rng, geometry, ongoing=True)


def search(
    position: Position,
    options: MonteCarloOptions,
    iterations: int,
    seed: int = 1,
    backend: str = "auto",
) -> MonteCarloResult:
    """Search a position from scratch."""
    rng = np.random.default_rng(seed)
    return MonteCarloSearch(options, backend).search(position, rng, iterations=iterations)


def all_of(branch: Branch) -> list[Branch]:
    """A node and everything below it."""
    found = [branch]
    for node in found:
        found += node.children
    return found


def wins_at_once(position: Position, column: int) -> bool:
    """Whether a column wins immediately."""
    outcome = position.play(column).outcome
    return outcome is not None and outcome.winner == position.turn
