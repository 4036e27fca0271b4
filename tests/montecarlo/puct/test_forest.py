"""Invalid calls of a forest, interrupts, and its content."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven.errors import ClaimevenError
from claimeven.game import Geometry, Position
from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctSearch, PuctTree
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, UniformPolicyValue, Words
from tests.montecarlo.puct.support import Hashed, check_laws

WON = Position.from_moves("1213141")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trees": 0}, "trees must be 1"),
        ({"nodes_per_tree": 7}, "nodes_per_tree must be 8"),
        ({"trees": 60_000, "nodes_per_tree": 1_000_000}, "nodes_per_tree must be"),
        ({"geometry": Geometry(9, 9)}, "64"),
    ],
)
def test_bad_sizes(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimevenError, match=message):
        PuctForest(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"c": -1.0}, "c must be 0 to 1,000, got -1.0"),
        ({"c": float("nan")}, "c must be"),
        ({"fpu": 3}, "fpu must be 0 to 2, got 3"),
        ({"prior_temperature": 0}, "prior_temperature must be 0.1 to 10, got 0"),
        ({"temperature": 1001}, "temperature must be 0 to 1,000, got 1,001"),
        ({"noise": 1.5}, "noise must be 0 to 1, got 1.5"),
        ({"leaves": 4097}, "leaves must be 1 to 4,096, got 4,097"),
        ({"capacity": 63}, "capacity must be 64 to 100,000,000, got 63"),
        ({"solver": 1}, "solver must be true or false"),
        ({"reuse": 0}, "reuse must be true or false, got 0"),
    ],
)
def test_bad_options(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimevenError, match=message):
        PuctOptions(**given)


def test_default_options_of_measured_results() -> None:
    options = PuctOptions()
    assert (options.method, options.scale, options.width) == ("puct", "-1..1", 1.0)


def test_bad_calls() -> None:
    forest = PuctForest(trees=2)
    model = UniformPolicyValue()
    with pytest.raises(ClaimevenError, match="the game is over"):
        forest.reset(0, WON)
    for begin in (forest.reset, forest.move_to):
        with pytest.raises(ClaimevenError, match="the board must be"):
            begin(0, Position(Geometry(5, 4)))
    with pytest.raises(ClaimevenError, match="tree must be 0 to 1"):
        forest.reset(2)
    for leaves in (0, 4097):
        with pytest.raises(ClaimevenError, match="leaves must be 1 to 4,096"):
            forest.gather(leaves)
    with pytest.raises(ClaimevenError, match=r"column 8 \(counted from 0\) is not on the board"):
        forest.advance(0, 8)
    for temperature in (-1.0, 1001, float("nan"), True, "1"):
        with pytest.raises(ClaimevenError, match="temperature must be"):
            forest.policies(temperature)  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(ClaimevenError, match="the game is over"):
        PuctTree(WON, model).advance(0)
    for fraction, alpha, message in (
        (-0.5, 1.0, "fraction must be 0 to 1, got -0.5"),
        (2.0, 1.0, "fraction must be 0 to 1, got 2.0"),  # priors would be negative
        (0.25, 0.0, "alpha must be 0.001 to 1,000, got 0.0"),  # or empty
        (0.25, float("nan"), "alpha must be"),
    ):
        with pytest.raises(ClaimevenError, match=message):
            forest.add_noise(np.random.default_rng(1), fraction, alpha)
    values, priors = model.evaluate(*forest.gather())
    for call in (
        lambda: forest.reset(0),
        lambda: forest.advance(0, 3),
        lambda: forest.move_to(0, Position.from_moves("4")),
        forest.gather,
    ):
        with pytest.raises(ClaimevenError, match="back them up first"):
            call()
    for bad in ((values[:1], priors), (values, priors[:, :6]), (values.astype(float), priors)):
        with pytest.raises(ClaimevenError, match="must be float32 of shape"):
            forest.back_up(*bad)
    forest.back_up(values, priors)
    assert forest.iterations().tolist() == [1, 1]


def test_the_end_of_a_game() -> None:
    """A tree whose game is over takes no more part."""
    forest = PuctForest(trees=2)
    forest.reset(0, Position.from_moves("121314"))
    forest.advance(0, 0)
    assert forest.is_over().tolist() == [True, False]
    assert forest.results().tolist() == [-1, 0]
    assert forest.run(UniformPolicyValue(), 10) == 10
    for temperature in (0.0, 1.0, 1000.0):
        assert forest.policies(temperature).sum(axis=1).tolist() == pytest.approx([0.0, 1.0])
    with pytest.raises(ClaimevenError, match="the game is over"):
        forest.advance(0, 1)
    forest.reset(0)
    assert not forest.is_over().any()


def test_a_model_that_fails() -> None:
    """Waiting leaves are dropped, and the search continues unchanged."""

    class Failing(Hashed):
        def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
            if self.asked > 20:
                raise KeyboardInterrupt
            return super().evaluate(mines, masks)

    forests = [PuctForest(nodes_per_tree=3000) for _ in range(2)]
    with pytest.raises(KeyboardInterrupt):
        forests[0].run(Failing(Geometry()), 60, leaves=4)
    check_laws(forests[0])
    model = Hashed(Geometry())
    forests[0].run(model, 60 - forests[0].iterations(), leaves=4)
    forests[1].run(model, 60, leaves=4)
    check_laws(forests[0])
    assert forests[0].iterations().tolist() == forests[1].iterations().tolist() == [60]


def test_memory_is_bounded() -> None:
    """A full tree says so, grows no further, and still counts iterations."""
    forest = PuctForest(nodes_per_tree=100)
    assert forest.memory == 100 * 28
    forest.run(Hashed(Geometry()), 500, leaves=8)
    assert forest.is_full(0)
    assert forest.used(0) <= 100
    assert forest.iterations()[0] == 500
    forest.advance(0, int(forest.visits()[0].argmax()))
    assert not forest.is_full(0)
    assert forest.used(0) < 100
    forest.run(Hashed(Geometry()), 3)
    assert forest.used(0) > 1


def test_results_before_a_search() -> None:
    """An unvisited root has no values; positions returned before stay unchanged."""
    forest = PuctForest(trees=2)
    assert forest.values().tolist() == [0.0, 0.0]
    assert not forest.policies().any()
    mines, masks = forest.roots()
    forest.advance(0, 3)
    assert not mines.any() and not masks.any()


def test_noise_of_some_trees() -> None:
    forest = PuctForest(trees=3)
    forest.run(UniformPolicyValue(), 1)
    before = forest.priors()
    forest.add_noise(np.random.default_rng(1), 0.5, 1.0, [1])
    assert (forest.priors() != before).any(axis=1).tolist() == [False, True, False]


def test_noise_is_for_moves_that_may_be_made() -> None:
    """Only one of these does not lose immediately; a proven win needs no noise."""
    model = UniformPolicyValue()
    for moves, share in (("12131", 1.0), ("121212", 0.0)):
        position, rng = Position.from_moves(moves), np.random.default_rng(1)
        forest, tree = PuctForest(), PuctTree(position, model)
        forest.reset(0, position)
        assert forest.run(model, 1) == tree.run(1) == 1
        forest.add_noise(rng, 0.5, 1.0)
        tree.add_noise(rng, 0.5, 1.0)
        assert forest.priors()[0].tolist() == [share, 0, 0, 0, 0, 0, 0]
        assert {child.column: child.prior for child in tree.root.children or ()}[0] == share
        drawn = rng.bit_generator.state != np.random.default_rng(1).bit_generator.state
        assert drawn == bool(share)


def test_many_moves_together_equal_single_moves() -> None:
    """In trees that have looked at the move, in others that have not, until games end."""
    board, count = Geometry(4, 4, 3), 40
    model, rng = UniformPolicyValue(board), np.random.default_rng(3)
    together, alone = (PuctForest(board, count, 400) for _ in range(2))
    while not together.is_over().all():
        iterations = rng.integers(0, 20, count)
        for forest in (together, alone):
            forest.run(model, iterations)
        open_trees = np.flatnonzero(~together.is_over())
        trees = rng.permutation(open_trees)[: 1 + len(open_trees) // 2]
        legal = [together.position(int(tree)).legal_columns for tree in trees]
        columns = np.array([rng.choice(choices) for choices in legal])
        together.advance_all(trees, columns)
        for tree, column in zip(trees.tolist(), columns.tolist(), strict=True):
            alone.advance(tree, column)
        for tree in range(count):
            assert together.position(tree) == alone.position(tree)
            assert [together.node(together.root(tree) + n) for n in range(together.used(tree))] == [
                alone.node(alone.root(tree) + n) for n in range(alone.used(tree))
            ]
            if together.is_over()[tree]:
                assert together.position(tree).is_over
    some = np.array([5, 1])
    for temperature in (0.0, 1.0):
        assert np.array_equal(
            together.policies(temperature, some), together.policies(temperature)[some]
        )


def test_many_moves_together_are_made_all_or_none() -> None:
    forest = PuctForest(trees=3)
    forest.reset(1, Position.from_moves("444444"))
    forest.reset(2, Position.from_moves("121314"))
    forest.advance(2, 0)
    before = forest.roots()
    for trees, columns, message in (
        ([0, 1], [3, 3], "column 4 is full"),
        ([0, 1], [0, 7], r"column 7 \(counted from 0\) is not on the board"),
        ([0, 1], [0, -1], "is not on the board"),
        ([0, 2], [0, 6], "the game is over"),
    ):
        with pytest.raises(ClaimevenError, match=message):
            forest.advance_all(np.array(trees), np.array(columns))
        assert all(map(np.array_equal, forest.roots(), before))
    for trees, message in (
        ([0, 3], "tree must be"),
        ([-1], "tree must be"),
        ([0, 0], "pass it once"),
    ):
        with pytest.raises(ClaimevenError, match=message):
            forest.advance_all(np.array(trees), np.zeros(len(trees), dtype=np.int64))
        assert all(map(np.array_equal, forest.roots(), before))
    forest.gather()
    with pytest.raises(ClaimevenError, match="back them up first"):
        forest.advance_all(np.array([0]), np.array([0]))


class Broken(Hashed):
    """A model whose answers are not numbers, or too few."""

    name = "broken"

    def __init__(self, geometry: Geometry, how: str) -> None:
        super().__init__(geometry)
        self.how = how

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        values, priors = super().evaluate(mines, masks)
        if self.asked > 4:
            if self.how == "short":
                return values[1:], priors
            part = values if self.how == "value" else priors[0]
            part[-1:] = {"value": np.inf, "nan": np.nan, "negative": -0.5}[self.how]
        return values, priors


@pytest.mark.parametrize("how", ["value", "nan", "negative", "short"])
@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_a_model_that_says_no_numbers_is_named(how: str, backend: str) -> None:
    position = Position(Geometry(4, 4, 3))
    search = PuctSearch(Broken(position.geometry, how), backend=backend)
    with pytest.raises(InvalidNetwork, match="the model broken returned"):
        search.search(position, np.random.default_rng(0), 50)
    forest = PuctForest(position.geometry, 2, 100)
    with pytest.raises(InvalidNetwork, match="the model broken returned"):
        forest.run(Broken(position.geometry, how), 50)
    assert forest.waiting == 0
