"""Rounding of a net's weights in which later ones make up for the errors of earlier ones.

Weights are rounded input by input. The error of each is carried over to those of the same output
that are not rounded yet, so that what the layer gives in play changes least: as far as two inputs
go together in play, the one can stand in for the other. Each layer is rounded by what it is given
by the rounded layers before it, and makes up for their errors too, as far as its inputs tell of
them. A net of 15 steps either side of zero is then as good as one of all of float32; each weight
rounded for itself it would be worse.

Play that shows what goes together are games of the net against itself in which every other move is
drawn at random; nothing needs to be known of their positions.

Sources: Hassibi and Stork, "Second order derivatives for network pruning: optimal brain surgeon"
(NIPS 1992); Frantar, Ashkboos, Hoefler and Alistarh, "GPTQ: accurate post-training quantization for
generative pre-trained transformers" (ICLR 2023); Li and others, "GPTAQ: efficient finetuning-free
quantization for asymmetric calibration" (ICML 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import has_line
from claimeven.montecarlo.puct.policy_value import playable_columns
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
from claimeven.networks.net.net import BATCH, cut_off

Floats = npt.NDArray[np.float32]
#: Sums and differences of pairs; the weights of a layer for either, and its biases.
Both = tuple[Floats, Floats]
Layer = tuple[Floats, Floats, Floats]
Words = npt.NDArray[np.uint64]
#: Is told how many matrices are rounded, and of how many.
Watch = Callable[[int, int], object]

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
    net: Net, steps: int = WEIGHT_STEPS, positions_each: int = POSITIONS, watch: Watch | None = None
) -> ModelFile:
    """Return what the file of a net holds, rounded to `steps` either side of zero by its play.

    Its play is `positions_each` for each number that its first layer is given. `watch` is told
    after each matrix how many are rounded, and of how many.
    """
    tables = {name: rounded(net.arrays[name], steps_for(name, steps)) for name in TABLES}
    looked_up = {name: _weights(*kept) for name, kept in tables.items()}
    seen = Net(net.shape, {**net.arrays, **looked_up}, net.geometry)
    boards = positions_of_play(net, positions_each * len(net.arrays["in_sum"]))
    layers = _Layers(net, steps, _inputs(seen, *boards), _inputs(net, *boards), watch)
    layers.first()
    for block in range(net.shape.blocks):
        layers.block(f"block{block}_")
    layers.last()
    return packed_as(net, {**tables, **layers.matrices})


def _inputs(net: Net, mines: Words, masks: Words) -> Both:
    """Return what `Net.inputs` does, of so many positions that it is quicker in parts."""
    names = ("in_sum", "in_difference")
    sums, differences = (
        np.empty((len(mines), len(net.arrays[name])), dtype=np.float32) for name in names
    )
    for begin in range(0, len(mines), BATCH):
        part = slice(begin, begin + BATCH)
        sums[part], differences[part] = net.inputs(mines[part], masks[part])
    return sums, differences


class _Layers:
    """A net that is rounded layer by layer, what the rounded part makes of some positions (`given`:
    sums and differences) and what the net itself does (`wanted`).
    """

    def __init__(
        self, net: Net, steps: int, given: Both, wanted: Both, watch: Watch | None = None
    ) -> None:
        self.net, self.steps, self.watch = net, steps, watch
        self.given, self.wanted = given, wanted
        self.matrices: dict[str, Rounded] = {}

    def first(self) -> None:
        """Round the first layer."""
        layers = self._rounded("in_"), self._weights("in_")
        self.given, self.wanted = (
            self._taken(*both) for both in zip((self.given, self.wanted), layers, strict=True)
        )

    def block(self, name: str) -> None:
        """Round a layer that adds to what is there."""
        layers = self._rounded(name), self._weights(name)
        for both, layer in zip((self.given, self.wanted), layers, strict=True):
            for part, more, apart in self._products(both, layer):
                both[0][part] += more * _QUARTER
                both[1][part] += apart * _QUARTER

    def last(self) -> None:
        """Round the last layer, from whose products nothing goes on."""
        self._rounded("out_")

    def _taken(self, both: Both, layer: Layer) -> Both:
        """Return what the first layer makes of its inputs."""
        size = len(both[0]), self.net.shape.pairs
        sums, differences = np.empty(size, np.float32), np.empty(size, np.float32)
        for part, more, apart in self._products(both, layer):
            np.multiply(more, _HALF, out=sums[part])
            np.multiply(apart, _HALF, out=differences[part])
        return sums, differences

    def _products(self, both: Both, layer: Layer) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield what a layer gives, some positions at a time: sums and differences."""
        of_sums, of_differences, bias = layer
        for begin in range(0, len(both[0]), BATCH):
            part = slice(begin, begin + BATCH)
            yield part, *cut_off(both[0][part] @ of_sums + bias, both[1][part] @ of_differences)

    def _weights(self, name: str) -> Layer:
        """Return the weights of a layer as the net has them."""
        arrays = self.net.arrays
        return arrays[name + "sum"], arrays[name + "difference"], arrays[name + "bias"]

    def _rounded(self, name: str) -> Layer:
        """Round a layer by its inputs; return it as its file will be read."""
        found = []
        for part, given, wanted in zip(("sum", "difference"), self.given, self.wanted, strict=True):
            weights, steps = self.net.arrays[name + part], steps_for(name + part, self.steps)
            kept = self.matrices[name + part] = rounded_by(weights, steps, given, wanted)
            found.append(_weights(*kept))
            if self.watch is not None:  # two a layer: the first, those of blocks, the last
                self.watch(len(self.matrices), 2 * (self.net.shape.blocks + 2))
        return found[0], found[1], self.net.arrays[name + "bias"]


def rounded_by(
    weights: Floats, steps: int, inputs: Floats, wanted: Floats | None = None
) -> Rounded:
    """Return weights (inputs, outputs) rounded to `steps` either side of zero by their inputs.

    `inputs` are (positions, inputs): what the layer is given. `wanted` are those that it would be
    given if nothing before it were rounded: it is to make of the former what it makes of these. The
    units are those of weights that are rounded each for itself.
    """
    unit = units_of(weights, steps)
    together = (inputs.T @ inputs).astype(np.float64) / max(1, len(inputs))
    usual = float(np.diag(together).mean()) if weights.size else 0.0
    if usual == 0.0:  # nothing comes in, or nothing goes out
        return rounded(weights, steps)
    together[np.diag_indices_from(together)] += _DAMPING * usual
    aim = weights.astype(np.float64)
    if wanted is not None:
        missing = (inputs.T @ (wanted - inputs)).astype(np.float64) / len(inputs)
        aim += np.linalg.solve(together, missing @ aim)
    # Those that matter most first: there are then most left that can make up for their errors.
    order = np.argsort(-np.diag(together), kind="stable")
    carried = np.linalg.cholesky(np.linalg.inv(together[np.ix_(order, order)])).T
    left = aim[order]
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
            drawn = (1 + rng.random((len(masks), board.columns))) * playable_columns(masks, board)
            asked = rng.random(len(masks)) >= 0.5
            drawn[asked] = net.judge(mines[asked], masks[asked]).priors
            columns = drawn.argmax(axis=1)
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
