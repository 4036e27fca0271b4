"""What playout kernels know: their rules by number, and the vector of a board."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from claimeven.game.bitboard_kernel import STARTS, board_vector
from claimeven.game.geometry import DIRECTIONS, Geometry

#: Names of the playout rules; the place in the tuple is the number kernels know them by.
PLAYOUTS: Final = (
    "random",
    "wins-and-blocks",
    "careful",
    "greedy",
    "alphabeta1",
    "alphabeta2",
    "replies",
)
RANDOM, WINS_AND_BLOCKS, CAREFUL, GREEDY, ALPHABETA1, ALPHABETA2, GOOD_REPLIES = range(7)

#: Slots that `playout_vector` adds to those of `board_vector`.
_USUAL: Final = STARTS + len(DIRECTIONS)
COLUMNS, COLUMN, FIRST_WIN, BOARD_SLOTS = range(_USUAL, _USUAL + 4)


def playout_vector(geometry: Geometry) -> npt.NDArray[np.uint64]:
    """What kernels know of a board: `board_vector`, then the number of columns, the mask of the
    cells of column 0, and the least ply at which a game can have been won.
    """
    vector = np.zeros(BOARD_SLOTS, dtype=np.uint64)
    vector[:COLUMNS] = board_vector(geometry)
    vector[COLUMNS] = geometry.columns
    vector[COLUMN] = geometry.column_mask(0)
    vector[FIRST_WIN] = 2 * geometry.connect - 1
    return vector
