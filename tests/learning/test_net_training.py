"""Training of nets by JAX: the same net as is played, the losses by hand, steps that lower them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.learning.net_training import Batch, Descent, NetTrainer, outputs_of
from claimeven.networks.net import Net
from tests.networks.net.support import TINY, drawn_net
from tests.networks.net.test_net import boards_of

pytest.importorskip("jax", reason="training nets needs the extra learn")
pytest.importorskip("optax", reason="training nets needs the extra learn")

SMALL = Geometry(4, 4, 3)


@pytest.mark.parametrize("geometry", [Geometry(), SMALL], ids=str)
def test_what_is_trained_is_what_is_played(geometry: Geometry) -> None:
    for seed in range(3):
        net = drawn_net(geometry, seed=seed)
        mines, masks = boards_of(geometry, 20, seed)
        planes, states = net.features.of(mines, masks)
        found = np.asarray(outputs_of(net.shape, net.arrays, planes, states))
        assert np.abs(found).max() > 0.1
        assert np.abs(found - net.raw(mines, masks)).max() < 1e-5


def made_batch(net: Net) -> Batch:
    """Sixteen positions with answers drawn at random."""
    rng = np.random.default_rng(5)
    planes, states = net.features.of(*boards_of(SMALL, 16))
    playable = rng.random((16, 4)) < 0.7
    playable[:, 0] = True
    policies = rng.random((16, 4)) * playable
    policies /= policies.sum(axis=1, keepdims=True)
    values = rng.integers(-1, 2, 16).astype(np.float32)
    scores = rng.integers(-8, 9, (16, 4)).astype(np.float32) * playable
    scored = playable & (rng.random((16, 4)) < 0.8)
    return Batch(planes, states, policies.astype(np.float32), values, scores, scored, playable)


def test_losses_and_steps() -> None:
    trainer = NetTrainer(TINY, Descent(steps=40, rate=0.01), SMALL, seed=1)
    batch = made_batch(trainer.net())
    net = Net(TINY, {name: np.asarray(array) for name, array in trainer.weights.items()}, SMALL)
    first = trainer.learn(batch)
    policy = value = score = 0.0
    raw = net.raw(*boards_of(SMALL, 16)).tolist()
    for place, output in enumerate(raw):
        chances = [math.exp(output[c]) if batch.playable[place, c] else 0.0 for c in range(4)]
        for column in range(4):
            if batch.playable[place, column]:
                share = float(batch.policies[place, column])
                policy -= share * math.log(chances[column] / sum(chances)) / 16
            if batch.scored[place, column]:
                error = output[5 + column] - float(batch.scores[place, column]) / 10
                score += error**2 / 64
        value += (math.tanh(output[4]) - float(batch.values[place])) ** 2 / 16
    assert tuple(first) == pytest.approx((policy, value, score), abs=1e-5)
    losses = [trainer.learn(batch) for _ in range(39)]
    assert losses[-1].policy + losses[-1].value < first.policy + first.value
    assert trainer.step == 40


def test_the_rate_rises_and_falls() -> None:
    rates = [Descent(steps=2000, rate=0.5).rate_at(step) for step in range(2000)]
    assert rates.index(max(rates)) in range(400, 600)
    assert rates[:400] == sorted(rates[:400])
    assert rates[600:] == sorted(rates[600:], reverse=True)
    assert rates[-1] < 1e-5
    assert max(rates) <= 0.5


def test_a_checkpoint_goes_on_to_the_same_weights() -> None:
    one, other = (NetTrainer(TINY, Descent(steps=6), SMALL, seed=2) for _ in range(2))
    batch = made_batch(one.net())
    for _ in range(3):
        one.learn(batch)
    kept = {name: array.copy() for name, array in one.checkpoint().items()}
    other.take_up(kept)
    for trainer in (one, other):
        trainer.learn(batch)
    for name, array in one.net().arrays.items():
        assert np.array_equal(array, other.net().arrays[name])
