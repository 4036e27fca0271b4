"""The compiled evaluations behind one function, for kernels and for single positions."""

from __future__ import annotations

import numpy as np

from claimeven.compiled import inlined, kernel
from claimeven.evaluation.registry import SEQUENCES, STREAKS, WINDOWS, Evaluation
from claimeven.evaluation.sequences import sequences_kernel
from claimeven.evaluation.streaks import streaks_kernel
from claimeven.evaluation.triples import triples_kernel
from claimeven.evaluation.windows import windows_kernel
from claimeven.game.bits import board_words
from claimeven.game.position import Position


@inlined
def evaluate_discs(which, mine, mask, words, weights):  # type: ignore[no-untyped-def]
    """Evaluate for the side to move, which owns `mine`; `which` is an `Evaluation.kernel`."""
    if which == WINDOWS:
        return windows_kernel(mine, mask, words, weights)
    if which == SEQUENCES:
        return sequences_kernel(mine, mask, words)
    if which == STREAKS:
        return streaks_kernel(mine, mask, words, weights)
    return triples_kernel(mine, mask, words)


@kernel("int64(int64, uint64, uint64, Array(uint64, 1, 'C', readonly=True), int64[::1])")
def _evaluate_one(which, mine, mask, words, weights):  # type: ignore[no-untyped-def]
    return evaluate_discs(which, mine, mask, words, weights)


def evaluate_compiled(evaluation: Evaluation, position: Position) -> int:
    """Evaluate one position with the compiled twin; boards of up to 64 bits."""
    geometry = position.geometry
    return int(
        _evaluate_one(
            evaluation.kernel,
            np.uint64(position.mine),
            np.uint64(position.mask),
            board_words(geometry),
            evaluation.kernel_weights(geometry),
        )
    )
