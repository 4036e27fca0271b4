"""Rounding of a net's weights in which later ones make up for the errors of earlier ones.

Weights are rounded input by input. The error of each is carried over to those of the same output
that are not rounded yet, so that what the layer gives in play changes least: as far as two inputs
go together in play, the one can stand in for the other. Each layer is rounded by what it is given
by the rounded layers before it. A net of 15 steps either side of zero is then as good as one of all
of float32; each weight rounded for itself it would be worse.

Play that shows what goes together are games of the net against itself in which every other move is
drawn at random; nothing needs to be known of their positions.

Sources: Hassibi and Stork, "Second order derivatives for network pruning: optimal brain surgeon"
(NIPS 1992); Frantar, Ashkboos, Hoefler and Alistarh, "GPTQ: accurate post-training quantization for
generative pre-trained transformers" (ICLR 2023).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.game.arrays import has_line
from claimeven.networks.model_file import ModelFile
from claimeven.networks.net import Net
from claimeven.networks.net.file import (
    TABLES,
    Rounded,
    packed_as,
    rounded,
    steps_for,
    units_of,
    whole_steps,
)
from claimeven.networks.net.net import cut_off
from claimeven.networks.policy_value import playable_columns

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]

#: Steps either side of zero that are enough for weights rounded so.
WEIGHT_STEPS: Final = 15
#: Positions of play for each number that the first layer is given: as many as will do for a run's
#: measurements, and as many as help a file that is made once, which takes ten times as long.
POSITIONS: Final = 10
MANY_POSITIONS: Final = 100
#: Games are played so many at a time, or one for so many positions where that is more.
_GAMES, _POSITIONS_OF_GAME = 128, 128
#: A part of the mean square of a layer's inputs that is added to that of each: inputs that were
#: seldom seen, or always with others, would else be leant on too much.
_DAMPING: Final = 0.01
#: Inputs whose errors are carried over at once to all that come later.
_BLOCK: Final = 64
_HALF, _QUARTER = np.float32(0.5), np.float32(0.25)


def packed_by_play(
    net: Net, steps: int = WEIGHT_STEPS, positions_each: int = POSITIONS
) -> ModelFile:
    """Return what the file of a net holds, rounded to `steps` either side of zero by its play.

    Its play is `positions_each` for each number that its first layer is given.
    """
    tables = {name: rounded(net.arrays[name], steps_for(name, steps)) for name in TABLES}
    looked_up = {name: _weights(*kept) for name, kept in tables.items()}
    seen = Net(net.shape, {**net.arrays, **looked_up}, net.geometry)
    boards = positions_of_play(net, positions_each * len(net.arrays["in_sum"]))
    layers = _Layers(net, steps, *seen.inputs(*boards))
    layers.first()
    for block in range(net.shape.blocks):
        layers.block(f"block{block}_")
    layers.products("out_")
    return packed_as(net, {**tables, **layers.matrices})


class _Layers:
    """A net that is rounded layer by layer, and what the rounded part makes of some positions."""

    def __init__(self, net: Net, steps: int, sums: Floats, differences: Floats) -> None:
        self.net, self.steps = net, steps
        self.sums, self.differences = sums, differences
        self.matrices: dict[str, Rounded] = {}

    def first(self) -> None:
        """Round the first layer."""
        sums, differences = cut_off(*self.products("in_"))
        self.sums, self.differences = sums * _HALF, differences * _HALF

    def block(self, name: str) -> None:
        """Round a layer that adds to what is there."""
        sums, differences = cut_off(*self.products(name))
        self.sums += sums * _QUARTER
        self.differences += differences * _QUARTER

    def products(self, name: str) -> tuple[Floats, Floats]:
        """Round a layer; return its products, of sums and of differences."""
        level = self._product(name + "sum", self.sums) + self.net.arrays[name + "bias"]
        return level, self._product(name + "difference", self.differences)

    def _product(self, name: str, inputs: Floats) -> Floats:
        """Round a matrix by its inputs; return the product of both."""
        kept = self.matrices[name] = rounded_by(
            self.net.arrays[name], steps_for(name, self.steps), inputs
        )
        product: Floats = inputs @ _weights(*kept)
        return product


def rounded_by(weights: Floats, steps: int, inputs: Floats) -> Rounded:
    """Return weights (inputs, outputs) rounded to `steps` either side of zero by their inputs.

    `inputs` are (positions, inputs): what the layer is given. The units are those of weights that
    are rounded each for itself.
    """
    unit = units_of(weights, steps)
    together = (inputs.T @ inputs).astype(np.float64) / max(1, len(inputs))
    usual = float(np.diag(together).mean()) if weights.size else 0.0
    if usual == 0.0:  # nothing comes in, or nothing goes out
        return rounded(weights, steps)
    together[np.diag_indices_from(together)] += _DAMPING * usual
    # Those that matter most first: there are then most left that can make up for their errors.
    order = np.argsort(-np.diag(together), kind="stable")
    carried = np.linalg.cholesky(np.linalg.inv(together[np.ix_(order, order)])).T
    left = weights[order].astype(np.float64)
    whole = np.empty(weights.shape, dtype=np.int8)
    for begin in range(0, len(left), _BLOCK):
        end = min(begin + _BLOCK, len(left))
        errors = np.empty_like(left[begin:end])
        for row, place in enumerate(range(begin, end)):
            near = whole_steps(left[place], unit)
            whole[order[place]] = near
            errors[row] = (left[place] - near * unit) / carried[place, place]
            left[place + 1 : end] -= np.outer(carried[place, place + 1 : end], errors[row])
        left[end:] -= carried[begin:end, end:].T @ errors
    return whole, unit


def positions_of_play(net: Net, count: int, seed: int = 0) -> tuple[Words, Words]:
    """Return the boards of positions, `count` or less, none of them twice, of play by a net.

    They are `mines` and `masks` as `Net.judge` takes them, of games in which each move is the net's
    or, as often, drawn at random.
    """
    board, rng = net.geometry, np.random.default_rng(seed)
    lowest = np.array([1 << board.bit(column, 0) for column in range(board.columns)], np.uint64)
    games = max(_GAMES, count // _POSITIONS_OF_GAME)
    found: dict[tuple[int, int], None] = {}
    for _ in range(1 + count // games):  # a small board has not as many
        masks = np.zeros(games if len(found) < count else 0, dtype=np.uint64)
        mines = masks
        while len(masks):
            found |= dict.fromkeys(zip(mines.tolist(), masks.tolist(), strict=True))
            priors = net.judge(mines, masks).priors
            drawn = (1 + rng.random(priors.shape)) * playable_columns(masks, board)
            at_random = rng.random((len(masks), 1)) < 0.5
            columns = np.where(at_random, drawn, priors).argmax(axis=1)
            mines = mines ^ masks
            masks = masks | (masks + lowest[columns])
            on = ~has_line(masks ^ mines, board) & (masks != board.board)
            mines, masks = mines[on], masks[on]
    each = list(found)
    mines, masks = np.array([each[n] for n in rng.permutation(len(each))[:count]], np.uint64).T
    return mines.copy(), masks.copy()


def _weights(whole: npt.NDArray[Any], unit: Floats) -> Floats:
    weights: Floats = whole.astype(np.float32) * unit
    return weights
