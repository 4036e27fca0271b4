"""A net in JAX has the outputs of the net, and the features of the kernel."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.learning.jax_functions import FLOAT32
from claimeven.learning.jax_net import JaxFeatures, JaxNet, halves_of
from claimeven.learning.net_training import initial_weights
from claimeven.learning.selfplay_games import random_positions
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, playable_columns
from claimeven.networks.loading import default_policy_value
from claimeven.networks.net import Features, Net, NetShape
from tests.learning.needs import compiled, needs_jax

pytestmark = needs_jax

SHAPE = NetShape(pairs=6, blocks=1, line_numbers=2, column_numbers=1)
BOARDS = [
    Geometry(),
    Geometry(4, 4, 3),
    Geometry(8, 7),
    Geometry(9, 6),
    Geometry(6, 7, 5),
    Geometry(7, 3),
    Geometry(3, 3, 2),
]


def positions_of(board: Geometry, count: int = 300) -> list[np.ndarray]:
    return list(random_positions(np.random.default_rng(5), count, board.cells - 1, board))


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_jax_features_equal_the_kernel(board: Geometry) -> None:
    features, boards = Features(board), positions_of(board)
    seen = compiled(
        JaxFeatures(features).of_halves
    )  # without it each step would be compiled separately
    planes, states, playable = seen(*(halves_of(words) for words in boards))
    expected = features.of(*boards)
    assert np.array_equal(np.asarray(planes), expected[0])
    assert np.array_equal(np.asarray(states), expected[1])
    assert np.array_equal(np.asarray(playable), playable_columns(boards[1], board))


@pytest.mark.parametrize("board", BOARDS[:2], ids=str)
def test_jax_outputs_equal_the_net(board: Geometry) -> None:
    """Of any number of positions, more than a batch holds too."""
    net = Net(SHAPE, initial_weights(SHAPE, board, 1), board)
    model, boards = JaxNet(net, 64, FLOAT32), positions_of(board)
    model.load()
    for count in (1, 63, 64, 65, 300):
        some = [words[:count] for words in boards]
        for actual, expected in zip(model.evaluate(*some), net.evaluate(*some), strict=True):
            assert actual.dtype == np.float32
            assert actual.shape == expected.shape
            assert np.abs(actual - expected).max() < 1e-5
    other = Net(SHAPE, initial_weights(SHAPE, board, 2), board)
    model.use(other)
    assert np.abs(model.evaluate(*boards)[0] - other.evaluate(*boards)[0]).max() < 1e-5


def test_values_are_graded_by_scores_where_the_net_knows_them() -> None:
    net, boards = default_policy_value(), positions_of(Geometry(), 100)
    assert isinstance(net, Net)
    assert net.knows_scores
    values, priors = JaxNet(net, 128, FLOAT32).evaluate(*boards)
    expected = net.evaluate(*boards)
    assert np.abs(values - expected[0]).max() < 2e-5
    assert np.abs(priors - expected[1]).max() < 2e-5


def test_numbers_beyond_all_bounds_are_rejected() -> None:
    board = BOARDS[1]
    weights = initial_weights(SHAPE, board, 1)
    net = Net(SHAPE, {name: np.full_like(array, 1e3) for name, array in weights.items()}, board)
    for name in ("in_sum", "block0_sum", "out_sum"):
        net.arrays[name][:] = 1e30  # files do not allow such values
    model = JaxNet(net, 64, FLOAT32)
    with pytest.raises(InvalidNetwork, match="the net has infinite values"):
        model.evaluate(*positions_of(board))
