"""Training of nets by JAX: batches of positions, their targets, steps of gradient descent.

The forward pass is that of `networks.net`, written for JAX; tests hold the two equal. The loss of a
position is that of its policy, plus the squared error of its value and the mean loss of its
columns' scores where they are known, each by its weight. The loss of a score is about its error, in
units of ten points, and less within half a point, about the error's square: so that small errors,
by which columns are told apart, count beside great ones. The policy's is its cross-entropy with a
target; or, where all right columns are as good, that of its playing any of them. Steps are
AdamW's, or Muon's for the matrices of hidden layers (see `muon`), with a rate that rises over the
first steps and falls to nothing by half a cosine. A step of Muon as long as AdamW's takes about
half as many positions to learn as much, and more time the smaller the batches and the greater the
matrices. What is played is the running mean of the weights, which is better than the last ones.

Sources: Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019), and "SGDR:
stochastic gradient descent with warm restarts" (ICLR 2017); Charbonnier, Blanc-Feraud, Aubert and
Barlaud, "Deterministic edge-preserving regularization in computed imaging" (IEEE Transactions on
Image Processing 6, 1997), for the loss of scores; Polyak and Juditsky, "Acceleration of
stochastic approximation by averaging" (1992).
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
from claimeven.learning.extras import jax_and_optax
from claimeven.learning.forward import Forward, as_rounded
from claimeven.learning.jax_functions import JaxFunction
from claimeven.learning.muon import muon
from claimeven.learning.precision import AUTO, precision_here
from claimeven.learning.run_dir import InvalidRun
from claimeven.networks.net import Features, Net, NetShape

Array = npt.NDArray[Any]

#: What the losses of values and of scores count for beside that of the policy, if nothing is said.
USUAL_WEIGHT: Final = 0.5
#: What recipes call the loss of scores, and the error up to which it is about a square: half a
#: point.
SCORE_LOSS: Final = "Charbonnier"
_SCORE_NEAR: Final = 0.5 / Net.SCORE_UNIT
#: Steps over which the rate rises, and the most of all steps that may be; and where the rate does
#: not fall, whatever the steps in all.
_WARM_UP: Final = 500
_RISING_MOST: Final = 0.25
_SHORT_WARM_UP: Final = 100
#: The part of the running mean that stays at a step, and how the rate may fall.
_STAYS: Final = 0.999
FALLS: Final = ("cosine", "stepwise", "none")
#: By whose rule the weights go down.
MUON: Final = "muon"
ADAMW: Final = "adamw"
OPTIMIZERS: Final = (MUON, ADAMW)
#: Of the columns that the target of a policy holds, it is to have each as often as the target, or
#: any of them.
EACH: Final = "each"
ANY: Final = "any"
POLICY_TARGETS: Final = (EACH, ANY)
#: Sets apart the seeds of what is left out from those of the weights.
_DROPPED: Final = 1
#: Positions whose slopes a processor finds at a time, where batches are a multiple of them.
_AT_A_TIME: Final = 1024
#: How far weights are spread in the beginning where it does not go by the number of inputs.
_SPREADS: Final = {"lines": 0.1, "columns": 0.0, "out_sum": 0.01, "out_difference": 0.01}


class Batch(NamedTuple):
    """Positions and what is to be learnt of them.

    `planes` and `states` are those of `Features.of`. `policies` float32 (n, columns) sum to 1, or
    to 0 where none is known; `values` float32 (n,) are for the side to move, not a number where
    none is known; `scores` float32 (n, columns) are in points for the side to move, and `scored`,
    of the same shape, says how much they count; `playable`, bool, are the columns that are not
    full. `best` float32 (n,) is the score of the best column, wherever it is, and counts
    `best_counts` times, if they are told.
    """

    planes: Array
    states: Array
    policies: Array
    values: Array
    scores: Array
    scored: Array
    playable: Array
    best: Array | None = None
    best_counts: Array | None = None


class Losses(NamedTuple):
    """Mean losses of a batch: see the module."""

    policy: float
    value: float
    score: float


class Aim(NamedTuple):
    """What a descent lowers: see `Descent`."""

    policy_target: str = EACH
    value_weight: float = USUAL_WEIGHT
    score_weight: float = USUAL_WEIGHT

    def of(self, losses: Losses) -> Any:
        """Return the losses as one."""
        policy, value, score = losses
        return policy + self.value_weight * value + self.score_weight * score


@dataclass(frozen=True)
class Descent:
    """How the weights go down: `steps` in all, the greatest `rate`, and the `decay` of weights.

    The rate rises over the first 500 steps, or over a quarter of all where that is less (over 100
    where it does not fall). Then it falls to nothing by half a cosine; with `fall` "stepwise" it is
    divided by 3 after half of the steps and again after three quarters, with "none" it stays. Of
    the running mean the part `stays` stays at a step. `optimizer` is one of `OPTIMIZERS`.

    With `weight_steps` the net sees its weights rounded to so many steps either side of zero in the
    last steps, from the part `round_from` of all on: the rest of the weights then make up for it.
    With `dropped` each pair of hidden numbers is left out of a step by that chance, rounded to a
    256th. `policy_target` is one of `POLICY_TARGETS`. `value_weight` and `score_weight` say what
    the losses of values and scores count for beside that of the policy.
    """

    steps: int
    rate: float = 1e-3
    decay: float = 1e-4
    fall: str = "cosine"
    stays: float = _STAYS
    weight_steps: int | None = None
    round_from: float = 0.7
    dropped: float = 0.0
    optimizer: str = ADAMW
    policy_target: str = EACH
    value_weight: float = USUAL_WEIGHT
    score_weight: float = USUAL_WEIGHT

    @property
    def aim(self) -> Aim:
        """What is lowered."""
        return Aim(self.policy_target, float(self.value_weight), float(self.score_weight))

    def rounds_at(self, step: int) -> bool:
        """Whether the weights of a step, from 0, are rounded."""
        return self.weight_steps is not None and step >= self.round_from * self.steps

    def rate_at(self, step: int) -> float:
        """Return the rate of a step, from 0."""
        warm_up = (
            _SHORT_WARM_UP if self.fall == "none" else min(_WARM_UP, _RISING_MOST * self.steps)
        )
        risen = min(1.0, (step + 1) / warm_up)
        return self.rate * risen * self._left_at(step / self.steps)

    def _left_at(self, done: float) -> float:
        """Return the part of the rate that is left when so much is done, 0 to 1."""
        if self.fall == "none":
            return 1.0
        if self.fall == "stepwise":
            return 1.0 if done < 1 / 2 else 1 / 3 if done < 3 / 4 else 1 / 9
        return 0.5 * (1 + math.cos(math.pi * done))


class NetTrainer:
    """A net that is learning: its weights, their running mean, and the state of the descent.

    `precision` is one of `precision.PRECISIONS`. The same seed, batches and machine give the same
    weights. Raises `MissingPackage` without JAX.
    """

    def __init__(
        self,
        shape: NetShape,
        descent: Descent,
        geometry: Geometry = STANDARD,
        seed: int = 0,
        precision: str = AUTO,
    ) -> None:
        self._jax, self._optax = jax_and_optax()
        self.shape, self.descent, self.geometry = shape, descent, geometry
        self.features = Features(geometry)
        self.precision = precision_here(precision)
        self.seed = seed
        self.weights = drawn_weights(shape, geometry, seed)
        self.mean = self.weights
        self.step = 0
        start = _compiled_start(descent.optimizer, self.precision)
        self._state = start(descent.rate, descent.decay, self.weights)
        self._update = _compiled_update(descent.optimizer, self.precision)

    def begin_with(self, net: Net) -> None:
        """Begin with the weights of a net of the same shape and board instead of drawn ones."""
        self.weights = self.mean = dict(net.arrays)

    def learn(self, batch: Batch) -> Losses:
        """Take a step; return the losses of before it."""
        rate = self.descent.rate_at(self.step)
        stays = min(self.descent.stays, (1 + self.step) / (10 + self.step))
        steps = self.descent.weight_steps if self.descent.rounds_at(self.step) else None
        # The slope goes by as if there were no rounding: it is that of what the pass sees.
        seen = self.weights if steps is None else _compiled_rounding(steps)(self.weights)
        target, *weighs = self.descent.aim
        compiled = _compiled_slopes(self.geometry, self.precision, target)
        losses, slopes = compiled(seen, self._drawn(len(batch.planes)), batch, tuple(weighs))
        self.weights, self._state, self.mean = self._update(
            slopes.of_weights(self.weights), self.weights, self._state, self.mean, rate, stays
        )
        self.step += 1
        return Losses(*(float(loss) for loss in losses))

    def _drawn(self, count: int) -> npt.NDArray[np.bool_] | None:
        """Draw which pairs of hidden numbers stay in this step, if any are left out.

        By NumPy: drawing took JAX a third of a step on a processor.
        """
        if not self.descent.dropped:
            return None
        rng = np.random.default_rng([_DROPPED, self.seed, self.step])
        size = (1 + self.shape.blocks, count, self.shape.pairs)
        return rng.integers(0, 256, size, dtype=np.uint8) >= round(256 * self.descent.dropped)

    def arrays(self) -> dict[str, Array]:
        """Return the running mean of the weights, those of a net, by name."""
        return {name: np.asarray(array) for name, array in self.mean.items()}

    def net(self, knows_scores: bool = False) -> Net:
        """Return the net of the running mean, which knows scores if they were in its batches."""
        return Net(self.shape, self.arrays(), self.geometry, knows_scores)

    def checkpoint(self) -> dict[str, Array]:
        """Return all that is needed to go on, as arrays by name."""
        leaves = self._jax.tree.leaves((self.weights, self.mean, self._state))
        arrays = {f"leaf{number}": np.asarray(leaf) for number, leaf in enumerate(leaves)}
        return {"step": np.array([self.step]), **arrays}

    def take_up(self, arrays: Mapping[str, Array]) -> None:
        """Go on from a checkpoint of the same shape and descent.

        Raises `InvalidRun` for one of a version that kept more or less of a descent.
        """
        tree = (self.weights, self.mean, self._state)
        structure = self._jax.tree.structure(tree)
        if sum(name.startswith("leaf") for name in arrays) != structure.num_leaves:
            raise InvalidRun(
                "the checkpoint is of another version of claimeven: begin again in another folder"
            )
        leaves = [arrays[f"leaf{number}"] for number in range(structure.num_leaves)]
        self.weights, self.mean, self._state = self._jax.tree.unflatten(structure, leaves)
        self.step = int(arrays["step"][0])


def _optimizer(name: str, precision: str, rate: float = 0.0, decay: float = 0.0) -> Any:
    """Return the optimizer of a name, whose state holds the rate and the decay."""
    _, optax = jax_and_optax()

    def made(learning_rate: Any, weight_decay: Any) -> Any:
        if name == ADAMW:
            return optax.adamw(learning_rate, weight_decay=weight_decay)
        return muon(learning_rate, weight_decay, precision)

    return optax.inject_hyperparams(made)(learning_rate=rate, weight_decay=decay)


@lru_cache(maxsize=8)
def _compiled_start(optimizer: str, precision: str) -> JaxFunction:
    """Return the function that gives the state of a descent before its first step.

    It takes a rate, a decay and weights. JAX would compile each of its arrays by itself otherwise.
    """
    return JaxFunction(
        f"learning.net_training.start.{optimizer}",
        lambda rate, decay, weights: _optimizer(optimizer, precision, rate, decay).init(weights),
    )


@lru_cache(maxsize=8)
def _compiled_slopes(geometry: Geometry, precision: str, policy_target: str) -> JaxFunction:
    """Return the function that gives the losses of a batch and their slopes.

    It takes seconds to compile, so all trainers of a board share it.
    """
    forward = Forward(Features(geometry), precision)

    def lost(weights: Any, drawn: Any, batch: Batch, weighs: Any) -> Any:
        """Of the hidden numbers those stay that are `drawn`, if any are."""
        lose = partial(losses_of, aim=Aim(policy_target, *weighs), known=known_in(batch))
        parts = _parts_of(len(batch.planes))
        (_, losses), slopes = forward.slopes_in_parts(lose, weights, batch, drawn, parts)
        return losses, slopes

    return JaxFunction("learning.net_training.slopes", lost)


def _parts_of(count: int) -> int:
    """Return in how many parts the slopes of a batch are found."""
    jax, _ = jax_and_optax()
    is_split = count % _AT_A_TIME == 0 and jax.default_backend() == "cpu"
    return count // _AT_A_TIME if is_split else 1


@lru_cache(maxsize=8)
def _compiled_rounding(steps: int) -> JaxFunction:
    """Return the function that rounds weights as a file of so many steps holds them."""
    return JaxFunction("learning.net_training.rounding", partial(as_rounded, steps=steps))


@lru_cache(maxsize=8)
def _compiled_update(name: str, precision: str) -> JaxFunction:
    """Return the function that takes a step of descent by its slopes."""
    jax, optax = jax_and_optax()
    optimizer = _optimizer(name, precision)

    def updated(slopes: Any, weights: Any, state: Any, mean: Any, rate: Any, stays: Any) -> Any:
        """Return weights, state and the mean of the weights."""
        state = state._replace(hyperparams={**state.hyperparams, "learning_rate": rate})
        changes, state = optimizer.update(slopes, state, weights)
        weights = optax.apply_updates(weights, changes)
        mean = jax.tree.map(lambda old, new: old * stays + new * (1 - stays), mean, weights)
        return weights, state, mean

    return JaxFunction(f"learning.net_training.update.{name}", updated)


def drawn_weights(shape: NetShape, geometry: Geometry, seed: int) -> dict[str, Array]:
    """Return weights to begin with: drawn by a seed, of a size that suits each layer's inputs.

    Source: He, Zhang, Ren and Sun, "Delving deep into rectifiers" (ICCV 2015).
    """
    rng = np.random.default_rng(seed)
    drawn = {}
    for name, size in shape.arrays(geometry).items():
        if name.endswith("_bias"):
            drawn[name] = np.zeros(size, dtype=np.float32)
            continue
        spread = _SPREADS.get(name, math.sqrt(1 / max(1, size[0])))
        drawn[name] = rng.normal(scale=spread, size=size).astype(np.float32)
    return drawn


class Known(NamedTuple):
    """Of how many positions of a batch something is known: anything, a policy, a value."""

    positions: Any
    policies: Any
    values: Any


def known_in(batch: Batch) -> Known:
    """Return of how many positions of a batch what is to be learnt is known."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy
    policies = (batch.policies.sum(axis=1) > 0).sum()
    return Known(len(batch.policies), policies, (~jnp.isnan(batch.values)).sum())


def losses_of(batch: Batch, outputs: Any, aim: Aim, known: Known | None = None) -> Any:
    """Return the loss of a batch of which the net has such outputs, and its parts.

    Of a part of a batch, what it adds to those of the whole, in which so much is `known`.
    """
    jax, _ = jax_and_optax()
    jnp = jax.numpy
    known = known_in(batch) if known is None else known
    columns = batch.playable.shape[1]
    logits = jnp.where(batch.playable, outputs[:, :columns], -1e9)
    logs = jnp.where(batch.playable, jax.nn.log_softmax(logits), 0.0)
    if aim.policy_target == EACH:
        policies = (batch.policies * logs).sum(axis=1)
    else:
        right = jnp.where(batch.policies > 0, logs, -1e9)
        is_known = batch.policies.sum(axis=1) > 0
        policies = jnp.where(is_known, jax.nn.logsumexp(right, axis=1), 0.0)
    policy = -policies.sum() / jnp.maximum(known.policies, 1)
    is_valued = ~jnp.isnan(batch.values)
    values = jnp.where(is_valued, batch.values, 0.0)
    errors = jnp.where(is_valued, jnp.tanh(outputs[:, columns]) - values, 0.0)
    value = (errors**2).sum() / jnp.maximum(known.values, 1)
    told = outputs[:, columns + 1 :]
    lost = (_error(told - batch.scores / Net.SCORE_UNIT) * batch.scored).sum() / columns
    if batch.best is not None and batch.best_counts is not None:
        best = jnp.where(batch.playable, told, -1e9).max(axis=1)
        lost += (_error(best - batch.best / Net.SCORE_UNIT) * batch.best_counts).sum()
    losses = Losses(policy, value, lost / known.positions)
    return aim.of(losses), losses


def _error(differences: Any) -> Any:
    """Return what differences of scores lose: see the module."""
    jax, _ = jax_and_optax()
    return jax.numpy.sqrt(differences**2 + _SCORE_NEAR**2) - _SCORE_NEAR
