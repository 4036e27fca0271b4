"""The textbook and the compiled search: the same trees, node for node and bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo.layout import PROVEN_LOSS, UNPROVEN
from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctTree
from claimeven.montecarlo.puct.policy_value import PolicyValue, UniformPolicyValue
from claimeven.networks import InvalidNetwork, NTupleNetwork, NTuples
from claimeven.networks.ntuple_search import NTuplePolicyValue
from tests.montecarlo.puct.support import BOARDS, Hashed, assert_same, late_wins, unfinished

pytestmark = pytest.mark.core

OPTIONS = (
    PuctOptions(prior_temperature=0.7),
    PuctOptions(c=3.0, fpu=0.0, solver=False),
    PuctOptions(c=0.3, fpu=1.0, prior_temperature=3.0),
)


def models(geometry: Geometry) -> list[PolicyValue]:
    tuples = NTuples.random_walks(6, 3, geometry, seed=2)
    weights = np.random.default_rng(2).normal(0, 0.2, 2 * tuples.table_size)
    network = NTupleNetwork(tuples, weights.astype(np.float32))
    return [Hashed(geometry), UniformPolicyValue(geometry), NTuplePolicyValue(network)]


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_twins(geometry: Geometry) -> None:
    """Searched, advanced with their trees, and searched again; one forest of all positions."""
    made = 0
    for model, options in zip(models(geometry), OPTIONS, strict=True):
        positions = unfinished(geometry, 4, seed=5)
        forest = PuctForest(geometry, len(positions), 1000, options)
        trees = [PuctTree(position, model, options, 1000) for position in positions]
        for number, position in enumerate(positions):
            forest.reset(number, position)
        for iterations in (25, 12):
            assert forest.run(model, iterations) == sum(tree.run(iterations) for tree in trees)
            for number, tree in enumerate(trees):
                assert_same(tree, forest, number)
                made += tree.iterations
                if not tree.position.is_over:
                    column = tree.position.legal_columns[number % len(tree.position.legal_columns)]
                    tree.advance(column)
                    forest.advance(number, column)
                    assert forest.position(number) == tree.position
                    assert_same(tree, forest, number)
                assert forest.is_over()[number] == tree.position.is_over
                is_proven = options.solver and tree.root.proof != UNPROVEN
                assert forest.is_decided()[number] == (is_proven or tree.position.is_over)
    assert made > 100


@pytest.mark.parametrize(("room", "least"), [(40, 3), (4000, 10)])
def test_twins_that_look_on(room: int, least: int) -> None:
    """A win is proven, and others are looked for; with and without room, and moved on."""
    geometry, on = Geometry(6, 5), 0
    for position, model in late_wins(geometry, 400):
        forest, tree = PuctForest(geometry, 1, room), PuctTree(position, model, capacity=room)
        forest.reset(0, position)
        for _ in range(3):
            for _ in range(40):
                was_won = tree.root.proof == PROVEN_LOSS
                made = tree.run(5)
                assert forest.run(model, 5) == made
                assert_same(tree, forest)
                on += made * was_won
            if tree.position.is_over:
                break
            column = tree.position.legal_columns[0]
            tree.advance(column)
            forest.advance(0, column)
    assert on >= least


def test_twins_without_room() -> None:
    """A full tree continues at its leaves."""
    model = Hashed(Geometry())
    for position in unfinished(Geometry(), 3, seed=8):
        forest = PuctForest(Geometry(), 1, 40)
        forest.reset(0, position)
        tree = PuctTree(position, model, capacity=40)
        assert forest.run(model, 60) == tree.run(60)
        assert_same(tree, forest)


def test_noise_of_twins() -> None:
    """Both draw the same noise from the same generator."""
    model = Hashed(Geometry())
    (position,) = unfinished(Geometry(), 1, seed=3)
    forest = PuctForest()
    forest.reset(0, position)
    tree = PuctTree(position, model)
    for search in (lambda n: forest.run(model, n), tree.run):
        search(1)
    before = forest.priors()
    forest.add_noise(np.random.default_rng(4), 0.25, 0.8)
    tree.add_noise(np.random.default_rng(4), 0.25, 0.8)
    assert np.abs(forest.priors() - before).max() > 0.01
    for search in (lambda n: forest.run(model, n), tree.run):
        search(40)
    assert_same(tree, forest)


def test_network_of_tuples() -> None:
    """The compiled model agrees with the textbook."""
    for geometry in BOARDS:
        model = models(geometry)[-1]
        assert isinstance(model, NTuplePolicyValue)
        positions = unfinished(geometry, 12, seed=1)
        mines, masks = (
            np.array([getattr(position, word) for position in positions], dtype=np.uint64)
            for word in ("mine", "mask")
        )
        values, priors = model.evaluate(mines, masks)
        for number, position in enumerate(positions):
            value, shares = model.predict(position)
            assert values[number] == pytest.approx(value, abs=1e-6)
            assert priors[number] == pytest.approx(shares, abs=1e-6)


@pytest.mark.parametrize("softness", [0.0, -1.0, float("inf"), float("nan")])
def test_a_softness_that_cannot_be_is_refused(softness: float) -> None:
    network = NTupleNetwork(NTuples.random_walks(count=2, length=2, geometry=Geometry(4, 4, 3)))
    with pytest.raises(InvalidNetwork, match=r"softness must be .*, got"):
        NTuplePolicyValue(network, softness)


def test_a_softer_network_of_tuples_favours_its_best_column_less() -> None:
    """Two columns that are worth 1 and 0 have priors that differ by the factor e for 1: here the
    one wins immediately, and a network without weights is neutral about the others.
    """
    network = NTupleNetwork(NTuples.random_walks(count=2, length=2, geometry=Geometry(4, 4, 3)))
    position = Position.from_moves("1122", network.geometry)
    words = np.repeat(np.array([position.mine, position.mask], np.uint64), 2)
    for softness in (1.0, 0.5):
        model = NTuplePolicyValue(network, softness)
        values, priors = model.evaluate(words[:2], words[2:])
        least = np.exp(-1 / softness)
        wanted = np.array([least, least, 1.0, least]) / (1 + 3 * least)
        assert values.tolist() == [1.0, 1.0]
        assert priors == pytest.approx(np.array([wanted, wanted]), abs=1e-6)
        value, output = model.predict(position)
        assert value == 1.0 and output == pytest.approx(wanted)


def test_a_network_of_tuples_takes_every_other_word_of_an_array() -> None:
    network = NTupleNetwork(NTuples.random_walks(count=2, length=2, geometry=Geometry(4, 4, 3)))
    model, board = NTuplePolicyValue(network), Geometry(4, 4, 3)
    positions = [Position.from_moves(moves, board) for moves in ("1122", "12", "3", "44")]
    mines, masks = (
        np.array([getattr(each, word) for each in positions], np.uint64)
        for word in ("mine", "mask")
    )
    (values, priors), (some, some_priors) = (
        model.evaluate(mines, masks), model.evaluate(mines[::2], masks[::2])
    )  # fmt: skip
    assert some.tolist() == values[::2].tolist()
    assert some_priors.tolist() == priors[::2].tolist()
