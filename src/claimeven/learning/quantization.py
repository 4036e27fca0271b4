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

from collections.abc import Callable, Sequence
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
    pack,
    round_to_steps,
    round_weights,
    steps_for,
    units_of,
)
from claimeven.networks.net.net import BATCH

Floats = npt.NDArray[np.float32]
#: Sums and differences of pairs.
Both = tuple[Floats, Floats]
Words = npt.NDArray[np.uint64]
#: Is called with the number of matrices that are rounded, and of all.
OnProgress = Callable[[int, int], object]

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


def packed_by_play(
    net: Net,
    steps: int = WEIGHT_STEPS,
    positions_each: int = POSITIONS,
    on_progress: OnProgress | None = None,
) -> ModelFile:
    """Return the content of a net's file, rounded to `steps` either side of zero by its play.

    Its play is `positions_each` for each input of its first layer. `on_progress` is called after
    each matrix with the number of rounded ones and of all.
    """
    arrays = net.arrays
    matrices = {name: round_weights(arrays[name], steps_for(name, steps)) for name in TABLES}
    looked_up = {name: _weights(*kept) for name, kept in matrices.items()}
    boards = positions_of_play(net, positions_each * len(arrays["in_sum"]))
    # The inputs of the next layer, sums and differences: of the rounded net, and of the net itself.
    given = _inputs(Net(net.shape, {**arrays, **looked_up}, net.geometry), *boards)
    wanted = _inputs(net, *boards)
    layers = ["in_", *(f"block{block}_" for block in range(net.shape.blocks)), "out_"]
    done = 0
    for layer in layers:
        names = (layer + "sum", layer + "difference")
        for name, has, should_have in zip(names, given, wanted, strict=True):
            matrices[name] = rounded_by(arrays[name], steps_for(name, steps), has, should_have)
            done += 1
            if on_progress is not None:
                on_progress(done, 2 * len(layers))
        if layer != "out_":
            of_file = [_weights(*matrices[name]) for name in names]
            given = _through(net, layer, given, of_file)
            wanted = _through(net, layer, wanted, [arrays[name] for name in names])
    return pack(net, matrices=matrices)


def _inputs(net: Net, mines: Words, masks: Words) -> Both:
    """Return the inputs of the first layer, made in parts, which is quicker for many positions."""
    names = ("in_sum", "in_difference")
    sums, differences = (
        np.empty((len(mines), len(net.arrays[name])), dtype=np.float32) for name in names
    )
    for start in range(0, len(mines), BATCH):
        part = slice(start, start + BATCH)
        sums[part], differences[part] = net.inputs(mines[part], masks[part])
    return sums, differences


def _through(net: Net, layer: str, inputs: Both, weights: Sequence[Floats]) -> Both:
    """Return the outputs of a layer with these weights; a block adds them to its inputs."""
    outputs, share = inputs, np.float32(0.25)
    if layer == "in_":
        size = len(inputs[0]), net.shape.pairs
        outputs, share = (np.zeros(size, np.float32), np.zeros(size, np.float32)), np.float32(0.5)
    for start in range(0, len(inputs[0]), BATCH):
        part = slice(start, start + BATCH)
        level = inputs[0][part] @ weights[0] + net.arrays[layer + "bias"]
        slant = inputs[1][part] @ weights[1]
        for into, added in zip(outputs, net.forward.relu_pairs(level, slant), strict=True):
            into[part] += added * share
    return outputs


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
        return round_weights(weights, steps)
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
            near = round_to_steps(left[place], unit)
            whole[order[place]] = near
            errors[row] = (left[place] - near * unit) / carried[place, place]
            left[place + 1 : end] -= np.outer(carried[place, place + 1 : end], errors[row])
        left[end:] -= carried[begin:end, end:].T @ errors
    return whole, unit


def positions_of_play(net: Net, count: int, seed: int = 0) -> tuple[Words, Words]:
    """Return the boards of positions, `count` or less, none of them twice, of play by a net.

    They are `mines` and `masks` as `Net.predict` takes them, of games in which each move is the
    net's or, as often, drawn at random.
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
            drawn[asked] = net.predict(mines[asked], masks[asked]).priors
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
