"""The compiled evaluations of single positions."""

from __future__ import annotations

import numpy as np

from claimeven.evaluation.registry import Evaluation, evaluate_position
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.position import Position


def evaluate_compiled(evaluation: Evaluation, position: Position) -> int:
    """Evaluate one position with the compiled twin; boards of up to 64 bits."""
    geometry = position.geometry
    return int(
        evaluate_position(
            evaluation.kernel,
            np.uint64(position.mine),
            np.uint64(position.mask),
            board_vector(geometry).copy(),
            evaluation.kernel_weights(geometry),
        )
    )
