"""Static features of positions: the inputs of a net, without search; symmetry of the board.

`array_features` describes them. Columns, and lines of cells, come in pairs that change places in
the mirror image; a column or line in the middle is its own mirror image. A net takes the sum of the
numbers of a pair, the same in the mirror image, and the difference, which changes its sign there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, Words
from claimeven.networks.net.array_features import (
    BOARD_NUMBERS,
    COLUMN_NUMBERS,
    PLANES,
    SEEN_CELLS,
    STATES,
    Symmetry,
    lines_of,
)
from claimeven.networks.net.features_kernel import fill_features

#: The longest line whose states make a table that can be trained.
MAX_LINE_LENGTH = 6


class Features:
    """The features of one board.

    Cells are numbered column by column from the left, from the bottom up. Raises `InvalidNetwork`
    for lines of more than `MAX_LINE_LENGTH` cells and `InvalidGeometry` for boards over 64 bits.

    >>> features = Features()
    >>> len(features.lines), features.plane_count, features.line_states
    (69, 712, 256)
    """

    def __init__(self, geometry: Geometry = STANDARD) -> None:
        check_geometry(geometry, InvalidNetwork)
        geometry.check_fits_word("a network")
        if geometry.connect > MAX_LINE_LENGTH:
            raise InvalidNetwork(
                f"a net supports lines of up to {MAX_LINE_LENGTH} cells, got {geometry}"
            )
        self.geometry = geometry
        self.board: npt.NDArray[np.uint64] = board_vector(geometry).copy()
        cells = [(c, r) for c in range(geometry.columns) for r in range(geometry.rows)]
        self.bits: npt.NDArray[np.uint64] = np.array(
            [1 << geometry.bit(c, r) for c, r in cells], dtype=np.uint64
        )
        #: The cells of every line, shape (lines, connect).
        self.lines: npt.NDArray[np.int64] = lines_of(geometry)
        by_column = geometry.rows * PLANES + COLUMN_NUMBERS
        #: Numbers a position has: of every cell, of every column, of the whole board.
        self.plane_count: int = geometry.columns * by_column + BOARD_NUMBERS
        #: The number of states of a position, for lines and for columns.
        self.state_count: int = len(self.lines) + geometry.columns
        #: States a line can be in; states of a column, and more numbers up to a power of two.
        self.line_states: int = STATES**geometry.connect
        self.column_states: int = 2 << min(geometry.rows, SEEN_CELLS)

    @cached_property
    def symmetry(self) -> Symmetry:
        """How mirroring the board changes the places of its columns and lines.

        >>> symmetry = Features().symmetry
        >>> symmetry.pairs, symmetry.middle, len(symmetry.first), symmetry.unequal
        (3, 1, 36, 33)
        >>> len(symmetry.left)
        12
        """
        return Symmetry.of(self.geometry, self.lines)

    def load(self) -> None:
        """Compile what `of` calls, or load it from the cache."""
        load(fill_features)

    def of(self, mines: Words, masks: Words) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """Return the planes, uint8 (n, plane_count), and states, int64 (n, lines + columns).

        `mines` are the discs of the side to move, `masks` all discs, uint64 (n,) each. Planes are
        in order of cells; then come the numbers of column after column, and of the whole board. The
        states of the lines come before the states of the columns.

        >>> planes, states = Features().of(*np.zeros((2, 1), dtype=np.uint64))
        >>> int(planes.sum()), int(planes[0, PLANES * 0 + 2])
        (14, 1)
        """
        planes = np.empty((len(mines), self.plane_count), dtype=np.uint8)
        states = np.empty((len(mines), self.state_count), dtype=np.int64)
        fill_features(self.board, self.bits, self.lines, mines, masks, planes, states)
        return planes, states
