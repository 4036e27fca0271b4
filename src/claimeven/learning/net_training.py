"""Training of nets by JAX: batches of positions, their targets and gradient descent.

The loss of a position is the weighted sum of the loss of its policy, the squared error of its value
and the mean loss of the known scores of its columns. The loss of a score is about its error, in
units of ten points, and about the square of the error within half a point. So the small errors that
distinguish columns still count. The loss of a policy is its cross-entropy with a target, or the
negative log probability of playing any of the best columns.

AdamW changes the weights, or Muon the matrices of hidden layers: their momentum is made orthogonal
by a few Newton-Schulz steps, so a matrix changes equally in all directions. AdamW with Nesterov
momentum then changes all other weights. The net that plays has the running mean of the weights,
which is better than the last weights.

Sources: Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019), and "SGDR:
stochastic gradient descent with warm restarts" (ICLR 2017); Charbonnier, Blanc-Feraud, Aubert and
Barlaud, "Deterministic edge-preserving regularization in computed imaging" (IEEE Transactions on
Image Processing 6, 1997), for the loss of scores; Polyak and Juditsky, "Acceleration of
stochastic approximation by averaging" (1992); Jordan and others, "Muon: an optimizer for hidden
layers in neural networks" (2024), for the method and the numbers of its polynomial; Liu and others,
"Muon is scalable for LLM training" (2025), for the length of its steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.learning.jax_functions import (
    AUTO,
    JaxFunction,
    jax_and_optax,
    mesh_for,
    placed,
    precision_here,
    product_in,
)
from claimeven.learning.jax_net import JaxForward, quantized
from claimeven.learning.run_dir import InvalidRun
from claimeven.networks.net import Features, Net, NetShape

Array = npt.NDArray[Any]

#: The default weight of the losses of values and of scores; the policy has 1.
DEFAULT_WEIGHT: Final = 0.5
#: The name of the loss of scores, and the error up to which it is about a square: half a point.
SCORE_LOSS: Final = "Charbonnier"
_SCORE_NEAR: Final = 0.5 / Net.SCORE_UNIT
#: Steps of warm-up, its greatest share of all steps, and its steps with a constant rate.
_WARM_UP: Final = 500
_MAX_WARM_UP_PART: Final = 0.25
_SHORT_WARM_UP: Final = 100
OPTIMIZERS = MUON, ADAMW = ("muon", "adamw")
#: The target of a policy: its probabilities for each of the best columns, or for any of them.
POLICY_TARGETS = EACH, ANY = ("each", "any")
#: A part of the seeds of dropout, so that they differ from the seed of the weights.
_DROPOUT: Final = 1
#: Positions in a part of a batch on a processor, if the batch is a multiple of it.
_PART_SIZE: Final = 1024
#: The standard deviation of initial weights that does not depend on the number of inputs.
_SPREADS: Final = {"lines": 0.1, "columns": 0.0, "out_sum": 0.01, "out_difference": 0.01}


class TrainingBatch(NamedTuple):
    """Positions and their targets.

    `planes` and `states` come from `Features.of`. `policies` float32 (n, columns) sum to 1, or to 0
    if unknown. `values` float32 (n,) are for the side to move, NaN if unknown. `scores` float32
    (n, columns) are in points for the side to move, and `score_weights` their weights. `playable`,
    bool, are the columns that are not full. `best` float32 (n,) is the optional score of the best
    column, with the weight `best_weights`.
    """

    planes: Array
    states: Array
    policies: Array
    values: Array
    scores: Array
    score_weights: Array
    playable: Array
    best: Array | None = None
    best_weights: Array | None = None


class Losses(NamedTuple):
    """Mean losses of a batch: see the module."""

    policy: float
    value: float
    score: float


class LossConfig(NamedTuple):
    """The loss that training minimizes: see `OptimizerConfig`."""

    policy_target: str = EACH
    value_weight: float = DEFAULT_WEIGHT
    score_weight: float = DEFAULT_WEIGHT

    def of(self, losses: Losses) -> Any:
        """Return the weighted sum of the losses."""
        policy, value, score = losses
        return policy + self.value_weight * value + self.score_weight * score


@dataclass(frozen=True)
class OptimizerConfig:
    """The settings of the optimizer: number of `steps`, highest learning rate `lr`, and so on.

    The learning rate rises over the first 500 steps, or over a quarter of all steps if that is
    less. Then it falls to 0 by half a cosine. With `lr_schedule` "stepwise" it is divided by 3
    after half of the steps and again after three quarters; with "none" it rises over 100 steps and
    stays. `ema_decay` is the decay of the running mean of the weights in a step. `optimizer` is one
    of `OPTIMIZERS`.

    With `quant_levels`, training after the part `qat_start` of the steps uses weights rounded to
    that number of levels on each side of 0. `dropout` is the chance that a pair of hidden units is
    dropped in a step, rounded to 1/256. `policy_target` is one of `POLICY_TARGETS`.
    `value_weight` and `score_weight` are relative to the loss of the policy.
    """

    steps: int
    lr: float = 1e-3
    weight_decay: float = 1e-4
    lr_schedule: str = "cosine"
    ema_decay: float = 0.999
    quant_levels: int | None = None
    qat_start: float = 0.7
    dropout: float = 0.0
    optimizer: str = ADAMW
    policy_target: str = EACH
    value_weight: float = DEFAULT_WEIGHT
    score_weight: float = DEFAULT_WEIGHT

    @property
    def loss(self) -> LossConfig:
        """The loss that training minimizes."""
        return LossConfig(self.policy_target, float(self.value_weight), float(self.score_weight))

    def lr_at(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        warm_up: float = min(_WARM_UP, _MAX_WARM_UP_PART * self.steps)
        done, factor = step / self.steps, 1.0
        if self.lr_schedule == "none":
            warm_up = _SHORT_WARM_UP
        elif self.lr_schedule == "stepwise":
            factor = 1.0 if done < 1 / 2 else 1 / 3 if done < 3 / 4 else 1 / 9
        else:
            factor = 0.5 * (1 + math.cos(math.pi * done))
        return self.lr * min(1.0, (step + 1) / warm_up) * factor


class NetTrainer:
    """A net in training: its weights, their running mean, and the state of the optimizer.

    `precision` is one of `PRECISIONS`. All accelerators of the machine share a batch: see `placed`.
    Same seed, batches and machine give the same weights. Raises `MissingPackage`.
    """

    def __init__(
        self,
        shape: NetShape,
        config: OptimizerConfig,
        geometry: Geometry = STANDARD,
        seed: int = 0,
        precision: str = AUTO,
    ) -> None:
        self._jax, _ = jax_and_optax()
        self.shape = shape
        self.config = config
        self.geometry = geometry
        self.seed = seed
        self.precision: str = precision_here(precision)
        self.weights = self.mean = initial_weights(shape, geometry, seed)
        self.step = 0
        start, self._update = _compiled_optimizer(config.optimizer, self.precision)
        self._state = start(config.lr, config.weight_decay, self.weights)

    def start_with(self, net: Net) -> None:
        """Start with the weights of a net of the same shape and board."""
        self.weights = self.mean = dict(net.arrays)

    def learn(self, batch: TrainingBatch) -> Losses:
        """Take a step; return the losses before it."""
        count, config = len(batch.planes), self.config
        state = placed((self.weights, self.mean, self._state), count, None)
        self.weights, self.mean, self._state = state
        lr = config.lr_at(self.step)
        ema_decay = min(config.ema_decay, (1 + self.step) / (10 + self.step))
        levels = config.quant_levels if self.step >= config.qat_start * config.steps else None
        # The gradient at the rounded weights changes the weights before rounding.
        weights = self.weights if levels is None else _compiled_rounding(levels)(self.weights)
        target, *loss_weights = config.loss
        compiled = _compiled_gradients(self.geometry, self.precision, target)
        mask = placed(self._dropout(count), count, 1)
        losses, found = compiled(weights, mask, placed(batch, count), tuple(loss_weights))
        gradients = placed(found.of_weights(self.weights), count, None)
        self.weights, self._state, self.mean = self._update(
            gradients, self.weights, self._state, self.mean, lr, ema_decay
        )
        self.step += 1
        return Losses(*(float(loss) for loss in losses))

    def _dropout(self, count: int) -> npt.NDArray[np.bool_] | None:
        """Draw the pairs of hidden units that stay, None for all; JAX would draw more slowly."""
        if not self.config.dropout:
            return None
        rng = np.random.default_rng([_DROPOUT, self.seed, self.step])
        size = (1 + self.shape.blocks, count, self.shape.pairs)
        return rng.integers(0, 256, size, dtype=np.uint8) >= round(256 * self.config.dropout)

    def arrays(self) -> dict[str, Array]:
        """Return the running mean of the weights, the arrays of a net, by name."""
        return {name: np.asarray(array) for name, array in self.mean.items()}

    def net(self, knows_scores: bool = False) -> Net:
        """Return the net of the running mean; it knows scores if its batches had scores."""
        return Net(self.shape, self.arrays(), self.geometry, knows_scores)

    def checkpoint(self) -> dict[str, Array]:
        """Return the state of training as arrays by name."""
        leaves = self._jax.tree.leaves((self.weights, self.mean, self._state))
        arrays = {f"leaf{number}": np.asarray(leaf) for number, leaf in enumerate(leaves)}
        return {"step": np.array([self.step]), **arrays}

    def resume(self, arrays: Mapping[str, Array]) -> None:
        """Continue from a checkpoint of the same shape and configuration.

        Raises `InvalidRun` for a checkpoint of a version with another state of the optimizer.
        """
        tree = (self.weights, self.mean, self._state)
        structure = self._jax.tree.structure(tree)
        if sum(name.startswith("leaf") for name in arrays) != structure.num_leaves:
            raise InvalidRun(
                "the checkpoint is of another version of claimeven: start again in another folder"
            )
        leaves = [arrays[f"leaf{number}"] for number in range(structure.num_leaves)]
        self.weights, self.mean, self._state = self._jax.tree.unflatten(structure, leaves)
        self.step = int(arrays["step"][0])


@lru_cache(maxsize=8)
def _compiled_optimizer(name: str, precision: str) -> tuple[JaxFunction, JaxFunction]:
    jax, optax = jax_and_optax()

    def optimizer(rate: float = 0.0, decay: float = 0.0) -> Any:
        def build(learning_rate: Any, weight_decay: Any) -> Any:
            if name == ADAMW:
                return optax.adamw(learning_rate, weight_decay=weight_decay)
            return muon(learning_rate, weight_decay, precision)

        return optax.inject_hyperparams(build)(learning_rate=rate, weight_decay=decay)

    def start(rate: Any, decay: Any, weights: Any) -> Any:
        return optimizer(rate, decay).init(weights)

    def update(gradients: Any, weights: Any, state: Any, mean: Any, rate: Any, decay: Any) -> Any:
        """Return weights, state and the mean of the weights."""
        state = state._replace(hyperparams={**state.hyperparams, "learning_rate": rate})
        changes, state = optimizer().update(gradients, state, weights)
        weights = optax.apply_updates(weights, changes)
        mean = jax.tree.map(lambda old, new: old * decay + new * (1 - decay), mean, weights)
        return weights, state, mean

    return (
        JaxFunction(f"learning.net_training.start.{name}", start),
        JaxFunction(f"learning.net_training.update.{name}", update),
    )


@lru_cache(maxsize=8)
def _compiled_gradients(geometry: Geometry, precision: str, policy_target: str) -> JaxFunction:
    """Return the function for the losses of a batch and their gradients, shared by trainers."""
    forward = JaxForward(Features(geometry), precision)

    def gradients(weights: Any, mask: Any, batch: TrainingBatch, loss_weights: Any) -> Any:
        config, known = LossConfig(policy_target, *loss_weights), known_in(batch)
        loss = partial(losses_of, config=config, known=known)
        count = len(batch.planes)
        is_one = jax_and_optax()[0].default_backend() == "cpu" and mesh_for(count) is None
        parts = count // _PART_SIZE if is_one and count % _PART_SIZE == 0 else 1
        (_, losses), found = forward.gradients_in_parts(loss, weights, batch, mask, parts)
        return losses, found

    return JaxFunction("learning.net_training.gradients", gradients)


@lru_cache(maxsize=8)
def _compiled_rounding(levels: int) -> JaxFunction:
    return JaxFunction("learning.net_training.rounding", partial(quantized, levels=levels))


def initial_weights(shape: NetShape, geometry: Geometry, seed: int) -> dict[str, Array]:
    """Return initial weights, drawn by a seed and scaled to the number of inputs of each layer.

    Source: He, Zhang, Ren and Sun, "Delving deep into rectifiers" (ICCV 2015).
    """
    rng = np.random.default_rng(seed)
    weights = {}
    for name, size in shape.arrays(geometry).items():
        if name.endswith("_bias"):
            weights[name] = np.zeros(size, dtype=np.float32)
            continue
        spread = _SPREADS.get(name, math.sqrt(1 / max(1, size[0])))
        weights[name] = rng.normal(scale=spread, size=size).astype(np.float32)
    return weights


def known_in(batch: TrainingBatch) -> tuple[Any, Any, Any]:
    """Return the number of positions of a batch, and of positions with a policy, with a value."""
    has_value = ~jax_and_optax()[0].numpy.isnan(batch.values)
    return len(batch.policies), (batch.policies.sum(axis=1) > 0).sum(), has_value.sum()


def losses_of(batch: TrainingBatch, outputs: Any, config: LossConfig, known: Any = None) -> Any:
    """Return the loss of a batch with these outputs of the net, and its components.

    For a part of a batch, `known` is `known_in` of the whole batch.
    """
    jax, _ = jax_and_optax()
    jnp = jax.numpy
    positions, with_policy, with_value = known_in(batch) if known is None else known
    columns = batch.playable.shape[1]
    logits = jnp.where(batch.playable, outputs[:, :columns], -1e9)
    logs = jnp.where(batch.playable, jax.nn.log_softmax(logits), 0.0)
    if config.policy_target == EACH:
        policies = (batch.policies * logs).sum(axis=1)
    else:
        best = jnp.where(batch.policies > 0, logs, -1e9)
        is_known = batch.policies.sum(axis=1) > 0
        policies = jnp.where(is_known, jax.nn.logsumexp(best, axis=1), 0.0)
    policy = -policies.sum() / jnp.maximum(with_policy, 1)
    has_value = ~jnp.isnan(batch.values)
    values = jnp.where(has_value, batch.values, 0.0)
    errors = jnp.where(has_value, jnp.tanh(outputs[:, columns]) - values, 0.0)
    value = (errors**2).sum() / jnp.maximum(with_value, 1)
    scores = outputs[:, columns + 1 :]
    score = (_error(scores - batch.scores / Net.SCORE_UNIT) * batch.score_weights).sum() / columns
    if batch.best is not None and batch.best_weights is not None:
        greatest = jnp.where(batch.playable, scores, -1e9).max(axis=1)
        score += (_error(greatest - batch.best / Net.SCORE_UNIT) * batch.best_weights).sum()
    losses = Losses(policy, value, score / positions)
    return config.of(losses), losses


def _error(differences: Any) -> Any:
    """Return the losses of differences of scores: see the module."""
    return jax_and_optax()[0].numpy.sqrt(differences**2 + _SCORE_NEAR**2) - _SCORE_NEAR


#: Coefficients of x, x^3 and x^5 that move singular values to 1, and the number of applications.
_POLYNOMIAL: Final = (3.4445, -4.7750, 2.0315)
_REPETITIONS: Final = 5
_MOMENTUM: Final = 0.95
#: The length of a step relative to a typical step of AdamW.
_LENGTH: Final = 0.2
_TINY: Final = 1e-8
_HIDDEN, _OTHER = "hidden", "other"


def muon(rate: Any, decay: Any, precision: str) -> Any:
    """Return the optimizer of weights by name, for optax, with a learning rate and weight decay.

    The products of a step have the `precision` `FLOAT32` or `BFLOAT16`. Muon changes weights with
    two axes, except the weights of the output (`out_...`).
    """
    jax, optax = jax_and_optax()
    orthogonal = partial(orthogonalized, precision=precision)
    of_hidden = optax.chain(
        optax.trace(_MOMENTUM, nesterov=True),
        optax.stateless(lambda changes, _: jax.tree.map(orthogonal, changes)),
        optax.add_decayed_weights(decay),
        optax.scale_by_learning_rate(rate),
    )
    return optax.partition(
        {_HIDDEN: of_hidden, _OTHER: optax.adamw(rate, weight_decay=decay, nesterov=True)}, _kinds
    )


def _kinds(weights: Mapping[str, Any]) -> dict[str, str]:
    """Return the kind of each weight: `_HIDDEN` for the matrices of hidden layers."""
    return {
        name: _OTHER if name.startswith("out_") or getattr(array, "ndim", 2) != 2 else _HIDDEN
        for name, array in weights.items()
    }


def orthogonalized(matrix: Any, precision: str) -> Any:
    """Return a matrix of float32, (rows, columns), with its directions about equally long.

    Its singular values become 0.5 to 1.3 times 0.2 * sqrt(the longer side), except very small ones.
    Its numbers are then about as large as in a typical step of AdamW.
    """
    jax, _ = jax_and_optax()
    jnp, product = jax.numpy, product_in(precision)
    rows, columns = matrix.shape
    wide = matrix if rows <= columns else matrix.T
    wide = wide / (jnp.linalg.norm(wide) + _TINY)
    first, third, fifth = _POLYNOMIAL
    for _ in range(_REPETITIONS):
        square = product(wide, wide.T)
        both = third * square + fifth * product(square, square)
        wide = first * wide + product(both, wide)
    length = _LENGTH * max(rows, columns) ** 0.5
    return length * (wide if rows <= columns else wide.T)
