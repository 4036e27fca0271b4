"""Nets made wider: the same answers before learning, and more that can be learnt after."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.learning.net2net import can_grow, grown
from claimeven.learning.net_training import NetTrainer, OptimizerConfig
from claimeven.networks.net import NetShape, Searching
from tests.learning.needs import needs_jax
from tests.learning.test_net_training import made_batch
from tests.networks.net.support import TINY, drawn_net
from tests.networks.net.test_net import boards_of

SMALL = Geometry(4, 4, 3)
WIDE = replace(TINY, pairs=TINY.pairs + 5)


@pytest.mark.parametrize("geometry", [Geometry(), SMALL, Geometry(1, 9, 4)], ids=str)
@pytest.mark.parametrize("wide", [TINY, WIDE], ids=["as wide", "wider"])
def test_a_net_that_has_grown_answers_as_before(geometry: Geometry, wide: NetShape) -> None:
    net = drawn_net(geometry, seed=2, knows_scores=True, searching=Searching(c=2.0))
    net.knows_only_best = True
    more = grown(net, wide, seed=4)
    assert (more.shape, more.geometry, more.knows_scores) == (wide, geometry, True)
    assert (more.searching, more.knows_only_best) == (net.searching, True)
    boards = boards_of(geometry, 20) if geometry.columns > 1 else np.zeros((2, 3), dtype=np.uint64)
    assert more.raw(*boards) == pytest.approx(net.raw(*boards), abs=1e-5)
    for name, array in net.arrays.items():
        assert not np.shares_memory(array, more.arrays[name])


def test_what_is_added_is_drawn_and_leads_to_what_is_added_alone() -> None:
    net, narrow = drawn_net(SMALL, seed=2), TINY.pairs
    more, other = grown(net, WIDE, seed=4), grown(net, WIDE, seed=5)
    for name in ("in_sum", "block0_sum", "block1_difference"):
        weights = more.arrays[name]
        assert weights[:, narrow:].all()
        assert not np.array_equal(weights, other.arrays[name])
    for name in ("block0_sum", "block1_difference", "out_sum"):
        added = more.arrays[name][narrow:]
        assert not added[:, : net.arrays[name].shape[1]].any()


@needs_jax
def test_what_was_added_learns() -> None:
    net = drawn_net(SMALL, seed=2)
    trainer = NetTrainer(WIDE, OptimizerConfig(steps=5, rate=0.01), SMALL)
    trainer.start_with(grown(net, WIDE, seed=4))
    before = {name: np.asarray(array) for name, array in trainer.weights.items()}
    for _ in range(5):
        trainer.learn(made_batch(net))
    for name, array in trainer.weights.items():
        added = np.asarray(array) != before[name]
        if array.ndim == 2 and len(array) == WIDE.pairs:  # what leads from the added numbers
            assert added[TINY.pairs :].any(axis=1).all(), name


@pytest.mark.parametrize(
    ("change", "can"),
    [
        ({}, True),
        ({"pairs": 7}, True),
        ({"pairs": 5}, False),
        ({"blocks": 3}, False),
        ({"pairs": 9, "line_numbers": 4}, False),
        ({"column_numbers": 1}, False),
    ],
)
def test_what_can_grow_to_what(change: dict[str, int], can: bool) -> None:
    assert can_grow(TINY, replace(TINY, **change)) == can
