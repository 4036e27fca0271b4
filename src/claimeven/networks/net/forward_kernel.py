"""The forward pass of a few positions, compiled: one after the other.

For many positions matrix products are quicker; for few they wait for the weights to come from
memory. Here a row of weights is not read if its input is zero. Most planes are zero, and some
hidden numbers, and all differences of a position that is its own mirror image.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from claimeven.compiled import (
    Ints,
    Words,
    float32,
    inlined,
    int64,
    kernel,
    named_tuple,
    uint8,
    uint64,
    void,
)
from claimeven.networks.net.array_features import BOARD_NUMBERS, COLUMN_NUMBERS, PLANES
from claimeven.networks.net.features_kernel import fill_features

NO_WEIGHT: Final = np.float32(0)
HALF: Final = np.float32(0.5)
QUARTER: Final = np.float32(0.25)


class Sight(NamedTuple):
    """The parts of features, and their pairs under mirroring.

    `board`, `bits` and `lines` are as in `fill_features`, `first` to `right` as in `Symmetry`.
    `counts` are the columns, the lines that may differ from their images, and the states of a
    column.
    """

    board: Words
    bits: Words
    lines: Ints
    first: Ints
    second: Ints
    read_as: Ints
    left: Ints
    right: Ints
    counts: Ints


class Weights(NamedTuple):
    """The arrays of a net: see `NetShape.arrays`.

    In each of the blocks the weights of sums come first, then the weights of differences.
    """

    lines: Any
    columns: Any
    in_sum: Any
    in_difference: Any
    in_bias: Any
    blocks: Any
    block_biases: Any
    out_sum: Any
    out_difference: Any
    out_bias: Any


SIGHT: Final = named_tuple(
    Sight,
    uint64[::1], uint64[::1], int64[:, ::1], int64[::1], int64[::1], int64[:, ::1], int64[::1],
    int64[::1], int64[::1],
)  # fmt: skip
WEIGHTS: Final = named_tuple(
    Weights,
    float32[:, :, ::1], float32[:, :, ::1], float32[:, ::1], float32[:, ::1], float32[::1],
    float32[:, :, ::1],
    float32[:, ::1], float32[:, ::1], float32[:, ::1], float32[::1],
)  # fmt: skip


@inlined
def add_product(inputs: Any, weights: Any, total: Any) -> None:
    """Add `inputs @ weights` to `total`, four rows of weights at a time."""
    count, width = weights.shape
    row = 0
    while row < count:
        first = second = third = fourth = 0
        rows_read = 0
        while row < count and rows_read < 4:
            if inputs[row] != 0:
                # A row that is missing at the end is the first again, with the factor 0.
                if rows_read == 0:
                    first = second = third = fourth = row
                elif rows_read == 1:
                    second = row
                elif rows_read == 2:
                    third = row
                else:
                    fourth = row
                rows_read += 1
            row += 1
        if rows_read == 0:
            return
        one, two, three, four = weights[first], weights[second], weights[third], weights[fourth]
        a = inputs[first]
        b = inputs[second] if rows_read > 1 else NO_WEIGHT
        c = inputs[third] if rows_read > 2 else NO_WEIGHT
        d = inputs[fourth] if rows_read > 3 else NO_WEIGHT
        for place in range(width):
            total[place] += a * one[place] + b * two[place] + (c * three[place] + d * four[place])


@inlined
def pair_up(
    columns: Any, wide: Any, row: Any, at: Any, sums: Any, differences: Any, s: Any, d: Any
) -> None:
    """Write the sums and differences of columns of `wide` numbers each, which start at `row[at]`,
    from `sums[s]` and `differences[d]` on.
    """
    pairs = columns // 2
    for place in range(pairs * wide):
        image = (columns - 1 - 2 * (place // wide)) * wide + place
        here, there = np.float32(row[at + place]), np.float32(row[at + image])
        sums[s + place], differences[d + place] = here + there, here - there
    for place in range(pairs * wide, (columns - pairs) * wide):
        sums[s + place] = np.float32(row[at + place])


@inlined
def look(sight: Any, weights: Any, planes: Any, states: Any, sums: Any, differences: Any) -> None:
    """Write the sums and differences that the first layer sees of a position."""
    columns, lines = sight.counts[0], sight.lines.shape[0]
    pairs = columns // 2
    half = columns - pairs
    wide, cells = sight.bits.shape[0] // columns * PLANES, sight.bits.shape[0] * PLANES
    pair_up(columns, wide, planes, 0, sums, differences, 0, 0)
    s, d = half * wide, pairs * wide
    pair_up(columns, COLUMN_NUMBERS, planes, cells, sums, differences, s, d)
    s, d = s + half * COLUMN_NUMBERS, d + pairs * COLUMN_NUMBERS
    for number in range(BOARD_NUMBERS):
        sums[s + number] = np.float32(planes[cells + columns * COLUMN_NUMBERS + number])
    s += BOARD_NUMBERS
    for pair in range(sight.first.shape[0]):
        one = weights.lines[pair, states[sight.first[pair]]]
        other = weights.lines[pair, sight.read_as[pair, states[sight.second[pair]]]]
        for number in range(one.shape[0]):
            sums[s + number] = one[number] + other[number]
            if pair < sight.counts[1]:
                differences[d + number] = one[number] - other[number]
        s += one.shape[0]
        d += one.shape[0] if pair < sight.counts[1] else 0
    for couple in range(sight.left.shape[0]):
        left, right = sight.left[couple], sight.right[couple]
        last = columns - 1
        one = weights.columns[
            couple, states[lines + left] * sight.counts[2] + states[lines + right]
        ]
        other = weights.columns[
            couple, states[lines + last - left] * sight.counts[2] + states[lines + last - right]
        ]
        for number in range(one.shape[0]):
            sums[s + number] = one[number] + other[number]
            differences[d + number] = one[number] - other[number]
        s, d = s + one.shape[0], d + one.shape[0]


@kernel(
    void(
        SIGHT, WEIGHTS, uint64[::1], uint64[::1], uint8[:, ::1], int64[:, ::1], float32[:, ::1],
        float32[:, ::1], float32[:, ::1],
    )
)  # fmt: skip
def predict_few(
    sight: Sight,
    weights: Weights,
    mines: Words,
    masks: Words,
    planes: Any,
    states: Any,
    inputs: Any,
    layers: Any,
    outputs: Any,
) -> None:
    """Write the output of each position, a row of `outputs`: see `net`.

    `planes` and `states`, of one position, `inputs`, its sums and its differences, and `layers`,
    four rows of hidden numbers or of an output, are scratch.
    """
    columns, width = sight.counts[0], weights.in_sum.shape[1]
    pairs = columns // 2
    half = columns - pairs
    sums, differences, level, slant = layers[0], layers[1], layers[2], layers[3]
    seen, unlike = inputs[0], inputs[1, : weights.in_difference.shape[0]]
    for i in range(mines.shape[0]):
        # Step 1: the features.
        fill_features(
            sight.board, sight.bits, sight.lines, mines[i : i + 1], masks[i : i + 1], planes, states
        )
        look(sight, weights, planes[0], states[0], seen, unlike)
        # Step 2: the layers.
        for place in range(width):
            level[place], slant[place] = weights.in_bias[place], NO_WEIGHT
        add_product(seen, weights.in_sum, level)
        add_product(unlike, weights.in_difference, slant)
        for place in range(width):
            one = max(level[place] + slant[place], NO_WEIGHT)
            other = max(level[place] - slant[place], NO_WEIGHT)
            sums[place], differences[place] = (one + other) * HALF, (one - other) * HALF
        for block in range(weights.block_biases.shape[0]):
            for place in range(width):
                level[place], slant[place] = weights.block_biases[block, place], NO_WEIGHT
            add_product(sums, weights.blocks[2 * block], level)
            add_product(differences, weights.blocks[2 * block + 1], slant)
            for place in range(width):
                one = max(level[place] + slant[place], NO_WEIGHT)
                other = max(level[place] - slant[place], NO_WEIGHT)
                sums[place] += (one + other) * QUARTER
                differences[place] += (one - other) * QUARTER
        for place in range(weights.out_bias.shape[0]):
            level[place] = weights.out_bias[place]
        for place in range(weights.out_difference.shape[1]):
            slant[place] = NO_WEIGHT
        add_product(sums, weights.out_sum, level)
        add_product(differences, weights.out_difference, slant)
        # Step 3: the pairs of columns put together again.
        outputs[i, columns] = level[half]
        for column in range(half):
            image = columns - 1 - column
            scores, at = half + 1 + column, columns + 1
            if column == image:
                outputs[i, column], outputs[i, at + column] = level[column], level[scores]
            else:
                outputs[i, column] = level[column] + slant[column]
                outputs[i, image] = level[column] - slant[column]
                outputs[i, at + column] = level[scores] + slant[pairs + column]
                outputs[i, at + image] = level[scores] - slant[pairs + column]
