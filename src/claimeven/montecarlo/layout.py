"""The common parts of the arrays of all searches: proofs, the META field, and three vectors.

Nodes of trees and graphs have a META field, an integer of

```text
    bits 0-3 column   4-8 children   9-10 proof   11-  distance
```

The column is the move into the node (in a tree). A proof means that the game is won, lost or drawn
with best play in `distance` more moves, from the view of the player that moved into the node. A
finished game is proven at distance 0.

A kernel takes its tree (see the `kernel` of each package) and two bundles of vectors: `Work`, which
it changes and uses again in its next slice, and `Setup`, which is constant. Each package
adds fields to `state` after the shared ones.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from claimeven.compiled import MAX_BITS, Int, Ints, Words, inlined, int64, named_tuple, uint64
from claimeven.compiled.wide import words
from claimeven.game.bitboard_kernel import STARTS, board_vector
from claimeven.game.geometry import DIRECTIONS, WORD_BITS, Geometry

Records: TypeAlias = Any  #: an array of int32, in kernels

NO_NODE: Final = -1

#: A stored tree is searched for positions up to this number of moves later.
REUSE_PLIES: Final = 4
#: Candidate places of a new position in a full graph, and the multiplier that spreads keys.
BUCKET, SPREAD_KEYS = 4, 0x9E3779B97F4A7C15

#: A search stops at this number of visits of the root, the maximum of an int32.
MAX_VISITS: Final = 2**31 - 1

#: Proofs, from the view of the player that moved into the node.
UNPROVEN, PROVEN_WIN, PROVEN_LOSS, PROVEN_DRAW = range(4)
#: The result of each proof.
PROOF_RESULTS: Final = (0, 1, -1, 0)

COLUMN_BITS, COUNT_BITS, PROOF_BITS = 4, 5, 2
COUNT_SHIFT: Final = COLUMN_BITS
PROOF_SHIFT: Final = COUNT_SHIFT + COUNT_BITS
DISTANCE_SHIFT: Final = PROOF_SHIFT + PROOF_BITS
COLUMN_MASK: Final = (1 << COLUMN_BITS) - 1
COUNT_MASK: Final = (1 << COUNT_BITS) - 1
PROOF_MASK: Final = (1 << PROOF_BITS) - 1
_MOVE_MASK: Final = (1 << PROOF_SHIFT) - 1

# Fields of `state` of every search: nodes in use, the deepest iteration of this decision, and
# whether the tree had no room for a node.
USED, DEPTH, FULL, SHARED_STATE_FIELDS = range(4)

# Fields of `words`: the root's position, the random state of 64 bits, and the memory of `replies`:
# from REPLIES a cell for each player and bit, then the moves of a playout in their order.
MINE, MASK, RANDOM_STATE, REPLIES = range(4)
#: On boards of at most 64 bits.
WORDS_FIELDS: Final = REPLIES + 3 * WORD_BITS

# Fields of `settings`.
ALL_AT_ONCE, SHUFFLED, PLAYOUT, CUT, SOLVER, DECISIVE, MIRROR, RANDOM_TIES, SETTINGS_FIELDS = range(
    9
)


class Work(NamedTuple):
    """The variable vectors of a search, without its tree.

    `state`: its counters. `words`: the root's position, the random state, the memory of playouts.
    `path`: the way to a leaf, 2 * cells + 2 numbers.
    """

    state: Ints
    words: Words
    path: Ints


class Setup(NamedTuple):
    """The constant vectors: `settings`, the options as numbers; `board`, see `playout_vector`."""

    settings: Ints
    board: Words


WORK: Final = named_tuple(Work, int64[::1], uint64[::1], int64[::1])
SETUP: Final = named_tuple(Setup, int64[::1], uint64[::1])


def work_vectors(state_fields: int, geometry: Geometry) -> Work:
    """Allocate the variable vectors of a kernel."""
    return Work(
        np.zeros(state_fields, dtype=np.int64),
        words(REPLIES + 3 * MAX_BITS, geometry.bits),
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
    """Moves to the proven end of the game."""
    return meta >> DISTANCE_SHIFT


@inlined
def with_proof(meta: Int, proof: Int, distance: Int) -> Int:
    """`meta` with a proof."""
    return (meta & _MOVE_MASK) | (proof << PROOF_SHIFT) | (distance << DISTANCE_SHIFT)


@inlined
def proof_result(proof: Int) -> Int:
    """Result of a proof: +1, -1 or 0."""
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


#: Names of the playout rules; kernels use the index in this tuple.
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

#: Slots that `playout_vector` adds to `board_vector`.
_BOARD_SLOTS: Final = STARTS + len(DIRECTIONS)
COLUMNS, COLUMN, FIRST_WIN, BOARD_SLOTS = range(_BOARD_SLOTS, _BOARD_SLOTS + 4)
#: In modules for the page, a longer board gets the cells of the latest playout behind their number.
MOVE_COUNT: Final = BOARD_SLOTS
MOVES: Final = MOVE_COUNT + 1
RECORDING_SLOTS: Final = MOVES + WORD_BITS


def playout_vector(geometry: Geometry) -> Words:
    """Return a board for kernels: `board_vector`, then the number of columns, the mask of the cells
    of column 0, and the minimal number of discs of a won game.
    """
    vector = words(BOARD_SLOTS, geometry.bits)
    vector[:COLUMNS] = board_vector(geometry)
    vector[COLUMNS] = geometry.columns
    vector[COLUMN] = geometry.column_mask(0)
    vector[FIRST_WIN] = 2 * geometry.connect - 1
    return vector
