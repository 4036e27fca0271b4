"""Training and inference on the devices of this process: `several_devices FILE`.

The file gets the arrays. `test_several_devices` compares two processes.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from claimeven import Geometry
from claimeven.learning.jax_functions import FLOAT32
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.net_training import NetTrainer, OptimizerConfig, TrainingBatch
from claimeven.learning.selfplay_games import random_positions
from tests.learning.test_net_training import made_batch
from tests.networks.net.support import TINY, drawn_net

BOARD = Geometry(4, 4, 3)
#: The steps before a checkpoint, and after it: the second half has rounded weights.
HALF = 4


def results() -> dict[str, Any]:
    """Losses, weights and devices of two trainers; values and priors of a net."""
    found: dict[str, Any] = {}
    some = made_batch(drawn_net(BOARD))
    # 66 positions are a multiple of three devices, not of four.
    for count in (64, 66):
        batch = TrainingBatch(*(np.resize(array, (count, *array.shape[1:])) for array in some[:7]))
        config = OptimizerConfig(2 * HALF, 0.01, dropout=0.25, quant_levels=15, qat_start=0.5)
        trainer, resumed = (NetTrainer(TINY, config, BOARD, 1, FLOAT32) for _ in range(2))
        losses = [trainer.learn(batch) for _ in range(HALF)]
        resumed.resume(trainer.checkpoint())
        losses += [resumed.learn(batch) for _ in range(HALF)]
        weights = resumed.weights["in_sum"]
        found[f"devices of {count}"] = len(weights.sharding.device_set)
        found[f"losses of {count}"] = losses
        found[f"weights of {count}"] = weights
    mines, masks = random_positions(np.random.default_rng(2), 150, BOARD.cells - 1, BOARD)
    net = resumed.net()
    found["values"], found["priors"] = JaxNet(net, 64, FLOAT32).evaluate(mines, masks)
    for name, expected in zip(("values", "priors"), net.evaluate(mines, masks), strict=True):
        assert np.abs(found[name] - expected).max() < 1e-4
    return {name: np.asarray(array) for name, array in found.items()}


if __name__ == "__main__":
    np.savez(sys.argv[1], **results())
