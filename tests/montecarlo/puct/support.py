"""Common parts of the tests of the search with priors."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from claimeven.game import Geometry, Position
from claimeven.montecarlo.puct import PuctForest, PuctNode, PuctOptions, PuctTree
from claimeven.montecarlo.puct.policy_value import Floats, PolicyValue, Words
from claimeven.solver import Solver
from tests.positions import random_position

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 4), Geometry(6, 5, 5))


class Hashed:
    """A model that thinks something else of every position, the same whenever it is asked; of
    mirror images the same, mirrored.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.asked = 0

    def load(self) -> None:
        pass

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        self.asked += len(mines)
        judged = [self._judge(*pair) for pair in zip(mines.tolist(), masks.tolist(), strict=True)]
        values, priors = zip(*judged, strict=True)
        return np.array(values, dtype=np.float32), np.array(priors, dtype=np.float32)

    def _judge(self, mine: int, mask: int) -> tuple[float, list[float]]:
        board = self.geometry
        ours, every = self._stacks(mine), self._stacks(mask)
        image = max((ours, every), (ours[::-1], every[::-1]))
        rng = random.Random(str(image))
        value = rng.uniform(-0.7, 0.7)
        weights = [rng.random() ** 3 for _ in range(board.columns)]
        if image != (ours, every):
            weights.reverse()
        full = (1 << board.rows) - 1
        weights = [0.0 if stack == full else w for w, stack in zip(weights, every, strict=True)]
        return value, [weight / sum(weights) for weight in weights]

    def _stacks(self, discs: int) -> list[int]:
        """The cells of each column that hold discs."""
        board = self.geometry
        bits = (1 << board.height) - 1
        return [discs >> column * board.height & bits for column in range(board.columns)]


class Late(Hashed):
    """A model that likes one column of one position, as others do not."""

    def __init__(self, position: Position, column: int) -> None:
        super().__init__(position.geometry)
        self.position, self.column = position, column

    def _judge(self, mine: int, mask: int) -> tuple[float, list[float]]:
        value, priors = super()._judge(mine, mask)
        if (mine, mask) == (self.position.mine, self.position.mask):
            priors = [0.01] * len(priors)
            priors[self.column] = 1.0 - sum(priors)
        return value, priors


def late_wins(geometry: Geometry, tried: int) -> Iterator[tuple[Position, Late]]:
    """Positions with soon wins, from this number of tries, and models that prefer later wins."""
    solver = Solver(geometry, table_mb=16)
    for position in unfinished(geometry, tried, seed=8):
        if position.ply <= geometry.cells // 2:
            continue
        worth = {c: score for c, score in enumerate(solver.scores(position)) if score is not None}
        late = [column for column, score in worth.items() if 0 < score < max(worth.values())]
        if late:
            yield position, Late(position, late[0])


def grow_forest(
    position: Position,
    options: PuctOptions,
    iterations: int,
    leaves: int = 1,
    model: PolicyValue | None = None,
) -> PuctForest:
    """A compiled tree from scratch."""
    forest = PuctForest(position.geometry, 1, 4000, options)
    forest.reset(0, position)
    forest.run(model or Hashed(position.geometry), iterations, leaves)
    return forest


def unfinished(geometry: Geometry, count: int, seed: int) -> list[Position]:
    """Positions after some random moves, not over."""
    rng = random.Random(seed)
    return [random_position(rng, geometry, ongoing=True) for _ in range(count)]


def assert_same(tree: PuctTree, forest: PuctForest, number: int = 0) -> None:
    """Hold a textbook tree and one of a forest equal, node for node and bit for bit."""
    waiting: list[tuple[PuctNode, int]] = [(tree.root, forest.root(number))]
    for node, place in waiting:
        facts = forest.node(place)
        assert (facts.visits, facts.total) == (node.visits, node.total)
        assert (facts.proof, facts.distance) == (node.proof, node.distance)
        if node is not tree.root:
            assert (facts.column, facts.prior) == (node.column, node.prior)
        assert len(facts.children) == len(node.children or ())
        waiting += zip(node.children or (), facts.children, strict=True)
    assert len(waiting) == tree.used == forest.used(number)
    assert (tree.depth, tree.full) == (forest.depth(number), forest.is_full(number))


def check_laws(forest: PuctForest) -> None:
    """Check what holds of every node of every tree without waiting leaves."""
    for number in range(len(forest)):
        waiting = [forest.node(forest.root(number))]
        for node in waiting:
            children = [forest.node(child) for child in node.children]
            assert node.flight == 0
            assert abs(node.total) <= node.visits
            if children and node.visits and not node.proof:
                assert node.visits == 1 + sum(child.visits for child in children)
                assert abs(sum(child.prior for child in children) - 1.0) < 1e-5
            waiting += children
