"""Training of nets by JAX: the same net as is played, the losses by hand, steps that lower them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.game.batch import mirrored_keys
from claimeven.learning.jax_functions import FLOAT32
from claimeven.learning.jax_net import JaxForward, quantized, table_gradient
from claimeven.learning.net_training import (
    OPTIMIZERS,
    LossConfig,
    Losses,
    NetTrainer,
    OptimizerConfig,
    TrainingBatch,
    known_in,
    losses_of,
)
from claimeven.learning.run_dir import InvalidRun
from claimeven.networks.net import Net, NetShape
from claimeven.networks.net.file import pack, unpack
from tests.learning.needs import compiled, needs_jax
from tests.networks.net.support import TINY, drawn_net
from tests.networks.net.test_net import boards_of

pytestmark = needs_jax

SMALL = Geometry(4, 4, 3)


@pytest.mark.parametrize("geometry", [Geometry(), SMALL], ids=str)
def test_the_trained_net_is_the_played_net(geometry: Geometry) -> None:
    outputs = compiled(JaxForward(drawn_net(geometry).features).of_features)
    for seed in range(3):
        net = drawn_net(geometry, seed=seed)
        mines, masks = boards_of(geometry, 20, seed)
        planes, states = net.features.of(mines, masks)
        found = np.asarray(outputs(net.arrays, planes, states))
        assert np.abs(found).max() > 0.1
        assert np.abs(found - net.raw(mines, masks)).max() < 1e-5


def test_short_numbers_change_little() -> None:
    """bfloat16 has 8 bits of precision; sums and weights stay float32."""
    net = drawn_net(seed=3)
    mines, masks = boards_of(Geometry(), 50)
    features = net.features.of(mines, masks)
    outputs = compiled(JaxForward(net.features, "bfloat16").of_features)
    found = np.asarray(outputs(net.arrays, *features))
    apart = np.abs(found - net.raw(mines, masks))
    assert 0 < apart.max() < 0.1


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_gradients_equal_finite_differences(precision: str) -> None:
    """For tables and matrices, whose gradients are computed separately."""
    import jax

    net = drawn_net(SMALL, seed=4)
    boards = boards_of(SMALL, 12)
    features, forward = net.features.of(*boards), JaxForward(net.features, precision)
    pull = np.random.default_rng(1).normal(size=(12, 9)).astype(np.float32)

    def total(outputs: jax.Array) -> tuple[jax.Array, None]:
        return (outputs * pull).sum(), None

    _, found = compiled(partial(forward.gradients, total))(net.arrays, *features)
    gradients = found.of_weights(net.arrays)
    assert list(gradients) == list(net.arrays)
    rng = np.random.default_rng(2)
    for name, array in net.arrays.items():
        step = rng.normal(size=array.shape).astype(np.float32)
        plus, minus = (
            Net(TINY, {**net.arrays, name: array + sign * np.float32(3e-3) * step}, SMALL)
            for sign in (1, -1)
        )
        change = ((plus.raw(*boards) - minus.raw(*boards)) * pull).sum() / 6e-3
        derivative = (np.asarray(gradients[name]) * step).sum()
        assert derivative == pytest.approx(change, rel=0.1, abs=0.15), name


def test_gradients_of_a_row_are_summed_over_the_positions_that_used_it() -> None:
    rows = np.array([[0, 2], [0, 1], [3, 2]], dtype=np.int32)
    gradients = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    found = table_gradient((2, 4, 2), [rows], [gradients])
    assert found[0].tolist() == [[4, 6], [0, 0], [0, 0], [8, 9]]
    assert found[1].tolist() == [[0, 0], [6, 7], [12, 14], [0, 0]]
    both = table_gradient((2, 4, 2), [rows, rows[:, ::-1].copy()], [gradients, gradients])
    assert both[0].tolist() == [[4, 6], [4, 5], [8, 10], [8, 9]]


@pytest.mark.parametrize("steps", [3, 31])
def test_learning_sees_weights_as_files_hold_them(steps: int) -> None:
    net = drawn_net(seed=5)
    held = unpack(pack(net, steps=steps))
    seen = compiled(partial(quantized, levels=steps))(net.arrays)
    for name, array in held.arrays.items():
        # A value halfway between two steps may be rounded either way.
        apart = np.abs(np.asarray(seen[name]) - array)
        assert (apart > 1e-6).sum() <= 1 + array.size // 10_000
        assert apart.max(initial=0) <= np.abs(array).max(initial=0) / steps


def test_weights_that_knew_of_rounding_lose_little_by_it() -> None:
    """With equal steps, weights that were rounded in training fit better when rounded.

    By how much hangs on the draw of the first weights, and in the last digits on the processor.
    """
    batch = made_batch(drawn_net(SMALL))
    missed = np.zeros(2)
    for seed, (rounding, weight_steps) in product(range(2), enumerate((None, 1))):
        config = OptimizerConfig(steps=150, lr=0.02, quant_levels=weight_steps, qat_start=0.0)
        trainer = NetTrainer(TINY, config, SMALL, seed)
        for _ in range(config.steps):
            trainer.learn(batch)
        rounded = unpack(pack(trainer.net(), steps=1))
        errors = rounded.raw(*boards_of(SMALL, 16))[:, 5:] - batch.scores / 10
        missed[rounding] += (errors**2 * batch.score_weights).mean()
    assert missed[1] < missed[0] * 0.75


def test_pairs_that_are_left_out_make_no_difference_on_average() -> None:
    import jax

    net = drawn_net(SMALL, NetShape(pairs=40, blocks=1, line_numbers=2), seed=3)
    boards = boards_of(SMALL, 4)
    forward, features = JaxForward(net.features), net.features.of(*boards)

    @compiled
    def dropped(features: Any, mask: Any) -> jax.Array:
        return forward.of_features(net.arrays, *features, mask)

    mask = np.random.default_rng(1).random((300, 2, 4, 40)) >= 0.2
    found = np.stack([np.asarray(dropped(features, each)) for each in mask])
    assert found.std(axis=0).min() > 0.01
    # Up to what cutting off at 0 makes of it in the block.
    assert found.mean(axis=0) == pytest.approx(net.raw(*boards), abs=0.15)
    image = [mirrored_keys(words, SMALL) for words in boards]
    turned = dropped(net.features.of(*image), mask[0])
    assert np.asarray(turned)[:, 4] == pytest.approx(found[0][:, 4], abs=1e-5)


def test_dropout_depends_on_seed_and_step() -> None:
    batch = made_batch(drawn_net(SMALL))

    def learnt(seed: int, dropped: float) -> list[float]:
        trainer = NetTrainer(TINY, OptimizerConfig(steps=5, dropout=dropped), SMALL, seed)
        trainer.start_with(drawn_net(SMALL, TINY))
        return [trainer.learn(batch).policy for _ in range(3)]

    first = learnt(1, 0.3)
    assert first == learnt(1, 0.3) != learnt(2, 0.3)
    assert learnt(1, 0.0) == learnt(2, 0.0) != first
    assert learnt(1, 0.001) == learnt(1, 0.0)  # less than one in 512 is 0


def made_batch(net: Net) -> TrainingBatch:
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
    return TrainingBatch(
        planes, states, policies.astype(np.float32), values, scores, scored, playable
    )


def test_losses_and_steps() -> None:
    trainer = NetTrainer(
        TINY, OptimizerConfig(steps=40, lr=0.01), SMALL, seed=1, precision="float32"
    )
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
            if batch.score_weights[place, column]:
                error = output[5 + column] - float(batch.scores[place, column]) / 10
                score += (math.hypot(error, 0.05) - 0.05) / 64
        value += (math.tanh(output[4]) - float(batch.values[place])) ** 2 / 16
    assert tuple(first) == pytest.approx((policy, value, score), abs=1e-5)
    losses = [trainer.learn(batch) for _ in range(39)]
    assert losses[-1].policy + losses[-1].value < first.policy + first.value
    assert trainer.step == 40


def test_values_that_are_unknown_are_not_learned() -> None:
    trainer = NetTrainer(TINY, OptimizerConfig(steps=2), SMALL, seed=1, precision="float32")
    batch = made_batch(trainer.net())
    raw = trainer.net().raw(*boards_of(SMALL, 16))
    known = np.arange(16) % 3 == 0
    found = trainer.learn(batch._replace(values=np.where(known, batch.values, np.nan)))
    wanted = ((np.tanh(raw[:, 4]) - batch.values)[known] ** 2).mean()
    assert found.value == pytest.approx(wanted, abs=1e-5)
    nothing = trainer.learn(batch._replace(values=np.full(16, np.nan, dtype=np.float32)))
    assert nothing.value == 0.0
    assert all(np.isfinite(array).all() for array in trainer.weights.values())


def test_the_score_of_the_best_column_counts_by_itself() -> None:
    """Also without known columns and without the player of each move."""
    trainer = NetTrainer(TINY, OptimizerConfig(steps=1), SMALL, seed=1)
    batch = made_batch(trainer.net())
    rng = np.random.default_rng(2)
    best = rng.integers(-8, 9, 16).astype(np.float32)
    counts = rng.integers(0, 3, 16).astype(np.float32) / 2
    known = rng.random(16) < 0.5
    unknown = batch._replace(
        policies=batch.policies * known[:, None],
        score_weights=batch.score_weights * known[:, None] * np.float32(1.5),
        best=best,
        best_weights=counts,
    )
    raw = trainer.net().raw(*boards_of(SMALL, 16))
    wanted = policy = 0.0
    for place, output in enumerate(raw.tolist()):
        playable = [output[5 + c] for c in range(4) if batch.playable[place, c]]
        wanted += counts[place] * (math.hypot(max(playable) - best[place] / 10, 0.05) - 0.05) / 16
        chances = [math.exp(output[c]) if batch.playable[place, c] else 0.0 for c in range(4)]
        for column in range(4):
            if known[place] and batch.score_weights[place, column]:
                error = output[5 + column] - float(batch.scores[place, column]) / 10
                wanted += 1.5 * (math.hypot(error, 0.05) - 0.05) / 64
            if known[place] and batch.playable[place, column]:
                share = float(batch.policies[place, column])
                policy -= share * math.log(chances[column] / sum(chances)) / known.sum()

    def lost(batch: TrainingBatch, target: str) -> Losses:
        found: Losses = compiled(lambda: losses_of(batch, raw, LossConfig(target))[1])()
        return found

    assert float(lost(unknown, "each").score) == pytest.approx(wanted, abs=1e-5)
    assert float(lost(unknown, "each").policy) == pytest.approx(policy, abs=1e-5)
    none = unknown._replace(policies=np.zeros_like(batch.policies))
    assert float(lost(none, "each").policy) == float(lost(none, "any").policy) == 0


def test_gradients_of_parts_equal_the_whole() -> None:
    """Also if of some parts only a score, or a value, is known."""
    net = drawn_net(SMALL, replace(TINY, blocks=1))
    batch = made_batch(net)
    known = np.arange(16) < 6
    batch = batch._replace(
        policies=batch.policies * known[:, None],
        values=np.where(np.arange(16) < 11, batch.values, np.float32(np.nan)),
        best=batch.scores.max(axis=1),
        best_weights=np.linspace(0, 1, 16, dtype=np.float32),
    )
    # The same number stays of every position, so that each counts for more; others in each part.
    stays = [
        np.resize(np.roll([True, False, True], place // 4), net.shape.pairs) for place in range(16)
    ]
    mask = np.stack([stays, stays])
    forward, config = JaxForward(net.features), LossConfig("any", 0.7, 2.0)

    def in_parts(parts: int) -> tuple[Losses, dict[str, Any]]:
        lose = partial(losses_of, config=config, known=known_in(batch))
        gradients = partial(forward.gradients_in_parts, lose, mask=mask, parts=parts)
        (loss, losses), found = compiled(gradients)(net.arrays, batch)
        assert float(loss) == pytest.approx(float(config.of(losses)), abs=1e-5)
        return losses, found.of_weights(net.arrays)

    whole = compiled(
        partial(forward.gradients, partial(losses_of, batch, config=config), mask=mask)
    )
    (_, losses), found = whole(net.arrays, batch.planes, batch.states)
    by_name = found.of_weights(net.arrays)
    found, gradients = in_parts(4)
    assert tuple(map(float, found)) == pytest.approx(tuple(map(float, losses)), abs=1e-5)
    for name, array in gradients.items():
        assert np.asarray(array) == pytest.approx(np.asarray(by_name[name]), abs=1e-5), name


def test_a_large_batch_is_learned_as_a_small_one_is() -> None:
    """A processor takes it in parts: many times the same positions, it makes the same step."""
    batch = made_batch(drawn_net(SMALL, TINY))
    many = TrainingBatch(
        *(None if array is None else np.concatenate([array] * 128) for array in batch)
    )
    steps = []
    for learnt in (batch, many):
        trainer = NetTrainer(TINY, OptimizerConfig(steps=2, lr=0.01), SMALL, 1, precision=FLOAT32)
        steps.append([*trainer.learn(learnt), *trainer.learn(learnt)])
    assert steps[0] == pytest.approx(steps[1], abs=1e-5)


def test_any_of_the_best_columns_will_do() -> None:
    config = OptimizerConfig(steps=40, lr=0.01, policy_target="any")
    trainer = NetTrainer(TINY, config, SMALL, seed=1, precision="float32")
    batch = made_batch(trainer.net())
    right = batch.playable & (np.random.default_rng(6).random((16, 4)) < 0.5)
    right[:, 0] = True  # it is playable in all of them
    batch = batch._replace(policies=(right / right.sum(axis=1, keepdims=True)).astype(np.float32))
    wanted = 0.0
    for place, output in enumerate(trainer.net().raw(*boards_of(SMALL, 16)).tolist()):
        chances = [math.exp(output[c]) if batch.playable[place, c] else 0.0 for c in range(4)]
        of_right = sum(chances[c] for c in range(4) if right[place, c])
        wanted -= math.log(of_right / sum(chances)) / 16
    assert trainer.learn(batch).policy == pytest.approx(wanted, abs=1e-5)
    losses = [trainer.learn(batch).policy for _ in range(39)]
    assert losses[-1] < 0.6 * wanted

    # Any of them is right, so no gradient draws it away from one.
    outputs = np.zeros((16, 9), dtype=np.float32)
    outputs[np.arange(16), right.argmax(axis=1)] = 20.0
    lost = compiled(
        lambda: [losses_of(batch, outputs, LossConfig(target))[1] for target in ("any", "each")]
    )
    of_any, of_each = lost()
    assert float(of_any.policy) == pytest.approx(0, abs=1e-6)
    assert float(of_each.policy) > 1


def test_the_rate_rises_and_falls() -> None:
    rates = [OptimizerConfig(steps=2000, lr=0.5).lr_at(step) for step in range(2000)]
    assert rates.index(max(rates)) in range(400, 600)
    assert rates[:400] == sorted(rates[:400])
    assert rates[600:] == sorted(rates[600:], reverse=True)
    assert rates[-1] < 1e-5
    assert max(rates) <= 0.5


@pytest.mark.parametrize("steps", [1, 3, 40, 400, 1999])
@pytest.mark.parametrize("fall", ["cosine", "stepwise"])
def test_the_rate_of_a_short_run_rises_for_a_quarter_of_it(steps: int, fall: str) -> None:
    """Or it would hardly have started to learn when it ends."""
    rates = [
        OptimizerConfig(steps=steps, lr=0.5, lr_schedule=fall).lr_at(step) for step in range(steps)
    ]
    top = rates.index(max(rates))
    assert top <= steps / 4
    assert max(rates) > 0.5 * (0.8 if fall == "cosine" else 0.99)
    assert rates[: top + 1] == sorted(rates[: top + 1])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_checkpoint_continues_to_the_same_weights(optimizer: str) -> None:
    one, other = (
        NetTrainer(TINY, OptimizerConfig(steps=6, optimizer=optimizer), SMALL, seed=2)
        for _ in range(2)
    )
    batch = made_batch(one.net())
    for _ in range(3):
        one.learn(batch)
    kept = {name: array.copy() for name, array in one.checkpoint().items()}
    other.resume(kept)
    for trainer in (one, other):
        trainer.learn(batch)
    for name, array in one.net().arrays.items():
        assert np.array_equal(array, other.net().arrays[name])


def test_a_checkpoint_of_another_optimizer_is_rejected() -> None:
    one, other = (
        NetTrainer(TINY, OptimizerConfig(2, optimizer=name), SMALL) for name in OPTIMIZERS
    )
    with pytest.raises(InvalidRun, match="of another version of claimeven: start again"):
        one.resume(other.checkpoint())


def test_muon_changes_hidden_matrices_equally_in_all_directions() -> None:
    """A step goes in the directions of the gradients, by nearly equal lengths in all of them."""
    rate, decay = 0.01, 0.1
    config = OptimizerConfig(steps=1, lr=rate, weight_decay=decay, optimizer="muon")
    trainer = NetTrainer(TINY, config, SMALL, seed=3, precision=FLOAT32)
    net = trainer.net()
    batch, forward = made_batch(net), JaxForward(net.features)
    lose = partial(losses_of, batch, config=trainer.config.loss)
    before = {name: np.asarray(array) for name, array in trainer.weights.items()}
    _, gradients = compiled(partial(forward.gradients, lose))(before, batch.planes, batch.states)
    found = gradients.of_weights(before)
    trainer.learn(batch)
    hidden = 0
    for name, array in before.items():
        step = (np.asarray(trainer.weights[name]) - array) / -trainer.config.lr_at(0)
        step -= decay * array
        if array.ndim == 2 and not name.startswith("out_"):
            left, sizes, right = np.linalg.svd(np.asarray(found[name]), full_matrices=False)
            lengths = left.T @ step @ right.T / (0.2 * math.sqrt(max(array.shape)))
            large = sizes > sizes[0] / 10  # the others are too small to be brought up in a step
            assert np.abs(lengths - np.diag(np.diag(lengths)))[large][:, large].max() < 0.02, name
            assert 0.6 < np.diag(lengths)[large].min() <= np.diag(lengths)[large].max() < 1.3, name
            hidden += 1
        else:  # as AdamW's first step: all numbers change equally
            changed = np.abs(step[np.abs(np.asarray(found[name])) > 1e-5])
            assert changed == pytest.approx(np.full(len(changed), changed.max()), rel=0.01), name
    assert hidden == 2 + 2 * TINY.blocks
