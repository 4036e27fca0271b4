"""What the arrays of all searches share: proofs, the META field, and three vectors.

A node of a tree and of a graph alike has a META field, an integer of

```text
    bits 0-3 column   4-8 children   9-10 proof   11-  distance
```

Its column is that of the move into it (in a tree). A proof says that the game is won, lost or drawn
with best play in `distance` more moves, as the player sees it who moved into the node; a finished
game is proven at distance 0.

A kernel is given its tree (see the `kernel` of each package) and two bundles of vectors: `Work`,
which it changes and with which it goes on in its next slice, and `Rules`, which stay. Each package
adds fields of its own to `state` behind the shared ones.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, Ints, Words, inlined, int64, named_tuple, uint64
from claimeven.game.bitboard_kernel import STARTS, board_vector
from claimeven.game.geometry import DIRECTIONS, WORD_BITS, Geometry

Records: TypeAlias = Any  #: an array of int32, in kernels

NO_NODE: Final = -1

#: How many moves on a position is looked for in a kept tree.
REUSE_PLIES: Final = 4
#: Places that a new position may take in a full graph, and what spreads keys over the places.
BUCKET, SPREAD_KEYS = 4, 0x9E3779B97F4A7C15

#: Visits of the root at which a search ends: the most that an int32 holds.
MAX_VISITS: Final = 2**31 - 1

#: Proofs, as the player sees them who moved into the node.
UNPROVEN, PROVEN_WIN, PROVEN_LOSS, PROVEN_DRAW = range(4)
#: The result that goes with each proof.
PROOF_RESULTS: Final = (0, 1, -1, 0)

COLUMN_BITS, COUNT_BITS, PROOF_BITS = 4, 5, 2
COUNT_SHIFT: Final = COLUMN_BITS
PROOF_SHIFT: Final = COUNT_SHIFT + COUNT_BITS
DISTANCE_SHIFT: Final = PROOF_SHIFT + PROOF_BITS
COLUMN_MASK: Final = (1 << COLUMN_BITS) - 1
COUNT_MASK: Final = (1 << COUNT_BITS) - 1
PROOF_MASK: Final = (1 << PROOF_BITS) - 1
_MOVE_MASK: Final = (1 << PROOF_SHIFT) - 1

# Fields of `state` that every search has: nodes in use, the deepest iteration of this decision, and
# whether there was no room for a node.
USED, DEPTH, FULL, SHARED_STATE_FIELDS = range(4)

# Fields of `words`: the root's position, the random state, and what playouts with `replies` need:
# from REPLIES on a cell for each player and cell, from PLAYED on the moves of a playout, in the
# order they were made.
MINE, MASK, RANDOM_STATE, REPLIES = range(4)
PLAYED: Final = REPLIES + 2 * WORD_BITS
WORDS_FIELDS: Final = PLAYED + WORD_BITS

# Fields of `settings`.
ALL_AT_ONCE, SHUFFLED, PLAYOUT, CUT, SOLVER, DECISIVE, MIRROR, RANDOM_TIES, SETTINGS_FIELDS = range(
    9
)


class Work(NamedTuple):
    """What a search changes beside its tree.

    `state`: its counters; `words`: the root's position, the random state and what playouts
    remember; `path`: what was passed on the way to a leaf, of 2 * cells + 2 numbers.
    """

    state: Ints
    words: Words
    path: Ints


class Rules(NamedTuple):
    """What stays as it is: `settings`, the options as numbers; `board`, see `playout_vector`."""

    settings: Ints
    board: Words


WORK: Final = named_tuple(Work, int64[::1], uint64[::1], int64[::1])
RULES: Final = named_tuple(Rules, int64[::1], uint64[::1])


def work_vectors(state_fields: int, geometry: Geometry) -> Work:
    """Set the vectors aside that a kernel works on beside its tree."""
    return Work(
        np.zeros(state_fields, dtype=np.int64),
        np.zeros(WORDS_FIELDS, dtype=np.uint64),
        np.zeros(2 * geometry.cells + 2, dtype=np.int64),
    )


@inlined
def column_of(meta: Int) -> Int:
    """Column of the move that led into a node."""
    return meta & COLUMN_MASK


@inlined
def count_of(meta: Int) -> Int:
    """Number of children of an expanded node."""
    return (meta >> COUNT_SHIFT) & COUNT_MASK


@inlined
def proof_of(meta: Int) -> Int:
    """Proof of a node."""
    return (meta >> PROOF_SHIFT) & PROOF_MASK


@inlined
def distance_of(meta: Int) -> Int:
    """Moves to the end of the game behind a proof."""
    return meta >> DISTANCE_SHIFT


@inlined
def with_proof(meta: Int, proof: Int, distance: Int) -> Int:
    """`meta` with a proof put in."""
    return (meta & _MOVE_MASK) | (proof << PROOF_SHIFT) | (distance << DISTANCE_SHIFT)


@inlined
def proof_result(proof: Int) -> Int:
    """Result that goes with a proof: +1, -1 or 0."""
    if proof == PROVEN_WIN:
        return 1
    return -1 if proof == PROVEN_LOSS else 0


def unpack_meta(meta: int) -> tuple[int, int, int, int]:
    """Column, number of children, proof and distance in a META field, for use from Python."""
    return (
        meta & COLUMN_MASK,
        (meta >> COUNT_SHIFT) & COUNT_MASK,
        (meta >> PROOF_SHIFT) & PROOF_MASK,
        meta >> DISTANCE_SHIFT,
    )


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
_BOARD_SLOTS: Final = STARTS + len(DIRECTIONS)
COLUMNS, COLUMN, FIRST_WIN, BOARD_SLOTS = range(_BOARD_SLOTS, _BOARD_SLOTS + 4)


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
