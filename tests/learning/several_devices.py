"""Two short runs on the devices of this process: `several_devices FOLDER`.

The folder gets the arrays and the runs. `test_several_devices` compares two processes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from claimeven import Geometry
from claimeven.dataset import DatasetPlan, make_dataset
from claimeven.learning import DistilConfig, SelfPlayConfig, train_distil, train_selfplay
from claimeven.learning.jax_functions import FLOAT32, jax_and_optax
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.net_training import NetTrainer
from claimeven.learning.selfplay_games import random_positions
from claimeven.networks.net import read_net
from claimeven.solver import Solver

BOARD = Geometry(4, 4, 3)
LOSSES = ("policy_loss", "value_loss", "score_loss")


def main(folder: Path) -> None:
    jax, _ = jax_and_optax()
    trainers: list[NetTrainer] = []
    learn = NetTrainer.learn

    def noted(trainer: NetTrainer, batch: Any) -> Any:
        trainers.append(trainer)
        return learn(trainer, batch)

    NetTrainer.learn = noted  # type: ignore[method-assign]
    found = {"devices": np.array([jax.local_device_count()])}

    def note(name: str, rows: Any) -> None:
        found[name] = np.array([[row[loss] for loss in LOSSES] for row in rows])
        weights = trainers[-1].weights
        found[f"{name} devices"] = np.array([len(weights["in_sum"].sharding.device_set)])
        found[f"{name} weights"] = np.asarray(weights["in_sum"])

    plan = DatasetPlan(500, 0, 12, seed=1, geometry=BOARD)
    make_dataset(folder / "small.csv", plan, Solver(BOARD, table_mb=1))
    distil = DistilConfig(
        size="small", epochs=4, batch=64, eval_every=12, precision=FLOAT32, dropout=0.25,
        qat_start=0.5, geometry=BOARD,
    )  # fmt: skip
    note("distil", train_distil(folder / "distil", [folder / "small.csv"], distil))
    # 66 positions are a multiple of three devices, not of four.
    selfplay = SelfPlayConfig(
        iterations=2, games=16, simulations=12, steps=8, batch=66, inference="jax", eval_games=0,
        eval_positions=5, geometry=BOARD,
    )  # fmt: skip
    note("selfplay", train_selfplay(folder / "selfplay", selfplay))
    mines, masks = random_positions(np.random.default_rng(2), 150, BOARD.cells - 1, BOARD)
    net = read_net(folder / "distil" / "model.npz")
    found["values"], found["priors"] = JaxNet(net, 64, FLOAT32).evaluate(mines, masks)
    values, priors = net.evaluate(mines, masks)
    assert np.abs(found["values"] - values).max() < 1e-4
    assert np.abs(found["priors"] - priors).max() < 1e-4
    np.savez(folder / "found.npz", **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
