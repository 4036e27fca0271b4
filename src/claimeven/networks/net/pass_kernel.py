"""The forward pass of a few positions, compiled: each with its mirror image, both at once.

For many positions matrix products are quicker; for few they wait for the weights to come from
memory. Here each row of weights is read once for a position and its image, and not at all where
both have a zero before it: most planes are zero, and so are many hidden numbers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from claimeven.compiled import Ints, Words, float32, inlined, int64, kernel, uint8, uint64, void
from claimeven.game.tactics_kernel import mirrored
from claimeven.networks.net.features_kernel import fill_features

NOTHING: Final = np.float32(0)
HALF: Final = np.float32(0.5)


@inlined
def add_product(inputs: Any, weights: Any, sums: Any) -> None:
    """Add `inputs @ weights` to `sums`, both of two rows; four rows of weights at a time."""
    count, width = weights.shape
    row = 0
    while row < count:
        first = second = third = fourth = 0
        found = 0
        while row < count and found < 4:
            if inputs[0, row] != 0 or inputs[1, row] != 0:
                # A row that is missing at the end is the first again, and counts nothing.
                if found == 0:
                    first = second = third = fourth = row
                elif found == 1:
                    second = row
                elif found == 2:
                    third = row
                else:
                    fourth = row
                found += 1
            row += 1
        if found == 0:
            return
        one, two, three, four = weights[first], weights[second], weights[third], weights[fourth]
        for side in range(2):
            a = inputs[side, first]
            b = inputs[side, second] if found > 1 else NOTHING
            c = inputs[side, third] if found > 2 else NOTHING
            d = inputs[side, fourth] if found > 3 else NOTHING
            total = sums[side]
            for place in range(width):
                total[place] += (
                    a * one[place] + b * two[place] + (c * three[place] + d * four[place])
                )


@kernel(
    void(
        uint64[::1], uint64[::1], int64[:, ::1], uint64[::1], uint64[::1], int64,
        float32[:, :, ::1], float32[:, ::1], float32[::1], float32[:, :, ::1], float32[:, ::1],
        float32[:, ::1], float32[::1],
        uint64[:, ::1], uint8[:, ::1], int64[:, ::1], float32[:, ::1], float32[:, :, ::1],
        float32[:, ::1],
    )
)  # fmt: skip
def judge_few(
    board: Words,
    bits: Words,
    lines: Ints,
    mines: Words,
    masks: Words,
    rows: Any,
    tables: Any,
    first: Any,
    first_bias: Any,
    blocks: Any,
    block_biases: Any,
    last: Any,
    last_bias: Any,
    words: Any,
    planes: Any,
    states: Any,
    inputs: Any,
    layers: Any,
    outputs: Any,
) -> None:
    """Write the output of each position, averaged over it and its mirror image.

    `board`, `bits` and `lines` are those of `fill_features`; then come the arrays of the net. The
    rest is for scratch, two rows each for a position and its image, but for `outputs` with a row a
    position: `layers` has two layers of hidden numbers, and a third for an output.
    """
    columns = bits.shape[0] // rows
    height = np.uint64(rows + 1)
    width, seen = first.shape[1], planes.shape[1]
    numbers, ends = tables.shape[2], last.shape[1]
    hidden, sums, ending = layers[0], layers[1], layers[2]
    for i in range(mines.shape[0]):
        # Step 1: what is seen of both.
        words[0, 0], words[1, 0] = mines[i], masks[i]
        words[0, 1] = mirrored(mines[i], np.uint64(columns), height)
        words[1, 1] = mirrored(masks[i], np.uint64(columns), height)
        fill_features(board, bits, lines, words[0], words[1], planes, states)
        for side in range(2):
            for place in range(seen):
                inputs[side, place] = planes[side, place]
            for line in range(lines.shape[0]):
                at, state = seen + line * numbers, states[side, line]
                for number in range(numbers):
                    inputs[side, at + number] = tables[line, state, number]
        # Step 2: the layers.
        for side in range(2):
            for place in range(width):
                hidden[side, place] = first_bias[place]
        add_product(inputs, first, hidden)
        for side in range(2):
            for place in range(width):
                hidden[side, place] = max(hidden[side, place], NOTHING)
        for block in range(blocks.shape[0]):
            for side in range(2):
                for place in range(width):
                    sums[side, place] = block_biases[block, place]
            add_product(hidden, blocks[block], sums)
            for side in range(2):
                for place in range(width):
                    hidden[side, place] += max(sums[side, place], NOTHING) * HALF
        for side in range(2):
            for place in range(ends):
                ending[side, place] = last_bias[place]
        add_product(hidden, last, ending)
        # Step 3: the image's columns the other way round.
        outputs[i, columns] = (ending[0, columns] + ending[1, columns]) * HALF
        for column in range(columns):
            image = columns - 1 - column
            outputs[i, column] = (ending[0, column] + ending[1, image]) * HALF
            at = columns + 1
            outputs[i, at + column] = (ending[0, at + column] + ending[1, at + image]) * HALF
