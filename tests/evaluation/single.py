"""The compiled evaluations of single positions, through the function that kernels call."""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, kernel
from claimeven.evaluation.registry import Evaluation, evaluate_discs
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.position import Position


@kernel("int64(int64, uint64, uint64, Array(uint64, 1, 'C', readonly=True), int64[::1])")
def _evaluate_one(which: Int, mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    return evaluate_discs(which, mine, mask, words, weights)


def evaluate_compiled(evaluation: Evaluation, position: Position) -> int:
    """Evaluate one position with the compiled twin; boards of up to 64 bits."""
    geometry = position.geometry
    return int(
        _evaluate_one(
            evaluation.kernel,
            np.uint64(position.mine),
            np.uint64(position.mask),
            board_vector(geometry),
            evaluation.kernel_weights(geometry),
        )
    )
