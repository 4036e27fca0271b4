"""Quantization of a net: later weights compensate for the rounding errors of earlier ones.

Weights are rounded input by input. The error of each weight is transferred to the weights of the
same output that are not yet rounded, as far as their inputs correlate in games of the net against
itself with half of the moves random. Each layer gets the inputs from the rounded layers before it,
and so compensates for their errors too. A net with 15 levels on each side of 0 is then as good as
the same net in float32.

Sources: Hassibi and Stork, "Second order derivatives for network pruning: optimal brain surgeon"
(NIPS 1992); Frantar, Ashkboos, Hoefler and Alistarh, "GPTQ: accurate post-training quantization for
generative pre-trained transformers" (ICLR 2023); Li and others, "GPTAQ: efficient finetuning-free
quantization for asymmetric calibration" (ICML 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import has_line
from claimeven.montecarlo.puct.policy_value import Floats, Words, playable_columns
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

#: Sums and differences of pairs.
Pairs = tuple[Floats, Floats]
#: Gets the number of rounded matrices, and the number of all matrices.
OnProgress = Callable[[int, int], object]

#: The default number of levels on each side of 0.
DEFAULT_LEVELS: Final = 15
#: Positions of play for each input of the first layer: for the measurements of a run, and for a
#: final file, which is better and takes ten times as long.
POSITIONS: Final = 10
MANY_POSITIONS: Final = 100
#: Games are played in lockstep: at least this number, and one for this number of positions.
_GAMES, _POSITIONS_OF_GAME = 128, 128
#: The part of the mean square of the inputs that is added to the square of each input, so that rare
#: and fully correlated inputs do not get too much weight.
_DAMPING: Final = 0.01
#: Inputs whose errors are transferred together to all later inputs.
_BLOCK: Final = 64


def packed_by_play(
    net: Net,
    levels: int = DEFAULT_LEVELS,
    positions_each: int = POSITIONS,
    on_progress: OnProgress | None = None,
) -> ModelFile:
    """Return the content of the file of a net, rounded to `levels` on each side of 0 by its play.

    Its play has `positions_each` positions for each input of the first layer. `on_progress` is
    called after each matrix.
    """
    arrays = net.arrays
    matrices = {name: round_weights(arrays[name], steps_for(name, levels)) for name in TABLES}
    tables = {name: _weights(*table) for name, table in matrices.items()}
    boards = positions_of_play(net, positions_each * len(arrays["in_sum"]))
    # The inputs of the next layer, sums and differences: in the rounded net, and in the net itself.
    actual = _inputs(Net(net.shape, {**arrays, **tables}, net.geometry), *boards)
    exact = _inputs(net, *boards)
    layers = ["in_", *(f"block{block}_" for block in range(net.shape.blocks)), "out_"]
    done = 0
    for layer in layers:
        names = (layer + "sum", layer + "difference")
        for name, inputs, exact_inputs in zip(names, actual, exact, strict=True):
            steps = steps_for(name, levels)
            matrices[name] = rounded_by(arrays[name], steps, inputs, exact_inputs)
            done += 1
            if on_progress is not None:
                on_progress(done, 2 * len(layers))
        if layer != "out_":
            of_file = [_weights(*matrices[name]) for name in names]
            actual = _through(net, layer, actual, of_file)
            exact = _through(net, layer, exact, [arrays[name] for name in names])
    return pack(net, matrices=matrices)


def _inputs(net: Net, mines: Words, masks: Words) -> Pairs:
    """Return the inputs of the first layer, computed in parts, which is faster."""
    names = ("in_sum", "in_difference")
    sums, differences = (
        np.empty((len(mines), len(net.arrays[name])), dtype=np.float32) for name in names
    )
    for start in range(0, len(mines), BATCH):
        part = slice(start, start + BATCH)
        sums[part], differences[part] = net.inputs(mines[part], masks[part])
    return sums, differences


def _through(net: Net, layer: str, inputs: Pairs, weights: Sequence[Floats]) -> Pairs:
    """Return the outputs of a layer with these weights; a block adds its inputs to them."""
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
    weights: Floats, levels: int, inputs: Floats, exact: Floats | None = None
) -> Rounded:
    """Return weights (inputs, outputs) rounded to `levels` on each side of 0 by their inputs.

    `inputs` are the inputs of the layer, (positions, inputs). `exact` are its inputs if no earlier
    layer is rounded: the outputs for `inputs` become close to the present outputs for `exact`. The
    unit of a level is the same as for separately rounded weights.
    """
    unit = units_of(weights, levels)
    products = (inputs.T @ inputs).astype(np.float64) / max(1, len(inputs))
    mean_square = float(np.diag(products).mean()) if weights.size else 0.0
    if mean_square == 0.0:  # no inputs, or no outputs
        return round_weights(weights, levels)
    products[np.diag_indices_from(products)] += _DAMPING * mean_square
    targets = weights.astype(np.float64)
    if exact is not None:
        errors_before = (inputs.T @ (exact - inputs)).astype(np.float64) / len(inputs)
        targets += np.linalg.solve(products, errors_before @ targets)
    # The largest inputs come first, so that many others can compensate for their errors.
    order = np.argsort(-np.diag(products), kind="stable")
    factors = np.linalg.cholesky(np.linalg.inv(products[np.ix_(order, order)])).T
    rest = targets[order]
    whole = np.empty(weights.shape, dtype=np.int8)
    for start in range(0, len(rest), _BLOCK):
        end = min(start + _BLOCK, len(rest))
        errors = np.empty_like(rest[start:end])
        for row, place in enumerate(range(start, end)):
            near = round_to_steps(rest[place], unit)
            whole[order[place]] = near
            errors[row] = (rest[place] - near * unit) / factors[place, place]
            rest[place + 1 : end] -= np.outer(factors[place, place + 1 : end], errors[row])
        rest[end:] -= factors[start:end, end:].T @ errors
    return whole, unit


def positions_of_play(net: Net, count: int, seed: int = 0) -> tuple[Words, Words]:
    """Return `mines` and `masks` of at most `count` different positions of play by a net.

    In these games, half of the moves are random and the others are the moves of the net.
    """
    board, rng = net.geometry, np.random.default_rng(seed)
    lowest = np.array([1 << board.bit(column, 0) for column in range(board.columns)], np.uint64)
    games = max(_GAMES, count // _POSITIONS_OF_GAME)
    found: dict[tuple[int, int], None] = {}
    for _ in range(1 + count // games):  # a small board has fewer positions
        masks = np.zeros(games if len(found) < count else 0, dtype=np.uint64)
        mines = masks
        while len(masks):
            found |= dict.fromkeys(zip(mines.tolist(), masks.tolist(), strict=True))
            priors = (1 + rng.random((len(masks), board.columns))) * playable_columns(masks, board)
            by_net = rng.random(len(masks)) >= 0.5
            priors[by_net] = net.predict(mines[by_net], masks[by_net]).priors
            columns = priors.argmax(axis=1)
            mines = mines ^ masks
            masks = masks | (masks + lowest[columns])
            on = ~has_line(masks ^ mines, board) & (masks != board.board)
            mines, masks = mines[on], masks[on]
    each = list(found)
    mines, masks = np.array([each[n] for n in rng.permutation(len(each))[:count]], np.uint64).T
    return mines.copy(), masks.copy()


def _weights(whole: npt.NDArray[np.int8], unit: Floats) -> Floats:
    return whole.astype(np.float32) * unit
